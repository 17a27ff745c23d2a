"""Labels, rewards, scales and numbers of every kind that people hand over.

What is taken comes back as it was given and counts exactly; what is not is refused by name, and
nothing has changed then.
"""

import datetime
import json
import math
import re
import sys
from decimal import Decimal
from fractions import Fraction

import joblib
import numpy as np
import pandas as pd
import pytest
from states import digest, sigmas_of

import maxgap
from maxgap import (
    MaxGapElim,
    MaxGapTop2UCB,
    MaxGapUCB,
    Problem,
    RoundRobin,
    SortThenSearch,
    hardness,
    simulate,
)


def named(value):
    """A name of a case that is the same in every process: no addresses, no order of a set."""
    text = repr(value)
    return type(value).__name__ if " at 0x" in text or isinstance(value, (set, frozenset)) else text


# -- labels come back as they were given -------------------------------------------------------

DAYS = np.array(["2020-01-01", "1969-07-20", "2038-01-19"], dtype="datetime64[D]")
RECORDS = np.array([(1, "x", 0.5), (2, "y", 0.25), (1, "y", 0.5)], dtype="i8,U3,f8")
RENAMED = np.array([(1, "x", 0.5)], dtype=[("a", "i8"), ("b", "U3"), ("c", "f8")])[0]
LABELS = {
    "list": ["x", "y", "z"],
    "tuple": (3, 1, 2),
    "range": range(5, 8),
    "keys": {"x": 1, "y": 2, "z": 3}.keys(),
    "values": {1: "x", 2: "y", 3: "z"}.values(),
    "dict": {"x": 1, "y": 2, "z": 3},
    "tuples": [("a", 1), ("a", 2), ("b", 1)],
    "frozensets": [frozenset("ab"), frozenset("a"), frozenset()],
    "dates": [datetime.date(2020, 1, day) for day in (1, 2, 3)],
    "datetimes": [datetime.datetime(2020, 1, 1, hour) for hour in (1, 2, 3)],
    "None": [None, "None", 0],
    "Decimal": [Decimal("0.1"), Decimal("0.2"), Decimal("0.10000000000000001")],
    "int8": np.array([1, -1, 7], np.int8),
    "uint64": np.array([0, 1, 2**64 - 1], np.uint64),
    "float16": np.array([0.1, 0.2, 0.3], np.float16),
    "float32": np.array([0.1, 0.2, 0.3], np.float32),
    "float64": np.array([0.1, 0.2, 0.1 + 0.2]),
    "longdouble": np.array([1, 2, 3], np.longdouble) / 3,
    "complex": np.array([1j, 2j, 1]),
    "strings": np.array(["x", "y", "längere"]),
    "bytes": np.array([b"x", b"y", b"zz"]),
    "objects": np.array(["x", 1, (2, 3)], dtype=object),
    "structured": RECORDS,
    "records": RECORDS.view(np.recarray),
    "Series": pd.Series(["x", "y", "z"], index=[9, 8, 7]),
    "string": pd.Series(["x", "y", "z"], dtype="string"),
    "category": pd.Series(["x", "y", "z"], dtype="category"),
    "Int64": pd.Series([3, 1, 2], dtype="Int64"),
    "Index": pd.Index(["x", "y", "z"]),
    "MultiIndex": pd.MultiIndex.from_tuples([("a", 1), ("a", 2), ("b", 1)]),
    "intervals": pd.interval_range(0, 3),
    "times": pd.Series(pd.to_datetime([1, 2, -(10**18)], unit="ns")),
    "times with a zone": pd.date_range("2020-10-25", periods=3, freq="h", tz="Europe/Berlin"),
    "durations": pd.to_timedelta([1, 2, 3], unit="ns"),
    "periods": pd.period_range("2020-01", periods=3, freq="M"),
    **{f"datetime64[{u}]": DAYS.astype(f"M8[{u}]") for u in ("ns", "us", "ms", "s", "m", "h", "D")},
    **{f"datetime64[{u}]": DAYS.astype(f"M8[{u}]") for u in ("W", "M", "Y", "25s")},
    **{f"timedelta64[{u}]": np.array([1, 2, -3], f"m8[{u}]") for u in ("ns", "s", "D", "M", "Y")},
}
every_kind = pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS.keys())

#: NumPy's scalars that become Python's own, equal ones.
PLAIN = (np.bool_, np.integer, np.floating, np.complexfloating, np.str_, np.bytes_)


def same(label, given):
    """Whether a label is what was given, of its kind."""
    if isinstance(given, PLAIN) and not isinstance(given, (np.timedelta64, np.longdouble)):
        return type(label) is type(given.item()) and label == given and hash(label) == hash(given)
    same_kind = type(label) is type(given)
    if isinstance(given, np.generic):
        same_kind = same_kind and label.dtype == given.dtype
    return same_kind and bool(label == given)


