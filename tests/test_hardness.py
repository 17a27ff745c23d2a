"""Hardness by hand, by direct loops over the definitions, and against what the proofs need."""

import math
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

from maxgap import hardness, problems
from maxgap.confidence import radius
from maxgap.gaps import gap_lower_bound, gap_upper_bounds
from maxgap.problems import Problem

INF = np.inf


# Values by hand


def test_gamma_of_a_worked_example():
    # Gaps from the left 0.25, 1, 0.5; the largest is 1.
    values = hardness.gamma([0, 0.25, 1.25, 1.75])
    assert values.right.tolist() == [0.25, INF, 0.5, INF]
    assert values.left.tolist() == [INF, 0.25, INF, 0.5]
    assert values.either.tolist() == [0.25, 0.25, 0.5, 0.5]


def test_gamma_takes_the_best_helper_not_the_nearest():
    # From 0, the arm at 0.5 is worth 0.5, those at 0.1 and 0.8 are worth 0.1 and 0.2.
    values = hardness.gamma([0, 0.1, 0.5, 0.8, 1.8])
    assert values.right[0] == pytest.approx(0.5)
    assert hardness.gamma_naive([0, 0.1, 0.5, 0.8, 1.8]).right[0] == pytest.approx(0.1)


def test_next_to_the_big_gap_and_to_the_ends_gamma_is_a_multiple_of_the_small_gap():
    problem = problems.one_large_gap(20, 20, delta_max=1.0, delta_min=0.1)
    gamma = hardness.gamma(problem.means).either
    # By rank from 1: m = 20. Only distances 0.1, 0.2, ... towards the big gap can help.
    by_rank = dict(enumerate(gamma, start=1))
    for steps in (1, 2, 3, 4):
        assert by_rank[20 - steps] == pytest.approx(steps * 0.1)
        assert by_rank[21 + steps] == pytest.approx(steps * 0.1)
        assert by_rank[1 + steps] == pytest.approx(steps * 0.1)
        assert by_rank[40 - steps] == pytest.approx(steps * 0.1)
    # The paper says half the largest gap for all 38; it is so for the 22 in the middle of a
    # cluster and for the two outermost.
    half = np.isclose(gamma[hardness.suboptimal_arms(problem.means)], 0.5)
    assert half.size == 38
    assert half.sum() == 22
    assert hardness.gamma_naive(problem.means).either[[0, 1, 5, 38]] == pytest.approx([0.1] * 4)


def test_in_short_clusters_no_arm_of_the_toy_problem_has_half_the_largest_gap():
    problem = problems.one_large_gap(5, 5, delta_max=1.0, delta_min=0.1)
    gamma = hardness.gamma(problem.means).either[hardness.suboptimal_arms(problem.means)]
    assert gamma == pytest.approx([0.4, 0.1, 0.2, 0.1, 0.1, 0.2, 0.1, 0.4])


def test_gamma_of_all_four_arms_of_the_lower_bound_is_epsilon():
    for epsilon, nu in ((0.1, 1.0), (0.02, 1.0), (1e-5, 3.0)):
        values = hardness.gamma(problems.four_arms(epsilon, nu).means)
        assert values.either == pytest.approx(np.full(4, epsilon))
        assert values.right[[0, 2]].tolist() == [INF, INF]
        assert values.left[[1, 3]].tolist() == [INF, INF]


def test_with_ties_and_with_two_arms_no_arm_has_a_helper():
    for means in ([0, 0, 1, 1], [0, 1], [5, 5], [3, 3, 3]):
        assert np.all(hardness.gamma(means).either == INF)
        assert hardness.suboptimal_arms(means).size == 0
    for means in ([0, 0, 1, 1], [0, 1]):
        assert hardness.sample_bound(means, 0.1) == 0
    # A tie that is only rounding is a tie: 0.1 + 0.2 is not 0.3 in floating point.
    assert np.all(hardness.gamma([0, 0, 0.1 + 0.2, 0.3]).either == INF)
    # So is a distance that misses the largest gap by rounding: 0.3 - 0.2 is not 0.2 - 0.1.
    assert np.all(hardness.gamma([0.1, 0.2, 0.3]).either == INF)


