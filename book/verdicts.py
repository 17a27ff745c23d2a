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

from maxgap._saving import write_whole

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "FIELDS",
    "OUTCOMES",
    "SCOPES",
    "Table",
    "offer",
    "read_all",
    "records",
    "tally",
    "verdict",
    "with_outcome",
]

Row = dict[str, str]

OUTCOMES = ("reproduced", "partly", "not reproduced", "wrong as stated")
SCOPES = ("published size", "larger than published", "new experiment", "computed check", "proof")
FIELDS = ("key", "claim", "place", "scope", "outcome", "evidence", "setting")


def verdict(
    *, key: str, claim: str, place: str, scope: str, outcome: str, evidence: str, setting: str
) -> Row:
    """One row: all strings.

    Parameters
    ----------
    key : str
        Unique in the book.
    claim : str
        In our words.
    place : str
        Where the paper (or its scripts) makes it.
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
        For an empty field, an unknown outcome or an unknown scope.

    Examples
    --------
    >>> row = verdict(
    ...     key="streetview-ratio", claim="6 to 7 times fewer samples.", place="Section 7.1",
    ...     scope="published size", outcome="partly", evidence="4.2 (3.1-5.0)", setting="120 runs",
    ... )
    >>> row["outcome"]
    'partly'
    """
    row = dict(zip(FIELDS, (key, claim, place, scope, outcome, evidence, setting), strict=True))
    for field, value in row.items():
        if not isinstance(value, str) or not value.strip():
            raise ValueError(f"{field} must be a non-empty string, got {value!r}")
    if outcome not in OUTCOMES:
        raise ValueError(f"outcome must be one of {OUTCOMES}, got {outcome!r}")
    if scope not in SCOPES:
        raise ValueError(f"scope must be one of {SCOPES}, got {scope!r}")
    return row


class Table(list[Row]):
    """Rows that show themselves as a table, every field in full."""

    def __repr__(self) -> str:
        return "\n\n".join("\n".join(f"{f}: {row[f]}" for f in FIELDS) for row in self)

    def _repr_html_(self) -> str:
        linked = bool(self) and "chapter" in self[0]
        shown = [*FIELDS[1:], "chapter"] if linked else FIELDS[1:]
        head = "".join(f"<th>{field}</th>" for field in shown)
        body = ""
        for row in self:
            cells = "".join(f"<td>{html.escape(row[f])}</td>" for f in FIELDS[1:])
            if linked:
                chapter = row["chapter"]
                cells += f'<td><a href="{chapter}.html">{int(chapter[:2])}</a></td>'
            body += f"<tr>{cells}</tr>"
        return (
            f'<table class="verdicts"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
        )


def records() -> Path:
    """Return the folder ``book/records`` of the book that is worked in.

    It is looked for around the present folder first, then beside this file: so a chapter may be run
    from the book's folder, from the repository, or from anywhere else.

    Raises
    ------
    FileNotFoundError
        Where there is no book.
    """
    here = Path.cwd()
    for root in (here, *here.parents, Path(__file__).parent.parent):
        if (root / "book" / "12-verdicts.ipynb").exists():
            return root / "book" / "records"
    raise FileNotFoundError(
        f"no book around {here}: run the chapters in a clone of the repository, "
        "or install the package from one with 'pip install -e .'"
    )


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
        row | {"chapter": path.stem}
        for path in sorted(records().glob("*.json"))
        for row in json.loads(path.read_text(encoding="utf-8"))
    ]


def with_outcome(rows: Iterable[Row], *outcomes: str) -> Table:
    """The rows with one of these outcomes, as a table, in the order of the book.

    Examples
    --------
    >>> rows = [{"key": "a", "outcome": "partly"}, {"key": "b", "outcome": "reproduced"}]
    >>> len(with_outcome(rows, "partly", "not reproduced"))
    1
    """
    return Table(row for row in rows if row["outcome"] in outcomes)


def tally(rows: Iterable[Row]) -> pd.DataFrame:
    """Number of verdicts, scope by outcome.

    Examples
    --------
    >>> tally([{"scope": "proof", "outcome": "partly"}]).loc["proof", "partly"].item()
    1
    """
    import pandas as pd

    frame = pd.DataFrame(list(rows))
    counts = pd.crosstab(frame["scope"], frame["outcome"], margins=True, margins_name="all")
    return counts.reindex(index=[*SCOPES, "all"], columns=[*OUTCOMES, "all"], fill_value=0)
