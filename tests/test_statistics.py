"""Levels, intervals: against scipy and twins; rounded alike on every processor."""

import math
from fractions import Fraction

import numpy as np
import pytest
import twins
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import optimize, stats

from maxgap import simulate, statistics
from maxgap.statistics import (
    decimal,
    median_interval,
    significant,
    times_fewer,
    wilson_interval,
)


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


# -- whole numbers until one last division ---------------------------------------------------------

COUNTS = st.lists(st.integers(0, 120), min_size=1, max_size=12)


def exactly_below(counts, replicates, samples, level):
    """What `first_below` computes, in fractions: pools of equal share, then a straight line."""
    pools = []
    for count in counts:
        pools.append([count, 1])
        while len(pools) > 1 and Fraction(*pools[-2]) <= Fraction(*pools[-1]):
            total, length = pools.pop()
            pools[-1][0] += total
            pools[-1][1] += length
    curve = [Fraction(t, n * replicates) for t, n in pools for _ in range(n)]
    for k, share in enumerate(curve):
        if share <= level:
            if k == 0:
                return Fraction(samples[0])
            part = (curve[k - 1] - level) / (curve[k - 1] - share)
            return samples[k - 1] + part * (samples[k] - samples[k - 1])
    return None


def below(counts, replicates, samples, level):
    rows = np.array([counts], dtype=np.int64)
    return float(statistics.first_below(rows, replicates, np.array(samples), level)[0])


@given(COUNTS, st.integers(1, 119))
@example([12, 6, 6, 0], 6)  # the curve stays at the level for a while
@example([6, 12, 0], 9)  # a pool lies exactly on the level
def test_the_crossing_is_that_of_exact_fractions_also_where_a_share_equals_the_level(counts, at):
    samples = [100 * (k + 1) for k in range(len(counts))]
    exact = exactly_below(counts, 120, samples, Fraction(at, 120))
    found = below(counts, 120, samples, at / 120)
    assert found == (np.inf if exact is None else pytest.approx(float(exact), rel=1e-14))


@given(COUNTS, st.floats(0.001, 0.999))
def test_the_curve_is_scipys_isotonic_regression(counts, level):
    samples = [100 * (k + 1) for k in range(len(counts))]
    curve = optimize.isotonic_regression(np.array(counts) / 120, increasing=False).x
    under = np.flatnonzero(curve <= level - 1e-12)
    found = below(counts, 120, samples, level)
    if under.size == 0:
        assert found == np.inf or abs(curve.min() - level) < 1e-12
    elif under[0] == 0:
        assert found == 100
    else:
        k = under[0]
        part = (curve[k - 1] - level) / (curve[k - 1] - curve[k])
        assert found == pytest.approx(samples[k - 1] + max(part, 0) * 100, rel=1e-9)


def study(wrong):
    n_policies, replicates, n_checkpoints = wrong.shape
    return simulate.Study(
        labels=tuple("abc"[:n_policies]),
        checkpoints=np.arange(1, n_checkpoints + 1) * 100,
        wrong=wrong,
        counts=np.zeros((n_policies, n_checkpoints, 2)),
        counts_sd=np.zeros((n_policies, n_checkpoints, 2)),
        stop_rows=np.zeros((n_policies, replicates, 4), int),
    )


def test_every_resampled_curve_is_counted_exactly():
    wrong = np.random.default_rng(5).random((1, 120, 9)) < np.linspace(0.4, 0.02, 9)
    _, resampled = study(wrong)._samples_to_error(0.1, 50)
    rng = np.random.default_rng(np.random.SeedSequence(0).spawn(1)[0])
    drawn = rng.multinomial(120, np.full(120, 1 / 120), size=50)
    samples = [100 * (k + 1) for k in range(9)]
    for row, found in zip(drawn.tolist(), resampled[0], strict=True):
        counts = [sum(np.array(row)[wrong[0, :, k]].tolist()) for k in range(9)]
        exact = exactly_below(counts, 120, samples, Fraction(1, 10))
        assert found == (np.inf if exact is None else pytest.approx(float(exact), rel=1e-14))


def test_the_order_of_the_runs_changes_no_bit_of_the_point_estimate():
    wrong = np.random.default_rng(6).random((2, 97, 30)) < np.linspace(0.5, 0.01, 30)
    first = study(wrong).speedup("a", 0.07, resamples=2)["ratio"]
    again = study(wrong[:, ::-1]).speedup("a", 0.07, resamples=2)["ratio"]
    assert first.tolist() == again.tolist()


@pytest.mark.parametrize("n", [1, 2, 39, 40, 41, 500, 1000])
def test_percentiles_are_numpys_order_statistics(n):
    values = np.random.default_rng(n).permutation(n).astype(float).reshape(1, n)
    values[values > 0.9 * n] = np.inf
    expected = [np.quantile(values, q, axis=-1, method="inverted_cdf") for q in (0.025, 0.975)]
    np.testing.assert_array_equal(statistics.percentile_interval(values), expected)


# -- against plain twins ---------------------------------------------------------------------------

CHECKPOINTS = np.arange(50, 2001, 50)


def study_of(wrong, checkpoints=CHECKPOINTS):
    """A study with these answers, shape (policies, replicates, checkpoints)."""
    wrong = np.asarray(wrong, dtype=bool)
    n_policies, replicates, n_looks = wrong.shape
    return simulate.Study(
        labels=tuple("abcdef"[:n_policies]),
        checkpoints=np.asarray(checkpoints),
        wrong=wrong,
        counts=np.zeros((n_policies, n_looks, 2)),
        counts_sd=np.zeros((n_policies, n_looks, 2)),
        stop_rows=np.zeros((n_policies, replicates, 4), int),
    )


