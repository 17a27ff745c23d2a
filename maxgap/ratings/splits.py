"""From a table of rewards to an answer: which groups, are they certain, whom to rate next."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import numpy as np

from maxgap.policies import at_once
from maxgap.policies.max_gap_partition import MaxGapPartition, cut
from maxgap.ratings.answers import Answer, named, shared, tell_all
from maxgap.ratings.question import Question
from maxgap.ratings.rows import Rows, add_table

__all__ = ["TablePartition", "TableSplit", "partition", "partition_of", "split", "split_of"]

#: With more arms contrasts take long to look at, and "either" is the cluster rule alone.
MOST_FOR_CONTRASTS = 100
#: How many groups are named in sentences.
NAMED_GROUPS = 12


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class TableSplit(Answer):
    """What a table of rewards says: shows itself at a terminal and in a notebook, and draws itself.

    Attributes
    ----------
    top : frozenset of hashable
        The arms above the largest gap between empirical means.
    bottom : frozenset of hashable
        The arms below it.
    gap : float
        That gap.
    certified : bool
        Whether the rewards certify the groups.
    certain_gap : float
        By the intervals the gap is at least this; negative while those of the two groups overlap.
    notes : tuple of str
        What is odd about the ratings, a sentence each.
    rival : Rival or None
        What the certain gap has to exceed to be certified by "clusters"; None with two arms.
    arms : pandas.DataFrame
        A row per arm, largest mean first: arm, ratings, mean, lower, upper, group.

    Examples
    --------
    >>> import maxgap
    >>> answer = maxgap.split(arm=[*"aabbcc"], reward=[0, 0, 1, 1, 9, 9], sigma=0.1)
    >>> sorted(answer.bottom), answer.gap, answer.certified
    (['a', 'b'], 8.0, True)
    """

    top: frozenset[Hashable]
    bottom: frozenset[Hashable]
    gap: float
    certain_gap: float
    _raters: int

    def verdict(self) -> list[str]:
        """The gap, the groups, whether they are certified, and the notes."""
        n = len(self.top)
        below, above = (
            f"{named([row.arm])} ({self._text(row.mean)})"
            for row in self.arms.iloc[[n, n - 1]].itertuples()
        )
        is_ = "is" if self.certified else "seems to be"
        return [
            f"The largest gap {is_} {self._text(self.gap)}, from {below} up to {above}.",
            self._group("Top", "top"),
            self._group("Bottom", "bottom"),
            self._judged(
                self.certain_gap,
                f" with an error probability of at most {self._question.delta:g}: "
                "the gap is at least",
                "the intervals of the two groups overlap",
                f"the gap is at least {self._text(self.certain_gap)}, "
                "but one inside a group may be ",
            ),
            *self.notes,
        ]

    @property
    def sentence(self) -> str:
        """One sentence for a report: what was asked, of how many ratings, how, and how sure."""
        bounds, sigma, delta, confidence, stopping = self._question
        counted, apart = "", ", as of different raters"
        if self._raters:
            counted, apart = f" by {self._raters:,} raters, each counted once an item", ""
        scale = f"scale {bounds[0]:g} to {bounds[1]:g}" if bounds else f"sub-Gaussian scale {sigma}"
        how = {
            "either": f"{confidence} intervals and contrasts, half of delta each",
            "contrasts": "contrasts",
            "clusters": f"{confidence} intervals",
        }[stopping]
        assumed = f"ratings independent{apart}, in the order in which they were given"
        if stopping == "clusters":
            assumed = f"given an item's ratings so far{apart}, the next has the item's mean"
        return (
            f"Of {self.arms['ratings'].sum():,} ratings of {len(self.arms):,} items{counted}, "
            f"{scale}, the largest gap between means is {self._text(self.gap)} and "
            f"{'is' if self.certified else 'is not'} certified ({how}; delta {delta:g}, valid at "
            f"any time; assumed: {assumed}; maxgap {version('maxgap')})."
        )


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class TablePartition(Answer):
    """What a table of rewards says about more than two groups.

    All else is as of :class:`maxgap.TableSplit`; groups count from 1.

    Attributes
    ----------
    groups : tuple of frozenset of hashable
        The arms of every group, the highest first.
    gaps : tuple of float
        Between the empirical means on both sides of every cut, highest cut first.
    certain_gaps : tuple of float
        The gaps are at least these; negative where intervals overlap.
    rival : Rival or None
        What all certain gaps have to exceed; None if every arm is a group of its own.

    Examples
    --------
    >>> import maxgap
    >>> answer = maxgap.partition(arm=[*"abcd"], reward=[0, 4, 5, 9], groups=3, sigma=0.5)
    >>> answer.gaps, answer.certified
    ((4.0, 4.0), False)
    """

    groups: tuple[frozenset[Hashable], ...]
    gaps: tuple[float, ...]
    certain_gaps: tuple[float, ...]

    def verdict(self) -> list[str]:
        """The gaps, the groups, whether they are certified, and the notes."""
        gaps = ", ".join(self._text(gap) for gap in self.gaps[:NAMED_GROUPS])
        more = ", ..." if len(self.gaps) > NAMED_GROUPS else ""
        n, k = len(self.groups), int(np.argmin(self.certain_gaps))
        least, between = self.certain_gaps[k], f"between groups {k + 2} and {k + 1}"
        return [
            f"{n} groups, cut at the {n - 1} largest gaps: {gaps}{more}.",
            *(self._group(f"Group {j}", j) for j in range(1, min(n, NAMED_GROUPS) + 1)),
            *[f"and {n - NAMED_GROUPS:,} groups more"] * (n > NAMED_GROUPS),
            self._judged(
                least,
                ", all groups together with an error probability of at most "
                f"{self._question.delta:g}: every one of these gaps is at least",
                f"intervals overlap {between}",
                f"the gap {between} may be as small as {self._text(least)}, "
                "one inside a group as wide as ",
            ),
            *self.notes,
        ]


def split(
    table: Any = None,
    *,
    arm: Any,
    reward: Any,
    bounds: tuple[float, float] | None = None,
    sigma: float | Mapping[Hashable, float] | None = None,
    delta: float = 0.05,
    rater: Any = None,
    confidence: Any = None,
    stopping: str = "either",
) -> TableSplit:
    """Where the largest gap is in a table of rewards, and whether these rewards certify it.

    The rewards are taken once, in the table's order, whoever chose the arms and whenever collecting
    ended; you may add rewards and look again as often as you like.

    The default certificate is "either" of two, with half of ``delta`` each. *Clusters* asks that
    each reward of an arm, *given those of the arm before it*, has the arm's mean as its
    expectation, and keeps to the bounds or is sub-Gaussian with scale ``sigma``. *Contrasts* needs
    far fewer rewards where these are 0 or 1, and asks for more: all rewards independent, each arm's
    in the order in which they were drawn. Left out they are where rows are plainly sorted by reward
    or ``rater`` says that someone rates several arms; a ``sigma`` that rows contradict is refused.

    Choose a certificate before you look: the best of several errs more often than ``delta``.

    Parameters
    ----------
    table : pandas.DataFrame, mapping, or what has ``to_pandas``, optional
        A row per reward.
    arm, reward : hashable, or sequences
        Names of two columns of the table; without a table the two sequences themselves.
    bounds : (float, float), optional
        The smallest and largest reward that there *could* be, such as (1, 5) for stars.
    sigma : float or mapping, optional
        In place of bounds: sub-Gaussian scale of the rewards, for all arms or by label.
    delta : float
        Probability of error allowed, in (0, 1).
    rater : hashable or sequence, optional
        Who rated: a rater's ratings of an arm count as one, their mean, where the first stands.
    confidence : str, optional
        As in :class:`maxgap.Policy`: with bounds "empirical-bernstein", else "normal-mixture".
    stopping : str
        "either", "clusters" or "contrasts".

    Raises
    ------
    ValueError
        For a row that cannot be used, with the row and the column; for columns that are not there,
        fewer than two arms, and arguments that cannot be used.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"item": ["tea", "mud"] * 20, "stars": [5, 1] * 20})
    >>> split(table, arm="item", reward="stars", bounds=(1, 5))
    The largest gap is 4.00, from mud (1.00) up to tea (5.00).
    Top (1): tea
    Bottom (1): mud
    Certified by contrasts, with an error probability of at most 0.05.
    <BLANKLINE>
    arm  ratings  mean  lower  upper  group   next
    tea       20  5.00   2.91   5.00  top
    mud       20  1.00   1.00   3.09  bottom
    """
    question = Question.asked(bounds, sigma, delta, confidence, stopping)
    rows = Rows(question.bounds)
    add_table(rows, table, arm=arm, reward=reward, rater=rater)
    return split_of(rows, question)


def split_of(rows: Rows, question: Question) -> TableSplit:
    """The split that checked rows give."""
    rows.check_arms()
    notes = [*rows.notes]
    many = len(rows.labels) > MOST_FOR_CONTRASTS
    if question.stopping == "either" and (many or rows.several):
        question = question._replace(stopping="clusters")
        why = "Some rate several items: contrasts, which need independence, are left out."
        notes += [why] * (not many)
    policy = question.policy(rows.labels)
    moments = tell_all(policy, rows)
    against = policy.objections
    if against and question.stopping == "either":
        # What contrasts might have used of delta is not given to the intervals afterwards.
        question = question._replace(stopping="clusters")
        policy = question._replace(delta=question.delta / 2).policy(rows.labels)
        tell_all(policy, rows)
        left_out = (f"{text}: contrasts are left out" for text in against)
        against = (*left_out, *policy.objections)
    notes += [f"{text[0].upper()}{text[1:]}." for text in against]
    look = cut(policy.arms, policy.means, policy.lower, policy.upper, 2)
    top = look.group == 0
    if question.stopping != "contrasts" and look.certified:
        at_once.stand_by(policy, top)  # nothing had to be compiled
    elif question.stopping != "clusters" and at_once.orders_may_hold(policy, top):
        at_once.begin(policy)
    groups, gaps = look.answer(policy.arms)
    return TableSplit(
        top=groups[0],
        bottom=groups[1],
        gap=gaps[0],
        certain_gap=float(look.certain[0]),
        notes=tuple(notes),
        _raters=rows.raters,
        **shared(policy, moments, look, question, ("top", "bottom")),
    )


def partition(
    table: Any = None,
    *,
    arm: Any,
    reward: Any,
    groups: int,
    bounds: tuple[float, float] | None = None,
    sigma: float | Mapping[Hashable, float] | None = None,
    delta: float = 0.05,
    rater: Any = None,
    confidence: Any = None,
) -> TablePartition:
    """Cut the arms of a table into so many groups, and say whether these rewards certify all.

    The arms are cut at their ``groups - 1`` largest gaps. Certified if, with the intervals, every
    gap at a cut is surely wider than any inside a group: the *whole* partition is then wrong with
    probability at most ``delta``; :func:`maxgap.policies.max_gap_partition.cut` has the proof.
    :class:`maxgap.MaxGapPartition` asks for rewards until it is certain.

    Parameters
    ----------
    table, arm, reward, bounds, sigma, delta, rater, confidence
        As for :func:`maxgap.split`, which is the case of two groups.
    groups : int
        How many groups, from 2 to the number of arms; then the arms are ranked.

    Raises
    ------
    ValueError
        As :func:`maxgap.split`; also for a number of groups that there cannot be.

    Examples
    --------
    >>> stars = {"tea": 5, "jam": 4.5, "oil": 3, "mud": 1}
    >>> made = partition(arm=[*stars] * 90, reward=[*stars.values()] * 90, groups=3, sigma=0.5)
    >>> [sorted(group) for group in made.groups], made.certified
    ([['jam', 'tea'], ['oil'], ['mud']], True)
    """
    question = Question.asked(bounds, sigma, delta, confidence, "clusters")
    rows = Rows(question.bounds)
    add_table(rows, table, arm=arm, reward=reward, rater=rater)
    return partition_of(rows, groups, question)


def partition_of(rows: Rows, groups: int, question: Question) -> TablePartition:
    """The partition that checked rows give."""
    rows.check_arms()
    policy = question.policy(rows.labels, MaxGapPartition, groups=groups)
    moments = tell_all(policy, rows)
    at_once.begin(policy)
    look = cut(policy.arms, policy.means, policy.lower, policy.upper, groups)
    return TablePartition(
        **look.answer(policy.arms)._asdict(),
        certain_gaps=tuple(look.certain.tolist()),
        notes=rows.notes,
        **shared(policy, moments, look, question, range(1, groups + 1)),
    )
