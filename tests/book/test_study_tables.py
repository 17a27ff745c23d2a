"""Studies put together, and their tables."""

import numpy as np
import pandas as pd
import pytest

from maxgap import simulate
from maxgap.statistics import wilson_interval
from maxgap_book.printing import interval
from maxgap_book.study_tables import error_table, join_studies, ratio_table


def study(labels, wrong, step=100):
    """A study of given answers: policy, replicate, checkpoint."""
    n_policies, replicates, n_looks = wrong.shape
    counts = np.arange(n_policies * n_looks * 2.0).reshape(n_policies, n_looks, 2)
    return simulate.Study(
        labels=labels,
        checkpoints=step * np.arange(1, n_looks + 1),
        wrong=wrong,
        counts=counts,
        counts_sd=counts / 2,
        stop_rows=np.full((n_policies, replicates, 4), n_looks),
    )


def test_an_error_table_has_the_policies_of_the_study_in_their_order():
    wrong = np.zeros((2, 20, 3), dtype=bool)
    wrong[0, :10, 1] = True
    made = study(("b", "a"), wrong)
    table = error_table(made, [300, 200], places=0, scale=100)
    assert (list(table.columns), list(table.index)) == (["b", "a"], [200, 300])
    low, high = wilson_interval(10, 20)
    assert table.loc[200, "b"] == interval(50, 100 * low, 100 * high, 0)
    assert table.loc[300, "b"] == table.loc[200, "a"] == "0 (0-16)"
    with pytest.raises(ValueError, match=r"^samples must be checkpoints .*\[250\]"):
        error_table(made, [200, 250])


def test_a_ratio_table_keeps_the_order_of_its_rows_and_takes_other_columns():
    rows = pd.DataFrame({"policy": list("baba"), "level": [0.1, 0.1, 0.015, 0.015]})
    rows[["x", "x_low", "x_high"]] = np.arange(12.0).reshape(4, 3)
    table = ratio_table(rows, ["x", "x_low", "x_high"], places=0)
    assert (list(table.columns), list(table.index)) == (["b", "a"], ["10%", "1.5%"])
    assert table.to_numpy().tolist() == [["0 (1-2)", "3 (4-5)"], ["6 (7-8)", "9 (10-11)"]]


def test_joined_studies_hold_the_last_answer_and_know_no_later_counts():
    rng = np.random.default_rng(4)
    slow = study(("slow",), rng.random((1, 30, 5)) < 0.5)
    fast = study(("x", "y"), rng.random((2, 30, 3)) < 0.5)
    both = join_studies(slow, fast)
    assert both.labels == ("slow", "x", "y")
    assert both.checkpoints.tolist() == slow.checkpoints.tolist()
    np.testing.assert_array_equal(both.wrong[0], slow.wrong[0])
    for look in range(5):
        np.testing.assert_array_equal(both.wrong[1:, :, look], fast.wrong[:, :, min(look, 2)])
    np.testing.assert_array_equal(both.counts[1:, :3], fast.counts)
    np.testing.assert_array_equal(both.counts_sd[0], slow.counts_sd[0])
    assert np.isnan(both.counts[1:, 3:]).all()
    assert np.isnan(both.counts_sd[1:, 3:]).all()
    assert both.stops["samples"].tolist() == [5] * 30 + [3] * 60


@pytest.mark.parametrize(
    ("other", "what"),
    [
        (study(("x",), np.zeros((1, 30, 2), dtype=bool), step=50), "checkpoints"),
        (study(("x",), np.zeros((1, 30, 6), dtype=bool)), "checkpoints"),
        (study(("x",), np.zeros((1, 31, 2), dtype=bool)), "30 replicates, got 31"),
        (study(("slow",), np.zeros((1, 30, 2), dtype=bool)), "policies of their own"),
    ],
)
def test_studies_that_do_not_go_together_are_refused(other, what):
    slow = study(("slow",), np.zeros((1, 30, 5), dtype=bool))
    with pytest.raises(ValueError, match=f"^others must have .*{what}"):
        join_studies(slow, other)
