"""Policies: decisions against plain twins, ask/tell against compiled runs, input from the field."""

import subprocess
import sys
import warnings
from collections import Counter

import numpy as np
import pytest
import twins
from hypothesis import given, settings
from hypothesis import strategies as st
from states import assert_order_holds, decided
from strategies import SEEDS, clustered, evenly_spaced, scattered, state_of, two_sided

import maxgap
from maxgap import MaxGapElim, MaxGapTop2UCB, MaxGapUCB, RoundRobin, SortThenSearch

CLASSES = [RoundRobin, SortThenSearch, MaxGapElim, MaxGapUCB, MaxGapTop2UCB]
RULES = ["clusters", "paper", "literal", None]


def plain_twin(cls, estimate, counts, **settings):
    """The plain policy in the same state, after it has decided."""
    plain = twins.Plain(cls.__name__, len(counts), **settings)
    plain.mean, plain.lower, plain.upper = (np.array(x) for x in estimate)
    plain.counts = np.array(counts)
    plain.decide()
    return plain


# -- decisions ---------------------------------------------------------------------------------

SHAPES = (clustered, clustered, two_sided, evenly_spaced, scattered)
SEPARATED = (two_sided, two_sided, two_sided, clustered)
ELIM_PAPER = (MaxGapElim, "paper")
# The paper has no rule for round robin; "paper" is the published scripts'.
NEVER_STOPS = {(RoundRobin, "literal")}


def assert_twins_agree(cls, seed, shapes, **settings):
    """Put both into the state of this seed and compare what they decide; whether they stop."""
    estimate, counts = state_of(seed, shapes)
    policy = decided(cls, estimate, counts=counts, **settings)
    plain = plain_twin(cls, estimate, counts, **settings)
    assert policy.ask() == plain.next
    assert (policy.stopped, policy.certified) == (plain.stopped, plain.proved)
    split = policy.recommend()
    assert split.top == plain.answer()
    assert split.bottom == set(range(len(counts))) - split.top
    assert split.gap == estimate[0][list(split.top)].min() - estimate[0][list(split.bottom)].max()
    if cls is MaxGapElim and not policy.stopped:
        assert policy.active == sorted(plain.active)
    return plain.stopped


def test_a_few_states_of_every_policy_under_every_rule():
    # The next test in small and all at once, so that what is badly broken fails soon.
    for seed in range(25):
        for cls in CLASSES:
            for rule in RULES:
                assert_twins_agree(cls, seed, (two_sided, clustered), stopping=rule)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("cls", CLASSES)
def test_every_decision_is_that_of_the_plain_twin(cls, rule):
    outcomes = []
    # Most shapes would never get sorting beyond its first phase, nor elimination down to two arms.
    shapes = SEPARATED if cls is SortThenSearch or (cls, rule) == ELIM_PAPER else SHAPES

    @settings(max_examples=300)
    @given(SEEDS, st.sampled_from([0.5, 1.0, 5.0]))
    def check(seed, c):
        extra = {"c": c} if cls is MaxGapUCB else {}
        outcomes.append(assert_twins_agree(cls, seed, shapes, stopping=rule, **extra))

    check()
    if rule is None or (cls, rule) in NEVER_STOPS:
        assert not any(outcomes)
    else:
        # A rule that hardly ever fires, or hardly ever refuses, is not tested by these examples.
        assert 0.2 < np.mean(outcomes) < 0.8


@pytest.mark.parametrize("cls", CLASSES)
def test_the_examples_reach_many_arms_ties_and_both_phases(cls):
    seen = Counter()

    @settings(max_examples=400)
    @given(SEEDS)
    def look(seed):
        estimate, counts = state_of(seed)
        policy = decided(cls, estimate, counts=counts, stopping=None)
        either = policy.gap_bounds().either
        seen["12 arms and more"] += len(counts) >= 12
        seen["a certain gap"] += policy.gap_lower().value > 0
        seen["tied bounds"] += (either == either.max()).sum() > 2
        seen["some but not all asked"] += 2 < len(policy.ask()) < len(counts)
        seen["equal lower ends"] += len(set(estimate[1])) < len(counts)
        seen["nothing touches"] += not twins.touching(*estimate[1:])

    look()
    for what, times in seen.items():
        assert times > 20, what


