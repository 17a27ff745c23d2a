"""Numbers as Python, NumPy, pandas and databases hand them out, turned into floats."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray


def scalar(value: Any) -> Any:
    """What an array of no dimensions holds; anything else as it is."""
    return value[()] if isinstance(value, np.ndarray) and value.ndim == 0 else value


def is_whole(value: Any) -> bool:
    """Whether it is an integer. True is none, nor is a duration, which NumPy counts among them."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, (bool, np.timedelta64))


def as_float(value: Any) -> float | None:
    """The nearest float, infinite where none is large enough; None if it is no real number.

    True and False are none, nor are NumPy's durations, which pass for integers.
    """
    number = scalar(value)
    real = isinstance(number, (numbers.Real, Decimal))
    if not real or isinstance(number, (bool, np.timedelta64)):
        return None
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf
    except ValueError:  # a NaN that signals
        return math.nan


def as_floats(values: Any) -> NDArray[np.float64] | None:
    """An array of floats of the same shape; None if some value is no real number."""
    if np.ma.is_masked(values) or isinstance(values, (str, bytes, set, frozenset, Mapping)):
        return None
    if isinstance(values, Iterable) and not hasattr(values, "__array__"):
        values = list(values)
        maskable = any(issubclass(kind, np.ma.MaskedArray) for kind in set(map(type, values)))
        if maskable and any(map(np.ma.is_masked, values)):
            return None
    try:
        array = np.asarray(values)
    except ValueError:  # rows of unequal length
        return None
    if array.dtype.kind in "iuf":
        with np.errstate(over="ignore"):  # longer floats may become infinite
            return array.astype(np.float64)
    if array.dtype.kind != "O":
        return None
    floats = [as_float(x) for x in array.flat]
    if any(x is None for x in floats):
        return None
    return np.array(floats, dtype=np.float64).reshape(array.shape)
