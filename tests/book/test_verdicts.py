"""Verdicts: what the chapters print, what is kept, and what the last page shows are the same."""

import json
import re
import sys
from pathlib import Path

import nbformat
import pytest
import yaml
from nbclient import NotebookClient

import maxgap
from maxgap_book import verdict_blocks, verdicts

BOOK = Path(__file__).parents[2] / "book"
RECORDS = sorted((BOOK / "records").glob("*.json"))
TOC = """
parts:
  - numbered: true
    chapters: [{file: book/last-by-name}, {file: book/01-x}]
  - chapters: [{file: book/api}]
"""
CLAIMS = """
a:
  chapter: 01-x
  at: A heading
  section: "7.1"
  place: c
  claim: b
  decided: d
  scope: proof
  setting: e
  evidence: "1 < {two}"
b:
  chapter: last-by-name
  at: An arm's $K$
  question: Why not?
  decided: d
  scope: proof
  setting: e
  evidence: f
"""
FOUND = {"a": {"outcome": "partly", "two": 2}}


def printed(chapter):
    """All that the cells of a chapter show, as HTML."""
    notebook = json.loads((BOOK / f"{chapter}.ipynb").read_text(encoding="utf-8"))
    return "\n".join(
        "".join(output["data"].get("text/html", ""))
        for cell in notebook["cells"]
        for output in cell.get("outputs", [])
        if "data" in output
    )


def headings(chapter):
    notebook = json.loads((BOOK / f"{chapter}.ipynb").read_text(encoding="utf-8"))
    text = "\n".join(
        "".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "markdown"
    )
    return re.findall("^##+ (.*)$", text, re.MULTILINE)


@pytest.mark.parametrize("chapter", [path.stem for path in RECORDS])
def test_every_kept_verdict_is_what_its_chapter_prints(chapter):
    shown = printed(chapter)
    rows = [row for row in verdicts.read_all() if row["chapter"] == chapter]
    assert rows
    for row in rows:
        assert verdict_blocks.block(row) in shown
        assert row["at"] in headings(chapter)
    assert shown.count('<article class="verdict"') == len(rows)


def test_the_verdict_page_shows_every_verdict_once():
    shown = printed("verdicts")
    rows = verdicts.read_all()
    for row in rows:
        assert shown.count(verdict_blocks.block(row, verdicts.chapters())) == 1, row["key"]
    assert shown.count('<article class="verdict"') == len(rows)


def test_the_map_has_a_tile_for_every_claim_and_a_box_for_every_outcome_that_occurs():
    shown = printed("verdicts")
    rows = verdicts.read_all()
    found = {row["outcome"] for row in rows}
    links = re.findall('<li><a href="#(claim-[^"]*)" data-outcome="([^"]*)"', shown)
    claims = verdicts.claims(rows)
    assert links == [(f"claim-{row['key']}", row["outcome"].replace(" ", "-")) for row in claims]
    for outcome in (*verdicts.OUTCOMES, *verdicts.ANSWERS):
        name = outcome.replace(" ", "-")
        assert (f'class="show-{name}"' in shown) == (outcome in found)
        assert f'data-outcome="{name}"' in (BOOK / "_static" / "book.css").read_text("utf-8")


@pytest.mark.parametrize(
    ("plain", "expected"),
    [
        ("Delta_min^2", "<i>Δ</i><sub>min</sub><sup>2</sup>"),
        ("(sigma / naive gamma)^2", "(<i>σ</i> / naive <i>γ</i>)<sup>2</sup>"),
        ("exponent -2.1 (-2.2 to -2)", "exponent −2.1 (−2.2 to −2)"),
        ("eq. (1) - (3), lil-UCB, x-1, 2019-11", "eq. (1) − (3), lil-UCB, x-1, 2019-11"),
        ("sigmas, number, taunt, gamma-free", "sigmas, number, taunt, gamma-free"),
        ("a < b & c", "a &lt; b &amp; c"),
        ("mu_(0) = -infinity", "<i>μ</i><sub>(0)</sub> = −∞"),
        ("rho^l_a", "<i>ρ</i><sup>l</sup><sub>a</sub>"),
        ("MaxGapElim, K = 90", "MaxGapElim, <i>K</i> = 90"),
    ],
)
def test_mathematics_in_a_line_is_set_and_words_are_left_alone(plain, expected):
    assert verdict_blocks.typeset(plain) == expected


