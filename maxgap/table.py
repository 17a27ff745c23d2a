"""From a table of rewards to an answer: which groups, is it certain, whom to rate next.

>>> import pandas as pd
>>> import maxgap
>>> ratings = pd.DataFrame({"item": [*"abcabcabc"] * 30, "stars": [5, 4, 1, 4, 4, 2, 5, 5, 1] * 30})
>>> answer = maxgap.split(ratings, arm="item", reward="stars", bounds=(1, 5))
>>> sorted(answer.top), answer.certified
(['a', 'b'], True)
"""

from __future__ import annotations

import copy
import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from maxgap import _answers
from maxgap._answers import Answer, Rival, named
from maxgap.engine.types import Flags, Floats
from maxgap._rows import Rows
from maxgap.confidence import guarantees
from maxgap.planning import Setting, checked_setting
from maxgap.policies import Policy
from maxgap.policies._bulk import begin, orders_may_hold, stand_by

__all__ = ["Rival", "TableSplit", "answer", "collecting", "split", "top_by_mean"]

#: With more arms contrasts take long to look at, and "either" is the cluster rule alone.
MOST_FOR_CONTRASTS = 100


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class TableSplit(Answer):
    """What a table of rewards says: shows itself at a terminal and in a notebook, and draws itself.

    Attributes
    ----------
    top, bottom : frozenset of hashable
        The arms above and below the largest gap between empirical means.
    gap : float
        That gap.
    certified : bool
        Whether the rewards certify the groups, as they are.
    certain_gap : float
        The gap between the groups is at least this, with the intervals; negative while those of the
        two groups overlap.
    notes : tuple of str
        What is odd about the ratings, a sentence each.
    sentence : str
        The answer in a sentence, for a report.
    rival : Rival or None
        What the certain gap has to exceed to be certified by "clusters"; None with two arms.
    next : tuple of hashable
        The arms to rate next, once each; none once certified.
    arms : pandas.DataFrame
        A row per arm, largest mean first: arm, ratings, mean, lower, upper, group.

    Examples
    --------
    >>> import maxgap
    >>> answer = maxgap.split(arm=[*"aabbcc"], reward=[0, 0, 1, 1, 9, 9], sigma=0.1)
    >>> sorted(answer.bottom), answer.gap, answer.certified
    (['a', 'b'], 8.0, True)
    >>> answer.certain_gap > answer.rival.gap
    True
    """

    top: frozenset[Hashable]
    bottom: frozenset[Hashable]
    gap: float
    certain_gap: float
    _raters: tuple[int, bool] | None

    def policy(self) -> Policy:
        """A policy that was told these rewards, to go on with: ``ask``, ``tell``, ``save``.

        Examples
        --------
        >>> import maxgap
        >>> policy = maxgap.split(arm=[*"aabbcc"], reward=[0, 0, 1, 1, 3, 3], sigma=0.5).policy()
        >>> policy.tell("a", 0.5)
        >>> policy.counts.tolist()
        [3, 2, 2]
        """
        return copy.copy(self._begun)

    def _found(self) -> list[str]:
        above = self.arms[self.arms["group"] == "top"].iloc[-1]
        below = self.arms[self.arms["group"] == "bottom"].iloc[0]
        return [
            f"The largest gap {'is' if self.certified else 'seems to be'} {self._text(self.gap)}, "
            f"from {named([below['arm']])} ({self._text(below['mean'])}) "
            f"up to {named([above['arm']])} ({self._text(above['mean'])}).",
            self._group("top"),
            self._group("bottom"),
        ]

    def _verdict(self) -> str:
        delta, gap = f"{self._setting.delta:g}", self._text(self.certain_gap)
        rival = -math.inf if self.rival is None else self.rival.gap
        if self.certified and self.certain_gap > max(rival, 0.0):
            return (
                f"Certified with an error probability of at most {delta}: "
                f"the gap is at least {gap}{self._others()}."
            )
        if self.certified:
            return f"Certified by contrasts, with an error probability of at most {delta}."
        if self._setting.stopping == "contrasts":
            return f"Not certified by contrasts (delta {delta})."
        if not guarantees(self._setting.confidence, self._setting.sigma):
            return f"Not certified: the intervals {self._setting.confidence!r} have no proof."
        if self.certain_gap <= 0:
            return f"Not certified (delta {delta}): the intervals of the two groups overlap."
        return (
            f"Not certified (delta {delta}): the gap is at least {gap}, "
            f"but one inside a group may be {self._rival_text()}."
        )

    @property
    def sentence(self) -> str:
        """One sentence for a report: what was asked, of how many ratings, how, and how sure.

        Examples
        --------
        >>> import maxgap
        >>> answer = maxgap.split(arm=[*"aabbcc"], reward=[0, 0, 1, 1, 9, 9], sigma=0.1)
        >>> answer.sentence.split(",")[0]
        'Of 6 ratings of 3 items'
        """
        from maxgap import __version__

        n, k = int(self.arms["ratings"].sum()), len(self.arms)
        raters = (
            f" by {self._raters[0]:,} raters, each counted once an item" if self._raters else ""
        )
        bounds, delta = self._setting.bounds, f"{self._setting.delta:g}"
        scale = (
            f"sub-Gaussian scale {self._setting.sigma}"
            if bounds is None
            else f"scale {bounds[0]:g} to {bounds[1]:g}"
        )
        how = {
            "either": f"{self._setting.confidence} intervals and contrasts, half of delta each",
            "contrasts": "contrasts",
            "clusters": f"{self._setting.confidence} intervals",
        }[self._setting.stopping]
        return (
            f"Of {n:,} ratings of {k:,} items{raters}, {scale}, the largest gap between means is "
            f"{self._text(self.gap)} and {'is' if self.certified else 'is not'} certified "
            f"({how}; delta {delta}, valid at any time; {self._assumed()}; maxgap {__version__})."
        )

    def _assumed(self) -> str:
        raters = "" if self._raters else ", as of different raters"
        if self._setting.stopping == "clusters":
            return f"assumed: given an item's ratings so far{raters}, the next has the item's mean"
        return f"assumed: ratings independent{raters}, in the order in which they were given"

    def _group(self, name: str) -> str:
        arms = self.arms.loc[self.arms["group"] == name, "arm"].tolist()
        return f"{name.capitalize()} ({len(arms):,}): {named(arms)}"

    def _smallest_gap(self) -> float:
        return self.gap


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

    The rewards are taken in the table's order, once, and as they are: nothing is asked of how many
    there are of each arm, of who chose them or of when collecting ended; you may add rewards and
    look again as often as you like.

    The default certificate is "either" of two, with half of ``delta`` each. *Clusters* asks that
    each reward of an arm, *given those of the arm before it*, has the arm's mean as its
    expectation, and keeps to the bounds or is sub-Gaussian with scale ``sigma``; with bounds its
    intervals learn the spread. *Contrasts* needs far fewer rewards where these are 0 or 1, and asks
    for more: all rewards independent of each other, each arm's in the order in which they were
    drawn. Rows that are plainly sorted by reward are noticed, and so is a ``sigma`` that they
    contradict; contrasts are then left out, or the table is refused. Whoever rates an arm several
    times counts once if ``rater`` says so; if someone rates several arms, contrasts are left out.

    Choose another certificate before you look at its answer: the best of several at one ``delta``
    errs more often than ``delta``.

    Parameters
    ----------
    table : pandas.DataFrame, mapping, or what has ``to_pandas``, optional
        A row per reward.
    arm, reward : hashable, or sequences
        Names of two columns of the table; without a table the two sequences themselves.
    bounds : (float, float), optional
        The smallest and largest reward that there *could* be, such as (1, 5) for stars: of the
        scale, not of the data.
    sigma : float or mapping, optional
        In place of bounds: sub-Gaussian scale of the rewards, for all arms or by label.
    delta : float
        Probability of error allowed, in (0, 1).
    rater : hashable or sequence, optional
        Name of the column that says who rated, or the sequence: a rater's ratings of an arm then
        count as one, their mean, where the first of them stands.
    confidence : str, optional
        Of the intervals, as in :class:`maxgap.Policy`: with bounds "empirical-bernstein", else
        "normal-mixture".
    stopping : str
        "either", "clusters" or "contrasts".

    Returns
    -------
    TableSplit

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
    setting = checked_setting(bounds, sigma, delta, confidence, stopping)
    with _answers.rows_of(table, arm, reward, setting, rater) as rows:
        return answer(rows, setting)


