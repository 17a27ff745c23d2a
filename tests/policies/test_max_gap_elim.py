"""MaxGapElim: what it drops, what comes back, and where the printed rule errs."""

import numpy as np
import pytest
import twins
from strategies import instance

from maxgap import MaxGapElim


@pytest.mark.parametrize("n_arms", [4, 9, 16])
def test_round_by_round_elimination_is_that_of_the_plain_twin_and_for_good(n_arms):
    back = 0
    for seed in range(6):
        rng = np.random.default_rng([n_arms, seed])
        problem = instance(n_arms, seed)
        settings = {"sigma": problem.sigmas, "delta": 0.3, "stopping": None}
        policy, plain = (
            MaxGapElim(n_arms, **settings),
            twins.Plain("MaxGapElim", n_arms, **settings),
        )
        gone = set()
        for _ in range(120):
            arms = policy.ask()
            assert arms == plain.next == policy.active
            assert not gone & set(arms)
            # Noise three times what was told: bounds rise again.
            rewards = rng.normal(problem.means[arms], 3 * problem.sigmas[arms])
            policy.tell(arms, rewards)
            plain.tell(arms, rewards)
            assert policy.active == sorted(plain.active)
            if len(plain.active) == n_arms:  # both arms of the largest gap were gone: all are back
                gone = set()
            gone |= set(range(n_arms)) - set(policy.active)
            value, _ = twins.certain_gap(plain.means, plain.lower, plain.upper)
            either = np.maximum(*twins.gap_bounds(plain.lower, plain.upper))
            back += any(either[a] > value for a in gone)
    # Rounds in which an arm that has gone could come back by its bound alone.
    assert back > 20


def test_after_elimination_of_all_but_one_all_arms_are_active_again():
    plain_seen = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        policy = MaxGapElim(4, sigma=0.01, stopping=None)
        plain = twins.Plain("MaxGapElim", 4, sigma=0.01, stopping=None)
        for _ in range(15):
            arms = policy.ask()
            rewards = rng.normal(np.array([0.0, 0.1, 1.0, 1.1])[arms], 1.0)  # far noisier than told
            policy.tell(arms, rewards)
            plain.tell(arms, rewards)
            assert policy.ask() == plain.next
            plain_seen += len(plain.active) == 4 and len(arms) < 4
    assert plain_seen > 0
