"""The certificate of contrasts, compiled: what is open while the largest gap is not certain.

The theorem, its proof and every definition are in :mod:`maxgap.reference.contrasts`, whose names
and line numbers are used here. What makes it fast: sets of arms are bits of words; the orders, and
the positions that follow from them, are found once a look; and to be rejected is to find a path,
from link to link, that leads from a low arm to a high one. Most often it is a single link.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from maxgap._core.compiled import compiled, inlined
from maxgap._core.elementary import LN2, log, log_twice_normal_cdf
from maxgap._core.types import Floats, Integers, Records

__all__ = [
    "BOTTOM",
    "GAP",
    "HIGHS",
    "LOWS",
    "NONE",
    "ORDER",
    "PAIR_OF_GAPS",
    "RHO_CONTRASTS",
    "RHO_GAP",
    "RHO_ORDERS",
    "TOP",
    "Look",
    "certifies",
    "contrast",
    "distance",
    "evidence",
    "has",
    "has_partner",
    "label",
    "least_gap",
    "link_needs",
    "look_again",
    "new_look",
    "of_side",
    "order_evidence",
    "weigh_pair",
    "what_is_open",
]

#: From so many arms on distances have a share of delta, and gaps between neighbours come first.
MANY = 48
#: Shares of delta: orders; contrasts for the split at the second largest gap, and for those at
#: smaller ones; distances; the width of the gap claimed. Of few arms, and of many.
SHARES_OF_FEW = (0.1, 0.6, 0.3, 0.0, 0.0)
SHARES_OF_MANY = (0.05, 0.3, 0.25, 0.3, 0.1)
#: Numbers of samples around which the tests are sharpest: those of orders, those of contrasts and
#: distances, and those of the width of the gap.
RHO_ORDERS, RHO_CONTRASTS, RHO_GAP = 4.0, 12.0, 1000.0
#: Weight of the two arms of the gap itself.
NEAREST = 0.9

#: Bits used of a word, so that a word is never negative.
BITS = 62
BOTTOM, TOP = 0, 1
#: Rows of Look.work.
LOWS, HIGHS, NEW = 0, 1, 2
#: Evidence where there is none.
NOTHING = -1e300

#: What is open: nothing; an order; a gap that needs the smaller evidence; one of two compatible
#: gaps that need the larger.
NONE, ORDER, GAP, PAIR_OF_GAPS = range(4)
#: Places of Look.found.
KIND, UPPER, LOWER, LOW, HIGH = range(5)


class Look(NamedTuple):
    """What is known at one moment; sets of arms are rows of words."""

    above: Integers  # (K, W), by arm: the arms that are certainly above it
    below: Integers  # (K, W), by arm: those certainly below
    sides: Integers  # (2, W): the bottom and the top
    order: Integers  # (K,): the arms by mean, smallest first
    log_low: Floats  # (K, K): log weight of arm a's position below arm L
    log_high: Floats  # (K, K): of arm a's position above arm U
    values: Floats  # (K, K): evidence of the present pair, by x and y
    links: Integers  # (K, W), by x: the y for which it may suffice
    work: Integers  # (3, W)
    open: Integers  # (K, K): line 3, 1 + i K + j of a pair for which the gap is open, or 0
    needed: Floats  # (5,): evidence for an order, c_1, c_2, c_3 of distances, c_4 of the width
    weights: Floats  # (K,): log weights by position
    found: Integers  # (5,): what is open, the pair i and j, the gap L and U
    split: Integers  # (1,): place in the order of the lowest arm of the top


@compiled(allocates=True)
def new_look(n_arms: int, delta: float) -> Look:
    """Room for looks at so many arms, with the evidence that is needed: the one place for it."""
    n_words = (n_arms + BITS - 1) // BITS
    shares = SHARES_OF_MANY if n_arms >= MANY else SHARES_OF_FEW
    needed = np.zeros(5)
    needed[0] = log(n_arms * (n_arms - 1) / 2.0 / (delta * shares[0]))
    needed[1] = log(1.0 / (delta * shares[1]))
    needed[2] = log(2.0 * max(1, n_arms - 3) / (delta * shares[2]))
    needed[3] = needed[4] = np.inf
    if shares[3] > 0.0:
        needed[3] = log(2.0 / (delta * shares[3]))
        needed[4] = log((n_arms - 2.0) / (delta * shares[4]))
    weights = np.zeros(n_arms)
    harmonic = 0.0
    for h in range(1, n_arms):
        harmonic += 1.0 / h
    weights[0] = log(NEAREST)
    for h in range(1, n_arms):
        weights[h] = log((1.0 - NEAREST) / h / harmonic)
    return Look(
        np.zeros((n_arms, n_words), np.int64),
        np.zeros((n_arms, n_words), np.int64),
        np.zeros((2, n_words), np.int64),
        np.zeros(n_arms, np.int64),
        np.zeros((n_arms, n_arms)),
        np.zeros((n_arms, n_arms)),
        np.zeros((n_arms, n_arms)),
        np.zeros((n_arms, n_words), np.int64),
        np.zeros((3, n_words), np.int64),
        np.zeros((n_arms, n_arms), np.int64),
        needed,
        weights,
        np.zeros(5, np.int64),
        np.zeros(1, np.int64),
    )


# -- sets ----------------------------------------------------------------------------------------


@compiled(inline=True)
def has(sets: Integers, row: int, arm: int) -> bool:
    """Whether the arm is in the set."""
    return (sets[row, arm // BITS] >> (arm % BITS)) & 1 == 1


@inlined
def _add(sets: Integers, row: int, arm: int) -> None:
    sets[row, arm // BITS] |= 1 << (arm % BITS)


@inlined
def _n_bits(word: int) -> int:
    """How many bits are set."""
    word = word - ((word >> 1) & 0x1555555555555555)
    word = (word & 0x3333333333333333) + ((word >> 2) & 0x3333333333333333)
    word = (word + (word >> 4)) & 0x0F0F0F0F0F0F0F0F
    word = word + (word >> 8)
    word = word + (word >> 16)
    return (word + (word >> 32)) & 0x7F


@inlined
def _meet(sets: Integers, row: int, others: Integers, other: int) -> bool:
    """Whether two sets have an arm in common."""
    meet = False
    for w in range(sets.shape[1]):
        meet |= sets[row, w] & others[other, w] != 0
    return meet


# -- evidence ------------------------------------------------------------------------------------


@compiled(inline=True)
def order_evidence(arms: Records, a: int, b: int) -> float:
    """Evidence that arm a is above arm b."""
    distance = arms[a]["mean"] - arms[b]["mean"]
    if distance <= 0.0:
        return NOTHING
    return distance * distance / (2.0 * _spread(arms, a, b, RHO_ORDERS)) - _growth(
        arms, a, b, RHO_ORDERS
    )


@inlined
def _growth(arms: Records, a: int, b: int, rho: float) -> float:
    n_a, n_b = arms[a]["count"], arms[b]["count"]
    return 0.5 * log((1.0 + n_a / rho) * (1.0 + n_b / rho))


@inlined
def _spread(arms: Records, a: int, b: int, rho: float) -> float:
    n_a, n_b = arms[a]["count"], arms[b]["count"]
    return arms[a]["sigma"] ** 2 * (1.0 / n_a + rho / (n_a * n_a)) + arms[b]["sigma"] ** 2 * (
        1.0 / n_b + rho / (n_b * n_b)
    )


@compiled(inline=True)
def least_gap(look: Look, arms: Records, i: int, j: int) -> float:
    """How far arm i is above arm j, at least."""
    enough = look.needed[4] + _growth(arms, i, j, RHO_GAP)
    return (
        arms[i]["mean"] - arms[j]["mean"] - math.sqrt(2.0 * _spread(arms, i, j, RHO_GAP) * enough)
    )


@compiled(inline=True)
def contrast(
    arms: Records, stacks: Records, sums: Floats, i: int, j: int, x: int, y: int
) -> tuple[int, float, float]:
    """Steps, sum and variance of a step of (i - j) - (y - x), for y != i and x != j.

    An arm that has two of the four places gives two rewards a step.
    """
    n_i, n_j, n_x, n_y = arms[i]["count"], arms[j]["count"], arms[x]["count"], arms[y]["count"]
    s_i, s_j, s_x, s_y = arms[i]["sigma"], arms[j]["sigma"], arms[x]["sigma"], arms[y]["sigma"]
    variance = s_i * s_i + s_j * s_j + s_x * s_x + s_y * s_y
    if x == i:
        n = min(n_i // 2, min(n_j, n_y))
        total = sums[stacks[i]["start"] + 2 * n]
        total -= sums[stacks[j]["start"] + n] + sums[stacks[y]["start"] + n]
    elif y == j:
        n = min(n_j // 2, min(n_i, n_x))
        total = sums[stacks[i]["start"] + n] + sums[stacks[x]["start"] + n]
        total -= sums[stacks[j]["start"] + 2 * n]
    else:
        n = min(min(n_i, n_j), min(n_x, n_y))
        total = sums[stacks[i]["start"] + n] - sums[stacks[j]["start"] + n]
        total -= sums[stacks[y]["start"] + n] - sums[stacks[x]["start"] + n]
    return n, total, variance


@compiled(inline=True)
def distance(
    arms: Records, stacks: Records, sums: Floats, x: int, y: int, width: float
) -> tuple[int, float, float]:
    """Steps, sum and variance of a step of width - (y - x)."""
    n = min(arms[x]["count"], arms[y]["count"])
    total = n * width - (sums[stacks[y]["start"] + n] - sums[stacks[x]["start"] + n])
    return n, total, arms[x]["sigma"] ** 2 + arms[y]["sigma"] ** 2


@compiled(inline=True)
def evidence(n: int, total: float, variance: float, enough: float) -> float:
    """Evidence of a sum of n steps against a mean of at most 0.

    Where it is less than ``enough`` the last term is left out: only the order matters there.
    """
    if n == 0 or total <= 0.0:
        return NOTHING
    square = total * total / (variance * (n + RHO_CONTRASTS))
    value = 0.5 * square - 0.5 * log((n + RHO_CONTRASTS) / RHO_CONTRASTS)
    if value + LN2 < enough:
        return value
    return value + log_twice_normal_cdf(math.sqrt(square))


# -- a look: orders, split, positions --------------------------------------------------------------


@compiled
def _sort_by_mean(look: Look, arms: Records) -> None:
    """The order, and the split at the largest gap between means; of several the highest.

    By insertion: a look goes over all pairs of arms anyway, and NumPy's takes seconds to compile.
    """
    n_arms, order = arms.size, look.order
    for arm in range(n_arms):
        k = arm
        while k > 0 and arms[order[k - 1]]["mean"] > arms[arm]["mean"]:
            order[k] = order[k - 1]
            k -= 1
        order[k] = arm
    widest = -1.0
    for k in range(n_arms - 1, 0, -1):
        gap = arms[order[k]]["mean"] - arms[order[k - 1]]["mean"]
        if gap > widest:
            widest = gap
            look.split[0] = k


@compiled
def look_again(look: Look, arms: Records) -> bool:
    """Find orders, split and positions; whether line 1 holds. If not, ``found`` is an order."""
    _sort_by_mean(look, arms)
    n_arms, split, order = arms.size, look.split[0], look.order
    for w in range(look.sides.shape[1]):
        look.sides[BOTTOM, w] = look.sides[TOP, w] = 0
        for arm in range(n_arms):
            look.above[arm, w] = look.below[arm, w] = 0
    look.found[0] = NONE
    least = np.inf
    for k in range(n_arms):
        upper = order[k]
        _add(look.sides, TOP if k >= split else BOTTOM, upper)
        for m in range(k):
            lower = order[m]
            value = order_evidence(arms, upper, lower)
            if value >= look.needed[0]:
                _add(look.below, upper, lower)
                _add(look.above, lower, upper)
            elif k >= split and m < split and value < least:
                least = value
                look.found[0], look.found[1], look.found[2] = ORDER, upper, lower
    if look.found[0] != NONE:
        return False
    for side in range(2):
        first, last = of_side(look, side)
        for k in range(first, last):
            for m in range(first, last):
                _weigh_positions(look, side, order[k], order[m])
    return True


@inlined
def of_side(look: Look, side: int) -> tuple[int, int]:
    """From which place in the order up to which the arms of a side are."""
    if side == TOP:
        return look.split[0], look.order.size
    return 0, look.split[0]


@inlined
def _weigh_positions(look: Look, side: int, a: int, other: int) -> None:
    """Log weights of arm a's positions below and above another: n_low and n_high."""
    if a == other:
        look.log_low[a, a] = look.log_high[a, a] = look.weights[0]
        return
    low, high = -1, -1  # the arm itself does not count
    above, below, sides = look.above, look.below, look.sides
    for w in range(sides.shape[1]):
        low += _n_bits(sides[side, w] & ~below[a, w] & ~above[other, w])
        high += _n_bits(sides[side, w] & ~above[a, w] & ~below[other, w])
    if has(above, other, a):
        low += 1  # it was not there to be left out
    if has(below, other, a):
        high += 1
    look.log_low[a, other] = look.weights[max(1, low)]
    look.log_high[a, other] = look.weights[max(1, high)]


