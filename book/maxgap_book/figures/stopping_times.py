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
    steady = np.array([table["hardness"].min(), table["hardness"].max()])
    start = table["mean"].min() / 1.5
    for ax in axes:
        ax.plot(steady, start * steady / steady[0], color="0.5", lw=1.2, ls=(0, (1, 1)))
        ax.set(xscale="log", yscale="log", ylim=(start / 1.9, None))
        ax.set_xticks(ticks, [f"{tick / 1000:g}" for tick in ticks])
        ax.set_yticks([3e3, 1e4, 3e4, 1e5], ["3,000", "10,000", "30,000", "100,000"])
        ax.minorticks_off()
        # The line rises: what begins below its start does not cross it.
        ax.text(steady[0], start / 1.15, "in proportion", color="0.35", va="top")
    _name_axes(figure, f"{xlabel}, thousands", "samples until it stops")
    return figure


def stopping_ratios(table: pd.DataFrame, *, largest: float, xlabel: str) -> Figure:
    """How many times longer round robin takes under the same rule, a panel a rule, with bars.

    `table` has the columns rule, policy, x, ratio, low, high. The axis is logarithmic in how far x
    is below `largest`.
    """
    away = table.assign(away=largest - table["x"])
    figure, axes = _panels(away, "away", "ratio", height=3.6, apart=1.03, capsize=2.5)
    marked = [0.36, 0.37, 0.38, 0.385, 0.39]
    for ax in axes:
        ax.axhspan(6, 8, color="0.88", lw=0, zorder=0)
        ax.axhline(1, color="black", lw=0.8)
        ax.axhline(18 / 4, color="0.35", lw=1.2, ls=(0, (1, 1)))
        ax.set(ylim=(0, 8.4), xscale="log")
        ax.set_xticks([largest - x for x in marked], [f"{x:g}" for x in marked])
        ax.minorticks_off()
        ax.text(0.04, 7 / 8.4, "6 to 8: the abstract", transform=ax.transAxes, va="center")
        ax.text(
            0.04,
            4.6 / 8.4,
            "18/4: the most to expect",
            transform=ax.transAxes,
            color="0.35",
            va="bottom",
        )
    axes[0].invert_xaxis()
    _name_axes(figure, xlabel, "times fewer samples")
    return figure


# Where a policy's name stands: at which part of its line, how far off in points, and which corner.
_NAMES: dict[str, tuple[float, tuple[float, float], str, str]] = {
    "RoundRobin": (0.5, (-8, 2), "right", "bottom"),
    "MaxGapUCB": (1.0, (0, -12), "right", "top"),
    "MaxGapElim": (1.0, (0, -41), "right", "top"),
    "MaxGapTop2UCB": (1.0, (0, -55), "right", "top"),
}


def _panels(
    table: pd.DataFrame,
    x: str,
    y: str,
    *,
    height: float,
    apart: float = 1.0,
    **bars: Any,
) -> tuple[Figure, list[Axes]]:
    """A panel a rule, with a named line a policy of `y` against `x`, and bars from low to high.

    Each line is drawn at `apart` times the `x` of the one before, so that no bar hides another, and
    under it: the last one is the thinnest.
    """
    rules = list(dict.fromkeys(table["rule"]))
    figure, axes = new_figure(1, len(rules), height=height, sharex=True, sharey=True)
    for rule, ax in zip(rules, np.atleast_1d(axes), strict=True):
        lines = table[table["rule"] == rule].groupby("policy", sort=False)
        for place, (label, rows) in enumerate(lines):
            spread = [rows[y] - rows["low"], rows["high"] - rows[y]]
            style = policy_style(str(label)) | {"label": label, **bars}
            if label == "MaxGapElim":
                style |= {"ms": 8, "mfc": "none", "lw": 2.4}
            ax.errorbar(apart**place * rows[x], rows[y], yerr=spread, **style)
            part, off, ha, va = _NAMES[str(label)]
            point = rows.iloc[int(part * (len(rows) - 1))]
            ax.annotate(
                str(label),
                (apart**place * point[x], point[y]),
                off,
                textcoords="offset points",
                color=style["color"],
                ha=ha,
                va=va,
            )
        ax.set_title(rule)
    return figure, list(np.atleast_1d(axes))


def _name_axes(figure: Figure, xlabel: str, ylabel: str) -> None:
    """Both axes named once for all panels."""
    figure.axes[0].set_ylabel(ylabel)
    figure.supxlabel(xlabel)
