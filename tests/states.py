"""The one place where tests reach into a policy: states put there by hand, states looked at."""

import numpy as np

from maxgap._saving import digest
from maxgap.policies._batch import shares, spread
from maxgap.policies._saved import content_of

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

FORMAT, FORMAT_VERSION = "maxgap policy", 2


def decided(cls, estimate, *, counts=None, **settings):
    """A policy put into a state with these means and intervals, after it has decided."""
    means, lower, upper = estimate
    policy = cls(len(means), **settings)
    counts = np.full(len(means), 1) if counts is None else np.asarray(counts)
    policy._grow(counts)
    state = policy._state
    state.arms["count"] = counts
    state.arms["mean"], state.arms["lower"], state.arms["upper"] = means, lower, upper
    kept = state.intervals
    if hasattr(kept, "stacks"):  # where rewards are kept, they are all alike
        for arm, mean in enumerate(means):
            start, count = kept.stacks[arm]["start"], state.arms[arm]["count"]
            kept.sums[start : start + count + 1] = mean * np.arange(count + 1)
    state.progress["unsampled"] = 0
    state.progress["total"] = counts.sum()
    policy._begin()
    return policy


def counters(policy):
    """What is counted, and what the lines remember."""
    return policy._state.progress.tolist(), policy._memory().saved()


def sigmas_of(policy):
    """The scale of every arm."""
    return policy._sigmas.tolist()


def lock_of(policy):
    """What whoever reads or changes the policy holds."""
    return policy._lock


def rewards_kept(policy):
    """The sum of every arm's rewards, and the array that keeps them; empty if nothing does."""
    kept = policy._state.intervals
    if not hasattr(kept, "stacks"):
        return np.empty(0), np.empty(0)
    return kept.sums[kept.stacks["start"] + policy._state.arms["count"]], kept.sums


def has_crossed(policy):
    """Whether some nested interval has missed."""
    return bool(policy._state.progress[0]["crossed"])


def assert_order_holds(policy):
    """The order that the policy keeps: every arm once, by lower end, with its own interval."""
    arms, slots = policy._state.arms, policy._state.order.slots
    order = slots["arm"]
    assert sorted(order.tolist()) == list(range(arms.size))
    assert (slots["lower"][1:] >= slots["lower"][:-1]).all()
    np.testing.assert_array_equal(slots["lower"], arms["lower"][order])
    np.testing.assert_array_equal(slots["upper"], arms["upper"][order])
    np.testing.assert_array_equal(arms["position"][order], np.arange(arms.size))
