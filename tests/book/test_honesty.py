"""The study of wrong certified answers: its runs are the package's, and delta holds."""

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from scipy import stats

from maxgap import Policy, Problem, simulate
from maxgap_book.figures import honesty as drawn
from maxgap_book.studies import honesty
from maxgap_book.studies.sharper_certificates import samples_needed, times_fewer

CASES = [*honesty.TIES, *honesty.STRAINS]
BY_NAME = {case.name: case for case in CASES}


def seeds(number, n):
    return np.random.SeedSequence(number).spawn(n)


class Doubled(Policy):
    """Twice as many samples of the arms at the widest gap but the right one; in plain Python."""

    def __init__(self, means, **settings):
        super().__init__(len(means), **settings)
        self.true = np.asarray(means, dtype=float)
        self.order = np.argsort(self.true, kind="stable").tolist()
        gaps = np.diff(self.true[self.order])
        self.right = int(np.argmax(gaps)) + 1

    def wanted(self):
        gaps = np.diff(self.means[self.order])
        gaps[self.right - 1] = -np.inf
        k = int(np.argmax(gaps)) + 1
        return self.order[k - 1], self.order[k]

    def choose(self):
        times = np.ones(len(self.order), dtype=int)
        times[list(self.wanted())] = 2
        steps = (self.counts // times).min()
        return np.flatnonzero(self.counts < times * (steps + 1)).tolist()


class Lucky(Doubled):
    """Of the four arms at both gaps that whose mean errs least as wanted, within bounds."""

    def choose(self):
        lower, upper = self.wanted()
        right_lower, right_upper = self.order[self.right - 1], self.order[self.right]
        four = [lower, upper, right_lower, right_upper]
        fewest = self.counts[four].min()
        sign = np.zeros(len(self.order))
        np.add.at(sign, four, [-1.0, 1.0, 1.0, -1.0])
        errors = (self.means - self.true) / np.asarray(self.sigmas)
        luck = sign * errors * np.sqrt(self.counts)
        chosen = min((a for a in four if self.counts[a] <= 2 * fewest), key=luck.__getitem__)
        return [chosen, *np.flatnonzero(self.counts < fewest).tolist()]


IN_PYTHON = {"doubled": Doubled, "lucky": Lucky}


@pytest.mark.parametrize("name", ["near tie, 4 arms", "sigmas 1:10:100", "Bernoulli, 3 arms"])
@pytest.mark.parametrize("sampler", honesty.SAMPLERS)
def test_a_run_is_what_the_package_runs(sampler, name):
    case = BY_NAME[name]._replace(samples_per_arm=150)
    problem, delta, n = case.problem, 0.9, 8
    settings = {"delta": delta, "sigma": problem.sigmas, "stopping": "contrasts"}
    found = honesty.ends(case, sampler, delta, seeds(3, n))
    for end, seed in zip(found, seeds(3, n), strict=True):
        if sampler in IN_PYTHON:
            policy = IN_PYTHON[sampler](problem.means, **settings)
            policy.sigmas = problem.sigmas
        else:
            policy = honesty.SAMPLERS[sampler](problem.n_arms, **settings)
        rng = np.random.Generator(np.random.PCG64(seed))
        run = simulate.run(policy, problem, budget=150 * problem.n_arms, rng=rng, noise=case.noise)
        assert end["counts"].tolist() == run.counts.tolist()
        assert end["samples"] == run.samples
        assert end["certified"] == run.certified
        assert end["right"] == (run.certified and run.correct)
    assert found["certified"].any()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_wrong_answers_are_certified_at_most_delta_of_the_time(case):
    table = honesty.wrong_answers([case], honesty.SAMPLERS, [0.3], runs=300, seed=5)
    assert (stats.binom.sf(table["wrong"] - 1, 300, 0.3) > 1e-4).all()
    if "tie" in case.name or "sigmas" in case.name:  # a test of something
        assert (table["wrong"] > 3).all()


def test_one_contrast_errs_as_often_as_its_share_says_and_not_much_less():
    # Of three arms one contrast decides: its share of delta is 0.6, times 0.9 for each of its arms.
    # Were the 0.6 or both 0.9 forgotten it would show; and so would half as many wrong answers.
    # Some of the share is always lost: steps overshoot the threshold, and runs end.
    share = 0.6 * 0.9 * 0.9 * 0.5
    case = BY_NAME["exact tie, 3 arms"]._replace(samples_per_arm=800)
    wrong = honesty.wrong_answers([case], ["doubled"], [0.5], runs=4000, seed=6).wrong[0]
    assert stats.binom.sf(wrong - 1, 4000, share) > 1e-3
    assert stats.binom.cdf(wrong, 4000, 0.6 * share) > 1e-3


def test_of_gaps_that_tie_the_highest_is_the_right_one():
    case = honesty.Case("it", Problem([0.0, 1.0, 2.0], 0.1), 100)
    found = honesty.ends(case, "RoundRobin", 0.9, seeds(1, 200))
    certified = int(found["certified"].sum())
    right = int(found["right"].sum())
    assert certified > 60
    assert stats.binomtest(right, certified).pvalue > 1e-3


def test_the_rules_that_know_the_truth_sample_as_they_say():
    case = BY_NAME["near tie, 3 arms"]
    (doubled,) = honesty.ends(case, "doubled", 1e-9, seeds(2, 1))["counts"]
    # The wrong gap is below the right one.
    assert doubled.tolist() == [240, 240, 120]
    (lucky,) = honesty.ends(case, "lucky", 1e-9, seeds(2, 1))["counts"]
    assert lucky.sum() == 600
    assert lucky.max() <= 2 * lucky.min() + 1
    assert lucky.max() > 1.2 * lucky.min()


def test_the_table_counts_runs():
    cases, samplers = CASES[:2], ["RoundRobin", "lucky"]
    table = honesty.wrong_answers(cases, samplers, [0.3, 0.9], runs=120, seed=9)
    assert table["case"].tolist() == [case.name for case in cases for _ in range(4)]
    assert table["delta"].tolist() == [0.3, 0.9] * 4
    assert (table["wrong"] <= table["certified"]).all()
    assert table["certified"].sum() > 30
    np.testing.assert_allclose(table["share"], table["wrong"] / 120)
    worst = honesty.worst(table)
    assert len(worst) == 4
    for _, row in worst.iterrows():
        same = table[(table["case"] == row["case"]) & (table["delta"] == row["delta"])]
        assert row["wrong"] == same["wrong"].max()


def test_the_exact_interval_by_hand():
    # No wrong answer in n: the upper end p has (1 - p)^n = 0.025.
    low, high = honesty.exact_interval(0, 2000)
    assert (low, (1 - high) ** 2000) == (0.0, pytest.approx(0.025))
    low, high = honesty.exact_interval(3, 10)
    assert stats.binom.sf(2, 10, low) == pytest.approx(0.025)
    assert stats.binom.cdf(3, 10, high) == pytest.approx(0.025)


def test_the_figure_shows_every_share_with_its_interval_beside_both_bounds():
    table = pd.DataFrame(
        {"case": ["a", "b"], "share": [0.1, 0.02], "low": [0.08, 0.01], "high": [0.13, 0.04]}
    )
    (ax,) = drawn.wrong_shares(table, delta=0.3, reach=0.15).axes
    (shares,) = [line for line in ax.lines if line.get_marker() == "o"]
    assert shares.get_xdata() == pytest.approx([10, 2])
    verticals = [line.get_xdata()[0] for line in ax.lines if line is not shares]
    assert verticals == pytest.approx([30, 15])
    ends = [path[:, 0].tolist() for bar in ax.collections for path in bar.get_segments()]
    assert ends == [pytest.approx([8, 13]), pytest.approx([1, 4])]
    assert [text.get_text() for text in ax.get_yticklabels()] == ["a", "b"]
    plt.close("all")


def random_case(rng):
    """Three to six arms, two gaps that tie or nearly, others smaller, scales that may differ."""
    n_arms = int(rng.integers(3, 7))
    gaps = rng.choice([0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 0.97], n_arms - 1)
    tied = rng.choice(n_arms - 1, 2, replace=False)
    gaps[tied] = 1.0, 1.0 + rng.choice([1e-4, 0.02])
    sigmas = rng.choice([0.01, 0.05, 0.2]) * rng.choice([0.03, 0.3, 1.0, 1.0], n_arms)
    order = rng.permutation(n_arms)
    means = np.concatenate([[0.0], np.cumsum(gaps)])
    return honesty.Case("random", Problem(means[order], sigmas[order]), 100)


def test_on_random_near_ties_no_more_is_wrong_than_one_contrast_may_use():
    rng, share = np.random.default_rng(314), 0.6 * 0.9**2 * 0.5
    wrong = [
        honesty.wrong_answers(
            [random_case(rng)], ["MaxGapContrasts"], [0.5], runs=60, seed=seed
        ).wrong[0]
        for seed in range(20)
    ]
    assert (stats.binom.sf(np.array(wrong) - 1, 60, share) > 1e-4).all()
    assert max(wrong) >= 4  # a test of something


def test_of_48_arms_no_more_is_wrong_than_a_contrast_and_a_distance_may_use():
    gaps = [0.1] * 45 + [1.0001, 1.0]
    case = honesty.Case("near tie, 48 arms", Problem(np.cumsum([0, *gaps]), 0.01), 8)
    table = honesty.wrong_answers([case], ["MaxGapContrasts"], [0.3], runs=60, seed=1)
    assert stats.binom.sf(table["wrong"] - 1, 60, (0.3 + 0.15) * 0.9**2 * 0.3)[0] > 1e-4


def test_medians_are_refused_where_a_run_was_not_certified():
    runs = pd.DataFrame(
        {"policy": "a", "samples": [3, 4], "certified": [True, False], "correct": True}
    )
    with pytest.raises(ValueError, match="x: a run ended without a certificate"):
        samples_needed({"x": runs})


def test_times_fewer_is_the_ratio_of_medians_within_its_interval():
    rng = np.random.default_rng(1)
    runs = pd.DataFrame(
        {
            "policy": ["MaxGapContrasts"] * 50 + ["MaxGapTop2UCB"] * 50,
            "samples": [*rng.integers(90, 110, 50), *rng.integers(270, 330, 50)],
        }
    )
    times, low, high = times_fewer({"x": runs}, seed=2).loc["x"]
    medians = runs.groupby("policy")["samples"].median()
    assert times == medians["MaxGapTop2UCB"] / medians["MaxGapContrasts"]
    assert 2.7 < low < times < high < 3.3
