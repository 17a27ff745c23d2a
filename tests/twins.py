"""Plain twins: every policy, stopping rule and statistic once more, slow and obvious.

Written from the paper and the docstrings, with loops and whole arrays of NumPy. Nothing here comes
from the package but the radii, which have oracles of their own (`test_confidence.py`): a mistake in
the compiled core cannot hide here as well. Arms are numbered from 0; "right" is towards larger
means.
"""

import functools
import itertools
import math

import numpy as np

from maxgap.confidence import radius

# -- bounds on gaps ----------------------------------------------------------------------------


def right_bounds(lower, upper):
    """Eqs. (7) and (8) for all arms at once, O(K^2): the mean of arm a sits at the lower end i."""
    above = lower[None, :] > lower[:, None]  # arm j cannot lie at or below the lower end i
    closing = np.where(above, upper[None, :], np.inf).min(axis=1)
    others = ~np.eye(len(lower), dtype=bool)
    furthest_other = np.where(others, upper[None, :], -np.inf).max(axis=1)
    end = np.where(above.any(axis=1)[None, :], closing[None, :], furthest_other[:, None])
    inside = (lower[:, None] <= lower[None, :]) & (lower[None, :] <= upper[:, None])
    return np.where(inside, end - lower[None, :], 0.0).max(axis=1).clip(min=0.0)


def gap_bounds(lower, upper):
    """The right and the left gap bound of every arm; a left gap is a right gap in the mirror."""
    return right_bounds(lower, upper), right_bounds(-upper, -lower)


def ranked(values):
    """Arms from the largest value to the smallest; of equal ones the later arm comes first."""
    values = np.asarray(values).tolist()
    return sorted(range(len(values)), key=lambda arm: (-values[arm], -arm))


def certain_gap(means, lower, upper):
    """Eq. (9): the largest gap that is certain, and the arms above it; 0 and no arm if none is.

    Of several equal ones the highest.
    """
    best, top = 0.0, set()
    order = ranked(means)
    for k in range(1, len(order)):
        value = lower[order[:k]].min() - upper[order[k:]].max()
        if value > best:
            best, top = float(value), set(order[:k])
    return best, top


def widest_empirical_split(values):
    """The arms above the largest gap between neighbouring values; of equal gaps the highest."""
    order = ranked(values)
    gaps = [values[a] - values[b] for a, b in itertools.pairwise(order)]
    return set(order[: gaps.index(max(gaps)) + 1])


# -- what the policies ask -----------------------------------------------------------------------


def arms_where(mask):
    return np.flatnonzero(mask).tolist()


def asks_robin(counts):
    return arms_where(counts == counts.min())


def asks_ucb(either):
    """Algorithm 2, line 5: every arm with the highest bound."""
    return arms_where(either == either.max())


def asks_top2(either):
    """Algorithm 3, lines 5 and 6: every arm with one of the two highest bounds."""
    two_highest = sorted(set(either.tolist()))[-2:]
    return arms_where(either >= two_highest[0])


def touching(lower, upper):
    """Arms whose interval meets another's."""
    meets = (lower[:, None] <= upper[None, :]) & (lower[None, :] <= upper[:, None])
    return arms_where(meets.sum(axis=1) > 1)  # every arm meets itself


@functools.cache
def lil_delta(delta):
    """The d of lil'UCB whose theorem gives an error of ``delta``, by bisection.

    Jamieson et al. (2014), Theorem 2: the best arm is returned with probability at least
    1 - 4 sqrt(x) - 4 x where x = (2 + e) / e * (d / log(1 + e))^(1 + e).
    """
    e = 0.01

    def error(d):
        x = (2 + e) / e * (d / math.log(1 + e)) ** (1 + e)
        return 4 * math.sqrt(x) + 4 * x

    low, high = 0.0, math.log(1 + e) / e
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if error(middle) <= delta else (low, middle)
    return low


