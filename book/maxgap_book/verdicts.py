"""Verdicts: what a chapter of the book found about claims of the paper, shown and kept.

A chapter ends with ``offer("08-streetview", [...])``. The records go to ``book/records``, written
whole; the verdict page reads them. They are outputs like a notebook's own: committed, and made
again at every execution.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
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


FIELDS = {
    "claim": ("key", "section", "claim", "place", "scope", "outcome", "evidence", "setting"),
    "question": ("key", "question", "answer", "scope", "evidence", "setting"),
}
"""What a row of each kind says, in order."""

UNSHOWN = ("kind", "key", "at", "section", "chapter")
"""What of a row is for machines."""


def claim(**said: str) -> Row:
    """One claim that the paper makes, once in the whole book.

    Other Parameters
    ----------------
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
        For a missing, empty or other field, an unknown outcome, scope or section.

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
    return _row("claim", said, section=SECTIONS, outcome=OUTCOMES, scope=SCOPES)


def question(**said: str) -> Row:
    """One question of ours, which the paper does not answer.

    Other Parameters
    ----------------
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

    Raises
    ------
    ValueError
        As `claim`, and for a question without its mark.

    Examples
    --------
    >>> row = question(
    ...     key="streetview-ratio-100", question="Is the gain the same with all 100 scenes?",
    ...     answer="no", scope="new experiment", evidence="2.1 (1.9-2.4)", setting="120 runs",
    ... )
    >>> row["answer"]
    'no'
    """
    row = _row("question", said, answer=ANSWERS, scope=SCOPES)
    if not row["question"].rstrip().endswith("?"):
        raise ValueError(f"question must end with a question mark, got {row['question']!r}")
    return row


def _row(kind: str, said: Row, **known: Iterable[str]) -> Row:
    """The fields of a kind in their order, or a ValueError."""
    if said.keys() != set(FIELDS[kind]):
        raise ValueError(f"a {kind} needs the fields {FIELDS[kind]}, got {tuple(said)}")
    for field, value in said.items():
        if not isinstance(value, str) or not value.strip():
            raise ValueError(f"{field} must be a non-empty string, got {value!r}")
    for field, words in known.items():
        if said[field] not in words:
            raise ValueError(f"{field} must be one of {tuple(words)}, got {said[field]!r}")
    return {"kind": kind} | {field: said[field] for field in FIELDS[kind]}


class Table(list[Row]):
    """Rows that show themselves, a block each: the claims, then the questions."""

    def __repr__(self) -> str:
        return "\n\n".join(
            "\n".join(f"{field}: {row[field]}" for field in row if field not in UNSHOWN)
            for row in self
        )

    def _repr_html_(self) -> str:
        rows = sorted(self, key=lambda row: row["kind"])
        numbers = chapters() if any("chapter" in row for row in rows) else None
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


def offer(chapter: str, rows: Iterable[Row], sections: Mapping[str, Iterable[str]]) -> Table:
    """Keep the verdicts of a chapter (its file's name, no ending) and return them to be shown.

    ``sections`` says where the numbers come from: a heading of the chapter -> keys of its rows.

    A ValueError names keys that come twice, and those that have no section or no row.
    """
    rows = list(rows)
    keys = [row["key"] for row in rows]
    placed = [(key, heading) for heading, found in sections.items() for key in found]
    if len(set(keys)) < len(keys) or len(dict(placed)) < len(placed):
        raise ValueError(f"a key comes twice in {keys} or {placed}")
    if set(keys) != set(dict(placed)):
        raise ValueError(f"{sorted(set(keys) ^ set(dict(placed)))}: no section, or no row")
    table = Table(row | {"at": dict(placed)[row["key"]]} for row in rows)
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
