"""Rules that any policy may stop by: they stop it where they hold, and nowhere else."""

import warnings

import numpy as np
import pytest
import twins
from states import decided, inside
from strategies import state_of, two_sided

import maxgap
from maxgap import MaxGapElim, MaxGapTop2UCB, MaxGapUCB, RoundRobin, stopping
from maxgap.engine.compiled import compiled
from maxgap.policies.base import rule_of

RULES = [getattr(stopping, name) for name in stopping.__all__ if name not in ("TABLE", "Row")]


@compiled
def asked(state, rule):
    """Compiled code alone may ask a rule."""
    return rule.holds(state)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_a_policy_stops_where_the_rule_of_its_name_holds(rule):
    for row in stopping.TABLE:
        if row.rule is rule and row.policy != "Policy":
            break
    cls, held = getattr(maxgap, row.policy), 0
    for seed in range(60):
        estimate, counts = state_of(seed, (two_sided,))
        policy = decided(cls, estimate, counts=counts, stopping=row.stopping)
        state, lines, its_rule, _ = inside(policy)
        assert type(its_rule) is rule
        assert its_rule.proved == row.proved
        again = rule.of(row.proved, lines)
        if hasattr(lines, "leaders"):
            lines.leaders["rounds"] = -1  # the arms that moved have been overwritten
        if rule in (stopping.Contrasts, stopping.Either):
            state.intervals.seen["last_look"] = 0
        searching = bool(getattr(lines, "searching", [1])[0])  # until then nothing may stop
        expected = bool(asked(state, again)) and searching
        assert policy.stopped == expected
        assert state.progress[0]["stopped"] == expected * (2 if row.proved else 1)
        held += expected
    assert (held == 0) == (rule is stopping.Never)


def test_a_name_that_the_policy_does_not_have_is_refused():
    with pytest.raises(ValueError, match="stopping must be one of"):
        rule_of(maxgap.Policy.rules, "paper")
    for odd in ("", "cluster", 0, ["clusters"], np.array(["clusters", "paper"])):
        with pytest.raises(ValueError, match="stopping"):
            maxgap.MaxGapUCB(3, stopping=odd)


# -- decisions -------------------------------------------------------------------------------------


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
