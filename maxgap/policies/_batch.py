"""Many questions at once: how they spread over the arms that a policy asks for."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import numpy as np

from maxgap._checking import checked_indices
from maxgap._numbers import is_whole
from maxgap.engine.types import Integers


def waiting_counts(pending: Any, labels: list[Hashable], index: dict[Hashable, int]) -> Integers:
    """How many questions about each arm wait, from their arms or from how many of each."""
    if isinstance(pending, (str, bytes)) or not isinstance(pending, Iterable):
        raise ValueError(f"pending must be labels of arms, or how many of each, got {pending!r}")
    times: Any = 1
    if isinstance(pending, Mapping):
        times = list(pending.values())
        if not all(is_whole(n) and n >= 0 for n in times):
            raise ValueError(f"pending must say how many of each arm, from 0, got {pending!r}")
    try:
        arms = checked_indices(list(pending), labels, index)
    except (TypeError, ValueError) as problem:
        raise ValueError(f"pending: {problem}") from None
    return np.bincount(np.repeat(arms, times), minlength=len(labels))


def spread(size: int, asked: Iterable[int], counts: Integers, waiting: Integers) -> list[int]:
    """The arms of the next ``size`` questions, in the order in which to ask them.

    Always the arm with the fewest questions that wait for an answer; of equal ones the one with the
    fewest samples, then the first.
    """
    given = shares(size, asked, counts, waiting)
    ahead = ((waiting[arm] + k, counts[arm], arm) for arm, n in given.items() for k in range(n))
    return [arm for _, _, arm in sorted(ahead)]


def shares(size: int, asked: Iterable[int], counts: Integers, waiting: Integers) -> dict[int, int]:
    """How often :func:`spread` has each arm, those that it has first in front; of any ``size``."""
    if not is_whole(size) or size < 1:
        raise ValueError(f"size must be a whole number from 1, got {size!r}")
    order = sorted(asked, key=lambda arm: (waiting[arm], counts[arm], arm))
    # All before the k-th are raised to what waits of it, as far as that goes; the rest is even.
    levels = [int(n) for n in waiting[order]]
    total, taking = 0, 0
    while taking < len(order) and levels[taking] * taking - total < size:
        total += levels[taking]
        taking += 1
    if taking == 0:
        return {}
    level, rest = divmod(int(size) + total, taking)
    once_more = set(sorted(order[:taking], key=lambda arm: (counts[arm], arm))[:rest])
    given = {arm: level - levels[k] + (arm in once_more) for k, arm in enumerate(order[:taking])}
    return {int(arm): n for arm, n in given.items() if n > 0}
