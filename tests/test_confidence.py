"""The radii against hand-worked values, their sources, two other packages, and simulation."""

import math

import numpy as np
import pytest
import ville
from scipy import integrate, special, stats

import maxgap
from maxgap.confidence import (
    LIL_EPSILON,
    MIXTURE_T0,
    RADII,
    guarantees,
    radius,
    radius_rows,
)

ALWAYS_PROVED = ("hoeffding", "lil", "normal-mixture", "stitched")

# Computed once with confseq 0.0.11 (Howard et al.), divided by n: two-sided normal mixture with
# v_opt = 100, alpha = alpha_opt = delta / K; polynomial stitching with alpha = delta / (2 K),
# v_min = 1, c = 0, s = 1.4, eta = 2.
CONFSEQ = {
    # (K, delta, n): (normal mixture, stitching)
    (24, 0.1, 1): (9.672894234885723, 3.8803601050087413),
    (24, 0.1, 2): (5.140752124619216, 2.920348579191305),
    (24, 0.1, 10): (1.435303528525535, 1.3885194572514783),
    (24, 0.1, 100): (0.3826945128718205, 0.45743686275614254),
    (24, 0.1, 10_000): (0.04263702588594745, 0.047675320411193704),
    (24, 0.1, 3_000_000_000): (0.00010128580165574084, 9.146718578603074e-05),
    (2, 0.05, 1): (9.276700339671983, 3.371199663160852),
    (2, 0.05, 2): (4.8623014708038745, 2.585020722578616),
    (2, 0.05, 10): (1.2849904310900435, 1.2485053246186735),
    (2, 0.05, 100): (0.32792141027759497, 0.4151221623229792),
    (2, 0.05, 10_000): (0.037749971724950135, 0.04363158762576974),
    (2, 0.05, 3_000_000_000): (9.459758663811793e-05, 8.447194968587932e-05),
    (90, 0.01, 1): (10.26379672756169, 4.746127848475973),
    (90, 0.01, 2): (5.586370176211727, 3.501814291014378),
    (90, 0.01, 10): (1.6878210737952375, 1.6354937432223675),
    (90, 0.01, 100): (0.4723902295566611, 0.5328544205536246),
    (90, 0.01, 10_000): (0.050872577403132, 0.05495261301579349),
    (90, 0.01, 3_000_000_000): (0.00011325345461747231, 0.00010419096767696085),
}


def test_hand_worked_values():
    # K = 5, delta = 0.2: 4 K / delta = 100. At n = 10 the logarithm is log 10,000 = 4 log 10.
    at_ten = {name: radius(name, 10, delta=0.2, n_arms=5, sigma=3.0) for name in RADII}
    assert at_ten["paper"] == pytest.approx(math.sqrt(0.4 * math.log(10)))
    assert at_ten["hoeffding"] == pytest.approx(3 * math.sqrt(0.8 * math.log(10)))
    # 5 * 10 / (0.2 / 5) = 1250.
    assert at_ten["authors-lil"] == pytest.approx(4.5 * math.sqrt(0.2 * math.log(math.log(1250))))
    # log log 20 = 1.097189, 0.72 log(260) = 4.003696: 5.1 sqrt(0.5100885).
    assert at_ten["stitched"] == pytest.approx(3.6424425, rel=1e-7)
    # log(25) = 3.218876, r = 100 / (6.437752 + log(7.437752)) = 11.84228;
    # 3 sqrt((1 + r/10) (log(1 + 10/r) + 6.437752) / 10).
    assert at_ten["normal-mixture"] == pytest.approx(3.7227376, rel=1e-6)
    # d = log(1.01) (0.002 / 20.1)^(1/1.01) = 1.084668e-6; log(log(10.1) / d) = 14.572581;
    # 1.1 * 3 sqrt(2.02 * 14.572581 / 10).
    assert at_ten["lil"] == pytest.approx(5.6618435, rel=1e-6)


