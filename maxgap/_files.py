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
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple

from maxgap._rows import BadRow, Rows

__all__ = ["BadFile", "NoRows", "Source", "read_rows"]

#: Rows read at a time.
PIECE = 1 << 18
#: What separates columns, if the file's name and its first line do not tell otherwise.
SEPARATORS = ",\t;|"


class BadFile(Exception):
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


def read_rows(source: Source, rows: Rows) -> None:
    """Add all rows of a file, or a BadFile that names it and where it can the line and the column.

    At a terminal it shows how far it is, if it takes long.
    """
    read = _read_parquet if source.path.lower().endswith((".parquet", ".pq")) else _read_text
    try:
        read(source, rows)
    except OSError as problem:
        raise BadFile(f"{source.name}: {problem.strerror or problem}") from None
    except (EOFError, zlib.error) as problem:  # of a compressed file that was cut short or damaged
        raise BadFile(f"{source.name}: {problem}") from None
    except (UnicodeError, LookupError) as problem:
        if isinstance(problem, LookupError) and "encoding" not in str(problem):
            raise
        raise BadFile(
            f"{source.name}: is not text in the encoding {source.encoding} ({problem}); "
            "name another with --encoding"
        ) from None
    if rows.total == 0:
        raise NoRows(f"{source.name}: there are no rows below the names of the columns")


def _bar(source: Source, total: int | None) -> Any:
    from tqdm import tqdm

    # None: only at a terminal.
    silent = True if sys.stderr is None else None
    how: dict[str, Any] = {"unit": "", "unit_scale": True, "delay": 1.0, "leave": False}
    return tqdm(desc=source.name, total=total, disable=silent, **how)


def _places(names: list[str], source: Source) -> list[int]:
    """Where the columns are."""
    there = ", ".join(map(repr, names[:50]))
    found = []
    for place, (option, wanted) in enumerate(source.columns.items()):
        if wanted is None:
            if len(names) != len(source.columns):
                raise BadFile(f"{source.name}: say which column is meant by {option}: {there}")
            found.append(place)
        elif names.count(wanted) != 1:
            what = "no column" if wanted not in names else f"{names.count(wanted)} columns"
            raise BadFile(f"{source.name}: {what} {wanted!r} ({option}); its columns: {there}")
        else:
            found.append(names.index(wanted))
    options = [option.removeprefix("--") for option in source.columns]
    for (one, at), (other, same) in itertools.combinations(zip(options, found, strict=True), 2):
        if at == same:
            raise BadFile(f"{source.name}: the column {names[at]!r} cannot be {one} and {other}")
    return found


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
    """A text that remembers why it could not be read, an interrupt, too: pandas has other words."""

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


def _header(text: io.TextIOWrapper, source: Source) -> tuple[list[str], str, int]:
    """The names of the columns, what separates them, and how many lines that took."""
    first, separator, before = text.readline(), source.separator, 0
    if said := re.fullmatch(r'"?sep=(.)"?\s*', first, re.IGNORECASE):  # to Excel
        first, separator, before = text.readline(), separator or said[1], 1
    if not first.strip():
        raise NoRows(f"{source.name}: is empty, or its first line is")
    if separator is None and source.path.lower().removesuffix(".gz").endswith((".tsv", ".tab")):
        separator = "\t"
    if separator is None:
        separator = max(SEPARATORS, key=first.count)
    reader = _split(itertools.chain([first], iter(text.readline, "")), separator)
    return [name.strip() for name in next(reader)], separator, before + reader.line_num


def _split(lines: Any, separator: str) -> Any:
    csv.field_size_limit(2**31 - 1)
    return csv.reader(lines, delimiter=separator, skipinitialspace=True)


