"""The compiled policies are the paper's lines: the same arms, counts, stop and answer."""

import itertools
from functools import partial

import numpy as np
import pytest

from maxgap import MaxGapElim, MaxGapTop2UCB, MaxGapUCB, Problem, confidence, simulate
from maxgap import reference as paper
from maxgap.policies import max_gap_elim, max_gap_top2_ucb, max_gap_ucb

ROUNDS = 200
ALGORITHMS = {
    MaxGapElim: max_gap_elim.max_gap_elim,
    MaxGapUCB: max_gap_ucb.max_gap_ucb,
    MaxGapTop2UCB: max_gap_top2_ucb.max_gap_top2_ucb,
}
# What a name of a rule means.
RULES = {
    (MaxGapElim, "literal"): max_gap_elim.two_active,
    (MaxGapElim, "paper"): max_gap_elim.two_active_around_certain_gap,
    (MaxGapUCB, "literal"): max_gap_ucb.dominant_pair,
    (MaxGapUCB, "paper"): max_gap_ucb.dominant_pair_and_certain_gap,
    (MaxGapTop2UCB, "literal"): max_gap_top2_ucb.second_below,
    (MaxGapTop2UCB, "paper"): max_gap_top2_ucb.third_below,
    **{(cls, "clusters"): paper.clusters for cls in ALGORITHMS},
    **{(cls, None): paper.never for cls in ALGORITHMS},
}
EVERY = pytest.mark.parametrize(
    ("cls", "stopping"), RULES, ids=[f"{cls.__name__}-{stopping}" for cls, stopping in RULES]
)
DELTA = 0.1


def round_radius(n, *, delta, n_arms, sigma):
    """Half as wide after every fourfold number of samples: ends tie and touch, and often miss."""
    return sigma * 2.0 ** -np.floor(np.log2(n) / 2)


RADII = {"normal-mixture": partial(confidence.radius, "normal-mixture"), round_radius: round_radius}


def streams(rewards):
    """A function that draws an arm's next reward from the table."""
    rows = [iter(row) for row in rewards]
    return lambda arm: next(rows[arm])


def both(cls, stopping, rewards, *, sigma, radius):
    """A policy, and the estimates and the lines of the same algorithm."""
    n_arms = len(rewards)
    policy = cls(n_arms, delta=DELTA, sigma=sigma, confidence=radius, stopping=stopping)
    of_n = partial(RADII[radius], delta=DELTA, n_arms=n_arms, sigma=sigma)
    estimates = paper.Estimates(n_arms, streams(rewards), of_n)
    return policy, estimates, ALGORITHMS[cls](estimates, RULES[cls, stopping])


def coarse_rewards(rng):
    """Rewards of 2 to 8 arms in eighths, around means in eighths, of which some are equal.

    Half of the tables have no noise: then gap bounds and certain gaps tie, too.
    """
    n_arms = int(rng.integers(2, 9))
    means = rng.integers(0, 9, n_arms)
    return (means[:, None] + rng.integers(2) * rng.integers(-1, 2, (n_arms, ROUNDS + 1))) / 8


def agree(policy, estimates, lines, rewards):
    """Hold the policy against the lines, round by round; the arms of every round, and the ends."""
    rounds = []
    for arms in lines:
        assert not policy.stopped
        assert policy.ask() == arms
        if len(rounds) == ROUNDS:
            return rounds
        rounds.append((arms, set(estimates.lower), set(estimates.upper)))
        policy.tell(arms, rewards[arms, policy.counts[arms]])
    assert policy.stopped
    return rounds


def answer(policy, estimates):
    return paper.certain_top(estimates) if policy.certified else paper.empirical_top(estimates)


@EVERY
@pytest.mark.parametrize("radius", RADII, ids=["proved", "round"])
def test_ask_and_tell_are_the_lines_of_the_paper_round_by_round(cls, stopping, radius):
    some_stop, some_touch = False, False
    for seed in range(12):
        rewards = coarse_rewards(np.random.default_rng([7, seed]))
        policy, estimates, lines = both(cls, stopping, rewards, sigma=0.25, radius=radius)
        rounds = agree(policy, estimates, lines, rewards)
        assert policy.counts.tolist() == estimates.counts
        assert policy.means.tolist() == estimates.means
        assert policy.lower.tolist() == estimates.lower
        assert policy.upper.tolist() == estimates.upper
        assert policy.recommend().top == answer(policy, estimates)
        some_stop |= policy.stopped
        some_touch |= any(lower & upper for _, lower, upper in rounds)
    assert some_stop == (stopping is not None)
    assert some_touch or radius is not round_radius


@EVERY
def test_a_compiled_run_is_the_lines_of_the_paper_sample_for_sample(cls, stopping):
    for seed in range(6):
        rng = np.random.default_rng([8, seed])
        n_arms = int(rng.integers(2, 9))
        problem = Problem(rng.permutation(n_arms) ** 1.5 / 4, sigma=0.25)
        policy = cls(n_arms, delta=DELTA, sigma=0.25, stopping=stopping)
        draws = np.random.default_rng(seed)

        def draw(arm, means=problem.means, draws=draws):
            return means[arm] + 0.25 * draws.standard_normal()

        of_n = partial(RADII["normal-mixture"], delta=DELTA, n_arms=n_arms, sigma=0.25)
        estimates = paper.Estimates(n_arms, draw, of_n)
        lines = ALGORITHMS[cls](estimates, RULES[cls, stopping])
        rounds = sum(1 for _ in itertools.islice(lines, ROUNDS + 1))
        run = simulate.run(
            policy, problem, budget=sum(estimates.counts), rng=np.random.default_rng(seed)
        )
        assert run.stopped == (rounds <= ROUNDS)
        assert run.counts.tolist() == estimates.counts
        assert run.split.top == answer(run, estimates)


def test_after_a_missed_interval_all_arms_of_algorithm_1_come_back():
    some_return = False
    for seed in range(40):
        rewards = coarse_rewards(np.random.default_rng([10, seed]))
        policy, estimates, lines = both(
            MaxGapElim, None, rewards, sigma=0.0625, radius=round_radius
        )
        n_asked = [len(arms) for arms, _, _ in agree(policy, estimates, lines, rewards)]
        some_return |= bool((np.diff(n_asked) > 0).any())
    assert some_return
