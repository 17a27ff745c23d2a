"""MaxGapContrasts: sample what brings the certificate of contrasts nearest."""

from __future__ import annotations

import math

import numpy as np

from maxgap._core.compiled import compiled, inlined, internal
from maxgap._core.contrasts import (
    BOTTOM,
    GAP,
    HIGHS,
    LOWS,
    NONE,
    ORDER,
    RHO_CONTRASTS,
    RHO_ORDERS,
    TOP,
    Look,
    contrast,
    distance,
    has,
    has_partner,
    label,
    least_gap,
    link_needs,
    new_look,
    of_side,
    weigh_pair,
    what_is_open,
)
from maxgap._core.elementary import LN2, log
from maxgap._core.state import Setting, State
from maxgap._core.types import Floats, Integers, Records
from maxgap.policies import max_gap_top2_ucb
from maxgap.policies.paper import PaperPolicy
from maxgap.stopping import cluster_rule_too

__all__ = ["MaxGapContrasts", "after_round", "aims_reached", "choose"]

# 1: sample every arm twice
# 2: while something stands between the split and its certificate:
# 3:   an order of top and bottom: sample, of the pair with the least evidence, the arm with fewer
# 4:   a gap that is not rejected, of 48 arms and more first one between neighbours by mean:
#        price all that could help to reject it, and take the cheapest
# 5:   two compatible gaps that are not rejected at the larger evidence: the cheaper of the two
# A step adds one in so many samples of what it samples, and one.
PART = 64

#: A distance counts for every pair that may be the boundary, and for both thresholds of contrasts:
#: it may cost twice as much.
DISCOUNT = 0.5

#: Rewards vary little below this part of the largest variance that their range permits.
LITTLE = 0.4

#: Price of what does not look possible: more than any other, but finite.
OUT_OF_REACH = 1e18


@compiled(inline=True)
def choose(state: State, setting: Setting) -> None:
    """Sample the arms that have fewer samples than they should have next.

    Where the cluster rule may end it as well and rewards vary little, as MaxGapTop2UCB does.
    """
    if cluster_rule_too(setting) and vary_little(state.arms, state.sums):
        max_gap_top2_ucb.choose(state)
    else:
        _list_short_of_aims(state)


@internal
def vary_little(arms: Records, sums: Records) -> bool:
    """Whether intervals that learn the spread are nearer to certainty than contrasts are."""
    squares = 0.0
    count = 0
    for arm in range(sums.size):
        squares += sums[arm]["squares"]
        count += arms[arm]["count"] - 1
    # Of rewards at both ends of their range, half each, the mean square is a quarter.
    return squares < LITTLE * 0.25 * count


@inlined
def _list_short_of_aims(state: State) -> None:
    arms, listed = state.arms, state.next
    n_next = 0
    for arm in range(arms.size):
        if arms[arm]["count"] < state.stacks[arm]["aim"]:
            listed[n_next] = arm
            n_next += 1
    state.progress[0]["n_next"] = n_next


@inlined
def aims_reached(state: State) -> bool:
    """Whether every arm has as many samples as it should."""
    for arm in range(state.arms.size):
        if state.arms[arm]["count"] < state.stacks[arm]["aim"]:
            return False
    return True


@compiled
def after_round(state: State, setting: Setting) -> bool:
    """Aim anew once every aim is reached. If nothing is open, the stopping rule is to look."""
    if aims_reached(state) and not _aim(state.arms, state.stacks, state.prefix, setting.delta):
        state.progress[0]["last_look"] = 0
    return True


@compiled(allocates=True)
def _aim(arms: Records, stacks: Records, sums: Floats, delta: float) -> bool:
    """Lines 1 to 5: how many samples each arm is to have next; whether something is open."""
    fewest = arms[0]["count"]
    for arm in range(arms.size):
        fewest = min(fewest, arms[arm]["count"])
    if fewest < 2:
        for arm in range(arms.size):
            stacks[arm]["aim"] = 2
        return True
    look = new_look(arms.size, delta)
    kind = what_is_open(look, arms, stacks, sums)
    if kind == NONE:  # nothing to do, unless for another stopping rule
        for arm in range(arms.size):
            stacks[arm]["aim"] = fewest + 1 + fewest // PART
    elif kind == ORDER:
        _aim_at_order(arms, stacks, look.found[1], look.found[2])
    else:
        c = look.needed[1] if kind == GAP else look.needed[2]
        if kind != GAP:
            _find_cheapest_gap(look, arms, stacks, sums, c)
        _aim_at_gap(look, arms, stacks, sums, c)
    return kind != NONE


