"""What many arms cost, in memory and in time."""

import time
import tracemalloc

import numpy as np
import pytest

from maxgap import MaxGapElim, MaxGapTop2UCB, MaxGapUCB, RoundRobin, SortThenSearch, confidence

CLASSES = [RoundRobin, SortThenSearch, MaxGapElim, MaxGapUCB, MaxGapTop2UCB]


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


def seconds_of_a_tell(cls, n_arms):
    """Processor time to take one rating while all intervals overlap, the best of several tries."""
    rng = np.random.default_rng(n_arms)
    policy = cls(n_arms, sigma=1.0)
    policy.tell(range(n_arms), rng.standard_normal(n_arms))
    arms, rewards = rng.integers(n_arms, size=40).tolist(), rng.standard_normal(40).tolist()
    times = []
    for _ in range(5):
        start = time.thread_time()
        for arm, reward in zip(arms, rewards, strict=True):
            policy.tell(arm, reward)
        times.append((time.thread_time() - start) / len(arms))
    assert len(policy.ask()) > 100
    return min(times)


@pytest.mark.parametrize("cls", CLASSES)
def test_one_rating_at_a_time_grows_no_faster_than_the_number_of_arms(cls):
    seconds_of_a_tell(cls, 200)
    few, many = seconds_of_a_tell(cls, 2_000), seconds_of_a_tell(cls, 16_000)
    # Eight times the arms; quadratic growth would take 64 times as long.
    assert many / few < 16
