"""Forecasts and what they are simulated from: by hand, and held to what really happens."""

import copy
import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from rating_tables import STARS
from strategies import SEEDS

import maxgap
from maxgap import MaxGapContrasts, MaxGapTop2UCB, simulate
from maxgap.ratings import planning
from maxgap.ratings.planning import Forecast, World, forecast
from maxgap.ratings.question import Question

ONE = np.zeros(3, dtype=np.int64)


def test_the_world_is_as_by_hand():
    """Means 1, 4, 3; squares around them 0, 2, 2 on 4 degrees of freedom: 1 on average."""
    arms, rewards = [*"aabbccc"], [1, 1, 3, 5, 2, 4, 3]
    inside = maxgap.split(arm=arms, reward=rewards, bounds=(1, 5))._world
    assert inside.means.tolist() == [1, 4, 3]
    assert inside.variances == pytest.approx([0, 3 / 2, 1])  # nothing varies at a bound
    assert inside.errors**2 == pytest.approx([1 / 4, 3 / 4, 1 / 3])
    free = maxgap.split(arm=arms, reward=rewards, sigma=9)._world
    assert free.variances == pytest.approx([1 / 2, 3 / 2, 1])
    assert free.errors**2 == pytest.approx([1 / 4, 3 / 4, 1 / 3])
    once = maxgap.split(arm=[*"ab"], reward=[1, 2], sigma=3)._world
    assert once.variances.tolist() == [9, 9]  # nothing is known but sigma


@pytest.mark.parametrize("bounds", [None, (1.0, 5.0)])
def test_rewards_have_the_means_and_variances_of_the_world(bounds):
    means, variances = np.array([2.0, 4.5, 3.0]), np.array([1.0, 0.5, 0.0])
    rng = np.random.default_rng(0)
    arms = np.repeat(np.arange(3), 200_000)
    drawn = World(means, means, variances, bounds, ONE).draw(rng, means, arms).reshape(3, -1)
    assert drawn.mean(axis=1) == pytest.approx(means, abs=0.012)
    assert drawn.var(axis=1) == pytest.approx(variances, rel=0.03)
    if bounds is not None:
        assert [sorted(set(row)) for row in drawn] == [[1, 2, 5], [1, 4.5, 5], [3]]
        # A mean so near a bound that its rewards cannot vary so much: they vary as they can.
        drawn = World(means, means, variances, bounds, ONE).draw(
            rng, np.array([1.2, 5.0, 1.0]), arms
        )
        low, high, same = drawn.reshape(3, -1)
        assert set(low) == {1, 5}
        assert low.mean() == pytest.approx(1.2, abs=0.01)
        assert set(high) == {5}
        assert set(same) == {1}


def test_means_without_error_stay_and_arms_alone_have_theirs():
    means = np.array([0.1, 0.7, 3.0])
    rng = np.random.default_rng(0)
    assert World(means, np.zeros(3), means, None, ONE).drawn_means(rng).tolist() == means.tolist()
    errors = np.array([0.1, 1.0, 5.0])
    world = World(means, errors, means, None, np.arange(3))
    drawn = np.array([world.drawn_means(rng) for _ in range(20_000)])
    assert drawn.mean(axis=0) == pytest.approx(means, abs=0.15)
    assert drawn.std(axis=0) == pytest.approx(errors, rel=0.03)
    inside = np.array([world._replace(bounds=(0, 3)).drawn_means(rng) for _ in range(100)])
    assert inside.min() == 0
    assert inside.max() == 3


def test_means_of_a_group_are_drawn_as_far_apart_as_they_are():
    """True means of variance 1 and errors of variance 1: half of each distance is error."""
    rng = np.random.default_rng(1)
    group = np.repeat([0, 1], 1000)
    true = np.array([0.0, 50.0])[group] + rng.normal(size=2000)
    estimates = true + rng.normal(size=2000)
    world = World(estimates, np.ones(2000), estimates, None, group)
    drawn = world.drawn_means(rng)
    for k in range(2):
        here = group == k
        slope, _ = np.polyfit(estimates[here], drawn[here], 1)
        assert slope == pytest.approx(0.5, abs=0.1)
        left = drawn[here] - slope * estimates[here]
        assert left.std() == pytest.approx(math.sqrt(0.5), rel=0.1)
        assert drawn[here].mean() == pytest.approx(true[here].mean(), abs=0.2)