@every_kind
def test_labels_come_back_as_given_and_the_same_column_can_be_told(labels):
    policy = RoundRobin(labels)
    given = list(labels)
    for back in (policy.arms, policy.ask(), policy.report()["arm"].tolist()):
        assert len(back) == 3
        assert all(same(label, x) for label, x in zip(back, given, strict=True))
    policy.tell(labels, [1.0, 2.0, 9.0])
    policy.tell(policy.ask(), [1.0, 2.0, 9.0])
    policy.tell(policy.report()["arm"], [1.0, 2.0, 9.0])
    policy.tell(given[1], 2.0)
    policy.tell(policy.arms[1], 2.0)
    assert policy.counts.tolist() == [3, 5, 3]
    assert policy.means.tolist() == [1.0, 2.0, 9.0]
    (top,) = policy.recommend().top
    assert same(top, given[2])
    assert policy.recommend().bottom == set(policy.arms[:2])
    assert policy.report()["cluster"].tolist() == ["bottom", "bottom", "top"]


@every_kind
def test_labels_of_every_kind_repeated_are_refused(labels):
    with pytest.raises(ValueError, match=r"arms holds the label .* more than once"):
        RoundRobin([*labels, next(iter(labels))])


@every_kind
def test_what_json_cannot_hold_is_refused_before_anything_is_written(labels, tmp_path):
    policy = RoundRobin(labels)
    policy.tell(policy.arms, [1.0, 2.0, 3.0])
    path = tmp_path / "policy.json"
    if all(type(label) in (str, int, float) for label in policy.arms):
        policy.save(path)
        loaded = maxgap.load(path)
        assert [(type(x), x) for x in loaded.arms] == [(type(x), x) for x in policy.arms]
        loaded.tell(labels, [1.0, 2.0, 3.0])
        assert loaded.counts.tolist() == [2, 2, 2]
    else:
        with pytest.raises(ValueError, match="cannot be saved"):
            policy.save(path)
        assert list(tmp_path.iterdir()) == []


def test_a_record_stays_the_label_it_was_when_the_array_changes():
    records = RECORDS.copy()
    policy = RoundRobin(records)
    records[0] = (9, "?", 9.0)
    policy.tell(RECORDS[0], 1.0)
    assert policy.counts.tolist() == [1, 0, 0]


@pytest.mark.parametrize(
    ("labels", "told"),
    [
        ([1, 2], np.int64(1)),
        ([1, 2], 1.0),
        ([1, 2], np.array(1)),
        ([1, 2], Fraction(1)),
        (np.array([1, 2], np.uint8), 1),
        (["a", "b"], np.str_("a")),
        (["a", "b"], np.array("a")),
        (np.array([0.1, 0.2], np.float32), np.float32(0.1)),
        (np.array([0.1, 0.2], np.float32), float(np.float32(0.1))),
        ([True, "b"], np.True_),
        # One instant is one label, whatever counts it; NumPy's own hashes differ by version.
        (DAYS, np.datetime64("2020-01-01T00:00:00.000", "ms")),
        (DAYS.astype("M8[ns]"), np.datetime64("2020-01-01", "D")),
        (DAYS.astype("M8[Y]"), np.datetime64("2020-01-01T00", "h")),
        (DAYS, pd.Timestamp("2020-01-01")),
        (DAYS, datetime.datetime(2020, 1, 1)),
        (pd.DatetimeIndex(DAYS), DAYS[0]),
        (pd.date_range("2020", periods=2, tz="UTC"), pd.Timestamp("2020", tz="UTC")),
        (np.array([24, 48], "m8[h]"), pd.Timedelta(days=1)),
        (np.array([24, 48], "m8[h]"), datetime.timedelta(days=1)),
        (np.array([1, 2], "m8[Y]"), np.timedelta64(12, "M")),
        (np.array([1, 2], "M8[25s]"), np.datetime64(25, "s")),
    ],
    ids=named,
)
def test_equal_labels_are_the_same_label(labels, told):
    policy = RoundRobin(labels)
    policy.tell(told, 1.0)
    policy.tell([told[()] if isinstance(told, np.ndarray) else told], [1.0])
    assert policy.counts.tolist()[:2] == [2, 0]
    with pytest.raises(ValueError, match="more than once"):
        RoundRobin([*labels, told[()] if isinstance(told, np.ndarray) else told])


