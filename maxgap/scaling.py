"""How a measured quantity grows with a parameter: a power law's exponent, with its interval."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from maxgap.simulate import Z

__all__ = ["PowerLaw", "power_law", "significant"]


class PowerLaw(NamedTuple):
    """Exponent of a fitted power law, and its 95 % interval."""

    exponent: float
    low: float
    high: float

    def __str__(self) -> str:
        """Two decimals: ``-2.08 (-2.10 to -2.07)``."""
        return f"{self.exponent:.2f} ({self.low:.2f} to {self.high:.2f})"


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
    rounded = float(f"{value:.{digits}g}")
    size = 0 if rounded == 0 else int(np.floor(np.log10(abs(rounded)) + 1e-9))
    return f"{rounded:,.{max(digits - 1 - size, 0)}f}"
