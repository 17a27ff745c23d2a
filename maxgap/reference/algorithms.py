"""Algorithms 1, 2 and 3 and their stopping rules: plain loops with the line numbers of the paper.

An algorithm takes the `Estimates` that its line "sample" updates, and yields the arms of every
round just before it samples them. It ends when its rule, ``stop``, holds; whoever has seen enough
asks for no further round.

A rule is a function of the estimates and of the arms to sample next. By default it is the line that
is printed; `two_active_around_certain_gap`, `clusters` and the others are what else there is. Each
is a class in `maxgap.stopping`, which says what is proved of it.
"""

import math
from collections.abc import Callable, Iterable, Iterator

from numpy.typing import ArrayLike

from maxgap.reference.bounds import GapBounds, GapLowerBound, gap_lower_bound, gap_upper_bounds

__all__ = [
    "Estimates",
    "certain_top",
    "clusters",
    "dominant_pair",
    "dominant_pair_and_certain_gap",
    "empirical_top",
    "max_gap_elim",
    "max_gap_top2_ucb",
    "max_gap_ucb",
    "never",
    "second_below",
    "third_below",
    "two_active",
    "two_active_around_certain_gap",
]


class Estimates:
    """Counts, means and intervals of all arms, from samples that are drawn when asked for.

    Parameters
    ----------
    n_arms : int
        K, at least 2.
    draw : callable
        Takes an arm, returns one reward.
    radius : callable
        Takes a number of samples, returns the confidence radius, in rewards' units.
    bounds : callable, default `gap_upper_bounds`
        Takes the lower and the upper ends of the intervals, returns the gap bounds.

    Examples
    --------
    >>> estimates = Estimates(2, draw=[0.25, 0.75].__getitem__, radius=lambda n: 1 / n)
    >>> estimates.sample([0, 1])
    >>> estimates.sample([1])
    >>> estimates.counts, estimates.means, estimates.lower, estimates.upper
    ([1, 2], [0.25, 0.75], [-0.75, 0.25], [1.25, 1.25])
    """

    def __init__(
        self,
        n_arms: int,
        draw: Callable[[int], float],
        radius: Callable[[int], float],
        bounds: Callable[[ArrayLike, ArrayLike], GapBounds] = gap_upper_bounds,
    ) -> None:
        self.arms = list(range(n_arms))
        self.counts = [0] * n_arms
        self.means = [0.0] * n_arms
        self.lower = [-math.inf] * n_arms
        self.upper = [math.inf] * n_arms
        self.draw, self.radius, self.bounds = draw, radius, bounds

    def sample(self, arms: Iterable[int]) -> None:
        """Sample each of these arms once and update its interval, eq. (5)."""
        for arm in arms:
            reward = float(self.draw(arm))
            self.counts[arm] += 1
            self.means[arm] += (reward - self.means[arm]) / self.counts[arm]
            half_width = float(self.radius(self.counts[arm]))
            self.lower[arm] = self.means[arm] - half_width
            self.upper[arm] = self.means[arm] + half_width

    def gap_bounds(self) -> GapBounds:
        """Upper bounds on the gaps of every arm."""
        return self.bounds(self.lower, self.upper)

    def gap_lower(self) -> GapLowerBound:
        """Lower bound on the largest gap, equation (9)."""
        return gap_lower_bound(self.means, self.lower, self.upper)


Rule = Callable[[Estimates, list[int]], bool]


# The answers.


def empirical_top(estimates: Estimates) -> set[int]:
    """The arms above the largest gap between empirical means; of several, above the highest.

    Examples
    --------
    >>> estimates = Estimates(3, draw=[0.0, 0.5, 1.0].__getitem__, radius=lambda n: 0.3 / n)
    >>> estimates.sample(estimates.arms)
    >>> empirical_top(estimates)
    {2}
    """
    means = estimates.means
    ranked = sorted(estimates.arms, key=means.__getitem__)
    gaps = [means[ranked[k]] - means[ranked[k - 1]] for k in range(1, len(ranked))]
    split = max(k + 1 for k in range(len(gaps)) if gaps[k] == max(gaps))
    return set(ranked[split:])


def certain_top(estimates: Estimates) -> set[int]:
    """The arms above the gap that is certain, equation (9); none if no gap is.

    Examples
    --------
    >>> estimates = Estimates(3, draw=[0.0, 0.2, 1.0].__getitem__, radius=lambda n: 0.6 / n)
    >>> estimates.sample(estimates.arms)
    >>> certain_top(estimates)
    set()
    >>> estimates.sample(estimates.arms)
    >>> certain_top(estimates)
    {2}
    """
    value, split_rank = estimates.gap_lower()
    ranked = sorted(estimates.arms, key=lambda arm: -estimates.means[arm])
    return set(ranked[:split_rank]) if value > 0 else set()


