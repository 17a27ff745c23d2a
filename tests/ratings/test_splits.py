"""A table of ratings: held to the policy told the same rewards, and to intervals made by hand."""

import math
import re
from decimal import Decimal
from fractions import Fraction
from functools import partial

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from hypothesis import event, given
from hypothesis import strategies as st
from scipy.optimize import brentq
from states import rewards_kept
from tables import STARS, ratings, small_tables

import maxgap
from maxgap import MaxGapContrasts, MaxGapTop2UCB, confidence, gap_upper_bounds, simulate

def told(cls, rows, **settings):
    """The policy told the same rewards, arms in the order in which they come."""
    labels = list(dict.fromkeys(arm for arm, _ in rows))
    policy = cls(labels, **settings)
    policy.tell([arm for arm, _ in rows], [reward for _, reward in rows])
    return policy


def assert_same(found, policy, bounds=(-math.inf, math.inf)):
    report = policy.report().set_index("arm")
    report[["lower", "upper"]] = report[["lower", "upper"]].clip(*bounds)
    # All rows at once and one by one are rounded in their own ways.
    rounded = partial(pytest.approx, rel=1e-12, abs=1e-12)
    top, bottom, gap = policy.recommend()
    assert (found.top, found.bottom, found.gap) == (top, bottom, rounded(gap))
    assert found.certified == policy.certified
    assert list(found.next) == policy.ask()
    shown = found.arms.set_index("arm").loc[report.index]
    assert shown["ratings"].tolist() == report["samples"].tolist()
    for name in ("mean", "lower", "upper"):
        assert shown[name].tolist() == rounded(report[name].tolist())
    assert shown["group"].tolist() == report["cluster"].tolist()


@given(small_tables(), st.integers(1, 60))
def test_a_table_says_what_the_policy_told_the_same_rewards_says(rows, times):
    # Nothing ties: how equal means are rounded would decide.
    apart = dict(zip("abcde", [0.0131, 0.0291, 0.0577, 0.1033, 0.1709], strict=True))
    rows = [(arm, 1 + 0.9 * (reward - 1) + apart[arm]) for arm, reward in rows] * times
    table = pd.DataFrame(rows, columns=["item", "stars"])
    for cls, stopping in ((MaxGapContrasts, "either"), (MaxGapTop2UCB, "clusters")):
        found = maxgap.split(
            table, arm="item", reward="stars", delta=0.1, stopping=stopping, **STARS
        )
        settings = {"delta": 0.1, "confidence": "empirical-bernstein", "stopping": stopping}
        assert_same(found, told(cls, rows, **settings, **STARS), (1, 5))
        assert_same(found, told(cls, rows, **settings, sigma=2.0), (1, 5))
    found = maxgap.split(arm=table["item"], reward=list(table["stars"]), sigma=2.0)
    assert_same(found, told(MaxGapContrasts, rows, sigma=2.0, stopping="either"))


@pytest.mark.parametrize("seed", range(3))
def test_contrasts_too_are_those_of_the_policy(seed):
    table = ratings(seed, rows=3000)
    rows = list(zip(table["item"], table["stars"], strict=True))
    found = maxgap.split(table, arm="item", reward="stars", stopping="contrasts", **STARS)
    policy = told(
        MaxGapContrasts, rows, sigma=2.0, confidence="empirical-bernstein", stopping="contrasts"
    )
    assert_same(found, policy, (1, 5))
    assert found.certified


# -- intervals by hand -------------------------------------------------------------------------


def empirical_bernstein(rewards, width, delta, n_arms):
    """Ends of the last interval, from the formulas; and how much further out they may be."""
    x = np.array(rewards) / width
    squares = 0.25 + sum((x[i] - x[:i].mean()) ** 2 for i in range(1, len(x)))
    bets, shares = 0.6 * 0.8 ** np.arange(40), np.arange(1, 41) ** -1.1
    price = -np.log(1 - bets) - bets

    def too_far(total):
        capital = np.exp(bets * total - price * squares) @ shares / shares.sum()
        return math.log(capital) - math.log(2 * n_arms / delta)

    radius = brentq(too_far, 0, 300) / len(x)
    ends = max(x.max() - 1, x.mean() - radius), min(x.min() + 1, x.mean() + radius)
    return [end * width for end in ends], 0.01 * radius * width


