"""The game on the first page: fair, as certain as the package says, and playable by everyone."""

import re
from pathlib import Path

import numpy as np
import pytest
from browser import HTML, PHONE, engine, opened
from scipy import stats

import maxgap
from maxgap.contrasts import plain as plain_contrasts

STATIC = Path(__file__).parents[2] / "book" / "_static"
PAGE = "book/index.html"
N_SCENES = 8
SIGMA, DELTA = 0.6, 0.05  # each certificate has half of the ten per cent

DRIVER = """
const rules = maxgapRound;

function numbers(kind, seed, stream, n) {
  const next = maxgap[kind](seed, stream);
  return Array.from({ length: n }, () => next());
}

function hidden(seed, scene) {
  const { means, answer } = new rules.Round(seed, scene);
  return { means, answer, again: new rules.Round(seed, scene).means };
}

/** A round as the reader plays it: the arms in this order, then this answer. */
function played(seed, scene, moves, guess) {
  const round = new rules.Round(seed, scene);
  const rewards = moves.map((arm) => round.take(arm));
  if (guess !== null) round.say(guess);
  return { round, rewards };
}

function contest(seed, scene, moves, guess, n) {
  const { round, rewards } = played(seed, scene, moves, guess);
  const first = (arm) => Array.from({ length: n }, (_, i) => round.reward(arm, i));
  const table = round.means.map((_, arm) => first(arm));
  const rival = round.rival();
  return { rewards, table, rival, outcome: round.outcome(rival), right: round.isRight(guess),
    certain: round.isCertain(guess), counts: round.reader.counts, late: round.take(0) };
}

/** Through the address and back; so many arms below the cut, or no answer yet. */
function described(seed, scene, moves, below, scores) {
  const { round } = played(seed, scene, moves, null);
  if (below !== null) round.say(round.order().slice(below));
  const text = rules.written(round, scores);
  const found = rules.read(text);
  const { seed: itsSeed, scene: itsScene, moves: itsMoves, guess: itsGuess } = found.round;
  return { text, back: [itsSeed, itsScene, itsMoves, itsGuess, found.scores,
    rules.written(found.round, found.scores)], guess: round.guess };
}

/** The outcome with answers and samples made up. */
function judged(mine, its, samples, rivalSamples) {
  const round = new rules.Round(1, 0);
  const wrong = round.answer.length === 1 ? [0, 1, 2] : [round.answer[0]];
  round.moves = Array(samples).fill(0);
  round.guess = mine ? round.answer : wrong;
  return round.outcome({ top: its ? round.answer : wrong, samples: rivalSamples });
}

function refused(seed, scene) {
  try { new rules.Round(seed, scene); } catch (problem) { return problem.message; }
  return null;
}
"""


@pytest.fixture(scope="module")
def javascript():
    with engine(
        [STATIC / name for name in ("explorable/maxgap.js", "game/round.js")], DRIVER
    ) as call:
        yield call


def plain_uniforms(seed, stream, n):
    """Mulberry32, in whole numbers of Python."""
    word = 0xFFFFFFFF
    state = (seed * 0x9E3779B1 + stream * 0x85EBCA6B) & word
    found = []
    for _ in range(n):
        state = (state + 0x6D2B79F5) & word
        t = (state ^ (state >> 15)) * (state | 1) & word
        t ^= (t + ((t ^ (t >> 7)) * (t | 61) & word)) & word
        found.append(((t ^ (t >> 14)) & word) / 2**32)
    return found


@pytest.mark.parametrize(("seed", "stream"), [(1, 0), (1, 11), (7, 1003), (2**31 + 5, 95)])
def test_the_table_of_noise_is_what_its_seed_says(seed, stream, javascript):
    ours = plain_uniforms(seed, stream, 400)
    assert javascript("numbers", "uniforms", seed, stream, 400) == ours
    first, second = np.array(ours[::2]), np.array(ours[1::2])
    normal = np.sqrt(-2 * np.log(1 - first)) * np.cos(2 * np.pi * second)
    theirs = javascript("numbers", "normals", seed, stream, 200)
    np.testing.assert_allclose(theirs, normal, rtol=0, atol=1e-12)


