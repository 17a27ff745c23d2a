"""Sphinx extension: what a published page needs to be run, shared, found and cited.

Nothing that needs an address is shown where the address is not known: see `published`.
"""

from __future__ import annotations

import html
import io
import os
import re
import shutil
import textwrap
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import matplotlib as mpl
import matplotlib.image
import nbformat
import resvg_py
import yaml
from docutils import nodes
from matplotlib.figure import Figure
from published import ROOT, Place, bibtex, citation, place
from sphinx.application import Sphinx
from sphinx.config import Config

from maxgap import __version__

CARDS: dict[str, dict[str, str]] = yaml.safe_load(
    (ROOT / "book" / "cards.yml").read_text(encoding="utf-8")
)
FIRST_PICTURE = ROOT / "book" / "_static" / "problem.svg"
COLAB_SETUP = """\
# Colab starts empty: fetch the package and the modules of the book, once a session.
!git clone --quiet --depth 1 --branch {branch} {repository} maxgap-book
%pip install --quiet -e ./maxgap-book -e ./maxgap-book/book "myst-nb>=1.1" "pyyaml>=6"
import sys
sys.path[:0] = ["maxgap-book", "maxgap-book/book"]"""
REDIRECT = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{title}</title>
{tags}<link rel="canonical" href="{url}book/index.html">
<meta http-equiv="refresh" content="0; url=book/index.html">
</head>
<body><p><a href="book/index.html">{title}</a></p></body>
</html>
"""


def configure(app: Sphinx, config: Config) -> None:
    """Tell the theme and the extensions for publishing where the book will be."""
    where: Place = app.book_place  # type: ignore[attr-defined]
    theme = config.html_theme_options
    theme["extra_footer"] = _footer(where)
    theme["article_footer_items"] = ["cite.html"]
    config.version = config.release = __version__
    if where.when:
        config.today = f"{where.when:%-d %B %Y}"
    book, paper = bibtex(where)
    config.html_context = {**config.html_context, "cite_book": book, "cite_paper": paper}
    if where.repository:
        theme["repository_url"] = where.repository
        theme["repository_branch"] = where.branch
        theme["use_repository_button"] = True
        theme["use_issues_button"] = True
        theme["use_source_button"] = True
        theme["launch_buttons"] = {
            "binderhub_url": "https://mybinder.org",
            "notebook_interface": "jupyterlab",
        }
    if where.url:
        config.html_baseurl = where.url
        config.sitemap_url_scheme = "{link}"
        config.sitemap_excludes = ["search.html", "genindex.html", "404.html"]
        config.notfound_urls_prefix = urlsplit(where.url).path
        config.notfound_context = {
            "title": "No such page",
            "body": "<h1>No such page</h1><p>The page may have moved. The contents beside this, "
            "or the search, lead on.</p>",
        }
        config.ogp_site_url = where.url
        config.ogp_site_name = config.html_title
        config.ogp_social_cards = {"enable": False}
        config.ogp_image = f"{where.url}_images/card.png"
        config.ogp_image_alt = False
        config.ogp_custom_meta_tags = ['<meta name="twitter:card" content="summary_large_image" />']


def _footer(where: Place) -> str:
    name = html.escape(citation()["license"])
    if where.repository:
        name = f'<a href="{where.repository}/blob/{where.branch}/LICENSE">{name}</a>'
    parts = [f"{name} licence", f"version {__version__}"]
    if where.when:
        parts.append(f'<time datetime="{where.when}">{where.when:%-d %B %Y}</time>')
    return "<p>" + ", ".join(parts) + "</p>"


def describe(
    app: Sphinx,
    pagename: str,
    templatename: str,
    context: dict[str, Any],
    doctree: nodes.document | None,
) -> None:
    """Say in the head of a page what it found; where it is published, show its picture, too."""
    card = CARDS.get(Path(pagename).name)
    if not (doctree and card):
        return
    text = html.escape(card["finding"])
    context["metatags"] = (
        f'{context.get("metatags", "")}<meta name="description" content="{text}" />\n'
    )
    fields = {"og:description": text}
    picture = _picture(app, doctree, card)
    if picture:
        fields["og:image"], fields["og:image:alt"] = picture
    context["meta"] = {**(context.get("meta") or {}), **fields}


def _picture(app: Sphinx, doctree: nodes.document, card: dict[str, str]) -> tuple[str, str] | None:
    """Address, from the site's root, and text of the card with the figure that it names."""
    label = card.get("figure", "")
    for figure in doctree.findall(nodes.figure):
        image = figure.next_node(nodes.image)
        if label in figure["ids"] and image is not None:
            name = Path(image["uri"]).name  # of the copy: the page's body is written
            (source,) = (old for old, new in app.builder.images.items() if new == name)
            name = f"card-{Path(name).stem}.png"
            draw(card["finding"], Path(app.srcdir) / source, Path(app.outdir) / "_images" / name)
            return f"_images/{name}", html.escape(f"{card['finding']} {image.get('alt', '')}")
    return None