def test_the_factors_at_24_arms_are_those_expected():
    factors = {
        "paper": (4.01, 5.03),
        "hoeffding": (5.67, 7.11),
        "normal-mixture": (3.83, 4.26),
    }
    for name, expected in factors.items():
        n = np.array([100, 10_000])
        factor = radius(name, n, delta=0.1, n_arms=24) * np.sqrt(n)
        assert factor.round(2).tolist() == list(expected)


def test_hoeffding_spends_at_most_delta_over_all_arms_times_and_sides():
    n, n_arms, delta, sigma = np.arange(1, 10**6), 7, 0.3, 2.0
    c = radius("hoeffding", n, delta=delta, n_arms=n_arms, sigma=sigma)
    spent = n_arms * np.sum(2 * np.exp(-n * c**2 / (2 * sigma**2)))
    assert spent == pytest.approx(delta * math.pi**2 / 12, rel=1e-5)


def test_the_papers_union_bound_holds_at_variance_one_half_and_diverges_at_one():
    n, n_arms, delta = np.arange(1, 10**6), 24, 0.1
    c = radius("paper", n, delta=delta, n_arms=n_arms)

    def spent(variance):
        return n_arms * np.cumsum(2 * np.exp(-n * c**2 / (2 * variance)))

    assert spent(0.5)[-1] == pytest.approx(delta * math.pi**2 / 12, rel=1e-5)
    assert spent(0.25)[-1] < spent(0.5)[-1]
    # At variance 1 the terms are sqrt(K delta) / s: a harmonic series.
    assert spent(1.0)[9] == pytest.approx(math.sqrt(2.4) * 7381 / 2520)
    assert spent(1.0)[-1] > 20


def test_the_paper_has_no_sigma_and_equals_hoeffding_at_variance_one_half():
    n = np.array([1, 10, 1000])
    paper = radius("paper", n, delta=0.1, n_arms=24, sigma=5.0)
    hoeffding = radius("hoeffding", n, delta=0.1, n_arms=24, sigma=math.sqrt(0.5))
    assert paper == pytest.approx(hoeffding)
    assert np.array_equal(paper, radius("paper", n, delta=0.1, n_arms=24))


def test_lil_spends_delta_in_the_lemma_of_its_source():
    e = LIL_EPSILON
    for n_arms, delta in ((2, 0.9), (24, 0.1), (1000, 1e-6)):
        n = np.array([1, 2, 50, 10**6])
        c = radius("lil", n, delta=delta, n_arms=n_arms, sigma=3.0)
        iterated = (c / (3 * (1 + math.sqrt(e)))) ** 2 * n / (2 * (1 + e))
        d = np.log((1 + e) * n) / np.exp(iterated)
        one_sided = (2 + e) / e * (d / math.log(1 + e)) ** (1 + e)
        assert 2 * n_arms * one_sided == pytest.approx(np.full(4, delta))
        assert np.all(d < math.log(1 + e) / math.e), "outside the lemma's range"


def test_the_mixture_boundary_is_where_the_mixed_martingale_reaches_its_threshold():
    n_arms, delta, sigma = 24, 0.1, 2.0
    log_inverse = math.log(n_arms / delta)
    r = MIXTURE_T0 / (2 * log_inverse + math.log(1 + 2 * log_inverse))
    for n in (1, 30, 1000):
        c = radius("normal-mixture", n, delta=delta, n_arms=n_arms, sigma=sigma)
        total = n * c / sigma

        def mixed(x, total=total, n=n):
            return math.exp(x * total - x * x * n / 2) * stats.norm.pdf(x, scale=r**-0.5)

        # The integrand peaks at total / (n + r).
        peak, width = total / (n + r), (n + r) ** -0.5
        value, _ = integrate.quad(mixed, peak - 12 * width, peak + 12 * width)
        assert value == pytest.approx(n_arms / delta, rel=1e-6)


