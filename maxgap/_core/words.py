"""What the lines of the algorithms are made of, in the words of the paper.

``highest_bound``, ``second_highest_bound`` and ``certain_gap`` are M_1, M_2 and the lower bound on
the largest gap. What begins with ``ask`` lists the arms to sample next.
"""

from __future__ import annotations

import math

import numpy as np

from maxgap._core.compiled import ZERO, compiled, inlined, internal
from maxgap._core.slots import (
    SEPARATIONS,
    WIDTHS,
    largest_leaf,
    mark_touching,
    next_at_least,
    second_highest,
    touches_wide,
)
from maxgap._core.sorting import stable_order
from maxgap._core.state import State
from maxgap._core.types import Floats, Integers, Records

__all__ = [
    "answer_by_means",
    "answer_empirically",
    "ask_active",
    "ask_all",
    "ask_bound_at_least",
    "ask_overlapping",
    "ask_with_fewest",
    "bring_back",
    "certain_gap",
    "certain_gap_lies_at",
    "eliminate_up_to",
    "highest_bound",
    "n_bounds_above",
    "n_overlapping",
    "second_highest_bound",
]


@inlined
def highest_bound(state: State) -> float:
    """The highest gap bound of all arms, M_1: the widest slot."""
    return state.trees[WIDTHS, 1]


@inlined
def second_highest_bound(state: State) -> float:
    """The highest gap bound below the highest, M_2; -inf if there is none."""
    return second_highest(state.slots, state.trees)


@inlined
def certain_gap(state: State) -> float:
    """The largest gap that is certain to be there, eq. (9); 0 if none is."""
    return max(state.trees[SEPARATIONS, 1], 0.0)


@inlined
def certain_gap_lies_at(state: State) -> int:
    """Position, by lower end, of the lowest arm above the certain gap; 0 if there is none.

    Intervals that are separated are in the order of their means; of equal gaps the highest.
    """
    if state.trees[SEPARATIONS, 1] <= 0.0:
        return 0
    return largest_leaf(state.trees, SEPARATIONS)[1]


@inlined
def n_bounds_above(state: State, value: float) -> int:
    """How many arms have a gap bound above ``value``."""
    return mark_touching(state.slots, state.trees, _just_above(value), ZERO, state.slots.size - 1)


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


@inlined
def ask_all(state: State) -> None:
    """Sample every arm."""
    state.progress[0]["n_next"] = _list_every(state.next)


@compiled(inline=True)
def ask_with_fewest(state: State) -> None:
    """Sample the arms with the fewest samples, which are those without one while there are any."""
    state.progress[0]["n_next"] = _list_with_fewest(state.arms, state.next)


@internal
def _list_with_fewest(arms: Records, listed: Integers) -> int:
    fewest = arms[0]["count"]
    for arm in range(arms.size):
        fewest = min(fewest, arms[arm]["count"])
    n_next = 0
    for arm in range(arms.size):
        if arms[arm]["count"] == fewest:
            listed[n_next] = arm
            n_next += 1
    return n_next


@inlined
def ask_active(state: State) -> None:
    """Sample the arms that are not eliminated."""
    active, listed = state.active, state.next
    n_active = state.progress[0]["n_active"]
    for i in range(n_active):
        listed[i] = active[i]
    state.progress[0]["n_next"] = n_active


@inlined
def ask_overlapping(state: State) -> None:
    """Sample the arms whose interval touches another one."""
    n_overlapping(state.slots)
    state.progress[0]["n_next"] = _list_marked(state.arms, state.slots, state.next)


@inlined
def ask_bound_at_least(state: State, least: float) -> None:
    """Sample the arms whose gap bound is at least ``least``: those that touch a slot so wide."""
    arms, slots, trees = state.arms, state.slots, state.trees
    state.progress[0]["n_next"] = _list_touching(arms, slots, trees, state.next, least)


