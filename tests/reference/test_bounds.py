"""The paper's bounds on gaps: three roads to them agree, and hand-worked cases come out."""

import math

import numpy as np
import pytest
from hypothesis import find, given, settings
from hypothesis import strategies as st
from strategies import estimates, intervals, symmetric_estimates

from maxgap.reference import (
    gap_lower_bound,
    gap_upper_bounds,
    right_gap_at,
)

seeded = settings(derandomize=True, deadline=None)

# A right gap as in the paper's Figure 3 (a): arm 0 stands at 2; arms 1 and 2 can go left of it,
# arms 3, 4 and 5 cannot, and arm 4's upper end is the smallest of theirs.
FIGURE_A = ([1.0, 0.0, 1.5, 2.5, 3.0, 4.0], [3.0, 2.5, 7.0, 6.0, 5.0, 8.0])
# Figure 3 (b): every arm can go left of 2, and arm 3 has the largest upper end.
FIGURE_B = ([1.0, 0.0, 1.5, 0.5], [3.0, 2.5, 4.0, 6.0])

SOME_SHAPES = {
    "tied lower ends": lambda low, high: len(set(low)) < len(low),
    "tied upper ends": lambda low, high: len(set(high)) < len(high),
    "touching": lambda low, high: any(
        low[i] == high[j] and low[j] < high[j] and low[i] < high[i]
        for i in range(len(low))
        for j in range(len(low))
        if i != j
    ),
    "nested": lambda low, high: any(
        low[i] < low[j] and high[j] < high[i] for i in range(len(low)) for j in range(len(low))
    ),
    "degenerate": lambda low, high: any(low == high),
    "identical": lambda low, high: any(
        low[i] == low[j] < high[i] == high[j]
        for i in range(len(low))
        for j in range(len(low))
        if i != j
    ),
    "all the same point": lambda low, high: min(low) == max(high),
    "disjoint": lambda low, high: low[0] > high[1] or low[1] > high[0],
}


@pytest.mark.parametrize("shape", SOME_SHAPES)
def test_the_interval_strategy_reaches_every_shape(shape):
    find(
        intervals(),
        lambda pair: SOME_SHAPES[shape](*pair),
        settings=settings(seeded, max_examples=1500),
    )


class TestOnePosition:
    def test_arms_that_cannot_go_left_close_the_gap_at_their_smallest_upper_end(self):
        assert right_gap_at(0, 2.0, *FIGURE_A) == 5.0 - 2.0

    def test_if_all_arms_can_go_left_the_largest_upper_end_closes_the_gap(self):
        assert right_gap_at(0, 2.0, *FIGURE_B) == 6.0 - 2.0

    def test_an_arm_that_begins_exactly_at_the_position_can_step_aside(self):
        lower, upper = [0.0, 2.0, 1.0], [2.0, 3.0, 9.0]
        assert right_gap_at(0, 2.0, lower, upper) == 9.0 - 2.0
        assert right_gap_at(0, 1.9, lower, upper) == 3.0 - 1.9

    def test_the_arm_itself_does_not_close_its_own_gap(self):
        assert right_gap_at(0, 1.0, [0.0, 0.0], [9.0, 4.0]) == 3.0

    def test_the_gap_is_zero_where_no_arm_can_lie_on_that_side(self):
        assert right_gap_at(0, 5.0, [4.0, 0.0], [6.0, 5.0]) == 0.0
        assert right_gap_at(0, 6.0, [4.0, 0.0], [6.0, 5.0]) == 0.0

    def test_an_arm_never_sampled_can_have_any_gap(self):
        lower, upper = [-math.inf, 0.0, 5.0], [math.inf, 1.0, 6.0]
        assert right_gap_at(0, -math.inf, lower, upper) == math.inf
        assert right_gap_at(0, math.inf, lower, upper) == 0.0
        assert right_gap_at(0, 2.0, lower, upper) == 4.0

    @given(intervals(), st.data())
    @settings(seeded, max_examples=300)
    def test_the_gap_falls_with_slope_one_between_lower_ends(self, pair, data):
        # The reason why only lower ends need to be tried (Lemma 4).
        lower, upper = pair
        arm = data.draw(st.integers(0, len(lower) - 1))
        x = data.draw(st.floats(lower[arm], upper[arm]))
        nearest = lower[lower <= x].max()
        here = right_gap_at(arm, x, lower, upper)
        at_end = right_gap_at(arm, max(nearest, lower[arm]), lower, upper)
        tolerance = 1e-9 * np.abs([*lower, *upper]).max()
        if here > 0:
            assert at_end == pytest.approx(here + x - nearest, abs=tolerance)
        assert at_end >= here


