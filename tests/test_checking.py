"""What people hand over: labels, rewards, scales, settings of every kind, and what is refused."""

import datetime
import math
import re
import sys
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from states import sigmas_of

import maxgap
from maxgap import (
    MaxGapElim,
    MaxGapTop2UCB,
    MaxGapUCB,
    RoundRobin,
    SortThenSearch,
)


def named(value):
    """A name of a case that is the same in every process: no addresses, no order of a set."""
    text = repr(value)
    return type(value).__name__ if " at 0x" in text or isinstance(value, (set, frozenset)) else text


# -- labels come back as they were given -----------------------------------------------------------

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


# -- rewards ---------------------------------------------------------------------------------------


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


# -- scales and probabilities ----------------------------------------------------------------------


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


# -- bounds in place of sigma ----------------------------------------------------------------------

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


# -- rewards that are no numbers -------------------------------------------------------------------

CLASSES = [RoundRobin, SortThenSearch, MaxGapElim, MaxGapUCB, MaxGapTop2UCB]
every_policy = pytest.mark.parametrize("cls", CLASSES)

NO_REWARDS = [
    math.nan,
    math.inf,
    -math.inf,
    None,
    "0.5",
    b"0.5",
    1j,
    1e301,
    10**400,
    pd.NA,
    pd.NaT,
    np.datetime64("2020-01-01"),
    Decimal("NaN"),
    np.longdouble("1e4000"),
    [0.5],
    {},
    Ellipsis,
]


def saved(policy, tmp_path):
    """The text of the file that the policy saves."""
    path = tmp_path / "policy.json"
    policy.save(path)
    return path.read_text(encoding="utf-8")


@pytest.mark.parametrize("reward", NO_REWARDS, ids=repr)
@pytest.mark.parametrize("place", [0, 4, 9])
def test_a_reward_that_is_no_finite_number_leaves_everything_as_it_was(reward, place, tmp_path):
    policy = MaxGapTop2UCB(["left", "mid", "right"], sigma=0.1)
    policy.tell(["left", "mid", "right", "left", "mid"], [0.1, 0.2, 0.9, 0.15, 0.25])
    before = saved(policy, tmp_path)
    with pytest.raises(ValueError, match="reward"):
        policy.tell("mid", reward)
    batch = [0.2] * 10
    batch[place] = reward
    with pytest.raises(ValueError, match="reward"):
        policy.tell(["mid"] * 10, batch)
    assert saved(policy, tmp_path) == before
    policy.tell("mid", 0.3)
    assert policy.counts.tolist() == [2, 3, 1]
    assert policy.means[1] == pytest.approx(0.25, rel=1e-15)


@pytest.mark.parametrize("reward", NO_REWARDS[:4], ids=repr)
def test_the_arm_and_the_reward_refused_are_named(reward):
    policy = RoundRobin(["left", "mid"])
    with pytest.raises(ValueError, match=f"reward {reward!r} of arm 'mid'"):
        policy.tell("mid", reward)
    with pytest.raises(ValueError, match=f"reward {reward!r} of arm 'mid'"):
        policy.tell(["left", "left", "mid", "left"], [1.0, 2, reward, 3.0])


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "Float64", "object"])
def test_a_missing_reward_is_refused_in_every_column_type(dtype):
    column = pd.Series([1.0, np.nan, 2.0], dtype=dtype)
    policy = RoundRobin(["x", "y", "z"])
    with pytest.raises(ValueError, match="of arm 'y'"):
        policy.tell(["x", "y", "z"], column)
    assert policy.counts.sum() == 0


def test_a_masked_reward_is_refused_and_an_unmasked_array_is_taken():
    policy = RoundRobin(["x", "y"])
    with pytest.raises(ValueError, match="of arm 'y'"):
        policy.tell(["x", "y"], np.ma.array([1, 2], mask=[False, True]))
    assert policy.counts.sum() == 0
    policy.tell(["x", "y"], np.ma.array([1, 2]))
    assert policy.means.tolist() == [1, 2]


