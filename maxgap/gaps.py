"""From intervals to gap bounds.

The *right gap* of an arm is the distance to the next larger mean, the *left gap* the distance to
the next smaller one. Given an interval for every mean, this module computes the largest right and
left gap that each arm can have (Algorithm 4 of the paper) and the largest gap that is certain to
be there (eq. 9).

How it is fast. A right gap is largest when the arm's mean sits at the lower end of some interval
(Lemma 4 of the paper). So every bound is the width of a *slot* ``(l_i, r_j)``: ``l_i`` a lower end,
``r_j`` the smallest upper end among the arms whose lower end lies above ``l_i``. With the arms
sorted by lower end, a running minimum from the right gives every slot in O(K). Both ends of the
slots increase along the order, so an arm's bound is a maximum over a contiguous range of slots.
The last slot, above which no lower end lies, is different: its width depends on which arm asks.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from maxgap._compiled import compiled

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]
Records = NDArray[np.void]


class GapBounds(NamedTuple):
    """Upper bounds on the gaps of every arm, in rewards' units, shape (K,), never negative.

    Examples
    --------
    >>> bounds = GapBounds(right=np.array([2.0, 0.5]), left=np.array([0.0, 1.5]))
    >>> bounds.either.tolist()
    [2.0, 1.5]
    """

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

    Examples
    --------
    >>> bound = gap_lower_bound([0.0, 1.0], lower=[-0.1, 0.8], upper=[0.1, 1.2])
    >>> round(bound.value, 3), bound.split_rank
    (0.7, 1)
    """

    value: float
    split_rank: int


def gap_upper_bounds(lower: ArrayLike, upper: ArrayLike) -> GapBounds:
    """Largest right and left gap that each arm can have, in O(K log K) for all arms.

    Source: Algorithm 4 and Theorem 3 of the paper; where no arm can lie on one side of an arm the
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
    # Mirrored, upper ends become lower ends and left gaps right gaps: (-l) - (-r) is r - l exactly.
    return GapBounds(_right_bounds(lower, upper), _right_bounds(-upper, -lower))


def gap_lower_bound(means: ArrayLike, lower: ArrayLike, upper: ArrayLike) -> GapLowerBound:
    """Largest gap that is certain to be there, eq. (9) of the paper, in O(K log K).

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


@compiled
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


# What follows works on arms already sorted by lower end, one record a position. Every round of any
# policy is made of it. Between rounds few arms move, so what is kept lets a round look only at the
# places that change: running extremes, and trees of maxima over positions.

#: An arm at its place in the order by lower end, and the slot that opens at that lower end.
SLOT = np.dtype(
    [
        ("lower", np.float64),
        ("upper", np.float64),
        ("arm", np.int64),
        ("end", np.float64),
        ("reach", np.float64),  # largest upper end at the positions below
        ("next_wide", np.int64),
        ("touches", np.bool_),
    ],
    align=True,
)

#: Rows of the trees: widths of the slots, and separations ``lower - reach``.
WIDTHS, SEPARATIONS = 0, 1


def new_slots(n_arms: int) -> tuple[Records, Floats]:
    """Slots and trees of arms whose intervals are the whole line."""
    slots = np.zeros(n_arms, SLOT)
    slots["lower"], slots["upper"] = -np.inf, np.inf
    slots["arm"] = np.arange(n_arms)
    leaves = 1 << (n_arms - 1).bit_length()
    return slots, np.full((2, 2 * leaves), -np.inf)


