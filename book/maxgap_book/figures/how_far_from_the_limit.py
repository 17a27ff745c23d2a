"""Figures of the chapter on the limit of an instance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter
from numpy.typing import ArrayLike

from maxgap.figures import PALETTE, bracket, new_figure
from maxgap_book.figures.shared import MANY_STYLES

__all__ = ["nearest", "times_the_limit"]

#: Distance between two instances in a row of methods.
STEP = 0.15


def nearest(
    instances: Mapping[str, tuple[ArrayLike, ArrayLike, ArrayLike]], *, least: float = 0.02
) -> Figure:
    """Means, the nearest means with another answer below them, and shares of the samples above.

    Parameters
    ----------
    instances : mapping of str to (means, alternative, shares)
        Each of shape (K,); a panel each.
    least : float
        Arms that move by less, as a part of the largest move, are drawn as if they stayed. The
        others are triangles that point to where they go.

    Examples
    --------
    >>> figure = nearest({"three": ([0, 1, 3], [-0.25, 1.25, 2.75], [0.25, 0.5, 0.25])})
    >>> len(figure.axes[0].collections[0].get_segments())
    3
    """
    figure, panels = new_figure(rows=len(instances), height=2.3 * len(instances), squeeze=False)
    for ax, (name, parts) in zip(panels[:, 0], instances.items(), strict=True):
        means, alternative, shares = (np.asarray(part, dtype=float) for part in parts)
        _panel(ax, means, alternative, shares, least)
        ax.set_title(name, loc="left")
    panels[-1, 0].set_xlabel("mean")
    return figure


def _panel(
    ax: Axes,
    means: np.ndarray,
    alternative: np.ndarray,
    shares: np.ndarray,
    least: float,
) -> None:
    ordered = np.sort(means)
    widest = int(np.argmax(np.diff(ordered)))
    low, high = ordered[widest], ordered[widest + 1]
    moves = alternative - means
    moved = np.abs(moves) > least * np.abs(moves).max()
    ax.vlines(means, 1.12, 1.12 + shares, color=PALETTE[0], lw=5)
    for y in (1, 0):
        ax.axhline(y, color="0.8", lw=1, zorder=0)
    for mean, other, move, is_moved in zip(means, alternative, moves, moved, strict=True):
        colour = PALETTE[3] if is_moved else "0.6"
        ax.plot([mean, other], [1, 0], color=colour, lw=1.6 if is_moved else 0.7, zorder=1)
        marker = (">" if move > 0 else "<") if is_moved else "o"
        ax.plot(other, 0, marker, color=colour, ms=9 if is_moved else 6)
    ax.plot(means, np.ones_like(means), "o", color=PALETTE[0], ms=6)
    bracket(ax, (low, high), 1.78, f"{high - low:.3g}")
    ranked = np.sort(alternative)
    gaps = np.diff(ranked)
    for k in np.flatnonzero(gaps >= gaps.max() * (1 - 1e-6)):
        bracket(ax, (ranked[k], ranked[k + 1]), -0.5, f"{gaps[k]:.3g}")
    ax.set_yticks([1.3, 1, 0], ["share of samples", "true means", "nearest others"])
    ax.set_ylim(-0.75, 2.15)
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    ax.grid(visible=False)


def times_the_limit(table: pd.DataFrame) -> Figure:
    """Median samples over the limit: a row a method, a marker an instance.

    Parameters
    ----------
    table : DataFrame
        Columns method, instance, times, low, high (the median's interval; infinite where there are
        too few runs) and proved; in the order in which methods and instances are shown. Methods
        without a proof are hollow.

    Examples
    --------
    >>> rows = [("a", "x", 2.0, 1.5, 2.5, True), ("b", "x", 9.0, 8.0, np.inf, False)]
    >>> columns = ["method", "instance", "times", "low", "high", "proved"]
    >>> figure = times_the_limit(pd.DataFrame(rows, columns=columns))
    >>> [tick.get_text() for tick in figure.axes[0].get_yticklabels()]
    ['a', 'b']
    """
    methods, instances = list(table["method"].unique()), list(table["instance"].unique())
    figure, ax = new_figure(height=1.6 + 0.42 * len(methods))
    shown = []
    for place, name in enumerate(instances):
        style: dict[str, Any] = MANY_STYLES[place]
        shown.append(Line2D([], [], color=style["color"], marker=style["marker"], ls="none"))
        for row in table[table["instance"] == name].itertuples():
            y = methods.index(row.method) + STEP * (place - (len(instances) - 1) / 2)
            hollow = style["marker"] != "x" and not row.proved
            ax.plot(
                row.times,
                y,
                style["marker"],
                color=style["color"],
                mfc="white" if hollow else style["color"],
                ms=6,
            )
            ax.plot([row.low, min(row.high, 1e9)], [y, y], color=style["color"], lw=1.2, zorder=1)
    for place in range(1, len(methods), 2):
        ax.axhspan(place - 0.5, place + 0.5, color="0.5", alpha=0.08, lw=0, zorder=0)
    ax.axvline(1, color="black", lw=1.2)
    ax.text(1.1, 0.6 * len(methods), "the limit", rotation=90, va="center")
    ax.set_xscale("log")
    ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,g}"))
    ax.set(xlabel=r"samples, times the limit $T^*\,\mathrm{kl}(\delta, 1 - \delta)$")
    ax.set_xlim(0.7 * min(1, table["times"].min()), 1.6 * table["times"].max())
    ax.set_ylim(len(methods) - 0.5, -0.5)
    ax.set_yticks(range(len(methods)), methods)
    ax.tick_params(axis="y", length=0)
    ax.grid(visible=False, axis="y")
    figure.legend(shown, instances, loc="outside upper center", ncols=3)
    return figure
