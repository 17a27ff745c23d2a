"""The rivals of the chapter on the limit: their distance found by others, errors, sampling."""

import itertools
import pickle
from functools import partial

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from quadratic_programs import by_quadratic_programs, lead

from maxgap import Problem, simulate
from maxgap.hardness import characteristic_time, nearest_alternative
from maxgap.statistics import wilson_interval
from maxgap_book.figures import how_far_from_the_limit as figures
from maxgap_book.studies import rivals
from maxgap_book.studies.rivals import Challenger, TrackAndStop
from maxgap_book.studies.the_limit import times_the_limit

#: A gap of 1 between two arms, and one of 1.02 between two crowds.
CROWDED = Problem([0.0, 1.0] + 10 * [1.5] + 10 * [2.52], sigma=0.5)


def told(cls, stacks, **settings):
    """A policy that was told these rewards, a batch for each."""
    policy = cls(len(stacks), **{"delta": 0.1, "sigma": 1.0} | settings)
    arms = np.repeat(np.arange(len(stacks)), [len(stack) for stack in stacks])
    policy.tell(arms, np.concatenate(stacks))
    return policy


# The stopping


@pytest.mark.parametrize("seed", range(60))
def test_the_ellipsoid_stops_if_and_only_if_quadratic_programs_find_no_answer_inside(seed):
    """Every order of the arms and every place of the gap; some arms' rewards are tied."""
    rng = np.random.default_rng(seed)
    n_arms, sigma, rho = rng.integers(3, 6), 0.7, 5.0
    counts = rng.integers(1, 60, n_arms)
    means = rng.permutation([0.0, 1.0, 1.0, 3.0, 3.4][:n_arms]) * rng.choice([0.3, 0.6, 1.2])
    stacks = [np.full(n, mean) for n, mean in zip(counts, means, strict=True)]
    policy = told(Challenger, stacks, sigma=sigma, threshold=partial(rivals.ellipsoid, rho=rho))
    v = counts**2 / (counts + rho) / (2 * sigma**2)
    growth = sum(np.log(1 + n / rho) for n in counts) / 2
    outside = by_quadratic_programs(policy.means, v) - np.log(1 / 0.1) - growth
    assert abs(outside) > 1e-6
    assert policy.stopped == (outside > 0)


def test_of_the_trials_of_the_ellipsoid_some_stop_and_some_do_not():
    stopped = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        stack = rng.normal([[0.0], [1.0], [3.0]], 1.0, (3, 1 + seed))
        stopped.append(told(Challenger, list(stack)).stopped)
    assert 5 < sum(stopped) < 55


def test_thresholds_by_hand():
    weights, needed = rivals.ellipsoid(np.array([2, 6]), 0.25, rho=2.0)
    assert weights.tolist() == [1.0, 4.5]
    assert needed == pytest.approx(np.log(4) + np.log(2) / 2 + np.log(4) / 2)
    weights, needed = rivals.popular(np.array([1, 2]), 0.5)
    assert weights.tolist() == [1.0, 2.0]
    assert needed == pytest.approx(np.log(2 * (1 + np.log(3))))


def test_the_true_means_leave_the_ellipsoid_with_a_probability_near_delta_and_not_above():
    """The event of the proof, where the samples go to the arm that has deviated most."""
    runs, n_arms, delta, rho = 300, 3, 0.3, 30.0
    rng = np.random.default_rng(7)
    left = 0
    for _ in range(runs):
        sums, counts = np.zeros(n_arms), np.zeros(n_arms, dtype=int)
        for noise in rng.standard_normal(1200):
            arm = int(np.argmax(sums**2 / (counts + rho) - np.log1p(counts / rho)))
            sums[arm] += noise
            counts[arm] += 1
            taken = np.maximum(counts, 1)
            weights, needed = rivals.ellipsoid(counts, delta, rho)
            if np.sum(weights * (sums / taken) ** 2) / 2 >= needed:
                left += 1
                break
    low, high = wilson_interval(left, runs)
    assert low < delta < high + 0.1


@pytest.mark.parametrize("delta", [0.1, 0.3])
def test_the_popular_threshold_errs_more_than_delta_where_many_arms_crowd_a_gap(delta):
    policies = {
        "popular": Challenger(22, delta=delta, sigma=0.5, threshold=rivals.popular),
        "ellipsoid": Challenger(22, delta=delta, sigma=0.5),
    }
    stops = simulate.replicate(
        policies, CROWDED, budget=600, replicates=60, checkpoints=1, seed=3, n_jobs=1
    ).stops
    wrong = (stops["stopped"] & ~stops["correct"]).groupby(stops["policy"]).sum()
    assert wilson_interval(wrong["popular"], 60)[0] > delta
    assert wrong["ellipsoid"] == 0


# The sampling


def spread(policy, means, n):
    """The shares of n samples without noise."""
    while policy.counts.sum() < n:
        arms = policy.ask()
        assert arms
        policy.tell(arms, [means[arm] for arm in arms])
    return policy.counts / policy.counts.sum()


def never(counts, delta):
    """A threshold that is never reached."""
    return counts.astype(float), np.inf


def test_the_challenger_finds_the_best_shares_of_a_single_contrast():
    shares = spread(Challenger(3, delta=0.1, sigma=1.0, threshold=never), [0.0, 1.0, 3.0], 4000)
    assert shares == pytest.approx([0.25, 0.5, 0.25], abs=0.02)


