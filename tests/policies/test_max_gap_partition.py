"""Groups collected adaptively: right whatever is seen, asked for what is open, ended, refused."""

import copy
import pickle
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rating_tables import true_groups
from scipy.cluster.hierarchy import fcluster, linkage
from strategies import SEEDS

import maxgap
from maxgap import MaxGapPartition, Problem, gap_upper_bounds, simulate
from maxgap.policies.max_gap_partition import cut

MEANS = {"a": 0.0, "b": 0.3, "c": 2.0, "d": 2.2, "e": 4.5}
GROUPS = ({"e"}, {"c", "d"}, {"a", "b"})


def collected(means, groups, seed, *, sigma=0.5, most=100_000, **settings):
    """A policy that has been told what it asked for, an eighth more of each arm at a time."""
    rng = np.random.default_rng(seed)
    means = np.asarray(means)
    policy = MaxGapPartition(means.size, groups=groups, sigma=sigma, **settings)
    while not policy.stopped and policy.counts.sum() < most:
        arms = np.array(policy.ask())
        arms = np.repeat(arms, np.maximum(1, policy.counts[arms] // 8))
        policy.tell(arms, means[arms] + sigma * rng.standard_normal(arms.size))
    return policy


def holds(points, group):
    """Of every vector of means, whether its only groups are these, in this order."""
    order = np.argsort(-points, axis=1, kind="stable")
    gaps = -np.diff(np.take_along_axis(points, order, axis=1))
    steps = np.diff(group[order])
    inside = np.where(steps == 0, gaps, 0).max(axis=1)
    least = np.where(steps == 0, np.inf, gaps).min(axis=1)
    return (steps >= 0).all(axis=1) & (least > inside)


# -- the certificate ---------------------------------------------------------------------------


def test_no_choice_of_means_in_intervals_that_touch_and_tie_breaks_a_certificate():
    rng = np.random.default_rng(5)
    certified = 0
    for _ in range(3000):
        n_arms = int(rng.integers(2, 6))
        lower = rng.integers(0, 5, n_arms).cumsum()
        upper = lower + rng.integers(0, 4, n_arms)
        seen = rng.uniform(lower, upper)
        n = int(rng.integers(2, n_arms + 1))
        look = cut(list(range(n_arms)), seen, lower, upper, n)
        if look.certified:
            certified += 1
            ends = [range(a, b + 1) for a, b in zip(lower, upper, strict=True)]
            assert holds(np.array(list(product(*ends)), dtype=float), look.group).all()
    assert certified > 400


def test_a_gap_that_ties_with_one_inside_is_not_certified():
    means = np.array([0.0, 1.0, 2.0, 5.0])
    assert not cut([*"abcd"], means, means, means, 3).certified
    assert cut([*"abcd"], means, means, means, 2).certified
    assert cut([*"abcd"], means, means, means, 4).certified
    touching = cut([*"ab"], np.array([0.0, 1.0]), np.array([0.0, 0.5]),
                            np.array([0.5, 1.0]), 2)  # fmt: skip
    assert (touching.certain.tolist(), touching.certified) == ([0.0], False)


@given(SEEDS)
def test_the_groups_are_those_of_single_linkage(seed):
    rng = np.random.default_rng(seed)
    means = rng.exponential(size=int(rng.integers(3, 12))).cumsum()
    n = int(rng.integers(2, means.size + 1))
    ours = true_groups(rng.permutation(means), n)
    assert ours is not None
    ours = true_groups(means, n)
    tree = fcluster(linkage(means[:, None], "single"), n, "maxclust")
    assert len(set(zip(ours.tolist(), tree.tolist(), strict=True))) == n


# -- collecting --------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_it_ends_certified_and_right(seed):
    rng = np.random.default_rng(seed)
    means = rng.permutation(np.r_[0.1 * np.arange(4), 1.2, 1.3, 2.5 + 0.1 * np.arange(3)])
    policy = collected(means, 3, seed)
    assert policy.certified
    assert policy.ask() == []
    found = policy.recommend()
    group = true_groups(means, 3)
    assert found.groups == tuple(set(np.flatnonzero(group == k).tolist()) for k in range(3))
    assert policy.report()["cluster"].tolist() == (group + 1).tolist()


def test_it_leaves_out_what_is_settled_and_so_needs_fewer_samples_than_all_evenly():
    gaps = np.full(23, 0.1)
    gaps[[7, 11, 15]] = 1.0, 0.6, 0.8
    means = np.r_[0, gaps.cumsum()]

    class Evenly(MaxGapPartition):
        def choose(self):
            return self.arms

    asked = collected(means, 3, 1)
    rng = np.random.default_rng(1)
    evenly = Evenly(24, groups=3, sigma=0.5)
    while not evenly.stopped:
        arms = np.repeat(np.arange(24), max(1, evenly.counts[0] // 8))
        evenly.tell(arms, means[arms] + 0.5 * rng.standard_normal(arms.size))
    assert asked.counts.sum() < 0.7 * evenly.counts.sum()
    assert asked.counts[:6].max() < asked.counts[11] / 2


def test_an_arm_that_lies_across_the_widest_gap_is_asked_for():
    """The two arms at the gap's ends alone would never end: between them lies the third."""
    policy = MaxGapPartition([*"lhmt"], groups=2, sigma=1.0)
    policy.tell(["l"] * 4000 + ["h"] * 4000 + ["t"] * 4000, [0] * 4000 + [2] * 4000 + [3.5] * 4000)
    policy.tell(["m"] * 8, [1.0] * 8)
    assert not policy.stopped
    assert policy.lower[2] < policy.upper[0]
    assert policy.upper[2] > policy.lower[1]
    assert "m" in policy.ask()
    while not policy.stopped:
        asked = policy.ask()
        policy.tell(asked * 50, [{"l": 0, "h": 2, "m": 1, "t": 3.5}[arm] for arm in asked * 50])
    assert policy.recommend().groups == ({"t"}, {"l", "m", "h"})


@given(SEEDS)
def test_it_asks_for_every_arm_that_stands_in_the_way_and_no_other(seed):
    rng = np.random.default_rng(seed)
    n_arms = int(rng.integers(2, 8))
    n = int(rng.integers(2, n_arms + 1))
    policy = MaxGapPartition(n_arms, groups=n, stopping=None)
    counts = rng.integers(1, 400, n_arms)
    arms = np.repeat(np.arange(n_arms), counts)
    policy.tell(arms, np.repeat(rng.normal(scale=2, size=n_arms), counts))
    look = cut(policy.arms, policy.means, policy.lower, policy.upper, n)
    widest = 0.0 if look.rival is None else look.rival.gap
    asked = set()
    for certain, sides in zip(look.certain, look.sides, strict=True):
        if certain <= widest:
            asked |= set(sides)
    for k in range(n):
        members = np.flatnonzero(look.group == k)
        if members.size > 1:
            bounds = gap_upper_bounds(policy.lower[members], policy.upper[members]).either
            asked |= set(members[bounds >= max(look.certain.min(), 0)].tolist())
    assert set(policy.ask()) == (asked or set(policy.arms))
    assert bool(asked) != look.certified


def test_at_a_large_delta_it_errs_less_than_that_and_with_false_intervals_more():
    """Two arms nearly tie, one is known, the other is looked at again and again."""

    def one_look(n, *, delta, n_arms, sigma):
        return 1.04 * sigma / np.sqrt(n)

    wrong = {}
    for confidence in ("normal-mixture", one_look):
        wrong[confidence] = 0
        for seed in range(100):
            rng = np.random.default_rng(seed)
            policy = MaxGapPartition(3, groups=3, delta=0.3, confidence=confidence)
            policy.tell([0] * 2000 + [2] * 2000, np.r_[np.zeros(2000), np.full(2000, 5.0)])
            while not policy.stopped and policy.counts[1] < 2000:
                more = max(1, int(policy.counts[1]) // 8)
                policy.tell([1] * more, 0.001 + rng.standard_normal(more))
            wrong[confidence] += policy.stopped and policy.recommend().groups[1] != {1}
    assert wrong["normal-mixture"] <= 30
    assert wrong[one_look] > 35


def test_two_groups_are_the_split_that_the_cluster_rule_certifies():
    means = [0.0, 0.2, 1.5, 1.6]
    for seed in range(5):
        policy = collected(means, 2, seed)
        again = maxgap.RoundRobin(4, sigma=0.5)
        again.tell(np.repeat(np.arange(4), policy.counts), np.repeat(policy.means, policy.counts))
        assert again.certified
        assert policy.recommend().groups == (again.recommend().top, again.recommend().bottom)
        assert policy.recommend().gaps[0] == pytest.approx(again.recommend().gap)


def test_a_batch_is_of_what_is_asked_for_the_least_sampled_first():
    policy = MaxGapPartition(MEANS, groups=3, sigma=0.5)
    policy.tell([*MEANS] * 9, [*MEANS.values()] * 9)
    policy.tell(["a"] * 5, [0.0] * 5)
    assert set(policy.batch(50)) == set(policy.ask())
    assert "a" in policy.ask()
    assert "a" not in policy.batch(len(policy.ask()) - 1)


def test_many_arms_end_too():
    gaps = np.full(89, 0.05)
    gaps[[20, 50, 70]] = 1.5, 1.2, 1.0
    policy = collected(np.r_[0, gaps.cumsum()], 4, 0, sigma=0.3)
    assert policy.certified
    assert [len(group) for group in policy.recommend().groups] == [19, 20, 30, 21]


# -- the answer, copies, the table -------------------------------------------------------------


def test_the_answer_stays_after_the_stop_and_there_is_none_before_all_arms_have_samples():
    policy = MaxGapPartition(MEANS, groups=3, sigma=0.01)
    policy.tell(["a", "b"], [0.0, 0.3])
    with pytest.raises(ValueError, match="no answer yet: 3 of 5"):
        policy.recommend()
    assert policy.report()["cluster"].tolist() == [""] * 5
    assert not policy.stopped
    policy.tell(["c", "d", "e"], [2.0, 2.2, 4.5])
    assert (policy.stopped, policy.certified) == (True, True)
    found = policy.recommend()
    assert found.groups == GROUPS
    assert found.gaps == pytest.approx((2.3, 1.7))
    policy.tell(["e"] * 9, [-9.0] * 9)
    assert policy.recommend() == found
    assert policy.report()["cluster"].tolist() == [3, 3, 2, 2, 1]


def test_without_a_rule_it_goes_on():
    policy = MaxGapPartition(MEANS, groups=3, sigma=0.01, stopping=None)
    policy.tell([*MEANS], [*MEANS.values()])
    assert (policy.stopped, policy.certified) == (False, False)
    assert policy.recommend().groups == GROUPS
    assert policy.ask() == [*MEANS]


def test_intervals_without_a_proof_stop_and_certify_nothing():
    policy = MaxGapPartition(MEANS, groups=3, sigma=0.001, confidence="authors-lil")
    policy.tell([*MEANS] * 50, [*MEANS.values()] * 50)
    assert (policy.stopped, policy.certified) == (True, False)


def test_copies_and_pickles_go_their_own_way():
    policy = MaxGapPartition(MEANS, groups=3, sigma=0.01)
    policy.tell(["a", "b"], [0.0, 0.3])
    for other in (copy.copy(policy), pickle.loads(pickle.dumps(policy))):
        other.tell(["c", "d", "e"], [2.0, 2.2, 4.5])
        assert other.recommend().groups == GROUPS
        assert pickle.loads(pickle.dumps(other)).recommend().groups == GROUPS
    assert policy.counts.tolist() == [1, 1, 0, 0, 0]


def test_a_table_is_gone_on_from_where_it_ends_and_certified_as_the_policy_says():
    rng = np.random.default_rng(3)
    table = pd.DataFrame({"item": [*MEANS] * 4, "stars": [*MEANS.values()] * 4})
    answer = maxgap.partition(table, arm="item", reward="stars", sigma=0.5, groups=3)
    assert not answer.certified
    policy = answer.policy()
    assert tuple(policy.ask()) == answer.next
    parts = [table]
    while not policy.stopped:
        asked = policy.ask() * 3
        stars = [MEANS[item] + 0.5 * rng.standard_normal() for item in asked]
        policy.tell(asked, stars)
        parts.append(pd.DataFrame({"item": asked, "stars": stars}))
    assert answer.policy().counts.sum() == 20
    ended = maxgap.partition(pd.concat(parts), arm="item", reward="stars", sigma=0.5, groups=3)
    assert ended.certified
    assert ended.groups == policy.recommend().groups == GROUPS
    assert ended.gaps == pytest.approx(policy.recommend().gaps)


# -- what is refused ---------------------------------------------------------------------------


@pytest.mark.parametrize("groups", [0, 1, -2, 2.0, "2", True, None, 6], ids=repr)
def test_numbers_of_groups_that_cannot_be_are_refused(groups):
    with pytest.raises(ValueError, match="groups must be"):
        MaxGapPartition(MEANS, groups=groups)


@given(st.sampled_from(["contrasts", "paper", "", 0, True]))
def test_other_rules_are_refused(stopping):
    with pytest.raises(ValueError, match="stopping must be 'clusters' or None"):
        MaxGapPartition(3, groups=2, stopping=stopping)


def test_files_and_runs_are_refused_with_what_to_do_instead(tmp_path):
    policy = MaxGapPartition(3, groups=2)
    with pytest.raises(ValueError, match=r"keep the rewards; partition\(...\)\.policy\(\) goes on"):
        policy.save(tmp_path / "policy.json")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(ValueError, match="must answer with a split"):
        simulate.run(policy, Problem([0.0, 0.1, 1.0]), budget=9, rng=np.random.default_rng(1))
