"""Ways to compute gap bounds: random intervals to compare them on, and how long they take."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["milliseconds", "random_intervals"]


def random_intervals(
    rng: np.random.Generator, n_arms: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Ends of random intervals, in every other case multiples of 1/8, so that ends coincide.

    Examples
    --------
    >>> lower, upper = random_intervals(np.random.default_rng(0), 4)
    >>> lower.shape, bool((lower <= upper).all())
    ((4,), True)
    """
    tied = rng.random() < 0.5
    shape = (2, n_arms)
    ends = rng.integers(0, 17, shape) / 8 if tied else rng.random(shape)
    return ends.min(axis=0), ends.max(axis=0)


def milliseconds(
    method: Callable[[Any, Any], object], sizes: Sequence[int], seed: int
) -> dict[int, float]:
    """Processor time of a method on random intervals: the shortest of 50 ms of calls, or of one.

    Parameters
    ----------
    method : callable
        Takes the lower and the upper ends.
    sizes : sequence of int
        Numbers of arms.
    seed : int
        Of the intervals, which are the same for all methods.

    Examples
    --------
    >>> list(milliseconds(lambda lower, upper: upper - lower, [4, 8], seed=0))
    [4, 8]
    """
    return {size: 1000 * _shortest(method, size, seed) for size in sizes}


def _shortest(method: Callable[[Any, Any], object], n_arms: int, seed: int) -> float:
    ends = np.sort(np.random.default_rng(seed).random((2, n_arms)), axis=0)
    times: list[float] = []
    while sum(times) < 0.05:
        start = process_time()
        method(*ends)
        times.append(process_time() - start)
    return min(times)
