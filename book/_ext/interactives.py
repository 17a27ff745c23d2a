"""Sphinx extension: the panel that repeats an experiment, with all that it knows beforehand.

A chapter puts a panel where it has the numbers (`maxgap_book.figures.rerun`); elsewhere the
directive ``rerun`` puts a small one. Every page with a panel gets the presets of all chapters, the
colours of the policies, and the scripts.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
from docutils import nodes
from docutils.parsers.rst import directives
from matplotlib.colors import to_hex, to_rgb
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective

from maxgap import Problem, problems
from maxgap.figures import POLICY_STYLES

_PRESETS = re.compile(r'<script type="application/json" class="rerun-presets">(.*?)</script>', re.S)
SCRIPTS = ("core", "panel")
_STATIC = Path(__file__).parents[1] / "_static" / "rerun"


class rerun_place(nodes.General, nodes.Element):
    """Where a small panel goes; its children stand there where there are no scripts."""


class Rerun(SphinxDirective):
    """``{rerun} key``: a small panel on this preset; its content is for where scripts are off."""

    required_arguments = 1
    option_spec = {"more": directives.unchanged_required}  # noqa: RUF012 - docutils' own form
    has_content = True

    def run(self) -> list[nodes.Node]:
        """Mark the place; `more` is the address of the large panel, from this page."""
        place = rerun_place(preset=self.arguments[0], more=self.options["more"])
        self.state.nested_parse(self.content, self.content_offset, place)
        return [place]


def visit(self: Any, node: rerun_place) -> None:
    """Open the element that the script fills."""
    attributes = f'data-preset="{node["preset"]}" data-more="{node["more"]}"'
    self.body.append(f'<div class="maxgap-rerun" data-small {attributes}><div class="without">')


def depart(self: Any, node: rerun_place) -> None:
    """Close it."""
    self.body.append("</div></div>")


def collect(app: Sphinx, doctree: nodes.document) -> None:
    """Keep the presets that a page has computed."""
    texts = [node.astext() for node in doctree.findall(nodes.raw) if "html" in node["format"]]
    found = [
        preset for text in texts for data in _PRESETS.findall(text) for preset in json.loads(data)
    ]
    kept = _kept(app.env)
    kept.pop(app.env.docname, None)
    if found:
        kept[app.env.docname] = found


def _kept(env: BuildEnvironment) -> dict[str, list[dict[str, Any]]]:
    if not hasattr(env, "rerun_presets"):
        env.rerun_presets = {}  # type: ignore[attr-defined]
    return env.rerun_presets  # type: ignore[attr-defined,no-any-return]


def forget(app: Sphinx, env: BuildEnvironment, docname: str) -> None:
    """Drop what a page has computed, before it is read again."""
    _kept(env).pop(docname, None)


def merge(app: Sphinx, env: BuildEnvironment, docnames: list[str], other: BuildEnvironment) -> None:
    """Take what another process has read."""
    _kept(env).update(_kept(other))


def colours() -> str:
    """The colours of the policies as properties for style sheets: the book's own, from one place.

    Lighter on a dark ground.

    >>> colours().split(";")[0]
    ':root{--RoundRobin:#949494'
    """
    own = {name: np.array(to_rgb(style["color"])) for name, style in POLICY_STYLES.items()}
    lighter = {name: 0.65 * colour + 0.35 for name, colour in own.items()}
    return "".join(
        f"{where}{{{';'.join(f'--{name}:{to_hex(colour)}' for name, colour in shown.items())}}}"
        for where, shown in ((":root", own), ("html[data-theme=dark]", lighter))
    )


def means(preset: dict[str, Any]) -> list[float]:
    """The means of the arms, with all digits, from the code that readers copy.

    >>> means({"code": "Problem([0, 1], SIGMA)", "sigma": 0.5})
    [0.0, 1.0]
    """
    code = preset["code"].replace("SIGMA", str(preset["sigma"]))
    return eval(code, {"Problem": Problem, "problems": problems}).means.tolist()  # type: ignore[no-any-return]


def equip(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: object
) -> None:
    """Give a page with a panel what the panel needs."""
    body = context.get("body") or ""
    if 'class="maxgap-rerun"' not in body:
        return
    # The first page's panel comes from the chapter of its preset: in the order of the names.
    kept = [preset for _, found in sorted(_kept(app.env).items()) for preset in found]
    presets = [preset | {"means": means(preset)} for preset in kept]
    data = json.dumps(presets, separators=(",", ":")).replace("<", "\\u003c")
    path = context["pathto"]
    context["body"] = "\n".join(
        [
            f'<link rel="stylesheet" href="{path("_static/rerun/rerun.css", 1)}">',
            f"<style>{colours()}</style>",
            _PRESETS.sub("", body),
            f'<script type="application/json" id="rerun-presets">{data}</script>',
            # In the page: from a file no module is loaded, and workers need the core's text.
            *(
                f'<script type="module" id="rerun-{name}">{_script(name)}</script>'
                for name in SCRIPTS
            ),
        ]
    )


def _script(name: str) -> str:
    text = (_STATIC / f"{name}.js").read_text(encoding="utf-8")
    if "</" in text:
        raise ValueError(f"{name}.js would end the element that holds it")
    return text


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive, and what a page with a panel gets."""
    app.add_directive("rerun", Rerun)
    nothing = (lambda self, node: None, lambda self, node: None)
    app.add_node(rerun_place, html=(visit, depart), latex=nothing)
    app.connect("doctree-read", collect)
    app.connect("env-purge-doc", forget)
    app.connect("env-merge-info", merge)
    app.connect("html-page-context", equip)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
