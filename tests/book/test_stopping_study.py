"""What the chapters on stopping compute from runs: shares, medians, ratios, lines."""

import numpy as np
import pandas as pd
import pytest

from maxgap import MaxGapElim, MaxGapTop2UCB, MaxGapUCB, Problem, RoundRobin
from maxgap_book.studies import stopping


def test_a_rule_that_tosses_a_coin_is_wrong_in_half_of_the_runs_and_a_proved_one_in_none():
    policies = {
        "coin": MaxGapElim(2, delta=0.1, stopping="literal"),
        "clusters": MaxGapElim(2, delta=0.1, stopping="clusters"),
    }
    table = stopping.wrong_stops(policies, Problem([0, 0.1]), budget=100_000, runs=60, seed=1)
    assert table["stopped"].tolist() == [60, 60]
    coin, clusters = table.index
    assert 0.3 < table.loc[coin, "error"] < 0.7
    assert table.loc[coin, "low"] < table.loc[coin, "error"] < table.loc[coin, "high"]
    assert table.loc[clusters, "wrong"] == 0
    assert table.loc[coin, "samples"] == "2"


def test_runs_that_have_not_stopped_are_not_wrong_and_take_more_than_the_budget():
    table = stopping.wrong_stops(
        {"a": RoundRobin(3, stopping="clusters")}, Problem([0, 1, 2]), budget=30, runs=5, seed=1
    )
    assert table[["stopped", "wrong"]].to_numpy().tolist() == [[0, 0]]
    assert table["samples"].tolist() == ["> 30"]


def test_the_third_highest_bound_never_comes_before_the_cluster_rule_on_the_same_noise():
    truth = Problem([0.0, 0.15, 0.35, 1.25, 1.4, 2.05, 2.25], sigma=0.4)
    table = stopping.rules_compared(truth, delta=0.1, runs=12, seed=2)
    assert (table["paper"] >= table["clusters"]).all()
    assert (table["paper"] > table["clusters"]).any()
    assert (table["wrong"] == 0).all()


def test_ratios_are_to_the_same_rule_and_gap():
    rows = [("x", "RoundRobin", 0.3, 600.0), ("x", "A", 0.3, 200.0)]
    rows += [("y", "RoundRobin", 0.3, 100.0), ("y", "A", 0.3, 50.0)]
    points = pd.DataFrame(rows, columns=["rule", "policy", "gap", "median"]).assign(error=0.0)
    table = stopping.ratios_to(points, "RoundRobin").set_index("rule")
    assert table["ratio"].to_dict() == {"x": 3.0, "y": 2.0}
    assert np.allclose(table[["low", "high"]], table[["ratio"]])


def test_the_error_of_a_median_shrinks_like_the_root_of_the_number_of_runs():
    rng = np.random.default_rng(3)
    few, many = (
        stopping.medians(
            pd.DataFrame({"policy": "a", "samples": rng.normal(size=n)}), ["policy"], seed=1
        ).iloc[0]
        for n in (100, 10_000)
    )
    # pi / 2 is the variance of a normal median, times n.
    assert many["error"] == pytest.approx(np.sqrt(np.pi / 2 / 10_000), rel=0.2)
    assert few["error"] / many["error"] == pytest.approx(10, rel=0.5)


def test_a_line_is_found_again_and_its_interval_covers_the_constant():
    rng, x = np.random.default_rng(4), np.array([1.0, 2.0, 5.0, 9.0, 20.0])
    error, covered = np.full(5, 0.3), 0
    for _ in range(200):
        y = 6 + 2 * x + 0.3 * rng.standard_normal(5)
        _, low, high = stopping.constant_of_line(x, y, error)
        covered += low <= 3 <= high
    assert covered >= 180


def test_intervals_are_watched_throughout():
    truth, over = Problem([0.0, 1.0, 5.0], sigma=0.1), lambda policy: policy.stopped

    def points_only(n, *, delta, n_arms, sigma):
        return np.full(np.shape(n), 1e-9)

    for confidence, expected in (("normal-mixture", True), (points_only, False)):
        policy = RoundRobin(3, sigma=0.1, confidence=confidence, stopping="clusters")
        rng = np.random.default_rng(5)
        assert stopping.watched(policy, truth, rng, over, most=500) is expected


@pytest.mark.parametrize("policy", [MaxGapElim, MaxGapUCB, MaxGapTop2UCB])
def test_the_certain_top_is_what_stands_above_the_certain_gap(policy):
    started = policy(4, sigma=0.01)
    started.tell(started.ask(), [3.0, 0.0, 3.2, 0.1])
    assert stopping.certain_top(started) == {0, 2}
