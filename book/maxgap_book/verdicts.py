"""Verdicts: what a chapter of the book found about claims of the paper, shown and kept.

The words stand in ``book/claims.yml``. A chapter ends with ``offer("streetview", {...})``, which
hands over, claim by claim, the outcome and the numbers that decided it. These go to
``book/records``, written whole; the verdict page reads them. They are outputs like a notebook's
own: committed, and made again at every execution.
"""

from __future__ import annotations

import json
import string
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import yaml

from maxgap_book.files import write_whole
from maxgap_book.verdict_blocks import block

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "ANSWERS",
    "OUTCOMES",
    "SCOPES",
    "SECTIONS",
    "Table",
    "chapters",
    "claims",
    "offer",
    "questions",
    "read",
    "read_all",
    "records",
    "tally",
    "words",
]

Row = dict[str, str]

OUTCOMES = (
    "reproduced",
    "right after correcting",
    "partly",
    "not reproduced",
    "wrong as stated",
)
"""What became of a claim of the paper."""

ANSWERS = ("yes", "partly", "no", "open")
"""What became of a question of ours."""

SECTIONS = {
    "abstract": "Abstract",
    "1": "1 Introduction",
    "1.1": "1.1 Problem statement",
    "1.2": "1.2 Sort, then search",
    "1.3": "1.3 Summary of results",
    "2": "2 Related work",
    "3": "3 Algorithms",
    "3.1": "3.1 Elimination",
    "3.2": "3.2 UCB algorithms",
    "4": "4 Bounds for gaps",
    "5": "5 Analysis",
    "6": "6 Lower bound",
    "7": "7 Experiments",
    "7.1": "7.1 Streetview",
    "7.2": "7.2 Simulated data",
    "8": "8 Conclusion",
    "A": "A The naive algorithm",
    "B": "B Bounds for gaps",
    "B.1": "B.1 Mixed integer programme",
    "B.2": "B.2 Validity of Algorithm 4",
    "C": "C Accuracy",
    "D": "D Sample complexity",
    "D.1": "D.1 MaxGapElim",
    "D.2": "D.2 MaxGapUCB",
    "E": "E Proof of the lower bound",
}
"""Where a claim may stand in the paper, in the paper's order, and what is said there."""

SCOPES = ("published size", "larger than published", "new experiment", "computed check", "proof")
"""What was tried."""


FIELDS = ("chapter", "at", "decided", "scope", "setting", "evidence")
"""What every entry of ``claims.yml`` has; a claim also section, place, claim; else a question."""

SHOWN = ("outcome", "place", "claim", "question", "evidence", "decided", "scope", "setting")
"""What of a row is for readers."""


@cache
def _entries(path: Path, changed: float) -> dict[str, Row]:
    entries: dict[str, Row] = yaml.safe_load(path.read_text(encoding="utf-8"))
    for key, entry in entries.items():
        named = ("section", "place", "claim") if "claim" in entry else ("question",)
        if set(entry) != {*FIELDS, *named}:
            raise ValueError(f"claims.yml, {key}: has {sorted(entry)}, not {[*FIELDS, *named]}")
        for field, value in entry.items():
            if not isinstance(value, str) or not value.strip():
                raise ValueError(f"claims.yml, {key}: {field} must be a text, got {value!r}")
        for field, known in (("section", SECTIONS), ("scope", SCOPES)):
            if entry.get(field, next(iter(known))) not in known:
                raise ValueError(f"claims.yml, {key}: unknown {field} {entry[field]!r}")
        if "question" in entry and not entry["question"].endswith("?"):
            raise ValueError(f"claims.yml, {key}: a question ends with a question mark")
    return entries


def words() -> dict[str, Row]:
    """Words of every verdict, by key, as ``book/claims.yml`` has them.

    Raises
    ------
    ValueError
        For an entry with a field too many, too few or empty, or an unknown scope or section.
    """
    path = _root() / "book" / "claims.yml"
    return _entries(path, path.stat().st_mtime)


def _row(key: str, found: Mapping[str, str | int]) -> Row:
    """The words of a verdict with its outcome and its numbers put in."""
    entry = words()[key]
    numbers = {name: str(value) for name, value in found.items() if name != "outcome"}
    wanted = {name for _, name, _, _ in string.Formatter().parse(entry["evidence"]) if name}
    if set(numbers) != wanted:
        raise ValueError(f"{key}: evidence is told {sorted(numbers)}, and names {sorted(wanted)}")
    kind = "claim" if "claim" in entry else "question"
    outcome = found.get("outcome")
    known = OUTCOMES if kind == "claim" else ANSWERS
    if outcome not in known:
        raise ValueError(f"{key}: outcome must be one of {known}, got {outcome!r}")
    evidence = entry["evidence"].format_map(numbers)
    return entry | {"key": key, "kind": kind, "outcome": str(outcome), "evidence": evidence}


