"""One step: take a batch of rewards, then see whether it is over."""

from __future__ import annotations

import numpy as np

from maxgap._core.compiled import ZERO, compiled, inlined
from maxgap._core.intervals import (
    BY_COUNT,
    add_to_sums,
    interval_from_count,
    interval_from_sums,
)
from maxgap._core.order import settle
from maxgap._core.rewards import push
from maxgap._core.state import (
    BY_PROVED_RULE,
    BY_RULE,
    UNLISTED,
    Setting,
    State,
    observe,
    track_leaders,
)
from maxgap._core.types import Floats, Integers
from maxgap._core.words import answer_by_means, answer_empirically, certain_gap_lies_at
from maxgap.stopping import contrasts, rule_holds

__all__ = [
    "next_round",
    "renew_interval",
    "stop",
    "stop_if_contrasts_certify",
    "stop_if_rule_holds",
    "take_batch",
    "take_reward",
]


@inlined
def take_reward(state: State, setting: Setting, arm: int, reward: float) -> tuple[bool, bool]:
    """Take one reward: whether it is the arm's first, and whether nested intervals have crossed."""
    first = observe(state.arms, arm, reward)
    if setting.interval != BY_COUNT:
        add_to_sums(state.arms, state.sums, arm, reward)
    if state.stacks.size > 0:
        progress = state.progress[0]
        if progress["origin"] == np.inf:
            progress["origin"] = reward
        count = state.arms[arm]["count"]
        push(state.stacks, state.prefix, arm, count, reward - progress["origin"])
    return first, renew_interval(state, setting, arm)


@inlined
def renew_interval(state: State, setting: Setting, arm: int) -> bool:
    """Set the interval of an arm; whether nested intervals have crossed."""
    if setting.interval == BY_COUNT:
        return interval_from_count(state.arms, arm, setting.radii, setting.nested)
    return interval_from_sums(state.arms, state.sums, arm, setting.lines, setting.nested)


@compiled(allocates=True)
def take_batch(state: State, setting: Setting, told: Integers, rewards: Floats) -> bool:
    """Take a batch of rewards; whether nested intervals have crossed for the first time."""
    arms, progress = state.arms, state.progress[0]
    moved = np.zeros(arms.size, np.bool_)
    crossed_before = progress["crossed"] == 1
    for i in range(told.size):
        moved[told[i]] = True
        progress["total"] += 1
        before = arms[told[i]]["mean"]
        first, crossed = take_reward(state, setting, told[i], rewards[i])
        arms[told[i]]["scatter"] += (rewards[i] - before) * (rewards[i] - arms[told[i]]["mean"])
        progress["unsampled"] -= first
        progress["crossed"] |= crossed
    n_moved = ZERO
    for arm in range(arms.size):
        if moved[arm]:
            state.next[n_moved] = arm
            n_moved += 1
    track_leaders(state, n_moved)
    settle(state, n_moved)
    return progress["crossed"] == 1 and not crossed_before


@compiled(inline=True)
def next_round(state: State) -> bool:
    """Forget whom to sample next; whether all arms have a sample and nothing has stopped yet."""
    progress = state.progress[0]
    if progress["stopped"] != 0:
        return False
    progress["n_next"] = UNLISTED
    return progress["unsampled"] == 0


@compiled
def stop_if_rule_holds(state: State, setting: Setting) -> bool:
    """Stop, with the rule's answer, if the rule holds."""
    if not rule_holds(state, setting):
        return False
    stop(state, BY_PROVED_RULE if setting.rule_proved else BY_RULE)
    return True


@compiled
def stop_if_contrasts_certify(state: State, setting: Setting) -> bool:
    """Stop, with the split at the largest empirical gap, if the contrasts certify it."""
    if not contrasts(state, setting):
        return False
    _stand(state, BY_PROVED_RULE)
    answer_by_means(state.arms)
    return True


@compiled(inline=True)
def stop(state: State, by: int) -> None:
    """Stand by an answer: after a proof that around the certain gap, otherwise the empirical."""
    _stand(state, by)
    if by == BY_PROVED_RULE:
        split = certain_gap_lies_at(state)
        for k in range(state.slots.size):
            state.arms[state.slots[k]["arm"]]["top"] = k >= split
    else:
        answer_empirically(state.arms)


@inlined
def _stand(state: State, by: int) -> None:
    """Stop; the answer is still to be set."""
    state.progress[0]["stopped"] = by
    state.progress[0]["n_next"] = 0
