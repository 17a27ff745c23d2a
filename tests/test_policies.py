"""Policies: decisions against slow ones, ask/tell against compiled runs, input from the field."""

import subprocess
import sys
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import estimates, symmetric_estimates

import maxgap
from maxgap import MaxGapElim, MaxGapTop2UCB, MaxGapUCB, RoundRobin, SortThenSearch, reference
from maxgap import policies as core

MANY = settings(max_examples=1500)
CLASSES = [RoundRobin, SortThenSearch, MaxGapElim, MaxGapUCB, MaxGapTop2UCB]
RULES = ["clusters", "paper", "literal", "authors", None]


def decided(cls, estimate, *, counts=None, **settings):
    """A policy put into a state with these means and intervals, after it has decided."""
    means, lower, upper = estimate
    policy = cls(len(means), **settings)
    state = policy._state
    state.arms["count"] = 1 if counts is None else counts
    state.arms["mean"], state.arms["lower"], state.arms["upper"] = means, lower, upper
    state.numbers[core.UNSAMPLED] = 0
    state.numbers[core.TOTAL] = state.arms["count"].sum()
    core.track_leaders(state.arms, len(means), state.numbers)
    core.sort_again(state.arms, state.slots, 0, len(means) - 1)
    core.renew_slots(state.slots, state.trees, 0, len(means) - 1)
    core.decide(*state, *policy._settings()[2:])
    return policy


def second_highest(either):
    """The highest bound outside those with the highest; -inf if there is none."""
    rest = either[either < either.max()]
    return rest.max() if rest.size else -np.inf


def clusters_rule(means, lower, upper):
    """The corrected cluster rule, arm by arm, from the paper's procedure."""
    bound = reference.gap_lower_bound(means, lower, upper)
    if bound.value <= 0:
        return False
    top = np.argsort(-means, kind="stable")[: bound.split_rank]
    bottom = np.setdiff1d(np.arange(len(means)), top)
    gaps = reference.gap_upper_bounds(lower, upper)
    return bool((gaps.right[top] < bound.value).all() and (gaps.left[bottom] < bound.value).all())


# -- decisions ---------------------------------------------------------------------------------


@MANY
@given(estimates(max_arms=8))
def test_ucb_asks_for_the_arms_with_the_highest_bound(estimate):
    either = reference.gap_upper_bounds(*estimate[1:]).either
    policy = decided(MaxGapUCB, estimate, stopping=None)
    assert policy.ask() == np.flatnonzero(either == either.max()).tolist()


@MANY
@given(estimates(max_arms=8))
def test_top2_asks_for_the_arms_with_the_two_highest_bounds(estimate):
    either = reference.gap_upper_bounds(*estimate[1:]).either
    least = (
        min(either.max(), max(second_highest(either), 0.0))
        if (either < either.max()).any()
        else either.max()
    )
    policy = decided(MaxGapTop2UCB, estimate, stopping=None)
    assert policy.ask() == np.flatnonzero(either >= least).tolist()


@MANY
@given(estimates(max_arms=8))
def test_elim_drops_the_arms_whose_bound_is_at_most_the_lower_bound(estimate):
    either = reference.gap_upper_bounds(*estimate[1:]).either
    bound = max(reference.gap_lower_bound(*estimate).value, 0.0)
    active = either > bound if bound > 0 else np.ones(len(either), bool)
    if active.sum() < 2:
        active[:] = True
    policy = decided(MaxGapElim, estimate, stopping=None)
    assert policy.ask() == policy.active == np.flatnonzero(active).tolist()


@MANY
@given(estimates(max_arms=8), st.sampled_from([RoundRobin, MaxGapElim, MaxGapUCB, MaxGapTop2UCB]))
def test_cluster_rule_equals_the_rule_arm_by_arm(estimate, cls):
    means, lower, upper = estimate
    policy = decided(cls, estimate, stopping="clusters")
    assert policy.stopped == policy.certified == clusters_rule(means, lower, upper)
    if policy.stopped:
        rank = reference.gap_lower_bound(means, lower, upper).split_rank
        split = policy.recommend()
        assert split.top == set(np.argsort(-means, kind="stable")[:rank].tolist())
        assert policy.ask() == []


@MANY
@given(symmetric_estimates(max_arms=8))
def test_top2_rules_compare_the_second_bound_with_the_lower_bound(estimate):
    second = second_highest(reference.gap_upper_bounds(*estimate[1:]).either)
    bound = reference.gap_lower_bound(*estimate).value
    assert decided(MaxGapTop2UCB, estimate, stopping="literal").stopped == (
        second < max(bound, 0.0)
    )
    paper = decided(MaxGapTop2UCB, estimate, stopping="paper")
    assert paper.stopped == (second < bound and bound > 0)
    assert not paper.certified


@MANY
@given(estimates(max_arms=6))
def test_elim_paper_rule_needs_two_active_arms_with_the_certain_gap_between_them(estimate):
    means, lower, upper = estimate
    either = reference.gap_upper_bounds(lower, upper).either
    bound = reference.gap_lower_bound(*estimate)
    active = (
        np.flatnonzero(either > max(bound.value, 0.0)) if bound.value > 0 else np.arange(len(means))
    )
    top = set(np.argsort(-means, kind="stable")[: bound.split_rank].tolist())
    holds = bound.value > 0 and len(active) == 2 and len(top & set(active.tolist())) == 1
    policy = decided(MaxGapElim, estimate, stopping="paper")
    assert policy.certified == holds
    assert decided(MaxGapElim, estimate, stopping="literal").stopped == (len(active) <= 2)


@MANY
@given(symmetric_estimates(max_arms=6), st.lists(st.integers(1, 50), min_size=6, max_size=6))
def test_ucb_rules_compare_two_arms_with_the_rest(estimate, counts):
    counts = np.array(counts[: len(estimate[0])])
    pair, rest = np.sort(counts)[-2:].sum(), np.sort(counts)[:-2].sum()
    literal = decided(MaxGapUCB, estimate, counts=counts, stopping="literal")
    assert literal.stopped == (pair >= 5 * rest)
    paper = decided(MaxGapUCB, estimate, counts=counts, stopping="paper")
    assert paper.stopped == (pair >= 5 * rest and reference.gap_lower_bound(*estimate).value > 0)
    assert not literal.certified
    assert not paper.certified


@MANY
@given(estimates(max_arms=8))
def test_sort_first_asks_for_the_arms_that_touch_another(estimate):
    _, lower, upper = estimate
    meets = (lower[:, None] <= upper) & (upper[:, None] >= lower)
    np.fill_diagonal(meets, False)
    policy = decided(SortThenSearch, estimate, stopping=None)
    if meets.any():
        assert policy.ask() == np.flatnonzero(meets.any(axis=1)).tolist()
    else:
        order = np.argsort(estimate[0])
        gap = sorted(policy.ask(), key=estimate[0].__getitem__)
        assert list(order[order.tolist().index(gap[0]) :][:2]) == gap


def test_top2_paper_rule_can_stop_on_the_wrong_gap():
    # The certain gap is 0.99; means 0, 1, 2.6 lie in the intervals and put the largest gap above.
    estimate = np.array([0.0, 1.75, 1.8]), np.array([-0.01, 1.0, 1.05]), np.array([0.01, 2.5, 2.6])
    policy = decided(MaxGapTop2UCB, estimate, stopping="paper")
    assert policy.stopped
    assert not policy.certified
    assert policy.recommend().top == {1, 2}
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
    assert outputs[0].count("\n") == 25
