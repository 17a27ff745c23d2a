"""The explorable figure: its JavaScript and the package, fed the same rewards, decide the same."""

import json
from pathlib import Path

import numpy as np
import pytest
import twins as plain_twins
from browser import HTML, PHONE, opened
from py_mini_racer import MiniRacer
from scipy import stats
from strategies import clustered, evenly_spaced, scattered, state_of, two_sided

import maxgap
from maxgap.contrasts import plain as plain_contrasts

STATIC = Path(__file__).parents[2] / "book" / "_static" / "explorable"
PAGE = "book/three-algorithms.html"
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


# -- the algorithms, in V8 ---------------------------------------------------------------------

DRIVER = """
function trace({ name, rewards, delta, sigma }) {
  const policy = new maxgap.Policy(name, rewards.length, { delta, sigma });
  const rounds = [];
  while (!policy.stopped && Math.max(...policy.counts) < rewards[0].length) {
    const arms = policy.ask();
    policy.tell(arms, arms.map((arm) => rewards[arm][policy.counts[arm]]));
    rounds.push({
      counts: policy.counts.slice(), means: policy.means.slice(), lower: policy.lower.slice(),
      upper: policy.upper.slice(), right: policy.bounds.right, left: policy.bounds.left,
      certain: policy.certain.value, next: policy.ask(), stopped: policy.stopped,
      top: policy.recommend(), samples: policy.samples, certified: policy.certified,
    });
  }
  return rounds;
}

// A policy put into a state by hand: the figure lets a reader move the intervals.
function decided({ name, counts, means, lower, upper, active }) {
  const policy = new maxgap.Policy(name, means.length);
  Object.assign(policy, { counts, means, lower, upper, active });
  policy.decide();
  return {
    next: policy.ask(), stopped: policy.stopped, top: policy.recommend(), active: policy.active,
    right: policy.bounds.right, left: policy.bounds.left, either: policy.bounds.either,
    certain: policy.certain, split: maxgap.largestEmpiricalGap(means),
  };
}

// The n-th entry: the sum of the first n rewards.
function summed(rewards) {
  return rewards.map((own) => own.reduce((sums, x) => [...sums, sums[sums.length - 1] + x], [0]));
}

function contrastsOpen({ rewards, top, delta, sigma }) {
  return maxgap.openContrast(summed(rewards), top, { delta, sigma });
}

function refused(name, nArms, settings) {
  try {
    new maxgap.Policy(name, nArms, settings);
  } catch (problem) {
    return problem instanceof RangeError ? problem.message : "another error";
  }
  return null;
}
"""


@pytest.fixture(scope="module")
def javascript():
    """Calls a function of the script, or of the driver above, with arguments and result as JSON."""
    with MiniRacer() as engine:  # its thread would keep Python from ending
        engine.eval((STATIC / "maxgap.js").read_text(encoding="utf-8"))
        engine.eval(DRIVER)

        def call(function, *arguments):
            texts = ", ".join(json.dumps(argument) for argument in arguments)
            return json.loads(engine.eval(f"JSON.stringify({function}({texts}))"))

        yield call


@pytest.mark.parametrize("cls", POLICIES)
def test_javascript_decides_as_the_plain_twin_in_any_state(cls, javascript):
    outcomes = []
    shapes = (clustered, two_sided, evenly_spaced, scattered)
    for seed in range(250):
        (means, lower, upper), counts = state_of(seed, shapes)
        n_arms = len(counts)
        plain = plain_twins.Plain(cls.__name__, n_arms)
        plain.counts, plain.mean, plain.lower, plain.upper = counts, means, lower, upper
        if seed % 3 == 0:  # some arms have gone before
            plain.active = set(range(0, n_arms, 2)) | {1}
        active = [arm in plain.active for arm in range(n_arms)]
        plain.decide()
        state = {"name": cls.__name__, "active": active, "counts": counts.tolist()}
        state |= {"means": means.tolist(), "lower": lower.tolist(), "upper": upper.tolist()}
        found = javascript("decided", state)
        right, left = plain_twins.gap_bounds(lower, upper)
        assert found["right"] == right.tolist()
        assert found["left"] == left.tolist()
        assert found["either"] == np.maximum(right, left).tolist()
        value, top = plain_twins.certain_gap(means, lower, upper)
        assert max(found["certain"]["value"], 0) == value
        assert value == 0 or set(found["certain"]["top"]) == top
        assert found["stopped"] == plain.stopped
        assert found["next"] == plain.next
        if cls is maxgap.MaxGapElim and not plain.stopped:
            assert [arm for arm, on in enumerate(found["active"]) if on] == sorted(plain.active)
        if np.ptp(means) > 0:  # of several largest gaps both take the highest
            assert set(found["split"]) == plain_twins.widest_empirical_split(means)
        assert 0 < len(found["split"]) < n_arms
        if not found["stopped"]:
            assert found["top"] == sorted(found["split"])
        assert found["top"] == sorted(found["top"])
        if found["stopped"]:
            assert set(found["top"]) == top
        outcomes.append(found["stopped"])
    assert 0.2 < np.mean(outcomes) < 0.8


