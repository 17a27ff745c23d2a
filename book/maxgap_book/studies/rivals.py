"""Rivals: policies that stop once every other answer is far from the empirical means.

What they wait for is one number, the distance from the empirical means to the nearest ones with
another answer, each arm weighted by its samples. They differ in how much of it they ask for, and in
what they sample until then.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxgap import Policy
from maxgap.hardness import NearestAlternative, characteristic_time, nearest_alternative

__all__ = [
    "PART",
    "Challenger",
    "LikelihoodRatio",
    "TrackAndStop",
    "ellipsoid",
    "popular",
]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

#: Two looks are one in so many samples apart, and one sample.
PART = 32


def ellipsoid(counts: Integers, delta: float, rho: float = 64.0) -> tuple[Floats, float]:
    """The proved threshold: how much each arm counts, and the distance needed.

    Any positive `rho` will do; the threshold is narrowest for arms with some `rho` samples or more.

    Examples
    --------
    >>> weights, needed = ellipsoid(np.array([64, 192]), 0.1)
    >>> weights.tolist(), round(needed, 3)
    ([32.0, 144.0], 3.342)
    """
    weights = counts**2 / (counts + rho)
    growth = np.log1p(counts / rho).sum() / 2
    return weights, float(np.log(1 / delta) + growth)


def popular(counts: Integers, delta: float) -> tuple[Floats, float]:
    """The threshold of many experiments, which nobody has proved; as `ellipsoid`.

    Examples
    --------
    >>> weights, needed = popular(np.array([64, 192]), 0.1)
    >>> weights.tolist(), round(needed, 3)
    ([64.0, 192.0], 4.181)
    """
    return counts.astype(float), float(np.log((1 + np.log(counts.sum())) / delta))


class LikelihoodRatio(Policy):
    """Stop once the nearest means with another answer are further away than the threshold.

    What to sample is left to subclasses.

    Parameters
    ----------
    arms, delta, sigma
        As for :class:`maxgap.Policy`; one sigma for all arms.
    threshold : callable
        Counts and delta -> weights of the arms, shape (K,), and the distance needed.
    """

    def __init__(
        self,
        arms: Any,
        *,
        delta: float,
        sigma: float,
        threshold: Callable[[Integers, float], tuple[Floats, float]] = ellipsoid,
    ) -> None:
        super().__init__(arms, delta=delta, sigma=sigma, stopping=None)
        self.delta, self.sigma, self.threshold = delta, sigma, threshold
        self.next_look = 0

    def may_stop(self) -> bool:
        """Whether the distance suffices, if it is time to look; else decide what to sample."""
        counts = self.counts
        n = int(counts.sum())
        if n < self.next_look:
            return False
        self.next_look = n + 1 + n // PART
        weights, needed = self.threshold(counts, self.delta)
        nearest = nearest_alternative(self.means, weights, self.sigma)
        if nearest.distance >= needed:
            return True
        self.plan(counts, weights, nearest)
        return False

    def plan(self, counts: Integers, weights: Floats, nearest: NearestAlternative) -> None:
        """Decide what to sample until the next look."""


class Challenger(LikelihoodRatio):
    """Sample what tells the means best from the nearest ones with another answer.

    If these were the only other means on their side of a plane, an arm should have samples in
    proportion to its weight times its distance.

    Examples
    --------
    >>> policy = Challenger(3, delta=0.1, sigma=1.0)
    >>> policy.tell([0, 1, 2], [0.0, 1.0, 3.0])
    >>> policy.ask()
    [1]
    """

    def __init__(self, arms: Any, **settings: Any) -> None:
        super().__init__(arms, **settings)
        self.goals = np.ones(len(self.arms))

    def shares(self, counts: Integers, weights: Floats, nearest: NearestAlternative) -> Floats:
        """Shares of the next samples, shape (K,)."""
        pull = weights * np.abs(self.means - nearest.means)
        return pull / pull.sum()

    def plan(self, counts: Integers, weights: Floats, nearest: NearestAlternative) -> None:
        """Raise the goals; every arm is to have about the root of all samples at least."""
        n = counts.sum()
        self.goals += (self.next_look - n) * self.shares(counts, weights, nearest)
        self.goals = np.maximum(self.goals, np.sqrt(n) - counts.size / 2)

    def choose(self) -> list[Hashable]:
        """The arms that are a sample short of their goal; or else the one that is most short."""
        short = self.goals - self.counts
        return [self.arms[a] for a in np.flatnonzero(short >= min(1.0, short.max()))]


class TrackAndStop(Challenger):
    """Sample in the shares that are best for the empirical means: these, averaged over time.

    The shares are computed anew whenever there are four times as many samples, first when an arm
    has a dozen; until then all are sampled alike.

    Examples
    --------
    >>> policy = TrackAndStop(3, delta=0.1, sigma=1.0)
    >>> policy.tell([0, 1, 2], [0.0, 1.0, 3.0])
    >>> policy.ask()
    [0, 1, 2]
    """

    def __init__(self, arms: Any, **settings: Any) -> None:
        super().__init__(arms, **settings)
        self.best = np.full(len(self.arms), 1 / len(self.arms))
        self.computed_at = 3 * len(self.arms)

    def shares(self, counts: Integers, weights: Floats, nearest: NearestAlternative) -> Floats:
        """Shares of the next samples, shape (K,)."""
        if counts.sum() >= 4 * self.computed_at:
            self.computed_at = counts.sum()
            self.best = characteristic_time(self.means, self.sigma).weights
        return self.best
