"""The built book in a real browser: complete by itself, readable by everyone, every link sound."""

import functools
import html
import re
import urllib.parse

import nbformat
import pytest
from browser import HTML, PAGES, PHONE, launched, opened, served

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not PAGES, reason="the book is not built: run `make book` first"),
]

CHAPTERS = [page for page in PAGES if page.startswith("book/")]
EXPECTED_ERRORS: dict[str, str] = {}
"""Console errors that may be: what the message contains -> why it is harmless."""

# What a page links to and shows, once its scripts have run.
FACTS = """() => {
  const inside = (element) => element.closest("mjx-container") === null;
  const all = (selector) => [...document.querySelectorAll(selector)].filter(inside);
  return {
    links: all("a[href]").map((a) => new URL(a.getAttribute("href"), document.baseURI).href),
    ids: all("[id]").map((element) => element.id),
    images: all(".bd-article img, .bd-article svg[role=img]").map((image) => ({
      source: (image.getAttribute("src") ?? "svg").slice(0, 80),
      text: image.getAttribute("alt") ?? image.getAttribute("aria-label") ?? "",
      drawn: image.tagName !== "IMG" || image.naturalWidth > 0,
    })),
    sources: document.querySelectorAll(".bd-article .math").length,
    formulas: document.querySelectorAll("mjx-container").length,
    broken: [...document.querySelectorAll("mjx-merror")].map((error) => error.textContent),
    raw: [...document.querySelectorAll(".bd-article .math")].map((math) => math.textContent)
      .filter((text) => /\\\\[([]/.test(text)),
    unlabelled: all(".bd-article mjx-container:not(:has(mjx-assistive-mml))").length,
  };
}"""


@pytest.fixture(scope="module")
def site():
    with served(HTML) as address:
        yield address


@pytest.fixture(scope="module")
def chromium():
    with launched() as browser:
        yield browser


@pytest.mark.parametrize("name", PAGES)
def test_a_page_loads_whole_leads_somewhere_and_is_open_to_everyone(site, chromium, name):
    # All on one page that is opened once, which takes most of the time.
    with opened(chromium, site + name, home=site) as (page, log):
        facts = page.evaluate(FACTS)
        assert log.outside == []
        assert log.failed == []
        assert [e for e in log.errors if not any(known in e for known in EXPECTED_ERRORS)] == []
        check_formulas(facts)
        check_images(facts["images"])
        assert sorted({i for i in facts["ids"] if facts["ids"].count(i) > 1}) == []
        assert lost(facts["links"], site) == []
        if name in CHAPTERS:
            check_neighbours(facts["links"], site, name)
        assert violations(page) == []
        darken(page)
        assert violations(page, rules=COLOURS) == []


def check_formulas(facts):
    """Every formula is rendered."""
    assert facts["broken"] == []
    assert facts["raw"] == []
    assert facts["formulas"] >= facts["sources"]
    assert facts["unlabelled"] == 0


def check_images(images):
    """Every image is drawn and has a text."""
    for image in images:
        assert image["drawn"], image
        assert len(image["text"].split()) >= 3, image


@functools.cache
def anchors(page):
    """The anchors of a page, as it is written."""
    text = (HTML / page).read_text(encoding="utf-8")
    return {html.unescape(anchor) for anchor in re.findall(r'\bid="([^"]+)"', text)}


def lost(links, site):
    """Links within the book that lead nowhere."""
    found = []
    for link in links:
        address, _, anchor = link.partition("#")
        if not address.startswith(site):
            continue
        target = urllib.parse.unquote(address.removeprefix(site).partition("?")[0]) or "index.html"
        if not (HTML / target).is_file() or (
            anchor and target in PAGES and urllib.parse.unquote(anchor) not in anchors(target)
        ):
            found.append(link)
    return found


def check_neighbours(links, site, name):
    """A chapter offers its source, and leads to another."""
    assert any(link.startswith(f"{site}_sources/{name.removesuffix('.html')}.") for link in links)
    assert {link.partition("#")[0] for link in links} & {site + n for n in CHAPTERS if n != name}


