"""Problems: gaps, clusters and the answer of given means; those of the paper as published."""

import hashlib
import itertools
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import maxgap
from maxgap import (
    Problem,
    problems,
)


def test_gaps_and_clusters_of_a_worked_example():
    # Ranked: 5 (arm 1), 4 (arm 3), 1 (arm 0), 0.5 (arm 2).
    problem = Problem([1.0, 5.0, 0.5, 4.0])
    assert problem.gaps.tolist() == [1.0, 3.0, 0.5]
    assert problem.delta_max == 3.0
    assert problem.split_rank == 2
    assert problem.top == {1, 3}
    assert problem.bottom == {0, 2}
    assert problem.arm_gaps.tolist() == [3.0, 1.0, 0.5, 3.0]
    assert all(type(arm) is int for arm in problem.top)


@given(st.lists(st.integers(-8, 8), min_size=2, max_size=7))
def test_arm_gaps_and_split_agree_with_the_definition(means):
    problem = Problem(means)
    for arm, mean in enumerate(means):
        # Any rank the mean occupies counts: an equal mean beside it does not hide the next one.
        right = [m - mean for m in means if m > mean]
        left = [mean - m for m in means if m < mean]
        sides = [min(side) for side in (right, left) if side]
        assert problem.arm_gaps[arm] == max(sides, default=0)
    ranked = sorted(means, reverse=True)
    largest = max(a - b for a, b in itertools.pairwise(ranked))
    assert problem.delta_max == largest
    places = [j for j in range(1, len(means)) if ranked[j - 1] - ranked[j] == largest]
    if largest > 0 and len(places) == 1:
        assert problem.split_rank == places[0]
        assert min(means[a] for a in problem.top) - max(means[a] for a in problem.bottom) == largest
        assert problem.top | problem.bottom == set(range(len(means)))
    else:
        with pytest.raises(ValueError, match="means"):
            _ = problem.split_rank


def test_a_tie_for_the_largest_gap_has_a_largest_gap_but_no_answer():
    for means in ([0, 1, 2], [0, 0.1, 0.2], [0.1, 0.2, 0.3], [1000.1, 1000.2, 1000.3], [3, 3]):
        problem = Problem(means)
        assert problem.delta_max == pytest.approx(means[1] - means[0])
        for name in ("split_rank", "top", "bottom"):
            with pytest.raises(ValueError, match="means"):
                getattr(problem, name)


def test_gaps_that_differ_by_more_than_rounding_do_not_tie():
    assert Problem([0, 1, 2 + 1e-9]).split_rank == 1
    assert Problem([1e9, 1e9 + 1, 1e9 + 3]).split_rank == 1


def test_equal_means_inside_a_cluster_leave_the_answer_unique():
    problem = Problem([0, 0, 1, 1])
    assert problem.split_rank == 2
    assert problem.top == {2, 3}
    assert problem.arm_gaps.tolist() == [1, 1, 1, 1]


def test_order_and_scale_of_the_means_do_not_change_the_answer():
    rng = np.random.default_rng(5)
    means = problems.two_large_gaps().means
    order = rng.permutation(means.size)
    shuffled = Problem(means[order] * 7 - 100)
    assert {int(order[a]) for a in shuffled.top} == set(range(18))
    assert shuffled.delta_max == pytest.approx(7)


def test_sigma_is_one_number_or_one_per_arm():
    assert Problem([0, 1]).sigma == 1.0
    assert Problem([0, 1], 2).sigmas.tolist() == [2, 2]
    problem = Problem([0, 1, 3], [0.1, 1, 5])
    assert problem.sigma.tolist() == problem.sigmas.tolist() == [0.1, 1, 5]


def test_a_problem_cannot_be_changed_and_does_not_follow_its_input():
    means = np.array([0.0, 1.0])
    sigma = np.array([1.0, 2.0])
    for problem in (Problem(means, sigma), pickle.loads(pickle.dumps(Problem(means, sigma)))):
        means[0] = sigma[0] = 9
        assert problem.means.tolist() == [0, 1]
        assert problem.sigma.tolist() == [1, 2]
        means[0], sigma[0] = 0, 1
        for array in (problem.means, problem.sigma, problem.sigmas):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 9
        with pytest.raises(AttributeError):
            problem.means = means


