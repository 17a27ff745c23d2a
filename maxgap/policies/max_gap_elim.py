"""Algorithm 1, MaxGapElim: drop the arms whose gap cannot be the largest."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np

from maxgap._saving import check_saved, saved_list
from maxgap.engine.slots import certain_gap, certain_gap_lies_at, touches_above
from maxgap.engine.state import Rule, State
from maxgap.engine.types import Integers
from maxgap.policies.base import Policy
from maxgap.policies.rules import Certain, Rules
from maxgap.reference.estimates import Estimates, PlainRule, certain_top

__all__ = ["MaxGapElim", "max_gap_elim", "two_active", "two_active_around_certain_gap"]


# -- the paper's lines -----------------------------------------------------------------------------


def two_active(estimates: Estimates, active: list[int]) -> bool:
    """Algorithm 1, line 7: two arms are left."""
    return len(active) <= 2


def two_active_around_certain_gap(estimates: Estimates, active: list[int]) -> bool:
    """Two arms are left, and the certain gap lies between them."""
    above = [arm for arm in active if arm in certain_top(estimates)]
    return len(active) == 2 and len(above) == 1


def max_gap_elim(estimates: Estimates, stop: PlainRule = two_active) -> Iterator[list[int]]:
    """Algorithm 1, MaxGapElim; it stops by `two_active` unless told otherwise.

    Examples
    --------
    >>> from maxgap.reference import empirical_top
    >>> estimates = Estimates(3, draw=[0.0, 0.2, 1.0].__getitem__, radius=lambda n: 0.25 / n)
    >>> list(max_gap_elim(estimates)), empirical_top(estimates)
    ([[0, 1, 2], [0, 1, 2], [0, 1, 2]], {2})
    """
    # 1: all arms are active, A = [K]
    active = estimates.arms
    # 2: in rounds t = 1, 2, ...
    while True:
        # 3: sample every arm of A once and update its interval
        yield active
        estimates.sample(active)
        # 4: compute the gap bound of every arm of A
        bound = estimates.gap_bounds().either
        # 5: compute the lower bound on the largest gap
        certain = estimates.gap_lower().value
        # 6: remove from A every arm whose gap bound is at most that
        active = [a for a in active if bound[a] > certain]
        if len(active) < 2:
            # not in the paper: some interval has missed, so all come back
            active = estimates.arms
        # 7: if two arms are left, stop; the answer is the empirical one
        if stop(estimates, active):
            return


# -- the same, compiled ----------------------------------------------------------------------------


class ElimLines(NamedTuple):
    """Algorithm 1 after line 2, compiled; it remembers A, the active arms."""

    bounds: bool
    active: Integers  # (K,): the arms of A, increasing
    n_active: Integers  # (1,): how many entries of active count

    def after_round(self, state: State) -> bool:
        """Lines 4 to 6: drop from A the arms with a gap bound of at most the certain gap."""
        certain = certain_gap(state.order)
        if certain > 0.0:
            n_left = 0
            for i in range(self.n_active[0]):
                arm = self.active[i]
                if touches_above(state.order, state.arms[arm]["position"], certain):
                    self.active[n_left] = arm
                    n_left += 1
            self.n_active[0] = n_left
        return True

    # 7: if |A| = 2, stop: the rules below

    def choose(self, state: State) -> None:
        """Line 3: sample the arms of A; all if fewer than two are left: an interval has missed."""
        if self.n_active[0] < 2:
            self.n_active[0] = self.active.size
            for arm in range(self.active.size):
                self.active[arm] = arm
        for i in range(self.n_active[0]):
            state.next[i] = self.active[i]
        state.progress[0]["n_next"] = self.n_active[0]

    def saved(self) -> dict[str, Any]:
        """What a file says of it: by arm, whether it is active."""
        active = np.isin(np.arange(self.active.size), self.active[: self.n_active[0]])
        return {"active": active.tolist()}

    def restore(self, content: Mapping[str, Any], complete: bool) -> None:
        """Put back what a file says; no arm is dropped before all have a sample."""
        flags = np.array(saved_list(content, "active", bool, self.active.size))
        check_saved("active", complete or flags.all())
        self.n_active[0] = flags.sum()
        self.active[: flags.sum()] = np.flatnonzero(flags)


class TwoActive(Rule):
    """Alg. 1, line 7, literally: at most two active arms are left.

    Not proved. Two arms stop after one sample each. From four arms on, intervals that are not
    nested can be valid and the answer wrong. For three arms, and for more with nested intervals,
    the rule is right; that proof and the counterexample are in the book's chapter on rules that
    fail. :class:`TwoActiveAroundCertainGap` needs neither condition.
    """

    def holds(self, state: State) -> bool:
        """Whether to stop."""
        return self.lines.n_active[0] <= 2


class TwoActiveAroundCertainGap(Certain):
    """Alg. 1, line 7, and the certain gap lies between the two.

    Proved in the book's chapter on stopping: while the intervals are valid no arm of the largest
    gap is eliminated, so they are the two.
    """

    def holds(self, state: State) -> bool:
        """Whether to stop."""
        position = certain_gap_lies_at(state.order)
        below, above = 0, 0
        for i in range(self.lines.n_active[0]):
            if state.arms[self.lines.active[i]]["position"] < position:
                below += 1
            else:
                above += 1
        return below == 1 and above == 1


class MaxGapElim(Policy):
    """Algorithm 1: sample the arms whose gap may still be the largest, drop the others for good.

    The rule "paper" is line 7 of the paper, two arms are left, and asks in addition that the
    certain gap lies between the two. Settings are those of :class:`maxgap.Policy`.

    Examples
    --------
    Nothing between the two lower arms can be the largest gap: the lowest is dropped.

    >>> policy = MaxGapElim(["lowest", "low", "high"], sigma=0.01, stopping=None)
    >>> for _ in range(5):
    ...     policy.tell(["lowest", "low", "high"], [0.0, 0.2, 1.0])
    >>> policy.ask(), policy.active
    (['low', 'high'], ['low', 'high'])
    """

    rules: ClassVar[Rules] = {
        "paper": (TwoActiveAroundCertainGap, True),
        "literal": (TwoActive, False),
    }

    def new_lines(self) -> ElimLines:
        """The compiled lines, before the first round."""
        n_arms = len(self._labels)
        return ElimLines(True, np.arange(n_arms), np.array([n_arms]))

    @property
    def active(self) -> list[Hashable]:
        """Labels of the arms not yet eliminated, the paper's A."""
        with self._lock:
            lines = self._lines
            active = lines.active[: lines.n_active[0]].tolist()
        return [self._labels[arm] for arm in active]
