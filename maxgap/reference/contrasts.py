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
5. *Sum.* To certify r = 2, E(2, 1, c_1) is needed: delta SECOND. For r >= 3, of which there are at
   most K - 3, outside E(r, 1, c_2) and E(r, 2, c_2) neither of the two largest gaps is rejected.
   Both stay open, and they are compatible; so line 3 does not hold. Together
   2 (K - 3) e^-c_2 = delta OTHERS. The shares sum to 1.
"""

import math
from collections.abc import Sequence

__all__ = [
    "certain_orders",
    "certainly_above",
    "certifies",
    "compatible",
    "evidence",
    "largest_empirical_gap",
    "n_high",
    "n_low",
    "rejects",
    "thresholds",
    "weight",
]

#: Weight of the two arms of the gap itself.
NEAREST = 0.9
#: Shares of delta: orders; the split at the second largest gap; the splits at smaller ones.
ORDERS, SECOND, OTHERS = 0.1, 0.6, 0.3
#: Numbers of samples around which the tests are sharpest: those of orders, those of contrasts.
RHO_ORDERS, RHO_CONTRASTS = 4.0, 12.0

Rewards = Sequence[Sequence[float]]
Orders = list[list[bool]]


def thresholds(n_arms: int, delta: float) -> tuple[float, float, float]:
    """Evidence needed: for an order, for the second largest gap, and for the smaller ones.

    Examples
    --------
    >>> [round(c, 3) for c in thresholds(5, 0.1)]
    [6.908, 2.813, 4.893]
    """
    pairs = n_arms * (n_arms - 1) / 2
    return (
        math.log(pairs / (delta * ORDERS)),
        math.log(1 / (delta * SECOND)),
        math.log(2 * max(1, n_arms - 3) / (delta * OTHERS)),
    )


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
    needed, _, _ = thresholds(len(rewards), delta)
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
    if n == 0 or total <= 0:
        return -math.inf
    z = total / math.sqrt(variance * (n + RHO_CONTRASTS))
    log_cdf = math.log(0.5 * math.erfc(-z / math.sqrt(2)))
    shrunk = math.log(RHO_CONTRASTS / (n + RHO_CONTRASTS))
    return math.log(2) + shrunk / 2 + z**2 / 2 + log_cdf


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
    rewards: Rewards,
    above: Orders,
    side: Sequence[int],
    i: int,
    j: int,
    low: int,
    high: int,
    c: float,
    sigmas: Sequence[float],
) -> bool:
    """Whether "low and high are neighbours, at least as far apart as j and i" is refuted.

    ``side`` are the arms on their side of the split. If the hypothesis is true, each of them lies
    at or below ``low``, or at or above ``high``. Labels say which; they end in a contradiction, or
    not.
    """
    if above[low][high]:
        return True
    lows = {low} | {a for a in side if above[high][a]} | ({i} & set(side))
    highs = {high} | {a for a in side if above[a][low]} | ({j} & set(side))
    n_arms = len(rewards)
    links = [
        (x, y)
        for x in side
        for y in side
        if x != y
        and evidence(rewards, i, j, x, y, sigmas)
        >= c
        - math.log(weight(n_low(x, low, side, above), n_arms))
        - math.log(weight(n_high(y, high, side, above), n_arms))
    ]
    # A link from x to y: not both is x low and y high.
    while not lows & highs:
        new_lows = {y for x, y in links if x in lows} - lows
        new_highs = {x for x, y in links if y in highs} - highs
        if not new_lows and not new_highs:
            return False
        lows, highs = lows | new_lows, highs | new_highs
    return True


def compatible(first: tuple[int, int], second: tuple[int, int], above: Orders) -> bool:
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
    _, c_1, c_2 = thresholds(len(rewards), delta)
    # 1. Every arm of the top is certainly above every arm of the bottom.
    if not all(above[a][b] for a in top for b in bottom):
        return False
    # 2. For every pair that may be the boundary, every gap inside a side is rejected.
    lowest = [i for i in top if not any(above[i][a] for a in top)]
    highest = [j for j in bottom if not any(above[b][j] for b in bottom)]
    open_gaps: list[set[tuple[int, int]]] = [set(), set()]
    for i in lowest:
        for j in highest:
            for s, side in enumerate((bottom, top)):
                for low in side:
                    for high in side:
                        if low == high:
                            continue
                        if not rejects(rewards, above, side, i, j, low, high, c_1, sigmas):
                            return False
                        if not rejects(rewards, above, side, i, j, low, high, c_2, sigmas):
                            open_gaps[s].add((low, high))
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
