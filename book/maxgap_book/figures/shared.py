"""What the figures of more than one chapter share."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke
from numpy.typing import ArrayLike

from maxgap.figures import PALETTE

__all__ = [
    "MANY_STYLES",
    "Player",
    "darker",
    "figure_of",
    "legible",
    "shade_not_allowed",
]


MANY_STYLES = [
    {"color": PALETTE[i], "linestyle": line, "marker": marker}
    for i, line, marker in (
        (0, "-", "o"),
        (2, "--", "^"),
        (1, "-.", "D"),
        (3, ":", "v"),
        (4, (0, (5, 1)), "s"),
        (5, (0, (3, 1, 1, 1)), "x"),
    )
]


class Player:
    """A figure that can be played with, as HTML; ``description`` where there is none."""

    def __init__(self, html: str, description: str) -> None:
        self.html, self.description = html, description

    def _repr_html_(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return self.description


def darker(colour: Any) -> tuple[float, ...]:
    """The colour of a line's name: a little darker than the line, to be read."""
    return tuple(0.8 * part for part in to_rgb(colour))


def figure_of(ax: Axes) -> Figure:
    """The figure of axes, which is no part of another one."""
    figure = ax.figure
    assert isinstance(figure, Figure)
    return figure


def legible(ax: Axes) -> None:
    """White around the letters of all texts so far, where lines pass below them."""
    for text in ax.texts:
        text.set_path_effects([withStroke(linewidth=3, foreground="white")])


def shade_not_allowed(ax: Axes, ends: ArrayLike, x: float) -> None:
    """The diagonal between `ends`, and grey above it: a theorem allows no point there.

    Parameters
    ----------
    ax : Axes
        Where to draw.
    ends : array_like, shape (2,)
        Where the diagonal begins and ends, on either axis.
    x : float
        Where the words stand, as a share of the width.
    """
    low, high = np.asarray(ends)
    ax.fill_between([low, high], [low, high], high, color="0.9", lw=0, zorder=0)
    ax.plot([low, high], [low, high], color="black", lw=1.2)
    ax.text(x, 0.9, "not allowed", transform=ax.transAxes, ha="center")
