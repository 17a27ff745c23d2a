"""Files of ratings, read piece by piece: CSV, TSV, Parquet, standard input."""

from __future__ import annotations

import csv
import gzip
import io
import itertools
import os
import sys
import warnings
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from maxgap._rows import BadRow, Rows

__all__ = ["BadFile", "Source", "read_rows"]

#: Rows read at a time.
PIECE = 1 << 18
#: What separates columns, if the file's name and its first line do not tell otherwise.
SEPARATORS = ",\t;|"
#: Called with how many bytes of how many (None: not known) have been read.
Progress = Callable[[int, int | None], None]


class BadFile(ValueError):
    """A file that cannot be used; says which, where and why."""


class Source(NamedTuple):
    """What to read, and how."""

    path: str  # "-" is the standard input
    arm: str | None = None  # name of the column; None: the first of two columns
    reward: str | None = None  # None: the second of two columns
    separator: str | None = None
    encoding: str = "utf-8"
    duels: bool = False  # the columns are those of winners and losers, both labels

    @property
    def name(self) -> str:
        """The file as a message names it."""
        return "standard input" if self.path == "-" else self.path


def read_rows(source: Source, rows: Rows, progress: Progress | None = None) -> None:
    """Add all rows of a file.

    Raises
    ------
    BadFile
        Names the file, and where it can the line and the column.
    """
    try:
        if source.path.lower().endswith((".parquet", ".pq")):
            _read_parquet(source, rows, progress)
        else:
            _read_text(source, rows, progress)
    except OSError as problem:
        raise BadFile(f"{source.name}: {problem.strerror or problem}") from None
    except (EOFError, zlib.error) as problem:  # of a compressed file that was cut short
        raise BadFile(f"{source.name}: {problem}") from None
    except (UnicodeError, LookupError) as problem:
        if isinstance(problem, LookupError) and "encoding" not in str(problem):
            raise
        raise BadFile(
            f"{source.name}: is not text in the encoding {source.encoding} ({problem}); "
            "name another with --encoding"
        ) from None
    if rows.total == 0:
        raise BadFile(f"{source.name}: there are no rows below the names of the columns")


# -- text --------------------------------------------------------------------------------------


@contextmanager
def _opened(source: Source) -> Iterator[tuple[io.TextIOWrapper, Any]]:
    """The file as text, and the bytes below it, of which the position shows how far it is read."""
    # A byte order mark is no part of the first column's name.
    encoding = "utf-8-sig" if source.encoding.lower() in ("utf-8", "utf8") else source.encoding
    with ExitStack() as open_files:
        if source.path == "-":
            if sys.stdin is None:
                raise BadFile("-: the standard input is closed")
            raw: Any = sys.stdin.buffer
        else:
            raw = open_files.enter_context(open(source.path, "rb"))
        unpacked: Any = raw
        if source.path.lower().endswith(".gz"):
            unpacked = open_files.enter_context(gzip.GzipFile(fileobj=raw))
        text = io.TextIOWrapper(unpacked, encoding=encoding, newline="")
        # Closed is only what was opened here.
        open_files.callback(text.detach)
        yield text, raw


class _Reader:
    """A text that remembers why it could not be read: pandas replaces that by a reason of its own.

    An interrupt is one.
    """

    def __init__(self, text: io.TextIOWrapper) -> None:
        self._text = text
        self.failed: BaseException | None = None

    def read(self, size: int = -1) -> str:
        try:
            return self._text.read(size)
        except BaseException as problem:
            self.failed = problem
            raise

    def __iter__(self) -> Iterator[str]:
        return iter(self._text)


def _header(text: io.TextIOWrapper, source: Source) -> tuple[list[str], str]:
    """The names of the columns, and what separates them; leaves the rows to be read."""
    first = text.readline()
    if not first.strip():
        raise BadFile(f"{source.name}: is empty, or its first line is")
    separator = source.separator
    if separator is None and Path(source.path.removesuffix(".gz")).suffix in (".tsv", ".tab"):
        separator = "\t"
    if separator is None:
        separator = max(SEPARATORS, key=first.count)
    lines = iter(text.readline, "")
    names = next(csv.reader(itertools.chain([first], lines), delimiter=separator))
    return [name.strip() for name in names], separator


def _places(names: list[str], source: Source) -> tuple[int, int]:
    """Where the two columns are."""
    there = ", ".join(map(repr, names[:50]))
    found = []
    options = ("--winner", "--loser") if source.duels else ("--arm", "--reward")
    for option, wanted, default in zip(options, (source.arm, source.reward), (0, 1), strict=True):
        if wanted is None:
            if len(names) != 2:
                raise BadFile(f"{source.name}: say which column is meant by {option}: {there}")
            found.append(default)
        elif names.count(wanted) != 1:
            what = "no column" if wanted not in names else f"{names.count(wanted)} columns"
            raise BadFile(f"{source.name}: {what} {wanted!r} ({option}); its columns: {there}")
        else:
            found.append(names.index(wanted))
    if found[0] == found[1]:
        both = " and ".join(option.removeprefix("--") for option in options)
        raise BadFile(f"{source.name}: the column {names[found[0]]!r} cannot be {both}")
    return found[0], found[1]


