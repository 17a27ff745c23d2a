"""Tables in memory: the columns that are named, as pandas has them, and their checked rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from maxgap.ratings.rows import BadRow, Rows

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["add_table"]


def add_table(rows: Rows, table: Any, **asked: Any) -> None:
    """Add the columns that are named, or a ValueError that says which, and which row is bad.

    Without a table they are the columns themselves. What is None is not asked for.
    """
    asked = {name: column for name, column in asked.items() if column is not None}
    columns, index = _columns(table, asked)
    try:
        rows.add(*columns)
    except BadRow as bad:
        name, column = list(asked.items())[bad.column]
        where = f"row {bad.place}, counted from 0"
        if table is None:
            raise ValueError(f"{name}, {where}: {bad.why}") from None
        where = f"{where} (index {index[bad.place]!r})"
        raise ValueError(f"column {column!r}, {where}: {bad.why}") from None


def _columns(table: Any, named: dict[str, Any]) -> tuple[list[pd.Series], Any]:
    """The columns named, and the index of the table's rows if it has one of its own."""
    import pandas as pd

    if table is None:
        named = {name: _of_pandas(values) for name, values in named.items()}
        for name, values in named.items():
            unfit = isinstance(values, (str, bytes, set, frozenset, Mapping))
            if unfit or not isinstance(values, Iterable):
                raise ValueError(f"{name} must be a sequence where there is no table: {values!r}")
        columns = [_series(name, values) for name, values in named.items()]
        sizes = [str(column.size) for column in columns]
        if len(set(sizes)) > 1:
            all_names, all_sizes = " and ".join(named), " and ".join(sizes)
            raise ValueError(f"{all_names} must have equal lengths, got {all_sizes}")
        return columns, None
    if not isinstance(table, pd.DataFrame):
        try:
            table = pd.DataFrame(_of_pandas(table))
        except (TypeError, ValueError) as problem:
            raise ValueError(
                f"table must be a DataFrame, a mapping, or what has to_pandas(): {problem}"
            ) from None
    for name, column in named.items():
        try:
            times = int((table.columns == column).sum())
        except (TypeError, ValueError):
            times = 0
        if times != 1:
            there = ", ".join(map(repr, table.columns[:50])) or "none"
            what = "is not a column" if times == 0 else f"is {times} columns"
            raise ValueError(f"{name}={column!r} {what} of the table; its columns: {there}")
    for (one, column), (other, same) in combinations(named.items(), 2):
        if column == same:
            raise ValueError(f"{one} and {other} must be two columns, got {column!r} for both")
    return [table[column] for column in named.values()], table.index


def _of_pandas(values: Any) -> Any:
    """What says how it becomes a table or column of pandas, as such: a lazy one is collected."""
    for name in ("collect", "to_pandas", "to_df", "read_pandas"):
        # A column of this name is not called.
        if callable(convert := getattr(type(values), name, None)):
            with suppress(ImportError):  # of pyarrow, which polars asks for
                values = convert(values)
    return values


def _series(name: str, values: Any) -> pd.Series:
    """A column of these values, as they are: of a list, pandas would make 1 and "1" no strings."""
    import pandas as pd

    if isinstance(values, (pd.Series, pd.Index, pd.api.extensions.ExtensionArray, np.ndarray)):
        if getattr(values, "ndim", 1) != 1:
            raise ValueError(f"{name} must be one-dimensional, got {values!r}")
        return pd.Series(values)
    return pd.Series(list(values), dtype=object)
