"""How many samples each arm should have next, to bring the certificate of contrasts nearest.

1: sample every arm twice
2: while something stands between the split and its certificate:
3:   an order of top and bottom: sample, of the pair with the least evidence, the arm with fewer
4:   a gap that is not rejected, of 48 arms and more first one between neighbours by mean:
       price all that could help to reject it, and take the cheapest
5:   two compatible gaps that are not rejected at the larger evidence: the cheaper of the two
"""

from __future__ import annotations

import math

import numpy as np

from maxgap.contrasts.certificate import (
    GAP,
    NONE,
    ORDER,
    has_partner,
    is_open,
    label_highs,
)
from maxgap.contrasts.look import (
    BOTTOM,
    HIGHS,
    LOWS,
    RHO_CONTRASTS,
    RHO_ORDERS,
    TOP,
    Look,
    Told,
    contrast,
    distance,
    has,
    least_gap,
    link_needs,
    of_side,
    take_pair,
)
from maxgap.engine.compiled import compiled, inlined, internal
from maxgap.engine.elementary import LN2, log
from maxgap.engine.types import Records

__all__ = ["aim"]

#: A step adds one in so many samples of what it samples, and one.
PART = 64

#: A distance counts for every pair that may be the boundary, and for both thresholds of contrasts:
#: it may cost twice as much.
DISCOUNT = 0.5

#: Price of what does not look possible: more than any other, but finite.
OUT_OF_REACH = 1e18


@compiled
def aim(look: Look, told: Told) -> None:
    """Lines 1 to 5, after `what_is_open`: how many samples each arm is to have next."""
    arms, stacks, now = told.arms, told.stacks, look.now[0]
    fewest = arms[0]["count"]
    for arm in range(arms.size):
        fewest = min(fewest, arms[arm]["count"])
    if fewest < 2:
        for arm in range(arms.size):
            stacks[arm]["aim"] = 2
        return
    if now["kind"] == NONE:  # nothing to do, unless for another stopping rule
        for arm in range(arms.size):
            stacks[arm]["aim"] = _further(fewest)
        return
    if now["kind"] == ORDER:
        _aim_at_order(told, now["upper"], now["lower"])
        return
    c = look.needed[1]
    if now["kind"] != GAP:
        c = look.needed[2]
        _find_cheapest_gap(look, told)
    take_pair(look, told, now["upper"], now["lower"], c)
    side = TOP if has(look.sides, TOP, now["low"]) else BOTTOM
    gap = now["low"], now["high"]
    is_open(look, told, side, gap, np.inf)  # finds all that is low
    label_highs(look, told, side, gap)
    of_link, x, y, by_contrast = _cheapest_link(look, told, side)
    of_order, upper, lower = _cheapest_order(look, arms, side)
    if of_order < of_link:
        _aim_at_order(told, upper, lower)
    elif by_contrast:
        _aim_at_contrast(told, now["i"], now["j"], x, y)
    else:
        _aim_at_distance(told, x, y)


@inlined
def _further(n: int) -> int:
    """A step more."""
    return n + 1 + n // PART


@inlined
def _aim_at_order(told: Told, upper: int, lower: int) -> None:
    """More samples of the arm that has fewer."""
    arm = upper if told.arms[upper]["count"] <= told.arms[lower]["count"] else lower
    told.stacks[arm]["aim"] = _further(told.arms[arm]["count"])


@inlined
def _aim_at_contrast(told: Told, i: int, j: int, x: int, y: int) -> None:
    """More steps of a contrast; an arm with two places gives two samples a step."""
    steps, _, _ = contrast(told, i, j, x, y)
    n, stacks = _further(steps), told.stacks
    stacks[x]["aim"] = stacks[y]["aim"] = n
    stacks[i]["aim"] = 2 * n if x == i else n
    stacks[j]["aim"] = 2 * n if y == j else n


