"""The limit of an instance: by hand, and against quadratic programs over every other answer."""

import numpy as np
import pytest
from hypothesis import given, settings
from quadratic_programs import by_quadratic_programs, lead, projected
from strategies import SEEDS

from maxgap import problems
from maxgap.contrasts import limits
from maxgap.hardness import characteristic_time, nearest_alternative
from maxgap.problems import Problem


def cost(means, weights, sigma, other):
    return np.sum(weights * (np.asarray(means) - other) ** 2 / (2 * np.asarray(sigma) ** 2))


# Against quadratic programs


def instance(seed, max_arms):
    """Means with one largest gap, often with ties elsewhere; weights and sigmas far from equal."""
    rng = np.random.default_rng(seed)
    while True:
        n_arms = rng.integers(2, max_arms + 1)
        even = rng.random() < 0.5
        means = rng.integers(0, 8, n_arms) * 1.0 if even else rng.normal(size=n_arms)
        weights = rng.dirichlet(np.full(n_arms, rng.choice([0.2, 1.0, 5.0]))) + 1e-6
        sigma = rng.choice([0.3, 1.0, 3.0], n_arms)
        try:
            _ = Problem(means).split_rank
        except ValueError:
            continue
        return means, weights / weights.sum(), sigma


@pytest.mark.parametrize("seed", range(300))
def test_the_distance_is_that_of_quadratic_programs_over_all_other_answers(seed):
    means, weights, sigma = instance(seed, 4 if seed % 10 else 5)
    ours = nearest_alternative(means, weights, sigma)
    assert ours.distance == pytest.approx(
        by_quadratic_programs(means, weights / (2 * sigma**2)), rel=1e-9
    )


@pytest.mark.parametrize("seed", range(40))
def test_the_distance_is_that_of_quadratic_programs_where_a_light_arm_may_cross_heavy_ones(seed):
    rng = np.random.default_rng(seed)
    means = np.array([0, 3, 4.5, *rng.uniform(5.6, 6, 2)]) * rng.choice([-1, 1])
    weights = rng.uniform(0.5, 1, 5)
    weights[rng.integers(2, 5)] = rng.choice([0.001, 0.01, 0.1])
    assert nearest_alternative(means, weights).distance == pytest.approx(
        by_quadratic_programs(means, weights / 2), rel=1e-9
    )


def test_the_quadratic_program_itself_solves_one_done_by_hand():
    # Nearest to (0, 1, 3) with mu_0 - 2 mu_1 + mu_2 <= 0.
    assert projected(np.array([0.0, 1.0, 3.0]), np.ones(3), np.array([[-1.0, 2, -1]])) == (
        pytest.approx(1 / 6)
    )


# By hand


def test_two_arms_meet_in_their_weighted_average():
    distance, other = nearest_alternative([1.0, 0.0], [0.75, 0.25], [1.0, 2.0])
    # 1 / v is 2 / 0.75 and 8 / 0.25; the second moves 12 times as far.
    assert distance == pytest.approx(1 / (2 / 0.75 + 8 / 0.25))
    assert other == pytest.approx([12 / 13] * 2)


def test_a_light_arm_crosses_a_heavy_one_to_make_a_gap():
    # The arm at 4.9 weighs little. Up to 7 it goes 2.1, and 7 - 5 is 2 - 0; down to 1 it would go
    # 3.9. With the first arms by mean as the low ones, the heavy arm at 5 would have to move.
    means = np.array([0, 2, 3, 4, 4.9, 5])
    weights = np.array([1, 1, 1, 1, 1e-3, 1])
    distance, other = nearest_alternative(means, weights)
    assert other == pytest.approx([0, 2, 3, 4, 7, 5], abs=0.01)
    assert distance == pytest.approx(1e-3 * 2.1**2 / 2, rel=0.01)
    assert nearest_alternative(-means, weights).means == pytest.approx(-other)


def test_an_arm_without_weight_changes_the_answer_for_nothing():
    means = np.array([0.0, 1.0, 1.2, 3.0])
    for free in range(4):
        weights = np.ones(4)
        weights[free] = 0
        distance, other = nearest_alternative(means, weights)
        assert distance == 0
        assert np.delete(other - means, free) == pytest.approx(np.zeros(3))
        assert lead(other, means) <= 1e-12
    # Even if it is all of them but one.
    assert nearest_alternative(means, [0, 0, 0, 1]).distance == 0


@pytest.mark.parametrize("weight", [1e-320, 2e-308, 1e-201])
def test_a_weight_too_small_for_its_inverse_is_none(weight):
    means = np.array([0.0, 1.0, 3.0])
    distance, other = nearest_alternative(means, [1, weight, 1])
    assert 0 <= distance < 1e-200
    assert lead(other, means) <= 1e-12


@pytest.mark.parametrize("sigma", [1.0, 0.05])
def test_one_contrast_gives_the_closed_form(sigma):
    # 2 sigma^2 (1 + 1)^2 / gap^2 of two arms, 2 sigma^2 (1 + 2 + 1)^2 / (difference of gaps)^2 of
    # three.
    for means, exact in [([0, 0.5], 32), ([0.0, 1, 3], 32), ([3.0, 1, 0.5], 32 / 1.5**2)]:
        time = characteristic_time(means, sigma)
        assert time.low * (1 - 1e-9) <= exact * sigma**2 <= time.high * (1 + 1e-9)
    assert characteristic_time([0.0, 1, 3]).weights == pytest.approx([0.25, 0.5, 0.25], abs=0.01)