def test_before_every_arm_has_a_sample_javascript_asks_for_the_others_and_has_no_answer(javascript):
    state = javascript(
        """((arms) => {
          const policy = new maxgap.Policy("MaxGapTop2UCB", 4);
          policy.tell(arms, [1, 2]);
          policy.ask().pop(); // a copy
          return [policy.ask(), policy.recommend(), policy.samples, policy.lower[1] === -Infinity,
            policy.upper[1] === Infinity, policy.bounds === null,
            policy.certain === null, policy.top === null,
            policy.stopped, maxgap.radius(0, policy) === Infinity, policy.next.length];
        })""",
        [0, 2],
    )
    assert state == [[1, 3], None, 2, True, True, True, True, True, False, True, 2]
    defaults = javascript(
        "((x) => { const p = new maxgap.Policy('RoundRobin', 2); return [p.delta, p.sigma]; })", 0
    )
    assert defaults == [0.05, 1]


def test_rewards_told_after_javascript_has_stopped_do_not_change_its_answer(javascript):
    tops = javascript(
        """((rewards) => {
          const policy = new maxgap.Policy("RoundRobin", 3, { sigma: 0.01 });
          for (let k = 0; k < 9; k += 1) policy.tell([0, 1, 2], rewards);
          const before = [policy.stopped, policy.recommend(), policy.bounds.either[0]];
          for (let k = 0; k < 90; k += 1) policy.tell([0], [50]);
          return [...before, policy.recommend(), policy.ask(), policy.stopped,
            policy.bounds.either[0] !== before[2], policy.counts];
        })""",
        [0.0, 0.1, 1.0],
    )
    assert tops[:2] == [True, [2]]
    assert tops[3:] == [[2], [], True, True, [99, 9, 9]]


@pytest.mark.parametrize("n", [1, 2, 10, 99, 100, 1000, 10**6])
def test_the_radius_in_javascript_is_that_of_the_package(n, javascript):
    for n_arms, delta, sigma in ((2, 0.05, 1.0), (12, 0.3, 0.4)):
        theirs = javascript("maxgap.radius", n, {"delta": delta, "nArms": n_arms, "sigma": sigma})
        ours = maxgap.confidence.radius(
            "normal-mixture", n, delta=delta, n_arms=n_arms, sigma=sigma
        )
        assert theirs == pytest.approx(float(ours), rel=1e-13)


@pytest.mark.parametrize(
    ("name", "n_arms", "settings", "named"),
    [
        ("MaxGap", 3, {}, "name"),
        ("RoundRobin", 1, {}, "nArms"),
        ("RoundRobin", 2.5, {}, "nArms"),
        ("RoundRobin", "3", {}, "nArms"),
        ("RoundRobin", 3, {"delta": 0}, "delta"),
        ("RoundRobin", 3, {"delta": 1}, "delta"),
        ("RoundRobin", 3, {"delta": "x"}, "delta"),
        ("RoundRobin", 3, {"sigma": 0}, "sigma"),
        ("RoundRobin", 3, {"sigma": -1}, "sigma"),
        ("RoundRobin", 3, {"sigma": "x"}, "sigma"),
    ],
)
def test_settings_that_javascript_cannot_use_are_refused_by_name(
    name, n_arms, settings, named, javascript
):
    assert javascript("refused", name, n_arms, settings).startswith(named)