def top_by_mean(means: Floats) -> Flags:
    """Of every arm, whether it is above the largest gap between means; of several the highest.

    Examples
    --------
    >>> top_by_mean(np.array([3.0, 0.0, 2.0, 1.0])).tolist()
    [True, False, False, False]
    """
    order = np.argsort(means, kind="stable")
    widest = means.size - 1 - int(np.argmax(np.diff(means[order])[::-1]))
    top = np.zeros(means.size, dtype=np.bool_)
    top[order[widest:]] = True
    return top


def answer(rows: Rows, setting: Setting) -> TableSplit:
    """The answer that checked rows give."""
    _answers.check_arms(rows)
    notes = [*rows.notes]
    if setting.stopping == "either" and len(rows.labels) > MOST_FOR_CONTRASTS:
        setting = setting._replace(stopping="clusters")
    if setting.stopping == "either" and rows.raters is not None and rows.raters[1]:
        setting = setting._replace(stopping="clusters")
        notes.append("Some rate several items: contrasts, which need independence, are left out.")
    policy = setting.policy(rows.labels)
    moments = _answers.tell_all(policy, rows)
    if policy.objections and setting.stopping == "either":
        # What contrasts might have used of delta is not given to the intervals afterwards.
        setting = setting._replace(stopping="clusters")
        notes += [
            f"{text[0].upper()}{text[1:]}: contrasts are left out." for text in policy.objections
        ]
        policy = setting._replace(delta=setting.delta / 2).policy(rows.labels)
        moments = _answers.tell_all(policy, rows)
    notes += [f"{text[0].upper()}{text[1:]}." for text in policy.objections]
    top = top_by_mean(policy.means)
    if setting.stopping != "contrasts" and _answers.stand_apart(policy, top):
        stand_by(policy, top)  # nothing had to be compiled
    elif setting.stopping != "clusters" and orders_may_hold(policy, top):
        begin(policy)
    group = np.where(top, 0, 1)
    means, lower, upper = policy.means, policy.lower, policy.upper
    return TableSplit(
        top=frozenset(policy.arms[arm] for arm in np.flatnonzero(top)),
        bottom=frozenset(policy.arms[arm] for arm in np.flatnonzero(~top)),
        gap=float(means[top].min() - means[~top].max()),
        certified=policy.certified,
        certain_gap=float(lower[top].min() - upper[~top].max()),
        rival=_answers.widest_inside(policy.arms, lower, upper, group),
        arms=_answers.by_mean(policy, group, ("top", "bottom")),
        notes=tuple(notes),
        _raters=rows.raters,
        _policy=policy,
        _setting=setting,
        _world=_answers.world_of(moments, policy, setting, group),
    )


def collecting(rows: Rows, setting: Setting) -> Policy:
    """A policy that was told checked rows; some arms may have none yet."""
    policy = setting.policy(rows.labels)
    if rows.total:
        _answers.tell_all(policy, rows)
        begin(policy)
    return policy
