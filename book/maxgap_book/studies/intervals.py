"""When intervals miss: after how many samples, and in how many runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from maxgap.statistics import wilson_interval
from maxgap_book.printing import decimal, percent

__all__ = ["misses_by", "table_of_misses"]


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
