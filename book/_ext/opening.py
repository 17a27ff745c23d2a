"""Sphinx extension: a chapter opens with what it found and the picture that shows it.

Both are named in `book/cards.yml`. The picture is the one of its place further down, to which it
leads, and so weighs nothing.
"""

from __future__ import annotations

import html
from pathlib import Path
from typing import Any

from bs4 import BeautifulSoup
from docutils.utils.smartquotes import smartyPants
from publishing import CARDS
from sphinx.application import Sphinx
from tables import with_dashes


def opening(body: str, finding: str, label: str) -> str | None:
    """HTML of a finding and the first picture of the figure `label` in a page; none if not there.

    >>> page = '<figure id="f"><img src="f.svg" width="1" height="2" alt="A line."/></figure>'
    >>> print(opening(page, "It rises.", "f"))
    <div class="opening"><p>It rises.</p>
    <a href="#f"><img src="f.svg" width="1" height="2" alt="The figure that shows it" /></a></div>
    >>> opening(page, "It rises.", "g")
    """
    figure = BeautifulSoup(body, "html.parser").find(id=label)
    picture = figure.find("img") if figure else None
    if picture is None:
        return None
    kept = "".join(
        f' {name}="{html.escape(str(picture[name]))}"'
        for name in ("src", "width", "height")
        if picture.has_attr(name)
    )
    return (
        f'<div class="opening"><p>{html.escape(with_dashes(smartyPants(finding)))}</p>\n'
        f'<a href="#{label}"><img{kept} alt="The figure that shows it" /></a></div>'
    )


def open_page(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: object
) -> None:
    """Put the opening of a page below its title."""
    card = CARDS.get(Path(pagename).name, {})
    body = context.get("body")
    # The first page has an opening of its own.
    if not (body and doctree and "figure" in card) or Path(pagename).name == "index":
        return
    shown = opening(body, card["finding"], card["figure"])
    if shown:
        context["body"] = body.replace("</h1>", f"</h1>{shown}", 1)


def setup(app: Sphinx) -> dict[str, bool]:
    """Open every page before it is laid out."""
    app.connect("html-page-context", open_page, priority=450)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
