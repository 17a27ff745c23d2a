"""MaxGapUCB: the arms it asks for, the two that lead, and where the printed rule errs."""

import math

import numpy as np
import pytest
import twins
from hypothesis import given, settings
from states import decided
from strategies import SEEDS

import maxgap
from maxgap import MaxGapTop2UCB, MaxGapUCB, simulate

# -- decisions -------------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", ["literal", "paper"])
@pytest.mark.parametrize("most", range(4))
def test_arms_told_unequally_often_in_the_first_batch_lead_by_their_own_samples(most, rule):
    # An arm with more samples than all others counts once: 2 of 5 are not c times the other 3.
    told = [arm for arm in range(4) for _ in range(2 if arm == most else 1)]
    policy = MaxGapUCB(4, sigma=0.01, stopping=rule, c=1.6)
    policy.tell(told, [5.0 * (arm > 1) for arm in told])
    plain = twins.dominant_pair(policy.counts, 1.6)
    assert policy.stopped == plain == False  # noqa: E712
    policy = MaxGapUCB(4, sigma=0.01, stopping=rule, c=1.5)
    policy.tell(told, [5.0 * (arm > 1) for arm in told])
    assert policy.stopped == twins.dominant_pair(policy.counts, 1.5) == True  # noqa: E712


@settings(max_examples=200)
@given(SEEDS)
def test_the_two_arms_that_lead_are_known_after_any_batches(seed):
    rng = np.random.default_rng(seed)
    n_arms, c = int(rng.integers(2, 9)), float(rng.choice([0.5, 1.0, 2.0]))
    policy, counts = MaxGapUCB(n_arms, stopping="literal", c=c), np.zeros(n_arms, int)
    weights = rng.dirichlet(np.full(n_arms, rng.choice([0.1, 1.0])))
    for _ in range(12):
        told = rng.choice(n_arms, rng.integers(1, 2 * n_arms), p=weights)
        if rng.random() < 0.5:
            told = np.append(told, np.arange(n_arms))
        policy.tell(told, rng.normal(size=told.size))
        counts += np.bincount(told, minlength=n_arms)
        if counts.all():
            assert policy.stopped == twins.dominant_pair(counts, c)
        if policy.stopped:
            break


@pytest.mark.parametrize("n_arms", [9, 10, 12, 20])
@pytest.mark.parametrize("half", [0.0, 0.25, 0.5])
def test_of_many_evenly_spaced_arms_all_are_asked(n_arms, half):
    means = np.arange(n_arms)[::-1].astype(float)
    for cls in (MaxGapUCB, MaxGapTop2UCB):
        policy = decided(cls, (means, means - half, means + half), stopping=None)
        # At half a step the outermost arms share no slot that is as wide as those in the middle.
        assert policy.ask() == twins.asks_ucb(np.maximum(*policy.gap_bounds()[:2])) or (
            cls is MaxGapTop2UCB
        )
        assert len(policy.ask()) >= n_arms - 2


def test_two_leaders_other_than_the_first_two_arms_stop_the_run():
    problem = maxgap.Problem([0.0, 0.1, 1.0, 2.0], 0.3)
    policy = MaxGapUCB(4, sigma=0.3, stopping="paper", c=2.0)
    run = simulate.run(policy, problem, budget=20_000, rng=np.random.default_rng(1))
    assert run.stopped
    assert run.samples < 5000


# -- settings that are no settings -----------------------------------------------------------------


@pytest.mark.parametrize("c", [0, -1, math.nan, math.inf, "5", None, [5]])
def test_a_factor_c_that_is_not_positive_is_refused_by_name(c):
    with pytest.raises(ValueError, match="c must"):
        MaxGapUCB(3, c=c)
