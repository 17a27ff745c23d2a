"""The figures of two large gaps that readers touch: runs drawn again and again, and the player."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from browser import PHONE, engine, opened

from maxgap.statistics import first_below, times_fewer
from maxgap_book.figures.draws import Words, draws_figure

STATIC = Path(__file__).parents[2] / "book" / "_static" / "explorable"
PAGE = "book/two-large-gaps.html"
SETTINGS = {"level": 0.05, "claimed": 8, "words": Words("d", "A <b>.", "Curves.")}

DRIVER = """
// What a browser has, and a bare engine has not.
globalThis.atob = (text) => {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const six = (x) => letters.indexOf(x).toString(2).padStart(6, "0");
  const bits = Array.from(text.replace(/=+$/, ""), six).join("");
  const bytes = bits.match(/.{8}/g) || [];
  return bytes.map((byte) => String.fromCharCode(parseInt(byte, 2))).join("");
};

function finite(x) { return Number.isFinite(x) ? x : null; }
function below(...all) { return finite(maxgapDraws.firstBelow(...all)); }
function draws(data, times) {
  const { unpacked, oneDraw } = maxgapDraws;
  const policies = data.policies.map(({ bits, samples }) => (
    { samples, rows: unpacked(bits, samples.length) }));
  const uniform = maxgap.uniforms(1, 0);
  return Array.from({ length: times }, () => {
    const { both, ratio } = oneDraw(policies, data, uniform);
    return { counts: both.map((one) => one.counts), ratio };
  });
}
function chosen(n, many, seed) {
  return maxgapDraws.drawn(Array.from({ length: n }, (_, i) => i), many, maxgap.uniforms(seed, 0));
}
"""


@pytest.fixture(scope="module")
def javascript():
    with engine([STATIC / name for name in ("maxgap.js", "draws.js")], DRIVER) as call:
        yield call


def answers(seed, runs=300):
    """Wrong answers of two policies, the second better; samples of each."""
    rng = np.random.default_rng(seed)
    samples = {"slow": list(range(20, 620, 20)), "fast": list(range(20, 420, 20))}
    wrong = {
        name: rng.random((runs, len(at))) < 0.5 * np.exp(-np.array(at) / scale)
        for (name, at), scale in zip(samples.items(), (150, 40), strict=True)
    }
    return wrong, samples


def told(wrong, samples):
    return {name: (samples[name], of_policy) for name, of_policy in wrong.items()}


def data_of(figure):
    return json.loads(re.search(r'json">(.*?)</script>', figure.html, re.S).group(1))


@pytest.mark.parametrize("level", [0.05, 0.1, 0.2])
def test_javascript_reads_a_curve_off_as_the_package_does(level, javascript):
    rng = np.random.default_rng(1)
    missed = 0
    for _ in range(200):
        n = int(rng.integers(1, 30))
        counts = rng.binomial(120, 0.6 * np.exp(-rng.uniform(0, 0.3) * np.arange(n)))
        samples = np.cumsum(rng.integers(1, 50, n))
        ours = first_below(counts[None, :], 120, samples, level)[0]
        theirs = javascript("below", counts.tolist(), 120, samples.tolist(), level)
        missed += theirs is None
        assert (np.inf if theirs is None else theirs) == pytest.approx(ours, rel=1e-12)
    assert 20 < missed < 180


def test_a_draw_counts_runs_of_the_table_and_its_ratio_is_the_package_s(javascript):
    wrong, samples = answers(2)
    figure = draws_figure(told(wrong, samples), [4.0], runs=300, **SETTINGS)
    (everything,) = javascript("draws", data_of(figure), 1)
    totals = [wrong[name].sum(axis=0).tolist() for name in samples]
    assert everything["counts"] == totals  # all 300 of 300: every bit came through

    figure = draws_figure(told(wrong, samples), [4.0], runs=120, **SETTINGS)
    ratios = set()
    for one in javascript("draws", data_of(figure), 20):
        until = [
            first_below(np.array([counts]), 120, np.array(at), 0.05)
            for counts, at in zip(one["counts"], samples.values(), strict=True)
        ]
        assert one["ratio"] == pytest.approx(times_fewer(until[0][0], until[1])[0])
        ratios.add(one["ratio"])
    assert len(ratios) > 10


def test_a_policy_that_misses_the_level_has_ratio_zero(javascript):
    samples = {"slow": [10, 20], "fast": [10, 20]}
    for slow in (np.zeros((5, 2)), np.ones((5, 2))):
        wrong = {"slow": slow, "fast": np.ones((5, 2))}
        figure = draws_figure(told(wrong, samples), [4.0], runs=5, **SETTINGS)
        assert javascript("draws", data_of(figure), 1)[0]["ratio"] == 0


def test_no_run_is_drawn_twice_and_every_run_as_often(javascript):
    seen = np.zeros(30)
    for seed in range(1, 401):
        found = javascript("chosen", 30, 12, seed)
        assert len(set(found)) == 12
        seen[found] += 1
    assert abs(seen - 160).max() < 5 * np.sqrt(400 * 0.4 * 0.6)


def test_without_scripts_the_given_ratios_are_shown():
    wrong, samples = answers(3)
    figure = draws_figure(told(wrong, samples), [2.5, 2.6, 9.0], runs=120, **SETTINGS)
    assert repr(figure) == "3 draws: 2.5 to 9.0 times fewer samples; 8 or more in 1 of 3."
    assert f">{figure!r}</output>" in figure.html
    assert '<div class="controls" hidden>' in figure.html
    dots = re.search(r'class="dots">(.*?)</g>', figure.html, re.S).group(1)
    places = re.findall(r'cx="([\d.]+)" cy="([\d.]+)"', dots)
    assert len(places) == 3
    assert places[0][0] == places[1][0] != places[2][0]  # one on the other
    assert places[0][1] != places[1][1]
    assert "A &lt;b&gt;." in figure.html
    assert not re.search(r"https?:|@import|url\(", figure.html)


def test_what_cannot_be_drawn_from_is_refused():
    wrong, samples = answers(4)
    with pytest.raises(ValueError, match="at least 301 runs, got 300"):
        draws_figure(told(wrong, samples), [1.0], runs=301, **SETTINGS)
    with pytest.raises(ValueError, match=r"two policies, got \['slow'\]"):
        draws_figure(told({"slow": wrong["slow"]}, samples), [1.0], runs=2, **SETTINGS)


# -- in a browser --------------------------------------------------------------------------------


@pytest.mark.browser
def test_each_press_adds_a_dot_and_says_so(chromium, home):
    with opened(chromium, home + PAGE, home=home, viewport=PHONE) as (page, log):
        says, dots = (
            page.locator(".draws-figure output"),
            page.locator(".draws-figure .dots circle"),
        )
        first = says.inner_text()
        assert first.startswith("Draw 1: ")
        assert dots.count() == 1
        page.get_by_role("button", name="Draw 120 runs").focus()
        page.keyboard.press("Enter")
        assert dots.count() == 2
        assert says.inner_text() != first
        page.get_by_role("button", name="Draw 50 times").click()
        assert dots.count() == 52
        said = re.search(r"from ([\d.]+) to ([\d.]+), half below ([\d.]+)", says.inner_text())
        low, high, middle = map(float, said.groups())
        assert 1 < low < 4 < middle < 6 < high
        page.locator(".draws-figure [data-again]").click()
        assert says.inner_text() == first
        assert dots.count() == 1
        # No dot and no circle lies outside of the picture.
        assert page.evaluate(
            """() => {
              const place = (node) => node.getBoundingClientRect();
              const box = place(document.querySelector(".draws-figure svg"));
              return [...document.querySelectorAll(".draws-figure circle")].map(place).every(
                (at) => at.left >= box.left && at.right <= box.right
                  && at.top >= box.top && at.bottom <= box.bottom);
            }"""
        )
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        assert log.errors == []


@pytest.mark.browser
def test_the_player_opens_on_its_first_time_and_on_the_page_s_own_ground(chromium, home):
    with opened(chromium, home + PAGE, home=home, theme="dark") as (page, _):
        assert page.locator(".profile-player output").inner_text().startswith("t = 20.")
        assert page.locator(".profile-player input").input_value() == "0"
        for figure in (".profile-player", ".draws-figure"):
            card = page.locator(f".text_html:has({figure})")
            ground = card.evaluate("(card) => getComputedStyle(card).backgroundColor")
            assert ground == "rgba(0, 0, 0, 0)", figure
    with opened(chromium, home + PAGE, home=home, scripts=False) as (page, _):
        assert page.locator(".profile-player output").inner_text().startswith("t = 600.")
        assert page.locator(".draws-figure svg").is_visible()
        assert not page.locator(".draws-figure .controls").is_visible()
