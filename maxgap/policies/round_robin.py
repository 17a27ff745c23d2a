"""Round robin: the paper's baseline, which adapts to nothing."""

from __future__ import annotations

from maxgap._core.compiled import compiled
from maxgap._core.state import State
from maxgap._core.words import ask_with_fewest
from maxgap.policies.paper import PaperPolicy

__all__ = ["RoundRobin", "choose"]


@compiled(inline=True)
def choose(state: State) -> None:
    """Sample the arms with the fewest samples, once each."""
    ask_with_fewest(state)


class RoundRobin(PaperPolicy):
    """Non-adaptive sampling: always the arms with the fewest samples. The paper's baseline.

    Examples
    --------
    >>> policy = RoundRobin(3)
    >>> policy.tell([0, 2], [0.1, 0.9])
    >>> policy.ask()
    [1]
    """

    _in_table = "RoundRobin"
    _choose = staticmethod(choose)
