"""Many questions at once: as asking one by one would give them."""

from collections import Counter

import numpy as np
import pytest
import states as core
from hypothesis import given
from hypothesis import strategies as st

from maxgap import MaxGapTop2UCB, RoundRobin


def test_the_next_questions_go_to_the_arms_with_the_fewest_that_wait():
    policy = RoundRobin(["a", "b", "c"])
    assert policy.batch(7) == ["a", "b", "c", "a", "b", "c", "a"]
    assert policy.batch(3, pending=["a", "a", "b"]) == ["c", "b", "c"]
    assert policy.batch(2, pending=iter(["a"])) == ["b", "c"]
    assert policy.batch(3, pending={"a": 2, "b": 1}) == ["c", "b", "c"]
    policy.tell(["a", "b", "c", "c"], [0.0, 0.0, 0.0, 0.0])
    assert policy.batch(1) == ["a"]


@pytest.mark.parametrize("size", [1, 2, 5, 40])
def test_a_batch_is_what_asking_one_by_one_would_give(size):
    rng = np.random.default_rng(size)
    for _ in range(50):
        policy = MaxGapTop2UCB(6, sigma=0.5, stopping=None)
        told = rng.permutation(np.repeat(range(6), rng.integers(1, 5, 6)))
        policy.tell(told, rng.normal(told, 0.5))
        pending = rng.integers(0, 6, rng.integers(0, 9)).tolist()
        counts, asked = policy.counts, policy.ask()
        now = np.bincount(pending, minlength=6)
        for arm in policy.batch(size, pending):
            assert (now[arm], counts[arm], arm) == min((now[k], counts[k], k) for k in asked)
            now[arm] += 1
        assert now.sum() == size + len(pending)


numbers = st.lists(st.integers(0, 6), min_size=8, max_size=8).map(np.array)


@given(st.integers(1, 60), st.sets(st.integers(0, 7)).map(sorted), numbers, numbers)
def test_shares_are_a_batch_counted_in_the_order_of_its_first_questions(size, arms, counts, waits):
    listed = Counter(core.spread(size, arms, counts, waits))
    assert list(core.shares(size, arms, counts, waits).items()) == list(listed.items())


@given(st.integers(1, 10**30), numbers)
def test_shares_of_any_size_leave_arms_as_even_as_can_be(size, waits):
    shares = core.shares(size, range(8), np.zeros(8, dtype=int), waits)
    assert sum(shares.values()) == size
    levels = [int(waits[arm]) + n for arm, n in shares.items()]
    assert max(levels) - min(levels) <= 1
    assert all(waits[arm] >= max(levels) - 1 for arm in set(range(8)) - set(shares))


@pytest.mark.parametrize("size", [0, -1, 1.5, True, "3", None])
def test_a_size_that_is_none_is_refused(size):
    with pytest.raises(ValueError, match="size must be a whole number"):
        RoundRobin(2).batch(size)


@pytest.mark.parametrize("pending", [None, 5, "ab", {"a": -1}, {"a": 0.5}, [["a"]], np.array(1)])
def test_what_does_not_say_which_arms_wait_is_refused(pending):
    with pytest.raises(ValueError, match="pending"):
        RoundRobin(["a", "b", "ab"]).batch(2, pending)


def test_an_unknown_pending_arm_is_refused_and_nothing_is_asked_once_stopped():
    policy = RoundRobin(["a", "b"], sigma=0.1)
    with pytest.raises(ValueError, match="unknown label 'x'"):
        policy.batch(2, pending=["x"])
    policy.tell(["a", "b"] * 5, [0.0, 1.0] * 5)
    assert policy.stopped
    assert policy.batch(3) == []