def test_the_noise_is_standard_normal_and_streams_have_nothing_to_do_with_each_other(javascript):
    table = np.array([javascript("numbers", "normals", 3, stream, 1000) for stream in range(24)])
    assert stats.kstest(table.ravel(), "norm").pvalue > 0.001
    others = np.corrcoef(table)[~np.eye(24, dtype=bool)]
    assert np.abs(others).max() < 0.15


@pytest.mark.parametrize("scene", range(N_SCENES))
def test_a_scene_has_one_largest_gap_and_lies_on_the_axis_in_another_order_each_time(
    scene, javascript
):
    orders = set()
    for seed in range(1, 30):
        found = javascript("hidden", seed, scene)
        means = np.array(found["means"])
        assert found["again"] == found["means"]
        assert 4 <= means.size <= 12
        assert 0 <= means.min() < means.max() <= 10
        gaps = np.sort(np.diff(np.sort(means)))
        assert gaps[-1] > 1.5 * gaps[-2]
        problem = maxgap.Problem(means, sigma=SIGMA)
        assert set(found["answer"]) == problem.top
        orders.add(tuple(np.argsort(means)))
    assert len(orders) > 15


def test_a_round_that_is_not_there_is_refused(javascript):
    assert javascript("refused", 1, N_SCENES).startswith("scene")
    assert javascript("refused", 0, 0).startswith("seed")
    assert javascript("refused", 1.5, 0).startswith("seed")
    assert javascript("refused", 1, N_SCENES - 1) is None


def some_moves(rng, n_arms, n):
    """Every arm once, then any."""
    return [*range(n_arms), *rng.integers(0, n_arms, n - n_arms).tolist()]


CASES = [(seed, scene) for scene in range(6) for seed in (1, 2, 3)]


@pytest.mark.parametrize(("seed", "scene"), CASES)
def test_both_players_draw_the_same_rewards_and_the_policy_stops_when_the_package_does(
    seed, scene, javascript
):
    rng = np.random.default_rng(10 * scene + seed)
    n_arms = len(javascript("hidden", seed, scene)["means"])
    moves = some_moves(rng, n_arms, int(rng.integers(n_arms, 80)))
    guess = [0, 1]
    found = javascript("contest", seed, scene, moves, guess, 400)
    table = np.array(found["table"])
    counts = [0] * n_arms
    for arm, reward in zip(moves, found["rewards"], strict=True):
        assert reward == table[arm, counts[arm]]
        counts[arm] += 1
    assert found["counts"] == counts
    assert found["late"] is None  # nothing is sampled after the answer

    ends = []
    for rule in ("contrasts", "clusters"):
        policy = maxgap.MaxGapTop2UCB(n_arms, delta=DELTA, sigma=SIGMA, stopping=rule)
        then = None
        while not policy.stopped:
            arms = policy.ask()
            policy.tell(arms, table[arms, policy.counts[arms]])
            if policy.counts.sum() <= len(moves):
                then = sorted(policy.recommend().top)
        ends.append((int(policy.counts.sum()), sorted(policy.recommend().top), then))
    samples, top, then = min(ends, key=lambda end: end[0])
    rival = found["rival"]
    assert rival["certain"]
    assert rival["samples"] == samples == rival["rounds"][-1]["samples"]
    assert rival["top"] == top
    assert rival["then"] == then