@pytest.mark.parametrize(
    ("labels", "told"),
    [
        ([0.1 + 0.2, 1.0], 0.3),
        ([0.1, 1.0], np.float32(0.1)),
        (np.array([0.1, 1.0], np.float32), 0.1),
        (np.array([0.1, 1.0], np.longdouble) / 3, 0.1 / 3),
        ([10**20, 1], 1e20 + 2**20),
        (["1", "2"], 1),
        ([1, 2], "1"),
        ([1, 2], True),
        ([1, 2], np.True_),
        ([True, 2], 1),
        ([0, 2], np.array([False])),
        (["a", "b"], b"a"),
        (np.array([b"a", b"b"]), "a"),
        (["a", "b"], "a "),
        (DAYS, np.datetime64("2020-01-01T00:00:00.000000001")),
        (DAYS, "2020-01-01"),
        (DAYS, 18262),
        (DAYS, np.timedelta64(18262, "D")),
        (DAYS, datetime.date(2020, 1, 1)),
        (DAYS, pd.Timestamp("2020-01-01", tz="UTC")),
        (DAYS, pd.NaT),
        (DAYS, np.datetime64("NaT")),
        (RECORDS, (1, "x", 0.5)),
        (RECORDS, RECORDS[["f0", "f1"]][0]),
        (RECORDS, RENAMED),
        (np.array([1, 2], "m8[M]"), np.timedelta64(30, "D")),
        (["a", None], math.nan),
        (["a", None], pd.NA),
    ],
    ids=named,
)
def test_labels_are_never_matched_approximately(labels, told):
    policy = RoundRobin(labels)
    several = told if isinstance(told, np.ndarray) else [told]
    with pytest.raises(ValueError, match="arms holds the unknown label"):
        policy.tell(several, [1.0])
    if not isinstance(told, np.ndarray):
        with pytest.raises(ValueError, match="arms holds the unknown label"):
            policy.tell(told, 1.0)
    assert policy.counts.sum() == 0


@pytest.mark.parametrize(
    "arms",
    [
        [1.0, math.nan],
        np.array([1.0, np.nan]),
        [1.0, Decimal("NaN")],
        [1.0, Decimal("sNaN")],
        np.array(["2020", "NaT"], "M8[ns]"),
        np.array([1, "NaT"], "m8[s]"),
        [pd.Timestamp("2020"), pd.NaT],
        [pd.NA, "b"],
        pd.Series(["a", pd.NA], dtype="string"),
        pd.Series([1, pd.NA], dtype="Int64"),
        pd.Series(["a", None], dtype="category"),
        pd.MultiIndex.from_tuples([("a", 1), ("b", np.nan)]),
        [("a", 1), ("b", pd.NA)],
        [("a", 1), ("b", (1, math.nan))],
        np.array([(1, 0.5), (2, math.nan)], dtype="i8,f8"),
        np.ma.array([1, 2], mask=[False, True]),
        [["a"], ["b"]],
        [{}, 1],
        np.array([b"ab", b"cd"], dtype="V2"),
        [RECORDS[0], RENAMED],  # of one hash, but NumPy cannot compare them
        np.array([[1, 2], [3, 4]]),
        np.array([["a", "b"]]),
        pd.DataFrame({"a": [1, 2], "b": [3, 4]}),
        {"a", "b"},
        frozenset({1, 2}),
        "ab",
        b"ab",
        "a",
        pd.NA,
        np.array([1, 2], "m8"),  # without a unit
        np.timedelta64(3, "s"),
        np.array("ab"),
        np.float64(3),
        True,
        np.True_,
        10**30,
        sys.maxsize,
        [],
        iter([1]),
    ],
    ids=named,
)
def test_what_cannot_be_labels_is_refused_by_name(arms):
    with pytest.raises(ValueError, match="arms"):
        RoundRobin(arms)


def test_a_count_may_be_any_whole_number_and_labels_may_come_one_by_one():
    for three in (3, np.int8(3), np.uint64(3), np.array(3)):
        assert RoundRobin(three).arms == [0, 1, 2]
    assert RoundRobin(x for x in "abc").arms == ["a", "b", "c"]
    assert RoundRobin(map(str, range(3))).arms == ["0", "1", "2"]


def test_a_label_of_a_lone_surrogate_is_saved(tmp_path):
    policy = RoundRobin(["\udcff", "b"])
    policy.save(tmp_path / "policy.json")
    assert maxgap.load(tmp_path / "policy.json").arms == ["\udcff", "b"]


# -- rewards -----------------------------------------------------------------------------------

NUMBERS = [
    2,
    2.0,
    True,
    Decimal("2"),
    Fraction(2),
    np.float16(2),
    np.float32(2),
    np.float64(2),
    np.longdouble(2),
    np.int8(2),
    np.uint64(2),
    np.True_,
    np.array(2),
    np.array(2.0, dtype=object),
    np.array(Decimal(2)),
    np.ma.array(2.0),
]


