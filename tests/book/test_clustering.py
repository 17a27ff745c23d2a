"""The successors of the paper: what LUCBBOC samples, found by others, and what ATBOC waits for."""

import itertools
import pickle

import numpy as np
import pytest
from quadratic_programs import by_quadratic_programs
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.sparse.csgraph import minimum_spanning_tree

from maxgap import MaxGapElim, Problem, problems, simulate
from maxgap_book.studies import rivals
from maxgap_book.studies.clustering import LUCBBOC, successors


def told(policy, counts, means):
    """The policy, told so many rewards of each arm, all equal."""
    policy.tell(np.repeat(np.arange(len(counts)), counts), np.repeat(means, counts))
    return policy


def by_single_linkage(means, lower, upper):
    """Arms at the two links: clusters and links by SciPy, which knows nothing of a line."""
    pairs = np.abs(np.subtract.outer(means, means))
    clusters = fcluster(linkage(np.c_[means], "single"), 2, "maxclust")
    one, other = (np.flatnonzero(clusters == name) for name in (1, 2))
    half = (upper - lower) / 2
    across = min(itertools.product(one, other), key=lambda p: pairs[p] - half[p[0]] - half[p[1]])
    tree = np.argwhere(minimum_spanning_tree(pairs).toarray() > 0)
    inside = [tuple(p) for p in tree if clusters[p[0]] == clusters[p[1]]]
    longest = max(inside, key=lambda p: pairs[p] + half[p[0]] + half[p[1]], default=())
    return {*across, *longest}


@pytest.mark.parametrize("seed", range(80))
def test_lucbboc_samples_the_ends_of_the_links_that_single_linkage_finds(seed):
    rng = np.random.default_rng(seed)
    n_arms = int(rng.integers(2, 7))
    policy = LUCBBOC(n_arms, delta=0.1, sigma=0.3, confidence="normal-mixture", stopping=None)
    told(policy, rng.integers(1, 40, n_arms), rng.normal(size=n_arms))
    assert {*policy.ask()} == by_single_linkage(policy.means, policy.lower, policy.upper)


def test_lucbboc_by_hand():
    """Intervals 0 +- 1, 4.5 +- 2, 5 +- 1, 20 +- 3 and 22 +- 1, told from above."""

    def radius(n, *, delta, n_arms, sigma):
        return np.maximum(4.0 - n, 0.5)

    policy = LUCBBOC(5, delta=0.1, confidence=radius, stopping=None)
    told(policy, [3, 1, 3, 2, 3], [22.0, 20.0, 5.0, 4.5, 0.0])
    # Across: from 17, the lowest end above, to 6.5, the highest below. Inside: 4.5 + 1 + 2 between
    # the arms at 0 and 4.5 is more than 0.5 + 2 + 1, and than 2 + 3 + 1 above.
    assert policy.ask() == [1, 3, 4]


def test_lucbboc_leaves_no_arm_that_could_part_its_cluster():
    """A link by a better known arm further off is no reason to go on with that arm."""
    problem = problems.stopping_time_family(0.36)
    policy = {"LUCBBOC": LUCBBOC(problem.n_arms, delta=0.1, sigma=problem.sigma)}
    stops = simulate.replicate(
        policy, problem, budget=30_000, replicates=8, checkpoints=1, seed=2, n_jobs=1
    ).stops
    assert stops["certified"].all()


@pytest.mark.parametrize("seed", range(20))
def test_atboc_stops_if_and_only_if_quadratic_programs_find_no_answer_inside(seed):
    rng = np.random.default_rng(seed)
    n_arms = int(rng.integers(3, 5))
    counts = rng.integers(20, 400, n_arms)
    means = rng.permutation([0.0, 0.4, 1.9, 2.6][:n_arms]) * rng.choice([0.5, 1.0])
    policy = told(successors(n_arms, delta=0.1, sigma=1.0)["ATBOC"], counts, means)
    weights, needed = rivals.ellipsoid(counts, 0.1)
    assert policy.stopped == (by_quadratic_programs(policy.means, weights / 2) >= needed)


def test_all_three_are_right_and_can_be_sent_to_a_process():
    problem = Problem([0.0, 0.3, 1.6, 1.7], sigma=0.3)
    three = pickle.loads(pickle.dumps(successors(4, delta=0.1, sigma=0.3)))
    assert [*three] == ["BOC-Elim", "LUCBBOC", "ATBOC"]
    assert isinstance(three["BOC-Elim"], MaxGapElim)
    for name, policy in three.items():
        ended = simulate.run(policy, problem, budget=3000, rng=np.random.default_rng(1))
        assert (ended.stopped, ended.correct) == (True, True)
        assert ended.certified == (name != "ATBOC")  # its proof is in the book, not in the package


def test_two_arms_are_the_ends_of_their_only_link():
    policy = told(LUCBBOC(2, sigma=1.0), [1, 1], [0.0, 0.5])
    assert policy.ask() == [0, 1]
