"""Groups of arms, cut at the largest gaps between means; a policy that asks for certain ones."""

from __future__ import annotations

import copy
from collections.abc import Hashable, Iterable, Sequence
from itertools import compress
from typing import Any, NamedTuple

import numpy as np

from maxgap._numbers import is_whole
from maxgap._saving import StrPath
from maxgap.confidence import guarantees
from maxgap.engine.types import Floats, Integers
from maxgap.gaps import gap_upper_bounds
from maxgap.policies.base import Policy

__all__ = ["Cuts", "MaxGapPartition", "Partition", "Rival", "check_groups", "cut", "members"]


class Rival(NamedTuple):
    """The widest gap that may still be inside a group, from one arm up to another, and its ends."""

    gap: float
    below: Hashable
    above: Hashable
    ends: tuple[float, float]


class Partition(NamedTuple):
    """An answer: the groups, the highest first, and the gaps between the means on their borders.

    Examples
    --------
    >>> Partition(groups=(frozenset("c"), frozenset("ab")), gaps=(4.0,)).gaps
    (4.0,)
    """

    groups: tuple[frozenset[Hashable], ...]
    gaps: tuple[float, ...]


class Cuts(NamedTuple):
    """The arms in groups, and what intervals say of them; groups count from the highest, 0."""

    group: Integers  # of every arm
    gaps: Floats  # between empirical means, one a cut
    certain: Floats  # lower bounds on them, negative where intervals overlap
    sides: list[tuple[int, int]]  # the arms whose intervals come nearest: below, above
    rival: Rival | None
    certified: bool

    def answer(self, labels: Sequence[Hashable]) -> Partition:
        """The groups by their labels."""
        named = (frozenset(labels[arm] for arm in arms.tolist()) for arms in members(self.group))
        return Partition(tuple(named), tuple(self.gaps.tolist()))


def check_groups(groups: Any) -> None:
    """A ValueError for what is no number of groups."""
    if not is_whole(groups) or groups < 2:
        raise ValueError(f"groups must be a whole number from 2, got {groups!r}")


def members(group: Integers) -> list[Integers]:
    """The arms of every group, in their order."""
    order = np.argsort(group, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(group[order])) + 1)


def cut(labels: Sequence[Hashable], means: Floats, lower: Floats, upper: Floats, n: int) -> Cuts:
    """Cut arms at the `n - 1` largest gaps, of equal ones at the highest; look whether certified.

    Certified if every gap at a cut is surely wider than any inside a group. Proof. Let all
    intervals hold, which they do with probability at least 1 - delta. Each cut's lower bound is
    positive, so all arms above it have larger means than all arms below: it lies at a gap between
    neighbouring means, at least as wide as the bound says. Every other gap between neighbouring
    means has no cut in it. Its two arms are of one group, in which they are neighbours too; so it
    is at most as wide as the widest gap that the group's intervals allow, and that is below all
    bounds of the cuts. So the cuts are at the `n - 1` largest gaps, which are unique.

    Examples
    --------
    >>> means = np.array([0.0, 1.0, 5.0])
    >>> look = cut([*"abc"], means, means - 0.5, means + 0.5, 2)
    >>> look.certain.tolist(), look.rival.gap, look.certified
    ([3.0], 2.0, True)
    """
    order = np.argsort(means, kind="stable")[::-1]
    cuts = np.sort(np.argsort(np.diff(means[order]), kind="stable")[: n - 1])
    group = np.empty(means.size, dtype=np.int64)
    group[order] = np.searchsorted(cuts, np.arange(means.size), side="left")
    order = np.lexsort((-means, group))
    low = _lowest_so_far(lower[order])[cuts]
    high = means.size - 1 - _lowest_so_far(-upper[order[::-1]])[means.size - 2 - cuts]
    sides = list(zip(order[high].tolist(), order[low].tolist(), strict=True))
    certain = lower[order[low]] - upper[order[high]]
    rival = _widest_inside(labels, lower, upper, group)
    certified = bool(certain.min() > (0.0 if rival is None else max(rival.gap, 0.0)))
    gaps = means[order[cuts]] - means[order[cuts + 1]]
    return Cuts(group, gaps, certain, sides, rival, certified)


def _lowest_so_far(values: Floats) -> Integers:
    """At every place, where the smallest value up to there is."""
    is_lowest = values == np.minimum.accumulate(values)
    return np.maximum.accumulate(np.where(is_lowest, np.arange(values.size), 0))


