"""The paper's bounds on gaps: Figure 3, Algorithm 4 and equation (9), as they stand."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from maxgap.reference._checking import Vector, checked_intervals, checked_vector

__all__ = [
    "GapBounds",
    "GapLowerBound",
    "gap_lower_bound",
    "gap_upper_bounds",
    "left_gap_bound",
    "right_gap_at",
    "right_gap_bound",
]


class GapBounds(NamedTuple):
    """Upper bounds on the gaps of every arm, in rewards' units, shape (K,), never negative.

    ``right`` is towards larger means, ``left`` towards smaller ones.

    Examples
    --------
    >>> bounds = GapBounds(right=np.array([2.0, 0.5]), left=np.array([0.0, 1.5]))
    >>> bounds.either.tolist()
    [2.0, 1.5]
    """

    right: Vector
    left: Vector

    @property
    def either(self) -> Vector:
        """Upper bound on the arm's gap, the larger of the two; shape (K,)."""
        return np.maximum(self.right, self.left)


class GapLowerBound(NamedTuple):
    """Lower bound on the largest gap, in rewards' units, and the rank after which it lies.

    ``value`` is positive only if the ``split_rank`` arms with the largest means are separated from
    the others by their intervals.

    Examples
    --------
    >>> gap_lower_bound([0.0, 1.0], lower=[-0.5, 0.75], upper=[0.5, 1.25])
    GapLowerBound(value=0.25, split_rank=1)
    """

    value: float
    split_rank: int


# The largest gap of one arm at a known position: Figure 3, equations (7) and (18).


def right_gap_at(arm: int, x: float, lower: ArrayLike, upper: ArrayLike) -> float:
    """Return the largest possible right gap of `arm` if its mean is `x`, in rewards' units.

    Equation (7). If some arms cannot lie at or below `x`, the smallest of their upper ends closes
    the gap, and all others step aside to the left. If every arm can, the one with the largest upper
    end goes there alone. Where no arm can lie above `x` the gap is 0, by the convention that opens
    Lemma 2.

    Parameters
    ----------
    arm : int
        The arm, 0 to K - 1.
    x : float
        Its mean; inside its interval.
    lower, upper : array_like, shape (K,)
        Ends of the intervals of the means, in rewards' units. Infinite ends are allowed.

    Raises
    ------
    ValueError
        If the intervals, the arm or its position are unusable.

    Examples
    --------
    Arm 2 cannot lie at or below 0.5, so it closes the gap at its upper end:

    >>> right_gap_at(0, 0.5, lower=[0, 0, 1], upper=[1, 4, 3])
    2.5
    """
    lower, upper = checked_intervals(lower, upper)
    if isinstance(arm, bool) or not isinstance(arm, int | np.integer) or not 0 <= arm < len(lower):
        raise ValueError(f"arm must be a whole number from 0 to {len(lower) - 1}, not {arm!r}")
    if not isinstance(x, int | float | np.number) or not lower[arm] <= x <= upper[arm]:
        raise ValueError(
            f"x must lie in the arm's interval [{lower[arm]}, {upper[arm]}], not {x!r}"
        )
    gap = _largest_right_gap(int(arm), float(x), lower.tolist(), upper.tolist())
    return gap if gap > 0 else 0.0  # infinite ends may give nan: no gap either


def _largest_right_gap(arm: int, x: float, lower: Sequence[float], upper: Sequence[float]) -> float:
    """Equation (7) as printed: not positive where no arm can lie above `x`."""
    ends = [upper[j] for j in range(len(upper)) if lower[j] > x]
    end = min(ends) if ends else max(upper[j] for j in range(len(upper)) if j != arm)
    return end - x


def _largest_left_gap(arm: int, x: float, lower: Sequence[float], upper: Sequence[float]) -> float:
    """Equation (18) as printed: not positive where no arm can lie below `x`."""
    ends = [lower[j] for j in range(len(lower)) if upper[j] < x]
    end = max(ends) if ends else min(lower[j] for j in range(len(lower)) if j != arm)
    return x - end


# All arms: the upper bounds, and the lower bound on the largest gap.


