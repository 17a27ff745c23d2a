"""From many runs to numbers: intervals, levels read off, and how they are rounded.

All intervals are at 95%.

The last bit of a logarithm, a power or a sum of products differs between processors. It must not
decide what is printed: the functions that round here take a number that lies within some last bits
of a tie, such as 7.55 for one decimal, for the tie itself.
"""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Context, Decimal
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from maxgap._numbers import is_whole
from maxgap.engine.compiled import compiled
from maxgap.engine.types import Floats, Integers

__all__ = [
    "SURE_DIGITS",
    "Z",
    "decimal",
    "first_below",
    "median_interval",
    "percentile_interval",
    "significant",
    "times_fewer",
    "wilson_interval",
]

#: Normal deviate of the 97.5% quantile.
Z = 1.959963984540054

#: Significant digits of a number that all processors agree on; doubles have 16.
SURE_DIGITS = 10

#: Wide enough for every double in full.
_EXACT = Context(prec=800, rounding=ROUND_HALF_EVEN)


def wilson_interval(wrong: Any, replicates: int) -> tuple[Floats, Floats]:
    """Wilson's 95% interval for a share; arrays of the shape of ``wrong``.

    Examples
    --------
    >>> low, high = wilson_interval([0, 60], 120)
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([0.0, 0.412], [0.031, 0.588])
    """
    share = np.asarray(wrong, dtype=np.float64) / replicates
    # A product is the same on every processor, a power need not be.
    square = Z * Z
    centre = (share + square / (2 * replicates)) / (1 + square / replicates)
    half = np.sqrt(share * (1 - share) / replicates + square / (4 * replicates * replicates))
    half *= Z / (1 + square / replicates)
    return np.maximum(centre - half, 0.0), np.minimum(centre + half, 1.0)


@compiled(allocates=True)
def first_below(counts: Integers, replicates: int, samples: Integers, level: float) -> Floats:
    """Where the non-increasing curve closest to each row of ``counts / replicates`` meets a level.

    Between checkpoints the curve is a straight line; infinite where no pool is low enough.

    Parameters
    ----------
    counts : array of int, shape (N, C)
        Wrong answers at each number of samples.
    replicates : int
        Runs that they are counted from.
    samples : array of int, shape (C,)
        Numbers of samples, increasing.
    level : float
        Share of wrong answers.

    Examples
    --------
    >>> first_below(np.array([[8, 4, 0], [8, 8, 8]]), 10, np.array([10, 20, 30]), 0.2).tolist()
    [25.0, inf]
    """
    n_rows, n_samples = counts.shape
    found = np.empty(n_rows)
    total = np.empty(n_samples, dtype=np.int64)
    length = np.empty(n_samples, dtype=np.int64)
    for row in range(n_rows):
        last = -1
        # Adjacent violators are pooled. Pools are whole numbers, compared exactly: no processor's
        # rounding decides which are joined.
        for k in range(n_samples):
            last += 1
            total[last], length[last] = counts[row, k], 1
            while last > 0 and total[last - 1] * length[last] <= total[last] * length[last - 1]:
                total[last - 1] += total[last]
                length[last - 1] += length[last]
                last -= 1
        found[row] = np.inf
        start, before = 0, np.inf
        for pool in range(last + 1):
            # One division: a quotient that is `level` as a fraction is so once rounded, too.
            value = total[pool] / (length[pool] * replicates)
            if value <= level:
                found[row] = samples[start]
                if start > 0:
                    step = samples[start] - samples[start - 1]
                    found[row] = samples[start - 1] + (before - level) / (before - value) * step
                break
            start += length[pool]
            before = value
    return found


def times_fewer(base: Any, others: Floats) -> Floats:
    """``base / others``: how many times fewer samples the others take; 0 where they are infinite.

    Examples
    --------
    >>> times_fewer(600.0, np.array([100.0, np.inf])).tolist()
    [6.0, 0.0]
    """
    with np.errstate(invalid="ignore"):
        return np.where(np.isinf(others), 0.0, base / others)


def percentile_interval(resampled: Floats) -> Floats:
    """2.5% and 97.5% along the last axis; by order statistics, since some values are infinite.

    Examples
    --------
    >>> percentile_interval(np.array([*range(1, 41), np.inf])).tolist()
    [2.0, 40.0]
    """
    n = resampled.shape[-1]
    low, high = (n - 1) // 40, (39 * n - 1) // 40  # ranks from 0 of the 1/40 and 39/40 quantiles
    return np.moveaxis(np.sort(resampled, axis=-1)[..., [low, high]], -1, 0)


def median_interval(values: ArrayLike) -> tuple[float, float, float]:
    """Median and its 95% interval, for independent values of any one distribution.

    The ends are order statistics: the number of values below the true median is binomial. Fewer
    than six values say nothing about it, and the interval is infinite.

    Examples
    --------
    >>> median_interval(range(1, 101))
    (50.5, 40.0, 61.0)
    """
    from scipy.stats import quantile_test

    array = np.asarray(values, dtype=np.float64)
    low, high = quantile_test(array, p=0.5).confidence_interval(0.95)
    # Where no order statistic is far enough out, SciPy gives NaN.
    ends = (-np.inf if np.isnan(low) else low, np.inf if np.isnan(high) else high)
    return float(np.median(array)), float(ends[0]), float(ends[1])


def decimal(value: float, places: int = 0) -> str:
    """Return a number as text, to some decimals and with separators of thousands.

    A number is first taken to 10 significant digits, so a tie is a tie on every processor; it goes
    to the even digit. No zero has a sign. What is not finite is ``inf``, ``-inf`` or ``nan``.

    Parameters
    ----------
    value : float
        A number.
    places : int
        Decimals; -2 rounds to hundreds.

    Examples
    --------
    >>> decimal(7.55, 1), decimal(np.nextafter(7.55, 8), 1), decimal(1234.5, -2)
    ('7.6', '7.6', '1,200')
    """
    if not np.isfinite(value):
        return f"{float(value)}"
    return f"{_to_places(value, places):,f}"


def significant(value: float, digits: int = 2) -> str:
    """Return a number as text, to some significant digits and with separators of thousands.

    For numbers of samples in prose: fewer digits than their interval would give suffice, and do
    not change with the last bit of a computation. A ``ValueError`` names a `value` that is not
    finite, or `digits` that are not a whole number from 1.

    Examples
    --------
    >>> significant(623_197), significant(0.03456), significant(9.96, digits=2)
    ('620,000', '0.035', '10')
    """
    if not np.isfinite(value):
        raise ValueError(f"value must be finite, got {value!r}")
    if not is_whole(digits) or digits < 1:
        raise ValueError(f"digits must be a positive integer, got {digits!r}")
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