def test_problems_are_equal_by_value():
    assert Problem([0, 1]) == Problem([-0.0, 1.0], [1, 1])
    assert hash(Problem([0, 1])) == hash(Problem([-0.0, 1.0], [1, 1]))
    assert Problem([0, 1]) != Problem([0, 1], 2)
    assert Problem([0, 1]) != Problem([1, 0])
    assert Problem([0, 1]) != "Problem"
    assert repr(Problem([0, 1])) == "Problem([0.0, 1.0], sigma=1.0)"


@pytest.mark.parametrize(
    "means",
    [[], [1.0], [[0, 1]], 3, None, "ab", ["0", "1"], [0, np.nan], [0, np.inf], [0, None], [[0], 1]],
)
def test_means_that_are_no_list_of_two_finite_numbers_are_refused_by_name(means):
    with pytest.raises(ValueError, match="means"):
        Problem(means)


@pytest.mark.parametrize(
    "sigma", [0, -1, np.nan, np.inf, "1", None, [1], [1, 2, 3], [1, 0], [[1, 1]], [1, None]]
)
def test_a_sigma_that_is_not_positive_or_has_the_wrong_length_is_refused_by_name(sigma):
    with pytest.raises(ValueError, match="sigma"):
        Problem([0, 1], sigma)


def test_streetview_has_the_published_gaps_and_answer():
    problem = problems.streetview()
    assert problem.n_arms == 90
    assert problem.sigma == 0.05
    assert problem.top == {0, 1}
    assert np.sort(problem.gaps)[::-1][:2].round(6).tolist() == [0.029162, 0.024293]
    assert np.argsort(problem.gaps)[::-1][:2].tolist() == [1, 2]
    # They share rank 3, so the answer hangs on their difference.
    assert problem.gaps[1] - problem.gaps[2] == pytest.approx(0.004869112253, abs=1e-12)
    assert problem.means[[0, 1, 2, 89]].tolist() == [
        0.826622009286, 0.818722726363, 0.789560845509, 0.314874383901,
    ]  # fmt: skip
    assert np.all(problem.gaps > 0)


def test_every_score_of_streetview_is_the_published_one():
    scores = problems.streetview(n_arms=100).means
    # The sums of the authors' file; a single digit changed changes the digest.
    assert scores.sum() == pytest.approx(50.000000000001, abs=1e-9)
    text = ",".join(f"{score:.12f}" for score in scores)
    assert hashlib.sha256(text.encode()).hexdigest() == (
        "b8702ad8d6f0ce3a243a31f63686230cefd292d7a7ae706d77143959ac600b9a"
    )


def test_leaving_out_ten_scenes_is_what_makes_the_two_best_the_answer():
    everything = problems.streetview(n_arms=100)
    assert everything.split_rank == 94
    assert everything.delta_max == pytest.approx(0.0439, abs=5e-5)
    assert np.array_equal(everything.means[:90], problems.streetview().means)
    # The two best stay the answer up to 91 scenes; with 92 a gap of 0.0402 enters.
    answers = [problems.streetview(n_arms=n).split_rank for n in range(3, 101)]
    assert [answer == 2 for answer in answers].index(False) + 3 == 92


@pytest.mark.parametrize("n_arms", [1, 0, -3, 101, 90.0, "90", None, True])
def test_a_number_of_scenes_that_does_not_exist_is_refused_by_name(n_arms):
    with pytest.raises(ValueError, match="n_arms"):
        problems.streetview(n_arms=n_arms)


def test_two_large_gaps_is_the_instance_of_the_paper():
    for small_gap in (0.2, 0.1):
        problem = problems.two_large_gaps(small_gap)
        assert problem.n_arms == 24
        # The paper's Delta_{i,j} is mu_j - mu_i with arms numbered by rank.
        assert problem.means[9 - 1] - problem.means[10 - 1] == pytest.approx(0.98)
        assert problem.means[18 - 1] - problem.means[19 - 1] == pytest.approx(1.0)
        others = np.delete(problem.gaps, [8, 17])
        assert others == pytest.approx(np.full(21, small_gap))
        assert problem.top == set(range(18))
    with pytest.raises(ValueError, match="small_gap"):
        problems.two_large_gaps(0.98)
    with pytest.raises(ValueError, match="small_gap"):
        problems.two_large_gaps(0)


