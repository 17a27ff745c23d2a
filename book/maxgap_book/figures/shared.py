"""What the figures of more than one chapter share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from maxgap.figures import PALETTE, error_curves, new_figure, policy_style

__all__ = [
    "MANY_STYLES",
    "Player",
    "Words",
    "darker",
    "error_curves_with_bars",
    "figure_of",
    "power_laws",
    "speedup_curves",
]


MANY_STYLES = [
    {"color": PALETTE[i], "linestyle": line, "marker": marker}
    for i, line, marker in (
        (0, "-", "o"),
        (2, "--", "^"),
        (1, "-.", "D"),
        (3, ":", "v"),
        (4, (0, (5, 1)), "s"),
        (5, (0, (3, 1, 1, 1)), "x"),
    )
]


class Player:
    """A figure that can be played with, as HTML; ``description`` where there is none."""

    def __init__(self, html: str, description: str) -> None:
        self.html, self.description = html, description

    def _repr_html_(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return self.description


class Words(NamedTuple):
    """What is said of a player: its name in the page, its caption, and a text in its place."""

    name: str
    caption: str
    alt: str


def darker(colour: Any) -> tuple[float, ...]:
    """The colour of a line's name: a little darker than the line, to be read."""
    return tuple(0.8 * part for part in to_rgb(colour))


def figure_of(ax: Axes) -> Figure:
    """The figure of axes, which is no part of another one."""
    figure = ax.figure
    assert isinstance(figure, Figure)
    return figure


def error_curves_with_bars(errors: pd.DataFrame, ax: Axes, *, every: int = 10) -> Figure:
    """:func:`error_curves`, and plus or minus one standard error at some checkpoints.

    Parameters
    ----------
    errors : DataFrame
        ``Study.errors``: policy, samples, replicates, error, low, high.
    ax : Axes
        Where to draw.
    every : int
        A bar at every so many checkpoints; policies are staggered so that bars do not hide bars.
    """
    error_curves(errors, ax=ax)
    for place, (label, rows) in enumerate(errors.groupby("policy", sort=False)):
        shown = rows.iloc[every - 1 - 2 * place :: every]
        se = np.sqrt(shown["error"] * (1 - shown["error"]) / shown["replicates"])
        ax.errorbar(
            shown["samples"],
            shown["error"],
            yerr=se,
            fmt="none",
            capsize=2.5,
            lw=1.2,
            ecolor=policy_style(str(label))["color"],
        )
    return figure_of(ax)


def speedup_curves(
    ratios: pd.DataFrame,
    *,
    claimed: tuple[float, float],
    reference: pd.DataFrame | None = None,
    ax: Axes | None = None,
) -> Figure:
    """How many times fewer samples, against the error level; a band a policy, the claim shaded.

    Parameters
    ----------
    ratios : DataFrame
        As stacked from ``Study.speedup``: policy, level, ratio, low, high.
    claimed : tuple of float
        The range claimed, drawn across.
    reference : DataFrame, optional
        Columns policy, level, ratio: a second estimate, dotted.
    ax : Axes, optional
        Where to draw; a new figure if there is none.
    """
    if ax is None:
        _, ax = new_figure()
    ax.axhspan(
        *claimed, color="0.75", alpha=0.5, lw=0, label=f"claimed: {claimed[0]:g} to {claimed[1]:g}"
    )
    for label, rows in ratios.groupby("policy", sort=False):
        style = policy_style(str(label))
        ax.plot(rows["level"], rows["ratio"], label=label, **style)
        ax.fill_between(
            rows["level"], rows["low"], rows["high"], color=style["color"], alpha=0.15, lw=0
        )
        if reference is not None:
            same = reference[reference["policy"] == label]
            ax.plot(same["level"], same["ratio"], color=style["color"], ls=":", lw=2.2)
    ticks = [0.3, 0.2, 0.1, 0.05, 0.03, 0.02, 0.01]
    ax.set_xscale("log")
    ax.set_xlim(1.1 * ratios["level"].max(), 0.9 * ratios["level"].min())
    ax.set_xticks(ticks, [f"{100 * tick:g}" for tick in ticks])
    ax.minorticks_off()
    # Axes may share their range: none may cut off what another one needs.
    finite = ratios["high"][np.isfinite(ratios["high"])]
    ax.set_ylim(0, max(ax.get_ylim()[1], 1.05 * finite.max()))
    ax.set(xlabel="error level in %", ylabel="times fewer samples")
    ax.legend(loc="upper left")
    return figure_of(ax)


def power_laws(
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