# -- rejection -------------------------------------------------------------------------------------


@compiled
def weigh_pair(
    look: Look, arms: Records, stacks: Records, sums: Floats, side: int, i: int, j: int, c: float
) -> tuple[int, int]:
    """The evidence of a pair with all arms of one side; `of_side` of that side.

    That of a distance counts from its own threshold. It is shifted to c, that of contrasts.
    """
    first, last = of_side(look, side)
    enough = c - 2.0 * look.weights[0]
    width, shift = least_gap(look, arms, i, j), c - look.needed[3]
    order, values, links = look.order, look.values, look.links
    for k in range(first, last):
        x = order[k]
        for w in range(links.shape[1]):
            links[x, w] = 0
        for m in range(first, last):
            y = order[m]
            if y == x or y == i or x == j:
                values[x, y] = NOTHING
                continue
            n, total, variance = contrast(arms, stacks, sums, i, j, x, y)
            values[x, y] = evidence(n, total, variance, enough)
            if width > 0.0:
                n, total, variance = distance(arms, stacks, sums, x, y, width)
                value = evidence(n, total, variance, enough - shift) + shift
                values[x, y] = max(values[x, y], value)
            if values[x, y] >= enough:
                _add(links, x, y)
    return first, last


@compiled(inline=True)
def link_needs(look: Look, x: int, y: int, low: int, high: int, c: float) -> float:
    """The evidence that makes a link of x and y."""
    return c - look.log_low[x, low] - look.log_high[y, high]


