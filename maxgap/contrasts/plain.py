"""The certificate of contrasts, line by line with its theorem; slow and obvious.

Intervals for K arms pay for every arm. A test of one *contrast*, "is this gap wider than that one",
pays once. A guarantee is about one fixed vector of means, and for fixed means few contrasts can
both pass wrongly and matter: only those are counted.

**Setting.** The rewards of arm a are a stack X_{a,1}, X_{a,2}, ...; all rewards, within an arm and
across arms, are independent; those of arm a are sigma_a-sub-Gaussian around its mean. A policy has
seen the first N_a of each, sampled in whatever order, chosen by whatever it saw, and by nothing of
rewards that it had not seen. (Noise that is only conditionally sub-Gaussian is not enough: a test
looks at the first n rewards of several arms, whenever each was drawn.) The rewards are listed as
drawn, none left out, none moved for its value.

**Theorem.** Whatever the sampling rule, the probability that `certifies` ever holds for a split
whose gap is smaller than the largest is at most delta.

**Proof.** Fix the means, an order of the arms by them, and ranks of the gaps by size, largest
first; ties are broken anyhow. Gap q lies between the neighbours L_q below and U_q above.

1. *Orders.* With probability 1 - delta ORDERS no order is ever wrongly certain (`certainly_above`).
   Then what is certified, by its line 1, is the split at some gap r, and the true boundary
   (j_r, i_r) = (L_r, U_r) is among the pairs (j, i) of its line 2.
2. *Labels.* Let q < r, so that gap q is no smaller than gap r, and (L_q, U_q) lies on one side.
   Call an arm of that side truly low if it is at or below L_q, else truly high. Every first label
   of `rejects` is true: i_r is the lowest arm of the top, j_r the highest of the bottom.
3. *Positions.* A truly low arm with h arms above it up to L_q has position h, L_q itself 0; `n_low`
   is at least h. Upwards from U_q likewise. `weight` decreases.
4. *Links.* For x truly low and y truly high, the distance from x to y is at least gap q, hence at
   least gap r: the hypothesis that `evidence` of (i_r, j_r; x, y) counts against is true. Ville's
   inequality bounds the probability that the evidence, at any n, reaches c - log w(h) - log w(h')
   by e^-c w(h) w(h'); these sum to at most e^-c over all such x and y, for the weights sum to 1.
   Outside that event, E(r, q, c), every new label is true, and (L_q, U_q) is not rejected.
5. *Distances.* Where they have a share, a link may also come from `distance_evidence`, that y is
   less than `least_gap` above x. Let E'(q) be the event that for some x at or below L_q and some y
   at or above U_q, of either side, with positions h, h' among all arms, the evidence against "y is
   at least gap q above x" ever reaches c_3 - log w(h) - log w(h'). That hypothesis is true, so by
   Ville and the sum of the weights E'(q) has at most e^-c_3, and does not depend on r: truly low
   arms are an unbroken run up to L_q, so their positions on their side are the same h. Let G(r)
   be the event that `least_gap` of (i_r, j_r) ever exceeds gap r.
   Outside G(r) it is at most gap r, hence at most gap q; and the evidence grows with the distance
   it is against. So outside E'(q) and G(r) every new label by a distance is true, too.
6. *Sum.* To certify r = 2, E(2, 1, c_1), E'(1) or G(2) is needed. For r >= 3, of which there are at
   most K - 3, outside E(r, 1, c_2), E(r, 2, c_2), E'(1), E'(2) and G(r) neither of the two largest
   gaps is rejected. Both stay open, and they are compatible; so line 3 does not hold. The E have
   together e^-c_1 = delta SECOND and 2 (K - 3) e^-c_2 = delta OTHERS, E'(1) and E'(2) have
   2 e^-c_3 = delta DISTANCES, the G of all K - 2 have (K - 2) e^-c_4 = delta WIDTH. The shares
   sum to 1.
"""

import itertools
import math
from collections.abc import Sequence
from typing import NamedTuple

__all__ = [
    "Shown",
    "certain_orders",
    "certainly_above",
    "certifies",
    "compatible",
    "distance_evidence",
    "evidence",
    "largest_empirical_gap",
    "least_gap",
    "n_high",
    "n_low",
    "rejects",
    "thresholds",
    "weight",
]