def test_what_the_policy_would_have_guessed_counts_as_many_samples_as_the_reader_s(javascript):
    n_arms = len(javascript("hidden", 1, 0)["means"])
    for samples in (n_arms, 2 * n_arms):  # as many as its first and second round have
        moves = [k % n_arms for k in range(samples)]
        found = javascript("contest", 1, 0, moves, [0], 2)
        rewards = np.array(found["table"])[:, : samples // n_arms]
        order = np.argsort(rewards.mean(axis=1))
        gaps = np.diff(rewards.mean(axis=1)[order])
        assert found["rival"]["then"] == sorted(order[gaps.argmax() + 1 :].tolist())
    assert javascript("contest", 1, 0, [0, 1], [0], 1)["rival"]["then"] is None


def test_rounds_have_noise_of_their_own(javascript):
    noise = []
    for scene in range(N_SCENES):
        means = np.array(javascript("hidden", 1, scene)["means"])
        table = np.array(javascript("contest", 1, scene, [], [0], 40)["table"])
        noise.append(((table - means[:, None]) / SIGMA).tolist())
    streams = np.concatenate(noise)
    others = np.corrcoef(streams)[~np.eye(len(streams), dtype=bool)]
    assert np.abs(others).max() < 0.7
    assert streams.std() == pytest.approx(1, abs=0.05)


def test_a_reader_is_certain_exactly_if_contrasts_certify_the_reader_s_own_samples(javascript):
    rng = np.random.default_rng(1)
    seen = {True: 0, False: 0}
    for _ in range(40):
        seed, scene = int(rng.integers(1, 99)), int(rng.integers(0, 4))
        hidden = javascript("hidden", seed, scene)
        n_arms, top = len(hidden["means"]), sorted(hidden["answer"])
        moves = some_moves(rng, n_arms, int(rng.integers(n_arms, 160)))
        if rng.random() < 0.2:
            top = [top[0]] if len(top) > 1 else [0, 1]
        found = javascript("contest", seed, scene, moves, top, 1)
        rewards = [[] for _ in range(n_arms)]
        for arm, reward in zip(moves, found["rewards"], strict=True):
            rewards[arm].append(reward)
        bottom = [arm for arm in range(n_arms) if arm not in top]
        ours = plain_contrasts.certifies(rewards, bottom, top, DELTA, [SIGMA] * n_arms)
        # What was certified at an earlier time stays certified.
        assert found["certain"] >= ours
        if found["certain"] and not ours:
            assert found["right"]
        seen[found["certain"]] += 1
    assert min(seen.values()) > 5


def test_a_policy_that_is_certain_is_right(javascript):
    wrong = 0
    for scene in range(5):
        for seed in range(1, 21):
            found = javascript("contest", seed, scene, [], [0], 1)
            answer = javascript("hidden", seed, scene)["answer"]
            wrong += set(found["rival"]["top"]) != set(answer)
    assert wrong <= 10


@pytest.mark.parametrize(
    ("mine", "its", "samples", "outcome"),
    [
        (True, True, 9, "won"),
        (True, True, 10, "drawn"),
        (True, True, 11, "lost"),
        (False, True, 9, "lost"),
        (True, False, 11, "won"),
        (False, False, 9, "drawn"),
    ],
)
def test_who_needed_fewer(mine, its, samples, outcome, javascript):
    assert javascript("judged", mine, its, samples, 10) == outcome


def test_a_round_goes_through_its_address_and_comes_back_whole(javascript):
    rng = np.random.default_rng(2)
    for _ in range(40):
        seed, scene = int(rng.integers(1, 10**6)), int(rng.integers(0, N_SCENES))
        n_arms = len(javascript("hidden", seed, scene)["means"])
        moves = np.repeat(some_moves(rng, n_arms, n_arms + 6), rng.integers(1, 13)).tolist()
        below = int(rng.integers(1, n_arms)) if rng.random() < 0.7 else None
        scores = rng.choice(["won", "lost", "drawn", ""], N_SCENES).tolist()
        scores = [score or None for score in scores]
        found = javascript("described", seed, scene, moves, below, scores)
        guess = found["guess"]
        assert (guess is None) == (below is None)
        assert guess is None or len(guess) == n_arms - below
        assert found["back"] == [seed, scene, moves, guess, scores, found["text"]]
        assert re.fullmatch(r"[0-9a-lw.-]+", found["text"])  # nothing that an address would escape


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1",
        "0.1...",
        "1.0...",
        "1.9...",
        "1.1.z..",
        "1.1.e..",  # four arms
        "1.1.abcd.abcd.",  # nothing below the gap
        "1.1.abcd.e.",
        "1.1.abc.d.",  # an answer before every arm has a sample
        "1.1.a5b5c5d5.c.",  # not above all others by the estimates
        "1.1.a2001..",
        "1.1.a2000b..",
        "1.1.a..w",
        "1.1.a..<script>",
        "1.1.a...",
        "99999999999.1...",
    ],
)
def test_an_address_that_holds_no_round_is_refused(text, javascript):
    assert javascript("rules.read", text) is None


