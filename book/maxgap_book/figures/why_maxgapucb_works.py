"""Figures of the chapter on why MaxGapUCB works."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from numpy.typing import ArrayLike

from maxgap.figures import PALETTE, bracket, new_figure
from maxgap_book.printing import decimal

__all__ = [
    "bounds_over_time",
    "level_sets",
    "sample_ratios",
]


def level_sets(
    panels: Sequence[tuple[str, ArrayLike, ArrayLike, Sequence[frozenset[int]], tuple[int, int]]],
    arm: int,
    delta_max: float,
) -> Figure:
    """Intervals at several times of a run, arms told apart by their level for one arm.

    Parameters
    ----------
    panels : sequence of (str, array_like, array_like, sequence of frozenset, (int, int))
        A panel each: its title, lower and upper ends of shape (K,), the level 0, 1 and 2 arms, and
        the two arms whose ends make the right-gap bound.
    arm : int
        The arm whose levels these are.
    delta_max : float
        Largest gap of the means, drawn as a yardstick.
    """
    figure, axes = new_figure(len(panels), height=2.8 * len(panels) + 0.5, sharex=True)
    styles = [(PALETTE[0], "-"), (PALETTE[2], "--"), (PALETTE[3], "-.")]
    for ax, (title, lower, upper, levels, (i_l, i_r)) in zip(np.ravel(axes), panels, strict=True):
        low, high = np.asarray(lower, dtype=float), np.asarray(upper, dtype=float)
        n_arms = low.size
        for j in range(n_arms):
            level = next((k for k, arms in enumerate(levels) if j in arms), None)
            colour, dash = ("0.75", ":") if level is None else styles[level]
            width = 4.5 if j == arm else 2.5
            ax.plot([low[j], high[j]], [j, j], color=colour, ls=dash, lw=width)
        ax.axvline(high[arm], color="0.6", lw=0.8, ls=":")
        bound = high[i_r] - low[i_l]
        bracket(ax, (low[i_l], high[i_r]), n_arms + 0.2, "")
        named = f"right-gap bound {decimal(bound, 2)}"
        ax.text((low[i_l] + high[i_r]) / 2, n_arms + 0.7, named, ha="center", va="bottom")
        ends = (low[i_l], low[i_l] + delta_max)
        arrow = {"arrowstyle": "|-|, widthA=0.3, widthB=0.3", "shrinkA": 0, "shrinkB": 0, "lw": 3}
        ax.annotate("", (ends[0], -1), (ends[1], -1), arrowprops=arrow)
        ax.text(ends[1], -1, f"  largest gap {decimal(delta_max, 2)}", va="center")
        ax.set(ylim=(-1.7, n_arms + 2.6), ylabel="arm")
        ax.set_yticks(range(n_arms))
        ax.set_title(title, loc="left")
        ax.grid(visible=False)
    handles = [
        plt.Line2D([], [], color=colour, ls=dash, lw=2.5, label=f"level {k}")
        for k, (colour, dash) in enumerate(styles)
    ]
    handles.append(plt.Line2D([], [], color="0.75", ls=":", lw=2.5, label="no level"))
    figure.legend(handles=handles, loc="outside upper center", ncols=4, frameon=False)
    np.ravel(axes)[-1].set_xlabel("mean")
    return figure


def bounds_over_time(
    samples: ArrayLike,
    right: Mapping[int, ArrayLike],
    sampled: Mapping[int, ArrayLike],
    highest: ArrayLike,
    delta_max: float,
) -> Figure:
    """Right-gap bounds of some arms during a run, thick where the bound makes its arm sampled.

    Parameters
    ----------
    samples : array_like, shape (T,)
        Samples of all arms before each decision.
    right, sampled : mapping of int to array_like of shape (T,)
        Arm -> its right-gap bound, and whether that bound is the highest of all.
    highest : array_like, shape (T,)
        The highest gap bound of all arms.
    delta_max : float
        Largest gap of the means, a horizontal line.
    """
    figure, ax = new_figure(height=4.2)
    time, top = np.asarray(samples, dtype=float), np.asarray(highest, dtype=float)
    ceiling = 3 * delta_max
    ax.axhline(delta_max, color="black", lw=1, ls="--")
    ax.text(time[-1], delta_max, " largest gap", va="center")
    ax.plot(time, top, color="0.8", lw=8, label="highest bound of all arms")
    colours = (PALETTE[0], PALETTE[2], PALETTE[3])
    # Arms share the bound: the first of them is drawn last, on top of those that stay longer.
    for depth, ((arm, bound), colour) in enumerate(zip(right.items(), colours, strict=False)):
        y, now = np.asarray(bound, dtype=float), np.asarray(sampled[arm], dtype=bool)
        last = int(np.flatnonzero(now)[-1])
        order = 6 - depth
        ax.plot(time[last:], y[last:], color=colour, lw=1.4, ls=":", zorder=order)
        ax.plot(time, np.where(now, y, np.nan), color=colour, lw=3, zorder=order)
        ax.plot(time[last], y[last], "X", color=colour, ms=10, zorder=7, label=f"arm {arm}")
    ax.set(xscale="log", xlabel="samples of all arms", ylabel="right-gap bound")
    ax.set(xlim=(time[top < ceiling][0], time[-1]), ylim=(0, ceiling))
    ax.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    ax.legend(loc="upper right")
    return figure


def sample_ratios(ratios: ArrayLike, marks: Mapping[str, float], *, xlabel: str) -> Figure:
    """Histogram of positive numbers on a logarithmic axis, with vertical lines.

    Parameters
    ----------
    ratios : array_like, shape (N,)
        The numbers.
    marks : mapping of str to float
        Name of a line -> its place.
    xlabel : str
        What the numbers are.
    """
    figure, ax = new_figure(height=3.6)
    values = np.asarray(ratios, dtype=float)
    edges = np.geomspace(min(values.min(), *marks.values()) / 1.2, max(marks.values()) * 1.3, 40)
    ax.hist(values, bins=edges, color=PALETTE[0], alpha=0.75)
    dashes = ["--", "-.", ":"]
    for (name, place), dash, colour in zip(
        marks.items(), dashes, (PALETTE[3], "black", PALETTE[2]), strict=False
    ):
        ax.axvline(place, ls=dash, color=colour, lw=2, label=name)
    ax.set(xscale="log", xlabel=xlabel, ylabel="runs")
    ax.yaxis.set_major_locator(MaxNLocator(integer=True))
    ticks = [t for t in (0.2, 0.5, 1, 2, 5, 10, 20, 50) if edges[0] < t < edges[-1]]
    ax.set_xticks(ticks, [f"{t:g}" for t in ticks])
    ax.minorticks_off()
    figure.legend(loc="outside upper center", ncols=1, frameon=False)
    return figure
