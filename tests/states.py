"""The one place where tests reach into a policy: states put there by hand, states looked at."""

import numpy as np

from maxgap._core.order import settle_all
from maxgap._core.state import track_leaders
from maxgap._saving import digest
from maxgap.policies._batch import shares, spread
from maxgap.policies._saved import _content as content_of

__all__ = [
    "assert_order_holds",
    "content_of",
    "counters",
    "decided",
    "digest",
    "has_crossed",
    "lock_of",
    "rewards_kept",
    "shares",
    "sigmas_of",
    "spread",
]

#: Places of a file's "numbers".
TOTAL, UNSAMPLED, FIRST, SECOND, N_NEXT, STOPPED, SEARCHING, CROSSED, LAST_LOOK = range(9)
#: What a file has at STOPPED.
BY_RULE, BY_PROVED_RULE = 1, 2
FORMAT, FORMAT_VERSION = "maxgap policy", 1


def decided(cls, estimate, *, counts=None, **settings):
    """A policy put into a state with these means and intervals, after it has decided."""
    means, lower, upper = estimate
    policy = cls(len(means), **settings)
    policy._grow_stacks(np.full(len(means), 1 if counts is None else counts))
    state = policy._state
    state.arms["count"] = 1 if counts is None else counts
    state.arms["mean"], state.arms["lower"], state.arms["upper"] = means, lower, upper
    if state.stacks.size > 0:  # where rewards are kept, they are all alike
        for arm, mean in enumerate(means):
            start, count = state.stacks[arm]["start"], state.arms[arm]["count"]
            state.prefix[start : start + count + 1] = mean * np.arange(count + 1)
    state.progress["unsampled"] = 0
    state.progress["total"] = state.arms["count"].sum()
    track_leaders(state, len(means))
    settle_all(state)
    policy._decide()
    return policy


def state_and_setting(policy, like):
    """What compiled functions get: the state of one policy, the setting of another."""
    return policy._state, like._setting()


def counters(policy):
    """What is counted: the leaders, too, of which several may have as many samples."""
    return policy._state.progress.tolist(), policy._state.sequence.tolist()


def sigmas_of(policy):
    """The scale of every arm."""
    return policy._sigmas.tolist()


def lock_of(policy):
    """What whoever reads or changes the policy holds."""
    return policy._lock


def rewards_kept(policy):
    """The sum of every arm's rewards, and the array that keeps them; empty if nothing does."""
    state = policy._state
    if state.stacks.size == 0:
        return np.empty(0), state.prefix
    return state.prefix[state.stacks["start"] + state.arms["count"]], state.prefix


def has_crossed(policy):
    """Whether some nested interval has missed."""
    return bool(policy._state.progress[0]["crossed"])


def assert_order_holds(policy):
    """The order that the policy keeps: every arm once, by lower end, with its own interval."""
    arms, slots = policy._state.arms, policy._state.slots
    order = slots["arm"]
    assert sorted(order.tolist()) == list(range(arms.size))
    assert (slots["lower"][1:] >= slots["lower"][:-1]).all()
    np.testing.assert_array_equal(slots["lower"], arms["lower"][order])
    np.testing.assert_array_equal(slots["upper"], arms["upper"][order])
    np.testing.assert_array_equal(arms["position"][order], np.arange(arms.size))