@given(small_tables(), st.integers(1, 12))
def test_the_intervals_are_those_made_by_hand(rows, times):
    table = pd.DataFrame(rows * times, columns=["item", "stars"])
    n_arms = table["item"].nunique()
    # Half of delta is for the intervals, half for the contrasts.
    found = maxgap.split(table, arm="item", reward="stars", bounds=(1, 5), delta=0.2)
    by_count = maxgap.split(table, arm="item", reward="stars", sigma=2.0, delta=0.2)
    for arm, rewards in table.groupby("item")["stars"]:
        ends, more = empirical_bernstein(rewards.to_numpy(), 4, 0.1, n_arms)
        low, high = np.clip(ends, 1, 5)
        shown = found.arms.set_index("arm").loc[arm]
        assert shown["mean"] == pytest.approx(rewards.mean(), rel=1e-12)
        assert -1e-9 <= low - shown["lower"] <= more + 1e-9
        assert -1e-9 <= shown["upper"] - high <= more + 1e-9
        half = confidence.radius(
            "normal-mixture", len(rewards), delta=0.1, n_arms=n_arms, sigma=2.0
        )
        shown = by_count.arms.set_index("arm").loc[arm]
        assert [shown["lower"], shown["upper"]] == pytest.approx(
            [rewards.mean() - half, rewards.mean() + half], rel=1e-12
        )


@given(small_tables(), st.sampled_from([1, 10, 100, 500]))
def test_the_rival_is_the_widest_gap_inside_a_group_and_decides(rows, times):
    arms, rewards = zip(*rows * times, strict=True)
    found = maxgap.split(arm=arms, reward=rewards, sigma=2.0, stopping="clusters")
    event(f"certified: {found.certified}")
    inside, upper = [], found.arms.set_index("arm")["upper"]
    for _, group in found.arms.groupby("group"):
        if len(group) > 1:
            inside.append(gap_upper_bounds(group["lower"], group["upper"]).either.max())
    if not inside:
        assert found.rival is None
        assert found.certified == (found.certain_gap > 0)
        return
    assert found.rival.gap == pytest.approx(max(inside), rel=1e-12)
    ends = found.arms.set_index("arm")["lower"][found.rival.below], upper[found.rival.above]
    assert found.rival.ends == ends
    assert (found.rival.below in found.top) == (found.rival.above in found.top)
    assert found.certified == (found.certain_gap > max(found.rival.gap, 0))


def test_certified_answers_are_right_and_a_scale_narrower_than_true_is_refused():
    rng = np.random.default_rng(5)
    wrong = refused_wrong = 0
    for _ in range(200):
        arms = rng.permutation(np.repeat([0, 1, 2], 60))
        rewards = np.array([0.0, 0.3, 0.55])[arms] + 0.3 * rng.standard_normal(arms.size)
        found = maxgap.split(arm=arms, reward=rewards, sigma=0.3, delta=0.3)
        wrong += found.certified and found.top != {1, 2}
        with pytest.raises(ValueError, match="sigma is too small for"):
            maxgap.split(arm=arms, reward=rewards, sigma=1e-5, delta=0.3)
        policy = MaxGapTop2UCB(3, sigma=1e-5, delta=0.3)
        with pytest.warns(RuntimeWarning, match="stopped, but not certified: sigma is too small"):
            policy.tell(arms, rewards)
        assert not policy.certified
        refused_wrong += policy.recommend().top != {1, 2}
    assert wrong <= 0.3 * 200
    assert refused_wrong > 0.1 * 200


# -- rows that cannot be used --------------------------------------------------------------------

BAD_REWARDS = [
    (6.0, "6 is outside the bounds 1 to 5"),
    (0.999, "0.999 is outside the bounds 1 to 5"),
    (math.nan, "is missing"),
    (None, "is missing"),
    (pd.NA, "is missing"),
    ("", "is missing"),
    ("four", "'four' is not a number"),
    (math.inf, "inf is not a finite number"),
    (Decimal("NaN"), "is missing"),
    (1j, "1j is not a number"),
    ([4], "[4] is not a number"),
]


@pytest.mark.parametrize(("reward", "why"), BAD_REWARDS, ids=repr)
@pytest.mark.parametrize("place", [0, 7, 19])
def test_a_bad_reward_is_named_by_row_and_column(reward, why, place):
    stars = [4, 2] * 10
    stars[place] = reward
    table = pd.DataFrame({"item": ["a", "b"] * 10}, index=[f"r{i}" for i in range(20)])
    table["stars"] = pd.Series(stars, index=table.index, dtype=object)
    with pytest.raises(ValueError, match="column 'stars', row") as caught:
        maxgap.split(table, arm="item", reward="stars", **STARS)
    message = f"column 'stars', row {place}, counted from 0 (index 'r{place}'): {why}"
    assert str(caught.value).startswith(message)
    with pytest.raises(ValueError, match=f"reward, row {place}, counted from 0: "):
        maxgap.split(arm=["a", "b"] * 10, reward=stars, **STARS)


