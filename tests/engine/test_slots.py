"""The engine's slots, against plain twins, the paper's formulas and scans of everything."""

import numpy as np
import pytest
import twins
from hypothesis import example, given, settings
from hypothesis import strategies as st
from strategies import SEEDS, estimates, intervals, state_of

from maxgap import gap_lower_bound, gap_upper_bounds, reference
from maxgap.engine import slots as core
from maxgap.engine.compiled import compiled
from maxgap.engine.state import ARM

MANY = settings(max_examples=400)


# -- ways in: compiled code alone may call these ---------------------------------------------------


@compiled
def settle(arms, order, moved):
    core.settle(arms, order, moved, moved.size)


@compiled
def sort_in_strides(arms, slots):
    core._sort_in_strides(arms, slots)


@compiled
def certain(order):
    """The certain gap, and where it lies."""
    return core.certain_gap(order), core.certain_gap_lies_at(order)


@compiled
def apart(order):
    return core.clusters_are_apart(order)


@compiled
def highest(order):
    """The two highest bounds, and the second looked for arm by arm."""
    widest = core.highest_bound(order)
    return widest, core.second_highest_bound(order), core._second_with_ties(order, widest)


@compiled
def second(order, at):
    return core._second(order, at)


@compiled
def mark(order, least):
    return core._mark_touching(order, least)


@compiled
def n_above(order, value):
    return core.n_bounds_above(order, value)


@compiled
def above(order, k, value):
    return core.touches_above(order, k, value)


@compiled
def overlapping(slots):
    return core.n_overlapping(slots)


@compiled
def touching(arms, order, listed, least):
    return core.list_touching(arms, order, listed, least)


@compiled
def between(order, row, first, last):
    return core.largest_between(order, row, first, last)


@compiled
def next_at_least(order, row, start, least):
    return core._next_at_least(order, row, start, least)


# -- states ----------------------------------------------------------------------------------------


def settled(lower, upper, like=None):
    """Arms with these intervals, and their order; of equal lower ends as in another order."""
    arms, order = np.zeros(len(lower), ARM), core.new_order(len(lower))
    arms["position"] = np.arange(len(lower))
    if like is not None:
        order.slots["arm"] = like.slots["arm"]
        arms["position"][like.slots["arm"]] = np.arange(len(lower))
    arms["lower"], arms["upper"] = lower, upper
    settle(arms, order, np.arange(len(lower)))
    return arms, order


def assert_settled(arms, order):
    """Every arm once, by lower end, and all that is known of slots as if nothing had been known."""
    slots, n_arms = order.slots, arms.size
    assert sorted(slots["arm"].tolist()) == list(range(n_arms))
    assert (slots["lower"][1:] >= slots["lower"][:-1]).all()
    for name in ("lower", "upper"):
        np.testing.assert_array_equal(slots[name], arms[name][slots["arm"]])
    np.testing.assert_array_equal(arms["position"][slots["arm"]], np.arange(n_arms))
    _, fresh = settled(arms["lower"], arms["upper"], order)
    for name in ("lower", "upper", "arm", "end", "reach"):
        np.testing.assert_array_equal(slots[name], fresh.slots[name])
    np.testing.assert_array_equal(order.heights, fresh.heights)
    assert (order.heights[:, n_arms:] == -np.inf).all()
    blocks = order.heights.reshape(2, -1, core.BLOCK)
    np.testing.assert_array_equal(order.peaks, blocks.max(axis=2))


def assert_touching(arms, order, either, least):
    """Those whose bound is at least so high are marked, listed, and found alone."""
    expected = either >= least
    by_place = expected[order.slots["arm"]]
    assert mark(order, least) == expected.sum()
    np.testing.assert_array_equal(order.slots["touches"], by_place)
    listed = np.empty(arms.size, np.int64)
    n = touching(arms, order, listed, least)
    assert listed[:n].tolist() == np.flatnonzero(expected).tolist()
    assert n_above(order, least) == (either > least).sum()
    if least > 0:
        alone = [above(order, k, np.nextafter(least, -np.inf)) for k in range(arms.size)]
        np.testing.assert_array_equal(alone, by_place)
    if least >= 0:
        alone = [above(order, k, least) for k in range(arms.size)]
        np.testing.assert_array_equal(alone, (either > least)[order.slots["arm"]])


