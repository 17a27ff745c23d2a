"""What a study says of its runs, against plain twins and studies whose truth is known."""

import math

import numpy as np
import pytest
import twins
from scipy import stats

import maxgap
from maxgap import MaxGapTop2UCB, MaxGapUCB, RoundRobin, simulate, statistics

CHECKPOINTS = np.arange(50, 2001, 50)


def study_of(wrong, checkpoints=CHECKPOINTS):
    """A study with these answers, shape (policies, replicates, checkpoints)."""
    wrong = np.asarray(wrong, dtype=bool)
    n_policies, replicates, n_looks = wrong.shape
    return simulate.Study(
        labels=tuple("abcdef"[:n_policies]),
        checkpoints=np.asarray(checkpoints),
        wrong=wrong,
        counts=np.zeros((n_policies, n_looks, 2)),
        counts_sd=np.zeros((n_policies, n_looks, 2)),
        stop_rows=np.zeros((n_policies, replicates, 4), int),
    )


def right_from(*times, checkpoints=CHECKPOINTS):
    """A study of runs that are right from a time of their own on; one list of times a policy."""
    return study_of([np.asarray(t)[:, None] > checkpoints for t in times], checkpoints)


# -- against plain twins -----------------------------------------------------------------------


@pytest.mark.parametrize("runs", [1, 2, 9, 120, 5000])
def test_wilson_intervals_are_those_of_their_defining_equation(runs):
    for wrong in {0, 1, runs // 3, runs - 1, runs}:
        low, high = simulate.wilson_interval(wrong, runs)
        expected = twins.wilson(wrong, runs)
        assert (float(low), float(high)) == pytest.approx(expected, abs=1e-12)


def test_samples_to_error_are_read_off_the_closest_non_increasing_curve():
    rng = np.random.default_rng(4)
    beyond = 0
    for _ in range(150):
        n_looks = int(rng.integers(1, 9))
        checkpoints = np.cumsum(rng.integers(1, 50, n_looks))
        share = np.linspace(0.9, rng.uniform(0, 0.5), n_looks)
        study = study_of(rng.random((2, 12, n_looks)) < share, checkpoints)
        level = rng.choice([0.1, 0.25, 0.3, 0.5, 0.7])
        found = study.samples_to_error(level, resamples=5)["samples"]
        for wrong, samples in zip(study.wrong, found, strict=True):
            curve = twins.non_increasing(wrong.mean(axis=0).tolist())
            expected = twins.first_at_or_below(np.round(curve, 12), checkpoints.tolist(), level)
            assert samples == pytest.approx(expected, rel=1e-9)
            beyond += math.isinf(expected)
    assert 20 < beyond < 250


def test_intervals_are_quantiles_of_resampled_replicates():
    # Resampled once more, with another generator and plain loops.
    rng = np.random.default_rng(5)
    times = rng.exponential(500, 60), rng.exponential(250, 60)
    study = right_from(*times)

    def read(runs):
        curve = (runs[:, None] > CHECKPOINTS).mean(axis=0)
        return twins.first_at_or_below(curve, CHECKPOINTS.tolist(), 0.2)

    again = np.array([[read(rng.choice(t, 60)) for _ in range(1500)] for t in times])
    for row, drawn in zip(study.samples_to_error(0.2).itertuples(), again, strict=True):
        width = row.high - row.low
        assert abs(row.low - np.quantile(drawn, 0.025)) < 0.12 * width
        assert abs(row.high - np.quantile(drawn, 0.975)) < 0.12 * width
    ratio = study.speedup("a", 0.2).loc[0]
    drawn = again[0] / again[1]
    assert abs(ratio["low"] - np.quantile(drawn, 0.025)) < 0.12 * (ratio["high"] - ratio["low"])
    assert abs(ratio["high"] - np.quantile(drawn, 0.975)) < 0.12 * (ratio["high"] - ratio["low"])


# -- both policies' noise ----------------------------------------------------------------------


def width(study, over="a"):
    row = study.speedup(over, 0.3, resamples=300).loc[0]
    return math.log(row["high"] / row["low"])


def test_the_interval_of_a_ratio_takes_in_the_noise_of_both_policies():
    rng = np.random.default_rng(6)
    noisy, still = rng.exponential(500, 80), np.full(80, 400.0)
    assert width(right_from(still, still)) == 0
    one, other = width(right_from(noisy, still)), width(right_from(still, noisy))
    assert one == pytest.approx(other, rel=0.25)
    assert one > 0.2
    both = width(right_from(noisy, rng.exponential(500, 80)))
    # Independent noise adds up in squares.
    assert both == pytest.approx(math.hypot(one, other), rel=0.3)


def test_policies_are_resampled_independently_even_where_their_runs_are_the_same():
    times = np.random.default_rng(7).exponential(500, 80)
    same = right_from(times, times)
    # One generator for both would draw the same runs, and the ratio would always be 1.
    assert width(same) > 0.3
    table = same.samples_to_error(0.3, resamples=300)
    assert table["low"].nunique() + table["high"].nunique() > 2


def test_the_interval_of_a_ratio_covers_the_truth_in_about_95_percent_of_studies():
    rng, covered, studies = np.random.default_rng(8), 0, 250
    truth = 2.0  # both curves are exponential, one twice as slow
    for _ in range(studies):
        made = right_from(rng.exponential(600, 80), rng.exponential(300, 80))
        row = made.speedup("a", 0.2, resamples=100).loc[0]
        covered += row["low"] <= truth <= row["high"]
    # With one of the two left as it is, 83%.
    assert 0.90 <= covered / studies <= 0.99


# -- levels that are not reached ---------------------------------------------------------------


def test_a_level_that_policies_miss():
    never, soon = np.full(30, 1e9), np.full(30, 120.0)
    both = right_from(never, never, soon)
    assert both.samples_to_error(0.1, resamples=20)["samples"].tolist()[:2] == [math.inf] * 2
    table = both.speedup("a", 0.1, resamples=20).set_index("policy")
    # The policy itself misses it: 0, whether or not the other one does.
    assert table.loc["b", ["ratio", "low", "high"]].tolist() == [0, 0, 0]
    assert table.loc["c", ["ratio", "low", "high"]].tolist() == [math.inf] * 3
    table = both.speedup("c", 0.1, resamples=20).set_index("policy")
    assert table.loc["a", ["ratio", "low", "high"]].tolist() == [0, 0, 0]
    assert table.index.tolist() == ["a", "b"]
    assert (table["level"] == 0.1).all()


# -- at the end --------------------------------------------------------------------------------


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


# -- what is handed out ------------------------------------------------------------------------


def test_what_a_policy_hands_out_can_be_written_to_without_changing_the_policy():
    policy = MaxGapTop2UCB(["x", "y", "z"], sigma=0.1)
    policy.tell(["x", "y", "z"], [0.0, 0.5, 2.0])
    for name in ("counts", "means", "lower", "upper"):
        before = getattr(policy, name)
        getattr(policy, name)[:] = 99
        np.testing.assert_array_equal(getattr(policy, name), before)
        assert before.max() < 99
    bounds = policy.gap_bounds()
    bounds.right[:] = bounds.left[:] = bounds.either[:] = 99
    assert policy.gap_bounds().either.max() < 99
    policy.arms.clear()
    policy.ask().clear()
    report = policy.report()
    report.loc[:, "mean"] = 99
    assert policy.arms == ["x", "y", "z"]
    assert policy.ask()
    assert policy.means.tolist() == [0.0, 0.5, 2.0]


def test_what_a_policy_is_given_can_be_written_to_without_changing_the_policy():
    labels, sigma = ["x", "y"], np.array([0.1, 0.2])
    policy = RoundRobin(labels, sigma=sigma)
    labels[0], sigma[0] = "other", 9.0
    rewards = np.array([1.0, 2.0])
    policy.tell(["x", "y"], rewards)
    rewards[:] = 9.0
    assert policy.arms == ["x", "y"]
    assert policy.means.tolist() == [1.0, 2.0]
    expected = maxgap.confidence.radius("normal-mixture", 1, delta=0.05, n_arms=2, sigma=[0.1, 0.2])
    np.testing.assert_allclose(policy.upper - policy.means, expected, rtol=1e-14)


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


def test_the_arrays_of_a_problem_cannot_be_written_to():
    problem = maxgap.Problem([0.0, 1.0, 3.0], [0.1, 0.2, 0.3])
    for name in ("means", "sigmas", "sigma"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(problem, name)[0] = 9
    for name in ("gaps", "arm_gaps"):
        array = getattr(problem, name)
        if array.flags.writeable:  # a fresh one each time, then
            array[0] = 99
            assert getattr(problem, name)[0] != 99
    assert problem.means.tolist() == [0.0, 1.0, 3.0]
