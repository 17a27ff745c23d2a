"""Intervals: from what is known of an arm to where its mean may lie. One rule, one function.

An interval by the count alone is a radius from a table. One that looks at the rewards keeps running
sums of every arm; the others keep none. To add such a rule: its number, what it keeps in ``SUMS``,
its two functions, and a line in each dispatch.
"""

from __future__ import annotations

import numpy as np

from maxgap._core.compiled import compiled, inlined, internal
from maxgap._core.types import Floats, Records

__all__ = [
    "BY_COUNT",
    "EMPIRICAL_BERNSTEIN",
    "NO_LINES",
    "SUMS",
    "add_to_sums",
    "interval_from_count",
    "interval_from_sums",
]

BY_COUNT, EMPIRICAL_BERNSTEIN = range(2)

#: Running sums over the rewards of one arm.
SUMS = np.dtype(
    [
        ("squares", np.float64),  # of the distances from the mean so far, in units of the range
        ("lowest", np.float64),  # reward
        ("highest", np.float64),  # reward
    ],
    align=True,
)

#: Lines of those intervals that need none.
NO_LINES = np.empty((2, 0))
#: What the first reward adds to the squares at most: nobody knows its range, but half of it.
FIRST_SQUARE = 0.25


@internal
def interval_from_count(arms: Records, arm: int, radii: Floats, nested: bool) -> bool:
    """Interval of an arm from its count and mean, eq. (5); ``factor radii[row, n]`` is its radius.

    Returns whether nested intervals have crossed.
    """
    known = arms[arm]
    radius = known["factor"] * radii[known["row"], known["count"]]
    mean = known["mean"]
    return _set_interval(arms, arm, mean - radius, mean + radius, nested)


@compiled
def interval_from_sums(arms: Records, sums: Records, arm: int, lines: Floats, nested: bool) -> bool:
    """Interval of an arm from its running sums; whether nested intervals have crossed.

    The empirical Bernstein bound of :func:`maxgap.confidence.bernstein_lines`: with the range R of
    the rewards and V their squares, the mean lies within R min(intercept + slope V) / n of the
    empirical one; and surely no further than R from any reward. The interval holds the empirical
    mean, whatever the order of the rewards.
    """
    spread, mean = 2.0 * arms[arm]["sigma"], arms[arm]["mean"]
    squares = FIRST_SQUARE + sums[arm]["squares"]
    bound = np.inf
    for k in range(lines.shape[1]):
        bound = min(bound, lines[0, k] + lines[1, k] * squares)
    radius = spread * bound / arms[arm]["count"]
    low = min(max(mean - radius, sums[arm]["highest"] - spread), mean)
    high = max(min(mean + radius, sums[arm]["lowest"] + spread), mean)
    return _set_interval(arms, arm, low, high, nested)


@internal
def add_to_sums(arms: Records, sums: Records, arm: int, reward: float) -> None:
    """Add a reward to the sums of its arm, which has it in its count and mean already.

    Every reward but the first is foretold by the mean before it.
    """
    n = arms[arm]["count"] - 1
    if n == 0:
        sums[arm]["lowest"] = sums[arm]["highest"] = reward
        return
    sums[arm]["lowest"] = min(sums[arm]["lowest"], reward)
    sums[arm]["highest"] = max(sums[arm]["highest"], reward)
    # The mean before this reward, from the mean after it.
    ahead = (reward - arms[arm]["mean"]) * (n + 1.0) / n / (2.0 * arms[arm]["sigma"])
    sums[arm]["squares"] += ahead * ahead


@inlined
def _set_interval(arms: Records, arm: int, low: float, high: float, nested: bool) -> bool:
    """Set the ends, inside those before if nested (eq. 28); whether they have crossed.

    Crossed intervals say that some interval has missed. The arm then keeps its last one.
    """
    if nested:
        low, high = max(low, arms[arm]["lower"]), min(high, arms[arm]["upper"])
        if low > high:
            return True
    arms[arm]["lower"] = low
    arms[arm]["upper"] = high
    return False
