"""What the plain lines of the algorithms work on, the answers, and rules that any of them may use.

An algorithm, in its file in :mod:`maxgap.policies`, takes the `Estimates` that its line "sample"
updates, and yields the arms of every round just before it samples them. It ends when its rule,
``stop``, holds; whoever has seen enough asks for no further round. A rule is a function of the
estimates and of the arms to sample next.
"""

import math
from collections.abc import Callable, Iterable

from maxgap.reference.bounds import GapBounds, GapLowerBound, gap_lower_bound, gap_upper_bounds

__all__ = ["Estimates", "PlainRule", "certain_top", "clusters", "empirical_top", "never"]


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

    Examples
    --------
    >>> estimates = Estimates(2, draw=[0.25, 0.75].__getitem__, radius=lambda n: 1 / n)
    >>> estimates.sample([0, 1])
    >>> estimates.sample([1])
    >>> estimates.counts, estimates.means, estimates.lower, estimates.upper
    ([1, 2], [0.25, 0.75], [-0.75, 0.25], [1.25, 1.25])
    """

    def __init__(
        self, n_arms: int, draw: Callable[[int], float], radius: Callable[[int], float]
    ) -> None:
        self.arms = list(range(n_arms))
        self.counts = [0] * n_arms
        self.means = [0.0] * n_arms
        self.lower = [-math.inf] * n_arms
        self.upper = [math.inf] * n_arms
        self.draw, self.radius = draw, radius

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
        return gap_upper_bounds(self.lower, self.upper)

    def gap_lower(self) -> GapLowerBound:
        """Lower bound on the largest gap, equation (9)."""
        return gap_lower_bound(self.means, self.lower, self.upper)


PlainRule = Callable[[Estimates, list[int]], bool]


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
    >>> estimates.sample(estimates.arms * 2)
    >>> certain_top(estimates)
    {2}
    """
    value, split_rank = estimates.gap_lower()
    ranked = sorted(estimates.arms, key=lambda arm: -estimates.means[arm])
    return set(ranked[:split_rank]) if value > 0 else set()


def clusters(estimates: Estimates, arms: list[int]) -> bool:
    """The corrected cluster rule: inside both clusters every gap is below the certain one."""
    certain_gap, top = estimates.gap_lower().value, certain_top(estimates)
    right, left = estimates.gap_bounds()
    inside = [right[a] if a in top else left[a] for a in estimates.arms]
    return bool(certain_gap > 0 and max(inside) < certain_gap)


def never(estimates: Estimates, arms: list[int]) -> bool:
    """Go on."""
    return False
