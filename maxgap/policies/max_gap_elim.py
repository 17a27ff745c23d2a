"""Algorithm 1, MaxGapElim: drop the arms whose gap cannot be the largest."""

from __future__ import annotations

from collections.abc import Hashable

from maxgap._core.compiled import compiled
from maxgap._core.state import State
from maxgap._core.words import ask_active, bring_back, certain_gap, eliminate_up_to
from maxgap.policies.paper import PaperPolicy

__all__ = ["MaxGapElim", "after_round", "before_round", "choose"]

# 1: A = [K]
# 2: for t = 1, 2, ...


@compiled(inline=True)
def choose(state: State) -> None:
    """Line 3: sample the arms of A."""
    ask_active(state)


@compiled(inline=True)
def after_round(state: State) -> bool:
    """Lines 4 to 6: drop from A the arms with a gap bound of at most the certain gap."""
    if certain_gap(state) > 0.0:
        eliminate_up_to(state, certain_gap(state))
    return True


# 7: if |A| = 2, stop: stopping.two_active, right for three arms or more with nested intervals, and
# two_active_around_certain_gap, right with any valid intervals


@compiled(inline=True)
def before_round(state: State) -> None:
    """Bring all arms back where fewer than two are left.

    While the intervals hold, neither arm of the largest gap goes: one interval has missed.
    """
    if state.progress[0]["n_active"] < 2:
        bring_back(state)


class MaxGapElim(PaperPolicy):
    """Algorithm 1: sample the arms whose gap may still be the largest, drop the others for good.

    Line 7 of the paper, two arms are left, is right for three arms or more with nested intervals,
    and the book proves it. The rule "paper" asks in addition that the certain gap lies between the
    two, and is right in general.

    Examples
    --------
    The two lower arms lie close together, far from the upper one, and nothing between them can be
    the largest gap: the lowest arm is dropped.

    >>> policy = MaxGapElim(["lowest", "low", "high"], sigma=0.01, stopping=None)
    >>> for _ in range(5):
    ...     policy.tell(["lowest", "low", "high"], [0.0, 0.2, 1.0])
    >>> policy.ask(), policy.active
    (['low', 'high'], ['low', 'high'])
    """

    _in_table = "MaxGapElim"
    _choose = staticmethod(choose)
    _after_round = staticmethod(after_round)
    _before_round = staticmethod(before_round)

    @property
    def active(self) -> list[Hashable]:
        """Labels of the arms not yet eliminated, the paper's A."""
        with self._lock:
            active = self._state.active[: self._state.progress[0]["n_active"]].tolist()
        return [self._labels[arm] for arm in active]
