"""How many more rewards: a policy goes on, again and again, in a world that looks like the data.

Nothing here is proved. What is not known of the world, how its rewards are spread and where its
means lie, is taken from the data or from a guess; the answer is a median and an interval, for
planning and not for publishing.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from maxgap._checking import checked_bounds, checked_confidence
from maxgap._core.types import Floats, Integers
from maxgap._numbers import as_float, as_floats, is_whole
from maxgap.confidence import check_delta, check_sigma
from maxgap.policies import MaxGapContrasts, MaxGapTop2UCB, Policy, RoundRobin
from maxgap.statistics import decimal, significant

__all__ = ["Forecast", "Plan", "Setting", "World", "checked_setting", "forecast", "plan"]

#: Simulations of a forecast, and the rewards and rounds after which one is given up.
REPLICATES, MOST, MOST_ROUNDS = 20, 1_000_000, 3_000
#: Where there are so many times the most rewards already, nothing is simulated.
LARGE = 4
#: In a simulation an arm that is asked for gets this part of its rewards more at a time.
PART = 10
#: The certificates on offer, and the policy that samples for each.
POLICY_OF: dict[str, type[Policy]] = {
    "either": MaxGapContrasts,
    "clusters": MaxGapTop2UCB,
    "contrasts": MaxGapContrasts,
}


class Forecast(NamedTuple):
    """A number of rewards: the median of the simulations, and what 8 of 10 of them lie between.

    Infinite where the simulations were given up before, after a million rewards or sooner.

    Examples
    --------
    >>> print(Forecast(1234.0, 870.0, math.inf))
    about 1,200 (870 to more than can be simulated)
    """

    median: float
    low: float
    high: float

    def __str__(self) -> str:
        low, middle, high = (_roughly(x) for x in (self.low, self.median, self.high))
        if not math.isfinite(self.low):
            return low
        return f"about {middle} ({low} to {high})" if math.isfinite(self.median) else f"over {low}"


def _roughly(number: float) -> str:
    if not math.isfinite(number):
        return "more than can be simulated"
    return significant(number) if number >= 100 else decimal(number)


class Plan(NamedTuple):
    """How many rewards it takes in all: asked for one by one as a policy says, or all equally.

    Examples
    --------
    >>> made = plan([4.2, 4.0, 2.6], bounds=(1, 5), sd=0.8)
    >>> made.adaptive.median <= made.equal.median
    True
    """

    adaptive: Forecast
    equal: Forecast

    def __str__(self) -> str:
        return (
            f"{'asking as told':<20}{self.adaptive}\n"
            f"{'all equally often':<20}{self.equal}\n"
            "ratings in all until the split is certified; in brackets 8 of 10 simulations"
        )


class Setting(NamedTuple):
    """What rewards are assumed to be, and which certificate is asked for: chosen before looking."""

    bounds: tuple[float, float] | None
    sigma: Any
    delta: float
    confidence: Any
    stopping: str

    @property
    def scale(self) -> dict[str, Any]:
        """What says how far apart rewards can be, as policies take it."""
        return {"sigma": self.sigma} if self.bounds is None else {"bounds": self.bounds}

    def policy(self, arms: int | Sequence[Hashable], cls: type[Policy] | None = None) -> Policy:
        """A policy of these settings that has not begun; by default one that samples for it."""
        return (cls or POLICY_OF[self.stopping])(
            arms,
            delta=self.delta,
            confidence=self.confidence,
            stopping=self.stopping,
            **self.scale,
        )


def checked_setting(bounds: Any, sigma: Any, delta: Any, confidence: Any, stopping: Any) -> Setting:
    """The setting, or a ValueError that names what cannot be used.

    Examples
    --------
    >>> checked_setting((1, 5), None, 0.05, None, "clusters")[1:4]
    (2.0, 0.05, 'empirical-bernstein')
    """
    if (bounds is None) == (sigma is None):
        raise ValueError(
            "give bounds=(lowest, highest), between which every reward must lie, or else sigma=, "
            f"got bounds {bounds!r} and sigma {sigma!r}: ratings alone do not tell either"
        )
    if stopping not in POLICY_OF:
        raise ValueError(f"stopping must be one of {list(POLICY_OF)}, got {stopping!r}")
    if bounds is not None:
        bounds = checked_bounds(bounds)
        sigma = (bounds[1] - bounds[0]) / 2
    elif not hasattr(sigma, "items"):  # by label it is checked once the labels are known
        number = as_float(sigma)
        if number is None:
            raise ValueError(f"sigma must be a number or go by the arms' labels, got {sigma!r}")
        sigma = float(check_sigma(number))
    if confidence is None:
        confidence = "normal-mixture" if bounds is None else "empirical-bernstein"
    return Setting(bounds, sigma, check_delta(delta), checked_confidence(confidence), stopping)


class World(NamedTuple):
    """What rewards are simulated from: of every arm a mean, its standard error, a variance."""

    means: Floats
    errors: Floats
    variances: Floats
    bounds: tuple[float, float] | None

    def draw(self, rng: np.random.Generator, means: Floats, arms: Integers) -> Floats:
        """A reward of each of these arms.

        In bounds it is the mean itself, or now and then one of the bounds: that gives every mean
        and variance there can be, and nothing here looks at more.
        """
        mean, variance = means[arms], self.variances[arms]
        if self.bounds is None:
            return rng.normal(mean, np.sqrt(variance))
        low, high = self.bounds
        largest = (mean - low) * (high - mean)
        at_ends = rng.random(arms.size) * largest < variance
        ends = np.where(rng.random(arms.size) * (high - low) < mean - low, high, low)
        return np.where(at_ends, ends, mean)

    def drawn_means(self, rng: np.random.Generator) -> Floats:
        """True means that go with the data."""
        means = rng.normal(self.means, self.errors)
        return means if self.bounds is None else np.clip(means, *self.bounds)


def forecast(
    policy: Policy,
    world: World,
    *,
    replicates: int = REPLICATES,
    most: int = MOST,
    seed: int = 0,
) -> Forecast:
    """How many rewards until the policy stops, from where it is; the policy is not changed.

    Arms are asked for in rounds that grow with what is known, so that a simulation takes few.

    Examples
    --------
    >>> from maxgap import RoundRobin
    >>> world = World(np.array([0.0, 1.0]), np.zeros(2), np.full(2, 0.01), None)
    >>> forecast(RoundRobin(2, sigma=0.1), world, replicates=5).median
    6.0
    """
    taken = np.full(replicates, math.inf)
    if policy.counts.sum() > LARGE * most:
        replicates = 0  # the most would hardly change anything
    for i, branch in enumerate(np.random.SeedSequence(seed).spawn(replicates)):
        rng = np.random.default_rng(branch)
        going = copy.copy(policy)
        taken[i] = _go_on(going, world, rng, most)
        policy._radii = going._radii  # the next one need not compute them again
    low, median, high = np.quantile(taken, [0.1, 0.5, 0.9], method="inverted_cdf")
    return Forecast(float(median), float(low), float(high))


def _go_on(policy: Policy, world: World, rng: np.random.Generator, most: int) -> float:
    """How many rewards until it stops; infinite if it is given up."""
    means = world.drawn_means(rng)
    taken = 0
    for _ in range(MOST_ROUNDS):
        if policy.stopped:
            return taken
        if taken >= most:
            break
        asked = policy._listed().copy()
        each = np.maximum(1, policy.counts[asked] // PART)
        arms = np.repeat(asked, each)[: most - taken]
        policy._take(arms, world.draw(rng, means, arms))
        taken += arms.size
    return math.inf


def plan(
    means: ArrayLike,
    *,
    bounds: tuple[float, float] | None = None,
    sigma: float | None = None,
    sd: ArrayLike | None = None,
    delta: float = 0.05,
    confidence: Any = None,
    stopping: str = "either",
    replicates: int = REPLICATES,
    seed: int = 0,
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
    replicates : int
        Simulations, from 1.
    seed : int
        The same seed gives the same plan.

    Raises
    ------
    ValueError
        If an argument cannot be used: which one, and its value.

    Examples
    --------
    >>> print(plan([1.0, 0.0], sigma=0.1))
    asking as told      about 4 (4 to 6)
    all equally often   about 4 (4 to 6)
    ratings in all until the split is certified; in brackets 8 of 10 simulations
    """
    setting = checked_setting(bounds, sigma, delta, confidence, stopping)
    guessed = as_floats(means)
    if guessed is None or guessed.ndim != 1 or guessed.size < 2 or not np.isfinite(guessed).all():
        raise ValueError(f"means must be two numbers or more, got {means!r}")
    gaps = np.sort(np.diff(np.sort(guessed)))
    if gaps[-1] == 0 or (gaps.size > 1 and gaps[-2] >= gaps[-1] * (1 - 1e-9)):
        raise ValueError(f"means: no gap is the largest, no number of rewards tells, got {means!r}")
    if hasattr(setting.sigma, "items"):
        raise ValueError(f"sigma must be a number, got {sigma!r}")
    largest = np.full(guessed.size, setting.sigma**2)
    if setting.bounds is not None:
        low, high = setting.bounds
        largest = (guessed - low) * (high - guessed)
        if (largest < 0).any():
            raise ValueError(f"means must lie in the bounds {low:g} to {high:g}, got {means!r}")
    variances = largest
    if sd is not None:
        spreads = as_floats(sd)
        if spreads is None or spreads.shape not in ((), guessed.shape) or not (spreads >= 0).all():
            raise ValueError(f"sd must be a number from 0, or one for each arm, got {sd!r}")
        variances = np.minimum(spreads**2, largest)
    for name, value, least in (("replicates", replicates, 1), ("seed", seed, 0)):
        if not is_whole(value) or value < least:
            raise ValueError(f"{name} must be a whole number from {least}, got {value!r}")
    world = World(guessed, np.zeros(guessed.size), variances, setting.bounds)
    return Plan(
        *(
            forecast(setting.policy(guessed.size, cls), world, replicates=replicates, seed=seed)
            for cls in (None, RoundRobin)
        )
    )
