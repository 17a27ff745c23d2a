"""What means and their standard errors say: intervals, ratios, exponents. All at 95%."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from maxgap.statistics import Z, decimal

__all__ = ["PowerLaw", "normal_interval", "power_law", "ratio_of_means"]


def normal_interval(value: Any, standard_error: Any) -> tuple[Any, Any]:
    """Interval of a normal estimate: :data:`Z` standard errors on either side, of any shape.

    Examples
    --------
    >>> low, high = normal_interval(np.array([10.0, 20.0]), np.array([1.0, 0.0]))
    >>> low.round(2).tolist(), high.round(2).tolist()
    ([8.04, 20.0], [11.96, 20.0])
    """
    half = Z * standard_error
    return value - half, value + half


def ratio_of_means(above: Any, above_error: Any, below: Any, below_error: Any) -> tuple[Any, Any]:
    """Ratio of two independent means and its standard error, to first order; of any shape.

    Examples
    --------
    >>> ratio, error = ratio_of_means(600.0, 30.0, 100.0, 0.0)
    >>> decimal(ratio, 1), decimal(error, 2)
    ('6.0', '0.30')
    """
    ratio = above / below
    return ratio, ratio * np.hypot(above_error / above, below_error / below)


class PowerLaw(NamedTuple):
    """Exponent of a fitted power law, and its 95% interval."""

    exponent: float
    low: float
    high: float

    def __str__(self) -> str:
        """Two decimals: ``-2.08 (-2.10 to -2.07)``."""
        exponent, low, high = (decimal(value, 2) for value in self)
        return f"{exponent} ({low} to {high})"


def power_law(x: ArrayLike, mean: ArrayLike, standard_error: ArrayLike) -> PowerLaw:
    """Slope of log(mean) against log(x), by least squares.

    The interval is for the noise of the measured means, each independent of the others: the error
    of log(mean) is about standard_error / mean, and the slope is a weighted sum of the log(mean).
    It says nothing about whether a straight line is the right shape: a logarithmic factor bends it.

    Parameters
    ----------
    x : array_like, shape (N,)
        The parameter, positive; at least two different values.
    mean, standard_error : array_like, shape (N,)
        Measured mean at each value, positive, and its standard error, not negative.

    Returns
    -------
    PowerLaw

    Raises
    ------
    ValueError
        Unequal lengths, fewer than two different `x`, or numbers that are not as above.

    Examples
    --------
    >>> print(power_law([0.1, 0.2, 0.4], mean=[800, 200, 50], standard_error=[8, 2, 0.5]))
    -2.00 (-2.02 to -1.98)
    """
    arrays = [np.asarray(values, dtype=np.float64) for values in (x, mean, standard_error)]
    for name, array in zip(("x", "mean", "standard_error"), arrays, strict=True):
        if array.ndim != 1 or array.shape != arrays[0].shape:
            raise ValueError(
                f"{name} must have the shape of x, {arrays[0].shape}, got {array.shape}"
            )
        good = np.isfinite(array) & ((array >= 0) if name == "standard_error" else (array > 0))
        if not good.all():
            raise ValueError(f"{name} must be positive and finite, got {array}")
    positions = np.log(arrays[0])
    if positions.size < 2 or np.ptp(positions) == 0:
        raise ValueError(f"x must hold at least two different values, got {arrays[0]}")
    weights = positions - positions.mean()
    weights /= np.sum(weights**2)
    exponent = float(weights @ np.log(arrays[1]))
    error = float(np.sqrt(np.sum((weights * arrays[2] / arrays[1]) ** 2)))
    return PowerLaw(exponent, *normal_interval(exponent, error))
