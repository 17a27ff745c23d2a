"""The compiled certificate of contrasts: as the plain lines say, and by hand."""

import math

import numpy as np
import pytest
from contrast_rewards import constant, drawn, smallest
from scipy import stats
from states import packed

from maxgap.contrasts import certificate, plain
from maxgap.contrasts import look as core

# -- compiled as the plain lines -------------------------------------------------------------------


def certifies(rewards, delta, sigmas):
    look = core.new_look(len(rewards), delta)
    return certificate.what_is_open(look, packed(rewards, sigmas)) == certificate.NONE


MANY_TOO = pytest.mark.parametrize("many", [False, True], ids=["few", "as of many"])


def as_of_many(monkeypatch):
    """Distances count however few arms there are, and are cheap; contrasts are dear."""
    few = plain.thresholds

    def thresholds(n_arms, delta):
        order, c_1, c_2, _, _ = few(n_arms, delta)
        return order, 5 * c_1, 6 * c_2, 2.0, 1.0

    monkeypatch.setattr(plain, "thresholds", thresholds)


@MANY_TOO
def test_the_compiled_certificate_is_that_of_the_plain_lines(many, monkeypatch):
    if many:
        as_of_many(monkeypatch)
    rng = np.random.default_rng(1)
    kinds, by_distance = [0, 0, 0, 0], 0
    for _ in range(250):
        rewards, delta, sigmas = drawn(rng)
        bottom, top = plain.largest_empirical_gap(rewards)
        look, told = core.new_look(len(rewards), delta), packed(rewards, sigmas)
        look.needed[:] = plain.thresholds(len(rewards), delta)
        kind = certificate.what_is_open(look, told)
        kinds[kind] += 1
        assert (kind == certificate.NONE) == plain.certifies(rewards, bottom, top, delta, sigmas)
        assert many or (kind == certificate.NONE) == certifies(rewards, delta, sigmas)
        assert look.order[look.now[0]["split"] :].tolist() == top
        look = core.new_look(len(rewards), delta)
        look.needed[:3], look.needed[3:] = plain.thresholds(len(rewards), delta)[:3], np.inf
        by_distance += certificate.what_is_open(look, told) != kind
    assert min(kinds[:3]) > 0
    assert many or kinds[3] > 0
    assert (by_distance > 3) == many


@MANY_TOO
def test_every_gap_is_rejected_as_the_plain_lines_reject_it(many, monkeypatch):
    if many:
        as_of_many(monkeypatch)
    rng = np.random.default_rng(2)
    seen = {True: 0, False: 0}
    by_chain = 0
    for _ in range(60):
        rewards, delta, sigmas = drawn(rng)
        told_all = packed(rewards, sigmas)
        look = core.new_look(len(rewards), delta)
        look.needed[:] = plain.thresholds(len(rewards), delta)
        if certificate.what_is_open(look, told_all) == certificate.ORDER:
            continue
        above = plain.certain_orders(rewards, delta, sigmas)
        split = look.now[0]["split"]
        sides = look.order[:split].tolist(), look.order[split:].tolist()
        i, j = sides[1][0], sides[0][-1]
        for number, side in enumerate(sides):
            for c in look.needed[1:3]:
                core.take_pair(look, told_all, i, j, c)
                for low in side:
                    for high in side:
                        if low == high:
                            continue
                        shown = plain.Shown(rewards, sigmas, above)
                        answer = not certificate.is_open(
                            look, told_all, number, (low, high), np.inf
                        )
                        needed = c, *look.needed[3:]
                        assert answer == plain.rejects(shown, side, (j, i), (low, high), needed)
                        seen[answer] += 1
                        direct = plain.evidence(rewards, i, j, low, high, sigmas)
                        by_chain += answer and direct < c - 2 * math.log(plain.NEAREST)
    assert min(seen.values()) > 50
    assert by_chain > 20


def test_sets_of_more_arms_than_a_word_has_bits():
    # 62 arms fill a word. The order of the labels is not that of the means.
    rng = np.random.default_rng(3)
    for n_arms in (61, 62, 63, 125):
        means = rng.permutation(np.append(0.1 * np.arange(n_arms - 5), 40 + 0.1 * np.arange(5)))
        rewards = [[m + 0.01, m - 0.01] * 4 for m in means]
        sigmas = np.full(n_arms, 0.05)
        assert certifies(rewards, 0.1, sigmas)
        look = core.new_look(n_arms, 0.1)
        told = packed(rewards, sigmas)
        arms = told.arms
        core.look_again(look, told)
        for a in range(0, n_arms, 7):
            for b in range(n_arms):
                expected = core.order_evidence(arms, a, b) >= look.needed[0]
                assert core.has(look.below, a, b) == expected
                assert core.has(look.above, b, a) == expected
                both = look.order.tolist().index(a), look.order.tolist().index(b)
                if a != b and min(both) >= look.now[0]["split"]:
                    assert not core.has(look.sides, core.BOTTOM, a)


