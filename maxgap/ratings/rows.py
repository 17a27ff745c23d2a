"""Rows of a table, arm and reward, checked and kept in their order.

A table in memory is one piece; a file comes in pieces and need not fit into memory. Kept of a row
are the number of its arm and its reward, twelve bytes: how many arms there are is known at the end
only, and the intervals depend on it.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from maxgap._checking import LARGEST_REWARD, is_missing, is_rounded, label_key
from maxgap._numbers import as_float

__all__ = ["BadRow", "Rows", "add_table", "check", "codes_of", "key_of"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

#: How many groups of labels that look alike are named.
NAMED = 3


class BadRow(ValueError):
    """A row that cannot be used; `args`: its place among those added, which column, and why."""


class Moments(NamedTuple):
    """Of every arm: how many rewards, their mean, and the sum of squares around it."""

    counts: Integers
    means: Floats
    squares: Floats


class Labels:
    """Labels in the order in which they come, and the number of each; perhaps "" is one, too."""

    def __init__(self, *, empty: bool) -> None:
        self.known: list[Hashable] = []
        self._empty = empty
        self._index: dict[Hashable, int] = {}

    def find(self, label: Hashable) -> int | None:
        """The number of the label, if it has one."""
        return self._index.get(key_of(label))

    def number(self, label: Hashable) -> int:
        """The number of the label, a new one if it has none; -1 if it cannot be a label."""
        nameless = isinstance(label, str) and label == "" and not self._empty
        if nameless or is_rounded(label) or (key := key_of(label)) is None:
            return -1
        number = self._index.setdefault(key, len(self.known))
        if number == len(self.known):
            self.known.append(label)
        return number

    @staticmethod
    def why_not(label: Any) -> str:
        """Why this cannot be a label."""
        if is_rounded(label):
            return f"{label!r} may be another number that was rounded: a float holds no such label"
        return f"{label!r} cannot be a label"

    def numbers(self, column: pd.Series) -> Integers:
        """Of every row the number of its label, -1 for none."""
        codes, labels = codes_of(column)
        return np.array([*map(self.number, labels), -1])[codes]


class Rows:
    """Checked rows in their order, iterated over in pieces: numbers of arms, rewards."""

    def __init__(self, bounds: tuple[float, float] | None = None) -> None:
        self.arms = Labels(empty=True)
        self.labels = self.arms.known
        self.total = 0
        self.raters = 0  # how many there are, if rows say so
        self.several = False  # whether any rates several arms
        self._people = Labels(empty=False)
        self._who: list[Integers] = []
        self._bounds = bounds or (-LARGEST_REWARD, LARGEST_REWARD)
        self._ends = math.inf, -math.inf  # the least and the largest reward
        self._kept: list[tuple[NDArray[np.int32], Floats]] = []

    def add(self, *columns: pd.Series) -> None:
        """Add rows, arms, rewards and raters, or raise `BadRow` for the first that cannot be used.

        Without rewards they are 0.
        """
        numbers = self.arms.numbers(columns[0])
        values = _floats(columns[1]) if len(columns) > 1 else np.zeros(numbers.size)
        wrong = ~((values >= self._bounds[0]) & (values <= self._bounds[1]))
        check(columns, (numbers < 0, 0, Labels.why_not), (wrong, 1, self._why))
        if len(columns) > 2:
            raters = self._people.numbers(columns[2])
            check(columns, (raters < 0, 2, Labels.why_not))
            self._who.append(raters)
        self._ends = values.min(initial=self._ends[0]), values.max(initial=self._ends[1])
        self._keep(numbers, values)

    def _why(self, given: Any) -> str:
        """Why a reward cannot be used."""
        (value,) = _floats(pd.Series([given], dtype=object))
        if math.isnan(value):
            return f"{given!r} is not a number"
        if not abs(value) <= LARGEST_REWARD:
            return f"{value:.12g} is not a finite number of size at most {LARGEST_REWARD:g}"
        return "{:.12g} is outside the bounds {:.12g} to {:.12g}".format(value, *self._bounds)

    def _keep(self, numbers: Integers, values: Floats) -> None:
        self._kept.append((numbers.astype(np.int32), values))
        self.total += numbers.size

    def once(self) -> None:
        """Count a rater's ratings of an arm as one, their mean, where the first of them stood."""
        if not self._who:
            return
        numbers, values = map(np.concatenate, zip(*self, strict=True))
        pairs = pd.DataFrame({"arm": numbers, "who": np.concatenate(self._who), "reward": values})
        means = pairs.groupby(["arm", "who"], sort=False)["reward"].mean().reset_index()
        self.raters, self.several = len(self._people.known), bool(means["who"].duplicated().any())
        self._kept, self._who, self.total = [], [], 0
        self._keep(means["arm"].to_numpy(), means["reward"].to_numpy())

    def check_arms(self) -> None:
        """A ValueError if there are fewer arms than two."""
        if self.total == 0:
            raise ValueError("the table has no rows")
        if len(self.labels) < 2:
            raise ValueError(f"two arms or more are needed, the table has only {self.labels[0]!r}")

    @property
    def notes(self) -> tuple[str, ...]:
        """What is odd about these rows though they can be used, a sentence each."""
        alike: dict[str, list[str]] = {}
        for label in self.labels:
            if isinstance(label, str):
                plain = unicodedata.normalize("NFC", label.casefold()).strip()
                alike.setdefault(plain, []).append(label)
        notes = []
        several = []
        for group in (group for group in alike.values() if len(group) > 1):
            same = len({unicodedata.normalize("NFC", label) for label in group}) < len(group)
            several.append(" and ".join(map(ascii if same else repr, group)))
        if several:
            more = f" and {len(several) - NAMED:,} more" if len(several) > NAMED else ""
            said = f"{'; '.join(several[:NAMED])}{more}"
            notes.append(f"Labels that look alike are arms of their own: {said}.")
        if self._ends[0] == self._ends[1] and self.total > 1:
            notes.append(f"Every reward is {self._ends[0]:.12g}: is this the right column?")
        return tuple(notes)

    def __iter__(self) -> Iterator[tuple[Integers, Floats]]:
        for numbers, values in self._kept:
            yield numbers.astype(np.int64), values

    def moments(self) -> Moments:
        """Two passes: what the first loses where rewards are large, the second finds."""
        n_arms = len(self.labels)
        counts, sums, rest, squares = np.zeros((4, n_arms))
        for numbers, values in self:
            counts += np.bincount(numbers, minlength=n_arms)
            sums += np.bincount(numbers, values, n_arms)
        means = sums / np.maximum(counts, 1)
        for numbers, values in self:
            off = values - means[numbers]
            rest += np.bincount(numbers, off, n_arms)
            squares += np.bincount(numbers, off**2, n_arms)
        rest /= np.maximum(counts, 1)
        squares = np.maximum(squares - counts * rest**2, 0.0)
        return Moments(counts.astype(np.int64), means + rest, squares)


