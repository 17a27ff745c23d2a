"""How often a certificate of contrasts is wrong: instances and sampling rules made to break it.

A run samples until the certificate holds or the budget is spent; the split certified is compared
with the right one. Three policies are the package's own. Two more rules know the true means and do
what they can for a wrong answer: the theorem is for any rule.

A run is one compiled function, also with the rules that know the truth, so that thousands of runs
of every case fit into a chapter.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from scipy import stats

from maxgap import MaxGapContrasts, MaxGapTop2UCB, Problem, RoundRobin
from maxgap._core.compiled import ZERO, compiled
from maxgap._core.state import Setting, State, new_state
from maxgap._core.types import Integers, Records
from maxgap._run import Looks, Truth, run_round, run_with_contrasts
from maxgap.policies import POLICIES, Policy
from maxgap.policies._step import next_round, stop_if_contrasts_certify
from maxgap.simulate import NOISES

__all__ = [
    "SAMPLERS",
    "STRAINS",
    "TIES",
    "Case",
    "ends",
    "exact_interval",
    "random_case",
    "search",
    "worst",
    "wrong_answers",
]

#: Numbers of the two rules that know the truth; those of policies are not negative.
DOUBLED, LUCKY = -1, -2

#: What samples: a policy, or the number of a rule that wants a wrong answer.
SAMPLERS: Mapping[str, type[Policy] | int] = {
    "RoundRobin": RoundRobin,
    "MaxGapTop2UCB": MaxGapTop2UCB,
    "MaxGapContrasts": MaxGapContrasts,
    "doubled": DOUBLED,
    "lucky": LUCKY,
}

#: Runs that a worker is handed at a time.
CHUNK = 50


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
    n_jobs: int = -1,
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
    n_jobs : int
        Workers, as in joblib.

    Returns
    -------
    pandas.DataFrame
        Columns case, arms, sampler, delta, runs, certified, wrong, share, low, high, samples: the
        share of runs with a wrong certified answer, with its exact interval at 95%, and the median
        number of samples of all runs, those that spent their budget included.

    Examples
    --------
    >>> case = Case("two arms", Problem([0.0, 1.0], 0.1), samples_per_arm=20)
    >>> table = wrong_answers([case], ["RoundRobin"], [0.1], runs=10, seed=1, n_jobs=1)
    >>> table[["certified", "wrong"]].to_numpy().tolist()
    [[10, 0]]
    """
    keys = list(itertools.product(cases, samplers, deltas))
    tasks = []
    for key, branch in zip(keys, np.random.SeedSequence(seed).spawn(len(keys)), strict=True):
        seeds = branch.spawn(runs)
        tasks += [
            delayed(ends)(*key, seeds[start : start + CHUNK]) for start in range(0, runs, CHUNK)
        ]
    pieces = Parallel(n_jobs=n_jobs, prefer="threads")(tasks)
    per_key = len(tasks) // len(keys)
    rows = []
    for k, (case, sampler, delta) in enumerate(keys):
        found = np.concatenate(pieces[k * per_key : (k + 1) * per_key])
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


def random_case(rng: np.random.Generator) -> Case:
    """Three to six arms, two gaps that tie or nearly, others smaller, scales that may differ.

    Examples
    --------
    >>> case = random_case(np.random.default_rng(1))
    >>> gaps = np.sort(case.problem.gaps)
    >>> bool(gaps[-1] - gaps[-2] < 0.03)
    True
    """
    n_arms = int(rng.integers(3, 7))
    gaps = rng.choice([0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 0.97], n_arms - 1)
    tied = rng.choice(n_arms - 1, 2, replace=False)
    gaps[tied] = 1.0, 1.0 + rng.choice([1e-4, 0.02])
    sigmas = rng.choice([0.01, 0.05, 0.2]) * rng.choice([0.03, 0.3, 1.0, 1.0], n_arms)
    means = np.concatenate([[0.0], np.cumsum(gaps)])
    order = rng.permutation(n_arms)
    name = " ".join(f"{gap:g}" for gap in gaps)
    return Case(f"gaps {name}", Problem(means[order], sigmas[order]), 100)


def search(
    instances: int,
    samplers: Iterable[str],
    delta: float,
    *,
    tries: int,
    runs: int,
    keep: int,
    seed: int,
    n_jobs: int = -1,
) -> pd.DataFrame:
    """Look for the instance on which a certificate is wrong most often.

    Every random instance gets a few runs; those with the most wrong answers get many more, with
    fresh rewards, for the largest of many shares is too large by luck.

    Parameters
    ----------
    instances, tries : int
        Random instances, and the runs that each gets of each sampler.
    samplers : iterable of str
        Names from :data:`SAMPLERS`.
    delta : float
        Error allowed.
    keep, runs : int
        How many instances are run again, and how often.
    seed, n_jobs : int
        As for :func:`wrong_answers`.

    Examples
    --------
    >>> found = search(3, ["RoundRobin"], 0.5, tries=5, runs=20, keep=1, seed=1, n_jobs=1)
    >>> found["runs"].tolist()
    [20]
    """
    samplers = list(samplers)
    rng = np.random.default_rng(seed)
    cases = [random_case(rng) for _ in range(instances)]
    first = wrong_answers(cases, samplers, [delta], runs=tries, seed=seed, n_jobs=n_jobs)
    by_case = first["wrong"].to_numpy().reshape(instances, len(samplers)).max(axis=1)
    kept = [cases[k] for k in np.argsort(-by_case, kind="stable")[:keep]]
    return wrong_answers(kept, samplers, [delta], runs=runs, seed=seed + 1, n_jobs=n_jobs)


