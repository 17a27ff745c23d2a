"""Figure of the chapter on the proofs of the hardness theorems."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from maxgap.figures import new_figure, policy_style
from maxgap_book.figures.shared import darker, shade_not_allowed

__all__ = ["measured_against_bound"]


def measured_against_bound(table: pd.DataFrame) -> Figure:
    """Samples taken against samples allowed by a theorem, on logarithmic axes with the diagonal.

    Parameters
    ----------
    table : DataFrame
        A row a run: policy, measured, bound.
    """
    figure, ax = new_figure(height=4.2)
    for label, rows in table.groupby("policy", sort=False):
        style = policy_style(str(label))
        ax.plot(
            rows["bound"],
            rows["measured"],
            style["marker"],
            color=style["color"],
            ms=4,
            alpha=0.5,
            rasterized=True,
        )
        here = {"color": darker(style["color"]), "fontweight": "bold", "transform": ax.transAxes}
        ax.text(0.98, 0.06 if len(ax.texts) else 0.72, str(label), ha="right", **here)
    ends = np.array([table["measured"].min() / 1.5, table["bound"].max() * 1.5])
    shade_not_allowed(ax, ends, 0.3)
    ax.set(
        xscale="log",
        yscale="log",
        xlim=(table["bound"].min() / 1.5, ends[1]),
        ylim=ends,
        xlabel="samples that the theorem allows",
        ylabel="samples taken",
    )
    return figure
