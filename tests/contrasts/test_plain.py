"""Both codes of the certificate of contrasts, each held to numbers that are no code of ours.

The compiled certificate is held to the plain one elsewhere; a mistake in both would not show there.
"""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import integrate, optimize, stats
from states import packed

from maxgap.contrasts import certificate, plain
from maxgap.contrasts import look as core
from maxgap.contrasts.rewards import STACK
from maxgap.engine.state import ARM


def log_low(look, side, a, low):
    """The log weight of an arm's position below another."""
    return core.log_weight(look, side, look.below, look.above, (a, low))


def log_high(look, side, a, high):
    """The log weight of an arm's position above another."""
    return core.log_weight(look, side, look.above, look.below, (a, high))


def compiled_evidence(rewards, i, j, x, y, sigmas):
    return core.evidence(*core.contrast(packed(rewards, sigmas), i, j, x, y), -np.inf)


def certifies(rewards, sigmas):
    look = core.new_look(len(rewards), 0.1)
    return certificate.what_is_open(look, packed(rewards, sigmas)) == certificate.NONE


def plain_evidence(rewards, i, j, x, y, sigmas):
    return plain.evidence(rewards, i, j, x, y, sigmas)


def compiled_needed(n_arms, delta):
    return core.new_look(n_arms, delta).needed.tolist()


def plain_needed(n_arms, delta):
    return list(plain.thresholds(n_arms, delta))


EVIDENCE = pytest.mark.parametrize("evidence", [compiled_evidence, plain_evidence])
NEEDED = pytest.mark.parametrize("needed", [compiled_needed, plain_needed])


# -- evidence needed -------------------------------------------------------------------------------


@NEEDED
@pytest.mark.parametrize(
    ("n_arms", "delta", "odds"),
    [
        # Pairs over a tenth of delta; 1 over six tenths; twice the smaller gaps, at least one of
        # them, over three tenths.
        (2, 0.1, (100, Fraction(50, 3), Fraction(200, 3))),
        (3, 0.1, (300, Fraction(50, 3), Fraction(200, 3))),
        (4, 0.1, (600, Fraction(50, 3), Fraction(200, 3))),
        (5, 0.1, (1000, Fraction(50, 3), Fraction(400, 3))),
        (5, 0.2, (500, Fraction(25, 3), Fraction(200, 3))),
        (12, 0.3, (2200, Fraction(50, 9), 200)),
        (47, 0.1, (108_100, Fraction(50, 3), Fraction(8800, 3))),
        # Of many arms pairs over a twentieth; 1 over three tenths; twice the smaller gaps over a
        # quarter; the two largest gaps over three tenths; all gaps but one over a tenth.
        (48, 0.1, (225_600, Fraction(100, 3), 3600, Fraction(200, 3), 4600)),
        (90, 0.2, (400_500, Fraction(50, 3), 3480, Fraction(100, 3), 4400)),
    ],
)
def test_the_evidence_needed(needed, n_arms, delta, odds):
    odds = [float(x) for x in odds] + [math.inf, math.inf] * (n_arms < 48)
    assert np.exp(needed(n_arms, delta)) == pytest.approx(odds, rel=1e-12)


@pytest.mark.parametrize(
    "weights",
    [
        lambda n: np.exp(core.new_look(n, 0.1).weights).tolist(),
        lambda n: [plain.weight(h, n) for h in range(n)],
    ],
    ids=["compiled", "plain"],
)
def test_the_weights_of_positions(weights):
    # Five arms: 1 + 1/2 + 1/3 + 1/4 is 25/12, and a tenth of 12/25 is .048.
    assert weights(5) == pytest.approx([0.9, 0.048, 0.024, 0.016, 0.012], rel=1e-12)
    assert weights(2) == pytest.approx([0.9, 0.1], rel=1e-12)


# -- evidence of contrasts -------------------------------------------------------------------------