def right_gap_bound(arm: int, lower: Sequence[float], upper: Sequence[float]) -> float:
    """Return an upper bound on the right gap of one arm: Algorithm 4, lines 1 and 2, unchecked.

    Examples
    --------
    >>> right_gap_bound(1, [0, 2, 5], [1, 3, 6])
    4
    """
    bound = 0.0
    for i in range(len(lower)):
        # 1: P are the arms i whose lower end lies in the interval of the arm
        if lower[arm] <= lower[i] <= upper[arm]:
            # 2: the largest right gap of the arm at such an end
            bound = max(bound, _largest_right_gap(arm, lower[i], lower, upper))
    return bound


def left_gap_bound(arm: int, lower: Sequence[float], upper: Sequence[float]) -> float:
    """Return an upper bound on the left gap of one arm: Algorithm 4, lines 3 and 4.

    Line 4 is printed with an index j, which must be i. The ends are not checked.

    Examples
    --------
    >>> left_gap_bound(1, [0, 2, 5], [1, 3, 6])
    3
    """
    bound = 0.0
    for i in range(len(upper)):
        # 3: P are the arms i whose upper end lies in the interval of the arm
        if lower[arm] <= upper[i] <= upper[arm]:
            # 4: the largest left gap of the arm at such an end
            bound = max(bound, _largest_left_gap(arm, upper[i], lower, upper))
    return bound


def gap_upper_bounds(lower: ArrayLike, upper: ArrayLike) -> GapBounds:
    """Return upper bounds on every arm's gaps by the paper's procedure.

    Algorithm 4: an arm's right gap is largest when the arm sits at some lower end inside its
    interval (Lemma 4). One arm takes O(K^2), all of them O(K^3).

    Parameters
    ----------
    lower, upper : array_like, shape (K,)
        Ends of the intervals of the means, in rewards' units. Infinite ends are allowed.

    Raises
    ------
    ValueError
        If the intervals are unusable.

    Examples
    --------
    >>> bounds = gap_upper_bounds(lower=[0, 2, 5], upper=[1, 3, 6])
    >>> bounds.right.tolist(), bounds.left.tolist()
    ([3.0, 4.0, 0.0], [0.0, 3.0, 4.0])
    """
    lower, upper = checked_intervals(lower, upper)
    lows, highs = lower.tolist(), upper.tolist()
    right = [right_gap_bound(arm, lows, highs) for arm in range(len(lows))]
    left = [left_gap_bound(arm, lows, highs) for arm in range(len(lows))]
    return GapBounds(np.array(right), np.array(left))


def gap_lower_bound(means: ArrayLike, lower: ArrayLike, upper: ArrayLike) -> GapLowerBound:
    """Return a lower bound on the largest gap, and the split that gives it.

    Equation (9), term by term in O(K^2): over all splits of the arms by empirical mean, the largest
    distance from the top cluster's smallest lower end down to the bottom one's largest upper end,
    as printed, so it may be negative. Arms with equal means are ranked by their number, and the
    first of several best splits is taken.

    Parameters
    ----------
    means : array_like, shape (K,)
        Empirical means, in rewards' units; finite.
    lower, upper : array_like, shape (K,)
        Ends of the intervals of the means. Infinite ends are allowed.

    Raises
    ------
    ValueError
        If the means or the intervals are unusable.

    Examples
    --------
    >>> gap_lower_bound(means=[0.5, 2.5, 5.5], lower=[0, 2, 5], upper=[1, 3, 6])
    GapLowerBound(value=2.0, split_rank=1)
    """
    lower, upper = checked_intervals(lower, upper)
    means = checked_vector("means", means, finite=True)
    if len(means) != len(lower):
        raise ValueError(
            f"means and lower must have equal lengths, not {len(means)} and {len(lower)}"
        )
    ranked = np.argsort(-means, kind="stable")
    best = GapLowerBound(-math.inf, 1)
    for k in range(1, len(means)):
        value = float(lower[ranked[:k]].min() - upper[ranked[k:]].max())
        if value > best.value:
            best = GapLowerBound(value, k)
    return best
