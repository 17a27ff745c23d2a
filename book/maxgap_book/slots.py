"""The fast way to gap bounds, in plain Python: not the paper's, but short enough to prove."""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

__all__ = ["right_bounds_by_slots"]


def right_bounds_by_slots(lower: Sequence[float], upper: Sequence[float]) -> list[float]:
    """Return upper bounds on all right gaps in O(K log K): one sort, one sweep from the right.

    With the arms sorted by lower end, slot k reaches from the k-th lower end to the smallest upper
    end of the arms after it. An arm's bound is the width of the widest slot from its own to the
    last that opens inside its interval; the stack holds those that may be the widest of a range.
    The ends are taken as they are; `gap_upper_bounds` checks them.

    Examples
    --------
    >>> right_bounds_by_slots([0.0, 2.0, 5.0], [1.0, 3.0, 6.0])
    [3.0, 4.0, 0.0]
    """
    order = sorted(range(len(lower)), key=lambda a: float(lower[a]))
    lows, highs = [lower[a] for a in order], [upper[a] for a in order]
    holder = max(range(len(order)), key=highs.__getitem__)
    second = max(highs[:holder] + highs[holder + 1 :])
    last, nearest = len(order) - 1, math.inf
    stack, bounds = list[tuple[int, float]](), [0.0] * len(order)
    for k in range(last, -1, -1):
        width = nearest - lows[k] if k < last else -math.inf
        nearest = min(nearest, highs[k])
        while stack and stack[-1][1] <= width:
            stack.pop()
        stack.append((-k, width))
        p = bisect_right(lows, highs[k]) - 1
        best = stack[bisect_left(stack, -p, key=lambda slot: slot[0])][1]
        if p == last:
            best = max(best, (second if k == holder else highs[holder]) - lows[last])
        bounds[order[k]] = max(best, 0.0)
    return bounds