#: Weight of the two arms of the gap itself.
NEAREST = 0.9
#: From so many arms on distances have a share of delta.
MANY = 48
#: Shares of delta, ORDERS, SECOND, OTHERS, DISTANCES, WIDTH: orders; contrasts for the split at the
#: second largest gap, and for those at smaller ones; distances; the least width of the gap.
SHARES_OF_FEW = (0.1, 0.6, 0.3, 0.0, 0.0)
SHARES_OF_MANY = (0.05, 0.3, 0.25, 0.3, 0.1)
#: Numbers of samples around which the tests are sharpest: those of orders, those of contrasts and
#: distances, and those of the width of the gap.
RHO_ORDERS, RHO_CONTRASTS, RHO_GAP = 4.0, 12.0, 1000.0

Rewards = Sequence[Sequence[float]]
Orders = list[list[bool]]
Pair = tuple[int, int]


class Shown(NamedTuple):
    """What the rewards show: themselves, their scale by arm, and the orders that are certain."""

    rewards: Rewards
    sigmas: Sequence[float]
    above: Orders


def thresholds(n_arms: int, delta: float) -> tuple[float, float, float, float, float]:
    """Evidence needed: for an order, c_1 to c_3, and c_4 for the width of the gap.

    That is c_1 of contrasts for the second largest gap, c_2 for the smaller ones, c_3 of distances.

    Examples
    --------
    >>> [round(c, 3) for c in thresholds(5, 0.1)]
    [6.908, 2.813, 4.893, inf, inf]
    >>> [round(c, 3) for c in thresholds(90, 0.1)]
    [13.594, 3.507, 8.848, 4.2, 9.083]
    """
    shares = SHARES_OF_MANY if n_arms >= MANY else SHARES_OF_FEW
    times = (n_arms * (n_arms - 1) / 2, 1, 2 * max(1, n_arms - 3), 2, n_arms - 2)
    needed = (
        math.log(many / (delta * share)) if share else math.inf
        for many, share in zip(times, shares, strict=True)
    )
    return tuple(needed)  # type: ignore[return-value]


def weight(position: int, n_arms: int) -> float:
    """Share of an arm so many places from the gap: decreasing, and 1 in sum.

    Examples
    --------
    >>> sum(weight(h, 5) for h in range(5))
    1.0
    """
    if position == 0:
        return NEAREST
    return (1 - NEAREST) / position / sum(1 / h for h in range(1, n_arms))


def certainly_above(
    a: Sequence[float], b: Sequence[float], needed: float, sigma_a: float, sigma_b: float
) -> bool:
    """Whether one arm's rewards show that its mean is above another's.

    For each arm the normal mixture exp(S^2 / (2 sigma^2 (N + rho))) / sqrt(1 + N / rho) of its
    summed errors S is a supermartingale, and so is the product of two. The least that the product
    can be while the means are equal, or the other way round, is what is compared.
    """
    n_a, n_b = len(a), len(b)
    if n_a == 0 or n_b == 0:
        return False
    distance = math.fsum(a) / n_a - math.fsum(b) / n_b
    spread_a = sigma_a**2 * (1 / n_a + RHO_ORDERS / n_a**2)
    spread_b = sigma_b**2 * (1 / n_b + RHO_ORDERS / n_b**2)
    growth = math.log(1 + n_a / RHO_ORDERS) + math.log(1 + n_b / RHO_ORDERS)
    return distance > 0 and distance**2 / (2 * (spread_a + spread_b)) - growth / 2 >= needed


def certain_orders(rewards: Rewards, delta: float, sigmas: Sequence[float]) -> Orders:
    """Of all arms a and b, whether a is certainly above b: ``above[a][b]``."""
    arms = range(len(rewards))
    needed = thresholds(len(rewards), delta)[0]
    return [
        [certainly_above(rewards[a], rewards[b], needed, sigmas[a], sigmas[b]) for b in arms]
        for a in arms
    ]


