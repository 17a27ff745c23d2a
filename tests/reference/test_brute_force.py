"""Gap bounds by trying configurations: those of the paper's procedure, to the last bit."""

import numpy as np
import pytest
from hypothesis import given, settings
from strategies import intervals

from maxgap.reference import (
    gap_upper_bounds,
    gap_upper_bounds_brute,
)

seeded = settings(derandomize=True, deadline=None)


class TestUpperBounds:
    @given(intervals(max_arms=4))
    @settings(seeded, max_examples=800)
    def test_literal_equals_brute_force_to_the_last_bit(self, pair):
        literal, brute = gap_upper_bounds(*pair), gap_upper_bounds_brute(*pair)
        assert literal.right.tolist() == brute.right.tolist()
        assert literal.left.tolist() == brute.left.tolist()

    @given(intervals(min_arms=5, max_arms=5))
    @settings(seeded, max_examples=150)
    def test_literal_equals_brute_force_for_five_arms(self, pair):
        literal, brute = gap_upper_bounds(*pair), gap_upper_bounds_brute(*pair)
        assert literal.right.tolist() == brute.right.tolist()
        assert literal.left.tolist() == brute.left.tolist()


class TestBadInput:
    def test_too_many_configurations(self):
        with pytest.raises(ValueError, match="configurations of 8 arms"):
            gap_upper_bounds_brute(np.arange(8), np.arange(8) + 20)
