"""Figures: arrays and tables in, a matplotlib Figure out. One palette, one style.

Every policy keeps its colour, line style and marker in all figures, so that none is told by colour
alone. Figures are made for a column 7 inches wide and stay readable at phone width.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure

_COLOURS = sns.color_palette("colorblind")

#: Line of each policy; seaborn's colour-blind palette.
POLICY_STYLES: dict[str, dict[str, Any]] = {
    "RoundRobin": {"color": _COLOURS[7], "linestyle": "-", "marker": "s"},
    "MaxGapElim": {"color": _COLOURS[1], "linestyle": "--", "marker": "^"},
    "MaxGapUCB": {"color": _COLOURS[0], "linestyle": "-", "marker": "o"},
    "MaxGapTop2UCB": {"color": _COLOURS[2], "linestyle": "-.", "marker": "D"},
    "SortThenSearch": {"color": _COLOURS[3], "linestyle": ":", "marker": "v"},
}

STYLE: Mapping[str, Any] = {
    "figure.dpi": 100,
    "figure.facecolor": "white",
    "figure.constrained_layout.use": True,
    "savefig.dpi": 150,
    "font.size": 11,
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
    """Figure of the book's width and style, and its axes as from ``plt.subplots``."""
    with plt.rc_context(dict(STYLE)):
        return plt.subplots(rows, columns, figsize=(7.0, height), **kwargs)


def policy_style(label: str) -> dict[str, Any]:
    """Colour, line style and marker of a policy, by the name its label begins with."""
    for name, style in POLICY_STYLES.items():
        if label.startswith(name):
            return dict(style)
    return {"color": "black", "linestyle": "-", "marker": "."}


def error_curves(
    errors: pd.DataFrame, *, level: float | None = None, ax: Axes | None = None
) -> Figure:
    """Share of wrong answers against samples, one line a policy, with its interval as a band.

    Parameters
    ----------
    errors : DataFrame
        ``Study.errors``: policy, samples, error, low, high.
    level : float, optional
        An error level to mark with a horizontal line.
    ax : Axes, optional
        Where to draw; a new figure if there is none.
    """
    if ax is None:
        _, ax = new_figure()
    for label, rows in errors.groupby("policy", sort=False):
        style = policy_style(str(label))
        every = max(len(rows) // 10, 1)
        ax.plot(rows["samples"], rows["error"], label=label, markevery=every, **style)
        ax.fill_between(
            rows["samples"], rows["low"], rows["high"], color=style["color"], alpha=0.18, lw=0
        )
    if level is not None:
        ax.axhline(level, color="black", lw=0.8, ls=":")
    ax.set(xlabel="samples", ylabel="share of wrong answers", ylim=(0, None), xlim=(0, None))
    ax.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    ax.legend()
    figure = ax.figure
    assert isinstance(figure, Figure)
    return figure
