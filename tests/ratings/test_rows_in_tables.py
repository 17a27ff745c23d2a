"""Tables in memory: whatever holds columns is taken, what cannot be used is named."""

import math
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rating_tables import STARS, ratings, small_tables

import maxgap

BAD_REWARDS = [
    (6.0, "6 is outside the bounds 1 to 5"),
    (0.999, "0.999 is outside the bounds 1 to 5"),
    (math.nan, "is missing"),
    (None, "is missing"),
    (pd.NA, "is missing"),
    ("", "is missing"),
    ("four", "'four' is not a number"),
    (math.inf, "inf is not a finite number"),
    (Decimal("NaN"), "is missing"),
    (1j, "1j is not a number"),
    ([4], "[4] is not a number"),
]


@pytest.mark.parametrize(("reward", "why"), BAD_REWARDS, ids=repr)
@pytest.mark.parametrize("place", [0, 7, 19])
def test_a_bad_reward_is_named_by_row_and_column(reward, why, place):
    stars = [4, 2] * 10
    stars[place] = reward
    table = pd.DataFrame({"item": ["a", "b"] * 10}, index=[f"r{i}" for i in range(20)])
    table["stars"] = pd.Series(stars, index=table.index, dtype=object)
    with pytest.raises(ValueError, match="column 'stars', row") as caught:
        maxgap.split(table, arm="item", reward="stars", **STARS)
    message = f"column 'stars', row {place}, counted from 0 (index 'r{place}'): {why}"
    assert str(caught.value).startswith(message)
    with pytest.raises(ValueError, match=f"reward, row {place}, counted from 0: "):
        maxgap.split(arm=["a", "b"] * 10, reward=stars, **STARS)


@pytest.mark.parametrize("label", [None, math.nan, pd.NA, pd.NaT, ["list"], {}], ids=repr)
def test_a_bad_arm_is_named_by_row_and_column(label):
    arms = ["a", "b", "c", label, "d"]
    table = pd.DataFrame({"item": pd.Series(arms, dtype=object), "stars": [1, 2, 3, 4, 5]})
    with pytest.raises(ValueError, match=r"column 'item', row 3, counted from 0 \(index 3\): "):
        maxgap.split(table, arm="item", reward="stars", **STARS)


@given(small_tables(), st.data())
def test_the_first_of_several_bad_rows_is_named(rows, data):
    places = data.draw(st.sets(st.integers(0, len(rows) - 1), min_size=1, max_size=5))
    stars = [9.0 if i in places else reward for i, (_, reward) in enumerate(rows)]
    with pytest.raises(ValueError, match=f"row {min(places)}, counted from 0: 9 is outside"):
        maxgap.split(arm=[arm for arm, _ in rows], reward=stars, **STARS)


def test_a_table_without_two_arms_or_with_a_column_twice_is_refused():
    with pytest.raises(ValueError, match="no rows"):
        maxgap.split(pd.DataFrame({"a": [], "b": []}), arm="a", reward="b", sigma=1)
    with pytest.raises(ValueError, match="two arms or more are needed, the table has only 'x'"):
        maxgap.split(arm=["x", "x"], reward=[1, 2], sigma=1)
    twice = pd.DataFrame([["x", 1, 2]], columns=["a", "b", "b"])
    with pytest.raises(ValueError, match="reward='b' is 2 columns"):
        maxgap.split(twice, arm="a", reward="b", sigma=1)
    with pytest.raises(ValueError, match="equal lengths, got 2 and 1"):
        maxgap.split(arm=["x", "y"], reward=[1], sigma=1)
    for values in ("xy", {"x", "y"}, {"x": 1}, 7):
        with pytest.raises(ValueError, match="arm must be a sequence"):
            maxgap.split(arm=values, reward=[1, 2], sigma=1)
    with pytest.raises(ValueError, match="one-dimensional"):
        maxgap.split(arm=["x", "y"], reward=np.eye(2), sigma=1)