def test_one_large_gap_has_one_gap_of_its_own_size():
    problem = problems.one_large_gap(5, 3, delta_max=1.0, delta_min=0.1, sigma=0.5)
    assert problem.gaps == pytest.approx([0.1] * 4 + [1.0] + [0.1] * 2)
    assert problem.top == set(range(5))
    assert problem.sigma == 0.5
    assert problems.one_large_gap(1, 1, 1.0, 0.1).means.tolist() == [1, 0]
    assert problems.one_large_gap(2, 2, 1.0, 0).means.tolist() == [1, 1, 0, 0]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("n_top", (0, 1, 1, 0.1)),
        ("n_bottom", (1, 1.5, 1, 0.1)),
        ("delta_max", (2, 2, 0, 0)),
        ("delta_max", (2, 2, np.nan, 0.1)),
        ("delta_min", (2, 2, 1, 1)),
        ("delta_min", (2, 2, 1, -0.1)),
    ],
)
def test_a_toy_problem_without_one_largest_gap_is_refused_by_name(name, arguments):
    with pytest.raises(ValueError, match=name):
        problems.one_large_gap(*arguments)


def test_the_four_arm_instance_has_another_answer_if_one_mean_is_moved():
    original = problems.four_arms(0.1, 1.0)
    assert original.means == pytest.approx([2.2, 1.2, 0.1, 0])
    assert original.delta_max == pytest.approx(1.1)
    for epsilon in (1e-6, 1e-3, 0.3, 0.9):
        problem = problems.four_arms(epsilon, 1.0)
        assert problem.top == {0, 1}
        for shift in ([0, 0, 0, 2.1 * epsilon], [1.1 * epsilon, 0, 0, 0]):
            assert Problem(problem.means + shift).top == {0}
    for bad in (1 / 1.1, 1.0, 0, -0.1, np.nan):
        with pytest.raises(ValueError, match="epsilon"):
            problems.four_arms(bad, 1.0)
    with pytest.raises(ValueError, match="nu"):
        problems.four_arms(0.1, 0)


def test_the_stopping_time_family_is_three_groups_of_six():
    for gap in (0.36, 0.384, 0.39):
        problem = problems.stopping_time_family(gap)
        assert problem.gaps == pytest.approx([0.02] * 5 + [0.4] + [0.02] * 5 + [gap] + [0.02] * 5)
        assert problem.top == set(range(6))
        assert problem.sigma == 0.05
        assert problem.means[-6:] == pytest.approx([0.10, 0.08, 0.06, 0.04, 0.02, 0])
    with pytest.raises(ValueError, match="tie"):
        _ = problems.stopping_time_family(0.4).top


# -- no unique largest gap -------------------------------------------------------------------------


@pytest.mark.parametrize("means", [[0, 1, 2], [0.1, 0.2, 0.3, 0.4], [5, 5], [1, 1, 1]])
def test_a_problem_without_one_largest_gap_can_be_made_but_not_asked_for_its_answer(means):
    problem = maxgap.Problem(means)
    assert problem.delta_max == pytest.approx(means[1] - means[0])
    for name in ("top", "bottom", "split_rank"):
        with pytest.raises(ValueError, match="means"):
            getattr(problem, name)


# -- scales and probabilities ----------------------------------------------------------------------


def test_a_problem_reads_columns_by_position_and_two_of_them_must_agree():
    means = pd.Series([0.0, 1.0, 3.0], index=["a", "b", "c"])
    sigma = pd.Series([1.0, 2.0, 3.0], index=["a", "b", "c"])
    problem = Problem(means, sigma)
    assert problem.means.tolist() == [0.0, 1.0, 3.0]
    assert problem.sigmas.tolist() == [1.0, 2.0, 3.0]
    assert Problem(means, [1, 2, 3]) == Problem([0, 1, 3], sigma) == problem
    assert Problem({"a": 0, "b": 1, "c": 3}.values(), [1, 2, 3]) == problem
    with pytest.raises(ValueError, match=r"sigma: its index is not that of means"):
        Problem(means, sigma[::-1])
    for means in ({"a": 0, "b": 1}, {0, 1}, np.ma.array([0, 1], mask=[0, 1]), [pd.NA, 1], "01"):
        with pytest.raises(ValueError, match="means"):
            Problem(means)


# -- what is handed out ----------------------------------------------------------------------------


def test_the_arrays_of_a_problem_cannot_be_written_to():
    problem = maxgap.Problem([0.0, 1.0, 3.0], [0.1, 0.2, 0.3])
    for name in ("means", "sigmas", "sigma"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(problem, name)[0] = 9
    for name in ("gaps", "arm_gaps"):
        array = getattr(problem, name)
        if array.flags.writeable:  # a fresh one each time, then
            array[0] = 99
            assert getattr(problem, name)[0] != 99
    assert problem.means.tolist() == [0.0, 1.0, 3.0]