# -- against the plain twins -----------------------------------------------------------------------


@settings(max_examples=500)
@given(SEEDS)
def test_on_many_arms_everything_agrees_with_the_plain_twins(seed):
    (means, lower, upper), _ = state_of(seed)
    bounds = gap_upper_bounds(lower, upper)
    right, left = twins.gap_bounds(lower, upper)
    np.testing.assert_array_equal(bounds.right, right)
    np.testing.assert_array_equal(bounds.left, left)
    either = np.maximum(right, left)
    arms, order = settled(lower, upper)
    by_place = order.slots["arm"]
    value, top = twins.certain_gap(means, lower, upper)
    found = gap_lower_bound(means, lower, upper)
    assert max(found.value, 0.0) == value
    gap, position = certain(order)
    assert gap == value
    assert set(by_place[position:].tolist() if value > 0 else []) == top
    assert (position > 0) == (value > 0)
    if value > 0:
        assert found.split_rank == len(top)
    assert apart(order) == twins.clusters_rule(means, lower, upper)
    expected = max(either[either < either.max()], default=-np.inf)
    assert highest(order) == (either.max(), expected, expected)
    widest = np.flatnonzero(order.heights[core.WIDTHS] == either.max())
    if widest.size == 1:
        assert second(order, widest[0]) == expected
    for least in (either.max(), max(expected, 0.0), np.median(either)):
        assert_touching(arms, order, either, least)
    touched = set(twins.touching(lower, upper))
    assert overlapping(order.slots) == len(touched)
    assert set(by_place[order.slots["touches"]].tolist()) == touched


@settings(max_examples=300)
@given(SEEDS)
def test_on_many_arms_settling_what_moved_equals_settling_all(seed):
    rng = np.random.default_rng(seed)
    (_, lower, upper), _ = state_of(seed)
    arms, order = settled(lower, upper)
    for _ in range(4):
        moved = np.sort(rng.permutation(arms.size)[: rng.integers(1, 5)])
        ends = rng.permutation(np.append(lower, upper))
        for arm in moved:
            if rng.random() < 0.5:
                arms["lower"][arm] = rng.choice(ends)
            arms["upper"][arm] = arms["lower"][arm] + rng.choice(upper - lower) * rng.choice(3)
        settle(arms, order, moved)
        assert_settled(arms, order)


@MANY
@given(intervals(max_arms=7))
def test_arms_that_touch_a_slot_as_wide_as_a_value_are_those_with_a_bound_as_high(ends):
    either = gap_upper_bounds(*ends).either
    arms, order = settled(*ends)
    for value in np.append(np.unique(either), [either.max() / 2]):
        assert_touching(arms, order, either, value)


@MANY
@given(intervals(max_arms=9))
def test_the_two_highest_bounds_are_the_widest_slot_and_the_highest_below_it(ends):
    either = gap_upper_bounds(*ends).either
    _, order = settled(*ends)
    expected = max(either[either < either.max()], default=-np.inf)
    assert highest(order) == (either.max(), expected, expected)
    widest = np.flatnonzero(order.heights[core.WIDTHS] == either.max())
    assert widest.size > 0
    if widest.size == 1:
        assert second(order, widest[0]) == expected


@MANY
@given(intervals(min_arms=3, max_arms=9), st.data())
def test_settling_what_moved_equals_settling_all(ends, data):
    arms, order = settled(*ends)
    moved = data.draw(st.lists(st.integers(0, arms.size - 1), min_size=1, unique=True).map(sorted))
    lows, lengths = st.sampled_from(ends[0].tolist()), st.sampled_from(list(ends[1] - ends[0]))
    for arm in moved:
        if data.draw(st.booleans()):  # other upper ends alone keep the order
            arms["lower"][arm] = data.draw(lows)
        arms["upper"][arm] = arms["lower"][arm] + data.draw(lengths)
    settle(arms, order, np.array(moved))
    assert_settled(arms, order)


