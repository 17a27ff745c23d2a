"""What a policy answers."""

from __future__ import annotations

from collections.abc import Hashable
from typing import NamedTuple

__all__ = ["Split"]


class Split(NamedTuple):
    """An answer: the arms above and below the largest gap, and the gap between their means.

    Examples
    --------
    >>> from maxgap import RoundRobin
    >>> policy = RoundRobin(["a", "b", "c"])
    >>> policy.tell(["a", "b", "c"], [0.25, 0.0, 1.0])
    >>> policy.recommend() == Split(top=frozenset({"c"}), bottom=frozenset({"a", "b"}), gap=0.75)
    True
    """

    top: frozenset[Hashable]
    bottom: frozenset[Hashable]
    gap: float
