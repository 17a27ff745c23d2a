"""How many samples each arm should have next: kept, followed, and leading to a certificate."""

import numpy as np
from states import packed

import maxgap
from maxgap import MaxGapContrasts, problems, simulate
from maxgap.contrasts import certificate
from maxgap.contrasts import look as core

# -- the policy ------------------------------------------------------------------------------------


def rewards_of(problem, rng):
    return lambda arms: [problem.means[a] + problem.sigmas[a] * rng.standard_normal() for a in arms]


def test_told_out_of_turn_and_in_batches_it_keeps_its_aims():
    rng = np.random.default_rng(4)
    problem = problems.four_arms(0.25, 1.0, 0.5)
    policy, draw = MaxGapContrasts(4, sigma=0.5, delta=0.1), rewards_of(problem, rng)
    while not policy.stopped:
        asked = policy.ask()
        assert policy.ask() == asked == sorted(set(asked))
        extra = rng.integers(0, 4, rng.integers(0, 5)).tolist()
        policy.tell(asked + extra, draw(asked + extra))
        assert set(policy.ask()) <= set(range(4))
        assert policy.counts.sum() < 20_000
    assert policy.certified


# -- memory and time -------------------------------------------------------------------------------


def test_of_48_arms_it_agrees_with_the_compiled_run():
    # Two wide gaps among others, enough noise that distances are priced and sampled.
    means = np.cumsum([0.0] + [0.25] * 22 + [1.0] + [0.25] * 22 + [1.3, 0.25])
    problem = maxgap.Problem(means, 0.6)
    settings = {"sigma": problem.sigmas, "delta": 0.1}
    policy, draw = MaxGapContrasts(48, **settings), rewards_of(problem, np.random.default_rng(3))
    while not policy.stopped and policy.counts.sum() < 20_000:
        arms = policy.ask()
        policy.tell(arms, draw(arms))
    run = simulate.run(
        MaxGapContrasts(48, **settings), problem, budget=20_000, rng=np.random.default_rng(3)
    )
    assert policy.counts.tolist() == run.counts.tolist()
    assert run.certified
    assert run.correct


# -- distances -------------------------------------------------------------------------------------


def test_of_48_arms_distances_decide():
    # Two wide gaps among others: with some hundred samples of each the width of the claimed gap is
    # known well enough to compare the distances of other arms with it.
    means = np.cumsum([0.0] + [0.25] * 22 + [1.0] + [0.25] * 22 + [1.3, 0.25])
    policy = MaxGapContrasts(48, delta=0.1, sigma=0.6)
    rng, rewards = np.random.default_rng(3), [[] for _ in means]
    while not policy.stopped and policy.counts.sum() < 20_000:
        arms = policy.ask()
        told = [means[arm] + 0.6 * rng.standard_normal() for arm in arms]
        policy.tell(arms, told)
        for arm, reward in zip(arms, told, strict=True):
            rewards[arm].append(reward)
    look, told = core.new_look(48, 0.1), packed(rewards, [0.6] * 48)
    assert certificate.what_is_open(look, told) == certificate.NONE
    look = core.new_look(48, 0.1)
    look.needed[3:] = np.inf  # without distances
    assert certificate.what_is_open(look, told) != certificate.NONE