def ends(case: Case, sampler: str, delta: float, seeds: list[np.random.SeedSequence]) -> Records:
    """How runs of one combination end: samples, certified, right, counts; a run a seed.

    Examples
    --------
    >>> case = Case("two arms", Problem([0.0, 1.0], 0.1), samples_per_arm=20)
    >>> found = ends(case, "RoundRobin", 0.1, np.random.SeedSequence(1).spawn(1))
    >>> bool(found["right"][0]), int(found["counts"].sum() - found["samples"][0])
    (True, 0)
    """
    problem, kind = case.problem, SAMPLERS[sampler]
    budget = case.samples_per_arm * problem.n_arms
    make = RoundRobin if isinstance(kind, int) else kind
    policy = make(problem.n_arms, delta=delta, sigma=problem.sigmas, stopping="contrasts")
    policy._grow_radii(budget + 1)
    order = np.argsort(problem.means, kind="stable")
    gaps = np.diff(problem.means[order])
    split = int(np.flatnonzero(gaps >= gaps.max() * (1 - 1e-9))[-1]) + 1
    number = kind if isinstance(kind, int) else POLICIES.index(kind)
    # Copies: the problem's arrays are of other kinds to numba, which would compile for each.
    means, sigmas = np.array(problem.means), np.array(problem.sigmas)
    truth = Truth(means, sigmas, NOISES.index(case.noise), problem.delta_max)
    looks = Looks(np.zeros(0, np.int64), np.zeros(0, np.bool_), np.zeros((0, 0), np.int64))
    found = np.zeros(
        len(seeds),
        [("samples", int), ("certified", bool), ("right", bool), ("counts", int, problem.n_arms)],
    )
    for end, seed in zip(found, seeds, strict=True):
        policy._state = new_state(policy._sigmas, *policy._places)
        # Room is made for twice as many; no arm has more than the budget.
        policy._grow_stacks(np.full(problem.n_arms, (budget + 1) // 2))
        rng = np.random.Generator(np.random.PCG64(seed))
        state, setting = policy._state, policy._setting()
        _whole_run(rng, truth, looks, budget, number, order, split, state, setting)
        top = np.flatnonzero(state.arms["top"])
        end["samples"], end["counts"] = state.progress[0]["total"], state.arms["count"]
        end["certified"] = policy.certified
        end["right"] = policy.certified and set(top.tolist()) == set(order[split:].tolist())
    return found


@compiled
def _whole_run(
    rng: np.random.Generator,
    truth: Truth,
    looks: Looks,
    budget: int,
    number: int,
    order: Integers,
    split: int,
    state: State,
    setting: Setting,
) -> None:
    """Sample until certified or the budget is spent, all stacks having room for it."""
    progress = state.progress[0]
    if number >= 0:
        run_with_contrasts(rng, truth, looks, ZERO, budget, number, state, setting)
        return
    while progress["stopped"] == 0 and progress["total"] < budget:
        run_round(rng, truth, looks, ZERO, budget, False, state, setting)
        if next_round(state) and not stop_if_contrasts_certify(state, setting):
            wanted = _widest_wrong(order, split, state)
            if number == DOUBLED:
                _double(order[wanted - 1], order[wanted], state)
            else:
                _wait_for_luck(order, split, wanted, truth, state)


# -- rules that know the truth ---------------------------------------------------------------------


@compiled
def _widest_wrong(order: Integers, split: int, state: State) -> int:
    """Of the true gaps but the largest, the one that is the widest by the means; its place."""
    widest, place = -np.inf, 1
    for k in range(1, order.size):
        gap = state.arms[order[k]]["mean"] - state.arms[order[k - 1]]["mean"]
        if k != split and gap > widest:
            widest, place = gap, k
    return place


@compiled
def _double(lower: int, upper: int, state: State) -> None:
    """Twice as many samples of both arms at the wrong gap: all of its contrasts grow together."""
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
def _wait_for_luck(order: Integers, split: int, wanted: int, truth: Truth, state: State) -> None:
    """Stop sampling an arm while its mean errs as wanted, go on with the unluckiest.

    Wanted is that the wrong gap looks wide and the largest narrow. No arm gets more than twice the
    samples of another one of the two gaps; the arms of neither keep pace.
    """
    arms = state.arms
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
