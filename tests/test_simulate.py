"""Whole runs and studies: the same on any number of workers, and equal to plain loops."""

import contextlib
import gc
import os
import signal
import subprocess
import sys
import time
import warnings

import joblib
import numpy as np
import pandas as pd
import pytest
import twins
from processes import assert_same, descendants, linux, runs, started
from scipy import optimize, stats

import maxgap
from maxgap import (
    MaxGapElim,
    MaxGapTop2UCB,
    MaxGapUCB,
    RoundRobin,
    SortThenSearch,
    simulate,
    statistics,
)
from maxgap.policies.runs import run_fresh
from maxgap.statistics import wilson_interval

CLASSES = [RoundRobin, SortThenSearch, MaxGapElim, MaxGapUCB, MaxGapTop2UCB]
PROBLEM = maxgap.Problem([0.9, 0.0, 0.1, 0.55, 1.0, 0.05], [0.1, 0.2, 0.1, 0.1, 0.3, 0.1])


def study(n_jobs, **changes):
    settings = {"budget": 400, "replicates": 20, "checkpoints": 7, "seed": 42} | changes
    policies = {cls.__name__: cls(6, sigma=PROBLEM.sigmas) for cls in CLASSES}
    return simulate.replicate(policies, PROBLEM, n_jobs=n_jobs, **settings)


# -- seeds and workers -----------------------------------------------------------------------------


def test_a_study_is_the_same_for_1_2_and_4_workers_and_all_cores():
    one = study(1)
    for n_jobs in (2, 4, -1):
        assert_same(one, study(n_jobs))


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_a_study_is_the_same_on_any_backend_of_joblib(backend):
    # Pieces hold 8 replicates: 20 of them are spread unevenly over the workers.
    with joblib.parallel_config(backend=backend, n_jobs=2):
        there = study(2)
    assert_same(study(1), there)


def test_replicates_all_differ_and_so_do_policies():
    stops = study(1, replicates=8, budget=100_000).stops
    for _, rows in stops[stops["policy"] != "MaxGapUCB"].groupby("policy"):
        assert rows["samples"].nunique() == 8
    noise = simulate.replicate(
        {"a": RoundRobin(6, sigma=PROBLEM.sigmas), "b": RoundRobin(6, sigma=PROBLEM.sigmas)},
        PROBLEM,
        budget=100_000,
        replicates=8,
        seed=42,
        checkpoints=1,
    ).stops
    assert noise["samples"].nunique() == 16


def test_the_seed_and_nothing_else_decides():
    one = study(1)
    np.random.seed(0)  # noqa: NPY002 - the global generator must not matter
    assert_same(one, study(1, seed=np.int64(42)))
    assert not np.array_equal(one.stop_rows, study(1, seed=43).stop_rows)
    assert study(1, seed=0).stop_rows.shape == one.stop_rows.shape  # a seed like any other


def test_a_longer_study_begins_with_the_shorter_one():
    short, long = study(1, replicates=8), study(1, replicates=20)
    np.testing.assert_array_equal(short.wrong, long.wrong[:, :8])


def test_progress_sees_every_piece_and_changes_nothing():
    seen = []

    def progress(pieces, total):
        for piece in pieces:
            seen.append(piece)
            yield piece
        assert len(seen) == total == 100

    assert_same(study(1), study(1, progress=progress))
    assert len(seen) == 100


PROGRESS = """
import os, sys, time
from maxgap import Policy, Problem, simulate

class Slow(Policy):
    def choose(self):
        time.sleep(0.02)
        return self.arms

simulate.replicate(
    {"slow": Slow(2, stopping=None)}, Problem([0, 1]),
    budget=8, replicates=32, checkpoints=1, seed=1, n_jobs=1, progress=True,
)
"""


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a terminal")
@pytest.mark.parametrize("at_terminal", [True, False])
def test_a_bar_is_shown_at_a_terminal_and_nowhere_else(at_terminal):
    ours, theirs = os.openpty() if at_terminal else os.pipe()
    if at_terminal:
        pytest.importorskip("termios").tcsetwinsize(theirs, (24, 80))
    done = subprocess.run(
        [sys.executable, "-c", PROGRESS], stdout=subprocess.PIPE, stderr=theirs, check=False
    )
    os.close(theirs)
    shown = b""
    try:
        while part := os.read(ours, 10_000):
            shown += part
    except OSError:  # a terminal that nobody writes to any more
        pass
    os.close(ours)
    assert (done.returncode, done.stdout) == (0, b"")
    assert (b"/16 [" in shown) == at_terminal
    assert at_terminal or shown == b""