def mixture(total, n, variance):
    """The logarithm of the mixture of likelihood ratios that the evidence is, integrated.

    Of a sum of n steps, each of mean at most 0 and of this variance, against tilts t >= 0; of these
    the prior is the normal one with precision 12 times the variance, halved at 0.
    """

    def exponent(t):
        return t * total - t * t * variance * n / 2

    scale = 1 / math.sqrt(12 * variance)
    most = max(total, 0.0) / (variance * n)
    height = exponent(most)
    value, _ = integrate.quad(
        lambda t: math.exp(exponent(t) - height) * 2 * stats.norm.pdf(t, scale=scale),
        0,
        most + 40 * scale,
        points=[most],
        limit=400,
    )
    return height + math.log(value)


SIGMAS = [0.5, 0.7, 1.1, 0.3]


def walk(rng, n, mean, last):
    """So many rewards of this mean, then others that no test may look at."""
    rewards = rng.normal(size=n)
    return (rewards - rewards.mean() + mean).tolist() + [last] * 3


@EVIDENCE
@pytest.mark.parametrize("n", [1, 5, 12, 200])
@pytest.mark.parametrize("per_step", [0.01, 0.6, 1.7])
def test_the_evidence_is_the_mixture_at_the_first_n_rewards_of_four_arms(evidence, n, per_step):
    rng = np.random.default_rng(n)
    # i - j + x - y of a step is 3 - 1 + 2 - (4 - per_step).
    means = [3.0, 1.0, 2.0, 4.0 - per_step]
    rewards = [walk(rng, n, mean, 1e3) for mean in means]
    rewards[1] = rewards[1][:n]  # the fewest samples
    value = evidence(rewards, 0, 1, 2, 3, SIGMAS)
    variance = 0.25 + 0.49 + 1.21 + 0.09
    assert value == pytest.approx(mixture(n * per_step, n, variance), abs=1e-8)


@EVIDENCE
@pytest.mark.parametrize("n", [1, 7, 40])
def test_an_arm_in_two_places_gives_two_rewards_a_step(evidence, n):
    rng = np.random.default_rng(n)
    # The next gap above: x is i, whose 2 n rewards count, and 2 sigma^2 of it.
    rewards = [walk(rng, 2 * n, 3.0, 1e3)[:-2], walk(rng, n, 1.0, 1e3), walk(rng, n, 4.1, 1e3)]
    value = evidence(rewards, 0, 1, 0, 2, SIGMAS[:3])
    assert value == pytest.approx(mixture(n * 0.9, n, 2 * 0.25 + 0.49 + 1.21), abs=1e-8)
    # The next gap below: y is j.
    rewards = [walk(rng, n, 3.0, 1e3), walk(rng, 2 * n, 1.0, 1e3)[:-2], walk(rng, n, -0.1, 1e3)]
    value = evidence(rewards, 0, 1, 2, 1, SIGMAS[:3])
    assert value == pytest.approx(mixture(n * 0.9, n, 0.25 + 2 * 0.49 + 1.21), abs=1e-8)
    # With one reward less of that arm there is one step less.
    rewards = [rewards[0], rewards[1][: 2 * n - 1], rewards[2]]
    steps = [told[: k * (n - 1)] for told, k in zip(rewards, (1, 2, 1), strict=True)]
    total = sum(steps[0]) - sum(steps[1]) + sum(steps[2])
    value = evidence(rewards, 0, 1, 2, 1, SIGMAS[:3])
    if n == 1 or total <= 0:
        assert value < -1e200
    else:
        expected = mixture(total, n - 1, 0.25 + 2 * 0.49 + 1.21)
        assert value == pytest.approx(expected, abs=1e-8)


@EVIDENCE
def test_a_sum_that_is_not_positive_is_no_evidence(evidence):
    rewards = [[3.0] * 5, [1.0] * 5, [0.0] * 5, [2.0] * 5]
    assert evidence(rewards, 0, 1, 2, 3, SIGMAS) < -1e200


