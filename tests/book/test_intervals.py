"""Chapters on intervals: what their studies compute, and what their figures draw."""

import numpy as np
import pandas as pd
import pytest

from maxgap import MaxGapUCB, RoundRobin, problems, simulate
from maxgap_book.figures import intervals_at_all_times as drawn
from maxgap_book.figures import sensitivity as drawn_sensitivity
from maxgap_book.studies import intervals, sensitivity

MISSES = [[3.0, np.inf], [50.0, 9.0], [np.inf, np.inf], [5.0, np.inf]]


def texts(ax):
    return [text.get_text() for text in ax.texts]


def test_a_miss_counts_from_its_time_on():
    found = intervals.misses_by(MISSES, ["a", "b"], [3, 9, 50])
    assert found["share"].tolist() == [0.25, 0.5, 0.75, 0.0, 0.25, 0.25]
    assert ((found["low"] <= found["share"]) & (found["share"] <= found["high"])).all()
    with pytest.raises(ValueError, match="longer"):
        intervals.misses_by(MISSES, ["a"], [3])


def test_the_table_has_an_interval_where_it_ends():
    table = intervals.table_of_misses(MISSES, ["a", "b"], (3, 1000))
    assert list(table.columns) == ["3", "1,000"]
    assert table.loc["a"].tolist() == ["25%", "75% (30-95%)"]


def test_misses_keep_one_line_and_one_band_a_radius():
    rows = [(name, n, n / 200, 0.0, 0.5) for name in ("paper", "hoeffding") for n in (1, 10, 100)]
    shares = pd.DataFrame(rows, columns=["radius", "samples", "share", "low", "high"])
    ax = drawn.misses(shares, level=0.1).axes[0]
    curves = [entry for entry in ax.lines if entry.get_label() in ("paper", "hoeffding")]
    assert [list(entry.get_ydata()) for entry in curves] == [[0.005, 0.05, 0.5]] * 2
    assert curves[0].get_linestyle() != curves[1].get_linestyle()
    assert len(ax.collections) == 2
    assert "10% asked for" in texts(ax)


def test_widths_draw_every_radius_in_the_style_it_has_everywhere_and_the_one_look_across():
    n = np.array([1.0, 10.0, 100.0])
    ax = drawn.widths(n, {"paper": n, "lil": n + 1}, one_look=3.5).axes[0]
    lines = {entry.get_label(): entry for entry in ax.lines}
    assert lines["paper"].get_ydata().tolist() == [1, 10, 100]
    assert lines["lil"].get_ydata().tolist() == [2, 11, 101]
    assert [3.5, 3.5] in [list(entry.get_ydata()) for entry in ax.lines]
    rows = [(name, n, 0.1, 0.0, 0.2) for name in ("paper", "lil") for n in (1, 10)]
    shares = pd.DataFrame(rows, columns=["radius", "samples", "share", "low", "high"])
    for entry in drawn.misses(shares, level=0.1).axes[0].lines[:2]:
        assert entry.get_color() == lines[entry.get_label()].get_color()
    assert lines["paper"].get_color() != lines["lil"].get_color()


def test_a_run_misses_if_it_is_farther_off_than_the_scale_told():
    worst = {"normal": np.array([[0.4, 0.6], [0.9, 1.5], [1.1, 2.5]]), "other": np.zeros((3, 2))}
    found = sensitivity.coverage(worst, ["a", "b"], [0.5, 1, 2])
    normal = found[found["rewards"] == "normal"]
    assert (3 * normal["share"]).round(9).tolist() == [2, 1, 0, 3, 2, 1]
    assert (found.loc[found["rewards"] == "other", "share"] == 0).all()
    table = sensitivity.short_table(found, {0.5: "half", 1: "right", 2: "twice"})
    assert table.loc[("normal", "b")].tolist() == ["100%", "67%", "33%"]
    assert list(table.index) == [(kind, name) for kind in worst for name in "ab"]


def test_the_figure_has_a_marker_and_an_interval_for_every_share():
    worst = {"normal": np.array([[0.4, 0.6], [1.9, 0.5]]), "heavy": np.full((2, 2), 3.0)}
    table = sensitivity.coverage(worst, ["a", "b"], [1.0])
    ax = drawn_sensitivity.shares(table, level=0.1).axes[0]
    shares = [entry.lines[0].get_xdata().tolist() for entry in ax.containers]
    assert shares == [[0.5, 0.0], [1.0, 1.0]]
    heights = [float(y) for entry in ax.containers for y in entry.lines[0].get_ydata()]
    assert len(set(np.round(heights, 6))) == 4
    assert sorted(texts(ax)) == ["10% asked for", "heavy", "heavy", "normal", "normal"]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a", "b"]


def test_the_gain_is_the_same_against_runs_and_against_the_samples_that_they_took():
    problem = problems.Problem([0.0, 0.4, 0.8, 2.0, 2.4, 2.8])
    size = {"budget": 900, "checkpoints": range(30, 901, 30), "replicates": 40, "n_jobs": 1}
    robin, fast = (
        simulate.replicate({policy.__name__: policy(6)}, problem, seed=seed, **size)
        for policy, seed in ((RoundRobin, 1), (MaxGapUCB, 2))
    )
    slow = robin.samples_to_error(0.2)["samples"].iloc[0]
    by_runs, samples = sensitivity.to_error(fast, robin, level=0.2, unit=10)
    by_number, same = sensitivity.to_error(fast, slow, level=0.2, unit=10)
    assert samples.tolist() == same.tolist()
    assert samples[1] <= samples[0] <= samples[2]
    assert by_runs["samples"] == by_number["samples"]
    ratio = f"{slow / samples[0]:.1f} "
    assert by_number["times fewer"].startswith(ratio)
    assert by_runs["times fewer"].startswith(ratio)


def test_a_run_that_did_not_stop_is_not_wrong_and_lasts_for_ever():
    stops = pd.DataFrame(
        {"stopped": [True, True, False], "correct": [False, True, False], "samples": [8, 9, 10]}
    )
    row = sensitivity.certified_row(stops)
    assert (row["wrong"], row["stopped"], row["median"]) == (1, 2, 9.0)
    assert row["share"] == pytest.approx(1 / 3)
    stops["stopped"] = [True, False, False]
    assert sensitivity.certified_row(stops)["median"] == np.inf
