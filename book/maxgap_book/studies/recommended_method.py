"""A search for intervals that refute the theorem on MaxGapTop2UCB under the cluster rule.

The theorem's first part is about any set of intervals that hold their means, so no runs are needed:
means are drawn, ties included, and intervals almost as wide as it allows.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from maxgap import gap_lower_bound, gap_upper_bounds
from maxgap_book.round_bounds import cluster_hardness

__all__ = ["cluster_rule_holds", "draw_intervals", "refutations", "sampled_next"]

Floats = NDArray[np.float64]


def cluster_rule_holds(lower: ArrayLike, upper: ArrayLike) -> bool:
    """Whether the certain gap exceeds every bound on a gap inside a cluster.

    Examples
    --------
    >>> cluster_rule_holds([0.0, 0.2, 5.0], [1.0, 1.2, 6.0])
    True
    >>> cluster_rule_holds([0.0, 2.0, 5.0], [1.0, 3.0, 6.0])
    False
    """
    low, high = np.asarray(lower, dtype=float), np.asarray(upper, dtype=float)
    certain = gap_lower_bound((low + high) / 2, low, high)
    if certain.value <= 0:
        return False
    bounds, order = gap_upper_bounds(low, high), np.argsort(-low)
    top, bottom = np.split(order, [certain.split_rank])
    return bool(max(bounds.right[top].max(), bounds.left[bottom].max()) < certain.value)


def sampled_next(lower: ArrayLike, upper: ArrayLike) -> NDArray[np.bool_]:
    """Which arms have one of the two highest gap bounds; all, if all bounds are equal.

    Examples
    --------
    >>> sampled_next([0.0, 3.0, 7.0, 20.0], [1.0, 4.0, 8.0, 21.0]).tolist()
    [False, True, True, True]
    """
    bound = gap_upper_bounds(lower, upper).either
    others = bound[bound < bound.max()]
    return np.asarray(bound >= (others.max() if others.size else bound.max()))


def draw_intervals(rng: np.random.Generator, factor: float) -> tuple[Floats, Floats, Floats]:
    """Draw means with one largest gap and intervals that hold them.

    Returns what the theorem allows for each width, were kappa `factor` times as large, and the
    intervals' lower and upper ends. Some intervals are almost as wide as that, some are wider.
    """
    n = int(rng.integers(2, 8))
    means = rng.random(n) if rng.random() < 0.5 else rng.integers(9, size=n) / 8
    gaps = np.append(np.sort(np.diff(np.sort(means)))[::-1], 0)
    if gaps[0] - gaps[1] < 1e-9:
        return draw_intervals(rng, factor)  # a tie for the largest gap
    limit = 2 * factor * cluster_hardness(means)
    width = 0.9999 * limit * np.where(rng.random(n) < 0.7, 1, rng.random(n))
    width += limit * rng.exponential(size=n) * (rng.random(n) < 0.3)
    at_an_end = rng.random(n) < 0.6
    below = np.where(at_an_end, rng.integers(0, 2, n), rng.random(n))
    low = np.minimum(means - below * width, means)
    return limit, low, np.maximum(low + width, means)


def refutations(factor: float, trials: int, seed: int) -> tuple[int, int]:
    """Count the draws in which the cluster rule fails, and those that meet the conditions.

    The conditions: every arm sampled next has a narrower interval than the theorem allows, were
    kappa `factor` times as large.

    Examples
    --------
    >>> refutations(1.0, trials=100, seed=1)[0]
    0
    """
    rng, fails, cases = np.random.default_rng(seed), 0, 0
    for _ in range(trials):
        limit, low, high = draw_intervals(rng, factor)
        asked = sampled_next(low, high)
        if np.all((high - low)[asked] < limit[asked]):
            cases += 1
            fails += not cluster_rule_holds(low, high)
    return fails, cases
