"""The search for intervals that refute the theorem on MaxGapTop2UCB."""

import numpy as np

from maxgap import MaxGapTop2UCB
from maxgap_book.studies import recommended_method as search


def test_the_rule_and_the_arms_sampled_are_those_of_the_policy():
    rng, stops = np.random.default_rng(6), 0
    for _ in range(20):
        policy = MaxGapTop2UCB(4, delta=0.1, sigma=1.0)
        means = rng.uniform(0, 12, size=4)
        policy.tell(range(4), rng.normal(means))
        for _ in range(40):
            held = search.cluster_rule_holds(policy.lower, policy.upper)
            assert held == policy.stopped
            stops += held
            if held:
                break
            asked = np.flatnonzero(search.sampled_next(policy.lower, policy.upper))
            assert asked.tolist() == sorted(policy.ask())
            policy.tell(asked, rng.normal(means[asked]))
    assert 3 <= stops <= 19


def test_intervals_drawn_are_about_as_wide_as_the_theorem_allows():
    rng = np.random.default_rng(7)
    for _ in range(200):
        limit, low, high = search.draw_intervals(rng, 1.0)
        assert (low <= high).all()
        assert limit.shape == low.shape
    larger, _, _ = search.draw_intervals(np.random.default_rng(9), 2.0)
    smaller, _, _ = search.draw_intervals(np.random.default_rng(9), 1.0)
    assert np.allclose(larger, 2 * smaller)


def test_the_search_finds_what_a_larger_kappa_would_break():
    fails, cases = search.refutations(1.0, trials=1500, seed=20190605)
    assert fails == 0 < cases
    assert search.refutations(1.5, trials=1500, seed=20190605)[0] > 0