class TestUpperBounds:
    def test_the_case_of_the_paper_s_figure_a_by_hand(self):
        bounds = gap_upper_bounds(*FIGURE_A)
        # Arm 0 at 1, 1.5 or 2.5 is closed by arm 4, at 5. At 3 arm 4 can tie with it, which leaves
        # arm 5, at 8.
        assert bounds.right[0] == 8.0 - 3.0
        # All other arms can lie at or below 4; of their upper ends arm 2's is the largest.
        assert bounds.right[5] == 7.0 - 4.0
        # At 8 all others must lie below; of their lower ends arm 4's is the largest.
        assert bounds.left[5] == 8.0 - 3.0

    def test_the_case_of_the_paper_s_figure_b_by_hand(self):
        bounds = gap_upper_bounds(*FIGURE_B)
        # At 1 arm 2 (1.5 to 4) must lie right: 3. At 1.5 nothing must, and arm 3 goes to 6.
        assert bounds.right[0] == 6.0 - 1.5

    def test_overlapping_pair(self):
        bounds = gap_upper_bounds([0.0, 1.0], [2.0, 4.0])
        assert bounds.right.tolist() == [4.0, 1.0]
        assert bounds.left.tolist() == [1.0, 4.0]
        assert bounds.either.tolist() == [4.0, 4.0]

    def test_three_arms_with_touching_ends(self):
        # Arm 1 at 1 lets arm 0 tie with it, so arm 0's gap may pass over it.
        bounds = gap_upper_bounds([0.0, 1.0, 2.0], [1.0, 2.0, 3.0])
        assert bounds.right.tolist() == [2.0, 2.0, 0.0]
        assert bounds.left.tolist() == [0.0, 2.0, 2.0]

    def test_known_means_give_their_gaps(self):
        means = np.array([3.0, 0.0, 1.0, 1.0, 7.0])
        bounds = gap_upper_bounds(means, means)
        assert bounds.right.tolist() == [4.0, 1.0, 2.0, 2.0, 0.0]
        assert bounds.left.tolist() == [2.0, 0.0, 1.0, 1.0, 4.0]

    def test_an_outer_arm_apart_from_the_rest_has_no_outer_gap(self):
        # The printed formula gives 3 - 10 here (and 0 - 1 on the other side).
        bounds = gap_upper_bounds([0.0, 1.0, 10.0], [0.5, 3.0, 11.0])
        assert bounds.right[2] == 0.0
        assert bounds.left[0] == 0.0

    @given(intervals(max_arms=7, infinite=True))
    @settings(seeded, max_examples=300)
    def test_the_mirror_swaps_right_and_left(self, pair):
        lower, upper = pair
        bounds, mirrored = gap_upper_bounds(lower, upper), gap_upper_bounds(-upper, -lower)
        assert bounds.right.tolist() == mirrored.left.tolist()
        assert bounds.left.tolist() == mirrored.right.tolist()

    @given(intervals(max_arms=7, infinite=True))
    @settings(seeded, max_examples=800)
    def test_at_least_two_arms_attain_the_highest_bound_to_the_last_bit(self, pair):
        either = gap_upper_bounds(*pair).either
        assert (either == either.max()).sum() >= 2

    @given(intervals(max_arms=7), st.randoms(use_true_random=False))
    @settings(seeded, max_examples=200)
    def test_the_order_of_the_arms_does_not_matter(self, pair, random):
        lower, upper = pair
        order = list(range(len(lower)))
        random.shuffle(order)
        shuffled = gap_upper_bounds(lower[order], upper[order])
        assert shuffled.right.tolist() == gap_upper_bounds(lower, upper).right[order].tolist()

    @given(intervals(max_arms=6), st.data())
    @settings(seeded, max_examples=300)
    def test_bounds_do_not_grow_when_an_interval_shrinks(self, pair, data):
        lower, upper = pair
        arm = data.draw(st.integers(0, len(lower) - 1))
        inner = sorted(data.draw(st.floats(lower[arm], upper[arm])) for _ in range(2))
        before = gap_upper_bounds(lower, upper)
        lower, upper = lower.copy(), upper.copy()
        lower[arm], upper[arm] = inner
        after = gap_upper_bounds(lower, upper)
        assert (after.right <= before.right).all()
        assert (after.left <= before.left).all()

    def test_an_arm_never_sampled_makes_every_gap_next_to_it_unbounded(self):
        bounds = gap_upper_bounds([-np.inf, 0.0, 5.0], [np.inf, 1.0, 6.0])
        assert bounds.right.tolist() == [np.inf, 6.0, np.inf]
        assert bounds.left.tolist() == [np.inf, np.inf, 6.0]