def test_a_study_keeps_no_generator_for_each_replicate():
    def kept():
        gc.collect()
        return sum(isinstance(o, np.random.Generator) for o in gc.get_objects())

    before = kept()
    study(2, replicates=160)
    assert kept() - before <= 2


def test_a_backend_that_gives_all_results_together_does_without_progress():
    with joblib.parallel_config(backend="multiprocessing", n_jobs=2):
        assert_same(study(1), study(2))
        with pytest.raises(ValueError, match="generator"):
            study(2, progress=lambda pieces, total: pieces)


def test_policies_given_to_a_study_are_not_changed():
    policy = MaxGapTop2UCB(6, sigma=0.1)
    for _ in range(2):
        simulate.run(policy, PROBLEM, budget=500, rng=np.random.default_rng(1))
        simulate.replicate(
            {"p": policy}, PROBLEM, budget=500, replicates=3, checkpoints=1, seed=1, n_jobs=1
        )
        assert policy.counts.sum() == 0
        assert policy.ask() == list(range(6))


# -- against a loop in Python ----------------------------------------------------------------------


def looped(policy, problem, budget, checkpoints, rng):
    """Wrong (checkpoint,), counts (checkpoint, arm) and the policy, by ask and tell.

    The answer inside a round is worked out from sums of rewards, without the policy.
    """
    sums, counts = np.zeros(problem.n_arms), np.zeros(problem.n_arms, int)
    wrong, looks = {}, {}

    def look():
        total = counts.sum()
        if total not in checkpoints:
            return
        looks[total] = counts.copy()
        if policy.stopped:
            wrong[total] = policy.recommend().top != problem.top
        elif (counts == 0).any():
            wrong[total] = True
        else:
            ranked = np.argsort(sums / counts)
            k = np.diff((sums / counts)[ranked]).argmax()
            wrong[total] = set(ranked[k + 1 :].tolist()) != problem.top

    while counts.sum() < budget and not policy.stopped:
        arms = policy.ask()[: budget - counts.sum()]
        rewards = []
        for arm in arms:
            rewards.append(problem.means[arm] + problem.sigmas[arm] * rng.standard_normal())
            sums[arm] += rewards[-1]
            counts[arm] += 1
            if len(rewards) < len(arms):
                look()
        policy.tell(arms, rewards)
        look()
    for c in checkpoints:  # a policy that has stopped stands by its answer
        if c not in wrong:
            wrong[c], looks[c] = policy.recommend().top != problem.top, counts
    return [wrong[c] for c in checkpoints], [looks[c] for c in checkpoints], policy


@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize("rule", ["clusters", "paper", None])
def test_what_a_study_sees_at_its_checkpoints_is_what_a_loop_in_python_sees(cls, rule):
    # Every number of samples, so every place inside a round, and some where runs have stopped.
    checkpoints = [*range(1, 60), 61, 64, 77, 150, 151, 152, 153, 299, 300]
    policy = cls(6, sigma=PROBLEM.sigmas, stopping=rule)
    one = simulate.replicate(
        {"p": policy}, PROBLEM, budget=301, replicates=9, checkpoints=checkpoints, seed=8, n_jobs=1
    )
    counts, ends = [], []
    for r, seed in enumerate(np.random.SeedSequence(8).spawn(1)[0].spawn(9)):
        rng = np.random.Generator(np.random.PCG64(seed))
        fresh = cls(6, sigma=PROBLEM.sigmas, stopping=rule)
        wrong, looks, ended = looped(fresh, PROBLEM, 301, checkpoints, rng)
        assert one.wrong[0, r].tolist() == wrong
        counts.append(looks)
        right = ended.recommend().top == PROBLEM.top
        ends.append([ended.counts.sum(), ended.stopped, ended.certified, right])
    np.testing.assert_allclose(one.counts[0], np.mean(counts, axis=0), rtol=1e-14)
    np.testing.assert_allclose(one.counts_sd[0], np.std(counts, axis=0), rtol=0, atol=1e-6)
    assert one.stops[["samples", "stopped", "certified", "correct"]].to_numpy().tolist() == ends


