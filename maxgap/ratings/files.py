"""Files of ratings, read piece by piece: CSV, TSV, Parquet, standard input."""

from __future__ import annotations

import csv
import gzip
import io
import itertools
import re
import sys
import warnings
import zlib
from collections.abc import Callable, Generator
from contextlib import closing
from functools import partial
from typing import Any, NamedTuple

import pandas as pd

from maxgap.ratings.rows import BadRow, Rows

__all__ = ["BadFile", "NoRows", "Source", "read_rows"]

#: Rows read at a time.
PIECE = 1 << 18

#: Some rows: the columns asked for, and where a row stands.
Piece = tuple[list[pd.Series], Callable[[int], str]]


class BadFile(ValueError):
    """A file that cannot be used; says which, where and why."""


class NoRows(BadFile):
    """A file in which there is nothing yet."""


class Source(NamedTuple):
    """What to read, and how."""

    path: str  # "-" is the standard input
    columns: dict[str, str | None]  # by option their names; None: the one in this place
    encoding: str = "utf-8"

    @property
    def name(self) -> str:
        """The file as a message names it."""
        return "standard input" if self.path == "-" else self.path


def read_rows(source: Source, rows: Rows) -> None:
    """Add all rows of a file; or a BadFile that names it and, where it can, line and column."""
    read = _parquet if source.path.lower().endswith((".parquet", ".pq")) else _text
    try:
        with closing(read(source)) as pieces:
            for columns, where in pieces:
                try:
                    rows.add(*columns)
                except BadRow as bad:
                    row, k, why = bad.args
                    place = f"{where(row)}, column {columns[k].name!r}"
                    raise BadFile(f"{source.name}, {place}: {why}") from None
    except (OSError, EOFError, zlib.error) as problem:  # the last two of a damaged .gz
        raise BadFile(f"{source.name}: {getattr(problem, 'strerror', None) or problem}") from None
    except UnicodeError as problem:
        raise BadFile(
            f"{source.name}: is not text in the encoding {source.encoding} ({problem}); "
            "name another with --encoding"
        ) from None
    if rows.total == 0:
        raise NoRows(f"{source.name}: there are no rows below the names of the columns")


def _places(names: list[str], source: Source) -> list[int]:
    """Where the columns are."""
    there = ", ".join(map(repr, names[:50]))
    found: dict[int, str] = {}
    for place, (option, wanted) in enumerate(source.columns.items()):
        if wanted is None and len(names) != len(source.columns):
            raise BadFile(f"{source.name}: say which column is meant by {option}: {there}")
        if wanted is not None and (times := names.count(wanted)) != 1:
            what = f"{times} columns" if times else "no column"
            raise BadFile(f"{source.name}: {what} {wanted!r} ({option}); its columns: {there}")
        at = place if wanted is None else names.index(wanted)
        if at in found:
            both = f"{found[at]} and {option.removeprefix('--')}"
            raise BadFile(f"{source.name}: the column {names[at]!r} cannot be {both}")
        found[at] = option.removeprefix("--")
    return list(found)


def _decoded(raw: Any, source: Source) -> io.TextIOWrapper:
    if source.path.lower().endswith(".gz"):
        raw = gzip.GzipFile(fileobj=raw)
    # A byte order mark is no part of the first column's name.
    encoding = "utf-8-sig" if source.encoding.lower() in ("utf-8", "utf8") else source.encoding
    try:
        return io.TextIOWrapper(raw, encoding=encoding, newline="")
    except LookupError as problem:
        raise UnicodeError(str(problem)) from None


def _header(text: io.TextIOWrapper, source: Source) -> tuple[list[str], str, int]:
    """The names of the columns, what separates them, and how many lines that took."""
    first, separator, before = text.readline(), "", 0
    if said := re.fullmatch(r'"?sep=(.)"?\s*', first, re.IGNORECASE):  # to Excel
        first, separator, before = text.readline(), said[1], 1
    if not first.strip():
        raise NoRows(f"{source.name}: is empty, or its first line is")
    tabs = source.path.lower().removesuffix(".gz").endswith((".tsv", ".tab"))
    separator = separator or ("\t" if tabs else max(",\t;|", key=first.count))
    lines = itertools.chain([first], iter(text.readline, ""))
    reader = csv.reader(lines, delimiter=separator, skipinitialspace=True)
    return [name.strip() for name in next(reader)], separator, before + reader.line_num


