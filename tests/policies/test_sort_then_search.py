"""Sorting, then searching the gaps: the indices by which it searches."""

import math

import pytest
import twins

from maxgap import SortThenSearch


def test_the_search_among_sorted_arms_weighs_both_variances_and_delta():
    # By hand, after ten samples each, all intervals apart: index = difference + 2 * 1.1
    # sqrt(2 (s_a^2 + s_b^2) 1.01 log(log(10.1) / d) / 10).
    for sigma, delta in (([0.1, 0.1, 0.1, 0.3], 0.05), ([0.3, 0.1, 0.1, 0.1], 0.2)):
        means = [0.0, 10.0, 20.0, 30.0]
        policy = SortThenSearch(4, sigma=sigma, delta=delta, stopping=None)
        for _ in range(10):
            policy.tell(range(4), means)
        d = twins.lil_delta(delta)
        x = (2.01 / 0.01) * (d / math.log(1.01)) ** 1.01
        assert 4 * math.sqrt(x) + 4 * x == pytest.approx(delta)
        noisy = sigma.index(0.3)
        assert policy.ask() == ([2, 3] if noisy == 3 else [0, 1])


@pytest.mark.parametrize("delta", [0.01, 0.05, 0.3, 0.9])
def test_lil_ucb_has_the_delta_of_its_theorem(delta):
    # Two gaps: the one with more samples is chosen only if its lead outweighs the other's radius.
    d = twins.lil_delta(delta)

    def index(difference, n):
        return twins.lil_ucb_index(difference, n, 2 * 0.01, d)

    lead = index(0.0, 8) - index(0.0, 40)
    for factor, expected in ((1 - 1e-6, [0, 1]), (1 + 1e-6, [1, 2])):
        policy = SortThenSearch(3, sigma=0.1, delta=delta, stopping=None)
        policy.tell([0] * 8 + [1] * 40 + [2] * 40,
                    [0.0] * 8 + [50.0] * 40 + [100.0 + lead * factor] * 40)  # fmt: skip
        assert policy.ask() == expected
