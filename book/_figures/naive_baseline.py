"""Figures of the chapter on the naive baseline."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from maxgap.figures import PALETTE, bracket, new_figure

from .shared import power_laws

__all__ = [
    "one_large_gap",
    "power_laws",
]


def one_large_gap(means: ArrayLike, hardness: ArrayLike, claimed: float) -> Figure:
    """The instance with one large gap: arms on a line, and below it how hard each of them is.

    Parameters
    ----------
    means : array_like, shape (K,)
        True means, largest first; the largest gap is bracketed, and the one right of it.
    hardness : array_like, shape (K,)
        gamma of the arms, in the same order; infinite values are left out.
    claimed : float
        The value that the paper gives for all arms away from the largest gap.
    """
    means, values = np.asarray(means, dtype=float), np.asarray(hardness, dtype=float)
    figure, axes = new_figure(2, 1, height=4.6, sharex=True, height_ratios=[1, 2.2])
    split = int(np.argmax(-np.diff(means)))
    line, below = axes
    line.axhline(0, color="0.6", lw=1, zorder=0)
    line.plot(means, np.zeros(means.size), "o", color=PALETTE[0], ms=8)
    small = (means[split - 1], means[split - 2])
    bracket(line, (means[split + 1], means[split]), 0.5, r"$\Delta_{\max}$")
    bracket(line, small, 0.5, r"$\Delta_{\min}$")
    for rank in (1, split + 1, split + 2, means.size):
        line.text(means[rank - 1], -0.35, f"({rank})", ha="center", va="top")
    line.set(ylim=(-1.1, 1.5), yticks=[])
    line.spines[["left", "bottom"]].set_visible(False)
    line.tick_params(bottom=False)
    line.grid(visible=False)
    away = np.ones(means.size, dtype=bool)
    away[[split, split + 1]] = False
    below.vlines(means[away], 0, values[away], color=PALETTE[1], lw=1.4)
    below.plot(means[away], values[away], "D", color=PALETTE[1], ms=6, label="computed")
    below.axhline(claimed, color="black", ls="--", lw=1.4, label=r"claimed, $\Delta_{\max}/2$")
    below.set(xlabel="mean", ylabel=r"hardness $\gamma$", ylim=(0, 1.35 * claimed))
    below.legend(loc="upper center", ncols=2, frameon=False)
    return figure