@pytest.mark.parametrize("cls", CLASSES)
def test_a_run_cut_by_its_budget_equals_a_loop_that_is_cut_there(cls):
    def fresh():
        return cls(6, sigma=PROBLEM.sigmas, delta=0.3, stopping="clusters")

    problem = maxgap.Problem(PROBLEM.means, 0.1)
    whole = simulate.run(fresh(), problem, budget=5000, rng=np.random.default_rng(4))
    # The last rounds too: there a rule may hold before the round is complete.
    for budget in [*range(1, 40), *range(whole.samples - 8, whole.samples + 3)]:
        run = simulate.run(fresh(), problem, budget=budget, rng=np.random.default_rng(4))
        told, rng = fresh(), np.random.default_rng(4)
        while not told.stopped and told.counts.sum() < budget:
            arms = told.ask()[: budget - told.counts.sum()]
            told.tell(arms, [problem.means[a] + 0.1 * rng.standard_normal() for a in arms])
        assert run.samples == run.counts.sum() == told.counts.sum() <= budget
        np.testing.assert_array_equal(run.counts, told.counts)
        assert (run.stopped, run.certified) == (told.stopped, told.certified)
        if (told.counts == 0).any():
            assert run.split is None
            assert not run.correct
        else:
            assert run.split == told.recommend()
            assert run.correct == (run.split.top == problem.top)


def test_run_and_replicate_do_the_same():
    policy = MaxGapTop2UCB(6, sigma=PROBLEM.sigmas)
    together = simulate.replicate(
        {"p": policy}, PROBLEM, budget=3000, replicates=10, checkpoints=1, seed=5, n_jobs=1
    )
    rows = []
    for seed in np.random.SeedSequence(5).spawn(1)[0].spawn(10):
        rng = np.random.Generator(np.random.PCG64(seed))
        run = simulate.run(policy, PROBLEM, budget=3000, rng=rng)
        rows.append([run.samples, run.stopped, run.certified, run.correct])
    assert together.stop_rows[0].tolist() == rows


def test_compiled_runs_do_what_the_same_code_does_uncompiled():
    code = (
        "import warnings, numpy as np, maxgap, test_simulate as t\n"
        "warnings.simplefilter('ignore', RuntimeWarning)\n"
        "for cls in t.CLASSES:\n"
        "    for rule in ('clusters', 'paper', 'literal', None):\n"
        "        for radius in maxgap.confidence.RADII:\n"
        "            settings = dict(stopping=rule, confidence=radius, nested=radius == 'lil')\n"
        "            run = maxgap.simulate.run(cls(6, sigma=0.1, **settings), t.PROBLEM,\n"
        "                                      budget=60, rng=np.random.default_rng(3))\n"
        "            print(cls.__name__, rule, radius, run.counts.tolist(), run.stopped,\n"
        "                  run.certified, run.correct, sorted(run.split.top))\n"
    )
    outputs = [
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "NUMBA_DISABLE_JIT": off, "PYTHONPATH": os.path.dirname(__file__)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for off in ("0", "1")
    ]
    assert outputs[0] == outputs[1]
    assert outputs[0].count("\n") == 120


# -- what is drawn ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("noise", "df"), [("normal", None), ("student-t", 3), ("bernoulli", None)])
def test_noise_of_every_kind_has_the_distribution_its_name_says(noise, df):
    # A policy sampled once at a time, so that the sum of rewards shows each of them.
    means, sigma, n = [0.3, 0.8], 0.2, 4000
    rewards = np.empty((n, 2))
    policy = RoundRobin(2, sigma=sigma)
    problem = maxgap.Problem(means, sigma)
    rng = np.random.default_rng(9)
    for k in range(n):
        truth = simulate._checked_truth(policy, problem, noise)
        ended, _, _ = run_fresh(policy, truth, np.array([2]), 2, rng)
        rewards[k] = ended.means
    if noise == "bernoulli":
        assert set(rewards.ravel().tolist()) == {0.0, 1.0}
        for arm, mean in enumerate(means):
            assert stats.binomtest(int(rewards[:, arm].sum()), n, mean).pvalue > 1e-4
    else:
        # Student's t with 3 degrees of freedom has standard deviation sqrt(3).
        exact = stats.norm() if noise == "normal" else stats.t(df, scale=1 / np.sqrt(3))
        assert exact.std() == pytest.approx(1)
        assert stats.kstest(((rewards - means) / sigma).ravel(), exact.cdf).pvalue > 1e-4
    assert abs(np.corrcoef(rewards.T)[0, 1]) < 0.06


