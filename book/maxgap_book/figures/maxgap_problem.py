"""Figures of the chapter on the problem."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from maxgap.figures import PALETTE, new_figure
from maxgap_book.printing import decimal

__all__ = [
    "bins",
    "scenes",
]


def scenes(scores: ArrayLike, groups: Mapping[str, int], *, sigma: float = 0.05) -> Figure:
    """Scores along one axis, each with a bell curve; braces name groups of neighbours.

    Parameters
    ----------
    scores : array_like, shape (K,)
        True means, largest first.
    groups : mapping of str to int
        Name -> how many scores, from the smallest up; together all of them.
    sigma : float
        Standard deviation of the bell curves, in the scores' units.
    """
    figure, ax = new_figure(height=3.4)
    ordered = np.sort(np.asarray(scores, dtype=float))
    around = np.linspace(-3.5 * sigma, 3.5 * sigma, 200)
    start = 0
    for i, (name, size) in enumerate(groups.items()):
        members = ordered[start : start + size]
        start += size
        colour, style = PALETTE[(3, 1, 2)[i % 3]], ("-", "--", "-.")[i % 3]
        for score in members:
            x, bell = score + around, np.exp(-0.5 * (around / sigma) ** 2)
            ax.plot(x, bell, color=colour, ls=style, lw=1.4)
            ax.fill_between(x, bell, color=colour, alpha=0.12, lw=0)
            ax.plot([score, score], [0, 1], color=colour, lw=0.8)
        numbers = "\n".join(decimal(score, 3) for score in members[::-1])
        ax.text(members.mean(), 1.06, f"{name}\n{numbers}", ha="center", va="bottom", color="black")
    widest = int(np.argmax(np.diff(ordered)))
    ends = ordered[widest : widest + 2]
    ax.annotate("", (ends[0], -0.14), (ends[1], -0.14), arrowprops={"arrowstyle": "<->"})
    ax.text(ends.mean(), -0.17, f"largest gap {decimal(np.ptp(ends), 3)}", ha="center", va="top")
    ax.set(xlabel="safety (Borda) score", ylim=(-0.38, 1.75), yticks=[])
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
    ax.text(ends.mean(), 0.17, "largest gap", ha="center", va="top")
    ax.set(xlabel="score", ylim=(0, 0.8), yticks=[])
    ax.spines["left"].set_visible(False)
    ax.grid(visible=False)
    return figure