def lil_ucb_index(mean, pulls, variance, d):
    """Jamieson et al. (2014), line 4 of their Figure 1, at epsilon = 0.01 and beta = 1."""
    e, beta = 0.01, 1.0
    iterated = math.log(math.log((1 + e) * pulls) / d)
    factor = (1 + beta) * (1 + math.sqrt(e))
    return mean + factor * math.sqrt(2 * variance * (1 + e) * iterated / pulls)


# -- when they stop -------------------------------------------------------------------------------


def clusters_rule(means, lower, upper):
    """No gap inside either cluster can be as large as the certain one."""
    value, top = certain_gap(means, lower, upper)
    if not top:
        return False
    right, left = gap_bounds(lower, upper)
    return all((right[a] if a in top else left[a]) < value for a in range(len(means)))


def dominant_pair(counts, c):
    """Two arms have c times the samples of all others."""
    counts = sorted(counts)
    return sum(counts[-2:]) >= c * sum(counts[:-2])


def third_below(means, lower, upper):
    """A gap is certain, and at most two arms have a gap bound above it."""
    either = np.sort(np.maximum(*gap_bounds(lower, upper)))
    value, top = certain_gap(means, lower, upper)
    return bool(top) and (len(either) == 2 or either[-3] <= value)


def second_below(means, lower, upper):
    """The second-highest gap bound lies below the lower bound on the largest gap."""
    either = np.maximum(*gap_bounds(lower, upper))
    others = [bound for bound in either if bound < either.max()]
    return max(others, default=-math.inf) < certain_gap(means, lower, upper)[0]


def dominant_gap(pulls):
    """lil'UCB's rule, lambda = ((2 + beta) / beta)^2 = 9: T_g >= 1 + 9 times all other pulls."""
    most = max(pulls)
    return most >= 1 + 9 * (sum(pulls) - most)


# -- a whole policy -------------------------------------------------------------------------------


