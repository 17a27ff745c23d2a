"""The capital behind the empirical Bernstein intervals: its expectation is at most 1, exactly."""

import numpy as np
import pytest
from numba import njit

from maxgap._core.intervals import SUMS, add_to_sums
from maxgap._core.state import ARM, observe


def two_valued_tree(rng, mean, depth):
    """Every path of rewards in [0, 1], two values given the past with this mean, and its chance."""
    paths, chances = np.empty((1, 0)), np.ones(1)
    for _ in range(depth):
        down, up = rng.beta(0.4, 0.4, (2, chances.size))
        low, high = mean - mean * down, mean + (1 - mean) * up
        rise = (mean - low) / (high - low)
        paths = np.vstack([np.column_stack([paths, end]) for end in (low, high)])
        chances = np.concatenate([chances * (1 - rise), chances * rise])
    return paths, chances


@njit
def add_all(arms, sums, rewards, log_inverse):
    for reward in rewards:
        observe(arms, 0, reward)
        add_to_sums(arms, sums, 0, reward, log_inverse)


def capitals(rewards, mean, log_inverse):
    """Of both bettors of the proof, after the last reward, from the package's own sums."""
    arms, sums = np.zeros(1, ARM), np.zeros(1, SUMS)
    arms["sigma"] = 0.5
    add_all(arms, sums, rewards, log_inverse)
    won = sums[0]["bets"] * (sums[0]["center"] - mean)
    return np.exp(np.array([won, -won]) - sums[0]["cost"])


@pytest.mark.parametrize("mean", [0.03, 0.3, 0.5, 0.9])
@pytest.mark.parametrize("log_inverse", [0.1, 1.0, 5.0])
def test_the_expected_capital_never_exceeds_one(mean, log_inverse):
    """Exactly, over all paths: this is all that the proof needs.

    The expectation is linear in the distribution of a reward given the past, and distributions on
    two points span those of the same mean: a counterexample would be among such trees.
    """
    rng = np.random.default_rng(8)
    for _ in range(8):
        paths, chances = two_valued_tree(rng, mean, 7)
        expected = chances @ np.array([capitals(path, mean, log_inverse) for path in paths])
        assert np.all(expected <= 1 + 1e-12)
        assert np.all(expected > 0.5)
