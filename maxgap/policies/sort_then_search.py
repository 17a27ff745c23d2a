"""The paper's naive baseline (Section 1.2): certify the order of the arms, then search the gaps."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np

from maxgap._saving import check_saved, saved_list
from maxgap.engine.compiled import internal
from maxgap.engine.elementary import log
from maxgap.engine.slots import list_marked, n_overlapping
from maxgap.engine.state import Rule, State
from maxgap.engine.types import Integers, Records
from maxgap.policies.base import Policy
from maxgap.policies.rules import Rules

__all__ = ["DominantGap", "SortThenSearch"]

# lil'UCB, Jamieson et al. (2014): the parameters of its analysed version, and its
# ((2 + beta) / beta)^2.
LIL_EPSILON, LIL_BETA = 0.01, 1.0
LIL_LAMBDA = 9.0


class SortLines(NamedTuple):
    """Sort, then search; what is remembered is the certain order, and whether there is one yet."""

    bounds: bool
    sequence: Integers  # (K,): the arms, smallest mean first, once their order is certain
    searching: Integers  # (1,): 1 once it is
    lil_log_delta: float

    def after_round(self, state: State) -> bool:
        """End sorting once no interval touches another; only then anything may stop."""
        slots = state.order.slots
        if self.searching[0] == 0 and n_overlapping(slots) == 0:
            self.searching[0] = 1
            for k in range(slots.size):
                self.sequence[k] = slots[k]["arm"]
        return self.searching[0] == 1

    def choose(self, state: State) -> None:
        """Sort: sample the arms whose intervals touch another. Search: both arms of one gap."""
        if self.searching[0] == 0:
            n_overlapping(state.order.slots)
            state.progress[0]["n_next"] = list_marked(state.arms, state.order.slots, state.next)
            return
        gap = _gap_of_lil_ucb(state.arms, self.sequence, self.lil_log_delta)
        below, above = self.sequence[gap], self.sequence[gap + 1]
        state.next[0], state.next[1] = min(below, above), max(below, above)
        state.progress[0]["n_next"] = 2

    def saved(self) -> dict[str, Any]:
        """What a file says of it: the certain order, if there is one."""
        return {"sequence": self.sequence.tolist() if self.searching[0] else None}

    def restore(self, content: Mapping[str, Any], complete: bool) -> None:
        """Put back what a file says; no order is certain before all arms have a sample."""
        self.searching[0] = content["sequence"] is not None
        if self.searching[0]:
            sequence = saved_list(content, "sequence", int, self.sequence.size)
            permuted = sorted(sequence) == list(range(self.sequence.size))
            check_saved("sequence", complete and permuted)
            self.sequence[:] = sequence


class DominantGap(Rule):
    """lil'UCB's rule on the gaps of a sorted list: ``T_g >= 1 + lambda * sum of the others``.

    A gap has as many samples as the less sampled of its two arms. Not proved here: the theorem of
    Jamieson et al. (2014) is for independent arms sampled from scratch, while neighbouring gaps
    share an arm and the samples of the sorting phase are reused.
    """

    def holds(self, state: State) -> bool:
        """Whether to stop."""
        sequence, most, total = self.lines.sequence, 0, 0
        for k in range(sequence.size - 1):
            below, above = state.arms[sequence[k]], state.arms[sequence[k + 1]]
            n = min(below["count"], above["count"])
            most = max(most, n)
            total += n
        return most >= 1 + LIL_LAMBDA * (total - most)


@internal
def _gap_of_lil_ucb(arms: Records, sequence: Integers, lil_log_delta: float) -> int:
    """The gap of neighbours, by the lower one's place in the sequence, that lil'UCB samples."""
    best, chosen = -np.inf, 0
    growth = 1.0 + LIL_EPSILON
    factor = (1.0 + LIL_BETA) * (1.0 + math.sqrt(LIL_EPSILON))
    for k in range(sequence.size - 1):
        below, above = arms[sequence[k]], arms[sequence[k + 1]]
        n = min(below["count"], above["count"])
        # A difference of two rewards: variances add, sigma sqrt(2) for equal sigmas.
        variance = below["sigma"] ** 2 + above["sigma"] ** 2
        radius = factor * math.sqrt(
            2.0 * variance * growth * (log(log(growth * n)) - lil_log_delta) / n
        )
        index = above["mean"] - below["mean"] + radius
        if index > best:
            best, chosen = index, k
    return chosen


def _lil_log_delta(delta: float) -> float:
    """Logarithm of lil'UCB's own delta, such that its theorem gives an error of at most ``delta``.

    Jamieson et al. (2014) bound the error by 4 sqrt(x) + 4 x with
    x = (2 + e) / e * (d / log(1 + e))^(1 + e), solved here for log(d).
    """
    # sqrt(x) = (sqrt(1 + delta) - 1) / 2, without the difference of near equals.
    log_x = 2.0 * (log(delta) - log(2.0 * (math.sqrt(1.0 + delta) + 1.0)))
    e = LIL_EPSILON
    return log(log(1.0 + e)) + (log_x + log(e / (2.0 + e))) / (1.0 + e)


class SortThenSearch(Policy):
    """The paper's naive baseline (Section 1.2): certify the order of the arms, then search.

    First samples every arm whose interval still touches another's. Once none do the order is
    certain, and best-arm identification by lil'UCB (Jamieson et al., 2014; epsilon 0.01, beta 1,
    lambda 9) runs on the K - 1 gaps of neighbours, sampling both arms of a gap. The samples of the
    first phase are reused. Settings are those of :class:`maxgap.Policy`.

    Examples
    --------
    >>> policy = SortThenSearch(["low", "a", "b"], sigma=0.01)
    >>> for _ in range(5):
    ...     policy.tell(["low", "a", "b"], [0.0, 1.0, 1.001])
    >>> policy.ask()
    ['a', 'b']
    """

    rules: ClassVar[Rules] = {"paper": (DominantGap, False), "literal": (DominantGap, False)}

    def new_lines(self) -> SortLines:
        """The compiled lines, before the first round."""
        sequence = np.arange(len(self._labels))
        return SortLines(True, sequence, np.zeros(1, np.int64), _lil_log_delta(self._delta))