def test_every_verdict_is_offered_by_its_chapter():
    rows = verdicts.read_all()
    assert {row["key"]: row["chapter"] for row in rows} == {
        key: entry["chapter"] for key, entry in verdicts.words().items()
    }
    assert {row["chapter"] for row in rows} == {*verdicts.chapters()} - {"verdicts"}


def test_the_abstract_leads_to_claims_and_says_what_became_of_them():
    sentences = yaml.safe_load(verdicts.read("abstract.yml"))
    claims = {row["key"]: row for row in verdicts.claims(verdicts.read_all())}
    judged = [sentence["claim"] for sentence in sentences if "claim" in sentence]
    assert len(set(judged)) == len(judged) >= 6
    whole = verdict_blocks.Abstract(sentences, claims.values(), "verdicts.html")
    shown = whole._repr_html_()
    for key in judged:
        assert f'<a href="verdicts.html#claim-{key}"' in shown
        outcome = claims[key]["outcome"]
        assert f"{verdict_blocks.ICONS[outcome]}</span> {outcome}</span>" in shown
        assert f" ({outcome})" in repr(whole)
    here = verdict_blocks.Abstract(sentences, claims.values(), "")
    assert here._repr_html_() in printed("verdicts")


def test_the_page_has_the_claims_in_the_papers_order_then_the_questions():
    shown = printed("verdicts")
    rows = [*verdicts.claims(verdicts.read_all()), *verdicts.questions(verdicts.read_all())]
    numbers = verdicts.chapters()
    places = [shown.index(verdict_blocks.block(row, numbers)) for row in rows]
    assert places == sorted(places)
    order = [
        list(verdicts.SECTIONS).index(row["section"]) for row in rows if row["kind"] == "claim"
    ]
    assert order == sorted(order)
    assert len(order) == verdicts.tally(rows).loc["all", "all"]


@pytest.fixture
def empty_book(tmp_path):
    """A clone with no records; its table of contents names two chapters and another page."""
    (tmp_path / "book").mkdir()
    (tmp_path / "_toc.yml").write_text(TOC, encoding="utf-8")
    (tmp_path / "book" / "claims.yml").write_text(CLAIMS, encoding="utf-8")
    return tmp_path / "book"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("scope: proof", "scope: big", "unknown scope 'big'"),
        ('section: "7.1"', 'section: "9"', "unknown section '9'"),
        ("  claim: b\n", "", r"a: has .*, not"),
        ("  setting: e\n", "  setting: ' '\n", "setting must be a text"),
        ("  place: c\n", "  place: 3\n", "place must be a text"),
        ("Why not?", "It does.", "question mark"),
    ],
)
def test_words_of_a_verdict_are_complete_and_known(empty_book, monkeypatch, old, new, said):
    monkeypatch.chdir(empty_book)
    (empty_book / "claims.yml").write_text(CLAIMS.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ValueError, match=said):
        verdicts.words()


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ({}, r"\['a'\] are on one side"),
        (FOUND | {"b": {"outcome": "yes"}}, r"\['b'\] are on one side"),
        ({"a": {"outcome": "partly"}}, "evidence"),
        ({"a": FOUND["a"] | {"three": 3}}, "evidence"),
        ({"a": FOUND["a"] | {"outcome": "yes"}}, "outcome must be one of"),
        ({"a": {"two": 2}}, "outcome must be one of"),
    ],
)
def test_what_a_chapter_hands_over_fits_the_words_and_nothing_is_written_else(
    empty_book, monkeypatch, found, said
):
    monkeypatch.chdir(empty_book)
    with pytest.raises(ValueError, match=said):
        verdicts.offer("01-x", found)
    assert not (empty_book / "records").exists()


