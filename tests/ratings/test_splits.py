"""A table of ratings: held to the policy told the same rewards, and to intervals made by hand."""

import math
from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import event, given
from hypothesis import strategies as st
from rating_tables import STARS, WHO, rated_again, ratings, small_tables
from scipy.optimize import brentq
from states import rewards_kept

import maxgap
from maxgap import MaxGapContrasts, MaxGapTop2UCB, confidence, gap_upper_bounds


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


# -- who rated -----------------------------------------------------------------------------------


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
