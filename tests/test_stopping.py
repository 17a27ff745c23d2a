"""The table of stopping rules: complete, and what everything else reads."""

import numba
import numpy as np
import pytest
from states import decided, state_and_setting
from strategies import state_of, two_sided

import maxgap
from maxgap import stopping

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
        stopping.clusters,
        stopping.contrasts,
        stopping.either,
        stopping.third_below,
        stopping.two_active_around_certain_gap,
    }
    # Unless it is said, nothing is.
    assert not stopping.Row("MaxGapUCB", "new", stopping.third_below).proved


def test_every_rule_says_whether_it_is_proved_and_why():
    for rule in stopping.RULES:
        text = rule.__doc__.lower()
        assert "proved" in text or "nothing to prove" in text, rule
        proved = any(row.proved for row in stopping.TABLE if row.rule is rule)
        assert ("not proved" in text or "nothing to prove" in text) == (not proved), rule


@pytest.mark.parametrize(
    "number", [n for n, rule in enumerate(stopping.RULES) if rule is not stopping.contrasts]
)
def test_the_dispatch_leads_to_the_rule_of_its_number(number):
    row = next(row for row in stopping.TABLE if row.rule is stopping.RULES[number])
    name = "RoundRobin" if row.policy == "Policy" else row.policy
    cls = getattr(maxgap, name)
    rule, held = row.rule, 0
    # Compiled code alone may ask a rule.
    asked = numba.njit(lambda state, setting: rule(state, setting))
    for seed in range(60):
        estimate, counts = state_of(seed, (two_sided,))
        policy = decided(cls, estimate, counts=counts, stopping=None)
        state, setting = state_and_setting(policy, like=cls(len(counts), stopping=row.stopping))
        assert setting.rule == number
        last_look = state.progress["last_look"].copy()
        expected = asked(state, setting)
        state.progress["last_look"] = last_look
        assert stopping.rule_holds(state, setting) == expected
        held += expected
    assert (held == 0) == (row.rule is stopping.never)


def test_contrasts_are_asked_outside_the_dispatch_when_they_are_due():
    policy = maxgap.RoundRobin(3, sigma=0.1, stopping="contrasts")
    policy.tell([0, 1, 2] * 9, [0.0, 0.1, 5.0] * 9)
    assert policy.certified
    state, setting = state_and_setting(policy, like=policy)
    assert not stopping.rule_holds(state, setting)
    assert not stopping.contrasts_due(state, setting)  # it has just been asked
    assert not stopping.contrasts(state, setting)
    state.progress["last_look"] = 26
    assert stopping.contrasts_due(state, setting)
    assert stopping.contrasts(state, setting)
    state.progress["last_look"] = 0
    other = maxgap.RoundRobin(3, stopping="clusters")
    assert not stopping.contrasts_due(*state_and_setting(policy, like=other))


def test_a_name_that_the_policy_does_not_have_is_refused():
    with pytest.raises(ValueError, match="stopping must be one of"):
        stopping.row_of("Policy", "paper")
    for odd in ("", "cluster", 0, ["clusters"], np.array(["clusters", "paper"])):
        with pytest.raises(ValueError, match="stopping"):
            maxgap.MaxGapUCB(3, stopping=odd)


def test_the_documentation_shows_the_whole_table():
    for row in stopping.TABLE:
        if row.rule is not stopping.never:
            assert f":func:`{row.rule.__name__}`" in stopping.__doc__
