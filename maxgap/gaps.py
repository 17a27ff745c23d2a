"""From intervals to gap bounds.

The *right gap* of an arm is the distance to the next larger mean, the *left gap* the distance to
the next smaller one. Given an interval for every mean, this module computes the largest right and
left gap that each arm can have (Algorithm 4 of the paper) and the largest gap that is certain to
be there (eq. 9).

It is fast since every bound is the width of a *slot* ``(l_i, r_j)``: ``l_i`` a lower end, ``r_j``
the smallest upper end among the arms whose lower end lies above ``l_i``. An arm's bound is that of
a contiguous range of slots, the largest. The book's chapter on gap bounds has the proof.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from maxgap.engine.compiled import compiled
from maxgap.engine.types import Floats, Integers
from maxgap.reference import GapBounds, GapLowerBound

__all__ = ["GapBounds", "GapLowerBound", "gap_lower_bound", "gap_upper_bounds"]


def gap_upper_bounds(lower: ArrayLike, upper: ArrayLike) -> GapBounds:
    """Largest right and left gap that each arm can have, in O(K log K) for all arms.

    Source: Algorithm 4 and Theorem 3 of the paper; where no arm can lie on one side of an arm the
    bound of that side is 0.

    Parameters
    ----------
    lower, upper : array_like, shape (K,)
        Ends of the intervals, ``lower <= upper``; infinite for an arm that was never sampled.

    Raises
    ------
    ValueError
        For fewer than two arms, unequal shapes, NaN, or a lower end above its upper end.

    Examples
    --------
    >>> gap_upper_bounds([0.0, 2.0, 2.5], [1.0, 3.0, 4.0]).right.tolist()
    [3.0, 2.0, 0.5]
    """
    lower, upper = _checked_intervals(lower, upper)
    # Mirrored, upper ends become lower ends and left gaps right gaps: (-l) - (-r) is r - l exactly.
    return GapBounds(_right_bounds(lower, upper), _right_bounds(-upper, -lower))


def gap_lower_bound(means: ArrayLike, lower: ArrayLike, upper: ArrayLike) -> GapLowerBound:
    """Largest gap that is certain to be there, eq. (9) of the paper, in O(K log K).

    The value is negative or 0 while no gap is certain.

    Parameters
    ----------
    means, lower, upper : array_like, shape (K,)
        Empirical means and the ends of the intervals.

    Raises
    ------
    ValueError
        As `gap_upper_bounds`, and for means that are NaN or of another shape.

    Examples
    --------
    >>> gap_lower_bound([0.0, 2.0, 2.1], [-0.5, 1.5, 1.6], [0.5, 2.5, 2.6])
    GapLowerBound(value=1.0, split_rank=2)
    """
    lower, upper = _checked_intervals(lower, upper)
    means = np.asarray(means, dtype=np.float64)
    if means.shape != lower.shape:
        raise ValueError(f"means has shape {means.shape}, lower and upper have {lower.shape}")
    if np.isnan(means).any():
        raise ValueError(f"means holds NaN at position {int(np.isnan(means).argmax())}")
    order = np.argsort(-means, kind="stable")
    lowest_above = np.minimum.accumulate(lower[order])[:-1]
    highest_below = np.maximum.accumulate(upper[order][::-1])[::-1][1:]
    certain_gaps = lowest_above - highest_below
    split = int(np.argmax(certain_gaps))
    return GapLowerBound(float(certain_gaps[split]), split + 1)


def _checked_intervals(lower: ArrayLike, upper: ArrayLike) -> tuple[Floats, Floats]:
    """Both ends as float arrays, or a ValueError that names what is wrong."""
    lower = np.asarray(lower, dtype=np.float64)
    upper = np.asarray(upper, dtype=np.float64)
    if lower.ndim != 1 or lower.shape != upper.shape:
        raise ValueError(
            f"lower and upper must be one-dimensional and of equal length, "
            f"got shapes {lower.shape} and {upper.shape}"
        )
    if lower.size < 2:
        raise ValueError(f"lower has {lower.size} arms; at least two are needed")
    for name, ends, empty in (("lower", lower, np.inf), ("upper", upper, -np.inf)):
        bad = np.isnan(ends) | (ends == empty)
        if bad.any():
            arm = int(bad.argmax())
            raise ValueError(f"{name} of arm {arm} is {ends[arm]}")
    crossed = lower > upper
    if crossed.any():
        arm = int(crossed.argmax())
        raise ValueError(f"lower {lower[arm]} of arm {arm} lies above its upper {upper[arm]}")
    return lower, upper


def _right_bounds(lower: Floats, upper: Floats) -> Floats:
    """Right-gap bound of every arm, in the order of the arms."""
    order = np.argsort(lower)
    return _right_bounds_sorted(lower[order], upper[order], order)


@compiled(allocates=True)
def _right_bounds_sorted(lower: Floats, upper: Floats, order: Integers) -> Floats:
    """Right-gap bounds, eq. (8), of arms sorted by lower end; ``order`` says where each belongs.

    The widest slot that opens inside an arm's interval is found on a stack that holds, for the arms
    seen so far (from the right), the chain of ever wider slots.
    """
    n_arms = lower.size
    highest, second, holder = -np.inf, -np.inf, -1
    for k in range(n_arms):
        if upper[k] > highest:
            highest, second, holder = upper[k], highest, k
        elif upper[k] > second:
            second = upper[k]
    opens, width = np.empty(n_arms), np.empty(n_arms)
    size = 0
    bounds = np.empty(n_arms)
    smallest = np.inf
    for k in range(n_arms - 1, -1, -1):
        # The last slot is not stored: its width is another one for the arm with the highest end.
        wide = smallest - lower[k] if k < n_arms - 1 else -np.inf
        smallest = min(smallest, upper[k])
        while size > 0 and width[size - 1] <= wide:
            size -= 1
        opens[size], width[size] = lower[k], wide
        size += 1
        low, high = 0, size - 1
        while low < high:
            middle = (low + high) // 2
            if opens[middle] <= upper[k]:
                high = middle
            else:
                low = middle + 1
        best = width[low]
        if lower[n_arms - 1] <= upper[k]:
            end = second if k == holder else highest
            best = max(best, end - lower[n_arms - 1])
        bounds[order[k]] = max(best, 0.0)
    return bounds
