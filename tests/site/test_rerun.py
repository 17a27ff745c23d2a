"""The rerun panel in a browser: guess, run, drag, take away; and where it is placed."""

import csv
import gzip
import io
import json
import re
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from browser import HTML, PHONE, opened
from docutils import nodes
from docutils.utils import new_document

import maxgap
from maxgap import problems, simulate
from maxgap.figures import POLICY_STYLES
from maxgap_book.figures.rerun import Preset, ranges, rerun_panel
from tests.site.test_book import violations

BOOK = Path(__file__).parents[2] / "book"
sys.path.insert(0, str(BOOK / "_ext"))

import interactives  # noqa: E402

STATIC = BOOK / "_static"
PAGE = "book/two-large-gaps.html"
STREETVIEW = "book/streetview.html"
FIRST = "book/index.html"
RERUN = ("rerun/core.js", "rerun/panel.js", "rerun/rerun.css")
EXPLORABLE = ("explorable/maxgap.js", "explorable/explorable.js", "explorable/explorable.css")
BOUNDS = ("explorable/maxgap.js", "explorable/bounds.js", "explorable/explorable.css")


# -- what a page is given -------------------------------------------------------------------------


def sizes(*names, compressed):
    texts = [(STATIC / name).read_bytes() for name in dict.fromkeys(names)]
    return sum(len(gzip.compress(text)) if compressed else len(text) for text in texts)


@pytest.mark.parametrize("files", [RERUN, EXPLORABLE, BOUNDS])
def test_script_and_style_of_a_figure_to_be_touched_are_at_most_60_kilobytes(files):
    assert sizes(*files, compressed=False) <= 60_000


def test_all_of_them_together_are_at_most_60_kilobytes_on_their_way():
    assert sizes(*RERUN, *EXPLORABLE, *BOUNDS, compressed=True) <= 60_000


@pytest.mark.parametrize("name", RERUN)
def test_nothing_is_asked_for_from_outside(name):
    text = (STATIC / name).read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r"https?:|@import|url\(|fetch\(|XMLHttp|localStorage", text)


def small_preset(key="two", **changes):
    ratios = pd.DataFrame(
        [["MaxGapUCB", 0.05, 4.87654, 4.5, 5.1], ["MaxGapUCB", 0.2, 3.0, 2.9, 3.2]],
        columns=["policy", "level", "ratio", "low", "high"],
    )
    settings = {
        "key": key, "name": "Two <arms>", "problem": maxgap.Problem([0.0, 1.0], 0.5),
        "code": "Problem([0, 1], SIGMA)", "radius": "paper", "delta": 0.1,
        "base_looks": [10, 20, 45], "looks": [10, 20], "runs": 1600, "ratios": ratios,
        "claimed": (8, 8), "says": "the paper's 8",
    }  # fmt: skip
    return Preset(**settings | changes)


def test_a_panel_holds_the_book_s_numbers_of_every_level():
    player = rerun_panel("panel", [small_preset(limit=6)])
    assert repr(player) == "two, 1,600 runs, at 5%: MaxGapUCB 4.9 (4.5-5.1)"
    (data,) = re.findall(r'class="rerun-presets">(.*?)</script>', player._repr_html_())
    assert "<" not in data
    (found,) = json.loads(data)
    assert found["book"] == {"MaxGapUCB": {"5": [4.877, 4.5, 5.1], "20": [3, 2.9, 3.2]}}
    assert found["looks"] == {"base": [[10, 20, 10], [45, 45, 1]], "others": [[10, 20, 10]]}
    assert (found["sigma"], found["limit"]) == (0.5, 6)
    assert found["name"] == "Two <arms>"


def test_ranges_hold_every_number():
    rng = np.random.default_rng(1)
    for _ in range(50):
        numbers = np.cumsum(rng.integers(1, 4, 12)).tolist()
        found = [n for first, last, step in ranges(numbers) for n in range(first, last + 1, step)]
        assert found == numbers


def page_with(body, kept):
    env = SimpleNamespace(rerun_presets=kept, docname="book/here")
    context = {"body": body, "pathto": lambda name, resource: f"../{name}"}
    interactives.equip(SimpleNamespace(env=env), "book/here", "page.html", context, None)
    return context["body"]