def test_the_shortest_address_that_begins_a_round_is_taken(javascript):
    assert javascript("rules.read", "1.1...") is not None
    assert javascript("rules.read", "1.8.a2000..--------") is not None


# -- in a browser --------------------------------------------------------------------------------


def words(page, part="status"):
    return page.locator(f".maxgap-game .{part}").inner_text()


def play_by_keyboard(page):
    """Six samples of every scene, then the answer at the widest place, keys only."""
    page.locator(".maxgap-game .arm").first.focus()
    for key in ("Enter", "ArrowDown", "Space", "ArrowDown", "Enter", "End", "Enter"):
        page.keyboard.press(key)
    assert "4 samples spent" in words(page)
    page.get_by_role("checkbox", name="five at a time").focus()
    page.keyboard.press("Space")
    page.get_by_role("button", name="Ask once about every scene").focus()
    page.keyboard.press("Enter")
    assert "24 samples spent" in words(page)
    cut = page.get_by_role("slider")
    cut.focus()
    for place in (1, 2, 3):
        if float(re.search(r"([\d.]+) apart", cut.get_attribute("aria-valuetext")).group(1)) > 3:
            break
        assert cut.input_value() == str(place)
        page.keyboard.press("ArrowRight")
    page.get_by_role("button", name="That is my answer").focus()
    page.keyboard.press("Enter")


@pytest.mark.browser
def test_a_round_can_be_played_with_the_keyboard_alone(chromium, home):
    with opened(chromium, home + PAGE, home=home) as (page, log):
        assert page.get_by_role("button", name="Scene A: not asked yet").is_visible()
        assert page.get_by_role("button", name="That is my answer").is_disabled()
        play_by_keyboard(page)
        assert "You: 24 samples, right" in words(page, "result")
        assert "MaxGapTop2UCB: " in words(page, "result")
        assert "Round 1 of 8" in words(page, "score")
        # Whoever listens is told the same.
        spoken = page.locator(".maxgap-game [role=status]").text_content()
        assert "You: 24 samples, right" in spoken
        focused = page.evaluate("document.activeElement.textContent")
        assert focused == "Next round"
        page.keyboard.press("Enter")
        assert "Round 2 of 8" in words(page, "score")
        assert (log.errors, log.failed, log.outside) == ([], [], [])


@pytest.mark.browser
def test_the_address_restores_a_round_and_its_result(chromium, home):
    with opened(chromium, home + PAGE, home=home) as (page, _):
        play_by_keyboard(page)
        page.wait_for_function("location.hash.startsWith('#game=1.1.')")
        page.wait_for_timeout(300)
        address, result = page.url, words(page, "result")
    with opened(chromium, address, home=home) as (page, log):
        assert words(page, "result") == result
        assert page.locator(".maxgap-game").bounding_box()["y"] < 400
        assert log.errors == []
        page.evaluate("location.hash = '#game=5.3.abcdef2..--------'")
        page.wait_for_function("document.querySelector('.score').textContent.includes('Round 3')")
        assert "7 samples spent" in words(page)
        page.evaluate("location.hash = '#game=nonsense'")
        page.wait_for_function("document.querySelector('.status').textContent.includes('no round')")