def test_rho_of_a_worked_example():
    values = hardness.rho([0, 0.25, 1.25, 1.75])
    assert values.right.tolist() == [0.25 / 4, 0, 0.5 / 8, INF]
    # Everything left of arm 1 lies within 0.25: (1 - 0.25) / 8 beats the helper's 0.25 / 4.
    assert values.left.tolist() == [INF, 0.75 / 8, 0, 0.5 / 8]
    printed = hardness.rho([0, 0.25, 1.25, 1.75], formula="printed")
    assert np.array_equal(printed.right, values.right)
    assert printed.left.tolist() == [INF, 1.25 / 8, 2.25 / 8, 2.75 / 8]


def test_one_sided_takes_the_right_gap_on_top_and_the_left_gap_below():
    means = [0, 0.25, 1.25, 1.75]
    chosen = hardness.one_sided(hardness.Hardness(np.arange(4.0), -np.arange(4.0)), means)
    assert chosen.tolist() == [0, -1, 2, 3]
    with pytest.raises(ValueError, match="means"):
        hardness.one_sided(hardness.gamma([0, 1, 2]), [0, 1, 2])


# Against the definitions, by loops


def naive_side(means, largest, arm, side, formula):
    worst = [INF]
    distances = [side * (other - means[arm]) for other in means]
    distances = [d for d in distances if d > 0]
    if formula == "corrected":
        distances = distances and [min(distances)]
    for d in distances:
        worst += [d, largest - d]
    return min(worst)


def gamma_side(means, largest, arm, side):
    distances = [side * (other - means[arm]) for other in means]
    return max((min(d, largest - d) for d in distances if 0 < d < largest), default=INF)


def rho_side(means, largest, arm, side):
    distances = [side * (other - means[arm]) for other in means]
    distances = [d for d in distances if d > 0]
    if not distances:
        return INF
    helpers = [min(d / 4, (largest - d) / 8) for d in distances]
    return max([*helpers, (largest - max(distances)) / 8])


def rho_left_as_printed(means, largest, arm):
    delta = [other - means[arm] for other in means]  # Delta_{a,j}
    if not any(d < 0 for d in delta):
        return INF
    helpers = [min(d / 4, (largest + d) / 8) for d in delta if d < 0]
    return max([*helpers, (largest - min(delta)) / 8])


@given(st.lists(st.integers(-16, 16), min_size=2, max_size=8))
def test_every_hardness_agrees_with_direct_loops(means):
    largest = Problem(means).delta_max
    for arm in range(len(means)):
        for name, side in (("right", 1), ("left", -1)):
            ours = getattr(hardness.gamma(means), name)[arm]
            assert ours == gamma_side(means, largest, arm, side)
            ours = getattr(hardness.rho(means), name)[arm]
            assert ours == rho_side(means, largest, arm, side)
            for formula in ("corrected", "printed"):
                ours = getattr(hardness.gamma_naive(means, formula), name)[arm]
                assert ours == naive_side(means, largest, arm, side, formula)
        printed = hardness.rho(means, "printed")
        assert printed.right[arm] == rho_side(means, largest, arm, 1)
        assert printed.left[arm] == rho_left_as_printed(means, largest, arm)


@given(st.lists(st.integers(-16, 16), min_size=2, max_size=8))
def test_hardness_scales_with_the_means_and_mirrors(means):
    plain, mirrored = hardness.gamma(means), hardness.gamma([-2 * mean for mean in means])
    assert np.array_equal(mirrored.right, 2 * plain.left)
    assert np.array_equal(mirrored.left, 2 * plain.right)
    plain, mirrored = hardness.rho(means), hardness.rho([-2 * mean for mean in means])
    assert np.array_equal(mirrored.right, 2 * plain.left)


