"""Figures of the chapter on the problem."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from maxgap.figures import PALETTE, new_figure

__all__ = [
    "bins",
    "scenes",
]

#: Points; the first page shows the scenes in half a column.
LETTERS = 14


def scenes(scores: ArrayLike, groups: Mapping[str, int], *, sigma: float) -> Figure:
    """Scores as ticks, each under the bell curve of its single answers; names of the groups below.

    Parameters
    ----------
    scores : array_like, shape (K,)
        True means, in any order.
    groups : mapping of str to int
        Name -> how many scores, from the smallest up; together all of them.
    sigma : float
        Standard deviation of a single answer, in the scores' units.
    """
    figure, ax = new_figure(height=3.6)
    ordered = np.sort(np.asarray(scores, dtype=float))
    ends = ordered[0] - 0.9 * sigma, ordered[-1] + 0.9 * sigma
    x = np.linspace(*ends, 400)
    start = 0
    for i, (name, size) in enumerate(groups.items()):
        members = ordered[start : start + size]
        start += size
        colour, style = PALETTE[(3, 2, 0)[i % 3]], ("-", "--", "-.")[i % 3]
        for score in members:
            bell = np.exp(-0.5 * ((x - score) / sigma) ** 2)
            ax.plot(x, bell, color=colour, ls=style, lw=1.2)
            ax.fill_between(x, bell, color=colour, alpha=0.1, lw=0)
        ax.vlines(members, -0.34, -0.06, color=colour, lw=1.8)
        ax.text(members.mean(), -0.4, name, ha="center", va="top", fontsize=LETTERS)
    ax.axhline(0, color="0.3", lw=0.8)
    ax.text(ends[0], 1.12, "single answers", va="center", fontsize=LETTERS)
    ax.text(ends[0], -0.2, "mean scores", va="center", fontsize=LETTERS)
    ax.set(xlim=ends, ylim=(-0.68, 1.2), yticks=[])
    ax.set_xlabel("safety (Borda) score", fontsize=LETTERS)
    ax.tick_params(labelsize=LETTERS)
    ax.spines["left"].set_visible(False)
    ax.grid(visible=False)
    return figure


def bins(numbers: ArrayLike) -> Figure:
    """K numbers in K + 1 bins of equal width: empty bins hatched, the largest gap marked."""
    figure, ax = new_figure(height=2.2)
    ordered = np.sort(np.asarray(numbers, dtype=float))
    edges = np.linspace(ordered[0], ordered[-1], ordered.size + 2)
    held, _ = np.histogram(ordered, edges)
    for left, right, number in zip(edges[:-1], edges[1:], held, strict=True):
        ax.axvspan(
            left,
            right,
            ymin=0.3,
            ymax=0.75,
            facecolor="white" if number else "0.92",
            edgecolor="0.3",
            hatch="" if number else "//",
            lw=1.0,
        )
    ax.plot(ordered, np.full(ordered.size, 0.42), "o", color=PALETTE[0], ms=7)
    widest = int(np.argmax(np.diff(ordered)))
    ends = ordered[widest : widest + 2]
    ax.annotate("", (ends[0], 0.2), (ends[1], 0.2), arrowprops={"arrowstyle": "<->"})
    ax.text(ends.mean(), 0.17, "largest gap", ha="center", va="top", fontsize=12)
    ax.set(xlabel="score", ylim=(0, 0.8), yticks=[])
    ax.spines["left"].set_visible(False)
    ax.grid(visible=False)
    return figure
