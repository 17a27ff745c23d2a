"""Samples of single arms against their hardness, and runs with the worst noise allowed.

The chapters on the hardness parameter share these: random instances, a row for each arm of a run,
the power law that the rows follow, and what a theorem on valid intervals has to withstand.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from maxgap import MaxGapElim, Problem, confidence, hardness, simulate

__all__ = [
    "FittedLaw",
    "best_helper",
    "lemma_cases",
    "power_law_of",
    "random_instances",
    "right_slot",
    "rounds_held",
    "single_arms",
    "sum_of",
    "worst_noise",
]

#: For which the paper's radius is proved.
SIGMA = 0.5**0.5


class FittedLaw(NamedTuple):
    """Samples in proportion to a power of a number: the exponent with its 95% interval.

    Examples
    --------
    >>> law = FittedLaw(exponent=1.0, low=0.9, high=1.1, factor=3.0)
    >>> law.factor * 4.0**law.exponent
    12.0
    """

    exponent: float
    low: float
    high: float
    factor: float


def random_instances(number: int, seed: int) -> list[Problem]:
    """Draw instances of 6 to 15 arms with exponential gaps, the largest of which is 4.

    The second largest is at most 95% of it, and the least gamma at least 1%: other runs are long.

    Examples
    --------
    >>> [problem.n_arms for problem in random_instances(3, 20190605)]
    [11, 13, 9]
    """
    rng = np.random.default_rng(seed)
    found: list[Problem] = []
    while len(found) < number:
        gaps = rng.exponential(size=rng.integers(5, 15))
        means = np.append(0.0, np.cumsum(4 * gaps / gaps.max()))
        away = hardness.suboptimal_arms(means)
        least = hardness.gamma(means).either[away].min()
        if np.sort(gaps)[-2] <= 0.95 * gaps.max() and least >= 0.04:
            found.append(Problem(means, SIGMA))
    return found


def single_arms(
    make: Callable[[int], Any], instances: list[Problem], seed: int, budget: int = 2_000_000
) -> pd.DataFrame:
    """Run a policy once on each instance; a row for each arm but (m) and (m + 1).

    Parameters
    ----------
    make : callable
        Takes the number of arms, returns a fresh policy.
    instances : list of Problem
    seed : int
        With the number of the instance it seeds the run.
    budget : int
        Samples after which a run is broken off.

    Returns
    -------
    DataFrame
        Columns instance, arm, samples, gamma, rho, helped (bool: a helper is needed, that is, rho
        does not exceed gamma / 4), correct (bool: of the run).
    """
    parts = []
    for i, problem in enumerate(instances):
        rng = np.random.default_rng([seed, i])
        run = simulate.run(make(problem.n_arms), problem, budget=budget, rng=rng)
        away = hardness.suboptimal_arms(problem.means)
        gamma = hardness.gamma(problem.means).either[away]
        rho = hardness.rho(problem.means).either[away]
        rows = {"instance": i, "arm": away, "samples": run.counts[away], "gamma": gamma, "rho": rho}
        helped = rho <= gamma / 4 * (1 + 1e-9)
        parts.append(pd.DataFrame({**rows, "helped": helped, "correct": run.correct}))
    return pd.concat(parts, ignore_index=True)


def power_law_of(rows: pd.DataFrame, column: str, seed: int, resamples: int = 2000) -> FittedLaw:
    """Fit samples = factor * (1 / column^2)^exponent by least squares on logarithms.

    The interval is a bootstrap over instances, since the arms of one run depend on each other.
    """
    x, y = -2 * np.log(rows[column]), np.log(rows["samples"])
    columns = pd.DataFrame({"n": 1.0, "x": x, "y": y, "xx": x * x, "xy": x * y})
    per = columns.groupby(rows["instance"]).sum().to_numpy()
    rng = np.random.default_rng(seed)
    weights = rng.multinomial(len(per), np.full(len(per), 1 / len(per)), size=resamples)
    n, sx, sy, sxx, sxy = (np.vstack([np.ones(len(per)), weights]) @ per).T
    exponent = (n * sxy - sx * sy) / (n * sxx - sx**2)
    low, high = np.quantile(exponent[1:], [0.025, 0.975])
    factor = np.exp((sy[0] - exponent[0] * sx[0]) / n[0])
    return FittedLaw(float(exponent[0]), float(low), float(high), float(factor))


def right_slot(lower: ArrayLike, upper: ArrayLike, arm: int) -> tuple[int, int]:
    """The arm at whose lower end an arm's right-gap bound opens, and the one that closes it.

    Some arm must lie above every lower end in the arm's interval.

    Examples
    --------
    >>> right_slot([0.0, 0.5, 2.0], [1.0, 1.5, 3.0], 0)
    (1, 2)
    """
    low, high = np.asarray(lower, dtype=float), np.asarray(upper, dtype=float)
    opens = np.flatnonzero((low[arm] <= low) & (low <= high[arm]))
    slots = [(i, min(np.flatnonzero(low > low[i]), key=lambda j: high[j])) for i in opens]
    opening, closing = max(slots, key=lambda slot: high[slot[1]] - low[slot[0]])
    return int(opening), int(closing)


def sum_of(widths: ArrayLike) -> float:
    """Sum of inverse squares.

    Examples
    --------
    >>> sum_of([0.5, np.inf])
    4.0
    """
    return float(np.sum(np.asarray(widths, dtype=float) ** -2.0))


def best_helper(means: ArrayLike, arm: int) -> int:
    """The arm that is worth most as a helper, in rho, on the harder side of an arm.

    Examples
    --------
    >>> best_helper([0.0, 1.0, 2.0, 6.5, 8.0], 0)
    2
    """
    mu = np.asarray(means, dtype=float)
    sides = hardness.rho(mu)
    distance = mu - mu[arm] if sides.right[arm] <= sides.left[arm] else mu[arm] - mu
    worth = np.minimum(distance / 4, (Problem(mu).delta_max - distance) / 8)
    return int(np.where(distance > 0, worth, -np.inf).argmax())


class LemmaCases(NamedTuple):
    """One run of MaxGapElim: whether all intervals held, and how a lemma fared in it.

    Examples
    --------
    >>> LemmaCases(held=True, failures=0, cases=40, reach=1.5).failures
    0
    """

    held: bool
    failures: int
    cases: int
    reach: float


def lemma_cases(problem: Problem, rng: np.random.Generator, delta: float) -> LemmaCases:
    """Put the lemma on dropped arms, and the paper's Lemma 5, to the test on one run.

    A case is an arm and a side, in a round in which the radius is small enough for the lemma; it
    fails where the bound on that side is not below the certain gap. `reach` is how many radii an
    end of an interval is away from the mean, at most.
    """
    n_arms, rho = problem.n_arms, hardness.rho(problem.means)
    policy = MaxGapElim(
        n_arms, delta=delta, sigma=SIGMA, confidence="paper", nested=True, stopping="paper"
    )
    failures, cases, reach = 0, 0, 0.0
    while not policy.stopped:
        asked = np.array(policy.ask())
        noise = SIGMA * rng.standard_normal(asked.size)
        policy.tell(asked, problem.means[asked] + noise)
        own = confidence.radius("paper", policy.counts, delta=delta, n_arms=n_arms)
        ends = np.abs([policy.lower, policy.upper] - problem.means)
        reach = max(reach, float((ends / own).max()))
        bounds, certain = policy.gap_bounds(), policy.gap_lower().value
        for bound, needed in ((bounds.right, rho.right), (bounds.left, rho.left)):
            needed = np.minimum(needed, problem.delta_max / 8)
            ready = asked[own.min() < needed[asked]]
            cases += ready.size
            failures += int((bound[ready] >= certain).sum())
    held = np.all((policy.lower <= problem.means) & (problem.means <= policy.upper))
    return LemmaCases(bool(held), failures, cases, reach)


def rounds_held(
    policy: Any, means: ArrayLike, where: ArrayLike, radius: Callable[[Any], Any]
) -> int:
    """Rounds that a policy takes where every average stays at 99% of a radius from its mean.

    Parameters
    ----------
    policy : policy with ``ask`` and ``tell``
        Fresh, with arms 0 to K - 1.
    means : array_like, shape (K,)
    where : array_like of -1 and 1, shape (K,)
        On which side of its mean an arm's average stays.
    radius : callable
        The policy's own: number of samples -> radius.

    Raises
    ------
    ValueError
        If an interval does not hold its mean at the end: the radius is not the policy's.
    """
    mu, side = np.asarray(means, dtype=float), np.asarray(where, dtype=float)
    sums, rounds = np.zeros(mu.size), 0
    while not policy.stopped:
        asked, rounds = np.array(policy.ask()), rounds + 1
        s = policy.counts[asked] + 1
        wanted = s * (mu[asked] + 0.99 * side[asked] * radius(s))
        policy.tell(asked, wanted - sums[asked])
        sums[asked] = wanted
    if not np.all((policy.lower <= mu) & (mu <= policy.upper)):
        raise ValueError("radius must be the policy's own: an interval does not hold its mean")
    return rounds


def worst_noise(
    make: Callable[[], Any], means: ArrayLike, radius: Callable[[Any], Any]
) -> tuple[int, int]:
    """The most rounds, and the most samples, over all choices of sides in `rounds_held`."""
    rounds, samples = 0, 0
    for where in itertools.product([-1, 1], repeat=np.size(means)):
        policy = make()
        rounds = max(rounds, rounds_held(policy, means, where, radius))
        samples = max(samples, int(policy.counts.sum()))
    return rounds, samples