def test_a_link_that_leads_nowhere_is_noticed():
    site = "http://here/"
    links = [f"{site}book/index.html", f"{site}book/none.html", f"{site}book/index.html#nowhere"]
    assert lost([*links, "https://elsewhere/none"], site) == links[1:]


def test_the_book_has_formulas_and_pictures():
    text = "".join((HTML / page).read_text(encoding="utf-8") for page in PAGES)
    assert text.count('class="math') > 100
    assert text.count("<img ") > 5


# Formulas wider than what they stand in, which would be cut.
CUT_FORMULAS = """() => [...document.querySelectorAll("article mjx-container")].filter((all) => {
  const box = all.closest("div.math, p, li, dd, td, figcaption") ?? all.parentElement;
  const width = all.querySelector("mjx-math").getBoundingClientRect().width;
  return width > 0 && width > box.clientWidth + 1;
}).map((all) => all.textContent)"""


@pytest.mark.parametrize("name", PAGES)
def test_a_page_fits_a_phone_and_what_scrolls_in_it_can_be_reached(site, chromium, name):
    with opened(chromium, site + name, home=site, viewport=PHONE) as (page, _):
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        assert page.evaluate(CUT_FORMULAS) == []
        # Colours are those of the wide page, and take most of the time.
        assert violations(page, rules=ALL_BUT_COLOURS) == []


def test_a_formula_that_is_cut_is_noticed(site, chromium):
    with opened(chromium, site + "book/gap-bounds.html", home=site, viewport=PHONE) as (page, _):
        page.evaluate("document.querySelector('.bd-article').style.width = '150px'")
        assert page.evaluate(CUT_FORMULAS) != []


# The parts of a formula are read to nobody: its MathML is, and that is left in place. They are
# many, and axe-core looks at each; a box of the same width stands in for them.
EMPTY_FORMULAS = """() => {
  for (const parts of document.querySelectorAll("mjx-container > mjx-math")) {
    const box = document.createElement("span");
    box.style.cssText = `display: inline-block; height: 1em; width: ${parts.offsetWidth}px`;
    parts.replaceWith(box);
  }
}"""


def darken(page):
    """Show a page in the dark, where nothing differs but colours, and these at once."""
    page.add_style_tag(content="* { transition: none !important; }")
    page.evaluate("document.documentElement.dataset.theme = 'dark'")


COLOURS = {"runOnly": ["color-contrast"]}
ALL_BUT_COLOURS = {"rules": {"color-contrast": {"enabled": False}}}
# Every word of it has a colour, the same on all pages, which takes long to look at.
CODE = "div.highlight pre"


def violations(page, *, rules: dict | None = None, code: bool = False) -> list[str]:
    """What axe-core calls serious or critical, one line each: of all but code, or of code alone."""
    axe = pytest.importorskip("axe_playwright_python.base", reason="axe-core is not installed")
    page.evaluate(EMPTY_FORMULAS)
    page.evaluate(axe.AXE_SCRIPT)
    formulas = "mjx-container > *"
    where = {"include": [CODE]} if code else {"exclude": [formulas, CODE]}
    result = page.evaluate(
        """([where, rules]) => axe.run(where, {
             resultTypes: ["violations"], preload: false, ...rules})""",
        [where, rules or {}],
    )
    assert result["testEngine"]["name"] == "axe-core"
    return [
        f"{violation['id']} ({violation['impact']}): {node['html'][:120]} {node['failureSummary']}"
        for violation in result["violations"]
        if violation["impact"] in {"serious", "critical"}
        for node in violation["nodes"]
    ]


@pytest.mark.parametrize(
    ("fault", "rule"),
    [
        ("document.querySelector('.bd-article').innerHTML += '<img src=\"x.png\">'", "image-alt"),
        (
            "document.querySelector('.bd-article').innerHTML +="
            " '<p style=\"color:#999;background:#fff\">faint</p>'",
            "color-contrast",
        ),
    ],
)
def test_axe_is_awake(site, chromium, fault, rule):
    with opened(chromium, site + "book/index.html", home=site) as (page, _):
        page.evaluate(fault)
        assert [line.split()[0] for line in violations(page)] == [rule]