def test_the_naive_hardness_is_never_above_gamma_where_both_have_helpers():
    rng = np.random.default_rng(3)
    for _ in range(200):
        means = rng.uniform(0, 1, 10)
        arms = hardness.suboptimal_arms(means)
        gamma, naive = hardness.gamma(means), hardness.gamma_naive(means)
        assert np.all(naive.either[arms] <= gamma.either[arms])
        assert np.all(gamma.either[arms] <= Problem(means).delta_max / 2)


def test_the_naive_formula_as_printed_is_negative_as_soon_as_an_arm_is_far():
    means = problems.one_large_gap(5, 5, delta_max=1.0, delta_min=0.1).means
    assert hardness.gamma_naive(means, "printed").right[9] == pytest.approx(1 - 1.8)
    assert hardness.gamma_naive(means).right[9] == pytest.approx(0.1)


# Against what the proofs need


def intervals_in_the_good_event(rng, means, c):
    """Intervals of half-width c that hold their mean: empirical means at most c away."""
    centres = means + rng.choice([-1.0, 1.0, 0.0], len(means)) * c * 0.999999
    return centres, centres - c, centres + c


def test_a_radius_below_rho_rules_out_every_gap_of_suboptimal_arms():
    rng = np.random.default_rng(8)
    for _ in range(300):
        means = rng.integers(0, 40, rng.integers(3, 9)) / 16
        problem = Problem(means)
        gaps = np.sort(problem.gaps)
        if gaps[-1] - gaps[-2] < 0.01:
            continue
        corrected = hardness.rho(means)
        for arm in hardness.suboptimal_arms(means):
            c = 0.999 * corrected.either[arm]
            for _ in range(10):
                centres, lower, upper = intervals_in_the_good_event(rng, means, c)
                floor = gap_lower_bound(centres, lower, upper).value
                assert gap_upper_bounds(lower, upper).either[arm] < floor


def test_a_radius_below_the_printed_rho_does_not_rule_out_left_gaps():
    means = np.array([0.0, 0.4, 1.4])
    arm = 1
    # The left helper is at 0.4: rho^l is max(0.1 and 0.075, 0.6 / 8), printed 1.4 / 8.
    assert hardness.rho(means).left[arm] == pytest.approx(0.075)
    c = 0.999 * hardness.rho(means, "printed").left[arm]
    centres = means + np.array([-c, c, -c])
    bounds = gap_upper_bounds(centres - c, centres + c)
    assert bounds.left[arm] > gap_lower_bound(centres, centres - c, centres + c).value


def test_saving_the_square_of_the_gaps_needs_one_sided_gaps_and_the_extra_term_of_rho():
    def total(values):
        return float(np.sum(values**-2.0))

    small = np.array([0.1, 0.01, 0.001])
    sums = {"naive": [], "gamma": [], "rho": [], "one-sided gamma": [], "one-sided rho": []}
    for delta_min in small:
        means = problems.one_large_gap(8, 8, delta_max=1.0, delta_min=delta_min).means
        arms = hardness.suboptimal_arms(means)
        gamma, rho = hardness.gamma(means), hardness.rho(means)
        sums["naive"].append(total(hardness.gamma_naive(means).either[arms]))
        sums["gamma"].append(total(gamma.either[arms]))
        sums["rho"].append(total(rho.either[arms]))
        sums["one-sided gamma"].append(total(hardness.one_sided(gamma, means)[arms]))
        sums["one-sided rho"].append(total(hardness.one_sided(rho, means)))
    slope = {name: np.diff(np.log10(values))[-1] for name, values in sums.items()}
    for name in ("naive", "gamma", "rho", "one-sided gamma"):
        assert slope[name] == pytest.approx(2, abs=0.02)
    # With both, every arm costs (8 / Delta_max)^2 in the limit: 14 arms, as two have no such gap.
    assert slope["one-sided rho"] == pytest.approx(0, abs=0.1)
    assert sums["one-sided rho"][-1] == pytest.approx(14 * 64, rel=0.02)


# The constant of the remark and the bounds