@pytest.mark.parametrize(
    "rewards",
    [
        [1, 2],
        (1.0, 2),
        np.array([1, 2], dtype=np.uint8),
        np.array([1, 2], dtype=np.float16),
        np.array([1, 2], dtype=object),
        [Fraction(1), 2],
        [np.float32(1), np.int16(2)],
        pd.Series([1.0, 2.0], index=[7, 3]),
        pd.Series([1, 2], dtype="Int64"),
        [True, 2],
    ],
    ids=lambda rewards: type(rewards).__name__,
)
def test_real_numbers_of_every_type_are_rewards(rewards):
    policy = RoundRobin(2)
    policy.tell([0, 1], rewards)
    assert policy.means.tolist() == [1, 2]


@pytest.mark.parametrize(
    ("arms", "rewards"),
    [
        ([0, 1], [1.0]),
        ([0], [1.0, 2.0]),
        ([], [1.0]),
        ([0], []),
        (0, [1.0]),
        ([0, 1], 1.0),
        ([0, 1], [[1.0, 2.0]]),
        ([0, 1], [[1.0], [2.0, 3.0]]),
        (np.array([[0], [1]]), [1.0, 2.0]),
        ("01", [1.0, 2.0]),
        (None, [1.0]),
    ],
)
def test_arms_and_rewards_that_do_not_pair_up_are_refused(arms, rewards):
    policy = RoundRobin([0, 1, "01"])
    with pytest.raises(ValueError, match=r"arms|rewards"):
        policy.tell(arms, rewards)
    assert policy.counts.sum() == 0


def test_telling_nothing_changes_nothing(tmp_path):
    policy = MaxGapUCB(3)
    before = saved(policy, tmp_path)
    policy.tell([], [])
    assert saved(policy, tmp_path) == before


# -- settings that are no settings -----------------------------------------------------------------

NO_DELTAS = [0, 1, -0.1, 1.5, math.nan, math.inf, "0.1", None, [0.1], True, 1j]
NO_SIGMAS = [0, -1, math.nan, math.inf, "1", None, [1.0, 2.0], [1.0] * 4, [[1.0] * 3], [1, 0, 1]]
NO_SIGMAS += [[1, -1, 1], [1, math.nan, 1], [[1], [1, 2]], [], True]


@every_policy
@pytest.mark.parametrize("delta", NO_DELTAS, ids=repr)
def test_a_delta_that_is_no_probability_is_refused_by_name(cls, delta):
    with pytest.raises(ValueError, match="delta"):
        cls(3, delta=delta)


@every_policy
@pytest.mark.parametrize("sigma", NO_SIGMAS, ids=repr)
def test_a_sigma_that_is_no_scale_is_refused_by_name(cls, sigma):
    with pytest.raises(ValueError, match="sigma"):
        cls(3, sigma=sigma)


@every_policy
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("confidence", "hoefding"),
        ("confidence", None),
        ("confidence", ["paper"]),
        ("confidence", np.array(["paper", "lil"])),
        ("nested", 1),
        ("nested", "yes"),
        ("nested", None),
        ("stopping", "cluster"),
        ("stopping", False),
        ("stopping", 0),
        ("stopping", ["clusters"]),
        ("arms", 1),
        ("arms", 0),
        ("arms", -3),
        ("arms", 2.0),
        ("arms", True),
        ("arms", None),
        ("arms", "ab"),
        ("arms", []),
        ("arms", ["one"]),
        ("arms", [[1], [2]]),
        ("arms", [1.0, math.nan]),
    ],
)
def test_a_setting_of_another_kind_is_refused_by_name(cls, name, value):
    settings = {"arms": 3, name: value}
    with pytest.raises(ValueError, match=name):
        cls(settings.pop("arms"), **settings)


# -- labels ----------------------------------------------------------------------------------------


def table():
    """Rewards of arms "1" and 1 and "b", shuffled; the mean of each is known."""
    rows = pd.DataFrame(
        {
            "arm": pd.Series(["1", 1, "b"] * 50, dtype=object),
            "reward": np.tile([10.0, 20.0, 30.0], 50) + np.repeat(np.linspace(-1, 1, 50), 3),
        }
    )
    return rows.sample(frac=1, random_state=5)


