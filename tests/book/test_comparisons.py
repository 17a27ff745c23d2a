"""Comparisons: the chapter's instances, and the theorem's means, computed exactly."""

import math

import numpy as np
import pytest

from maxgap import MaxGapTop2UCB, RoundRobin, simulate
from maxgap_book.studies import comparisons as study


def off_by(rng, way, n=6):
    """How far the mean of an item's reward is from its Borda score, for a random matrix."""
    wins = np.triu(rng.random((n, n)), 1)
    wins += np.tril(1 - wins.T, -1)
    others = 1 - np.eye(n)
    pick = rng.dirichlet(np.full(n, 0.5))  # who is chosen
    uneven = rng.dirichlet(np.full(n, 2.0), n) * others  # and against whom
    uneven /= uneven.sum(axis=1, keepdims=True)
    met = {
        "uniform pair, both": others,
        "chosen, both": (pick[:, None] + pick) * others,
        "chosen, alone": pick[:, None] * others,
        "uneven": uneven,
    }[way]
    means = (met * wins).sum(axis=1) / met.sum(axis=1)
    return np.abs(means - wins.sum(axis=1) / (n - 1)).max()


@pytest.mark.parametrize("way", ["uniform pair, both", "chosen, alone"])
def test_what_the_theorem_allows_has_the_borda_score_as_its_mean(way):
    rng = np.random.default_rng(14)
    assert max(off_by(rng, way) for _ in range(200)) < 1e-9


@pytest.mark.parametrize("way", ["chosen, both", "uneven"])
def test_what_it_does_not_allow_has_not(way):
    rng = np.random.default_rng(14)
    assert np.median([off_by(rng, way) for _ in range(200)]) > 0.1


@pytest.mark.parametrize("name", ["Bradley-Terry", "two rings", "two wide gaps"])
def test_one_of_two_wins(name):
    wins = study.instances()[name]
    assert np.allclose(wins + wins.T, 1)
    assert np.diag(wins).tolist() == [0.5] * len(wins)


def test_in_a_ring_everybody_beats_half_of_it_and_most_of_the_ring_below():
    wins = study.rings([5, 7])
    assert ((wins[:5, :5] == 0.8).sum(axis=1) == 2).all()
    assert ((wins[5:, 5:] == 0.8).sum(axis=1) == 3).all()
    assert (wins[:5, 5:] == 0.7).all()


@pytest.mark.parametrize(
    ("name", "widest", "second"),
    [("Bradley-Terry", 0.239, 0.044), ("two rings", 0.218, 0.0), ("two wide gaps", 0.194, 0.097)],
)
def test_largest_gaps_of_the_instances_are_those_that_are_meant(name, widest, second):
    gaps = np.sort(study.borda_problem(study.instances()[name]).gaps)[::-1]
    assert gaps[:2] == pytest.approx([widest, second], abs=6e-4)


def test_runs_draw_what_duels_against_random_opponents_give():
    problem = study.borda_problem(study.rings([3, 3], above=0.85))
    assert problem.means.sum() == pytest.approx(3)
    assert (problem.top, problem.sigma) == ({0, 1, 2}, 0.5)
    policy = RoundRobin(6, sigma=0.5, stopping=None)
    rng = np.random.default_rng(1)
    ended = simulate.run(policy, problem, budget=6 * 400, rng=rng, noise="bernoulli")
    assert ended.correct
    study_of_many = simulate.replicate(
        {"it": MaxGapTop2UCB(6, sigma=0.5, confidence="empirical-bernstein")},
        problem, budget=60_000, replicates=8, seed=1, n_jobs=1, noise="bernoulli",
    )  # fmt: skip
    assert study_of_many.stops["certified"].all()
    assert study_of_many.stops["correct"].all()


@pytest.mark.parametrize(
    "matrix",
    [
        np.full((3, 2), 0.5),
        [[0.5]],
        [0.5, 0.5],
        [[0.5, 1.2], [-0.2, 0.5]],
        [[0.5, math.nan], [0.5, 0.5]],
        [[0.5, 0.6], [0.5, 0.5]],
        [[0.4, 0.6], [0.4, 0.5]],
    ],
)
def test_a_matrix_that_is_none_of_chances_is_refused(matrix):
    with pytest.raises(ValueError, match="win_probabilities must be a square"):
        study.borda_problem(matrix)


def test_rounded_chances_are_taken():
    assert study.borda_problem([[0.5, 0.3333333], [0.6666666, 0.5]]).split_rank == 1