def test_each_arm_has_the_noise_of_its_own_sigma():
    problem = maxgap.Problem([0.0, 1.0], [0.1, 5.0])
    rng, policy = np.random.default_rng(2), RoundRobin(2)
    truth = simulate._checked_truth(policy, problem, "normal")
    means = np.array(
        [run_fresh(policy, truth, np.array([2]), 2, rng)[0].means for _ in range(2000)]
    )
    # The standard error of a standard deviation of 2,000 is 1.6%.
    np.testing.assert_allclose(means.std(axis=0), [0.1, 5.0], rtol=0.07)


# -- tables ----------------------------------------------------------------------------------------


def made_up(*curves, checkpoints, replicates=1000):
    """A study with these shares of wrong answers, spread over the replicates at random."""
    rng = np.random.default_rng(0)
    wrong = np.array(
        [
            np.transpose([rng.permutation(replicates) < round(e * replicates) for e in curve])
            for curve in curves
        ]
    )
    shape = (len(curves), len(checkpoints), 2)
    return simulate.Study(
        labels=tuple("abc"[: len(curves)]),
        checkpoints=np.array(checkpoints),
        wrong=wrong,
        counts=np.zeros(shape),
        counts_sd=np.zeros(shape),
        stop_rows=np.zeros((len(curves), replicates, 4), int),
    )


@pytest.mark.parametrize("replicates", [1, 2, 7, 120, 5000])
def test_wilson_intervals_are_those_of_scipy(replicates):
    wrong = np.unique(np.linspace(0, replicates, 9).astype(int))
    low, high = wilson_interval(wrong, replicates)
    for count, a, b in zip(wrong, low, high, strict=True):
        exact = stats.binomtest(int(count), replicates).proportion_ci(0.95, method="wilson")
        assert a == pytest.approx(exact.low, abs=1e-14)
        assert b == pytest.approx(exact.high, abs=1e-14)


def test_errors_are_the_shares_of_wrong_answers_with_wilson_intervals():
    table = made_up([0.9, 0.25], [0.5, 0.0], checkpoints=[10, 20], replicates=100).errors
    assert table["policy"].tolist() == ["a", "a", "b", "b"]
    assert table["samples"].tolist() == [10, 20, 10, 20]
    assert table["wrong"].tolist() == [90, 25, 50, 0]
    assert table["error"].tolist() == [0.9, 0.25, 0.5, 0.0]
    assert table["replicates"].unique().tolist() == [100]
    low, high = wilson_interval([90, 25, 50, 0], 100)
    np.testing.assert_array_equal(table[["low", "high"]].to_numpy().T, [low, high])


def test_samples_to_error_are_read_off_between_checkpoints():
    made = made_up([0.8, 0.4, 0.2, 0.1], [0.8, 0.2, 0.1, 0.0], checkpoints=[100, 200, 300, 500])
    for level, expected in ((0.4, [200, 166.667]), (0.3, [250, 183.333]), (0.15, [400, 250])):
        found = made.samples_to_error(level, resamples=20)
        np.testing.assert_allclose(found["samples"], expected, rtol=1e-5)
    assert made.samples_to_error(0.9, resamples=20)["samples"].tolist() == [100, 100]
    never = made.samples_to_error(0.02, resamples=20)
    assert np.isinf(never["samples"]).tolist() == [True, False]
    assert np.isinf(never.loc[0, ["low", "high"]].astype(float)).all()


def test_a_curve_that_rises_in_between_is_made_non_increasing_first():
    bumpy = [0.8, 0.2, 0.4, 0.1]
    monotone = optimize.isotonic_regression(bumpy, increasing=False).x
    np.testing.assert_allclose(monotone, [0.8, 0.3, 0.3, 0.1])
    made = made_up(bumpy, checkpoints=[100, 200, 300, 400])
    # 0.25 lies a quarter of the way from 0.3 (at 300) to 0.1 (at 400).
    np.testing.assert_allclose(made.samples_to_error(0.25, resamples=20)["samples"], [325])


