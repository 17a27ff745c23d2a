"""The book as a site, built from stored outputs: where it is published is known, or is not."""

import os
import re
import subprocess
import sys
from datetime import date
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit
from xml.etree import ElementTree

import matplotlib.pyplot as plt
import nbformat
import pytest
import yaml
from bs4 import BeautifulSoup
from docutils.nodes import make_id
from docutils.utils.smartquotes import smartyPants
from fontTools.ttLib import TTFont

from maxgap_book.verdicts import OUTCOMES
from tests.site.test_readme import unbacked

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "book" / "_ext"))

import lighter  # noqa: E402
import published  # noqa: E402
import publishing  # noqa: E402
import tables  # noqa: E402

CARDS = yaml.safe_load((ROOT / "book" / "cards.yml").read_text(encoding="utf-8"))
NOTEBOOKS = sorted(path.stem for path in (ROOT / "book").glob("*.ipynb"))
SITE = "https://example.org/maxgap/"
REPOSITORY = "https://github.com/example/maxgap"
# 14 November 2023, 22:13:20 UTC
EPOCH = "1700000000"


def build(folder: Path, **environment: str) -> Path:
    """Render the stored outputs, executing nothing; gives the folder of the pages."""
    config = (ROOT / "_config.yml").read_text(encoding="utf-8")
    assert "execute_notebooks: force" in config
    (folder / "config.yml").write_text(
        config.replace("execute_notebooks: force", "execute_notebooks: off"), encoding="utf-8"
    )
    arguments = [".", "-q", "-W", "--config", folder / "config.yml", "--path-output", folder]
    clean = {name: value for name, value in os.environ.items() if not name.startswith("BOOK_")}
    done = subprocess.run(
        [Path(sys.executable).parent / "jupyter-book", "build", *arguments],
        cwd=ROOT,
        env=clean
        | {"PYTHONPATH": str(ROOT / "book" / "_ext"), "SOURCE_DATE_EPOCH": EPOCH}
        | environment,
        capture_output=True,
        text=True,
        timeout=570,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    return folder / "_build" / "html"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("known")
    pdf = folder / "book.pdf"
    pdf.write_bytes(b"%PDF")
    return build(
        folder, BOOK_REPOSITORY=REPOSITORY + ".git", BOOK_URL=SITE.rstrip("/"), BOOK_PDF=str(pdf)
    )


@pytest.fixture(scope="module")
def unknown(tmp_path_factory):
    return build(tmp_path_factory.mktemp("unknown"), BOOK_REPOSITORY="", BOOK_PDF="/none.pdf")


class Head(HTMLParser):
    """The tags of a page, with their attributes."""

    def __init__(self, path: Path):
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def meta(self, name: str) -> list[str | None]:
        return [
            attributes.get("content")
            for tag, attributes in self.tags
            if tag == "meta" and name in (attributes.get("property"), attributes.get("name"))
        ]

    def links(self, rel: str | None = None) -> list[str]:
        wanted = "a" if rel is None else "link"
        return [
            attributes["href"] or ""
            for tag, attributes in self.tags
            if tag == wanted and "href" in attributes and rel in (None, attributes.get("rel"))
        ]


def pages(folder: Path) -> list[Path]:
    """The pages of the table of contents."""
    found = sorted((folder / "book").glob("*.html"))
    assert len(found) >= len(NOTEBOOKS)
    return found


def test_every_chapter_opens_in_binder_and_colab(site):
    for name in NOTEBOOKS:
        links = Head(site / "book" / f"{name}.html").links()
        assert (ROOT / "book" / f"{name}.ipynb").is_file()
        binder = (
            f"https://mybinder.org/v2/gh/example/maxgap/main?urlpath=lab/tree/book/{name}.ipynb"
        )
        assert binder in links
        colab = "https://colab.research.google.com/github/example/maxgap/blob/colab/"
        assert f"{colab}book/{name}.ipynb" in links
        assert (site.parent / "colab" / "book" / f"{name}.ipynb").is_file()


def test_a_notebook_for_colab_is_the_chapter_after_one_cell_that_installs(site):
    for name in NOTEBOOKS:
        ours = nbformat.read(ROOT / "book" / f"{name}.ipynb", as_version=4)
        theirs = nbformat.read(site.parent / "colab" / "book" / f"{name}.ipynb", as_version=4)
        nbformat.validate(theirs)
        added = theirs.cells.pop(1)
        assert f"--branch main {REPOSITORY} maxgap-book" in added.source
        assert "%pip install --quiet -e ./maxgap-book -e ./maxgap-book/book" in added.source
        assert theirs.cells == ours.cells


def test_every_page_links_to_its_source_and_its_issues(site):
    for page in pages(site):
        links = Head(page).links()
        sources = [link for link in links if link.startswith(f"{REPOSITORY}/blob/main/book/")]
        (source,) = sources
        assert (ROOT / urlsplit(source).path.split("/blob/main/")[1]).is_file()
        assert any(link.startswith(f"{REPOSITORY}/issues/new?") for link in links)
        assert REPOSITORY in links


def test_every_page_says_where_it_is_and_what_it_found(site):
    for page in pages(site):
        head = Head(page)
        address = f"{SITE}book/{page.name}"
        assert head.links("canonical") == [address]
        assert head.meta("og:url") == [address]
        assert head.meta("og:site_name") == ["MaxGap Bandit: a reproduction"]
        (title,) = head.meta("og:title")
        assert title
        (image,) = head.meta("og:image")
        assert image.startswith(SITE)
        assert image.endswith(".png")
        assert (site / image.removeprefix(SITE)).is_file()
        assert head.meta("twitter:card") == ["summary_large_image"]
        (description,) = head.meta("description")
        assert description == head.meta("og:description")[0]
        if page.stem in CARDS:
            assert description == CARDS[page.stem]["finding"]


def test_the_card_of_a_chapter_shows_the_figure_it_names(site):
    shown = {}
    for name, card in CARDS.items():
        if "figure" in card:
            (image,) = Head(site / "book" / f"{name}.html").meta("og:image")
            text = (site / "book" / f"{name}.html").read_text(encoding="utf-8")
            figure = text.split(f'id="{card["figure"]}"')[1].split("</figure>")[0]
            # Of a drawing the card is a picture: cards take no vectors.
            drawn = image.rsplit("/", 1)[1].removeprefix("card-").removesuffix(".png")
            assert drawn in figure, name
            shown[name] = image
    assert len(set(shown.values())) >= len(shown) - 1  # the first page has the first chapter's


def test_a_card_has_the_size_of_cards_the_finding_and_the_drawing(tmp_path):
    with plt.rc_context({"svg.fonttype": "path"}):
        figure = plt.figure(figsize=(6, 3))
        figure.text(0.5, 0.5, "gap")
        figure.savefig(tmp_path / "drawing.svg")
        plt.close(figure)
    longest = max((card["finding"] for card in CARDS.values()), key=len)
    publishing.draw(longest, tmp_path / "drawing.svg", tmp_path / "images" / "card.png")
    picture = plt.imread(tmp_path / "images" / "card.png")
    assert picture.shape[:2] == (630, 1200)
    words, drawing, edges = picture[:, :540], picture[:, 560:], picture[:, [0, -1]]
    assert words.min() < 0.2
    assert drawing.min() < 0.2
    assert edges.min() == 1


def test_the_numbers_of_a_card_are_those_of_the_verdicts_it_names():
    for name, card in CARDS.items():
        assert unbacked(card["finding"], card.get("from", [])) == [], name
        assert 20 <= len(card["finding"]) <= 200, name
        assert (ROOT / "book" / f"{name}.ipynb").is_file() or (
            ROOT / "book" / f"{name}.md"
        ).is_file()


def test_the_sitemap_names_the_pages_and_no_others(site):
    tree = ElementTree.parse(site / "sitemap.xml")
    named = {
        element.text for element in tree.iter("{http://www.sitemaps.org/schemas/sitemap/0.9}loc")
    }
    assert named == {f"{SITE}book/{page.name}" for page in pages(site)}


def test_the_address_without_a_page_has_the_card_of_the_first_page(site):
    way_in, first = Head(site / "index.html"), Head(site / "book" / "index.html")
    assert way_in.links("canonical") == [f"{SITE}book/index.html"]
    for name in ("og:image", "og:description", "description", "twitter:card"):
        assert way_in.meta(name) == first.meta(name) != []
    assert "book/index.html" in way_in.links()


def test_whoever_is_lost_finds_a_page_whose_links_work_from_anywhere(site):
    head = Head(site / "404.html")
    named = head.links() + head.links("stylesheet")
    named += [a["src"] for tag, a in head.tags if tag == "script" and "src" in a]
    ours = [link for link in named if not urlsplit(link).netloc and not link.startswith("#")]
    assert len(ours) > len(NOTEBOOKS)
    for link in ours:
        path = unquote(urlsplit(link).path)
        assert path.startswith("/maxgap/"), link
        assert (site / path.removeprefix("/maxgap/")).is_file(), link


def test_the_whole_book_can_be_downloaded_where_it_was_set(site, unknown):
    assert (site / "maxgap.pdf").read_bytes() == b"%PDF"
    for page in pages(site):
        assert "../maxgap.pdf" in Head(page).links()
    assert not (unknown / "maxgap.pdf").exists()
    for page in pages(unknown):
        assert "../maxgap.pdf" not in Head(page).links()


@pytest.mark.parametrize("which", ["site", "unknown"])
def test_every_page_says_how_to_cite_and_which_version_it_is(which, request):
    folder = request.getfixturevalue(which)
    for page in pages(folder):
        text = page.read_text(encoding="utf-8")
        assert text.count('<details class="cite">') == 1
        cite = text.split('<details class="cite">')[1].split("</details>")[0]
        assert "@software{maxgap_book," in cite
        assert "Katariya, Sumeet and Tripathy, Ardhendu and Nowak, Robert" in cite
        assert ("url     = {https://example.org/maxgap/}" in cite) == (which == "site")
        footer = text.split('<div class="extra_footer">')[1].split("</div>")[0]
        assert "MIT" in footer
        assert f"version {published.citation()['version']}" in footer
        assert '<time datetime="2023-11-14">14 November 2023</time>' in footer


def test_with_no_address_known_nothing_of_it_shows_and_nothing_leads_outside(unknown):
    for page in [*pages(unknown), unknown / "search.html"]:
        head = Head(page)
        assert head.links("canonical") == []
        assert [name for name in ("og:url", "og:image", "twitter:card") if head.meta(name)] == []
        # The authors' repository is cited, wherever this book is.
        text = page.read_text(encoding="utf-8").replace("//github.com/sumeetsk/", "")
        for service in ("mybinder.org", "colab.research", "//github.com/", 'href="https://example'):
            assert service not in text
    assert not (unknown / "sitemap.xml").exists()
    assert not (unknown / "404.html").exists()
    assert not (unknown.parent / "colab").exists()
    for page in pages(unknown):
        if page.stem in CARDS:
            assert Head(page).meta("description") == [CARDS[page.stem]["finding"]]


@pytest.mark.parametrize(
    ("remote", "repository"),
    [
        ("https://github.com/example/maxgap", REPOSITORY),
        ("https://github.com/example/maxgap.git", REPOSITORY),
        ("https://github.com/example/maxgap/", REPOSITORY),
        ("https://user:word@github.com/example/maxgap.git", REPOSITORY),
        ("git@github.com:example/maxgap.git", REPOSITORY),
        ("ssh://git@github.com/example/maxgap.git", REPOSITORY),
        ("ssh://git@github.com:22/example/maxgap", REPOSITORY),
        ("git@gitlab.com:example/max.gap.git", "https://gitlab.com/example/max.gap"),
        ("file:///srv/github.com/example/maxgap", ""),
        ("/srv/maxgap.git", ""),
        ("git@server.local:example/maxgap.git", ""),
        ("https://github.com.example.net/example/maxgap", ""),
        ("https://github.com/example", ""),
        ("", ""),
    ],
)
def test_a_remote_counts_only_where_its_forge_is_known(remote, repository):
    assert published.repository_of(remote) == repository


@pytest.fixture
def clone(tmp_path, monkeypatch):
    """An own repository with one commit and nothing said by the environment."""
    for name in ("BOOK_REPOSITORY", "BOOK_URL", "BOOK_BRANCH", "SOURCE_DATE_EPOCH"):
        monkeypatch.delenv(name, raising=False)
    for variable in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        monkeypatch.delenv(variable, raising=False)
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2020-02-03T12:00:00Z")
    for command in (["init", "-q"], [*who, "commit", "-q", "--allow-empty", "-m", "one"]):
        subprocess.run(["git", "-C", tmp_path, *command], check=True)
    return tmp_path


def test_without_a_remote_only_the_date_is_known(clone):
    assert published.place(clone) == published.Place("", "main", "", date(2020, 2, 3))


def test_the_remote_of_git_is_asked_and_the_environment_comes_first(clone, monkeypatch):
    origin = "git@github.com:example/maxgap.git"
    subprocess.run(["git", "-C", clone, "remote", "add", "origin", origin], check=True)
    assert published.place(clone).repository == REPOSITORY
    assert published.place(clone).colab == ""  # nobody knows whether it is published
    monkeypatch.setenv("BOOK_REPOSITORY", "https://gitlab.com/other/name")
    monkeypatch.setenv("BOOK_URL", "https://example.org")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", EPOCH)
    known = published.place(clone)
    assert known.repository == "https://gitlab.com/other/name"
    assert (known.url, known.colab) == ("https://example.org/", "")
    assert known.when == date(2023, 11, 14)
    monkeypatch.setenv("BOOK_REPOSITORY", "")
    assert published.place(clone).repository == ""


def test_an_archive_unpacked_in_anothers_clone_is_not_that_clone(clone):
    subprocess.run(["git", "-C", clone, "remote", "add", "origin", REPOSITORY], check=True)
    inner = clone / "maxgap-0.2.0"
    inner.mkdir()
    assert published.place(inner) == published.Place("", "main", "", None)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("BOOK_REPOSITORY", "github.com/example/maxgap"),
        ("BOOK_REPOSITORY", "https://example.org/maxgap"),
        ("BOOK_URL", "example.org/maxgap"),
        ("BOOK_URL", "https://example.org/maxgap?x=1"),
        ("BOOK_URL", "file:///srv/maxgap"),
    ],
)
def test_an_address_that_cannot_be_one_is_refused(clone, monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    with pytest.raises(ValueError, match=f"{name} is '{re.escape(value)}'"):
        published.place(clone)


def test_bibtex_says_what_the_citation_file_says():
    citation = published.citation()
    nowhere = published.Place("", "main", "", None)
    book, paper = published.bibtex(nowhere)
    assert "url" not in book
    assert "year" not in book
    assert f"title   = {{{{{citation['title']}}}}}" in book
    assert "author  = {{MaxGap book contributors}}" in book
    assert "doi" not in (book + paper).lower()
    assert re.search(r"year +\= \{2019\}", paper)
    assert re.search(r"eprint +\= \{1906\.00547\}", paper)


def test_bibtex_can_be_read_by_a_bibliography():
    database = pytest.importorskip("pybtex.database")
    place = published.Place(REPOSITORY, "main", SITE, date(2023, 11, 14))
    text = "\n".join(published.bibtex(place))
    entries = database.parse_string(text, "bibtex").entries
    assert [str(p) for p in entries["maxgap_book"].persons["author"]] == [
        "{MaxGap book contributors}"
    ]
    assert len(entries["maxgap"].persons["author"]) == 3
    assert entries["maxgap_book"].fields["year"] == "2023"


def test_the_container_for_development_makes_the_pinned_environment():
    text = (ROOT / ".devcontainer" / "devcontainer.json").read_text(encoding="utf-8")
    assert '"image": "python:3.12"' in text
    assert "make PYTHON=python .venv/ready" in text


def weight(page: Path) -> int:
    """Bytes of a page and of all that it may load, but for MathJax's fonts."""
    head = Head(page)
    named = head.links("stylesheet") + head.links("preload")
    named += [a["src"] for tag, a in head.tags if tag in ("script", "img") and a.get("src")]
    files = {page}
    for link in named:
        assert not urlsplit(link).netloc
        files.add((page.parent / unquote(urlsplit(link).path)).resolve())
    for sheet in [file for file in files if file.suffix == ".css"]:
        for address in re.findall(r"url\(([^()'\"]*)\)", sheet.read_text(encoding="utf-8")):
            if not address.startswith("data:"):
                files.add((sheet.parent / address.partition("?")[0]).resolve())
    return sum(file.stat().st_size for file in files)


def test_the_first_page_is_light_and_no_chapter_is_heavy(unknown):
    weights = {page.stem: weight(page) for page in pages(unknown)}
    assert weights.pop("index") < 600_000
    assert max(weights.values()) < 2_500_000, weights
    # The scripts for formulas alone are more: whoever has some is not light.
    assert weights["three-algorithms"] > 1_300_000


def test_a_page_loads_mathjax_where_it_has_a_formula_and_the_index_where_it_searches(unknown):
    formulas = 0
    for page in [*pages(unknown), unknown / "search.html", unknown / "genindex.html"]:
        text = page.read_text(encoding="utf-8")
        body = text.split("<article", 1)[-1].split("</article>")[0]
        loads = "mathjax/tex-chtml-full.js" in text
        assert loads or 'class="math' not in body
        formulas += loads
        assert ("searchindex.js" in text) == (page.stem == "search")
        assert "fontawesome.js" not in text
    assert 10 < formulas < len(pages(unknown))
    assert not list(unknown.rglob("*.map"))


@cache
def soup(folder: Path, name: str) -> BeautifulSoup:
    text = (folder / "book" / f"{name}.html").read_text(encoding="utf-8")
    return BeautifulSoup(text, "html.parser")


def test_every_chapter_opens_with_its_finding_and_the_figure_that_shows_it(unknown):
    with_figure = [name for name in NOTEBOOKS if "figure" in CARDS[name]]
    assert set(NOTEBOOKS) - set(with_figure) <= {"verdicts"}
    for name in with_figure:
        page = soup(unknown, name)
        (opening,) = page.select("article h1 + div.opening")
        assert opening.p.get_text() == tables.with_dashes(smartyPants(CARDS[name]["finding"]))
        (figure,) = page.select(opening.a["href"])
        # The same file: what is seen twice is loaded once.
        assert opening.img["src"] == figure.img["src"]


def test_the_tables_of_a_chapter_have_numbered_captions_above_them(unknown):
    numbers = {}
    for page in pages(unknown):
        parts = soup(unknown, page.stem)
        captions = parts.select("figure.captioned-table > figcaption:first-child .caption-number")
        numbers[page.stem] = [caption.get_text() for caption in captions]
        bare = [t for t in parts.select("table.dataframe") if not t.find_parent("figure")]
        assert bare == [], page.stem
    assert numbers["maxgap-problem"][:2] == ["Table 1.1 ", "Table 1.2 "]
    assert sum(map(len, numbers.values())) > 60


def test_no_table_has_a_value_as_a_program_writes_it(unknown):
    raw = re.compile(r"^(True|False|nan|NaN|<NA>|None|inf)$|^\d{4,}|^-\d|\d{3}\.0$|\^|gamma|delta")
    for page in pages(unknown):
        cells = soup(unknown, page.stem).select("table.dataframe :is(th, td)")
        texts = [cell.get_text() for cell in cells]
        assert [text for text in texts if raw.search(text)] == [], page.stem


def test_no_range_and_no_sign_in_computed_text_is_a_hyphen(unknown):
    raw = re.compile(r"\d%?-\d|(?<![\w)])-\d|\binf\b|\d %")
    for page in pages(unknown):
        parts = soup(unknown, page.stem).select(
            ".output.stream, .pasted-text, .verdict, .opening p"
        )
        found = [raw.findall(part.get_text()) for part in parts]
        assert not any(found), (page.stem, found)


def test_the_verdicts_of_one_outcome_have_an_address(unknown):
    page = soup(unknown, "verdicts")
    for outcome in map(make_id, OUTCOMES):
        (alone,) = page.select(f"#claims-{outcome}")
        assert alone["data-alone"] == outcome


def test_every_icon_of_a_page_is_in_the_fonts_that_are_left(site):
    sheet = (site / "_static" / "styles" / "pydata-sphinx-theme.css").read_text(encoding="utf-8")
    letters = set()
    for path in (site / "_static" / "vendor").rglob("*.woff"):
        font = TTFont(path)
        letters |= set(font.getBestCmap())
        font.close()
    for page in pages(site):
        for tag, attributes in Head(page).tags:
            names = (attributes.get("class") or "").split()
            icons = [n for n in names if n.startswith("fa-") and n not in ("fa-solid", "fa-brands")]
            if tag in ("i", "span") and icons:
                found = re.search(
                    rf"\.{icons[0]}:before[^{{]*{{[^}}]*content:\s*\"([^\"]+)\"", sheet
                )
                assert found, icons
                assert ord(found[1]) in letters, icons
    assert 10 < len(letters) < 100


@pytest.mark.parametrize(
    ("sheet", "left"),
    [
        (".a{b:c}", ".a{b:c}"),
        (".x{b:c}", ""),
        (".a .x,.a>.b{b:c}", ".a>.b{b:c}"),
        (".a:not(.x){b:c}", ".a:not(.x){b:c}"),
        (".a:is(.x,.b){b:c}", ".a:is(.x,.b){b:c}"),
        ("@media print{.x{b:c}}", ""),
        ("@media print{.x{b:c}.a{b:c}}", "@media print{.a{b:c}}"),
        ("@font-face{font-family:x}", "@font-face{font-family:x}"),
        ("@keyframes x{0%{b:c}}", "@keyframes x{0%{b:c}}"),
        (".bs-tooltip-end .a{b:c}", ".bs-tooltip-end .a{b:c}"),
        ("p[class~=x]{b:c}", "p[class~=x]{b:c}"),
        (".a::before{content:'.x{'}", '.a::before{content:".x{"}'),
    ],
)
def test_a_rule_is_left_out_only_where_it_can_never_apply(sheet, left):
    assert lighter.thin(sheet, {"a", "b"}) == left
