"""What the reference is given, checked."""

import math

import numpy as np
import pytest

from maxgap.reference import (
    gap_lower_bound,
    gap_upper_bounds,
    gap_upper_bounds_brute,
    gap_upper_bounds_mip,
    right_gap_at,
)

BOUNDS = [gap_upper_bounds, gap_upper_bounds_mip, gap_upper_bounds_brute]


class TestBadInput:
    @pytest.mark.parametrize("bounds", BOUNDS)
    @pytest.mark.parametrize(
        ("lower", "upper", "message"),
        [
            ([0, math.nan], [1, 2], r"lower\[1\] .* nan"),
            ([0, 1], [math.nan, 2], r"upper\[0\] .* nan"),
            ([0, 3], [1, 2], r"lower\[1\] = 3.0 must not exceed upper\[1\] = 2.0"),
            ([0, 1], [1, 2, 3], "equal lengths, not 2 and 3"),
            ([0], [1], "lower must have at least two entries, not 1"),
            ([], [], "lower must have at least two entries, not 0"),
            ([0, math.inf], [1, math.inf], r"lower\[1\] .* inf"),
            ([0, -math.inf], [1, -math.inf], r"(upper|lower)\[1\] .* -inf"),
            ([[0, 1]], [[1, 2]], "lower must be a vector"),
            (["a", "b"], [1, 2], "lower must be a vector of numbers"),
        ],
    )
    def test_unusable_intervals(self, bounds, lower, upper, message):
        with pytest.raises(ValueError, match=message):
            bounds(lower, upper)

    @pytest.mark.parametrize("bounds", BOUNDS[1:])
    def test_infinite_ends_where_they_make_no_sense(self, bounds):
        with pytest.raises(ValueError, match=r"lower\[0\] must be finite, not -inf"):
            bounds([-math.inf, 0], [1, 1])

    @pytest.mark.parametrize("arm", [-1, 2, 1.0, True, None])
    def test_an_arm_that_is_not_one(self, arm):
        with pytest.raises(ValueError, match=f"arm must be .*, not {arm}"):
            right_gap_at(arm, 0.5, [0, 1], [1, 2])

    @pytest.mark.parametrize("x", [-0.1, 1.1, math.nan, None, "0"])
    def test_a_position_outside_the_interval(self, x):
        with pytest.raises(ValueError, match="x must lie in the arm's interval"):
            right_gap_at(0, x, [0, 1], [1, 2])

    def test_unusable_means(self):
        with pytest.raises(ValueError, match=r"means\[0\] must be finite, not nan"):
            gap_lower_bound([math.nan, 1], [0, 1], [1, 2])
        with pytest.raises(ValueError, match="means and lower must have equal lengths"):
            gap_lower_bound([0, 1, 2], [0, 1], [1, 2])

    def test_what_came_in_is_left_alone(self):
        lower, upper = np.array([0.0, 2.0, 5.0]), np.array([1.0, 3.0, 6.0])
        for function in BOUNDS:
            function(lower, upper).right[:] = -1
        assert lower.tolist() == [0.0, 2.0, 5.0]
        assert upper.tolist() == [1.0, 3.0, 6.0]