# -- order -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 2, 3, 7, 8, 9, 100, 257])
def test_the_order_in_strides_is_that_of_numpys_stable_sort(size):
    rng = np.random.default_rng(size)
    for ties in (2, size, 10**6):
        arms, order = np.zeros(size, ARM), core.new_order(size)
        arms["lower"] = rng.integers(ties, size=size) / 7.0
        arms["lower"][rng.random(size) < 0.1] = -np.inf
        arms["upper"] = arms["lower"] + rng.random(size)
        # Whatever was there before.
        order.slots["arm"] = rng.permutation(size)
        sort_in_strides(arms, order.slots)
        expected = np.argsort(arms["lower"], kind="stable")
        assert order.slots["arm"].tolist() == expected.tolist()
        for name in ("lower", "upper"):
            np.testing.assert_array_equal(order.slots[name], arms[name][expected])
        np.testing.assert_array_equal(arms["position"][expected], np.arange(size))


@pytest.mark.parametrize("n_arms", [2, 17, 60, 257])
@pytest.mark.parametrize("ties", [2, 40, 10**6])
def test_arms_are_in_order_after_many_moves(n_arms, ties):
    rng = np.random.default_rng(n_arms + ties)
    lower = rng.integers(ties, size=n_arms) / 7.0
    arms, order = settled(lower, lower + rng.random(n_arms))
    strides = 0
    for size in (n_arms, 1, 2, n_arms // 2 + 1, n_arms, n_arms - 1, 3, n_arms) * 2:
        moved = np.sort(rng.permutation(n_arms)[:size])
        before = order.slots["arm"].copy()
        if size > 3:
            # Upside down: more moves than insertion is left to do.
            arms["lower"][moved] = -arms["lower"][moved]
        else:
            arms["lower"][moved] = rng.integers(ties, size=moved.size) / 7.0
        arms["upper"][moved] = arms["lower"][moved] + rng.random(moved.size)
        values = arms["lower"][before]
        moves = np.triu(values[:, None] > values).sum()
        settle(arms, order, moved)
        assert_settled(arms, order)
        if size == n_arms and moves > 8 * n_arms:
            strides += 1
            by_arm = np.argsort(arms["lower"], kind="stable")
            assert order.slots["arm"].tolist() == by_arm.tolist()
    assert (strides > 0) == (n_arms >= 60)


# -- heights and peaks -----------------------------------------------------------------------------


@MANY
@given(st.lists(st.integers(0, 4), min_size=1, max_size=70), SEEDS)
def test_peaks_answer_as_a_scan_of_the_heights(values, seed):
    rng = np.random.default_rng(seed)
    order = core.new_order(len(values))
    order.heights[core.WIDTHS, : len(values)] = values
    order.peaks[:] = order.heights.reshape(2, -1, core.BLOCK).max(axis=2)
    for _ in range(5):
        first = int(rng.integers(0, len(values)))
        last = int(rng.integers(first - 1, len(values)))
        least = float(rng.integers(0, 6))
        assert between(order, core.WIDTHS, first, last) == max(
            values[first : last + 1], default=-np.inf
        )
        expected = [k for k, value in enumerate(values) if k >= first and value >= least]
        found = next_at_least(order, core.WIDTHS, first, least)
        assert found == (expected[0] if expected else order.heights.shape[1])


# -- against the paper -----------------------------------------------------------------------------


@MANY
@given(estimates(max_arms=9))
@example((np.zeros(2), np.zeros(2), np.zeros(2)))
def test_lower_bound_equals_the_papers_formula(estimate):
    fast, literal = gap_lower_bound(*estimate), reference.gap_lower_bound(*estimate)
    assert fast.value == literal.value
    _, order = settled(*estimate[1:])
    value, position = certain(order)
    assert value == max(literal.value, 0.0)
    if value > 0:
        assert fast.split_rank == literal.split_rank
        assert order.slots.size - position == fast.split_rank
