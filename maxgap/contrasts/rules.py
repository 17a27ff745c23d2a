"""The stopping rules that look back at rewards."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from maxgap.contrasts.certificate import NONE, what_is_open
from maxgap.contrasts.look import Told
from maxgap.engine.compiled import internal
from maxgap.engine.slots import clusters_are_apart
from maxgap.engine.state import State, answer_around, answer_by
from maxgap.engine.types import Records

__all__ = ["Contrasts", "Either", "answer_by_means"]

#: The certificate of contrasts is looked at again after this part of the samples more.
LOOK_AT_GROWTH = 64


class Contrasts(NamedTuple):
    """The certificate of contrasts: tests of "is this gap wider than that one", not intervals.

    Looked at when the number of samples has grown by one part in ``LOOK_AT_GROWTH``, so no run that
    stays certain is missed. The answer is the split at the largest gap between empirical means.

    Proved, whatever the intervals, for rewards that are independent within and across arms and
    sigma-sub-Gaussian; only *conditionally* sub-Gaussian is not enough. Each arm's have to be told
    in the order in which they were drawn, and nothing may be chosen by rewards not yet told.
    Theorem, proof and the plain code are those of :mod:`maxgap.contrasts.plain`.
    """

    bounds: bool
    proved: bool

    @classmethod
    def of(cls, proved: bool, lines: Any) -> Any:
        """The rule; its share of ``delta`` is in the look that the state keeps."""
        return cls(True, proved)

    def holds(self, state: State) -> bool:
        """Whether to stop."""
        return look_at_contrasts(state)

    def answer(self, state: State) -> None:
        """Set ``top`` to the arms above the largest gap between means."""
        answer_by_means(state.arms)


class Either(Contrasts):
    """The cluster rule or the certificate of contrasts, each with half of ``delta``.

    Contrasts need far fewer rewards where these are 0 or 1, intervals that learn the spread where
    they vary little; whoever does not know beforehand pays the logarithm of 2.

    Proved: each half errs with probability at most ``delta`` / 2, by its own proof and under its
    own conditions, so the rewards have to meet both.
    """

    def holds(self, state: State) -> bool:
        """Whether to stop."""
        kept = state.intervals.seen[0]
        kept["by_contrasts"] = look_at_contrasts(state)
        return kept["by_contrasts"] or clusters_are_apart(state.order)

    def answer(self, state: State) -> None:
        """Set ``top`` to the answer of the rule that holds, of contrasts if both do."""
        if state.intervals.seen[0]["by_contrasts"]:
            answer_by_means(state.arms)
        else:
            answer_around(state)


@internal
def look_at_contrasts(state: State) -> bool:
    """Whether contrasts certify the split, if it is time to look."""
    kept, total = state.intervals, state.progress[0]["total"]
    last_look = kept.seen[0]["last_look"]
    if LOOK_AT_GROWTH * (total - last_look) < last_look:
        return False
    kept.seen[0]["last_look"] = total
    return what_is_open(kept.look, Told(state.arms, kept.stacks, kept.sums)) == NONE


@internal(allocates=True)
def answer_by_means(arms: Records) -> None:
    """Set ``top`` to the arms above the largest gap between means, whatever the intervals."""
    values = np.empty(arms.size)
    for arm in range(arms.size):
        values[arm] = arms[arm]["mean"]
    answer_by(arms, values)
