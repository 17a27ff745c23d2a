"""From a table of rewards to more than two groups: cut at the largest gaps, certified at once."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from maxgap.policies import at_once
from maxgap.policies.max_gap_partition import MaxGapPartition, check_groups, cut
from maxgap.ratings.answers import Answer, shared, tell_all
from maxgap.ratings.question import Question
from maxgap.ratings.rows import Rows
from maxgap.ratings.tables import add_table

__all__ = ["TablePartition", "partition", "partition_of"]

#: How many groups are named in sentences.
NAMED_GROUPS = 12


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class TablePartition(Answer):
    """What a table of rewards says about more than two groups; shows and draws itself.

    Attributes
    ----------
    groups : tuple of frozenset of hashable
        The arms of every group, the highest first.
    gaps : tuple of float
        Between the empirical means on both sides of every cut, highest cut first.
    certified : bool
        Whether the rewards certify all groups, as they are.
    certain_gaps : tuple of float
        The gaps are at least these; negative where intervals overlap.
    rival : Rival or None
        What all certain gaps have to exceed; None if every arm is a group of its own.
    next : tuple of hashable
        The arms to rate next, as :class:`maxgap.MaxGapPartition` asks; none once certified.
    arms : pandas.DataFrame
        A row per arm, largest mean first: arm, ratings, mean, lower, upper, group from 1.

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

    def _found(self) -> list[str]:
        gaps = ", ".join(self._text(gap) for gap in self.gaps[:NAMED_GROUPS])
        more = ", ..." if len(self.gaps) > NAMED_GROUPS else ""
        n = len(self.groups)
        return [
            f"{n} groups, cut at the {n - 1} largest gaps: {gaps}{more}.",
            *(self._group(f"Group {k + 1}", k + 1) for k in range(min(n, NAMED_GROUPS))),
            *[f"and {n - NAMED_GROUPS:,} groups more"] * (n > NAMED_GROUPS),
        ]

    def _verdict(self) -> str:
        delta = f"{self._question.delta:g}"
        k = int(np.argmin(self.certain_gaps))
        least = self._text(self.certain_gaps[k])
        if self.certified:
            inside = self._inside(", any inside a group at most ")
            return (
                f"Certified, all groups together with an error probability of at most {delta}: "
                f"every one of these gaps is at least {least}{inside}."
            )
        between = f"between groups {k + 2} and {k + 1}"
        if self.certain_gaps[k] <= 0:
            return f"Not certified (delta {delta}): intervals overlap {between}."
        return (
            f"Not certified (delta {delta}): the gap {between} may be as small as {least}, "
            f"one inside a group as wide as {self._inside('')}."
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

    The arms are divided at their largest gap, then the part with the largest gap that is left, and
    so on: that is, cut at the ``groups - 1`` largest gaps, in whatever order, for a cut leaves all
    other gaps as they are. All is judged by one set of intervals, so ``delta`` is not shared among
    the cuts: the *whole* partition is wrong with probability at most ``delta``.
    :class:`maxgap.MaxGapPartition` asks for rewards until it is certain.

    Certified if, with the intervals, every gap at a cut is surely wider than any inside a group;
    :func:`maxgap.policies.max_gap_partition.cut` has the proof.

    Parameters
    ----------
    table, arm, reward, bounds, sigma, delta, rater, confidence
        As for :func:`maxgap.split`, which is the case of two groups.
    groups : int
        How many groups, from 2 to the number of arms; then the arms are ranked.

    Returns
    -------
    TablePartition

    Raises
    ------
    ValueError
        As :func:`maxgap.split`; also for a number of groups that there cannot be.

    Examples
    --------
    >>> stars = {"tea": 5, "jam": 4.5, "oil": 3, "mud": 1}
    >>> partition(arm=[*stars] * 90, reward=[*stars.values()] * 90, groups=3, sigma=0.5)
    3 groups, cut at the 2 largest gaps: 1.50, 2.00.
    Group 1 (2): tea, jam
    Group 2 (1): oil
    Group 3 (1): mud
    Certified, all groups together with an error probability of at most 0.05: every one of these \
gaps is at least 1.13, any inside a group at most 0.87 (jam to tea).
    <BLANKLINE>
    arm  ratings  mean  lower  upper  group  next
    tea       90  5.00   4.82   5.18  1
    jam       90  4.50   4.32   4.68  1
    oil       90  3.00   2.82   3.18  2
    mud       90  1.00   0.82   1.18  3
    """
    question = Question.asked(bounds, sigma, delta, confidence, "clusters")
    check_groups(groups)
    rows = Rows(question.bounds)
    add_table(rows, table, arm=arm, reward=reward, rater=rater)
    rows.once()
    return partition_of(rows, int(groups), question)


def partition_of(rows: Rows, groups: int, question: Question) -> TablePartition:
    """The partition that checked rows give."""
    rows.check_arms(groups)
    policy = question.policy(rows.labels, MaxGapPartition, groups=groups)
    moments = tell_all(policy, rows)
    at_once.begin(policy)
    look = cut(policy.arms, policy.means, policy.lower, policy.upper, groups)
    found = look.answer(policy.arms)
    return TablePartition(
        groups=found.groups,
        gaps=found.gaps,
        certain_gaps=tuple(look.certain.tolist()),
        notes=rows.notes,
        **shared(policy, moments, look, question, range(1, groups + 1)),
    )