def _widest_inside(
    labels: Sequence[Hashable], lower: Floats, upper: Floats, group: Integers
) -> Rival | None:
    """The widest gap inside a group: the largest bound of Algorithm 4, with nothing to compile."""
    pairs = []
    for arms in members(group):
        if arms.size < 2:
            continue
        arms = arms[np.argsort(lower[arms], kind="stable")]
        low, high = lower[arms], upper[arms]
        # Above the lower end of an arm the gap reaches up to the smallest upper end further up...
        reach = np.minimum.accumulate(high[::-1])[::-1]
        k = int(np.argmax(reach[1:] - low[:-1]))
        pairs.append((arms[k], arms[k + 1 + int(np.argmin(high[k + 1 :]))]))
        # ...and above the highest lower end to any other arm's upper end.
        pairs.append((arms[-1], arms[int(np.argmax(high[:-1]))]))
    if not pairs:
        return None
    below, above = max(pairs, key=lambda pair: upper[pair[1]] - lower[pair[0]])
    ends = float(lower[below]), float(upper[above])
    return Rival(ends[1] - ends[0], labels[below], labels[above], ends)


class MaxGapPartition(Policy):
    """Collect until the arms are cut into so many groups, all of them certain at once.

    The groups, and the proof of the certificate, are those of :func:`maxgap.partition`. The answer
    is wrong with probability at most ``delta``, the whole of it.

    It asks for all that stands in the way: the arms on both sides of each cut that may be narrower
    than a gap inside a group, and each arm whose gap inside its group may be as wide as the least
    certain cut, for one with a wide interval that lies across a gap has to be moved out of it, too.

    It decides in plain Python, about a millisecond a round: with many arms take a ``batch`` and
    tell its rewards together. It is not for :mod:`maxgap.simulate`, which judges splits, and not
    saved: keep the rewards, and go on from :meth:`maxgap.TablePartition.policy`.

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
    """

    _answers_with_a_split = False
    #: How many groups.
    n_groups: int

    def __init__(
        self,
        arms: int | Iterable[Hashable],
        *,
        groups: int,
        stopping: str | None = "clusters",
        **settings: Any,
    ) -> None:
        if stopping is not None and stopping != "clusters":
            raise ValueError(f"stopping must be 'clusters' or None, got {stopping!r}")
        check_groups(groups)
        super().__init__(arms, stopping=None, **settings)
        if groups > len(self.arms):
            raise ValueError(f"groups must be at most {len(self.arms)}, got {groups}")
        self.n_groups = int(groups)
        self._stops = stopping is not None
        self._final: Cuts | None = None

    @property
    def certified(self) -> bool:
        """Whether the policy stopped, with intervals whose guarantee is proved."""
        proved = self.stopped and guarantees(self._confidence, self._sigmas)
        return proved and not self.objections

    def recommend(self) -> Partition:  # type: ignore[override]
        """The answer: the arms cut at the largest gaps between empirical means.

        Once stopped it stays as it was then. A ValueError while some arm has no sample.
        """
        now = copy.copy(self)  # one moment for all, whoever tells meanwhile
        Policy.recommend(now)  # complains of arms without a sample
        return now._look().answer(self.arms)

    def choose(self) -> Iterable[Hashable]:
        """All that stands in the way of a certificate; everything once nothing does."""
        look = self._look()
        widest = 0.0 if look.rival is None else max(look.rival.gap, 0.0)
        asked = np.zeros(look.group.size, dtype=np.bool_)
        for certain, sides in zip(look.certain, look.sides, strict=True):
            asked[list(sides)] |= certain <= widest
        lower, upper = self.lower, self.upper
        for arms in members(look.group):
            if arms.size > 1:
                bounds = gap_upper_bounds(lower[arms], upper[arms]).either
                asked[arms] |= bounds >= max(look.certain.min(), 0.0)
        return list(compress(self.arms, asked.tolist())) or self.arms

    def may_stop(self) -> bool:
        """Whether all groups are certified."""
        look = self._look()
        if self._stops and look.certified:
            self._final = look
        return self._final is not None

    def save(self, path: StrPath) -> None:
        """Refuse: keep the rewards, and go on from :meth:`maxgap.TablePartition.policy`."""
        raise ValueError(
            "a MaxGapPartition is not saved: keep the rewards; partition(...).policy() goes on"
        )

    def _look(self) -> Cuts:
        """The cuts now, or those it stopped with."""
        if self._final is not None:
            return self._final
        return cut(self.arms, self.means, self.lower, self.upper, self.n_groups)

    def _clusters(self) -> list[Any]:
        return (self._look().group + 1).tolist()
