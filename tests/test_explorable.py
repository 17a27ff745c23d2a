"""The explorable figure: its JavaScript and the package, fed the same rewards, decide the same."""

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from browser import HTML, PHONE, launched, opened, served

import maxgap

STATIC = Path(__file__).parent.parent / "book" / "_static" / "explorable"
PAGE = "book/04-three-algorithms.html"
POLICIES = [maxgap.RoundRobin, maxgap.MaxGapElim, maxgap.MaxGapUCB, maxgap.MaxGapTop2UCB]
ROUNDS = 400
# Both sides take logarithms of their own C library: the last bit may differ.
EXACT = {"rtol": 0, "atol": 1e-12}

INSTANCES = {
    "seven arms": ([0.0, 0.15, 0.35, 1.25, 1.4, 2.2, 2.4], 0.4),
    "two arms": ([0.0, 0.3], 1.0),
    "tied means": ([0.0, 0.0, 1.0, 1.0], 0.5),
    "nearly tied gaps": ([0.0, 1.0, 2.05], 1.0),
    "twelve arms": (np.linspace(0, 3, 12) + (np.arange(12) > 4), 0.7),
}


def rewards_of(name):
    """A table of rewards, shape (K, rounds): the n-th reward of every arm."""
    means, sigma = INSTANCES[name]
    rng = np.random.default_rng(sum(name.encode()))
    noise = rng.standard_normal((len(means), ROUNDS))
    return np.asarray(means)[:, None] + sigma * noise, sigma


def twins():
    """Rewards under which arms share intervals to the last bit: ties in every decision."""
    rewards, sigma = rewards_of("tied means")
    return rewards[[0, 0, 2, 2]], sigma


def package_trace(cls, rewards, sigma, delta=0.1):
    """What the package holds after every round, until it stops or the table is used up."""
    policy = cls(len(rewards), delta=delta, sigma=sigma, stopping="clusters")
    rounds = []
    while not policy.stopped and policy.counts.max() < rewards.shape[1]:
        arms = policy.ask()
        policy.tell(arms, rewards[arms, policy.counts[arms]])
        bounds, certain = policy.gap_bounds(), policy.gap_lower()
        rounds.append(
            {
                "counts": policy.counts.tolist(),
                "means": policy.means.tolist(),
                "lower": policy.lower.tolist(),
                "upper": policy.upper.tolist(),
                "right": bounds.right.tolist(),
                "left": bounds.left.tolist(),
                "certain": certain.value,
                "next": policy.ask(),
                "stopped": policy.stopped,
                "top": sorted(policy.recommend().top),
            }
        )
    return rounds


def assert_same_round(ours, theirs):
    for field in ("counts", "next", "stopped", "top"):
        assert theirs[field] == ours[field], field
    for field in ("means", "lower", "upper", "right", "left", "certain"):
        np.testing.assert_allclose(theirs[field], ours[field], **EXACT, err_msg=field)


# -- the algorithms, in Node -----------------------------------------------------------------------

DRIVER = """
const { Policy } = require(process.argv[1]);
const { name, rewards, delta, sigma } = JSON.parse(require("fs").readFileSync(0, "utf8"));
const policy = new Policy(name, rewards.length, { delta, sigma });
const rounds = [];
while (!policy.stopped && Math.max(...policy.counts) < rewards[0].length) {
  const arms = policy.ask();
  policy.tell(arms, arms.map((arm) => rewards[arm][policy.counts[arm]]));
  rounds.push({
    counts: policy.counts.slice(), means: policy.means.slice(), lower: policy.lower.slice(),
    upper: policy.upper.slice(), right: policy.bounds.right, left: policy.bounds.left,
    certain: policy.certain.value, next: policy.ask(), stopped: policy.stopped,
    top: policy.recommend(),
  });
}
console.log(JSON.stringify(rounds));
"""

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed")