def test_the_speedup_is_the_ratio_of_samples():
    made = made_up([0.8, 0.4, 0.2, 0.1], [0.8, 0.2, 0.1, 0.0], checkpoints=[100, 200, 300, 500])
    table = made.speedup("a", 0.15, resamples=200)
    assert table["policy"].tolist() == ["b"]
    np.testing.assert_allclose(table["ratio"], [400 / 250])
    assert table.loc[0, "low"] < 1.6 < table.loc[0, "high"]
    never = made.speedup("a", 0.02, resamples=50)
    assert never["ratio"].tolist() == [np.inf]
    other_way = made.speedup("b", 0.02, resamples=50)
    assert other_way[["ratio", "low", "high"]].to_numpy().tolist() == [[0, 0, 0]]


def test_bootstrap_intervals_cover_the_true_samples_in_about_95_percent_of_studies():
    # Each run is wrong until a time of its own, so that replicates are curves, not dots.
    rng, covered, studies, runs = np.random.default_rng(3), 0, 200, 120
    checkpoints = np.arange(50, 2001, 50)
    truth = stats.expon(scale=500).isf(0.1)
    for _ in range(studies):
        right_from = rng.exponential(500, (1, runs, 1))
        made = simulate.Study(
            labels=("a",),
            checkpoints=checkpoints,
            wrong=right_from > checkpoints,
            counts=np.zeros((1, 40, 2)),
            counts_sd=np.zeros((1, 40, 2)),
            stop_rows=np.zeros((1, runs, 4), int),
        )
        row = made.samples_to_error(0.1, resamples=120).loc[0]
        covered += row["low"] <= truth <= row["high"]
    # An interval half as wide would cover 67%.
    assert 0.87 <= covered / studies <= 0.99


def test_resampling_is_the_same_every_time():
    made = made_up([0.8, 0.3, 0.1], [0.8, 0.2, 0.0], checkpoints=[1, 2, 3], replicates=50)
    pd.testing.assert_frame_equal(made.speedup("a", 0.2), made.speedup("a", 0.2))


@pytest.mark.parametrize("level", [0, 1, -0.1, 1.5, np.nan])
def test_a_level_that_is_no_share_is_refused_by_name(level):
    made = made_up([0.8, 0.3], checkpoints=[1, 2])
    with pytest.raises(ValueError, match="level"):
        made.samples_to_error(level)
    with pytest.raises(ValueError, match="level"):
        made.speedup("a", level)
    with pytest.raises(ValueError, match="over must be one of"):
        made.speedup("nobody", 0.2)
    with pytest.raises(ValueError, match="resamples"):
        made.samples_to_error(0.2, resamples=0)


# -- checkpoints -----------------------------------------------------------------------------------


def test_checkpoints_by_number_are_equally_spaced_and_end_at_the_budget():
    assert study(1, checkpoints=4, replicates=1).checkpoints.tolist() == [100, 200, 300, 400]
    assert study(1, checkpoints=3, replicates=1).checkpoints.tolist() == [133, 266, 400]
    assert study(1, checkpoints=400, replicates=1).checkpoints.tolist() == list(range(1, 401))
    assert study(1, checkpoints=iter([7, 9]), replicates=1).checkpoints.tolist() == [7, 9]


def test_samples_at_a_checkpoint_add_up_to_it_until_a_policy_stops():
    for cls, counts in zip(CLASSES, study(1, checkpoints=50).counts, strict=True):
        total = counts.sum(axis=1)
        assert (total <= study(1, checkpoints=50).checkpoints + 1e-9).all(), cls
        assert (np.diff(counts, axis=0) >= 0).all()
    unstopped = simulate.replicate(
        {"p": MaxGapUCB(6, stopping=None)}, PROBLEM, budget=400, replicates=5, seed=1, n_jobs=1
    )
    np.testing.assert_allclose(unstopped.counts.sum(axis=2)[0], unstopped.checkpoints)


# -- problems with ties, studies with warnings -----------------------------------------------------


def test_with_several_largest_gaps_any_of_them_is_right():
    problem = maxgap.Problem([0.0, 1.0, 2.0, 2.1], 0.05)
    policies = {"p": RoundRobin(4, sigma=0.05, stopping=None)}
    table = simulate.replicate(
        policies, problem, budget=400, replicates=40, checkpoints=1, seed=1, n_jobs=1
    ).stops
    assert table["correct"].all()


