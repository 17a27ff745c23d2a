"""Figures of the chapters on the algorithms and on stopping show the numbers that they are told."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from maxgap.figures import STYLE, policy_style
from maxgap_book.figures import three_algorithms, when_to_stop


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def texts(ax):
    return [text.get_text() for text in ax.texts]


def bars_of(container):
    return np.array([bar[:, 1] for bar in container.lines[2][0].get_segments()])


def points(**columns):
    return pd.DataFrame(columns)


def test_the_raster_has_ink_where_an_arm_is_sampled_and_names_policies_gaps_and_ends():
    rounds = {
        "MaxGapElim": [[0, 1, 2], [0, 1, 2], [1, 2]],
        "MaxGapUCB": [[0, 1, 2], [1, 2], [1, 2], [1, 2], [1, 2]],
    }
    ax = three_algorithms.sampled_arms(rounds, {1: "gap 1"}, bins=11).axes[0]
    elim, ucb = (image.get_array()[..., 3] for image in ax.images)
    # The lowest row is arm 0; a column is one sample wide.
    assert elim[2].tolist() == [1] * 6 + [0] * 5
    assert elim[0].tolist() == [1] * 8 + [0] * 3
    assert ucb[2].tolist() == [1] * 3 + [0] * 8
    assert np.allclose(ucb[:2], 1)
    assert {"MaxGapElim", "MaxGapUCB", "gap 1", "stops"} == set(texts(ax))
    shown = {tuple(np.round(image.get_array()[0, 0, :3], 6)) for image in ax.images}
    assert len(shown) == 2


def test_wrong_stops_are_drawn_per_rule_against_the_ratio():
    table = points(
        rule=["MaxGapUCB", "MaxGapUCB", "MaxGapElim", "MaxGapElim"],
        ratio=[1.1, 2.0] * 2,
        error=[0.4, 0.1, 0.0, 0.0],
        low=[0.3, 0.05, 0.0, 0.0],
        high=[0.5, 0.2, 0.02, 0.02],
    )
    ax = when_to_stop.wrong_stops(table, level=0.1).axes[0]
    one, two = ax.containers
    assert one.lines[0].get_ydata().tolist() == [0.4, 0.1]
    assert np.allclose(bars_of(one), [[0.3, 0.5], [0.05, 0.2]])
    assert two.lines[0].get_ydata().tolist() == [0.0, 0.0]
    assert one.lines[0].get_color() == policy_style("MaxGapUCB")["color"]
    assert ax.get_ylim()[1] > 0.5
    assert {"MaxGapUCB", "MaxGapElim", "allowed"} == set(texts(ax))
    assert all(text.get_fontsize() >= STYLE["font.size"] for text in ax.texts)


def test_stopping_times_have_bars_and_a_line_of_proportion():
    table = points(
        policy=["RoundRobin"] * 2,
        hardness=[2e4, 4e4],
        median=[200.0, 900.0],
        low=[190.0, 880.0],
        high=[210.0, 920.0],
    )
    ax = when_to_stop.stopping_times(table, xlabel="hardness").axes[0]
    assert np.allclose(bars_of(ax.containers[0]), [[190, 210], [880, 920]])
    start, stop = ax.lines[0].get_ydata()
    assert stop / start == pytest.approx(2.0)
    assert set(texts(ax)) == {"RoundRobin", "in proportion"}


def test_stopping_ratios_draw_each_ratio_with_its_interval_a_line_a_rule():
    table = points(
        policy=["MaxGapTop2UCB"] * 4,
        rule=["a", "a", "b", "b"],
        gap=[0.39, 0.36] * 2,
        ratio=[4.0, 2.0, 4.2, 2.2],
        low=[3.5, 1.5, 3.7, 1.7],
        high=[4.5, 2.5, 4.7, 2.7],
    )
    ax = when_to_stop.stopping_ratios(table, largest=0.4, most=4.5).axes[0]
    first, second = ax.containers
    assert np.allclose(bars_of(first), [[1.5, 2.5], [3.5, 4.5]])
    assert first.lines[0].get_linestyle() != second.lines[0].get_linestyle()
    assert set(texts(ax)) == {"a", "b", "round robin", "4.5: the most to expect"}


@pytest.mark.parametrize("heights", [[0.0, 0.0, 0.0], [0.3, 0.0, 0.29, 0.31]])
def test_names_stand_apart_in_the_order_of_their_lines(heights):
    placed = when_to_stop.apart(heights, 0.1)
    assert np.diff(sorted(placed)).min() > 0.0999
    assert np.argsort(placed, kind="stable").tolist() == np.argsort(heights, kind="stable").tolist()
