"""Figures: arrays and tables in, a matplotlib Figure out. One palette, one style.

Every policy keeps its colour, line style and marker in all figures, so that none is told by colour
alone. Figures are made for a column 7 inches wide and stay readable at phone width.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

_COLOURS = sns.color_palette("colorblind")

#: Line of each policy; seaborn's colour-blind palette.
POLICY_STYLES: dict[str, dict[str, Any]] = {
    "RoundRobin": {"color": _COLOURS[7], "linestyle": "-", "marker": "s"},
    "MaxGapElim": {"color": _COLOURS[1], "linestyle": "--", "marker": "^"},
    "MaxGapUCB": {"color": _COLOURS[0], "linestyle": "-", "marker": "o"},
    "MaxGapTop2UCB": {"color": _COLOURS[2], "linestyle": "-.", "marker": "D"},
    "SortThenSearch": {"color": _COLOURS[3], "linestyle": ":", "marker": "v"},
}

STYLE: Mapping[str, Any] = {
    "figure.dpi": 100,
    "figure.facecolor": "white",
    "figure.constrained_layout.use": True,
    "savefig.dpi": 150,
    "font.size": 11,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.3,
    "legend.frameon": False,
    "lines.linewidth": 1.8,
    "lines.markersize": 4,
}


def new_figure(
    rows: int = 1, columns: int = 1, *, height: float = 3.8, **kwargs: Any
) -> tuple[Figure, Any]:
    """Figure of the book's width and style, and its axes as from ``plt.subplots``."""
    with plt.rc_context(dict(STYLE)):
        return plt.subplots(rows, columns, figsize=(7.0, height), **kwargs)


def policy_style(label: str) -> dict[str, Any]:
    """Colour, line style and marker of a policy, by the name its label begins with."""
    for name, style in POLICY_STYLES.items():
        if label.startswith(name):
            return dict(style)
    return {"color": "black", "linestyle": "-", "marker": "."}


