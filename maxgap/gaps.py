"""From intervals to gap bounds.

The *right gap* of an arm is the distance to the next larger mean, the *left gap* the distance to
the next smaller one. Given an interval for every mean, this module computes the largest right and
left gap that each arm can have (Algorithm 4 of the paper) and the largest gap that is certain to
be there (eq. 8).

How it is fast. A right gap is largest when the arm's mean sits at the lower end of some interval
(Lemma 3 of the paper). So every bound is the width of a *slot* ``(l_i, r_j)``: ``l_i`` a lower end,
``r_j`` the smallest upper end among the arms whose lower end lies above ``l_i``. With the arms
sorted by lower end, a running minimum from the right gives every slot in O(K). Both ends of the
slots increase along the order, so an arm's bound is a maximum over a contiguous range of slots.
The last slot, above which no lower end lies, is different: its width depends on which arm asks.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]


class GapBounds(NamedTuple):
    """Upper bounds on the gaps of every arm, in rewards' units, shape (K,), never negative."""

    right: Floats
    left: Floats

    @property
    def either(self) -> Floats:
        """Upper bound on the arm's gap, the larger of the two; shape (K,)."""
        return np.maximum(self.right, self.left)


class GapLowerBound(NamedTuple):
    """Lower bound on the largest gap, in rewards' units, and the rank after which it lies.

    ``value`` is positive only if the ``split_rank`` arms with the largest means are separated from
    the others by their intervals.
    """

    value: float
    split_rank: int


def gap_upper_bounds(lower: ArrayLike, upper: ArrayLike) -> GapBounds:
    """Largest right and left gap that each arm can have, in O(K log K) for all arms.

    Source: Algorithm 4 and Theorem 4 of the paper; where no arm can lie on one side of an arm the
    bound of that side is 0.

    Parameters
    ----------
    lower, upper : array_like, shape (K,)
        Ends of the intervals, ``lower <= upper``; infinite for an arm that was never sampled.

    Returns
    -------
    GapBounds

    Raises
    ------
    ValueError
        For fewer than two arms, unequal shapes, NaN, or a lower end above its upper end.

    Examples
    --------
    >>> bounds = gap_upper_bounds([0.0, 2.0, 2.5], [1.0, 3.0, 4.0])
    >>> bounds.right.tolist(), bounds.left.tolist()
    ([3.0, 2.0, 0.5], [0.0, 3.0, 3.0])
    """
    lower, upper = _checked_intervals(lower, upper)
    # Mirrored, upper ends become lower ends, and left gaps right gaps: (-l) - (-r) is r - l exactly.
    return GapBounds(_right_bounds(lower, upper), _right_bounds(-upper, -lower))


