"""Every reward, for those who must look back: of each arm the sums of its first n rewards.

The sums are of distances from one origin, the first reward of all, which cancels in every contrast
and every distance: rewards far from 0 are not rounded to what their sums can hold.

One flat array holds the sums of all arms, one stretch an arm. An arm without room left makes all
move into a new array in which each has room for twice its rewards: memory grows with the rewards
told, and an arm moves once for every doubling of some arm. Who never looks back keeps nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from maxgap._checking import LARGEST_REWARD
from maxgap._saving import check_saved, saved_list
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

    def take(self, arms: Records, arm: int, reward: float) -> None:
        """Keep a reward; the interval's own is noted, too."""
        if self.seen[0]["origin"] == np.inf:
            self.seen[0]["origin"] = reward
        at = self.stacks[arm]["start"] + arms[arm]["count"]
        self.sums[at] = self.sums[at - 1] + (reward - self.seen[0]["origin"])
        self.intervals.take(arms, arm, reward)

    def renew(self, arms: Records, arm: int) -> bool:
        """The interval from what is known; whether nested intervals have crossed."""
        return self.intervals.renew(arms, arm)

    def has_room(self, arms: Records, arm: int) -> bool:
        """Whether the arm can have one reward more."""
        room = arms[arm]["count"] < self.stacks[arm]["room"]
        return room and self.intervals.has_room(arms, arm)

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

    def saved(self, arms: Records) -> dict[str, Any]:
        """What a file says of them: of each arm the sums of its first 1, 2, ... rewards."""
        starts = self.stacks["start"] + 1
        ends = starts + arms["count"]
        seen = self.seen[0]
        return {
            "origin": float(seen["origin"]) if np.isfinite(seen["origin"]) else None,
            "last_look": int(seen["last_look"]),
            "aims": self.stacks["aim"].tolist(),
            "prefix_sums": [self.sums[a:b].tolist() for a, b in zip(starts, ends, strict=True)],
            **self.intervals.saved(arms),
        }

    def restored(
        self, content: Mapping[str, Any], arms: Records, radii: Callable[[int], Floats]
    ) -> Keeping:
        """These with the rewards that a file says, or a ValueError if they do not fit the arms."""
        n_arms, counts, total = arms.size, arms["count"], sum(arms["count"].tolist())
        prefixes = saved_list(content, "prefix_sums", list, n_arms)
        # Before any memory is taken for so many rewards.
        if [len(sums) for sums in prefixes] != counts.tolist():
            raise ValueError("its prefix_sums are not one for each reward")
        intervals = self.intervals.restored(content, arms, radii)
        kept = self.grown(np.zeros(n_arms, np.int64), counts, radii)._replace(intervals=intervals)
        (origin,) = saved_list({"origin": [content["origin"]]}, "origin", (float, type(None)), 1)
        (look,) = saved_list({"last_look": [content["last_look"]]}, "last_look", int, 1)
        kept.stacks["aim"] = aims = np.array(saved_list(content, "aims", int, n_arms))
        for name, holds in (
            ("origin", (origin is None) == (total == 0)),
            ("last_look", look == 0 or (0 < look <= total and counts.min() > 0)),
            # Two rewards a step of one more than 64th of the steps, and what was told beside.
            ("aims", ((aims >= 0) & (aims <= 2 + counts + counts // 32)).all()),
            *(
                ("prefix_sums", fits(arms[arm], origin or 0.0, prefixes[arm]))
                for arm in range(n_arms)
            ),
        ):
            check_saved(name, holds)
        kept.seen["origin"], kept.seen["last_look"] = np.inf if origin is None else origin, look
        for start, sums in zip(kept.stacks["start"].tolist(), prefixes, strict=True):
            kept.sums[start + 1 : start + 1 + len(sums)] = sums
        return kept


def fits(known: Any, origin: float, prefix: list[float]) -> bool:
    """Whether an arm with this count and mean can have these sums of its rewards."""
    sums = [0.0, *saved_list({"prefix_sums": prefix}, "prefix_sums", float, len(prefix))]
    largest = np.abs(np.diff(sums)).max(initial=0.0)
    # Both round at every reward, the mean at its own size.
    size = max(largest, np.abs(sums).max(), abs(1e-6 * origin))
    off = abs(sums[-1] - (known["mean"] - origin) * known["count"])
    return bool(largest <= 2.001 * LARGEST_REWARD and off <= 1e-9 * size * max(known["count"], 1))


def keeping(intervals: Any, n_arms: int, delta: float) -> Keeping:
    """These intervals, and no reward kept yet, nor room for one."""
    stacks = np.zeros(n_arms, STACK)
    stacks["start"] = np.arange(n_arms)
    seen = np.zeros(1, SEEN)
    seen["origin"] = np.inf
    return Keeping(intervals, stacks, np.zeros(n_arms), seen, new_look(n_arms, delta))
