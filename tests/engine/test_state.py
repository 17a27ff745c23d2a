"""Sums of rewards and intervals from them: exactly, in runs, in files, and how often they miss."""

import copy
import json
import math
import statistics
from fractions import Fraction

import numpy as np
import pytest
import ville
from hypothesis import event, given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.stats import binom
from states import digest

import maxgap
from maxgap import (
    MaxGapTop2UCB,
    MaxGapUCB,
    RoundRobin,
    problems,
    simulate,
)
from maxgap.confidence import bernstein_lines
from maxgap.engine.compiled import compiled
from maxgap.engine.state import ARM, SUMS, FromSums, observe
from maxgap.statistics import wilson_interval

BETS = 0.6 * 0.8 ** np.arange(40)
SHARES = np.arange(1, 41) ** -1.1 / np.sum(np.arange(1, 41) ** -1.1)


def two_valued_tree(rng, mean, depth):
    """Every path of rewards in [0, 1], two values given the past with this mean, and its chance."""
    paths, chances = np.empty((1, 0)), np.ones(1)
    for _ in range(depth):
        down, up = rng.beta(0.4, 0.4, (2, chances.size))
        low, high = mean - mean * down, mean + (1 - mean) * up
        rise = (mean - low) / (high - low)
        paths = np.vstack([np.column_stack([paths, end]) for end in (low, high)])
        chances = np.concatenate([chances * (1 - rise), chances * rise])
    return paths, chances


@compiled
def add_all(arms, intervals, rewards, mean):
    """Whether an interval ever lies below the mean, and whether one ever lies above."""
    below, above = False, False
    for k in range(rewards.size):
        observe(arms, 0, rewards[k])
        intervals.take(arms, 0, rewards[k])
        intervals.renew(arms, 0)
        below |= arms[0]["upper"] < mean
        above |= arms[0]["lower"] > mean
    return below, above


def play(rewards, mean, lines):
    """What add_all says of the package's own sums, and these."""
    arms, sums = np.zeros(1, ARM), np.zeros(1, SUMS)
    arms["sigma"] = 0.5
    missed = add_all(arms, FromSums(sums, lines, False), rewards, mean)
    return missed, arms[0]["count"] * (arms[0]["mean"] - mean), 0.25 + sums[0]["squares"]


@pytest.mark.parametrize("mean", [0.03, 0.2, 0.3, 0.5, 0.9])
def test_the_expected_capital_never_exceeds_one(mean):
    """Exactly, over all paths, for either side: this is all that the proof needs.

    The expectation is linear in the distribution of a reward given the past, and distributions on
    two points span those of the same mean: a counterexample would be among such trees.
    """
    rng = np.random.default_rng(8)
    psi = -np.log(1 - BETS) - BETS
    for depth in (1, 2, 7, 7, 7, 7):
        paths, chances = two_valued_tree(rng, mean, depth)
        lines = bernstein_lines(1.0)
        won, squares = np.array([play(path, mean, lines)[1:] for path in paths]).T
        for side in (1, -1):
            capital = np.exp(np.outer(side * won, BETS) - np.outer(squares, psi))
            assert 0.5 < chances @ capital @ SHARES <= 1 + 1e-12
            # Nearly 1 for every bet, if the first square is not a quarter but what it is.
            spared = 0.25 - (paths[:, :1] - 0.5) ** 2
            alone = chances @ (capital * np.exp(spared * psi))
            assert (alone <= 1 + 1e-12).all()
            assert alone[-1] > 0.999


@pytest.mark.parametrize("mean", [0.03, 0.3, 0.5, 0.9])
@pytest.mark.parametrize("alpha", [0.5, 0.9])
def test_either_side_ever_misses_with_at_most_its_probability(mean, alpha):
    """Exactly, over all paths of ten rewards; values of 0 and 1 miss most."""
    lines = bernstein_lines(math.log(1 / alpha))
    ends = np.array(np.meshgrid(*[[0.0, 1.0]] * 10)).reshape(10, -1).T
    coins = ends, np.prod(np.where(ends == 1, mean, 1 - mean), axis=1)
    for paths, chances in [coins, two_valued_tree(np.random.default_rng(9), mean, 10)]:
        missed = chances @ np.array([play(path, mean, lines)[0] for path in paths])
        assert (missed <= alpha).all()


