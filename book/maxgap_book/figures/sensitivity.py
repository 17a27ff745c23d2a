"""Figure of the chapter on sensitivity."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from maxgap.figures import PALETTE, STYLE, new_figure
from maxgap_book.figures.shared import darker

__all__ = ["shares"]

MARKS = ((0, "o"), (2, "s"), (4, "D"))


def shares(table: pd.DataFrame, *, level: float) -> Figure:
    """Shares of runs with a miss: a line a radius, a marker a kind of rewards, with intervals.

    Parameters
    ----------
    table : DataFrame
        Columns rewards (at most three kinds), radius, share, low, high.
    level : float
        The share that was asked for, drawn as a vertical line.
    """
    radii, kinds = list(table["radius"].unique()), table["rewards"].unique()
    figure, ax = new_figure(height=1.2 + 0.8 * len(radii))
    letters = {"fontsize": STYLE["font.size"]}
    for place, (kind, (colour, marker)) in enumerate(zip(kinds, MARKS, strict=False)):
        rows = table[table["rewards"] == kind]
        step = 0.26 * (place - (len(kinds) - 1) / 2)
        y = [radii.index(radius) + step for radius in rows["radius"]]
        reach = [rows["share"] - rows["low"], rows["high"] - rows["share"]]
        style = {"fmt": marker, "ms": 7, "lw": 1.8, "capsize": 3, "clip_on": False}
        ax.errorbar(rows["share"], y, xerr=np.clip(reach, 0, None), color=PALETTE[colour], **style)
        name = {"color": darker(PALETTE[colour]), "va": "center", **letters}
        for right, height in zip(rows["high"], y, strict=True):
            ax.text(max(right, level) + 0.02, height, str(kind), **name)
    ax.axvline(level, color="black", lw=1.2)
    ax.annotate(
        f"{100 * level:g}% asked for",
        (level, 1),
        xycoords=("data", "axes fraction"),
        xytext=(0, 4),
        textcoords="offset points",
        ha="center",
        **letters,
    )
    ax.set(xlim=(0, 1), ylim=(len(radii) - 0.5, -0.5), yticks=range(len(radii)), yticklabels=radii)
    ax.set_xlabel("runs with a miss")
    ax.xaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    ax.grid(visible=False, axis="y")
    return figure