def _kinds(names: list[str], places: list[int], source: Source) -> dict[int, Any]:
    """How the columns are read: text stays text, "01" is not 1; but a reward may be a number."""
    taken = [names[at] for at in places if names[at] not in source.columns.values()]
    if any(re.fullmatch(r"[-+]?[\d.,]+", name) for name in taken):
        said, options = " and ".join(map(repr, taken)), " and ".join(source.columns)
        why = f"must name the columns, but has {said}; say by {options} if these are names"
        raise BadFile(f"{source.name}: its first line {why}")
    reward = dict(zip(source.columns, places, strict=True)).get("--reward")
    # Of what is not looked at categories take least memory.
    return {at: str if at in places else "category" for at in range(len(names)) if at != reward}


def _text(source: Source) -> Generator[Piece]:
    piped = source.path == "-"
    if piped and sys.stdin is None:
        raise BadFile("-: the standard input is closed")
    # pandas only warns if all rows have too many fields.
    strictly = warnings.catch_warnings(action="error", category=pd.errors.ParserWarning)
    with open(0 if piped else source.path, "rb", closefd=not piped) as raw, strictly:
        text = _decoded(raw, source)
        names, separator, above = _header(text, source)
        places = _places(names, source)
        kinds = _kinds(names, places, source)
        try:
            for piece in pd.read_csv(
                text,
                sep=separator,
                header=None,
                skipinitialspace=True,
                # All columns, or a row with too many fields would go unnoticed; and all lines, or
                # nobody could tell which one a row stands on.
                names=list(range(len(names))),
                skip_blank_lines=False,
                dtype=kinds,
                # "NA" may be the name of an arm; only what is empty is missing.
                keep_default_na=False,
                na_values={at: [""] for at in range(len(names))},
                low_memory=False,
                index_col=False,
                chunksize=PIECE,
            ):
                kept = piece.dropna(how="all")
                columns = [_clean(kept[at], at in kinds).rename(names[at]) for at in places]
                yield columns, partial(_line, piece, kept.index, above)
                above += _line_ends(piece)
        except (pd.errors.ParserError, pd.errors.ParserWarning) as problem:
            if "Calling read(" in str(problem):  # all that is left of an interrupt
                raise KeyboardInterrupt from None
            raise BadFile(_malformed(source, len(names), above, str(problem))) from None


def _clean(column: pd.Series, is_label: bool) -> pd.Series:
    """Labels without blanks around them; rewards as numbers, and what is none as it is."""
    if is_label:
        labels = column.str.strip()
        return labels.mask(labels == "")
    # One word among them, and pandas has taken them all for words.
    numbers = pd.to_numeric(column, errors="coerce")
    all_are = numbers.notna().all()
    return numbers if all_are else numbers.astype(object).where(numbers.notna(), column)


def _line(piece: pd.DataFrame, kept: pd.Index, above: int, row: int) -> str:
    """On which line a row of those kept begins; so many lines are above the first of the text."""
    at = kept[row]
    return f"line {above + at + 1 + _line_ends(piece.loc[: at - 1])}"


def _line_ends(piece: pd.DataFrame) -> int:
    """How many line ends there are inside quotation marks: a row may be longer than a line."""
    return sum(
        times * str(text).count("\n")
        for _, column in piece.select_dtypes(exclude="number").items()
        for text, times in column.value_counts().items()
    )


def _malformed(source: Source, n_columns: int, above: int, problem: str) -> str:
    """What to say about rows that pandas cannot take apart."""
    if "EOF inside string" in problem:
        return f"{source.name}: a quotation mark is opened and never closed"
    if row := re.search(r"Expected.* in line (\d+)|Length of header", problem):
        return (
            f"{source.name}, line {above + int(row[1] or 1)}: more fields than the "
            f"{n_columns} columns that the first line names; quotation marks may be missing, or a "
            "separator ends the line"
        )
    return f"{source.name}: {problem.removeprefix('Error tokenizing data. C error: ')}"


def _parquet(source: Source) -> Generator[Piece]:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise BadFile(
            f"{source.name}: Parquet needs the package pyarrow, pip install 'maxgap[parquet]'"
        ) from None
    done = 0
    try:
        with pq.ParquetFile(source.path) as file:
            names = file.schema_arrow.names
            columns = [names[at] for at in _places(names, source)]
            for piece in file.iter_batches(batch_size=PIECE, columns=columns):
                found = [piece.column(name).to_pandas().rename(name) for name in columns]
                yield found, partial(lambda before, row: f"row {before + row + 1}", done)
                done += piece.num_rows
    except pa.ArrowException as problem:
        raise BadFile(f"{source.name}: is not a readable Parquet file ({problem})") from None
