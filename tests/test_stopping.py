"""Stopping rules: the table that everything reads, what is proved of them, how often they err."""

import itertools

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from scipy import stats
from strategies import drawn_intervals

import maxgap
from maxgap import (
    MaxGapElim,
    MaxGapTop2UCB,
    MaxGapUCB,
    Policy,
    Problem,
    RoundRobin,
    SortThenSearch,
    problems,
    reference,
    simulate,
    stopping,
)
from maxgap.confidence import RADII, guarantees, radius
from maxgap.policies.max_gap_top2_ucb import max_gap_top2_ucb, second_below, third_below
from maxgap.reference import Estimates

RULES = [getattr(stopping, name) for name in stopping.__all__ if name not in ("TABLE", "Row")]
NAMES = ["clusters", "contrasts", "either", "paper", "literal", None]


@pytest.mark.parametrize("policy", sorted({row.policy for row in stopping.TABLE}))
def test_every_policy_has_every_name_once(policy):
    names = [row.stopping for row in stopping.TABLE if row.policy == policy]
    not_the_papers = policy in ("Policy", "MaxGapContrasts")
    expected = ["clusters", "contrasts", "either", None] if not_the_papers else NAMES
    assert sorted(map(str, names)) == sorted(map(str, expected))


def test_what_is_proved():
    proved = {row.rule for row in stopping.TABLE if row.proved}
    assert proved == {
        stopping.Clusters,
        stopping.Contrasts,
        stopping.Either,
        stopping.ThirdBelow,
        stopping.TwoActiveAroundCertainGap,
    }
    # A rule is proved for all who have it, or for none.
    assert proved.isdisjoint(row.rule for row in stopping.TABLE if not row.proved)


def test_every_rule_is_in_the_table():
    assert {row.rule for row in stopping.TABLE} == set(RULES)


def test_every_rule_says_whether_it_is_proved_and_why():
    for rule in RULES:
        text = rule.__doc__.lower()
        assert "proved" in text or "nothing to prove" in text, rule
        proved = any(row.proved for row in stopping.TABLE if row.rule is rule)
        assert ("not proved" in text or "nothing to prove" in text) == (not proved), rule


def test_the_documentation_shows_the_whole_table():
    for row in stopping.TABLE:
        if row.rule is not stopping.Never:
            assert f":class:`{row.rule.__name__}`" in stopping.__doc__


# -- what the book proves of rules, on intervals made to break it ----------------------------------

NEVER_OF_NOTHING = {"of_nothing": np.inf}


def largest_splits(means):
    """Every split at a largest gap between neighbouring means: sets of the arms above."""
    order = np.argsort(means, kind="stable")
    gaps = np.diff(np.asarray(means)[order])
    return [set(order[k + 1 :].tolist()) for k in np.flatnonzero(gaps == gaps.max())]


def eliminate(means, rounds):
    """MaxGapElim on given nested intervals: shrinks those of active arms, round by round.

    Yields the active arms, the intervals and the lower bound after every elimination.
    """
    lower = np.array([ends[0] for ends in rounds[0]], dtype=float)
    upper = np.array([ends[1] for ends in rounds[0]], dtype=float)
    active = set(range(len(means)))
    for ends in rounds:
        for arm in active:
            lower[arm] = max(lower[arm], ends[arm][0])
            upper[arm] = min(upper[arm], ends[arm][1])
        certain = reference.gap_lower_bound((lower + upper) / 2, lower, upper)
        bound = reference.gap_upper_bounds(lower, upper).either
        active = {arm for arm in active if bound[arm] > certain.value}
        yield active, lower.copy(), upper.copy(), certain


@st.composite
def nested_runs(draw):
    """True means on a grid, and for some rounds intervals around them, of width 1 at least."""
    n_arms = draw(st.integers(3, 6))
    groups = draw(st.lists(st.integers(0, 12), min_size=n_arms, max_size=n_arms))
    means = [3 * group for group in groups]
    rounds = []
    for reach in draw(st.sampled_from([(6, 3, 1), (9, 4, 2, 1), (3, 2, 1, 1), (1, 1)])):
        ends = []
        for mean in means:
            below, above = draw(st.integers(0, reach)), draw(st.integers(0, reach))
            # The intersection keeps a positive width, whatever the rounds: mean + 0.5 is in it.
            ends.append((mean - below, mean + max(above, 0.5)))
        rounds.append(ends)
    return means, rounds


