"""What a study is given: numbers, seeds, workers and labels of every kind."""

import datetime
import math
import sys
from decimal import Decimal

import joblib
import numpy as np
import pandas as pd
import pytest

from maxgap import (
    MaxGapTop2UCB,
    Problem,
    RoundRobin,
    simulate,
)

# -- numbers of a study ----------------------------------------------------------------------------


def named(value):
    """A name of a case that is the same in every process: no addresses, no order of a set."""
    text = repr(value)
    return type(value).__name__ if " at 0x" in text or isinstance(value, (set, frozenset)) else text


PROBLEM = Problem([0.0, 0.1, 1.0], sigma=0.05)
GOOD = {
    "policies": {"p": MaxGapTop2UCB(3, sigma=0.05)},
    "problem": PROBLEM,
    "budget": 60,
    "replicates": 3,
    "checkpoints": 2,
    "seed": 1,
    "n_jobs": 1,
}


def assert_same(one, other):
    for name in ("wrong", "counts", "counts_sd", "stop_rows"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


@pytest.mark.parametrize("budget", [sys.maxsize, 2**63 - 1, np.int64(2**62), np.uint64(2**63 - 1)])
def test_a_budget_of_any_size_that_a_count_holds_works(budget):
    study = simulate.replicate(**GOOD | {"budget": budget, "checkpoints": 1000})
    assert study.checkpoints[-1] == budget
    assert (np.diff(study.checkpoints) > 0).all()
    exact = [k * int(budget) // 1000 for k in range(1, 1001)]
    assert study.checkpoints.tolist() == exact
    assert study.stops["stopped"].all()
    assert (study.stops["samples"] < 1000).all()
    rng = np.random.default_rng(1)
    run = simulate.run(GOOD["policies"]["p"], PROBLEM, budget=budget, rng=rng)
    assert run.stopped
    looks = simulate.replicate(**GOOD | {"budget": budget, "checkpoints": [5, int(budget)]})
    assert looks.checkpoints.tolist() == [5, int(budget)]


TOO_LARGE = [2**63, 2**64, 10**30, np.uint64(2**63)]
NO_NUMBERS = [0, -1, 1.5, 2.0, True, np.True_, "3", None, math.nan, np.float64(2), Decimal(2)]
NO_NUMBERS += [np.timedelta64(3), pd.NA, 1j, [2], np.array([2])]


@pytest.mark.parametrize("value", [*TOO_LARGE, *NO_NUMBERS], ids=named)
def test_a_budget_that_no_count_holds_is_refused_by_name(value):
    with pytest.raises(ValueError, match="budget"):
        simulate.replicate(**GOOD | {"budget": value})
    rng = np.random.default_rng(1)
    with pytest.raises(ValueError, match="budget"):
        simulate.run(GOOD["policies"]["p"], PROBLEM, budget=value, rng=rng)


@pytest.mark.parametrize("value", [*TOO_LARGE, *NO_NUMBERS, sys.maxsize, 10**9], ids=named)
def test_replicates_that_no_memory_holds_are_refused_by_name(value):
    with pytest.raises(ValueError, match="replicates"):
        simulate.replicate(**GOOD | {"replicates": value})
    study = simulate.replicate(**GOOD)
    with pytest.raises(ValueError, match="resamples"):
        study.samples_to_error(0.5, resamples=value)


@pytest.mark.parametrize(
    "value",
    [
        *[x for x in (*TOO_LARGE, *NO_NUMBERS) if not isinstance(x, list | np.ndarray)],
        61,
        [61],
        [2**63],
        [10**30],
        [1, 1.5],
        [True, 2],
        [1, np.timedelta64(2)],
        np.array([1.0, 2.0]),
        np.array([[1, 2]]),
        [2, 1],
        {},
        "12",
    ],
    ids=named,
)
def test_checkpoints_that_are_none_are_refused_by_name(value):
    with pytest.raises(ValueError, match="checkpoints"):
        simulate.replicate(**GOOD | {"checkpoints": value})


def test_numbers_may_be_those_of_numpy_and_checkpoints_may_come_one_by_one():
    plain = simulate.replicate(**GOOD)
    numpy = {"budget": np.int32(60), "replicates": np.uint8(3), "seed": np.int64(1)}
    for checkpoints in (np.int16(2), np.array(2), np.array([30, 60], np.uint8), iter([30, 60])):
        assert_same(plain, simulate.replicate(**GOOD | numpy | {"checkpoints": checkpoints}))


@pytest.mark.parametrize("seed", [2**64, 10**30, 2**4000, np.uint64(2**64 - 1)])
def test_seeds_may_be_of_any_size(seed):
    noisy = GOOD | {"problem": Problem([0, 0.1, 0.3], 1.0), "replicates": 40}
    one, again = (simulate.replicate(**noisy | {"seed": seed}) for _ in range(2))
    assert_same(one, again)
    other = simulate.replicate(**noisy | {"seed": int(seed) + 1})
    assert (one.wrong != other.wrong).any()


@pytest.mark.parametrize("seed", [x for x in NO_NUMBERS if not isinstance(x, int) or x < 0])
def test_a_seed_that_is_none_is_refused_by_name(seed):
    with pytest.raises(ValueError, match="seed"):
        simulate.replicate(**GOOD | {"seed": seed})


@pytest.mark.parametrize(
    "n_jobs", [0, 1.5, 1.0, True, False, "2", math.nan, [1], np.timedelta64(1)]
)
def test_a_number_of_workers_that_is_none_is_refused_by_name(n_jobs):
    with pytest.raises(ValueError, match="n_jobs"):
        simulate.replicate(**GOOD | {"n_jobs": n_jobs})


@pytest.mark.parametrize("n_jobs", [1, np.int64(2), -1, -1000, -(10**30), 10**6, 10**30, None])
def test_any_other_number_of_workers_gives_the_same_tables(n_jobs):
    plain = simulate.replicate(**GOOD)
    assert_same(plain, simulate.replicate(**GOOD | {"n_jobs": n_jobs}))
    with joblib.parallel_config(backend="threading", n_jobs=2):
        assert_same(plain, simulate.replicate(**GOOD | {"n_jobs": n_jobs}))


# -- labels of policies ----------------------------------------------------------------------------


def test_any_labels_that_tables_can_hold_name_policies_even_one_policy_twice():
    policy = RoundRobin(3)
    labels = [("a", 1), ("a", 2), "a", 1, frozenset("b"), 2.5, datetime.date(2020, 1, 1), ()]
    study = simulate.replicate(**GOOD | {"policies": dict.fromkeys(labels, policy)})
    assert study.labels == tuple(labels)
    for table, times in (
        (study.errors, 2),
        (study.stops, 3),
        (study.samples_to_error(0.5, resamples=10), 1),
    ):
        column = table["policy"].tolist()
        expected = [label for label in labels for _ in range(times)]
        assert [(type(x), x) for x in column] == [(type(x), x) for x in expected]
    others = study.speedup(("a", 2), 0.5, resamples=10)["policy"].tolist()
    assert others == [label for label in labels if label != ("a", 2)]
    # One policy under two labels has rewards of its own under each.
    noisy = simulate.replicate(
        **GOOD
        | {"policies": {"x": policy, "y": policy}, "problem": Problem([0, 0.1, 0.3], 1.0)}
        | {"replicates": 40}
    )
    assert (noisy.wrong[0] != noisy.wrong[1]).any()


@pytest.mark.parametrize(
    "label", [None, math.nan, pd.NA, pd.NaT, np.datetime64("NaT"), ("a", math.nan)], ids=named
)
def test_a_label_that_a_table_takes_for_missing_is_refused_before_any_run(label, monkeypatch):
    monkeypatch.setattr(simulate, "_piece", None)
    with pytest.raises(ValueError, match=r"policies holds the label"):
        simulate.replicate(**GOOD | {"policies": {"a": RoundRobin(3), label: RoundRobin(3)}})