@compiled
def renew_slots(slots: Records, trees: Floats, first: int, last: int) -> None:
    """Bring slots and trees up to date after the arms at positions first..last have changed.

    A slot's width is ``end - lower``. The bound of an arm's gap (the larger of right and left) is
    the widest slot that the arm *touches*: its ``lower`` or its ``end`` lies in the arm's interval.
    Left gaps need no slots of their own: a left gap closes at some upper end ``r_j`` and opens at
    the largest lower end ``l`` among the arms that end below it; the slot opening at ``l`` is at
    least as wide, and whoever contains ``r_j`` touches it. For the last slot the widest claim that
    is not already covered by the slot before it is that of the arms other than the topmost one.

    Running extremes are the same again soon after the last change: there the work stops.
    """
    top = slots.size - 1
    leaves = trees.shape[1] // 2
    reach = -np.inf
    if first > 0:
        reach = max(slots[first - 1]["reach"], slots[first - 1]["upper"])
    k = first
    while k <= top:
        if k > last and slots[k]["reach"] == reach:
            break
        slots[k]["reach"] = reach
        trees[SEPARATIONS, leaves + k] = slots[k]["lower"] - reach if k > 0 else -np.inf
        r = slots[k]["upper"]
        if r > reach:
            reach = r
        k += 1
    _renew_tree(trees, SEPARATIONS, first, k - 1)
    reaches_top = k > top

    smallest = np.inf
    if last < top:
        smallest = slots[last + 1]["upper"]
        if last + 1 < top and slots[last + 1]["end"] < smallest:
            smallest = slots[last + 1]["end"]
    k = min(last, top - 1)
    if last == top:
        smallest = slots[top]["upper"]
    highest_changed = k
    while k >= 0:
        if k < first and slots[k]["end"] == smallest:
            break
        slots[k]["end"] = smallest
        trees[WIDTHS, leaves + k] = smallest - slots[k]["lower"]
        r = slots[k]["upper"]
        if r < smallest:
            smallest = r
        k -= 1
    if reaches_top:
        slots[top]["end"] = slots[top]["reach"]
        trees[WIDTHS, leaves + top] = max(slots[top]["reach"] - slots[top]["lower"], 0.0)
        highest_changed = top
    _renew_tree(trees, WIDTHS, k + 1, highest_changed)


