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
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from maxgap import _answers
from maxgap._answers import Answer, Rival, named
from maxgap._rows import Rows
from maxgap.planning import Setting, checked_setting
from maxgap.policies import Policy

__all__ = ["Rival", "TableSplit", "answer", "split"]


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
        return copy.copy(self._policy)

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
        if self._setting.stopping == "contrasts":
            how = "Certified" if self.certified else "Not certified"
            return f"{how} by contrasts, with an error probability of at most {delta}."
        if self.certified:
            return (
                f"Certified with an error probability of at most {delta}: "
                f"the gap is at least {gap}{self._others()}."
            )
        if self.certain_gap <= 0:
            return f"Not certified (delta {delta}): the intervals of the two groups overlap."
        return (
            f"Not certified (delta {delta}): the gap is at least {gap}, "
            f"but one inside a group may be {self._rival_text()}."
        )

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
    confidence: Any = None,
    stopping: str = "clusters",
) -> TableSplit:
    """Where the largest gap is in a table of rewards, and whether these rewards certify it.

    The rewards are taken in the table's order, once, and as they are: nothing is asked of how many
    there are of each arm, of who chose them or of when collecting ended. What a certificate asks
    for is that each reward of an arm, *given those of the arm before it*, has the arm's mean as its
    expectation, and keeps to the bounds or is sub-Gaussian with scale ``sigma``. Raters who differ
    and rate several arms do no harm, as long as which rater gives an arm its s-th reward does not
    depend on any rating; a mean that drifts, or rows sorted by reward, do.

    The default certificate is the cluster rule on intervals that hold at all times, "clusters":
    with bounds those of "empirical-bernstein", which are narrow where rewards vary little; with
    ``sigma`` those of "normal-mixture". Choose another before you look at its answer: the best of
    several at one ``delta`` errs more often than ``delta``.

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
    confidence : str, optional
        As in :class:`maxgap.Policy`. For rewards of 0 and 1 with means near 1/2 "normal-mixture"
        is narrower than the default.
    stopping : str
        "clusters", or "contrasts", which often needs fewer rewards but asks for more: all rewards
        independent, also those of different arms. Where a rater rates several arms they are not.

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
    Certified with an error probability of at most 0.05: the gap is at least 0.30.
    <BLANKLINE>
    arm  ratings  mean  lower  upper  group   next
    tea       20  5.00   3.15   6.85  top
    mud       20  1.00  -0.85   2.85  bottom
    """
    setting = checked_setting(bounds, sigma, delta, confidence, stopping)
    with _answers.rows_of(table, arm, reward, setting) as rows:
        return answer(rows, setting)


def answer(rows: Rows, setting: Setting) -> TableSplit:
    """The answer that checked rows give."""
    _answers.check_arms(rows)
    policy = setting.policy(rows.labels)
    moments = _answers.tell_all(policy, rows)
    found = policy.recommend()
    top = np.array([label in found.top for label in policy.arms])
    group = np.where(top, 0, 1)
    lower, upper = policy.lower, policy.upper
    return TableSplit(
        top=found.top,
        bottom=found.bottom,
        gap=found.gap,
        certified=policy.certified,
        certain_gap=float(lower[top].min() - upper[~top].max()),
        rival=_answers.widest_inside(policy.arms, lower, upper, group),
        next=tuple(policy.ask()),
        arms=_answers.by_mean(policy, group, ("top", "bottom")),
        _policy=policy,
        _setting=setting,
        _world=_answers.world_of(moments, policy, setting, group),
    )