def test_the_mixture_is_narrowest_near_its_tuning_among_its_own_tunings():
    n_arms, delta = 24, 0.1
    log_inverse = math.log(n_arms / delta)
    tunings = np.geomspace(1, 1000, 400)
    widths = (1 + tunings / MIXTURE_T0) * (np.log1p(MIXTURE_T0 / tunings) + 2 * log_inverse)
    best = math.sqrt(widths.min() / MIXTURE_T0)
    ours = radius("normal-mixture", MIXTURE_T0, delta=delta, n_arms=n_arms)
    assert best <= ours < best * 1.001


def test_stitched_rounds_the_constants_of_its_source_up_and_by_less_than_one_percent():
    eta, s = 2, 1.4
    k1 = (eta**0.25 + eta**-0.25) / math.sqrt(2)
    n = np.concatenate((np.arange(1, 100), np.geomspace(100, 1e12, 200).round()))
    for n_arms, delta in ((1, 0.5), (2, 0.9), (24, 0.1), (1000, 1e-6)):
        constant = math.log(special.zeta(s) * 2 * n_arms / (delta * math.log(eta) ** s))
        exact = k1 * np.sqrt((s * np.log(np.log(eta * n)) + constant) / n)
        ratio = radius("stitched", n, delta=delta, n_arms=n_arms) / exact
        assert ratio.min() >= 1
        assert ratio.max() < 1.01


@pytest.mark.parametrize(("case", "expected"), CONFSEQ.items())
def test_mixture_and_stitched_agree_with_values_from_confseq(case, expected):
    n_arms, delta, n = case
    mixture, stitching = expected
    ours = {name: radius(name, n, delta=delta, n_arms=n_arms) for name in RADII}
    assert ours["normal-mixture"] == pytest.approx(mixture, rel=1e-12)
    assert stitching <= ours["stitched"] < 1.01 * stitching


CASES = [(1, 0.5), (2, 0.9), (24, 0.1), (90, 0.01), (1000, 1e-6)]


@pytest.mark.parametrize(("n_arms", "delta"), CASES)
def test_the_mixture_is_that_of_another_package(n_arms, delta):
    n, sigma = np.unique(np.geomspace(1, 1e9, 200).round()), 3.0
    ours = radius("normal-mixture", n, delta=delta, n_arms=n_arms, sigma=sigma)
    log_inverse = math.log(n_arms / delta)
    r = MIXTURE_T0 / (2 * log_inverse + math.log(1 + 2 * log_inverse))
    # Its time is n sigma^2, and so its precision is r sigma^2.
    theirs = ville.normal_mixture(n * sigma**2, delta / n_arms, r * sigma**2) / n
    np.testing.assert_allclose(ours, theirs, rtol=1e-12)


@pytest.mark.parametrize(("n_arms", "delta"), CASES)
def test_the_tuning_of_the_mixture_loses_little_to_the_best_one(n_arms, delta):
    best = ville.best_rho(MIXTURE_T0, delta / n_arms)
    narrowest = ville.normal_mixture(MIXTURE_T0, delta / n_arms, best) / MIXTURE_T0
    ours = radius("normal-mixture", MIXTURE_T0, delta=delta, n_arms=n_arms)
    assert narrowest * (1 - 1e-9) <= ours < narrowest * (1.002 if n_arms < 24 else 1.00001)


def test_the_intervals_of_a_stream_are_those_of_another_package():
    rewards = np.random.default_rng(5).normal(2.0, 3.0, 400)
    theirs = ville.GaussianMixtureCS(3.0, 0.1 / 24, t_opt=MIXTURE_T0, intersect=False).fit(rewards)
    n = np.arange(1, 401)
    half = radius("normal-mixture", n, delta=0.1, n_arms=24, sigma=3.0)
    means = np.cumsum(rewards) / n
    # Its tuning is searched for, ours has a formula: they differ by less than a hundredth.
    np.testing.assert_allclose(theirs.lower_, means - half, atol=0.01 * half.max())
    np.testing.assert_allclose((theirs.upper_ - theirs.lower_) / 2, half, rtol=0.01)


