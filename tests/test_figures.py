"""What figures draw is what they were given."""

import inspect

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_rgb

from maxgap import figures


def test_a_new_figure_leaves_the_interactive_mode_as_it_was():
    for mode in (True, False):
        plt.rcParams["interactive"] = mode
        figures.new_figure()
        assert plt.isinteractive() is mode


def test_every_figure_is_described_with_an_example():
    functions = [getattr(figures, name) for name in figures.__all__]
    functions = [thing for thing in functions if inspect.isfunction(thing)]
    assert len(functions) == 4
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


#: Colours as readers see them who lack the cones for green or for red (Machado et al. 2009).
SEEN = {
    "all": np.eye(3),
    "no green": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "no red": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
}
TO_XYZ = [[0.4125, 0.3576, 0.1804], [0.2127, 0.7152, 0.0722], [0.0193, 0.1192, 0.9503]]


def linear(colour):
    """Light of red, green and blue, from what is written."""
    written = np.array(to_rgb(colour))
    return np.where(written <= 0.04045, written / 12.92, ((written + 0.055) / 1.055) ** 2.4)


def lab(light):
    """Coordinates in which a distance is a difference that is seen (CIE 1976)."""
    part = TO_XYZ @ np.clip(light, 0, 1) / [0.9505, 1.0, 1.0888]
    x, y, z = np.where(part > 0.008856, np.cbrt(part), 7.787 * part + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def test_a_bracket_spans_from_one_place_to_the_other_with_its_name_above():
    for align, x in {"left": 0.2, "center": 0.4, "right": 0.6}.items():
        _, ax = figures.new_figure()
        figures.bracket(ax, (0.2, 0.6), 0.5, "gap", align=align)
        bar, name = ax.texts
        assert sorted([bar.xy, bar.xyann]) == [(0.2, 0.5), (0.6, 0.5)]
        assert (name.get_text(), name.xy) == ("gap", (pytest.approx(x), 0.5))
        assert (name.get_ha(), name.get_va(), name.xyann[1] > 0) == (align, "bottom", True)