def test_settings_at_the_edge_are_taken_and_infinite_noise_is_not(javascript):
    assert javascript("refused", "RoundRobin", 2, {"delta": 0.999, "sigma": 1e-9}) is None
    assert javascript("((n) => refused(n, 2, { sigma: Infinity }))", "RoundRobin").startswith("sig")


@pytest.mark.parametrize("name", [*INSTANCES, "twins"])
@pytest.mark.parametrize("cls", POLICIES)
def test_javascript_and_package_agree_round_by_round(cls, name, javascript):
    rewards, sigma = twins() if name == "twins" else rewards_of(name)
    ours = package_trace(cls, rewards, sigma)
    case = {"name": cls.__name__, "rewards": rewards.tolist(), "delta": 0.1, "sigma": sigma}
    theirs = javascript("trace", case)
    assert len(theirs) == len(ours)
    for one, other in zip(ours, theirs, strict=True):
        assert_same_round(one, other)
        assert other["samples"] == sum(other["counts"])


# -- the certificate of contrasts ---------------------------------------------------------------


def stacks(rng):
    """Rewards, delta and sigma: counts differ, and on a grid means, sums and contrasts tie."""
    n_arms, grid = int(rng.integers(2, 9)), rng.random() < 0.5
    means = rng.choice([0.0, 0.0, 0.3, 0.6, 1.0], n_arms) if grid else rng.normal(0, 0.5, n_arms)
    means = means + (rng.random(n_arms) < 0.5) * rng.choice([1.0, 1.5, 2.0, 3.0])
    sigma = float(rng.choice([0.25, 0.5]))
    counts = rng.integers(rng.choice([1, 30]), rng.choice([40, 120]), n_arms)
    if rng.random() < 0.4:  # rivals inside both clusters, about as well refuted
        n_arms = 2 * int(rng.integers(2, 4))
        means = 0.25 * np.arange(n_arms) + 0.75 * (np.arange(n_arms) >= n_arms // 2)
        counts = np.full(n_arms, rng.integers(10, 40))
    rewards = [
        (m + sigma * (rng.integers(-2, 3, n) / 2 if grid else rng.normal(size=n))).tolist()
        for m, n in zip(means, counts, strict=True)
    ]
    return rewards, float(rng.choice([0.05, 0.3, 0.5])), sigma


def weaker(rewards, top, delta, sigma, found):
    """The plain answer with every threshold moved: a hair below and above what was found."""
    bottom = [arm for arm in range(len(rewards)) if arm not in top]
    sigmas, needed = [sigma] * len(rewards), plain_contrasts.thresholds(len(rewards), delta)
    kinds = ["order", "gap", "pair"]
    level = kinds.index(found["kind"])
    answers = []
    for change in (-1e-9, 1e-9):
        # What comes before holds, what comes after is not asked; JavaScript knows no distances.
        moved = [*needed[:level], found["evidence"] + change, *[-np.inf] * (2 - level)]
        moved += [np.inf, np.inf]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(plain_contrasts, "thresholds", lambda *_, moved=moved: moved)
            answers.append(plain_contrasts.certifies(rewards, bottom, top, delta, sigmas))
    return answers


def test_javascript_certifies_contrasts_as_the_plain_lines_on_any_rewards(javascript):
    rng = np.random.default_rng(5)
    kinds = dict.fromkeys(["order", "gap", "pair", None], 0)
    compared = 0
    for _ in range(300):
        rewards, delta, sigma = stacks(rng)
        bottom, top = plain_contrasts.largest_empirical_gap(rewards)
        if rng.random() < 0.1:  # any other split
            arms = rng.permutation(len(rewards)).tolist()
            bottom, top = arms[:1], arms[1:]
        case = {"rewards": rewards, "top": top, "delta": delta, "sigma": sigma}
        found = javascript("contrastsOpen", case)
        ours = plain_contrasts.certifies(rewards, bottom, top, delta, [sigma] * len(rewards))
        assert (found is None) == ours
        kinds[found and found["kind"]] += 1
        if found is None:
            continue
        needed = dict(zip(kinds, plain_contrasts.thresholds(len(rewards), delta), strict=False))
        assert found["needed"] == pytest.approx(needed[found["kind"]], rel=1e-13)
        if found["evidence"] is not None and found["kind"] != "order":  # JSON has no infinity
            assert found["evidence"] < found["needed"]
            assert weaker(rewards, top, delta, sigma, found) == [True, False]
            compared += 1
    assert min(kinds.values()) > 10, kinds
    assert compared > 30


def test_an_open_order_in_javascript_has_the_evidence_of_the_plain_lines(javascript):
    rng = np.random.default_rng(6)
    seen = 0
    for _ in range(150):
        rewards, delta, sigma = stacks(rng)
        _, top = plain_contrasts.largest_empirical_gap(rewards)
        case = {"rewards": rewards, "top": top, "delta": delta, "sigma": sigma}
        found = javascript("contrastsOpen", case)
        if found is None or found["kind"] != "order" or found["evidence"] is None:
            continue
        below, above = found["arms"]
        assert above in top
        assert below not in top
        pair = (rewards[above], rewards[below])
        above_at = [
            plain_contrasts.certainly_above(*pair, found["evidence"] + change, sigma, sigma)
            for change in (-1e-9, 1e-9)
        ]
        assert above_at == [True, False]
        seen += 1
    assert seen > 10


@pytest.mark.parametrize("z", [1e-9, 0.1, 0.5, 1.0, 2.0, 3.0, 5.0, 8.0, 8.9, 9.1, 40.0])
def test_the_normal_cdf_in_javascript_is_exact_to_the_last_bits(z, javascript):
    assert javascript("maxgap.normalCdf", z) == pytest.approx(stats.norm.cdf(z), rel=4e-16)


@pytest.mark.parametrize("cls", POLICIES)
def test_contrasts_certify_in_javascript_when_the_package_would_stop_by_them(cls, javascript):
    certified = []
    for name in [*INSTANCES, "twins"]:
        rewards, sigma = twins() if name == "twins" else rewards_of(name)
        policy = cls(len(rewards), delta=0.1, sigma=sigma, stopping="contrasts")
        while not policy.stopped and policy.counts.max() < rewards.shape[1]:
            arms = policy.ask()
            policy.tell(arms, rewards[arms, policy.counts[arms]])
        case = {"name": cls.__name__, "rewards": rewards.tolist(), "delta": 0.1, "sigma": sigma}
        found = javascript("trace", case)[-1]
        if policy.stopped and policy.counts.sum() <= found["samples"]:
            answer = {"samples": policy.counts.sum(), "top": sorted(policy.recommend().top)}
            assert found["certified"] == answer
            certified.append(name)
        else:  # intervals were first, or the rewards have run out
            assert found["certified"] is None
    assert len(certified) >= 2


def test_a_policy_in_javascript_keeps_the_sums_that_contrasts_need(javascript):
    rewards, sigma = rewards_of("seven arms")
    found = javascript(
        """(({ rewards, sigma }) => {
          const policy = new maxgap.Policy("MaxGapUCB", rewards.length, { delta: 0.1, sigma });
          for (let k = 0; k < 250; k += 1) {
            const arms = policy.ask();
            policy.tell(arms, arms.map((arm) => rewards[arm][policy.counts[arm]]));
          }
          const told = rewards.map((own, arm) => own.slice(0, policy.counts[arm]));
          const top = policy.recommend();
          return [policy.openContrast(), contrastsOpen({ rewards: told, top, delta: 0.1, sigma }),
            policy.sums, summed(told)];
        })""",
        {"rewards": rewards.tolist(), "sigma": sigma},
    )
    assert found[0] == found[1]
    assert found[2] == found[3]


def test_the_script_serves_node_and_browsers_alike():
    text = (STATIC / "maxgap.js").read_text(encoding="utf-8")
    with MiniRacer() as engine:
        engine.eval("var module = { exports: {} };")
        engine.eval(text)
        assert engine.eval("typeof module.exports.Policy + typeof globalThis.maxgap") == (
            "functionundefined"
        )


def test_the_compared_runs_are_long_and_some_end_certified():
    lengths = {True: 0, False: 0}
    for name in INSTANCES:
        for cls in POLICIES:
            rounds = package_trace(cls, *rewards_of(name))
            lengths[rounds[-1]["stopped"]] += len(rounds)
    assert lengths[True] > 500
    assert lengths[False] > 3000


# -- the figure, in a browser ------------------------------------------------------------------


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
      panel: all(".maxgap-explorable .certificates li").map((row) => [
        row.querySelector(".words").textContent,
        parseFloat(row.querySelector(".fill").style.width) / 100]),
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
    assert_shown_certificates(theirs, ours[-1]["stopped"])
    if ours[-1]["stopped"]:
        assert f"Certified: {', '.join(map(str, ours[-1]['top']))} above" in theirs[-1]["status"]


def assert_shown_certificates(rounds, stopped):
    """The words and bars of the panel say what the state says; `stopped`: at the end."""
    for one in rounds:
        (intervals, share), (contrasts, open_share) = one["panel"]
        assert intervals.startswith("Certified at " if one["stopped"] else "Not certified: ")
        if one["certain"] > 0:
            assert f"certain gap {one['certain']:.2f}"[:-1] in intervals
        expected = 1 if one["stopped"] else max(one["certain"], 0) / (one["rival"] or 1)
        assert share == pytest.approx(min(expected, 1), abs=1e-4)
        seen, found = one["certified"], one["open"]
        begin = f"Certified at {seen['samples']:,} samples" if seen else "Not certified"
        assert contrasts.startswith(begin)
        if found is None:
            assert "; nothing is open now" in contrasts
            assert open_share == 1
        else:
            arms = np.ravel(found["arms"]).tolist()
            assert all(f"arm {arm}" in contrasts for arm in arms)
            assert f"of {found['needed']:.1f}."[:-2] in contrasts
            evidence = max(found["evidence"], 0) / found["needed"]
            assert open_share == pytest.approx(evidence, abs=1e-4)
    assert rounds[-1]["stopped"] == stopped or len(rounds) == ROUNDS


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


@pytest.mark.browser
def test_clearing_the_number_of_arms_changes_nothing_and_too_many_are_the_most(chromium, home):
    with opened(chromium, home + PAGE, home=home) as (page, _):
        box = page.get_by_role("spinbutton", name="Arms")
        handles = page.locator(".maxgap-explorable .handle")
        for typed, arms in (("", 7), ("0", 7), ("1", 2), ("99", 12)):
            box.fill(typed)
            box.press("Tab")
            assert (handles.count(), box.input_value()) == (arms, str(arms))


@pytest.mark.browser
def test_moved_means_can_be_put_back(chromium, home):
    with opened(chromium, home + PAGE, home=home) as (page, _):
        before = page.evaluate("maxgapExplorable.state()")
        page.locator(".maxgap-explorable .handle").nth(5).press("Home")
        page.get_by_role("button", name="Means as at first").click()
        assert value_of(page, 5) == 2.05
        assert page.evaluate("maxgapExplorable.state()") == before


@pytest.mark.browser
def test_the_address_leads_to_what_is_seen(chromium, home):
    with opened(chromium, home + PAGE, home=home) as (page, _):
        assert "#" not in page.url  # nothing was done yet
        page.get_by_role("combobox", name="Policy").select_option("MaxGapUCB")
        page.get_by_role("button", name="New noise").click()
        page.locator(".maxgap-explorable .handle").nth(0).press("PageUp")
        page.get_by_role("button", name="10 rounds").click()
        page.wait_for_function("location.hash.startsWith('#explore=MaxGapUCB,0.4,0.1,2,90,0.25,')")
        address, seen = page.url, page.evaluate("maxgapExplorable.state()")
    with opened(chromium, address, home=home) as (page, log):
        assert page.evaluate("maxgapExplorable.state()") == seen
        assert page.locator(".maxgap-explorable").bounding_box()["y"] < 400
        assert log.errors == []
        # What is no state is left alone; what is one is taken at once.
        page.evaluate("location.hash = '#explore=MaxGapUCB,0.4,0.1,2,90,0,9'")
        page.wait_for_timeout(200)
        assert page.evaluate("maxgapExplorable.state()") == seen
        page.evaluate("location.hash = '#explore=RoundRobin,0.5,0.1,3,4,0,1,2'")
        page.wait_for_function("maxgapExplorable.state().counts.length === 3")
        assert page.evaluate("maxgapExplorable.state().counts") == [4, 4, 4]


BESIDE = "maxgapExplorable.beside()"


@pytest.mark.browser
@pytest.mark.parametrize("beside", POLICIES)
def test_a_second_policy_is_shown_on_the_same_noise_after_as_many_samples(page, beside):
    rewards, sigma = rewards_of("seven arms")
    first = package_trace(maxgap.MaxGapTop2UCB, rewards, sigma)
    second = package_trace(beside, rewards, sigma)
    change = {"policy": "MaxGapTop2UCB", "beside": beside.__name__, "sigma": sigma, "delta": 0.1}
    page.evaluate(
        "([change, rewards]) => { maxgapExplorable.set(change); maxgapExplorable.feed(rewards); }",
        [change, rewards.tolist()],
    )
    seen = 0
    for _ in range(60):
        page.evaluate("maxgapExplorable.step(3)")
        one, other = page.evaluate(f"[maxgapExplorable.state(), {BESIDE}]")
        assert one["counts"] == first[one["rounds"] - 1]["counts"]
        assert_same_round(second[other["rounds"] - 1], other)
        samples = sum(one["counts"])
        if not other["stopped"] and not one["stopped"]:  # it has caught up, and no more than that
            before = second[other["rounds"] - 2]["counts"] if other["rounds"] > 1 else []
            assert sum(before) < samples <= sum(other["counts"])
            seen += 1
    assert seen > 20
    titles = page.locator(".maxgap-explorable .title").all_inner_texts()
    assert titles == ["MaxGapTop2UCB", beside.__name__]
    page.evaluate("maxgapExplorable.set({ beside: '' })")


@pytest.mark.browser
@pytest.mark.parametrize("viewport", [PHONE, {"width": 1440, "height": 900}])
def test_two_policies_stand_side_by_side_and_below_each_other_on_a_phone(viewport, chromium, home):
    with opened(chromium, home + PAGE, home=home, viewport=viewport) as (page, log):
        page.get_by_role("combobox", name="Beside it").select_option("RoundRobin")
        sides = page.locator(".maxgap-explorable .side")
        assert sides.count() == 2
        one, other = (sides.nth(k).bounding_box() for k in range(2))
        assert (one["x"] == other["x"]) == (viewport == PHONE)
        assert (one["y"] == other["y"]) == (viewport != PHONE)
        assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]
        # A mean that is moved on either side moves on both.
        page.get_by_role("slider", name="True mean of arm 0").nth(1).press("End")
        # The address follows after a moment: it has the mean that was moved.
        page.wait_for_function(r"/\+RoundRobin(,[^,]*){4},3,/.test(location.hash)")
        for k in range(2):
            handle = sides.nth(k).get_by_role("slider", name="True mean of arm 0")
            assert handle.get_attribute("aria-valuenow") == "3.00"
        address, seen = page.url, page.evaluate(f"[maxgapExplorable.state(), {BESIDE}]")
        assert log.errors == []
    with opened(chromium, address, home=home, viewport=viewport) as (page, log):
        assert page.evaluate(f"[maxgapExplorable.state(), {BESIDE}]") == seen
        page.evaluate("location.hash = '#explore=RoundRobin+None,0.5,0.1,3,4,0,1,2'")
        page.wait_for_timeout(200)
        assert page.evaluate(f"[maxgapExplorable.state(), {BESIDE}]") == seen
        page.get_by_role("combobox", name="Beside it").select_option("")
        assert page.locator(".maxgap-explorable .side").count() == 1
        assert log.errors == []


@pytest.mark.browser
def test_on_a_phone_controls_and_picture_are_seen_together_and_axes_have_names(chromium, home):
    with opened(chromium, home + PAGE, home=home, viewport=PHONE) as (page, _):
        begin = page.locator(".maxgap-explorable .controls").bounding_box()["y"]
        strip = page.locator(".maxgap-explorable svg").first.bounding_box()
        assert strip["y"] + strip["height"] - begin < 0.8 * PHONE["height"]
        for name in ("mean reward", "arm", "samples", "bound of the gap"):
            assert page.locator(".maxgap-explorable text", has_text=name).count() >= 1