@pytest.mark.parametrize("number", NUMBERS, ids=named)
def test_every_real_number_is_a_reward(number):
    policy = RoundRobin(["x", "y"])
    value = float(number)
    policy.tell("x", number)
    policy.tell(["x", "y"], [number, 5])
    policy.tell(["y", "x"], [Decimal(5), number])
    policy.tell(["x"], np.array([number], dtype=object))
    policy.tell(["x"], pd.Series([number], dtype=object))
    assert policy.counts.tolist() == [5, 2]
    assert policy.means.tolist() == [value, 5.0]


@pytest.mark.parametrize(
    "rewards",
    [
        pd.Series([Decimal("1"), Decimal("2"), Decimal("3")]),
        pd.Series([1, 2, 3], dtype="Int64"),
        pd.Series([1, 2, 3], dtype="Float64"),
        pd.Series([1, 2, 3], dtype="category"),
        pd.Series([1, 2, 3], index=["z", "y", "x"]),
        pd.Index([1, 2, 3]),
        np.array([Decimal(1), Fraction(2), 3.0], dtype=object),
        np.ma.array([1, 2, 3]),
        [Decimal(1), Fraction(2), np.float32(3)],
        [np.array(1), np.array(2.0), 3],
        {"x": 1, "y": 2, "z": 3}.values(),
        {1: "x", 2: "y", 3: "z"}.keys(),
        range(1, 4),
        (1, 2, 3),
    ],
    ids=lambda rewards: f"{type(rewards).__name__} {getattr(rewards, 'dtype', '')}",
)
def test_rewards_in_every_kind_of_column_go_by_position(rewards):
    policy = RoundRobin(["x", "y", "z"])
    policy.tell(["x", "y", "z"], rewards)
    assert policy.means.tolist() == [1.0, 2.0, 3.0]


def test_views_generators_and_iterators_of_arms_and_rewards():
    told = {"x": 1.0, "y": 2.0, "z": 3.0}
    policy = RoundRobin(told)
    policy.tell(told.keys(), told.values())
    policy.tell(told, (x for x in told.values()))
    policy.tell(iter(told), iter(told.values()))
    policy.tell(*zip(*told.items(), strict=True))
    policy.tell(reversed(told.keys()), map(float, [3, 2, 1]))
    policy.tell((x for x in told), [1, 2, 3])
    policy.tell(pd.Series(told).index, pd.Series(told))
    assert policy.counts.tolist() == [7, 7, 7]
    assert policy.means.tolist() == [1.0, 2.0, 3.0]
    policy.tell(iter([]), iter([]))
    assert policy.counts.tolist() == [7, 7, 7]


@pytest.mark.parametrize(
    "reward",
    [
        Decimal("NaN"),
        Decimal("sNaN"),
        Decimal("Infinity"),
        Decimal("1e400"),
        Fraction(10**400),
        -(10**400),
        np.float16("inf"),
        np.longdouble("1e4000"),
        np.datetime64("2020"),
        np.timedelta64(1),
        np.timedelta64(1, "s"),
        datetime.timedelta(1),
        pd.Timedelta(1),
        pd.NaT,
        pd.NA,
        None,
        "1",
        np.str_("1"),
        b"1",
        1j,
        np.complex128(1),
        np.array("1"),
        np.array([1.0]),
        np.array(np.nan),
        [1.0],
        (1.0,),
        np.ma.masked,
        np.ma.array(1.0, mask=True),
        np.array([(1,)], dtype="i8,")[0],
    ],
    ids=named,
)
def test_what_is_no_real_number_is_refused_with_its_arm_and_nothing_is_taken(reward):
    policy = RoundRobin(["x", "y"])
    filled = np.empty(3, dtype=object)
    filled[:] = [1.0, 2.0, 3.0]
    filled[1] = reward
    for rewards in ([1.0, reward, 2.0], [Decimal(1), reward, 2], (1.0, reward, 2.0), filled):
        with pytest.raises(ValueError, match=r"(?s)reward .* of arm 'y'"):
            policy.tell(["x", "y", "x"], rewards)
        with pytest.raises(ValueError, match=r"(?s)reward .* of arm 'y'"):
            policy.tell(["x", "y", "x"], iter(rewards))
    if np.ndim(reward) == 0:
        with pytest.raises(ValueError, match=r"(?s)reward .* of arm 'x'"):
            policy.tell("x", reward)
    assert policy.counts.tolist() == [0, 0]