def test_between_arms_of_which_one_has_both_signs_nothing_is_compared():
    rewards = [[9.0] * 5, [1.0] * 5, [5.0] * 5]
    assert plain.evidence(rewards, 0, 1, 2, 0, SIGMAS) == -math.inf
    assert plain.evidence(rewards, 0, 1, 1, 2, SIGMAS) == -math.inf
    # The top is 0 and 2, and 2 may be the boundary.
    rewards[1] = [-90.0] * 5
    look, told = core.new_look(3, 0.1), packed(rewards, SIGMAS[:3])
    assert certificate.what_is_open(look, told) != certificate.ORDER
    core.take_pair(look, told, 2, 1, look.needed[1])
    assert core.weigh(look, told, 0, 2) < -1e200
    assert core.weigh(look, told, 2, 0) > 10


@pytest.mark.parametrize("n", [1, 10, 100, 1000])
def test_where_the_mean_is_0_evidence_grows_by_a_factor_of_at_most_1(n):
    # What the theorem needs, with normal steps of variance 2; where the sum is negative it is 0.
    variance = 2.0
    width = math.sqrt(variance * n * (n + 12) / 12)
    value, _ = integrate.quad(
        lambda s: math.exp(
            core.evidence(n, s, variance, -np.inf)
            + stats.norm.logpdf(s, scale=math.sqrt(variance * n))
        ),
        0,
        12 * width,
    )
    assert 0.5 < value < 1.0


# -- evidence of orders ----------------------------------------------------------------------------


def mixture_of_errors(mean, n, sigma, true_mean):
    """The logarithm of the two-sided mixture of an arm's summed errors, integrated."""
    total, variance = n * (mean - true_mean), sigma * sigma
    scale = 1 / math.sqrt(4 * variance)
    most = total / (variance * (n + 4))  # where the integrand is highest
    height = most * total - most * most * variance * (n + 4) / 2
    width = 1 / math.sqrt(variance * (n + 4))
    value, _ = integrate.quad(
        lambda t: (
            math.exp(t * total - t * t * variance * (n + 4) / 2 - height)
            / (scale * math.sqrt(2 * math.pi))
        ),
        most - 12 * width,
        most + 12 * width,
    )
    return height + math.log(value)


def least_product(upper, lower):
    """The least of the product of both arms' mixtures, over means that are the other way round."""

    def product(common):
        return mixture_of_errors(*upper, common) + mixture_of_errors(*lower, common)

    found = optimize.minimize_scalar(product, bounds=(lower[0], upper[0]), method="bounded")
    return found.fun


@pytest.mark.parametrize(
    ("upper", "lower"),
    [  # mean, samples, sigma
        ((1.0, 4, 0.5), (0.0, 4, 0.5)),
        ((3.0, 12, 0.5), (0.5, 3, 0.5)),
        ((0.4, 200, 0.3), (0.1, 25, 1.0)),
        ((0.4, 7, 2.0), (-3.0, 90, 0.1)),
    ],
)
def test_the_evidence_of_an_order_is_the_least_product_of_two_mixtures(upper, lower):
    expected = least_product(upper, lower)
    arms = np.zeros(2, ARM)
    for arm, told in zip(arms, (lower, upper), strict=True):
        arm["mean"], arm["count"], arm["sigma"] = told
    assert core.order_evidence(arms, 1, 0) == pytest.approx(expected, abs=1e-5)
    assert core.order_evidence(arms, 0, 1) < -1e200
    a, b = ([mean] * n for mean, n, _ in (upper, lower))
    for needed, certain in ((expected - 1e-4, True), (expected + 1e-4, False)):
        assert plain.certainly_above(a, b, needed, upper[2], lower[2]) == certain
        assert not plain.certainly_above(b, a, needed, lower[2], upper[2])


# -- positions -------------------------------------------------------------------------------------

#: Of the arms A < B, C < D, of which all but B and C are in certain order: at most how many places
#: an arm (row) lies below another (column), if it is not above. At least 1 but for the arm itself.
PLACES_BELOW = [
    [0, 2, 2, 3],
    [1, 0, 1, 2],
    [1, 1, 0, 2],
    [1, 1, 1, 0],
]
#: And above, if it is not below.
PLACES_ABOVE = [
    [0, 1, 1, 1],
    [2, 0, 1, 1],
    [2, 1, 0, 1],
    [3, 2, 2, 0],
]


