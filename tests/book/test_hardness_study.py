"""Samples of single arms against their hardness, and the worst noise that is allowed."""

import numpy as np
import pandas as pd
import pytest

from maxgap import MaxGapElim, Problem, RoundRobin, confidence, gap_upper_bounds, hardness
from maxgap_book.studies import hardness as study

SETTINGS = {"delta": 0.1, "sigma": study.SIGMA, "confidence": "paper"}


def radius(n, n_arms=3):
    return confidence.radius("paper", n, delta=0.1, n_arms=n_arms)


def test_random_instances_have_one_largest_gap_of_four_and_no_hopeless_arm():
    instances = study.random_instances(30, seed=5)
    for problem in instances:
        gaps = np.sort(np.diff(np.sort(problem.means)))
        assert 6 <= problem.n_arms <= 15
        assert gaps[-1] == pytest.approx(4)
        assert gaps[-2] <= 0.95 * 4
        away = hardness.suboptimal_arms(problem.means)
        assert hardness.gamma(problem.means).either[away].min() >= 0.04
    again = study.random_instances(30, seed=5)
    assert all(np.array_equal(a.means, b.means) for a, b in zip(instances, again, strict=True))


def test_a_run_gives_a_row_for_each_arm_away_from_the_largest_gap():
    instances = [Problem([0.0, 1.0, 2.0, 6.0, 7.5], study.SIGMA)]
    made = []

    def make(n_arms):
        made.append(MaxGapElim(n_arms, stopping="paper", **SETTINGS))
        return made[-1]

    rows = study.single_arms(make, instances, seed=1)
    assert rows["arm"].tolist() == [0, 1, 4]
    assert rows["correct"].all()
    assert rows["samples"].between(1, 10_000).all()
    assert np.allclose(rows["gamma"], hardness.gamma(instances[0].means).either[[0, 1, 4]])
    # Arm 0 needs no helper: all to its right that is no further than the largest gap is near.
    extra = rows["rho"] > rows["gamma"] / 4 * (1 + 1e-9)
    assert (rows["helped"] == ~extra).all()


def test_a_power_law_is_found_again_with_an_interval_around_it():
    rng = np.random.default_rng(3)
    width = rng.uniform(0.01, 1, size=2000)
    noise = np.exp(rng.normal(0, 0.3, size=2000))
    rows = pd.DataFrame({"instance": np.repeat(np.arange(200), 10), "h": width})
    law = study.power_law_of(rows.assign(samples=5 * width**-1.6 * noise), "h", seed=1)
    assert law.low < 0.8 < law.high
    assert law.high - law.low < 0.05
    assert law.factor == pytest.approx(5, rel=0.1)


def test_the_slot_of_an_arm_is_its_bound():
    rng = np.random.default_rng(4)
    for _ in range(200):
        low = rng.uniform(0, 5, size=6)
        high = low + rng.uniform(0.1, 2, size=6)
        arm = int(rng.integers(6))
        if not (low > high[arm]).any():
            continue
        opening, closing = study.right_slot(low, high, arm)
        assert high[closing] - low[opening] == gap_upper_bounds(low, high).right[arm]


def test_the_best_helper_makes_rho_on_the_harder_side():
    means = np.array([0.0, 1.0, 2.0, 6.5, 8.0])
    assert study.best_helper(means, 0) == 2
    for problem in study.random_instances(10, seed=8):
        rho = hardness.rho(problem.means)
        for arm in hardness.suboptimal_arms(problem.means):
            far = problem.means[study.best_helper(problem.means, arm)] - problem.means[arm]
            worth = min(abs(far) / 4, (problem.delta_max - abs(far)) / 8)
            side = min(rho.right[arm], rho.left[arm])
            assert worth <= side * (1 + 1e-9)


def test_the_lemma_has_cases_and_no_failure_while_intervals_hold():
    problem = study.random_instances(1, seed=2)[0]
    found = study.lemma_cases(problem, np.random.default_rng(1), 0.1)
    assert found.held
    assert found.cases > 0
    assert found.failures == 0
    assert 1 < found.reach <= 2


def test_noise_at_the_edge_keeps_intervals_valid_and_costs_more_than_none():
    means = [0.0, 1.0, 3.0]

    def make():
        return MaxGapElim(3, nested=True, stopping="clusters", **SETTINGS)

    rounds, samples = study.worst_noise(make, means, radius)
    exact = make()
    while not exact.stopped:
        exact.tell(exact.ask(), [means[arm] for arm in exact.ask()])
    assert rounds > exact.counts.max()
    assert samples > exact.counts.sum()
    assert rounds <= samples


def test_a_radius_that_is_not_the_policys_is_refused():
    policy = RoundRobin(3, stopping="clusters", **SETTINGS)
    with pytest.raises(ValueError, match="policy's own"):
        study.rounds_held(policy, [0.0, 1.0, 30.0], [1, 1, 1], lambda n: 3 * radius(n))