@pytest.mark.browser
def test_the_link_to_play_a_round_holds_no_moves(chromium, home):
    with opened(chromium, home + PAGE, home=home) as (page, _):
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        play_by_keyboard(page)
        page.get_by_role("button", name="Copy a link to play this round").click()
        page.wait_for_function("document.querySelector('.status').textContent.startsWith('Copied')")
        assert page.evaluate("navigator.clipboard.readText()").endswith("#game=1.1...--------")
        assert words(page, "note").startswith("Copied")


@pytest.mark.browser
def test_a_round_played_again_keeps_its_first_score(chromium, home):
    with opened(chromium, home + PAGE, home=home) as (page, _):
        for _ in range(2):
            page.get_by_role("button", name="Round 1", exact=False).click()
            page.get_by_role("button", name="Ask once about every scene").click()
            cut = page.get_by_role("slider")
            cut.press("Home")
            if page.evaluate("location.hash").endswith("-"):  # the second time at another place
                cut.press("ArrowRight")
            page.get_by_role("button", name="That is my answer").click()
            scored = words(page, "score")
            page.wait_for_timeout(300)
        assert scored == "Round 1 of 8: 4 scenes. You 0 : 1 the policy."


@pytest.mark.browser
def test_the_policy_plays_before_the_eyes_of_whoever_wants_motion(chromium, home):
    context = chromium.new_context(reduced_motion="no-preference")
    page = context.new_page()
    page.goto(home + PAGE)
    play_by_keyboard(page)
    assert "plays the same noise" in page.locator(".maxgap-game .status").text_content()
    page.wait_for_function("document.querySelector('.status').textContent.includes('You: 24')")
    context.close()


@pytest.mark.browser
def test_all_rounds_can_be_played_and_a_new_game_has_new_noise(chromium, home):
    with opened(chromium, home + PAGE, home=home, viewport=PHONE) as (page, log):
        for number in range(1, N_SCENES + 1):
            assert f"Round {number} of {N_SCENES}" in words(page, "score")
            page.get_by_role("button", name="Ask once about every scene").click()
            page.get_by_role("button", name="That is my answer").click()
            assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
            page.locator(".maxgap-game .after .main").click()
        assert "Round 1 of 8: 4 scenes. You 0 : 0" in words(page, "score")
        page.wait_for_function("location.hash.startsWith('#game=2.1.')")
        assert log.errors == []


@pytest.mark.browser
def test_a_row_is_large_enough_for_a_finger_and_answers_to_it(chromium, home):
    context = chromium.new_context(viewport=PHONE, has_touch=True, reduced_motion="reduce")
    page = context.new_page()
    page.goto(home + PAGE)
    row = page.locator(".maxgap-game .arm").nth(2)
    assert row.bounding_box()["height"] >= 32
    row.tap()
    assert words(page).startswith("Scene C: ")
    context.close()


@pytest.mark.browser
def test_without_scripts_and_in_print_a_picture_and_a_sentence_stand_there(chromium, home):
    with opened(chromium, home + PAGE, home=home, scripts=False) as (page, _):
        assert page.locator("#maxgap-game svg").is_visible()
        assert "How the game looks" in page.locator("#maxgap-game p").inner_text()
        assert page.locator(".maxgap-game").count() == 0
    with opened(chromium, home + PAGE, home=home) as (page, _):
        assert not page.locator("#maxgap-game svg").is_visible()
        page.emulate_media(media="print")  # an empty board says nothing on paper
        assert page.locator("#maxgap-game svg").is_visible()
        assert not page.locator(".maxgap-game").is_visible()


@pytest.mark.browser
def test_it_works_from_a_file(chromium):
    with opened(chromium, (HTML / PAGE).as_uri(), home="file://") as (page, log):
        play_by_keyboard(page)
        page.wait_for_function("location.hash.startsWith('#game=1.1.')")
        assert log.errors == []


@pytest.mark.browser
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_in_a_finished_round(chromium, home, theme):
    from tests.site.test_book import violations

    with opened(chromium, home + PAGE, home=home, theme=theme, viewport=PHONE) as (page, _):
        play_by_keyboard(page)
        assert violations(page) == []