@pytest.mark.parametrize("label", [None, math.nan, pd.NA, pd.NaT, ["list"], {}], ids=repr)
def test_a_bad_arm_is_named_by_row_and_column(label):
    arms = ["a", "b", "c", label, "d"]
    table = pd.DataFrame({"item": pd.Series(arms, dtype=object), "stars": [1, 2, 3, 4, 5]})
    with pytest.raises(ValueError, match=r"column 'item', row 3, counted from 0 \(index 3\): "):
        maxgap.split(table, arm="item", reward="stars", **STARS)


@given(small_tables(), st.data())
def test_the_first_of_several_bad_rows_is_named(rows, data):
    places = data.draw(st.sets(st.integers(0, len(rows) - 1), min_size=1, max_size=5))
    stars = [9.0 if i in places else reward for i, (_, reward) in enumerate(rows)]
    with pytest.raises(ValueError, match=f"row {min(places)}, counted from 0: 9 is outside"):
        maxgap.split(arm=[arm for arm, _ in rows], reward=stars, **STARS)


def test_a_missing_category_is_named_and_one_without_rows_is_no_arm():
    arms = pd.Categorical(["x", None, "y"], categories=["w", "y", "x"])
    table = pd.DataFrame({"item": arms, "stars": [1, 2, 3]})
    with pytest.raises(ValueError, match=r"column 'item', row 1.*: is missing"):
        maxgap.split(table, arm="item", reward="stars", **STARS)
    found = maxgap.split(table.iloc[[0, 2]], arm="item", reward="stars", **STARS)
    assert found.policy().arms == ["x", "y"]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (
            {"arm": "thing"},
            "arm='thing' is not a column of the table; its columns: 'item', 'stars'",
        ),
        ({"reward": "note"}, "reward='note' is not a column"),
        ({"reward": "item"}, "arm and reward must be two columns"),
        ({"bounds": None}, "give bounds="),
        ({"sigma": 1.0}, "give bounds="),
        ({"bounds": (5, 1)}, "bounds must be two numbers, the smaller first"),
        ({"bounds": (1, math.nan)}, "bounds must be"),
        ({"bounds": (1, math.inf)}, "bounds must be"),
        ({"bounds": 5}, "bounds must be"),
        ({"bounds": None, "sigma": 0}, "sigma: positive finite"),
        ({"bounds": None, "sigma": "1"}, "sigma must be a number"),
        ({"bounds": None, "sigma": {"a": 1}}, "sigma comes with labels"),
        ({"delta": 1.5}, "delta: "),
        ({"confidence": "t-test"}, "confidence must be one of"),
        ({"stopping": "paper"}, "stopping must be one of"),
        ({"table": 7}, "table must be a DataFrame"),
    ],
    ids=str,
)
def test_arguments_that_cannot_be_used_are_named(change, why):
    table = pd.DataFrame({"item": ["a", "b"], "stars": [1, 5]})
    arguments = {"table": table, "arm": "item", "reward": "stars", "bounds": (1, 5)} | change
    with pytest.raises(ValueError, match=re.escape(why)) as caught:
        maxgap.split(arguments.pop("table"), **arguments)
    assert str(caught.value).startswith(why)


def test_a_table_without_two_arms_or_with_a_column_twice_is_refused():
    with pytest.raises(ValueError, match="no rows"):
        maxgap.split(pd.DataFrame({"a": [], "b": []}), arm="a", reward="b", sigma=1)
    with pytest.raises(ValueError, match="two arms or more are needed, the table has only 'x'"):
        maxgap.split(arm=["x", "x"], reward=[1, 2], sigma=1)
    twice = pd.DataFrame([["x", 1, 2]], columns=["a", "b", "b"])
    with pytest.raises(ValueError, match="reward='b' is 2 columns"):
        maxgap.split(twice, arm="a", reward="b", sigma=1)
    with pytest.raises(ValueError, match="equal lengths, got 2 and 1"):
        maxgap.split(arm=["x", "y"], reward=[1], sigma=1)
    for values in ("xy", {"x", "y"}, {"x": 1}, 7):
        with pytest.raises(ValueError, match="arm must be a sequence"):
            maxgap.split(arm=values, reward=[1, 2], sigma=1)
    with pytest.raises(ValueError, match="one-dimensional"):
        maxgap.split(arm=["x", "y"], reward=np.eye(2), sigma=1)