def test_two_arms_of_unequal_noise_share_in_proportion_to_it():
    # The best weights are as sigma, and T* is 2 (sigma_0 + sigma_1)^2 / gap^2.
    time = characteristic_time([0.0, 2.0], [1.0, 3.0])
    assert time.value == pytest.approx(8, rel=1e-4)
    assert time.weights == pytest.approx([0.25, 0.75], abs=0.01)


# What must hold for all


@given(SEEDS)
@settings(max_examples=150)
def test_the_alternative_has_another_answer_at_the_distance_that_is_returned(seed):
    means, weights, sigma = instance(seed, 12)
    distance, other = nearest_alternative(means, weights, sigma)
    assert distance > 0
    assert lead(other, means) <= 1e-9 * np.ptp(means)
    assert cost(means, weights, sigma, other) == pytest.approx(distance, rel=1e-9)


@given(SEEDS)
@settings(max_examples=100)
def test_the_distance_knows_no_order_no_origin_no_unit_and_no_side(seed):
    means, weights, sigma = instance(seed, 12)
    distance, _ = nearest_alternative(means, weights, sigma)
    order = np.random.default_rng(seed).permutation(len(means))

    def same(changed, factor=1.0):
        return changed.distance == pytest.approx(factor * distance, rel=1e-9)

    # With tied means, "the" nearest may be one of several: distances only.
    assert same(nearest_alternative(means[order], weights[order], sigma[order]))
    assert same(nearest_alternative(-means, weights, sigma))
    assert same(nearest_alternative(means + 3, weights, sigma))
    assert same(nearest_alternative(100 * means, weights, sigma), 1e4)
    assert same(nearest_alternative(means, weights, 10 * sigma), 0.01)
    assert same(nearest_alternative(means, 7 * weights, sigma), 7)


def overlap(one, two, factor=1.0):
    """Whether two brackets can hold one number and `factor` times it."""
    return factor * one.low <= two.high * (1 + 1e-9) and two.low <= factor * one.high * (1 + 1e-9)


@given(SEEDS)
@settings(max_examples=8)
def test_the_characteristic_time_knows_no_order_no_origin_and_no_side(seed):
    means, _, sigma = instance(seed, 8)
    time = characteristic_time(means, sigma)
    order = np.random.default_rng(seed).permutation(len(means))
    assert overlap(time, characteristic_time(means[order], sigma[order]))
    assert overlap(time, characteristic_time(5 - means, sigma))
    assert overlap(time, characteristic_time(10 * means, sigma), 0.01)
    assert overlap(time, characteristic_time(means, 10 * sigma), 100)


@given(SEEDS)
@settings(max_examples=15)
def test_the_bracket_is_narrow_and_no_weights_reach_below_it(seed):
    means, weights, sigma = instance(seed, 8)
    time = characteristic_time(means, sigma)
    assert time.low <= time.value <= time.high <= 1.0001 * time.low * (1 + 1e-9)
    assert time.weights.sum() == pytest.approx(1)
    assert time.weights.min() >= 0
    attained = nearest_alternative(means, time.weights, sigma).distance
    assert 1 / attained == pytest.approx(time.high)
    rng = np.random.default_rng(seed)
    for shares in [weights, *rng.dirichlet(2000 * time.weights + 1, 20)]:
        assert 1 / nearest_alternative(means, shares, sigma).distance >= time.low * (1 - 1e-9)


def test_few_arms_as_the_paper_has_them():
    """To the digits that brackets from other runs, with other weights to start at, agree on."""
    four = characteristic_time(problems.four_arms(0.25, 1).means, sigma=0.5)
    assert four.value == pytest.approx(130.5, abs=0.1)
    family = problems.stopping_time_family(0.39)
    assert characteristic_time(family.means, family.sigma).value == pytest.approx(820.2, abs=0.3)


# What comes in


@pytest.mark.parametrize(
    ("means", "sigma", "what"),
    [
        ([1.0], 1, "means"),
        ([0.0, np.nan], 1, "means"),
        ([0.0, 1.0, 2.0], 1, "no unique largest gap"),
        ([1.0, 1.0], 1, "all are equal"),
        ([0.0, 1.0], 0, "sigma"),
        ([0.0, 1.0], [1, np.inf], "sigma"),
        ([0.0, 1.0], [1, 1, 1], "sigma"),
        ([0.0, 1e-200], 1e200, "too far apart"),
    ],
)
def test_bad_instances_are_refused_by_name(means, sigma, what):
    with pytest.raises(ValueError, match=what):
        characteristic_time(means, sigma)
    with pytest.raises(ValueError, match=what):
        nearest_alternative(means, np.ones(len(means)), sigma)


@pytest.mark.parametrize(
    "weights", [[1], [1, 1, 1], 1, "ab", [1, -1], [1, np.nan], [1, np.inf], [0, 0], [[1, 1]]]
)
def test_bad_weights_are_refused_by_name(weights):
    with pytest.raises(ValueError, match="weights: "):
        nearest_alternative([0.0, 1.0], weights)


def test_a_bracket_that_stays_wide_is_an_error_not_an_answer(monkeypatch):
    monkeypatch.setattr(limits, "MOST_LINES", 5)
    with pytest.raises(RuntimeError, match="5 alternatives"):
        characteristic_time([0.0, 1.0, 1.4, 3.0, 5.2])
