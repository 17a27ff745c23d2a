"""What is printed with numbers: alike on every processor, of the kind that came in."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from maxgap_book.printing import decimal, interval, interval_texts, percent, rounded
from tests.test_statistics import neighbours


@given(st.integers(-(10**9), 10**9), st.integers(0, 6))
@example(75, 1)  # 7.55
@example(65, 1)  # 6.55
@example(0, 3)  # 0.0005
def test_no_last_bit_decides_a_tie(whole, places):
    tie = float(Fraction(10 * whole + 5, 10 ** (places + 1)))
    assert {rounded(x, places) for x in neighbours(tie)} == {rounded(tie, places)}


@given(st.floats(allow_nan=False), st.integers(-2, 6))
def test_a_number_is_what_its_text_says(value, places):
    assert rounded(value, places) == float(decimal(value, places).replace(",", ""))


def test_an_interval_is_rounded_as_its_numbers_are():
    low, high = np.nextafter(4.55, 0), np.nextafter(7.55, 8)
    assert interval(5.95, low, high) == "6.0 (4.6-7.6)"
    assert interval(-5.95, -7.55, np.inf) == "-6.0 (-7.6 to inf)"


def test_rounding_keeps_the_kind_and_leaves_other_columns_alone():
    table = pd.DataFrame(
        {"n": [1, 2], "share": [0.125, np.nan], "text": ["x", "y"], "last": [np.inf, -0.04]},
        index=["a", "b"],
    )
    shown = rounded(table, 1)
    assert list(shown.columns) == list(table.columns)
    assert shown.dtypes.tolist() == table.dtypes.tolist()
    assert shown.to_dict("list") | {"share": 0} == {
        "n": [1, 2],
        "share": 0,
        "text": ["x", "y"],
        "last": [np.inf, 0.0],
    }
    assert shown["share"].iloc[0] == 0.1
    assert np.isnan(shown["share"].iloc[1])
    assert rounded(np.array([[7.55, 6.55]]), 1).tolist() == [[7.6, 6.6]]
    assert rounded(pd.Series([2, 3])).tolist() == [2, 3]
    assert isinstance(rounded(np.float64(0.25), 1), float)
    assert rounded(np.array([]), 1).shape == (0,)


def test_rows_are_written_as_single_intervals_are():
    rows = pd.DataFrame({"ratio": [7.55, 1.0], "low": [6.55, 0.0], "high": [8.55, np.inf]})
    assert interval_texts(rows) == [interval(*row) for row in rows.to_numpy()]
    assert interval_texts(rows, 0)[1] == "1 (0-inf)"
    with pytest.raises(ValueError, match=r"^rows must .*got shape \(2, 2\)"):
        interval_texts(rows[["low", "high"]])


def test_per_cents_are_rounded_like_all_numbers():
    assert percent(0.065, np.nextafter(0.045, 0), 0.0851) == "6% (4-9%)"


@pytest.mark.parametrize(
    ("row", "text"),
    [
        ((2_927_800, 2_251_300, 3_614_900), "2,930,000 (2,250,000-3,610,000)"),
        ((0.31415, 0.3, 0.33), "0.314 (0.300-0.330)"),
        ((8668.0, 8661.4, 8672.6), "8,668.0 (8,661.4-8,672.6)"),
        ((195_312, 126_800, np.inf), "195,000 (127,000-inf)"),  # by the end that is there
        ((195_312, -np.inf, np.inf), "200,000 (-inf to inf)"),
        ((np.inf, 128_300, np.inf), "inf (128,300-inf)"),
        ((60_000, 60_000, 60_000), "60,000 (60,000-60,000)"),
        ((0.0, 0.0, 0.0), "0 (0-0)"),
        ((12, 2, 22), "12 (2-22)"),
    ],
)
def test_an_interval_says_how_many_digits_are_shown(row, text):
    assert interval(*row, None) == text
    assert interval_texts([row], None) == [text]