@pytest.mark.parametrize(
    ("delta", "n_arms"), [(0.999, 2), (0.5, 2), (0.1, 2), (0.1, 24), (0.01, 90)]
)
def test_the_radius_constant_is_the_largest_ratio_over_all_counts(delta, n_arms):
    # Counts as logarithms, far beyond what floating point holds as a count.
    log_s = np.concatenate(([0.0], np.geomspace(1e-4, 1e6, 200_000)))
    w = math.log(4 * n_arms / delta) + 2 * log_s
    log_c = (np.log(w) - log_s) / 2
    ratio = w / (math.log(n_arms / delta) - log_c)
    assert hardness.radius_constant(delta, n_arms) == pytest.approx(ratio.max(), rel=1e-6)
    assert np.all(ratio > 0)


@pytest.mark.parametrize(("delta", "n_arms"), [(0.9, 2), (0.1, 2), (0.1, 24), (1e-6, 1000)])
def test_samples_of_the_remark_make_the_papers_radius_small_enough(delta, n_arms):
    alpha = hardness.radius_constant(delta, n_arms)
    x = np.geomspace(1e-5, 2 * n_arms / delta, 2000)
    enough = np.maximum(np.ceil(alpha * np.log(n_arms / (delta * x)) / x**2), 1)
    for more in (1, 1.5, 1000):
        c = radius("paper", np.ceil(more * enough), delta=delta, n_arms=n_arms)
        assert np.all(c <= x)


def test_a_smaller_radius_constant_would_not_do():
    # Where the largest ratio is at a count within reach: K / delta = 20 / 3, s near 23,300.
    delta, n_arms = 0.3, 2
    alpha = 0.9999 * hardness.radius_constant(delta, n_arms)
    s = np.arange(1, 200_000)
    x = radius("paper", s, delta=delta, n_arms=n_arms) * (1 - 1e-9)
    assert np.any(s >= alpha * np.log(n_arms / (delta * x)) / x**2)


def test_the_elimination_bound_by_hand():
    # K / delta = 40: alpha = 4 / (1 - 4 / (e 40^1.5)) = 4.0234; both arms have rho = 1/16:
    # 4.0234 * log(640) * 256 = 6655.2.
    means = [0, 0.25, 1.25, 1.75]
    bounds = hardness.arm_sample_bounds(means, 0.1, policy="MaxGapElim")
    assert bounds.tolist() == [6656, INF, INF, 6656]
    assert hardness.sample_bound(means, 0.1, policy="MaxGapElim") == 2 * 6656


def test_the_ucb_bound_by_hand_as_printed():
    alpha = hardness.radius_constant(0.1, 4)
    by_hand = 6 * alpha * (math.log(40 / 0.25) / 0.25**2 + math.log(40 / 0.5) / 0.5**2)
    ours = hardness.sample_bound([0, 0.25, 1.25, 1.75], 0.1, formula="printed")
    assert ours == pytest.approx(by_hand)