def test_every_page_with_a_panel_gets_the_presets_of_all_chapters():
    chapter = rerun_panel("p", [small_preset("mine")]).html
    env = SimpleNamespace(docname="book/a")
    document = new_document("")
    document += nodes.raw("", chapter, format="html")
    interactives.collect(SimpleNamespace(env=env), document)
    assert list(env.rerun_presets) == ["book/a"]
    kept = env.rerun_presets | {"book/b": [small_preset("other").content()]}
    body = page_with(f"<h1>T</h1>{chapter}", kept)
    assert 'class="rerun-presets"' not in body  # its own are not there twice
    (data,) = re.findall(r'id="rerun-presets">(.*?)</script>', body)
    assert [preset["key"] for preset in json.loads(data)] == ["mine", "other"]
    assert json.loads(data)[0]["means"] == [0, 1]
    scripts = re.findall(r'<script type="module" id="rerun-(\w+)">(.*?)</script>', body, re.S)
    assert scripts == [
        (name, (STATIC / "rerun" / f"{name}.js").read_text(encoding="utf-8"))
        for name in ("core", "panel")
    ]
    assert page_with("<p>No panel.</p>", kept) == "<p>No panel.</p>"
    interactives.forget(SimpleNamespace(), env, "book/a")
    assert env.rerun_presets == {}


def test_the_colours_of_policies_are_those_of_the_figures_and_stand_nowhere_else():
    css = interactives.colours().lower()
    text = "".join((STATIC / name).read_text(encoding="utf-8").lower() for name in RERUN)
    for name, style in POLICY_STYLES.items():
        colour = interactives.to_hex(style["color"])
        assert f"--{name}:{colour}".lower() in css
        assert colour not in text


# -- in a browser ---------------------------------------------------------------------------------

STATE = "document.querySelector('.maxgap-rerun').rerun.state()"
DONE = f"() => !{STATE}.working"


def state(page):
    page.wait_for_function(DONE, timeout=120_000)
    return page.evaluate(STATE)


def press(page, name):
    page.locator(".maxgap-rerun").get_by_role("button", name=name, exact=True).click()
    return state(page)


def said(page):
    return page.locator(".maxgap-rerun [role=status]").inner_text()


@pytest.fixture
def panel(chromium, home):
    """The panel of two large gaps; a script error fails the test."""
    with opened(chromium, home + PAGE, home=home) as (page, log):
        yield page
        assert (log.errors, log.failed, log.outside) == ([], [], [])


@pytest.mark.browser
def test_guess_then_run_and_the_one_number_comes_with_its_interval(panel):
    assert panel.locator(".maxgap-rerun .mark").count() == 0  # nothing is given away
    assert "#" not in panel.url
    guess = panel.get_by_role("slider", name="Your guess")
    assert guess.get_attribute("aria-valuetext") == "not set"
    scale = panel.locator(".maxgap-rerun .scale")
    scale.scroll_into_view_if_needed()
    box = scale.bounding_box()
    panel.mouse.click(box["x"] + 16 + (box["width"] - 32) * 7 / 12, box["y"] + 90)
    assert guess.get_attribute("aria-valuetext") == "7 times"
    found = press(panel, "Run 120")
    assert found["found"]["low"] < found["found"]["ratio"] < found["found"]["high"]
    number = panel.locator(".maxgap-rerun .number").inner_text()
    low, high = found["found"]["low"], found["found"]["high"]
    assert number == (
        f"MaxGapUCB: {found['found']['ratio']:.1f} times fewer ({low:.1f}–{high:.1f}) "
        "at 5%, from 120 runs"
    )
    assert ("lies inside" if low <= 7 <= high else "lies outside") in said(panel)
    labels = panel.locator(".maxgap-rerun .scale text").all_text_contents()
    assert "the paper’s 8" in labels
    assert "proved limit: 6" in labels
    assert any(label.startswith("this book, 4,000 runs: 4.9 (") for label in labels)
    guess.press("ArrowRight")
    assert guess.get_attribute("aria-valuetext") == "7 times"  # it came before the result


@pytest.mark.browser
def test_more_runs_narrow_the_interval_and_other_runs_drop_dots(panel):
    first = press(panel, "Run 120")
    for _ in range(3):
        more = press(panel, "120 more")
    assert (more["runs"], len(more["ratios"])) == (480, 1)
    assert more["ratios"] == first["ratios"]  # the dot is the first 120 runs'
    assert (
        more["found"]["high"] - more["found"]["low"]
        < first["found"]["high"] - first["found"]["low"]
    )
    another = press(panel, "Another 120")
    assert (another["runs"], another["experiments"]) == (120, 2)
    assert another["ratios"][0] == first["ratios"][0] != another["ratios"][1]
    many = press(panel, "20 × 120")
    assert many["experiments"] == 22
    assert panel.locator(".maxgap-rerun .dot").count() == 22
    high = sum(ratio >= 8 for ratio in many["ratios"])
    assert panel.locator(".maxgap-rerun .dot.high").count() == high
    says = panel.locator(".maxgap-rerun .dots-say").inner_text()
    assert says.startswith("22 experiments of 120 runs, a dot each: from ")
    assert says.endswith(f"; 8 or more in {high} of 22.")


