"""Statistics of a Study: whole numbers until one last division, so the same on every processor."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import optimize

from maxgap import simulate, statistics

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