@inlined
def _first_labels(look: Look, side: int, i: int, j: int, low: int, high: int) -> bool:
    """Labels that need no link, into ``work``; whether an arm is both low and high."""
    work, sides = look.work, look.sides
    for w in range(work.shape[1]):
        work[LOWS, w] = look.below[high, w] & sides[side, w]
        work[HIGHS, w] = look.above[low, w] & sides[side, w]
    _add(work, LOWS, low)
    _add(work, HIGHS, high)
    if side == TOP:
        _add(work, LOWS, i)
    else:
        _add(work, HIGHS, j)
    return _meet(work, LOWS, work, HIGHS)


@compiled
def rejects(look: Look, side: int, i: int, j: int, low: int, high: int, c: float) -> bool:
    """Whether "low and high are neighbours, at least as far apart as j and i" is refuted.

    After `weigh_pair` of the same side, pair and c.
    """
    if has(look.above, high, low):
        return True
    if look.values[low, high] >= link_needs(look, low, high, low, high, c):
        return True
    if _first_labels(look, side, i, j, low, high):
        return True
    work = look.work
    n_words = work.shape[1]
    for w in range(n_words):
        work[NEW, w] = work[LOWS, w]
    at = 0
    while at < n_words:
        word = work[NEW, at]
        if word == 0:
            at += 1
            continue
        # The lowest bit that is set.
        x = at * BITS + _n_bits((word & -word) - 1)
        work[NEW, at] = word & (word - 1)
        for w in range(n_words):
            rest = look.links[x, w] & ~work[LOWS, w]
            while rest != 0:
                y = w * BITS + _n_bits((rest & -rest) - 1)
                rest &= rest - 1
                if look.values[x, y] >= link_needs(look, x, y, low, high, c):
                    if has(work, HIGHS, y):
                        return True
                    _add(work, LOWS, y)
                    _add(work, NEW, y)
                    at = min(at, w)
    return False


