"""Figure of the chapter on comparisons."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from maxgap.figures import PALETTE, new_figure

__all__ = ["two_ways"]


def two_ways(
    scores: Mapping[Any, float], panels: Mapping[str, Mapping[str, pd.DataFrame]]
) -> Figure:
    """The same duels read in two ways, a panel for each table: estimates beside the true scores.

    Parameters
    ----------
    scores : mapping of hashable to float
        The true score of every arm, the rows from the top.
    panels : mapping of str to mapping of str to DataFrame
        Title -> the wrong way and the right way: label -> ``TableSplit.arms``.

    Examples
    --------
    >>> arms = pd.DataFrame({"arm": [*"ab"], "mean": [0.8, 0.2], "lower": 0.1, "upper": 0.9})
    >>> figure = two_ways({"a": 0.7, "b": 0.3}, {"a table": {"wrong": arms, "right": arms}})
    >>> figure.axes[0].get_title()
    'a table'
    """
    figure, axes = new_figure(1, len(panels), height=4.4, sharey=True, squeeze=False)
    rows = {arm: -float(place) for place, arm in enumerate(scores)}
    styles = ({"color": PALETTE[3], "marker": "v"}, {"color": PALETTE[0], "marker": "o"})
    for ax, (title, ways) in zip(axes[0], panels.items(), strict=True):
        for arm, score in scores.items():
            ax.plot([score] * 2, rows[arm] + np.array([-0.38, 0.38]), color="0.55", lw=5, zorder=1)
        for (label, arms), style, shift in zip(ways.items(), styles, (0.17, -0.17), strict=True):
            at = arms["arm"].map(rows) + shift
            ax.hlines(at, arms["lower"], arms["upper"], color=style["color"], lw=1.4)
            ax.plot(arms["mean"], at, ls="none", ms=7, label=label, zorder=3, **style)
        ax.set(title=title, xlabel="share of duels won", xlim=(0, 1))
        ax.grid(axis="y", visible=False)
        ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.17), fontsize=10)
    axes[0, 0].set_yticks(list(rows.values()), [str(arm) for arm in rows])
    return figure
