"""Exponents and ratios with their intervals: against scipy and many draws."""

import numpy as np
import pytest
from scipy import stats

from maxgap_book.standard_errors import PowerLaw, normal_interval, power_law, ratio_of_means

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


def test_a_power_law_is_rounded_the_same_way():
    assert str(PowerLaw(-2.065, -2.075, 0.0)) == "-2.06 (-2.08 to 0.00)"


def test_the_interval_of_a_normal_estimate_is_that_of_scipy():
    low, high = normal_interval(np.array([3.0, -1.0]), np.array([2.0, 0.5]))
    expected = stats.norm.interval(0.95, loc=[3.0, -1.0], scale=[2.0, 0.5])
    np.testing.assert_allclose([low, high], expected, rtol=1e-14)


def test_the_error_of_a_ratio_is_that_of_many_draws():
    rng = np.random.default_rng(3)
    above, below = rng.normal(600, 12, 100_000), rng.normal(100, 3, 100_000)
    ratio, error = ratio_of_means(600, 12, 100, 3)
    assert ratio == 6
    assert error == pytest.approx((above / below).std(), rel=0.02)
