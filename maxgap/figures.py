"""Figures: arrays and tables in, a matplotlib Figure out. One palette, one style.

Every policy keeps its colour, line style and marker in all figures, so that none is told by colour
alone. Figures are 6.2 inches wide: letters of 12 points are then 9 pixels high on a phone, and no
figure has smaller ones.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from maxgap.statistics import decimal, significant

__all__ = [
    "PALETTE",
    "POLICY_STYLES",
    "STYLE",
    "bracket",
    "new_figure",
    "policy_style",
    "rated",
]

#: Colours for what is no policy: hues of Paul Tol's "muted" scheme, made for colour-blind readers,
#: that no policy has; in the order indigo, olive, cyan, rose, wine, brown, slate.
PALETTE: list[tuple[float, float, float]] = [
    to_rgb(colour)
    for colour in ("#332288", "#999933", "#3d9fc4", "#cc6677", "#882255", "#8a5a2b", "#2f4f4f")
]

#: Line of each policy. No two colours are alike to readers who see no red or no green, and all
#: stand out from white; policies alone have them.
POLICY_STYLES: dict[str, dict[str, Any]] = {
    "RoundRobin": {"color": "#444444", "linestyle": "-", "marker": "s"},
    "MaxGapElim": {"color": "#c98500", "linestyle": "--", "marker": "^"},
    "MaxGapUCB": {"color": "#0050b0", "linestyle": "-", "marker": "o"},
    "MaxGapTop2UCB": {"color": "#2aa876", "linestyle": "-.", "marker": "D"},
    "SortThenSearch": {"color": "#a02010", "linestyle": ":", "marker": "v"},
    "MaxGapContrasts": {"color": "#cc78bc", "linestyle": (0, (5, 1)), "marker": "P"},
}

#: Of groups of arms, the highest first.
GROUP_COLOURS, GROUP_MARKERS = (1, 0, 2, 4, 5), "^vDos"

#: Of every figure, in inches.
WIDTH = 6.2

#: Settings of matplotlib for every figure.
STYLE: dict[Any, Any] = {
    "figure.dpi": 100,
    "figure.facecolor": "white",
    "figure.constrained_layout.use": True,
    "savefig.dpi": 150,
    "font.size": 12,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.3,
    "legend.frameon": False,
    "lines.linewidth": 1.8,
    "lines.markersize": 4,
}


def new_figure(
    rows: int = 1, columns: int = 1, *, height: float = 3.8, **kwargs: Any
) -> tuple[Figure, Any]:
    """Make a figure of the book's width and style, and its axes as from ``plt.subplots``.

    Parameters
    ----------
    rows, columns : int
        Number of panels.
    height : float
        Of the whole figure, in inches; it is 6.2 inches wide.
    **kwargs
        As in ``plt.subplots``.

    Examples
    --------
    >>> figure, axes = new_figure(2, height=3.0, sharex=True)
    >>> figure.get_size_inches().tolist(), axes.shape
    ([6.2, 3.0], (2,))
    >>> plt.close(figure)
    """
    with plt.rc_context(STYLE):
        made = plt.subplots(rows, columns, figsize=(WIDTH, height), **kwargs)
        # A notebook's backend switches this on when it is first used, here; figures of later
        # cells would not be shown if the context took it back.
        interactive = plt.isinteractive()
    plt.rcParams["interactive"] = interactive
    return made


def policy_style(label: str) -> dict[str, Any]:
    """Colour, line style and marker of a policy, by the name its label begins with; or black.

    Examples
    --------
    >>> policy_style("MaxGapUCB, own rule")["linestyle"], policy_style("mine")["color"]
    ('-', 'black')
    """
    for name, style in POLICY_STYLES.items():
        if label.startswith(name):
            return dict(style)
    return {"color": "black", "linestyle": "-", "marker": "."}


def rated(
    arms: pd.DataFrame,
    *,
    rival: tuple[float, float] | None = None,
    certified: bool = False,
    ax: Axes | None = None,
) -> Figure:
    """Arms by mean with their intervals, in groups; the gaps between them, and what rivals these.

    Parameters
    ----------
    arms : DataFrame
        ``arms`` of an answer: arm, mean, lower, upper, group; largest mean first.
    rival : (float, float), optional
        Ends of the widest gap that may be inside a group.
    certified : bool
        Whether the groups are; otherwise the split is dotted.
    ax : Axes, optional
        Where to draw; a new figure if there is none.

    Examples
    --------
    >>> arms = pd.DataFrame({"arm": ["b", "a"], "mean": [2.0, 0.0], "lower": [1.5, -0.5],
    ...     "upper": [2.5, 0.5], "group": ["top", "bottom"]})
    >>> [text.get_text() for text in rated(arms).axes[0].texts if text.get_text()]
    ['at least 1.00']
    >>> plt.close("all")
    """
    if ax is None:
        _, ax = new_figure(height=min(max(2.4, 0.24 * len(arms) + 1.6), 12.0))
    rows = np.arange(len(arms))[::-1]
    mean, lower, upper = (arms[name].to_numpy() for name in ("mean", "lower", "upper"))
    # Of many arms lines are thin, and what stands above and below them takes as much room.
    many = max(len(arms) / 25, 1.0)
    groups = [(arms["group"] == name).to_numpy() for name in arms["group"].unique()]
    for k, group in enumerate(groups):
        colour = PALETTE[GROUP_COLOURS[k % len(GROUP_COLOURS)]]
        ax.hlines(rows[group], lower[group], upper[group], color=colour, lw=2 / many)
        marks: dict[str, Any] = {"color": colour, "ms": 6 if many == 1 else 2, "zorder": 3}
        ax.plot(mean[group], rows[group], GROUP_MARKERS[k % len(GROUP_MARKERS)], **marks)
    for above, below in pairwise(groups):
        split = (mean[above].min() + mean[below].max()) / 2
        ends = float(upper[below].max()), float(lower[above].min())
        if ends[0] < ends[1]:
            ax.axvspan(*ends, color="0.88", lw=0, zorder=0)
            bracket(ax, ends, len(arms) - 1 + 0.7 * many, f"at least {_short(ends)}")
        dash = "-" if certified else ":"
        ax.plot([split] * 2, [-0.6, len(arms) - 0.4], color="black", lw=1, ls=dash)
    if rival is not None:
        # The name is wider than most bars: at the side where there is room for it.
        left, right = ax.get_xlim()
        place = (sum(rival) / 2 - left) / (right - left)
        align = "left" if place < 1 / 3 else "right" if place > 2 / 3 else "center"
        name = f"inside a group at most {_short(rival)}"
        bracket(ax, rival, -1.7 * many, name, align=align)
    ax.set(xlabel="mean reward", ylim=(-2.3 * many, len(arms) + 0.9 * many))
    # A dollar would begin a formula.
    names = [str(arm).replace("$", r"\$") for arm in arms["arm"]]
    if any(names):
        ax.set_yticks(rows, names)
    else:
        ax.set_yticks([])
    ax.grid(visible=False, axis="y")
    assert isinstance(ax.figure, Figure)
    return ax.figure


def bracket(
    ax: Axes, ends: tuple[float, float], y: float, text: str, *, align: str = "center"
) -> None:
    """Draw a bar from one place to another at height `y`, with its name above.

    Parameters
    ----------
    ax : Axes
        Where to draw.
    ends, y : (float, float), float
        Where the bar begins and ends, and its height.
    text : str
        Its name.
    align : {"center", "left", "right"}
        Whether the name stands over the middle, or begins or ends with the bar.

    Examples
    --------
    >>> _, ax = new_figure()
    >>> bracket(ax, (0.2, 0.8), 0.5, "gap")
    >>> [text.get_text() for text in ax.texts]
    ['', 'gap']
    >>> plt.close("all")
    """
    arrow = {"arrowstyle": "|-|, widthA=0.3, widthB=0.3", "shrinkA": 0, "shrinkB": 0}
    ax.annotate("", (ends[0], y), (ends[1], y), arrowprops=arrow)
    # In points: above the bar's ends in an axes of any scale.
    x = {"left": min(ends), "center": sum(ends) / 2, "right": max(ends)}[align]
    above: dict[str, Any] = {"xytext": (0, 4), "textcoords": "offset points"}
    ax.annotate(text, (x, y), ha=align, va="bottom", **above)


def _short(ends: tuple[float, float]) -> str:
    """The distance between two ends, to two digits or two decimals."""
    width = ends[1] - ends[0]
    return decimal(width, 2) if width >= 1 else significant(width)