def gap_lower_bound(means: ArrayLike, lower: ArrayLike, upper: ArrayLike) -> GapLowerBound:
    """Largest gap that is certain to be there, eq. (8) of the paper, in O(K log K).

    Parameters
    ----------
    means, lower, upper : array_like, shape (K,)
        Empirical means and the ends of the intervals.

    Returns
    -------
    GapLowerBound
        The value is negative or 0 while no gap is certain.

    Raises
    ------
    ValueError
        For fewer than two arms, unequal shapes, NaN, or a lower end above its upper end.

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
    separation = lowest_above - highest_below
    split = int(np.argmax(separation))
    return GapLowerBound(float(separation[split]), split + 1)


def _checked_intervals(
    lower: ArrayLike, upper: ArrayLike
) -> tuple[Floats, Floats]:
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
    sorted_lower, sorted_upper = lower[order], upper[order]
    last = np.searchsorted(sorted_lower, sorted_upper, side="right") - 1
    bounds = np.empty_like(lower)
    bounds[order] = _right_bounds_sorted(sorted_lower, sorted_upper, last)
    return bounds


@njit(cache=True, nogil=True)
def _right_bounds_sorted(lower: Floats, upper: Floats, last: Integers) -> Floats:
    """Right-gap bounds of arms sorted by lower end, eq. (6); ``last``: last lower end inside.

    The maximum of slots ``k..last[k]`` is found on a stack that holds, for the arms seen so far
    (from the right), the chain of ever wider slots.
    """
    n_arms = lower.size
    highest, second, holder = -np.inf, -np.inf, -1
    for k in range(n_arms):
        if upper[k] > highest:
            highest, second, holder = upper[k], highest, k
        elif upper[k] > second:
            second = upper[k]
    width = np.empty(n_arms)
    stack = np.empty(n_arms, np.int64)
    size = 0
    bounds = np.zeros(n_arms)
    smallest = np.inf
    for k in range(n_arms - 1, -1, -1):
        # The last slot is not stored: its width is another one for the arm with the highest end.
        width[k] = smallest - lower[k] if k < n_arms - 1 else -np.inf
        smallest = min(smallest, upper[k])
        while size > 0 and width[stack[size - 1]] <= width[k]:
            size -= 1
        stack[size] = k
        size += 1
        low, high = 0, size - 1
        while low < high:
            middle = (low + high) // 2
            if stack[middle] <= last[k]:
                high = middle
            else:
                low = middle + 1
        best = width[stack[low]]
        if last[k] == n_arms - 1:
            end = second if k == holder else highest
            best = max(best, end - lower[n_arms - 1])
        bounds[k] = max(best, 0.0)
    return bounds


# What follows works on arms already sorted by lower end. Every round of every policy is made of it.


@njit(cache=True, nogil=True)
def fill_slots(
    lower: Floats, upper: Floats, width: Floats, end: Floats
) -> tuple[float, int, bool]:
    """All slots of arms sorted by lower end: ``width[k] = end[k] - lower[k]``.

    Returns the width of the widest slot, one position that has it, and whether another has it too.

    The bound of an arm's gap (the larger of right and left) is the widest slot that the arm
    *touches*: ``lower[k]`` or ``end[k]`` lies in its interval. Left gaps need no slots of their
    own: a left gap closes at some upper end ``r_j`` and opens at the largest lower end ``l`` among
    the arms that end below it; the slot opening at ``l`` is at least as wide, and whoever contains
    ``r_j`` touches it. For the last slot the widest claim that is not already covered by the slot
    before it is that of the arms other than the topmost one.
    """
    n_arms = lower.size
    top = n_arms - 1
    smallest = upper[top]
    highest = -np.inf
    widest = -np.inf
    at = top
    tied = False
    for k in range(top - 1, -1, -1):
        w = smallest - lower[k]
        width[k] = w
        end[k] = smallest
        if w >= widest:
            tied = w == widest
            widest = w
            at = k
        r = upper[k]
        if r < smallest:
            smallest = r
        if r > highest:
            highest = r
    end[top] = highest
    w = max(highest - lower[top], 0.0)
    width[top] = w
    if w >= widest:
        tied = w == widest
        widest = w
        at = top
    return widest, at, tied


@njit(cache=True, nogil=True)
def certified_split(lower: Floats, upper: Floats) -> tuple[float, int]:
    """Lower bound on the largest gap and the position of the lowest arm above it, eq. (8).

    For arms sorted by lower end. A positive value is that of eq. (8): intervals that are separated
    are in the order of their means. If no gap is certain, returns 0 and 0.
    """
    best = 0.0
    position = 0
    highest = upper[0]
    for k in range(1, lower.size):
        separation = lower[k] - highest
        if separation > 0.0 and separation >= best:  # of equals the highest, as eq. (8) by rank
            best = separation
            position = k
        if upper[k] > highest:
            highest = upper[k]
    return best, position


@njit(cache=True, nogil=True)
def touching(
    lower: Floats,
    upper: Floats,
    width: Floats,
    end: Floats,
    threshold: float,
    strict: bool,
    next_wide: Integers,
    touches: Flags,
) -> int:
    """Mark the arms whose gap bound is at least ``threshold`` (above it if ``strict``).

    The slots an arm touches are a contiguous range, because both ends of the slots increase and
    none lies around an arm's whole interval. The range starts at the first slot that ends above
    the arm's lower end and stops at the last that opens below its upper end. ``touches`` is by
    position; ``next_wide`` is scratch of length K + 1. Returns how many arms are marked.
    """
    n_arms = lower.size
    next_wide[n_arms] = n_arms
    for k in range(n_arms - 1, -1, -1):
        wide = width[k] > threshold or (not strict and width[k] == threshold)
        next_wide[k] = k if wide else next_wide[k + 1]
    first = 0
    marked = 0
    for k in range(n_arms):
        while first < n_arms - 1 and end[first] < lower[k]:
            first += 1
        wide_slot = next_wide[first]
        inside = wide_slot < n_arms and lower[wide_slot] <= upper[k]
        touches[k] = inside
        marked += inside
    return marked