class TestLowerBound:
    def test_by_hand(self):
        # Splits below ranks 1, 2, 3: 9 - 7, 5 - 4, 2 - 1.
        found = gap_lower_bound([1.5, 6.0, 0.5, 9.5], [1.0, 5.0, 0.0, 9.0], [4.0, 7.0, 1.0, 9.9])
        assert found == (2.0, 1)

    def test_of_several_best_splits_the_one_nearest_the_top_is_taken(self):
        assert gap_lower_bound([0.0, 2.0, 4.0], [0.0, 2.0, 4.0], [0.0, 2.0, 4.0]) == (2.0, 1)

    def test_arms_with_equal_means_are_ranked_by_their_number(self):
        # Arm 0 goes on top: 0 - 3 here, and -2.5 - 1 with the intervals swapped.
        assert gap_lower_bound([0.5, 0.5], [0.0, -2.5], [1.0, 3.0]) == (-3.0, 1)
        assert gap_lower_bound([0.5, 0.5], [-2.5, 0.0], [3.0, 1.0]) == (-3.5, 1)

    def test_without_a_detected_gap_the_value_is_not_positive(self):
        assert gap_lower_bound([1.0, 2.0], [0.0, 1.0], [2.0, 3.0]).value == -1.0
        assert gap_lower_bound([0.0, 2.0], [-np.inf, 1.0], [np.inf, 3.0]).value == -np.inf

    @given(symmetric_estimates())
    @settings(seeded, max_examples=500)
    def test_it_is_the_widest_empty_stretch_between_clusters_of_intervals(self, triple):
        # Independent of ranks: merge overlapping intervals from the left, keep the widest hole.
        means, lower, upper = triple
        reach, widest = -np.inf, -np.inf
        for low, high in sorted(zip(lower, upper, strict=True)):
            if np.isfinite(reach):
                widest = max(widest, low - reach)
            reach = max(reach, high)
        value, split_rank = gap_lower_bound(*triple)
        assert max(value, 0.0) == max(widest, 0.0)
        if value > 0:
            top = np.argsort(-means, kind="stable")[:split_rank]
            assert lower[top].min() - np.delete(upper, top).max() == value

    @given(estimates(), st.data())
    @settings(seeded, max_examples=400)
    def test_it_bounds_the_largest_gap_of_every_configuration(self, triple, data):
        _, lower, upper = triple
        means = [data.draw(st.floats(a, b)) for a, b in zip(lower, upper, strict=True)]
        assert gap_lower_bound(*triple).value <= np.diff(np.sort(means)).max()

    @given(estimates())
    @settings(seeded, max_examples=300)
    def test_it_lies_below_the_highest_upper_bound(self, triple):
        _, lower, upper = triple
        assert gap_lower_bound(*triple).value <= gap_upper_bounds(lower, upper).either.max()