@pytest.mark.browser
def test_what_is_cancelled_does_not_count(panel):
    first = press(panel, "Run 120")
    panel.get_by_role("button", name="20 × 120", exact=True).click()
    panel.wait_for_timeout(500)
    panel.get_by_role("button", name="Cancel", exact=True).click()
    after = state(panel)
    assert after["ratios"] == first["ratios"]
    assert (after["runs"], after["experiments"]) == (120, 1)
    assert "Cancelled" in said(panel)
    assert press(panel, "120 more")["runs"] == 240


@pytest.mark.browser
def test_a_double_press_begins_a_run_and_does_not_cancel_it(panel):
    panel.get_by_role("button", name="Run 120", exact=True).dblclick()
    assert state(panel)["runs"] == 120
    panel.get_by_role("button", name="120 more", exact=True).focus()
    panel.keyboard.press("Enter")
    panel.keyboard.press("Enter")
    assert state(panel)["runs"] == 240


@pytest.mark.browser
def test_another_setting_than_the_published_is_not_held_against_the_paper(panel):
    press(panel, "Run 120")
    assert " the paper’s 8" in said(panel)
    press(panel, "the radius as printed")
    assert "Of this setting the paper’s 8 says nothing." in said(panel)


@pytest.mark.browser
def test_the_level_is_dragged_and_moved_by_keys(panel):
    press(panel, "Run 120")
    level = panel.get_by_role("slider", name="Error level")
    before = panel.evaluate(STATE)["found"]
    level.focus()
    panel.keyboard.press("ArrowUp")
    assert level.get_attribute("aria-valuenow") == "5" or state(panel)["level"] == 6
    panel.wait_for_function(f"() => {STATE}.level === 6")
    box = panel.locator(".maxgap-rerun .level .target").bounding_box()
    x, y = box["x"] + box["width"] - 12, box["y"] + box["height"] / 2
    panel.mouse.move(x, y)
    panel.mouse.down()
    panel.mouse.move(x, y - 30, steps=3)
    panel.mouse.up()
    dragged = state(panel)
    assert dragged["level"] > 8
    assert dragged["found"]["base"] < before["base"]
    for key, value in (("End", 20), ("Home", 1)):
        level.press(key)
        panel.wait_for_function(f"() => {STATE}.level === {value}")
    panel.wait_for_function("location.hash.includes(',1,,120,1')")


@pytest.mark.browser
def test_an_address_leads_to_the_same_experiment(chromium, home, panel):
    panel.get_by_role("slider", name="Your guess").press("PageUp")
    press(panel, "Run 120")
    press(panel, "Another 120")
    seen, address = press(panel, "120 more"), panel.url
    assert address.endswith("#rerun=two-gaps-run,U,0.05,authors-lil,120,0.1,1,5,2.5,240,2")
    with opened(chromium, address, home=home) as (page, log):
        assert state(page) == seen
        assert page.locator(".maxgap-rerun").bounding_box()["y"] < 400
        assert log.errors == []
        for broken in (
            "two-gaps-run,U,0.05,authors-lil,120,0.1,1,5,2.5,240",
            "two-gaps-run,X,0.05,authors-lil,120,0.1,1,5,2.5,240,2",
            "two-gaps-run,U,99,authors-lil,120,0.1,1,5,2.5,240,2",
            "two-gaps-run,U,0.05,toString,120,0.1,1,5,2.5,240,2",
            "two-gaps-run,U,0.05,authors-lil,120,0.1,1,5,2.5,1e9,2",
            "no,U,0.05,authors-lil,120,0.1,1,5,2.5,240,2",
            "%E0%A4%A",
        ):
            page.evaluate("(hash) => { location.hash = hash; }", f"#rerun={broken}")
            page.wait_for_timeout(50)
            assert state(page) == seen, broken
        assert log.errors == []


@pytest.mark.browser
def test_the_printed_radius_takes_the_gain_away(panel):
    press(panel, "Run 120")
    before = panel.get_by_role("combobox", name="Radius").locator("option").all_inner_texts()
    assert before == [
        "normal mixture (proved)", "Hoeffding’s (proved)", "as printed (proved)",
        "of the scripts (not proved)",
    ]  # fmt: skip
    found = press(panel, "the radius as printed")
    assert found["radius"] == "paper"
    assert found["found"]["ratio"] < 2
    assert panel.locator(".maxgap-rerun .mark.book").count() == 0  # not of this radius
    reset = press(panel, "back to the published setting")
    assert (reset["radius"], reset["runs"]) == ("authors-lil", 0)
    panel.get_by_role("combobox", name="Instance").select_option("two-gaps-printed")
    texts = panel.get_by_role("combobox", name="Radius").locator("option").all_inner_texts()
    assert "as printed (not proved)" in texts


