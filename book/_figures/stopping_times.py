"""Figures of the chapter on stopping times."""

from __future__ import annotations

import numpy as np
import pandas as pd
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
    rules = list(dict.fromkeys(table["rule"]))
    figure, axes = new_figure(1, len(rules), height=4.2, sharex=True, sharey=True)
    ticks = np.arange(np.ceil(table["hardness"].min() / 5e3), table["hardness"].max() / 5e3) * 5e3
    for rule, ax in zip(rules, np.atleast_1d(axes), strict=True):
        for label, rows in table[table["rule"] == rule].groupby("policy", sort=False):
            spread = [rows["mean"] - rows["low"], rows["high"] - rows["mean"]]
            style = policy_style(str(label))
            ax.errorbar(rows["hardness"], rows["mean"], yerr=spread, label=label, **style)
        steady = np.array([table["hardness"].min(), table["hardness"].max()])
        start = table["mean"].min() / 1.5
        ax.plot(steady, start * steady / steady[0], color="0.5", lw=1.2, ls=(0, (1, 1)))
        ax.set_title(rule, fontsize=11)
        ax.set(xscale="log", yscale="log")
        ax.set_xticks(ticks, [f"{tick / 1000:g}" for tick in ticks])
        ax.minorticks_off()
        ax.text(steady[1], start * steady[1] / steady[0] / 1.1, "slope 1", ha="right", va="top")
        ax.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    first = np.atleast_1d(axes)[0]
    first.set_ylabel("samples until it stops")
    handles, names = first.get_legend_handles_labels()
    figure.legend(handles, names, loc="outside upper center", ncols=2)
    figure.supxlabel(f"{xlabel}, thousands", fontsize=11)
    return figure


def stopping_ratios(table: pd.DataFrame, *, xlabel: str) -> Figure:
    """How many times longer round robin takes under the same rule, a panel a rule, with bars.

    Parameters
    ----------
    table : DataFrame
        Columns rule, policy, x, ratio, low, high.
    xlabel : str
        Name of the horizontal axis.
    """
    rules = list(dict.fromkeys(table["rule"]))
    figure, axes = new_figure(1, len(rules), height=3.6, sharex=True, sharey=True)
    for rule, ax in zip(rules, np.atleast_1d(axes), strict=True):
        for label, rows in table[table["rule"] == rule].groupby("policy", sort=False):
            spread = [rows["ratio"] - rows["low"], rows["high"] - rows["ratio"]]
            style = policy_style(str(label))
            ax.errorbar(rows["x"], rows["ratio"], yerr=spread, label=label, capsize=2.5, **style)
        ax.axhspan(6, 8, color="0.88", lw=0, zorder=0)
        ax.axhline(1, color="black", lw=0.8)
        ax.set_title(rule, fontsize=11)
        ax.set(ylim=(0, None))
        ax.locator_params(axis="x", nbins=4)
    first = np.atleast_1d(axes)[0]
    first.set_ylabel("times fewer samples")
    handles, names = first.get_legend_handles_labels()
    figure.legend(handles, names, loc="outside upper center", ncols=3)
    figure.supxlabel(xlabel, fontsize=11)
    return figure