@pytest.mark.parametrize("mean", [0.5, 0.2, 0.05, 0.01])
def test_intervals_hold_at_all_times_with_probability_one_minus_delta(mean):
    """At a delta where a wrong proof would show, after each of 4,000 tosses."""
    delta, runs = 0.3, 2000
    lines = bernstein_lines(math.log(2 / delta))
    rng = np.random.default_rng(5)
    coins = ((rng.random(4000) < mean).astype(float) for _ in range(runs))
    missed = sum(any(play(tosses, mean, lines)[0]) for tosses in coins)
    # Of valid intervals one set in a million would miss as often.
    assert missed <= binom.isf(1e-6, runs, delta)
    assert missed > 0, "nothing is tested"


# -- rounding --------------------------------------------------------------------------------------


def test_a_million_float32_rewards_far_from_zero_have_the_right_mean():
    # Summed in float32 the mean would be off by 0.1 and more.
    rewards = (1000 + np.random.default_rng(7).uniform(0, 0.1, 1_000_000)).astype(np.float32)
    policy = RoundRobin(2)
    for part in np.split(rewards, 10):
        policy.tell(np.zeros(part.size, np.int64), part)
    exact = math.fsum(rewards.tolist()) / rewards.size
    assert policy.counts.tolist() == [1_000_000, 0]
    assert policy.means[0] == pytest.approx(exact, abs=1e-9)
    # The uniform numbers themselves have a standard error of 3e-5.
    assert policy.means[0] == pytest.approx(1000.05, abs=1e-4)


def test_evenly_spread_float32_rewards_have_the_mean_to_a_millionth():
    rewards = (1000 + np.linspace(0, 0.1, 1_000_000)).astype(np.float32)
    policy = RoundRobin(2)
    policy.tell(np.zeros(rewards.size, np.int64), rewards)
    assert abs(policy.means[0] - 1000.05) < 1e-6


@pytest.mark.parametrize("offset", [1e9, -1e9, 1e15])
def test_a_mean_keeps_what_lies_behind_a_large_offset(offset):
    noise = np.random.default_rng(3).integers(-4, 5, 10_000).astype(float)
    policy = RoundRobin(2)
    policy.tell([0] * 10_000, offset + noise)
    exact = float(sum(Fraction(x) for x in (offset + noise).tolist()) / 10_000)
    # A running mean is rounded 10,000 times: a walk of some 100 steps of half a last bit.
    assert policy.means[0] == pytest.approx(exact, rel=300 * 2**-53, abs=0)


def test_the_largest_rewards_allowed_do_not_overflow():
    policy = MaxGapTop2UCB(2)
    policy.tell([0, 1, 0, 1], [1e300, -1e300, -1e300, 1e300])
    assert np.isfinite(policy.means).all()
    assert np.isfinite(policy.report()[["right_gap_bound", "left_gap_bound"]]).all(axis=None)


# -- intervals that look at the rewards ------------------------------------------------------------

NAME = "empirical-bernstein"


def plain_boundary(squares, log_inverse):
    """How far a sum goes where the averaged capital of 40 bets is exp(log_inverse): the root."""
    bets = [0.6 * 0.8**k for k in range(40)]
    shares = [(k + 1) ** -1.1 for k in range(40)]

    def log_capital(total):
        exponents = [
            math.log(share / sum(shares)) + bet * total - (-math.log(1 - bet) - bet) * squares
            for bet, share in zip(bets, shares, strict=True)
        ]
        highest = max(exponents)
        return highest + math.log(sum(math.exp(x - highest) for x in exponents))

    most = 1000 * (1 + log_inverse) + squares
    return brentq(lambda total: log_capital(total) - log_inverse, 0, most, rtol=1e-14)


