"""Checks of what comes in, and the types of what is checked."""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "Vector",
    "checked_arm",
    "checked_estimates",
    "checked_intervals",
    "checked_position",
    "checked_vector",
]


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


def checked_estimates(
    means: ArrayLike, lower: ArrayLike, upper: ArrayLike
) -> tuple[Vector, Vector, Vector]:
    low, high = checked_intervals(lower, upper)
    middle = checked_vector("means", means, finite=True)
    if len(middle) != len(low):
        raise ValueError(
            f"means and lower must have equal lengths, not {len(middle)} and {len(low)}"
        )
    return middle, low, high


def checked_arm(arm: int, n_arms: int) -> int:
    if isinstance(arm, bool) or not isinstance(arm, int | np.integer) or not 0 <= arm < n_arms:
        raise ValueError(f"arm must be a whole number from 0 to {n_arms - 1}, not {arm!r}")
    return int(arm)


def checked_position(arm: int, x: float, lower: Vector, upper: Vector) -> float:
    if not isinstance(x, int | float | np.number) or not lower[arm] <= x <= upper[arm]:
        raise ValueError(
            f"x must lie in the arm's interval [{lower[arm]}, {upper[arm]}], not {x!r}"
        )
    return float(x)
