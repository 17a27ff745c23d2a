"""The intervals of a policy before its first reward, and the table of radii that its runs share."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from maxgap.confidence import bernstein_lines, from_rewards, radius, radius_rows
from maxgap.engine.elementary import log
from maxgap.engine.state import SUMS, ByCount, FromSums
from maxgap.engine.types import Floats

#: Counts that are computed at a time: what a formula needs on its way is many times its result.
PIECE = 1 << 16


class RadiusTable:
    """Radii of intervals that go by the count, at most ``delta`` of them wrong in all.

    An arm's radius is ``factor`` times that of its ``row``. The table grows where it is too short.
    """

    def __init__(
        self, confidence: str | Callable[..., ArrayLike], delta: float, sigmas: Floats
    ) -> None:
        self.confidence, self.delta, self.n_arms = confidence, delta, sigmas.size
        self._row_sigmas, self.row, self.factor = radius_rows(confidence, sigmas)
        self._radii = np.full((self._row_sigmas.size, 1), np.inf)

    def up_to(self, count: int) -> Floats:
        """Radii by row and count, of shape (rows, more than ``count``)."""
        n_rows, start = self._radii.shape
        if count < start or from_rewards(self.confidence):
            return self._radii
        size = max(2 * start, count + 1, 1024)
        grown = np.empty((n_rows, size))
        grown[:, :start] = self._radii
        for first in range(start, size, PIECE):
            n = np.arange(first, min(first + PIECE, size))
            for row, sigma in enumerate(self._row_sigmas.tolist()):
                settings: Any = {"delta": self.delta, "n_arms": self.n_arms, "sigma": sigma}
                grown[row, n] = radius(self.confidence, n, **settings)
        self._radii = grown
        return grown

    @cached_property
    def lines(self) -> Floats:
        """Of intervals from rewards, which need no radii: see `bernstein_lines`."""
        return bernstein_lines(log(2.0 * self.n_arms) - log(self.delta))


def new_intervals(radii: RadiusTable, nested: bool, keeps_rewards: bool) -> Any:
    """What a reward does to an interval, before the first; with all rewards kept, if need be."""
    if from_rewards(radii.confidence):
        intervals: Any = FromSums(np.zeros(radii.n_arms, SUMS), radii.lines, nested)
    else:
        intervals = ByCount(radii.up_to(0), nested)
    if not keeps_rewards:
        return intervals
    from maxgap.contrasts.rewards import keeping

    return keeping(intervals, radii.n_arms, radii.delta)
