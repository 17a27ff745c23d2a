"""The core's slots, against plain twins, the paper's formulas and scans of everything."""

import numpy as np
import twins
from hypothesis import example, given, settings
from hypothesis import strategies as st
from strategies import SEEDS, estimates, intervals, state_of

from maxgap import gap_lower_bound, gap_upper_bounds, reference
from maxgap._core import slots as core

MANY = settings(max_examples=400)


def slots(lower, upper):
    """Slots and trees of the arms in order."""
    order = np.argsort(lower, kind="stable")
    records, trees = core.new_slots(len(order))
    records["lower"], records["upper"], records["arm"] = lower[order], upper[order], order
    core.renew_slots(records, trees, 0, len(order) - 1)
    return records, trees


def leaves(trees, row, n_arms):
    return trees[row, trees.shape[1] // 2 :][:n_arms]


@settings(max_examples=500)
@given(SEEDS)
def test_on_many_arms_everything_agrees_with_the_plain_twins(seed):
    (means, lower, upper), _ = state_of(seed)
    bounds = gap_upper_bounds(lower, upper)
    right, left = twins.gap_bounds(lower, upper)
    np.testing.assert_array_equal(bounds.right, right)
    np.testing.assert_array_equal(bounds.left, left)
    either = np.maximum(right, left)
    records, trees = slots(lower, upper)
    value, top = twins.certain_gap(means, lower, upper)
    found = gap_lower_bound(means, lower, upper)
    assert max(found.value, 0.0) == value
    separation, position, _ = core.largest_leaf(trees, core.SEPARATIONS)
    assert max(separation, 0.0) == value
    assert set(records["arm"][position:].tolist() if value > 0 else []) == top
    if value > 0:
        assert found.split_rank == len(top)
    second = max(either[either < either.max()], default=-np.inf)
    widest, at, tied = core.largest_leaf(trees, core.WIDTHS)
    assert widest == either.max()
    assert core.second_bound_with_ties(records, trees, widest) == second
    if not tied:
        assert core.second_bound(records, trees, at) == second
    for least in (widest, max(second, 0.0), np.median(either)):
        expected = (either >= least)[records["arm"]]
        for first, last in ((0, len(either) - 1), (len(either) // 3, len(either) // 2)):
            among = expected[first : last + 1]
            assert core.mark_touching(records, trees, least, first, last) == among.sum()
            np.testing.assert_array_equal(records["touches"][first : last + 1], among)
        alone = [core.touches_wide(records, trees, k, least) for k in range(len(expected))]
        np.testing.assert_array_equal(alone, expected)


@settings(max_examples=300)
@given(SEEDS)
def test_on_many_arms_renewing_what_changed_equals_renewing_all(seed):
    rng = np.random.default_rng(seed)
    (_, lower, upper), _ = state_of(seed)
    records, trees = slots(lower, upper)
    for _ in range(4):
        first = rng.integers(0, len(records))
        last = rng.integers(first, min(first + 4, len(records)))
        for k in range(first, last + 1):  # other upper ends keep the order
            records["upper"][k] = records["lower"][k] + rng.choice(upper - lower) * rng.choice(3)
        core.renew_slots(records, trees, first, last)
        fresh, fresh_trees = slots(records["lower"], records["upper"])
        for name in ("lower", "upper", "end", "reach"):
            np.testing.assert_array_equal(records[name], fresh[name])
        np.testing.assert_array_equal(trees[:, 1:], fresh_trees[:, 1:])


@MANY
@given(intervals(max_arms=9))
def test_widest_slot_is_the_highest_bound(ends):
    records, trees = slots(*ends)
    widths = leaves(trees, core.WIDTHS, len(records))
    widest, at, tied = core.largest_leaf(trees, core.WIDTHS)
    assert widest == widths[at] == gap_upper_bounds(*ends).either.max()
    assert tied == ((widths == widest).sum() > 1)


@MANY
@given(intervals(max_arms=7))
def test_arms_that_touch_a_slot_as_wide_as_a_value_are_those_with_a_bound_as_high(ends):
    either = gap_upper_bounds(*ends).either
    records, trees = slots(*ends)
    for value in np.append(np.unique(either), [either.max() / 2]):
        expected = (either >= value)[records["arm"]]
        for first in range(len(expected)):
            for last in range(first, len(expected)):
                n_marked = core.mark_touching(records, trees, value, first, last)
                assert n_marked == expected[first : last + 1].sum()
                np.testing.assert_array_equal(
                    records["touches"][first : last + 1], expected[first : last + 1]
                )
        alone = [core.touches_wide(records, trees, k, value) for k in range(len(expected))]
        np.testing.assert_array_equal(alone, expected)


@MANY
@given(intervals(max_arms=9))
def test_second_bound_is_the_highest_below_the_highest(ends):
    either = gap_upper_bounds(*ends).either
    records, trees = slots(*ends)
    expected = max(either[either < either.max()], default=-np.inf)
    widest, at, tied = core.largest_leaf(trees, core.WIDTHS)
    assert core.second_bound_with_ties(records, trees, widest) == expected
    if not tied:
        assert core.second_bound(records, trees, at) == expected


@MANY
@given(intervals(min_arms=3, max_arms=9), st.data())
def test_renewing_what_changed_equals_renewing_all(ends, data):
    records, trees = slots(*ends)
    top = len(records) - 1
    first = data.draw(st.integers(0, top))
    last = data.draw(st.integers(first, top))
    lengths = st.sampled_from(list(ends[1] - ends[0]))
    for k in range(first, last + 1):  # other upper ends keep the order
        records["upper"][k] = records["lower"][k] + data.draw(lengths)
    again, all_trees = records.copy(), trees.copy()
    core.renew_slots(records, trees, first, last)
    core.renew_slots(again, all_trees, 0, top)
    np.testing.assert_array_equal(records, again)
    np.testing.assert_array_equal(trees, all_trees)


@MANY
@given(st.lists(st.integers(0, 4), min_size=1, max_size=20), st.data())
def test_trees_answer_as_a_scan_of_the_leaves(values, data):
    trees = np.full((2, 2 << (len(values) - 1).bit_length()), -np.inf)
    trees[0, trees.shape[1] // 2 :][: len(values)] = values
    core._renew_tree(trees, 0, 0, len(values) - 1)
    first = data.draw(st.integers(0, len(values) - 1))
    last = data.draw(st.integers(first - 1, len(values) - 1))
    least = data.draw(st.integers(0, 5))
    assert core.largest_between(trees, 0, first, last) == max(
        values[first : last + 1], default=-np.inf
    )
    found = core.next_at_least(trees, 0, first, least)
    expected = [k for k, value in enumerate(values) if k >= first and value >= least]
    assert found == (expected[0] if expected else trees.shape[1] // 2)


@MANY
@given(estimates(max_arms=9))
@example((np.zeros(2), np.zeros(2), np.zeros(2)))
def test_lower_bound_equals_the_papers_formula(estimate):
    fast, literal = gap_lower_bound(*estimate), reference.gap_lower_bound(*estimate)
    assert fast.value == literal.value
    records, trees = slots(*estimate[1:])
    value, position, _ = core.largest_leaf(trees, core.SEPARATIONS)
    assert max(value, 0.0) == max(literal.value, 0.0)
    if value > 0:
        assert fast.split_rank == literal.split_rank
        assert len(records) - position == fast.split_rank
