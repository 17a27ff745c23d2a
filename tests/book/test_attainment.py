"""Means that attain the bounds, and the arms that matter, by the definitions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import intervals

from maxgap.reference import gap_upper_bounds
from maxgap_book.attainment import attaining_configuration, level_sets, right_gap_arms

seeded = settings(derandomize=True, deadline=None)


def right_gap_of(arm, means):
    """Return an arm's right gap, by the definition that opens Lemma 2."""
    larger = [other for other in means if other > means[arm]]
    return min(larger) - means[arm] if larger else 0.0


class TestAttainingConfiguration:
    @given(intervals(max_arms=7), st.data())
    @settings(seeded, max_examples=800)
    def test_the_bound_is_attained_inside_the_intervals(self, pair, data):
        lower, upper = pair
        arm = data.draw(st.integers(0, len(lower) - 1))
        bounds = gap_upper_bounds(lower, upper)
        right = attaining_configuration(arm, lower, upper)
        left = attaining_configuration(arm, lower, upper, side="left")
        for means in (right, left):
            assert ((lower <= means) & (means <= upper)).all()
        assert right_gap_of(arm, right) == bounds.right[arm]
        assert right_gap_of(arm, -left) == bounds.left[arm]

    @given(intervals(max_arms=7), st.data())
    @settings(seeded, max_examples=500)
    def test_the_two_arms_named_make_the_bound(self, pair, data):
        lower, upper = pair
        arm = data.draw(st.integers(0, len(lower) - 1))
        bound = gap_upper_bounds(lower, upper).right[arm]
        named = right_gap_arms(arm, lower, upper)
        assert bound == (0.0 if named is None else upper[named[1]] - lower[named[0]])

    def test_side_must_be_right_or_left(self):
        with pytest.raises(ValueError, match=r"side .*'up'"):
            attaining_configuration(0, [0, 1], [1, 2], side="up")


class TestLevelSets:
    def test_by_hand(self):
        # Of the arms wholly to the right of arm 0, the one from 5 to 6 ends first: arm 5, from 6.5,
        # does not matter; arm 6 (6 to 9), which begins as that ends, does.
        lower = [1.0, -1.0, 0.0, 2.0, 5.0, 6.5, 6.0, -3.0]
        upper = [3.0, 2.0, 3.0, 8.0, 6.0, 7.0, 9.0, 0.5]
        levels = level_sets(0, lower, upper)
        assert levels == ({1}, {0, 2, 3}, {4, 6})

    @given(intervals(max_arms=8, infinite=True), st.data())
    @settings(seeded, max_examples=1000)
    def test_levels_are_disjoint_and_hold_the_ends_of_the_largest_right_gap(self, pair, data):
        lower, upper = pair
        arm = data.draw(st.integers(0, len(lower) - 1))
        level0, level1, level2 = level_sets(arm, lower, upper)
        assert len(level0 | level1 | level2) == len(level0) + len(level1) + len(level2)
        assert arm in level1
        named = right_gap_arms(arm, lower, upper)
        if named is not None:
            assert named[0] in level0 | level1
            assert named[1] in level0 | level1 | level2

    @given(intervals(max_arms=7), st.data())
    @settings(seeded, max_examples=300)
    def test_arms_in_no_level_do_not_matter_for_the_right_gap(self, pair, data):
        lower, upper = pair
        arm = data.draw(st.integers(0, len(lower) - 1))
        kept = sorted(set().union(*level_sets(arm, lower, upper)))
        if len(kept) > 1:
            alone = gap_upper_bounds(lower[kept], upper[kept])
            assert alone.right[kept.index(arm)] == gap_upper_bounds(lower, upper).right[arm]


class TestBadInput:
    @pytest.mark.parametrize("arm", [-1, 2, 1.0, True, None])
    @pytest.mark.parametrize("function", [attaining_configuration, level_sets, right_gap_arms])
    def test_an_arm_that_is_not_one(self, function, arm):
        with pytest.raises(ValueError, match=f"arm must be .*, not {arm}"):
            function(arm, [0, 1], [1, 2])

    @pytest.mark.parametrize("function", [attaining_configuration, level_sets, right_gap_arms])
    @pytest.mark.parametrize(
        ("lower", "upper", "message"),
        [
            ([0, np.nan], [1, 2], r"lower\[1\] .* nan"),
            ([0, 3], [1, 2], r"lower\[1\] = 3.0 must not exceed upper\[1\] = 2.0"),
            ([0, 1], [1, 2, 3], "equal lengths, not 2 and 3"),
            ([0], [1], "lower must have at least two entries, not 1"),
        ],
    )
    def test_unusable_intervals(self, function, lower, upper, message):
        with pytest.raises(ValueError, match=message):
            function(0, lower, upper)

    def test_an_infinite_bound_is_not_attained(self):
        with pytest.raises(ValueError, match="lower and upper must be finite"):
            attaining_configuration(0, [-np.inf, 0], [1, 1])

    def test_what_came_in_is_left_alone(self):
        lower, upper = np.array([0.0, 2.0, 5.0]), np.array([1.0, 3.0, 6.0])
        attaining_configuration(1, lower, upper)[:] = -1
        assert lower.tolist() == [0.0, 2.0, 5.0]
        assert upper.tolist() == [1.0, 3.0, 6.0]
