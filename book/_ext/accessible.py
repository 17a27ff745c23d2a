"""Sphinx extension: repair what the writers of HTML leave unclear, most to assistive technology."""

from __future__ import annotations

import re
from typing import Any

from sphinx.application import Sphinx

REPAIRS = (
    # Every theorem and proof of a page carries the same id.
    (re.compile(r' id="proof(?:-content)?"'), ""),
    # A list of references holds list items; its older role is deprecated.
    (re.compile(r' role="doc-biblioentry"'), ' role="listitem"'),
    # The corner of a table heads nothing.
    (re.compile(r"<th></th>"), "<td></td>"),
    # A line may end at a formula, but not between a short one and the point after it.
    (
        re.compile(
            r'(\(?<span class="math notranslate nohighlight">[^<]{1,40}</span>[.,;:!?)”’]+)'
        ),
        r'<span class="unbroken">\1</span>',
    ),
)


def repair(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: object
) -> None:
    """Repair the body of one page."""
    body = context.get("body")
    if body:
        for pattern, replacement in REPAIRS:
            body = pattern.sub(replacement, body)
        context["body"] = body


def setup(app: Sphinx) -> dict[str, bool]:
    """Repair every page before it is laid out."""
    app.connect("html-page-context", repair)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
