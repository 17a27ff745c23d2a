"""Figures of the chapters on one's own ratings, on comparisons and on groups."""

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import pandas as pd
import pytest

import maxgap
from maxgap_book.figures import comparisons, groups, own_ratings


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def test_an_answer_is_drawn_with_marks_and_letters_that_can_be_read():
    rewards = [1, 2, 8, 9, 1, 9]
    answer = maxgap.split(arm=[*"aabbcc"], reward=rewards, bounds=(0, 10), stopping="clusters")
    figure = own_ratings.drawn(answer, "stars")
    (ax,) = figure.axes
    assert ax.get_xlabel() == "stars"
    assert {line.get_markersize() for line in ax.lines} == {6.0}
    assert all(text.get_fontsize() == 12 for text in ax.texts)


def test_ratings_are_drawn_by_rank_with_each_policys_name_below_its_curve():
    rows = {"MaxGapContrasts": [10, 40, 40, 10], "RoundRobin": [50, 50, 50, 50]}
    (ax,) = own_ratings.where_asked(rows, split=2.5).axes
    assert ax.get_legend() is None
    assert [line.get_ydata().tolist() for line in ax.lines[:2]] == list(rows.values())
    named = {text.get_text(): text.xy for text in ax.texts}
    assert named["RoundRobin"] == (2, 50.0)
    assert named["MaxGapContrasts"] == (2, 40.0)
    assert named["largest gap"][0] == 2.5


def test_groups_hold_every_mean_once_and_a_line_lies_in_every_gap_between_them():
    ax = groups.divisions([0.0, 5.0, 1.0, 4.0, 4.5], [3, 2]).axes[0]
    drawn = [line for line in ax.lines if line.get_label() != "_division"]
    assert [line.get_ydata().tolist() for line in drawn] == [[5.0, 4.5, 4.0], [1.0, 0.0]]
    assert [line.get_xdata().tolist() for line in drawn] == [[1, 2, 3], [4, 5]]
    assert drawn[0].get_marker() != drawn[1].get_marker()
    (division,) = (line for line in ax.lines if line.get_label() == "_division")
    assert division.get_ydata()[0] == 2.5
    with pytest.raises(ValueError, match="add up to 5"):
        groups.divisions([0.0, 5.0, 1.0, 4.0, 4.5], [3, 1])


def test_shares_of_groups_found_stand_in_the_row_of_their_way():
    rows = [
        ("one", 20, way, share, share - 0.1, share + 0.1)
        for way, share in zip(groups.WAY_STYLES, [0.2, 0.5, 0.8], strict=True)
    ]
    columns = ["instance", "samples", "way", "share", "low", "high"]
    figure = groups.groups_found({"one": ([0.0, 1.0], [0, 1])}, pd.DataFrame(rows, columns=columns))
    left, right = figure.axes
    assert left.get_title(loc="left") == "one"
    assert right.get_title(loc="left") == "20 samples"
    assert [label.get_text() for label in right.get_yticklabels()] == list(groups.WAY_STYLES)
    assert [line.get_xdata()[0] for line in right.lines] == pytest.approx([20, 50, 80])
    assert [line.get_ydata()[0] for line in right.lines] == [0, 1, 2]


def test_two_ways_of_reading_duels_are_drawn_beside_the_true_scores():
    wrong = pd.DataFrame({"arm": [*"ba"], "mean": [0.6, 0.5], "lower": 0.4, "upper": [0.7, 0.8]})
    ways = {"w": wrong, "r": wrong.assign(mean=[0.2, 0.9])}
    (ax,) = comparisons.two_ways({"a": 0.9, "b": 0.1}, ways).axes
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a", "b"]
    truth = [line for line in ax.lines if line.get_linestyle() == "-"]
    assert [line.get_xdata()[0] for line in truth] == [0.9, 0.1]
    assert [round(line.get_ydata().mean()) for line in truth] == [0, -1]
    dots = [line for line in ax.lines if line.get_linestyle() == "None"]
    for line, (label, arms) in zip(dots, ways.items(), strict=True):
        assert (line.get_label(), line.get_xdata().tolist()) == (label, arms["mean"].tolist())
        assert [round(y) for y in line.get_ydata()] == [-1, 0]
    bars = [part for lines in ax.collections for part in lines.get_segments()]
    assert [bar[:, 0].tolist() for bar in bars] == [[0.4, 0.7], [0.4, 0.8]] * 2
    assert dots[0].get_marker() != dots[1].get_marker()
    assert [text.get_text() for text in ax.texts] == ["w", "r", "true score"]


def test_duels_needed_are_drawn_by_way_from_the_top_a_marker_an_instance():
    medians = {
        "x": {"i": (3.0, 2.0, 5.0), "j": (4.0, 4.0, 6.0)},
        "y": {"i": (1, 1, 2), "j": (9,) * 3},
    }
    (ax,) = comparisons.duels_needed(medians).axes
    assert ax.get_xscale() == "log"
    assert [label.get_text() for label in ax.get_yticklabels()] == ["x", "y"]
    assert ax.get_ylim()[0] > ax.get_ylim()[1]
    assert [line.get_label() for line in ax.lines] == ["i", "j"]
    assert [line.get_xdata().tolist() for line in ax.lines] == [[3, 1], [4, 9]]
    assert ax.lines[0].get_marker() != ax.lines[1].get_marker()
    assert [[round(y) for y in line.get_ydata()] for line in ax.lines] == [[0, 1]] * 2
    bars = [part[:, 0].tolist() for lines in ax.collections for part in lines.get_segments()]
    assert bars == [[2, 5], [1, 2], [4, 6], [9, 9]]