# -- kinds of columns --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arms",
    [
        [1, "1", 2.5],
        ["x", (1, "x"), "y"],
        pd.Categorical(["b", "a", "c"], categories=["a", "b", "c"]),
        pd.Series(["b", "a", "c"], dtype="string"),
        pd.date_range("2026-01-01", periods=3),
        np.array(["2026-01", "2026-02", "2026-03"], dtype="datetime64[M]"),
        pd.array([7, 8, 9], dtype="Int64"),
        [False, True, "x"],
        ["", "NA", "None"],
    ],
    ids=str,
)
def test_arms_of_every_kind_come_back_as_they_are(arms):
    wanted = list(pd.Series(list(arms), dtype=object))
    found = maxgap.split(arm=arms, reward=[1, 2, 9], sigma=0.1)
    assert found.policy().arms == wanted
    assert found.top == {wanted[2]}
    found.policy().tell(wanted[0], 1.5)


def test_true_beside_one_is_refused():
    with pytest.raises(ValueError, match="more than once"):
        maxgap.split(arm=[1, True, 2], reward=[1, 2, 3], sigma=1)


@pytest.mark.parametrize(
    "rewards",
    [
        [Decimal("1.5"), Fraction(3, 2), 4, 5.0],
        pd.array([1.5, 1.5, 4, 5], dtype="Float64"),
        np.array([1.5, 1.5, 4, 5], dtype=np.float32),
        (x for x in [1.5, 1.5, 4, 5]),
    ],
    ids=["decimal", "nullable", "float32", "generator"],
)
def test_rewards_of_every_kind_are_taken(rewards):
    found = maxgap.split(arm=["a", "a", "b", "b"], reward=rewards, **STARS)
    assert found.arms["mean"].tolist() == [4.5, 1.5]


def test_true_and_false_are_one_and_nought():
    found = maxgap.split({"a": [*"xxyy"], "b": [True, False, True, True]}, arm="a", reward="b",
                         bounds=(0, 1))  # fmt: skip
    assert found.arms["mean"].tolist() == [1.0, 0.5]


def test_rows_pair_up_by_position_whatever_the_index():
    table = ratings(2)
    expected = maxgap.split(table, arm="item", reward="stars", **STARS)
    table.index = np.zeros(len(table), dtype=int)
    again = maxgap.split(table, arm="item", reward="stars", **STARS)
    apart = maxgap.split(arm=table["item"].sort_index(), reward=table["stars"].tolist(), **STARS)
    for found in (again, apart):
        pd.testing.assert_frame_equal(found.arms, expected.arms)


def test_sigma_by_label_scales_the_intervals_of_its_arm():
    found = maxgap.split(arm=[*"aabb"], reward=[1, 1, 2, 2], sigma={"b": 3.0, "a": 1.0})
    widths = found.arms.set_index("arm").eval("upper - lower")
    assert widths["b"] == pytest.approx(3 * widths["a"])


# -- what is shown -------------------------------------------------------------------------------


def test_it_says_what_is_found_at_a_terminal_and_in_a_notebook():
    table = ratings(1)
    found = maxgap.split(table, arm="item", reward="stars", **STARS)
    text = str(found)
    assert text == repr(found)
    assert "Top (2): item 0, item 1" in text
    assert ("Certified" in text) == found.certified
    assert all(len(line) < 200 for line in text.splitlines())
    odd = table.replace({"item": {"item 3": "<b>item</b> & more"}})
    html = maxgap.split(odd, arm="item", reward="stars", **STARS)._repr_html_()
    assert "<b>" not in html
    assert html.count("&lt;b&gt;item&lt;/b&gt; &amp; more") >= 2


def test_thousands_of_arms_are_shown_in_a_few_lines():
    rng = np.random.default_rng(0)
    arms = np.arange(3000)
    means = np.where(arms < 1000, 10.0, 0.0) + rng.random(3000)
    found = maxgap.split(arm=np.tile(arms, 2), reward=np.tile(means, 2), sigma=0.2)
    text = str(found)
    assert len(text.splitlines()) < 35
    assert "2,980 arms further from the split are not shown" in text
    assert {"top", "bottom"} == set(" ".join(text.splitlines()[-22:-1]).split()) & {"top", "bottom"}
    assert len(found.top) == 1000
    plt.close(found.plot())


