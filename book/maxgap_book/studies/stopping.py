"""Runs that stop by themselves: how often they are wrong, how long they take, what that follows."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from maxgap import MaxGapTop2UCB, Policy, Problem, hardness, problems
from maxgap.simulate import replicate, run
from maxgap.statistics import median_interval, wilson_interval
from maxgap_book.printing import decimal, interval, percent
from maxgap_book.standard_errors import normal_interval, ratio_of_means

__all__ = [
    "certain_top",
    "constant_of_line",
    "family_sums",
    "median_text",
    "medians",
    "ratio",
    "ratios_to",
    "rules_compared",
    "watched",
    "wrong_stops",
]


def wrong_stops(
    policies: Mapping[Hashable, Policy],
    problem: Problem,
    *,
    budget: int = 20_000,
    runs: int,
    seed: int,
) -> pd.DataFrame:
    """How often each policy stops with a wrong answer, and its median samples: a row a policy.

    Parameters
    ----------
    policies : mapping of hashable to Policy
        Label -> policy, not yet started.
    problem : Problem
        What they are run on.
    budget : int
        The most samples of a run; one that has not stopped by then is not wrong.
    runs, seed : int
        Runs of each policy, and the seed of all.

    Returns
    -------
    DataFrame
        Columns stopped, wrong (counts), error, low, high (the share with its interval), "wrong in"
        (the same as text) and samples (the median as text, "> 20,000" if it is the budget).
    """
    study = replicate(policies, problem, budget=budget, replicates=runs, checkpoints=1, seed=seed)
    stops = study.stops.assign(wrong=lambda rows: rows["stopped"] & ~rows["correct"])
    grouped = stops.groupby("policy", sort=False)
    table = grouped[["stopped", "wrong"]].sum()
    table["error"] = table["wrong"] / runs
    table["low"], table["high"] = wilson_interval(table["wrong"], runs)
    shares = table[["error", "low", "high"]].to_numpy()
    table["wrong in"] = [percent(*share) for share in shares]
    middle = grouped["samples"].median()
    table["samples"] = [f"> {budget:,}" if m == budget else decimal(m) for m in middle]
    return table


def watched(
    policy: Policy,
    truth: Problem,
    rng: np.random.Generator,
    over: Callable[[Policy], bool],
    most: int,
) -> bool:
    """Run a policy until `over` holds or an arm has `most` samples; return if all intervals held.

    Examples
    --------
    >>> from maxgap import RoundRobin
    >>> policy, truth = RoundRobin(3), Problem([0.0, 1.0, 5.0])
    >>> rng = np.random.default_rng(1)
    >>> watched(policy, truth, rng, over=lambda policy: policy.stopped, most=1000)
    True
    >>> policy.stopped
    True
    """
    valid = True
    while not over(policy) and policy.counts.max() < most:
        arms = np.array(policy.ask(), dtype=np.intp)
        noise = truth.sigmas[arms] * rng.standard_normal(len(arms))
        policy.tell(arms, truth.means[arms] + noise)
        hold = (policy.lower <= truth.means) & (truth.means <= policy.upper)
        valid &= bool(hold.all())
    return valid


def certain_top(policy: Policy) -> frozenset[int]:
    """The arms above the certain gap of a policy, by its estimates inside the intervals.

    Examples
    --------
    >>> from maxgap import RoundRobin
    >>> policy = RoundRobin(3, sigma=0.1)
    >>> policy.tell(policy.ask(), [0.0, 0.2, 5.0])
    >>> sorted(certain_top(policy))
    [2]
    """
    estimates = np.clip(policy.means, policy.lower, policy.upper)
    ranked = np.argsort(-estimates)
    return frozenset(ranked[: policy.gap_lower().split_rank].tolist())


def median_text(samples: ArrayLike) -> str:
    """Median with its 95% interval as text, to two digits of the interval.

    Examples
    --------
    >>> median_text(range(2000, 3000, 10)), median_text([7] * 20)
    ('2,500 (2,390-2,600)', '7')
    """
    value, low, high = median_interval(samples)
    if low == high:
        return decimal(value)
    # No fractions of a sample.
    return interval(value, low, high, None if high - low >= 20 else 0)


def rules_compared(problem: Problem, *, delta: float, runs: int, seed: int) -> pd.DataFrame:
    """Samples of MaxGapTop2UCB until either rule holds, on the same noise: a row a run.

    Returns
    -------
    DataFrame
        Columns clusters, paper (samples), and wrong (0 to 2 answers).
    """
    rows = []
    for number in range(runs):
        ends = {
            rule: run(
                MaxGapTop2UCB(problem.n_arms, delta=delta, sigma=problem.sigma, stopping=rule),
                problem,
                budget=10**6,
                rng=np.random.default_rng([seed, number]),
            )
            for rule in ("clusters", "paper")
        }
        wrong = sum(not end.correct for end in ends.values())
        rows.append({rule: end.samples for rule, end in ends.items()} | {"wrong": wrong})
    return pd.DataFrame(rows)


def medians(runs: pd.DataFrame, by: list[str], seed: int) -> pd.DataFrame:
    """Median samples of every group, with a bootstrap standard error and 95% interval.

    Parameters
    ----------
    runs : DataFrame
        ``Study.stops``, or several of them one below the other.
    by : list of str
        Columns whose values make the groups, which keep their order.
    seed : int
        Of the bootstrap, anew for each group.

    Returns
    -------
    DataFrame
        The columns `by`, then median, error, low, high.

    Examples
    --------
    >>> runs = pd.DataFrame({"policy": ["a"] * 50, "samples": range(50)})
    >>> medians(runs, ["policy"], seed=1).round(1).to_dict("list")
    {'policy': ['a'], 'median': [24.5], 'error': [3.4], 'low': [17.8], 'high': [31.2]}
    """

    def of(samples: pd.Series) -> pd.Series:
        values = samples.to_numpy()
        drawn = np.random.default_rng(seed).choice(values, size=(1000, values.size))
        error = np.median(drawn, axis=1).std(ddof=1)
        return pd.Series({"median": np.median(values), "error": error})

    table = runs.groupby(by, sort=False)["samples"].apply(of).unstack().reset_index()
    table["low"], table["high"] = normal_interval(table["median"], table["error"])
    return table


def ratios_to(points: pd.DataFrame, base: str) -> pd.DataFrame:
    """How many times fewer samples each policy takes than `base`, under the same rule and gap.

    Parameters
    ----------
    points : DataFrame
        Of `medians`, by rule, policy and gap.
    base : str
        A policy.

    Returns
    -------
    DataFrame
        Columns rule, policy, gap, ratio, low, high, without the rows of `base`.
    """
    of_base = points[points["policy"] == base].drop(columns="policy")
    table = points[points["policy"] != base].merge(
        of_base, on=["rule", "gap"], suffixes=("", "_base")
    )
    table["ratio"], error = ratio_of_means(
        table["median_base"], table["error_base"], table["median"], table["error"]
    )
    table["low"], table["high"] = normal_interval(table["ratio"], error)
    return table[["rule", "policy", "gap", "ratio", "low", "high"]]


def ratio(above: Mapping[str, float], below: Mapping[str, float]) -> tuple[float, float, float]:
    """Ratio of two medians with its 95% interval; each has "median" and "error".

    Examples
    --------
    >>> interval(*ratio({"median": 600, "error": 30}, {"median": 100, "error": 0}))
    '6.0 (5.4-6.6)'
    """
    times, error = ratio_of_means(above["median"], above["error"], below["median"], below["error"])
    low, high = normal_interval(times, error)
    return float(times), float(low), float(high)


def constant_of_line(x: ArrayLike, y: ArrayLike, error: ArrayLike) -> tuple[float, float, float]:
    """Constant of a line through points with errors, in units of its slope, with its interval.

    By weighted least squares. Where the misfit, the sum of squared residuals in standard errors
    over the degrees of freedom, is above 1, the interval is widened by its square root.

    Examples
    --------
    >>> constant, low, high = constant_of_line([1, 2, 4], [14, 18, 26], [0.1, 0.1, 0.1])
    >>> round(constant, 6), round(high - constant, 2)
    (2.5, 0.11)
    """
    x, y, error = (np.asarray(values, dtype=np.float64) for values in (x, y, error))
    rows = np.column_stack([np.ones_like(x), x]) / error[:, None]
    covariance = np.linalg.inv(rows.T @ rows)
    constant, slope = covariance @ rows.T @ (y / error)
    off = (y - constant - slope * x) / error
    misfit, units = off @ off / (x.size - 2), constant / slope
    gradient = np.array([1.0, -units]) / slope
    spread = np.sqrt(max(misfit, 1.0) * gradient @ covariance @ gradient)
    low, high = normal_interval(units, spread)
    return float(units), float(low), float(high)


def family_sums(gap: float) -> dict[str, float]:
    """Four sums over the arms of the 18-arm family whose second-largest gap is `gap`.

    "gamma" is the hardness of Theorem 2, "beside g" its part of the two arms beside the gap. "rho"
    sums (8 rho)^-2 over the suboptimal arms; "one-sided rho" over all, and counts of each arm the
    side alone that the cluster rule looks at.

    Examples
    --------
    >>> {name: round(value) for name, value in family_sums(0.36).items()}
    {'gamma': 20200, 'beside g': 1250, 'rho': 4642, 'one-sided rho': 1641}
    """
    means = problems.stopping_time_family(gap).means
    away = hardness.suboptimal_arms(means)
    gamma, rho = hardness.gamma(means), hardness.rho(means)
    # The outermost arms need some samples, too.
    one_sided = np.minimum(hardness.one_sided(rho, means), 0.4 / 8)
    return {
        "gamma": float(np.sum(gamma.either[away] ** -2.0)),
        "beside g": float(np.sum(gamma.either[[11, 12]] ** -2.0)),
        "rho": float(np.sum((8 * rho.either[away]) ** -2.0)),
        "one-sided rho": float(np.sum((8 * one_sided) ** -2.0)),
    }
