"""Verdicts: what a chapter of the book found about claims of the paper, shown and kept.

A chapter ends with ``offer("08-streetview", [...])``. The records go to ``book/records``, written
whole; the verdict page reads them. They are outputs like a notebook's own: committed, and made
again at every execution.
"""

from __future__ import annotations

import html
import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import yaml

from maxgap._saving import write_whole

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "ANSWERS",
    "OUTCOMES",
    "SCOPES",
    "SECTIONS",
    "Table",
    "chapters",
    "claim",
    "claims",
    "offer",
    "question",
    "questions",
    "read_all",
    "records",
    "tally",
]

Row = dict[str, str]

OUTCOMES = (
    "reproduced",
    "right after correcting a typo",
    "partly",
    "not reproduced",
    "wrong as stated",
)
"""What became of a claim of the paper."""

ANSWERS = ("yes", "partly", "no", "open")
"""What became of a question of ours."""

SECTIONS = (
    *("abstract", "1", "1.1", "1.2", "1.3", "2", "3", "3.1", "3.2", "4", "5", "6"),
    *("7", "7.1", "7.2", "8", "A", "B", "B.1", "B.2", "C", "D", "D.1", "D.2", "E"),
)
"""Where a claim may stand in the paper, in the paper's order."""

SCOPES = ("published size", "larger than published", "new experiment", "computed check", "proof")
"""What was tried."""


def claim(
    *,
    key: str,
    section: str,
    claim: str,
    place: str,
    scope: str,
    outcome: str,
    evidence: str,
    setting: str,
) -> Row:
    """One claim that the paper makes, once in the whole book: all strings.

    Parameters
    ----------
    key : str
        Unique in the book.
    section : str
        One of SECTIONS: where the paper makes it first and in full.
    claim : str
        What the paper says, in our words and read charitably.
    place : str
        Section, theorem, equation or figure, for a reader who looks it up.
    scope : str
        What was tried, one of SCOPES.
    outcome : str
        One of OUTCOMES.
    evidence : str
        The number with its interval.
    setting : str
        What gave it.

    Raises
    ------
    ValueError
        For an empty field, an unknown outcome, scope or section.

    Examples
    --------
    >>> row = claim(
    ...     key="streetview-ratio", section="7.1", claim="6 to 7 times fewer samples.",
    ...     place="Section 7.1", scope="published size", outcome="partly",
    ...     evidence="4.2 (3.1-5.0)", setting="120 runs",
    ... )
    >>> row["kind"], row["outcome"]
    ('claim', 'partly')
    """
    row = {
        "kind": "claim",
        "key": key,
        "section": section,
        "claim": claim,
        "place": place,
        "scope": scope,
        "outcome": outcome,
        "evidence": evidence,
        "setting": setting,
    }
    _check_words(row, section=SECTIONS, outcome=OUTCOMES, scope=SCOPES)
    return row


def question(
    *, key: str, question: str, answer: str, scope: str, evidence: str, setting: str
) -> Row:
    """One question of ours, which the paper does not answer: all strings.

    Parameters
    ----------
    key : str
        Unique in the book.
    question : str
        Can be answered by yes or no, and ends with a question mark.
    answer : str
        One of ANSWERS.
    scope : str
        What was tried, one of SCOPES.
    evidence : str
        The number with its interval, or where the proof is.
    setting : str
        What gave it.

    A ValueError says which field is empty or unknown, or that the question has no mark.

    Examples
    --------
    >>> row = question(
    ...     key="streetview-ratio-100", question="Is the gain the same with all 100 scenes?",
    ...     answer="no", scope="new experiment", evidence="2.1 (1.9-2.4)", setting="120 runs",
    ... )
    >>> row["answer"]
    'no'
    """
    row = {
        "kind": "question",
        "key": key,
        "question": question,
        "answer": answer,
        "scope": scope,
        "evidence": evidence,
        "setting": setting,
    }
    _check_words(row, answer=ANSWERS, scope=SCOPES)
    if not question.rstrip().endswith("?"):
        raise ValueError(f"question must end with a question mark, got {question!r}")
    return row


def _check_words(row: Row, **known: tuple[str, ...]) -> None:
    for field, value in row.items():
        if not isinstance(value, str) or not value.strip():
            raise ValueError(f"{field} must be a non-empty string, got {value!r}")
    for field, words in known.items():
        if row[field] not in words:
            raise ValueError(f"{field} must be one of {words}, got {row[field]!r}")


class Table(list[Row]):
    """Rows that show themselves, every field in full: the claims, then the questions."""

    def __repr__(self) -> str:
        return "\n\n".join(
            "\n".join(f"{field}: {row[field]}" for field in _shown(row)) for row in self
        )

    def _repr_html_(self) -> str:
        parts: dict[tuple[str, ...], list[Row]] = {tuple(_shown(row)): [] for row in self}
        for row in self:
            parts[tuple(_shown(row))].append(row)
        return "".join(_as_html(fields, rows) for fields, rows in parts.items())


def _shown(row: Row) -> list[str]:
    return [field for field in row if field not in ("kind", "key", "section", "chapter")]


def _as_html(fields: tuple[str, ...], rows: list[Row]) -> str:
    linked = "chapter" in rows[0]
    numbers = chapters() if linked else {}
    head = "".join(f"<th>{field}</th>" for field in (*fields, *["chapter"] * linked))
    body = ""
    for row in rows:
        cells = "".join(f"<td>{html.escape(row[field])}</td>" for field in fields)
        if linked:
            chapter = row["chapter"]
            cells += f'<td><a href="{chapter}.html">{numbers[chapter]}</a></td>'
        body += f"<tr>{cells}</tr>"
    return f'<table class="verdicts"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def _root() -> Path:
    here = Path.cwd()
    for root in (here, *here.parents, Path(__file__).parent.parent):
        if (root / "_toc.yml").exists() and (root / "book").is_dir():
            return root
    raise FileNotFoundError(
        f"no book around {here}: run the chapters in a clone of the repository, "
        "or install the package from one with 'pip install -e .'"
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


def offer(chapter: str, rows: Iterable[Row]) -> Table:
    """Keep the verdicts of a chapter (its file's name, no ending) and return them to be shown."""
    table = Table(rows)
    keys = [row["key"] for row in table]
    if len(set(keys)) < len(keys):
        raise ValueError(f"rows has a key twice: {keys}")
    folder = records()
    folder.mkdir(exist_ok=True)
    text = json.dumps(table, indent=1, ensure_ascii=False) + "\n"
    write_whole(folder / f"{chapter}.json", text)
    return table


def read_all() -> list[Row]:
    """All rows of all chapters, in the order of the book, each with its chapter's name."""
    return [
        row | {"chapter": chapter}
        for chapter in chapters()
        if (path := records() / f"{chapter}.json").exists()
        for row in json.loads(path.read_text(encoding="utf-8"))
    ]


def claims(rows: Iterable[Row]) -> Table:
    """The paper's claims among the rows, in the paper's order.

    Examples
    --------
    >>> late, early = {"kind": "claim", "section": "7.1"}, {"kind": "claim", "section": "abstract"}
    >>> [row["section"] for row in claims([late, {"kind": "question"}, early])]
    ['abstract', '7.1']
    """
    found = [row for row in rows if row["kind"] == "claim"]
    return Table(sorted(found, key=lambda row: SECTIONS.index(row["section"])))


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
