"""Every reward, for those who must look back: of each arm the sums of its first n rewards.

The sums are of distances from one origin, the first reward of all, which cancels in every contrast
and every distance: rewards far from 0 are not rounded to what their sums can hold.

One flat array holds the sums of all arms, one stretch an arm. An arm without room left makes all
move into a new array in which each has room for twice its rewards: memory grows with the rewards
told, and an arm moves once for every doubling of some arm. Who never looks back keeps nothing.
"""

from __future__ import annotations

import numpy as np

from maxgap._core.compiled import compiled
from maxgap._core.types import Floats, Integers, Records

__all__ = ["STACK", "grown_stacks", "new_stacks", "push"]

#: Where the rewards of an arm are kept.
STACK = np.dtype(
    [
        ("start", np.int64),  # sums[start + n] is the sum of the first n rewards, from the origin
        ("room", np.int64),  # the largest such n
        ("aim", np.int64),  # MaxGapContrasts: the number of samples that it wants next
    ],
    align=True,
)

#: Room of an arm that has few rewards.
LEAST_ROOM = 8


def new_stacks(n_arms: int) -> tuple[Records, Floats]:
    """Stacks and sums of arms without a reward, and without room for one."""
    stacks = np.zeros(n_arms, STACK)
    stacks["start"] = np.arange(n_arms)
    return stacks, np.zeros(n_arms)


def grown_stacks(
    stacks: Records, sums: Floats, counts: Integers, needed: Integers
) -> tuple[Records, Floats]:
    """Stacks and sums with room for ``needed`` rewards of each arm; these, if they have it."""
    if (needed <= stacks["room"]).all():
        return stacks, sums
    grown = stacks.copy()
    grown["room"] = np.maximum(2 * needed, LEAST_ROOM)
    ends = np.cumsum(grown["room"] + 1)
    grown["start"][1:] = ends[:-1]
    grown["start"][0] = 0
    moved = np.zeros(ends[-1])
    for arm, count in enumerate(counts.tolist()):
        old, new = int(stacks["start"][arm]), int(grown["start"][arm])
        moved[new : new + count + 1] = sums[old : old + count + 1]
    return grown, moved


@compiled
def push(stacks: Records, sums: Floats, arm: int, count: int, reward: float) -> None:
    """Add an arm's reward, its ``count``-th, as the distance from the origin."""
    at = stacks[arm]["start"] + count
    sums[at] = sums[at - 1] + reward
