"""What is known of contrasts: as the plain lines say, and by hand."""

import math

import numpy as np
import pytest
from contrast_rewards import constant, drawn, smallest
from scipy import stats
from states import packed

from maxgap.contrasts import aims, certificate, plain
from maxgap.contrasts import look as core
from maxgap.engine.state import ARM


def log_low(look, side, a, low):
    """The log weight of an arm's position below another."""
    return core.log_weight(look, side, look.below, look.above, (a, low))


def log_high(look, side, a, high):
    """The log weight of an arm's position above another."""
    return core.log_weight(look, side, look.above, look.below, (a, high))


def certifies(rewards, delta, sigmas):
    look = core.new_look(len(rewards), delta)
    return certificate.what_is_open(look, packed(rewards, sigmas)) == certificate.NONE


# -- compiled as the plain lines -------------------------------------------------------------------


def test_evidence_positions_and_compatible_gaps_are_those_of_the_plain_lines():
    rng = np.random.default_rng(4)
    further, partners = 0, {True: 0, False: 0}
    for _ in range(60):
        rewards, delta, sigmas = drawn(rng)
        n_arms = len(rewards)
        told = packed(rewards, sigmas)
        for i, j, x, y in rng.integers(0, n_arms, (20, 4)).tolist():
            if len({i, j}) < 2 or len({x, y}) < 2 or y == i or x == j or (x == i and y == j):
                continue
            expected = plain.evidence(rewards, i, j, x, y, sigmas)
            value = core.evidence(*core.contrast(told, i, j, x, y), -np.inf)
            assert value == pytest.approx(expected, rel=1e-9, abs=1e-9) or (
                # Where a sum is 0 but for rounding, either may be none.
                core.contrast(told, i, j, x, y)[1] < 1e-9
            )
        look = core.new_look(n_arms, delta)
        if certificate.what_is_open(look, told) == certificate.ORDER:
            continue
        above = plain.certain_orders(rewards, delta, sigmas)
        sides = (
            look.order[: look.now[0]["split"]].tolist(),
            look.order[look.now[0]["split"] :].tolist(),
        )
        for number, side in enumerate(sides):
            for a in side:
                for other in side:
                    low = plain.n_low(a, other, side, above)
                    high = plain.n_high(a, other, side, above)
                    assert log_low(look, number, a, other) == look.weights[low]
                    assert log_high(look, number, a, other) == look.weights[high]
                    further += (low > 1) + (high > 1)
        gaps = [(low, high) for side in sides for low in side for high in side if low != high]
        chosen = [gaps[k] for k in rng.permutation(len(gaps))[: rng.integers(1, 4)]]
        look.gaps[:] = 0
        for low, high in chosen:
            look.gaps[low, 0] |= 1 << high
        for low, high in chosen:
            expected = any(
                (low in sides[0]) != (other[0] in sides[0])
                or plain.compatible((low, high), other, above)
                for other in chosen
                if other != (low, high)
            )
            assert certificate.has_partner(look, low, high) == expected
            partners[expected] += 1
    assert further > 50
    assert min(partners.values()) > 5


