"""Figures of the chapter on the naive baseline."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from maxgap.figures import PALETTE, bracket, new_figure, policy_style
from maxgap_book.figures.shared import darker

__all__ = [
    "one_large_gap",
    "samples",
    "saving",
]

LETTERS = 12  # points, as everything else in a figure
_X = r"$\Delta_{\min}$  ($\Delta_{\max} = 1$)"

# Where the name of each line begins, its slope on the page in degrees, and whether the line lies
# below it or above it.
_SAMPLES_AT = {
    "SortThenSearch": (0.0205, 1.9e5, 0, "bottom"),
    "MaxGapElim, two arms left": (0.0105, 5e3, 0, "bottom"),
    "MaxGapTop2UCB": (0.0105, 330.0, 0, "bottom"),
    "RoundRobin (broad)": (0.0105, 120.0, 0, "bottom"),
}
_SAVING_AT = {
    "paper": (0.0245, 2250.0, -29.5, "bottom"),
    "gamma": (0.0105, 1.8, 0, "bottom"),
    "measured": (0.0125, 1050.0, -30.5, "top"),
}
_SAVING_STYLES: dict[str, dict[str, Any]] = {
    "paper": {"color": PALETTE[3], "ls": "--"},
    "gamma": {"color": PALETTE[0], "ls": "-."},
}


def one_large_gap(means: ArrayLike, hardness: ArrayLike, claimed: float) -> Figure:
    """The instance with one large gap: arms on a line, and below it how hard each of them is.

    Parameters
    ----------
    means : array_like, shape (K,)
        True means, largest first; the largest gap is bracketed, and the first.
    hardness : array_like, shape (K,)
        gamma of the arms, in the same order; infinite values are left out.
    claimed : float
        The value that the paper gives for all arms away from the largest gap.
    """
    means, values = np.asarray(means, dtype=float), np.asarray(hardness, dtype=float)
    figure, axes = new_figure(2, 1, height=4.4, sharex=True, height_ratios=[1, 2.2])
    split = int(np.argmax(-np.diff(means)))
    line, below = axes
    line.axhline(0, color="0.6", lw=1, zorder=0)
    line.plot(means, np.zeros(means.size), "o", color=PALETTE[0], ms=8)
    bracket(line, (means[split + 1], means[split]), 0.5, r"$\Delta_{\max}$")
    bracket(line, (means[1], means[0]), 0.5, r"$\Delta_{\min}$")
    for rank in (1, split + 1, split + 2, means.size):
        line.text(means[rank - 1], -0.35, f"({rank})", ha="center", va="top")
    line.set(ylim=(-1.1, 1.5), yticks=[])
    line.spines[["left", "bottom"]].set_visible(False)
    line.tick_params(bottom=False)
    line.grid(visible=False)
    away = np.ones(means.size, dtype=bool)
    away[[split, split + 1]] = False
    middle = (means[split] + means[split + 1]) / 2
    below.axhline(claimed, color="black", ls="--", lw=1.4, zorder=1)
    below.text(middle, 1.04 * claimed, r"claimed: $\Delta_{\max}/2$", ha="center", va="bottom")
    below.vlines(means[away], 0, values[away], color=PALETTE[4], lw=1.4)
    below.plot(means[away], values[away], "D", color=PALETTE[4], ms=6, label="computed")
    below.text(middle, 0.45 * claimed, "computed", color=PALETTE[4], ha="center")
    below.set(xlabel="mean", ylabel=r"hardness $\gamma$", ylim=(0, 1.2 * claimed))
    for text in (*line.texts, *below.texts):
        text.set_fontsize(LETTERS)
    return figure


def samples(table: pd.DataFrame) -> Figure:
    """Samples until a certified answer; names stand at the lines.

    Parameters
    ----------
    table : DataFrame
        Columns policy, delta_min, mean, low, high; round robin is drawn broad, under the others.
    """
    broad = table["policy"] == "RoundRobin"
    figure = _power_laws(table[~broad], "delta_min", xlabel=_X, ylabel="samples until certified")
    ax = _without_legend(figure)
    robin = policy_style("RoundRobin")["color"]
    rows = table[broad]
    ax.plot(rows["delta_min"], rows["mean"], color=robin, lw=9, alpha=0.6, zorder=1)
    for label, place in _SAMPLES_AT.items():
        _name(ax, label, policy_style(label)["color"], place)
    ax.set_ylim(80, None)
    return figure


def saving(table: pd.DataFrame, predicted: Mapping[str, tuple[str, ArrayLike]]) -> Figure:
    """The measured saving, black, and what predicts it; names stand at the lines.

    Parameters
    ----------
    table : DataFrame
        Columns policy, delta_min, mean, low, high.
    predicted : mapping of str to (str, array_like)
        Of "paper" and "gamma": name on the figure, and values at the parameter's values in
        rising order.
    """
    figure = _power_laws(table, "delta_min", xlabel=_X, ylabel="times fewer samples")
    ax = _without_legend(figure)
    positions = np.unique(table["delta_min"])
    for key, (name, values) in predicted.items():
        style = _SAVING_STYLES[key]
        ax.plot(positions, np.asarray(values), label=name, zorder=1, **style)
        _name(ax, name, style["color"], _SAVING_AT[key])
    _name(ax, "measured", "black", _SAVING_AT["measured"])
    return figure


def _without_legend(figure: Figure) -> Axes:
    for legend in figure.legends:
        legend.remove()
    ax = figure.axes[0]
    ax.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    return ax


def _name(ax: Axes, name: str, colour: Any, place: tuple[float, float, float, str]) -> None:
    x, y, slope, line_at = place
    ax.text(x, y, name, color=darker(colour), rotation=slope, rotation_mode="anchor", va=line_at)


def _power_laws(
    table: pd.DataFrame,
    x: str,
    *,
    references: Mapping[str, ArrayLike] | None = None,
    xlabel: str,
    ylabel: str,
) -> Figure:
    """Measured means against a parameter on logarithmic axes, with bars; one line a policy.

    Parameters
    ----------
    table : DataFrame
        Columns policy, mean, low, high, and the parameter `x`.
    x : str
        The parameter's column.
    references : mapping of str to array_like, optional
        Name -> values at the parameter's values in rising order: lines to compare with, grey.
    xlabel, ylabel : str
        Names of the axes.
    """
    figure, ax = new_figure(height=4.6)
    for label, rows in table.groupby("policy", sort=False):
        rows = rows.sort_values(x)
        style = policy_style(str(label))
        ax.errorbar(
            rows[x],
            rows["mean"],
            yerr=[rows["mean"] - rows["low"], rows["high"] - rows["mean"]],
            label=label,
            capsize=2.5,
            elinewidth=1.2,
            **{**style, "markersize": 5.5},
        )
    positions = np.unique(table[x])
    dashes = [(0, (1, 1)), (0, (5, 1.5)), (0, (6, 1.5, 1, 1.5)), (0, (3, 1, 1, 1, 1, 1))]
    for (label, values), dash in zip((references or {}).items(), dashes, strict=False):
        ax.plot(positions, np.asarray(values), color="0.35", ls=dash, lw=1.5, label=label)
    ax.set(xscale="log", yscale="log", xlabel=xlabel, ylabel=ylabel)
    ax.set_xticks(positions, [f"{position:.2g}" for position in positions])
    ax.minorticks_off()
    figure.legend(loc="outside upper center", ncols=2, frameon=False)
    return figure