@pytest.mark.parametrize(
    ("rewards", "reason"),
    [
        ({1.0, 2.0}, "rewards is a set, which has no order"),
        (frozenset({1.0, 2.0}), "rewards is a set, which has no order"),
        ({"x": 1.0, "y": 2.0}, "rewards is a mapping"),
        (np.array([[1.0, 2.0]]), "rewards must be one-dimensional"),
        (pd.DataFrame({"x": [1.0, 2.0]}), "rewards must be one-dimensional"),
        ([1.0, 2.0, 3.0], "equal lengths, got 2 and 3"),
        (iter([1.0]), "equal lengths, got 2 and 1"),
        ("12", "arms"),
        (np.array([1, 2], "m8[s]"), r"reward .* of arm 'x'"),
        (np.array(["1", "2"]), r"reward .* of arm 'x'"),
        (RECORDS[:2], r"reward .* of arm 'x'"),
    ],
    ids=named,
)
def test_rewards_without_an_order_or_of_another_shape_are_refused(rewards, reason):
    policy = RoundRobin(["x", "y"])
    with pytest.raises(ValueError, match=reason):
        policy.tell(["x", "y"], rewards)
    assert policy.counts.tolist() == [0, 0]


@pytest.mark.parametrize(
    "arms", [{"x", "y"}, np.array([["x", "y"]]), pd.DataFrame({"x": [1, 2]}), "xy", 1, None]
)
def test_arms_without_an_order_or_of_another_shape_are_refused(arms):
    policy = RoundRobin(["x", "y"])
    with pytest.raises(ValueError, match="arms"):
        policy.tell(arms, [1.0, 2.0])
    assert policy.counts.tolist() == [0, 0]


def test_masked_rewards_are_refused_in_every_form():
    policy = RoundRobin(["x", "y"])
    masked = np.ma.array([1, 2], mask=[False, True])
    for rewards in (masked, list(masked), iter(masked), masked.astype(object)):
        with pytest.raises(ValueError, match=r"of arm 'y'"):
            policy.tell(["x", "y"], rewards)
    with pytest.raises(ValueError, match="arms holds the unknown label masked"):
        policy.tell(["x", np.ma.masked], [1.0, 2.0])
    assert policy.counts.tolist() == [0, 0]


# -- scales and probabilities ------------------------------------------------------------------

HALVES = [
    0.5,
    Decimal("0.5"),
    Fraction(1, 2),
    np.float16(0.5),
    np.float32(0.5),
    np.longdouble(0.5),
    np.array(0.5),
    np.array(Decimal("0.5")),
]


@pytest.mark.parametrize("half", HALVES, ids=named)
def test_a_half_is_a_half_wherever_a_scale_or_a_probability_is_taken(half, tmp_path):
    policy = MaxGapUCB(3, delta=half, sigma=half, c=half)
    same = MaxGapUCB(3, delta=0.5, sigma=0.5, c=0.5)
    for each in (policy, same):
        each.tell([0, 1, 2], [0.0, 1.0, 2.0])
    policy.save(tmp_path / "one.json")
    same.save(tmp_path / "other.json")
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "other.json").read_bytes()
    assert sigmas_of(MaxGapUCB(2, sigma=[half, 1])) == [0.5, 1.0]
    for name in maxgap.confidence.RADII:
        assert maxgap.confidence.radius(
            name, 7, delta=half, n_arms=3, sigma=half
        ) == maxgap.confidence.radius(name, 7, delta=0.5, n_arms=3, sigma=0.5)
    assert maxgap.confidence.guarantees("paper", half)
    assert Problem([0, half], half) == Problem([0, 0.5], 0.5)
    assert maxgap.problems.two_large_gaps(half) == maxgap.problems.two_large_gaps(0.5)
    assert maxgap.problems.four_arms(half, 1.0) == maxgap.problems.four_arms(0.5, 1.0)
    four = maxgap.problems.four_arms_alternative
    assert four(half, 1.0, arm=1) == four(0.5, 1.0, arm=1)
    family = maxgap.problems.stopping_time_family
    assert family(half, half) == family(0.5, 0.5)
    large = maxgap.problems.one_large_gap
    assert large(1, 2, 1.0, half) == large(1, 2, 1.0, 0.5)
    assert hardness.lower_bound(half, 0.1, sigma=half) == hardness.lower_bound(0.5, 0.1, sigma=0.5)
    assert hardness.sample_bound([0, 1, 3], half, sigma=half) == hardness.sample_bound(
        [0, 1, 3], 0.5, sigma=0.5
    )