def test_a_look_brought_up_to_date_knows_what_a_new_one_does():
    rng = np.random.default_rng(9)
    for n_arms in (3, 6, 48):
        means = np.cumsum(rng.choice([0.3, 0.9], n_arms)) + 2.0 * (np.arange(n_arms) > n_arms // 2)
        rewards = [rng.normal(m, 0.4, 400).tolist() for m in rng.permutation(means)]
        counts, old = np.full(n_arms, 2), core.new_look(n_arms, 0.3)
        kinds = set()
        for _ in range(150):
            some = rng.integers(0, n_arms, rng.integers(1, 4))
            counts[some] = np.minimum(counts[some] + rng.integers(1, 30, some.size), 400)
            told = packed([r[:n] for r, n in zip(rewards, counts, strict=True)], [0.4] * n_arms)
            new = core.new_look(n_arms, 0.3)
            kind = certificate.what_is_open(new, told)
            assert certificate.what_is_open(old, told) == kind
            assert certificate.what_is_open(old, told) == kind  # nothing has changed
            aims.aim(new, told)
            wanted = told.stacks["aim"].copy()
            aims.aim(old, told)
            assert told.stacks["aim"].tolist() == wanted.tolist()
            for name in ("order", "above", "below", "sides", "gaps"):
                assert (getattr(old, name) == getattr(new, name)).all()
            kinds.add(kind)
        assert len(kinds) > 1


# -- numbers by hand -------------------------------------------------------------------------------


def test_the_evidence_needed_by_hand():
    # K = 6, delta = 0.1: 15 pairs over 0.01; 1 over 0.06; 2 of 3 gaps over 0.03; no distances.
    # K = 50: 1225 pairs over 0.005; 1 over 0.03; 2 of 47 gaps over 0.025; the two largest gaps
    # over 0.03; 48 splits over 0.01.
    for n_arms, expected in (
        (6, [1500, 1 / 0.06, 200, math.inf, math.inf]),
        (50, [245_000, 1 / 0.03, 3760, 2 / 0.03, 4800]),
    ):
        needed = core.new_look(n_arms, 0.1).needed
        np.testing.assert_allclose(needed, np.log(expected), rtol=1e-14)
        np.testing.assert_allclose(plain.thresholds(n_arms, 0.1), np.log(expected), rtol=1e-14)
    # Of three arms or two, no gap is smaller than the second.
    for n_arms in (2, 3, 4):
        assert core.new_look(n_arms, 0.1).needed[2] == pytest.approx(math.log(2 / 0.03))
    # Harmonic number 1 + 1/2 + 1/3 of four arms: 11/6.
    weights = np.exp(core.new_look(4, 0.1).weights)
    np.testing.assert_allclose(weights, [0.9, 0.6 / 11, 0.3 / 11, 0.2 / 11], rtol=1e-14)
    assert [plain.weight(h, 4) for h in range(4)] == pytest.approx(weights.tolist())


@pytest.mark.parametrize("n_arms", [2, 3, 4, 5, 6, 24, 47, 48, 90])
@pytest.mark.parametrize("delta", [0.05, 0.5])
def test_what_the_tests_may_err_in_sum_is_delta(n_arms, delta):
    # An order of every pair once; the two largest gaps for each smaller one, and the second alone;
    # distances across the two largest gaps; the width of every gap but the largest.
    orders, second, others, distances, width = np.exp(-core.new_look(n_arms, delta).needed)
    total = n_arms * (n_arms - 1) / 2 * orders + second + 2 * max(n_arms - 3, 1) * others
    total += 2 * distances + (n_arms - 2) * width
    assert total == pytest.approx(delta, rel=1e-12)
    assert np.exp(core.new_look(n_arms, delta).weights).sum() == pytest.approx(1.0)


def test_an_order_is_certain_from_the_distance_by_hand():
    # Two arms, delta 0.1: d^2 / (2 sigma^2 (1/n + 1/m + 4/n^2 + 4/m^2)) >= log(100)
    # + log((1 + n/4)(1 + m/4)) / 2, with one pair over 0.1 delta.
    n, m, sigma = 12, 4, 0.5
    spread = 1 / 12 + 1 / 4 + 4 / 144 + 4 / 16
    d = math.sqrt(2 * 0.25 * spread * (math.log(100) + 0.5 * math.log(4 * 2)))
    grid = d * np.linspace(0.99, 1.01, 21)
    assert smallest(lambda x: certifies(constant([n, m], x, 0.0), 0.1, [sigma] * 2), grid) == (
        pytest.approx(d, rel=1.1e-3)
    )
    # Unequal scales: each arm has its own.
    spread = 0.09 * (1 / 12 + 4 / 144) + 1.0 * (1 / 4 + 4 / 16)
    d = math.sqrt(2 * spread * (math.log(100) + 0.5 * math.log(4 * 2)))
    grid = d * np.linspace(0.99, 1.01, 21)
    assert smallest(lambda x: certifies(constant([n, m], x, 0.0), 0.1, [0.3, 1.0]), grid) == (
        pytest.approx(d, rel=1.1e-3)
    )


# -- distances -------------------------------------------------------------------------------------


def test_a_distance_counts_from_the_sum_by_hand():
    # Two arms, n of each at least: n width - (sum of y - sum of x), of variance sigma^2 + tau^2.
    rewards, sigmas, width = [[0.5, 0.2, 0.1], [1.0, 1.3]], [0.3, 0.4], 2.0
    total = 2 * width - (2.3 - 0.7)
    z = total / math.sqrt(0.25 * 14)
    expected = math.log(2) + 0.5 * math.log(12 / 14) + z * z / 2 + stats.norm.logcdf(z)
    value = core.evidence(*core.distance(packed(rewards, sigmas), 0, 1, width), -np.inf)
    assert value == pytest.approx(expected)
    assert plain.distance_evidence(rewards, 0, 1, width, sigmas) == pytest.approx(expected)
    assert plain.distance_evidence(rewards, 0, 1, 0.0, sigmas) == -math.inf
    assert plain.distance_evidence([[], [1.0]], 0, 1, width, sigmas) == -math.inf


def test_the_least_gap_by_hand():
    # Means 3 and 1 of 500 and 2000 rewards: 1/n + 1000/n^2 is 0.006 and 0.00075.
    sigmas = [0.5, 2.0]
    spread = 0.25 * 0.006 + 4.0 * 0.00075
    level = math.log(4800) + 0.5 * math.log(1.5 * 3.0)
    expected = 2.0 - math.sqrt(2 * spread * level)
    arms = np.zeros(2, ARM)
    arms["sigma"], arms["mean"], arms["count"] = sigmas, [3.0, 1.0], [500, 2000]
    look = core.new_look(50, 0.1)
    assert core.least_gap(look, arms, 0, 1) == pytest.approx(expected)
    needed = plain.thresholds(50, 0.1)[4]
    assert plain.least_gap([3.0] * 500, [1.0] * 2000, needed, *sigmas) == pytest.approx(expected)
    # Of few arms nothing is known.
    assert core.least_gap(core.new_look(47, 0.1), arms, 0, 1) == -math.inf
    assert plain.least_gap([3.0], [1.0], math.inf, *sigmas) == -math.inf
    assert plain.least_gap([], [1.0], 1.0, *sigmas) == -math.inf


def wrong_by_distance(share, runs, c_width=5.0):
    """Of three arms whose gaps tie, how often the lower is certified by the distance of the upper.

    As if the two lower arms had been sampled without end, and the upper one is looked at after
    every step. Contrasts cannot tell: too much evidence is asked of them.
    """
    look = core.new_look(3, 0.5)
    look.needed[:] = math.log(3 / 0.05), 80.0, 80.0, math.log(1 / share), c_width
    rng, sigma, steps, wrong = np.random.default_rng(8), 0.1, 600, 0
    arms = np.zeros(3, ARM)
    arms["sigma"] = sigma
    for _ in range(runs):
        rewards = [rng.normal(m, sigma, 2 * steps) for m in (0.0, 1.0, 2.0)]
        _, stacks, sums = packed(rewards, [sigma] * 3)
        arms["count"], arms["mean"] = 10**8, [0.0, 1.0, 0.0]
        means = np.cumsum(rewards[2][:steps]) / np.arange(1, steps + 1)
        for n in np.unique(np.geomspace(2, steps, 60).astype(int)):
            if means[n - 1] > 2.0:  # the split is the other; there is no end of rewards to look at
                continue
            arms[2]["count"], arms[2]["mean"] = n, means[n - 1]
            look.seen[:] = 0  # the rewards are others at every run
            if certificate.what_is_open(look, core.Told(arms, stacks, sums)) == certificate.NONE:
                wrong += look.now[0]["split"] == 1
                break
    return wrong


def test_a_distance_errs_as_often_as_its_share_says_and_not_much_less():
    # Both arms of the gap have place 0, so that 0.81 of the share is theirs. Looking at 60 times,
    # ending after 600 steps and overshooting take some of it.
    runs, share = 700, 0.4
    wrong = wrong_by_distance(share, runs)
    assert stats.binom.sf(wrong - 1, runs, 0.81 * share) > 1e-3
    assert stats.binom.cdf(wrong, runs, 0.45 * share) > 1e-3
