"""Sphinx extension: the book on paper. Cells show what they made and not their code.

Whoever wants to run the code has the page before them. Tables are set as tables, the package's own
listings stay, and verdicts stand once, in their chapter.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from bs4 import BeautifulSoup, NavigableString, Tag
from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx_proof.nodes import proof_node
from tables import captioned_table

_API = ("", "-policies", "-bounds", "-simulation", "-ratings", "-reference")
NOT_PRINTED = tuple(f"book/api{name}" for name in _API)
# On the first page: what has to be run by the reader, and links that cover a card.
RERUN, CARD_LINK = "index-rerun", "sd-stretched-link"
_MATHEMATICS = re.compile(r"\$([^$]+)\$")
# What of a block of HTML is a line of its own.
_LINES = ["p", "li", "summary", "h3", "h4"]


class LeaveOutCode(SphinxPostTransform):
    """Leave out the code of cells, and the output that a page folds: paper cannot be unfolded."""

    default_priority = 2
    formats = ("latex",)

    def run(self, **kwargs: Any) -> None:
        """Change the document in place."""
        for cell in list(self.document.findall(_is("cell_code"))):
            mode = cell.get("hide_mode") or ""
            unseen = ["cell_code_source"]
            if mode == "all" or "output" in mode:
                unseen.append("cell_code_output")
            for child in [c for c in cell.children if c.get("nb_element") in unseen]:
                cell.remove(child)
            if not cell.children:
                cell.parent.remove(cell)


class TypesetTables(SphinxPostTransform):
    """Set tables as tables: what myst-nb would choose for LaTeX is their plain text."""

    default_priority = 3  # before myst-nb chooses
    formats = ("latex",)

    def run(self, **kwargs: Any) -> None:
        """Change the document in place."""
        for bundle in list(self.document.findall(_is("mime_bundle"))):
            for choice in bundle.children:
                if choice.get("mime_type") == "text/html":
                    source = "".join(raw.astext() for raw in choice.findall(nodes.raw))
                    found = from_html(source)
                    if 'class="verdict"' in source and "verdict-filters" not in source:
                        # Paper has them once, where a page has them all and can filter them.
                        found = [nodes.paragraph("", "Claim by claim, with the evidence: ")]
                        found[0] += nodes.emphasis("", "Verdicts")
                        found[0] += nodes.Text(", at the end of the book.")
                    if found and isinstance(bundle.parent, captioned_table):
                        bundle.parent.replace_self(captioned(found, bundle.parent))
                    elif found or 'class="paper-map"' in source:
                        bundle.replace_self(found)
                    break


class OpenProofs(SphinxPostTransform):
    """Set proofs as text that ends in a square: sphinx-proof's box has an empty title."""

    default_priority = 3
    formats = ("latex",)

    def run(self, **kwargs: Any) -> None:
        """Change the document in place."""
        for proof in list(self.document.findall(proof_node)):
            end = nodes.raw("", r"\hfill\ensuremath{\square}", format="latex")
            (box,) = proof.children
            if isinstance(box[-1], nodes.paragraph):
                box[-1] += end
            else:
                box += nodes.paragraph("", "", end)
            proof.replace_self(box.children)


def _is(kind: str):
    return lambda node: isinstance(node, nodes.container) and node.get("nb_element") == kind


def from_html(source: str) -> list[nodes.Node]:
    """Tables of `source` as tables, its other lines as paragraphs."""
    soup = BeautifulSoup(source, "html.parser")
    # The tiles of the paper's map are links to what follows them.
    for unseen in soup.select("style, script, fieldset, details, .paper-map"):
        unseen.decompose()
    found: list[nodes.Node] = []
    for element in soup.find_all(["table", "article", *_LINES]):
        if element.name == "table":
            found += _of_table(element)
        elif element.name == "article":
            found += _of_verdict(element)
        elif element.find_parent("article"):
            continue
        elif element.find_parent("table") is None and element.find(_LINES) is None:
            found.append(nodes.paragraph("", "", *_inline(element)))
    return found


def captioned(found: list[nodes.Node], whole: captioned_table) -> list[nodes.Node]:
    """Give the caption and the label of `whole` to the first table in what was found in it."""
    caption = whole.next_node(nodes.caption)
    if caption is None:
        return found
    for table in found:
        if isinstance(table, nodes.table):
            table.insert(0, nodes.title("", "", *caption.children))
            table["ids"] += whole["ids"]
            return found
    return [nodes.paragraph("", "", *caption.children, ids=whole["ids"]), *found]


