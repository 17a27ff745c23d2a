"""What is asked: what it may be, and what it means for the intervals."""

import math
import re

import pandas as pd
import pytest

import maxgap


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (
            {"arm": "thing"},
            "arm='thing' is not a column of the table; its columns: 'item', 'stars'",
        ),
        ({"reward": "note"}, "reward='note' is not a column"),
        ({"reward": "item"}, "arm and reward must be two columns"),
        ({"bounds": None}, "give bounds="),
        ({"sigma": 1.0}, "give bounds="),
        ({"bounds": (5, 1)}, "bounds must be two numbers, the smaller first"),
        ({"bounds": (1, math.nan)}, "bounds must be"),
        ({"bounds": (1, math.inf)}, "bounds must be"),
        ({"bounds": 5}, "bounds must be"),
        ({"bounds": None, "sigma": 0}, "sigma: positive finite"),
        ({"bounds": None, "sigma": "1"}, "sigma must be a number"),
        ({"bounds": None, "sigma": {"a": 1}}, "sigma comes with labels"),
        ({"delta": 1.5}, "delta: "),
        ({"confidence": "t-test"}, "confidence must be one of"),
        ({"stopping": "paper"}, "stopping must be one of"),
        ({"table": 7}, "table must be a DataFrame"),
    ],
    ids=str,
)
def test_arguments_that_cannot_be_used_are_named(change, why):
    table = pd.DataFrame({"item": ["a", "b"], "stars": [1, 5]})
    arguments = {"table": table, "arm": "item", "reward": "stars", "bounds": (1, 5)} | change
    with pytest.raises(ValueError, match=re.escape(why)) as caught:
        maxgap.split(arguments.pop("table"), **arguments)
    assert str(caught.value).startswith(why)


def test_sigma_by_label_scales_the_intervals_of_its_arm():
    found = maxgap.split(arm=[*"aabb"], reward=[1, 1, 2, 2], sigma={"b": 3.0, "a": 1.0})
    widths = found.arms.set_index("arm").eval("upper - lower")
    assert widths["b"] == pytest.approx(3 * widths["a"])