@compiled
def label(look: Look, side: int, i: int, j: int, low: int, high: int, c: float) -> None:
    """All labels of a gap that is not rejected: ``has(work, LOWS, a)`` and HIGHS."""
    _first_labels(look, side, i, j, low, high)
    first, last = of_side(look, side)
    work = look.work
    changed = True
    while changed:
        changed = False
        for k in range(first, last):
            for m in range(first, last):
                x, y = look.order[k], look.order[m]
                x_low, y_high = has(work, LOWS, x), has(work, HIGHS, y)
                if x_low == y_high or not has(look.links, x, y):
                    continue
                if look.values[x, y] >= link_needs(look, x, y, low, high, c):
                    if x_low and not has(work, LOWS, y):
                        _add(work, LOWS, y)
                        changed = True
                    elif y_high and not has(work, HIGHS, x):
                        _add(work, HIGHS, x)
                        changed = True


# -- what is open ----------------------------------------------------------------------------------


@compiled
def what_is_open(look: Look, arms: Records, stacks: Records, sums: Floats) -> int:
    """What stands between the split and its certificate, into ``found``: NONE if nothing does.

    Of the gaps that line 2 leaves open, for the first pair with one, that with the least evidence;
    of many arms the first that is between neighbours in the order of means, if there is one.
    Where line 3 fails ``open`` holds all gaps that it leaves, and ``found`` the kind alone.
    """
    if not look_again(look, arms):
        return ORDER
    if _line_2(look, arms, stacks, sums):
        return GAP
    _line_3(look, arms, stacks, sums)
    return look.found[0]


