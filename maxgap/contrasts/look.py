"""What is known of contrasts at one moment: orders, positions, evidence.

A look is brought up to date, not made anew: of what it holds only that changes to which an arm
belongs that has been sampled since, and evidence is weighed when it is first asked for. All of it
follows from what was told, so a new look knows the same. Sets of arms are bits of words.

The names are those of :mod:`maxgap.contrasts.plain`.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from maxgap.engine.compiled import compiled, inlined, internal
from maxgap.engine.elementary import LN2, log, log_of_array, log_twice_normal_cdf
from maxgap.engine.types import Floats, Integers, Records

__all__ = [
    "BITS",
    "BOTTOM",
    "HIGHS",
    "LOWS",
    "MANY",
    "NEW",
    "RHO_CONTRASTS",
    "RHO_ORDERS",
    "TOP",
    "Look",
    "Told",
    "add",
    "contrast",
    "distance",
    "evidence",
    "has",
    "least_gap",
    "link_needs",
    "log_weight",
    "look_again",
    "lowest",
    "new_look",
    "of_side",
    "order_evidence",
    "take_pair",
    "weigh",
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

#: Bits used of a word, so that a word is never negative; the word with all of them.
BITS = 62
FULL = (1 << BITS) - 1
#: Rows of Look.sides and of Look.labels; no literals, as for compiled.ZERO.
_numbers: Any = np.arange(3)
BOTTOM, TOP = _numbers[:2]
LOWS, HIGHS, NEW = _numbers
#: Evidence where there is none, and where nobody has asked for it.
NOTHING, UNKNOWN = -1e300, np.inf
#: No arm.
NOBODY = -1
#: So many pairs keep their evidence, of many arms fewer: values are about so many in all.
MOST_KEPT, MOST_VALUES = 32, 1 << 17

NOW = np.dtype(
    [
        ("kind", np.int64),  # what is open, one of certificate.KINDS
        ("upper", np.int64),  # of an order, or of the pair that leaves a gap open
        ("lower", np.int64),
        ("low", np.int64),  # the gap
        ("high", np.int64),
        ("split", np.int64),  # place in the order of the lowest arm of the top
        ("i", np.int64),  # the pair whose evidence is weighed
        ("j", np.int64),
        ("c", np.float64),  # what is needed of it, before weights
        ("width", np.float64),  # how far i is above j, at least
        ("row", np.int64),  # the first of it in values and links
    ],
    align=True,
)


class Told(NamedTuple):
    """What the arms' rewards were."""

    arms: Records  # of these count, mean and sigma
    stacks: Records  # rewards.STACK, by arm
    sums: Floats  # of the first n rewards of each arm


class Look(NamedTuple):
    """What is known at one moment; sets of arms are rows of words."""

    needed: Floats  # (5,): evidence for an order, c_1, c_2, c_3 of distances, c_4 of the width
    weights: Floats  # (K,): log weights by position
    seen: Integers  # (K,): the counts at this moment
    order: Integers  # (K,): the arms by mean, smallest first
    above: Integers  # (K, W), by arm: the arms that are certainly above it
    below: Integers  # (K, W), by arm: those certainly below
    sides: Integers  # (2, W): the bottom and the top
    kept: Records  # (P,): NOW, of which i, j, c, width are those of the pairs kept
    values: Floats  # (P K, K): evidence of each pair, by x and y
    links: Integers  # (P K, W), by x: the y for which it may suffice next to no gap, or is unknown
    lows: Floats  # (K, K): log weight of the position of x, by low and x, or unknown
    highs: Floats  # (K, K): that of y, by high and y
    labels: Integers  # (3, W)
    gaps: Integers  # (K, W): line 3, by low: the high for which the gap is open
    pairs: Integers  # (K, K): line 3, i K + j of a pair for which it is
    now: Records  # one NOW