def plain_ends(rewards, *, width, log_inverse):
    """The interval of one arm, written down from the theorem, and one that is 1% wider."""
    squares = 0.25  # the first is foretold by the unknown middle of the range
    for i in range(1, len(rewards)):
        squares += ((rewards[i] - statistics.fmean(rewards[:i])) / width) ** 2
    mean = statistics.fmean(rewards)
    reach = width * plain_boundary(squares, log_inverse) / len(rewards)
    low, high = max(rewards) - width, min(rewards) + width
    return [
        (max(low, mean - wider * reach), min(high, mean + wider * reach)) for wider in (1, 1.01)
    ]


@pytest.mark.parametrize(
    ("n_arms", "delta"), [(1, 0.9), (2, 0.3), (30, 0.05), (1000, 1e-9), (10, 1e-300)]
)
def test_the_lines_lie_above_the_boundary_and_close_to_it(n_arms, delta):
    log_inverse = math.log(2 * n_arms / delta)
    lines = bernstein_lines(log_inverse)
    assert (lines > 0).all()
    near, far = np.geomspace(0.25, 1e6, 150), np.geomspace(1e6, 1e15, 40)
    for squares in np.concatenate([[0.0, 0.1], near, far]):
        ratio = (lines[0] + lines[1] * squares).min() / plain_boundary(squares, log_inverse)
        assert ratio >= 1, squares
        assert ratio < 1.01 or squares not in near, squares


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.floats(0, 1), min_size=1, max_size=60),
    st.integers(1, 20),
    st.floats(-50, 50),
    st.sampled_from([0.5, 4.0]),
    st.floats(0.01, 0.5),
)
def test_an_interval_is_that_of_the_theorem(unit, times, start, width, delta):
    rewards = [start + width * x for x in unit] * times
    policy = RoundRobin(2, sigma=width / 2, delta=delta, confidence=NAME, stopping=None)
    policy.tell([0] * len(rewards), rewards)
    exact, wider = plain_ends(rewards, width=width, log_inverse=math.log(2 * 2 / delta))
    assert wider[0] - 1e-9 <= policy.lower[0] <= exact[0] + 1e-9
    assert exact[1] - 1e-9 <= policy.upper[0] <= wider[1] + 1e-9


def in_any_order(draw, rewards):
    """These rewards as they are, sorted, reversed or shuffled."""
    how = draw(st.sampled_from(["as they are", "sorted", "reversed", "shuffled"]))
    if how == "shuffled":
        return draw(st.permutations(rewards))
    return rewards if how == "as they are" else sorted(rewards, reverse=how == "reversed")


@st.composite
def stacks(draw):
    """Sigmas and rewards of a few arms, each in a range of its own; ties are common."""
    sigmas, rewards = [], []
    for _ in range(draw(st.integers(2, 5))):
        sigmas.append(draw(st.sampled_from([1e-3, 0.5, 2.0, 300.0])))
        unit = st.one_of(st.sampled_from([0.0, 0.5, 1.0]), st.floats(0, 1))
        start = draw(st.floats(-100, 100))
        of_arm = draw(st.lists(unit, min_size=1, max_size=25)) * draw(st.integers(1, 15))
        rewards.append(in_any_order(draw, [start + 1.99 * sigmas[-1] * x for x in of_arm]))
    return sigmas, rewards


@settings(max_examples=150, deadline=None)
@given(stacks(), st.floats(0.01, 0.9))
def test_an_interval_holds_its_mean_whatever_the_order(dealt, delta):
    sigmas, rewards = dealt
    policy = RoundRobin(len(sigmas), sigma=sigmas, delta=delta, confidence=NAME, stopping=None)
    while any(rewards):
        some = [arm for arm, left in enumerate(rewards) if left]
        policy.tell(some, [rewards[arm].pop(0) for arm in some])
        known = policy.counts > 0
        assert (policy.lower <= policy.means)[known].all()
        assert (policy.means <= policy.upper)[known].all()