@pytest.mark.parametrize("place", [range(4), [2, 0, 3, 1]])
def test_the_positions_of_four_arms_below_a_split_and_above_it(place):
    means = np.empty(5)
    means[list(place)] = 0.0, 1.0, 1.0001, 2.0
    for sign in (1, -1):  # a fifth arm far above, or everything upside down
        means[4] = 100.0
        rewards = [[sign * mean] * 50 for mean in means]
        below, above = (PLACES_BELOW, PLACES_ABOVE)[::sign]
        look = core.new_look(5, 0.1)
        core.look_again(look, packed(rewards, [0.1] * 5))
        side = core.BOTTOM if sign > 0 else core.TOP
        orders = plain.certain_orders(rewards, 0.1, [0.1] * 5)
        weights = [0.9, 0.048, 0.024, 0.016, 0.012]
        for a in range(4):
            for b in range(4):
                at = place[a], place[b]
                assert math.exp(log_low(look, side, *at)) == pytest.approx(weights[below[a][b]])
                assert math.exp(log_high(look, side, *at)) == pytest.approx(weights[above[a][b]])
                assert plain.n_low(*at, place, orders) == below[a][b]
                assert plain.n_high(*at, place, orders) == above[a][b]


# -- labels, links and pairs of gaps, from tables --------------------------------------------------


def look_of(n_arms, side, over, values=None):
    """A look at these certain orders: ``over`` holds (a, b) for a above b. All else is by hand."""
    look = core.new_look(n_arms, 0.1)
    above = [[(a, b) in over for b in range(n_arms)] for a in range(n_arms)]
    top, bottom = (side, set(range(n_arms)) - set(side))[:: 1 if 0 in side else -1]
    for row, arms in ((core.TOP, top), (core.BOTTOM, bottom)):
        look.sides[row, 0] = sum(1 << a for a in arms)
    for a, b in over:
        look.below[a, 0] |= 1 << b
        look.above[b, 0] |= 1 << a
    if values is not None:
        look.values[:] = -1e300
        look.links[:] = 0
        for (x, y), value in values.items():
            look.values[x, y] = value
            look.links[x, 0] |= 1 << y
    return look, above


#: The top: arms 0 to 3 of five, arm 0 being i. The hypothesis: 1 and 2 are neighbours. Evidence of
#: 3 is needed before weights. Where no order is certain, an arm other than 1 may lie three places
#: below it: log 0.016 is -4.135, and log 0.9 is -0.105.
TOP, C = [0, 1, 2, 3], 3.0


def rejects(look, side, i, j, low, high):
    """Whether the gap is refuted; all evidence is known."""
    look.now["i"], look.now["j"], look.now["c"] = i, j, C
    return not certificate.is_open(look, nothing_told(look), side, (low, high), np.inf)


def refuted(above, side, boundary):
    """By the plain lines, whether the gap from 1 to 2 is."""
    shown = plain.Shown([[]] * 5, [1.0] * 5, above)
    return plain.rejects(shown, side, boundary, (1, 2), (C, math.inf, math.inf))


def nothing_told(look):
    n_arms = look.order.size
    return core.Told(np.zeros(n_arms, ARM), np.zeros(n_arms, STACK), np.zeros(n_arms))


NEAREST = 2 * 0.10537
FAR = 0.10537 + 4.13517


