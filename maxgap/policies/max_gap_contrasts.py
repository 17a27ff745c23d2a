"""MaxGapContrasts: sample what brings the certificate of contrasts nearest."""

from __future__ import annotations

from typing import Any

import numpy as np

from maxgap.confidence import from_rewards
from maxgap.contrasts.aims import aim
from maxgap.contrasts.certificate import NONE, what_is_open
from maxgap.contrasts.look import Told
from maxgap.engine.compiled import internal
from maxgap.engine.state import Lines, State, list_next
from maxgap.engine.types import Integers
from maxgap.policies.base import Policy
from maxgap.policies.max_gap_top2_ucb import Top2Lines, list_top2

__all__ = ["MaxGapContrasts"]

#: Rewards vary little below this part of the largest variance that their range permits.
LITTLE = 0.4


class ContrastLines(Lines):
    """Aim at what is open; sample the arms that have fewer samples than is aimed at."""

    def after_round(self, state: State) -> bool:
        """Aim anew once every aim is reached. If nothing is open, the stopping rule is to look."""
        arms, kept = state.arms, state.intervals
        for arm in range(arms.size):
            if arms[arm]["count"] < kept.stacks[arm]["aim"]:
                return True
        told = Told(arms, kept.stacks, kept.sums)
        if what_is_open(kept.look, told) == NONE:
            kept.seen[0]["last_look"] = 0
        aim(kept.look, told)
        return True

    def choose(self, state: State) -> None:
        """List the arms short of their aims."""
        list_short_of_aims(state)


class EitherLines(ContrastLines):
    """The same; but as MaxGapTop2UCB does, where intervals are nearer to certainty."""

    def choose(self, state: State) -> None:
        """List the arms short of their aims, or those with the two highest gap bounds."""
        sums = state.intervals.intervals.sums
        squares, count = 0.0, 0
        for arm in range(sums.size):
            squares += sums[arm]["squares"]
            count += state.arms[arm]["count"] - 1
        # Of rewards at both ends of their range, half each, the mean square is a quarter.
        if squares < LITTLE * 0.25 * count:
            list_top2(state)
        else:
            list_short_of_aims(state)


@internal
def list_short_of_aims(state: State) -> None:
    """List the arms that have fewer samples than they should have next."""
    n_next = 0
    for arm in range(state.arms.size):
        if state.arms[arm]["count"] < state.intervals.stacks[arm]["aim"]:
            state.next[n_next] = arm
            n_next += 1
    state.progress[0]["n_next"] = n_next


class MaxGapContrasts(Policy):
    """Sample what brings the certificate of contrasts nearest; by default stop once it is there.

    The policy looks for what is still open, prices everything that could help, and does a 64th of
    the cheapest before it looks again. It keeps every reward. What the certificate asks of the
    rewards says :attr:`maxgap.Policy.certified`; neither it nor the sampling looks at intervals and
    gap bounds. Settings are those of :class:`maxgap.Policy`.

    Examples
    --------
    >>> means = [0.0, 0.1, 0.9, 1.0]
    >>> policy = MaxGapContrasts(4, sigma=0.1)
    >>> while not policy.stopped:
    ...     arms = policy.ask()
    ...     policy.tell(arms, [means[arm] for arm in arms])
    >>> policy.certified, sorted(policy.recommend().top)
    (True, [2, 3])
    """

    default_stopping = "contrasts"
    _always_keeps_rewards = True

    def new_lines(self) -> Any:
        """The compiled lines, before the first round."""
        learns = self._stopping == "either" and from_rewards(self._confidence)
        return EitherLines(bounds=True) if learns else ContrastLines(bounds=True)

    def _listed_for_many(self) -> Integers:
        """Contrasts ask for one or two arms; where the intervals may end it, theirs as well."""
        listed = self._listed()
        if self.stopped or self._state.progress[0]["unsampled"] > 0 or self._stopping != "either":
            return listed
        state = self._state
        state = state._replace(next=state.next.copy(), progress=state.progress.copy())
        list_next(state, Top2Lines(bounds=True))
        return np.union1d(listed, state.next[: state.progress[0]["n_next"]])
