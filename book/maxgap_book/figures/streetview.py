"""Figures of the chapter on the Streetview scores."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from numpy.typing import ArrayLike

from maxgap.figures import PALETTE, bracket, new_figure, policy_style
from maxgap_book.figures.shared import darker, figure_of, legible
from maxgap_book.printing import decimal

__all__ = [
    "error_bands",
    "level_axis",
    "ranked_means",
    "speedup",
]


def ranked_means(
    means: ArrayLike, *, left_out: int = 0, ylabel: str = "mean", ax: Axes | None = None
) -> Figure:
    """Means against rank; the largest gap is shaded, the last ``left_out`` means are hollow.

    Parameters
    ----------
    means : array_like, shape (K,)
        True means in any order.
    left_out : int
        How many of the lowest are drawn hollow. The gap is that of the others.
    ylabel : str
        What the means are.
    ax : Axes, optional
        Where to draw; a new figure if there is none.
    """
    if ax is None:
        _, ax = new_figure(height=3.4)
    ordered = np.sort(np.asarray(means, dtype=float))[::-1]
    kept = ordered[: ordered.size - left_out]
    ranks = np.arange(1, ordered.size + 1)
    split = int(np.argmax(-np.diff(kept)))
    ax.axhspan(kept[split + 1], kept[split], color=PALETTE[1], alpha=0.35, lw=0)
    ax.plot(ranks[: kept.size], kept, "o", color=PALETTE[0], ms=4)
    ax.plot(ranks[kept.size :], ordered[kept.size :], "o", mfc="none", color="0.35", ms=4)
    ax.annotate(
        f"largest gap {decimal(kept[split] - kept[split + 1], 4)}, "
        f"ranks ({split + 1}), ({split + 2})",
        (0.97 if split < kept.size / 2 else 0.55, kept[split : split + 2].mean()),
        xycoords=("axes fraction", "data"),
        ha="right",
        va="center",
    )
    ax.set(xlabel="rank", ylabel=ylabel, xlim=(0, ordered.size + 1))
    return figure_of(ax)


def error_bands(
    errors: pd.DataFrame,
    names: Mapping[str, tuple[str, float, float]],
    *,
    floor: float,
    level: float = 0.05,
    between: tuple[float, float] | None = None,
) -> Figure:
    """Share of wrong answers, on a logarithmic axis, against samples: a band a policy.

    Parameters
    ----------
    errors : DataFrame
        ``Study.errors``: policy, samples, error, low, high.
    names : mapping of str to (str, float, float)
        Policy -> what is written beside its band, and where: samples, share.
    floor : float
        The smallest share that is drawn: a policy's curve ends where it first falls below it.
    level : float
        Share that is marked.
    between : (float, float), optional
        Two numbers of samples at which the level is reached, in brackets.
    """
    figure, ax = new_figure(height=4.4)
    for label, rows in errors.groupby("policy", sort=False):
        style = policy_style(str(label))
        # Beyond, a band that says "none" would lie over what the others show.
        fallen = (rows["error"] < floor).cummax()
        rows = rows[~fallen.shift(fill_value=False)]
        ends = (np.maximum(rows[end], floor) for end in ("low", "high"))
        ax.fill_between(rows["samples"], *ends, color=style["color"], alpha=0.22, lw=0)
        seen = np.maximum(rows["error"], floor)
        ax.plot(rows["samples"], seen, color=style["color"], ls=style["linestyle"], lw=1.6)
        if label in names:
            text, x, y = names[str(label)]
            ax.text(x, y, text, color=darker(style["color"]))
    ax.axhline(level, color="black", lw=0.8, ls=":")
    if between is not None:
        first, last = sorted(between)
        text = f"{100 * level:g}%: {decimal(first, -3)} against {decimal(last, -3)}"
        bracket(ax, (first, last), level, text, align="left")
    legible(ax)
    ticks = [tick for tick in (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1) if tick >= floor]
    ax.set(yscale="log", ylim=(floor, 1), xlim=(0, errors["samples"].max()))
    ax.set_yticks(ticks, [f"{100 * tick:g}%" for tick in ticks])
    ax.minorticks_off()
    ax.xaxis.set_major_locator(MaxNLocator(4))
    ax.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    ax.set(xlabel="samples", ylabel="share of wrong answers")
    return figure


def level_axis(ax: Axes, levels: ArrayLike) -> None:
    """A logarithmic axis of error levels, the largest at the left."""
    ticks = [0.3, 0.2, 0.1, 0.05, 0.03, 0.02, 0.01]
    ax.set_xscale("log")
    ax.set_xlim(1.1 * np.max(levels), 0.9 * np.min(levels))
    shown = [tick for tick in ticks if np.min(levels) <= tick <= np.max(levels)]
    ax.set_xticks(shown, [f"{100 * tick:g}%" for tick in shown])
    ax.minorticks_off()
    ax.set(xlabel="share of wrong answers allowed", ylabel="times fewer samples")


def speedup(
    ratios: pd.DataFrame,
    *,
    claimed: tuple[float, float],
    names: Mapping[str, tuple[float, float]],
) -> Figure:
    """How many times fewer samples, against the error level: a line and a band a policy.

    Parameters
    ----------
    ratios : DataFrame
        Columns policy, level, ratio, low, high.
    claimed : (float, float)
        The range claimed, shaded.
    names : mapping of str to (float, float)
        Policy -> where its name stands: level, ratio.
    """
    figure, ax = new_figure(height=4.2)
    ax.axhspan(*claimed, color="0.75", alpha=0.5, lw=0)
    ax.text(
        0.02,
        np.mean(claimed),
        f"claimed: {claimed[0]:g} to {claimed[1]:g}",
        transform=ax.get_yaxis_transform(),
        va="center",
    )
    for label, rows in ratios.groupby("policy", sort=False):
        colour = policy_style(str(label))["color"]
        ax.fill_between(rows["level"], rows["low"], rows["high"], color=colour, alpha=0.2, lw=0)
        ax.plot(rows["level"], rows["ratio"], color=colour, lw=2)
        ax.text(*names[str(label)], str(label), color=darker(colour))
    legible(ax)
    level_axis(ax, ratios["level"])
    ax.set_ylim(0, 1.05 * ratios["high"].max())
    return figure