def _inline(element: Tag) -> Iterable[nodes.Node]:
    """Text with its mathematics, emphasis, indices and exponents."""
    marks = {
        "sub": nodes.subscript,
        "sup": nodes.superscript,
        "i": nodes.emphasis,
        "em": nodes.emphasis,
        "b": nodes.strong,
        "strong": nodes.strong,
        "code": nodes.literal,
    }
    for child in element.children:
        if isinstance(child, NavigableString):
            for number, part in enumerate(_MATHEMATICS.split(str(child))):
                if part:
                    yield nodes.math(part, part) if number % 2 else nodes.Text(part)
        elif isinstance(child, Tag) and "permalink" not in child.get("class", []):
            if child.name in marks:
                yield marks[child.name]("", "", *_inline(child))
            else:
                yield from _inline(child)


def _of_verdict(element: Tag) -> list[nodes.Node]:
    """One verdict: outcome, place and what was said in a line, then the evidence."""
    outcome, said, evidence = element.find_all("p")
    head = nodes.paragraph()
    for part in outcome.find_all("span", class_="place"):
        part.insert(0, " · ")
    head += [*_inline(outcome), nodes.Text(". "), nodes.strong("", "", *_inline(said))]
    return [head, nodes.paragraph("", "", *_inline(evidence))]


def _of_table(element: Tag) -> list[nodes.Node]:
    """A table; or a list of its rows if they are sentences, which no column of a page holds."""
    rows = [_row(row) for row in element.find_all("tr")]
    width = max(map(len, rows), default=1)
    head = len(element.thead.find_all("tr")) if element.thead else 0
    longest = [
        max((len(row[column].astext()) for row in rows if column < len(row)), default=0)
        for column in range(width)
    ]
    if width >= 4 and max(longest) > 60:
        return [_sentences(row) for row in rows[head:]]
    table = nodes.table()
    if element.caption:
        table += nodes.title("", "", *_inline(element.caption))
    group = nodes.tgroup(cols=width)
    group += [nodes.colspec(colwidth=1) for _ in range(width)]
    rows = [_filled(row, width) for row in rows]
    for kind, part in ((nodes.thead, rows[:head]), (nodes.tbody, rows[head:])):
        if part:
            group += kind("", *(nodes.row("", *row) for row in part))
    table += group
    if sum(longest) >= 75:
        return [table]  # as wide as the page; else as wide as it is
    table["classes"].append("colwidths-auto")
    spec = addnodes.tabular_col_spec()
    spec["spec"] = "".join(
        "r" if all(_is_number(row[n]) for row in rows[head:]) else "l" for n in range(width)
    )
    return [spec, table]


def _is_number(entry: nodes.entry) -> bool:
    text = entry.astext().strip()
    return not text or text[0].isdigit() or text[0] in "−∞"


def _sentences(row: list[nodes.entry]) -> nodes.paragraph:
    """One row in a paragraph, what heads it in bold."""
    paragraph = nodes.paragraph()
    for number, entry in enumerate(entry for entry in row if entry.astext().strip()):
        text = [child.deepcopy() for child in entry[0].children]
        paragraph += nodes.strong("", "", *text) if number == 0 else text
        paragraph += nodes.Text("" if entry.astext().rstrip().endswith((".", "?")) else ".")
        paragraph += nodes.Text(" ")
    return paragraph


def _row(row: Tag) -> list[nodes.entry]:
    entries = []
    for cell in row.find_all(["th", "td"]):
        entries.append(nodes.entry("", nodes.paragraph("", "", *_inline(cell))))
        # A cell over several columns stands in the first of them.
        entries += [nodes.entry() for _ in range(int(cell.get("colspan", 1)) - 1)]
    return entries


def _filled(row: list[nodes.entry], width: int) -> list[nodes.entry]:
    """Cells over several rows are missing from the later ones, at the left."""
    return [nodes.entry() for _ in range(width - len(row))] + row


def leave_out(app: Sphinx, document: nodes.document) -> None:
    """Take from the contents what is looked up and not read; number no part of the first page."""
    if app.builder.format != "latex":
        return
    for toctree in document.findall(addnodes.toctree):
        toctree["entries"] = [e for e in toctree["entries"] if e[1] not in NOT_PRINTED]
        toctree["includefiles"] = [f for f in toctree["includefiles"] if f not in NOT_PRINTED]
    if app.env.docname == app.config.root_doc:
        for section in [s for s in document.findall(nodes.section) if RERUN in s["ids"]]:
            section.parent.remove(section)
        for link in [n for n in document.findall(nodes.reference) if CARD_LINK in n["classes"]]:
            link.parent.remove(link)
        # Its sections would be chapters, and shift the numbers of all others.
        for section in list(document.findall(nodes.section))[1:]:
            title = section.next_node(nodes.title)
            heading = nodes.rubric("", "", *title.children, ids=section["ids"])
            section.replace_self([heading, *section.children[1:]])


def setup(app: Sphinx) -> dict[str, bool]:
    """Register what changes nothing but LaTeX."""
    app.connect("doctree-read", leave_out, priority=900)  # the contents are put in before
    app.add_post_transform(LeaveOutCode)
    app.add_post_transform(TypesetTables)
    app.add_post_transform(OpenProofs)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