def test_rows_pair_up_by_position_whatever_the_index():
    table = ratings(2)
    expected = maxgap.split(table, arm="item", reward="stars", **STARS)
    table.index = np.zeros(len(table), dtype=int)
    again = maxgap.split(table, arm="item", reward="stars", **STARS)
    apart = maxgap.split(arm=table["item"].sort_index(), reward=table["stars"].tolist(), **STARS)
    for found in (again, apart):
        pd.testing.assert_frame_equal(found.arms, expected.arms)


def test_a_table_that_can_become_one_of_pandas_is_taken():
    frame = pd.DataFrame({"item": [*"abc"] * 30, "stars": [5, 4, 1] * 30})
    other = type("Other", (), {"to_pandas": lambda self: frame})()
    expected = maxgap.split(frame, arm="item", reward="stars", bounds=(1, 5))
    found = maxgap.split(other, arm="item", reward="stars", bounds=(1, 5))
    pd.testing.assert_frame_equal(found.arms, expected.arms)
    arrow = pytest.importorskip("pyarrow").table({"item": [*"abc"] * 30, "stars": [5, 4, 1] * 30})
    found = maxgap.split(arrow, arm="item", reward="stars", bounds=(1, 5))
    pd.testing.assert_frame_equal(found.arms, expected.arms)


TWO = {"item": [*"abc"] * 30, "stars": [5, 4, 1] * 30}


def taken(*table, **columns):
    found = maxgap.split(*table, **(columns or {"arm": "item", "reward": "stars"}), **STARS)
    assert found.top == {"a", "b"}
    assert [type(arm) for arm in found.policy().arms] == [str] * 3
    expected = maxgap.split(TWO, arm="item", reward="stars", **STARS)
    pd.testing.assert_frame_equal(found.arms, expected.arms)


def test_arrow_comes_in_every_form():
    pa = pytest.importorskip("pyarrow")
    table = pa.table(TWO)
    taken(table)
    taken(table.to_reader())
    taken(pa.RecordBatch.from_pydict(TWO))
    taken(arm=table["item"], reward=table["stars"])
    taken(arm=pa.array(TWO["item"]), reward=pa.array(TWO["stars"]))
    taken(arm=pa.array(TWO["item"]).dictionary_encode(), reward=TWO["stars"])
    taken(arm=TWO["item"], reward=pa.chunked_array([TWO["stars"][:7], TWO["stars"][7:]]))
    large = [2**53, 2**53 + 1, 7]
    found = maxgap.split(pa.table({"id": large, "x": [0, 5, 9]}), arm="id", reward="x", sigma=0.1)
    assert found.policy().arms == large
    policy = maxgap.RoundRobin(pa.array([*"abc"]))
    policy.tell(pa.array([*"abc"]), pa.array([1, 2, 9]))
    assert (policy.arms, policy.means.tolist()) == ([*"abc"], [1, 2, 9])


def lazily(**methods):
    return type("Lazy", (), {name: lambda self, to=to: to for name, to in methods.items()})()


def test_a_lazy_table_is_collected():
    """As those of polars are: `collect` gives a table that has `to_pandas`; duckdb has `to_df`."""
    frame = pd.DataFrame(TWO)
    taken(lazily(collect=lazily(to_pandas=frame)))
    taken(lazily(to_df=frame))
    taken(lazily(read_pandas=frame))
    taken(arm=lazily(to_pandas=frame["item"]), reward=lazily(collect=frame["stars"].tolist()))
    odd = pd.DataFrame(TWO | {"collect": 1, "to_pandas": 2})
    taken(odd)
    with pytest.raises(ValueError, match="table must be a DataFrame, a mapping, or what has to_pa"):
        maxgap.split(lazily(collect=7), arm="item", reward="stars", **STARS)


def without_arrow(self):
    raise ModuleNotFoundError("pyarrow is required")


def test_what_cannot_become_a_column_of_pandas_is_read_value_by_value():
    column = type("Column", (list,), {"to_pandas": without_arrow})
    taken(arm=column(TWO["item"]), reward=column(TWO["stars"]))
