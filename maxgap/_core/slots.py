"""Arms sorted by lower end, one record a position, and the slots between them.

Every round of any policy is made of it. Between rounds few arms move, so what is kept lets a round
look only at the places that change: running extremes, and trees of maxima over positions. What a
slot is, and why slots give all gap bounds, says :mod:`maxgap.gaps`.
"""

from __future__ import annotations

import numpy as np

from maxgap._core.compiled import ZERO, compiled, inlined, internal
from maxgap._core.types import Floats, Records

__all__ = [
    "SEPARATIONS",
    "SLOT",
    "WIDTHS",
    "largest_between",
    "largest_leaf",
    "mark_touching",
    "new_slots",
    "next_at_least",
    "renew_slots",
    "second_bound",
    "second_bound_with_ties",
    "second_highest",
    "touches_wide",
]

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
        slot = slots[k]
        if k > last and slot["reach"] == reach:
            break
        slot["reach"] = reach
        trees[SEPARATIONS, leaves + k] = slot["lower"] - reach if k > 0 else -np.inf
        r = slot["upper"]
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
        slot = slots[k]
        if k < first and slot["end"] == smallest:
            break
        slot["end"] = smallest
        trees[WIDTHS, leaves + k] = smallest - slot["lower"]
        r = slot["upper"]
        if r < smallest:
            smallest = r
        k -= 1
    if reaches_top:
        slots[top]["end"] = slots[top]["reach"]
        trees[WIDTHS, leaves + top] = max(slots[top]["reach"] - slots[top]["lower"], 0.0)
        highest_changed = top
    _renew_tree(trees, WIDTHS, k + 1, highest_changed)


@compiled(inline=True)
def _renew_tree(trees: Floats, row: int, first: int, last: int) -> None:
    """Maxima above the leaves first..last; node i has the children 2i and 2i + 1.

    Separations change less: there the way up ends where nothing is new.
    """
    low = (trees.shape[1] // 2 + first) >> 1
    high = (trees.shape[1] // 2 + last) >> 1
    changed = True
    while low < high and (changed or row == WIDTHS):
        changed = False
        for i in range(low, high + 1):
            larger = _larger(trees[row, 2 * i], trees[row, 2 * i + 1])
            changed |= trees[row, i] != larger
            trees[row, i] = larger
        low >>= 1
        high >>= 1
    if low != high or low == 0 or not (changed or row == WIDTHS):
        return
    # One node a level from here on: what has just been stored need not be loaded again.
    larger = _larger(trees[row, 2 * low], trees[row, 2 * low + 1])
    while True:
        changed = trees[row, low] != larger
        trees[row, low] = larger
        if low == 1 or not (changed or row == WIDTHS):
            return
        larger = _larger(larger, trees[row, low ^ 1])
        low >>= 1


@inlined
def _larger(x: float, y: float) -> float:
    return x if x > y else y


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
def touches_wide(slots: Records, trees: Floats, k: int, least: float) -> bool:
    """Whether the gap bound of the arm at position ``k`` is at least ``least``: O(log K)."""
    if k < slots.size - 1 and trees[WIDTHS, trees.shape[1] // 2 + k] >= least:
        return True  # an arm touches the slot that opens at its own lower end
    start = _first_ending_at_or_above(slots, slots[k]["lower"])
    wide_slot = next_at_least(trees, WIDTHS, start, least)
    return wide_slot < slots.size and slots[wide_slot]["lower"] <= slots[k]["upper"]


@internal
def second_highest(slots: Records, trees: Floats) -> float:
    """Highest gap bound below the highest; -inf if there is none."""
    widest, at, tied = largest_leaf(trees, WIDTHS)
    if tied:
        return second_bound_with_ties(slots, trees, widest)
    return second_bound(slots, trees, at)


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
        last = _first_above(slots, highest, ZERO) - 1
        best = max(best, largest_between(trees, WIDTHS, ZERO, last))
    return best


@internal
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


@internal
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


@compiled(allocates=True)
def second_bound_with_ties(slots: Records, trees: Floats, widest: float) -> float:
    """Highest gap bound below ``widest`` where several slots are that wide; -inf if none.

    By counting, for every slot, how many of the arms with a lower bound touch it.
    """
    n_arms = slots.size
    mark_touching(slots, trees, widest, ZERO, n_arms - 1)
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