def test_the_picture_has_the_arms_the_split_the_certain_gap_and_the_rival():
    found = maxgap.split(ratings(1, 4000), arm="item", reward="stars", **STARS)
    assert found.certified
    _, ax = plt.subplots()
    assert found.plot(ax) is ax.figure
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names == found.arms["arm"].tolist()[::1]
    drawn = sorted(x for line in ax.lines for x in line.get_xdata()[:4])
    assert set(found.arms["mean"]) <= set(drawn)
    texts = " ".join(text.get_text() for text in ax.texts)
    assert "at least" in texts
    assert "inside a group at most" in texts
    segments = np.concatenate(
        [c.get_segments() for c in ax.collections if hasattr(c, "get_segments")]
    )
    ends = {tuple(segment[:, 0]) for segment in segments}
    assert ends == set(zip(found.arms["lower"], found.arms["upper"], strict=True))
    plt.close("all")
    dollars = maxgap.split(arm=["$a$", "b$"], reward=[1, 2], sigma=0.1).plot()
    dollars.canvas.draw()
    plt.close(dollars)


# -- what comes next -----------------------------------------------------------------------------


@given(small_tables(), st.integers(1, 40), st.sampled_from(["either", "clusters"]))
def test_a_batch_has_its_size_and_evens_out_the_arms_asked_for(rows, size, stopping):
    arms, rewards = zip(*rows, strict=True)
    found = maxgap.split(arm=arms, reward=rewards, sigma=2.0, stopping=stopping)
    batch = found.batch(size)
    if found.certified:
        assert batch == {}
        return
    assert sum(batch.values()) == size
    # Over more arms where contrasts would ask for one or two at a time.
    assert set(batch) <= set(found.next if stopping == "clusters" else arms)
    assert max(batch.values()) - min(batch.values()) <= 1
    counts = found.arms.set_index("arm")["ratings"]
    left_out = [counts[arm] for arm in found.next if arm not in batch]
    assert not left_out or min(left_out) >= max(counts[arm] for arm in batch)


@pytest.mark.parametrize("size", [0, -1, 1.5, "3", True, None], ids=repr)
def test_a_batch_of_no_size_is_refused(size):
    with pytest.raises(ValueError, match="size must be a whole number"):
        maxgap.split(arm=[*"ab"], reward=[1, 2], sigma=1.0).batch(size)


def test_the_policy_goes_on_from_the_table():
    table = ratings(3, rows=60)
    found = maxgap.split(table, arm="item", reward="stars", **STARS)
    assert not found.certified
    rng = np.random.default_rng(0)
    taken, policy = 0, found.policy()
    while not policy.stopped:
        asked = [arm for arm in policy.ask() for _ in range(10)]
        true = {"item 0": 4.4, "item 1": 4.2, "item 2": 2.1, "item 3": 1.9}
        policy.tell(asked, [np.clip(rng.normal(true[arm], 0.6), 1, 5) for arm in asked])
        taken += len(asked)
    assert policy.certified
    assert policy.recommend().top == {"item 0", "item 1"}
    assert found.more.low / 2 <= taken <= 2 * found.more.high
    assert not found.certified  # the answer is that of the table


def test_nothing_more_is_needed_once_certified():
    found = maxgap.split(ratings(1, 4000), arm="item", reward="stars", **STARS)
    assert found.certified
    assert found.more == (0, 0, 0, 0)
    assert found.next == ()


def test_what_was_not_reached_is_infinite_and_said():
    found = maxgap.split(arm=[*"aabbcc"], reward=[0, 0.1, 1, 1.1, 3, 3.1], sigma=1000.0)
    assert found.more.median == math.inf
    assert re.search(r"if asked for so: more than \d", str(found))


@pytest.mark.parametrize(
    ("cls", "stopping"), [(MaxGapContrasts, "either"), (MaxGapTop2UCB, "clusters")]
)
def test_a_plan_is_what_runs_take(cls, stopping):
    means, sigma = [0.0, 0.2, 1.0, 1.3], 0.5
    how = {"sigma": sigma, "stopping": stopping}
    made = maxgap.plan(means, **how, replicates=60)
    study = simulate.replicate(
        {"adaptive": cls(4, **how), "robin": maxgap.RoundRobin(4, **how)},
        maxgap.Problem(means, sigma=sigma), budget=20_000, replicates=60, seed=1, n_jobs=1,
    )  # fmt: skip
    median = study.stops.groupby("policy")["samples"].median()
    assert made.adaptive.median == pytest.approx(median["adaptive"], rel=0.2)
    assert made.equal.median == pytest.approx(median["robin"], rel=0.2)
    assert made.adaptive.low <= made.adaptive.median <= made.adaptive.high
    assert made == maxgap.plan(means, **how, replicates=60)


