"""When intervals miss: after how many samples, how often, and whether a policy can make them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numba import njit
from numpy.typing import ArrayLike, NDArray

from maxgap.statistics import wilson_interval
from maxgap_book.printing import decimal, percent

__all__ = ["attacked", "misses_by", "table_of_misses"]


def misses_by(first: ArrayLike, names: Sequence[str], samples: Iterable[int]) -> pd.DataFrame:
    """Share of runs with a miss by so many samples: a row an interval and a number of samples.

    Parameters
    ----------
    first : array_like, shape (runs, intervals)
        After how many samples each interval first missed; infinite if never.
    names : sequence of str
        Of the intervals.
    samples : iterable of int
        Numbers of samples.

    Returns
    -------
    DataFrame
        Columns radius, samples, share, low, high.

    Examples
    --------
    >>> misses_by([[3, 9], [5, np.inf]], ["a", "b"], [4, 10])["share"].tolist()
    [0.5, 1.0, 0.0, 0.5]
    """
    times = np.asarray(first, dtype=float)
    rows = []
    for name, column in zip(names, times.T, strict=True):
        for n in samples:
            missed = int((column <= n).sum())
            low, high = map(float, wilson_interval(missed, len(times)))
            rows.append((name, n, missed / len(times), low, high))
    return pd.DataFrame(rows, columns=["radius", "samples", "share", "low", "high"])


def table_of_misses(first: ArrayLike, names: Sequence[str], samples: Sequence[int]) -> pd.DataFrame:
    """:func:`misses_by` as texts in per cent: intervals by samples, the last with its interval.

    Examples
    --------
    >>> table = table_of_misses([[3, 9], [5, np.inf]], ["a", "b"], [4, 1000])
    >>> table.loc["b"].tolist()
    ['0%', '50% (9-91%)']
    """
    found = misses_by(first, names, samples)
    columns = {}
    for n in samples:
        rows = found[found["samples"] == n]
        short = [f"{decimal(100 * share)}%" for share in rows["share"]]
        full = [percent(*row) for row in rows[["share", "low", "high"]].to_numpy()]
        columns[f"{n:,}"] = full if n == samples[-1] else short
    return pd.DataFrame(columns, index=list(names))


def attacked(
    widths: ArrayLike, power: float | None, *, n_arms: int, runs: int, seed: int
) -> tuple[NDArray[np.int64], float]:
    """Runs in which a policy that knows the means makes some interval of equal arms miss.

    Arms have the mean 0 and normal noise of standard deviation 1. After one sample of each the
    policy samples the arm whose score is largest.

    Parameters
    ----------
    widths : array_like, shape (intervals, samples)
        Half-widths of several intervals after 1, 2, ... samples of an arm; as many samples in all
        are taken in a run.
    power : float or None
        The score is the distance of the mean from 0 times this power of the samples of the arm;
        None: the mean itself.
    n_arms, runs, seed : int
        Arms, runs, and the seed of them all.

    Returns
    -------
    missed : ndarray of int, shape (intervals,)
        Runs in which an interval of some arm missed.
    bias : float
        What the means of the arms are at the end, on average.
    """
    edges = np.asarray(widths, dtype=float)
    edges = edges * np.arange(1, edges.shape[1] + 1)
    greedy = power is None
    rng = np.random.default_rng(seed)
    played = [_attack(edges, greedy, power or 0.0, n_arms, rng) for _ in range(runs)]
    missed, bias = zip(*played, strict=True)
    return np.sum(missed, axis=0), float(np.mean(bias))


@njit
def _attack(edges: Any, greedy: bool, power: float, n_arms: int, rng: Any) -> Any:
    """Whether each of the intervals ever missed, and the average of the means at the end."""
    total, counts = np.zeros(n_arms), np.zeros(n_arms)
    score = np.full(n_arms, np.inf)
    missed = np.zeros(edges.shape[0], np.bool_)
    for _ in range(edges.shape[1]):
        arm = np.argmax(score)
        total[arm] += rng.standard_normal()
        counts[arm] += 1
        mean = total[arm] / counts[arm]
        score[arm] = mean if greedy else abs(mean) * counts[arm] ** power
        for i in range(edges.shape[0]):
            missed[i] |= abs(total[arm]) > edges[i, int(counts[arm]) - 1]
    return missed, (total / counts).mean()