@pytest.mark.browser
def test_all_scenes_double_the_gain(chromium, home):
    with opened(chromium, home + STREETVIEW, home=home) as (page, log):
        ninety = press(page, "Run 120")
        assert ninety["preset"] == "streetview-90"
        hundred = press(page, "all 100 scenes")
        assert hundred["found"]["ratio"] > 1.3 * ninety["found"]["ratio"]
        assert log.errors == []


def after_typing(panel, name, typed):
    """The state once something was typed into the box of this name."""
    box = panel.get_by_role("spinbutton", name=name)
    box.fill(typed)
    box.press("Tab")
    return state(panel)


@pytest.mark.browser
def test_extreme_values_are_taken_to_what_can_be_run(panel):
    for name, typed, kept in (
        ("Noise σ", "1e9", ("sigma", 0.2)), ("Noise σ", "-3", ("sigma", 0.0125)),
        ("Noise σ", "", ("sigma", 0.0125)),
    ):  # fmt: skip
        assert after_typing(panel, name, typed)[kept[0]] == kept[1]
    found = press(panel, "Run 120")  # 1/16 of the samples
    assert found["found"]["base"] < 500
    panel.locator(".maxgap-rerun .controls summary").click()
    for name, typed, kept in (
        ("Error allowed δ", "7", ("delta", 0.5)), ("Error allowed δ", "0", ("delta", 0.001)),
        ("Seed", "0.4", ("seed", 1)),
    ):  # fmt: skip
        assert after_typing(panel, name, typed)[kept[0]] == kept[1]
    for policy in ("MaxGapElim", "MaxGapTop2UCB"):
        panel.get_by_role("checkbox", name=policy).check()
    panel.get_by_role("combobox", name="Runs").select_option("480")
    found = press(panel, "Run 480")
    assert found["policies"] == ["MaxGapElim", "MaxGapUCB", "MaxGapTop2UCB"]
    panel.locator(".maxgap-rerun .numbers summary").click()
    assert panel.locator(".maxgap-rerun .numbers tr").count() == 5
    for policy in found["policies"]:
        panel.get_by_role("checkbox", name=policy).click()
    assert state(panel)["policies"] == ["MaxGapTop2UCB"]  # something has to be compared


@pytest.mark.browser
def test_the_table_and_the_file_say_what_is_drawn(panel):
    found = press(panel, "Run 120")
    panel.locator(".maxgap-rerun .numbers summary").click()
    rows = panel.locator(".maxgap-rerun .numbers tr").all_inner_texts()
    assert rows[1].split("\t")[:2] == ["RoundRobin", "120"]
    assert rows[2].split("\t")[3] == f"{found['found']['ratio']:.1f}"
    table = list(
        csv.DictReader(
            io.StringIO(panel.evaluate("document.querySelector('.maxgap-rerun').rerun.csv()"))
        )
    )
    assert {row["policy"] for row in table} == {"RoundRobin", "MaxGapUCB"}
    assert len(table) == 180 + 100
    for row in table:
        wrong, low, high = int(row["wrong"]), float(row["low"]), float(row["high"])
        assert float(row["error"]) == wrong / 120
        assert low <= wrong / 120 <= high
    with panel.expect_download() as download:
        panel.get_by_role("button", name="Save as CSV").click()
    assert download.value.suggested_filename == "two-gaps-run.csv"


@pytest.mark.browser
@pytest.mark.parametrize("page_name", [PAGE, STREETVIEW])
def test_the_python_that_is_copied_runs_and_does_the_same(page_name, chromium, home, monkeypatch):
    with opened(chromium, home + page_name, home=home) as (page, _):
        box = page.get_by_role("combobox", name="Instance")
        for key in [option.get_attribute("value") for option in box.locator("option").all()]:
            box.select_option(key)
            now = state(page)
            text = page.evaluate("document.querySelector('.maxgap-rerun').rerun.python()")
            asked, replicate = [], simulate.replicate

            def few(policies, problem, asked=asked, replicate=replicate, **settings):
                asked.append((policies, problem, settings))
                small = {"budget": 900, "replicates": 16, "checkpoints": [300, 900]}
                return replicate(policies, problem, **settings | small)

            monkeypatch.setattr(simulate, "replicate", few)
            exec(text, {"print": lambda table: None})
            monkeypatch.undo()
            ((policies, problem, settings),) = asked
            assert list(policies) == ["RoundRobin", "MaxGapUCB"]
            wanted, in_the_book = {
                "two-gaps-run": (problems.two_large_gaps(0.1, 0.05), 4000),
                "two-gaps-printed": (problems.two_large_gaps(0.2, 1.0), 600),
                "streetview-90": (problems.streetview(0.05), 1000),
                "streetview-100": (problems.streetview(0.05, 100), 400),
            }[key]  # fmt: skip
            assert problem == wanted
            assert settings["seed"] == now["seed"]
            assert settings["checkpoints"][-1] == settings["budget"]
            assert settings["replicates"] == in_the_book