@settings(max_examples=400)
@given(nested_runs())
def test_two_arms_left_by_nested_intervals_are_the_two_sides_of_a_largest_gap(run):
    means, rounds = run
    for active, lower, upper, certain in eliminate(means, rounds):
        assert len(active) >= 2  # the ends of the certain gap are never dropped
        if len(active) > 2:
            continue
        ranked = np.argsort(-(lower + upper), kind="stable")
        top = set(ranked[: certain.split_rank].tolist())
        assert certain.value > 0
        assert len(active & top) == 1
        assert top in largest_splits(means)
        # The answer of the paper: the largest gap between estimates, wherever they are inside.
        for share in (0.25, 0.75):
            assert top in largest_splits(lower + share * (upper - lower))
        event("two arms were left")
        return


@pytest.mark.parametrize("nested", [False, True])
def test_four_arms_with_valid_intervals_are_answered_wrongly_unless_they_are_nested(nested):
    """Two rounds; units of a quarter of the first radius. The largest gap is 1 to 2."""
    unit = float(radius("hoeffding", 1, delta=0.1, n_arms=4)) / 4
    means = unit * np.array([0, 4, 30.6, 52.2])
    first, second = unit * np.array([-3.9, 0.2, 34.4, 52.2]), unit * np.array([0, 7, 27.6])
    policy = MaxGapElim(4, delta=0.1, confidence="hoeffding", stopping="literal", nested=nested)
    policy.tell([0, 1, 2, 3], first)
    assert policy.ask() == [0, 1, 2]
    policy.tell([0, 1, 2], 2 * second - first[:3])
    assert (policy.lower <= means).all()
    assert (means <= policy.upper).all()
    assert policy.active == [1, 2]
    assert policy.stopped
    assert (policy.recommend().top == {2, 3}) == nested


# At this delta some intervals do miss, and nested ones then may end up empty.
@pytest.mark.filterwarnings("ignore:an arm's interval no longer meets:RuntimeWarning")
@pytest.mark.parametrize("nested", [False, True])
def test_elimination_down_to_two_arms_errs_no_more_often_than_delta(nested):
    problem = Problem([0.0, 1.0, 1.3, 2.35], sigma=0.25)
    policies = {
        name: MaxGapElim(4, delta=0.3, sigma=0.25, nested=nested, stopping=name)
        for name in ("literal", "paper")
    }
    stops = simulate.replicate(
        policies, problem, budget=60_000, replicates=300, checkpoints=1, seed=7
    ).stops
    wrong = stops["stopped"] & ~stops["correct"]
    assert stops["stopped"].mean() > 0.9
    assert wrong.sum() <= 0.3 * 600


# -- the third-highest bound -----------------------------------------------------------------------


def estimates_of(means, lower, upper):
    """What a rule looks at, with the given intervals."""
    estimates = Estimates(len(means), draw=list(means).__getitem__, radius=lambda n: 0.0)
    estimates.sample(estimates.arms)
    estimates.lower, estimates.upper = list(lower), list(upper)
    return estimates


def wide_arms(lower, upper, least, points):
    """The arms that have a gap above ``least`` in some placement; tied ones share it."""
    wide = set()
    for placed in itertools.product(*points):
        values = np.unique(placed)
        far = np.flatnonzero(np.diff(values) > least)
        sides = values[np.concatenate((far, far + 1))]
        wide |= set(np.flatnonzero(np.isin(placed, sides)).tolist())
    return wide


@st.composite
def grid_intervals(draw):
    """Intervals on a coarse grid, none a point: ends tie and touch all the time."""
    n_arms = draw(st.integers(2, 5))
    places = st.integers(0, 5) | st.integers(8, 14)
    lower = draw(st.lists(places, min_size=n_arms, max_size=n_arms))
    widths = draw(st.lists(st.sampled_from([1, 1, 2, 3]), min_size=n_arms, max_size=n_arms))
    return np.array(lower, float), np.array(lower, float) + widths


