"""Figures of the chapter on confidence sequences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from maxgap.confidence import RADII
from maxgap.figures import PALETTE, new_figure

__all__ = [
    "misses",
    "samples_by_spread",
    "widths",
]


def misses(shares: pd.DataFrame, *, level: float) -> Figure:
    """Share of replicates in which some interval has missed by now, one line a radius.

    Parameters
    ----------
    shares : DataFrame
        Columns radius, samples (of each arm), share, low, high.
    level : float
        The share that was asked for, drawn as a horizontal line.
    """
    figure, ax = new_figure(height=4.2)
    for name, rows in shares.groupby("radius", sort=False):
        style = _style(str(name))
        ax.plot(rows["samples"], rows["share"], label=name, **style)
        ax.fill_between(
            rows["samples"], rows["low"], rows["high"], color=style["color"], alpha=0.18, lw=0
        )
    ax.axhline(level, color="black", lw=0.8)
    ax.text(shares["samples"].max(), level, " asked for", va="center", ha="left", fontsize=9)
    ax.set(
        xscale="log",
        xlabel="samples of each arm so far",
        ylabel="share of replicates with a miss",
        xlim=(1, shares["samples"].max()),
        ylim=(0, None),
    )
    figure.legend(loc="outside upper center", ncols=3, frameon=False)
    return figure


def widths(n: ArrayLike, factors: Mapping[str, ArrayLike], *, one_look: float) -> Figure:
    """Radius times the root of n against n, a line a radius.

    Parameters
    ----------
    n : array_like, shape (N,)
        Numbers of samples of the arm, rising.
    factors : mapping of str to array_like, shape (N,)
        Name of a radius -> radius times the root of n.
    one_look : float
        The factor of an interval for one number of samples, drawn across.
    """
    n = np.asarray(n, dtype=float)
    figure, ax = new_figure(height=4.2)
    for name, values in factors.items():
        ax.plot(n, np.asarray(values, dtype=float), label=name, **_style(name))
    ax.axhline(one_look, color="black", lw=0.8)
    ax.text(n[-1], one_look, " one look", va="center", ha="left", fontsize=9)
    ax.set(
        xscale="log",
        xlabel="samples of the arm",
        ylabel=r"radius $\times \sqrt{n}\, /\, \sigma$",
        xlim=(n[0], n[-1]),
        ylim=(0, None),
    )
    figure.legend(loc="outside upper center", ncols=3, frameon=False)
    return figure


def samples_by_spread(needed: pd.DataFrame) -> Figure:
    """Samples until an answer is certified against how much rewards vary, a panel a kind of reward.

    Parameters
    ----------
    needed : DataFrame
        Columns rewards, spread, intervals, samples, low, high.
    """
    figure, axes = new_figure(1, needed["rewards"].nunique(), height=3.6, sharex=True)
    for ax, (kind, panel) in zip(axes, needed.groupby("rewards", sort=False), strict=True):
        for (name, rows), marker in zip(panel.groupby("intervals", sort=False), "so", strict=True):
            middle = rows["samples"]
            ax.errorbar(
                rows["spread"],
                middle,
                yerr=[middle - rows["low"], rows["high"] - middle],
                label=name,
                color=PALETTE[0] if name in RADII else PALETTE[5],
                marker=marker,
                ms=5,
                capsize=3,
            )
        ax.set(
            title=str(kind), xlabel=r"standard deviation / $\sigma$", xlim=(0, 1.05), ylim=(0, None)
        )
        ax.yaxis.set_major_formatter("{x:,.0f}")
    axes[0].set_ylabel("samples to a certified answer")
    figure.legend(
        *axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=2, frameon=False
    )
    return figure


def _style(name: str) -> dict[str, Any]:
    """Colour and dashes of a radius, the same in every figure; dotted where delta is not kept."""
    k = RADII.index(name)
    dashes = {"paper": ":", "authors-lil": (0, (1, 2))}
    solid = ["-", "-", "--", "-", "-.", "-"]
    return {"color": PALETTE[(6, 3, 2, 0, 4, 1)[k]], "ls": dashes.get(name, solid[k])}