@compiled
def _renew_tree(trees: Floats, row: int, first: int, last: int) -> None:
    """Maxima above the leaves first..last; node i has the children 2i and 2i + 1.

    Separations change less: there the way up ends where nothing is new.
    """
    low = (trees.shape[1] // 2 + first) >> 1
    high = (trees.shape[1] // 2 + last) >> 1
    changed = True
    while low >= 1 and (changed or row == WIDTHS):
        changed = False
        for i in range(low, high + 1):
            left, right = trees[row, 2 * i], trees[row, 2 * i + 1]
            larger = left if left > right else right
            changed |= trees[row, i] != larger
            trees[row, i] = larger
        low >>= 1
        high >>= 1


@compiled
def largest_leaf(trees: Floats, row: int) -> tuple[float, int, bool]:
    """Maximum of a tree, the highest position that has it, and whether another has it too."""
    leaves = trees.shape[1] // 2
    i = 1
    tied = False
    while i < leaves:
        left, right = trees[row, 2 * i], trees[row, 2 * i + 1]
        tied |= left == right
        i = 2 * i + 1 if right >= left else 2 * i
    return trees[row, 1], i - leaves, tied


@compiled
def largest_between(trees: Floats, row: int, first: int, last: int) -> float:
    """Maximum of the leaves first..last; -inf if there are none."""
    low = trees.shape[1] // 2 + first
    high = trees.shape[1] // 2 + last + 1
    best = -np.inf
    while low < high:
        if low & 1:
            best = max(best, trees[row, low])
            low += 1
        if high & 1:
            high -= 1
            best = max(best, trees[row, high])
        low >>= 1
        high >>= 1
    return best


@compiled
def next_at_least(trees: Floats, row: int, start: int, least: float) -> int:
    """First position from ``start`` on whose leaf is at least ``least``; beyond all if none."""
    leaves = trees.shape[1] // 2
    if start >= leaves:
        return leaves
    i = leaves + start
    while trees[row, i] < least:
        while i & 1:
            i >>= 1
        if i == 0:
            return leaves
        i += 1
    while i < leaves:
        i = 2 * i if trees[row, 2 * i] >= least else 2 * i + 1
    return i - leaves


@compiled
def certified_split(trees: Floats) -> tuple[float, int]:
    """Lower bound on the largest gap and the position of the lowest arm above it, eq. (9).

    A positive value is that of eq. (9): intervals that are separated are in the order of their
    means; of equals the highest. If no gap is certain, returns 0 and 0.
    """
    if trees[SEPARATIONS, 1] <= 0.0:
        return 0.0, 0
    separation, position, _ = largest_leaf(trees, SEPARATIONS)
    return separation, position


@compiled
def mark_touching(slots: Records, trees: Floats, least: float, first: int, last: int) -> int:
    """Mark, at positions first..last, the arms whose gap bound is at least ``least``; count them.

    The slots an arm touches are a contiguous range, because both ends of the slots increase and
    none lies around an arm's whole interval. The range starts at the first slot that ends above
    the arm's lower end and stops at the last that opens below its upper end. One pass finds the
    next slot wide enough from every position on, a second goes through the arms: O(K).
    """
    n_arms = slots.size
    leaves = trees.shape[1] // 2
    start = _first_ending_at_or_above(slots, slots[first]["lower"])
    next_wide = next_at_least(trees, WIDTHS, last + 1, least)
    for k in range(last, start - 1, -1):
        if trees[WIDTHS, leaves + k] >= least:
            next_wide = k
        slots[k]["next_wide"] = next_wide
    marked = 0
    for k in range(first, last + 1):
        low = slots[k]["lower"]
        while start < n_arms - 1 and slots[start]["end"] < low:
            start += 1
        wide_slot = slots[start]["next_wide"]
        inside = wide_slot < n_arms and slots[wide_slot]["lower"] <= slots[k]["upper"]
        slots[k]["touches"] = inside
        marked += inside
    return marked


@compiled
def second_bound(slots: Records, trees: Floats, at: int) -> float:
    """Highest gap bound among the arms that do not touch slot ``at``, the only widest one.

    Such an arm lies wholly to the right of the slot or wholly to the left. Those to the right are
    the last ones in the order; together they touch every slot from the first one that ends inside
    or above the lowest of them. By mirror those to the left touch every slot that opens at or
    below the highest of their upper ends. Returns -inf if no arm is left.
    """
    n_arms = slots.size
    left, right = slots[at]["lower"], slots[at]["end"]
    best = -np.inf
    beyond = _first_above(slots, right, at)
    if beyond < n_arms:
        first = _first_ending_at_or_above(slots, slots[beyond]["lower"])
        best = largest_between(trees, WIDTHS, first, n_arms - 1)
    highest = -np.inf
    for k in range(at - 1, -1, -1):
        r = slots[k]["upper"]
        if r < left and r > highest:
            highest = r
        if slots[k]["reach"] <= highest:
            break
    if highest > -np.inf:
        last = _first_above(slots, highest, 0) - 1
        best = max(best, largest_between(trees, WIDTHS, 0, last))
    return best


@compiled
def _first_ending_at_or_above(slots: Records, value: float) -> int:
    """First slot that ends at or above ``value``, which is some lower end."""
    low, high = 0, slots.size - 1
    while low < high:
        middle = (low + high) // 2
        if slots[middle]["end"] < value:
            low = middle + 1
        else:
            high = middle
    return low


@compiled
def _first_above(slots: Records, value: float, low: int) -> int:
    """First position from ``low`` on whose lower end lies above ``value``; K if there is none."""
    high = slots.size
    while low < high:
        middle = (low + high) // 2
        if slots[middle]["lower"] <= value:
            low = middle + 1
        else:
            high = middle
    return low


@compiled
def second_bound_with_ties(slots: Records, trees: Floats, widest: float) -> float:
    """Highest gap bound below ``widest`` where several slots are that wide; -inf if none.

    By counting, for every slot, how many of the arms with a lower bound touch it.
    """
    n_arms = slots.size
    mark_touching(slots, trees, widest, 0, n_arms - 1)
    cover = np.zeros(n_arms + 1, np.int64)
    first = 0
    for k in range(n_arms):
        while first < n_arms - 1 and slots[first]["end"] < slots[k]["lower"]:
            first += 1
        if not slots[k]["touches"]:
            cover[first] += 1
            cover[_first_above(slots, slots[k]["upper"], k)] -= 1
    best = -np.inf
    covered = 0
    for k in range(n_arms):
        covered += cover[k]
        if covered > 0:
            best = max(best, trees[WIDTHS, trees.shape[1] // 2 + k])
    return best
