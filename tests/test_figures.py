"""What figures draw is what they were given."""

import inspect

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from maxgap import figures


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def test_samples_by_rank_are_drawn_logarithmic_as_given():
    ax = figures.samples_by_rank([[5, 50, 500], [20, 20, 20]], ["MaxGapUCB", "RoundRobin"]).axes[0]
    assert ax.get_yscale() == "log"
    assert ax.lines[0].get_xdata().tolist() == [1, 2, 3]
    assert [line.get_ydata().tolist() for line in ax.lines] == [[5, 50, 500], [20, 20, 20]]


def test_a_new_figure_leaves_the_interactive_mode_as_it_was():
    for mode in (True, False):
        plt.rcParams["interactive"] = mode
        figures.new_figure()
        assert plt.isinteractive() is mode


def test_every_figure_is_described_with_an_example():
    functions = [getattr(figures, name) for name in figures.__all__]
    functions = [thing for thing in functions if inspect.isfunction(thing)]
    assert len(functions) == 6
    assert all(">>> " in inspect.getdoc(function) for function in functions)


def test_figures_are_as_wide_as_the_book_and_as_high_as_asked():
    figure, axes = figures.new_figure(2, 3, height=5.0)
    assert figure.get_size_inches().tolist() == [6.2, 5.0]
    assert axes.shape == (2, 3)


def test_policies_are_told_apart_by_more_than_colour_and_found_by_the_beginning_of_a_label():
    for key in ("color", "linestyle", "marker"):
        shown = [figures.policy_style(name)[key] for name in figures.POLICY_STYLES]
        assert len(set(shown)) == len(shown) - (key == "linestyle")
    assert figures.policy_style("MaxGapElim, own rule") == figures.policy_style("MaxGapElim")
    assert figures.policy_style("mine")["color"] == "black"


def errors(*labels):
    frame = pd.DataFrame({"policy": np.repeat(labels, 2), "samples": [10, 20] * len(labels)})
    return frame.assign(error=np.arange(len(frame)) / 10, low=0.0, high=0.9)


def test_error_curves_draw_each_policy_with_its_band_and_the_level():
    ax = figures.error_curves(errors("MaxGapUCB", "RoundRobin"), level=0.05).axes[0]
    first, second, level = ax.lines
    assert (first.get_xdata().tolist(), first.get_ydata().tolist()) == ([10, 20], [0.0, 0.1])
    assert second.get_ydata().tolist() == [0.2, 0.3]
    assert second.get_marker() == figures.POLICY_STYLES["RoundRobin"]["marker"]
    assert set(level.get_ydata()) == {0.05}
    for band in ax.collections:
        assert band.get_datalim(ax.transData).extents.tolist() == [10.0, 0.0, 20.0, 0.9]
        assert band.get_alpha() == 0.18


def test_error_curves_take_axes_and_styles_of_ones_own():
    _, ax = figures.new_figure()
    style = {"color": "red", "linestyle": "--", "marker": "x"}
    figure = figures.error_curves(errors("mine"), styles={"mine": style}, alpha=0.5, ax=ax)
    assert figure is ax.figure
    (line,) = ax.lines
    assert (line.get_color(), line.get_linestyle(), line.get_marker()) == ("red", "--", "x")
    assert ax.collections[0].get_alpha() == 0.5


def test_a_bracket_spans_from_one_place_to_the_other_with_its_name_above():
    for align, x in {"left": 0.2, "center": 0.4, "right": 0.6}.items():
        _, ax = figures.new_figure()
        figures.bracket(ax, (0.2, 0.6), 0.5, "gap", align=align)
        bar, name = ax.texts
        assert sorted([bar.xy, bar.xyann]) == [(0.2, 0.5), (0.6, 0.5)]
        assert (name.get_text(), name.xy) == ("gap", (pytest.approx(x), 0.5))
        assert (name.get_ha(), name.get_va(), name.xyann[1] > 0) == (align, "bottom", True)


@pytest.mark.parametrize("rival", [(0.0, 0.1), (1.45, 1.55), (2.9, 3.0)])
def test_the_name_of_a_rival_stands_clear_of_axis_and_splits(rival):
    arms = pd.DataFrame({"arm": [*"abcd"], "mean": [3.0, 2.0, 1.0, 0.0], "group": [*"1234"]})
    arms = arms.assign(lower=arms["mean"] - 0.1, upper=arms["mean"] + 0.1)
    figure = figures.rated(arms, rival=rival)
    (ax,) = figure.axes
    figure.draw_without_rendering()
    name = ax.texts[-1].get_window_extent()
    assert ax.bbox.x0 <= name.x0
    assert name.x1 <= ax.bbox.x1
    splits = [line for line in ax.lines if line.get_color() == "black"]
    assert len(splits) == 3
    assert all(name.y1 < line.get_window_extent().y0 for line in splits)


def test_the_legend_of_samples_by_rank_hides_no_curve():
    figure = figures.samples_by_rank([[5, 50, 500], [20, 20, 20]], ["MaxGapUCB", "RoundRobin"])
    (ax,) = figure.axes
    figure.draw_without_rendering()
    assert ax.get_legend().get_window_extent().y0 >= ax.bbox.y1
