"""Round robin: it errs as often as draws of the empirical means do."""

import numpy as np
import pytest

from maxgap import RoundRobin, problems, simulate

# -- the main experiment in small ------------------------------------------------------------------


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