# The stopping rules.


def two_active(estimates: Estimates, active: list[int]) -> bool:
    """Algorithm 1, line 7: two arms are left.

    Examples
    --------
    >>> estimates = Estimates(3, draw=[0.0, 0.5, 1.0].__getitem__, radius=lambda n: 0.3 / n)
    >>> two_active(estimates, [0, 1, 2]), two_active(estimates, [1, 2])
    (False, True)
    """
    return len(active) <= 2


def two_active_around_certain_gap(estimates: Estimates, active: list[int]) -> bool:
    """Two arms are left, and the certain gap lies between them.

    Examples
    --------
    >>> estimates = Estimates(2, draw=[0.0, 0.5].__getitem__, radius=lambda n: 0.3 / n)
    >>> estimates.sample(estimates.arms)
    >>> two_active_around_certain_gap(estimates, [0, 1])
    False
    >>> estimates.sample(estimates.arms)
    >>> two_active_around_certain_gap(estimates, [0, 1])
    True
    """
    above = [arm for arm in active if arm in certain_top(estimates)]
    return len(active) == 2 and len(above) == 1


def dominant_pair(estimates: Estimates, arms: list[int], c: float = 5.0) -> bool:
    """Algorithm 2, line 6: two arms have c times the samples of all others, T_i + T_j >= c rest.

    The paper gives no value for c; its scripts have 5.

    Examples
    --------
    >>> estimates = Estimates(3, draw=[0.0, 0.5, 1.0].__getitem__, radius=lambda n: 0.3 / n)
    >>> estimates.sample(estimates.arms)
    >>> dominant_pair(estimates, [1, 2]), dominant_pair(estimates, [1, 2], c=2)
    (False, True)
    """
    counts = sorted(estimates.counts)
    return sum(counts[-2:]) >= c * sum(counts[:-2])


def dominant_pair_and_certain_gap(estimates: Estimates, arms: list[int], c: float = 5.0) -> bool:
    """Algorithm 2, line 6, and some gap is certain.

    Examples
    --------
    >>> estimates = Estimates(3, draw=[0.0, 0.5, 1.0].__getitem__, radius=lambda n: 0.3 / n)
    >>> estimates.sample(estimates.arms)
    >>> dominant_pair_and_certain_gap(estimates, [1, 2], c=2)
    False
    """
    return dominant_pair(estimates, arms, c) and estimates.gap_lower().value > 0


def second_below(estimates: Estimates, arms: list[int], of_nothing: float = -math.inf) -> bool:
    """Algorithm 3, line 7: M_2 is below the lower bound on the largest gap.

    If all arms share the highest bound, M_2 is a maximum of nothing, on which the paper is silent:
    `of_nothing` stands for it. With minus infinity the rule stops at once, with infinity never.

    Examples
    --------
    >>> estimates = Estimates(3, draw=[0.0, 0.5, 1.0].__getitem__, radius=lambda n: 0.3 / n)
    >>> estimates.sample(estimates.arms)
    >>> second_below(estimates, [0, 1, 2]), second_below(estimates, [0, 1, 2], of_nothing=math.inf)
    (True, False)
    """
    bound = estimates.gap_bounds().either
    m_2 = max((b for b in bound if b < max(bound)), default=of_nothing)
    return bool(m_2 < estimates.gap_lower().value)


def third_below(estimates: Estimates, arms: list[int]) -> bool:
    """Algorithm 3, line 7, as the authors ran it: at most two bounds are above the certain gap.

    Examples
    --------
    >>> estimates = Estimates(3, draw=[0.0, 0.2, 1.0].__getitem__, radius=lambda n: 0.05 / n)
    >>> estimates.sample(estimates.arms)
    >>> third_below(estimates, [0, 1, 2])
    True
    """
    certain = estimates.gap_lower().value
    wide = [bound for bound in estimates.gap_bounds().either if bound > certain]
    return bool(certain > 0 and len(wide) <= 2)


def clusters(estimates: Estimates, arms: list[int]) -> bool:
    """The corrected cluster rule: inside both clusters every gap is below the certain one.

    Examples
    --------
    >>> estimates = Estimates(3, draw=[0.0, 0.2, 1.0].__getitem__, radius=lambda n: 0.1 / n)
    >>> estimates.sample(estimates.arms)
    >>> clusters(estimates, [0, 1, 2])
    True
    """
    certain, top = estimates.gap_lower().value, certain_top(estimates)
    right, left = estimates.gap_bounds()
    inside = [right[a] if a in top else left[a] for a in estimates.arms]
    return bool(certain > 0 and max(inside) < certain)