@pytest.mark.parametrize(
    "value",
    [
        Decimal("NaN"),
        Decimal("sNaN"),
        Decimal("1e-400"),
        Fraction(1, 10**400),
        np.longdouble("1e-4000"),
        Decimal("-0.5"),
        "0.5",
        np.str_("0.5"),
        True,
        np.True_,
        None,
        pd.NA,
        0.5j,
        np.timedelta64(1),
        np.ma.masked,
        np.ma.array(0.5, mask=True),
        {0.5},
        {0: 0.5},
    ],
    ids=named,
)
def test_what_is_no_positive_number_is_no_scale_and_no_probability(value):
    for name, call in (
        ("delta", lambda: MaxGapUCB(3, delta=value)),
        ("sigma", lambda: MaxGapUCB(3, sigma=value)),
        ("sigma", lambda: MaxGapUCB(3, sigma=[Decimal(1), value, 1.0])),
        ("c must", lambda: MaxGapUCB(3, c=value)),
        ("delta", lambda: maxgap.confidence.radius("lil", 1, delta=value, n_arms=2)),
        ("sigma", lambda: maxgap.confidence.radius("lil", 1, delta=0.1, n_arms=2, sigma=value)),
        ("sigma", lambda: Problem([0, 1], value)),
        ("delta", lambda: hardness.lower_bound(0.1, value)),
        ("sigma", lambda: hardness.lower_bound(0.1, 0.1, sigma=value)),
    ):
        with pytest.raises(ValueError, match=name):
            call()


def test_a_probability_that_rounds_to_one_is_refused():
    with pytest.raises(ValueError, match="delta"):
        MaxGapUCB(3, delta=1 - Fraction(1, 10**20))


@pytest.mark.parametrize(
    "sigma",
    [
        {"c": 3.0, "a": 1.0, "b": 2.0},
        pd.Series([3.0, 1.0, 2.0], index=["c", "a", "b"]),
        pd.Series([Decimal(3), Decimal(1), Decimal(2)], index=["c", "a", "b"]),
        pd.Series([2, 1, 3], index=pd.Index(["b", "a", "c"], dtype="string"), dtype="Int64"),
        pd.Series({"a": 1, "b": 2, "c": 3}, dtype="float32"),
        [1, 2, 3],
        {"x": 1, "y": 2, "z": 3}.values(),
        iter([1, 2, 3]),
        pd.Series([3.0, 1.0, 2.0], index=["c", "a", "b"]).sort_index().to_numpy(),
        pd.Index([1, 2, 3]),
    ],
    ids=named,
)
def test_a_sigma_with_labels_goes_by_label_and_one_without_by_position(sigma, tmp_path):
    policy = MaxGapUCB(["a", "b", "c"], sigma=sigma)
    assert sigmas_of(policy) == [1.0, 2.0, 3.0]
    policy.save(tmp_path / "policy.json")
    assert sigmas_of(maxgap.load(tmp_path / "policy.json")) == [1.0, 2.0, 3.0]


def test_the_index_of_a_sigma_may_count_arms_that_are_counted():
    assert sigmas_of(MaxGapUCB(3, sigma=pd.Series([1, 2, 3]))) == [1.0, 2.0, 3.0]
    backwards = pd.Series([1, 2, 3], index=[2, 1, 0])
    assert sigmas_of(MaxGapUCB(3, sigma=backwards)) == [3.0, 2.0, 1.0]
    assert sigmas_of(MaxGapUCB(DAYS, sigma=pd.Series([1, 2, 3], DAYS))) == [1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    "sigma",
    [
        pd.Series([1.0, 2.0, 3.0]),
        pd.Series([1.0, 2.0], index=["a", "b"]),
        pd.Series([1.0, 2.0, 3.0, 4.0], index=["a", "b", "c", "d"]),
        pd.Series([1.0, 2.0, 3.0], index=["a", "b", "b"]),
        pd.Series([1.0, 2.0, 3.0, 3.0], index=["a", "b", "c", "c"]),
        pd.Series([1.0], index=["a"]),
        pd.DataFrame({"a": [1.0], "b": [1.0], "c": [1.0]}),
        {"a": 1.0},
        {},
        {"a": 1.0, "b": 1.0, "c": None},
        {"a": 1.0, "b": 1.0, "C": 1.0},
    ],
    ids=named,
)
def test_a_sigma_whose_labels_are_not_those_of_the_arms_is_refused(sigma):
    with pytest.raises(ValueError, match="sigma"):
        MaxGapUCB(["a", "b", "c"], sigma=sigma)


def test_the_reason_says_how_to_give_a_sigma_by_position():
    with pytest.raises(ValueError, match=r"by position give the values alone.*unknown label 0"):
        MaxGapUCB(["a", "b", "c"], sigma=pd.Series([1.0, 2.0, 3.0]))


def test_a_problem_reads_columns_by_position_and_two_of_them_must_agree():
    means = pd.Series([0.0, 1.0, 3.0], index=["a", "b", "c"])
    sigma = pd.Series([1.0, 2.0, 3.0], index=["a", "b", "c"])
    problem = Problem(means, sigma)
    assert problem.means.tolist() == [0.0, 1.0, 3.0]
    assert problem.sigmas.tolist() == [1.0, 2.0, 3.0]
    assert Problem(means, [1, 2, 3]) == Problem([0, 1, 3], sigma) == problem
    assert Problem({"a": 0, "b": 1, "c": 3}.values(), [1, 2, 3]) == problem
    with pytest.raises(ValueError, match=r"sigma: its index is not that of means"):
        Problem(means, sigma[::-1])
    for means in ({"a": 0, "b": 1}, {0, 1}, np.ma.array([0, 1], mask=[0, 1]), [pd.NA, 1], "01"):
        with pytest.raises(ValueError, match="means"):
            Problem(means)


