"""Verdicts: what a chapter found about claims of the paper, shown there and kept for the last page.

A chapter ends with ``offer("08-streetview", [...])``. The records go to ``records/`` beside the
chapters, written whole; the verdict page reads them. They are outputs like a notebook's own:
committed, and made again at every execution.
"""

import html
import json
from pathlib import Path

RECORDS = Path(__file__).parent / "records"

OUTCOMES = ("reproduced", "partly", "not reproduced", "wrong as stated")
SCOPES = ("published size", "larger than published", "new experiment", "computed check", "proof")
FIELDS = ("key", "claim", "place", "scope", "outcome", "evidence", "setting")


def verdict(*, key, claim, place, scope, outcome, evidence, setting):
    """One row: all strings.

    ``key`` is unique in the book; ``claim`` is in our words; ``place`` is where the paper (or its
    scripts) makes it; ``scope`` says what was tried, one of SCOPES; ``outcome`` is one of OUTCOMES;
    ``evidence`` is the number with its interval; ``setting`` is what gave it.
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


class Table(list):
    """Rows that show themselves as a table, every field in full."""

    def __repr__(self):
        return "\n\n".join("\n".join(f"{f}: {row[f]}" for f in FIELDS) for row in self)

    def _repr_html_(self):
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


def offer(chapter, rows):
    """Keep the verdicts of a chapter (its file's name, no ending) and return them to be shown."""
    keys = [row["key"] for row in rows]
    if len(set(keys)) < len(keys):
        raise ValueError(f"rows has a key twice: {keys}")
    RECORDS.mkdir(exist_ok=True)
    temporary = RECORDS / f"{chapter}.part"
    temporary.write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    temporary.replace(RECORDS / f"{chapter}.json")
    return Table(rows)


def read_all():
    """All rows of all chapters, in the order of the book, each with its chapter's name."""
    return [
        row | {"chapter": path.stem}
        for path in sorted(RECORDS.glob("*.json"))
        for row in json.loads(path.read_text(encoding="utf-8"))
    ]


def with_outcome(rows, *outcomes):
    """The rows with one of these outcomes, as a table, in the order of the book."""
    return Table(row for row in rows if row["outcome"] in outcomes)


def tally(rows):
    """Number of verdicts, scope by outcome."""
    import pandas as pd

    frame = pd.DataFrame(rows)
    counts = pd.crosstab(frame["scope"], frame["outcome"], margins=True, margins_name="all")
    return counts.reindex(index=[*SCOPES, "all"], columns=[*OUTCOMES, "all"], fill_value=0)