@settings(max_examples=600)
@given(grid_intervals())
def test_where_at_most_two_bounds_are_above_the_certain_gap_it_is_a_largest_one(intervals):
    lower, upper = intervals
    middle = (lower + upper) / 2
    certain = reference.gap_lower_bound(middle, lower, upper)
    # Gaps are widest with means at ends, their own or others'; halves stand for the rest.
    ends = np.unique(np.concatenate((lower, upper)))
    points = [
        [x for x in ends if low <= x <= high] + [(low + high) / 2]
        for low, high in zip(lower, upper, strict=True)
    ]
    few = len(wide_arms(lower, upper, max(certain.value, 0.0), points)) <= 2
    estimates = estimates_of(middle, lower, upper)
    assert third_below(estimates, estimates.arms) == (few and certain.value > 0)
    if not few or len(lower) == 2:
        return
    assert certain.value > 0  # from three arms on nobody needs to ask for it
    event("stopped")
    ranked = np.argsort(-middle, kind="stable")
    top = set(ranked[: certain.split_rank].tolist())
    for placed in itertools.product(*points):
        assert top in largest_splits(placed)
    # Every gap inside a cluster is at most the certain one: the cluster rule, but for equality.
    right, left = reference.gap_upper_bounds(lower, upper)[:2]
    assert max(right[a] if a in top else left[a] for a in estimates.arms) <= certain.value


def test_intervals_of_width_0_are_why_the_theorem_excludes_them():
    # The sides of the certain gap are points and cannot move: neither of the two wide arms is one.
    lower, upper = np.array([0.0, 4.0, 5.1]), np.array([0.0, 4.0, 9.0])
    estimates = estimates_of((lower + upper) / 2, lower, upper)
    assert third_below(estimates, estimates.arms)
    assert estimates.gap_lower().value == 4
    assert [{1, 2}] != largest_splits([0.0, 4.0, 8.5])


class Unfair(Policy):
    """Knows the truth and wants the wrong answer: it samples only what makes it look right."""

    def choose(self):
        low, middle, high = np.argsort(PAIR.means)
        shows = self.means[middle] - self.means[low] > self.means[high] - self.means[middle]
        return [self.arms[low], self.arms[middle]] if shows else list(self.arms)

    def may_stop(self):
        certain = self.gap_lower().value
        return certain > 0 and (self.gap_bounds().either > certain).sum() <= 2


PAIR = Problem([0.0, 1.0, 2.15], sigma=0.3)  # the upper gap is a little wider


# At this delta some intervals do miss, and nested ones then may end up empty.
@pytest.mark.filterwarnings("ignore:an arm's interval no longer meets:RuntimeWarning")
@pytest.mark.parametrize("nested", [False, True])
def test_the_third_highest_bound_errs_no_more_often_than_delta_whoever_samples(nested):
    setting = {"delta": 0.3, "sigma": 0.3, "nested": nested}
    policies = {
        "top2": MaxGapTop2UCB(3, stopping="paper", **setting),
        "robin": RoundRobin(3, stopping="paper", **setting),
    }
    known = {"problem": PAIR, "checkpoints": 1, "seed": 11}
    stops = simulate.replicate(policies, budget=60_000, replicates=300, **known).stops
    assert stops["certified"].mean() > 0.95
    assert (stops["stopped"] & ~stops["correct"]).mean() <= 0.3
    unfair = {"unfair": Unfair(3, stopping=None, **setting)}
    stops = simulate.replicate(unfair, budget=400, replicates=200, **known).stops
    assert (stops["stopped"] & ~stops["correct"]).mean() <= 0.3


# -- Algorithm 3, the maximum over no arm being infinite -------------------------------------------


def stops_uncertified(lower, upper):
    """Whether Algorithm 3's rule holds for an arm outside, and whether the cluster rule does not.

    Where the latter does not, some means in the intervals have a gap elsewhere that is as large.
    """
    estimates = estimates_of((lower + upper) / 2, lower.tolist(), upper.tolist())
    stops = second_below(estimates, estimates.arms, **NEVER_OF_NOTHING)
    return stops, stops and not reference.clusters(estimates, estimates.arms)


@pytest.mark.parametrize(
    ("n_arms", "equal", "fails"),
    [(3, False, False), (3, True, False), (4, True, False), (4, False, True)],
)
def test_the_second_highest_bound_fails_from_four_arms_on(n_arms, equal, fails):
    rng = np.random.default_rng(n_arms)
    outcomes = np.array(
        [stops_uncertified(*drawn_intervals(rng, n_arms, equal)) for _ in range(1500)]
    )
    stops, wrong = outcomes.sum(axis=0)
    assert stops > 50
    assert (wrong > 0) == fails