@pytest.mark.parametrize(
    "columns",
    [
        lambda rows: (rows["arm"], rows["reward"]),
        lambda rows: (rows["arm"].tolist(), rows["reward"].to_numpy()),
        lambda rows: (rows["arm"].to_numpy(), rows["reward"].tolist()),
        lambda rows: (rows["arm"], rows["reward"].astype("Float64")),
        lambda rows: (rows.set_index("reward")["arm"], rows.set_index("arm")["reward"]),
    ],
    ids=["Series", "list", "object array", "nullable", "indexed"],
)
def test_a_shuffled_table_is_matched_by_label_not_by_position(columns):
    policy = RoundRobin(["b", 1, "1"])
    policy.tell(*columns(table()))
    assert policy.counts.tolist() == [50, 50, 50]
    np.testing.assert_allclose(policy.means, [30, 20, 10], rtol=1e-14)


def test_a_label_is_found_by_its_type_as_well_as_its_text():
    policy = RoundRobin(["1", 1])
    policy.tell("1", 5.0)
    policy.tell(1, 7.0)
    policy.tell([np.int64(1), np.str_("1")], [9.0, 3.0])
    assert policy.means.tolist() == [4.0, 8.0]
    for unknown in (2, "2", "1 ", None, b"1", True, ("1",), ["1"], {}, math.nan):
        with pytest.raises(ValueError, match="arms holds the unknown label"):
            policy.tell(unknown, 1.0)
    # A numpy array of mixed labels turns 1 into "1": that is numpy's doing, and seen in the counts.
    assert policy.counts.tolist() == [2, 2]


@pytest.mark.parametrize("dtype", ["U", "S", "object", "category", "string"])
def test_columns_of_text_labels(dtype):
    labels = ["x", "y", "x"]
    column = np.array(labels, dtype) if dtype in "US" else pd.Series(labels, dtype=dtype)
    policy = RoundRobin(["y", "x"])
    if dtype == "S":  # bytes are no text
        with pytest.raises(ValueError, match="unknown label"):
            policy.tell(column, [1.0, 2.0, 3.0])
    else:
        policy.tell(column, [1.0, 2.0, 3.0])
        assert policy.means.tolist() == [2.0, 2.0]
        assert policy.counts.tolist() == [1, 2]


@pytest.mark.parametrize("dtype", [np.int8, np.uint64, np.float64])
def test_columns_of_numbers_name_arms_counted_from_zero(dtype):
    policy = RoundRobin(3)
    policy.tell(np.array([2, 0, 2], dtype), [1.0, 2.0, 3.0])
    assert policy.counts.tolist() == [1, 0, 2]
    with pytest.raises(ValueError, match="unknown label"):
        policy.tell(np.array([-1], dtype) if dtype != np.uint64 else [3], [1.0])


@every_policy
@pytest.mark.parametrize(
    "labels",
    [
        ["a", "b", "a"],
        [1, 2, 1.0],
        [1, True],
        [0, False, 2],
        np.array(["a", "a"]),
        pd.Series(["a", "b", "b"]),
        [np.int8(1), 1],
    ],
    ids=str,
)
def test_a_repeated_label_is_refused(cls, labels):
    with pytest.raises(ValueError, match="more than once"):
        cls(labels)


@pytest.mark.parametrize(
    "labels",
    [
        ("x", "y"),
        np.array(["x", "y"]),
        pd.Index(["x", "y"]),
        pd.Series(["x", "y"], [4, 2]),
        {"x": 0, "y": 1},
    ],
    ids=lambda labels: type(labels).__name__,
)
def test_labels_may_come_in_any_sequence(labels):
    policy = MaxGapUCB(labels)
    policy.tell("y", 3.0)
    assert policy.arms == ["x", "y"]
    assert policy.counts.tolist() == [0, 1]
