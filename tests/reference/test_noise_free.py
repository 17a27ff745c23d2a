"""The largest gap among known numbers: as sorting gives it, in linear time."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from strategies import numbers

from maxgap.reference import (
    largest_gap_noise_free,
    noise_free,
)

seeded = settings(derandomize=True, deadline=None)


class TestNoiseFree:
    @given(numbers())
    @settings(seeded, max_examples=1500)
    def test_it_is_what_sorting_gives(self, values):
        ordered = sorted(values)
        gaps = [b - a for a, b in itertools.pairwise(ordered)]
        gap, below, above = largest_gap_noise_free(values)
        assert gap == max(gaps)
        assert above - below == gap
        where = gaps.index(gap)
        assert (below, above) == (ordered[where], ordered[where + 1])

    @pytest.mark.parametrize("n", [2, 3, 4, 10, 1000, 100_000])
    def test_evenly_spaced_numbers_with_one_gap_a_little_wider(self, n):
        # The case with the least to spare: all gaps but one are (nearly) the average.
        rng = np.random.default_rng(n)
        steps = np.ones(n - 1)
        wide = int(rng.integers(n - 1))
        steps[wide] += 1e-6
        values = np.append(0.0, np.cumsum(steps))
        found = largest_gap_noise_free(rng.permutation(values))
        assert (found.below, found.above) == (values[wide], values[wide + 1])

    @pytest.mark.parametrize(
        ("values", "expected"),
        [
            ([4.0, 4.0, 4.0], (0.0, 4.0, 4.0)),
            ([2.0, 1.0], (1.0, 1.0, 2.0)),
            ([0.0, 1.0, 2.0], (1.0, 0.0, 1.0)),
            ([0.0, 0.0, 1.0, 1.0], (1.0, 0.0, 1.0)),
            ([-1e308, 1.5e308, 1.4e308], (math.inf, -1e308, 1.4e308)),
            ([-1e308, 0.0, 1e308], (1e308, -1e308, 0.0)),
            ([0.0, 5e-324, 1.5e-323], (1e-323, 5e-324, 1.5e-323)),
            ([1e16, 1e16 + 2, 1e16 + 6], (4.0, 1e16 + 2, 1e16 + 6)),
            ([0.0, 1e-300, 1e300], (1e300, 1e-300, 1e300)),
        ],
    )
    def test_edges(self, values, expected):
        assert largest_gap_noise_free(values) == expected

    def test_the_number_of_comparisons_is_linear(self):
        compared = 0

        class Counted(float):
            __hash__ = float.__hash__

            def __lt__(self, other):
                nonlocal compared
                compared += 1
                return float(self) < float(other)

            def __gt__(self, other):
                nonlocal compared
                compared += 1
                return float(self) > float(other)

        # Two for the ends and two in the bins; sorting needs about log2(30,000) = 15.
        for n in (100, 1_000, 30_000):
            rng = np.random.default_rng(n)
            for values in (rng.uniform(size=n), rng.normal(size=n), rng.pareto(0.5, size=n)):
                compared = 0
                noise_free._largest_gap([Counted(value) for value in values])
                assert 2.0 < compared / n <= 4.0

    def test_integers_and_single_precision_do_not_lose_digits(self):
        assert largest_gap_noise_free(np.array([-100, 100, 120], dtype=np.int8)).gap == 200.0
        values = np.arange(5000, dtype=np.float32)
        values[1234:] += 1
        assert largest_gap_noise_free(values) == (2.0, 1233.0, 1235.0)

    @pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
    def test_a_number_that_is_not_finite_is_refused(self, bad):
        with pytest.raises(ValueError, match=rf"x\[1\] must be finite, not {bad}"):
            largest_gap_noise_free([1.0, bad, 2.0])

    @pytest.mark.parametrize("bad", [[], [1.0], 1.0, [[1.0, 2.0]], ["a", "b"], None])
    def test_anything_but_a_vector_of_two_or_more_is_refused(self, bad):
        with pytest.raises(ValueError, match="x must"):
            largest_gap_noise_free(bad)