# -- numbers by hand -------------------------------------------------------------------------------


def total_for(value, n, variance):
    """The sum of n steps with this evidence, found by bisection of the formula as printed."""
    low, high = 0.0, 1e6
    for _ in range(200):
        total = (low + high) / 2
        z = total / math.sqrt(variance * (n + 12.0))
        reached = math.log(2) + 0.5 * math.log(12 / (n + 12)) + z * z / 2 + stats.norm.logcdf(z)
        low, high = (low, total) if reached >= value else (total, high)
    return high


def test_a_single_gap_is_rejected_from_the_sum_by_hand():
    # Arms at 0, s and far above at d. The claim: d alone on top. The hypothesis: 0 and s are at
    # least as far apart as s and d. The arm at s has two places. Needed, at delta 0.1: an evidence
    # of log(1/0.06) for the second gap and log(2/0.03) for the others, and twice log(0.9) more.
    n = 40
    sigmas = [0.3, 0.5, 0.9]
    variance = 0.81 + 2 * 0.25 + 0.09  # d once, s twice, 0 once
    c_1 = math.log(1 / 0.06) - 2 * math.log(0.9)
    total = total_for(c_1, n, variance)
    # (d - s) - (s - 0), of n steps; twice n rewards of s.
    s = 3.0
    grid = 2 * s + total / n * np.linspace(0.99, 1.01, 21)

    def holds(d):
        return certifies(constant([n, 2 * n, n], 0.0, s, d), 0.1, sigmas)

    # Line 3 asks that one of 0-s and s-0 be rejected at c_2: the second is, by the order.
    assert smallest(holds, grid) == pytest.approx(2 * s + total / n, rel=2e-3)
    d = 2 * s + 1.02 * total / n
    assert holds(d)
    # With a reward less of the arm in two places there is a step less.
    fewer = constant([n, 2 * n - 1, n], 0.0, s, d)
    assert plain.evidence(fewer, 2, 1, 0, 1, sigmas) == pytest.approx(
        plain.evidence(constant(n - 1, 0.0, s, d)[:1] + fewer[1:], 2, 1, 0, 1, sigmas)
    )


def test_the_larger_evidence_is_needed_where_two_gaps_stay_open():
    # Four arms, the largest gap on top; 0, s and 2 s below. The gaps 0-s and s-2s are compatible:
    # one of them has to be rejected at log(2 / (0.3 delta)). That is what decides, once all are
    # rejected at c_1: both gaps are alike but for the arm in two places.
    delta, n, sigma, s = 0.1, 60, 0.5, 4.0
    sigmas = [sigma] * 4
    weights = -2 * math.log(0.9)
    needs = [math.log(1 / 0.06) + weights, math.log(2 / 0.03) + weights]
    totals = [total_for(c, n, 4 * sigma**2) for c in needs]

    def kind(total):
        rewards = constant([n, n, 2 * n, n], 0.0, s, 2 * s, 3 * s + total / n)
        look = core.new_look(4, delta)
        found = certificate.what_is_open(look, packed(rewards, sigmas))
        bottom, top = plain.largest_empirical_gap(rewards)
        assert plain.certifies(rewards, bottom, top, delta, sigmas) == (found == certificate.NONE)
        return found

    assert totals[1] > 1.1 * totals[0]
    assert kind(0.99 * totals[0]) == certificate.GAP
    assert kind(1.01 * totals[0]) == certificate.PAIR_OF_GAPS
    assert kind(0.99 * totals[1]) == certificate.PAIR_OF_GAPS
    assert kind(1.01 * totals[1]) == certificate.NONE


def test_an_arm_further_away_needs_more_evidence():
    # Arm a lies at most one place below L: the link from a to U weighs 0.1 / H there, 0.9 at U.
    weight_low, weight_high = (math.log(plain.weight(h, 4)) for h in (1, 0))
    look = core.new_look(4, 0.1)
    core.look_again(look, packed(constant(50, 0.0, 0.001, 5.0, 40.0), [0.5] * 4))
    look.now["c"] = 3.0
    assert core.link_needs(look, core.BOTTOM, (1, 2), 0, 2) == pytest.approx(
        3.0 - weight_low - weight_high
    )
    assert core.link_needs(look, core.BOTTOM, (1, 2), 1, 2) == pytest.approx(3.0 - 2 * weight_high)


# -- distances -------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_arms", [47, 48])
def test_of_many_arms_gaps_between_neighbours_come_first(n_arms):
    # The second gap is nearly as wide as the first. Of few arms the gap with the least evidence is
    # found, between arms further apart that are across it, too.
    values = [0.1 * arm + 4.5 * (arm > 22) for arm in range(n_arms - 1)]
    look = core.new_look(n_arms, 0.1)
    told = packed(constant(20, *values, values[-1] + 4.8), [2.0] * n_arms)
    assert certificate.what_is_open(look, told) == certificate.GAP
    assert (look.now[["low", "high"]].tolist() == [(22, 23)]) == (n_arms == 48)