@inlined
def _aim_at_distance(told: Told, x: int, y: int) -> None:
    """More steps of a distance."""
    n = min(told.arms[x]["count"], told.arms[y]["count"])
    told.stacks[x]["aim"] = told.stacks[y]["aim"] = _further(n)


@internal
def _find_cheapest_gap(look: Look, told: Told) -> None:
    """Line 5: of all open gaps that have a compatible partner, the one that is rejected soonest."""
    n_arms, now = look.order.size, look.now[0]
    cheapest = np.inf
    for low in range(n_arms):
        for high in range(n_arms):
            if not has(look.gaps, low, high) or not has_partner(look, low, high):
                continue
            i, j = look.pairs[low, high] // n_arms, look.pairs[low, high] % n_arms
            price = _price_of_contrast(told, i, j, low, high, look.needed[2])
            width = least_gap(look, told.arms, i, j)
            if width > 0.0:
                price = min(price, _price_of_distance(told, low, high, width, look.needed[3]))
            if price < cheapest:
                cheapest = price
                now["upper"], now["lower"], now["low"], now["high"] = i, j, low, high


# -- prices ----------------------------------------------------------------------------------------


@internal
def _cheapest_link(look: Look, told: Told, side: int) -> tuple[float, int, int, bool]:
    """The cheapest link from low to high, low to unknown or unknown to high: price and arms.

    Also whether it is a contrast that is cheapest, or a distance.
    """
    now, labels = look.now[0], look.labels
    i, j, low, high, width = now["i"], now["j"], now["low"], now["high"], now["width"]
    cheapest, best_x, best_y, by_contrast = np.inf, low, high, True
    shift = look.needed[3] - now["c"]
    first, last = of_side(look, side)
    for k in range(first, last):
        x = look.order[k]
        if x == j or has(labels, HIGHS, x):
            continue
        for m in range(first, last):
            y = look.order[m]
            if y == x or y == i or has(labels, LOWS, y):
                continue
            if not has(labels, LOWS, x) and not has(labels, HIGHS, y):
                continue
            if m < k and not (x == low and y == high):
                continue
            needed = link_needs(look, side, (low, high), x, y)
            price = _price_of_contrast(told, i, j, x, y, needed)
            if price < cheapest:
                cheapest, best_x, best_y, by_contrast = price, x, y, True
            if width > 0.0:
                price = _price_of_distance(told, x, y, width, needed + shift)
                price *= DISCOUNT
                if price < cheapest:
                    cheapest, best_x, best_y, by_contrast = price, x, y, False
    return cheapest, best_x, best_y, by_contrast


@internal
def _cheapest_order(look: Look, arms: Records, side: int) -> tuple[float, int, int]:
    """The cheapest order that would give an arm two labels, or shift the boundary."""
    now, labels = look.now[0], look.labels
    i, j, low, high = now["i"], now["j"], now["low"], now["high"]
    cheapest, upper, lower = _price_of_order(arms, low, high, look.needed[0]), low, high
    first, last = of_side(look, side)
    for k in range(first, last):
        a = look.order[k]
        is_low, is_high = has(labels, LOWS, a), has(labels, HIGHS, a)
        if a != low and not is_high:
            price = _price_of_order(arms, a, low, look.needed[0])
            if not is_low:
                price += _price_of_order(arms, high, a, look.needed[0])
            if price < cheapest:
                cheapest, upper, lower = price, a, low
        if a != high and is_high:
            price = _price_of_order(arms, high, a, look.needed[0])
            if price < cheapest:
                cheapest, upper, lower = price, high, a
    for a in range(arms.size):
        if a != i and has(look.sides, TOP, a):
            price = _price_of_order(arms, i, a, look.needed[0])
            if price < cheapest:
                cheapest, upper, lower = price, i, a
        if a != j and has(look.sides, BOTTOM, a):
            price = _price_of_order(arms, a, j, look.needed[0])
            if price < cheapest:
                cheapest, upper, lower = price, a, j
    return cheapest, upper, lower


