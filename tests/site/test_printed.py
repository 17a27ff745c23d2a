"""The book on paper: what is left out, how tables are set, what TeX's log must not say."""

import re
import sys
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
from docutils import nodes
from docutils.utils import new_document

from maxgap_book import verdict_blocks

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "book" / "_ext"))

import printed  # noqa: E402
import tables  # noqa: E402
import typeset  # noqa: E402


def rows(table):
    """Texts of the cells of a docutils table, row by row."""
    return [
        [entry.astext() for entry in row.findall(nodes.entry)] for row in table.findall(nodes.row)
    ]


def cell(*parts, **options):
    """A cell of myst-nb with an input, an output, both or none of them."""
    found = nodes.container(nb_element="cell_code", **options)
    for kind, text in parts:
        found += nodes.container("", nodes.literal_block(text=text), nb_element=f"cell_code_{kind}")
    return found


@pytest.mark.parametrize(
    ("made", "left"),
    [
        (cell(("source", "def f():\n    1"), ("output", "1")), "1"),
        (cell(("source", "f()"), ("output", "1"), hide_mode="input"), "1"),
        (cell(("source", "f()"), ("output", "1"), hide_mode="output"), ""),
        (cell(("source", "f()"), ("output", "1"), hide_mode="input+output"), ""),
        (cell(("source", "f()"), ("output", "1"), hide_mode="all"), ""),
        (cell(("source", "f()")), ""),
        (cell(("output", "1")), "1"),
        (cell(), ""),
    ],
)
def test_of_a_cell_is_left_what_it_made_and_the_page_does_not_fold(made, left):
    document = new_document("")
    document += made
    printed.LeaveOutCode(document).run()
    assert document.astext() == left
    assert bool(document.children) == bool(left)


def on_paper(name, document):
    """The document after what is left out of the page `name`."""
    app = SimpleNamespace(
        builder=SimpleNamespace(format="latex"),
        env=SimpleNamespace(docname=name),
        config=SimpleNamespace(root_doc="book/index"),
    )
    printed.leave_out(app, document)
    return document


def test_nothing_of_the_first_page_has_to_be_run_or_pressed():
    rerun = nodes.section("", nodes.title(text="Run"), ids=["run", "index-rerun"])
    link = nodes.reference("", "see", refuri="x", classes=["sd-stretched-link"])
    document = new_document("")
    document += nodes.section("", nodes.title(text="Title"), rerun, nodes.paragraph("", "36", link))
    assert on_paper("book/index", document).astext() == "Title\n\n36"


@pytest.mark.parametrize(("name", "sections"), [("book/index", 1), ("book/other", 2)])
def test_the_first_page_has_no_chapters_of_its_own(name, sections):
    document = new_document("")
    inner = nodes.section("", nodes.title(text="Play"), nodes.paragraph(text="Now."), ids=["play"])
    document += nodes.section("", nodes.title(text="Title"), inner)
    on_paper(name, document)
    assert len(list(document.findall(nodes.section))) == sections
    assert document.astext() == "Title\n\nPlay\n\nNow."
    assert [n for n in document.findall(nodes.Element) if "play" in n.get("ids", [])]


def test_a_table_of_pandas_is_a_table_with_one_row_at_its_head():
    frame = pd.DataFrame({"samples": [10, 2000], "error": ["0.5", "0.1"]})
    frame.index = pd.Index(["MaxGapUCB", "RoundRobin"], name="policy")
    html = tables.with_one_head(tables.with_printed_numbers(frame.to_html()))
    columns, table = printed.from_html(html)
    assert columns["spec"] == "lrr"
    assert rows(table) == [
        ["policy", "samples", "error"],
        ["MaxGapUCB", "10", "0.5"],
        ["RoundRobin", "2,000", "0.1"],
    ]
    assert len(list(table.findall(nodes.thead))) == 1
    assert "colwidths-auto" in table["classes"]


def test_cells_over_several_rows_and_columns_keep_the_others_in_place():
    frame = pd.DataFrame(
        {"n": [1, 2, 3]}, index=pd.MultiIndex.from_tuples([(1, 1), (1, 2), (2, 1)])
    )
    _, table = printed.from_html(frame.to_html())
    assert rows(table)[1:] == [["1", "1", "1"], ["", "2", "2"], ["2", "1", "3"]]
    _, wide = printed.from_html("<table><tr><td colspan=2>a</td><td>b</td></tr></table>")
    assert rows(wide) == [["a", "", "b"]]


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        ("9396", "9,396"),
        ("-12345.678", "−12,345.678"),
        ("0.12345", "0.12345"),
        ("rho^-2, 1000 arms", "<i>ρ</i><sup>−2</sup>, 1,000 arms"),
        ("195,300 (126,800-inf)", "195,300 (126,800–∞)"),
        ("-200 (-300 to -200)", "−200 (−300 to −200)"),
        ("1e-10", "10<sup>−10</sup>"),
        ("2.5e6", "2.5·10<sup>6</sup>"),
        ("normal-mixture", "normal-mixture"),
        ("MaxGapTop2UCB", "MaxGap<wbr/>Top2UCB"),
        ("True", "yes"),
        ("False alarm", "False alarm"),
        ("&lt;NA&gt;", ""),
        ("a &lt; b", "a &lt; b"),
    ],
)
def test_a_cell_of_a_table_is_printed_and_not_dumped(stored, shown):
    assert tables.with_printed_numbers(f"<th>{stored}</th>") == f"<th>{shown}</th>"


