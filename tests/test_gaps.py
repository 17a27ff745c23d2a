"""Gap bounds: the fast algorithm against the paper's procedure and brute force."""

import numpy as np
import pytest
from hypothesis import given, settings
from strategies import coarse_intervals, intervals

from maxgap import gap_lower_bound, gap_upper_bounds, reference

MANY = settings(max_examples=400)


@MANY
@given(intervals(max_arms=9, infinite=True))
def test_fast_bounds_equal_the_papers_procedure(ends):
    fast, literal = gap_upper_bounds(*ends), reference.gap_upper_bounds(*ends)
    np.testing.assert_array_equal(fast.right, literal.right)
    np.testing.assert_array_equal(fast.left, literal.left)


@settings(max_examples=400)
@given(coarse_intervals(max_arms=4))
def test_fast_bounds_equal_brute_force_over_configurations(ends):
    fast, brute = gap_upper_bounds(*ends), reference.gap_upper_bounds_brute(*ends)
    np.testing.assert_array_equal(fast.right, brute.right)
    np.testing.assert_array_equal(fast.left, brute.left)


@pytest.mark.parametrize("n_arms", [50, 400])
def test_fast_bounds_equal_the_papers_procedure_on_many_arms(n_arms):
    rng = np.random.default_rng(n_arms)
    for width in (0.01, 0.3, 3.0):
        centre = rng.random(n_arms).round(2)  # rounded: ties
        half = width * rng.random(n_arms)
        fast = gap_upper_bounds(centre - half, centre + half)
        literal = reference.gap_upper_bounds(centre - half, centre + half)
        np.testing.assert_array_equal(fast.right, literal.right)
        np.testing.assert_array_equal(fast.left, literal.left)


@MANY
@given(intervals(max_arms=9))
def test_at_least_two_arms_share_the_highest_bound_to_the_last_bit(ends):
    either = gap_upper_bounds(*ends).either
    assert (either == either.max()).sum() >= 2


def test_hand_worked_bounds():
    # Arm 0 below, arms 1 and 2 overlapping above it.
    bounds = gap_upper_bounds([0.0, 2.0, 2.5], [1.0, 3.0, 4.0])
    assert bounds.right.tolist() == [3.0, 2.0, 0.5]
    assert bounds.left.tolist() == [0.0, 3.0, 3.0]
    assert gap_lower_bound([0.5, 2.5, 3.0], [0.0, 2.0, 2.5], [1.0, 3.0, 4.0]) == (1.0, 2)


def test_an_unsampled_arm_leaves_every_bound_infinite():
    bounds = gap_upper_bounds([-np.inf, 0.0], [np.inf, 1.0])
    assert np.isinf(bounds.either).all()
    assert not np.isnan(bounds.right).any()
    assert not np.isnan(bounds.left).any()


@pytest.mark.parametrize(
    ("lower", "upper", "words"),
    [
        ([0.0], [1.0], "lower has 1"),
        ([0.0, 1.0], [1.0], "equal length"),
        ([0.0, np.nan], [1.0, 1.0], "lower of arm 1 is nan"),
        ([0.0, 0.0], [1.0, -np.inf], "upper of arm 1 is -inf"),
        ([0.0, 2.0], [1.0, 1.0], "lower 2.0 of arm 1"),
    ],
)
def test_bad_intervals_are_refused_by_name(lower, upper, words):
    with pytest.raises(ValueError, match=words):
        gap_upper_bounds(lower, upper)
    with pytest.raises(ValueError, match=words):
        gap_lower_bound(np.zeros(len(lower)), lower, upper)


def test_bad_means_are_refused_by_name():
    with pytest.raises(ValueError, match="means has shape"):
        gap_lower_bound([0.0], [0.0, 0.0], [1.0, 1.0])
    with pytest.raises(ValueError, match="means holds NaN at position 1"):
        gap_lower_bound([0.0, np.nan], [0.0, 0.0], [1.0, 1.0])