@compiled
def _aim_at_order(arms: Records, stacks: Records, upper: int, lower: int) -> None:
    """More samples of the arm that has fewer."""
    arm = upper if arms[upper]["count"] <= arms[lower]["count"] else lower
    stacks[arm]["aim"] = arms[arm]["count"] + 1 + arms[arm]["count"] // PART


@compiled
def _aim_at_contrast(
    arms: Records, stacks: Records, sums: Floats, i: int, j: int, x: int, y: int
) -> None:
    """More steps of a contrast; an arm with two places gives two samples a step."""
    n, _, _ = contrast(arms, stacks, sums, i, j, x, y)
    n += 1 + n // PART
    stacks[i]["aim"] = 2 * n if x == i else n
    stacks[j]["aim"] = 2 * n if y == j else n
    if x != i:
        stacks[x]["aim"] = n
    if y != j:
        stacks[y]["aim"] = n


@compiled
def _aim_at_distance(arms: Records, stacks: Records, x: int, y: int) -> None:
    """More steps of a distance."""
    n = min(arms[x]["count"], arms[y]["count"])
    stacks[x]["aim"] = stacks[y]["aim"] = n + 1 + n // PART


@compiled
def _aim_at_gap(look: Look, arms: Records, stacks: Records, sums: Floats, c: float) -> None:
    """Line 4: the cheapest of all links and orders that could help to reject the gap found."""
    i, j, low = look.found[1], look.found[2], look.found[3]
    side = TOP if has(look.sides, TOP, low) else BOTTOM
    weigh_pair(look, arms, stacks, sums, side, i, j, c)
    label(look, side, i, j, low, look.found[4], c)
    of_link, x, y, by_contrast = _cheapest_link(look, arms, stacks, sums, side, c)
    of_order, upper, lower = _cheapest_order(look, arms, side)
    if of_order < of_link:
        _aim_at_order(arms, stacks, upper, lower)
    elif by_contrast:
        _aim_at_contrast(arms, stacks, sums, i, j, x, y)
    else:
        _aim_at_distance(arms, stacks, x, y)


@compiled
def _find_cheapest_gap(look: Look, arms: Records, stacks: Records, sums: Floats, c: float) -> None:
    """Line 5: of all open gaps that have a compatible partner, the one that is rejected soonest."""
    n_arms = arms.size
    cheapest = np.inf
    for low in range(n_arms):
        for high in range(n_arms):
            if look.open[low, high] == 0 or not has_partner(look, low, high):
                continue
            pair = look.open[low, high] - 1
            i, j = pair // n_arms, pair % n_arms
            width = least_gap(look, arms, i, j)
            price = _price_of_contrast(arms, stacks, sums, i, j, low, high, c)
            if width > 0.0:
                needed = look.needed[3]
                other = _price_of_distance(arms, stacks, sums, low, high, width, needed)
                price = min(price, other)
            if price < cheapest:
                cheapest = price
                look.found[1], look.found[2], look.found[3], look.found[4] = i, j, low, high


# -- prices ----------------------------------------------------------------------------------------


@compiled
def _cheapest_link(
    look: Look, arms: Records, stacks: Records, sums: Floats, side: int, c: float
) -> tuple[float, int, int, bool]:
    """The cheapest link from low to high, low to unknown or unknown to high: price and arms.

    Also whether it is a contrast that is cheapest, or a distance.
    """
    i, j, low, high = look.found[1], look.found[2], look.found[3], look.found[4]
    cheapest, best_x, best_y, by_contrast = np.inf, low, high, True
    width, shift = least_gap(look, arms, i, j), look.needed[3] - c
    first, last = of_side(look, side)
    for k in range(first, last):
        x = look.order[k]
        if x == j or has(look.work, HIGHS, x):
            continue
        for m in range(first, last):
            y = look.order[m]
            if y == x or y == i or has(look.work, LOWS, y):
                continue
            if not has(look.work, LOWS, x) and not has(look.work, HIGHS, y):
                continue
            if m < k and not (x == low and y == high):
                continue
            needed = link_needs(look, x, y, low, high, c)
            price = _price_of_contrast(arms, stacks, sums, i, j, x, y, needed)
            if price < cheapest:
                cheapest, best_x, best_y, by_contrast = price, x, y, True
            if width > 0.0:
                price = _price_of_distance(arms, stacks, sums, x, y, width, needed + shift)
                price *= DISCOUNT
                if price < cheapest:
                    cheapest, best_x, best_y, by_contrast = price, x, y, False
    return cheapest, best_x, best_y, by_contrast


