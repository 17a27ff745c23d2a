"""The one place where tests reach into a policy: states put there by hand, states looked at."""

import math

import numpy as np

from maxgap._saving import digest
from maxgap.contrasts.look import Told
from maxgap.contrasts.rewards import keeping
from maxgap.engine.state import ARM
from maxgap.policies._batch import shares, spread
from maxgap.policies._saved import content_of
from maxgap.policies.at_once import begin

__all__ = [
    "assert_order_holds",
    "content_of",
    "counters",
    "decided",
    "digest",
    "has_crossed",
    "inside",
    "lock_of",
    "packed",
    "rewards_kept",
    "shares",
    "sigmas_of",
    "spread",
    "with_radii_up_to",
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
    begin(policy)
    return policy


class NoIntervals:
    """Intervals of those who look at rewards alone."""

    def take(self, arms, arm, reward):
        """Make none."""
        return False

    def grown(self, counts, needed, radii):
        """Have room for everything."""
        return self


def packed(rewards, sigmas):
    """What contrasts are told with these rewards."""
    arms = np.zeros(len(rewards), ARM)
    arms["sigma"] = sigmas
    arms["mean"] = [math.fsum(told) / len(told) for told in rewards]
    counts = np.array([len(told) for told in rewards])
    kept = keeping(NoIntervals(), len(rewards), 0.1).grown(arms["count"], counts, None)
    for arm, told in enumerate(rewards):
        for reward in told:
            arms[arm]["count"] += 1
            kept.take(arms, arm, reward)
    return Told(arms, kept.stacks, kept.sums)


def counters(policy):
    """What is counted, and what the lines remember.

    Rounds, and who had rewards in the last one, are counted anew from where a file was read.
    """
    policy.ask()
    progress = policy._state.progress[0]
    names = [name for name in progress.dtype.names if name not in ("rounds", "n_moved")]
    return [progress[name].item() for name in names], policy._lines.saved()


def inside(policy):
    """State, lines, rule, and the rule's share of delta."""
    return policy._state, policy._lines, policy._rule, policy._share


def with_radii_up_to(policy, count):
    """The policy, with a table of radii that reaches so far."""
    policy._radii.up_to(count)
    return policy


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