def error_curves(
    errors: pd.DataFrame, *, level: float | None = None, ax: Axes | None = None
) -> Figure:
    """Share of wrong answers against samples, one line a policy, with its interval as a band.

    Parameters
    ----------
    errors : DataFrame
        ``Study.errors``: policy, samples, error, low, high.
    level : float, optional
        An error level to mark with a horizontal line.
    ax : Axes, optional
        Where to draw; a new figure if there is none.
    """
    if ax is None:
        _, ax = new_figure()
    for label, rows in errors.groupby("policy", sort=False):
        style = policy_style(str(label))
        every = max(len(rows) // 10, 1)
        ax.plot(rows["samples"], rows["error"], label=label, markevery=every, **style)
        ax.fill_between(
            rows["samples"], rows["low"], rows["high"], color=style["color"], alpha=0.18, lw=0
        )
    if level is not None:
        ax.axhline(level, color="black", lw=0.8, ls=":")
    ax.set(xlabel="samples", ylabel="share of wrong answers", ylim=(0, None), xlim=(0, None))
    ax.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    ax.legend()
    figure = ax.figure
    assert isinstance(figure, Figure)
    return figure


def scenes(scores: ArrayLike, groups: Mapping[str, int], *, sigma: float = 0.05) -> Figure:
    """Scores along one axis, each with a bell curve; braces name groups of neighbours.

    Parameters
    ----------
    scores : array_like, shape (K,)
        True means, largest first.
    groups : mapping of str to int
        Name -> how many scores, from the smallest up; together all of them.
    sigma : float
        Standard deviation of the bell curves, in the scores' units.
    """
    figure, ax = new_figure(height=3.4)
    ordered = np.sort(np.asarray(scores, dtype=float))
    x = np.linspace(ordered[0] - 4 * sigma, ordered[-1] + 4 * sigma, 800)
    start = 0
    for i, (name, size) in enumerate(groups.items()):
        members = ordered[start : start + size]
        start += size
        colour, style = _COLOURS[(3, 1, 2)[i % 3]], ("-", "--", "-.")[i % 3]
        for score in members:
            bell = np.exp(-0.5 * ((x - score) / sigma) ** 2)
            ax.plot(x, bell, color=colour, ls=style, lw=1.4)
            ax.fill_between(x, bell, color=colour, alpha=0.12, lw=0)
            ax.plot([score, score], [0, 1], color=colour, lw=0.8)
        numbers = "\n".join(f"{score:.3f}" for score in members[::-1])
        ax.text(members.mean(), 1.06, f"{name}\n{numbers}", ha="center", va="bottom", color="black")
    widest = int(np.argmax(np.diff(ordered)))
    ends = ordered[widest : widest + 2]
    ax.annotate("", (ends[0], -0.14), (ends[1], -0.14), arrowprops={"arrowstyle": "<->"})
    ax.text(ends.mean(), -0.17, f"largest gap {np.ptp(ends):.3f}", ha="center", va="top")
    ax.set(xlabel="safety (Borda) score", ylim=(-0.38, 1.75), yticks=[])
    ax.spines["left"].set_visible(False)
    ax.grid(visible=False)
    return figure


def bins(numbers: ArrayLike) -> Figure:
    """K numbers in K + 1 bins of equal width: empty bins hatched, the largest gap marked."""
    figure, ax = new_figure(height=2.2)
    ordered = np.sort(np.asarray(numbers, dtype=float))
    edges = np.linspace(ordered[0], ordered[-1], ordered.size + 2)
    held, _ = np.histogram(ordered, edges)
    for left, right, number in zip(edges[:-1], edges[1:], held, strict=True):
        ax.axvspan(
            left,
            right,
            ymin=0.3,
            ymax=0.75,
            facecolor="white" if number else "0.92",
            edgecolor="0.3",
            hatch="" if number else "//",
            lw=1.0,
        )
    ax.plot(ordered, np.full(ordered.size, 0.525), "o", color=_COLOURS[0], ms=7)
    widest = int(np.argmax(np.diff(ordered)))
    ends = ordered[widest : widest + 2]
    ax.annotate("", (ends[0], 0.2), (ends[1], 0.2), arrowprops={"arrowstyle": "<->"})
    ax.text(ends.mean(), 0.17, "largest gap", ha="center", va="top")
    ax.set(xlabel="score", ylim=(0, 0.8), yticks=[])
    ax.spines["left"].set_visible(False)
    ax.grid(visible=False)
    return figure


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
    ax.axhspan(kept[split + 1], kept[split], color=_COLOURS[1], alpha=0.35, lw=0)
    ax.plot(ranks[: kept.size], kept, "o", color=_COLOURS[0], ms=4)
    ax.plot(ranks[kept.size :], ordered[kept.size :], "o", mfc="none", color="0.35", ms=4)
    ax.annotate(
        f"largest gap {kept[split] - kept[split + 1]:.4f}, ranks {split + 1} and {split + 2}",
        (0.97 if split < kept.size / 2 else 0.55, kept[split : split + 2].mean()),
        xycoords=("axes fraction", "data"),
        ha="right",
        va="center",
    )
    ax.set(xlabel="rank", ylabel=ylabel, xlim=(0, ordered.size + 1))
    return _figure_of(ax)


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
    return _figure_of(ax)


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
    ax.axhspan(*claimed, color="0.75", alpha=0.5, lw=0, label="claimed")
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
    ax.invert_xaxis()
    ax.set_xticks(ticks, [f"{100 * tick:g}" for tick in ticks])
    ax.minorticks_off()
    ax.set(xlabel="error level in %", ylabel="times fewer samples", ylim=(0, None))
    ax.legend(loc="upper left")
    return _figure_of(ax)


def samples_by_rank(
    counts: ArrayLike, labels: Sequence[str], *, ax: Axes | None = None, mark: float | None = None
) -> Figure:
    """Mean samples of every arm against its rank, one line a policy, logarithmic.

    Parameters
    ----------
    counts : array_like, shape (P, K)
        Mean samples: policy, arm by rank (largest mean first).
    labels : sequence of str
        The policies.
    ax : Axes, optional
        Where to draw; a new figure if there is none.
    mark : float, optional
        Where between two ranks to draw a line, such as m + 1/2 for the largest gap.
    """
    if ax is None:
        _, ax = new_figure()
    values = np.asarray(counts, dtype=float)
    ranks = np.arange(1, values.shape[1] + 1)
    for label, row in zip(labels, values, strict=True):
        ax.plot(ranks, row, label=label, markevery=max(ranks.size // 15, 1), **policy_style(label))
    if mark is not None:
        ax.axvline(mark, color="black", lw=0.8, ls=":")
    ax.set_yscale("log")
    ax.set(xlabel="rank", ylabel="samples of the arm", xlim=(0, ranks.size + 1))
    ax.legend()
    return _figure_of(ax)


def _figure_of(ax: Axes) -> Figure:
    figure = ax.figure
    assert isinstance(figure, Figure)
    return figure
