"""How often a certificate of contrasts is wrong: instances and sampling rules made to break it.

A run samples until the certificate holds or the budget is spent; the split certified is compared
with the right one. Three policies are the package's own. Two more rules know the true means and do
what they can for a wrong answer: the theorem is for any rule.

The rules that know the truth are compiled, too, so that thousands of runs of every case fit into a
chapter.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from maxgap import MaxGapContrasts, MaxGapTop2UCB, Policy, Problem, RoundRobin, simulate
from maxgap.policies import compiled

__all__ = [
    "SAMPLERS",
    "STRAINS",
    "TIES",
    "Case",
    "ends",
    "exact_interval",
    "worst",
    "wrong_answers",
]

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
Records = NDArray[np.void]


class Case(NamedTuple):
    """An instance, and how long a run may be: so many samples times the number of arms."""

    name: str
    problem: Problem
    samples_per_arm: int = 200
    noise: str = "normal"


def _near_tie(size: int, tie: float = 1e-4) -> list[float]:
    """Three groups of so many arms, 0.1 apart within a group; the gap below the last is wider."""
    group = 0.1 * np.arange(size)
    return [*group, *(group[-1] + 1 + group), *(2 * group[-1] + 2 + tie + group)]


#: Cases in which two gaps tie or nearly do. Noise is small next to the gaps, so that orders are
#: certain soon and what decides are the contrasts.
TIES = (
    Case("near tie, 3 arms", Problem(_near_tie(1), 0.1)),
    Case("near tie, 4 arms", Problem([0.0, 1.0, 1.5, 2.5001], 0.05)),
    Case("near tie, 6 arms", Problem(_near_tie(2), 0.02), 100),
    Case("near tie, 12 arms", Problem(_near_tie(4), 0.02), 30),
    Case("exact tie, 3 arms", Problem([0.0, 1.0, 2.0], 0.1)),
    Case("exact tie, 4 arms", Problem([0.0, 1.0, 1.5, 2.5], 0.05)),
)
#: Near ties that strain something else, too.
STRAINS = (
    Case("twins, 4 arms", Problem([0.0, 0.0, 1.0, 2.0001], 0.1), 100),
    Case("balanced, 4 arms", Problem([0.0, 1.0, 2.0, 3.0001], 0.1), 100),
    Case("balanced, 12 arms", Problem([*range(11), 11.0001], 0.1), 20),
    Case("sigmas 1:10:100", Problem([0.0, 1.0, 2.0001], [0.01, 0.1, 1.0])),
    Case("sigmas 1:100:1", Problem([0.0, 1.0, 2.0001], [0.01, 1.0, 0.01])),
    Case("Bernoulli, 3 arms", Problem([0.2, 0.5, 0.8001], 0.5), 300, "bernoulli"),
    Case("Student-t, 3 arms", Problem([0.0, 1.0, 2.0001], 0.1), 200, "student-t"),
)


def exact_interval(wrong: int, runs: int) -> tuple[float, float]:
    """The interval of Clopper and Pearson for a share, at 95%.

    Examples
    --------
    >>> low, high = exact_interval(0, 2000)
    >>> low, round(high, 4)
    (0.0, 0.0018)
    """
    found = stats.binomtest(wrong, runs).proportion_ci(method="exact")
    return float(found.low), float(found.high)


def wrong_answers(
    cases: Iterable[Case],
    samplers: Iterable[str],
    deltas: Iterable[float],
    *,
    runs: int,
    seed: int,
) -> pd.DataFrame:
    """Count the wrong certified answers of every case, rule of sampling and delta.

    Where several gaps are the largest, the highest of them alone is called right: what is measured
    then is the limit of near ties, in which the others are wrong.

    Parameters
    ----------
    cases : iterable of Case
        The instances.
    samplers : iterable of str
        Names from :data:`SAMPLERS`.
    deltas : iterable of float
        Errors allowed.
    runs : int
        Runs of each combination.
    seed : int
        Each combination and run gets a generator of its own, spawned from it.

    Returns
    -------
    pandas.DataFrame
        Columns case, arms, sampler, delta, runs, certified, wrong, share, low, high, samples: the
        share of runs with a wrong certified answer, with its exact interval at 95%, and the median
        number of samples of all runs, those that spent their budget included.

    Examples
    --------
    >>> case = Case("two arms", Problem([0.0, 1.0], 0.1), samples_per_arm=20)
    >>> table = wrong_answers([case], ["RoundRobin"], [0.1], runs=10, seed=1)
    >>> table[["certified", "wrong"]].to_numpy().tolist()
    [[10, 0]]
    """
    keys = list(itertools.product(cases, samplers, deltas))
    rows = []
    for key, branch in zip(keys, np.random.SeedSequence(seed).spawn(len(keys)), strict=True):
        case, sampler, delta = key
        found = ends(case, sampler, delta, branch.spawn(runs))
        wrong = int((found["certified"] & ~found["right"]).sum())
        rows.append(
            {
                "case": case.name,
                "arms": case.problem.n_arms,
                "sampler": sampler,
                "delta": delta,
                "runs": runs,
                "certified": int(found["certified"].sum()),
                "wrong": wrong,
                "share": wrong / runs,
                **dict(zip(("low", "high"), exact_interval(wrong, runs), strict=True)),
                "samples": float(np.median(found["samples"])),
            }
        )
    return pd.DataFrame(rows)


def worst(table: pd.DataFrame) -> pd.DataFrame:
    """Of every case and delta, the row of the sampler with the most wrong answers.

    Examples
    --------
    >>> table = pd.DataFrame({"case": ["a", "a"], "delta": 0.1, "wrong": [2, 5]})
    >>> worst(table)["wrong"].tolist()
    [5]
    """
    groups = table.groupby(["case", "delta"], sort=False)
    return table.loc[groups["wrong"].idxmax()].reset_index(drop=True)


def ends(case: Case, sampler: str, delta: float, seeds: list[np.random.SeedSequence]) -> Records:
    """How runs of one combination end: samples, certified, right, counts; a run a seed.

    Examples
    --------
    >>> case = Case("two arms", Problem([0.0, 1.0], 0.1), samples_per_arm=20)
    >>> found = ends(case, "RoundRobin", 0.1, np.random.SeedSequence(1).spawn(1))
    >>> bool(found["right"][0]), int(found["counts"].sum() - found["samples"][0])
    (True, 0)
    """
    problem = case.problem
    budget = case.samples_per_arm * problem.n_arms
    settings: Any = {"delta": delta, "sigma": problem.sigmas, "stopping": "contrasts"}
    cls = SAMPLERS[sampler]
    policy = cls(problem if issubclass(cls, Informed) else problem.n_arms, **settings)
    right = frozenset(_order(problem)[_split(problem) :].tolist())
    found = np.zeros(
        len(seeds),
        [("samples", int), ("certified", bool), ("right", bool), ("counts", int, problem.n_arms)],
    )
    for end, seed in zip(found, seeds, strict=True):
        rng = np.random.Generator(np.random.PCG64(seed))
        ended = simulate.run(policy, problem, budget=budget, rng=rng, noise=case.noise)
        end["samples"], end["counts"] = ended.samples, ended.counts
        end["certified"] = ended.certified
        end["right"] = ended.certified and ended.split is not None and ended.split.top == right
    return found


def _order(problem: Problem) -> Integers:
    """The arms, smallest mean first."""
    return np.argsort(problem.means, kind="stable")


def _split(problem: Problem) -> int:
    """Place in the order of the lowest arm above the largest gap, of several the highest."""
    gaps = np.diff(problem.means[_order(problem)])
    return int(np.flatnonzero(gaps >= gaps.max() * (1 - 1e-9))[-1]) + 1


# -- rules that know the truth ---------------------------------------------------------------------


class Informed(Policy):
    """A policy that is told the truth before it begins."""

    waits_for_luck: ClassVar[bool]

    def __init__(self, truth: Problem, **settings: Any) -> None:
        self.truth = truth
        super().__init__(truth.n_arms, **settings)

    def new_lines(self) -> Knowing:
        """What it does, and the truth."""
        means, sigmas = np.array(self.truth.means), np.array(self.truth.sigmas)
        order, split = _order(self.truth), _split(self.truth)
        return Knowing(False, self.waits_for_luck, order, split, means, sigmas)


class Doubled(Informed):
    """Twice as many samples of both arms at the wrong gap: all of its contrasts grow together."""

    waits_for_luck = False


class Lucky(Informed):
    """Stop sampling an arm while its mean errs as wanted, go on with the unluckiest.

    Wanted is that the wrong gap looks wide and the largest narrow. No arm gets more than twice the
    samples of another one of the two gaps; the arms of neither keep pace.
    """

    waits_for_luck = True


class Knowing(NamedTuple):
    """The lines of both: one type, so that they are compiled once."""

    bounds: bool
    waits_for_luck: bool
    order: Integers  # (K,): the arms, smallest mean first
    split: int  # place in it of the lowest arm above the largest gap
    means: Floats
    sigmas: Floats

    def after_round(self, state: Any) -> bool:
        """Whether the stopping rule may be looked at: always."""
        return True

    def choose(self, state: Any) -> None:
        """List the arms to sample next."""
        wanted = _widest_wrong(self.order, self.split, state.arms)
        if self.waits_for_luck:
            _wait_for_luck(self, wanted, state)
        else:
            _double(self.order[wanted - 1], self.order[wanted], state)


#: What samples: a policy of the package, or one that knows the truth and wants a wrong answer.
SAMPLERS: Mapping[str, Any] = {
    "RoundRobin": RoundRobin,
    "MaxGapTop2UCB": MaxGapTop2UCB,
    "MaxGapContrasts": MaxGapContrasts,
    "doubled": Doubled,
    "lucky": Lucky,
}


@compiled
def _widest_wrong(order: Integers, split: int, arms: Records) -> int:
    """Of the true gaps but the largest, the one that is the widest by the means; its place."""
    widest, place = -np.inf, 1
    for k in range(1, order.size):
        gap = arms[order[k]]["mean"] - arms[order[k - 1]]["mean"]
        if k != split and gap > widest:
            widest, place = gap, k
    return place


@compiled
def _double(lower: int, upper: int, state: Any) -> None:
    """Twice as many samples of two arms as of the others, step by step."""
    arms = state.arms
    steps = 1 << 62
    for arm in range(arms.size):
        count = arms[arm]["count"]
        steps = min(steps, count // 2 if arm == lower or arm == upper else count)
    n_next = 0
    for arm in range(arms.size):
        aim = 2 * steps + 2 if arm == lower or arm == upper else steps + 1
        if arms[arm]["count"] < aim:
            state.next[n_next] = arm
            n_next += 1
    state.progress[0]["n_next"] = n_next


@compiled
def _wait_for_luck(truth: Any, wanted: int, state: Any) -> None:
    """The unluckiest of the arms of the wrong gap and of the largest, and whoever lags behind."""
    arms, order, split = state.arms, truth.order, truth.split
    fewest = 1 << 62
    for k in (wanted - 1, wanted, split - 1, split):
        fewest = min(fewest, arms[order[k]]["count"])
    least, unluckiest = np.inf, order[wanted]
    for k in (wanted - 1, wanted, split - 1, split):
        arm = order[k]
        n = arms[arm]["count"]
        sign = 1.0 * (k == wanted) - (k == wanted - 1) + (k == split - 1) - (k == split)
        error = (arms[arm]["mean"] - truth.means[arm]) / truth.sigmas[arm]
        luck = sign * error * np.sqrt(n)
        if luck < least and n <= 2 * fewest:
            least, unluckiest = luck, arm
    state.next[0] = unluckiest
    n_next = 0
    for arm in range(arms.size):
        if arm == unluckiest or arms[arm]["count"] < fewest:
            state.next[n_next] = arm
            n_next += 1
    state.progress[0]["n_next"] = n_next
