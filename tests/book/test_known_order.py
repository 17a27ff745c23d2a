"""Searching with a known order: against a plain twin, the guarantee, and the paper's claim."""

import numpy as np
import pytest
from scipy import stats

from maxgap import Problem
from maxgap.confidence import radius
from maxgap.problems import four_arms
from maxgap_book.known_order import search_known_order


def plain_twin(means, sigmas, delta, rng):
    """LUCB on independent gaps of means sorted downwards; samples of each gap and the answer."""
    n_gaps = len(means) - 1
    draws = [[] for _ in range(n_gaps)]

    def sample(k):
        above = means[k] + sigmas[k] * rng.standard_normal()
        below = means[k + 1] + sigmas[k + 1] * rng.standard_normal()
        draws[k].append(above - below)

    for k in range(n_gaps):
        sample(k)
    while True:
        centre = np.array([np.mean(d) for d in draws])
        half = radius(
            "normal-mixture",
            [len(d) for d in draws],
            delta=delta,
            n_arms=n_gaps,
            sigma=np.sqrt(sigmas[:-1] ** 2 + sigmas[1:] ** 2),
        )
        first = int(np.argmax(centre))
        upper = np.where(np.arange(n_gaps) == first, -np.inf, centre + half)
        second = int(np.argmax(upper))
        if centre[first] - half[first] >= upper[second]:
            return [len(d) for d in draws], first
        sample(first)
        sample(second)


def test_runs_agree_sample_for_sample_with_a_plain_twin():
    sigmas = np.array([0.6, 0.3, 0.5, 0.9])
    problem = four_arms(0.5, 1.0, sigma=sigmas)
    runs = search_known_order(problem, delta=0.1, budget=10**6, replicates=10, seed=3)
    for i, child in enumerate(np.random.SeedSequence(3).spawn(10)):
        pulls, first = plain_twin(problem.means, sigmas, 0.1, np.random.default_rng(child))
        a, b, c = pulls
        assert runs.counts[i].tolist() == [a, a + b, b + c, c]
        assert runs.correct[i] == (first == 1)
    assert runs.stopped.all()
    assert np.array_equal(runs.samples, runs.counts.sum(axis=1))


def test_a_certified_answer_is_wrong_no_more_often_than_delta():
    replicates, delta = 1000, 0.1
    problem = Problem([0.0, 1.0, 1.7], sigma=1.5)
    runs = search_known_order(problem, delta=delta, budget=10**7, replicates=replicates, seed=4)
    assert runs.stopped.all()
    wrong = int((~runs.correct).sum())
    assert stats.binomtest(wrong, replicates, delta, alternative="greater").pvalue > 1e-4


def test_a_radius_that_is_ten_times_too_narrow_is_seen_to_fail():
    def narrow(n, *, delta, n_arms, sigma):
        return 0.1 * radius("normal-mixture", n, delta=delta, n_arms=n_arms, sigma=sigma)

    runs = search_known_order(
        Problem([0.0, 1.0, 1.7], sigma=1.5),
        delta=0.1,
        budget=10**6,
        replicates=500,
        seed=4,
        confidence=narrow,
    )
    assert (~runs.correct).mean() > 0.2


def test_arm_4_needs_no_more_samples_when_its_neighbour_comes_closer():
    def mean_counts(epsilon):
        problem = four_arms(epsilon, 1.0, sigma=0.5)
        runs = search_known_order(problem, delta=0.05, budget=10**7, replicates=40, seed=5)
        assert runs.stopped.all()
        return runs.counts.mean(axis=0)

    far, near = mean_counts(0.2), mean_counts(0.05)
    assert 0.6 <= near[3] / far[3] <= 1.2
    # The gaps beside it differ by epsilon: a quarter of that takes 16 times as many, and a log.
    assert 14 <= near[1] / far[1] <= 26


def test_the_order_of_the_arms_in_the_problem_does_not_matter():
    means = np.array([2.6, 1.6, 0.3, 0.0])
    sigma = np.array([0.2, 0.4, 0.6, 0.8])
    shuffle = np.array([2, 0, 3, 1])
    settings = {"delta": 0.1, "budget": 10**6, "replicates": 5, "seed": 6}
    straight = search_known_order(Problem(means, sigma), **settings)
    shuffled = search_known_order(Problem(means[shuffle], sigma[shuffle]), **settings)
    assert np.array_equal(straight.counts[:, shuffle], shuffled.counts)


def test_two_arms_leave_nothing_to_search():
    runs = search_known_order(Problem([0.0, 1.0]), delta=0.1, budget=100, replicates=3, seed=8)
    assert runs.stopped.all()
    assert runs.counts.tolist() == [[1, 1]] * 3


def test_a_run_ends_at_its_budget_without_a_certificate():
    runs = search_known_order(
        Problem([0.0, 1.0, 2.0]), delta=0.1, budget=5001, replicates=3, seed=9
    )
    assert not runs.stopped.any()
    assert (runs.samples <= 5001).all()
    assert (runs.samples >= 4997).all()


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"delta": 1.5}, "delta"),
        ({"budget": 5}, "budget"),
        ({"budget": 1e6}, "budget"),
        ({"replicates": 0}, "replicates"),
        ({"replicates": True}, "replicates"),
        ({"confidence": "wide"}, "name"),
    ],
)
def test_unusable_input_is_refused_by_name(change, named):
    settings = {"delta": 0.1, "budget": 1000, "replicates": 2, "seed": 1} | change
    with pytest.raises(ValueError, match=rf"^{named}( must|:)"):
        search_known_order(four_arms(0.3, 1.0), **settings)