def test_a_plan_within_bounds_needs_fewer_where_rewards_vary_less():
    how = {"stopping": "clusters", **STARS}
    wide, narrow = (maxgap.plan([4.5, 4.3, 2.0], sd=sd, **how).equal.median for sd in (1.2, 0.3))
    assert narrow < wide
    assert maxgap.plan([4.5, 4.3, 2.0], **how).equal.median >= wide


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"means": [1.0]}, "means must be two numbers"),
        ({"means": [1.0, math.nan]}, "means must be two numbers"),
        ({"means": [1, 2, 3]}, "means: no gap is the largest"),
        ({"means": [2, 2]}, "means: no gap is the largest"),
        ({"means": [0.0, 5.0]}, "means must lie in the bounds"),
        ({"sd": -1}, "sd must be"),
        ({"sd": [1, 2, 3]}, "sd must be"),
        ({"sd": math.nan}, "sd must be"),
        ({"replicates": 0}, "replicates must be"),
        ({"seed": -1}, "seed must be"),
        ({"bounds": None, "sigma": {0: 1, 1: 1}}, "sigma must be a number"),
    ],
    ids=str,
)
def test_a_plan_refuses_what_it_cannot_use(change, why):
    arguments = {"means": [2, 4], "bounds": (1, 5)} | change
    with pytest.raises(ValueError, match=why):
        maxgap.plan(arguments.pop("means"), **arguments)


def test_a_table_that_can_become_one_of_pandas_is_taken():
    frame = pd.DataFrame({"item": [*"abc"] * 30, "stars": [5, 4, 1] * 30})
    other = type("Other", (), {"to_pandas": lambda self: frame})()
    expected = maxgap.split(frame, arm="item", reward="stars", bounds=(1, 5))
    found = maxgap.split(other, arm="item", reward="stars", bounds=(1, 5))
    pd.testing.assert_frame_equal(found.arms, expected.arms)
    arrow = pytest.importorskip("pyarrow").table({"item": [*"abc"] * 30, "stars": [5, 4, 1] * 30})
    found = maxgap.split(arrow, arm="item", reward="stars", bounds=(1, 5))
    pd.testing.assert_frame_equal(found.arms, expected.arms)


# -- what other packages hand over ---------------------------------------------------------------

TWO = {"item": [*"abc"] * 30, "stars": [5, 4, 1] * 30}


def taken(*table, **columns):
    found = maxgap.split(*table, **(columns or {"arm": "item", "reward": "stars"}), **STARS)
    assert found.top == {"a", "b"}
    assert [type(arm) for arm in found.policy().arms] == [str] * 3
    expected = maxgap.split(TWO, arm="item", reward="stars", **STARS)
    pd.testing.assert_frame_equal(found.arms, expected.arms)


def test_arrow_comes_in_every_form():
    pa = pytest.importorskip("pyarrow")
    table = pa.table(TWO)
    taken(table)
    taken(table.to_reader())
    taken(pa.RecordBatch.from_pydict(TWO))
    taken(arm=table["item"], reward=table["stars"])
    taken(arm=pa.array(TWO["item"]), reward=pa.array(TWO["stars"]))
    taken(arm=pa.array(TWO["item"]).dictionary_encode(), reward=TWO["stars"])
    taken(arm=TWO["item"], reward=pa.chunked_array([TWO["stars"][:7], TWO["stars"][7:]]))
    large = [2**53, 2**53 + 1, 7]
    found = maxgap.split(pa.table({"id": large, "x": [0, 5, 9]}), arm="id", reward="x", sigma=0.1)
    assert found.policy().arms == large
    policy = maxgap.RoundRobin(pa.array([*"abc"]))
    policy.tell(pa.array([*"abc"]), pa.array([1, 2, 9]))
    assert (policy.arms, policy.means.tolist()) == ([*"abc"], [1, 2, 9])


def lazily(**methods):
    return type("Lazy", (), {name: lambda self, to=to: to for name, to in methods.items()})()


def test_a_lazy_table_is_collected():
    """As those of polars are: `collect` gives a table that has `to_pandas`; duckdb has `to_df`."""
    frame = pd.DataFrame(TWO)
    taken(lazily(collect=lazily(to_pandas=frame)))
    taken(lazily(to_df=frame))
    taken(lazily(read_pandas=frame))
    taken(arm=lazily(to_pandas=frame["item"]), reward=lazily(collect=frame["stars"].tolist()))
    odd = pd.DataFrame(TWO | {"collect": 1, "to_pandas": 2})
    taken(odd)
    with pytest.raises(ValueError, match="table must be a DataFrame, a mapping, or what has to_pa"):
        maxgap.split(lazily(collect=7), arm="item", reward="stars", **STARS)


