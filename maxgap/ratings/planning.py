"""How many more rewards: a policy goes on, again and again, in a world that looks like the data.

Nothing here is proved: the world is taken from the data or from a guess. The answer is for planning
and not for publishing.
"""

from __future__ import annotations

import copy
import heapq
import math
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammainc, gammaincinv

from maxgap._numbers import as_floats
from maxgap.policies import Policy, RoundRobin, at_once
from maxgap.ratings.question import Question
from maxgap.ratings.rows import Floats, Integers, Moments
from maxgap.statistics import decimal, significant

__all__ = ["Forecast", "Plan", "World", "forecast", "plan"]

#: In a simulation an arm that is asked for gets this part of its rewards more at a time.
PART = 8
#: What one may cost on average, where a reward costs 1: about a second for all. A limit of time
#: would give the same table another forecast on another machine.
WORK = 500_000
#: Bytes that all of them may take.
MEMORY = 400_000_000


class Forecast(NamedTuple):
    """A number of rewards: the median of the simulations, and what 9 of 10 of them lie between.

    Infinite is what was not reached; nothing was simulated if a single round were too much.

    Examples
    --------
    >>> print(Forecast(1234.0, 870.0, math.inf, 4567))
    about 1,200 (870 to more than 4,500)
    """

    median: float
    low: float
    high: float
    simulated: int

    def __str__(self) -> str:
        median, low, high = map(self._said, self[:3])
        if math.isfinite(self.median):
            return f"about {median} ({low} to {high})"
        if self.simulated == 0:
            return "too much to simulate"
        return f"{median} ({low} at best)" if math.isfinite(self.low) else median

    def _said(self, number: float) -> str:
        """Two digits of it, or more than what."""
        if math.isfinite(number):
            return significant(number) if number >= 100 else decimal(number)
        step = 10 ** max(len(str(self.simulated)) - 2, 0)
        return f"more than {decimal(self.simulated // step * step)}"


class Plan(NamedTuple):
    """How many rewards it takes in all: asked for one by one as a policy says, or all equally.

    Examples
    --------
    >>> plan([1.0, 0.0], sigma=0.1).equal.median
    4.0
    """

    adaptive: Forecast
    equal: Forecast

    def __str__(self) -> str:
        return (
            f"{'asking as told':<20}{self.adaptive}\n"
            f"{'all equally often':<20}{self.equal}\n"
            "ratings in all until the split is certified; in brackets 9 of 10 simulations"
        )


class World(NamedTuple):
    """What rewards are simulated from."""

    means: Floats  # of every arm
    errors: Floats  # of these means
    variances: Floats  # of the arm's rewards
    bounds: tuple[float, float] | None
    group: Integers  # of every arm; those of a group are taken to be alike

    @classmethod
    def of(cls, moments: Moments, policy: Policy, question: Question, group: Integers) -> World:
        """What rewards tell: means with their errors, variances drawn towards their average."""
        counts, means, squares = moments
        freedom = float((counts - 1).sum())
        pooled = squares.sum() / freedom if freedom > 0 else np.square(at_once.scales(policy))
        variances = (squares + pooled) / counts
        if question.bounds is not None:
            low, high = question.bounds
            variances = np.minimum(variances, np.maximum((means - low) * (high - means), 0.0))
        # A mean at a bound is uncertain, too.
        errors = np.sqrt(np.maximum(variances, pooled / counts) / counts)
        return cls(means, errors, variances, question.bounds, group)

    def draw(self, rng: np.random.Generator, means: Floats, arms: Integers) -> Floats:
        """A reward of each of these arms.

        In bounds it is the mean itself, or now and then one of the bounds: that gives every mean
        and variance there can be, and nothing here looks at more.
        """
        means, variances = means[arms], self.variances[arms]
        if self.bounds is None:
            return rng.normal(means, np.sqrt(variances))
        low, high = self.bounds
        largest = (means - low) * (high - means)
        inside = variances < largest
        at_ends = np.divide(variances, largest, out=np.ones(arms.size), where=inside)
        at_high = at_ends * (means - low) / (high - low)
        u = rng.random(arms.size)
        return np.where(u < at_high, high, np.where(u < at_ends, low, means))

    def drawn_means(self, rng: np.random.Generator) -> Floats:
        """True means that go with the data.

        The estimates lie further apart than the means do, by their errors, which must not be added
        once more. So the means of a group are taken to be normal around its centre, with one
        variance for all groups. That is Paule and Mandel's, where the sum of squares is what it
        should be; but that is drawn, from those chi-squared for which there is a variance.
        """
        if not self.errors.any():
            return self.means
        squares = self.errors**2
        sums = np.bincount(self.group, 1 / squares)
        centers = np.bincount(self.group, self.means / squares) / sums
        away = (self.means - centers[self.group]) ** 2
        most = float((away / squares).sum())
        # One degree of freedom less is a uniform prior of the estimates' standard deviation.
        freedom = self.means.size - centers.size - 1
        between = 0.0
        if freedom > 0 < most:
            share = rng.random() * gammainc(freedom / 2, most / 2)
            # Where it is so small that the share is 0, it is nearly always the most.
            drawn = 2 * float(gammaincinv(freedom / 2, share)) or most
            lowest, highest = 0.0, float(away.sum()) / drawn
            for _ in range(40):
                between = (lowest + highest) / 2
                if (away / (between + squares)).sum() > drawn:
                    lowest = between
                else:
                    highest = between
        weights = 1 / (between + squares)
        sums = np.bincount(self.group, weights)
        centers = rng.normal(np.bincount(self.group, weights * self.means) / sums, sums**-0.5)
        kept = between * weights
        middle = kept * self.means + (1 - kept) * centers[self.group]
        means = rng.normal(middle, np.sqrt(kept) * self.errors)
        return means if self.bounds is None else np.clip(means, *self.bounds)