@internal
def _price_of_contrast(told: Told, i: int, j: int, x: int, y: int, needed: float) -> float:
    """Further samples until a contrast has the evidence needed, with optimism of one deviation."""
    n, total, variance = contrast(told, i, j, x, y)
    steps = _steps_for(n, total, variance, needed)
    if steps == OUT_OF_REACH:
        return OUT_OF_REACH
    price = max(0.0, (2.0 if x == i else 1.0) * steps - told.arms[i]["count"])
    price += max(0.0, (2.0 if y == j else 1.0) * steps - told.arms[j]["count"])
    if x != i:
        price += max(0.0, steps - told.arms[x]["count"])
    if y != j:
        price += max(0.0, steps - told.arms[y]["count"])
    return max(price, n / 8.0)


@internal
def _price_of_distance(told: Told, x: int, y: int, width: float, needed: float) -> float:
    """Further samples until a distance has the evidence needed, likewise optimistic."""
    n, total, variance = distance(told, x, y, width)
    steps = _steps_for(n, total, variance, needed)
    if steps == OUT_OF_REACH:
        return OUT_OF_REACH
    price = max(0.0, steps - told.arms[x]["count"]) + max(0.0, steps - told.arms[y]["count"])
    return max(price, n / 8.0)


@inlined
def _steps_for(n: int, total: float, variance: float, needed: float) -> float:
    """The steps a sum needs to have this evidence, if its mean is one deviation larger."""
    mean = total / n + math.sqrt(variance / n)
    if mean <= 0.0:
        return OUT_OF_REACH
    # Solve mean^2 n^2 / (2 variance (n + rho)) = needed - log 2 + log(1 + n / rho) / 2, with the n
    # at hand in the logarithm.
    slope = mean * mean / (2.0 * variance)
    level = max(needed - LN2 + 0.5 * log(1.0 + n / RHO_CONTRASTS), 0.0)
    return (level + math.sqrt(level * level + 4.0 * slope * level * RHO_CONTRASTS)) / (2.0 * slope)


@internal
def _price_of_order(arms: Records, upper: int, lower: int, needed: float) -> float:
    """Further samples until an order is certain, the less sampled arm first, likewise optimistic.

    Out of reach while the means are the other way round.
    """
    if upper == lower or arms[upper]["mean"] <= arms[lower]["mean"]:
        return OUT_OF_REACH
    n_a, n_b = arms[upper]["count"], arms[lower]["count"]
    square_a, square_b = arms[upper]["sigma"] ** 2, arms[lower]["sigma"] ** 2
    distance = arms[upper]["mean"] - arms[lower]["mean"]
    distance += math.sqrt(square_a / n_a + square_b / n_b)
    growth = 0.5 * log((1.0 + n_a / RHO_ORDERS) * (1.0 + n_b / RHO_ORDERS))
    # What sigma^2 (1 / n + rho / n^2) may be in sum for both arms.
    spread = distance * distance / (2.0 * (needed + growth))
    if n_a > n_b:
        n_a, n_b, square_a, square_b = n_b, n_a, square_b, square_a
    rest = spread - square_b * (1.0 / n_b + RHO_ORDERS / (n_b * n_b))
    if rest > 0.0:
        n = _samples_for(rest / square_a)
        if n <= n_b:
            return max(n_a / 8.0, n - n_a)
    price = max(n_a / 8.0, _samples_for(0.5 * spread / square_a) - n_a)
    return price + max(n_b / 8.0, _samples_for(0.5 * spread / square_b) - n_b)


@inlined
def _samples_for(spread: float) -> float:
    """The n for which 1 / n + rho / n^2 is the spread."""
    return (1.0 + math.sqrt(1.0 + 4.0 * spread * RHO_ORDERS)) / (2.0 * spread)