def test_the_names_of_an_index_stand_above_it_in_as_few_rows_as_can_be():
    frame = pd.DataFrame({"n": [1, 2]}, index=pd.MultiIndex.from_product([["a"], [1, 2]]))
    unnamed = frame.to_html()
    assert tables.with_one_head(unnamed).count("<tr") == unnamed.count("<tr")
    named = frame.rename_axis(["case", "arm"]).to_html()
    assert tables.with_one_head(named).count("<tr") == named.count("<tr") - 1
    # Columns with a name of their own have no room for that of the index.
    both = frame.rename_axis(["case", "arm"]).rename_axis("what", axis="columns").to_html()
    assert tables.with_one_head(both).count("<tr") == both.count("<tr")


def test_the_caption_of_a_table_is_that_of_its_first_table_on_paper():
    caption = nodes.caption("", "What it shows.")
    whole = tables.captioned_table("", caption, ids=["tab-x"])
    found = printed.captioned(
        printed.from_html("<p>so</p><table><tr><td>1</td></tr></table>"), whole
    )
    (table,) = (node for node in found if isinstance(node, nodes.table))
    assert (table[0].astext(), table["ids"]) == ("What it shows.", ["tab-x"])
    assert isinstance(table[0], nodes.title)
    (first, _) = printed.captioned([nodes.paragraph("", "no table")], whole)
    assert (first.astext(), first["ids"]) == ("What it shows.", ["tab-x"])


def test_a_table_of_sentences_is_a_list():
    sentence = (
        "A sentence that no narrow column of a page can hold without breaking it in many places"
    )
    cells = f"<td>{sentence}?</td><td>yes</td><td></td><td>proof</td>"
    head = "<thead><tr><th>q</th><th>a</th><th>b</th><th>c</th></tr></thead>"
    (found,) = printed.from_html(f"<table>{head}<tr>{cells}</tr></table>")
    assert isinstance(found, nodes.paragraph)
    assert found.astext() == f"{sentence}? yes. proof. "
    assert found[0].astext() == f"{sentence}?"
    assert isinstance(found[0], nodes.strong)


def test_a_verdict_is_a_line_of_what_was_said_and_one_of_evidence():
    row = {
        "kind": "claim",
        "key": "x",
        "outcome": "partly",
        "place": "Theorem 1",
        "claim": "It is K.",
        "evidence": "4-5 of 5",
        "decided": "d",
        "setting": "s",
        "scope": "proof",
    }
    tiles = '<div class="paper-map"><ul><li>a link</li></ul></div>'
    head, evidence = printed.from_html(tiles + verdict_blocks.block(row))
    assert head.astext() == "◐ Partly · Theorem 1. It is K."
    assert evidence.astext() == "4–5 of 5"


def test_what_is_no_table_is_set_by_line_with_its_mathematics():
    found = printed.from_html(
        "<style>p {}</style><div><p>Let <i>γ</i><sub>max</sub> be $x^2$.</p><p><b>Yes</b>"
        '<a class="permalink" href="#x">#</a></p></div><fieldset><p>a box to tick</p></fieldset>'
    )
    assert [paragraph.astext() for paragraph in found] == ["Let γmax be x^2.", "Yes"]
    kinds = [type(child) for child in found[0].children]
    assert kinds == [
        nodes.Text,
        nodes.emphasis,
        nodes.subscript,
        nodes.Text,
        nodes.math,
        nodes.Text,
    ]


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        (
            r"Overfull \hbox (12.5pt too wide) in paragraph at lines 3--4",
            "a line sticks out by 12.5pt",
        ),
        (
            "LaTeX Warning: Hyper reference `a:b' on page 3 undefined on input line 9.",
            "leads nowhere",
        ),
        ("LaTeX Warning: Reference `a:b' on page 3 undefined on input line 9.", "leads nowhere"),
        (
            # TeX breaks a line after its 79th character.
            "LaTeX Warning: Hyper reference `book/notation:a-term-of-great-length' on page 5\n"
            " undefined on input line 369.",
            "leads nowhere",
        ),
        ("Missing character: There is no ✗ (U+2717) in font FreeSerif", "no font has ✗"),
    ],
)
def test_the_log_is_read(line, complaint):
    (found,) = typeset.complaints(f"This is XeTeX\n{line}\n\nmore\n")
    assert found.startswith(complaint)


def test_little_that_sticks_out_is_let_be_and_much_is_not():
    line = "Overfull \\hbox (3.0pt too wide) in paragraph at lines 3--4\n"
    assert typeset.complaints(line * typeset.MOST) == []
    (found,) = typeset.complaints(line * (typeset.MOST + 1))
    assert str(typeset.MOST + 1) in found


def test_the_workflow_installs_the_packages_that_make_names():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    (packages,) = re.findall(r"^TEX := (.*)$", makefile, re.MULTILINE)
    workflow = (ROOT / ".github" / "workflows" / "publish.yml").read_text(encoding="utf-8")
    assert f"--no-install-recommends {packages}\n" in workflow
