"""Sphinx extension: a page carries what it shows, and not all that its theme could.

The theme brings every icon there is, twice, and rules for components that the book has not. Its
pages load the search index, which only the page of the search reads, and MathJax wherever a page
below has a formula.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import tinycss2
from fontTools import subset
from fontTools.ttLib import TTFont
from sphinx.application import Sphinx

#: Sheets of others that are thinned, as patterns below `_static`.
SHEETS = ("styles/pydata-sphinx-theme.css", "sphinx-design.min.css", "mystnb.*.css")
# Bootstrap puts the names of these together when it runs.
_MADE_BY_SCRIPTS = ("bs-", "popover-", "tooltip-")
_WORD = re.compile(r"[\w-]+")
_CLASS = re.compile(r"\.(-?[A-Za-z_][\w-]*)")
_WITHIN = re.compile(r":(?:not|is|where|has)\([^()]*\)")
# Fonts of icons have theirs at code points that belong to nobody; a sheet may escape them.
_ICON = re.compile(r"\\([ef][0-9a-f]{3})|([\ue000-\uf8ff])")
_FONT = re.compile(r'url\(([^()]*?/webfonts/[\w-]+)\.woff2\) format\("woff2"\),url\([^()]*\)[^;}]*')


def without(text: str, *names: str) -> str:
    """Leave out the elements of a page's head that load the files of these names."""
    for name in names:
        element = rf'\s*<(?:script|link)\b[^>]*["/]{re.escape(name)}[^>]*>(?:</script>)?'
        text = re.sub(element, "", text)
    return text


def prepare(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: object
) -> None:
    """Give the templates `without`; take MathJax from pages that have no formula."""
    context["without"] = without
    # A script may have dollars of its own.
    body = re.sub(r"<script.*?</script>", "", context.get("body") or "", flags=re.DOTALL)
    if not re.search(r'class="[^"]*\bmath\b|\\\(|\$', body):
        context["script_files"] = [
            script for script in context["script_files"] if "mathjax" not in str(script.filename)
        ]


def thin(sheet: str, words: set[str]) -> str:
    """Leave out the rules of which no part can apply, because a class is in no page and no script.

    >>> thin(".a:hover,.b{c:d}.b .a{e:f}@media print{.b{g:h}}p:not(.b){i:j}", {"a"})
    '.a:hover{c:d}p:not(.b){i:j}'
    """
    rules = tinycss2.parse_stylesheet(sheet, skip_comments=True, skip_whitespace=True)
    return "".join(_thinned(rules, words))


def _thinned(rules: Iterable[Any], words: set[str]) -> Iterable[str]:
    for rule in rules:
        if rule.type == "qualified-rule":
            kept = [s for s in _selectors(tinycss2.serialize(rule.prelude)) if _applies(s, words)]
            if kept:
                yield f"{','.join(kept)}{{{tinycss2.serialize(rule.content)}}}"
        elif rule.type == "at-rule" and rule.lower_at_keyword in ("media", "supports"):
            inner = tinycss2.parse_rule_list(rule.content, skip_comments=True, skip_whitespace=True)
            text = "".join(_thinned(inner, words))
            if text:
                yield f"@{rule.at_keyword}{tinycss2.serialize(rule.prelude)}{{{text}}}"
        else:
            yield rule.serialize()


def _selectors(prelude: str) -> list[str]:
    """Parts of a list of selectors; commas in brackets part nothing."""
    parts, depth = [""], 0
    for letter in prelude.strip():
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]


def _applies(selector: str, words: set[str]) -> bool:
    plain = selector
    while (shorter := _WITHIN.sub("", plain)) != plain:
        plain = shorter
    return all(name in words or name.startswith(_MADE_BY_SCRIPTS) for name in _CLASS.findall(plain))


def finish(app: Sphinx, error: Exception | None) -> None:
    """Thin the sheets of others and their fonts of icons, once all pages are written."""
    if error or app.builder.name != "html":
        return
    out = Path(app.outdir)
    static = out / "_static"
    for name in ("scripts/fontawesome.js", "scripts/fontawesome.js.LICENSE.txt"):
        (static / name).unlink(missing_ok=True)
    for path in static.rglob("*.map"):
        path.unlink()
    words = set()
    for path in [*out.rglob("*.html"), *static.rglob("*.js")]:
        if "mathjax" not in path.parts:
            words |= set(_WORD.findall(path.read_text(encoding="utf-8")))
    for pattern in SHEETS:
        for path in static.glob(pattern):
            sheet = thin(path.read_text(encoding="utf-8"), words)
            path.write_text(_FONT.sub(r'url(\1.woff) format("woff")', sheet), encoding="utf-8")
    sheets = [path.read_text(encoding="utf-8") for path in static.rglob("*.css")]
    named = [pair for sheet in sheets for pair in _ICON.findall(sheet)]
    letters = {int(code, 16) if code else ord(letter) for code, letter in named}
    thin_fonts(static / "vendor", letters)
    for path in (out / "_images").glob("*.svg"):
        path.write_text(rounded(path.read_text(encoding="utf-8")), encoding="utf-8")


def rounded(drawing: str) -> str:
    r"""Draw an SVG of matplotlib to a tenth of a point, curves to a hundredth: it has millionths.

    >>> rounded('<path transform="scale(0.015625)" d="M 1.234567 2.5 \nL 3 -0.001234 \nL 4 5"/>')
    '<path transform="scale(0.015625)" d="M 1.2 2.5 3 -0.0 4 5"/>'
    >>> rounded('<path d="M 0 3 C 0.795609 3 1 2 L 3 4"/><use x="45.678901" y="1"/>')
    '<path d="M 0 3 C 0.80 3 1 2 L 3 4"/><use x="45.7" y="1"/>'
    """
    return re.sub(r'\b(?:d|x|y)="[^"]*"', _rounded, drawing)


def _rounded(attribute: re.Match[str]) -> str:
    text = attribute[0]
    curved = re.search("[CQ]", text)
    digits = 2 if curved else 1
    text = re.sub(rf"-?\d+\.\d{{{digits}}}\d+", lambda n: f"{float(n[0]):.{digits}f}", text)
    # Points after the first of a line are joined to it without being told.
    return text if curved else re.sub(r"(?<=\d)\s+L (?=-?\d)", " ", text)


def thin_fonts(folder: Path, letters: set[int]) -> None:
    """Keep of every font of icons the icons that a sheet names."""
    for path in folder.rglob("webfonts/*.ttf"):
        font = TTFont(path, recalcTimestamp=False)
        options = subset.Options(flavor="woff", notdef_outline=True, hinting=False)
        options.drop_tables += ["GSUB", "GPOS", "FFTM"]
        subsetter = subset.Subsetter(options)
        subsetter.populate(unicodes=letters)
        subsetter.subset(font)
        font.flavor = "woff"
        font.save(path.with_suffix(".woff"))
        font.close()
        path.unlink()
        path.with_suffix(".woff2").unlink(missing_ok=True)


def setup(app: Sphinx) -> dict[str, bool]:
    """Prepare every page, after MathJax is added to it; finish after the last."""
    app.connect("html-page-context", prepare, priority=800)
    app.connect("build-finished", finish)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
