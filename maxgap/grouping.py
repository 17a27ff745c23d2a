"""More than two groups: cut at the largest gaps, all certified at once; of a table, or as one asks.

>>> import maxgap
>>> answer = maxgap.partition(
...     arm=[*"abcd"] * 9, reward=[1, 1.5, 5, 9] * 9, groups=3, sigma=0.2
... )
>>> [sorted(group) for group in answer.groups], answer.certified
([['d'], ['c'], ['a', 'b']], True)
"""

from __future__ import annotations

import copy
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from maxgap import _answers
from maxgap._answers import Answer, Rival, named
from maxgap.engine.types import Floats, Integers
from maxgap._numbers import is_whole
from maxgap._rows import Rows
from maxgap._saving import StrPath
from maxgap.confidence import guarantees
from maxgap.gaps import gap_upper_bounds
from maxgap.planning import Setting, checked_setting
from maxgap.policies import Policy
from maxgap.policies._bulk import begin
from maxgap.policies.base import DEFAULT

__all__ = [
    "Cuts",
    "MaxGapPartition",
    "Partition",
    "TablePartition",
    "cut",
    "partition",
    "partition_of",
]

#: How many groups are named in sentences.
NAMED_GROUPS = 12


class Cuts(NamedTuple):
    """The arms cut at the largest gaps between their means; groups count from the highest, 0.

    Examples
    --------
    >>> means = np.array([0.0, 1.0, 5.0])
    >>> cut([*"abc"], means, means - 0.5, means + 0.5, 2).group.tolist()
    [1, 1, 0]
    """

    group: Integers  # of every arm
    gaps: Floats  # between empirical means, one a cut
    certain: Floats  # lower bounds on them, negative where intervals overlap
    sides: list[tuple[int, int]]  # the arms whose intervals come nearest: below, above
    rival: Rival | None
    certified: bool


def cut(labels: list[Hashable], means: Floats, lower: Floats, upper: Floats, n: int) -> Cuts:
    """Cut arms into `n` groups, and see whether these intervals certify them.

    Examples
    --------
    >>> means = np.array([0.0, 1.0, 5.0])
    >>> look = cut([*"abc"], means, means - 0.5, means + 0.5, 2)
    >>> look.certain.tolist(), look.rival.gap, look.certified
    ([3.0], 2.0, True)
    """
    order = np.argsort(-means, kind="stable")
    gaps = -np.diff(means[order])
    cuts = np.sort(np.argsort(-gaps, kind="stable")[: n - 1])
    group = np.empty(means.size, dtype=np.int64)
    group[order] = np.searchsorted(cuts, np.arange(means.size), side="left")
    low = _lowest_so_far(lower[order])[cuts]
    high = means.size - 1 - _lowest_so_far(-upper[order[::-1]])[means.size - 2 - cuts]
    sides = list(zip(order[high].tolist(), order[low].tolist(), strict=True))
    certain = lower[order[low]] - upper[order[high]]
    rival = _answers.widest_inside(labels, lower, upper, group)
    certified = bool(certain.min() > (0.0 if rival is None else max(rival.gap, 0.0)))
    return Cuts(group, gaps[cuts], certain, sides, rival, certified)


class Partition(NamedTuple):
    """An answer: the groups, the highest first, and the gaps between the means on their borders.

    Examples
    --------
    >>> Partition(groups=(frozenset("c"), frozenset("ab")), gaps=(4.0,)).gaps
    (4.0,)
    """

    groups: tuple[frozenset[Hashable], ...]
    gaps: tuple[float, ...]


def _lowest_so_far(values: Floats) -> Integers:
    """At every place, where the smallest value up to there is."""
    is_lowest = values == np.minimum.accumulate(values)
    return np.maximum.accumulate(np.where(is_lowest, np.arange(values.size), 0))


