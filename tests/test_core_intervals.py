"""The capital behind the empirical Bernstein intervals, exactly; and how often they miss."""

import math

import numpy as np
import pytest
from scipy.stats import binom

from maxgap.confidence import bernstein_lines
from maxgap.engine.compiled import compiled
from maxgap.engine.state import ARM, SUMS, FromSums, observe

BETS = 0.6 * 0.8 ** np.arange(40)
SHARES = np.arange(1, 41) ** -1.1 / np.sum(np.arange(1, 41) ** -1.1)


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


@compiled
def add_all(arms, intervals, rewards, mean):
    """Whether an interval ever lies below the mean, and whether one ever lies above."""
    below, above = False, False
    for k in range(rewards.size):
        observe(arms, 0, rewards[k])
        intervals.take(arms, 0, rewards[k])
        below |= arms[0]["upper"] < mean
        above |= arms[0]["lower"] > mean
    return below, above


def play(rewards, mean, lines):
    """What add_all says of the package's own sums, and these."""
    arms, sums = np.zeros(1, ARM), np.zeros(1, SUMS)
    arms["sigma"] = 0.5
    missed = add_all(arms, FromSums(sums, lines, False), rewards, mean)
    return missed, arms[0]["count"] * (arms[0]["mean"] - mean), 0.25 + sums[0]["squares"]


@pytest.mark.parametrize("mean", [0.03, 0.2, 0.3, 0.5, 0.9])
def test_the_expected_capital_never_exceeds_one(mean):
    """Exactly, over all paths, for either side: this is all that the proof needs.

    The expectation is linear in the distribution of a reward given the past, and distributions on
    two points span those of the same mean: a counterexample would be among such trees.
    """
    rng = np.random.default_rng(8)
    psi = -np.log(1 - BETS) - BETS
    for depth in (1, 2, 7, 7, 7, 7):
        paths, chances = two_valued_tree(rng, mean, depth)
        lines = bernstein_lines(1.0)
        won, squares = np.array([play(path, mean, lines)[1:] for path in paths]).T
        for side in (1, -1):
            capital = np.exp(np.outer(side * won, BETS) - np.outer(squares, psi))
            assert 0.5 < chances @ capital @ SHARES <= 1 + 1e-12
            # Nearly 1 for every bet, if the first square is not a quarter but what it is.
            spared = 0.25 - (paths[:, :1] - 0.5) ** 2
            alone = chances @ (capital * np.exp(spared * psi))
            assert (alone <= 1 + 1e-12).all()
            assert alone[-1] > 0.999


@pytest.mark.parametrize("mean", [0.03, 0.3, 0.5, 0.9])
@pytest.mark.parametrize("alpha", [0.5, 0.9])
def test_either_side_ever_misses_with_at_most_its_probability(mean, alpha):
    """Exactly, over all paths of ten rewards; values of 0 and 1 miss most."""
    lines = bernstein_lines(math.log(1 / alpha))
    ends = np.array(np.meshgrid(*[[0.0, 1.0]] * 10)).reshape(10, -1).T
    coins = ends, np.prod(np.where(ends == 1, mean, 1 - mean), axis=1)
    for paths, chances in [coins, two_valued_tree(np.random.default_rng(9), mean, 10)]:
        missed = chances @ np.array([play(path, mean, lines)[0] for path in paths])
        assert (missed <= alpha).all()


@pytest.mark.parametrize("mean", [0.5, 0.2, 0.05, 0.01])
def test_intervals_hold_at_all_times_with_probability_one_minus_delta(mean):
    """At a delta where a wrong proof would show, after each of 4,000 tosses."""
    delta, runs = 0.3, 2000
    lines = bernstein_lines(math.log(2 / delta))
    rng = np.random.default_rng(5)
    coins = ((rng.random(4000) < mean).astype(float) for _ in range(runs))
    missed = sum(any(play(tosses, mean, lines)[0]) for tosses in coins)
    # Of valid intervals one set in a million would miss as often.
    assert missed <= binom.isf(1e-6, runs, delta)
    assert missed > 0, "nothing is tested"
