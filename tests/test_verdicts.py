"""Verdicts: what the chapters print, what is kept, and what the last page shows are the same."""

import html
import json
import sys
from pathlib import Path

import pytest

BOOK = Path(__file__).parent.parent / "book"
sys.path.insert(0, str(BOOK))
import verdicts  # noqa: E402  (a module of the book, found through the line above)

RECORDS = sorted((BOOK / "records").glob("*.json"))
ROW = {
    "key": "a",
    "claim": "b",
    "place": "c",
    "scope": "proof",
    "outcome": "partly",
    "evidence": "1 < 2",
    "setting": "d",
}


def printed(chapter):
    """All that the cells of a chapter show, as HTML."""
    notebook = json.loads((BOOK / f"{chapter}.ipynb").read_text(encoding="utf-8"))
    return "\n".join(
        "".join(output["data"].get("text/html", ""))
        for cell in notebook["cells"]
        for output in cell.get("outputs", [])
        if "data" in output
    )


def table_row(record):
    return "".join(f"<td>{html.escape(record[field])}</td>" for field in verdicts.FIELDS[1:])


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_every_kept_record_is_what_its_chapter_prints(path):
    shown = printed(path.stem)
    records = json.loads(path.read_text(encoding="utf-8"))
    assert records
    for record in records:
        assert verdicts.verdict(**record) == record
        assert table_row(record) in shown
    assert shown.count('<table class="verdicts">') == 1
    assert shown.split('<table class="verdicts">')[1].count("<tr>") == len(records) + 1


def test_the_verdict_page_shows_every_verdict_once():
    shown = printed("12-verdicts")
    rows = verdicts.read_all()
    for row in rows:
        assert shown.count(table_row(row)) == 1, row["key"]
        assert f'<a href="{row["chapter"]}.html">' in shown
    assert shown.count("<tr><td>") == len(rows)


def test_every_chapter_offers_verdicts():
    chapters = {path.stem for path in BOOK.glob("[0-9][0-9]-*.ipynb")} - {"12-verdicts"}
    assert chapters == {path.stem for path in RECORDS}


def test_keys_are_unique_in_the_book():
    keys = [row["key"] for row in verdicts.read_all()]
    assert len(set(keys)) == len(keys)


def test_a_verdict_needs_known_words_and_every_field():
    assert verdicts.verdict(**ROW) == ROW
    for field, value in [("outcome", "true"), ("scope", "big"), ("evidence", " "), ("claim", 3)]:
        with pytest.raises(ValueError, match=field):
            verdicts.verdict(**ROW | {field: value})


def test_offered_rows_are_written_whole_and_refused_if_a_key_is_twice(tmp_path, monkeypatch):
    monkeypatch.setattr(verdicts, "RECORDS", tmp_path / "records")
    table = verdicts.offer("01-x", [ROW])
    assert "1 &lt; 2" in table._repr_html_()
    with pytest.raises(ValueError, match="twice"):
        verdicts.offer("01-x", [ROW, ROW])
    assert [path.name for path in (tmp_path / "records").iterdir()] == ["01-x.json"]
    assert verdicts.read_all() == [ROW | {"chapter": "01-x"}]
    assert verdicts.tally([ROW]).loc["proof", "partly"] == 1
