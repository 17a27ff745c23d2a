"""Many questions at once: how they spread over the arms that a policy asks for."""

from __future__ import annotations

import heapq
from collections.abc import Iterable

from maxgap._core.types import Integers

__all__ = ["spread"]


def spread(size: int, asked: Iterable[int], counts: Integers, waiting: Integers) -> list[int]:
    """The arms of the next ``size`` questions, in the order in which to ask them.

    Always the arm with the fewest questions that wait for an answer; of equal ones the one with the
    fewest samples, then the first.

    Examples
    --------
    >>> import numpy as np
    >>> spread(3, [0, 2], counts=np.array([5, 0, 4]), waiting=np.array([0, 9, 1]))
    [0, 2, 0]
    """
    queue = [(int(waiting[arm]), int(counts[arm]), arm) for arm in asked]
    heapq.heapify(queue)
    chosen = []
    for _ in range(size if queue else 0):
        n_waiting, count, arm = queue[0]
        heapq.heapreplace(queue, (n_waiting + 1, count, arm))
        chosen.append(int(arm))
    return chosen
