"""Algorithm 2, MaxGapUCB: sample the arms with the highest gap bound."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

from numpy.typing import ArrayLike

from maxgap._checking import checked_factor
from maxgap._core.compiled import compiled
from maxgap._core.state import State
from maxgap._core.words import ask_bound_at_least, highest_bound
from maxgap.policies.base import DEFAULT
from maxgap.policies.paper import PaperPolicy

__all__ = ["MaxGapUCB", "choose"]

# 1: U = [K]
# 2: for t = 1, 2, ...
# 3: sample the arms of U, update their intervals
# 4: compute the gap bound of every arm


@compiled(inline=True)
def choose(state: State) -> None:
    """Line 5: U are the arms with the highest gap bound, M_1."""
    ask_bound_at_least(state, highest_bound(state))


# 6: if two arms have c times the samples of all others, stop: stopping.dominant_pair


class MaxGapUCB(PaperPolicy):
    """Algorithm 2: sample every arm that shares the highest gap bound.

    ``c`` is the factor of its stopping rule: two arms have ``c`` times the samples of all others.
    Under "clusters" it hardly ever stops, because it leaves all arms alone that do not share the
    highest bound; so its default is "paper", which certifies nothing.

    Examples
    --------
    The widest slot lies between the arms around the largest gap; both are sampled next.

    >>> policy = MaxGapUCB(4, sigma=0.01)
    >>> for _ in range(5):
    ...     policy.tell([0, 1, 2, 3], [0.0, 0.3, 0.9, 1.2])
    >>> policy.ask()
    [1, 2]
    """

    _in_table = "MaxGapUCB"
    _default_stopping = "paper"
    _choose = staticmethod(choose)

    def __init__(
        self,
        arms: int | Iterable[Hashable],
        *,
        delta: float = 0.05,
        sigma: float | ArrayLike = 1.0,
        confidence: Any = DEFAULT,
        nested: bool = False,
        stopping: Any = DEFAULT,
        bounds: tuple[float, float] | None = None,
        c: float = 5.0,
    ) -> None:
        super().__init__(
            arms,
            delta=delta,
            sigma=sigma,
            confidence=confidence,
            nested=nested,
            stopping=stopping,
            bounds=bounds,
        )
        self._c = checked_factor(c)