def node_trace(cls, rewards, sigma, delta=0.1):
    case = {"name": cls.__name__, "rewards": rewards.tolist(), "delta": delta, "sigma": sigma}
    done = subprocess.run(
        ["node", "-e", DRIVER, str(STATIC / "maxgap.js")],
        input=json.dumps(case),
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


@needs_node
@pytest.mark.parametrize("name", [*INSTANCES, "twins"])
@pytest.mark.parametrize("cls", POLICIES)
def test_javascript_and_package_agree_round_by_round(cls, name):
    rewards, sigma = twins() if name == "twins" else rewards_of(name)
    ours = package_trace(cls, rewards, sigma)
    theirs = node_trace(cls, rewards, sigma)
    assert len(theirs) == len(ours)
    for one, other in zip(ours, theirs, strict=True):
        assert_same_round(one, other)


def test_the_compared_runs_are_long_and_some_end_certified():
    lengths = {True: 0, False: 0}
    for name in INSTANCES:
        for cls in POLICIES:
            rounds = package_trace(cls, *rewards_of(name))
            lengths[rounds[-1]["stopped"]] += len(rounds)
    assert lengths[True] > 500
    assert lengths[False] > 3000


# -- the figure, in a browser ----------------------------------------------------------------------


@pytest.fixture(scope="module")
def chromium():
    if not (HTML / PAGE).is_file():
        pytest.skip(f"{PAGE} is not built")
    with launched() as browser:
        yield browser


@pytest.fixture(scope="module")
def home():
    with served(HTML) as address:
        yield address


@pytest.fixture(scope="module")
def page(chromium, home):
    with opened(chromium, home + PAGE, home=home) as (page, log):
        yield page
        assert (log.outside, log.failed) == ([], [])


RUN = """
([change, rewards]) => {
  const figure = window.maxgapExplorable;
  const all = (selector) => Array.from(document.querySelectorAll(selector));
  figure.set(change);
  figure.feed(rewards);
  document.querySelector(".maxgap-explorable details").open = true;
  const rounds = [];
  let before = -1;
  for (let state = figure.state(); state.rounds > before; state = figure.state()) {
    before = state.rounds;
    figure.step();
    const after = figure.state();
    if (after.rounds === before) break;
    rounds.push({
      ...after,
      marked: all(".maxgap-explorable .mark").map((mark) => mark.getAttribute("visibility")),
      table: all(".maxgap-explorable tbody tr").map((row) =>
        Array.from(row.cells, (cell) => cell.textContent)),
      status: document.querySelector(".maxgap-explorable .status").textContent,
    });
  }
  return rounds;
}
"""


@pytest.mark.browser
@pytest.mark.parametrize("name", ["seven arms", "tied means", "nearly tied gaps", "twins"])
@pytest.mark.parametrize("cls", POLICIES)
def test_the_page_shows_what_the_package_computes_round_by_round(page, cls, name):
    rewards, sigma = twins() if name == "twins" else rewards_of(name)
    ours = package_trace(cls, rewards, sigma)
    change = {"policy": cls.__name__, "sigma": sigma, "delta": 0.1}
    theirs = page.evaluate(RUN, [change, rewards.tolist()])
    # The page stops when it is asked for a reward that it was not given.
    assert min(len(ours), ROUNDS) <= len(theirs) <= len(ours)
    for one, other in zip(ours, theirs, strict=False):
        assert_same_round(one, other)
        marked = [i for i, mark in enumerate(other["marked"]) if mark == "visible"]
        assert marked == one["next"]
        for arm, cells in enumerate(other["table"]):
            assert cells[:2] == [str(arm), str(one["counts"][arm])]
            numbers = [one[field][arm] for field in ("means", "lower", "upper", "right", "left")]
            # A value halfway between two of three digits may be rounded either way.
            given = [float(text.replace("−", "-")) for text in cells[2:7]]
            np.testing.assert_allclose(given, numbers, atol=0.000501)
            assert cells[7] == ("yes" if arm in one["next"] else "")
            assert cells[8] == ("top" if arm in one["top"] else "bottom")
    if ours[-1]["stopped"]:
        assert f"Certified: {', '.join(map(str, ours[-1]['top']))} above" in theirs[-1]["status"]


def value_of(page, arm):
    # A change is drawn in the next frame.
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    return float(page.locator(".maxgap-explorable .handle").nth(arm).get_attribute("aria-valuenow"))


@pytest.mark.browser
def test_a_mean_follows_keys_and_mouse_and_the_run_is_replayed(chromium, home):
    with opened(chromium, home + PAGE, home=home) as (page, _):
        handle = page.locator(".maxgap-explorable .handle").nth(5)
        before = page.evaluate("maxgapExplorable.state()")
        start = value_of(page, 5)
        handle.focus()
        page.keyboard.press("ArrowRight")
        assert value_of(page, 5) == pytest.approx(start + 0.05)
        page.keyboard.press("PageUp")
        assert value_of(page, 5) == pytest.approx(start + 0.30)
        after = page.evaluate("maxgapExplorable.state()")
        assert after["rounds"] == before["rounds"]
        assert after["means"][5] == pytest.approx(before["means"][5] + 0.30)
        assert after["means"][0] == pytest.approx(before["means"][0])

        page.keyboard.press("Home")
        assert value_of(page, 5) == 0
        handle.scroll_into_view_if_needed()
        box = handle.locator(".target").bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + 60, y, steps=4)
        page.mouse.up()
        moved = value_of(page, 5)
        page.mouse.move(x + 120, y)
        assert value_of(page, 5) == moved > 0.1


