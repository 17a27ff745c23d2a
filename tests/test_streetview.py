"""The main experiment in small, against draws that simulate no samples."""

import numpy as np
import pytest

from maxgap import MaxGapElim, MaxGapTop2UCB, MaxGapUCB, RoundRobin, problems, simulate


def drawn_error(problem, per_arm, draws, rng):
    """Share of wrong answers with so many samples of every arm: one normal deviate per mean."""
    noise = rng.standard_normal((draws, problem.n_arms))
    means = problem.means + noise * problem.sigma / np.sqrt(per_arm)
    m = problem.split_rank
    gap = means[:, :m].min(axis=1) - means[:, m:].max(axis=1)
    return float((gap < np.diff(np.sort(means, axis=1), axis=1).max(axis=1)).mean())


@pytest.mark.parametrize(("sigma", "per_arm"), [(0.05, 1000), (0.1, 500)])
def test_round_robin_errs_as_often_as_direct_draws_of_the_empirical_means(sigma, per_arm):
    problem = problems.streetview(sigma, n_arms=10)
    runs, draws = 4000, 40_000
    study = simulate.replicate(
        {"RoundRobin": RoundRobin(10, sigma=sigma)},
        problem,
        budget=10 * per_arm,
        replicates=runs,
        checkpoints=1,
        seed=1,
    )
    error = study.errors["error"].iloc[0]
    expected = drawn_error(problem, per_arm, draws, np.random.default_rng(2))
    # A standard deviation wrong by a tenth moves the error by about six of these.
    spread = np.sqrt(expected * (1 - expected) * (1 / runs + 1 / draws))
    assert 0.05 < expected < 0.45
    assert abs(error - expected) < 4 * spread


@pytest.fixture(scope="module")
def study():
    settings = {"delta": 0.1, "sigma": 0.05, "confidence": "authors-lil", "stopping": None}
    classes = (RoundRobin, MaxGapElim, MaxGapUCB, MaxGapTop2UCB)
    return simulate.replicate(
        {policy.__name__: policy(90, **settings) for policy in classes},
        problems.streetview(),
        budget=40_000,
        replicates=120,
        checkpoints=40,
        seed=3,
    )


def test_the_ucb_policies_err_several_times_less_often_than_round_robin(study):
    robin, _, ucb, top2 = study.wrong[:, :, -1].mean(axis=1)
    # About 0.21 and 0.02 at 40,000 samples; the chance of a violation is below 1e-4.
    assert robin > 0.08
    assert max(ucb, top2) < 0.08
    assert 2 * max(ucb, top2) < robin


def test_elimination_is_round_robin_until_two_clusters_are_apart(study):
    robin, elim = study.counts[:2]
    assert np.abs(robin[:30] - elim[:30]).max() <= 1


def test_ucb_spends_on_ranks_2_and_3_and_top2_does_not_starve_rank_4(study):
    ucb, top2 = study.counts[2:, -1]
    even = 40_000 / 90
    assert min(ucb[1], ucb[2]) > 5 * even
    assert top2[3] > 1.2 * ucb[3]
    assert np.median(ucb[4:]) < even
