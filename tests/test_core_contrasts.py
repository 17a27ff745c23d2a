"""The compiled certificate of contrasts: as the plain lines say, and by hand."""

import math

import numpy as np
import pytest
from scipy import stats
from states import packed

from maxgap import MaxGapContrasts
from maxgap.contrasts import aims, certificate
from maxgap.contrasts import look as core
from maxgap.engine.elementary import exp, log_twice_normal_cdf
from maxgap.engine.state import ARM
from maxgap.reference import contrasts as plain


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


def drawn(rng):
    """Rewards, delta and sigmas; often on a grid, so that means and contrasts tie."""
    n_arms = int(rng.integers(2, 8))
    grid = rng.random() < 0.5
    means = (
        rng.integers(0, 4, n_arms) * rng.choice([0.3, 1.0, 3.0])
        if grid
        else rng.normal(0.0, 2.0, n_arms)
    )
    means = means + (rng.random(n_arms) < 0.4) * rng.choice([3.0, 6.0])
    sigmas = rng.choice([0.3, 0.7, 1.0], n_arms) if rng.random() < 0.5 else np.full(n_arms, 0.5)
    counts = rng.integers(1, rng.choice([8, 40, 80]), n_arms)
    rewards = [
        (m + s * (0.5 * rng.integers(-2, 3, n) if grid else rng.normal(size=n))).tolist()
        for m, s, n in zip(means, sigmas, counts, strict=True)
    ]
    return rewards, float(rng.choice([0.05, 0.3, 0.5])), sigmas.tolist()


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
                        told = rewards, above, side, i, j, low, high, c, sigmas
                        answer = not certificate.is_open(
                            look, told_all, number, (low, high), np.inf
                        )
                        assert answer == plain.rejects(*told, *look.needed[3:])
                        seen[answer] += 1
                        direct = plain.evidence(rewards, i, j, low, high, sigmas)
                        by_chain += answer and direct < c - 2 * math.log(plain.NEAREST)
    assert min(seen.values()) > 50
    assert by_chain > 20


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


def test_the_distribution_and_the_exponential_are_right_to_the_last_bits():
    z = np.concatenate([np.linspace(0.0, 9.0, 2001), [6.0, 40.0]])
    ours = np.array([log_twice_normal_cdf(float(x)) for x in z])
    np.testing.assert_allclose(ours, stats.norm.logcdf(z) + math.log(2.0), rtol=0, atol=2e-15)
    x = np.linspace(-700.0, 700.0, 1001)
    np.testing.assert_allclose([exp(float(v)) for v in x], np.exp(x), rtol=4e-16)


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


def constant(steps, *values):
    """Rewards without noise, so many an arm."""
    return [
        [value] * n for value, n in zip(values, np.broadcast_to(steps, len(values)), strict=True)
    ]


def smallest(holds, values):
    """The first of increasing values for which it holds; it goes on holding."""
    found = [holds(value) for value in values]
    assert found == sorted(found)
    assert any(found)
    return values[found.index(True)]


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
    runs, share = 1500, 0.4
    wrong = wrong_by_distance(share, runs)
    assert stats.binom.sf(wrong - 1, runs, 0.81 * share) > 1e-3
    assert stats.binom.cdf(wrong, runs, 0.45 * share) > 1e-3


@pytest.mark.parametrize("n_arms", [47, 48])
def test_of_many_arms_gaps_between_neighbours_come_first(n_arms):
    # The second gap is nearly as wide as the first. Of few arms the gap with the least evidence is
    # found, between arms further apart that are across it, too.
    values = [0.1 * arm + 4.5 * (arm > 22) for arm in range(n_arms - 1)]
    look = core.new_look(n_arms, 0.1)
    told = packed(constant(20, *values, values[-1] + 4.8), [2.0] * n_arms)
    assert certificate.what_is_open(look, told) == certificate.GAP
    assert (look.now[["low", "high"]].tolist() == [(22, 23)]) == (n_arms == 48)


def test_of_48_arms_distances_decide():
    # Two wide gaps among others: with some hundred samples of each the width of the claimed gap is
    # known well enough to compare the distances of other arms with it.
    means = np.cumsum([0.0] + [0.25] * 22 + [1.0] + [0.25] * 22 + [1.3, 0.25])
    policy = MaxGapContrasts(48, delta=0.1, sigma=0.6)
    rng, rewards = np.random.default_rng(3), [[] for _ in means]
    while not policy.stopped and policy.counts.sum() < 20_000:
        arms = policy.ask()
        told = [means[arm] + 0.6 * rng.standard_normal() for arm in arms]
        policy.tell(arms, told)
        for arm, reward in zip(arms, told, strict=True):
            rewards[arm].append(reward)
    look, told = core.new_look(48, 0.1), packed(rewards, [0.6] * 48)
    assert certificate.what_is_open(look, told) == certificate.NONE
    look = core.new_look(48, 0.1)
    look.needed[3:] = np.inf  # without distances
    assert certificate.what_is_open(look, told) != certificate.NONE
