"""What the policies of the paper share: their lines are compiled functions of the state."""

from __future__ import annotations

import copy
from collections.abc import Callable, Hashable, Iterable

from maxgap._core.state import State
from maxgap.policies.base import Policy

__all__ = ["PaperPolicy"]


class PaperPolicy(Policy):
    """A policy of the paper: its lines are compiled functions of the state."""

    _choose: Callable[..., None]
    _after_round: Callable[..., bool] | None = None
    _before_round: Callable[..., None] | None = None

    def _end_round(self) -> bool:
        return self._after_round is None or self._after_round(self._state)

    def _start_round(self) -> None:
        if self._before_round is not None:
            self._before_round(self._state)

    def _list_next(self) -> None:
        if type(self).choose is PaperPolicy.choose:
            self._list_compiled(self._state)
        else:  # a subclass of the reader's own
            super()._list_next()

    def _list_compiled(self, state: State) -> None:
        self._choose(state)

    def choose(self) -> Iterable[Hashable]:
        """Labels of the arms that the algorithm samples next, once every arm has a sample."""
        with self._lock:
            state = copy.deepcopy(self._state)
        self._list_compiled(state)
        return [self._labels[arm] for arm in state.next[: state.progress[0]["n_next"]].tolist()]