@pytest.mark.parametrize(("n_arms", "delta"), CASES)
@pytest.mark.parametrize("name", ["stitched", "lil"])
def test_an_iterated_logarithm_spends_at_most_delta_by_lines_alone(name, n_arms, delta):
    # With f the radius times sqrt(n), which grows, the band's edge f sqrt(n) lies from n = 2^k to
    # 2^(k+1) above a line: the chord of sqrt times f at 2^k. By Ville's inequality a sum of unit
    # noise ever crosses the line a + b n with probability at most exp(-2 a b).
    n = 2.0 ** np.arange(1000)
    f = radius(name, n, delta=delta, n_arms=n_arms) * np.sqrt(n)
    assert np.all(np.diff(f) > 0)
    slope = math.sqrt(2) - 1
    spent = 2 * n_arms * np.exp(-2 * (1 - slope) * slope * f**2)
    # From there on the terms fall as a power of k, which is summed as an integral.
    power = -math.log2(spent[999] / spent[499])
    assert power > 1
    total = spent.sum() + spent[999] * 1000 / (power - 1)
    assert total <= delta
    # No constant of "stitched" can be much smaller; "lil" has much room.
    assert total > 0.75 * delta if name == "stitched" else total < 0.01 * delta


@pytest.mark.parametrize("name", RADII)
def test_a_radius_is_infinite_without_samples_and_falls_with_every_sample(name):
    # 3e9 and its like do not fit 32 bits; an integer square of 50,000 would not either.
    n = np.concatenate((np.arange(200), np.geomspace(200, 1e15, 300).round()))
    for n_arms, delta in ((2, 0.999), (24, 0.1), (10**6, 1e-9)):
        c = radius(name, n, delta=delta, n_arms=n_arms)
        assert c[0] == np.inf
        assert np.all(np.isfinite(c[1:]))
        assert np.all(np.diff(c[1:]) < 0)
        assert np.all(c[1:] > 0)


@pytest.mark.parametrize("name", RADII)
def test_counts_of_every_integer_type_give_the_same_radius(name):
    n = [0, 1, 46_341, 50_000, 2_000_000_000]
    expected = radius(name, n, delta=0.1, n_arms=24)
    assert np.all(np.diff(expected[1:]) < 0)
    for dtype in (np.int32, np.uint32, np.int64, np.float64):
        assert np.array_equal(radius(name, np.array(n, dtype), delta=0.1, n_arms=24), expected)
    assert radius(name, np.int32(50_000), delta=0.1, n_arms=24) == expected[3]
    assert 0 < radius(name, 3_000_000_000, delta=0.1, n_arms=24) < expected[4]


@pytest.mark.parametrize("name", [name for name in RADII if name != "paper"])
def test_the_radius_is_proportional_to_each_arms_sigma(name):
    n, sigma = np.array([5, 5, 1000]), np.array([0.1, 1, 5])
    unit = radius(name, n, delta=0.1, n_arms=3)
    assert radius(name, n, delta=0.1, n_arms=3, sigma=sigma) == pytest.approx(unit * sigma)
    assert radius(name, 5, delta=0.1, n_arms=3, sigma=sigma).shape == (3,)
    table = radius(name, n[:, None], delta=0.1, n_arms=3, sigma=sigma)
    assert table == pytest.approx(unit[:, None] * sigma)


@pytest.mark.parametrize("name", [name for name in RADII if name != "authors-lil"])
def test_more_arms_or_less_error_make_a_radius_wider(name):
    for n in (1, 100, 10**6):
        plain = radius(name, n, delta=0.1, n_arms=24)
        assert radius(name, n, delta=0.1, n_arms=240) > plain
        assert radius(name, n, delta=0.01, n_arms=24) > plain
        # All of them share delta among the arms, so only K / delta counts.
        assert radius(name, n, delta=0.01, n_arms=24) == pytest.approx(
            radius(name, n, delta=0.1, n_arms=240)
        )


def test_the_authors_radius_does_not_know_the_number_of_arms():
    few, many = (radius("authors-lil", 100, delta=0.1, n_arms=k) for k in (2, 10**6))
    assert few == many