def test_five_arms_stop_wrongly_after_one_sample_each_with_all_intervals_valid():
    rewards, means = np.array([4.0, 9, 13, 35, 42]), np.array([5, 11, 16.5, 31.1, 45.9])
    estimates = Estimates(5, draw=rewards.__getitem__, radius=lambda n: 4 / n)
    rounds = list(max_gap_top2_ucb(estimates, lambda e, a: second_below(e, a, **NEVER_OF_NOTHING)))
    assert rounds == [estimates.arms]
    assert (estimates.lower < means).all()
    assert (means < estimates.upper).all()
    assert largest_splits(means) == [{4}]
    assert reference.empirical_top(estimates) == {3, 4}


# -- a certified answer is wrong no more often than delta ------------------------------------------

DELTA = 0.1
RUNS = 2000
# 2,000 runs at an error of delta exceed this with probability 1e-4.
MOST_WRONG = stats.binom.ppf(1 - 1e-4, RUNS, DELTA)

#: Name -> problem and budget.
INSTANCES = {
    "two arms": (maxgap.Problem([0.0, 0.1], sigma=1.0), 800),
    "ties": (maxgap.Problem([0.0, 0.0, 1.0, 1.0], sigma=1.0), 300),
    "one gap of two parts": (maxgap.Problem([0.0, 1.0, 1.02, 1.97], sigma=1.0), 300),
    "two nearly equal gaps": (maxgap.Problem([0.0, 1.0, 1.98], sigma=0.5), 300),
}
CLUSTERS = [RoundRobin, SortThenSearch, MaxGapElim, MaxGapUCB, MaxGapTop2UCB]


def certifying(n_arms, **settings):
    """Every policy with every rule that can certify."""
    policies = {cls.__name__: cls(n_arms, stopping="clusters", **settings) for cls in CLUSTERS}
    policies["MaxGapElim, its own rule"] = MaxGapElim(n_arms, stopping="paper", **settings)
    return policies


def outcomes(policies, problem, budget, *, runs=RUNS, seed=2019):
    """Share of runs by policy: stopped, certified; how many were certified or stopped wrongly."""
    study = simulate.replicate(
        policies, problem, budget=budget, replicates=runs, checkpoints=1, seed=seed, n_jobs=1
    )
    stops = study.stops
    stops["certified_wrong"] = stops["certified"] & ~stops["correct"]
    stops["stopped_wrong"] = stops["stopped"] & ~stops["correct"]
    return stops.groupby("policy").agg(
        stopped=("stopped", "mean"),
        certified=("certified", "mean"),
        certified_wrong=("certified_wrong", "sum"),
        stopped_wrong=("stopped_wrong", "sum"),
        least=("samples", "min"),
        most=("samples", "max"),
    )


def third_of_the_mixture(n, *, delta, n_arms, sigma):
    return np.asarray(radius("normal-mixture", n, delta=delta, n_arms=n_arms, sigma=sigma)) / 3


@pytest.mark.parametrize("instance", INSTANCES)
@pytest.mark.parametrize("name", [name for name in RADII if guarantees(name)])
def test_a_certified_answer_is_wrong_no_more_often_than_delta(instance, name):
    problem, budget = INSTANCES[instance]
    policies = certifying(problem.n_arms, sigma=problem.sigma, delta=DELTA, confidence=name)
    table = outcomes(policies, problem, budget)
    assert (table["certified_wrong"] <= MOST_WRONG).all(), table
    assert (table["stopped"] == table["certified"]).all()


def test_the_papers_radius_certifies_no_more_errors_than_delta_where_it_is_proved():
    sigma = np.sqrt(0.5)
    for means, budget in (([0.0, 0.1], 400), ([0.0, 0.0, 1.0, 1.0], 300)):
        problem = maxgap.Problem(means, sigma)
        settings = {"sigma": sigma, "delta": DELTA, "confidence": "paper"}
        table = outcomes(certifying(len(means), **settings), problem, budget)
        assert (table["certified_wrong"] <= MOST_WRONG).all(), table
        settings["sigma"] = 1.0  # not proved there: it may stop, but certifies nothing
        assert not outcomes(certifying(len(means), **settings), problem, budget, runs=50)[
            "certified"
        ].any()