def test_a_radius_of_gamma_over_four_takes_more_than_8_times_the_printed_samples():
    for means in ([0, 0.25, 1.25, 1.75], problems.streetview().means):
        printed, corrected = (
            hardness.arm_sample_bounds(means, 0.1, formula=f) for f in ("printed", "corrected")
        )
        arms = hardness.suboptimal_arms(means)
        # Printed tau only gives a radius of gamma, where the proof goes on with 4 c <= gamma.
        gamma = hardness.gamma(means).either[arms]
        c = radius("paper", np.ceil(printed[arms] / 6), delta=0.1, n_arms=len(means))
        assert np.all(c <= gamma)
        assert np.all(4 * c > gamma)
        c = radius("paper", corrected[arms] // 3, delta=0.1, n_arms=len(means))
        assert np.all(4 * c < gamma)
        assert np.all(corrected[arms] > 8 * printed[arms])


def test_sigma_rescales_the_means():
    means = np.array([0, 0.25, 1.25, 1.75])
    for sigma in (0.05, 1.0, 3.0):
        scaled = hardness.sample_bound(means * math.sqrt(2) * sigma, 0.1, sigma=sigma)
        assert scaled == pytest.approx(hardness.sample_bound(means, 0.1), rel=1e-3)
        # What the bound promises: the hoeffding radius at this sigma is then gamma / 4.
        bounds = hardness.arm_sample_bounds(means, 0.1, sigma=sigma)[[0, 3]] // 3
        c = radius("hoeffding", bounds, delta=0.1, n_arms=4, sigma=sigma)
        assert np.all(c <= hardness.gamma(means).either[[0, 3]] / 4)


def test_the_bound_for_arm_4_falls_in_epsilon_where_the_printed_order_is_negative():
    delta = 0.1
    for epsilon in (0.1, 0.01, 0.001):
        bound = hardness.arm_sample_bounds(
            problems.four_arms(epsilon, 1.0).means, delta, formula="printed"
        )[3]
        alpha = hardness.radius_constant(delta, 4)
        assert bound == pytest.approx(6 * alpha * math.log(4 / (delta * epsilon)) / epsilon**2)
        # log(epsilon / delta) / epsilon^2, as the paper has it, is no bound from epsilon = delta.
        assert math.log(epsilon / delta) <= 0


def test_with_hardly_any_noise_every_arm_still_takes_one_sample():
    means = [0.0, 0.25, 1.25, 1.75]
    for policy, least in (("MaxGapElim", 1), ("MaxGapUCB", 3)):
        bounds = hardness.arm_sample_bounds(means, 0.1, policy=policy, sigma=1e-6)
        assert bounds.tolist() == [least, INF, INF, least]


# The lower bound


def test_relative_entropy_of_shifted_unit_normals_is_half_the_square():
    shift = 0.7

    def integrand(x):
        p, q = stats.norm.logpdf(x), stats.norm.logpdf(x, loc=shift)
        return math.exp(p) * (p - q)

    value, _ = integrate.quad(integrand, -12, 12)
    assert value == pytest.approx(shift**2 / 2)


def test_lower_bounds_by_hand():
    # log(1 / 0.12) = 2.1202635.
    assert hardness.lower_bound(0.1, 0.05) == pytest.approx(2 * 2.1202635 / 0.21**2)
    assert hardness.lower_bound(0.1, 0.05, formula="printed") == pytest.approx(2.1202635 / 0.21**2)
    assert hardness.lower_bound(0.1, 0.05, arm=1) == pytest.approx(2 * 2.1202635 / 0.11**2)
    assert hardness.lower_bound(0.1, 0.05, arm=1, formula="printed") == pytest.approx(100)
    assert hardness.lower_bound(0.1, 0.05, sigma=3) == pytest.approx(18 * 2.1202635 / 0.21**2)
    assert hardness.lower_bound(0.1, 0.45) == 0


def test_the_shifts_of_the_lower_bound_are_those_of_the_alternatives():
    epsilon, nu, delta, sigma = 0.05, 1.0, 0.02, 2.0
    original = problems.four_arms(epsilon, nu).means
    for arm, shift in ((4, 2.1 * epsilon), (1, 1.1 * epsilon)):
        moved = original.copy()
        moved[arm - 1] += shift
        assert Problem(moved).top == {0} != Problem(original).top
        entropy = shift**2 / (2 * sigma**2)
        bound = hardness.lower_bound(epsilon, delta, arm=arm, sigma=sigma)
        assert bound * entropy == pytest.approx(math.log(1 / (2.4 * delta)))


def test_the_printed_bound_for_arm_1_holds_up_to_delta_0_227():
    epsilon = 0.1
    assert hardness.lower_bound(epsilon, 0.227, arm=1) > 1 / epsilon**2
    assert hardness.lower_bound(epsilon, 0.228, arm=1) < 1 / epsilon**2


def test_the_relative_entropy_needed_is_at_least_log_one_over_2_4_delta_for_every_delta():
    delta = np.concatenate((np.geomspace(1e-12, 0.1, 1000), np.linspace(0.1, 0.999, 10_000)))
    margin = (1 - 2 * delta) * np.log((1 - delta) / delta) - np.log(1 / (2.4 * delta))
    assert 0.007 < margin.min() < 0.008
    assert delta[margin.argmin()] == pytest.approx(0.32, abs=0.01)


def test_the_upper_bound_lies_above_the_lower_bound():
    for epsilon in (0.3, 0.1, 0.01):
        means = problems.four_arms(epsilon, 1.0).means
        for delta in (0.2, 0.05, 1e-6):
            for policy in ("MaxGapUCB", "MaxGapElim"):
                upper = hardness.arm_sample_bounds(means, delta, policy=policy, sigma=1.0)
                assert upper[3] > hardness.lower_bound(epsilon, delta)
                assert upper[0] > hardness.lower_bound(epsilon, delta, arm=1)


# Bad input


@pytest.mark.parametrize("means", [[], [1], [0, np.nan], [[0, 1]], None, ["0", "1"]])
@pytest.mark.parametrize(
    "function",
    [hardness.gamma, hardness.gamma_naive, hardness.rho, hardness.suboptimal_arms],
)
def test_bad_means_are_refused_by_name(function, means):
    with pytest.raises(ValueError, match="means"):
        function(means)


def test_bounds_need_one_largest_gap():
    for means in ([0, 1, 2], [0, 0.1, 0.2], [1, 1]):
        with pytest.raises(ValueError, match="means"):
            hardness.sample_bound(means, 0.1)


@pytest.mark.parametrize("delta", [0, 1, -0.1, 1.5, math.nan, "0.1", None])
def test_a_delta_that_is_no_probability_is_refused_by_name(delta):
    for call in (
        lambda: hardness.radius_constant(delta, 2),
        lambda: hardness.sample_bound([0, 1, 3], delta),
        lambda: hardness.lower_bound(0.1, delta),
    ):
        with pytest.raises(ValueError, match="delta"):
            call()


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("n_arms", lambda: hardness.radius_constant(0.1, 1)),
        ("n_arms", lambda: hardness.radius_constant(0.1, 2.0)),
        ("policy", lambda: hardness.sample_bound([0, 1, 3], 0.1, policy="MaxGapTop2UCB")),
        ("formula", lambda: hardness.sample_bound([0, 1, 3], 0.1, formula="right")),
        ("formula", lambda: hardness.rho([0, 1], "right")),
        ("formula", lambda: hardness.gamma_naive([0, 1], "right")),
        ("formula", lambda: hardness.lower_bound(0.1, 0.1, formula="right")),
        ("sigma", lambda: hardness.sample_bound([0, 1, 3], 0.1, sigma=0)),
        ("sigma", lambda: hardness.sample_bound([0, 1, 3], 0.1, sigma=[1, 1, 1])),
        ("sigma", lambda: hardness.lower_bound(0.1, 0.1, sigma=math.nan)),
        ("sigma", lambda: hardness.lower_bound(0.1, 0.1, sigma=math.inf)),
        ("sigma", lambda: hardness.sample_bound([0, 1, 3], 0.1, sigma=math.inf)),
        ("epsilon", lambda: hardness.lower_bound(math.inf, 0.1)),
        ("epsilon", lambda: hardness.lower_bound(0, 0.1)),
        ("epsilon", lambda: hardness.lower_bound("0.1", 0.1)),
        ("arm", lambda: hardness.lower_bound(0.1, 0.1, arm=2)),
    ],
)
def test_a_bad_argument_is_refused_by_name(name, call):
    with pytest.raises(ValueError, match=name):
        call()


def test_delta_may_be_a_decimal_wherever_samples_are_bounded():
    means = problems.four_arms(0.25, 1.0).means
    exact = hardness.arm_sample_bounds(means, Decimal("0.1"))
    assert (exact == hardness.arm_sample_bounds(means, 0.1)).all()
    for odd in (0, 1, "0.1", None):
        with pytest.raises(ValueError, match="delta"):
            hardness.arm_sample_bounds(means, odd)