def test_a_study_in_which_nested_intervals_cross_warns():
    policies = {"p": RoundRobin(6, sigma=0.001, nested=True, stopping=None)}
    for run in (
        lambda: simulate.run(policies["p"], PROBLEM, budget=400, rng=np.random.default_rng(1)),
        lambda: simulate.replicate(policies, PROBLEM, budget=400, replicates=2, seed=1, n_jobs=1),
    ):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            run()
        assert caught
        assert all(w.category is RuntimeWarning for w in caught)
        assert "assumption on the noise" in str(caught[0].message)


# -- bad input -------------------------------------------------------------------------------------

GOOD_RUN = {
    "policy": RoundRobin(6),
    "problem": PROBLEM,
    "budget": 10,
    "rng": np.random.default_rng(1),
    "noise": "normal",
}
GOOD_STUDY = {
    "policies": {"p": RoundRobin(6)},
    "problem": PROBLEM,
    "budget": 10,
    "replicates": 2,
    "checkpoints": 2,
    "seed": 1,
    "n_jobs": 1,
    "noise": "normal",
}
BEGUN = RoundRobin(6)
BEGUN.tell(0, 1.0)
NO_COUNTS = [0, -1, 1.5, "10", None, True, np.nan, 10.0]
NO_POLICIES = [BEGUN, RoundRobin(5), RoundRobin, "RoundRobin", None]
BAD_RUN = {
    "policy": NO_POLICIES,
    "problem": [[0.0, 1.0], None],
    "budget": NO_COUNTS,
    "rng": [None, 1, np.random, np.random.SeedSequence(1)],
    "noise": ["gaussian", None, 0],
}
BAD_STUDY = {
    "policies": [{}, [], None, RoundRobin(6), *({"p": policy} for policy in NO_POLICIES)],
    "problem": [[0.0, 1.0], None],
    "budget": NO_COUNTS,
    "replicates": NO_COUNTS,
    "checkpoints": [0, -1, 11, [], [0], [5, 5], [6, 5], [5, 11], [2.5], "ab", [None], None, 2.5],
    "seed": [-1, 1.0, None, "1", True],
    "progress": ["tqdm", 1, []],
    "noise": ["gaussian", None, 0],
}


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, values in BAD_RUN.items() for value in values]
)
def test_a_bad_argument_of_run_is_refused_by_name(name, value):
    with pytest.raises(ValueError, match=name):
        simulate.run(**(GOOD_RUN | {name: value}))


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, values in BAD_STUDY.items() for value in values]
)
def test_a_bad_argument_of_replicate_is_refused_by_name(name, value):
    named = "polic(y|ies)" if name == "policies" else name
    with pytest.raises(ValueError, match=named):
        simulate.replicate(**(GOOD_STUDY | {name: value}))


def test_bernoulli_rewards_may_be_impossible_or_certain():
    problem = maxgap.Problem([0.0, 0.25, 1.0])
    run = simulate.run(
        RoundRobin(3, stopping=None),
        problem,
        budget=90,
        rng=np.random.default_rng(1),
        noise="bernoulli",
    )
    assert run.correct


def test_bernoulli_rewards_need_means_that_are_probabilities():
    problem = maxgap.Problem([0.0, 0.5, 1.1])
    with pytest.raises(ValueError, match=r"bernoulli.*1\.1"):
        simulate.run(
            RoundRobin(3), problem, budget=9, rng=np.random.default_rng(1), noise="bernoulli"
        )


def test_a_number_of_checkpoints_may_be_an_array_without_dimensions():
    problem = maxgap.Problem([0.0, 1.0], sigma=0.1)
    study = simulate.replicate(
        {"robin": RoundRobin(2, stopping=None)},
        problem,
        budget=20,
        replicates=2,
        checkpoints=np.array(4),
        seed=1,
        n_jobs=1,
    )
    assert study.checkpoints.tolist() == [5, 10, 15, 20]


# -- kills and interruptions -----------------------------------------------------------------------


STUDY = """
import joblib, sys
from maxgap import MaxGapTop2UCB, Problem, RoundRobin, simulate

def study(budget):
    simulate.replicate(
        {"robin": RoundRobin(100, stopping=None), "top2": MaxGapTop2UCB(100, stopping=None)},
        Problem([0, 0.5, 1, 1.5, 2] * 20), budget=budget, replicates=64, checkpoints=2, seed=1,
    )

with joblib.parallel_config(backend=sys.argv[1], n_jobs=2):
    study(100)
    print("ready", flush=True)
    study(10**12)
"""


