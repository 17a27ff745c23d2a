"""The table of stopping rules: complete, and what everything else reads."""

import copy

import numpy as np
import pytest
from states import decided, inside
from strategies import state_of, two_sided

import maxgap
from maxgap import stopping
from maxgap.engine.compiled import compiled
from maxgap.engine.state import begin
from maxgap.policies.base import rule_of

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


@compiled
def answered(state, rule):
    rule.answer(state)


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
        state, lines, its_rule, share = inside(policy)
        assert type(its_rule) is rule
        assert its_rule.proved == row.proved
        again = rule.of(row.proved, lines, share)
        if hasattr(again, "leaders"):
            again.leaders["rounds"] = -1  # the arms that moved have been overwritten
        if rule in (stopping.Contrasts, stopping.Either):
            state.intervals.seen["last_look"] = 0
        searching = bool(getattr(lines, "searching", [1])[0])  # until then nothing may stop
        expected = bool(asked(state, again)) and searching
        assert policy.stopped == expected
        assert state.progress[0]["stopped"] == expected * (2 if row.proved else 1)
        held += expected
    assert (held == 0) == (rule is stopping.Never)


def test_contrasts_are_asked_when_they_are_due():
    policy = maxgap.RoundRobin(3, sigma=0.1, stopping="contrasts")
    policy.tell([0, 1, 2] * 9, [0.0, 0.1, 5.0] * 9)
    assert policy.certified
    for rule in (stopping.Contrasts, stopping.Either):
        state, lines, _, share = inside(policy)
        rule = rule.of(True, lines, share)
        state.intervals.seen["last_look"] = 27  # it has just been asked
        alone = copy.deepcopy(state)
        alone.arms["lower"], alone.arms["upper"] = -9.0, 9.0  # nothing else holds
        begin(alone, lines, stopping.Never.of(False, lines, 0.05))
        assert not asked(alone, rule)
        alone.intervals.seen["last_look"] = 26
        assert asked(alone, rule)
        assert alone.intervals.seen["last_look"] == 27
        assert not asked(alone, rule)


def test_the_rules_that_look_at_contrasts_answer_as_the_half_that_holds():
    policy = maxgap.RoundRobin(3, stopping="either")
    policy.tell([0, 1, 2], [0.0, 1.0, 5.0])
    state, lines, _, share = inside(policy)
    rule = stopping.Either.of(True, lines, share)
    # The widest gap of means is the upper one, the certain one that of the intervals is the lower.
    state.arms["lower"], state.arms["upper"] = [-0.1, 4.0, 4.1], [0.1, 5.0, 5.1]
    begin(state, lines, stopping.Never.of(False, lines, 0.05))
    for by_contrasts, top in ((True, [False, False, True]), (False, [False, True, True])):
        state.intervals.seen["by_contrasts"] = by_contrasts
        answered(state, rule)
        assert state.arms["top"].tolist() == top


def test_a_name_that_the_policy_does_not_have_is_refused():
    with pytest.raises(ValueError, match="stopping must be one of"):
        rule_of(maxgap.Policy.rules, "paper")
    for odd in ("", "cluster", 0, ["clusters"], np.array(["clusters", "paper"])):
        with pytest.raises(ValueError, match="stopping"):
            maxgap.MaxGapUCB(3, stopping=odd)


def test_the_documentation_shows_the_whole_table():
    for row in stopping.TABLE:
        if row.rule is not stopping.Never:
            assert f":class:`{row.rule.__name__}`" in stopping.__doc__
