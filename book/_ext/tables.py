"""Sphinx extension: tables of a notebook have numbered captions, and numbers are printed.

A cell gives its table a caption as it gives a figure one, in `mystnb.figure` of its metadata. What
a notebook stores is left as it is; the page shows 9396 as 9,396, gamma as a letter, True as yes.
"""

from __future__ import annotations

import html
import re
from typing import Any

from bs4 import BeautifulSoup
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx.transforms.post_transforms import SphinxPostTransform

from maxgap_book.verdict_blocks import typeset

_CELL = re.compile(r"(<t[dh][^>]*>)([^<]*)(?=</t[dh]>)")
_WORDS = {"True": "yes", "False": "no", "nan": "", "NaN": "", "None": "", "<NA>": "", "NaT": ""}
_WHOLE = re.compile(r"(?<![\w.,])\d{4,}(?![\w,])")
_WORDED = re.compile(r"[A-Za-z]\S* \S+ ")  # words, which are read from the left
_POLICY = re.compile(r"(?<=MaxGap)(?=[A-Z])")


class captioned_table(nodes.figure):
    """A table that a cell made, and its caption above it."""


class CaptionTables(SphinxTransform):
    """Take for tables what a cell with a caption made and what is no picture."""

    default_priority = 5

    def apply(self, **kwargs: Any) -> None:
        """Change the document in place."""
        for figure in list(self.document.findall(nodes.figure)):
            bundles = [c for c in figure.children if c.get("nb_element") == "mime_bundle"]
            raws = [raw for bundle in bundles for raw in bundle.findall(nodes.raw)]
            if not any("<table" in raw.astext() for raw in raws):
                continue
            table = captioned_table("", **figure.attributes)
            table["classes"].append("captioned-table")
            captions = [c for c in figure.children if isinstance(c, nodes.caption)]
            table += captions + [c for c in figure.children if c not in captions]
            for ids in figure["ids"]:
                self.document.ids[ids] = table
            figure.replace_self(table)


class PrintTables(SphinxTransform):
    """Print the numbers of the tables that cells made, and heads in as few rows as they need."""

    default_priority = 5

    def apply(self, **kwargs: Any) -> None:
        """Change the document in place."""
        for raw in self.document.findall(nodes.raw):
            if 'class="dataframe"' in raw.astext():
                raw.children = [nodes.Text(with_one_head(with_printed_numbers(raw.astext())))]


class PrintText(SphinxPostTransform):
    """Print the numbers that cells computed for the text, and those that they printed."""

    default_priority = 6  # after those of other pages are there

    def run(self, **kwargs: Any) -> None:
        """Change the document in place."""
        for pasted in self.document.findall(nodes.inline):
            if "pasted-text" in pasted["classes"]:
                pasted.children = [nodes.Text(with_dashes(pasted.astext()))]
        for block in self.document.findall(nodes.literal_block):
            if "stream" in block["classes"]:
                block.children = [nodes.Text(with_dashes(block.astext()))]
                block.rawsource = block.astext()


def with_dashes(text: str) -> str:
    """Print ranges and negative numbers.

    >>> with_dashes("-0.5 (-0.8--0.1), 4.9 (4.5-5.1) or 30%-40%, normal-mixture")
    '−0.5 (−0.8–−0.1), 4.9 (4.5–5.1) or 30%–40%, normal-mixture'
    """
    return re.sub(r"(?<![\w)%-])-(?=[\d.])|(?<=–)-", "−", re.sub(r"(?<=[\d%])-(?=-?\d)", "–", text))


def with_printed_numbers(table: str) -> str:
    """Print the cells of a table of pandas.

    >>> with_printed_numbers("<th>rho_a</th><td>-9396.5</td><td>0.5-1000</td><td>True</td>")
    '<th><i>ρ</i><sub>a</sub></th><td>−9,396.5</td><td>0.5–1,000</td><td>yes</td>'
    >>> with_printed_numbers("<th>MaxGapElim</th><td>for the right gap alone</td>")
    '<th>MaxGap<wbr/>Elim</th><td class="text">for the right gap alone</td>'
    """

    def shown(cell: re.Match[str]) -> str:
        text = _printed(html.unescape(cell[2]))
        if cell[1].startswith("<th"):
            # On a phone three heads with the names of policies would be wider than the page.
            return cell[1] + _POLICY.sub("<wbr/>", text)
        return ('<td class="text">' if _WORDED.match(cell[2]) else cell[1]) + text

    return _CELL.sub(shown, table)


def with_one_head(table: str) -> str:
    """Put the names of an index, which pandas writes into a row of their own, above its columns.

    >>> head = "<tr><th></th><th>mean</th></tr><tr><th>arm</th><th></th></tr>"
    >>> with_one_head(f"<table><thead>{head}</thead></table>")
    '<table><thead><tr><th>arm</th><th>mean</th></tr></thead></table>'
    """
    soup = BeautifulSoup(table, "html.parser")
    for head in soup.find_all("thead"):
        rows = [row.find_all("th") for row in head.find_all("tr")]
        if len(rows) < 2:
            continue
        above, names = rows[-2:]
        index = [n for n, name in enumerate(names) if name.get_text()]
        if len(above) != len(names) or any(above[n].get_text() for n in index):
            continue
        for n in index:
            above[n].replace_with(names[n])
        head.find_all("tr")[-1].decompose()
    return str(soup)


def _printed(text: str) -> str:
    if text.strip() in _WORDS:
        return _WORDS[text.strip()]
    return _WHOLE.sub(lambda number: f"{int(number[0]):,}", typeset(text))


def _visit(self: Any, node: captioned_table) -> None:
    self.visit_figure(node)


def _depart(self: Any, node: captioned_table) -> None:
    self.depart_figure(node)


def _caption(node: nodes.Node) -> str:
    return node.next_node(nodes.caption).astext()


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the node, counted with the other tables, what makes it, and what prints."""
    app.add_enumerable_node(
        captioned_table, "table", _caption, html=(_visit, _depart), latex=(_visit, _depart)
    )
    app.add_transform(CaptionTables)
    app.add_transform(PrintTables)
    app.add_post_transform(PrintText)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