@linux
@pytest.mark.parametrize("whom", ["process", "group"])
@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_an_interrupted_study_ends_soon_and_leaves_no_process_behind(backend, whom, tmp_path):
    workers = []
    with started(STUDY, backend) as process:
        try:
            assert process.stdout.readline() == "ready\n"
            time.sleep(1)
            workers = descendants(process.pid)
            assert bool(workers) == (backend == "loky")
            # A terminal's Ctrl-C reaches the workers, too.
            (os.killpg if whom == "group" else os.kill)(process.pid, signal.SIGINT)
            _, errors = process.communicate(timeout=60)
            assert errors.rstrip().endswith("KeyboardInterrupt")
            assert process.returncode == -signal.SIGINT
            deadline = time.monotonic() + 10
            while any(map(runs, workers)) and time.monotonic() < deadline:
                time.sleep(0.05)
            assert [pid for pid in workers if runs(pid)] == []
        finally:
            for pid in [process.pid, *workers]:
                with contextlib.suppress(OSError):
                    if runs(pid):
                        os.kill(pid, signal.SIGKILL)


# -- at the end ------------------------------------------------------------------------------------


def test_correct_is_said_of_the_end_of_a_run_wherever_the_checkpoints_end():
    problem = maxgap.Problem([0.0, 0.3, 1.0, 1.2, 1.5], 0.5)
    policies = {
        "robin": RoundRobin(5, sigma=0.5, stopping=None),
        "top2": MaxGapTop2UCB(5, sigma=0.5),
        "ucb": MaxGapUCB(5, sigma=0.5),
    }

    def study(checkpoints):
        return simulate.replicate(
            policies, problem, budget=600, replicates=40, checkpoints=checkpoints, seed=3, n_jobs=1
        )

    early, late = study([4, 7]), study([600])
    assert early.stops.equals(late.stops)
    rows = early.stops["correct"].to_numpy().reshape(3, 40)
    np.testing.assert_array_equal(rows, ~late.wrong[:, :, -1])
    # At the early checkpoints many answers are still wrong that are right in the end.
    assert (early.wrong[:, :, -1] & rows).sum() > 15
    assert early.wrong[:, :, 0].all()  # four samples leave an arm without one
    assert early.counts.sum(axis=2).tolist() == [[4, 7]] * 3


def test_a_study_counts_means_and_standard_deviations_of_samples():
    problem = maxgap.Problem([0.0, 0.3, 1.0, 1.2], 0.5)
    policy = MaxGapUCB(4, sigma=0.5)
    study = simulate.replicate(
        {"p": policy}, problem, budget=500, replicates=30, checkpoints=[500], seed=9, n_jobs=1
    )
    runs = []
    for seed in np.random.SeedSequence(9).spawn(1)[0].spawn(30):
        rng = np.random.Generator(np.random.PCG64(seed))
        plain = twins.Plain("MaxGapUCB", 4, sigma=0.5, stopping="paper")
        runs.append(twins.plain_run(plain, problem, 500, rng).counts)
    np.testing.assert_allclose(study.counts[0, 0], np.mean(runs, axis=0), rtol=1e-12)
    np.testing.assert_allclose(study.counts_sd[0, 0], np.std(runs, axis=0), rtol=1e-9, atol=1e-9)
    assert study.counts_sd[0, 0].min() > 0


def test_the_factor_z_is_the_97_5_percent_quantile():
    assert pytest.approx(stats.norm.ppf(0.975), rel=1e-15) == statistics.Z


# -- what is handed out ----------------------------------------------------------------------------


def test_what_a_run_hands_out_is_its_own():
    policy = RoundRobin(3, sigma=0.1)
    problem = maxgap.Problem([0.0, 1.0, 3.0], 0.1)
    looks = np.array([3, 9])
    study = simulate.replicate(
        {"p": policy}, problem, budget=9, replicates=2, checkpoints=looks, seed=1, n_jobs=1
    )
    looks[:] = 0
    assert study.checkpoints.tolist() == [3, 9]
    first = simulate.run(policy, problem, budget=9, rng=np.random.default_rng(1))
    first.counts[:] = 0
    second = simulate.run(policy, problem, budget=9, rng=np.random.default_rng(1))
    assert second.counts.tolist() == [3, 3, 3]
    table = study.errors
    table.loc[:, "wrong"] = 99
    assert study.errors["wrong"].max() < 99
    table = study.stops
    table.loc[:, "samples"] = 99
    assert study.stops["samples"].max() == 9
