"""The intervals of a policy: those of its radius, for every sigma, however many samples."""

import math
import tracemalloc
import warnings

import numpy as np
import pytest
from states import with_radii_up_to

import maxgap
from maxgap import (
    MaxGapElim,
    MaxGapTop2UCB,
    MaxGapUCB,
    RoundRobin,
    SortThenSearch,
    confidence,
    simulate,
)

# -- against a loop in Python ----------------------------------------------------------------------


def test_a_run_longer_than_the_table_of_radii_goes_on_as_if_the_table_were_longer():
    # One arm gets more than the 1,024 samples that the first table reaches.
    policy = MaxGapUCB(2, sigma=1.0, stopping=None)
    long = with_radii_up_to(MaxGapUCB(2, sigma=1.0, stopping=None), 10_000)
    problem = maxgap.Problem([0.0, 0.1])
    runs = [
        simulate.run(p, problem, budget=9001, rng=np.random.default_rng(1)) for p in (policy, long)
    ]
    assert runs[0].counts.max() > 4000
    np.testing.assert_array_equal(runs[0].counts, runs[1].counts)
    assert runs[0].split == runs[1].split


# -- settings that are no settings -----------------------------------------------------------------

CLASSES = [RoundRobin, SortThenSearch, MaxGapElim, MaxGapUCB, MaxGapTop2UCB]
every_policy = pytest.mark.parametrize("cls", CLASSES)


def test_a_radius_function_that_returns_no_radius_is_refused_and_the_rewards_are_not_taken():
    for value in (math.nan, -1.0):
        policy = MaxGapUCB(2, confidence=lambda n, value=value, **_: np.full_like(n, value))
        with pytest.raises(ValueError, match="no radius"):
            policy.tell([0, 1], [1.0, 2.0])
        assert policy.counts.sum() == 0


# -- large counts ----------------------------------------------------------------------------------


def test_a_policy_counts_past_fifty_thousand_samples_of_one_arm():
    policy = MaxGapUCB(2, sigma=1.0)
    policy.tell([0] * 60_000 + [1], [0.0] * 60_000 + [1.0])
    assert policy.counts.tolist() == [60_000, 1]
    expected = maxgap.confidence.radius("normal-mixture", 60_000, delta=0.05, n_arms=2)
    assert policy.upper[0] == expected


# -- unequal noise ---------------------------------------------------------------------------------

UNEQUAL = [0.1, 1.0, 5.0]


@pytest.mark.parametrize("name", [n for n in maxgap.confidence.RADII if n != "paper"])
def test_with_unequal_sigmas_every_interval_scales_with_its_arm(name):
    policy = MaxGapUCB(3, sigma=UNEQUAL, confidence=name)
    policy.tell([0, 1, 2] * 7, [0.0] * 21)
    expected = maxgap.confidence.radius(name, 7, delta=0.05, n_arms=3)
    np.testing.assert_allclose(policy.upper, np.multiply(UNEQUAL, expected), rtol=1e-14)
    np.testing.assert_array_equal(policy.lower, -policy.upper)


# -- a noise assumption that does not hold ---------------------------------------------------------


@every_policy
def test_nested_intervals_that_cross_warn_once_and_stay_intervals(cls):
    policy = cls(3, sigma=0.1, nested=True, stopping=None)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for value in [0.0] * 50 + [1.0] * 500:
            policy.tell([0, 1, 2], [value, 0.3, 0.5])
    assert [w.category for w in caught] == [RuntimeWarning]
    assert "assumption on the noise" in str(caught[0].message)
    assert (policy.lower <= policy.upper).all()
    assert policy.counts.tolist() == [550] * 3
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        policy.tell([0, 1, 2], [1.0, 0.3, 0.5])
        assert not policy.report().isna().any().any()


# -- what many arms cost ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", confidence.RADII)
def test_a_sigma_of_its_own_for_every_arm_takes_no_more_memory(name):
    n_arms, n_samples = 10_000, 67_000
    policy = MaxGapUCB(n_arms, sigma=np.linspace(0.1, 0.7, n_arms), confidence=name)
    tracemalloc.start()
    try:
        for _ in range(67):
            policy.tell([0] * 1000, np.zeros(1000))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert policy.counts[0] == n_samples
    assert peak < 50e6


@pytest.mark.parametrize("name", confidence.RADII)
def test_intervals_of_unequal_sigmas_are_those_of_the_radius(name):
    sigmas = np.array([0.1, 0.1, 1.0, 5.0])
    policy = RoundRobin(4, sigma=sigmas, delta=0.2, confidence=name, stopping=None)
    for _ in range(3):
        policy.tell([0, 1, 2, 3, 3], [0.0, 1.0, 2.0, 3.0, 3.0])
    expected = confidence.radius(name, [3, 3, 3, 6], delta=0.2, n_arms=4, sigma=sigmas)
    assert (policy.upper - policy.means).tolist() == pytest.approx(expected.tolist(), rel=1e-12)
    assert (policy.lower == policy.means - expected).all()


def test_a_function_as_radius_is_asked_for_every_sigma():
    def squared(n, *, delta, n_arms, sigma):
        return sigma**2 / n

    policy = RoundRobin(3, sigma=[1.0, 2.0, 3.0], confidence=squared, stopping=None)
    policy.tell([0, 1, 2, 2], [0.0, 0.0, 0.0, 0.0])
    assert policy.upper.tolist() == [1.0, 4.0, 4.5]
