"""Round robin: the paper's baseline, which adapts to nothing."""

from __future__ import annotations

from typing import ClassVar

from maxgap.engine.state import Lines, State, list_with_fewest
from maxgap.policies.base import Policy
from maxgap.policies.max_gap_top2_ucb import ThirdBelow
from maxgap.policies.rules import Never, Rules

__all__ = ["RoundRobin"]


class RoundRobinLines(Lines):
    """Sample the arms with the fewest samples, once each."""

    def choose(self, state: State) -> None:
        """List them."""
        state.progress[0]["n_next"] = list_with_fewest(state.arms, state.next)


class RoundRobin(Policy):
    """Non-adaptive sampling: always the arms with the fewest samples. The paper's baseline.

    The paper gives it no stopping rule; "paper" is the one of the published scripts. Settings are
    those of :class:`maxgap.Policy`.

    Examples
    --------
    >>> policy = RoundRobin(3)
    >>> policy.tell([0, 2], [0.1, 0.9])
    >>> policy.ask()
    [1]
    """

    rules: ClassVar[Rules] = {"paper": (ThirdBelow, True), "literal": (Never, False)}

    def new_lines(self) -> Lines:
        """The compiled lines, before the first round."""
        return RoundRobinLines(bounds=False)