# -- numbers of a study ------------------------------------------------------------------------

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


# -- labels of policies ------------------------------------------------------------------------


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


# -- what a saved state must be ----------------------------------------------------------------


def in_progress(cls=MaxGapTop2UCB, rounds=2, **settings):
    policy = cls(["a", "b", "c"], sigma=0.1, **settings)
    for k in range(rounds):
        policy.tell(["a", "b", "c"], [0.0, 0.1 + 0.01 * k, 1.0])
    return policy


def ended(cls=MaxGapTop2UCB, rounds=1, **settings):
    """A policy that has stopped, and then been told some more."""
    policy = cls(["a", "b", "c"], sigma=0.01, **settings)
    while not policy.stopped:
        asked = policy.ask()
        policy.tell(asked, [{"a": 0.0, "b": 0.1, "c": 1.0}[label] for label in asked])
    for _ in range(rounds):
        policy.tell(["a", "b", "c"], [0.0, 0.1, 1.0])
    return policy


def forge(policy, tmp_path, changes):
    """A file of this policy with changes that nothing but their meaning gives away."""
    path = tmp_path / "forged.json"
    policy.save(path)
    maxgap.load(path)
    document = json.loads(path.read_text(encoding="utf-8"))
    content = document["policy"]
    for name, change in changes.items():
        content[name] = change(content[name]) if callable(change) else change
    document["sha256"] = digest(content)
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def entry(place, change):
    return lambda values: [*values[:place], change(values[place]), *values[place + 1 :]]


FORGERIES = {
    "a stop without a rule": (ended(stopping="paper"), {"stopping": None}),
    "a certificate of what is not apart, nested": (
        ended(nested=True),
        {"top": [True, False, True]},
    ),
    "another answer right after a stop": (ended(rounds=0), {"top": [True, False, True]}),
    "an unproved stop by a rule that does not hold": (
        # Three arms and c = 2 stop in round one, though no gap is certain.
        (lambda p: p.tell(["a", "b", "c"], [0.0, 0.1, 1.0]) or p)(
            MaxGapUCB(["a", "b", "c"], stopping="literal", c=2.0)
        ),
        {"stopping": "paper"},
    ),
    "a proved rule in place of an unproved one that holds": (
        (lambda p: p.tell(["a", "b", "c"], [0.0, 0.1, 1.0]) or p)(
            MaxGapUCB(["a", "b", "c"], stopping="literal", c=2.0)
        ),
        {"stopping": "clusters"},
    ),
    "an answer of everything": (ended(), {"top": [True] * 3}),
    "an empty answer": (ended(), {"top": [False] * 3}),
    "a stop that has not come": (in_progress(rounds=1), {"top": [False, False, True]}),
    "a stop that has come": (ended(), {"top": None}),
    "intervals where counts and means give them": (
        MaxGapTop2UCB(["a", "b"]),
        {"lower": [None, None], "upper": [None, None]},
    ),
    "a finite interval without a sample": (
        MaxGapTop2UCB(["a", "b"], nested=True),
        {"lower": [0.0, None], "upper": [1.0, None]},
    ),
    "a mean without a sample": (MaxGapTop2UCB(["a", "b"]), {"means": [0.5, 0.0]}),
    "an infinite interval with a sample": (
        in_progress(nested=True),
        {"lower": entry(0, lambda x: None)},
    ),
    "a nested interval wider than the radius": (
        in_progress(nested=True),
        {"upper": entry(1, lambda x: x + 1e-3)},
    ),
    "a moved mean": (in_progress(nested=True), {"means": entry(1, lambda x: x + 1e-3)}),
    "a count with its nested interval left": (in_progress(nested=True), {"counts": [2, 2, 3]}),
    "another delta": (in_progress(nested=True), {"delta": 0.06}),
    "another sigma": (in_progress(nested=True), {"sigma": 0.09}),
    "another radius": (in_progress(nested=True), {"confidence": "authors-lil"}),
    "an arm eliminated by nothing": (
        in_progress(MaxGapElim, rounds=1, stopping=None),
        {"active": [False, True, True]},
    ),
    "an arm eliminated by another policy": (in_progress(), {"active": [False, True, True]}),
    "a stop by search before the search": (ended(SortThenSearch), {"sequence": None}),
    "a search that has come": (ended(SortThenSearch), {"sequence": None, "top": None}),
    "a stop while an arm has no sample": (
        (lambda p: p.tell(["a"] * 3, [0.0] * 3) or p)(MaxGapTop2UCB(["a", "b"])),
        {"top": [True, False]},
    ),
    "a stop without the look that comes before": (
        ended(stopping="contrasts"),
        {"last_look": 0},
    ),
    "a search by another policy": (in_progress(), {"sequence": [0, 1, 2]}),
    "a crossing that is not nested": (in_progress(), {"crossed": True}),
    "a look under another rule": (in_progress(), {"last_look": 1}),
    "a look under another rule, rewards kept": (
        in_progress(maxgap.MaxGapContrasts, stopping="clusters"),
        {"last_look": 1},
    ),
    "a look yet to come": (in_progress(stopping="contrasts"), {"last_look": 7}),
    "labels by number": (RoundRobin(3), {"arms": 3}),
    "labels in a mapping": (RoundRobin(["a", "b"]), {"arms": {"a": 1, "b": 2}}),
    "a sigma by label": (RoundRobin(["a", "b"]), {"sigma": {"a": 1.0, "b": 1.0}}),
    "a factor of another policy": (in_progress(), {"c": 6.0}),
    "an entry that no policy writes": (in_progress(), {"more": 1}),
}