def test_offered_verdicts_are_written_whole(empty_book, monkeypatch):
    monkeypatch.chdir(empty_book)
    table = verdicts.offer("01-x", FOUND)
    assert "1 &lt; 2" in table._repr_html_()
    assert [path.name for path in (empty_book / "records").iterdir()] == ["01-x.json"]
    (row,) = verdicts.read_all()
    assert (row["key"], row["kind"], row["outcome"]) == ("a", "claim", "partly")
    assert row["evidence"] == "1 < 2"
    assert verdicts.tally([row]).loc["proof", "partly"] == 1


def test_order_and_number_of_a_chapter_come_from_the_table_of_contents(empty_book, monkeypatch):
    monkeypatch.chdir(empty_book)
    assert verdicts.chapters() == {"last-by-name": 1, "01-x": 2}
    verdicts.offer("01-x", FOUND)
    verdicts.offer("last-by-name", {"b": {"outcome": "open"}})
    assert [row["key"] for row in verdicts.read_all()] == ["b", "a"]
    shown = verdicts.read_all()._repr_html_()
    assert '<a href="last-by-name.html#an-arms-k">Chapter 1, An arm\'s K</a>' in shown
    assert '<a href="01-x.html#a-heading">Chapter 2, A heading</a>' in shown


def test_every_numbered_chapter_is_a_notebook_and_every_notebook_a_chapter():
    assert {path.stem for path in BOOK.glob("*.ipynb")} == set(verdicts.chapters())


def test_chapters_are_executed_in_their_order(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(BOOK / "_ext"), *sys.path])
    from chapters import in_order

    expected = [f"book/{name}" for name in verdicts.chapters() if name != "verdicts"]
    expected.append("book/verdicts")  # which reads what the others found
    pages = sorted([*expected, "book/api", "book/index"])
    assert pages[2:] != expected
    in_order(None, None, pages)
    assert pages == ["book/api", "book/index", *expected]


def test_records_are_those_of_the_book_around_the_present_folder_or_beside_the_module(
    empty_book, tmp_path_factory, monkeypatch
):
    for folder in (empty_book, empty_book.parent):
        monkeypatch.chdir(folder)
        assert verdicts.records() == empty_book / "records"
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    monkeypatch.chdir(elsewhere)
    assert verdicts.records() == BOOK / "records"
    monkeypatch.setattr(
        verdicts, "__file__", str(elsewhere / "book" / "maxgap_book" / "verdicts.py")
    )
    with pytest.raises(FileNotFoundError, match="no book around"):
        verdicts.records()


@pytest.mark.parametrize("where", ["the repository", "another folder"])
def test_a_chapter_runs_from_any_folder_and_shows_what_is_stored(where, tmp_path):
    stored = nbformat.read(BOOK / "verdicts.ipynb", as_version=4)
    again = nbformat.read(BOOK / "verdicts.ipynb", as_version=4)
    folder = BOOK.parent if where == "the repository" else tmp_path
    NotebookClient(again, resources={"metadata": {"path": str(folder)}}).execute()
    for old, new in zip(stored.cells, again.cells, strict=True):
        if old.cell_type == "code":
            assert [o.get("data") for o in new.outputs] == [o.get("data") for o in old.outputs]


def test_verdicts_offered_from_the_repository_land_in_the_books_records(empty_book):
    cell = nbformat.v4.new_code_cell(
        f"from maxgap_book.verdicts import offer\noffer('01-x', {FOUND!r})"
    )
    notebook = nbformat.v4.new_notebook(cells=[cell])
    resources = {"metadata": {"path": str(empty_book.parent)}}
    NotebookClient(notebook, resources=resources).execute()
    kept = json.loads((empty_book / "records" / "01-x.json").read_text(encoding="utf-8"))
    assert kept == FOUND


def test_the_package_itself_needs_no_book():
    package = Path(maxgap.__file__).parent
    sources = {path.name: path.read_text("utf-8") for path in package.rglob("*.py")}
    assert [name for name, text in sources.items() if "_book" in text] == []