@pytest.mark.browser
def test_a_mean_follows_a_finger_without_scrolling_the_page(chromium, home):
    context = chromium.new_context(viewport=PHONE, has_touch=True)
    page = context.new_page()
    page.goto(home + PAGE)
    handle = page.locator(".maxgap-explorable .handle").nth(0)
    page.evaluate(
        "document.querySelector('.maxgap-explorable .handle').scrollIntoView({block: 'center'})"
    )
    page.wait_for_timeout(500)
    box, scrolled = handle.locator(".target").bounding_box(), page.evaluate("scrollY")
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    touch = context.new_cdp_session(page)
    for kind, points in [
        ("touchStart", [{"x": x, "y": y}]),
        ("touchMove", [{"x": x + 25, "y": y + 3}]),
        ("touchMove", [{"x": x + 50, "y": y + 6}]),
        ("touchEnd", []),
    ]:
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    assert value_of(page, 0) > 0.3
    assert page.evaluate("scrollY") == scrolled
    context.close()


@pytest.mark.browser
def test_play_moves_on_and_pauses_but_shows_only_the_end_to_who_wants_no_motion(chromium, home):
    rounds = "maxgapExplorable.state().rounds"
    with opened(chromium, home + PAGE, home=home) as (page, _):  # asks for reduced motion
        page.get_by_role("button", name="Restart").click()
        page.get_by_role("button", name="Run to the end").click()
        assert page.evaluate("maxgapExplorable.state().stopped")
    context = chromium.new_context(reduced_motion="no-preference")
    page = context.new_page()
    page.goto(home + PAGE)
    page.get_by_role("button", name="Restart").click()
    assert page.evaluate(rounds) == 0
    page.get_by_role("button", name="Step").click()
    assert page.evaluate(rounds) == 1
    page.get_by_role("button", name="Play").click()
    page.wait_for_function(f"{rounds} > 10")
    page.get_by_role("button", name="Pause").click()
    paused = page.evaluate(rounds)
    page.wait_for_timeout(400)
    assert page.evaluate(rounds) == paused
    context.close()


@pytest.mark.browser
def test_every_number_of_arms_can_be_played_to_an_end_or_the_limit(chromium, home):
    for n_arms in (2, 12):
        with opened(chromium, home + PAGE, home=home) as (page, _):
            box = page.get_by_role("spinbutton", name="Arms")
            box.press("Control+a")
            box.press_sequentially(str(n_arms))
            box.press("Tab")
            page.get_by_role("button", name="10 rounds").click()
            assert page.locator(".maxgap-explorable .handle").count() == n_arms
            # Two arms may be told apart within the ten rounds.
            state = page.evaluate("maxgapExplorable.state()")
            assert state["stopped"] or len(state["next"]) >= 2


@pytest.mark.browser
def test_without_scripts_a_picture_with_a_text_stands_there(chromium, home):
    with opened(chromium, home + PAGE, home=home, scripts=False) as (page, _):
        picture = page.locator("#fig-explorable img")
        assert picture.is_visible()
        assert len(picture.get_attribute("alt")) > 40
        assert page.locator(".maxgap-explorable").count() == 0
    with opened(chromium, home + PAGE, home=home) as (page, _):
        assert not page.locator("#fig-explorable img").is_visible()


@pytest.mark.browser
def test_it_works_from_a_file_and_at_phone_width(chromium):
    address = (HTML / PAGE).as_uri()
    with opened(chromium, address, home="file://", viewport=PHONE) as (page, _):
        page.get_by_role("button", name="10 rounds").click()
        assert "Round 90" in page.locator(".maxgap-explorable .status").inner_text()
        wide = page.evaluate(
            "Math.max(...Array.from(document.querySelectorAll('.maxgap-explorable *'),"
            " (node) => node.closest('.scroller') ? 0 : node.getBoundingClientRect().right))"
        )
        assert wide <= PHONE["width"]
