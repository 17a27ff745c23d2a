"""Figures of the chapter on the Streetview scores."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from maxgap.figures import PALETTE, new_figure
from maxgap_book.figures.shared import error_curves_with_bars, figure_of, speedup_curves
from maxgap_book.printing import decimal

__all__ = [
    "error_curves_with_bars",
    "ranked_means",
    "speedup_curves",
]


def ranked_means(
    means: ArrayLike, *, left_out: int = 0, ylabel: str = "mean", ax: Axes | None = None
) -> Figure:
    """Means against rank; the largest gap is shaded, the last ``left_out`` means are hollow.

    Parameters
    ----------
    means : array_like, shape (K,)
        True means in any order.
    left_out : int
        How many of the lowest are drawn hollow. The gap is that of the others.
    ylabel : str
        What the means are.
    ax : Axes, optional
        Where to draw; a new figure if there is none.
    """
    if ax is None:
        _, ax = new_figure(height=3.4)
    ordered = np.sort(np.asarray(means, dtype=float))[::-1]
    kept = ordered[: ordered.size - left_out]
    ranks = np.arange(1, ordered.size + 1)
    split = int(np.argmax(-np.diff(kept)))
    ax.axhspan(kept[split + 1], kept[split], color=PALETTE[1], alpha=0.35, lw=0)
    ax.plot(ranks[: kept.size], kept, "o", color=PALETTE[0], ms=4)
    ax.plot(ranks[kept.size :], ordered[kept.size :], "o", mfc="none", color="0.35", ms=4)
    ax.annotate(
        f"largest gap {decimal(kept[split] - kept[split + 1], 4)}, "
        f"ranks {split + 1} and {split + 2}",
        (0.97 if split < kept.size / 2 else 0.55, kept[split : split + 2].mean()),
        xycoords=("axes fraction", "data"),
        ha="right",
        va="center",
    )
    ax.set(xlabel="rank", ylabel=ylabel, xlim=(0, ordered.size + 1))
    return figure_of(ax)