def test_means_nearer_to_each_other_than_chance_has_it_are_drawn_together():
    means = np.arange(5_000) % 2 * 0.001
    world = World(means, np.ones(5_000), means, None, np.zeros(5_000, dtype=np.int64))
    assert np.ptp(world.drawn_means(np.random.default_rng(0))) < 1e-3


def test_a_mean_that_is_known_is_not_drawn_elsewhere():
    means, errors = np.array([4.1, 4.4, 4.2, 1.0]), np.array([0.01, 0.01, 2.0, 0.01])
    rng = np.random.default_rng(2)
    world = World(means, errors, means, None, np.array([0, 0, 0, 1]))
    drawn = np.array([world.drawn_means(rng) for _ in range(300)])
    assert np.abs(drawn - means)[:, [0, 1, 3]].max() < 0.06
    assert drawn[:, 2].std() > 0.05


def stops(policy, world, replicates):
    """When each simulation stops, one after the other."""
    ends = []
    for branch in np.random.SeedSequence(0).spawn(replicates):
        rng = np.random.default_rng(branch)
        means, going, taken = world.drawn_means(rng), copy.copy(policy), 0
        while not going.stopped:
            asked = np.array(going.ask())
            arms = np.repeat(asked, np.maximum(1, going.counts[asked] // planning.PART))
            going.tell(arms, world.draw(rng, means, arms))
            taken += arms.size
        ends.append(taken)
    return sorted(ends)


def test_a_forecast_is_the_median_and_what_9_of_10_lie_between(monkeypatch):
    policy = maxgap.MaxGapTop2UCB(3, sigma=1)
    policy.tell([0, 1, 2], [0, 1, 3])
    before = policy.counts.tolist()
    errors = np.full(3, 0.3)
    world = World(np.array([0.0, 1.0, 3.0]), errors, np.ones(3), None, np.array([0, 0, 1]))
    ends = stops(policy, world, 40)
    made = forecast(policy, world, replicates=40)
    assert made == (ends[19], ends[1], ends[37], ends[37])
    assert ends[1] < ends[3] < ends[35] < ends[37]  # or 8 of 10 would be the same
    assert policy.counts.tolist() == before
    # What is given up is more than what was simulated, and that is where it would have gone on.
    monkeypatch.setattr(planning, "WORK", 25_000)
    given_up = forecast(policy, world, replicates=40)
    assert given_up.high == math.inf
    assert given_up.low == ends[1] < given_up.simulated
    assert 0 < given_up.simulated <= ends[37]
    monkeypatch.setattr(planning, "WORK", 10)
    assert forecast(policy, world) == (math.inf, math.inf, math.inf, 0)
    monkeypatch.setattr(planning, "WORK", 10**6)
    monkeypatch.setattr(planning, "MEMORY", 10)
    assert forecast(policy, world).simulated == 0


def test_a_forecast_says_what_is_known():
    inf = math.inf
    assert str(Forecast(1234, 99.0, 56789, 56789)) == "about 1,200 (99 to 57,000)"
    assert str(Forecast(1234, 870, inf, 1999)) == "about 1,200 (870 to more than 1,900)"
    assert str(Forecast(inf, 870, inf, 999)) == "more than 990 (870 at best)"
    assert str(Forecast(inf, inf, inf, 7)) == "more than 7"
    assert str(Forecast(inf, inf, inf, 0)) == "too much to simulate"


@pytest.mark.parametrize("means", [(0.1, 0.2, 0.3), (0.3, 0.1, 0.2, 0.0)], ids=str)
def test_gaps_that_differ_by_rounding_alone_are_equal(means):
    with pytest.raises(ValueError, match="no gap is the largest"):
        maxgap.plan(means, sigma=1)


def test_many_arms_and_groups_take_no_longer():
    """Nothing is simulated that would take minutes: the work is counted, not timed."""
    rng = np.random.default_rng(3)
    found = maxgap.partition(arm=np.arange(300), reward=rng.random(300), groups=300, bounds=(0, 1))
    assert found.more.median == math.inf
    assert 300 < found.more.simulated < 1_000_000
    setting = Question.asked((0, 1), None, 0.05, None, "contrasts")
    policy = setting.policy(1500)
    many = np.zeros(1500, dtype=np.int64)
    world = World(rng.random(1500), np.full(1500, 0.1), np.full(1500, 0.1), (0, 1), many)
    assert forecast(policy, world).simulated == 0  # one look would be too long


def test_forecasts_come_true():
    """From 60 rewards an arm the median is near what it then takes, and the range has it."""
    means = np.array([2.75, 2.9, 3.05, 3.2, 3.25, 3.95, 4.05, 4.15, 4.25, 4.5])
    rng = np.random.default_rng(4)
    arms = np.repeat(np.arange(10), 60)
    ratios, held = [], 0
    for _ in range(15):
        rewards = rng.normal(means[arms], 0.93)
        found = maxgap.split(arm=arms, reward=rewards, sigma=0.93)
        policy, taken = found.policy(), 0
        while not policy.stopped:
            asked = np.array(policy.ask())
            asked = np.repeat(asked, policy.counts[asked] // 20)
            policy.tell(asked, rng.normal(means[asked], 0.93))
            taken += asked.size
        ratios.append(found.more.median / taken)
        held += found.more.low <= taken <= found.more.high
    assert 0.4 < np.median(ratios) < 3  # 8 if errors are added to the estimates once more
    assert held >= 9


@given(SEEDS)
def test_arms_nearest_to_a_split_are_shown(seed):
    rng = np.random.default_rng(seed)
    n_arms = int(rng.integers(21, 60))
    n = int(rng.integers(2, n_arms + 1))
    found = maxgap.partition(arm=np.arange(n_arms), reward=rng.random(n_arms), groups=n, sigma=1)
    group = found.arms["group"].to_numpy()
    borders = [k + 0.5 for k in range(n_arms - 1) if group[k] != group[k + 1]]
    away = [min(abs(k - border) for border in borders) for k in range(n_arms)]
    nearest = sorted(sorted(range(n_arms), key=lambda k: away[k])[:20])
    expected = [str(arm) for arm in found.arms["arm"].iloc[nearest]]
    assert found._shown()["arm"].tolist() == expected


@pytest.mark.parametrize(
    ("rewards", "sigma", "said"),
    [
        ([0, 1, 9], 1.0, "intervals overlap between groups 3 and 2."),
        ([0, 8, 9], 1.0, "intervals overlap between groups 2 and 1."),
    ],
    ids=str,
)
def test_the_groups_that_are_not_certain_are_named(rewards, sigma, said):
    found = maxgap.partition(arm=[*"abc"] * 9, reward=rewards * 9, groups=3, sigma=sigma)
    assert said in str(found)


@pytest.mark.parametrize(
    ("cls", "stopping"), [(MaxGapContrasts, "either"), (MaxGapTop2UCB, "clusters")]
)
def test_a_plan_is_what_runs_take(cls, stopping, monkeypatch):
    monkeypatch.setattr(planning, "forecast", partial(forecast, replicates=60))
    means, sigma = [0.0, 0.2, 1.0, 1.3], 0.5
    how = {"sigma": sigma, "stopping": stopping}
    made = maxgap.plan(means, **how)
    study = simulate.replicate(
        {"adaptive": cls(4, **how), "robin": maxgap.RoundRobin(4, **how)},
        maxgap.Problem(means, sigma=sigma), budget=20_000, replicates=60, seed=1, n_jobs=1,
    )  # fmt: skip
    median = study.stops.groupby("policy")["samples"].median()
    assert made.adaptive.median == pytest.approx(median["adaptive"], rel=0.2)
    assert made.equal.median == pytest.approx(median["robin"], rel=0.2)
    assert made.adaptive.low <= made.adaptive.median <= made.adaptive.high
    assert made == maxgap.plan(means, **how)


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
        ({"bounds": None, "sigma": {0: 1, 1: 1}}, "sigma must be a number"),
    ],
    ids=str,
)
def test_a_plan_refuses_what_it_cannot_use(change, why):
    arguments = {"means": [2, 4], "bounds": (1, 5)} | change
    with pytest.raises(ValueError, match=why):
        maxgap.plan(arguments.pop("means"), **arguments)
