"""Algorithm 2, MaxGapUCB: sample the arms with the highest gap bound."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np

from maxgap._numbers import as_float
from maxgap.engine.slots import certain_gap, highest_bound, list_touching
from maxgap.engine.state import Rule, State
from maxgap.engine.types import Records
from maxgap.policies.base import Policy
from maxgap.policies.rules import Rules
from maxgap.reference.estimates import Estimates, PlainRule

__all__ = ["MaxGapUCB", "dominant_pair", "dominant_pair_and_certain_gap", "max_gap_ucb"]


# -- the paper's lines -----------------------------------------------------------------------------


def dominant_pair(estimates: Estimates, arms: list[int], c: float = 5.0) -> bool:
    """Algorithm 2, line 6: two arms have c times the samples of all others, T_i + T_j >= c rest.

    Examples
    --------
    >>> estimates = Estimates(3, draw=[0.0, 0.5, 1.0].__getitem__, radius=lambda n: 0.3 / n)
    >>> estimates.sample(estimates.arms)
    >>> dominant_pair(estimates, [1, 2]), dominant_pair(estimates, [1, 2], c=2)
    (False, True)
    """
    counts = sorted(estimates.counts)
    return sum(counts[-2:]) >= c * sum(counts[:-2])


def dominant_pair_and_certain_gap(estimates: Estimates, arms: list[int], c: float = 5.0) -> bool:
    """Algorithm 2, line 6, and some gap is certain."""
    return dominant_pair(estimates, arms, c) and estimates.gap_lower().value > 0


def max_gap_ucb(estimates: Estimates, stop: PlainRule = dominant_pair) -> Iterator[list[int]]:
    """Algorithm 2, MaxGapUCB; it stops by `dominant_pair` unless told otherwise.

    Examples
    --------
    >>> from maxgap.reference import empirical_top
    >>> estimates = Estimates(3, draw=[0.0, 0.2, 1.0].__getitem__, radius=lambda n: 0.25 / n)
    >>> list(max_gap_ucb(estimates))[:4], estimates.counts, empirical_top(estimates)
    ([[0, 1, 2], [0, 1, 2], [0, 1, 2], [1, 2]], [3, 8, 8], {2})
    """
    # 1: U = [K]
    arms = estimates.arms
    # 2: in rounds t = 1, 2, ...
    while True:
        # 3: sample every arm of U once and update its interval
        yield arms
        estimates.sample(arms)
        # 4: compute the gap bound of every arm
        bound = estimates.gap_bounds().either
        # 5: M_1 is the highest gap bound, U are the arms that have it
        arms = [a for a in estimates.arms if bound[a] == max(bound)]
        # 6: if two arms have c times the samples of all others, stop
        if stop(estimates, arms):
            return


# -- the same, compiled ----------------------------------------------------------------------------


#: The two arms with the most samples.
LEADERS = np.dtype(
    [("first", np.int64), ("second", np.int64), ("rounds", np.int64)],  # known after that round
    align=True,
)


class UCBLines(NamedTuple):
    """Algorithm 2 after line 2, compiled."""

    bounds: bool
    c: float  # of line 6
    leaders: Records  # one LEADERS, for line 6

    def after_round(self, state: State) -> bool:
        """Find the leaders: only who had a sample in this round can have overtaken.

        Unless a round was not looked at; then all are compared.
        """
        arms, progress, known = state.arms, state.progress[0], self.leaders[0]
        every = known["rounds"] + 1 != progress["rounds"]
        if every:
            known["first"], known["second"] = 0, 1
        for i in range(arms.size if every else progress["n_moved"]):
            arm = i if every else state.next[i]
            count = arms[arm]["count"]
            if arm != known["first"]:
                if count > arms[known["first"]]["count"]:
                    known["first"], known["second"] = arm, known["first"]
                elif arm != known["second"] and count > arms[known["second"]]["count"]:
                    known["second"] = arm
        known["rounds"] = progress["rounds"]
        return True

    def choose(self, state: State) -> None:
        """Lines 4 and 5: U are the arms with the highest gap bound, M_1."""
        m_1 = highest_bound(state.order)
        state.progress[0]["n_next"] = list_touching(state.arms, state.order, state.next, m_1)

    def saved(self) -> dict[str, Any]:
        """What a file says of it."""
        return {"c": self.c}

    def restore(self, content: Mapping[str, Any], complete: bool) -> None:
        """Nothing has to be put back: who leads is seen from the samples."""


class DominantPair(Rule):
    """Alg. 2, line 6: two arms have c times the samples of all others, ``T_i + T_j >= c rest``.

    Not proved: the proof of the accuracy theorem only treats stopping on the lower bound, and
    c <= 2 / (K - 2) stops in round one. c = 5 is the published scripts'; the paper gives none.
    """

    def holds(self, state: State) -> bool:
        """Whether to stop."""
        known = self.lines.leaders[0]
        pair = state.arms[known["first"]]["count"] + state.arms[known["second"]]["count"]
        return pair >= self.lines.c * (state.progress[0]["total"] - pair)


class DominantPairAndCertainGap(DominantPair):
    """Alg. 2, line 6, never before some gap is certain. Not proved, for the same reason."""

    def holds(self, state: State) -> bool:
        """Whether to stop."""
        known = self.lines.leaders[0]
        pair = state.arms[known["first"]]["count"] + state.arms[known["second"]]["count"]
        dominates = pair >= self.lines.c * (state.progress[0]["total"] - pair)
        return dominates and certain_gap(state.order) > 0.0


class MaxGapUCB(Policy):
    """Algorithm 2: sample every arm that shares the highest gap bound.

    ``c`` is the factor of its stopping rule: two arms have ``c`` times the samples of all others.
    Under "clusters" it hardly ever stops, because it leaves all arms alone that do not share the
    highest bound; so its default is "paper", which certifies nothing. All other settings are those
    of :class:`maxgap.Policy`.

    Examples
    --------
    >>> policy = MaxGapUCB(4, sigma=0.01)
    >>> for _ in range(5):
    ...     policy.tell([0, 1, 2, 3], [0.0, 0.3, 0.9, 1.2])
    >>> policy.ask()
    [1, 2]
    """

    rules: ClassVar[Rules] = {
        "paper": (DominantPairAndCertainGap, False),
        "literal": (DominantPair, False),
    }
    default_stopping = "paper"

    def __init__(self, arms: int | Iterable[Hashable], *, c: float = 5.0, **settings: Any) -> None:
        factor = as_float(c)
        if factor is None or not 0 < factor < math.inf:
            raise ValueError(f"c must be a positive number, got {c!r}")
        self._c = factor
        super().__init__(arms, **settings)

    def new_lines(self) -> UCBLines:
        """The compiled lines, before the first round."""
        return UCBLines(True, self._c, np.array([(0, 1, 0)], LEADERS))
