"""The arms in order of their lower ends, and between these ends the slots: fast gap bounds.

A gap bound is the width of a *slot*: from some arm's lower end to the smallest upper end among the
arms that come after it in the order. An arm's bound is the widest slot that it *touches*: one of
whose ends lies in its interval. What the paper's lines need is here in the paper's words:
``highest_bound`` and ``second_highest_bound`` are M_1 and M_2, ``certain_gap`` is the lower bound
on the largest gap, and what begins with ``list`` lists the arms to sample next.

Between rounds few arms move, and what is known changes only near them. The sweeps end where nothing
changes any more; of every sixteen slots the largest is kept, so that few need to be looked through.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from maxgap.engine.compiled import ZERO, inlined, internal
from maxgap.engine.types import Floats, Integers, Records

#: An arm at its place in the order, and the slot that opens at its lower end.
SLOT = np.dtype(
    [
        ("lower", np.float64),
        ("upper", np.float64),
        ("arm", np.int64),
        ("end", np.float64),  # of the slot
        ("reach", np.float64),  # largest upper end at the positions below
        ("scratch", np.int64),
        ("touches", np.bool_),
    ],
    align=True,
)

#: Rows of heights and peaks: widths of the slots, and separations ``lower - reach``. Not literals,
#: as for `ZERO`.
WIDTHS: Any = np.int64(0)
SEPARATIONS: Any = np.int64(1)
#: Heights that have one peak.
BLOCK = 16


class Order(NamedTuple):
    """The arms in order by lower end, with their slots."""

    slots: Records  # SLOT, by position
    heights: Floats  # (2, positions): widths and separations; beyond the arms minus infinity
    peaks: Floats  # (2, blocks): the largest of every BLOCK heights


def new_order(n_arms: int) -> Order:
    """Order of arms whose intervals are the whole line."""
    slots = np.zeros(n_arms, SLOT)
    slots["lower"], slots["upper"] = -np.inf, np.inf
    slots["arm"] = np.arange(n_arms)
    n_blocks = -(-n_arms // BLOCK)
    return Order(slots, np.full((2, n_blocks * BLOCK), -np.inf), np.full((2, n_blocks), -np.inf))


# -- after a round -------------------------------------------------------------------------------


@inlined
def settle(arms: Records, order: Order, moved: Integers, n_moved: int) -> None:
    """Put right order and slots after the intervals of the first ``n_moved`` arms have changed."""
    slots = order.slots
    last = slots.size - 1
    lowest, highest = last, ZERO
    if n_moved > last:
        lowest, highest = ZERO, last
    else:
        for i in range(n_moved):
            k = arms[moved[i]]["position"]
            lowest, highest = min(lowest, k), max(highest, k)
    if highest - lowest < 3 * n_moved:
        lowest, highest = _sort_between(arms, slots, lowest, highest)
    else:
        for i in range(n_moved):
            k = _move(arms, slots, moved[i])
            lowest, highest = min(lowest, k), max(highest, k)
    _renew(order, lowest, highest)


@internal
def _move(arms: Records, slots: Records, arm: int) -> int:
    """Move an arm to where its new lower end belongs; returns the new position."""
    last = slots.size - 1
    value = arms[arm]["lower"]
    k = arms[arm]["position"]
    while k > 0 and slots[k - 1]["lower"] > value:
        _put(arms, slots, k, slots[k - 1]["arm"], slots[k - 1]["lower"])
        k -= 1
    while k < last and slots[k + 1]["lower"] < value:
        _put(arms, slots, k, slots[k + 1]["arm"], slots[k + 1]["lower"])
        k += 1
    _put(arms, slots, k, arm, value)
    return k


@inlined
def _put(arms: Records, slots: Records, k: int, arm: int, lower: float) -> None:
    slot, known = slots[k], arms[arm]
    slot["arm"] = arm
    slot["lower"] = lower
    slot["upper"] = known["upper"]
    known["position"] = k


@internal
def _sort_between(arms: Records, slots: Records, first: int, last: int) -> tuple[int, int]:
    """Sort the arms after those at positions first..last have changed; returns what has changed.

    By insertion, since few change places; where many do, in strides that become shorter.
    """
    n_arms = slots.size
    lowest, moves = first, 0
    k = first
    while k < n_arms:
        slot = slots[k]
        arm = slot["arm"]
        known = arms[arm]
        value = known["lower"]
        j = k
        while j > 0 and slots[j - 1]["lower"] > value:
            _put(arms, slots, j, slots[j - 1]["arm"], slots[j - 1]["lower"])
            j -= 1
        if j == k:
            if k > last:
                break
            slot["lower"] = value
            slot["upper"] = known["upper"]
        else:
            _put(arms, slots, j, arm, value)
            lowest = min(lowest, j)
            moves += k - j
            if moves > 8 * n_arms:
                _sort_in_strides(arms, slots)
                return ZERO, n_arms - 1
        k += 1
    return lowest, k - 1


@internal
def _sort_in_strides(arms: Records, slots: Records) -> None:
    """Sort all arms, those with equal lower ends by their number (Shell's method)."""
    n_arms = slots.size
    for arm in range(n_arms):
        _put(arms, slots, arm, arm, arms[arm]["lower"])
    stride = 1
    while stride < n_arms // 3:
        stride = 3 * stride + 1
    while stride > 0:
        for k in range(stride, n_arms):
            arm = slots[k]["arm"]
            value = slots[k]["lower"]
            j = k
            while j >= stride:
                before = slots[j - stride]["lower"]
                if before < value or (before == value and slots[j - stride]["arm"] < arm):
                    break
                _put(arms, slots, j, slots[j - stride]["arm"], before)
                j -= stride
            _put(arms, slots, j, arm, value)
        stride //= 3


@internal
def _renew(order: Order, first: int, last: int) -> None:
    """Bring the slots up to date after the arms at positions first..last have changed.

    Left gaps need no slots of their own: a left gap closes at some upper end ``r_j`` and opens at
    the largest lower end ``l`` among the arms that end below it; the slot opening at ``l`` is at
    least as wide, and whoever contains ``r_j`` touches it. For the last slot the widest claim that
    the slot before it does not cover is that of the arms other than the topmost one.

    Running extremes are the same again soon after the last change: there the work stops.
    """
    slots, heights = order.slots, order.heights
    top = slots.size - 1
    reach = -np.inf
    if first > 0:
        reach = max(slots[first - 1]["reach"], slots[first - 1]["upper"])
    k = first
    while k <= top:
        slot = slots[k]
        if k > last and slot["reach"] == reach:
            break
        slot["reach"] = reach
        heights[SEPARATIONS, k] = slot["lower"] - reach if k > 0 else -np.inf
        r = slot["upper"]
        if r > reach:
            reach = r
        k += 1
    highest = k - 1
    reaches_top = k > top

    if last == top:
        smallest = slots[top]["upper"]
    else:
        smallest = slots[last + 1]["upper"]
        if last + 1 < top and slots[last + 1]["end"] < smallest:
            smallest = slots[last + 1]["end"]
    k = min(last, top - 1)
    while k >= 0:
        slot = slots[k]
        if k < first and slot["end"] == smallest:
            break
        slot["end"] = smallest
        heights[WIDTHS, k] = smallest - slot["lower"]
        r = slot["upper"]
        if r < smallest:
            smallest = r
        k -= 1
    if reaches_top:
        slots[top]["end"] = slots[top]["reach"]
        heights[WIDTHS, top] = max(slots[top]["reach"] - slots[top]["lower"], 0.0)
        last = top
    lowest, highest = min(first, k + 1), max(last, highest)
    for block in range(lowest // BLOCK, highest // BLOCK + 1):
        start = block * BLOCK
        for row in range(2):
            order.peaks[row, block] = _largest(order.heights, row, start, start + BLOCK)


@internal
def _largest(table: Floats, row: int, first: int, end: int) -> float:
    """Largest number of a row from ``first`` to before ``end``; minus infinity if there is none."""
    a = b = c = d = -np.inf
    k = first
    # Four chains of comparisons, none of which waits for another.
    while k + 4 <= end:
        a = table[row, k] if table[row, k] > a else a
        b = table[row, k + 1] if table[row, k + 1] > b else b
        c = table[row, k + 2] if table[row, k + 2] > c else c
        d = table[row, k + 3] if table[row, k + 3] > d else d
        k += 4
    while k < end:
        a = table[row, k] if table[row, k] > a else a
        k += 1
    a = b if b > a else a
    c = d if d > c else c
    return c if c > a else a


@internal
def largest_between(order: Order, row: int, first: int, last: int) -> float:
    """Largest height at the positions first..last; minus infinity if there are none."""
    heights = order.heights
    begin = (first + BLOCK - 1) // BLOCK
    end = (last + 1) // BLOCK
    if begin >= end:
        return _largest(heights, row, first, last + 1)
    below = _largest(heights, row, first, begin * BLOCK)
    above = _largest(heights, row, end * BLOCK, last + 1)
    return max(below, above, _largest(order.peaks, row, begin, end))


@internal
def _next_at_least(order: Order, row: int, start: int, least: float) -> int:
    """First position from ``start`` on whose height is at least ``least``; beyond all if none."""
    for block in range(start // BLOCK, order.peaks.shape[1]):
        if order.peaks[row, block] >= least:
            for k in range(max(start, block * BLOCK), (block + 1) * BLOCK):
                if order.heights[row, k] >= least:
                    return k
    return order.heights.shape[1]


# -- the paper's words ---------------------------------------------------------------------------


@inlined
def highest_bound(order: Order) -> float:
    """The highest gap bound of all arms, M_1: the widest slot."""
    return _largest(order.peaks, WIDTHS, ZERO, order.peaks.shape[1])


@inlined
def certain_gap(order: Order) -> float:
    """The largest gap that is certain to be there, eq. (9); 0 if none is."""
    return max(_largest(order.peaks, SEPARATIONS, ZERO, order.peaks.shape[1]), 0.0)


@internal
def certain_gap_lies_at(order: Order) -> int:
    """Position, by lower end, of the lowest arm above the certain gap; 0 if there is none.

    Intervals that are separated are in the order of their means; of equal gaps the highest.
    """
    certain = certain_gap(order)
    if certain <= 0.0:
        return ZERO
    block = order.peaks.shape[1] - 1
    while order.peaks[SEPARATIONS, block] != certain:
        block -= 1
    k = block * BLOCK + BLOCK - 1
    while order.heights[SEPARATIONS, k] != certain:
        k -= 1
    return k


@inlined
def second_highest_bound(order: Order) -> float:
    """The highest gap bound below the highest, M_2; minus infinity if there is none."""
    widest = highest_bound(order)
    at = _next_at_least(order, WIDTHS, ZERO, widest)
    if largest_between(order, WIDTHS, at + 1, order.slots.size - 1) == widest:
        return _second_with_ties(order, widest)
    return _second(order, at)


@internal
def _second(order: Order, at: int) -> float:
    """Highest gap bound among the arms that do not touch slot ``at``, the only widest one.

    Those wholly to the right of it are the last ones in the order; together they touch every slot
    from the first that ends inside or above the lowest of them. By mirror those to the left touch
    every slot that opens at or below the highest of their upper ends.
    """
    slots = order.slots
    n_arms = slots.size
    left, right = slots[at]["lower"], slots[at]["end"]
    best = -np.inf
    beyond = _first_above(slots, right, at)
    if beyond < n_arms:
        first = _first_ending_at_or_above(slots, slots[beyond]["lower"])
        best = largest_between(order, WIDTHS, first, n_arms - 1)
    highest = -np.inf
    for k in range(at - 1, -1, -1):
        r = slots[k]["upper"]
        if r < left and r > highest:
            highest = r
        if slots[k]["reach"] <= highest:
            break
    if highest > -np.inf:
        last = _first_above(slots, highest, ZERO) - 1
        best = max(best, largest_between(order, WIDTHS, ZERO, last))
    return best


@internal
def _second_with_ties(order: Order, widest: float) -> float:
    """Highest gap bound below ``widest`` where several slots are that wide: arm by arm."""
    slots = order.slots
    _mark_touching(order, widest)
    best = -np.inf
    for k in range(slots.size):
        if not slots[k]["touches"]:
            first = _first_ending_at_or_above(slots, slots[k]["lower"])
            last = _first_above(slots, slots[k]["upper"], k) - 1
            best = max(best, largest_between(order, WIDTHS, first, last))
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


@inlined
def clusters_are_apart(order: Order) -> bool:
    """Whether the cluster rule holds."""
    certain = certain_gap(order)
    if certain <= 0.0:
        return False
    # Within a cluster the largest bound on either side is its widest slot; the slots of the full
    # instance are those of the clusters but for the bottom one's last. The slot between the
    # clusters is at least as wide as the certain gap, and no other may be.
    wide = 0
    for block in range(order.peaks.shape[1]):
        wide += order.peaks[WIDTHS, block] >= certain
    if wide > 1:
        return False
    split = certain_gap_lies_at(order) - 1
    start = split // BLOCK * BLOCK
    inside = order.slots[split]["reach"] - order.slots[split]["lower"]
    inside = max(inside, _largest(order.heights, WIDTHS, start, split))
    inside = max(inside, _largest(order.heights, WIDTHS, split + 1, start + BLOCK))
    return inside < certain


# -- who touches ---------------------------------------------------------------------------------


@internal
def _mark_touching(order: Order, least: float) -> int:
    """Mark the arms whose gap bound is at least ``least``; count them.

    The slots an arm touches are a contiguous range, because both ends of the slots increase and
    none lies around an arm's whole interval: from the first that ends above the arm's lower end to
    the last that opens below its upper end.
    """
    slots, heights = order.slots, order.heights
    n_arms = slots.size
    next_wide = n_arms
    for k in range(n_arms - 1, -1, -1):
        if heights[WIDTHS, k] >= least:
            next_wide = k
        slots[k]["scratch"] = next_wide
    start, marked = 0, 0
    for k in range(n_arms):
        low = slots[k]["lower"]
        while start < n_arms - 1 and slots[start]["end"] < low:
            start += 1
        wide_slot = slots[start]["scratch"]
        touches = wide_slot < n_arms and slots[wide_slot]["lower"] <= slots[k]["upper"]
        slots[k]["touches"] = touches
        marked += touches
    return marked


@inlined
def n_bounds_above(order: Order, value: float) -> int:
    """How many arms have a gap bound above ``value``."""
    return _mark_touching(order, np.nextafter(value, np.inf))


@internal
def touches_above(order: Order, k: int, value: float) -> bool:
    """Whether the gap bound of the arm at position ``k`` is above ``value``."""
    slots = order.slots
    if k < slots.size - 1 and order.heights[WIDTHS, k] > value:
        return True  # an arm touches the slot that opens at its own lower end
    start = _first_ending_at_or_above(slots, slots[k]["lower"])
    wide_slot = _next_at_least(order, WIDTHS, start, np.nextafter(value, np.inf))
    return wide_slot < slots.size and slots[wide_slot]["lower"] <= slots[k]["upper"]


@internal
def n_overlapping(slots: Records) -> int:
    """How many arms have an interval that touches another one; marks them."""
    n_arms = slots.size
    highest = -np.inf
    overlapping = 0
    for k in range(n_arms):
        low, high = slots[k]["lower"], slots[k]["upper"]
        touches = low <= highest or (k + 1 < n_arms and slots[k + 1]["lower"] <= high)
        slots[k]["touches"] = touches
        overlapping += touches
        highest = max(highest, high)
    return overlapping


@internal
def list_touching(arms: Records, order: Order, listed: Integers, least: float) -> int:
    """List the arms that touch a slot at least so wide; returns how many there are.

    They are inserted into the list; where they, or such slots, are many, all arms are gone through.
    """
    n_arms = order.slots.size
    # Insertion is quicker while its square stays below some passes over all arms.
    most = min(int(math.sqrt(8.0 * n_arms)), n_arms)
    slots = order.slots
    n_next, n_wide = ZERO, 0
    k = _next_at_least(order, WIDTHS, ZERO, least)
    while k < n_arms and n_wide < 8 and n_next <= most:
        left, right = slots[k]["lower"], slots[k]["end"]
        for i in range(k, -1, -1):
            if slots[i]["upper"] >= left:
                n_next = _insert(listed, n_next, slots[i]["arm"])
            if slots[i]["reach"] < left or n_next > most:
                break
        for i in range(k + 1, n_arms):
            low = slots[i]["lower"]
            if low > right or n_next > most:
                break
            if slots[i]["upper"] >= right or low <= left:
                n_next = _insert(listed, n_next, slots[i]["arm"])
        n_wide += 1
        k = _next_at_least(order, WIDTHS, k + 1, least)
    if k < n_arms or n_next > most:
        _mark_touching(order, least)
        return list_marked(arms, slots, listed)
    return n_next


@internal
def list_marked(arms: Records, slots: Records, listed: Integers) -> int:
    """List the arms that are marked in ``touches``; returns how many there are."""
    n_next = 0
    for arm in range(arms.size):
        if slots[arms[arm]["position"]]["touches"]:
            listed[n_next] = arm
            n_next += 1
    return n_next


@inlined
def _insert(listed: Integers, n_next: int, arm: int) -> int:
    """Insert an arm into the increasing list; returns its new length."""
    i = n_next
    while i > 0 and listed[i - 1] > arm:
        i -= 1
    if i > 0 and listed[i - 1] == arm:
        return n_next
    for j in range(n_next, i, -1):
        listed[j] = listed[j - 1]
    listed[i] = arm
    return n_next + 1
