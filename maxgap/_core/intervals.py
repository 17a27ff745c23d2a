"""Intervals: from what is known of an arm to where its mean may lie. One rule, one function.

An interval by the count alone is a radius from a table. One that looks at the rewards keeps running
sums of every arm; the others keep none. To add such a rule: its number, what it keeps in ``SUMS``,
its two functions, and a line in each dispatch.
"""

from __future__ import annotations

import math

import numpy as np

from maxgap._core.compiled import compiled, inlined, internal
from maxgap._core.elementary import log
from maxgap._core.types import Floats, Records

__all__ = [
    "BY_COUNT",
    "EMPIRICAL_BERNSTEIN",
    "SUMS",
    "add_to_sums",
    "interval_from_count",
    "interval_from_sums",
]

BY_COUNT, EMPIRICAL_BERNSTEIN = range(2)

#: Running sums over the rewards X_1, X_2, ... of one arm, lambda_i being the bet on X_i.
SUMS = np.dtype(
    [
        ("squares", np.float64),  # of the distances from the mean
        ("bets", np.float64),  # sum of lambda_i
        ("center", np.float64),  # mean of X_i, weighted by lambda_i
        ("cost", np.float64),  # sum of psi(lambda_i) times the squared distance foretold
        ("lowest", np.float64),  # reward
        ("highest", np.float64),  # reward
    ],
    align=True,
)

#: The largest bet on one reward, as Waudby-Smith and Ramdas advise.
LARGEST_BET = 0.5


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
def interval_from_sums(
    arms: Records, sums: Records, arm: int, log_inverse: float, nested: bool
) -> bool:
    """Interval of an arm from its running sums; whether nested intervals have crossed.

    The empirical Bernstein bound: with the range R of the rewards, bets lambda_i and distances
    foretold v_i, the mean lies within R (log(2 K / delta) + sum v_i psi(lambda_i)) / sum lambda_i
    of the weighted mean; and it surely lies no further than R from any reward. The book proves it
    in the chapter on confidence at all times.
    """
    spread = 2.0 * arms[arm]["sigma"]
    low, high = sums[arm]["highest"] - spread, sums[arm]["lowest"] + spread
    if sums[arm]["bets"] > 0.0:
        radius = spread * (log_inverse + sums[arm]["cost"]) / sums[arm]["bets"]
        center = sums[arm]["center"]
        low, high = max(low, center - radius), min(high, center + radius)
    return _set_interval(arms, arm, low, high, nested)


@internal
def add_to_sums(arms: Records, sums: Records, arm: int, reward: float, log_inverse: float) -> None:
    """Add a reward to the sums of its arm, which has it in its count and mean already.

    Waudby-Smith and Ramdas 2024, Theorem 2, with two changes that let it go without the ends of the
    range, only its width R: the first reward is not bet on but is the first mean foretold, and the
    next ones are foretold by the mean so far. In units of R, with n the rewards before this one,
    the bet is sqrt(2 log(2 K / delta) / (variance (n + 1) log(n + 2))), where the variance is
    estimated by (1/4 + sum of squares) / (n + 1).
    """
    n = arms[arm]["count"] - 1
    if n == 0:
        sums[arm]["lowest"] = sums[arm]["highest"] = reward
        return
    sums[arm]["lowest"] = min(sums[arm]["lowest"], reward)
    sums[arm]["highest"] = max(sums[arm]["highest"], reward)
    spread = 2.0 * arms[arm]["sigma"]
    mean = arms[arm]["mean"]
    # The mean before this reward, from the mean after it.
    ahead = (reward - mean) * (n + 1.0) / n / spread
    variance = (0.25 + sums[arm]["squares"]) / (n + 1.0)
    bet = math.sqrt(2.0 * log_inverse / (variance * (n + 1.0) * log(n + 2.0)))
    bet = min(bet, LARGEST_BET)
    sums[arm]["cost"] += ahead * ahead * (-log(1.0 - bet) - bet)
    sums[arm]["bets"] += bet
    center = sums[arm]["center"]
    sums[arm]["center"] = center + (reward - center) * bet / sums[arm]["bets"]
    sums[arm]["squares"] += ahead * (reward - mean) / spread


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
