"""Numbers as the chapters print them: with their intervals, as tables, in per cent.

All round as :func:`maxgap.statistics.decimal` does, so that no processor's last bit decides what is
printed. It and :func:`maxgap.statistics.significant` can be had here, too: a chapter has one place
for all that it prints with.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from maxgap.statistics import SURE_DIGITS, decimal, significant

__all__ = [
    "decimal",
    "interval",
    "interval_texts",
    "percent",
    "rounded",
    "significant",
]


def interval(value: float, low: float, high: float, places: int | None = 1) -> str:
    """Return a number with its interval as text, each as :func:`decimal` gives it.

    Parameters
    ----------
    value, low, high : float
        A number and the ends of its interval.
    places : int, optional
        Decimals; -2 rounds to hundreds. None: as many as leave two digits of half the interval's
        width; of an unbounded interval the nearer end counts.

    Examples
    --------
    >>> interval(5.96, 4.55, 7.55), interval(-2.081, -2.1, -2.066, 2)
    ('6.0 (4.6-7.6)', '-2.08 (-2.10 to -2.07)')
    >>> interval(2_927_800, 2_251_300, 3_614_900, None), interval(0.31415, 0.3, 0.33, None)
    ('2,930,000 (2,250,000-3,610,000)', '0.314 (0.300-0.330)')
    """
    if places is None:
        places = _places_of(value, low, high)
    between = " to " if low < 0 else "-"
    return f"{decimal(value, places)} ({decimal(low, places)}{between}{decimal(high, places)})"


def _places_of(value: float, low: float, high: float) -> int:
    """Decimals that leave two digits of half the width, or of the number if it has no width."""
    if not np.isfinite(value):
        return 0
    widths = [(high - low) / 2, abs(value - low), abs(high - value), abs(value)]
    sizes = [width for width in widths if np.isfinite(width) and width > 0]
    return 1 - int(f"{sizes[0]:.{SURE_DIGITS - 1}e}".partition("e")[2]) if sizes else 0


def rounded(values: Any, places: int = 0) -> Any:
    """Round numbers as :func:`decimal` does, to numbers: for arrays and tables that are shown.

    Parameters
    ----------
    values : float, array_like, pandas.Series or pandas.DataFrame
        Of a table only the columns of floats are rounded.
    places : int
        Decimals; -2 rounds to hundreds.

    Returns
    -------
    The same kind: a float, an array, a Series or a DataFrame.

    Examples
    --------
    >>> rounded(7.55, 1), rounded([0.125, -1e-17], 2).tolist()
    (7.6, [0.12, 0.0])
    >>> rounded(pd.DataFrame({"arm": ["a", "b"], "share": [0.4321, 0.5679]}), 2)["share"].tolist()
    [0.43, 0.57]
    """
    if isinstance(values, pd.DataFrame):
        return values.apply(lambda column: rounded(column, places))
    if isinstance(values, pd.Series):
        is_float = pd.api.types.is_float_dtype(values)
        return values.map(lambda value: rounded(value, places)) if is_float else values
    if np.ndim(values) > 0:
        array = np.asarray(values, dtype=np.float64)
        return np.array([rounded(x, places) for x in array.ravel()]).reshape(array.shape)
    return float(decimal(values, places).replace(",", ""))


def interval_texts(rows: ArrayLike | pd.DataFrame, places: int | None = 1) -> list[str]:
    """Return each row of value, low, high as a text, as :func:`interval` does.

    Parameters
    ----------
    rows : array_like or pandas.DataFrame, shape (N, 3)
        Such as ``study.errors[["error", "low", "high"]]``.
    places : int, optional
        Decimals; -2 rounds to hundreds. None: of each row as many as its interval warrants.

    Raises
    ------
    ValueError
        If the rows do not have three columns.

    Examples
    --------
    >>> interval_texts([[5.96, 4.55, 7.55], [1.0, 0.5, np.inf]])
    ['6.0 (4.6-7.6)', '1.0 (0.5-inf)']
    """
    values = np.asarray(rows, dtype=np.float64)
    if values.ndim != 2 or values.shape[1] != 3:
        raise ValueError(f"rows must have the columns value, low, high, got shape {values.shape}")
    return [interval(value, low, high, places) for value, low, high in values]


def percent(share: float, low: float, high: float, places: int = 0) -> str:
    """Return a share with its interval as text, in per cent.

    Examples
    --------
    >>> percent(0.125, 0.0415, 0.207), percent(0.125, 0.0415, 0.207, 1)
    ('12% (4-21%)', '12.5% (4.2-20.7%)')
    """
    value, lower, upper = (decimal(100 * part, places) for part in (share, low, high))
    return f"{value}% ({lower}-{upper}%)"