@compiled(allocates=True)
def certifies(arms: Records, stacks: Records, sums: Floats, delta: float) -> bool:
    """Whether the split at the largest gap between means is certain."""
    return what_is_open(new_look(arms.size, delta), arms, stacks, sums) == NONE


@inlined
def _may_be_boundary(look: Look, i: int, j: int) -> bool:
    """Whether no arm of the top is certainly below i, none of the bottom certainly above j."""
    return not (_meet(look.below, i, look.sides, TOP) or _meet(look.above, j, look.sides, BOTTOM))


@compiled
def _line_2(look: Look, arms: Records, stacks: Records, sums: Floats) -> bool:
    """Whether some gap is open at c_1."""
    n_arms, split, order = look.order.size, look.split[0], look.order
    c_1 = look.needed[1]
    for p in range(split, n_arms):
        for q in range(split - 1, -1, -1):
            i, j = order[p], order[q]
            if not _may_be_boundary(look, i, j):
                continue
            least = np.inf
            for side in (TOP, BOTTOM):
                first, last = weigh_pair(look, arms, stacks, sums, side, i, j, c_1)
                for k in range(first, last):
                    for m in range(first, last):
                        low, high = order[k], order[m]
                        rank = look.values[low, high]
                        if n_arms >= MANY and m == k + 1:
                            rank = -np.inf
                        if k == m or rank >= least:
                            continue
                        if not rejects(look, side, i, j, low, high, c_1):
                            least = rank
                            look.found[0], look.found[1], look.found[2] = GAP, i, j
                            look.found[3], look.found[4] = low, high
            if least < np.inf:
                return True
    return False


@compiled
def _line_3(look: Look, arms: Records, stacks: Records, sums: Floats) -> None:
    """The gaps open at c_2, and whether two of them are compatible."""
    n_arms, split, order = look.order.size, look.split[0], look.order
    c_2 = look.needed[2]
    for low in range(n_arms):
        for high in range(n_arms):
            look.open[low, high] = 0
    for p in range(split, n_arms):
        for q in range(split - 1, -1, -1):
            i, j = order[p], order[q]
            if not _may_be_boundary(look, i, j):
                continue
            for side in (TOP, BOTTOM):
                first, last = weigh_pair(look, arms, stacks, sums, side, i, j, c_2)
                for k in range(first, last):
                    for m in range(first, last):
                        low, high = order[k], order[m]
                        if k == m or look.open[low, high] != 0:
                            continue
                        if not rejects(look, side, i, j, low, high, c_2):
                            look.open[low, high] = 1 + i * n_arms + j
    for low in range(n_arms):
        for high in range(n_arms):
            if look.open[low, high] != 0 and has_partner(look, low, high):
                look.found[0] = PAIR_OF_GAPS
                return


@compiled
def has_partner(look: Look, low: int, high: int) -> bool:
    """Whether another open gap is compatible with this one."""
    side = TOP if has(look.sides, TOP, low) else BOTTOM
    for other_low in range(look.order.size):
        apart = has(look.sides, side, other_low) != 1
        if other_low == low and not apart:
            continue
        for other_high in range(look.order.size):
            if look.open[other_low, other_high] == 0:
                continue
            if apart:
                return True
            if other_high != high and not (
                has(look.below, high, other_low) and has(look.below, other_high, low)
            ):
                return True
    return False
