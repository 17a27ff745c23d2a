"""Figures of the chapter on stopping."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter, NullLocator

from maxgap.figures import STYLE, new_figure, policy_style

__all__ = ["apart", "stopping_ratios", "stopping_times", "wrong_stops"]

NAME = {"fontsize": STYLE["font.size"], "va": "center", "ha": "left"}
"""How a name stands beside its line; text is smaller outside of the style's context."""


def apart(heights: Sequence[float], least: float) -> list[float]:
    """Heights for names beside lines, each at least `least` from the next, as near as can be.

    Examples
    --------
    >>> [round(height, 2) for height in apart([0.0, 0.3, 0.0], 0.1)]
    [-0.05, 0.3, 0.05]
    """
    order = sorted(range(len(heights)), key=heights.__getitem__)
    placed = np.array([heights[i] for i in order], dtype=float)
    for _ in range(100):
        short = np.clip(least - np.diff(placed), 0, None) / 2
        placed[:-1] -= short
        placed[1:] += short
    found = [0.0] * len(heights)
    for height, i in zip(placed, order, strict=True):
        found[i] = float(height)
    return found


def wrong_stops(table: pd.DataFrame, *, level: float) -> Figure:
    """Share of wrong answers among all runs, one line a rule, intervals as bars.

    Parameters
    ----------
    table : DataFrame
        Columns rule (its name begins with a policy's, which gives the colour), ratio (of the
        largest gap to the second largest), error, low, high.
    level : float
        The error allowed, drawn as a horizontal line.
    """
    figure, ax = new_figure(height=4.0)
    first, end, top = table["ratio"].min(), table["ratio"].max(), 1.1 * table["high"].max()
    low = []
    for label, rows in table.groupby("rule", sort=False):
        style = policy_style(str(label)) | {"markersize": 6}
        bars = np.clip([rows["error"] - rows["low"], rows["high"] - rows["error"]], 0, None)
        kept = {"capsize": 3, "elinewidth": 1.4, "clip_on": False}
        ax.errorbar(rows["ratio"], rows["error"], yerr=bars, **kept, **style)
        start = rows["error"].iloc[0]
        if start > level:
            ax.text(1.04 * first, start, str(label), color=style["color"], **NAME)
        else:
            low.append((str(label), style["color"]))
    for place, (label, colour) in enumerate(low):
        ax.text(end, (0.06 + 0.08 * place) * top, label, color=colour, **(NAME | {"ha": "right"}))
    ax.axhline(level, color="black", lw=1.2)
    ax.text(end, level, "allowed", **(NAME | {"ha": "right", "va": "bottom"}))
    ax.set(
        xlabel="largest gap, with the second largest at 1",
        ylabel="share of wrong answers",
        ylim=(-0.04 * top, top),
        xscale="log",
        xlim=(first / 1.03, 1.03 * end),
    )
    ticks = sorted(table["ratio"].unique())
    ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.xaxis.set_minor_locator(NullLocator())
    ax.yaxis.set_major_formatter(lambda value, _: f"{100 * value:.0f}%" if value >= 0 else "")
    return figure


def stopping_times(table: pd.DataFrame, *, xlabel: str) -> Figure:
    """Median samples until a policy stops against hardness, and what proportion would be.

    Parameters
    ----------
    table : DataFrame
        Columns policy, hardness, median, low, high.
    xlabel : str
        Name of the horizontal axis.
    """
    figure, ax = new_figure(height=4.2)
    steady = np.array([table["hardness"].min(), table["hardness"].max()])
    start = table["median"].min() / 1.25
    ax.plot(steady, start * steady / steady[0], color="0.35", lw=1.6, ls=(0, (1, 1)))
    beside = NAME | {"textcoords": "offset points", "xytext": (8, 0)}
    ax.annotate("in proportion", (steady[1], start * steady[1] / steady[0]), **beside)
    lines = list(table.groupby("policy", sort=False))
    logs = np.log([rows["median"].iloc[-1] for _, rows in lines])
    for (label, rows), height in zip(lines, apart(logs.tolist(), 0.26), strict=True):
        style = _drawn(ax, str(label), rows, "hardness", "median")
        ax.annotate(str(label), (steady[1], np.exp(height)), color=style, **beside)
    ticks = np.arange(np.ceil(steady[0] / 5e3), steady[1] / 5e3) * 5e3
    ax.set(xscale="log", yscale="log", xlabel=xlabel, ylabel="samples until it stops")
    ax.set_xlim(steady[0] / 1.03, steady[1] * 1.42)
    ax.set_xticks(ticks, [f"{tick:,.0f}" for tick in ticks])
    ax.set_yticks([3e3, 1e4, 3e4, 1e5], ["3,000", "10,000", "30,000", "100,000"])
    ax.minorticks_off()
    return figure


def stopping_ratios(table: pd.DataFrame, *, largest: float, most: float) -> Figure:
    """How many times longer round robin takes under the same rule, a line a rule, with bars.

    Parameters
    ----------
    table : DataFrame
        Of one policy: columns policy, rule, gap, ratio, low, high.
    largest : float
        The largest gap: the axis is logarithmic in how far the other is below it.
    most : float
        What is the most to expect, drawn as a horizontal line.
    """
    figure, ax = new_figure(height=3.8)
    for place, (rule, rows) in enumerate(table.groupby("rule", sort=False)):
        rows = rows.sort_values("gap")
        away = rows.assign(away=(largest - rows["gap"]) * 1.025**place)
        colour = _drawn(ax, str(rows["policy"].iloc[0]), away, "away", "ratio", place)
        end = (away["away"].iloc[0], away["ratio"].iloc[0])
        va, step = ("top", -9) if place == 0 else ("bottom", 28)
        beside = NAME | {"textcoords": "offset points", "xytext": (8, step), "va": va}
        ax.annotate(str(rule), end, color=colour, **beside)
    ax.axhline(1, color="black", lw=1.2)
    ax.axhline(most, color="0.35", lw=1.6, ls=(0, (1, 1)))
    ax.set(ylim=(0, 1.2 * most), xscale="log", ylabel="times fewer samples")
    left = 0.985 * ax.get_xlim()[1]
    above = NAME | {"va": "bottom"}
    ax.text(left, 1.0, "round robin", **above)
    ax.text(left, most, f"{most:g}: the most to expect", **above)
    marked = [0.36, 0.37, 0.38, 0.385, 0.39]
    ax.set_xticks([largest - gap for gap in marked], [f"{gap:g}" for gap in marked])
    ax.minorticks_off()
    ax.invert_xaxis()
    ax.set_xlabel(f"second-largest gap (the largest is {largest:g})")
    return figure


def _drawn(ax: Axes, label: str, rows: pd.DataFrame, x: str, y: str, place: int = 0) -> str:
    """Draw one line with bars from low to high; return its colour. `place` gives other dashes."""
    spread = [rows[y] - rows["low"], rows["high"] - rows[y]]
    style = policy_style(label)
    if place:
        style["linestyle"] = ":"
    if label == "MaxGapElim":
        style |= {"markersize": 9, "markerfacecolor": "none"}
    ax.errorbar(rows[x], rows[y], yerr=spread, capsize=3, elinewidth=1.4, **style)
    return str(style["color"])