@pytest.mark.parametrize(("policy", "changes"), FORGERIES.values(), ids=FORGERIES.keys())
def test_a_state_that_its_own_numbers_contradict_is_refused(policy, changes, tmp_path):
    path = forge(policy, tmp_path, changes)
    with pytest.raises(ValueError, match=r"forged\.json.*is not a saved policy"):
        maxgap.load(path)


# -- bounds in place of sigma --------------------------------------------------------------------

EVERY = [RoundRobin, SortThenSearch, MaxGapElim, MaxGapUCB, MaxGapTop2UCB, maxgap.MaxGapContrasts]


def three_groups(arms, **settings):
    return maxgap.MaxGapPartition(arms, groups=3, **settings)


@pytest.mark.parametrize("cls", [*EVERY, three_groups, maxgap.Policy])
def test_rewards_outside_the_bounds_are_refused_and_nothing_is_taken(cls):
    policy = cls([*"abc"], bounds=(1, 5), confidence="empirical-bernstein")
    policy.tell([*"abc"], [1, 3, 5])
    before = policy.report()
    for bad in (5.5, np.nextafter(1, 0), -1e300):
        said = re.escape(f"rewards holds {float(bad)!r} of arm 'b', outside the bounds 1 to 5")
        with pytest.raises(ValueError, match=f"^{said}$"):
            policy.tell([*"aabc"], [2, 2, bad, 9])
        assert policy.report().equals(before)
    policy.tell("a", 5)
    assert policy.counts.tolist() == [2, 1, 1]


@pytest.mark.parametrize("cls", [*EVERY, three_groups, maxgap.Policy])
@pytest.mark.parametrize("sigma", [2.0, [1, 1, 2], {"a": 1, "b": 1, "c": 1}], ids=str)
def test_bounds_with_sigma_are_refused(cls, sigma):
    with pytest.raises(ValueError, match=r"^give bounds or sigma, got bounds \(1, 5\) and sigma "):
        cls([*"abc"], bounds=(1, 5), sigma=sigma)


@pytest.mark.parametrize(
    "bounds", [(5, 1), (1, 1), (1, math.inf), (1, math.nan), 5, (1, 2, 3), "15"]
)
def test_bounds_that_are_none_are_refused(bounds):
    with pytest.raises(ValueError, match=r"^bounds must be two numbers, the smaller first, got "):
        RoundRobin(2, bounds=bounds)


@pytest.mark.parametrize("cls", EVERY)
def test_bounds_are_as_half_their_width_for_sigma_and_are_saved(cls, tmp_path):
    rng = np.random.default_rng(0)
    for confidence in ("normal-mixture", "empirical-bernstein"):
        how = {"confidence": confidence, "stopping": "clusters"}
        policy, other = cls([*"abc"], bounds=(1, 5), **how), cls([*"abc"], sigma=2.0, **how)
        for _ in range(20):
            asked = policy.ask()
            rewards = rng.uniform(1, 2, len(asked)) + [3 * (arm == "c") for arm in asked]
            policy.tell(asked, rewards)
            other.tell(asked, rewards)
            assert policy.report().equals(other.report())
            assert policy.ask() == other.ask()
        policy.save(tmp_path / "policy.json")
        loaded = maxgap.load(tmp_path / "policy.json")
        assert loaded.report().equals(policy.report())
        with pytest.raises(ValueError, match="outside the bounds 1 to 5"):
            loaded.tell("a", 5.1)
        other.tell("a", 2.0)
        loaded.tell("a", 2.0)
        assert loaded.report().equals(other.report())