def test_a_function_stands_in_for_a_name():
    def squared(n, *, delta, n_arms, sigma):
        assert np.all(n >= 1)
        return sigma * n_arms / (delta * n**2)

    c = radius(squared, [0, 1, 10], delta=0.5, n_arms=3, sigma=[1, 2, 4])
    assert c.tolist() == [np.inf, 12.0, 0.24]
    for bad in (lambda n, **_: n[:1], lambda n, **_: -n, lambda n, **_: n * np.nan):
        with pytest.raises(ValueError, match="name"):
            radius(bad, [1, 2], delta=0.5, n_arms=2)
        assert not guarantees(bad)
    assert not guarantees(squared)


@pytest.mark.parametrize("delta", [0, 1, -0.1, 1.5, math.nan, "0.1", None, [0.1], True])
@pytest.mark.parametrize("name", RADII)
def test_a_delta_that_is_no_probability_is_refused_by_name(name, delta):
    with pytest.raises(ValueError, match="delta"):
        radius(name, 10, delta=delta, n_arms=2)


@pytest.mark.parametrize(
    "sigma", [0, -1, math.nan, math.inf, "1", None, [1, 1, 1], [1, 0], [1, None]]
)
@pytest.mark.parametrize("name", RADII)
def test_a_sigma_that_is_not_positive_or_does_not_fit_is_refused_by_name(name, sigma):
    with pytest.raises(ValueError, match="sigma"):
        radius(name, [10, 10], delta=0.1, n_arms=2, sigma=sigma)


@pytest.mark.parametrize("n", [-1, 0.5, math.nan, math.inf, "3", None, [1, -1], [1, None], True])
def test_a_count_that_is_not_whole_is_refused_by_name(n):
    with pytest.raises(ValueError, match="n:"):
        radius("hoeffding", n, delta=0.1, n_arms=2)


@pytest.mark.parametrize("n_arms", [0, -2, 2.0, "2", None, True])
def test_a_number_of_arms_that_is_not_whole_is_refused_by_name(n_arms):
    with pytest.raises(ValueError, match="n_arms"):
        radius("hoeffding", 1, delta=0.1, n_arms=n_arms)


@pytest.mark.parametrize("name", ["Hoeffding", "", None, 3, ["paper"]])
def test_an_unknown_radius_is_refused_by_name(name):
    with pytest.raises(ValueError, match="name"):
        radius(name, 1, delta=0.1, n_arms=2)
    with pytest.raises(ValueError, match="name"):
        guarantees(name)


def test_guarantees_says_what_is_proved():
    for sigma in (1e-3, 1.0, 50.0, [0.1, 1, 5]):
        assert all(guarantees(name, sigma) for name in ALWAYS_PROVED)
        assert not guarantees("authors-lil", sigma)
    assert guarantees("paper", 0.5)
    assert guarantees("paper", math.sqrt(0.5))
    assert guarantees("paper", [0.1, 0.7])
    assert not guarantees("paper", 0.708)
    assert not guarantees("paper", [0.1, 0.8])
    assert not guarantees("paper")
    with pytest.raises(ValueError, match="sigma"):
        guarantees("hoeffding", 0)


def share_of_runs_that_miss(sigmas, *, runs, horizon, seed, delta=0.1):
    """Share of runs in which some interval of some arm ever misses, by radius."""
    n = np.arange(1, horizon + 1)
    rng = np.random.default_rng(seed)
    bounds = {
        name: [n * radius(name, n, delta=delta, n_arms=len(sigmas), sigma=s) for s in sigmas]
        for name in RADII
    }
    missed = {name: np.zeros(runs, dtype=bool) for name in RADII}
    for run in range(runs):
        for arm, sigma in enumerate(sigmas):
            sums = np.abs(np.cumsum(rng.normal(0.0, sigma, horizon)))
            for name in RADII:
                missed[name][run] |= bool(np.any(sums > bounds[name][arm]))
    return {name: float(share.mean()) for name, share in missed.items()}