class MaxGapPartition(Policy):
    """Collect until the arms are cut into so many groups, all of them certain at once.

    What the groups are, and the proof of the certificate, are those of :func:`partition`. The
    intervals hold at all times and for whatever is asked, so the answer is wrong with probability
    at most ``delta``, the whole of it.

    It asks for all that stands in the way: the arms on both sides of each cut that may be narrower
    than a gap inside a group, and each arm whose gap inside its group may be as wide as the least
    certain cut. The two arms of the widest such gap would not do: an arm with a wide interval that
    lies across it has to be moved out of it, too.

    It decides in plain Python, about a millisecond a round: with many arms take a ``batch`` and
    tell its rewards together. It is not for :mod:`maxgap.simulate`, which judges splits, and not
    saved: keep the rewards, and go on from :meth:`TablePartition.policy`.

    Parameters
    ----------
    arms, delta, sigma, confidence, nested, bounds
        As for :class:`maxgap.Policy`.
    groups : int
        How many groups, from 2 to the number of arms; then the arms are ranked.
    stopping : str or None
        "clusters", or None to go on as long as one likes.

    Raises
    ------
    ValueError
        Which argument, and why not.

    Examples
    --------
    >>> means = {"tea": 4.6, "jam": 4.4, "oil": 3.0, "mud": 1.2}
    >>> policy = MaxGapPartition(means, groups=3, sigma=0.5)
    >>> while not policy.stopped:
    ...     for arm in policy.ask():
    ...         policy.tell([arm] * 5, [means[arm]] * 5)
    >>> [sorted(group) for group in policy.recommend().groups], policy.certified
    ([['jam', 'tea'], ['oil'], ['mud']], True)
    >>> policy.report()["cluster"].tolist()
    [1, 1, 2, 3]
    """

    _answers_with_a_split = False

    def __init__(
        self,
        arms: int | Iterable[Hashable],
        *,
        groups: int,
        delta: float = 0.05,
        sigma: float | ArrayLike = 1.0,
        confidence: Any = DEFAULT,
        nested: bool = False,
        stopping: str | None = "clusters",
        bounds: tuple[float, float] | None = None,
    ) -> None:
        if stopping is not None and stopping != "clusters":
            raise ValueError(f"stopping must be 'clusters' or None, got {stopping!r}")
        _check_groups(groups)
        super().__init__(
            arms,
            delta=delta,
            sigma=sigma,
            confidence=confidence,
            nested=nested,
            stopping=None,
            bounds=bounds,
        )
        if groups > len(self.arms):
            raise ValueError(f"groups must be at most {len(self.arms)}, got {groups}")
        self._n_groups = int(groups)
        self._stops = stopping is not None
        self._final: Cuts | None = None
        self._latest: tuple[int, Cuts] | None = None

    @property
    def certified(self) -> bool:
        """Whether the policy stopped, with intervals whose guarantee is proved."""
        proved = self.stopped and guarantees(self._confidence, self._sigmas)
        return proved and not self.objections

    def recommend(self) -> Partition:  # type: ignore[override]
        """The answer: the arms cut at the largest gaps between empirical means.

        Once stopped it stays as it was then. A ValueError while some arm has no sample.
        """
        with self._lock:
            super().recommend()  # complains of arms without a sample
            look = self._look()
        labels = self.arms
        return Partition(
            tuple(
                frozenset(labels[arm] for arm in arms.tolist())
                for arms in _answers.members(look.group)
            ),
            tuple(look.gaps.tolist()),
        )

    def choose(self) -> Iterable[Hashable]:
        """All that stands in the way of a certificate; everything once nothing does."""
        look = self._look()
        widest = 0.0 if look.rival is None else max(look.rival.gap, 0.0)
        asked = np.zeros(look.group.size, dtype=np.bool_)
        for certain, sides in zip(look.certain, look.sides, strict=True):
            asked[list(sides)] |= certain <= widest
        lower, upper = self.lower, self.upper
        for arms in _answers.members(look.group):
            if arms.size > 1:
                bounds = gap_upper_bounds(lower[arms], upper[arms]).either
                asked[arms] |= bounds >= max(look.certain.min(), 0.0)
        if not asked.any():
            return self.arms
        return [label for label, ask in zip(self.arms, asked, strict=True) if ask]

    def may_stop(self) -> bool:
        """Whether all groups are certified."""
        look = self._look()
        if self._stops and look.certified:
            self._final = look
        return self._final is not None

    def save(self, path: StrPath) -> None:
        """Refuse: keep the rewards, and go on from :meth:`TablePartition.policy`."""
        raise ValueError(
            "a MaxGapPartition is not saved: keep the rewards; partition(...).policy() goes on"
        )

    def _look(self) -> Cuts:
        """The cuts now, or those it stopped with."""
        if self._final is not None:
            return self._final
        total = int(self._state.progress[0]["total"])  # every reward changes it
        if self._latest is None or self._latest[0] != total:
            look = cut(self._labels, self.means, self.lower, self.upper, self._n_groups)
            self._latest = total, look
        return self._latest[1]

    def _clusters(self) -> list[Any]:
        return (self._look().group + 1).tolist()


