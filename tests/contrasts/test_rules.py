"""Rules that look back at rewards: asked when they are due, answered by the half that holds."""

import copy

from states import inside

import maxgap
from maxgap import stopping
from maxgap.engine.compiled import compiled
from maxgap.engine.state import begin


@compiled
def answered(state, rule):
    rule.answer(state)


@compiled
def asked(state, rule):
    """Compiled code alone may ask a rule."""
    return rule.holds(state)


def test_contrasts_are_asked_when_they_are_due():
    policy = maxgap.RoundRobin(3, sigma=0.1, stopping="contrasts")
    policy.tell([0, 1, 2] * 9, [0.0, 0.1, 5.0] * 9)
    assert policy.certified
    for rule in (stopping.Contrasts, stopping.Either):
        state, lines, *_ = inside(policy)
        rule = rule.of(True, lines)
        state.intervals.seen["last_look"] = 27  # it has just been asked
        alone = copy.deepcopy(state)
        alone.arms["lower"], alone.arms["upper"] = -9.0, 9.0  # nothing else holds
        begin(alone, lines, stopping.Never.of(False, lines))
        assert not asked(alone, rule)
        alone.intervals.seen["last_look"] = 26
        assert asked(alone, rule)
        assert alone.intervals.seen["last_look"] == 27
        assert not asked(alone, rule)


def test_the_rules_that_look_at_contrasts_answer_as_the_half_that_holds():
    policy = maxgap.RoundRobin(3, stopping="either")
    policy.tell([0, 1, 2], [0.0, 1.0, 5.0])
    state, lines, *_ = inside(policy)
    rule = stopping.Either.of(True, lines)
    # The widest gap of means is the upper one, the certain one that of the intervals is the lower.
    state.arms["lower"], state.arms["upper"] = [-0.1, 4.0, 4.1], [0.1, 5.0, 5.1]
    begin(state, lines, stopping.Never.of(False, lines))
    for by_contrasts, top in ((True, [False, False, True]), (False, [False, True, True])):
        state.intervals.seen["by_contrasts"] = by_contrasts
        answered(state, rule)
        assert state.arms["top"].tolist() == top
