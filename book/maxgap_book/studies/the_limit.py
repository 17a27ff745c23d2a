"""How many times the limit of its instance a method takes."""

from __future__ import annotations

import numpy as np
import pandas as pd

from maxgap.statistics import median_interval
from maxgap_book.printing import significant

__all__ = ["times_the_limit"]


def times_the_limit(stops: pd.DataFrame, limit: pd.Series) -> pd.DataFrame:
    """Median samples of every method on every instance, over the limit of the instance.

    Parameters
    ----------
    stops : pandas.DataFrame
        As ``Study.stops``, with a column instance. A run that did not stop would have taken more
        samples than any that did.
    limit : pandas.Series
        Instance -> the limit in samples.

    Returns
    -------
    pandas.DataFrame
        Columns method, instance, times, low, high (the median's interval at 95%), text (all three),
        runs, and wrong: how many stopped with a wrong answer.

    Examples
    --------
    >>> stops = pd.DataFrame({"policy": "a", "instance": "x", "samples": [20, 30, 40] * 2,
    ...                       "stopped": True, "correct": [True, True, False] * 2})
    >>> table = times_the_limit(stops, pd.Series({"x": 10}))
    >>> table[["method", "text", "runs", "wrong"]].to_numpy().tolist()
    [['a', '3.0 (2.0-4.0)', 6, 2]]
    """
    rows = []
    for (method, instance), runs in stops.groupby(["policy", "instance"], sort=False):
        samples = runs["samples"].where(runs["stopped"], np.inf)
        times, low, high = (end / limit[instance] for end in median_interval(samples))
        rows.append(
            {
                "method": method,
                "instance": instance,
                "times": times,
                "low": low,
                "high": high,
                "text": _text(times, low, high),
                "runs": len(runs),
                "wrong": int((runs["stopped"] & ~runs["correct"]).sum()),
            }
        )
    return pd.DataFrame(rows)


def _text(times: float, low: float, high: float) -> str:
    """Two digits of each."""
    value, lower, upper = (
        significant(end) if np.isfinite(end) else f"{end:g}" for end in (times, low, high)
    )
    return f"{value} ({lower}-{upper})"