@pytest.mark.parametrize("cls", [Challenger, TrackAndStop])
def test_without_noise_the_samples_come_near_the_limit(cls):
    means = [0.0, 0.25, 1.5, 2.5]
    shares = spread(cls(4, delta=0.1, sigma=1.0, threshold=never), means, 20_000)
    best = characteristic_time(means)
    assert 1 / nearest_alternative(means, shares).distance < 1.15 * best.value


def test_every_arm_keeps_about_the_root_of_all_samples():
    class OfTwo(Challenger):
        def shares(self, *now):
            return np.array([0.5, 0.5, 0.0, 0.0])

    policy = OfTwo(4, delta=0.1, sigma=1.0, threshold=never)
    shares = spread(policy, [0.0, 1.0, 1.1, 3.0], 2500)
    assert policy.counts[2:] == pytest.approx(48, abs=3)
    assert shares[:2] == pytest.approx(0.48, abs=0.01)


def test_looks_are_a_part_of_the_samples_apart():
    looked_at = []

    def threshold(counts, delta):
        looked_at.append(int(counts.sum()))
        return counts.astype(float), np.inf

    policy = Challenger(3, delta=0.1, sigma=1.0, threshold=threshold)
    spread(policy, [0.0, 1.0, 3.0], 4000)
    steps = np.diff(looked_at)
    assert len(looked_at) < 250
    assert (steps <= 3 + np.array(looked_at[:-1]) // rivals.PART + 1).all()
    assert (steps > np.array(looked_at[:-1]) // rivals.PART).all()


def test_best_shares_are_computed_once_in_four_times_the_samples(monkeypatch):
    at = []

    def counted(means, sigma):
        at.append(policy.counts.sum())
        return characteristic_time(means, sigma)

    monkeypatch.setattr(rivals, "characteristic_time", counted)
    policy = TrackAndStop(3, delta=0.1, sigma=1.0, threshold=never)
    spread(policy, [0.0, 1.0, 3.0], 1000)
    assert at[0] == 36
    assert len(at) == 3
    assert all(later >= 4 * earlier for earlier, later in itertools.pairwise(at))


@pytest.mark.parametrize("cls", [Challenger, TrackAndStop])
def test_a_rival_is_right_certifies_nothing_and_can_be_sent_to_a_process(cls):
    problem = Problem([0.0, 0.3, 1.6, 1.7], sigma=0.3)
    policy = pickle.loads(pickle.dumps(cls(4, delta=0.1, sigma=0.3)))
    ended = simulate.run(policy, problem, budget=3000, rng=np.random.default_rng(1))
    assert (ended.stopped, ended.certified, ended.correct) == (True, False, True)
    assert policy.counts.sum() == 0


# The figures


def test_the_picture_of_the_nearest_others_shows_who_moves_and_both_largest_gaps():
    means = np.array([0.0, 1.0, 3.0])
    other = nearest_alternative(means, [0.25, 0.5, 0.25]).means
    assert lead(other, means) == pytest.approx(0)
    ax = figures.nearest({"three": (means, other, [0.25, 0.5, 0.25])}).axes[0]
    towards = {
        line.get_xdata()[0]: line.get_marker() for line in ax.lines if len(line.get_xdata()) == 1
    }
    assert [*towards] == pytest.approx(other)
    assert [*towards.values()] == ["<", ">", "<"]
    assert [text.get_text() for text in ax.texts if text.get_text()] == ["2", "1.5", "1.5"]
    plt.close("all")


def test_the_picture_of_methods_has_the_proved_first_the_others_hollow_below_a_line():
    rows = [
        ("slow", "x", 9.0, 8.0, 9.5, False, True),
        ("free", "x", 0.5, 0.2, 3.0, False, False),
        ("fast", "x", 2.0, 1.5, 2.5, False, True),
        ("fast", "y", 8.0, 7.0, 9.0, True, True),
    ]
    columns = ["method", "instance", "times", "low", "high", "many", "proved"]
    ax = figures.times_the_limit(pd.DataFrame(rows, columns=columns)).axes[0]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["fast", "slow", "free"]
    dots = {line.get_xdata()[0]: line for line in ax.lines if line.get_marker() in ("o", "^")}
    assert set(dots) == {9.0, 0.5, 2.0, 8.0}
    assert {x: np.rint(dot.get_ydata()[0]) for x, dot in dots.items()} == {2: 0, 8: 0, 9: 1, 0.5: 2}
    assert [x for x, dot in dots.items() if dot.get_markerfacecolor() == "white"] == [0.5]
    assert [x for x, dot in dots.items() if dot.get_marker() == "^"] == [8.0]
    names = [text.get_text() for text in ax.texts]
    assert {*names} == {"one alternative decides", "many do", "not proved", "the limit"}
    levels = [line.get_ydata()[0] for line in ax.lines if line.get_linestyle() == "--"]
    assert levels == [1.5]
    assert ax.get_xlim()[0] < 0.2
    plt.close("all")


def test_times_the_limit_count_a_run_that_did_not_stop_as_longer_than_all_others():
    stops = pd.DataFrame(
        {
            "policy": "a",
            "instance": "x",
            "samples": [10, 20, 15],
            "stopped": [True, True, False],
            "correct": [True, False, False],
        }
    )
    (row,) = times_the_limit(stops, pd.Series({"x": 10})).to_dict("records")
    assert (row["times"], row["runs"], row["wrong"]) == (2.0, 3, 1)
    assert row["high"] == np.inf
