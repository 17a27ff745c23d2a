"""Figures of the chapter on hardness."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from numpy.typing import ArrayLike

from maxgap.figures import PALETTE, new_figure, policy_style
from maxgap_book.figures.shared import darker
from maxgap_book.printing import decimal

__all__ = [
    "helper_arm",
    "helper_worth",
    "samples_by_hardness",
]


def helper_worth(distances: Mapping[int, float], delta_max: float, arm: str) -> Figure:
    """What each arm to the right of an arm is worth as its helper: the two terms of gamma.

    Parameters
    ----------
    distances : mapping of int to float
        An arm -> how far it lies to the right of the arm in question.
    delta_max : float
        The largest gap.
    arm : str
        Name of the arm in question.
    """
    figure, ax = new_figure(height=3.4)
    reach = 1.04 * max([delta_max, *distances.values()])
    x = np.array([0.0, delta_max])
    ax.plot(x, x, color=PALETTE[0], ls="--", lw=1.3)
    ax.plot(x, delta_max - x, color=PALETTE[3], ls="-.", lw=1.3)
    tent = np.array([0.0, delta_max / 2, delta_max])
    ax.plot(tent, np.minimum(tent, delta_max - tent), color="black", lw=2.4)
    ax.text(0.13 * delta_max, 0.92 * delta_max, "told from the largest gap", color=PALETTE[4])
    ax.text(0.76 * delta_max, 0.7 * delta_max, "told from the arm", color=PALETTE[0])
    worth = {other: min(d, delta_max - d) for other, d in distances.items() if d < delta_max}
    best = max(worth, key=lambda other: worth[other])
    for other, distance in distances.items():
        height = max(worth.get(other, 0.0), 0.0)
        colour = PALETTE[2] if other == best else "0.35"
        ax.plot(distance, height, "o", color=colour, ms=8, clip_on=False)
        ax.annotate(
            str(other),
            (distance, height),
            xytext=(0, 7),
            textcoords="offset points",
            ha="center",
            fontweight="bold" if other == best else "normal",
        )
    ax.axhline(worth[best], color=PALETTE[2], lw=1, ls=":")
    ax.text(reach, worth[best], r"$\gamma^r$", color=PALETTE[2], ha="right", va="bottom")
    ax.set(
        xlabel=f"distance of an arm to the right of arm {arm}",
        ylabel="worth as a helper",
        xlim=(0, reach),
        ylim=(0, delta_max),
    )
    ax.yaxis.set_major_locator(MaxNLocator(5, integer=True))
    return figure


def helper_arm(
    lower: ArrayLike,
    upper: ArrayLike,
    *,
    arm: int,
    helper: int,
    opening: int,
    certain: tuple[int, int],
) -> Figure:
    """Intervals in the round in which a helper rules an arm out (the paper's Figure 4).

    Parameters
    ----------
    lower, upper : array_like, shape (K,)
        Ends of the intervals; arms from the largest mean to the smallest.
    arm, helper, opening : int
        The arm ruled out; the arm whose upper end closes its right-gap bound; the arm at whose
        lower end that bound opens.
    certain : (int, int)
        The arms above and below the certain gap.
    """
    low, high = np.asarray(lower, dtype=float), np.asarray(upper, dtype=float)
    figure, ax = new_figure(height=5.2)
    special = {arm: (PALETTE[0], f"arm {arm}"), helper: (PALETTE[3], f"helper, arm {helper}")}
    for i, (left, right) in enumerate(zip(low, high, strict=True)):
        colour, name = special.get(i, ("0.4", ""))
        mixed = i != arm and left <= high[arm] and low[arm] <= right
        line = {"ls": "--" if mixed else "-", "lw": 3.2 if name else 1.8}
        ax.plot([left, right], [i, i], color=colour, marker="|", ms=8, **line)
        ax.text(right + 0.25, i, name, va="center", color=colour, fontweight="bold")
    for (left, right), shade, alpha, name in (
        ((high[certain[1]], low[certain[0]]), "0.85", 1.0, "certain gap"),
        ((low[opening], high[helper]), PALETTE[3], 0.18, f"bound of arm {arm}"),
    ):
        ax.axvspan(left, right, color=shade, alpha=alpha, lw=0, zorder=0)
        text = f"{name}\n{decimal(right - left, 2)}"
        ax.text((left + right) / 2, -1, text, ha="center", va="bottom")
    ax.set(xlabel="mean", ylabel="arm", yticks=range(low.size), ylim=(low.size - 0.3, -2.7))
    ax.grid(visible=False, axis="y")
    return figure


def samples_by_hardness(table: pd.DataFrame, column: str, xlabel: str, label: str) -> Figure:
    """Samples of single arms against an inverse squared hardness, on logarithmic axes.

    A dashed line is what they would follow were they proportional, through the middle of the arms
    that need a helper.

    Parameters
    ----------
    table : DataFrame
        A row an arm: samples, helped (bool: drawn as a dot, else as a cross), and the hardness.
    column, xlabel : str
        The hardness, and the name of the horizontal axis.
    label : str
        The policy.
    """
    figure, ax = new_figure(height=4.2)
    x = table[column] ** -2.0
    colour = policy_style(label)["color"]
    points = {"ls": "", "ms": 3.5, "alpha": 0.5, "rasterized": True}  # thousands
    for helped, marker, shade in ((True, "o", colour), (False, "x", "0.25")):
        part = table["helped"] == helped
        ax.plot(x[part], table["samples"][part], marker, color=shade, **points)
    dots = table["helped"]
    ends = np.array([x.min(), x.max()])
    middle = np.exp(np.log(table["samples"][dots]).mean() - np.log(x[dots]).mean())
    ax.plot(ends, middle * ends, color="black", lw=1.4, ls="--")
    ax.text(0.03, 0.92, label, transform=ax.transAxes, color=darker(colour), fontweight="bold")
    for height, name, shade in (
        (0.83, "dots: arms that need a helper", darker(colour)),
        (0.74, "crosses: arms that need none", "0.25"),
    ):
        ax.text(0.03, height, name, transform=ax.transAxes, color=shade)
    ax.set(xscale="log", yscale="log", xlabel=xlabel, ylabel="samples of the arm")
    ax.set_ylim(table["samples"].min() / 1.5, 8 * table["samples"].max())
    return figure
