"""What rewards say against sigma, their order, the answer: noticed, and not without reason."""

import copy
import json
import math
import pickle

import numpy as np
import pandas as pd
import pytest

import maxgap
from maxgap import MaxGapContrasts, MaxGapTop2UCB, MaxGapUCB, RoundRobin

TOO_SMALL = "sigma is too small for 'a': 0.10, but its 60 rewards have a standard deviation of 1.0"
ARMS, WIDE = [*"ab"] * 60, [0.0, 10.0, 2.0, 10.0] * 30


def told(arms, rewards, cls=RoundRobin, **settings):
    policy = cls(sorted(set(arms)), **settings)
    policy.tell(arms, rewards)
    return policy


def sorted_rows():
    """Coins of two arms, each arm's sorted; and a permutation that shuffles the rows."""
    rng = np.random.default_rng(1)
    arms = np.repeat(["a", "b"], 400)
    rewards = np.r_[np.sort(rng.random(400) < 0.2), np.sort(rng.random(400) < 0.8)].astype(float)
    return arms, rewards, rng.permutation(800)


def contradicted():
    """A policy that was certified, and then was told that its bottom arm is the best."""
    rng = np.random.default_rng(2)
    policy = MaxGapTop2UCB([*"abc"])
    means = {"a": 0.0, "b": 0.3, "c": 3.0}
    while not policy.stopped:
        asked = policy.ask()
        policy.tell(asked, [means[arm] + rng.standard_normal() for arm in asked])
    assert policy.certified
    assert policy.objections == ()
    policy.tell(["a"] * 2000, 6 + 0.5 * rng.standard_normal(2000))
    return policy


# -- a sigma that is too small ------------------------------------------------------------------


@pytest.mark.parametrize("stopping", ["either", "clusters", "contrasts"])
def test_a_sigma_that_is_too_small_is_refused_with_the_figures(stopping):
    with pytest.raises(ValueError, match=f"^{TOO_SMALL}$"):
        maxgap.split(arm=ARMS, reward=WIDE, sigma=0.1, stopping=stopping)
    assert maxgap.split(arm=ARMS, reward=WIDE, sigma=1.0, stopping=stopping).certified


def test_a_policy_says_so_when_it_stops_and_is_not_certified():
    with pytest.warns(RuntimeWarning, match=f"^stopped, but not certified: {TOO_SMALL}$"):
        policy = told(ARMS, WIDE, sigma=0.1)
    assert policy.stopped
    assert not policy.certified
    assert policy.objections == (TOO_SMALL,)
    assert policy.report().attrs["objections"] == [TOO_SMALL]
    fair = told(ARMS, WIDE, sigma=1.0)
    assert fair.certified
    assert fair.report().attrs["objections"] == []


def test_before_it_stops_it_objects_in_silence():
    policy = told(ARMS, WIDE, sigma=0.1, stopping=None)
    assert policy.objections == (TOO_SMALL,)
    policy.tell("b", 10.0)
    assert policy.objections == (TOO_SMALL,)