def without_arrow(self):
    raise ModuleNotFoundError("pyarrow is required")


def test_what_cannot_become_a_column_of_pandas_is_read_value_by_value():
    column = type("Column", (list,), {"to_pandas": without_arrow})
    taken(arm=column(TWO["item"]), reward=column(TWO["stars"]))


# -- labels that a float has rounded -------------------------------------------------------------

ROUNDED = pd.Series([2**53, 2**53 + 1, None])[:2]


def test_a_float_that_others_are_rounded_to_is_no_label():
    policy = maxgap.RoundRobin([2**53, 2**53 + 1])
    for told in (ROUNDED, ROUNDED.tolist(), ROUNDED.to_numpy(), ROUNDED.astype(object)):
        with pytest.raises(ValueError, match=r"unknown label .*9007199254740992\.0"):
            policy.tell(told, [1, 2])
        with pytest.raises(ValueError, match=r"row 0.*may be another number that was rounded"):
            maxgap.split(arm=told, reward=[1, 2], sigma=1)
    assert policy.counts.tolist() == [0, 0]
    policy.tell([2**53, np.int64(2**53 + 1)], [1, 2])
    assert policy.counts.tolist() == [1, 1]
    with pytest.raises(ValueError, match=r"column 'id', row 1.*may be another number"):
        maxgap.split({"id": [1.0, -(2.0**60)], "x": [1, 2]}, arm="id", reward="x", sigma=1)


def test_a_float_that_holds_its_number_is_one():
    policy = maxgap.RoundRobin([2**53 - 1, 7, 0.5])
    policy.tell(np.array([2.0**53 - 1, 7.0, 0.5]), [1, 2, 3])
    assert policy.means.tolist() == [1, 2, 3]
    own = maxgap.RoundRobin([1e300, 2.0**53])
    own.tell([1e300, 2.0**53], [1, 2])
    assert own.means.tolist() == [1, 2]
    found = maxgap.split(arm=[2.0**53 - 1, 7.0], reward=[1, 9], sigma=0.1)
    assert found.top == {7}


# -- numbers that are tiny -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scale", "said"),
    [
        (1e-12, "The largest gap is 3e-12, from b (1e-12) up to c (4e-12)."),
        (1e-7, "The largest gap is 3e-07, from b (1e-07) up to c (4e-07)."),
        (1e-3, "The largest gap is 0.00300, from b (0.00100) up to c (0.00400)."),
        (1.0, "The largest gap is 3.00, from b (1.00) up to c (4.00)."),
    ],
)
def test_tiny_numbers_are_said_by_an_exponent(scale, said):
    found = maxgap.split(arm=[*"abc"] * 9, reward=np.array([0, 1, 4] * 9) * scale,
                         sigma=scale / 100)  # fmt: skip
    assert found.lines()[0] == said


def test_what_rounding_leaves_of_a_gap_asks_for_no_decimals():
    found = maxgap.split(arm=[*"ab"] * 3, reward=[0.1, 0.3, 0.2, 0.15, 0.3, 0.15], sigma=1)
    assert 0 < found.gap < 1e-15
    assert " (0.20) up to " in found.lines()[0]
    assert "00000" not in str(found)


# -- who rated -----------------------------------------------------------------------------------

WHO = {"arm": "item", "reward": "stars", "rater": "who"}


def rated_again():
    """Ten raters an item; some rate it again at once, or much later, and another way."""
    rows = [
        (item, k % 3 + 1 + 2 * (item == "b"), f"{item}{k}") for k in range(10) for item in "abc"
    ]
    again = [("a", 5, "a0"), ("a", 3, "a0"), ("b", 1, "b3"), ("c", 2, "c9"), ("c", 3, "c9")]
    return pd.DataFrame(
        rows[:1] + again[:1] + rows[1:] + again[1:], columns=["item", "stars", "who"]
    )


