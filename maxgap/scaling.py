"""From computed numbers to printed ones: exponents of power laws, and rounding.

The last bit of a logarithm, a power or a sum of products differs between processors. It must not
decide what is printed: the functions that round here take a number that lies within some last bits
of a tie, such as 7.55 for one decimal, for the tie itself.
"""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Context, Decimal
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from maxgap.simulate import Z

__all__ = ["PowerLaw", "decimal", "interval", "power_law", "rounded", "significant"]

#: Significant digits of a number that all processors agree on; doubles have 16.
SURE_DIGITS = 10

#: Wide enough for every double in full.
_EXACT = Context(prec=800, rounding=ROUND_HALF_EVEN)


class PowerLaw(NamedTuple):
    """Exponent of a fitted power law, and its 95 % interval."""

    exponent: float
    low: float
    high: float

    def __str__(self) -> str:
        """Two decimals: ``-2.08 (-2.10 to -2.07)``."""
        return interval(*self, 2, between=" to ")


def power_law(x: ArrayLike, mean: ArrayLike, standard_error: ArrayLike) -> PowerLaw:
    """Slope of log(mean) against log(x), by least squares.

    The interval is for the noise of the measured means, each independent of the others: the error
    of log(mean) is about standard_error / mean, and the slope is a weighted sum of the log(mean).
    It says nothing about whether a straight line is the right shape. A logarithmic factor, which
    the sample complexities of this book have, bends the line a little.

    Parameters
    ----------
    x : array_like, shape (N,)
        The parameter, positive; at least two different values.
    mean : array_like, shape (N,)
        Measured mean at each value, positive.
    standard_error : array_like, shape (N,)
        Standard error of each mean, not negative.

    Returns
    -------
    PowerLaw

    Raises
    ------
    ValueError
        Unequal lengths, fewer than two different `x`, or numbers that are not as above.

    Examples
    --------
    >>> fit = power_law([0.1, 0.2, 0.4], mean=[800, 200, 50], standard_error=[8, 2, 0.5])
    >>> print(fit)
    -2.00 (-2.02 to -1.98)
    """
    arrays = [np.asarray(values, dtype=np.float64) for values in (x, mean, standard_error)]
    for name, array in zip(("x", "mean", "standard_error"), arrays, strict=True):
        if array.ndim != 1 or array.shape != arrays[0].shape:
            raise ValueError(f"{name}: shape {array.shape} does not go with x of {arrays[0].shape}")
        good = np.isfinite(array) & ((array >= 0) if name == "standard_error" else (array > 0))
        if not good.all():
            raise ValueError(f"{name}: positive finite numbers are needed, got {array}")
    positions = np.log(arrays[0])
    if positions.size < 2 or np.ptp(positions) == 0:
        raise ValueError(f"x: at least two different values are needed, got {arrays[0]}")
    weights = positions - positions.mean()
    weights /= np.sum(weights**2)
    exponent = float(weights @ np.log(arrays[1]))
    half = Z * float(np.sqrt(np.sum((weights * arrays[2] / arrays[1]) ** 2)))
    return PowerLaw(exponent, exponent - half, exponent + half)


def decimal(value: float, places: int = 0) -> str:
    """Return a number as text, to some decimals and with separators of thousands.

    A number is first taken to 10 significant digits, so a tie is a tie on every processor; it goes
    to the even digit. Unlike in a format such as ``{:.1f}``, no last bit decides, and no zero has
    a sign. Infinite numbers are ``inf`` and ``-inf``.

    Parameters
    ----------
    value : float
        A number; not a number is ``nan``.
    places : int
        Decimals; -2 rounds to hundreds.

    Examples
    --------
    >>> decimal(7.55, 1), decimal(np.nextafter(7.55, 8), 1), decimal(1234.5), decimal(1234.5, -2)
    ('7.6', '7.6', '1,234', '1,200')
    """
    if not np.isfinite(value):
        return f"{float(value)}"
    return f"{_to_places(value, places):,f}"


def interval(value: float, low: float, high: float, places: int = 1, *, between: str = "-") -> str:
    """Return a number with its interval as text, each as :func:`decimal` gives it.

    Examples
    --------
    >>> interval(5.96, 4.55, 7.55)
    '6.0 (4.6-7.6)'
    >>> interval(-2.081, -2.1, -2.066, 2, between=" to ")
    '-2.08 (-2.10 to -2.07)'
    """
    return f"{decimal(value, places)} ({decimal(low, places)}{between}{decimal(high, places)})"


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
    >>> import pandas as pd
    >>> rounded(pd.DataFrame({"arm": ["a", "b"], "share": [0.4321, 0.5679]}), 2)["share"].tolist()
    [0.43, 0.57]
    """
    import pandas as pd

    if isinstance(values, pd.DataFrame):
        return values.apply(lambda column: rounded(column, places))
    if isinstance(values, pd.Series):
        is_float = pd.api.types.is_float_dtype(values)
        return values.map(lambda value: rounded(value, places)) if is_float else values
    if np.ndim(values) > 0:
        array = np.asarray(values, dtype=np.float64)
        return np.array([rounded(x, places) for x in array.ravel()]).reshape(array.shape)
    return float(_to_places(values, places)) if np.isfinite(values) else float(values)


def significant(value: float, digits: int = 2) -> str:
    """Return a number as text, to some significant digits and with separators of thousands.

    For numbers of samples in prose: fewer digits than their interval would give suffice, and do
    not change with the last bit of a computation.

    Raises
    ------
    ValueError
        If `value` is not finite, or `digits` is not a whole number from 1.

    Examples
    --------
    >>> significant(623_197), significant(0.03456), significant(9.96, digits=2)
    ('620,000', '0.035', '10')
    """
    if not np.isfinite(value):
        raise ValueError(f"value: a finite number is needed, got {value!r}")
    if not isinstance(digits, int) or isinstance(digits, bool) or digits < 1:
        raise ValueError(f"digits: a whole number from 1 is needed, got {digits!r}")
    first = _to_places(value, digits - 1 - _settled(value, digits).adjusted())
    # A carry, as in 9.96 to 10, takes a decimal away.
    return decimal(value, digits - 1 - (first.adjusted() if first else 0))


def _settled(value: float, digits: int) -> Decimal:
    """The number to ``digits`` significant digits, but at least those all processors agree on."""
    if isinstance(value, (int, np.integer)):
        return Decimal(int(value))
    # Two digits more than are asked for, or a second rounding could differ from a single one.
    return Decimal(f"{value:.{max(SURE_DIGITS, digits + 2) - 1}e}")


def _to_places(value: float, places: int) -> Decimal:
    """The number to some decimals, by way of its sure digits; a zero has no sign."""
    digits = Decimal(float(value)).adjusted() + 1 + places
    result = _settled(value, digits).quantize(Decimal(1).scaleb(-places), context=_EXACT)
    return result if result else abs(result)
