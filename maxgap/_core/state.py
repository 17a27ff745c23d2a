"""What a policy knows, what it was set to, and how one reward changes what is known.

Arrays of records hold what is known by arm and by position in the order: a compiled call pays for
every array it is given, and a round costs little more than a handful of calls.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from maxgap._core.compiled import compiled, internal
from maxgap._core.intervals import BY_COUNT, SUMS
from maxgap._core.rewards import new_stacks
from maxgap._core.slots import new_slots
from maxgap._core.types import Floats, Integers, Records

__all__ = [
    "ARM",
    "BY_PROVED_RULE",
    "BY_RULE",
    "PROGRESS",
    "UNLISTED",
    "Setting",
    "State",
    "new_state",
    "observe",
    "track_leaders",
]

#: Values of ``stopped``; 0 while it goes on.
BY_RULE, BY_PROVED_RULE = 1, 2
#: Value of ``n_next`` while nobody has asked for the next arms.
UNLISTED = -1

#: What is known of one arm.
ARM = np.dtype(
    [
        ("count", np.int64),
        ("mean", np.float64),
        ("scatter", np.float64),  # sum of squared distances from the mean, of rewards told
        ("lower", np.float64),
        ("upper", np.float64),
        ("sigma", np.float64),
        ("row", np.int64),  # of the table of radii
        ("factor", np.float64),  # of the radii in that row
        ("position", np.int64),  # in the order by lower end
        ("top", np.bool_),  # the answer, once stopped
    ],
    align=True,
)

#: How far a policy has come.
PROGRESS = np.dtype(
    [
        ("total", np.int64),  # samples
        ("unsampled", np.int64),  # arms
        ("first", np.int64),  # the arm with the most samples
        ("second", np.int64),  # the arm with the second most
        ("n_next", np.int64),  # how many entries of State.next count, or UNLISTED
        ("stopped", np.int64),  # 0, BY_RULE or BY_PROVED_RULE
        ("searching", np.int64),  # SortThenSearch: 1 once the order is certain
        ("crossed", np.int64),  # 1 once nested intervals have crossed
        ("last_look", np.int64),  # at the contrasts, in samples
        ("n_active", np.int64),  # how many entries of State.active count
        ("origin", np.float64),  # the first reward of all, where rewards are kept; before, infinite
    ],
    align=True,
)


class State(NamedTuple):
    """Everything a policy knows."""

    arms: Records  # ARM, by arm
    slots: Records  # slots.SLOT, by position; derived from the arms, as are the trees
    trees: Floats
    next: Integers  # the arms to sample next, increasing; then also: the arms that have moved
    sequence: Integers  # SortThenSearch: the certain order, smallest mean first
    active: Integers  # MaxGapElim: the arms not eliminated, increasing
    progress: Records  # one PROGRESS
    sums: Records  # intervals.SUMS, by arm; none where the intervals go by the count alone
    stacks: Records  # rewards.STACK, by arm; none where no one looks back at rewards
    prefix: Floats  # sums of the first n rewards of each arm


class Setting(NamedTuple):
    """Everything that stays as it is: which intervals, which rule."""

    radii: Floats  # (rows, counts): an arm's radius is its factor times radii[row, count]
    interval: int  # its number in intervals
    lines: Floats  # (2, lines): intercepts and slopes, for intervals from sums
    nested: bool
    rule: int  # its number in stopping.RULES
    rule_proved: bool
    c: float  # factor of MaxGapUCB's own stopping rule
    lil_log_delta: float  # SortThenSearch: logarithm of lil'UCB's delta
    delta: float  # for contrasts


def new_state(
    sigmas: Floats, row: Integers, factor: Floats, interval: int, keeps_rewards: bool
) -> State:
    """State before the first sample: every interval is the whole line, every arm comes next."""
    n_arms = sigmas.size
    arms = np.zeros(n_arms, ARM)
    arms["lower"], arms["upper"] = -np.inf, np.inf
    arms["sigma"], arms["row"], arms["factor"] = sigmas, row, factor
    arms["position"] = np.arange(n_arms)
    progress = np.zeros(1, PROGRESS)
    progress["unsampled"] = progress["n_next"] = progress["n_active"] = n_arms
    progress["second"] = 1
    progress["origin"] = np.inf
    slots, trees = new_slots(n_arms)
    every, sequence, active = np.arange(n_arms), np.arange(n_arms), np.arange(n_arms)
    sums = np.zeros(0 if interval == BY_COUNT else n_arms, SUMS)
    stacks, prefix = new_stacks(n_arms if keeps_rewards else 0)
    return State(arms, slots, trees, every, sequence, active, progress, sums, stacks, prefix)


@internal
def observe(arms: Records, arm: int, reward: float) -> bool:
    """Take one reward: count and mean. Returns whether it is the arm's first."""
    known = arms[arm]
    n = known["count"] + 1
    known["count"] = n
    mean = known["mean"]
    known["mean"] = mean + (reward - mean) / n
    return n == 1


@compiled
def track_leaders(state: State, n_moved: int) -> None:
    """Keep the two arms with the most samples, after the first ``n_moved`` next arms got more."""
    arms, moved, progress = state.arms, state.next, state.progress[0]
    for i in range(n_moved):
        arm = moved[i]
        first, second = progress["first"], progress["second"]
        if arm != first:
            count = arms[arm]["count"]
            if count > arms[first]["count"]:
                progress["first"], progress["second"] = arm, first
            elif arm != second and count > arms[second]["count"]:
                progress["second"] = arm
