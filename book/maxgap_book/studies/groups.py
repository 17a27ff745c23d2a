"""Ways to make groups of arms, compared on the same means: how often each finds those meant."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple

import jenkspy
import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.mixture import GaussianMixture

from maxgap import MaxGapPartition
from maxgap.policies.max_gap_partition import cut
from maxgap.statistics import wilson_interval

__all__ = [
    "WAYS",
    "Evenly",
    "Instance",
    "OnlyTheWidest",
    "compare",
    "largest_gaps",
    "mixture",
    "natural_breaks",
    "same",
    "tiers",
    "until_certified",
    "wrong_certificates",
]

Labels = NDArray[np.int64]


class Instance(NamedTuple):
    """Means of the arms, and the group of each that is meant.

    Examples
    --------
    >>> made = Instance.of([[0.0, 0.1], [1.0]])
    >>> made.means.tolist(), made.group.tolist(), made.n_groups
    ([0.0, 0.1, 1.0], [0, 0, 1], 2)
    """

    means: NDArray[np.float64]
    group: Labels

    @classmethod
    def of(cls, groups: Iterable[ArrayLike]) -> Instance:
        """An instance from the means of each group."""
        parts = [np.asarray(part, dtype=np.float64) for part in groups]
        group = np.repeat(np.arange(len(parts)), [part.size for part in parts])
        return cls(np.concatenate(parts), group)

    @property
    def n_groups(self) -> int:
        """How many groups are meant."""
        return int(self.group.max()) + 1


def tiers(*sizes: int | tuple[int, ...], between: Sequence[float]) -> Instance:
    """Tiers of evenly spaced means, 0.1 apart, from 0 up; a tuple of tiers is one group.

    Parameters
    ----------
    *sizes : int or tuple of int
        Arms in each tier, the lowest first.
    between : sequence of float
        The gap above each tier but the highest.

    Examples
    --------
    >>> tiers(2, (1, 1), between=(1.0, 0.5)).means.round(6).tolist()
    [0.0, 0.1, 1.1, 1.6]
    >>> tiers(2, (1, 1), between=(1.0, 0.5)).group.tolist()
    [0, 0, 1, 1]
    """
    parts: list[list[float]] = []
    gaps, at = iter([*between, 0.0]), 0.0
    for group in sizes:
        parts.append([])
        for size in group if isinstance(group, tuple) else (group,):
            tier = at + 0.1 * np.arange(size)
            at = float(tier[-1]) + next(gaps)
            parts[-1] += tier.tolist()
    return Instance.of(parts)


def largest_gaps(means: ArrayLike, n: int) -> Labels:
    """Cut at the n - 1 largest gaps between neighbouring means.

    Examples
    --------
    >>> largest_gaps([0.0, 1.0, 5.0], 2).tolist()
    [0, 0, 1]
    """
    means = np.asarray(means, dtype=np.float64)
    order = np.argsort(means, kind="stable")
    cuts = np.sort(np.argsort(-np.diff(means[order]), kind="stable")[: n - 1])
    group = np.empty(means.size, dtype=np.int64)
    group[order] = np.searchsorted(cuts, np.arange(means.size), side="left")
    return group


def natural_breaks(means: ArrayLike, n: int) -> Labels:
    """Jenks' natural breaks: the least sum of squared distances from the groups' means.

    Examples
    --------
    >>> natural_breaks([0.0, 1.0, 5.0], 2).tolist()
    [0, 0, 1]
    """
    breaks = jenkspy.jenks_breaks(list(map(float, np.asarray(means))), n_classes=n)
    return np.searchsorted(np.array(breaks[1:-1]), np.asarray(means), side="left")


def mixture(means: ArrayLike, n: int) -> Labels:
    """The likeliest component of a mixture of normal distributions, each with its variance.

    Examples
    --------
    >>> found = mixture([0.0, 0.1, 0.2, 5.0, 5.1, 5.2], 2)
    >>> same(found, [0, 0, 0, 1, 1, 1])
    True
    """
    column = np.asarray(means, dtype=np.float64)[:, None]
    return GaussianMixture(n, random_state=0).fit_predict(column).astype(np.int64)


WAYS: Mapping[str, Callable[[ArrayLike, int], Labels]] = {
    "largest gaps": largest_gaps,
    "natural breaks": natural_breaks,
    "normal mixture": mixture,
}


def same(one: ArrayLike, other: ArrayLike) -> bool:
    """Whether the groups are the same, whatever their numbers.

    Examples
    --------
    >>> same([0, 0, 1], [1, 1, 0]), same([0, 0, 1], [0, 1, 1])
    (True, False)
    """
    pairs = set(zip(np.asarray(one).tolist(), np.asarray(other).tolist(), strict=True))
    return len(pairs) == len(set(np.asarray(one).tolist())) == len(set(np.asarray(other).tolist()))


def compare(
    instances: Mapping[str, tuple[Instance, int]], *, runs: int, seed: int, sigma: float = 0.5
) -> pd.DataFrame:
    """How often each way finds the groups that are meant, from the same means.

    Parameters
    ----------
    instances : mapping of str to (Instance, int)
        Name -> instance and number of samples, as many of each arm.
    runs : int
        Of each instance.
    seed : int
        Of all rewards.
    sigma : float
        Scale of the rewards.

    Returns
    -------
    pandas.DataFrame
        Columns instance, samples, way, right, runs, share, low, high (Wilson, 95%).

    Examples
    --------
    >>> made = Instance.of([[0.0, 0.1], [2.0, 2.1]])
    >>> compare({"two": (made, 40)}, runs=2, seed=1)["right"].tolist()
    [2, 2, 2]
    """
    rows = []
    for place, (name, (instance, samples)) in enumerate(instances.items()):
        right = dict.fromkeys(WAYS, 0)
        n_arms = instance.means.size
        for run in range(runs):
            rng = np.random.default_rng((seed, place, run))
            noise = sigma * rng.standard_normal((samples // n_arms, n_arms))
            means = (instance.means + noise).mean(axis=0)
            for way, groups in WAYS.items():
                right[way] += same(groups(means, instance.n_groups), instance.group)
        rows += [(name, samples, way, n) for way, n in right.items()]
    table = pd.DataFrame(rows, columns=["instance", "samples", "way", "right"])
    low, high = wilson_interval(table["right"].to_numpy(), runs)
    return table.assign(runs=runs, share=table["right"] / runs, low=low, high=high)


class OnlyTheWidest(MaxGapPartition):
    """Asks for the arms at the least certain cut and at the widest gap inside a group: too few."""

    def choose(self) -> Iterable[Hashable]:
        """At most four arms."""
        look = cut(self.arms, self.means, self.lower, self.upper, self.n_groups)
        asked = {self.arms[arm] for arm in look.sides[int(np.argmin(look.certain))]}
        return asked | (set() if look.rival is None else {look.rival.below, look.rival.above})


class Evenly(MaxGapPartition):
    """Asks for all arms, always."""

    def choose(self) -> Iterable[Hashable]:
        """All arms."""
        return self.arms


def until_certified(
    cls: type[MaxGapPartition],
    instance: Instance,
    *,
    runs: int,
    most: int,
    seed: int,
    sigma: float = 0.5,
) -> Labels:
    """Samples of each run until the partition is certified, at most so many.

    Each arm asked for gets an eighth more samples at a time.

    Examples
    --------
    >>> made = Instance.of([[0.0, 0.1], [2.0, 2.1]])
    >>> taken = until_certified(MaxGapPartition, made, runs=2, most=500, seed=1, sigma=0.1)
    >>> bool(taken.max() < 500)
    True
    """
    taken = np.zeros(runs, dtype=np.int64)
    for run in range(runs):
        policy = cls(instance.means.size, groups=instance.n_groups, sigma=sigma)
        _play(policy, instance.means, sigma, np.random.default_rng((seed, run)), most)
        taken[run] = policy.counts.sum()
    return taken


def _play(
    policy: MaxGapPartition,
    means: NDArray[np.float64],
    sigma: float,
    rng: np.random.Generator,
    most: int,
    asked: ArrayLike | None = None,
) -> None:
    """Tell it what it asks for, or always these arms, until it stops or has so many samples."""
    taken = int(policy.counts.sum())
    while not policy.stopped and taken < most:
        arms = np.array(policy.ask()) if asked is None else np.asarray(asked)
        arms = np.repeat(arms, np.maximum(1, policy.counts[arms] // 8))[: most - taken]
        policy.tell(arms, means[arms] + sigma * rng.standard_normal(arms.size))
        taken += arms.size


def wrong_certificates(
    instance: Instance,
    confidence: str | Callable[..., ArrayLike],
    *,
    delta: float,
    runs: int,
    seed: int,
    last: int | None = None,
) -> int:
    """Of so many runs, those that certify wrong groups, or a wrong order of them; sigma is 1.

    A run takes at most 1,500 samples; with `last`, of each arm.

    Parameters
    ----------
    instance : Instance
        Its groups are those at the largest gaps, the lowest first.
    confidence, delta
        Of the policy.
    runs, seed : int
        How many runs, and of all rewards.
    last : int, optional
        All other arms get their samples at once, and then this arm a few at a time.

    Examples
    --------
    >>> made = Instance.of([[0.0], [9.0]])
    >>> wrong_certificates(made, "normal-mixture", delta=0.3, runs=2, seed=1)
    0
    """
    wrong, most = 0, 1500
    n_arms = instance.means.size
    for run in range(runs):
        rng = np.random.default_rng((seed, run))
        policy = MaxGapPartition(
            n_arms, groups=instance.n_groups, delta=delta, confidence=confidence
        )
        if last is not None:
            arms = np.repeat(np.delete(np.arange(n_arms), last), most)
            policy.tell(arms, instance.means[arms] + rng.standard_normal(arms.size))
        asked = None if last is None else [last]
        _play(policy, instance.means, 1.0, rng, most * (n_arms if last is not None else 1), asked)
        found = instance.n_groups - policy.report()["cluster"].to_numpy()
        wrong += int(policy.stopped and not np.array_equal(found, instance.group))
    return wrong