def test_the_ratings_of_a_rater_count_once_as_their_mean_where_the_first_stands():
    table = rated_again()
    once = table.drop_duplicates(["item", "who"]).copy()
    means = table.groupby(["item", "who"])["stars"].mean()
    once["stars"] = [means[item, who] for item, who in zip(once["item"], once["who"], strict=True)]
    for stopping in ("either", "clusters", "contrasts"):
        how = {"stopping": stopping, **STARS}
        found = maxgap.split(table, **WHO, **how)
        expected = maxgap.split(once, arm="item", reward="stars", **how)
        pd.testing.assert_frame_equal(found.arms, expected.arms)
        assert (found.certified, found.next, found.notes) == (expected.certified, expected.next, ())
        assert found.sentence.startswith(
            "Of 30 ratings of 3 items by 30 raters, each counted once an item, scale 1 to 5, "
        )
        assert " by " not in expected.sentence.split(", scale")[0]
    apart = maxgap.split(
        arm=table["item"], reward=table["stars"], rater=list(table["who"]), **STARS
    )
    pd.testing.assert_frame_equal(apart.arms, maxgap.split(table, **WHO, **STARS).arms)
    three = maxgap.partition(table, **WHO, groups=3, **STARS)
    pd.testing.assert_frame_equal(
        three.arms, maxgap.partition(once, arm="item", reward="stars", groups=3, **STARS).arms
    )


def test_the_order_of_raters_is_that_of_their_first_ratings():
    """Contrasts look at the order, and the policy goes on from it."""
    rows = [("a", 1, "x"), ("a", 5, "y"), ("b", 2, "z"), ("a", 3, "x"), ("b", 4, "w")]
    arms, rewards, who = zip(*rows, strict=True)
    found = maxgap.split(arm=arms, reward=rewards, rater=who, stopping="contrasts", **STARS)
    alone = maxgap.split(arm=[*"aabb"], reward=[2, 5, 2, 4], stopping="contrasts", **STARS)
    ours, theirs = (rewards_kept(answer.policy())[1].tolist() for answer in (found, alone))
    assert ours == theirs


def test_contrasts_are_left_out_where_someone_rates_several_items():
    table = rated_again()
    table["who"] = table["who"].str[1:]
    found = maxgap.split(table, **WHO, **STARS)
    note = "Some rate several items: contrasts, which need independence, are left out."
    assert found.notes == (note,)
    assert note in found.lines()
    assert "by 10 raters" in found.sentence
    assert "contrasts" not in found.sentence
    clusters = maxgap.split(table, **WHO, **STARS, stopping="clusters")
    assert clusters.notes == ()
    pd.testing.assert_frame_equal(found.arms, clusters.arms)


@pytest.mark.parametrize(
    ("nobody", "why"),
    [
        *((nobody, "is missing") for nobody in (None, math.nan, pd.NA, "")),
        (["x"], "['x'] cannot be a label"),
    ],
    ids=repr,
)
def test_a_rating_by_nobody_is_refused_with_its_row_and_column(nobody, why):
    table = rated_again().astype({"who": object})
    table.at[7, "who"] = nobody
    with pytest.raises(ValueError, match="column 'who', row 7") as caught:
        maxgap.split(table, **WHO, **STARS)
    assert str(caught.value) == f"column 'who', row 7, counted from 0 (index 7): {why}"
    columns = {"arm": table["item"], "reward": table["stars"], "rater": table["who"]}
    with pytest.raises(ValueError, match="rater, row 7") as caught:
        maxgap.split(**columns, **STARS)
    assert str(caught.value) == f"rater, row 7, counted from 0: {why}"


def test_a_rater_that_is_no_column_or_one_of_the_others_is_refused():
    table = rated_again()
    with pytest.raises(ValueError, match="rater='whom' is not a column of the table"):
        maxgap.split(table, **WHO | {"rater": "whom"}, **STARS)
    with pytest.raises(ValueError, match="arm and rater must be two columns, got 'item' for both"):
        maxgap.split(table, **WHO | {"rater": "item"}, **STARS)
    with pytest.raises(ValueError, match="must have equal lengths, got 2 and 2 and 1"):
        maxgap.split(arm=[*"ab"], reward=[1, 2], rater=["x"], **STARS)


def test_raters_of_every_kind_are_told_apart():
    for raters in (
        [1, 1, 2, True],
        [1, 1.0, 2, "1"],
        pd.Categorical([*"xxyz"]),
        [(1, 2)] * 2 + [3, 4],
    ):
        found = maxgap.split(arm=[*"aaab"], reward=[1, 3, 5, 5], rater=raters, **STARS)
        assert found.arms.set_index("arm")["ratings"].to_dict() == {"a": 2, "b": 1}
        assert found.arms.set_index("arm")["mean"].to_dict() == {"a": 3.5, "b": 5}
