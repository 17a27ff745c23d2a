"""Intervals that look at the rewards: against plain Python, in runs, in files, often right."""

import copy
import json
import math

import numpy as np
import pytest
import ville
from hypothesis import given, settings
from hypothesis import strategies as st
from states import digest

import maxgap
from maxgap import MaxGapTop2UCB, MaxGapUCB, RoundRobin, problems, simulate
from maxgap.statistics import wilson_interval

NAME = "empirical-bernstein"


def plain_interval(rewards, *, width, log_inverse):
    """The interval of one arm, written down from the theorem."""
    low, high = max(rewards) - width, min(rewards) + width
    bets, bet_on, cost = 0.0, 0.0, 0.0
    for i in range(1, len(rewards)):
        before = np.array(rewards[:i])
        foretold = before.mean()
        variance = (1 / 4 + np.sum((before - foretold) ** 2) / width**2) / (i + 1)
        bet = min(math.sqrt(2 * log_inverse / (variance * (i + 1) * math.log(i + 2))), 1 / 2)
        bets += bet
        bet_on += bet * rewards[i]
        cost += ((rewards[i] - foretold) / width) ** 2 * (-math.log(1 - bet) - bet)
    if bets > 0:
        radius = width * (log_inverse + cost) / bets
        low, high = max(low, bet_on / bets - radius), min(high, bet_on / bets + radius)
    return low, high


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.floats(0, 1), min_size=1, max_size=60),
    st.floats(-50, 50),
    st.sampled_from([0.5, 4.0]),
    st.floats(0.01, 0.5),
)
def test_an_interval_is_that_of_the_theorem(unit, start, width, delta):
    rewards = [start + width * x for x in unit]
    policy = RoundRobin(2, sigma=width / 2, delta=delta, confidence=NAME, stopping=None)
    policy.tell([0] * len(rewards), rewards)
    expected = plain_interval(rewards, width=width, log_inverse=math.log(2 * 2 / delta))
    np.testing.assert_allclose((policy.lower[0], policy.upper[0]), expected, rtol=0, atol=1e-9)


class OurPlugIn:
    """What ville is to foretell with, in place of its own: as if the first reward were known.

    Its own guesses 1/2 before it has seen anything, and so needs the ends of the range.
    """

    def __init__(self, first):
        self.first = first

    def step(self, x):
        seen = np.concatenate(([self.first], x))
        i = np.arange(1, seen.size)  # rewards before each of x
        mean = np.cumsum(seen)[:-1] / i
        squares = np.array([np.sum((seen[:n] - seen[:n].mean()) ** 2) for n in i])
        return i + 1, mean, (1 / 4 + squares) / (i + 1)


def ends_after_each(rewards, *, width, delta):
    """Ends of the first of two arms' interval after the second reward, the third, ..."""
    policy = RoundRobin(2, sigma=width / 2, delta=delta, confidence=NAME, stopping=None)
    policy.tell(0, rewards[0])
    ends = []
    for reward in rewards[1:]:
        policy.tell(0, reward)
        ends.append((policy.lower[0], policy.upper[0]))
    return np.array(ends).T


bounded = st.sampled_from(
    [
        lambda rng: rng.random(150),
        lambda rng: rng.beta(0.3, 2, 150),
        lambda rng: 0.5 + rng.uniform(-0.02, 0.02, 150),
        lambda rng: rng.integers(0, 5, 150) / 4,
        lambda rng: (rng.random(150) < 0.05).astype(float),
    ]
)


