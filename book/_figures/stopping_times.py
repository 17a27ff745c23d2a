"""Figures of the chapter on stopping times."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from maxgap.figures import new_figure, policy_style

__all__ = [
    "stopping_ratios",
    "stopping_times",
]


def stopping_times(table: pd.DataFrame, *, xlabel: str) -> Figure:
    """Mean samples until a policy stops against hardness, a panel a stopping rule.

    Parameters
    ----------
    table : DataFrame
        Columns rule, policy, hardness, mean, low, high.
    xlabel : str
        Name of the horizontal axis.
    """
    figure, axes = _panels(table, "hardness", "mean", height=4.2)
    ticks = np.arange(np.ceil(table["hardness"].min() / 5e3), table["hardness"].max() / 5e3) * 5e3
    for ax in axes:
        steady = np.array([table["hardness"].min(), table["hardness"].max()])
        start = table["mean"].min() / 1.5
        ax.plot(steady, start * steady / steady[0], color="0.5", lw=1.2, ls=(0, (1, 1)))
        ax.set(xscale="log", yscale="log")
        ax.set_xticks(ticks, [f"{tick / 1000:g}" for tick in ticks])
        ax.minorticks_off()
        ax.text(steady[1], start * steady[1] / steady[0] / 1.1, "slope 1", ha="right", va="top")
        ax.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    _name_axes(figure, f"{xlabel}, thousands", "samples until it stops", columns=2)
    return figure


def stopping_ratios(table: pd.DataFrame, *, xlabel: str) -> Figure:
    """How many times longer round robin takes under the same rule, a panel a rule, with bars.

    `table` has the columns rule, policy, x, ratio, low, high.
    """
    figure, axes = _panels(table, "x", "ratio", height=3.6, capsize=2.5)
    for ax in axes:
        ax.axhspan(6, 8, color="0.88", lw=0, zorder=0)
        ax.axhline(1, color="black", lw=0.8)
        ax.set(ylim=(0, None))
        ax.locator_params(axis="x", nbins=4)
    _name_axes(figure, xlabel, "times fewer samples", columns=3)
    return figure


def _panels(
    table: pd.DataFrame, x: str, y: str, *, height: float, **bars: Any
) -> tuple[Figure, list[Axes]]:
    """A panel a rule, with a line a policy of `y` against `x`, and bars from low to high."""
    rules = list(dict.fromkeys(table["rule"]))
    figure, axes = new_figure(1, len(rules), height=height, sharex=True, sharey=True)
    for rule, ax in zip(rules, np.atleast_1d(axes), strict=True):
        for label, rows in table[table["rule"] == rule].groupby("policy", sort=False):
            spread = [rows[y] - rows["low"], rows["high"] - rows[y]]
            style = policy_style(str(label))
            ax.errorbar(rows[x], rows[y], yerr=spread, label=label, **bars, **style)
        ax.set_title(rule, fontsize=11)
    return figure, list(np.atleast_1d(axes))


def _name_axes(figure: Figure, xlabel: str, ylabel: str, *, columns: int) -> None:
    """Both axes named once for all panels, and one legend."""
    first = figure.axes[0]
    first.set_ylabel(ylabel)
    handles, names = first.get_legend_handles_labels()
    figure.legend(handles, names, loc="outside upper center", ncols=columns)
    figure.supxlabel(xlabel, fontsize=11)