@pytest.mark.parametrize("rule", ["literal", "paper"])
@pytest.mark.parametrize("most", range(4))
def test_arms_told_unequally_often_in_the_first_batch_lead_by_their_own_samples(most, rule):
    # An arm with more samples than all others counts once: 2 of 5 are not c times the other 3.
    told = [arm for arm in range(4) for _ in range(2 if arm == most else 1)]
    policy = MaxGapUCB(4, sigma=0.01, stopping=rule, c=1.6)
    policy.tell(told, [5.0 * (arm > 1) for arm in told])
    plain = twins.dominant_pair(policy.counts, 1.6)
    assert policy.stopped == plain == False  # noqa: E712
    policy = MaxGapUCB(4, sigma=0.01, stopping=rule, c=1.5)
    policy.tell(told, [5.0 * (arm > 1) for arm in told])
    assert policy.stopped == twins.dominant_pair(policy.counts, 1.5) == True  # noqa: E712


@settings(max_examples=200)
@given(SEEDS)
def test_the_two_arms_that_lead_are_known_after_any_batches(seed):
    rng = np.random.default_rng(seed)
    n_arms, c = int(rng.integers(2, 9)), float(rng.choice([0.5, 1.0, 2.0]))
    policy, counts = MaxGapUCB(n_arms, stopping="literal", c=c), np.zeros(n_arms, int)
    weights = rng.dirichlet(np.full(n_arms, rng.choice([0.1, 1.0])))
    for _ in range(12):
        told = rng.choice(n_arms, rng.integers(1, 2 * n_arms), p=weights)
        if rng.random() < 0.5:
            told = np.append(told, np.arange(n_arms))
        policy.tell(told, rng.normal(size=told.size))
        counts += np.bincount(told, minlength=n_arms)
        if counts.all():
            assert policy.stopped == twins.dominant_pair(counts, c)
        if policy.stopped:
            break


def test_intervals_that_reach_over_others_certify_nothing_for_those_above():
    # Arm 0 may lie anywhere from 0 to 10: the gap from 0.6 to 12 is not certain, only 10 to 12 is,
    # and a gap of up to 9.4 may lie below it.
    estimate = np.array([5.0, 0.55, 12.25]), np.array([0.0, 0.5, 12.0]), np.array([10.0, 0.6, 12.5])
    for cls in (RoundRobin, MaxGapElim, MaxGapUCB, MaxGapTop2UCB):
        policy = decided(cls, estimate, stopping="clusters")
        assert not policy.stopped
        assert not policy.certified
    assert twins.certain_gap(*estimate) == (2.0, {2})


def test_the_bottom_cluster_counts_with_its_own_reach():
    # The lowest arms may be 0 and 9.9: a left gap of 9.9 beside a certain gap of 2 below the top.
    estimate = np.array([0.5, 5.0, 12.0]), np.array([0.0, 0.9, 12.0]), np.array([1.0, 10.0, 12.0])
    assert not decided(RoundRobin, estimate, stopping="clusters").stopped
    # Where that arm reaches 1.5 only, no gap below can be as large as the certain one.
    estimate = np.array([0.5, 1.0, 12.0]), np.array([0.0, 0.9, 12.0]), np.array([1.0, 1.5, 12.0])
    assert decided(RoundRobin, estimate, stopping="clusters").certified


def test_the_lowest_slot_of_a_cluster_opens_at_its_highest_arm():
    # The arms below may be 4 and 1.5, a gap of 2.5, beside a certain one of 3.5.
    estimate = np.array([2.0, 1.75, 7.5]), np.array([0.0, 1.5, 7.5]), np.array([4.0, 2.0, 7.6])
    assert decided(RoundRobin, estimate, stopping="clusters").certified
    assert twins.clusters_rule(*estimate)


def test_nested_intervals_that_meet_in_a_point_have_not_crossed():
    policy = RoundRobin(2, confidence=lambda n, **_: np.ones_like(n), nested=True, stopping=None)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        policy.tell([0, 1, 0], [0.0, 0.0, 4.0])  # -1 to 1, then 1 to 3
    assert (policy.lower[0], policy.upper[0]) == (1, 1)
    with pytest.warns(RuntimeWarning, match="no longer meets"):
        policy.tell(0, 5.0)
    assert (policy.lower[0], policy.upper[0]) == (1, 1)


@pytest.mark.parametrize("n_arms", [9, 10, 12, 20])
@pytest.mark.parametrize("half", [0.0, 0.25, 0.5])
def test_of_many_evenly_spaced_arms_all_are_asked(n_arms, half):
    means = np.arange(n_arms)[::-1].astype(float)
    for cls in (MaxGapUCB, MaxGapTop2UCB):
        policy = decided(cls, (means, means - half, means + half), stopping=None)
        # At half a step the outermost arms share no slot that is as wide as those in the middle.
        assert policy.ask() == twins.asks_ucb(np.maximum(*policy.gap_bounds()[:2])) or (
            cls is MaxGapTop2UCB
        )
        assert len(policy.ask()) >= n_arms - 2