def check(columns: Sequence[pd.Series], *checks: tuple[Any, int, Callable[[Any], str]]) -> None:
    """A BadRow for the first bad row: which are, in which column, and why one that is there."""
    first = [(int(bad.argmax()), k) for k, (bad, _, _) in enumerate(checks) if bad.any()]
    if first:
        at, k = min(first)
        _, column, why = checks[k]
        given = columns[column].iloc[at]
        missing = is_missing(given) or (isinstance(given, str) and not given.strip())
        raise BadRow(at, column, "is missing" if missing else why(given))


def key_of(label: Any) -> Hashable:
    """What finds the label again; None if it cannot be one."""
    try:
        # True and 1 are one key of a dict, but two labels; who checks the labels refuses the pair.
        key = isinstance(label, (bool, np.bool_)), label_key(label)
        return None if is_missing(label) or hash(key) is None else key
    except (TypeError, ValueError):
        return None


def codes_of(arms: pd.Series) -> tuple[Integers, list[Hashable]]:
    """Of every row the place of its label in a list of them, -1 if it is missing; that list."""
    if arms.dtype != object or pd.api.types.infer_dtype(arms, skipna=False) == "string":
        codes, labels = pd.factorize(arms)
        return codes, list(labels)
    # Of objects pandas takes True for 1 and whatever has no hash for an error of its own.
    return np.arange(arms.size), list(arms)


