"""Files of ratings, read piece by piece: CSV, TSV, Parquet, standard input."""

from __future__ import annotations

import csv
import gzip
import io
import itertools
import os
import re
import sys
import warnings
import zlib
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager, nullcontext
from functools import partial
from typing import Any, NamedTuple

import pandas as pd
from tqdm import tqdm

from maxgap.ratings.rows import BadRow, Rows

__all__ = ["BadFile", "NoRows", "Source", "read_rows"]

#: Rows read at a time.
PIECE = 1 << 18
#: What separates columns, if the file's name and its first line do not tell otherwise.
SEPARATORS = ",\t;|"

#: Some rows: the columns asked for, where a row stands, how much is read by now, and of how much.
Piece = tuple[list[pd.Series], Callable[[int], str], int, int | None]


class BadFile(ValueError):
    """A file that cannot be used; says which, where and why."""


class NoRows(BadFile):
    """A file in which there is nothing yet."""


class Source(NamedTuple):
    """What to read, and how."""

    path: str  # "-" is the standard input
    columns: dict[str, str | None]  # by option their names; None: the one in this place
    separator: str | None = None
    encoding: str = "utf-8"

    @property
    def name(self) -> str:
        """The file as a message names it."""
        return "standard input" if self.path == "-" else self.path

    @property
    def text(self) -> bool:
        """Whether it is read as a text."""
        return not self.path.lower().endswith((".parquet", ".pq"))


def read_rows(source: Source, rows: Rows) -> None:
    """Add all rows of a file, or a BadFile that names it and where it can the line and the column.

    At a terminal it shows how far it is, if it takes long.
    """
    # None: only at a terminal.
    how: Any = {"disable": True if sys.stderr is None else None, "unit": "", "unit_scale": True}
    try:
        with (
            closing(_text(source) if source.text else _parquet(source)) as pieces,
            tqdm(desc=source.name, delay=1.0, leave=False, **how) as bar,
        ):
            for columns, where, done, bar.total in pieces:
                try:
                    rows.add(*columns)
                except BadRow as bad:
                    row, k, why = bad.args
                    place = f"{where(row)}, column {columns[k].name!r}"
                    raise BadFile(f"{source.name}, {place}: {why}") from None
                bar.update(done - bar.n)
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


# -- text --------------------------------------------------------------------------------------


@contextmanager
def _opened(source: Source) -> Iterator[tuple[io.TextIOWrapper, Any]]:
    """The file as text, and the bytes below it, of which the position shows how far it is read."""
    if source.path == "-" and sys.stdin is None:
        raise BadFile("-: the standard input is closed")
    # A byte order mark is no part of the first column's name.
    encoding = "utf-8-sig" if source.encoding.lower() in ("utf-8", "utf8") else source.encoding
    packed = source.path.lower().endswith(".gz")
    with nullcontext(sys.stdin.buffer) if source.path == "-" else open(source.path, "rb") as raw:
        unpacked: Any = gzip.GzipFile(fileobj=raw) if packed else raw
        try:
            text = io.TextIOWrapper(unpacked, encoding=encoding, newline="")
        except LookupError as problem:
            raise UnicodeError(str(problem)) from None
        try:
            yield text, raw
        finally:
            text.detach()  # closed is only what was opened here


def _header(text: io.TextIOWrapper, source: Source) -> tuple[list[str], str, int]:
    """The names of the columns, what separates them, and how many lines that took."""
    first, separator, before = text.readline(), source.separator, 0
    if said := re.fullmatch(r'"?sep=(.)"?\s*', first, re.IGNORECASE):  # to Excel
        first, separator, before = text.readline(), separator or said[1], 1
    if not first.strip():
        raise NoRows(f"{source.name}: is empty, or its first line is")
    if separator is None:
        tabs = source.path.lower().removesuffix(".gz").endswith((".tsv", ".tab"))
        separator = "\t" if tabs else max(SEPARATORS, key=first.count)
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
    kinds: dict[int, Any] = dict.fromkeys(range(len(names)), "category")
    kinds |= dict.fromkeys(places, str)  # of what is not looked at pandas keeps least the other way
    if "--reward" in source.columns:
        del kinds[places[list(source.columns).index("--reward")]]
    return kinds


def _text(source: Source) -> Generator[Piece]:
    size = os.path.getsize(source.path) if os.path.isfile(source.path) else None
    with _opened(source) as (text, raw), warnings.catch_warnings():
        names, separator, above = _header(text, source)
        places = _places(names, source)
        # pandas only warns if all rows have too many fields.
        warnings.simplefilter("error", pd.errors.ParserWarning)
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
                dtype=_kinds(names, places, source),
                # "NA" may be the name of an arm; only what is empty is missing.
                keep_default_na=False,
                na_values={at: [""] for at in places},
                low_memory=False,
                index_col=False,
                chunksize=PIECE,
            ):
                kept = _filled(piece, places)
                columns = [kept[at].rename(names[at]) for at in places]
                where = partial(_line, piece, kept.index, above)
                yield columns, where, piece.index.stop if size is None else raw.tell(), size
                above += _line_ends(piece)
        except (pd.errors.ParserError, pd.errors.ParserWarning) as problem:
            if "Calling read(" in str(problem):  # all that is left of an interrupt
                raise KeyboardInterrupt from None
            raise BadFile(_malformed(source, len(names), above, str(problem))) from None


def _filled(piece: pd.DataFrame, places: list[int]) -> pd.DataFrame:
    """The lines that have more than blanks."""
    unfilled = piece[piece[places].isna().all(axis=1)]
    rest = unfilled.drop(columns=places)
    blank = (rest.isna() | (rest == "")).all(axis=1).to_numpy(dtype=bool)
    return piece.drop(index=unfilled.index[blank])


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
    if "Expected" in problem or "Length of header" in problem:
        row = re.search(r"in line (\d+)", problem)
        return (
            f"{source.name}, line {above + int(row[1] if row else 1)}: more fields than the "
            f"{n_columns} columns that the first line names; quotation marks may be missing, or a "
            "separator ends the line"
        )
    return f"{source.name}: {problem.removeprefix('Error tokenizing data. C error: ')}"


# -- Parquet -----------------------------------------------------------------------------------


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
            names, total = file.schema_arrow.names, file.metadata.num_rows
            columns = [names[at] for at in _places(names, source)]
            for piece in file.iter_batches(batch_size=PIECE, columns=columns):
                found = [piece.column(name).to_pandas().rename(name) for name in columns]
                where = partial(lambda before, row: f"row {before + row + 1}", done)
                done += piece.num_rows
                yield found, where, done, total
    except pa.ArrowException as problem:
        raise BadFile(f"{source.name}: is not a readable Parquet file ({problem})") from None
