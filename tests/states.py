"""The one place where tests reach into a policy: states put there by hand, states looked at."""

import numpy as np

from maxgap import policies as core


def decided(cls, estimate, *, counts=None, **settings):
    """A policy put into a state with these means and intervals, after it has decided."""
    means, lower, upper = estimate
    policy = cls(len(means), **settings)
    state = policy._state
    state.arms["count"] = 1 if counts is None else counts
    state.arms["mean"], state.arms["lower"], state.arms["upper"] = means, lower, upper
    state.numbers[core.UNSAMPLED] = 0
    state.numbers[core.TOTAL] = state.arms["count"].sum()
    core.track_leaders(state.arms, len(means), state.numbers)
    core.sort_again(state.arms, state.slots, 0, len(means) - 1)
    core.renew_slots(state.slots, state.trees, 0, len(means) - 1)
    core.decide(*state, *policy._settings()[2:])
    return policy


def assert_order_holds(policy):
    """The order that the policy keeps: every arm once, by lower end, with its own interval."""
    arms, slots = policy._state.arms, policy._state.slots
    order = slots["arm"]
    assert sorted(order.tolist()) == list(range(arms.size))
    assert (slots["lower"][1:] >= slots["lower"][:-1]).all()
    np.testing.assert_array_equal(slots["lower"], arms["lower"][order])
    np.testing.assert_array_equal(slots["upper"], arms["upper"][order])
    np.testing.assert_array_equal(arms["position"][order], np.arange(arms.size))