@compiled
def _cheapest_order(look: Look, arms: Records, side: int) -> tuple[float, int, int]:
    """The cheapest order that would give an arm two labels, or shift the boundary."""
    i, j, low, high = look.found[1], look.found[2], look.found[3], look.found[4]
    cheapest, upper, lower = _price_of_order(arms, low, high, look.needed[0]), low, high
    first, last = of_side(look, side)
    for k in range(first, last):
        a = look.order[k]
        is_low, is_high = has(look.work, LOWS, a), has(look.work, HIGHS, a)
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


@compiled
def _price_of_contrast(
    arms: Records, stacks: Records, sums: Floats, i: int, j: int, x: int, y: int, needed: float
) -> float:
    """Further samples until a contrast has the evidence needed, with optimism of one deviation."""
    n, total, variance = contrast(arms, stacks, sums, i, j, x, y)
    steps = _steps_for(n, total, variance, needed)
    if steps == OUT_OF_REACH:
        return OUT_OF_REACH
    price = max(0.0, (2.0 if x == i else 1.0) * steps - arms[i]["count"])
    price += max(0.0, (2.0 if y == j else 1.0) * steps - arms[j]["count"])
    if x != i:
        price += max(0.0, steps - arms[x]["count"])
    if y != j:
        price += max(0.0, steps - arms[y]["count"])
    return max(price, n / 8.0)


@compiled
def _price_of_distance(
    arms: Records, stacks: Records, sums: Floats, x: int, y: int, width: float, needed: float
) -> float:
    """Further samples until a distance has the evidence needed, likewise optimistic."""
    n, total, variance = distance(arms, stacks, sums, x, y, width)
    steps = _steps_for(n, total, variance, needed)
    if steps == OUT_OF_REACH:
        return OUT_OF_REACH
    price = max(0.0, steps - arms[x]["count"]) + max(0.0, steps - arms[y]["count"])
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


@compiled
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


class MaxGapContrasts(PaperPolicy):
    """Sample what brings the certificate of contrasts nearest; by default stop once it is there.

    The policy looks for what is still open, prices everything that could help, and does a 64th of
    the cheapest before it looks again. It keeps every reward. What the certificate asks of the
    rewards says :attr:`maxgap.Policy.certified`. Intervals and gap bounds are shown as for other
    policies; neither the sampling nor the certificate looks at them.

    Examples
    --------
    >>> means = [0.0, 0.1, 0.9, 1.0]
    >>> policy = MaxGapContrasts(4, sigma=0.1)
    >>> while not policy.stopped:
    ...     arms = policy.ask()
    ...     policy.tell(arms, [means[arm] for arm in arms])
    >>> policy.certified, sorted(policy.recommend().top)
    (True, [2, 3])
    """

    _in_table = "MaxGapContrasts"
    _default_stopping = "contrasts"
    _always_keeps_rewards = True
    _choose = staticmethod(choose)

    def _end_round(self) -> bool:
        return after_round(self._state, self._setting())

    def _list_compiled(self, state: State) -> None:
        choose(state, self._setting())

    def _listed_for_many(self) -> Integers:
        """Contrasts ask for one or two arms; where the intervals may end it, theirs as well."""
        listed = self._listed()
        if self.stopped or self._state.progress[0]["unsampled"] > 0 or self._stopping != "either":
            return listed
        state = self._state
        state = state._replace(next=state.next.copy(), progress=state.progress.copy())
        max_gap_top2_ucb.choose(state)
        return np.union1d(listed, state.next[: state.progress[0]["n_next"]])