@settings(max_examples=40, deadline=None)
@given(
    bounded, st.integers(0, 2**32), st.floats(-9, 9), st.sampled_from([0.5, 4.0]), st.floats(0, 1)
)
def test_intervals_are_those_of_another_package_given_the_same_plug_in(draw, seed, start, width, d):
    unit, delta = draw(np.random.default_rng(seed)), 0.001 + 0.9 * d
    rewards = start + width * unit
    theirs = ville.EmpiricalBernsteinCS((0, 1), delta / 2, intersect=False)
    theirs._plug = OurPlugIn(unit[0])
    theirs.update(unit[1:])
    low, high = ends_after_each(rewards, width=width, delta=delta)
    # Theirs end where the range does; ours, which know its width only, nowhere inside it.
    low, high = np.maximum(low, start), np.minimum(high, start + width)
    np.testing.assert_allclose(low, start + width * theirs.lower_, rtol=0, atol=1e-9)
    np.testing.assert_allclose(high, start + width * theirs.upper_, rtol=0, atol=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_intervals_are_those_of_another_package_as_it_comes_while_bets_are_the_largest(seed):
    # If the first reward lies where ville expects it, in the middle of the range, both foretell the
    # same of the others. At so small a delta both bet as much as they may; else bets differ.
    rewards = np.append(0.5, np.random.default_rng(seed).random(300))
    delta = 1e-12
    theirs = ville.EmpiricalBernsteinCS((0, 1), delta / 2, intersect=False).fit(rewards[1:])
    low, high = ends_after_each(rewards, width=1, delta=delta)
    np.testing.assert_allclose(np.maximum(low, 0), theirs.lower_, rtol=0, atol=1e-12)
    np.testing.assert_allclose(np.minimum(high, 1), theirs.upper_, rtol=0, atol=1e-12)
    assert theirs.upper_[-1] - theirs.lower_[-1] < 0.99, "no end is a bet's"


@pytest.mark.parametrize("share", [0.5, 0.05])
def test_not_knowing_where_the_range_lies_costs_little(share):
    coins = (np.random.default_rng(3).random(3000) < share).astype(float)
    theirs = ville.EmpiricalBernsteinCS((0, 1), 0.1 / 2, intersect=False).fit(coins)
    low, high = ends_after_each(coins, width=1, delta=0.1)
    ratio = (high - low)[200:] / (theirs.upper_ - theirs.lower_)[201:]
    assert ratio.min() > 0.97
    assert ratio.max() < 1.03


def test_rewards_that_vary_little_give_narrow_intervals():
    rng = np.random.default_rng(1)
    widths = {}
    for name in (NAME, "normal-mixture"):
        policy = RoundRobin(2, sigma=2.0, delta=0.1, confidence=name, stopping=None)
        policy.tell([0] * 400, np.random.default_rng(1).uniform(2.9, 3.1, 400))
        widths[name] = policy.upper[0] - policy.lower[0]
    assert widths[NAME] < widths["normal-mixture"] / 3
    coins = RoundRobin(2, sigma=0.5, delta=0.1, confidence=NAME, stopping=None)
    coins.tell([0] * 400, rng.integers(0, 2, 400))
    assert 0 <= coins.lower[0] < 0.5 < coins.upper[0] <= 1


# Intervals cross where one has missed, which is what is counted.
@pytest.mark.filterwarnings("ignore:an arm's interval no longer meets")
@pytest.mark.parametrize("mean", [0.02, 0.3, 0.5])
def test_all_intervals_hold_with_probability_one_minus_delta(mean):
    """At a delta where a wrong proof would show, after each of 300 samples of two arms."""
    delta, n, replicates = 0.3, 300, 1500
    rng = np.random.default_rng(5)
    missed = 0
    for rewards in (rng.random((replicates, n, 2)) < mean).astype(float):
        policy = RoundRobin(2, sigma=0.5, delta=delta, confidence=NAME, stopping=None, nested=True)
        policy.tell([0, 1] * n, rewards.ravel())
        # Nested: once an interval has missed, some later one misses too, or they have crossed.
        missed += bool(((policy.lower > mean) | (policy.upper < mean)).any())
    assert wilson_interval(missed, replicates)[0] <= delta
    assert missed > 0


def missed_by(policy, deal, means, rounds):
    """Whether an interval has missed, if rewards are dealt arm by arm by ``deal(arm, past)``."""
    stacks = [[] for _ in means]
    for _ in range(rounds):
        for arm in policy.ask():
            stacks[arm].append(deal(arm, stacks[arm]))
            policy.tell(arm, stacks[arm][-1])
    return bool(((policy.lower > means) | (policy.upper < means)).any())


@pytest.mark.filterwarnings("ignore:an arm's interval no longer meets")
def test_intervals_hold_under_an_adaptive_policy_if_the_variance_depends_on_the_past():
    """Rewards are far from the mean while luck is good, and near it while it is bad."""
    means, delta, replicates = np.array([0.3, 0.5, 0.5]), 0.3, 150
    rng = np.random.default_rng(6)

    def deal(arm, past):
        far = 0.3 if sum(past) > len(past) * means[arm] else 0.05
        return means[arm] + far * (1 if rng.random() < 0.5 else -1)

    missed = 0
    for _ in range(replicates):
        policy = MaxGapTop2UCB(
            3, sigma=0.5, delta=delta, confidence=NAME, stopping=None, nested=True
        )
        missed += missed_by(policy, deal, means, 60)
    assert wilson_interval(missed, replicates)[0] <= delta


def test_rewards_further_apart_than_the_range_are_refused_and_nothing_is_taken():
    policy = RoundRobin(["a", "b"], sigma=[0.5, 2.0], confidence=NAME, stopping=None)
    policy.tell(["a", "b", "b"], [0.1, 1.0, 5.0])
    before = copy.deepcopy(policy.report())
    for arms, rewards in [("a", 1.2), (["b", "a"], [3.0, -0.95]), (["b", "b"], [1.5, 0.5])]:
        with pytest.raises(ValueError, match="half the width of their range"):
            policy.tell(arms, rewards)
        assert policy.report().equals(before)
    policy.tell(["a", "a"], [0.0, 1.0])  # exactly the width
    tenths = RoundRobin(2, sigma=(0.7 - 0.1) / 2, confidence=NAME)
    tenths.tell([0, 0], [0.1, 0.7])  # wider than twice sigma by a rounding


def test_a_run_is_ask_sample_tell():
    problem = problems.Problem([0.1, 0.2, 0.75, 0.8], sigma=0.5)
    for cls in (RoundRobin, MaxGapTop2UCB):
        policy = cls(4, delta=0.1, sigma=0.5, confidence=NAME)
        run = simulate.run(
            policy, problem, budget=20_000, rng=np.random.default_rng(3), noise="bernoulli"
        )
        rng = np.random.default_rng(3)
        while not policy.stopped:
            arms = policy.ask()
            policy.tell(arms, [float(rng.random() < problem.means[arm]) for arm in arms])
        assert run.certified
        assert policy.certified
        assert run.counts.tolist() == policy.counts.tolist()
        assert run.split == policy.recommend()


def test_a_policy_of_the_readers_own_runs_with_them():
    class Least(maxgap.Policy):
        def choose(self):
            return [int(np.argmin(self.counts))]

    policy = Least(3, sigma=0.5, confidence=NAME)
    run = simulate.run(
        policy,
        problems.Problem([0.1, 0.2, 0.9], sigma=0.5),
        budget=5000,
        rng=np.random.default_rng(0),
        noise="bernoulli",
    )
    assert run.certified
    assert run.correct


def test_unbounded_rewards_are_refused():
    problem = problems.Problem([0.1, 0.9], sigma=0.5)
    for noise, sigma in [("normal", 0.5), ("student-t", 0.5), ("bernoulli", 0.4)]:
        with pytest.raises(ValueError, match="range of width 2 sigma"):
            simulate.run(
                RoundRobin(2, sigma=sigma, confidence=NAME),
                problem,
                budget=10,
                rng=np.random.default_rng(0),
                noise=noise,
            )
    with pytest.raises(ValueError, match="depends on the rewards"):
        maxgap.confidence.radius(NAME, 3, delta=0.1, n_arms=2)


@pytest.fixture
def saved(tmp_path):
    policy = MaxGapUCB(3, sigma=0.5, confidence=NAME, nested=True)
    rng = np.random.default_rng(2)
    policy.tell([0, 0], [0.0, 1.0])
    policy.save(tmp_path / "early.json")  # two arms have no sample
    assert maxgap.load(tmp_path / "early.json").report().equals(policy.report())
    for _ in range(30):
        arms = policy.ask()
        policy.tell(arms, rng.random(len(arms)))
    policy.save(tmp_path / "policy.json")
    return policy, tmp_path / "policy.json"


def test_a_file_goes_on_as_if_never_stopped(saved):
    policy, path = saved
    again = maxgap.load(path)
    for one in (policy, again):
        rng = np.random.default_rng(4)
        for _ in range(50):
            arms = one.ask()
            one.tell(arms, rng.random(len(arms)))
    assert again.report().equals(policy.report())


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("squares", -1.0),
        ("squares", 1e9),
        ("bets", 0.0),
        ("cost", -0.1),
        ("cost", 50.0),
        ("center", 7.0),
        ("lowest", 0.999),
        ("highest", 3.0),
        ("highest", True),
    ],
)
def test_forged_sums_are_refused(saved, name, value):
    _, path = saved
    document = json.loads(path.read_text(encoding="utf-8"))
    document["policy"][name][0] = value
    document["sha256"] = digest(document["policy"])
    path.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(ValueError, match="is not a saved policy"):
        maxgap.load(path)


def test_the_others_keep_no_sums(saved):
    plain = RoundRobin(3)
    plain.tell([0, 1, 2], [0.0, 1.0, 2.0])
    _, path = saved
    plain.save(path)
    assert "squares" not in json.loads(path.read_text(encoding="utf-8"))["policy"]