class Table(list[Row]):
    """Rows that show themselves, a block each: the claims, then the questions."""

    def __repr__(self) -> str:
        return "\n\n".join(
            "\n".join(f"{field}: {row[field]}" for field in SHOWN if field in row) for row in self
        )

    def _repr_html_(self) -> str:
        rows = sorted(self, key=lambda row: row["kind"])
        numbers = chapters() if len({row["chapter"] for row in rows}) > 1 else None
        blocks = "".join(block(row, numbers) for row in rows)
        return f'<div class="verdicts">{blocks}</div>'


def _root() -> Path:
    here = Path.cwd()
    for root in (here, *here.parents, Path(__file__).parents[2]):
        if (root / "_toc.yml").exists() and (root / "book").is_dir():
            return root
    raise FileNotFoundError(
        f"no book around {here}: run the chapters in a clone of the repository, "
        "or install the book's package from one with 'pip install -e ./book'"
    )


def chapters() -> dict[str, int]:
    """Name of every chapter -> its number, in the order of the book, as ``_toc.yml`` has them.

    A chapter is whatever stands in a part that is numbered; its name is its file's, no ending.

    Raises
    ------
    FileNotFoundError
        Where there is no book.
    """
    toc = yaml.safe_load((_root() / "_toc.yml").read_text(encoding="utf-8"))
    parts = [part["chapters"] for part in toc["parts"] if part.get("numbered")]
    files = [Path(chapter["file"]).name for part in parts for chapter in part]
    return {name: number for number, name in enumerate(files, start=1)}


def read(name: str) -> str:
    """Text of a file of the folder ``book``, such as ``abstract.yml``.

    Raises
    ------
    FileNotFoundError
        Where there is no book, or no such file.
    """
    return (_root() / "book" / name).read_text(encoding="utf-8")


def records() -> Path:
    """Return the folder ``book/records`` of the book that is worked in.

    It is looked for around the present folder first, then beside this file: so a chapter may be run
    from the book's folder, from the repository, or from anywhere else.

    Raises
    ------
    FileNotFoundError
        Where there is no book.
    """
    return _root() / "book" / "records"


def offer(chapter: str, found: Mapping[str, Mapping[str, str | int]]) -> Table:
    """Keep the verdicts of a chapter (its file's name, no ending) and return them to be shown.

    Parameters
    ----------
    chapter : str
        As in ``claims.yml``.
    found : mapping of str to mapping
        Key of a verdict -> its ``outcome`` (of a claim one of OUTCOMES, of a question one of
        ANSWERS), and a number or a text for every brace of its evidence.

    Raises
    ------
    ValueError
        If a verdict of the chapter is missing, or one is not the chapter's; for an unknown
        outcome; for a number too many or too few.
    """
    own = {key for key, entry in words().items() if entry["chapter"] == chapter}
    if set(found) != own:
        raise ValueError(f"{chapter}: {sorted(set(found) ^ own)} are on one side only")
    ordered = {key: dict(found[key]) for key in words() if key in own}
    table = Table(_row(key, numbers) for key, numbers in ordered.items())
    folder = records()
    folder.mkdir(exist_ok=True)
    text = json.dumps(ordered, indent=1)
    write_whole(folder / f"{chapter}.json", text + "\n")
    return table


def read_all() -> Table:
    """All verdicts of all chapters, in the order of the book."""
    return Table(
        _row(key, found)
        for chapter in chapters()
        if (path := records() / f"{chapter}.json").exists()
        for key, found in json.loads(path.read_text(encoding="utf-8")).items()
    )


def claims(rows: Iterable[Row]) -> Table:
    """The paper's claims among the rows, in the paper's order.

    Examples
    --------
    >>> late, early = {"kind": "claim", "section": "7.1"}, {"kind": "claim", "section": "abstract"}
    >>> [row["section"] for row in claims([late, {"kind": "question"}, early])]
    ['abstract', '7.1']
    """
    found = [row for row in rows if row["kind"] == "claim"]
    return Table(sorted(found, key=lambda row: list(SECTIONS).index(row["section"])))


def questions(rows: Iterable[Row]) -> Table:
    """Our own questions among the rows, in their order.

    Examples
    --------
    >>> len(questions([{"kind": "claim"}, {"kind": "question"}]))
    1
    """
    return Table(row for row in rows if row["kind"] == "question")


def tally(rows: Iterable[Row]) -> pd.DataFrame:
    """Number of claims, scope by outcome; questions of ours are not counted.

    Examples
    --------
    >>> row = {"kind": "claim", "scope": "proof", "outcome": "partly"}
    >>> tally([row, {"kind": "question"}]).loc["all", "all"].item()
    1
    """
    import pandas as pd

    counted = [(row["scope"], row["outcome"]) for row in rows if row["kind"] == "claim"]
    frame = pd.DataFrame(counted, columns=["scope", "outcome"])
    counts = pd.crosstab(frame["scope"], frame["outcome"], margins=True, margins_name="all")
    return counts.reindex(index=[*SCOPES, "all"], columns=[*OUTCOMES, "all"], fill_value=0)
