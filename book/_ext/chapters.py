"""Sphinx extension: chapters are executed in their order; a failure ends in one clear line."""

from __future__ import annotations

import atexit
import math
import re
import sys
from pathlib import Path

from docutils import nodes
from myst_nb.core.execute import ExecutionError
from myst_nb.sphinx_ import Parser
from sphinx.application import Sphinx
from sphinx.errors import SphinxError

from maxgap_book.verdicts import chapters

_ANSI = re.compile(r"\x1b\[[0-9;]*m")


class ChapterError(SphinxError):
    """A cell of a chapter raised."""

    category = "A chapter failed"


def describe_failure(error: BaseException) -> str:
    """Say in one line which cell failed and why, e.g. ``cell [3], line 2: ValueError: ...``."""
    text = _ANSI.sub("", str(error))
    # IPython marks every frame that lies in a cell; the first is the cell that was running.
    place = re.search(r"Cell In\s?\[(\d+)\], line (\d+)", text)
    where = f"cell [{place[1]}], line {place[2]}" if place else "a cell"
    name = getattr(error, "ename", type(error).__name__)
    value = getattr(error, "evalue", text.strip().splitlines()[0] if text.strip() else "")
    return f"{where}: {name}: {_ANSI.sub('', value)}"


class ChapterParser(Parser):
    """The parser of myst-nb, with a readable message when a notebook cannot be executed."""

    def parse(self, inputstring: str, document: nodes.document) -> None:
        """Parse, and so execute, one chapter."""
        try:
            super().parse(inputstring, document)
        except ExecutionError as error:
            chapter = Path(str(error)).name
            failure = f"{chapter}, {describe_failure(error.__cause__ or error)}"
            # jupyter-book ends in a long traceback of its own; the reason is said after it.
            atexit.register(print, f"A chapter failed: {failure}", file=sys.stderr)
            raise ChapterError(failure) from error


def in_order(app: Sphinx, env: object, docnames: list[str]) -> None:
    """Sort the pages to be read in place: the verdict page, last, reads what others offer."""
    numbers = chapters() | {"verdicts": math.inf}
    docnames.sort(key=lambda name: numbers.get(Path(name).name, 0))


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the parser in place of myst-nb's, and the order of reading."""
    app.setup_extension("myst_nb")
    app.add_source_parser(ChapterParser, override=True)
    app.connect("env-before-read-docs", in_order)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
