"""The intervals to drag of the chapter on gap bounds: drawn as the package computes them."""

import json
import re

import numpy as np
import pytest
from browser import PHONE, opened

from maxgap import gap_lower_bound, gap_upper_bounds
from maxgap_book.figures.bounds import bounds_figure

PAGE = "book/gap-bounds.html"
SETTINGS = {"axis": (-0.5, 5.5), "steps": 20, "alt": "A <b>."}


def test_without_scripts_intervals_and_their_bounds_are_shown():
    lower, upper = [0.0, 0.5, 3.0], [1.0, 2.0, 3.5]
    made = bounds_figure(lower, upper, 1, **SETTINGS)
    bounds = gap_upper_bounds(lower, upper).either
    assert repr(made) == f"Gap bounds: {', '.join(f'{bound:.2f}' for bound in bounds)}."
    for bound in bounds:
        assert f">{bound:.2f}</text>" in made.html
    bars = re.findall(r'<rect class="bar (\w+)" x="([\d.]+)" width="([\d.]+)"', made.html)
    assert [kind for kind, _, _ in bars] == ["other", "chosen", "other"]
    scale = float(bars[0][2])  # an interval of length one
    assert [float(wide) / scale for _, _, wide in bars] == pytest.approx([1, 1.5, 0.5], abs=0.01)
    assert float(bars[1][1]) - float(bars[0][1]) == pytest.approx(scale / 2, abs=0.2)
    assert 'aria-label="A &lt;b&gt;."' in made.html
    data = json.loads(re.search(r'json">(.*?)</script>', made.html).group(1))
    assert (data["lower"], data["upper"], data["arm"]) == (lower, upper, 1)


@pytest.mark.parametrize("end", [0.01, -0.55, 5.6])
def test_an_end_that_no_step_reaches_is_refused(end):
    with pytest.raises(ValueError, match=r"multiples of 1 / 20 in \(-0.5, 5.5\)"):
        bounds_figure([0.0, end], [1.0, 2.0], 0, **SETTINGS)


# -- in a browser --------------------------------------------------------------------------------

STATE = "maxgapBounds.state()"


@pytest.mark.browser
def test_any_intervals_have_the_bounds_of_the_package(chromium, home):
    rng = np.random.default_rng(1)
    with opened(chromium, home + PAGE, home=home) as (page, log):
        for _ in range(60):
            ends = np.sort(rng.integers(-10, 111, (5, 2)) / 20, axis=1)
            arm = int(rng.integers(0, 5))
            text = ",".join(f"{x:.2f}" for x in ends.ravel())
            page.evaluate(f"location.hash = '#intervals={arm},{text}'")
            page.wait_for_function(
                f"{STATE}.ends.flat().map((x) => x.toFixed(2)).join() === '{text}'"
            )
            found = page.evaluate(STATE)
            lower, upper = ends.T
            bounds = gap_upper_bounds(lower, upper)
            assert found["bounds"]["either"] == pytest.approx(bounds.either, abs=1e-12)
            certain = gap_lower_bound(ends.mean(axis=1), lower, upper)
            assert max(found["certain"]["value"], 0) == pytest.approx(max(certain.value, 0))
            slot = found["slot"]
            if bounds.either[arm] == 0:
                assert slot is None
            else:  # the bracket is as wide as the bound, and begins or ends in the arm's interval
                assert slot[1] - slot[0] == pytest.approx(bounds.either[arm])
                assert any(lower[arm] <= end <= upper[arm] for end in slot)
            status = page.locator(".bounds-explorer .status").inner_text()
            assert status.startswith(
                f"Arm {arm}: a gap of at most {found['bounds']['either'][arm]:.2f}"[:-1]
            )
        assert log.errors == []


@pytest.mark.browser
def test_an_end_moves_by_keys_and_the_bound_jumps_as_the_chapter_says(chromium, home):
    with opened(chromium, home + PAGE, home=home) as (page, _):
        end = page.get_by_role("slider", name="Arm 2, lower end")
        bounds = []
        for _ in range(5):
            end.press("ArrowLeft")
            bounds.append(page.evaluate(f"{STATE}.bounds.either[0]"))
        assert bounds == pytest.approx([1.5, 1.5, 1.5, 1.5, 3.0])
        assert end.get_attribute("aria-valuenow") == "0.75"
        page.wait_for_function("location.hash.startsWith('#intervals=2,0,0.75,0.5,1.5,0.75,2,')")
        page.get_by_role("slider", name="Arm 2, whole interval").press("PageUp")
        assert page.evaluate(f"{STATE}.ends[2]") == [1.0, 2.25]
        # An end stops at the other one, and at the end of the axis.
        for key, place in (("PageUp", 2.25), ("PageDown", -0.5)):
            for _ in range(14):
                end.press(key)
            assert page.evaluate(f"{STATE}.ends[2]") == [place, 2.25]
        page.get_by_role("button", name="As at first").click()
        assert page.evaluate(f"{STATE}.ends[2]") == [1.0, 2.0]


@pytest.mark.browser
def test_an_end_follows_mouse_and_finger(chromium, home):
    with opened(chromium, home + PAGE, home=home) as (page, _):
        end = page.get_by_role("slider", name="Arm 4, upper end")
        end.scroll_into_view_if_needed()
        box = end.locator(".target").bounding_box()
        x, y = box["x"] + 2, box["y"] + box["height"] / 2
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x - 60, y, steps=4)
        page.mouse.up()
        moved = page.evaluate(f"{STATE}.ends[4][1]")
        assert 3.5 <= moved < 4.9
        page.mouse.move(x - 90, y)
        assert page.evaluate(f"{STATE}.ends[4][1]") == moved
        assert page.evaluate(f"{STATE}.chosen") == 4
    context = chromium.new_context(viewport=PHONE, has_touch=True)
    page = context.new_page()
    page.goto(home + PAGE)
    page.evaluate("document.querySelector('.bounds-explorer').scrollIntoView({block: 'center'})")
    page.wait_for_timeout(500)
    whole = page.get_by_role("slider", name="Arm 1, whole interval")
    box, scrolled = whole.locator(".target").bounding_box(), page.evaluate("scrollY")
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    touch = context.new_cdp_session(page)
    for kind, points in [
        ("touchStart", [{"x": x, "y": y}]),
        ("touchMove", [{"x": x + 20, "y": y + 3}]),
        ("touchMove", [{"x": x + 40, "y": y + 6}]),
        ("touchEnd", []),
    ]:
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    low, high = page.evaluate(f"{STATE}.ends[1]")
    assert low > 0.8
    assert high - low == pytest.approx(1)
    assert page.evaluate("scrollY") == scrolled
    context.close()


@pytest.mark.browser
def test_without_scripts_the_picture_stays(chromium, home):
    with opened(chromium, home + PAGE, home=home, scripts=False) as (page, _):
        assert page.locator(".bounds-figure > svg").is_visible()
        assert page.locator(".bounds-explorer").count() == 0
    with opened(chromium, home + PAGE, home=home, viewport=PHONE, theme="dark") as (page, _):
        assert not page.locator(".bounds-figure > svg").is_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        card = page.locator(".text_html:has(.bounds-figure)")
        assert card.evaluate("(c) => getComputedStyle(c).backgroundColor") == "rgba(0, 0, 0, 0)"