def test_policies_do_certify_where_runs_are_long_enough():
    problem = maxgap.Problem([0.0, 0.0, 1.0, 1.0], sigma=0.3)
    table = outcomes(certifying(4, sigma=0.3, delta=DELTA), problem, 2000, runs=200)
    sampled_evenly = ["RoundRobin", "MaxGapElim", "MaxGapUCB", "MaxGapTop2UCB"]
    assert (table.loc[sampled_evenly, "certified"] > 0.9).all(), table
    assert table["certified_wrong"].sum() <= 20
    # With ties no arm of the four is ever out of the question: its own rule has to wait for two.
    assert table.loc["MaxGapElim, its own rule", "stopped"] == 0


@pytest.mark.parametrize("instance", ["two arms", "two nearly equal gaps"])
def test_with_radii_three_times_too_narrow_the_same_runs_are_wrong_more_often_than_delta(instance):
    problem, budget = INSTANCES[instance]
    policies = certifying(
        problem.n_arms, sigma=problem.sigma, delta=DELTA, confidence=third_of_the_mixture
    )
    table = outcomes(policies, problem, 3 * budget)
    assert (table["stopped_wrong"] > 1.1 * DELTA * RUNS).all(), table
    assert not table["certified"].any()  # nothing is proved of a function


# -- the rules as printed --------------------------------------------------------------------------


def near(count, share):
    """Whether a count of RUNS is what this share gives, up to a chance of 1e-6."""
    return stats.binomtest(int(count), RUNS, share).pvalue > 1e-6


def test_elim_as_printed_stops_two_arms_after_one_sample_each_and_is_wrong_in_half_of_the_runs():
    problem = maxgap.Problem([0.0, 0.1], sigma=1.0)
    policy = MaxGapElim(2, sigma=1.0, delta=DELTA, stopping="literal")
    row = outcomes({"printed": policy}, problem, 100).loc["printed"]
    assert (row["stopped"], row["least"], row["most"]) == (1, 2, 2)
    # The difference of two rewards has mean 0.1 and standard deviation sqrt(2): 47% wrong.
    assert near(row["stopped_wrong"], stats.norm.cdf(-0.1 / np.sqrt(2)))
    assert row["certified"] == 0


def test_top2_as_printed_stops_after_one_sample_each_and_is_mostly_wrong():
    problem = problems.two_large_gaps(sigma=1.0)
    policy = MaxGapTop2UCB(24, sigma=1.0, delta=DELTA, stopping="literal")
    row = outcomes({"printed": policy}, problem, 1000).loc["printed"]
    assert (row["stopped"], row["least"], row["most"]) == (1, 24, 24)
    # What one sample of each arm tells, computed without a policy.
    rng = np.random.default_rng(3)
    noisy = problem.means + rng.standard_normal((20_000, 24))
    ranked = np.argsort(noisy, axis=1)
    largest = np.diff(np.take_along_axis(noisy, ranked, axis=1), axis=1).argmax(axis=1)
    top = [frozenset(order[k + 1 :].tolist()) for order, k in zip(ranked, largest, strict=True)]
    share = np.mean([answer != problem.top for answer in top])
    assert share > 0.9
    assert abs(row["stopped_wrong"] / RUNS - share) < 0.02
    assert row["certified"] == 0


def test_ucb_as_printed_with_a_small_c_stops_four_arms_after_one_sample_each():
    problem = maxgap.Problem([0.0, 0.1, 1.0, 1.1], sigma=1.0)
    policies = {
        f"c = {c}": MaxGapUCB(4, sigma=1.0, delta=DELTA, stopping="literal", c=c)
        for c in (1.0, 1.01)
    }
    table = outcomes(policies, problem, 400)
    # Two arms have c = 2 / (K - 2) times the samples of the other two.
    assert table.loc["c = 1.0", ["stopped", "least", "most"]].tolist() == [1, 4, 4]
    assert table.loc["c = 1.0", "stopped_wrong"] > 0.5 * RUNS
    assert table.loc["c = 1.01", "least"] > 4
    assert not table["certified"].any()


def test_with_the_added_condition_the_printed_rules_do_not_stop_at_once():
    problem = maxgap.Problem([0.0, 0.1, 1.0, 1.1], sigma=1.0)
    settings = {"sigma": 1.0, "delta": DELTA, "stopping": "paper"}
    policies = {
        "elim": MaxGapElim(4, **settings),
        "ucb": MaxGapUCB(4, c=1.0, **settings),
        "top2": MaxGapTop2UCB(4, **settings),
    }
    table = outcomes(policies, problem, 300)
    assert (table["stopped_wrong"] < 0.01 * RUNS).all(), table