def right_from(*times, checkpoints=CHECKPOINTS):
    """A study of runs that are right from a time of their own on; one list of times a policy."""
    return study_of([np.asarray(t)[:, None] > checkpoints for t in times], checkpoints)


@pytest.mark.parametrize("runs", [1, 2, 9, 120, 5000])
def test_wilson_intervals_are_those_of_their_defining_equation(runs):
    for wrong in {0, 1, runs // 3, runs - 1, runs}:
        low, high = wilson_interval(wrong, runs)
        expected = twins.wilson(wrong, runs)
        assert (float(low), float(high)) == pytest.approx(expected, abs=1e-12)


def test_samples_to_error_are_read_off_the_closest_non_increasing_curve():
    rng = np.random.default_rng(4)
    beyond = 0
    for _ in range(150):
        n_looks = int(rng.integers(1, 9))
        checkpoints = np.cumsum(rng.integers(1, 50, n_looks))
        share = np.linspace(0.9, rng.uniform(0, 0.5), n_looks)
        study = study_of(rng.random((2, 12, n_looks)) < share, checkpoints)
        level = rng.choice([0.1, 0.25, 0.3, 0.5, 0.7])
        found = study.samples_to_error(level, resamples=5)["samples"]
        for wrong, samples in zip(study.wrong, found, strict=True):
            curve = twins.non_increasing(wrong.mean(axis=0).tolist())
            expected = twins.first_at_or_below(np.round(curve, 12), checkpoints.tolist(), level)
            assert samples == pytest.approx(expected, rel=1e-9)
            beyond += math.isinf(expected)
    assert 20 < beyond < 250


def test_intervals_are_quantiles_of_resampled_replicates():
    # Resampled once more, with another generator and plain loops.
    rng = np.random.default_rng(5)
    times = rng.exponential(500, 60), rng.exponential(250, 60)
    study = right_from(*times)

    def read(runs):
        curve = (runs[:, None] > CHECKPOINTS).mean(axis=0)
        return twins.first_at_or_below(curve, CHECKPOINTS.tolist(), 0.2)

    again = np.array([[read(rng.choice(t, 60)) for _ in range(1500)] for t in times])
    for row, drawn in zip(study.samples_to_error(0.2).itertuples(), again, strict=True):
        width = row.high - row.low
        assert abs(row.low - np.quantile(drawn, 0.025)) < 0.12 * width
        assert abs(row.high - np.quantile(drawn, 0.975)) < 0.12 * width
    ratio = study.speedup("a", 0.2).loc[0]
    drawn = again[0] / again[1]
    assert abs(ratio["low"] - np.quantile(drawn, 0.025)) < 0.12 * (ratio["high"] - ratio["low"])
    assert abs(ratio["high"] - np.quantile(drawn, 0.975)) < 0.12 * (ratio["high"] - ratio["low"])


# -- both policies' noise --------------------------------------------------------------------------


def width(study, over="a"):
    row = study.speedup(over, 0.3, resamples=300).loc[0]
    return math.log(row["high"] / row["low"])


def test_the_interval_of_a_ratio_takes_in_the_noise_of_both_policies():
    rng = np.random.default_rng(6)
    noisy, still = rng.exponential(500, 80), np.full(80, 400.0)
    assert width(right_from(still, still)) == 0
    one, other = width(right_from(noisy, still)), width(right_from(still, noisy))
    assert one == pytest.approx(other, rel=0.25)
    assert one > 0.2
    both = width(right_from(noisy, rng.exponential(500, 80)))
    # Independent noise adds up in squares.
    assert both == pytest.approx(math.hypot(one, other), rel=0.3)


def test_policies_are_resampled_independently_even_where_their_runs_are_the_same():
    times = np.random.default_rng(7).exponential(500, 80)
    same = right_from(times, times)
    # One generator for both would draw the same runs, and the ratio would always be 1.
    assert width(same) > 0.3
    table = same.samples_to_error(0.3, resamples=300)
    assert table["low"].nunique() + table["high"].nunique() > 2


def test_the_interval_of_a_ratio_covers_the_truth_in_about_95_percent_of_studies():
    rng, covered, studies = np.random.default_rng(8), 0, 250
    truth = 2.0  # both curves are exponential, one twice as slow
    for _ in range(studies):
        made = right_from(rng.exponential(600, 80), rng.exponential(300, 80))
        row = made.speedup("a", 0.2, resamples=100).loc[0]
        covered += row["low"] <= truth <= row["high"]
    # With one of the two left as it is, 83%.
    assert 0.90 <= covered / studies <= 0.99


# -- levels that are not reached -------------------------------------------------------------------


def test_a_level_that_policies_miss():
    never, soon = np.full(30, 1e9), np.full(30, 120.0)
    both = right_from(never, never, soon)
    assert both.samples_to_error(0.1, resamples=20)["samples"].tolist()[:2] == [math.inf] * 2
    table = both.speedup("a", 0.1, resamples=20).set_index("policy")
    # The policy itself misses it: 0, whether or not the other one does.
    assert table.loc["b", ["ratio", "low", "high"]].tolist() == [0, 0, 0]
    assert table.loc["c", ["ratio", "low", "high"]].tolist() == [math.inf] * 3
    table = both.speedup("c", 0.1, resamples=20).set_index("policy")
    assert table.loc["a", ["ratio", "low", "high"]].tolist() == [0, 0, 0]
    assert table.index.tolist() == ["a", "b"]
    assert (table["level"] == 0.1).all()
