"""The arms kept in order by lower end as their intervals move."""

from __future__ import annotations

import numpy as np

from maxgap._core.compiled import ZERO, compiled, inlined, internal
from maxgap._core.slots import renew_slots
from maxgap._core.sorting import stable_order
from maxgap._core.state import State
from maxgap._core.types import Records

__all__ = ["settle", "settle_all"]


@inlined
def settle(state: State, n_moved: int) -> None:
    """Bring the slots up to date after the intervals of the first ``n_moved`` next arms changed."""
    arms, slots, moved = state.arms, state.slots, state.next
    last = slots.size - 1
    lowest, highest = last, 0
    if n_moved > last:  # all
        lowest, highest = 0, last
    else:
        for i in range(n_moved):
            k = arms[moved[i]]["position"]
            lowest, highest = min(lowest, k), max(highest, k)
    if highest - lowest < 3 * n_moved:
        lowest, highest = _sort_again(arms, slots, lowest, highest)
    else:
        for i in range(n_moved):
            arm = moved[i]
            value = arms[arm]["lower"]
            k = arms[arm]["position"]
            while k > 0 and slots[k - 1]["lower"] > value:
                _put(slots, k, slots[k - 1]["arm"], slots[k - 1]["lower"], arms)
                k -= 1
            while k < last and slots[k + 1]["lower"] < value:
                _put(slots, k, slots[k + 1]["arm"], slots[k + 1]["lower"], arms)
                k += 1
            _put(slots, k, arm, value, arms)
            lowest, highest = min(lowest, k), max(highest, k)
    renew_slots(slots, state.trees, lowest, highest)


@compiled
def settle_all(state: State) -> None:
    """Bring the slots up to date after any intervals changed."""
    _sort_afresh(state.arms, state.slots)
    renew_slots(state.slots, state.trees, ZERO, state.slots.size - 1)


@internal
def _put(slots: Records, k: int, arm: int, lower: float, arms: Records) -> None:
    slot, known = slots[k], arms[arm]
    slot["arm"] = arm
    slot["lower"] = lower
    slot["upper"] = known["upper"]
    known["position"] = k


@internal
def _sort_again(arms: Records, slots: Records, first: int, last: int) -> tuple[int, int]:
    """Sort the arms after those at positions first..last have changed; returns what has changed.

    By insertion, since few change places; afresh where many do.
    """
    n_arms = slots.size
    lowest = first
    moves = 0
    k = first
    while k < n_arms:
        slot = slots[k]
        arm = slot["arm"]
        known = arms[arm]
        value = known["lower"]
        j = k
        while j > 0 and slots[j - 1]["lower"] > value:
            _put(slots, j, slots[j - 1]["arm"], slots[j - 1]["lower"], arms)
            j -= 1
        if j == k:
            if k > last:
                break
            slot["lower"] = value
            slot["upper"] = known["upper"]
        else:
            _put(slots, j, arm, value, arms)
            lowest = min(lowest, j)
            moves += k - j
            if moves > 8 * n_arms:
                _sort_afresh(arms, slots)
                return 0, n_arms - 1
        k += 1
    return lowest, k - 1


@internal(allocates=True)
def _sort_afresh(arms: Records, slots: Records) -> None:
    """Put the arms into ``slots`` in order, those with equal lower ends in their own order."""
    values = np.empty(slots.size)
    for arm in range(values.size):
        values[arm] = arms[arm]["lower"]
    order = stable_order(values)
    for k in range(order.size):
        arm = order[k]
        _put(slots, k, arm, values[arm], arms)
