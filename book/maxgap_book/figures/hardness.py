"""Figures of the chapter on hardness."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator
from numpy.typing import ArrayLike

from maxgap.figures import PALETTE, new_figure, policy_style
from maxgap_book.printing import decimal

__all__ = [
    "helper_arm",
    "helper_worth",
    "measured_against_bound",
    "samples_by_hardness",
    "shares_of_bound",
]


def helper_worth(distances: Mapping[int, float], delta_max: float, arm: str) -> Figure:
    """What each arm to the right of an arm is worth as its helper: the two terms of gamma.

    Parameters
    ----------
    distances : mapping of int to float
        Rank of an arm -> how far it lies to the right of the arm in question.
    delta_max : float
        The largest gap.
    arm : str
        Name of the arm in question.
    """
    figure, ax = new_figure(height=3.4)
    reach = 1.04 * max([delta_max, *distances.values()])
    x = np.array([0.0, delta_max])
    ax.plot(x, x, color=PALETTE[0], ls="--", lw=1.3)
    ax.plot(x, delta_max - x, color=PALETTE[1], ls="-.", lw=1.3)
    tent = np.array([0.0, delta_max / 2, delta_max])
    ax.plot(tent, np.minimum(tent, delta_max - tent), color="black", lw=2.4)
    ax.text(0.13 * delta_max, 0.92 * delta_max, "told from the largest gap", color=PALETTE[1])
    ax.text(0.76 * delta_max, 0.7 * delta_max, "told from the arm", color=PALETTE[0])
    worth = {rank: min(d, delta_max - d) for rank, d in distances.items() if d < delta_max}
    best = max(worth, key=lambda rank: worth[rank])
    for rank, distance in distances.items():
        colour = PALETTE[2] if rank == best else "0.35"
        ax.plot(distance, max(worth.get(rank, 0.0), 0.0), "o", color=colour, ms=8, clip_on=False)
        ax.annotate(
            str(rank),
            (distance, max(worth.get(rank, 0.0), 0.0)),
            xytext=(0, 7),
            textcoords="offset points",
            ha="center",
            fontweight="bold" if rank == best else "normal",
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
    """Intervals by rank in the round in which a helper rules an arm out (the paper's Figure 4).

    Parameters
    ----------
    lower, upper : array_like, shape (K,)
        Ends of the intervals, arms by rank.
    arm, helper, opening : int
        The arm ruled out; the arm whose upper end closes its right-gap bound; the arm at whose
        lower end that bound opens. Ranks, from 1.
    certain : (int, int)
        Ranks of the arms above and below the certain gap.
    """
    low, high = np.asarray(lower, dtype=float), np.asarray(upper, dtype=float)
    figure, ax = new_figure(height=5.2)
    own = arm - 1
    for i, (left, right) in enumerate(zip(low, high, strict=True)):
        special = {arm: PALETTE[0], helper: PALETTE[2]}
        mixed = i != own and left <= high[own] and low[own] <= right
        ax.plot(
            [left, right],
            [i + 1, i + 1],
            color=special.get(i + 1, "0.4"),
            ls="--" if mixed else "-",
            lw=3.2 if i + 1 in special else 1.8,
            marker="|",
            ms=8,
        )
        if i + 1 in special:
            name = f"arm {arm}" if i == own else "helper"
            beside = {"va": "center", "color": special[i + 1], "fontweight": "bold"}
            ax.text(right + 0.25, i + 1, name, **beside)
    for (left, right), colour, name in (
        ((high[certain[1] - 1], low[certain[0] - 1]), "0.85", "certain gap"),
        ((low[opening - 1], high[helper - 1]), (*PALETTE[2], 0.15), f"bound of arm {arm}"),
    ):
        ax.axvspan(left, right, color=colour, lw=0, zorder=0)
        middle = (left + right) / 2
        ax.text(middle, 0, f"{name}\n{decimal(right - left, 2)}", ha="center", va="bottom")
    ranks = np.arange(1, low.size + 1)
    ax.set(xlabel="mean", ylabel="arm, by rank", yticks=ranks, ylim=(low.size + 0.7, -1.6))
    ax.grid(visible=False, axis="y")
    return figure


def samples_by_hardness(
    table: pd.DataFrame, fits: Mapping[str, tuple[float, float]], *, x: str, xlabel: str
) -> Figure:
    """Samples of single arms against an inverse squared hardness, a panel a policy.

    Beside the fit a dashed line is what the samples would follow were they proportional.

    Parameters
    ----------
    table : DataFrame
        A row an arm and run: policy, samples, end (bool: drawn as a cross), and the column `x`.
    fits : mapping of str to (float, float)
        Policy -> exponent and intercept (natural logarithm) of its fitted power law.
    x, xlabel : str
        Column of the horizontal axis, and its name.
    """
    labels = list(dict.fromkeys(table["policy"]))
    figure, axes = new_figure(1, len(labels), height=4.4, sharex=True, sharey=True)
    ends = np.array([table[x].min(), table[x].max()])
    centre = np.exp(np.log(table[x]).mean())
    for label, ax in zip(labels, np.atleast_1d(axes), strict=True):
        rows = table[table["policy"] == label]
        style = policy_style(label)
        for is_end, marker, colour, name in (
            (False, "o", style["color"], "needs a helper"),
            (True, "x", "0.35", "needs none"),
        ):
            part = rows[rows["end"] == is_end]
            points = {"ms": 3, "alpha": 0.5, "rasterized": True}  # thousands
            ax.plot(part[x], part["samples"], marker, color=colour, label=name, **points)
        exponent, intercept = fits[label]
        fitted = np.exp(intercept) * ends**exponent
        ax.plot(ends, fitted, color="black", lw=2, label="fit of all")
        through = np.exp(intercept) * centre**exponent
        ax.plot(ends, through * ends / centre, color="black", lw=1.4, ls="--", label="proportional")
        ax.text(0.05, 0.96, f"fit: {decimal(exponent, 2)}", transform=ax.transAxes, va="top")
        ax.set_title(label, color=style["color"], fontweight="bold")
        ax.set(xscale="log", yscale="log", ylim=(0.7, 12 * table["samples"].max()))
    first = np.atleast_1d(axes)[0]
    first.set_ylabel("samples of the arm")
    handles, names = first.get_legend_handles_labels()
    # The dots of a panel have its policy's colour.
    handles[0] = Line2D([], [], ls="", marker="o", ms=3, color="black")
    figure.legend(handles, names, loc="outside upper center", ncols=4, markerscale=2)
    figure.supxlabel(xlabel)
    return figure


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
        here = {"color": style["color"], "fontweight": "bold", "transform": ax.transAxes}
        ax.text(0.98, 0.06 if ax.texts else 0.8, str(label), ha="right", **here)
        ax.plot(
            rows["bound"],
            rows["measured"],
            style["marker"],
            color=style["color"],
            ms=4,
            alpha=0.5,
            rasterized=True,
            label=label,
        )
    ends = np.array([table["measured"].min() / 1.5, table["bound"].max() * 1.5])
    ax.fill_between(ends, ends, ends[1], color="0.9", lw=0, zorder=0)
    ax.plot(ends, ends, color="black", lw=1.2)
    ax.text(0.3, 0.9, "not allowed", transform=ax.transAxes, ha="center")
    ax.set(
        xscale="log",
        yscale="log",
        xlim=(table["bound"].min() / 1.5, ends[1]),
        ylim=ends,
        xlabel="samples that the theorem allows",
        ylabel="samples taken",
    )
    return figure


def shares_of_bound(table: pd.DataFrame, worst: Mapping[float, float], worst_at: str) -> Figure:
    """Shares of a bound, a row an instance and a marker a run; logarithmic.

    Parameters
    ----------
    table : DataFrame
        A row a run: instance, delta, share.
    worst : mapping of float to float
        delta -> share of the worst noise tried, drawn as a cross.
    worst_at : str
        The instance of the worst noise.
    """
    figure, ax = new_figure(height=3.4)
    names = list(dict.fromkeys(table["instance"]))
    for k, (delta, rows) in enumerate(table.groupby("delta")):
        at = np.array([names.index(name) for name in rows["instance"]]) + 0.24 * k - 0.12
        marker = "os"[k % 2]
        ax.plot(
            rows["share"],
            at,
            marker,
            color=PALETTE[k],
            ms=4,
            alpha=0.4,
            rasterized=True,
            label=rf"$\delta = {delta:g}$",
        )
        here = names.index(worst_at) + 0.24 * k - 0.12
        ax.plot(worst[float(str(delta))], here, "X", color=PALETTE[k], ms=9, mec="black")
        if not ax.texts:
            most = max(worst.values())
            ax.text(1.2 * most, here + 0.12, "worst noise", va="center")
    ax.axvline(1.0, color="black", lw=1.2)
    # At the foot: the first row has the name of the crosses.
    ax.text(1.0, 0.02, "bound ", transform=ax.get_xaxis_transform(), ha="right", va="bottom")
    ax.set(xscale="log", xlabel="samples of the most sampled arm, share of the bound")
    ax.set(yticks=range(len(names)), yticklabels=names, ylim=(len(names) - 0.5, -0.5))
    figure.legend(loc="outside upper center", ncols=2, frameon=False, markerscale=1.5)
    return figure
