"""The bound for MaxGapTop2UCB under the cluster rule: by loops, by hand, and kept in runs."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxgap import MaxGapTop2UCB, Problem, gap_lower_bound, gap_upper_bounds
from maxgap.confidence import radius
from maxgap_book.round_bounds import cluster_hardness, round_bound


def naive_cluster_hardness(means):
    problem = Problem(means)
    largest = problem.delta_max
    clusters = [sorted({means[a] for a in part}) for part in (problem.bottom, problem.top)]
    inside = [b - a for part in clusters for a, b in itertools.pairwise(part)]
    lead = largest - max(inside, default=0)
    found = []
    for arm, mean in enumerate(means):
        part = clusters[arm in problem.top]
        edge = part[0] if arm in problem.top else part[-1]
        beside = [b - a for a, b in itertools.pairwise(part) if mean in (a, b)]
        found.append(min(largest - max(beside, default=0), max(lead, abs(mean - edge))) / 8)
    return found


@given(st.lists(st.integers(0, 30), min_size=2, max_size=8))
def test_cluster_hardness_is_its_definition_by_loops(means):
    gaps = np.diff(sorted(means))
    if (gaps == gaps.max()).sum() > 1 or gaps.max() == 0:
        return
    assert cluster_hardness(means) == pytest.approx(naive_cluster_hardness(means))


def test_cluster_hardness_by_hand():
    # Gaps 1, 3, 1, 6, 2: the largest leads by 3. The arm at 0 lies 5 from the large gap.
    assert (8 * cluster_hardness([0, 1, 4, 5, 11, 13])).tolist() == [5, 3, 3, 3, 3, 3]
    with pytest.raises(ValueError, match="means"):
        cluster_hardness([0, 1, 2])


def cluster_rule_holds(lower, upper):
    certain = gap_lower_bound((lower + upper) / 2, lower, upper)
    if certain.value <= 0:
        return False
    order = np.argsort(-lower)
    top, bottom = order[: certain.split_rank], order[certain.split_rank :]
    bounds = gap_upper_bounds(lower, upper)
    return max(bounds.right[top].max(), bounds.left[bottom].max()) < certain.value


def random_valid_intervals(rng, scale):
    """Means with one largest gap, and intervals that hold them, many just below the limit."""
    n_arms = int(rng.integers(2, 8))
    means = rng.choice(np.arange(9) / 8, n_arms) if rng.random() < 0.5 else rng.random(n_arms)
    gaps = np.sort(np.diff(np.sort(means)))
    if gaps[-1] == 0 or (n_arms > 2 and gaps[-1] - gaps[-2] < 1e-9):
        return random_valid_intervals(rng, scale)
    limit = 2 * scale * cluster_hardness(means)
    width = limit * np.where(rng.random(n_arms) < 0.7, 0.9999, rng.random(n_arms))
    width += (rng.random(n_arms) < 0.3) * rng.exponential(1, n_arms) * limit
    below = np.where(rng.random(n_arms) < 0.6, rng.integers(0, 2, n_arms), rng.random(n_arms))
    lower = np.minimum(means - below * width, means)
    return limit, lower, np.maximum(lower + width, means)


def cases_and_failures(scale, trials):
    """Of the intervals where the arms to be sampled are narrow: how many, and rule not met."""
    rng, cases, failures = np.random.default_rng(5), 0, 0
    for _ in range(trials):
        limit, lower, upper = random_valid_intervals(rng, scale)
        bound = gap_upper_bounds(lower, upper).either
        rest = bound[bound < bound.max()]
        asked = bound >= (rest.max() if rest.size else bound.max())
        if np.all((upper - lower)[asked] < limit[asked]):
            cases += 1
            failures += not cluster_rule_holds(lower, upper)
    return cases, failures


def test_where_all_arms_to_be_sampled_are_narrow_the_cluster_rule_holds():
    cases, failures = cases_and_failures(1.0, 4000)
    assert cases > 1000
    assert failures == 0
    # The search finds counterexamples as soon as there are some.
    assert cases_and_failures(1.3, 4000)[1] > 50


def test_round_bound_counts_the_samples_that_leave_arms_wide():
    means = np.array([0, 0.3, 1.5, 2.2, 2.3])
    n = np.arange(1, 60_000)
    for name, sigma in (("normal-mixture", 1.0), ("paper", 0.5), ("lil", 0.8)):
        c = radius(name, n, delta=0.1, n_arms=5, sigma=sigma)
        wide = sum(int((c >= x).sum()) for x in cluster_hardness(means))
        got = round_bound(means, 0.1, confidence=name, sigma=sigma)
        assert got == 1 + wide


def test_round_bound_takes_a_sigma_for_every_arm():
    means = [0, 10, 11]
    parts = [round_bound(means, 0.1, sigma=s) for s in (1.0, 2.0)]
    assert parts[0] < round_bound(means, 0.1, sigma=[1, 2, 1]) < parts[1]


def test_top2_keeps_to_the_round_bound_whatever_valid_rewards_say():
    means, delta = np.array([0, 0.9, 1.2, 3.0, 3.4]), 0.3
    bound = round_bound(means, delta)
    for seed in range(20):
        rng = np.random.default_rng(seed)
        policy = MaxGapTop2UCB(5, delta=delta)
        ends = rng.choice([-0.99, 0.0, 0.99], 5)
        sums, rounds = np.zeros(5), 0
        while not policy.stopped:
            asked = np.array(policy.ask())
            counts = policy.counts[asked] + 1
            c = radius("normal-mixture", counts, delta=delta, n_arms=5)
            wanted = counts * (means[asked] + ends[asked] * c)
            policy.tell(asked, wanted - sums[asked])
            sums[asked] = wanted
            rounds += 1
        assert policy.certified
        assert policy.recommend().top == {3, 4}
        assert rounds <= bound
