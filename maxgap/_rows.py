"""Rows of a table, arm and reward, checked and kept in their order, few bytes a row.

A table that is in memory is one piece; a file comes in pieces and need not fit into memory. What is
kept of a row is the number of its arm and its reward, twelve bytes, and beyond a size they lie in a
temporary file: how many arms there are is known at the end only, and the intervals depend on it.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Hashable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from maxgap._checking import LARGEST_REWARD, is_missing, label_key
from maxgap._core.types import Floats, Integers
from maxgap._numbers import as_float

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["BadRow", "Moments", "Range", "Rows"]

#: Bytes of rows that are kept in memory; more go to a temporary file.
IN_MEMORY = 64 * 2**20


class Range(NamedTuple):
    """Where rewards may lie, ends included."""

    low: float = -LARGEST_REWARD
    high: float = LARGEST_REWARD


class BadRow(ValueError):
    """A row that cannot be used: its place from 0 on, whether its arm or its reward, and why."""

    def __init__(self, place: int, is_arm: bool, why: str) -> None:
        super().__init__(why)
        self.place, self.is_arm, self.why = place, is_arm, why


class Moments(NamedTuple):
    """Of every arm: how many rewards, their mean, and the sum of squares around it."""

    counts: Integers
    means: Floats
    squares: Floats


class Rows:
    """Checked rows in their order, iterated over in pieces: numbers of arms, rewards."""

    def __init__(self, bounds: Range) -> None:
        self.labels: list[Hashable] = []
        self.total = 0
        #: How many raters there are, and whether any rates several arms; None if nobody said.
        self.raters: tuple[int, bool] | None = None
        self._bounds = bounds
        self._index: dict[Hashable, int] = {}
        self._sizes: list[int] = []
        self._kept: Any = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._kept.close()

    def add(
        self, arms: pd.Series, rewards: pd.Series, numbers: pd.Series | None = None
    ) -> Integers:
        """Add rows, or raise `BadRow` for the first that cannot be used; the numbers of their arms.

        Where rewards are text, the numbers that they stand for are given as well.
        """
        codes, labels = _codes(arms, self.total)
        values = _floats(rewards if numbers is None else numbers)
        low, high = self._bounds
        bad = (codes < 0) | ~((values >= low) & (values <= high))
        if bad.any():
            at = int(bad.argmax())
            if codes[at] < 0:
                raise BadRow(self.total + at, True, "is missing")
            raise BadRow(self.total + at, False, _why(rewards.iloc[at], values[at], self._bounds))
        known = np.array([self._number_of(label) for label in labels], dtype=np.int32)[codes]
        self._kept.write(known.tobytes())
        self._kept.write(values.tobytes())
        self._sizes.append(codes.size)
        self.total += codes.size
        return known.astype(np.int64)

    def find(self, label: Hashable) -> int:
        """Number of the arm of this label, or -1."""
        return self._index.get(_key(label), -1)

    def _number_of(self, label: Hashable) -> int:
        key = _key(label)
        if key not in self._index:
            self._index[key] = len(self.labels)
            self.labels.append(label)
        return self._index[key]

    def __iter__(self) -> Iterator[tuple[Integers, Floats]]:
        self._kept.seek(0)
        for size in self._sizes:
            numbers = np.frombuffer(self._kept.read(4 * size), dtype=np.int32)
            yield numbers.astype(np.int64), np.frombuffer(self._kept.read(8 * size)).copy()

    def moments(self) -> Moments:
        """Two passes: squares around the mean lose nothing where the mean is large."""
        n_arms = len(self.labels)
        counts, sums, squares = np.zeros(n_arms, np.int64), np.zeros(n_arms), np.zeros(n_arms)
        for numbers, values in self:
            counts += np.bincount(numbers, minlength=n_arms)
            sums += np.bincount(numbers, values, n_arms)
        means = sums / counts
        for numbers, values in self:
            squares += np.bincount(numbers, (values - means[numbers]) ** 2, n_arms)
        return Moments(counts, means, squares)


def _key(label: Hashable) -> Hashable:
    # True and 1 are one key of a dict, but two labels; who checks the labels refuses the pair.
    return isinstance(label, (bool, np.bool_)), label_key(label)


def _codes(arms: pd.Series, first: int) -> tuple[Integers, list[Hashable]]:
    """Of every row the place of its label among the labels, -1 if it is missing; the labels."""
    import pandas as pd

    if isinstance(arms.dtype, pd.CategoricalDtype):
        found, used = pd.factorize(arms.cat.codes.to_numpy(), use_na_sentinel=False)
        # The code -1 is a missing label.
        place = np.where(used < 0, -1, np.cumsum(used >= 0) - 1)
        return place[found], arms.cat.categories[used[used >= 0]].tolist()
    if arms.dtype != object or pd.api.types.infer_dtype(arms, skipna=False) == "string":
        codes, labels = pd.factorize(arms)
        return codes, labels.tolist()
    # Of objects pandas takes True for 1 and whatever has no hash for an error of its own.
    index: dict[Hashable, int] = {}
    codes, labels = np.empty(arms.size, dtype=np.int64), []
    for at, label in enumerate(arms):
        try:
            if is_missing(label):
                codes[at] = -1
                continue
            number = index.setdefault(_key(label), len(index))
        except (TypeError, ValueError):
            raise BadRow(first + at, True, f"{label!r} cannot be a label") from None
        if number == len(labels):
            labels.append(label)
        codes[at] = number
    return codes, labels


def _floats(rewards: pd.Series) -> Floats:
    """The rewards; NaN for what is missing or no number."""
    import pandas as pd

    # To pandas True and False are numbers, too.
    if pd.api.types.is_numeric_dtype(rewards) and not pd.api.types.is_complex_dtype(rewards):
        return rewards.to_numpy(dtype=np.float64, na_value=math.nan)
    floats = [float(x) if isinstance(x, (bool, np.bool_)) else as_float(x) for x in rewards]
    return np.array([math.nan if x is None else x for x in floats], dtype=np.float64)


def _why(given: Any, value: float, bounds: Range) -> str:
    """Why a reward cannot be used."""
    if is_missing(given) or (isinstance(given, str) and not given.strip()):
        return "is missing"
    if math.isnan(value):
        return f"{given!r} is not a number"
    if not abs(value) <= LARGEST_REWARD:
        return f"{value:.12g} is not a finite number of size at most {LARGEST_REWARD:g}"
    return f"{value:.12g} is outside the bounds {bounds.low:.12g} to {bounds.high:.12g}"