def half_width(rewards):
    """Of the first of two arms, where the range is wide enough to cut nothing off."""
    policy = RoundRobin(2, sigma=0.5, delta=0.05, confidence=NAME, stopping=None)
    policy.tell([0] * len(rewards), rewards)
    mean = policy.means[0]
    assert policy.upper[0] - mean == pytest.approx(mean - policy.lower[0], rel=1e-9)
    return policy.upper[0] - mean


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("spread", [1.0, 0.2])
def test_the_order_of_the_rewards_hardly_moves_the_width(seed, spread):
    rng = np.random.default_rng(seed)
    rewards = spread * rng.beta(0.5, 0.8, 2000)
    n, lines = rewards.size, bernstein_lines(math.log(2 * 2 / 0.05))
    # Around the last mean the squares are least; foretelling adds at most 1/2 + 1/3 + ... + 1/n.
    least = 0.25 + n * rewards.var()
    low, high = ((lines[0] + lines[1] * v).min() / n for v in (least, least + math.log(n)))
    ascending = np.sort(rewards)
    for order in (rewards, ascending, ascending[::-1], np.r_[ascending[::2], ascending[1::2]]):
        assert low - 1e-12 <= half_width(order) <= high + 1e-12
    assert high < 1.3 * low


@st.composite
def tables(draw):
    """Labels and rewards in [0, 1] of a few arms: close or apart, in any order, with ties."""
    labels, rewards = [], []
    for arm in range(draw(st.integers(2, 5))):
        level = draw(st.sampled_from([0.0, 0.1, 0.3, 0.8, 0.85]))
        unit = st.lists(st.sampled_from([0.0, 0.05, 0.1, 0.15]), min_size=1, max_size=8)
        of_arm = [level + x for x in draw(unit)] * draw(st.integers(1, 150))
        labels += [arm] * len(of_arm)
        rewards += in_any_order(draw, of_arm)
    if draw(st.booleans()):  # arms mixed, each in its own order
        turn = np.random.default_rng(draw(st.integers(0, 99))).permutation(len(labels))
        labels, rewards = (np.array(column)[turn].tolist() for column in (labels, rewards))
    return labels, rewards


@settings(max_examples=150, deadline=None)
@given(tables())
def test_a_certified_gap_is_one_between_the_means(table):
    labels, rewards = table
    found = maxgap.split(
        arm=labels, reward=rewards, bounds=(0, 1), confidence=NAME, stopping="clusters"
    )
    means = found.arms.set_index("arm")["mean"]
    between = means[list(found.top)].min() - means[list(found.bottom)].max()
    assert found.gap == pytest.approx(between, abs=1e-12)
    assert found.gap >= found.certain_gap
    event(f"certified: {found.certified}")
    if found.certified:
        assert found.certain_gap > 0
        # No gap between neighbours is wider.
        assert found.gap == pytest.approx(np.diff(np.sort(means)).max(), abs=1e-12)


@pytest.mark.parametrize("share", [0.5, 0.2, 0.05])
def test_with_thousands_of_rewards_they_are_narrower_than_those_of_another_package(share):
    """Waudby-Smith and Ramdas (2024), Theorem 2, which also has to know where the range lies."""
    coins = (np.random.default_rng(3).random(30_000) < share).astype(float)
    theirs = ville.EmpiricalBernsteinCS((0, 1), 0.1 / 2, intersect=False).fit(coins)
    ratios = []
    for n in (300, 3000, 30_000):
        policy = RoundRobin(2, sigma=0.5, delta=0.1, confidence=NAME, stopping=None)
        policy.tell([0] * n, coins[:n])
        ends = max(policy.lower[0], 0), min(policy.upper[0], 1)
        assert ends[0] < theirs.upper_[n - 1], "one of the two has missed"
        assert theirs.lower_[n - 1] < ends[1], "one of the two has missed"
        ratios.append((ends[1] - ends[0]) / (theirs.upper_[n - 1] - theirs.lower_[n - 1]))
    assert max(ratios) < 1.2
    assert ratios[-1] < 0.85


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


def missed_by(policy, deal, means, rounds):
    """Whether an interval has missed, if rewards are dealt arm by arm by ``deal(arm, past)``."""
    stacks = [[] for _ in means]
    for _ in range(rounds):
        for arm in policy.ask():
            stacks[arm].append(deal(arm, stacks[arm]))
            policy.tell(arm, stacks[arm][-1])
    return bool(((policy.lower > means) | (policy.upper < means)).any())


# Intervals cross where one has missed, which is what is counted.
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
        ("squares", 0.0),
        ("squares", 1e9),
        ("squares", None),
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