def never(estimates: Estimates, arms: list[int]) -> bool:
    """Go on.

    Examples
    --------
    >>> never(Estimates(2, draw=[0.0, 0.2].__getitem__, radius=lambda n: 0.1 / n), [0, 1])
    False
    """
    return False


# The algorithms.


def max_gap_elim(estimates: Estimates, stop: Rule = two_active) -> Iterator[list[int]]:
    """Algorithm 1, MaxGapElim; it stops by `two_active` unless told otherwise.

    Examples
    --------
    >>> estimates = Estimates(3, draw=[0.0, 0.2, 1.0].__getitem__, radius=lambda n: 0.25 / n)
    >>> list(max_gap_elim(estimates)), empirical_top(estimates)
    ([[0, 1, 2], [0, 1, 2], [0, 1, 2]], {2})
    """
    # 1: all arms are active, A = [K]
    active = estimates.arms
    # 2: in rounds t = 1, 2, ...
    while True:
        # 3: sample every arm of A once and update its interval
        yield active
        estimates.sample(active)
        # 4: compute the gap bound of every arm of A
        bound = estimates.gap_bounds().either
        # 5: compute the lower bound on the largest gap
        certain = estimates.gap_lower().value
        # 6: remove from A every arm whose gap bound is at most that
        active = [a for a in active if bound[a] > certain]
        if len(active) < 2:
            # not in the paper: some interval has missed, so all come back
            active = estimates.arms
        # 7: if two arms are left, stop; the answer is the empirical one
        if stop(estimates, active):
            return


def max_gap_ucb(estimates: Estimates, stop: Rule = dominant_pair) -> Iterator[list[int]]:
    """Algorithm 2, MaxGapUCB; it stops by `dominant_pair` unless told otherwise.

    Examples
    --------
    >>> estimates = Estimates(3, draw=[0.0, 0.2, 1.0].__getitem__, radius=lambda n: 0.25 / n)
    >>> list(max_gap_ucb(estimates))[:4], estimates.counts, empirical_top(estimates)
    ([[0, 1, 2], [0, 1, 2], [0, 1, 2], [1, 2]], [3, 8, 8], {2})
    """
    # 1: U = [K]
    arms = estimates.arms
    # 2: in rounds t = 1, 2, ...
    while True:
        # 3: sample every arm of U once and update its interval
        yield arms
        estimates.sample(arms)
        # 4: compute the gap bound of every arm
        bound = estimates.gap_bounds().either
        # 5: M_1 is the highest gap bound, U are the arms that have it
        arms = [a for a in estimates.arms if bound[a] == max(bound)]
        # 6: if two arms have c times the samples of all others, stop
        if stop(estimates, arms):
            return


def max_gap_top2_ucb(estimates: Estimates, stop: Rule = second_below) -> Iterator[list[int]]:
    """Algorithm 3, MaxGapTop2UCB; it stops by `second_below` unless told otherwise.

    Examples
    --------
    Printed, it stops after one round if all arms share the highest bound:

    >>> estimates = Estimates(3, draw=[0.0, 0.2, 1.0].__getitem__, radius=lambda n: 0.25 / n)
    >>> list(max_gap_top2_ucb(estimates))
    [[0, 1, 2]]
    >>> estimates = Estimates(3, draw=[0.0, 0.2, 1.0].__getitem__, radius=lambda n: 0.25 / n)
    >>> list(max_gap_top2_ucb(estimates, stop=clusters)), empirical_top(estimates)
    ([[0, 1, 2], [0, 1, 2]], {2})
    """
    # 1: U_1 and U_2 together are [K]
    first, second = estimates.arms, list[int]()
    # 2: in rounds t = 1, 2, ...
    while True:
        # 3: sample every arm of U_1 and U_2 once and update its interval
        arms = sorted(first + second)
        yield arms
        estimates.sample(arms)
        # 4: compute the gap bound of every arm
        bound = estimates.gap_bounds().either
        # 5: M_1 is the highest gap bound, U_1 are the arms that have it
        first = [a for a in estimates.arms if bound[a] == max(bound)]
        # 6: M_2 is the highest of the other bounds, U_2 are its arms
        m_2 = max((b for b in bound if b < max(bound)), default=-math.inf)
        second = [a for a in estimates.arms if bound[a] == m_2]
        # 7: if M_2 is below the lower bound on the largest gap, stop
        if stop(estimates, sorted(first + second)):
            return