def draw(finding: str, picture: Path, target: Path) -> None:
    """Draw a preview card: the finding in words, and the picture that shows it."""
    target.parent.mkdir(exist_ok=True)
    if picture.suffix == ".svg":
        # A size in points, as matplotlib's, needs to be told how many pixels make an inch.
        drawn = resvg_py.svg_to_bytes(
            svg_path=str(picture), width=620, dpi=96.0, background="#ffffff"
        )
        shown = mpl.image.imread(io.BytesIO(bytes(drawn)))
    else:
        shown = mpl.image.imread(picture)
    card = Figure(figsize=(12, 6.3), dpi=100)
    words = textwrap.fill(finding, 27)
    card.text(0.04, 0.92, words, size=23, va="top", linespacing=1.3, parse_math=False)
    card.text(0.04, 0.06, "MaxGap Bandit, a reproduction", size=15, color="0.35")
    axes = card.add_axes((0.465, 0.04, 0.515, 0.92))
    axes.imshow(shown)
    axes.axis("off")
    card.savefig(target)


def launch(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: object
) -> None:
    """Add to the theme's buttons: Colab, on the notebooks made for it, and the whole book's PDF."""
    where: Place = app.book_place  # type: ignore[attr-defined]
    for group in context.get("header_buttons", []):
        if group.get("label") == "launch-buttons" and where.colab:
            group["buttons"].append(
                {
                    "type": "link",
                    "text": "Colab",
                    "tooltip": "Launch on Colab",
                    "icon": "_static/images/logo_colab.png",
                    "url": f"{where.colab}{pagename}.ipynb",
                }
            )
        if group.get("label") == "source-buttons":
            for button in group["buttons"]:
                # A notebook is drawn by the forge; its plain text is JSON.
                button["url"] = button["url"].replace(".ipynb?plain=1", ".ipynb")
        if group.get("label") == "download-buttons" and _pdf().is_file():
            group["buttons"].append(
                {
                    "type": "link",
                    "text": "whole book .pdf",
                    "tooltip": "Download the book as PDF",
                    "icon": "fas fa-file-pdf",
                    "url": context["pathto"]("maxgap.pdf", 1),
                    "label": "download-book-button",
                }
            )


def _pdf() -> Path:
    """Where `make pdf` puts the book."""
    return Path(os.environ.get("BOOK_PDF") or ROOT / "_build" / "pdf" / "maxgap.pdf")


def finish(app: Sphinx, error: Exception | None) -> None:
    """Write what lies beside the pages: the PDF, the way in, the notebooks for Colab."""
    if error or app.builder.name != "html":
        return
    where: Place = app.book_place  # type: ignore[attr-defined]
    out = Path(app.outdir)
    if _pdf().is_file():
        shutil.copy(_pdf(), out / "maxgap.pdf")
    if where.url:
        draw(CARDS["index"]["finding"], FIRST_PICTURE, out / "_images" / "card.png")
        # This is the address that is shared: its card is that of the first page.
        first = (out / "book" / "index.html").read_text(encoding="utf-8")
        tags = re.findall(r'<meta (?:property="og:|name="(?:twitter:|description")).*', first)
        title = html.escape(app.config.html_title)
        page = REDIRECT.format(title=title, url=where.url, tags="".join(f"{tag}\n" for tag in tags))
        (out / "index.html").write_text(page, encoding="utf-8")
    if where.colab:
        write_colab(app, out.parent / "colab", where)


def write_colab(app: Sphinx, folder: Path, where: Place) -> None:
    """Copy the chapters, each with a first cell that installs what Colab lacks."""
    setup_code = COLAB_SETUP.format(branch=where.branch, repository=where.repository)
    for name in sorted(app.env.found_docs):
        source = Path(app.env.doc2path(name))
        if source.suffix == ".ipynb":
            notebook = nbformat.read(source, as_version=4)
            cell = nbformat.v4.new_code_cell(setup_code, id="colab-setup")
            notebook.cells.insert(1, cell)  # after the title
            target = folder / f"{name}.ipynb"
            target.parent.mkdir(parents=True, exist_ok=True)
            nbformat.write(notebook, target)


def setup(app: Sphinx) -> dict[str, bool]:
    """Load the extensions for publishing where the address is known: else they say nonsense."""
    app.book_place = place()  # type: ignore[attr-defined]
    if app.book_place.url:  # type: ignore[attr-defined]
        for extension in ("sphinx_sitemap", "sphinxext.opengraph", "notfound.extension"):
            app.setup_extension(extension)
    app.add_css_file("site.css")
    app.connect("config-inited", configure, priority=100)
    app.connect("html-page-context", describe, priority=400)
    app.connect("html-page-context", launch, priority=600)
    app.connect("build-finished", finish)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
