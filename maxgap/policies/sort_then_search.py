"""The paper's naive baseline (Section 1.2): certify the order of the arms, then search the gaps."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from maxgap._core.compiled import compiled, internal
from maxgap._core.elementary import log
from maxgap._core.state import Setting, State
from maxgap._core.types import Integers, Records
from maxgap._core.words import ask_overlapping, n_overlapping
from maxgap.policies.paper import PaperPolicy

__all__ = ["SortThenSearch", "after_round", "choose", "lil_log_delta"]

# lil'UCB, Jamieson et al. (2014): the parameters of its analysed version.
LIL_EPSILON, LIL_BETA = 0.01, 1.0


@compiled(inline=True)
def choose(state: State, setting: Setting) -> None:
    """Sort: sample the arms whose intervals touch another. Search: both arms of one gap."""
    if state.progress[0]["searching"] == 0:
        ask_overlapping(state)
        return
    gap = _gap_of_lil_ucb(state.arms, state.sequence, setting.lil_log_delta)
    below, above = state.sequence[gap], state.sequence[gap + 1]
    state.next[0], state.next[1] = min(below, above), max(below, above)
    state.progress[0]["n_next"] = 2


@compiled(inline=True)
def after_round(state: State) -> bool:
    """End sorting once no interval touches another; only then anything may stop."""
    progress = state.progress[0]
    if progress["searching"] == 0 and n_overlapping(state.slots) == 0:
        progress["searching"] = 1
        for k in range(state.slots.size):
            state.sequence[k] = state.slots[k]["arm"]
    return progress["searching"] == 1


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


def lil_log_delta(delta: float) -> float:
    """Logarithm of lil'UCB's own delta, such that its theorem gives an error of at most ``delta``.

    Jamieson et al. (2014) bound the error by 4 sqrt(x) + 4 x with
    x = (2 + e) / e * (d / log(1 + e))^(1 + e), solved here for log(d).

    Examples
    --------
    >>> d, e = math.exp(lil_log_delta(0.1)), LIL_EPSILON
    >>> x = (2 + e) / e * (d / math.log(1 + e)) ** (1 + e)
    >>> round(4 * math.sqrt(x) + 4 * x, 12)
    0.1
    """
    # sqrt(x) = (sqrt(1 + delta) - 1) / 2, without the difference of near equals.
    log_x = 2.0 * (log(delta) - log(2.0 * (math.sqrt(1.0 + delta) + 1.0)))
    e = LIL_EPSILON
    return log(log(1.0 + e)) + (log_x + log(e / (2.0 + e))) / (1.0 + e)


class SortThenSearch(PaperPolicy):
    """The paper's naive baseline (Section 1.2): certify the order of the arms, then search.

    First samples every arm whose interval still touches another's. Once none do the order is
    certain, and best-arm identification by lil'UCB (Jamieson et al., 2014; epsilon 0.01, beta 1,
    lambda 9) runs on the K - 1 gaps of neighbours, sampling both arms of a gap. The samples of the
    first phase are reused.

    Examples
    --------
    Only the two arms whose intervals still touch are sampled.

    >>> policy = SortThenSearch(["low", "a", "b"], sigma=0.01)
    >>> for _ in range(5):
    ...     policy.tell(["low", "a", "b"], [0.0, 1.0, 1.001])
    >>> policy.ask()
    ['a', 'b']
    """

    _in_table = "SortThenSearch"
    _after_round = staticmethod(after_round)

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self._lil_log_delta = lil_log_delta(self._delta)

    def _list_compiled(self, state: State) -> None:
        choose(state, self._setting())
