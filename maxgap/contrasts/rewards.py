"""Every reward, for those who must look back: of each arm the sums of its first n rewards.

The sums are of distances from one origin, the first reward of all, which cancels in every contrast
and every distance: rewards far from 0 are not rounded to what their sums can hold.

One flat array holds the sums of all arms, one stretch an arm. An arm without room left makes all
move into a new array in which each has room for twice its rewards: memory grows with the rewards
told, and an arm moves once for every doubling of some arm. Who never looks back keeps nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from maxgap.contrasts.look import Look, new_look
from maxgap.engine.types import Floats, Integers, Records

__all__ = ["STACK", "Keeping", "keeping"]

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


#: Of all rewards.
SEEN = np.dtype(
    [
        ("origin", np.float64),  # the first reward of all; before it infinite
        ("last_look", np.int64),  # at the contrasts, in samples
        ("by_contrasts", np.bool_),  # whether that look found nothing open
    ],
    align=True,
)


class Keeping(NamedTuple):
    """Intervals of another kind, and beside them the sums of all rewards."""

    intervals: Any
    stacks: Records  # STACK, by arm
    sums: Floats
    seen: Records  # one SEEN
    look: Look

    def take(self, arms: Records, arm: int, reward: float) -> bool:
        """Keep a reward, and renew the interval; whether nested intervals have crossed."""
        if self.seen[0]["origin"] == np.inf:
            self.seen[0]["origin"] = reward
        at = self.stacks[arm]["start"] + arms[arm]["count"]
        self.sums[at] = self.sums[at - 1] + (reward - self.seen[0]["origin"])
        return self.intervals.take(arms, arm, reward)

    def renew(self, arms: Records, arm: int) -> bool:
        """The interval from what is known; whether nested intervals have crossed."""
        return self.intervals.renew(arms, arm)

    def has_room(self, arms: Records, arm: int) -> bool:
        """Whether the arm can have one reward more."""
        room = arms[arm]["count"] < self.stacks[arm]["room"]
        return room and self.intervals.has_room(arms, arm)

    def look_at_rewards(self) -> bool:
        """Whether every reward has to be taken."""
        return True

    def room(self, counts: Integers) -> int:
        """How many rewards more there is room for, whichever arms they are of."""
        return min(int((self.stacks["room"] - counts).min()), self.intervals.room(counts))

    def grown(self, counts: Integers, needed: Integers, radii: Callable[[int], Floats]) -> Keeping:
        """The same with room for ``needed`` rewards of each arm."""
        intervals = self.intervals.grown(counts, needed, radii)
        stacks, sums = self.stacks, self.sums
        if (needed > stacks["room"]).any():
            stacks = stacks.copy()
            stacks["room"] = np.maximum(2 * needed, LEAST_ROOM)
            ends = np.cumsum(stacks["room"] + 1)
            stacks["start"] = ends - stacks["room"] - 1
            sums = np.zeros(ends[-1])
            for arm, count in enumerate(counts.tolist()):
                old, new = int(self.stacks["start"][arm]), int(stacks["start"][arm])
                sums[new : new + count + 1] = self.sums[old : old + count + 1]
        elif intervals is self.intervals:
            return self
        return self._replace(intervals=intervals, stacks=stacks, sums=sums)


def keeping(intervals: Any, n_arms: int, delta: float) -> Keeping:
    """These intervals, and no reward kept yet, nor room for one."""
    stacks = np.zeros(n_arms, STACK)
    stacks["start"] = np.arange(n_arms)
    seen = np.zeros(1, SEEN)
    seen["origin"] = np.inf
    return Keeping(intervals, stacks, np.zeros(n_arms), seen, new_look(n_arms, delta))
