"""The paper's mixed integer programme for gap bounds, equations (14) to (17), solved by HiGHS."""

import itertools
import math

import numpy as np
from numpy.typing import ArrayLike

from maxgap.reference._checking import Vector, checked_intervals
from maxgap.reference.bounds import GapBounds

__all__ = ["gap_upper_bounds_mip"]


def gap_upper_bounds_mip(lower: ArrayLike, upper: ArrayLike) -> GapBounds:
    """Return upper bounds on every arm's gaps by the paper's mixed integer programme.

    Equations (14) to (17), solved by HiGHS for every ordered pair of an arm and its neighbour. A
    binary z_i says on which side of the gap arm i lies. Left gaps come from the mirror image. The
    "large number" M is the distance between the smallest lower and the largest upper end: no two
    means can be further apart.

    HiGHS holds constraints to within 1e-6, so the intervals are moved and scaled to fill [0, 1].
    The bounds are right to about that part of the span, and no two ends may differ by less without
    being equal.

    Parameters
    ----------
    lower, upper : array_like, shape (K,)
        Ends of the intervals of the means, in rewards' units; finite.

    Raises
    ------
    ValueError
        If the intervals are unusable.
    RuntimeError
        If HiGHS neither solves a programme nor finds it infeasible.

    Examples
    --------
    >>> gap_upper_bounds_mip(lower=[0, 2, 5], upper=[1, 3, 6]).right.round(5)
    array([3., 4., 0.])
    """
    lower, upper = checked_intervals(lower, upper, finite=True)
    return GapBounds(_right_bounds_mip(lower, upper), _right_bounds_mip(-upper, -lower))


def _right_bounds_mip(lower: Vector, upper: Vector) -> Vector:
    n_arms = len(lower)
    start, span = lower.min(), upper.max() - lower.min()
    if span == 0:
        return np.zeros(n_arms)
    scaled_lower, scaled_upper = (lower - start) / span, (upper - start) / span
    right = np.zeros(n_arms)
    for a, b in itertools.permutations(range(n_arms), 2):
        right[a] = max(right[a], span * _right_gap_to_mip(a, b, scaled_lower, scaled_upper))
    return right


def _right_gap_to_mip(a: int, b: int, lower: Vector, upper: Vector) -> float:
    """Return the largest gap from arm a up to its neighbour b, -inf if b cannot be that."""
    # Here, because it is slow to import and few need it.
    from scipy.optimize import Bounds, LinearConstraint, milp

    n_arms = len(lower)
    big_m = 1.0  # the intervals fill [0, 1]
    # The variables are mu_1 ... mu_K, z_1 ... z_K; z_a and z_b appear in no constraint.
    objective = np.zeros(2 * n_arms)
    objective[b], objective[a] = -1.0, 1.0  # milp minimises
    others = [i for i in range(n_arms) if i not in (a, b)]
    rows = np.zeros((2 * len(others), 2 * n_arms))
    for k, i in enumerate(others):
        # (17a): mu_i <= mu_a + M (1 - z_i), and (17b): mu_i >= mu_b - M z_i
        rows[2 * k, [i, a, n_arms + i]] = 1.0, -1.0, big_m
        rows[2 * k + 1, [i, b, n_arms + i]] = -1.0, 1.0, -big_m
    limits = np.tile([big_m, 0.0], len(others))
    result = milp(
        objective,
        integrality=np.repeat([0, 1], n_arms),
        bounds=Bounds(np.append(lower, np.zeros(n_arms)), np.append(upper, np.ones(n_arms))),
        constraints=LinearConstraint(rows, ub=limits) if others else None,
        options={"mip_rel_gap": 0.0},
    )
    if result.status == 2:  # infeasible: some arm always lies between a and b
        return -math.inf
    if not result.success:
        raise RuntimeError(f"HiGHS did not solve the programme of arms {a}, {b}: {result.message}")
    return float(-result.fun)