def _read_text(source: Source, rows: Rows, progress: Progress | None) -> None:
    import pandas as pd

    csv.field_size_limit(2**31 - 1)
    with _opened(source) as (text, raw), warnings.catch_warnings():
        size = _size(raw)
        names, separator = _header(text, source)
        arm, reward = _places(names, source)
        labels = {arm, reward} if source.duels else {arm}
        # pandas only warns if all rows have too many fields.
        warnings.simplefilter("error", pd.errors.ParserWarning)
        reader = _Reader(text)
        try:
            pieces = pd.read_csv(
                reader,
                sep=separator,
                header=None,
                skipinitialspace=True,  # as in the names of the columns
                # All columns, or a row with too many fields would go unnoticed.
                names=list(range(len(names))),
                # Text stays text, "01" is not 1; of what is not looked at pandas keeps least so.
                dtype={
                    k: str if k in labels else "category"
                    for k in range(len(names))
                    if k in labels or k != reward
                },
                # "NA" may be the name of an arm; only what is empty is missing.
                keep_default_na=False,
                na_values={arm: [""], reward: [""]},
                low_memory=False,
                index_col=False,
                chunksize=PIECE,
            )
            with pieces:
                for piece in pieces:
                    rewards = piece[reward]
                    # One word among them, and pandas takes them all for words.
                    numbers = None if source.duels else pd.to_numeric(rewards, errors="coerce")
                    rows.add(piece[arm], rewards, numbers)
                    if progress is not None:
                        progress(rows.total if size is None else raw.tell(), size)
        except BadRow as bad:
            column = names[arm if bad.is_arm else reward]
            place = f"row {bad.place + 1} below the names"
            wanted = bad.place
            found = _line(source, separator, lambda at, _: at == wanted) or place
            raise BadFile(f"{source.name}, {found}, column {column!r}: {bad.why}") from None
        except (pd.errors.ParserError, pd.errors.ParserWarning) as problem:
            if reader.failed is not None:
                raise reader.failed from None
            if "Calling read(" in str(problem):  # interrupted before the reader could note it
                raise KeyboardInterrupt from None
            raise BadFile(_malformed(source, separator, len(names), str(problem))) from None


def _malformed(source: Source, separator: str, n_columns: int, problem: str) -> str:
    """What to say about rows that pandas cannot take apart."""
    if "EOF inside string" in problem:
        return f"{source.name}: a quotation mark is opened and never closed"
    if "Expected" in problem or "Length of header" in problem:
        line = _line(source, separator, lambda _, row: len(row) > n_columns) or "some row"
        return (
            f"{source.name}, {line}: more fields than the {n_columns} columns that the first line "
            "names; quotation marks may be missing, or a separator ends the line"
        )
    return f"{source.name}: {problem.removeprefix('Error tokenizing data. C error: ')}"


def _line(source: Source, separator: str, wanted: Callable[[int, list[str]], bool]) -> str | None:
    """The line on which the first wanted row begins; a stream cannot be read again.

    Rows may be longer than a line, and lines without anything but blanks are none.
    """
    if source.path == "-":
        return None
    with _opened(source) as (text, _):
        reader = csv.reader(text, delimiter=separator)
        next(reader)
        place, begins = 0, reader.line_num + 1
        for row in reader:
            if row and not (len(row) == 1 and not row[0].strip()):
                if wanted(place, row):
                    return f"line {begins}"
                place += 1
            begins = reader.line_num + 1
    return None


def _size(raw: Any) -> int | None:
    """Bytes in the file, if it is one."""
    try:
        return os.fstat(raw.fileno()).st_size or None
    except OSError:  # io.UnsupportedOperation is one, too
        return None


# -- Parquet -----------------------------------------------------------------------------------


def _read_parquet(source: Source, rows: Rows, progress: Progress | None) -> None:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise BadFile(
            f"{source.name}: Parquet needs the package pyarrow, pip install 'maxgap[parquet]'"
        ) from None
    try:
        with pq.ParquetFile(source.path) as file:
            names = file.schema_arrow.names
            arm, reward = _places(names, source)
            total = file.metadata.num_rows
            columns = [names[arm], names[reward]]
            for piece in file.iter_batches(batch_size=PIECE, columns=columns):
                rows.add(*(piece.column(name).to_pandas() for name in columns))
                if progress is not None:
                    progress(rows.total, total)
    except BadRow as bad:
        column = columns[0 if bad.is_arm else 1]
        message = f"{source.name}, row {bad.place + 1}, column {column!r}: {bad.why}"
        raise BadFile(message) from None
    except pa.ArrowException as problem:
        raise BadFile(f"{source.name}: is not a readable Parquet file ({problem})") from None
