"""Logarithms, and what is made of them, the same to the last bit on every processor.

NumPy, the compiler and the C library choose theirs by the processor, and their last bits differ.
What decides a run is computed with these, from operations that IEEE 754 fixes: + - * / and sqrt.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxgap.engine.compiled import compiled

# The logarithm of 2 in two parts. The first has so few bits that its products with an exponent
# are exact.
LN2_HIGH = 6.93147180369123816490e-01
LN2_LOW = 1.90821492927058770002e-10
LN2 = 0.6931471805599453
HALF_SQRT = 0.7071067811865476
SQRT_2_OVER_PI = 0.7978845608028654


def _log(fraction: Any, exponent: Any) -> Any:
    """log(fraction 2^exponent) for a fraction from sqrt(1/2) to sqrt(2), by the series of artanh.

    With f = fraction - 1 and s = f / (2 + f) the logarithm of the fraction is
    2 artanh(s) = f - f^2/2 + s (f^2/2 + 2 s^2/3 + 2 s^4/5 + ...). Here s^2 < 0.0295, so that ten
    terms leave less than a last bit.
    """
    f = fraction - 1.0
    s = f / (2.0 + f)
    z = s * s
    series = 2.0 / 21.0
    for k in range(19, 1, -2):
        series = series * z + 2.0 / k
    half_square = 0.5 * f * f
    small = s * (half_square + series * z) + exponent * LN2_LOW
    return exponent * LN2_HIGH - ((half_square - small) - f)


_log_compiled = compiled(_log)


@compiled(patient=True)
def log(x: float) -> float:
    """Natural logarithm of one positive finite number."""
    fraction, exponent = math.frexp(x)
    if fraction < HALF_SQRT:
        fraction *= 2.0
        exponent -= 1
    return _log_compiled(fraction, float(exponent))


def log_of_array(x: Any) -> NDArray[np.float64]:
    """Natural logarithm of positive finite numbers, the same as `log` of each."""
    fraction, exponent = np.frexp(np.asarray(x, dtype=np.float64))
    low = fraction < HALF_SQRT
    return _log(np.where(low, 2.0 * fraction, fraction), exponent - low.astype(np.float64))


@compiled
def exp(x: float) -> float:
    """Exponential of a number of moderate size, by its series within half a factor of 2."""
    exponent = math.floor(x / LN2 + 0.5)
    rest = x - exponent * LN2_HIGH - exponent * LN2_LOW
    series = 1.0
    for k in range(14, 0, -1):
        series = 1.0 + series * rest / k
    return math.ldexp(series, exponent)


@compiled
def log_twice_normal_cdf(z: float) -> float:
    """log(2 Phi(z)) for z >= 0, Phi being the standard normal distribution.

    Below 6 by the series 2 Phi(z) = 1 + sqrt(2 / pi) exp(-z^2 / 2) (z + z^3 / 3 + z^5 / 15 + ...),
    above by that of the tail in 1 / z^2, whose terms shrink up to the ninth.
    """
    square = z * z
    density = SQRT_2_OVER_PI * exp(-0.5 * min(square, 1400.0))
    if z < 6.0:
        term, total, k = z, z, 1.0
        while term > 1e-17 * total:
            k += 2.0
            term *= square / k
            total += term
        return log(1.0 + density * total)
    tail = 1.0
    for k in range(15, 0, -2):
        tail = 1.0 - tail * k / square
    return LN2 - 0.5 * density * tail / z
