"""Rows: labels and rewards of every kind, and who rated."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from rating_tables import STARS, WHO, rated_again

import maxgap


def test_a_missing_category_is_named_and_one_without_rows_is_no_arm():
    arms = pd.Categorical(["x", None, "y"], categories=["w", "y", "x"])
    table = pd.DataFrame({"item": arms, "stars": [1, 2, 3]})
    with pytest.raises(ValueError, match=r"column 'item', row 1.*: is missing"):
        maxgap.split(table, arm="item", reward="stars", **STARS)
    found = maxgap.split(table.iloc[[0, 2]], arm="item", reward="stars", **STARS)
    assert found.policy().arms == ["x", "y"]


@pytest.mark.parametrize(
    "arms",
    [
        [1, "1", 2.5],
        ["x", (1, "x"), "y"],
        pd.Categorical(["b", "a", "c"], categories=["a", "b", "c"]),
        pd.Series(["b", "a", "c"], dtype="string"),
        pd.date_range("2026-01-01", periods=3),
        np.array(["2026-01", "2026-02", "2026-03"], dtype="datetime64[M]"),
        pd.array([7, 8, 9], dtype="Int64"),
        [False, True, "x"],
        ["", "NA", "None"],
    ],
    ids=str,
)
def test_arms_of_every_kind_come_back_as_they_are(arms):
    wanted = list(pd.Series(list(arms), dtype=object))
    found = maxgap.split(arm=arms, reward=[1, 2, 9], sigma=0.1)
    assert found.policy().arms == wanted
    assert found.top == {wanted[2]}
    found.policy().tell(wanted[0], 1.5)


def test_true_beside_one_is_refused():
    with pytest.raises(ValueError, match="more than once"):
        maxgap.split(arm=[1, True, 2], reward=[1, 2, 3], sigma=1)


@pytest.mark.parametrize(
    "rewards",
    [
        [Decimal("1.5"), Fraction(3, 2), 4, 5.0],
        pd.array([1.5, 1.5, 4, 5], dtype="Float64"),
        np.array([1.5, 1.5, 4, 5], dtype=np.float32),
        (x for x in [1.5, 1.5, 4, 5]),
    ],
    ids=["decimal", "nullable", "float32", "generator"],
)
def test_rewards_of_every_kind_are_taken(rewards):
    found = maxgap.split(arm=["a", "a", "b", "b"], reward=rewards, **STARS)
    assert found.arms["mean"].tolist() == [4.5, 1.5]


def test_true_and_false_are_one_and_nought():
    found = maxgap.split({"a": [*"xxyy"], "b": [True, False, True, True]}, arm="a", reward="b",
                         bounds=(0, 1))  # fmt: skip
    assert found.arms["mean"].tolist() == [1.0, 0.5]


ROUNDED = pd.Series([2**53, 2**53 + 1, None])[:2]


def test_a_float_that_others_are_rounded_to_is_no_label():
    policy = maxgap.RoundRobin([2**53, 2**53 + 1])
    for told in (ROUNDED, ROUNDED.tolist(), ROUNDED.to_numpy(), ROUNDED.astype(object)):
        with pytest.raises(ValueError, match=r"unknown label .*9007199254740992\.0"):
            policy.tell(told, [1, 2])
        with pytest.raises(ValueError, match=r"row 0.*may be another number that was rounded"):
            maxgap.split(arm=told, reward=[1, 2], sigma=1)
    assert policy.counts.tolist() == [0, 0]
    policy.tell([2**53, np.int64(2**53 + 1)], [1, 2])
    assert policy.counts.tolist() == [1, 1]
    with pytest.raises(ValueError, match=r"column 'id', row 1.*may be another number"):
        maxgap.split({"id": [1.0, -(2.0**60)], "x": [1, 2]}, arm="id", reward="x", sigma=1)


def test_a_float_that_holds_its_number_is_one():
    policy = maxgap.RoundRobin([2**53 - 1, 7, 0.5])
    policy.tell(np.array([2.0**53 - 1, 7.0, 0.5]), [1, 2, 3])
    assert policy.means.tolist() == [1, 2, 3]
    own = maxgap.RoundRobin([1e300, 2.0**53])
    own.tell([1e300, 2.0**53], [1, 2])
    assert own.means.tolist() == [1, 2]
    found = maxgap.split(arm=[2.0**53 - 1, 7.0], reward=[1, 9], sigma=0.1)
    assert found.top == {7}


@pytest.mark.parametrize(
    ("nobody", "why"),
    [
        *((nobody, "is missing") for nobody in (None, math.nan, pd.NA, "")),
        (["x"], "['x'] cannot be a label"),
    ],
    ids=repr,
)
def test_a_rating_by_nobody_is_refused_with_its_row_and_column(nobody, why):
    table = rated_again().astype({"who": object})
    table.at[7, "who"] = nobody
    with pytest.raises(ValueError, match="column 'who', row 7") as caught:
        maxgap.split(table, **WHO, **STARS)
    assert str(caught.value) == f"column 'who', row 7, counted from 0 (index 7): {why}"
    columns = {"arm": table["item"], "reward": table["stars"], "rater": table["who"]}
    with pytest.raises(ValueError, match="rater, row 7") as caught:
        maxgap.split(**columns, **STARS)
    assert str(caught.value) == f"rater, row 7, counted from 0: {why}"


def test_a_rater_that_is_no_column_or_one_of_the_others_is_refused():
    table = rated_again()
    with pytest.raises(ValueError, match="rater='whom' is not a column of the table"):
        maxgap.split(table, **WHO | {"rater": "whom"}, **STARS)
    with pytest.raises(ValueError, match="arm and rater must be two columns, got 'item' for both"):
        maxgap.split(table, **WHO | {"rater": "item"}, **STARS)
    with pytest.raises(ValueError, match="must have equal lengths, got 2 and 2 and 1"):
        maxgap.split(arm=[*"ab"], reward=[1, 2], rater=["x"], **STARS)


def test_raters_of_every_kind_are_told_apart():
    for raters in (
        [1, 1, 2, True],
        [1, 1.0, 2, "1"],
        pd.Categorical([*"xxyz"]),
        [(1, 2)] * 2 + [3, 4],
    ):
        found = maxgap.split(arm=[*"aaab"], reward=[1, 3, 5, 5], rater=raters, **STARS)
        assert found.arms.set_index("arm")["ratings"].to_dict() == {"a": 2, "b": 1}
        assert found.arms.set_index("arm")["mean"].to_dict() == {"a": 3.5, "b": 5}