@pytest.mark.parametrize("name", ["own-ratings", "two-large-gaps", "api-policies"])
def test_the_colours_of_code_are_legible(site, chromium, name):
    with opened(chromium, f"{site}book/{name}.html", home=site, theme="light") as (page, _):
        assert violations(page, rules=COLOURS, code=True) == []
        darken(page)
        assert violations(page, rules=COLOURS, code=True) == []
        page.evaluate("document.querySelector('div.highlight pre .k, pre .n').style.color = '#222'")
        assert violations(page, rules=COLOURS, code=True) != []


def test_what_is_faint_in_the_dark_alone_is_noticed(site, chromium):
    with opened(chromium, site + "book/index.html", home=site, theme="light") as (page, _):
        page.evaluate("document.querySelector('.bd-article').innerHTML += '<p id=x>black</p>'")
        page.evaluate("document.querySelector('#x').style.color = '#222'")
        assert violations(page, rules=COLOURS) == []
        darken(page)
        assert [line.split()[0] for line in violations(page, rules=COLOURS)] == ["color-contrast"]


def test_a_request_that_leaves_the_page_is_noticed(site, chromium):
    with opened(chromium, site + "book/index.html", home=site) as (page, log):
        page.evaluate("fetch('http://127.0.0.2:9/').catch(() => null)")
        assert log.outside == ["http://127.0.0.2:9/"]


def test_search_finds_a_term_and_leads_to_its_page(site, chromium):
    with opened(chromium, site + "book/index.html", home=site, viewport=PHONE) as (page, log):
        page.click("button.search-button:visible")
        page.fill("input[name=q]:visible", "sub-Gaussian")
        page.keyboard.press("Enter")
        page.wait_for_selector("#search-results li a")
        page.wait_for_function(
            "() => !document.querySelector('#search-progress')?.textContent"
            " && /finished|found/i.test(document.querySelector('#search-results').textContent)"
        )
        found = page.eval_on_selector_all("#search-results li a", "all => all.map((a) => a.href)")
        assert any(link.startswith(site + "book/notation.html") for link in found)
        assert log.outside == []
        assert log.failed == []


def test_what_search_shows_is_text_and_a_greek_letter_finds_the_formulas(site, chromium):
    with opened(chromium, site + "search.html?q=δ", home=site) as (page, _):
        page.wait_for_selector("#search-results li .context")
        found = page.eval_on_selector_all("#search-results li a", "all => all.map((a) => a.href)")
        assert any("intervals-at-all-times" in link for link in found)
        page.goto(site + "search.html?q=sub-Gaussian")
        page.wait_for_selector("#search-results li .context")
        shown = page.eval_on_selector_all(".context", "all => all.map((p) => p.textContent)")
        assert not [text for text in shown if text.lstrip().startswith(("Contents", "...Contents"))]


def test_pages_work_as_plain_files(chromium):
    home = HTML.as_uri() + "/"
    with opened(chromium, home + "book/notation.html", home=home) as (page, log):
        assert page.evaluate(FACTS)["formulas"] > 50
        assert (log.outside, log.failed) == ([], [])
        page.goto(home + "search.html?q=rank")
        page.wait_for_selector("#search-results li a")


def test_the_theme_can_be_changed_by_hand(site, chromium):
    with opened(chromium, site + "book/index.html", home=site) as (page, _):
        seen = []
        for _ in range(3):
            page.click("button.theme-switch-button:visible")
            seen.append(page.evaluate("document.documentElement.dataset.theme"))
        assert {"light", "dark"} <= set(seen)


def test_chapters_can_be_downloaded_as_notebooks():
    downloads = sorted((HTML / "_sources" / "book").glob("*.ipynb"))
    assert downloads
    for path in downloads:
        nbformat.validate(nbformat.read(path, as_version=4))


def test_no_page_names_a_server_in_what_it_loads():
    for name in PAGES:
        text = (HTML / name).read_text(encoding="utf-8")
        text = re.sub(r'<link rel="canonical"[^>]*>', "", text)  # says where it is, loads nothing
        loaded = re.findall(r'<(?:script|link|img|iframe)[^>]*(?:src|href)="(https?:[^"]*)"', text)
        assert loaded == [], name
