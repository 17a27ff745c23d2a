"""Fitted exponents: against scipy, and by coverage."""

import numpy as np
import pytest
from scipy import stats

from maxgap.scaling import power_law, significant

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
        # Gamma noise of 30 %, as skew as samples until a stop.
        samples = truth * rng.gamma(1 / 0.09, 0.09, size=(runs, X.size))
        error = samples.std(axis=0, ddof=1) / np.sqrt(runs)
        fit = power_law(X, samples.mean(axis=0), error)
        covered += fit.low <= -2.0 <= fit.high
    # 95 % less three standard deviations; an interval too wide by half would cover 99.7 %.
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
    with pytest.raises(ValueError, match=f"^{named}:"):
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
    with pytest.raises(ValueError, match=r"^value:"):
        significant(np.inf)
    with pytest.raises(ValueError, match=r"^digits:"):
        significant(1.0, 0)