def new_look(n_arms: int, delta: float) -> Look:
    """A look at so many arms without rewards, with the evidence needed: the one place for it."""
    n_words = (n_arms + BITS - 1) // BITS
    shares = SHARES_OF_MANY if n_arms >= MANY else SHARES_OF_FEW
    times = (n_arms * (n_arms - 1) / 2, 1, 2 * max(1, n_arms - 3), 2, n_arms - 2)
    needed = np.full(5, np.inf)
    for k, share in enumerate(shares):
        if share > 0.0:
            needed[k] = log(times[k] / (delta * share))
    place = np.arange(1.0, n_arms)
    further = (1.0 - NEAREST) / place / np.cumsum(1.0 / place)[-1]
    n_kept = min(MOST_KEPT, 1 + MOST_VALUES // n_arms**2)
    now, kept = np.zeros(1, NOW), np.zeros(n_kept, NOW)
    now["i"] = kept["i"] = NOBODY
    sets, pairs = (n_arms, n_words), (n_arms, n_arms)
    return Look(
        needed,
        log_of_array(np.append(NEAREST, further)),
        np.zeros(n_arms, np.int64),
        np.arange(n_arms),
        np.zeros(sets, np.int64),
        np.zeros(sets, np.int64),
        np.zeros((2, n_words), np.int64),
        kept,
        np.full((n_kept * n_arms, n_arms), UNKNOWN),
        np.full((n_kept * n_arms, n_words), FULL),
        np.full(pairs, UNKNOWN),
        np.full(pairs, UNKNOWN),
        np.zeros((3, n_words), np.int64),
        np.zeros(sets, np.int64),
        np.zeros(pairs, np.int64),
        now,
    )


# -- sets ----------------------------------------------------------------------------------------


@compiled(inline=True)
def has(sets: Integers, row: int, arm: int) -> bool:
    """Whether the arm is in the set."""
    return (sets[row, arm // BITS] >> (arm % BITS)) & 1 == 1


@inlined
def add(sets: Integers, row: int, arm: int) -> None:
    """Put the arm into the set."""
    sets[row, arm // BITS] |= 1 << (arm % BITS)


@inlined
def _drop(sets: Integers, row: int, arm: int) -> None:
    sets[row, arm // BITS] &= ~(1 << (arm % BITS))


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
def lowest(w: int, word: int) -> int:
    """The first arm of the set whose word number ``w`` is this."""
    return w * BITS + _n_bits((word & -word) - 1)


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
def contrast(told: Told, i: int, j: int, x: int, y: int) -> tuple[int, float, float]:
    """Steps, sum and variance of a step of (i - j) - (y - x), for y != i and x != j.

    An arm that has two of the four places gives two rewards a step.
    """
    arms, stacks, sums = told.arms, told.stacks, told.sums
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
def distance(told: Told, x: int, y: int, width: float) -> tuple[int, float, float]:
    """Steps, sum and variance of a step of width - (y - x)."""
    arms, stacks, sums = told.arms, told.stacks, told.sums
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


# -- up to date ------------------------------------------------------------------------------------


@compiled
def look_again(look: Look, told: Told) -> bool:
    """Bring orders, split and sides up to date; whether anything was told since."""
    arms, changed = told.arms, False
    for arm in range(arms.size):
        if arms[arm]["count"] != look.seen[arm]:
            look.seen[arm] = arms[arm]["count"]
            _renew(look, arms, arm)
            changed = True
    if changed:
        _sort_by_mean(look, arms)
        for low in range(arms.size):
            for x in range(arms.size):
                look.lows[low, x] = look.highs[low, x] = UNKNOWN
    return changed


@inlined
def _renew(look: Look, arms: Records, arm: int) -> None:
    """Forget the evidence of which an arm is part, and find its orders."""
    look.now[0]["i"] = NOBODY
    for k in range(look.kept.size):
        if arm == look.kept[k]["i"] or arm == look.kept[k]["j"]:
            look.kept[k]["i"] = NOBODY
        if look.kept[k]["i"] != NOBODY:
            row = k * arms.size
            for w in range(look.links.shape[1]):
                look.links[row + arm, w] = FULL
            for other in range(arms.size):
                look.values[row + arm, other] = look.values[row + other, arm] = UNKNOWN
                add(look.links, row + other, arm)
    for w in range(look.links.shape[1]):
        look.above[arm, w] = look.below[arm, w] = 0
    for other in range(arms.size):
        _drop(look.above, other, arm)
        _drop(look.below, other, arm)
        upper, lower = arm, other
        if arms[other]["mean"] > arms[arm]["mean"]:
            upper, lower = other, arm
        if order_evidence(arms, upper, lower) >= look.needed[0]:
            add(look.below, upper, lower)
            add(look.above, lower, upper)


@inlined
def _sort_by_mean(look: Look, arms: Records) -> None:
    """The order, and the split at the largest gap between means; of several the highest.

    By insertion, for the order of the last look is nearly right. Of equal means the first arm's is
    the lower.
    """
    n_arms, order, now = arms.size, look.order, look.now[0]
    for place in range(1, n_arms):
        k, arm = place, order[place]
        mean = arms[arm]["mean"]
        while k > 0 and (
            arms[order[k - 1]]["mean"] > mean
            or (arms[order[k - 1]]["mean"] == mean and order[k - 1] > arm)
        ):
            order[k] = order[k - 1]
            k -= 1
        order[k] = arm
    widest = -1.0
    for k in range(n_arms - 1, 0, -1):
        gap = arms[order[k]]["mean"] - arms[order[k - 1]]["mean"]
        if gap > widest:
            widest = gap
            now["split"] = k
    for w in range(look.sides.shape[1]):
        look.sides[BOTTOM, w] = look.sides[TOP, w] = 0
    for k in range(n_arms):
        add(look.sides, TOP if k >= now["split"] else BOTTOM, order[k])


@inlined
def of_side(look: Look, side: int) -> tuple[int, int]:
    """From which place in the order up to which the arms of a side are."""
    if side == TOP:
        return look.now[0]["split"], look.order.size
    return 0, look.now[0]["split"]


# -- links -----------------------------------------------------------------------------------------


@compiled
def take_pair(look: Look, told: Told, i: int, j: int, c: float) -> None:
    """From here on evidence is that of this pair, of which so much is needed."""
    now, n_arms = look.now[0], look.order.size
    if now["i"] == i and now["j"] == j and now["c"] == c:
        return
    now["i"], now["j"], now["c"] = i, j, c
    for k in range(look.kept.size):
        kept = look.kept[k]
        if kept["i"] == i and kept["j"] == j and kept["c"] == c:
            now["width"], now["row"] = kept["width"], k * n_arms
            return
    now["width"] = least_gap(look, told.arms, i, j)
    now["row"] = (now["row"] + n_arms) % look.values.shape[0]
    look.kept[now["row"] // n_arms] = now
    for x in range(now["row"], now["row"] + n_arms):
        for w in range(look.links.shape[1]):
            look.links[x, w] = FULL
        for y in range(n_arms):
            look.values[x, y] = UNKNOWN


@compiled(inline=True)
def weigh(look: Look, told: Told, x: int, y: int) -> float:
    """The evidence of the pair with x and y.

    That of a distance counts from its own threshold. It is shifted to that of contrasts.
    """
    value = look.values[look.now[0]["row"] + x, y]
    return _weigh_anew(look, told, x, y) if value == UNKNOWN else value


@internal
def _weigh_anew(look: Look, told: Told, x: int, y: int) -> float:
    i, j, c, width = look.now[0]["i"], look.now[0]["j"], look.now[0]["c"], look.now[0]["width"]
    value, enough = NOTHING, c - 2.0 * look.weights[0]
    if y != x and y != i and x != j:
        n, total, variance = contrast(told, i, j, x, y)
        value = evidence(n, total, variance, enough)
        if width > 0.0:
            shift = c - look.needed[3]
            n, total, variance = distance(told, x, y, width)
            value = max(value, evidence(n, total, variance, enough - shift) + shift)
    row = look.now[0]["row"] + x
    look.values[row, y] = value
    if value < c - look.weights[1] - look.weights[1]:
        _drop(look.links, row, y)
    return value


@compiled(inline=True)
def link_needs(look: Look, side: int, gap: tuple[int, int], x: int, y: int) -> float:
    """The evidence that makes a link of x and y, for the gap (low, high) of that side."""
    low, high = gap
    if look.lows[low, x] == UNKNOWN:
        look.lows[low, x] = log_weight(look, side, look.below, look.above, (x, low))
    if look.highs[high, y] == UNKNOWN:
        look.highs[high, y] = log_weight(look, side, look.above, look.below, (y, high))
    return look.now[0]["c"] - look.lows[low, x] - look.highs[high, y]


@compiled
def log_weight(
    look: Look, side: int, beyond: Integers, nearer: Integers, arms: tuple[int, int]
) -> float:
    """Log weight of the position of the first arm below the second: n_low. Upside down: n_high."""
    a, other = arms
    if a == other:
        return look.weights[0]
    place = -1  # the arm itself does not count
    for w in range(look.sides.shape[1]):
        place += _n_bits(look.sides[side, w] & ~beyond[a, w] & ~nearer[other, w])
    if has(nearer, other, a):
        place += 1  # it was not there to be left out
    return look.weights[max(1, place)]
