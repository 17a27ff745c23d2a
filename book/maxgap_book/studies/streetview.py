"""Where a ratio of samples, read off at many levels of error, reaches a given size."""

from __future__ import annotations

import numpy as np
import pandas as pd

from maxgap_book.printing import decimal

__all__ = ["error_at_ratio"]


def error_at_ratio(ratios: pd.DataFrame, policy: str, ratio: float) -> str:
    """Level of error, in per cent, at which a policy first needs that many times fewer samples.

    In brackets the levels at which the ends of the ratio's interval are there, the smaller one
    first.

    Parameters
    ----------
    ratios : DataFrame
        Columns policy, level, ratio, low, high; levels fall.
    policy : str
        Whose rows.
    ratio : float
        How many times fewer.

    Examples
    --------
    >>> table = pd.DataFrame({"policy": "a", "level": [0.1, 0.01], "ratio": [2.0, 4.0],
    ...                       "low": [1.0, 2.5], "high": [3.0, 5.0]})
    >>> error_at_ratio(table, "a", 4), error_at_ratio(table, "a", 2.25)
    ('1.0% (below 1 to 3.2%)', '7.5% (1.5-10.0%)')
    """
    rows = ratios[ratios["policy"] == policy]

    def level_of(column: str) -> str:
        rising = rows[column].cummax()
        if ratio > rising.iloc[-1]:
            return f"below {100 * rows['level'].iloc[-1]:g}"
        level = np.exp(np.interp(ratio, rising, np.log(rows["level"])))
        return decimal(100 * level, 1)

    best, low, high = (level_of(column) for column in ("ratio", "low", "high"))
    between = " to " if low.startswith("below") else "-"
    return f"{best}% ({low}{between}{high}%)"