class Plain:
    """A policy by name, with the settings of the package's; arms are numbers."""

    def __init__(self, name, n_arms, *, delta=0.05, sigma=1.0, confidence="normal-mixture",
                 nested=False, stopping="clusters", c=5.0):  # fmt: skip
        self.name, self.n_arms, self.delta = name, n_arms, delta
        self.sigma = np.broadcast_to(sigma, (n_arms,)).astype(float)
        self.confidence, self.nested, self.rule, self.c = confidence, nested, stopping, c
        self.counts, self.sums = np.zeros(n_arms, int), np.zeros(n_arms)
        self.mean = np.zeros(n_arms)
        self.lower, self.upper = np.full(n_arms, -np.inf), np.full(n_arms, np.inf)
        self.active = set(range(n_arms))
        self.order = None  # SortThenSearch: the certified order, smallest mean first
        self.next = list(range(n_arms))
        self.stopped = self.proved = False
        self.top = None

    @property
    def means(self):
        """Empirical means; one that nested intervals leave outside counts at the nearest end."""
        return np.clip(self.mean, self.lower, self.upper)

    def tell(self, arms, rewards):
        for arm, reward in zip(arms, rewards, strict=True):
            self.counts[arm] += 1
            self.sums[arm] += reward
            self.move(arm)
        if not self.stopped:
            self.decide()

    def move(self, arm):
        """Eq. (5), and eq. (28) for nested intervals; those that cross stay where they were."""
        half = radius(self.confidence, self.counts[arm], delta=self.delta, n_arms=self.n_arms,
                      sigma=float(self.sigma[arm]))  # fmt: skip
        mean = self.mean[arm] = self.sums[arm] / self.counts[arm]
        low, high = mean - half, mean + half
        if self.nested:
            low, high = max(low, self.lower[arm]), min(high, self.upper[arm])
        if low <= high:
            self.lower[arm], self.upper[arm] = low, high

    def decide(self):
        if (self.counts == 0).any():
            self.next = arms_where(self.counts == 0)
            return
        estimate = self.means, self.lower, self.upper
        either = np.maximum(*gap_bounds(self.lower, self.upper))
        value, top = certain_gap(*estimate)
        pulls = None
        if self.name == "RoundRobin":
            self.next = asks_robin(self.counts)
        elif self.name == "MaxGapUCB":
            self.next = asks_ucb(either)
        elif self.name == "MaxGapTop2UCB":
            self.next = asks_top2(either)
        elif self.name == "MaxGapElim":
            if value > 0:  # Algorithm 1, line 6; who has gone stays away
                self.active = {a for a in self.active if either[a] > value}
            self.next = sorted(self.active)
        else:
            if self.order is None:
                if touching(self.lower, self.upper):
                    self.next = touching(self.lower, self.upper)
                    return  # no rule is looked at before the order is certain
                self.order = np.argsort(self.means).tolist()
            pulls = [min(self.counts[a], self.counts[b]) for a, b in itertools.pairwise(self.order)]
            self.next = self.search(pulls)
        if self.holds(estimate, value, top, pulls):
            self.stopped, self.next = True, []
            self.top = top if self.proved else widest_empirical_split(self.means)
        elif self.name == "MaxGapElim" and len(self.active) < 2:
            self.active = set(range(self.n_arms))
            self.next = sorted(self.active)

    def search(self, pulls):
        """Both arms of the gap with the largest lil'UCB index; a gap's noise has two variances."""
        indices = [
            lil_ucb_index(
                self.mean[b] - self.mean[a],
                n,
                self.sigma[a] ** 2 + self.sigma[b] ** 2,
                lil_delta(self.delta),
            )
            for (a, b), n in zip(itertools.pairwise(self.order), pulls, strict=True)
        ]
        g = indices.index(max(indices))
        return sorted(self.order[g : g + 2])

    def holds(self, estimate, value, top, pulls):
        """Whether the stopping rule holds; ``proved`` says whether that certifies the answer."""
        name, rule = self.name, self.rule
        if rule is None:
            return False
        if rule == "clusters":
            self.proved = clusters_rule(*estimate)
            return self.proved
        literal = rule == "literal"
        if name == "MaxGapUCB":
            return dominant_pair(self.counts, self.c) and (literal or value > 0)
        if name in ("RoundRobin", "MaxGapTop2UCB") and not literal:
            self.proved = third_below(*estimate)
            return self.proved
        if name == "MaxGapTop2UCB":
            return second_below(*estimate)
        if name == "MaxGapElim":
            if literal:
                return len(self.active) <= 2
            self.proved = len(self.active) == 2 and len(self.active & top) == 1
            return self.proved
        return name == "SortThenSearch" and dominant_gap(pulls)

    def answer(self):
        return self.top if self.stopped else widest_empirical_split(self.means)


def plain_run(policy, problem, budget, rng):
    """Ask, draw a normal reward, tell, until it stops or the budget is spent."""
    while not policy.stopped and policy.counts.sum() < budget:
        arms = policy.next[: budget - policy.counts.sum()]
        rewards = [problem.means[a] + problem.sigmas[a] * rng.standard_normal() for a in arms]
        policy.tell(arms, rewards)
    return policy


# -- statistics ----------------------------------------------------------------------------------


def wilson(wrong, runs):
    """The two roots p of (share - p)^2 = z^2 p (1 - p) / runs, by bisection."""
    z, share = 1.959963984540054, wrong / runs

    def outside(p):
        return (share - p) ** 2 > z**2 * p * (1 - p) / runs

    def edge(inside, beyond):
        for _ in range(100):
            middle = (inside + beyond) / 2
            inside, beyond = (inside, middle) if outside(middle) else (middle, beyond)
        return inside

    return edge(share, 0.0), edge(share, 1.0)


def non_increasing(values):
    """The closest non-increasing curve in least squares: the min-max formula."""
    n = len(values)
    return [
        max(min(sum(values[i : j + 1]) / (j - i + 1) for i in range(k + 1)) for j in range(k, n))
        for k in range(n)
    ]


def first_at_or_below(curve, samples, level):
    """Where straight lines through the points of a curve first reach the level."""
    for k, value in enumerate(curve):
        if value <= level:
            if k == 0:
                return float(samples[0])
            share = (curve[k - 1] - level) / (curve[k - 1] - value)
            return samples[k - 1] + share * (samples[k] - samples[k - 1])
    return math.inf
