"""Figures of the chapter on the lower bound."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from maxgap.figures import PALETTE, bracket, new_figure, policy_style

__all__ = [
    "moved_means",
    "samples_of_an_arm",
]

#: Curves that are named where they are: policy -> its name, and a place above the line or below.
_NAMED = {"RoundRobin": ("RoundRobin", 1.5), "knows the order": ("knows the order", 1.4)}


def moved_means(instances: Mapping[str, ArrayLike], moved: Sequence[int | None]) -> Figure:
    """The same arms in several instances, a line each, the largest gap of each bracketed.

    Parameters
    ----------
    instances : mapping of str to array_like of shape (K,)
        Name -> means. The first is where the arms start.
    moved : sequence of int or None
        For each instance the arm that has moved from its place in the first, drawn with an arrow.
    """
    figure, ax = new_figure(height=3.6)
    start = np.asarray(next(iter(instances.values())), dtype=float)
    for row, ((_, values), arm) in enumerate(zip(instances.items(), moved, strict=True)):
        means, y = np.asarray(values, dtype=float), -row
        ax.axhline(y, color="0.75", lw=1, zorder=0)
        for i, mean in enumerate(means):
            colour = PALETTE[3] if i == arm else PALETTE[0]
            ax.plot(mean, y, "D" if i == arm else "o", color=colour, ms=8)
            ax.text(mean, y - 0.14, str(i), ha="center", va="top")
        if arm is not None:
            ax.plot(start[arm], y, "o", mfc="white", mec=PALETTE[3], ms=8)
            ax.annotate(
                "",
                (means[arm], y + 0.08),
                (start[arm], y + 0.08),
                arrowprops={
                    "arrowstyle": "->",
                    "color": PALETTE[3],
                    "connectionstyle": "arc3,rad=-0.6",
                    "lw": 1.4,
                },
            )
        ordered = np.sort(means)
        widest = int(np.argmax(np.diff(ordered)))
        gap = ordered[widest + 1] - ordered[widest]
        bracket(ax, (ordered[widest], ordered[widest + 1]), y + 0.34, f"largest gap {gap:.4g}")
    ax.set(xlabel="mean", ylim=(-len(instances) + 0.6, 0.75))
    ax.set_yticks(-np.arange(len(instances)), list(instances))
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    ax.grid(visible=False)
    return figure


def samples_of_an_arm(table: pd.DataFrame, bound: ArrayLike, *, ylabel: str) -> Figure:
    """Mean samples against epsilon on logarithmic axes, with bars, and a lower bound.

    Policies that nearly coincide are drawn side by side at each epsilon, without lines.

    Parameters
    ----------
    table : DataFrame
        Columns policy, epsilon, mean, low, high.
    bound : array_like
        Lower bound at the values of epsilon in rising order, a dashed line.
    ylabel : str
        Name of the vertical axis.
    """
    figure, ax = new_figure(height=4.6)
    epsilons = np.unique(table["epsilon"])
    beside = [label for label in table["policy"].unique() if label not in _NAMED]
    shifts = dict(zip(beside, np.linspace(-0.12, 0.12, len(beside)), strict=True))
    for label, rows in table.groupby("policy", sort=False):
        rows = rows.sort_values("epsilon")
        style = policy_style(str(label)) | {"markersize": 5.5}
        if label in shifts:
            style["linestyle"] = "none"
        ax.errorbar(
            rows["epsilon"] * np.exp(shifts.get(label, 0.0)),
            rows["mean"],
            yerr=[rows["mean"] - rows["low"], rows["high"] - rows["mean"]],
            label=label if label in shifts else None,
            capsize=2,
            elinewidth=1.2,
            **style,
        )
        if label in _NAMED:
            name, above = _NAMED[str(label)]
            first = rows.iloc[1]
            ax.text(first["epsilon"], first["mean"] * above, name)
    ax.plot(epsilons, np.asarray(bound), color=PALETTE[4], ls="--", lw=1.8)
    ax.text(epsilons[1], np.asarray(bound)[1] * 1.3, "lower bound")
    ax.set(xscale="log", yscale="log", xlabel=r"$\epsilon$", ylabel=ylabel)
    ax.set_xticks(epsilons, [f"{epsilon:.2g}" for epsilon in epsilons])
    ax.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    ax.minorticks_off()
    ax.legend(loc="upper right")
    return figure