def forecast(policy: Policy, world: World, *, replicates: int = 20) -> Forecast:
    """How many rewards until the policy stops, from where it is; the policy is not changed.

    Arms are asked for in rounds that grow with what is known, so that a simulation takes few. The
    simulation with the fewest rewards goes on, until 19 of 20 have stopped: the others take more.
    """
    price, look, size = at_once.cost(policy, int(world.group.max()) + 1)
    if price + look > WORK or size * replicates > MEMORY:
        return Forecast(math.inf, math.inf, math.inf, 0)
    rngs = [np.random.default_rng(s) for s in np.random.SeedSequence(0).spawn(replicates)]
    draws = [partial(world.draw, rng, world.drawn_means(rng)) for rng in rngs]
    going = [copy.copy(policy) for _ in rngs]
    queue = [(0, i) for i in range(replicates)]
    ends: list[float] = []
    left, taken = WORK * replicates, 0
    while len(ends) < 0.95 * replicates:
        taken, i = heapq.heappop(queue)
        if going[i].stopped:
            ends.append(taken)
            continue
        if left < 0:
            break
        made = at_once.simulated_round(going[i], draws[i], part=PART, most=WORK)
        left -= price + made.rewards + look * made.looked
        heapq.heappush(queue, (taken + made.rewards, i))
    ends += [math.inf] * (replicates - len(ends))
    low, median, high = np.quantile(ends, [0.05, 0.5, 0.95], method="inverted_cdf")
    return Forecast(float(median), float(low), float(high), taken)


def plan(
    means: ArrayLike,
    *,
    bounds: tuple[float, float] | None = None,
    sigma: float | None = None,
    sd: ArrayLike | None = None,
    delta: float = 0.05,
    confidence: Any = None,
    stopping: str = "either",
) -> Plan:
    """How many rewards a certified split will take, if the means are these.

    Parameters
    ----------
    means : array_like, shape (K,)
        Guessed or estimated means.
    bounds, sigma, delta, confidence, stopping
        As in :func:`maxgap.split`.
    sd : float or array_like of shape (K,), optional
        Guessed standard deviations of the rewards; else the largest that there can be: ``sigma``,
        or what the bounds allow at each mean.

    Raises
    ------
    ValueError
        If an argument cannot be used: which one, and its value.

    Examples
    --------
    >>> print(plan([1.0, 0.0], sigma=0.1))
    asking as told      about 4 (2 to 4)
    all equally often   about 4 (2 to 4)
    ratings in all until the split is certified; in brackets 9 of 10 simulations
    """
    question = Question.asked(bounds, sigma, delta, confidence, stopping)
    guessed = as_floats(means)
    if guessed is None or guessed.ndim != 1 or guessed.size < 2 or not np.isfinite(guessed).all():
        raise ValueError(f"means must be two numbers or more, got {means!r}")
    second, largest = np.sort([0.0, *np.diff(np.sort(guessed))])[-2:]
    if second >= largest * (1 - 1e-9):
        raise ValueError(f"means: no gap is the largest, no number of rewards tells, got {means!r}")
    if hasattr(question.sigma, "items"):
        raise ValueError(f"sigma must be a number, got {question.sigma!r}")
    if question.bounds is None:
        variances = np.full(guessed.size, question.sigma**2)
    else:
        low, high = question.bounds
        variances = (guessed - low) * (high - guessed)
        if (variances < 0).any():
            raise ValueError(f"means must lie in the bounds {low:g} to {high:g}, got {means!r}")
    if sd is not None:
        spreads = as_floats(sd)
        if spreads is None or spreads.shape not in ((), guessed.shape) or not (spreads >= 0).all():
            raise ValueError(f"sd must be a number from 0, or one for each arm, got {sd!r}")
        variances = np.minimum(spreads**2, variances)
    one = np.zeros(guessed.size, dtype=np.int64)
    world = World(guessed, np.zeros(guessed.size), variances, question.bounds, one)
    policies = (question.policy(guessed.size, cls) for cls in (None, RoundRobin))
    return Plan(*(forecast(policy, world) for policy in policies))
