"""Figures of the chapter on the lower bound."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from maxgap.figures import PALETTE, bracket, new_figure

from .shared import power_laws

__all__ = [
    "moved_means",
    "power_laws",
]


def moved_means(instances: Mapping[str, ArrayLike], moved: Sequence[int | None]) -> Figure:
    """The same arms in several instances, a line each, the largest gap of each bracketed.

    Parameters
    ----------
    instances : mapping of str to array_like of shape (K,)
        Name -> means. The first is where the arms start.
    moved : sequence of int or None
        For each instance the arm that has moved from its place in the first, drawn with an arrow.
        Arms are numbered from 1 in the figure.
    """
    figure, ax = new_figure(height=3.6)
    start = np.asarray(next(iter(instances.values())), dtype=float)
    for row, ((_, values), arm) in enumerate(zip(instances.items(), moved, strict=True)):
        means, y = np.asarray(values, dtype=float), -row
        ax.axhline(y, color="0.75", lw=1, zorder=0)
        for i, mean in enumerate(means):
            colour = PALETTE[3] if i == arm else PALETTE[0]
            ax.plot(mean, y, "D" if i == arm else "o", color=colour, ms=8)
            ax.text(mean, y - 0.14, str(i + 1), ha="center", va="top")
        if arm is not None:
            ax.plot(start[arm], y, "o", mfc="white", mec=PALETTE[3], ms=8)
            ax.annotate(
                "",
                (means[arm], y + 0.08),
                (start[arm], y + 0.08),
                arrowprops={
                    "arrowstyle": "->",
                    "color": PALETTE[3],
                    "connectionstyle": "arc3,rad=-0.6",
                    "lw": 1.4,
                },
            )
        ordered = np.sort(means)
        widest = int(np.argmax(np.diff(ordered)))
        gap = ordered[widest + 1] - ordered[widest]
        bracket(ax, (ordered[widest], ordered[widest + 1]), y + 0.34, f"largest gap {gap:.4g}")
    ax.set(xlabel="mean", ylim=(-len(instances) + 0.6, 0.75))
    ax.set_yticks(-np.arange(len(instances)), list(instances))
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    ax.grid(visible=False)
    return figure