@internal
def _list_touching(
    arms: Records, slots: Records, trees: Floats, listed: Integers, least: float
) -> int:
    """List the arms that touch a slot at least so wide; returns how many there are.

    The arms around one slot are few: they are inserted into the list. Where they, or such slots,
    are many, all arms are gone through instead.
    """
    n_arms = slots.size
    # Insertion is quicker while its square stays below some passes over all arms.
    most = min(int(math.sqrt(8.0 * n_arms)), n_arms - 1)
    n_next, n_wide, k = ZERO, 0, ZERO
    k = next_at_least(trees, WIDTHS, k, least)
    while k < n_arms and n_wide < 8 and n_next <= most:
        n_next = _insert_around(slots, listed, k, n_next, most)
        n_wide += 1
        k = next_at_least(trees, WIDTHS, k + 1, least)
    if k < n_arms or n_next > most:
        mark_touching(slots, trees, least, ZERO, n_arms - 1)
        return _list_marked(arms, slots, listed)
    return n_next


@inlined
def eliminate_up_to(state: State, value: float) -> None:
    """Drop the active arms whose gap bound is at most ``value``."""
    arms, slots, trees, active = state.arms, state.slots, state.trees, state.active
    least = _just_above(value)
    n_left = 0
    for i in range(state.progress[0]["n_active"]):
        arm = active[i]
        if touches_wide(slots, trees, arms[arm]["position"], least):
            active[n_left] = arm
            n_left += 1
    state.progress[0]["n_active"] = n_left


@inlined
def bring_back(state: State) -> None:
    """Eliminate no arm any more."""
    state.progress[0]["n_active"] = _list_every(state.active)


@compiled(allocates=True)
def answer_empirically(arms: Records) -> None:
    """Set ``top`` to the arms above the largest gap between neighbouring empirical means.

    Nested intervals may leave an empirical mean outside; it counts at the nearest end. Of several
    largest gaps the highest is taken.
    """
    values = np.empty(arms.size)
    for arm in range(arms.size):
        values[arm] = min(max(arms[arm]["mean"], arms[arm]["lower"]), arms[arm]["upper"])
    _answer_around_widest(arms, values)


@compiled(allocates=True)
def answer_by_means(arms: Records) -> None:
    """Set ``top`` to the arms above the largest gap between means, whatever the intervals.

    Of several largest gaps the highest is taken.
    """
    values = np.empty(arms.size)
    for arm in range(arms.size):
        values[arm] = arms[arm]["mean"]
    _answer_around_widest(arms, values)


@internal(allocates=True)
def _answer_around_widest(arms: Records, values: Floats) -> None:
    n_arms = arms.size
    ranking = stable_order(values)
    best, split = -1.0, n_arms - 1
    for k in range(n_arms - 1, 0, -1):
        gap = values[ranking[k]] - values[ranking[k - 1]]
        if gap > best:
            best, split = gap, k
    for k in range(n_arms):
        arms[ranking[k]]["top"] = k >= split


@internal
def _just_above(value: float) -> float:
    return np.nextafter(value, np.inf)


@inlined
def _list_every(listed: Integers) -> int:
    """List every arm; returns how many there are."""
    for arm in range(listed.size):
        listed[arm] = arm
    return listed.size


@internal
def _list_marked(arms: Records, slots: Records, listed: Integers) -> int:
    """List the arms whose position is marked in ``touches``; returns how many there are."""
    n_next = 0
    for arm in range(arms.size):
        if slots[arms[arm]["position"]]["touches"]:
            listed[n_next] = arm
            n_next += 1
    return n_next


@internal
def _insert_around(slots: Records, listed: Integers, at: int, n_next: int, most: int) -> int:
    """Add the arms that touch slot ``at`` to the listed ones; returns the new number of these.

    A number above ``most`` means that there are more and not all were added.
    """
    left, right = slots[at]["lower"], slots[at]["end"]
    k = at
    while k >= 0 and n_next <= most:
        if slots[k]["upper"] >= left:
            n_next = _insert(listed, n_next, slots[k]["arm"])
        if slots[k]["reach"] < left:
            break
        k -= 1
    for k in range(at + 1, slots.size):
        low = slots[k]["lower"]
        if low > right or n_next > most:
            break
        if slots[k]["upper"] >= right or low <= left:
            n_next = _insert(listed, n_next, slots[k]["arm"])
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