def _check_groups(groups: Any) -> None:
    if not is_whole(groups) or groups < 2:
        raise ValueError(f"groups must be a whole number from 2, got {groups!r}")


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
        The arms to rate next, as :class:`MaxGapPartition` asks; none once certified.
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
    _policy: MaxGapPartition

    def policy(self) -> MaxGapPartition:
        """A policy that was told these rewards, to go on with: ``ask``, ``tell``.

        Examples
        --------
        >>> import maxgap
        >>> answer = maxgap.partition(arm=[*"abcd"], reward=[0, 4, 5, 9], groups=3, sigma=0.5)
        >>> policy = answer.policy()
        >>> policy.tell("b", 4.5)
        >>> policy.counts.tolist()
        [1, 2, 1, 1]
        """
        return copy.copy(self._policy)

    def _found(self) -> list[str]:
        gaps = ", ".join(self._text(gap) for gap in self.gaps[:NAMED_GROUPS])
        more = ", ..." if len(self.gaps) > NAMED_GROUPS else ""
        found = [
            f"{len(self.groups)} groups, cut at the {len(self.gaps)} largest gaps: {gaps}{more}."
        ]
        for k in range(min(len(self.groups), NAMED_GROUPS)):
            arms = self.arms.loc[self.arms["group"] == k + 1, "arm"].tolist()
            found.append(f"Group {k + 1} ({len(arms):,}): {named(arms)}")
        if len(self.groups) > NAMED_GROUPS:
            found.append(f"and {len(self.groups) - NAMED_GROUPS:,} groups more")
        return found

    def _verdict(self) -> str:
        delta = f"{self._setting.delta:g}"
        k = int(np.argmin(self.certain_gaps))
        least = self._text(self.certain_gaps[k])
        if self.certified:
            return (
                f"Certified, all groups together with an error probability of at most {delta}: "
                f"every one of these gaps is at least {least}{self._others()}."
            )
        between = f"between groups {k + 2} and {k + 1}"
        if self.certain_gaps[k] <= 0:
            return f"Not certified (delta {delta}): intervals overlap {between}."
        return (
            f"Not certified (delta {delta}): the gap {between} may be as small as {least}, "
            f"one inside a group as wide as {self._rival_text()}."
        )

    def _smallest_gap(self) -> float:
        return min(self.gaps)


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
    :class:`MaxGapPartition` asks for rewards until it is certain.

    Certified if, with the intervals, every gap at a cut is surely wider than any inside a group.
    Proof. Let all intervals hold, which they do with probability at least 1 - delta. Each cut's
    lower bound is positive, so all arms above it have larger means than all arms below: it lies at
    a gap between neighbouring means, at least as wide as the bound says. Every other gap between
    neighbouring means has no cut in it. Its two arms are of one group, in which they are neighbours
    too; so it is at most as wide as the widest gap that the group's intervals allow, and that is
    below all bounds of the cuts. So the cuts are at the ``groups - 1`` largest gaps, which are
    unique.

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
    setting = checked_setting(bounds, sigma, delta, confidence, "clusters")
    _check_groups(groups)
    with _answers.rows_of(table, arm, reward, setting, rater) as rows:
        return partition_of(rows, int(groups), setting)


def partition_of(rows: Rows, groups: int, setting: Setting) -> TablePartition:
    """The partition that checked rows give."""
    _answers.check_arms(rows, groups)
    policy = MaxGapPartition(
        rows.labels,
        groups=groups,
        delta=setting.delta,
        confidence=setting.confidence,
        **setting.scale,
    )
    moments = _answers.tell_all(policy, rows)
    begin(policy)
    look, found = policy._look(), policy.recommend()
    return TablePartition(
        groups=found.groups,
        gaps=found.gaps,
        certified=policy.certified,
        certain_gaps=tuple(look.certain.tolist()),
        rival=look.rival,
        notes=rows.notes,
        arms=_answers.by_mean(policy, look.group, range(1, groups + 1)),
        _policy=policy,
        _setting=setting,
        _world=_answers.world_of(moments, policy, setting, look.group),
    )