@pytest.mark.parametrize(
    ("over", "values", "rejected"),
    [
        ((), {(1, 2): C + NEAREST + 1e-3}, True),
        ((), {(1, 2): C + NEAREST - 1e-3}, False),
        # As much as is needed is enough.
        ((), {(1, 2): C - math.log(0.9) - math.log(0.9)}, True),
        # The other way round it says nothing.
        ((), {(2, 1): 99.0}, False),
        # 0 is the lowest of the top, hence low.
        ((), {(0, 2): C + FAR + 1e-3}, True),
        ((), {(0, 2): C + FAR - 1e-3}, False),
        # 3 is neither low nor high, until a link says so.
        ((), {(3, 2): 99.0}, False),
        ((), {(1, 3): 99.0}, False),
        ((), {(1, 3): C + FAR + 1e-3, (3, 2): C + FAR + 1e-3}, True),
        ((), {(1, 3): C + FAR + 1e-3, (3, 2): C + FAR - 1e-3}, False),
        ((), {(1, 3): C + FAR - 1e-3, (3, 2): C + FAR + 1e-3}, False),
        # 2 is certainly above 3: then 3 is low. Of 0, 1 and 2 the last no longer is between.
        ([(2, 3)], {(3, 2): 99.0}, True),
        # 3 is certainly above 1: then 3 is high.
        ([(3, 1)], {(1, 3): 99.0}, True),
        # Both.
        ([(2, 3), (3, 1)], {}, True),
        # What counts is the place of 0 below 1, three; that of 1 below 0 is two, for 3 is above.
        ([(3, 0)], {(0, 2): C + FAR + 1e-3}, True),
        ([(3, 0)], {(0, 2): C + FAR - 1e-3}, False),
        # And the place of 3 above 2, three; that of 2 above 3 is two.
        ([(3, 1)], {(1, 3): C + FAR + 1e-3}, True),
        ([(3, 1)], {(1, 3): C + FAR - 1e-3}, False),
        ([(1, 2)], {}, True),
        ([(2, 1)], {}, False),
    ],
)
def test_what_refutes_a_gap(over, values, rejected, monkeypatch):
    look, above = look_of(5, TOP, over, values)
    assert rejects(look, core.TOP, 0, 4, 1, 2) == rejected
    monkeypatch.setattr(
        plain, "evidence", lambda told, i, j, x, y, sigmas: values.get((x, y), -math.inf)
    )
    assert refuted(above, TOP, (4, 0)) == rejected


@pytest.mark.parametrize(("value", "rejected"), [(C + FAR + 1e-3, True), (C + FAR - 1e-3, False)])
def test_of_the_bottom_the_highest_arm_is_high(value, rejected, monkeypatch):
    values = {(1, 0): value}
    side = [0, 1, 2, 3]
    look, above = look_of(5, side, (), values)
    look.sides[[core.TOP, core.BOTTOM]] = look.sides[[core.BOTTOM, core.TOP]]
    assert rejects(look, core.BOTTOM, 4, 0, 1, 2) == rejected
    monkeypatch.setattr(
        plain, "evidence", lambda told, i, j, x, y, sigmas: values.get((x, y), -math.inf)
    )
    assert refuted(above, side, (0, 4)) == rejected


@pytest.mark.parametrize(
    ("other", "over", "expected"),
    [
        ((2, 3), (), True),
        ((0, 3), (), False),  # the same lower arm
        ((2, 1), (), False),  # the same upper arm
        ((1, 2), (), True),  # one after the other
        ((2, 3), [(1, 2)], True),
        ((2, 3), [(3, 0)], True),
        ((2, 3), [(1, 2), (3, 0)], False),  # 1 above 2 and 3 above 0: they overlap
    ],
)
def test_which_gaps_may_both_be_between_neighbours(other, over, expected):
    look, above = look_of(5, TOP, over)
    look.gaps[0, 0] |= 1 << 1
    look.gaps[other[0], 0] |= 1 << other[1]
    assert certificate.has_partner(look, 0, 1) == expected
    assert certificate.has_partner(look, *other) == expected
    assert plain.compatible((0, 1), other, above) == expected
    assert plain.compatible(other, (0, 1), above) == expected


def test_every_arm_that_may_be_the_boundary_has_to_reject():
    # Arms 1 and 2 are not in certain order. With few samples of the upper one its contrasts say
    # little, and it may be the lowest of the top for all that is known.
    sigmas = [0.5] * 4
    for n, certified in ((60, True), (4, False)):
        rewards = [[0.0] * 120, [20.0] * 120, [20.01] * n, [39.0] * 120]
        assert certifies(rewards, sigmas) == certified
        assert plain.certifies(rewards, [0], [1, 2, 3], 0.1, sigmas) == certified


