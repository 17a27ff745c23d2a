"""What figures draw is what they were given."""

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from maxgap import figures, hardness, problems


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def texts(ax):
    return [text.get_text() for text in ax.texts]


def test_the_toy_instance_shows_the_hardness_of_every_arm_but_the_two_at_the_gap():
    toy = problems.one_large_gap(4, 5, 1.0, 0.1)
    gamma = hardness.gamma(toy.means).either
    line, below = figures.one_large_gap(toy.means, gamma, 0.5).axes
    drawn = next(entry for entry in below.lines if entry.get_label() == "computed")
    away = [0, 1, 2, 5, 6, 7, 8]
    assert np.allclose(drawn.get_xdata(), toy.means[away])
    assert np.allclose(drawn.get_ydata(), gamma[away])
    assert {"(1)", "(4)", "(5)", "(9)"} <= set(texts(line))


def test_power_laws_draw_every_policy_with_its_bars_and_the_references():
    table = pd.DataFrame(
        {
            "policy": ["RoundRobin"] * 3 + ["MaxGapElim"] * 3,
            "epsilon": [0.4, 0.2, 0.1] * 2,
            "mean": [10.0, 40.0, 160.0, 5.0, 6.0, 7.0],
            "low": [9.0, 38.0, 150.0, 4.0, 5.0, 6.0],
            "high": [11.0, 42.0, 170.0, 6.0, 7.0, 8.0],
        }
    )
    figure = figures.power_laws(
        table, "epsilon", references={"bound": [100.0, 25.0, 6.25]}, xlabel="x", ylabel="y"
    )
    ax = figure.axes[0]
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    robin, elim = ax.containers
    assert robin.lines[0].get_ydata().tolist() == [160.0, 40.0, 10.0]
    assert robin.lines[0].get_linestyle() != elim.lines[0].get_linestyle()
    bars = np.array([bar[:, 1] for bar in elim.lines[2][0].get_segments()])
    assert np.allclose(bars, [[6, 8], [5, 7], [4, 6]])
    bound = next(entry for entry in ax.lines if entry.get_label() == "bound")
    assert bound.get_xdata().tolist() == [0.1, 0.2, 0.4]
    assert bound.get_ydata().tolist() == [100.0, 25.0, 6.25]


def test_moved_means_name_the_largest_gap_of_every_instance():
    instances = {
        "B": problems.four_arms(0.25, 1.0).means,
        "B'": problems.four_arms_alternative(0.25, 1.0).means,
        "B''": problems.four_arms_alternative(0.25, 1.0, arm=1).means,
    }
    ax = figures.moved_means(instances, [None, 3, 0]).axes[0]
    shown = [text for text in texts(ax) if text.startswith("largest gap")]
    assert shown == ["largest gap 1.25", "largest gap 1", "largest gap 1.275"]
    diamonds = [entry for entry in ax.lines if entry.get_marker() == "D"]
    assert np.allclose([entry.get_xdata()[0] for entry in diamonds], [0.525, 2.775])


def test_scenes_name_their_groups_and_scores_and_mark_the_largest_gap():
    ax = figures.scenes([0.9, 0.1, 0.85, 0.2], {"low": 2, "high": 2}, sigma=0.05).axes[0]
    assert {"low\n0.200\n0.100", "high\n0.900\n0.850", "largest gap 0.650"} <= set(texts(ax))
    bells = [line for line in ax.lines if line.get_xdata().size > 2]
    peaks = sorted(bell.get_xdata()[np.argmax(bell.get_ydata())] for bell in bells)
    assert np.allclose(peaks, [0.1, 0.2, 0.85, 0.9], atol=0.002)


def test_one_bin_more_than_numbers_and_the_empty_ones_hatched():
    numbers = [0.0, 0.1, 0.55, 1.0]
    ax = figures.bins(numbers).axes[0]
    boxes = sorted(ax.patches, key=lambda box: box.get_x())
    assert len(boxes) == 5
    assert [bool(box.get_hatch()) for box in boxes] == [False, True, False, True, False]
    assert np.allclose([box.get_width() for box in boxes], 0.2)


@pytest.mark.parametrize(("left_out", "named"), [(0, "ranks 4 and 5"), (1, "ranks 1 and 2")])
def test_ranked_means_shade_the_largest_gap_of_those_not_left_out(left_out, named):
    ax = figures.ranked_means([3.0, 1.0, 1.5, 1.4, -7.0], left_out=left_out).axes[0]
    assert named in " ".join(texts(ax))
    kept, hollow = ax.lines
    assert kept.get_ydata().tolist() == [3.0, 1.5, 1.4, 1.0, -7.0][: 5 - left_out]
    assert hollow.get_ydata().size == left_out


def test_bars_of_an_error_curve_are_one_standard_error_long():
    errors = pd.DataFrame(
        {
            "policy": "MaxGapUCB",
            "samples": np.arange(1, 21),
            "replicates": 100,
            "error": 0.2,
            "low": 0.1,
            "high": 0.3,
        }
    )
    _, ax = figures.new_figure()
    figures.error_curves_with_bars(errors, ax, every=10)
    (bars,) = (c for c in ax.containers if c.has_yerr)
    segments = np.array(bars.lines[2][0].get_segments())
    assert segments[:, 0, 0].tolist() == [10, 20]
    assert np.allclose(segments[:, :, 1], [0.2 - 0.04, 0.2 + 0.04])


def test_ratio_curves_of_shared_axes_run_from_high_error_to_low_and_none_is_cut_off():
    rows = pd.DataFrame({"policy": "MaxGapUCB", "level": [0.3, 0.1, 0.01], "ratio": [2.0, 4, 8]})
    low = rows.assign(low=rows["ratio"] - 1, high=rows["ratio"] + 1)
    high = rows.assign(ratio=2 * rows["ratio"], low=1.0, high=[5.0, 9.0, np.inf])
    _, axes = figures.new_figure(2, 1, sharex=True, sharey=True)
    for ax, table in zip(axes, (high, low), strict=True):
        figures.speedup_curves(table, claimed=(6, 7), ax=ax)
    left, right = axes[0].get_xlim()
    assert left > 0.3 > 0.01 > right
    assert axes[0].get_ylim()[0] == 0
    assert axes[0].get_ylim()[1] > 9
    assert axes[1].lines[0].get_ydata().tolist() == [2.0, 4.0, 8.0]


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
