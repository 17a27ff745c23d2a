"""Figures of the chapter on the limit of an instance."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.transforms import Transform
from numpy.typing import ArrayLike

from maxgap.figures import PALETTE, bracket, new_figure
from maxgap_book.figures.shared import darker

__all__ = ["nearest", "times_the_limit"]

#: Distance between two instances in a row of methods.
STEP = 0.16
#: Of an instance, whether many alternatives are near: name, colour and marker.
KINDS = {False: ("one alternative decides", PALETTE[0], "o"), True: ("many do", PALETTE[3], "^")}


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
    ax.set_yticks([1.42, 1, 0], ["share of samples", "true means", "nearest others"])
    ax.set_ylim(-0.75, 2.15)
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    ax.grid(visible=False)


def times_the_limit(table: pd.DataFrame) -> Figure:
    """Median samples over the limit: a row a method, a marker an instance.

    Parameters
    ----------
    table : DataFrame
        Columns method, instance, times, low, high (the median's interval), proved, and many:
        whether many alternatives are nearly as near as the nearest. Proved methods stand above
        the others, each kind with the nearest to the limit first.

    Examples
    --------
    >>> rows = [("a", "x", 9.0, 8.0, 9.5, False, True), ("b", "x", 2.0, 1.5, 2.5, False, True)]
    >>> columns = ["method", "instance", "times", "low", "high", "many", "proved"]
    >>> figure = times_the_limit(pd.DataFrame(rows, columns=columns))
    >>> [tick.get_text() for tick in figure.axes[0].get_yticklabels()]
    ['b', 'a']
    """
    logs = table.assign(log=np.log(table["times"])).groupby("method")[["proved", "log"]].mean()
    methods = logs.sort_values(["proved", "log"], ascending=[False, True]).index.tolist()
    figure, ax = new_figure(height=1.1 + 0.72 * len(methods))
    for (method, many), rows in table.sort_values("times").groupby(["method", "many"]):
        colour, marker = KINDS[bool(many)][1:]
        y = methods.index(method) + (0.18 if many else -0.34) + STEP * np.arange(len(rows))
        face = colour if rows["proved"].all() else "white"
        ax.hlines(y, rows["low"], rows["high"], color=colour, lw=2, zorder=1)
        ax.plot(rows["times"], y, marker, color=colour, mfc=face, mew=1.6, ms=7)
    _name_kinds(ax, table[table["method"] == methods[0]])
    n_proved = int(logs["proved"].sum())
    if n_proved < len(methods):
        ax.axhline(n_proved - 0.5, color="0.3", lw=1, ls="--")
        ax.text(0.99, n_proved - 0.46, "not proved", ha="right", va="top", transform=_across(ax))
    ax.axvline(1, color="black", lw=1.5)
    ax.text(1, -0.62, "the limit", ha="center", va="bottom")
    ax.set_xscale("log")
    ax.set_xlim(0.8 * min(1, table["low"].min()), 1.15 * table["high"].max())
    ax.set_xticks([1, 2, 5, 10, 20, 30], ["1", "2", "5", "10", "20", "30"])
    ax.minorticks_off()
    ax.set(xlabel="samples, times the limit", ylim=(len(methods) - 0.45, -0.6))
    ax.set_yticks(range(len(methods)), methods)
    ax.tick_params(axis="y", length=0)
    ax.grid(visible=False, axis="y")
    return figure


def _across(ax: Axes) -> Transform:
    """Across the axes from 0 to 1, down in numbers of rows."""
    return ax.get_yaxis_transform()


def _name_kinds(ax: Axes, rows: pd.DataFrame) -> None:
    """Beside the markers of the first row what their colours stand for."""
    for many, (name, colour, _) in KINDS.items():
        of_kind = rows[rows["many"] == many]
        if of_kind.empty:
            continue
        x = 1.12 * of_kind["high"].max()
        ax.text(x, 0.26 if many else -0.18, name, color=darker(colour), va="center", ha="left")