def evidence(rewards: Rewards, i: int, j: int, x: int, y: int, sigmas: Sequence[float]) -> float:
    """Evidence against "y is at least as far above x as i is above j"; -inf if there is none.

    Take the first n rewards of each arm. The sum S of those of i and x less those of j and y is a
    random walk in n, of mean at most 0 under the hypothesis. An arm that has two of the four places
    gives two rewards a step. The evidence is the logarithm of a one-sided normal mixture.
    """
    if y == i or x == j:
        return -math.inf
    per_step = {i: 0, j: 0, x: 0, y: 0}
    for arm in (i, j, x, y):
        per_step[arm] += 1
    n = min(len(rewards[arm]) // k for arm, k in per_step.items())
    sign = {i: 1, x: 1, j: -1, y: -1}
    total = math.fsum(sign[a] * r for a, k in per_step.items() for r in rewards[a][: k * n])
    variance = sum(k * sigmas[arm] ** 2 for arm, k in per_step.items())
    return _of_sum(n, total, variance)


def _of_sum(n: int, total: float, variance: float) -> float:
    """Evidence of a sum of n steps against a mean of at most 0: a one-sided normal mixture."""
    if n == 0 or total <= 0:
        return -math.inf
    z = total / math.sqrt(variance * (n + RHO_CONTRASTS))
    log_cdf = math.log(0.5 * math.erfc(-z / math.sqrt(2)))
    shrunk = math.log(RHO_CONTRASTS / (n + RHO_CONTRASTS))
    return math.log(2) + shrunk / 2 + z**2 / 2 + log_cdf


def least_gap(
    i: Sequence[float], j: Sequence[float], needed: float, sigma_i: float, sigma_j: float
) -> float:
    """How far the mean of i is above that of j, at least; -inf if nothing is known.

    The distance at which the evidence of `certainly_above`, with another rho, is what is needed.
    """
    n_i, n_j = len(i), len(j)
    if n_i == 0 or n_j == 0 or needed == math.inf:
        return -math.inf
    distance = math.fsum(i) / n_i - math.fsum(j) / n_j
    spread = sigma_i**2 * (1 / n_i + RHO_GAP / n_i**2) + sigma_j**2 * (1 / n_j + RHO_GAP / n_j**2)
    growth = math.log(1 + n_i / RHO_GAP) + math.log(1 + n_j / RHO_GAP)
    return distance - math.sqrt(2 * spread * (needed + growth / 2))


def distance_evidence(
    rewards: Rewards, x: int, y: int, width: float, sigmas: Sequence[float]
) -> float:
    """Evidence against "y is at least so much above x"; -inf if there is none, or no width.

    The sum of width less a reward of y plus one of x, over the first n of both, is a random walk,
    of mean at most 0 under the hypothesis.
    """
    n = min(len(rewards[x]), len(rewards[y]))
    if n == 0 or width <= 0:
        return -math.inf
    total = n * width - math.fsum(rewards[y][:n]) + math.fsum(rewards[x][:n])
    return _of_sum(n, total, sigmas[x] ** 2 + sigmas[y] ** 2)


def n_low(a: int, low: int, side: Sequence[int], above: Orders) -> int:
    """At most how many places arm a lies below ``low``, if it is not above."""
    if a == low:
        return 0
    return max(1, sum(b != a and not above[a][b] and not above[b][low] for b in side))


def n_high(a: int, high: int, side: Sequence[int], above: Orders) -> int:
    """At most how many places arm a lies above ``high``, if it is not below."""
    if a == high:
        return 0
    return max(1, sum(b != a and not above[b][a] and not above[high][b] for b in side))


def rejects(
    shown: Shown,
    side: Sequence[int],
    boundary: Pair,
    gap: Pair,
    needed: Sequence[float],
) -> bool:
    """Whether "low and high are neighbours, at least as far apart as j and i" is refuted.

    The arms j and i are the ``boundary``, low and high the ``gap``, and ``side`` are the arms on
    its side of the split. If the hypothesis is true, each of them lies at or below low, or at or
    above high. Labels say which; they end in a contradiction, or not. Evidence ``needed`` is that
    of contrasts, of distances and of the width.
    """
    rewards, sigmas, above = shown
    (j, i), (low, high), (c, c_distances, c_width) = boundary, gap, needed
    if above[low][high]:
        return True
    lows = {low} | {a for a in side if above[high][a]} | ({i} & set(side))
    highs = {high} | {a for a in side if above[a][low]} | ({j} & set(side))
    width = least_gap(rewards[i], rewards[j], c_width, sigmas[i], sigmas[j])

    def is_link(x: int, y: int) -> bool:
        if y in (x, i) or x == j:
            return False
        of_positions = math.log(weight(n_low(x, low, side, above), len(rewards)))
        of_positions += math.log(weight(n_high(y, high, side, above), len(rewards)))
        return (
            evidence(rewards, i, j, x, y, sigmas) >= c - of_positions
            or distance_evidence(rewards, x, y, width, sigmas) >= c_distances - of_positions
        )

    links = [(x, y) for x in side for y in side if is_link(x, y)]
    # A link from x to y: not both is x low and y high.
    while not lows & highs:
        new_lows = {y for x, y in links if x in lows} - lows
        new_highs = {x for x, y in links if y in highs} - highs
        if not new_lows and not new_highs:
            return False
        lows, highs = lows | new_lows, highs | new_highs
    return True


def compatible(first: Pair, second: Pair, above: Orders) -> bool:
    """Whether two gaps (low, high) of one side may both be gaps between neighbours."""
    (low, high), (other_low, other_high) = first, second
    if low == other_low or high == other_high:
        return False
    return not (above[high][other_low] and above[other_high][low])


def certifies(
    rewards: Rewards,
    bottom: Sequence[int],
    top: Sequence[int],
    delta: float,
    sigmas: Sequence[float],
) -> bool:
    """Whether the rewards certify that the largest gap lies between ``bottom`` and ``top``.

    Parameters
    ----------
    rewards : sequence of sequences of float
        Of each arm, in the order in which they were drawn.
    bottom, top : sequence of int
        The split: together every arm once.
    delta : float
        Probability of error allowed, in (0, 1).
    sigmas : sequence of float
        Sub-Gaussian scale of each arm's rewards.

    Examples
    --------
    >>> rewards = [[0.0, 0.1] * 9, [0.2, 0.1] * 9, [2.0, 2.1] * 9]
    >>> certifies(rewards, [0, 1], [2], 0.1, [0.3] * 3)
    True
    >>> certifies(rewards, [0], [1, 2], 0.1, [0.3] * 3)
    False
    """
    above = certain_orders(rewards, delta, sigmas)
    shown = Shown(rewards, sigmas, above)
    _, c_1, c_2, *others = thresholds(len(rewards), delta)
    # 1. Every arm of the top is certainly above every arm of the bottom.
    if not all(above[a][b] for a in top for b in bottom):
        return False
    # 2. For every pair that may be the boundary, every gap inside a side is rejected.
    lowest = [i for i in top if not any(above[i][a] for a in top)]
    highest = [j for j in bottom if not any(above[b][j] for b in bottom)]
    open_gaps: list[set[Pair]] = [set(), set()]
    for boundary in itertools.product(highest, lowest):
        for side, still_open in zip((bottom, top), open_gaps, strict=True):
            for gap in itertools.permutations(side, 2):
                if not rejects(shown, side, boundary, gap, [c_1, *others]):
                    return False
                if not rejects(shown, side, boundary, gap, [c_2, *others]):
                    still_open.add(gap)
    # 3. Of those that need the larger evidence and lack it, no two are compatible.
    if open_gaps[0] and open_gaps[1]:
        return False
    return not any(
        first != second and compatible(first, second, above)
        for gaps in open_gaps
        for first in gaps
        for second in gaps
    )


def largest_empirical_gap(rewards: Rewards) -> tuple[list[int], list[int]]:
    """The split (bottom, top) at the largest gap between empirical means; of several the highest.

    Examples
    --------
    >>> largest_empirical_gap([[1.0], [0.0], [3.0]])
    ([1, 0], [2])
    """
    means = [math.fsum(stack) / len(stack) for stack in rewards]
    order = sorted(range(len(means)), key=means.__getitem__)
    split = max(range(1, len(order)), key=lambda k: (means[order[k]] - means[order[k - 1]], k))
    return order[:split], order[split:]
