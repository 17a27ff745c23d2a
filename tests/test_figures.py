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