def _floats(rewards: pd.Series) -> Floats:
    """The rewards; NaN for what is missing or no number."""
    # To pandas True and False are numbers, too.
    if pd.api.types.is_numeric_dtype(rewards) and not pd.api.types.is_complex_dtype(rewards):
        return rewards.to_numpy(dtype=np.float64, na_value=math.nan)
    floats = [float(x) if isinstance(x, (bool, np.bool_)) else as_float(x) for x in rewards]
    return np.array([math.nan if x is None else x for x in floats], dtype=np.float64)


def add_table(rows: Rows, table: Any, **asked: Any) -> None:
    """Add the columns that are named, or a ValueError that says which, and which row is bad.

    Without a table they are the columns themselves. What is None is not asked for.
    """
    asked = {name: column for name, column in asked.items() if column is not None}
    if table is None:
        columns = _without_table(asked)
    else:
        table = _checked_table(table, asked)
        columns = [table[column] for column in asked.values()]
    try:
        rows.add(*columns)
    except BadRow as bad:
        row, k, why = bad.args
        name, column = list(asked.items())[k]
        index = ""
        if table is not None:
            name, index = f"column {column!r}", f" (index {table.index[row]!r})"
        raise ValueError(f"{name}, row {row}, counted from 0{index}: {why}") from None
    rows.once()


def _checked_table(table: Any, named: dict[str, Any]) -> pd.DataFrame:
    """The table as one of pandas, which has the columns that are named, each once."""
    try:
        table = pd.DataFrame(_of_pandas(table))
    except (TypeError, ValueError) as problem:
        raise ValueError(
            f"table must be a DataFrame, a mapping, or what has to_pandas(): {problem}"
        ) from None
    for name, column in named.items():
        times = 0
        with suppress(TypeError, ValueError):
            times = int((table.columns == column).sum())
        if times != 1:
            there = ", ".join(map(repr, table.columns[:50])) or "none"
            what = "is not a column" if times == 0 else f"is {times} columns"
            raise ValueError(f"{name}={column!r} {what} of the table; its columns: {there}")
    for (one, column), (other, same) in combinations(named.items(), 2):
        if column == same:
            raise ValueError(f"{one} and {other} must be two columns, got {column!r} for both")
    return table


def _without_table(named: dict[str, Any]) -> list[pd.Series]:
    """Columns of these values as they are: of a list, pandas would make 1 and "1" no strings."""
    arrays = (pd.Series, pd.Index, pd.api.extensions.ExtensionArray, np.ndarray)
    columns = []
    for name, values in named.items():
        values = _of_pandas(values)
        unfit = isinstance(values, (str, bytes, set, frozenset, Mapping))
        if unfit or not isinstance(values, Iterable):
            raise ValueError(f"{name} must be a sequence where there is no table: {values!r}")
        of_pandas = isinstance(values, arrays)
        if of_pandas and getattr(values, "ndim", 1) != 1:
            raise ValueError(f"{name} must be one-dimensional, got {values!r}")
        columns.append(pd.Series(values) if of_pandas else pd.Series([*values], dtype=object))
    sizes = [str(column.size) for column in columns]
    if len(set(sizes)) > 1:
        names = " and ".join(named)
        raise ValueError(f"{names} must have equal lengths, got {' and '.join(sizes)}")
    return columns


def _of_pandas(values: Any) -> Any:
    """What says how it becomes a table or column of pandas, as such: a lazy one is collected."""
    for name in ("collect", "to_pandas", "to_df", "read_pandas"):
        # A column of this name is not called.
        if callable(convert := getattr(type(values), name, None)):
            with suppress(ImportError):  # of pyarrow, which polars asks for
                values = convert(values)
    return values
