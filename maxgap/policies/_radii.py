"""A table of radii by count, shared by all runs of a policy, that grows where it is too short."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from maxgap.confidence import from_rewards, radius, radius_rows
from maxgap.engine.types import Floats

__all__ = ["RadiusTable"]

#: Counts that are computed at a time: what a formula needs on its way is many times its result.
PIECE = 1 << 16


class RadiusTable:
    """Radii of intervals that go by the count; an arm's is ``factor`` times its ``row``."""

    def __init__(
        self, confidence: str | Callable[..., ArrayLike], delta: float, sigmas: Floats
    ) -> None:
        self._confidence, self._delta, self._n_arms = confidence, delta, sigmas.size
        self._row_sigmas, self.row, self.factor = radius_rows(confidence, sigmas)
        self._radii = np.full((self._row_sigmas.size, 1), np.inf)

    def up_to(self, count: int) -> Floats:
        """Radii by row and count, of shape (rows, more than ``count``)."""
        radii = self._radii
        start = radii.shape[1]
        if count < start or from_rewards(self._confidence):
            return radii
        size = max(2 * start, count + 1, 1024)
        grown = np.empty((radii.shape[0], size))
        grown[:, :start] = radii
        for first in range(start, size, PIECE):
            n = np.arange(first, min(first + PIECE, size))
            for row, sigma in enumerate(self._row_sigmas.tolist()):
                settings: Any = {"delta": self._delta, "n_arms": self._n_arms, "sigma": sigma}
                grown[row, n] = radius(self._confidence, n, **settings)
        self._radii = grown
        return grown
