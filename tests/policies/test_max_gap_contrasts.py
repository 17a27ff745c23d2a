"""Contrasts as a stopping rule and as a policy: within their errors, and as the others."""

import numpy as np
import pytest
from scipy import stats

import maxgap
from maxgap import MaxGapContrasts, Policy, RoundRobin, problems, simulate

EVERY = [getattr(maxgap, cls) for cls in maxgap.policies.__all__ if cls.startswith(("Max", "R"))]
EVERY += [maxgap.SortThenSearch]
RULES = ["contrasts", "clusters", None]


# -- the guarantee ---------------------------------------------------------------------------------


def ends(cls, means, sigmas, *, delta, runs, budget, seed):
    """How many runs ended with a certificate, and how many of these wrongly."""
    problem = maxgap.Problem(means, sigmas)
    policy = cls(len(means), delta=delta, sigma=sigmas, stopping="contrasts")
    stops = simulate.replicate(
        {"it": policy}, problem, budget=budget, replicates=runs, checkpoints=1, seed=seed, n_jobs=1
    ).stops
    return int(stops["certified"].sum()), int((stops["certified"] & ~stops["correct"]).sum())


@pytest.mark.parametrize("cls", [RoundRobin, MaxGapContrasts])
@pytest.mark.parametrize(
    ("means", "sigmas"),
    [
        ([0.0, 1.0, 2.0001], 0.5),
        ([2.2001, 1.2, 1.1, 0.1], [0.9, 0.2, 0.3, 0.8]),
        ([0.0, 1.0001, 1.2, 2.2], 0.5),
    ],
)
def test_near_ties_are_certified_wrongly_at_most_delta_of_the_time(cls, means, sigmas):
    runs, delta = 250, 0.3
    certified, wrong = ends(cls, means, sigmas, delta=delta, runs=runs, budget=3000, seed=7)
    assert stats.binom.sf(wrong - 1, runs, delta) > 1e-4
    # It is a test of something: the largest gap is found and missed, about as often.
    assert certified > 15
    assert wrong > 0


def test_errors_are_near_enough_to_delta_that_a_far_larger_one_shows():
    # What mistakes in the thresholds would do to the rate above.
    runs = 250
    certified, wrong = ends(
        RoundRobin, [0.0, 1.0, 2.0001], 0.5, delta=0.999, runs=runs, budget=3000, seed=7
    )
    assert wrong > 0.3 * runs
    assert certified > wrong


# -- the policy ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("problem", "most"),
    [
        (problems.two_large_gaps(sigma=0.05), 750),
        (problems.stopping_time_family(0.36), 1350),
        (problems.four_arms(0.25, 1.0, 0.5), 570),
        (problems.one_large_gap(2, 8, 1.0, 0.2, 1.0), 2700),
    ],
    ids=["two large", "family", "four arms", "one large"],
)
def test_samples_until_certified(problem, most):
    policy = MaxGapContrasts(problem.n_arms, delta=0.1, sigma=problem.sigmas)
    stops = simulate.replicate(
        {"it": policy}, problem, budget=10**5, replicates=40, checkpoints=1, seed=11, n_jobs=1
    ).stops
    assert stops["certified"].all()
    assert stats.binom.sf((~stops["correct"]).sum() - 1, 40, 0.1) > 1e-3
    assert stops["samples"].median() < 1.1 * most


def rewards_of(problem, rng):
    return lambda arms: [problem.means[a] + problem.sigmas[a] * rng.standard_normal() for a in arms]


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("cls", EVERY)
def test_ask_tell_and_the_compiled_run_agree_sample_for_sample(cls, rule):
    problem = maxgap.Problem([0.9, 0.0, 0.1, 0.55, 1.0, 0.05], [0.1, 0.2, 0.1, 0.1, 0.3, 0.1])
    if cls is not MaxGapContrasts and rule != "contrasts":
        return  # held elsewhere
    settings = {"sigma": problem.sigmas, "stopping": rule, "delta": 0.2}
    policy, draw = cls(6, **settings), rewards_of(problem, np.random.default_rng(5))
    samples = 0
    while not policy.stopped and samples < 900:
        arms = policy.ask()[: 900 - samples]
        policy.tell(arms, draw(arms))
        samples += len(arms)
    run = simulate.run(cls(6, **settings), problem, budget=900, rng=np.random.default_rng(5))
    assert policy.counts.tolist() == run.counts.tolist()
    assert (policy.stopped, policy.certified) == (run.stopped, run.certified)
    assert policy.recommend() == run.split


class FewestFirst(Policy):
    """One's own, in plain Python."""

    def choose(self):
        return [self.arms[int(np.argmin(self.counts))]]


def test_every_policy_may_stop_by_contrasts_ones_own_too():
    problem = maxgap.Problem([0.0, 0.2, 2.0, 2.1], 0.3)
    for cls in (*EVERY, FewestFirst):
        policy = cls(4, sigma=0.3, stopping="contrasts")
        run = simulate.run(policy, problem, budget=20_000, rng=np.random.default_rng(1))
        # Some sample one place alone, and what is open is elsewhere: MaxGapUCB's is the boundary.
        assert run.certified or cls in (maxgap.MaxGapUCB, maxgap.SortThenSearch)
        assert run.split.top == {2, 3}


def test_certified_by_contrasts_whatever_the_intervals():
    for confidence in ("authors-lil", lambda n, **_: np.ones_like(n) * 1e-9):
        policy = RoundRobin(3, sigma=0.1, confidence=confidence, stopping="contrasts")
        for _ in range(20):
            policy.tell(range(3), [0.0, 0.1, 5.0])
        assert policy.certified
        policy = RoundRobin(3, sigma=0.1, confidence=confidence, stopping="clusters")
        for _ in range(200):
            policy.tell(range(3), [0.0, 0.1, 5.0])
        assert policy.stopped
        assert not policy.certified


def test_the_answer_is_the_certified_split_though_nested_intervals_have_missed():
    # The first reward pins arm 2 to 0; its mean goes to 9, and the certificate goes by means.
    policy = RoundRobin(3, sigma=0.1, nested=True, stopping="contrasts")
    policy.tell(range(3), [0.0, 0.3, 0.0])
    with (
        pytest.warns(RuntimeWarning, match="no longer meets"),
        pytest.warns(RuntimeWarning, match="not certified: sigma is too small for 2: 0.10"),
    ):
        policy.tell([0, 1, 2] * 30, [0.0, 0.3, 9.0] * 30)
    assert policy.stopped
    assert policy.recommend().top == {2}


def test_it_is_looked_at_again_after_one_sample_in_64():
    # Two arms alike for long: the last look fails, and after one in 64 more the next one holds.
    policy = RoundRobin(2, sigma=1e-3, stopping="contrasts")
    policy.tell([0, 1] * 640, [0.0] * 1280)
    assert not policy.stopped
    for k in range(1, 20):
        policy.tell(k % 2, 1000.0 * (k % 2))
        assert not policy.stopped, k
    with pytest.warns(RuntimeWarning, match=r"sigma is too small for 1.*of 1 are sorted, or drift"):
        policy.tell(0, 0.0)
    assert policy.stopped
