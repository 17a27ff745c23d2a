"""Checks of what comes in, and the types of what is checked."""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

Vector = NDArray[np.float64]


def checked_vector(name: str, values: ArrayLike, *, finite: bool) -> Vector:
    try:
        vector = np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be a vector of numbers, not {values!r}") from error
    if vector.ndim != 1:
        raise ValueError(f"{name} must be a vector, not an array of shape {vector.shape}")
    if len(vector) < 2:
        raise ValueError(f"{name} must have at least two entries, not {len(vector)}: {values!r}")
    bad = ~np.isfinite(vector) if finite else np.isnan(vector)
    if bad.any():
        where = int(np.flatnonzero(bad)[0])
        wanted = "finite" if finite else "a number"
        raise ValueError(f"{name}[{where}] must be {wanted}, not {vector[where]}")
    return vector


def checked_intervals(
    lower: ArrayLike, upper: ArrayLike, *, finite: bool = False
) -> tuple[Vector, Vector]:
    low = checked_vector("lower", lower, finite=finite)
    high = checked_vector("upper", upper, finite=finite)
    if len(low) != len(high):
        raise ValueError(f"lower and upper must have equal lengths, not {len(low)} and {len(high)}")
    for a, (left, right) in enumerate(zip(low, high, strict=True)):
        if left > right:
            raise ValueError(f"lower[{a}] = {left} must not exceed upper[{a}] = {right}")
        if left == math.inf:
            raise ValueError(f"lower[{a}] must be less than infinity, not {left}")
        if right == -math.inf:
            raise ValueError(f"upper[{a}] must be more than minus infinity, not {right}")
    return low, high