@pytest.mark.parametrize("n", [2, 20, 400])
@pytest.mark.parametrize("n_arms", [2, 50])
def test_it_objects_from_odds_of_a_million_to_one_and_not_before(n, n_arms):
    """Rewards x and -x in turn: what each of four bets has won is worked out by hand."""

    def log_capital(x):
        return max(n * x**2 * bet / 2 + n / 2 * math.log(1 - bet) for bet in (0.5, 0.2, 0.05, 0.01))

    odds = math.log(4 * n_arms / 1e-6)
    low, high = 0.0, 100.0
    for _ in range(60):
        x = (low + high) / 2
        low, high = (x, high) if log_capital(x) < odds else (low, x)
    for x, objections in ((low * (1 - 1e-9), 0), (high * (1 + 1e-9), 1)):
        for sigma in (1.0, 1e-100, 1e100):
            policy = RoundRobin(n_arms, sigma=sigma, stopping=None)
            policy.tell([1] * n, [x * sigma, -x * sigma] * (n // 2))
            assert len(policy.objections) == objections


def test_rewards_too_large_to_be_squared_are_not_objected_to_without_reason():
    policy = RoundRobin(2, sigma=1e300)
    policy.tell([0, 1] * 200, np.random.default_rng(0).uniform(-1e300, 1e300, 400))
    assert policy.objections == ()


def test_each_arm_has_its_own_sigma():
    rewards = np.array([0.0, 2.0] * 30)
    policy = RoundRobin([*"ab"], sigma={"a": 1.0, "b": 0.1}, stopping=None)
    policy.tell(["a"] * 60, rewards)
    assert policy.objections == ()
    policy.tell(["b"] * 60, rewards)
    assert policy.objections == (TOO_SMALL.replace("'a'", "'b'"),)


@pytest.mark.parametrize(
    ("size", "said"),
    [
        (1e-9, "its 20 rewards have a standard deviation of 1.0e-09"),
        (1360.0, "its 20 rewards have a standard deviation of 1,400"),
        (1e300, "its 20 rewards have a standard deviation of more than 1e+150"),
    ],
)
def test_figures_of_every_size_are_said_in_two_digits(size, said):
    policy = RoundRobin(2, sigma=min(size / 1e4, 1.0), stopping=None)
    policy.tell([0] * 20, [size, -size] * 10)
    (objection,) = policy.objections
    assert objection.endswith(said)


# -- an order that is none of draws -------------------------------------------------------------


@pytest.mark.parametrize("cls", [RoundRobin, MaxGapContrasts])
@pytest.mark.parametrize("stopping", ["contrasts", "either"])
def test_sorted_rewards_are_objected_to_and_the_same_shuffled_are_not(cls, stopping):
    arms, rewards, order = sorted_rows()
    with pytest.warns(RuntimeWarning, match="stopped, but not certified: the rewards of 'a', 'b'"):
        policy = told(arms, rewards, cls, sigma=0.5, stopping=stopping)
    assert policy.stopped
    assert not policy.certified
    assert policy.objections == (
        "the rewards of 'a', 'b' are sorted, or drift, in their order",
    )  # fmt: skip
    shuffled = told(arms[order], rewards[order], cls, sigma=0.5, stopping=stopping)
    assert shuffled.certified
    assert shuffled.objections == ()


def test_who_does_not_look_back_has_nothing_against_an_order():
    arms, rewards, _ = sorted_rows()
    policy = told(arms, rewards, sigma=0.5, stopping="clusters")
    assert policy.certified
    assert policy.objections == ()


def test_of_a_sorted_table_contrasts_are_left_out_and_that_is_said():
    arms, rewards, order = sorted_rows()
    table = pd.DataFrame({"arm": arms, "reward": rewards})
    how = {"arm": "arm", "reward": "reward", "bounds": (0, 1)}
    found = maxgap.split(table, **how)
    note = "The rewards of 'a', 'b' are sorted, or drift, in their order: contrasts are left out."
    assert found.notes == (note,)
    assert note in found.lines()
    # What the contrasts might have used of delta is not given to the intervals.
    by_clusters = maxgap.split(table, **how, stopping="clusters", delta=0.025)
    pd.testing.assert_frame_equal(found.arms, by_clusters.arms)
    assert found.certified == by_clusters.certified
    assert not maxgap.split(table, **how, stopping="contrasts").certified
    shuffled = maxgap.split(table.iloc[order], **how)
    assert shuffled.notes == ()
    assert shuffled.certified


def test_three_arms_are_named_and_the_others_counted():
    arms = np.repeat(np.arange(6), 60)
    policy = RoundRobin(6, stopping="contrasts")
    with pytest.warns(RuntimeWarning, match="not certified"):
        policy.tell(arms, np.tile(np.repeat([0.0, 1.0], 30), 6) + 50.0 * (arms > 2))
    assert policy.objections == (
        "the rewards of 0, 1, 2 and 3 more are sorted, or drift, in their order",
    )  # fmt: skip


# -- an answer that later rewards contradict ----------------------------------------------------


def test_rewards_told_after_the_stop_may_contradict_the_answer():
    policy = contradicted()
    said = "since it stopped the rewards contradict the answer: 'a' lies above 'c'"
    assert policy.objections == (said,)
    assert policy.stopped
    assert not policy.certified
    assert policy.recommend().top == {"c"}
    assert policy.report().attrs["objections"] == [said]


# -- not without reason -------------------------------------------------------------------------

MEANS = np.array([0.2, 0.3, 0.7, 0.75])
FAIR = {
    "normal": (0.3, lambda rng, mu: mu + 0.3 * rng.standard_normal(mu.size)),
    "0/1": (0.5, lambda rng, mu: (rng.random(mu.size) < mu).astype(float)),
    "uniform": (12**-0.5, lambda rng, mu: mu + rng.random(mu.size) - 0.5),
}


@pytest.mark.parametrize("noise", FAIR)
def test_2000_fair_policies_object_to_nothing(noise):
    sigma, draw = FAIR[noise]
    rng = np.random.default_rng(3)
    stopped = 0
    for k in range(2000):
        cls = (RoundRobin, MaxGapTop2UCB)[k % 2]
        policy = cls(4, sigma=sigma, stopping=("contrasts", "either", "clusters")[k % 3])
        for n in (2, 30, 200):
            arms = rng.permutation(np.repeat(np.arange(4), n))
            policy.tell(arms, draw(rng, MEANS[arms]))
            assert policy.objections == ()
        stopped += policy.stopped
    assert stopped > 200


# -- kept -----------------------------------------------------------------------------------------


def objecting():
    arms, rewards, _ = sorted_rows()
    with pytest.warns(RuntimeWarning, match="not certified"):
        yield told(ARMS, WIDE, sigma=0.1)
    with pytest.warns(RuntimeWarning, match="not certified"):
        yield told(arms, rewards, sigma=0.01, stopping="contrasts")
    yield contradicted()


def test_objections_survive_a_file_a_copy_and_a_pickle(tmp_path):
    for policy in objecting():
        policy.save(tmp_path / "policy.json")
        others = [maxgap.load(tmp_path / "policy.json"), copy.copy(policy), copy.deepcopy(policy)]
        for other in [*others, pickle.loads(pickle.dumps(policy))]:
            assert other.objections == policy.objections != ()
            assert other.stopped
            assert not other.certified
        # A copy goes on by itself.
        others[1].tell(["b"] * 1000, [-1e3, 1e3] * 500)
        assert others[1].objections[0].startswith("sigma is too small for 'b'")
        assert policy.objections == others[2].objections != others[1].objections


@pytest.mark.parametrize(
    ("cls", "how", "expected"),
    [
        (MaxGapContrasts, {"bounds": (0, 1)}, ("either", "empirical-bernstein")),
        (MaxGapContrasts, {"sigma": 0.5}, ("contrasts", "normal-mixture")),
        (MaxGapTop2UCB, {"bounds": (0, 1)}, ("clusters", "empirical-bernstein")),
        (MaxGapUCB, {"bounds": (0, 1), "confidence": "lil"}, ("paper", "lil")),
    ],
)
def test_with_bounds_the_default_is_what_split_does(cls, how, expected, tmp_path):
    cls(3, **how).save(tmp_path / "policy.json")
    saved = json.loads((tmp_path / "policy.json").read_text(encoding="utf-8"))
    assert (saved["policy"]["stopping"], saved["policy"]["confidence"]) == expected