def _read_text(source: Source, rows: Rows) -> None:
    import pandas as pd

    rows.text = True
    size = os.path.getsize(source.path) if os.path.isfile(source.path) else None
    with _opened(source) as (text, raw), warnings.catch_warnings(), _bar(source, size) as bar:
        names, separator, _ = _header(text, source)
        places = _places(names, source)
        kinds: dict[int, Any] = dict.fromkeys(range(len(names)), "category")
        kinds |= dict.fromkeys(places, str)
        if "--reward" in source.columns:
            del kinds[places[list(source.columns).index("--reward")]]
        taken = [names[at] for at in places if names[at] not in source.columns.values()]
        if any(re.fullmatch(r"[-+]?[\d.,]+", name) for name in taken):
            said, options = " and ".join(map(repr, taken)), " and ".join(source.columns)
            why = f"must name the columns, but has {said}; say by {options} if these are names"
            raise BadFile(f"{source.name}: its first line {why}")
        # pandas only warns if all rows have too many fields.
        warnings.simplefilter("error", pd.errors.ParserWarning)
        reader = _Reader(text)
        try:
            pieces = pd.read_csv(
                reader,
                sep=separator,
                header=None,
                skipinitialspace=True,
                # All columns, or a row with too many fields would go unnoticed.
                names=list(range(len(names))),
                # Text stays text, "01" is not 1; of what is not looked at pandas keeps least so.
                dtype=kinds,
                # "NA" may be the name of an arm; only what is empty is missing.
                keep_default_na=False,
                na_values={at: [""] for at in places},
                low_memory=False,
                index_col=False,
                chunksize=PIECE,
            )
            with pieces:
                for piece in pieces:
                    rows.add(*(piece[at] for at in places))
                    bar.update((rows.total if size is None else raw.tell()) - bar.n)
        except BadRow as bad:
            place = bad.place
            where = _line(source, lambda at, _: at == place) or f"row {place + 1} below the names"
            column = names[places[bad.column]]
            raise BadFile(f"{source.name}, {where}, column {column!r}: {bad.why}") from None
        except (pd.errors.ParserError, pd.errors.ParserWarning) as problem:
            if reader.failed is not None:
                raise reader.failed from None
            if "Calling read(" in str(problem):  # interrupted before the reader could note it
                raise KeyboardInterrupt from None
            raise BadFile(_malformed(source, len(names), str(problem))) from None


def _malformed(source: Source, n_columns: int, problem: str) -> str:
    """What to say about rows that pandas cannot take apart."""
    if "EOF inside string" in problem:
        return f"{source.name}: a quotation mark is opened and never closed"
    if "Expected" in problem or "Length of header" in problem:
        row = re.search(r"in line (\d+)", problem)
        below = f"line {row[1] if row else 1} below the names"
        return (
            f"{source.name}, {_line(source, lambda _, row: len(row) > n_columns) or below}: more "
            f"fields than the {n_columns} columns that the first line names; quotation marks may "
            "be missing, or a separator ends the line"
        )
    return f"{source.name}: {problem.removeprefix('Error tokenizing data. C error: ')}"


def _line(source: Source, wanted: Callable[[int, list[str]], bool]) -> str | None:
    """The line on which the first wanted row begins; a stream cannot be read again.

    Rows may be longer than a line, and lines without anything but blanks are none.
    """
    if not os.path.isfile(source.path):
        return None
    with _opened(source) as (text, _):
        _, separator, above = _header(text, source)
        reader = _split(text, separator)
        place, begins = 0, above + 1
        for row in reader:
            if row and not (len(row) == 1 and not row[0].strip()):
                if wanted(place, row):
                    return f"line {begins}"
                place += 1
            begins = above + reader.line_num + 1
    return None


# -- Parquet -----------------------------------------------------------------------------------


def _read_parquet(source: Source, rows: Rows) -> None:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise BadFile(
            f"{source.name}: Parquet needs the package pyarrow, pip install 'maxgap[parquet]'"
        ) from None
    try:
        with (
            pq.ParquetFile(source.path) as file,
            _bar(source, file.metadata.num_rows) as bar,
        ):
            names = file.schema_arrow.names
            columns = [names[at] for at in _places(names, source)]
            for piece in file.iter_batches(batch_size=PIECE, columns=columns):
                rows.add(*(piece.column(name).to_pandas() for name in columns))
                bar.update(rows.total - bar.n)
    except BadRow as bad:
        message = f"{source.name}, row {bad.place + 1}, column {columns[bad.column]!r}: {bad.why}"
        raise BadFile(message) from None
    except pa.ArrowException as problem:
        raise BadFile(f"{source.name}: is not a readable Parquet file ({problem})") from None
