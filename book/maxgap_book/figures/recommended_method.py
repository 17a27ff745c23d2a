"""Figure of the chapter on the recommended method."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from maxgap.figures import new_figure, policy_style
from maxgap_book.figures.shared import darker, shade_not_allowed

__all__ = ["rounds_against_bound"]


def rounds_against_bound(table: pd.DataFrame, worst: float) -> Figure:
    """Samples of the most sampled arm against the bound on rounds: a cloud an instance.

    Parameters
    ----------
    table : DataFrame
        A row a run: instance, most, bound.
    worst : float
        The most rounds that valid noise took on the first instance, drawn as a cross.
    """
    figure, ax = new_figure(height=4.2)
    colour = policy_style("MaxGapTop2UCB")["color"]
    for name, rows in table.groupby("instance", sort=False):
        x, y = rows["bound"].iloc[0], rows["most"]
        ax.plot(x * np.ones(len(y)), y, "o", color=colour, ms=4, alpha=0.3, rasterized=True)
        ax.text(1.25 * x, y.min(), str(name), va="center", color=darker(colour))
    first = table["bound"].iloc[0]
    ax.plot(first, worst, "X", color="black", ms=8)
    ax.text(1.25 * first, worst, "worst noise", va="center")
    ends = np.array([first / 2, 12 * table["bound"].max()])
    shade_not_allowed(ax, ends, 0.2)
    ax.set(
        xscale="log",
        yscale="log",
        xlim=ends,
        ylim=(table["most"].min() / 2, 2 * table["bound"].max()),
        xlabel="rounds that the theorem allows",
        ylabel="samples of the most sampled arm",
    )
    return figure