def test_an_arm_that_is_certainly_not_the_boundary_need_not_reject():
    # Arm 0, of one sample, is certainly below arm 1. From it the gap of 19 between 2 and 3 could
    # not be rejected: one step of 25 - 19 with variance 1 is evidence of 1.98, below log(1/0.06).
    sigmas = [0.5] * 4
    rewards = [[-5.0], [0.0] * 120, [20.0] * 120, [39.0] * 120]
    assert plain.evidence(rewards, 2, 0, 2, 3, sigmas) == pytest.approx(1.98, abs=0.01)
    assert plain.certifies(rewards, [0, 1], [2, 3], 0.1, sigmas)
    assert certifies(rewards, sigmas)
    # Upside down.
    rewards = [[-reward for reward in told] for told in rewards]
    assert plain.certifies(rewards, [2, 3], [0, 1], 0.1, sigmas)
    assert certifies(rewards, sigmas)


#: Of six arms, 5 alone below. An arm other than 1 or 2 may lie four places away:
#: 0.1 / 4 / (137/60) is 0.01095.
ENOUGH = C - math.log(0.9) - math.log(0.1 / 4 * 60 / 137) + 1e-9


@pytest.mark.parametrize(
    ("values", "lows", "highs"),
    [
        ({}, {0, 1}, {2}),
        ({(4, 3): 99.0}, {0, 1}, {2}),  # from unknown to unknown
        ({(1, 4): ENOUGH}, {0, 1, 4}, {2}),
        ({(1, 4): ENOUGH - 1e-6}, {0, 1}, {2}),
        ({(4, 2): ENOUGH}, {0, 1}, {2, 4}),
        ({(4, 2): ENOUGH - 1e-6}, {0, 1}, {2}),
        ({(1, 4): 99.0, (4, 3): 99.0}, {0, 1, 3, 4}, {2}),
        ({(3, 2): 99.0, (4, 3): 99.0}, {0, 1}, {2, 3, 4}),
        ({(4, 1): 99.0, (2, 4): 99.0}, {0, 1}, {2}),  # the other way round
    ],
)
def test_which_arms_are_low_and_which_high_where_a_gap_is_not_refuted(values, lows, highs):
    look, _ = look_of(6, [0, 1, 2, 3, 4], (), values)
    # In this order the labels of two chains need a second round.
    look.order[:], look.now["split"] = [5, 0, 4, 3, 1, 2], 1
    assert not rejects(look, core.TOP, 0, 5, 1, 2)
    certificate.label_highs(look, nothing_told(look), core.TOP, (1, 2))
    assert {arm for arm in range(6) if core.has(look.labels, core.LOWS, arm)} == lows
    assert {arm for arm in range(6) if core.has(look.labels, core.HIGHS, arm)} == highs


def test_arms_and_places_are_counted_in_every_bit_of_a_word():
    # 69 arms of the bottom in no certain order: each may lie 68 places away from another.
    rewards = [[0.001 * arm, -0.001 * arm] * 3 for arm in range(69)] + [[100.0] * 6]
    look = core.new_look(70, 0.1)
    core.look_again(look, packed(rewards, [1.0] * 70))
    for a in range(69):
        for other in {*range(69)} - {a}:
            assert log_low(look, core.BOTTOM, a, other) == look.weights[68]
            assert log_high(look, core.BOTTOM, a, other) == look.weights[68]
    # A chain of links from 1 over any other arm to 60.
    look, _ = look_of(62, range(61), (), {})
    for other in range(2, 60):
        look.values[1, other] = look.values[other, 60] = 99.0
        look.links[1, 0], look.links[other, 0] = 1 << other, 1 << 60
        assert rejects(look, core.TOP, 0, 61, 1, 60)
        look.values[other, 60] = core.NOTHING
        assert not rejects(look, core.TOP, 0, 61, 1, 60)
