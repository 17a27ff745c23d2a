"""The lemmas behind the sample complexity of MaxGapUCB, as properties of runs and of intervals."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import intervals

from maxgap import MaxGapUCB, confidence, hardness
from maxgap.gaps import gap_upper_bounds
from maxgap.reference import gap_upper_bounds as literal_gap_upper_bounds
from maxgap_book.attainment import level_sets, right_gap_arms
from maxgap_book.lemmas import LemmaCheck, RunRecord, lemma_checks, record_run
from maxgap_book.studies import why_maxgapucb_works as study

STATEMENTS = (
    "Corollary 1",
    "two arms share",
    "(m) and (m+1)",
    "equation (35)",
    "Lemma 10",
    "Corollary 2, before",
    "Corollary 2, after",
    "Corollary 2, third claim",
    "Lemma 12",
    "Lemma 13, level 1",
    "Lemma 13, level 2",
)
PAPER_SIGMA = np.sqrt(0.5)


def bounds_of(record, method=gap_upper_bounds):
    bounds = [method(low, high) for low, high in zip(record.lower, record.upper, strict=True)]
    return np.array([b.right for b in bounds]), np.array([b.left for b in bounds])


def random_run(seed, rounds=150, nested=True):
    """Record one run on random means: normal rewards, 0-or-1 rewards, and coarse ones that tie."""
    rng = np.random.default_rng([2019, seed])
    n_arms = int(rng.integers(2, 10))
    kind = seed % 3
    if kind == 0:
        sigma = 10 ** rng.uniform(-2.5, -0.5)
        means = rng.uniform(size=n_arms)

        def draw(arms):
            return rng.normal(means[arms], sigma)

    elif kind == 1:
        sigma = 0.5
        means = rng.uniform(size=n_arms)

        def draw(arms):
            return (rng.random(len(arms)) < means[arms]).astype(float)

    else:
        sigma = 0.125
        means = rng.permutation(np.cumsum(rng.integers(1, 6, size=n_arms))) * 0.25

        def draw(arms):
            return means[arms] + rng.choice([-0.125, 0.125], size=len(arms))

    radius = ("normal-mixture", "hoeffding")[seed % 2]
    policy = MaxGapUCB(
        n_arms, delta=0.01, sigma=sigma, confidence=radius, nested=nested, stopping=None
    )
    return record_run(policy, draw, rounds), means


def holds(record, means):
    return bool(((record.lower <= means) & (means <= record.upper)).all())


@pytest.fixture(scope="module")
def totals():
    """Sum of the checks over 150 runs whose intervals held."""
    total = {}
    runs = 0
    for seed in range(160):
        record, means = random_run(seed)
        gaps = np.sort(np.diff(np.sort(means)))
        one_answer = len(gaps) == 1 or gaps[-1] > gaps[-2]
        if not one_answer or not holds(record, means):
            continue
        runs += 1
        for name, check in lemma_checks(record, *bounds_of(record), means).items():
            before = total.get(name, LemmaCheck(0, 0))
            total[name] = LemmaCheck(before[0] + check[0], before[1] + check[1])
    assert runs >= 100
    return total


@pytest.mark.parametrize("name", STATEMENTS)
def test_a_lemma_never_fails_on_real_runs_with_nested_intervals(totals, name):
    assert totals[name].failures == 0
    assert totals[name].cases > 2000


def test_the_two_arms_of_the_largest_gap_need_not_share_a_bound(totals):
    # The proof of Theorem 5 writes an equation between them.
    cases, failures = totals["(m) equals (m+1)"]
    assert 0.01 < failures / cases < 0.5


def test_without_nesting_gap_bounds_do_grow():
    record, means = random_run(3, nested=False)
    assert lemma_checks(record, *bounds_of(record), means)["Corollary 1"].failures > 0


@pytest.mark.parametrize("seed", range(6))
def test_the_bounds_of_recorded_runs_are_those_of_the_papers_procedure(seed):
    record, _ = random_run(seed, rounds=20)
    np.testing.assert_array_equal(bounds_of(record), bounds_of(record, literal_gap_upper_bounds))


def test_nested_intervals_are_the_intersection_of_the_plain_ones():
    # Equation (28); so they hold exactly while all plain ones have held, which is Lemma 9.
    rng = np.random.default_rng(9)
    means = np.array([0.0, 0.3, 1.0])
    policy = MaxGapUCB(3, delta=0.01, sigma=0.5, nested=True, stopping=None)
    lower, upper = [], []
    for _ in range(300):
        arms = policy.ask()
        policy.tell(arms, rng.normal(means[arms], 0.5))
        half = confidence.radius("normal-mixture", policy.counts, delta=0.01, n_arms=3, sigma=0.5)
        lower.append(policy.means - half)
        upper.append(policy.means + half)
        np.testing.assert_array_equal(policy.lower, np.max(lower, axis=0))
        np.testing.assert_array_equal(policy.upper, np.min(upper, axis=0))
    assert (policy.lower > lower[-1]).any()  # nesting has made a difference


# The same statements for any intervals at all, ties included.


def record_of(history):
    """Record of a MaxGapUCB that sees these intervals one after the other."""
    lower, upper = (np.array(part) for part in zip(*history, strict=True))
    either = np.array([literal_gap_upper_bounds(*ends).either for ends in history])
    return RunRecord(lower, upper, either == either.max(axis=1, keepdims=True))


@st.composite
def nested_histories(draw):
    """Draw a few steps of intervals, each inside the one before, with shared ends."""
    lower, upper = draw(intervals(max_arms=6))
    history = [(lower, upper)]
    for _ in range(draw(st.integers(0, 3))):
        shares = draw(
            st.lists(
                st.tuples(*[st.sampled_from([0.0, 0.0, 0.25, 0.5, 1.0])] * 2),
                min_size=len(lower),
                max_size=len(lower),
            )
        )
        from_low, from_high = np.array(shares).T
        width = upper - lower
        lower = np.clip(lower + from_low * width, lower, upper)
        upper = np.clip(upper - from_high * (upper - lower), lower, upper)
        history.append((lower, upper))
    return history


def checks_of(history):
    """What is checked of such a record, with means that may lie outside the intervals."""
    record = record_of(history)
    right, left = bounds_of(record, literal_gap_upper_bounds)
    return lemma_checks(record, right, left, 2.0 ** np.arange(right.shape[1]))


@given(nested_histories())
@settings(max_examples=800)
def test_the_lemmas_hold_for_any_nested_intervals(history):
    checks = checks_of(history)
    for name in STATEMENTS:
        # Nothing here says that those means lie in the intervals.
        if name in checks and name != "(m) and (m+1)":
            assert checks[name].failures == 0, name


@given(nested_histories())
@settings(max_examples=300)
def test_levels_and_ends_in_the_checks_are_those_of_one_interval_at_a_time(history):
    checks = checks_of(history)
    level2_arms = 0
    positive = 0
    for low, high in history:
        for arm in range(len(low)):
            level2_arms += len(level_sets(arm, low, high).level2)
            positive += right_gap_arms(arm, low, high) is not None
    assert checks["Corollary 2, before"].cases == level2_arms
    # Each such bound has at least one pair of ends.
    for name in ("equation (35)", "Lemma 10"):
        cases = checks[name].cases if name in checks else 0
        assert cases >= positive
        assert (cases > 0) == (positive > 0)


# A checker that cannot fail checks nothing.


def failing(record, bounds, means):
    return {name for name, check in lemma_checks(record, *bounds, means).items() if check.failures}


def test_the_checks_notice_arms_left_out_of_the_samples():
    record, means = random_run(6)
    bounds = bounds_of(record)
    assert failing(record, bounds, means) <= {"(m) equals (m+1)"}
    found = set()
    for arm in range(len(means)):
        sampled = record.sampled.copy()
        sampled[:, arm] = False
        without = failing(record._replace(sampled=sampled), bounds, means)
        assert "Lemma 12" in without
        found |= without
    assert {"Lemma 13, level 1", "Lemma 13, level 2"} <= found


def test_the_checks_notice_time_running_backwards():
    record, means = random_run(6)
    back = RunRecord(*(part[::-1] for part in record))
    found = failing(back, bounds_of(back), means)
    assert {
        "Corollary 1",
        *(name for name in STATEMENTS if name.startswith("Corollary 2")),
    } <= found


def test_the_checks_notice_other_means():
    record, means = random_run(0)
    assert "(m) and (m+1)" in failing(record, bounds_of(record), 10 * means)


def test_the_checks_notice_a_bound_that_is_not_shared():
    record, means = random_run(0)
    right, left = bounds_of(record)
    right[10, 0] = 2 * max(right[10].max(), left[10].max())
    assert {"two arms share", "Corollary 1"} <= failing(record, (right, left), means)


# Theorem 5 and its constant. Means of the four-arm instance; arm 0 is the hard one.

EPSILON = 0.3
FOUR_MEANS = np.array([0.0, EPSILON, 1 + 2 * EPSILON, 2 + 2 * EPSILON])
DELTA_MAX = 1 + EPSILON


def samples_for_the_right_gap(draw):
    """Samples of arm 0 that its right gap causes, all its samples, and whether intervals held."""
    policy = MaxGapUCB(
        4, delta=0.1, sigma=PAPER_SIGMA, confidence="hoeffding", nested=True, stopping=None
    )
    caused = 0
    held = True
    while True:
        bounds = policy.gap_bounds()
        if bounds.right[0] < DELTA_MAX:
            return caused, int(policy.counts[0]), held
        asked = np.array(policy.ask())
        caused += 0 in asked and bounds.right[0] == bounds.either.max()
        policy.tell(asked, draw(asked))
        held &= bool(((policy.lower <= FOUR_MEANS) & (policy.upper >= FOUR_MEANS)).all())


def worst_noise(share=0.99):
    """Rewards that keep the empirical means of arms 0 and 1 almost a radius from the true ones."""
    counts, sums = np.zeros(4, dtype=int), np.zeros(4)
    offset = share * np.array([1.0, -1.0, 1.0, -1.0])

    def draw(arms):
        counts[arms] += 1
        half = confidence.radius("hoeffding", counts[arms], delta=0.1, n_arms=4, sigma=PAPER_SIGMA)
        wanted = counts[arms] * (FOUR_MEANS[arms] + offset[arms] * half)
        rewards = wanted - sums[arms]
        sums[arms] = wanted
        return rewards

    return draw


def printed_tau():
    gamma = hardness.gamma(FOUR_MEANS).right[0]
    return hardness.radius_constant(0.1, 4) * np.log(4 / (0.1 * gamma)) / gamma**2


def needed_tau():
    """Smallest number of samples with a radius below a quarter of gamma."""
    n = np.arange(1, 100_000)
    half = confidence.radius("hoeffding", n, delta=0.1, n_arms=4, sigma=PAPER_SIGMA)
    return int(n[4 * half < hardness.gamma(FOUR_MEANS).right[0]][0])


def test_valid_intervals_do_not_imply_the_printed_constant_of_theorem_5():
    caused, samples, held = samples_for_the_right_gap(worst_noise())
    assert held
    assert samples > 2.5 * 6 * printed_tau()
    assert caused > 5 * 3 * printed_tau()


def test_a_radius_of_a_quarter_of_gamma_is_enough_for_theorem_5():
    caused, _, held = samples_for_the_right_gap(worst_noise())
    assert held
    assert 0.9 * needed_tau() < caused <= 2 * needed_tau()


def test_lemma_8_with_the_printed_constant_fails_far_more_often_than_delta():
    above = 0
    for seed in range(30):
        rng = np.random.default_rng([8, seed])
        caused, _, held = samples_for_the_right_gap(
            lambda arms, rng=rng: rng.normal(FOUR_MEANS[arms], PAPER_SIGMA)
        )
        if held:
            above += caused > 3 * printed_tau()
            assert caused <= 2 * needed_tau()
    assert above >= 12  # 10% of 30 is 3


@pytest.mark.parametrize("seed", range(12))
def test_an_arm_off_the_largest_gap_takes_three_times_the_samples_of_a_quarter_of_gamma(seed):
    # The theorem of the chapter, in noise that keeps all intervals valid, end arms included.
    rng = np.random.default_rng(seed)
    means = np.sort(rng.random(int(rng.integers(3, 6))))
    signs = rng.choice([-0.999, 0.999], means.size)
    counts, sums = np.zeros(means.size, dtype=int), np.zeros(means.size)

    def radius(n, **settings):
        return 0.1 / np.sqrt(n)

    def draw(arms):
        counts[arms] += 1
        noise = signs[arms] if seed % 2 else rng.uniform(-1, 1, arms.size)
        rewards = counts[arms] * (means[arms] + noise * radius(counts[arms])) - sums[arms]
        sums[arms] += rewards
        return rewards

    policy = MaxGapUCB(means.size, confidence=radius, nested=True, stopping=None)
    for _ in range(1500):
        arms = np.array(policy.ask())
        policy.tell(arms, draw(arms))
    assert ((policy.lower <= means + 1e-9) & (means - 1e-9 <= policy.upper)).all()
    split = int(np.diff(means).argmax())
    for arm in set(range(means.size)) - {split, split + 1}:
        tau = int((0.4 / hardness.gamma(means).either[arm]) ** 2) + 1
        assert counts[arm] <= 3 * tau


# Bad input.


def test_a_record_whose_parts_differ_in_shape_is_refused_by_name():
    record, means = random_run(0, rounds=3)
    right, left = bounds_of(record)
    with pytest.raises(ValueError, match="right must have the shape"):
        lemma_checks(record, right[:2], left, means)
    with pytest.raises(ValueError, match="means must have the shape"):
        lemma_checks(record, right, left, means[:-1])


@pytest.mark.parametrize("rounds", [0, -1, 2.5, True, None])
def test_a_run_needs_a_positive_number_of_rounds(rounds):
    with pytest.raises(ValueError, match="rounds must be a positive whole number"):
        record_run(MaxGapUCB(2), lambda arms: np.zeros(len(arms)), rounds)


def test_a_policy_that_stops_cannot_be_recorded_to_the_end():
    policy = MaxGapUCB(2, sigma=0.01, stopping="clusters")
    with pytest.raises(ValueError, match="policy must not stop"):
        record_run(policy, lambda arms: np.array([0.0, 5.0])[arms], rounds=100)


# The study of the chapter.


def test_no_lemma_fails_on_the_chapters_runs_but_one_equation():
    table, held = study.checked_lemmas(runs=12, rounds=40, seed=5)
    assert 8 <= held <= 12
    assert set(table.index) == {*STATEMENTS, "(m) equals (m+1)"}
    assert (table["failures"].drop("(m) equals (m+1)") == 0).all()
    assert table.loc["two arms share", "cases"] == 40 * held
    assert (table["runs"] <= held).all()


def test_random_runs_have_ends_that_coincide_and_ends_that_do_not():
    found = {
        len(np.unique(record.lower[0])) == means.size
        for means, record in (study.random_run(np.random.default_rng(k), 3) for k in range(20))
    }
    assert found == {True, False}
