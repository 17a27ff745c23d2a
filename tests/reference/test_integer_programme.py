"""The mixed integer programme: the bounds of the paper's procedure, in any unit."""

import numpy as np
import pytest
from hypothesis import given, settings
from strategies import coarse_intervals

from maxgap.reference import (
    gap_upper_bounds,
    gap_upper_bounds_mip,
)

seeded = settings(derandomize=True, deadline=None)
# As in the paper's Figure 3 (a).
FIGURE_A = ([1.0, 0.0, 1.5, 2.5, 3.0, 4.0], [3.0, 2.5, 7.0, 6.0, 5.0, 8.0])


class TestUpperBounds:
    @given(coarse_intervals(max_arms=4))
    @settings(seeded, max_examples=40)
    def test_literal_equals_the_integer_programme(self, pair):
        literal, programme = gap_upper_bounds(*pair), gap_upper_bounds_mip(*pair)
        np.testing.assert_allclose(programme.right, literal.right, atol=1e-5, rtol=0)
        np.testing.assert_allclose(programme.left, literal.left, atol=1e-5, rtol=0)

    @pytest.mark.parametrize("unit", [1e-8, 1e8])
    def test_the_integer_programme_does_not_mind_the_unit(self, unit):
        lower, upper = unit * (100 + np.array(FIGURE_A))
        literal, programme = gap_upper_bounds(lower, upper), gap_upper_bounds_mip(lower, upper)
        np.testing.assert_allclose(programme.right, literal.right, atol=1e-5 * unit, rtol=0)
        np.testing.assert_allclose(programme.left, literal.left, atol=1e-5 * unit, rtol=0)

    def test_the_integer_programme_with_all_means_known_and_equal(self):
        assert gap_upper_bounds_mip([2.0, 2.0, 2.0], [2.0, 2.0, 2.0]).either.tolist() == [0, 0, 0]