@pytest.mark.browser
@pytest.mark.parametrize(
    "broken",
    [
        "delete window.Worker",
        """window.Worker = class {
          constructor() { setTimeout(() => this.onerror({ preventDefault() {} })); }
          terminate() {}
          postMessage() {}
        };""",
    ],
)
def test_without_workers_the_page_itself_runs_the_same(broken, chromium, home, panel):
    seen = press(panel, "Run 120")
    context = chromium.new_context()
    context.add_init_script(broken)
    page = context.new_page()
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(home + PAGE)
    assert press(page, "Run 120") == seen
    assert errors == []
    context.close()


@pytest.mark.browser
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_on_a_phone_by_keyboard_alone_and_accessible(theme, chromium, home):
    with opened(chromium, home + PAGE, home=home, viewport=PHONE, theme=theme) as (page, log):
        page.get_by_role("slider", name="Your guess").focus()
        for key in ("PageUp", "ArrowRight"):
            page.keyboard.press(key)
        assert state(page)["guess"] == 3
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        found = state(page)
        assert found["runs"] == 120
        focused = page.evaluate("document.activeElement.textContent")
        assert focused == "120 more"  # the button that was pressed has gone
        page.keyboard.press("Tab")
        page.keyboard.press("Space")
        assert state(page)["experiments"] == 2
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        outside = page.evaluate(
            """() => [...document.querySelectorAll(
                ".maxgap-rerun :is(svg *, button, select, input)")]
              .map((node) => node.getBoundingClientRect())
              .filter((box) => box.width > 0 && (box.right > innerWidth || box.left < 0)).length"""
        )
        assert outside == 0
        assert violations(page) == []
        assert log.errors == []


@pytest.mark.browser
def test_it_runs_from_a_file_and_without_scripts_and_in_print_the_figures_stand_there(
    chromium, home
):
    with opened(chromium, (HTML / PAGE).as_uri(), home="file://") as (page, log):
        assert press(page, "Run 120")["runs"] == 120
        assert log.errors == []
        page.emulate_media(media="print")
        assert not page.locator(".maxgap-rerun .page").is_visible()
        assert page.locator("#fig-two-gaps-ratio img").is_visible()
    with opened(chromium, home + PAGE, home=home, scripts=False) as (page, _):
        assert page.locator(".maxgap-rerun button").count() == 0
        assert page.locator("#fig-two-gaps-ratio img").is_visible()


@pytest.mark.browser
@pytest.mark.parametrize("viewport", [PHONE, {"width": 1280, "height": 900}])
def test_the_first_page_has_the_guess_the_runs_and_the_one_number(viewport, chromium, home):
    with opened(chromium, home + FIRST, home=home, viewport=viewport) as (page, log):
        root = page.locator(".maxgap-rerun")
        assert root.get_by_role("combobox").count() == 0
        root.get_by_role("slider", name="Your guess").press("End")
        found = press(page, "Run 120")
        assert found["guess"] == 12
        assert root.locator(".number").inner_text().startswith("MaxGapUCB: ")
        assert press(page, "Another 120")["experiments"] == 2
        link = root.get_by_role("link")
        assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]
        link.click()
        page.wait_for_url("**/two-large-gaps.html#rerun=*")
        assert state(page)["experiments"] == 2
        assert log.errors == []
    with opened(chromium, home + FIRST, home=home, scripts=False) as (page, _):
        assert page.locator(".maxgap-rerun a").is_visible()


@pytest.mark.browser
def test_little_is_said_aloud(panel):
    panel.evaluate(
        """() => {
          window.changes = 0;
          new MutationObserver((all) => { window.changes += all.length; })
            .observe(document.querySelector(".maxgap-rerun [role=status]"), { childList: true });
        }"""
    )
    press(panel, "Run 120")
    press(panel, "20 × 120")
    assert panel.evaluate("window.changes") <= 4  # emptied and said, once each