@settings(max_examples=300)
@given(st.integers(2, 20), SEEDS, st.sampled_from(CLASSES))
def test_the_order_of_the_arms_survives_any_batches_of_rewards(n_arms, seed, cls):
    rng = np.random.default_rng(seed)
    policy = cls(n_arms, sigma=0.1, stopping=None)
    policy.tell(range(n_arms), rng.integers(0, 9, n_arms))
    for _ in range(12):
        # Few arms far apart, many, or all; jumps that carry an arm over all others, and ties.
        told = rng.permutation(n_arms)[: rng.integers(1, n_arms + 1)]
        policy.tell(told, rng.integers(-40, 40, told.size) * rng.choice([0.0, 0.25, 1.0, 30.0]))
        assert_order_holds(policy)
        either = np.maximum(*twins.gap_bounds(policy.lower, policy.upper))
        if cls is MaxGapUCB:
            assert policy.ask() == twins.asks_ucb(either)
        elif cls is MaxGapTop2UCB:
            assert policy.ask() == twins.asks_top2(either)


def test_top2_as_printed_can_stop_on_the_wrong_gap_and_as_its_authors_ran_it_waits():
    # The certain gap is 0.99; means 0, 1, 2.6 lie in the intervals and put the largest gap above.
    estimate = np.array([0.0, 1.75, 1.8]), np.array([-0.01, 1.0, 1.05]), np.array([0.01, 2.5, 2.6])
    policy = decided(MaxGapTop2UCB, estimate, stopping="literal")
    assert policy.stopped
    assert not policy.certified
    assert policy.recommend().top == {1, 2}
    assert not decided(MaxGapTop2UCB, estimate, stopping="paper").stopped
    assert not decided(MaxGapTop2UCB, estimate, stopping="clusters").stopped


# -- ask/tell against compiled runs -----------------------------------------------------------


def loop(policy, problem, budget, rng):
    """Ask, draw, tell in Python, with rewards drawn one by one."""
    samples = 0
    while not policy.stopped and samples < budget:
        arms = policy.ask()[: budget - samples]
        rewards = [problem.means[a] + problem.sigmas[a] * rng.standard_normal() for a in arms]
        policy.tell(arms, rewards)
        samples += len(arms)
    return policy


@pytest.mark.parametrize("nested", [False, True])
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("cls", CLASSES)
def test_ask_tell_and_the_compiled_run_agree_sample_for_sample(cls, rule, nested):
    problem = maxgap.Problem([0.9, 0.0, 0.1, 0.55, 1.0, 0.05], [0.1, 0.2, 0.1, 0.1, 0.3, 0.1])
    for radius in maxgap.confidence.RADII:
        settings = {
            "sigma": problem.sigmas,
            "stopping": rule,
            "nested": nested,
            "confidence": radius,
        }
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # "authors-lil" intervals do cross
            told = loop(cls(6, **settings), problem, 700, np.random.default_rng(5))
            run = maxgap.simulate.run(
                cls(6, **settings), problem, budget=700, rng=np.random.default_rng(5)
            )
        np.testing.assert_array_equal(told.counts, run.counts)
        assert (told.stopped, told.certified) == (run.stopped, run.certified)
        assert told.recommend() == run.split


def test_ask_tell_and_the_compiled_run_agree_without_compilation():
    code = (
        "import numpy as np, maxgap, test_policies as t\n"
        "problem = maxgap.Problem([0.9, 0.0, 0.1, 0.55, 1.0], 0.2)\n"
        "for cls in t.CLASSES:\n"
        "    for rule in t.RULES:\n"
        "        rng = np.random.default_rng(5)\n"
        "        told = t.loop(cls(5, sigma=0.2, stopping=rule), problem, 200, rng)\n"
        "        top = sorted(told.recommend().top)\n"
        "        print(cls.__name__, rule, told.counts.tolist(), told.stopped, top)\n"
    )
    outputs = []
    for disabled in ("0", "1"):
        done = subprocess.run(
            [sys.executable, "-c", code],
            env={**__import__("os").environ, "NUMBA_DISABLE_JIT": disabled, "PYTHONPATH": "tests"},
            capture_output=True,
            text=True,
            check=True,
        )
        outputs.append(done.stdout)
    assert outputs[0] == outputs[1]
    assert outputs[0].count("\n") == 20
