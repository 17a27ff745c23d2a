"""Exponents and intervals: against scipy, and by coverage. Rounding: alike on every processor."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats

from maxgap import simulate
from maxgap.statistics import (
    PowerLaw,
    decimal,
    median_interval,
    normal_interval,
    power_law,
    ratio_of_means,
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


def test_a_power_law_is_rounded_the_same_way():
    assert str(PowerLaw(-2.065, -2.075, 0.0)) == "-2.06 (-2.08 to 0.00)"


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


def test_no_policy_is_faster_than_one_that_never_gets_there():
    assert times_fewer(np.inf, np.array([2.0, np.inf])).tolist() == [np.inf, 0.0]


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