RUNS = 400
# What 400 runs exceed with probability 1e-4 if a run misses with probability delta = 0.1.
AT_MOST = stats.binom.isf(1e-4, RUNS, 0.1) / RUNS


@pytest.fixture(scope="module")
def misses_at_sigma_one():
    return share_of_runs_that_miss([1.0] * 24, runs=RUNS, horizon=10_000, seed=20190)


@pytest.mark.parametrize("name", ALWAYS_PROVED)
def test_a_proved_radius_misses_no_more_often_than_delta(name, misses_at_sigma_one):
    assert misses_at_sigma_one[name] <= AT_MOST


def test_the_mixture_spends_a_fair_part_of_delta(misses_at_sigma_one):
    # A radius 20% too wide would hardly ever miss here.
    assert misses_at_sigma_one["normal-mixture"] > 0.02


def test_the_papers_radius_misses_more_than_delta_at_sigma_one(misses_at_sigma_one):
    # About 0.34 by 10,000 samples per arm.
    assert stats.binom.sf(misses_at_sigma_one["paper"] * RUNS - 1, RUNS, 0.25) < 1e-3


def test_the_authors_radius_misses_more_than_delta(misses_at_sigma_one):
    # About 0.66 by 10,000 samples per arm.
    assert stats.binom.sf(misses_at_sigma_one["authors-lil"] * RUNS - 1, RUNS, 0.5) < 1e-3


def test_with_unequal_sigmas_a_proved_radius_misses_no_more_often_than_delta():
    missed = share_of_runs_that_miss([0.1, 1.0, 5.0], runs=RUNS, horizon=10_000, seed=12)
    for name in ALWAYS_PROVED:
        assert missed[name] <= AT_MOST


def test_the_papers_radius_keeps_delta_at_variance_one_half():
    missed = share_of_runs_that_miss([0.5**0.5] * 24, runs=RUNS, horizon=10_000, seed=77)
    assert missed["paper"] == missed["hoeffding"] <= AT_MOST


@pytest.mark.parametrize("name", [*RADII, lambda n, *, delta, n_arms, sigma: sigma**2 / n])
def test_rows_and_factors_give_the_radius_of_every_arm(name):
    sigmas = np.array([0.5, 3.0, 0.5, 2.0])
    rows, row, factor = radius_rows(name, sigmas)
    assert rows.size == (3 if callable(name) else 1)
    table = np.array([radius(name, [1, 7, 100], delta=0.1, n_arms=4, sigma=s) for s in rows])
    for arm, sigma in enumerate(sigmas):
        expected = radius(name, [1, 7, 100], delta=0.1, n_arms=4, sigma=sigma)
        np.testing.assert_allclose(factor[arm] * table[row[arm]], expected, rtol=1e-14)


@pytest.mark.parametrize("kind", [bool, complex, str, object])
def test_a_function_that_returns_no_real_numbers_is_refused(kind):
    with pytest.raises(ValueError, match="no radius"):
        radius(lambda n, **_: np.ones(n.shape).astype(kind), [1, 2], delta=0.1, n_arms=2)


# -- large counts ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", maxgap.confidence.RADII)
def test_radii_are_finite_and_falling_beyond_32_bits(name):
    n = np.array([46_340, 46_341, 50_000, 2**31 - 1, 2**31, 3e9, 2**32 - 1, 2**32, 1e12, 2**62])
    values = maxgap.confidence.radius(name, n, delta=0.1, n_arms=24)
    assert np.isfinite(values).all()
    assert (values > 0).all()
    assert (np.diff(values) < 0).all()


@pytest.mark.parametrize("dtype", [np.int32, np.uint32, np.int64])
def test_fifty_thousand_samples_have_the_same_radius_in_every_integer_type(dtype):
    for name in maxgap.confidence.RADII:
        counted = maxgap.confidence.radius(name, dtype(50_000), delta=0.1, n_arms=24)
        assert counted == maxgap.confidence.radius(name, 50_000.0, delta=0.1, n_arms=24)
