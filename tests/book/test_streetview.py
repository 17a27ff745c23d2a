"""Where a ratio reaches a given size."""

import pandas as pd

from maxgap_book.studies.streetview import error_at_ratio


def test_a_level_lies_between_those_looked_at_and_dips_of_the_ratio_do_not_count():
    table = pd.DataFrame(
        {
            "policy": ["a"] * 4 + ["b"] * 4,
            "level": [0.2, 0.1, 0.05, 0.01] * 2,
            "ratio": [2.0, 4.0, 3.0, 8.0] + [1.0] * 4,
        }
    )
    table = table.assign(low=table["ratio"] - 1, high=table["ratio"] + 1)
    assert error_at_ratio(table, "a", 2.5) == "16.8% (11.9-20.0%)"
    assert error_at_ratio(table, "a", 5.5) == "2.7% (1.8-4.1%)"
    assert error_at_ratio(table, "a", 7.5).startswith("1.2% (below 1 to ")
    assert error_at_ratio(table, "b", 4) == "below 1% (below 1 to below 1%)"
