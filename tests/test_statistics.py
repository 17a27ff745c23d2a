"""Exponents and intervals: against scipy, and by coverage. Rounding: alike on every processor."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats

from maxgap import simulate
from maxgap.statistics import (
    PowerLaw,
    decimal,
    error_table,
    interval,
    interval_texts,
    join_studies,
    median_interval,
    normal_interval,
    percent,
    power_law,
    ratio_of_means,
    ratio_table,
    rounded,
    significant,
    times_fewer,
    wilson_interval,
)

X = np.array([0.02, 0.04, 0.09, 0.2, 0.3])


def test_the_exponent_is_the_slope_of_a_regression_on_logarithms():
    rng = np.random.default_rng(1)
    mean = 3 * X**-1.7 * rng.uniform(0.8, 1.2, X.size)
    expected = stats.linregress(np.log(X), np.log(mean)).slope
    assert power_law(X, mean, 0.1 * mean).exponent == pytest.approx(expected, rel=1e-12)


def test_the_interval_covers_the_true_exponent_in_95_percent_of_experiments():
    rng = np.random.default_rng(2)
    experiments, runs, covered = 2000, 50, 0
    truth = 100 * X**-2.0
    for _ in range(experiments):
        # Gamma noise of 30%, as skew as samples until a stop.
        samples = truth * rng.gamma(1 / 0.09, 0.09, size=(runs, X.size))
        error = samples.std(axis=0, ddof=1) / np.sqrt(runs)
        fit = power_law(X, samples.mean(axis=0), error)
        covered += fit.low <= -2.0 <= fit.high
    # 95% less three standard deviations; an interval too wide by half would cover 99.7%.
    assert 0.935 <= covered / experiments <= 0.965


@pytest.mark.parametrize(
    ("x", "mean", "error", "named"),
    [
        ([1, 2], [1, 2, 3], [1, 1], "mean"),
        ([1, 1], [1, 2], [0, 0], "x"),
        ([1], [1], [0], "x"),
        ([0, 1], [1, 2], [0, 0], "x"),
        ([1, 2], [-1, 2], [0, 0], "mean"),
        ([1, 2], [1, np.inf], [0, 0], "mean"),
        ([1, 2], [1, 2], [0, -1], "standard_error"),
    ],
)
def test_unusable_input_is_refused_by_name(x, mean, error, named):
    with pytest.raises(ValueError, match=f"^{named} must"):
        power_law(x, mean, error)


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (0, 2, "0.0"),
        (999.6, 3, "1,000"),
        (999.4, 3, "999"),
        (0.0999, 2, "0.10"),
        (-12_345, 3, "-12,300"),
        (1000, 1, "1,000"),
        (4.0, 2, "4.0"),
    ],
)
def test_numbers_keep_as_many_digits_as_asked_for(value, digits, text):
    assert significant(value, digits) == text


def test_a_number_that_cannot_be_rounded_is_refused_by_name():
    with pytest.raises(ValueError, match=r"^value must"):
        significant(np.inf)
    with pytest.raises(ValueError, match=r"^digits must"):
        significant(1.0, 0)


def neighbours(value, steps=4):
    """The number and the four floats next to it on either side."""
    found = [value]
    for towards in (-np.inf, np.inf):
        near = value
        for _ in range(steps):
            near = float(np.nextafter(near, towards))
            found.append(near)
    return found


@given(st.integers(-(10**9), 10**9), st.integers(0, 6))
@example(75, 1)  # 7.55
@example(65, 1)  # 6.55
@example(0, 3)  # 0.0005
def test_no_last_bit_decides_a_tie(whole, places):
    tie = float(Fraction(10 * whole + 5, 10 ** (places + 1)))
    near = neighbours(tie)
    assert {decimal(x, places) for x in near} == {decimal(tie, places)}
    assert {rounded(x, places) for x in near} == {rounded(tie, places)}
    even = whole if whole % 2 == 0 else whole + 1
    assert Fraction(decimal(tie, places).replace(",", "")) == Fraction(even, 10**places)
    digits = len(str(abs(whole))) if whole else 1
    if whole:
        assert len({significant(x, digits) for x in near}) == 1


@given(st.floats(-1e9, 1e9), st.integers(-2, 6))
def test_elsewhere_numbers_are_rounded_to_the_nearest_decimal(value, places):
    unit = Fraction(10) ** -places
    off = abs((Fraction(value) / unit) % 1 - Fraction(1, 2))
    nearest = round(Fraction(value) / unit) * unit
    found = Fraction(decimal(value, places).replace(",", ""))
    if off * unit > abs(Fraction(value)) * Fraction(1, 10**9):
        assert found == nearest
    assert abs(found - Fraction(value)) <= unit / 2 + abs(Fraction(value)) / 10**9
    assert rounded(value, places) == float(found)


@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(0, 3))
def test_a_text_has_as_many_decimals_as_asked_for_and_no_zero_has_a_sign(value, places):
    text = decimal(value, places)
    assert len(text.partition(".")[2]) == places
    assert not (set(text) <= set("-0.,") and text.startswith("-"))


@pytest.mark.parametrize(
    ("value", "places", "text"),
    [
        (-1e-17, 2, "0.00"),
        (12_345_678_901, 0, "12,345,678,901"),
        (np.int64(2**53 + 1), 0, "9,007,199,254,740,993"),
        (123_456_789_012.34, 2, "123,456,789,012.34"),
        (449.9999999, 1, "450.0"),
        (623_197.0, -2, "623,200"),
        (np.inf, 1, "inf"),
        (-np.inf, 1, "-inf"),
        (np.nan, 1, "nan"),
        (2.0**1000, 0, f"{2**1000:,}"),
        (0.5, 0, "0"),
        (1.5, 0, "2"),
    ],
)
def test_decimal_of_unusual_numbers(value, places, text):
    assert decimal(value, places) == text


def test_an_interval_and_a_power_law_are_rounded_the_same_way():
    low, high = np.nextafter(4.55, 0), np.nextafter(7.55, 8)
    assert interval(5.95, low, high) == "6.0 (4.6-7.6)"
    assert interval(5.95, 4.55, np.inf, between=" to ") == "6.0 (4.6 to inf)"
    assert str(PowerLaw(-2.065, -2.075, 0.0)) == "-2.06 (-2.08 to 0.00)"


def test_rounding_keeps_the_kind_and_leaves_other_columns_alone():
    table = pd.DataFrame(
        {"n": [1, 2], "share": [0.125, np.nan], "text": ["x", "y"], "last": [np.inf, -0.04]},
        index=["a", "b"],
    )
    shown = rounded(table, 1)
    assert list(shown.columns) == list(table.columns)
    assert shown.dtypes.tolist() == table.dtypes.tolist()
    assert shown.to_dict("list") | {"share": 0} == {
        "n": [1, 2],
        "share": 0,
        "text": ["x", "y"],
        "last": [np.inf, 0.0],
    }
    assert shown["share"].iloc[0] == 0.1
    assert np.isnan(shown["share"].iloc[1])
    assert rounded(np.array([[7.55, 6.55]]), 1).tolist() == [[7.6, 6.6]]
    assert rounded(pd.Series([2, 3])).tolist() == [2, 3]
    assert isinstance(rounded(np.float64(0.25), 1), float)
    assert rounded(np.array([]), 1).shape == (0,)


def test_the_interval_of_a_normal_estimate_is_that_of_scipy():
    low, high = normal_interval(np.array([3.0, -1.0]), np.array([2.0, 0.5]))
    expected = stats.norm.interval(0.95, loc=[3.0, -1.0], scale=[2.0, 0.5])
    np.testing.assert_allclose([low, high], expected, rtol=1e-14)


def test_the_wilson_interval_can_be_had_from_simulate_too():
    assert simulate.wilson_interval is wilson_interval


def test_the_error_of_a_ratio_is_that_of_many_draws():
    rng = np.random.default_rng(3)
    above, below = rng.normal(600, 12, 100_000), rng.normal(100, 3, 100_000)
    ratio, error = ratio_of_means(600, 12, 100, 3)
    assert ratio == 6
    assert error == pytest.approx((above / below).std(), rel=0.02)


def test_rows_are_written_as_single_intervals_are():
    rows = pd.DataFrame({"ratio": [7.55, 1.0], "low": [6.55, 0.0], "high": [8.55, np.inf]})
    assert interval_texts(rows) == [interval(*row) for row in rows.to_numpy()]
    assert interval_texts(rows, 0, between=" to ")[1] == "1 (0 to inf)"
    with pytest.raises(ValueError, match=r"^rows must .*got shape \(2, 2\)"):
        interval_texts(rows[["low", "high"]])


def test_per_cents_are_rounded_like_all_numbers():
    assert percent(0.065, np.nextafter(0.045, 0), 0.0851) == "6% (4% to 9%)"


def test_no_policy_is_faster_than_one_that_never_gets_there():
    assert times_fewer(np.inf, np.array([2.0, np.inf])).tolist() == [np.inf, 0.0]


def study(labels, wrong, step=100):
    """A study of given answers: policy, replicate, checkpoint."""
    n_policies, replicates, n_looks = wrong.shape
    counts = np.arange(n_policies * n_looks * 2.0).reshape(n_policies, n_looks, 2)
    return simulate.Study(
        labels=labels,
        checkpoints=step * np.arange(1, n_looks + 1),
        wrong=wrong,
        counts=counts,
        counts_sd=counts / 2,
        stop_rows=np.full((n_policies, replicates, 4), n_looks),
    )


def test_an_error_table_has_the_policies_of_the_study_in_their_order():
    wrong = np.zeros((2, 20, 3), dtype=bool)
    wrong[0, :10, 1] = True
    made = study(("b", "a"), wrong)
    table = error_table(made, [300, 200], places=0, scale=100)
    assert (list(table.columns), list(table.index)) == (["b", "a"], [200, 300])
    low, high = wilson_interval(10, 20)
    assert table.loc[200, "b"] == interval(50, 100 * low, 100 * high, 0)
    assert table.loc[300, "b"] == table.loc[200, "a"] == "0 (0-16)"
    with pytest.raises(ValueError, match=r"^samples must be checkpoints .*\[250\]"):
        error_table(made, [200, 250])


def test_a_ratio_table_keeps_the_order_of_its_rows_and_takes_other_columns():
    rows = pd.DataFrame({"policy": list("baba"), "level": [0.1, 0.1, 0.015, 0.015]})
    rows[["x", "x_low", "x_high"]] = np.arange(12.0).reshape(4, 3)
    table = ratio_table(rows, ["x", "x_low", "x_high"], places=0)
    assert (list(table.columns), list(table.index)) == (["b", "a"], ["10%", "1.5%"])
    assert table.to_numpy().tolist() == [["0 (1-2)", "3 (4-5)"], ["6 (7-8)", "9 (10-11)"]]


def test_joined_studies_hold_the_last_answer_and_know_no_later_counts():
    rng = np.random.default_rng(4)
    slow = study(("slow",), rng.random((1, 30, 5)) < 0.5)
    fast = study(("x", "y"), rng.random((2, 30, 3)) < 0.5)
    both = join_studies(slow, fast)
    assert both.labels == ("slow", "x", "y")
    assert both.checkpoints.tolist() == slow.checkpoints.tolist()
    np.testing.assert_array_equal(both.wrong[0], slow.wrong[0])
    for look in range(5):
        np.testing.assert_array_equal(both.wrong[1:, :, look], fast.wrong[:, :, min(look, 2)])
    np.testing.assert_array_equal(both.counts[1:, :3], fast.counts)
    np.testing.assert_array_equal(both.counts_sd[0], slow.counts_sd[0])
    assert np.isnan(both.counts[1:, 3:]).all()
    assert np.isnan(both.counts_sd[1:, 3:]).all()
    assert both.stops["samples"].tolist() == [5] * 30 + [3] * 60


@pytest.mark.parametrize(
    ("other", "what"),
    [
        (study(("x",), np.zeros((1, 30, 2), dtype=bool), step=50), "checkpoints"),
        (study(("x",), np.zeros((1, 30, 6), dtype=bool)), "checkpoints"),
        (study(("x",), np.zeros((1, 31, 2), dtype=bool)), "30 replicates, got 31"),
        (study(("slow",), np.zeros((1, 30, 2), dtype=bool)), "policies of their own"),
    ],
)
def test_studies_that_do_not_go_together_are_refused(other, what):
    slow = study(("slow",), np.zeros((1, 30, 5), dtype=bool))
    with pytest.raises(ValueError, match=f"^others must have .*{what}"):
        join_studies(slow, other)


@pytest.mark.parametrize("n", [6, 20, 51, 500])
def test_the_interval_of_a_median_covers_it_and_ends_at_the_binomial_ranks(n):
    rng = np.random.default_rng(n)
    drawn = rng.exponential(size=(1000, n))
    intervals = np.array([median_interval(row) for row in drawn])
    np.testing.assert_allclose(intervals[:, 0], np.median(drawn, axis=1))
    covered = (intervals[:, 1] <= np.log(2)) & (np.log(2) <= intervals[:, 2])
    assert 0.93 < covered.mean() < 0.99
    skipped = int(stats.binom.ppf(0.025, n, 0.5))
    ranked = np.sort(drawn, axis=1)
    np.testing.assert_array_equal(intervals[:, 1], ranked[:, skipped - 1])
    np.testing.assert_array_equal(intervals[:, 2], ranked[:, n - skipped])


@pytest.mark.parametrize(
    ("row", "text"),
    [
        ((2_927_800, 2_251_300, 3_614_900), "2,930,000 (2,250,000-3,610,000)"),
        ((0.31415, 0.3, 0.33), "0.314 (0.300-0.330)"),
        ((8668.0, 8661.4, 8672.6), "8,668.0 (8,661.4-8,672.6)"),
        ((195_312, 126_800, np.inf), "195,000 (127,000-inf)"),  # by the end that is there
        ((195_312, -np.inf, np.inf), "200,000 (-inf-inf)"),
        ((np.inf, 128_300, np.inf), "inf (128,300-inf)"),
        ((60_000, 60_000, 60_000), "60,000 (60,000-60,000)"),
        ((0.0, 0.0, 0.0), "0 (0-0)"),
        ((12, 2, 22), "12 (2-22)"),
    ],
)
def test_an_interval_says_how_many_digits_are_shown(row, text):
    assert interval(*row, None) == text
    assert interval_texts([row], None) == [text]
