"""Figures: arrays and tables in, a matplotlib Figure out. One palette, one style.

Every policy keeps its colour, line style and marker in all figures, so that none is told by colour
alone. Figures are made for a column 7 inches wide and stay readable at phone width.

Examples
--------
>>> figure, axes = new_figure(height=3.0)
>>> figure.get_size_inches().tolist()
[7.0, 3.0]
>>> policy_style("MaxGapUCB")["linestyle"]
'-'
>>> plt.close(figure)
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from html import escape
from importlib.resources import files
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter
from numpy.typing import ArrayLike, NDArray

from maxgap.scaling import decimal, rounded

_COLOURS = sns.color_palette("colorblind")

#: Line of each policy; seaborn's colour-blind palette.
POLICY_STYLES: dict[str, dict[str, Any]] = {
    "RoundRobin": {"color": _COLOURS[7], "linestyle": "-", "marker": "s"},
    "MaxGapElim": {"color": _COLOURS[1], "linestyle": "--", "marker": "^"},
    "MaxGapUCB": {"color": _COLOURS[0], "linestyle": "-", "marker": "o"},
    "MaxGapTop2UCB": {"color": _COLOURS[2], "linestyle": "-.", "marker": "D"},
    "SortThenSearch": {"color": _COLOURS[3], "linestyle": ":", "marker": "v"},
}

STYLE: dict[Any, Any] = {
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
    with plt.rc_context(STYLE):
        made = plt.subplots(rows, columns, figsize=(7.0, height), **kwargs)
        # A notebook's backend switches this on when it is first used, here; figures of later
        # cells would not be shown if the context took it back.
        interactive = plt.isinteractive()
    plt.rcParams["interactive"] = interactive
    return made


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
        numbers = "\n".join(decimal(score, 3) for score in members[::-1])
        ax.text(members.mean(), 1.06, f"{name}\n{numbers}", ha="center", va="bottom", color="black")
    widest = int(np.argmax(np.diff(ordered)))
    ends = ordered[widest : widest + 2]
    ax.annotate("", (ends[0], -0.14), (ends[1], -0.14), arrowprops={"arrowstyle": "<->"})
    ax.text(ends.mean(), -0.17, f"largest gap {decimal(np.ptp(ends), 3)}", ha="center", va="top")
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
    ax.plot(ordered, np.full(ordered.size, 0.42), "o", color=_COLOURS[0], ms=7)
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
        f"largest gap {decimal(kept[split] - kept[split + 1], 4)}, "
        f"ranks {split + 1} and {split + 2}",
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
    ax.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    ax.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    ax.yaxis.set_minor_formatter(NullFormatter())
    ax.set(xlabel="rank", ylabel="samples of the arm", xlim=(0, ranks.size + 1))
    ax.legend()
    return _figure_of(ax)


def _figure_of(ax: Axes) -> Figure:
    figure = ax.figure
    assert isinstance(figure, Figure)
    return figure


def sample_profile(
    counts: ArrayLike,
    standard_errors: ArrayLike,
    samples: Sequence[int],
    pairs: Mapping[str, tuple[int, int]],
    *,
    other: tuple[str, ArrayLike] | None = None,
) -> Figure:
    """Mean samples of every arm by rank at several times, a panel each, axes shared.

    Heights go with the square root, so that few samples are seen beside many.

    Parameters
    ----------
    counts : array_like, shape (T, K)
        Mean samples: time, arm by rank (largest mean first).
    standard_errors : array_like, shape (T, K)
        Their standard errors, drawn as bars of plus or minus one.
    samples : sequence of int, length T
        Samples taken in all.
    pairs : mapping of str to (int, int)
        Name -> two ranks to pick out, two pairs.
    other : (str, array_like of shape (T, K)), optional
        Name and mean samples of another setting, drawn as a line.
    """
    means, errors = np.asarray(counts, dtype=float), np.asarray(standard_errors, dtype=float)
    columns = 3
    rows = -(-len(samples) // columns)
    figure, axes = new_figure(rows, columns, height=2.5 * rows, sharex=True, sharey=True)
    ranks = np.arange(1, means.shape[1] + 1)
    for t, ax in enumerate(np.ravel(axes)[: len(samples)]):
        ax.bar(ranks, means[t], width=0.85, color="0.7", label="other arms")
        for (name, pair), colour, hatch in zip(pairs.items(), (1, 0), ("//", ""), strict=True):
            at = np.array(pair) - 1
            ax.bar(pair, means[t][at], width=0.85, color=_COLOURS[colour], hatch=hatch, label=name)
        ax.errorbar(ranks, means[t], yerr=errors[t], fmt="none", ecolor="black", lw=0.9)
        if other is not None:
            line = np.asarray(other[1], dtype=float)[t]
            ax.plot(ranks, line, color=_COLOURS[3], ls="--", lw=1.4, label=other[0])
        ax.text(0.03, 0.97, f"t = {samples[t]}", transform=ax.transAxes, va="top")
        ax.set_xticks([1, 6, 12, 18, 24])
        ax.set_yscale("function", functions=(_root, np.square))
        ax.set(ylim=(0, _ceiling(means.max())), yticks=_root_ticks(_ceiling(means.max())))
    figure.supxlabel("rank", fontsize=11)
    figure.supylabel("samples of the arm", fontsize=11)
    handles, labels = np.ravel(axes)[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=2, frameon=False)
    return figure


class Player:
    """A figure to step through, as HTML; ``description`` where there is none."""

    def __init__(self, html: str, description: str) -> None:
        self.html, self.description = html, description

    def _repr_html_(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return self.description


def profile_player(
    counts: ArrayLike,
    samples: Sequence[int],
    pairs: Mapping[str, tuple[int, int]],
    *,
    name: str,
    caption: str,
    alt: str,
) -> Player:
    """Mean samples of every arm by rank, one time after another: steps, slider, play.

    Heights go with the square root, as in :func:`sample_profile`.

    HTML with its own script and style, which asks for nothing from outside. It can be used by
    keyboard; where scripts are off it shows the last time; where the reader prefers less motion it
    has no play button.

    Parameters
    ----------
    counts : array_like, shape (T, K)
        Mean samples: time, arm by rank (largest mean first). Rounded to one decimal.
    samples : sequence of int, length T
        Samples taken in all.
    pairs : mapping of str to (int, int)
        Name -> two neighbouring ranks to pick out, two pairs.
    name : str
        Identifier of the figure in its page.
    caption, alt : str
        Caption below, and what a reader who cannot see the picture is told.

    Raises
    ------
    ValueError
        If `counts` is not one row per entry of `samples`.

    Examples
    --------
    >>> player = profile_player([[1, 1, 1, 1], [1, 2, 2, 5]], [4, 10], {"a": (1, 2), "b": (3, 4)},
    ...     name="profile", caption="Samples.", alt="Bars.")
    >>> player
    t = 10. a: 1.0 and 2.0 samples. b: 2.0 and 5.0 samples. An even share: 2.5.
    """
    means = rounded(np.asarray(counts, dtype=float), 1)
    if means.ndim != 2 or len(means) != len(samples):
        raise ValueError(f"counts: {len(samples)} rows are needed, got shape {means.shape}")
    n_arms = means.shape[1]
    says = []
    for row, total in zip(means, samples, strict=True):
        parts = [f"{key}: {row[i - 1]} and {row[j - 1]} samples." for key, (i, j) in pairs.items()]
        says.append(f"t = {total}. {' '.join(parts)} An even share: {decimal(total / n_arms, 1)}.")
    top = _ceiling(means.max())
    data = {
        "samples": [int(total) for total in samples],
        "counts": means.tolist(),
        "says": says,
        "top": top,
        "height": _PLAYER_HEIGHT,
        "base": _PLAYER_BASE,
    }
    page = (files("maxgap") / "data" / "profile.html").read_text(encoding="utf-8")
    for key, value in {
        "NAME": escape(name),
        "PICTURE": _player_picture(means[-1], top, samples[-1], pairs, alt),
        "LAST": str(len(samples) - 1),
        "SAYS": escape(says[-1]),
        "CAPTION": escape(caption),
        # A "<" could end the script element that holds the data.
        "DATA": json.dumps(data, separators=(",", ":")).replace("<", "\\u003c"),
    }.items():
        page = page.replace(key, value)
    return Player(page, says[-1])


_PLAYER_WIDTH, _PLAYER_LEFT, _PLAYER_BASE, _PLAYER_HEIGHT = 400, 40, 232, 196


def _player_picture(
    row: np.ndarray, top: float, total: int, pairs: Mapping[str, tuple[int, int]], alt: str
) -> str:
    """The bars of one time as SVG."""
    step = (_PLAYER_WIDTH - _PLAYER_LEFT - 4) / row.size
    lines = [
        f'<svg viewBox="0 0 {_PLAYER_WIDTH} 272" role="img" aria-label="{escape(alt)}">',
        '<text x="2" y="12">samples of the arm</text>',
        f'<text x="{_PLAYER_WIDTH / 2:g}" y="268" text-anchor="middle">rank</text>',
    ]
    for tick in _root_ticks(top):
        y = _PLAYER_BASE - _PLAYER_HEIGHT * math.sqrt(tick / top)
        lines += [
            f'<line class="grid" x1="{_PLAYER_LEFT}" x2="{_PLAYER_WIDTH}" y1="{y:g}" y2="{y:g}"/>',
            f'<text x="{_PLAYER_LEFT - 4}" y="{y + 4:g}" text-anchor="end">{tick:g}</text>',
        ]
    kinds: dict[int, str] = {}
    for kind, pair in zip(("first", "second"), pairs.values(), strict=True):
        kinds.update(dict.fromkeys(pair, kind))
    for rank, value in enumerate(row, start=1):
        x, height = _PLAYER_LEFT + step * (rank - 0.92), _PLAYER_HEIGHT * math.sqrt(value / top)
        kind = f"bar {kinds[rank]}" if rank in kinds else "bar"
        lines.append(
            f'<rect class="{kind}" x="{decimal(x, 2)}" width="{decimal(0.84 * step, 2)}" '
            f'y="{decimal(_PLAYER_BASE - height, 2)}" height="{decimal(height, 2)}"/>'
        )
    labels = [(1.0, 248, "1"), (float(row.size), 248, str(row.size))]
    for key, (i, j) in pairs.items():
        labels += [((i + j) / 2, 30, key), ((i + j) / 2, 248, f"{i}, {j}")]
    for place, y, text in labels:
        x = _PLAYER_LEFT + step * (place - 0.5)
        at = f'x="{decimal(x, 2)}" y="{y}"'
        lines.append(f'<text {at} text-anchor="middle">{escape(text)}</text>')
    even = decimal(_PLAYER_BASE - _PLAYER_HEIGHT * math.sqrt(total / row.size / top), 2)
    lines.append(
        f'<line class="even" x1="{_PLAYER_LEFT}" x2="{_PLAYER_WIDTH}" y1="{even}" y2="{even}"/>'
    )
    return "\n".join([*lines, "</svg>"])


def _root(value: ArrayLike) -> np.ndarray:
    """Square root; 0 below 0, where matplotlib asks too."""
    return np.sqrt(np.maximum(value, 0.0))


def _root_ticks(top: float) -> list[float]:
    """Ticks of an axis of square roots from 0 to ``top``."""
    return [0.0, *(tick * top for tick in (0.05, 0.25, 0.5, 1.0))]


def _ceiling(value: float) -> float:
    """The smallest of 1, 2, 4, 5, 6, 8, 10 times a power of ten that is not below ``value``."""
    power = 10.0 ** np.floor(np.log10(value))
    return float(next(n * power for n in (1, 2, 4, 5, 6, 8, 10) if n * power >= value))


def one_large_gap(means: ArrayLike, hardness: ArrayLike, claimed: float) -> Figure:
    """The instance with one large gap: arms on a line, and below it how hard each of them is.

    Parameters
    ----------
    means : array_like, shape (K,)
        True means, largest first; the largest gap is bracketed, and the one right of it.
    hardness : array_like, shape (K,)
        gamma of the arms, in the same order; infinite values are left out.
    claimed : float
        The value that the paper gives for all arms away from the largest gap.
    """
    means, values = np.asarray(means, dtype=float), np.asarray(hardness, dtype=float)
    figure, axes = new_figure(2, 1, height=4.6, sharex=True, height_ratios=[1, 2.2])
    split = int(np.argmax(-np.diff(means)))
    line, below = axes
    line.axhline(0, color="0.6", lw=1, zorder=0)
    line.plot(means, np.zeros(means.size), "o", color=_COLOURS[0], ms=8)
    small = (means[split - 1], means[split - 2])
    _bracket(line, (means[split + 1], means[split]), 0.5, r"$\Delta_{\max}$")
    _bracket(line, small, 0.5, r"$\Delta_{\min}$")
    for rank in (1, split + 1, split + 2, means.size):
        line.text(means[rank - 1], -0.35, f"({rank})", ha="center", va="top")
    line.set(ylim=(-1.1, 1.5), yticks=[])
    line.spines[["left", "bottom"]].set_visible(False)
    line.tick_params(bottom=False)
    line.grid(visible=False)
    away = np.ones(means.size, dtype=bool)
    away[[split, split + 1]] = False
    below.vlines(means[away], 0, values[away], color=_COLOURS[1], lw=1.4)
    below.plot(means[away], values[away], "D", color=_COLOURS[1], ms=6, label="computed")
    below.axhline(claimed, color="black", ls="--", lw=1.4, label=r"claimed, $\Delta_{\max}/2$")
    below.set(xlabel="mean", ylabel=r"hardness $\gamma$", ylim=(0, 1.35 * claimed))
    below.legend(loc="upper center", ncols=2, frameon=False)
    return figure


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


def moved_means(instances: Mapping[str, ArrayLike], moved: Sequence[int | None]) -> Figure:
    """The same arms in several instances, a line each, the largest gap of each bracketed.

    Parameters
    ----------
    instances : mapping of str to array_like of shape (K,)
        Name -> means. The first is where the arms start.
    moved : sequence of int or None
        For each instance the arm that has moved from its place in the first, drawn with an arrow.
        Arms are numbered from 1 in the figure.
    """
    figure, ax = new_figure(height=3.6)
    start = np.asarray(next(iter(instances.values())), dtype=float)
    for row, ((_, values), arm) in enumerate(zip(instances.items(), moved, strict=True)):
        means, y = np.asarray(values, dtype=float), -row
        ax.axhline(y, color="0.75", lw=1, zorder=0)
        for i, mean in enumerate(means):
            colour = _COLOURS[3] if i == arm else _COLOURS[0]
            ax.plot(mean, y, "D" if i == arm else "o", color=colour, ms=8)
            ax.text(mean, y - 0.14, str(i + 1), ha="center", va="top")
        if arm is not None:
            ax.plot(start[arm], y, "o", mfc="white", mec=_COLOURS[3], ms=8)
            ax.annotate(
                "",
                (means[arm], y + 0.08),
                (start[arm], y + 0.08),
                arrowprops={
                    "arrowstyle": "->",
                    "color": _COLOURS[3],
                    "connectionstyle": "arc3,rad=-0.6",
                    "lw": 1.4,
                },
            )
        ordered = np.sort(means)
        widest = int(np.argmax(np.diff(ordered)))
        gap = ordered[widest + 1] - ordered[widest]
        _bracket(ax, (ordered[widest], ordered[widest + 1]), y + 0.34, f"largest gap {gap:.4g}")
    ax.set(xlabel="mean", ylim=(-len(instances) + 0.6, 0.75))
    ax.set_yticks(-np.arange(len(instances)), list(instances))
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    ax.grid(visible=False)
    return figure


def _bracket(ax: Axes, ends: tuple[float, float], y: float, text: str) -> None:
    """A bar from one point to another, with its name above."""
    arrow = {"arrowstyle": "|-|, widthA=0.3, widthB=0.3", "shrinkA": 0, "shrinkB": 0}
    ax.annotate("", (ends[0], y), (ends[1], y), arrowprops=arrow)
    ax.text(sum(ends) / 2, y + 0.06, text, ha="center", va="bottom")


def two_gaps(
    means: ArrayLike, pairs: Mapping[str, tuple[int, int]], sigma: float, *, ax: Axes
) -> Figure:
    """Means against rank with named gaps between neighbours; bars of one standard deviation.

    Parameters
    ----------
    means : array_like, shape (K,)
        True means, largest first.
    pairs : mapping of str to (int, int)
        Name of a gap -> the two ranks next to it, the two pairs in the colours of
        :func:`sample_profile`.
    sigma : float
        Standard deviation of a reward, in the means' units.
    ax : Axes
        Where to draw.
    """
    values = np.asarray(means, dtype=float)
    ranks = np.arange(1, values.size + 1)
    ax.errorbar(ranks, values, yerr=sigma, fmt="none", ecolor="0.6", lw=1.0)
    ax.plot(ranks, values, "o", color="0.35", ms=4)
    for (name, pair), colour in zip(pairs.items(), (1, 0), strict=True):
        at = np.array(pair) - 1
        ax.axhspan(*values[at[::-1]], color=_COLOURS[colour], alpha=0.2, lw=0)
        ax.plot(pair, values[at], "o", color=_COLOURS[colour], ms=6)
        ax.text(ranks[-1], values[at].mean(), name, ha="right", va="center")
    ax.set(xlabel="rank", ylabel="mean", xticks=[1, 6, 12, 18, 24])
    return _figure_of(ax)


def misses(shares: pd.DataFrame, *, level: float) -> Figure:
    """Share of replicates in which some interval has missed by now, one line a radius.

    Parameters
    ----------
    shares : DataFrame
        Columns radius, samples (of each arm), share, low, high.
    level : float
        The share that was asked for, drawn as a horizontal line.
    """
    figure, ax = new_figure(height=4.2)
    dashes = ["-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 2))]
    colours = [_COLOURS[i] for i in (3, 1, 7, 2, 0, 4)]
    groups = shares.groupby("radius", sort=False)
    for (name, rows), dash, colour in zip(groups, dashes, colours, strict=False):
        ax.plot(rows["samples"], rows["share"], ls=dash, color=colour, label=name)
        ax.fill_between(rows["samples"], rows["low"], rows["high"], color=colour, alpha=0.18, lw=0)
    ax.axhline(level, color="black", lw=0.8)
    ax.text(shares["samples"].max(), level, " asked for", va="center", ha="left", fontsize=9)
    ax.set(
        xscale="log",
        xlabel="samples of each arm so far",
        ylabel="share of replicates with a miss",
        xlim=(1, shares["samples"].max()),
        ylim=(0, None),
    )
    figure.legend(loc="outside upper center", ncols=3, frameon=False)
    return figure


def right_gap_placements(
    lower: ArrayLike,
    upper: ArrayLike,
    arm: int,
    placements: Sequence[tuple[float, ArrayLike]],
) -> Figure:
    """Where the means lie when the right gap of an arm at a known place is largest.

    Parameters
    ----------
    lower, upper : array_like, shape (K,)
        Ends of the intervals.
    arm : int
        The arm whose mean is known.
    placements : sequence of (float, array_like of shape (K,))
        A panel each: the arm's mean, and all means.
    """
    low, high = np.asarray(lower, dtype=float), np.asarray(upper, dtype=float)
    figure, axes = new_figure(len(placements), height=5.2, sharex=True)
    rows = _interval_rows(low)
    for letter, ax, (x, placed) in zip("abcdef", np.ravel(axes), placements, strict=False):
        means = np.asarray(placed, dtype=float)
        ax.axvline(x, color=_COLOURS[0], lw=0.8, ls=":")
        for j in range(len(low)):
            stays_right = low[j] > x
            colour = _COLOURS[0] if j == arm else _COLOURS[3] if stays_right else "0.45"
            style = "--" if stays_right else "-"
            ax.plot([low[j], high[j]], [rows[j]] * 2, color=colour, ls=style, lw=2.5)
            marker = "X" if j == arm else "s" if stays_right else "o"
            ax.plot(means[j], rows[j], marker, color=colour, ms=9)
        closing = means[means > x].min()
        _bracket(ax, (x, closing), rows.max() + 0.7, f"right gap {decimal(closing - x, 3)}")
        ax.set(ylabel="arm", ylim=(rows.min() - 0.6, rows.max() + 1.6))
        ax.set_yticks(rows, [str(j) for j in range(len(low))])
        ax.text(0.01, 0.97, f"({letter})", transform=ax.transAxes, va="top")
        ax.grid(visible=False)
    np.ravel(axes)[-1].set_xlabel("mean")
    return figure


def right_gap_by_position(
    positions: ArrayLike, gaps: ArrayLike, candidates: ArrayLike, values: ArrayLike
) -> Figure:
    """Largest right gap of an arm against the place of its mean, lower ends marked.

    Parameters
    ----------
    positions, gaps : array_like, shape (N,)
        A fine grid inside the arm's interval, and the largest right gap there.
    candidates, values : array_like, shape (P,)
        The lower ends inside the interval, and the gap there.
    """
    x, y = np.asarray(positions, dtype=float), np.asarray(gaps, dtype=float)
    at, best = np.asarray(candidates, dtype=float), np.asarray(values, dtype=float)
    figure, ax = new_figure(height=3.4)
    # The curve jumps up at every lower end: no line across.
    jumps = np.flatnonzero(np.diff(y) > 0) + 1
    for piece in np.split(np.arange(x.size), jumps):
        ax.plot(x[piece], y[piece], color=_COLOURS[0])
    ax.vlines(at, 0, best, color="0.6", lw=0.8, ls=":")
    ax.plot(at, best, "o", color=_COLOURS[0], ms=7, label="at a lower end")
    widest = int(np.argmax(best))
    ax.plot(at[widest], best[widest], "D", color=_COLOURS[3], ms=10, label="the gap bound")
    ax.set(xlabel="mean of the arm", ylabel="largest right gap", ylim=(0, None))
    ax.legend(loc="lower left")
    return figure


def slots(lower: ArrayLike, upper: ArrayLike, arm: int) -> Figure:
    """Intervals sorted by lower end, below each its slot; slots that an arm touches stand out.

    Parameters
    ----------
    lower, upper : array_like, shape (K,)
        Ends of the intervals.
    arm : int
        The arm whose slots are marked.
    """
    order = np.argsort(np.asarray(lower, dtype=float), kind="stable")
    low, high = np.asarray(lower, dtype=float)[order], np.asarray(upper, dtype=float)[order]
    place = int(np.flatnonzero(order == arm)[0])
    end = np.append(np.minimum.accumulate(high[::-1])[::-1][1:], high[:-1].max())
    figure, ax = new_figure(height=0.75 * low.size + 1.2)
    for k in range(low.size):
        colour = _COLOURS[0] if k == place else "0.45"
        ax.plot([low[k], high[k]], [k, k], color=colour, lw=5, solid_capstyle="butt")
        ax.text(high[k], k, f"  arm {order[k]}", va="center", ha="left", color=colour)
        touched = any(low[place] <= x <= high[place] for x in (low[k], end[k]))
        colour = _COLOURS[3] if touched else "0.7"
        ends, y = (low[k], max(end[k], low[k])), k - 0.42
        ax.plot(ends, (y, y), color=colour, lw=2, ls="-" if touched else "--", marker="|", ms=9)
        text = f"{decimal(ends[1] - ends[0], 3)} "
        ax.text(ends[0], y, text, va="center", ha="right", fontsize=9, color="0.25")
    ax.axvspan(low[place], high[place], color=_COLOURS[0], alpha=0.08, lw=0)
    ax.set(xlabel="mean", ylim=(-0.9, low.size - 0.4))
    ax.margins(x=0.12)
    ax.set_yticks([])
    ax.spines["left"].set_visible(False)
    ax.grid(visible=False)
    return figure


def certain_gap(lower: ArrayLike, upper: ArrayLike, split_rank: int) -> Figure:
    """Intervals, and the gap between the top ones and the rest that is certain.

    Parameters
    ----------
    lower, upper : array_like, shape (K,)
        Ends of the intervals.
    split_rank : int
        How many arms lie above the gap.
    """
    low, high = np.asarray(lower, dtype=float), np.asarray(upper, dtype=float)
    rows = _interval_rows(low)
    top = rows >= low.size - split_rank
    figure, ax = new_figure(height=3.2)
    for j in range(low.size):
        colour, dash = (_COLOURS[1], "--") if top[j] else (_COLOURS[0], "-")
        ax.plot([low[j], high[j]], [rows[j]] * 2, color=colour, ls=dash, lw=4)
        ax.text(high[j], rows[j], f"  arm {j}", va="center", ha="left")
    ends = high[~top].max(), low[top].min()
    ax.axvspan(*ends, color="0.85", lw=0, zorder=0)
    _bracket(ax, ends, rows.max() + 0.5, f"at least {decimal(ends[1] - ends[0], 3)}")
    ax.set(xlabel="mean", ylim=(-0.6, rows.max() + 1.3))
    ax.margins(x=0.1)
    ax.set_yticks([])
    ax.spines["left"].set_visible(False)
    ax.grid(visible=False)
    return figure


def _interval_rows(lower: NDArray[np.float64]) -> NDArray[np.intp]:
    """Row of every arm, the smallest lower end at the bottom."""
    return np.argsort(np.argsort(lower, kind="stable"), kind="stable")


_MANY_STYLES = [
    {"color": _COLOURS[i], "linestyle": line, "marker": marker}
    for i, line, marker in (
        (0, "-", "o"),
        (2, "--", "^"),
        (1, "-.", "D"),
        (3, ":", "v"),
        (4, (0, (5, 1)), "s"),
        (7, (0, (3, 1, 1, 1)), "x"),
    )
]


def scenario_curves(errors: pd.DataFrame, *, level: float | None = None) -> Figure:
    """Share of wrong answers against samples, one line a scenario, with its interval as a band.

    Parameters
    ----------
    errors : DataFrame
        Columns scenario, samples, error, low, high; at most six scenarios.
    level : float, optional
        An error level to mark with a horizontal line.
    """
    figure, ax = new_figure(height=4.2)
    groups = list(errors.groupby("scenario", sort=False))
    for (label, rows), style in zip(groups, _MANY_STYLES[: len(groups)], strict=True):
        every = max(len(rows) // 10, 1)
        ax.plot(rows["samples"], rows["error"], label=label, markevery=every, **style)
        ax.fill_between(
            rows["samples"], rows["low"], rows["high"], color=style["color"], alpha=0.12, lw=0
        )
    if level is not None:
        ax.axhline(level, color="black", lw=0.8, ls=":")
    ax.set(xlabel="samples", ylabel="share of wrong answers", ylim=(0, None), xlim=(0, None))
    ax.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    ax.legend()
    return figure


def shares(table: pd.DataFrame, *, xlabel: str, mark: float | None = None) -> Figure:
    """Shares with their intervals: a panel a column, a line a row, a colour and marker a series.

    Parameters
    ----------
    table : DataFrame
        Columns panel, row, series, share, low, high.
    xlabel : str
        What is shared.
    mark : float, optional
        A share to mark with a vertical line.
    """
    panels, rows = table["panel"].unique(), table["row"].unique()
    series = table["series"].unique()
    figure, axes = new_figure(1, len(panels), height=1.6 + 0.5 * len(rows), sharey=True)
    for ax, panel in zip(np.ravel(axes), panels, strict=True):
        for k, name in enumerate(series):
            chosen = table[(table["panel"] == panel) & (table["series"] == name)]
            y = [
                list(rows).index(row) + 0.24 * (k - (len(series) - 1) / 2) for row in chosen["row"]
            ]
            reach = np.abs(chosen[["low", "high"]].to_numpy().T - chosen["share"].to_numpy())
            style = _MANY_STYLES[k] | {"linestyle": "none"}
            ax.errorbar(chosen["share"], y, xerr=reach, label=name, ms=5, lw=1.2, **style)
        if mark is not None:
            ax.axvline(mark, color="black", lw=0.8, ls=":")
        ax.set_title(panel, fontsize=11)
        ax.set(xlim=(-0.05, 1.05), xticks=[0, 0.5, 1], yticks=range(len(rows)), yticklabels=rows)
        ax.grid(visible=False, axis="y")
    np.ravel(axes)[0].invert_yaxis()
    figure.supxlabel(xlabel, fontsize=11)
    handles, labels = np.ravel(axes)[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(series), frameon=False)
    return figure


def samples_by_scale(table: pd.DataFrame) -> Figure:
    """Samples until a run stops against the scale told, one line a noise, both logarithmic.

    Parameters
    ----------
    table : DataFrame
        Columns noise, told (a multiple of the true scale), median, low, high.
    """
    figure, ax = new_figure()
    for (noise, rows), style in zip(
        table.groupby("noise", sort=False), _MANY_STYLES[: table["noise"].nunique()], strict=True
    ):
        ordered = rows.sort_values("told")
        reach = np.abs(ordered[["low", "high"]].to_numpy().T - ordered["median"].to_numpy())
        ax.errorbar(
            ordered["told"], ordered["median"], yerr=reach, label=noise, capsize=3, ms=6, **style
        )
    ticks = sorted(table["told"].unique())
    ax.set(xscale="log", yscale="log", xlabel="scale told, as a multiple of the true one")
    ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    ax.minorticks_off()
    ax.set_ylabel("samples until certified")
    ax.legend()
    return figure


def policy_runs(
    traces: Mapping[str, Mapping[str, NDArray]], *, true_gap: float, ends: Mapping[str, str]
) -> Figure:
    """One run of each policy: the intervals of its arms, and the bounds that close on each other.

    Parameters
    ----------
    traces : mapping of str to mapping
        Policy -> arrays of its run, a row a round: "samples" (R,), "lower", "upper", "estimate",
        "sampled", "bound" (R, K), "certain" (R,).
    true_gap : float
        The largest gap, drawn as a dotted line.
    ends : mapping of str to str
        Policy -> how its run ended, written beside its last round.
    """
    height = 2.7 * len(traces)
    figure, axes = new_figure(len(traces), 2, height=height, sharex=True, squeeze=False)
    for (strip, bounds), (label, trace) in zip(axes, traces.items(), strict=True):
        colour = policy_style(label)["color"]
        samples = trace["samples"]
        for arm in range(trace["lower"].shape[1]):
            low, high = trace["lower"][:, arm], trace["upper"][:, arm]
            strip.fill_between(samples, low, high, color="0.5", alpha=0.15, lw=0)
            strip.plot(samples, trace["estimate"][:, arm], color="0.55", lw=0.8)
            taken = trace["sampled"][:, arm]
            strip.fill_between(samples, low, high, where=taken, color=colour, alpha=0.22, lw=0)
            mean = np.where(taken, trace["estimate"][:, arm], np.nan)
            strip.plot(samples, mean, color=colour, lw=2.2)
        strip.set(ylim=(-0.9, 3.2), ylabel=f"{label}\nmean")
        bounds.plot(samples, trace["bound"], color="0.6", lw=0.8)
        bounds.plot(samples, trace["bound"].max(axis=1), color=_COLOURS[0], label="highest bound")
        certain = np.maximum(trace["certain"], 0.0)
        bounds.plot(samples, certain, color=_COLOURS[2], ls="--", label="certain gap")
        bounds.axhline(true_gap, color="black", lw=0.9, ls=":", label="largest gap")
        bounds.text(0.97, 0.04, ends[label], transform=bounds.transAxes, ha="right", fontsize=9)
        bounds.set(ylim=(-0.35, 2.6), ylabel="gap")
        for ax in (strip, bounds):
            ax.set_xscale("log")
            ax.axvline(samples[-1], color="black", lw=0.8)
            ax.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    for ax in axes[-1]:
        ax.set_xlabel("samples")
    handles, labels = axes[0, 1].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper right", ncols=3)
    return figure


def interval_board(
    means: ArrayLike,
    estimates: ArrayLike,
    lower: ArrayLike,
    upper: ArrayLike,
    counts: ArrayLike,
    asked: Sequence[int],
) -> Figure:
    """State of a policy: intervals by arm, who is sampled next, and the gap that is certain.

    Parameters
    ----------
    means, estimates, lower, upper, counts : array_like, shape (K,)
        True means, empirical means, ends of the intervals, samples taken.
    asked : sequence of int
        The arms to be sampled next, drawn filled.
    """
    low, high = np.asarray(lower, dtype=float), np.asarray(upper, dtype=float)
    estimates = np.asarray(estimates, dtype=float)
    figure, ax = new_figure(height=0.42 * low.size + 1.1)
    for arm in range(low.size):
        face = _COLOURS[0] if arm in set(asked) else "white"
        edge = _COLOURS[0] if arm in set(asked) else "0.4"
        ax.barh(arm, high[arm] - low[arm], left=low[arm], height=0.42, color=face, edgecolor=edge)
    ax.plot(estimates, range(low.size), ls="", marker="|", ms=15, mew=2, color="black")
    below = np.arange(low.size) + 0.36
    ax.plot(means, below, ls="", marker="^", ms=8, color=_COLOURS[3], clip_on=False)
    order = np.argsort(-estimates, kind="stable")
    least = np.minimum.accumulate(low[order])[:-1]
    most = np.maximum.accumulate(high[order][::-1])[::-1][1:]
    split = int(np.argmax(least - most))
    if least[split] > most[split]:
        ax.axvspan(most[split], least[split], color=_COLOURS[2], alpha=0.25, lw=0, zorder=0)
        text = f"certain: {decimal(least[split] - most[split], 2)}"
        ax.text((most[split] + least[split]) / 2, -0.75, text, ha="center", va="bottom")
    left, right = low.min() - 0.1, high.max() + 0.12 * (high.max() - low.min())
    ax.text(right, -0.75, "samples", ha="right", va="bottom")
    for arm, count in enumerate(np.asarray(counts)):
        ax.text(right, arm, str(count), ha="right", va="center")
    ax.set(xlabel="mean", ylabel="arm", xlim=(left, right))
    ax.set(ylim=(low.size - 0.3, -0.8), yticks=range(low.size))
    ax.grid(visible=False, axis="y")
    return figure


def wrong_stops(table: pd.DataFrame, *, level: float) -> Figure:
    """Share of wrong answers among the runs that stopped, one line a rule, intervals as bars.

    Parameters
    ----------
    table : DataFrame
        Columns rule, ratio (of the largest gap to the second largest), error, low, high; at most
        six rules.
    level : float
        The error allowed, drawn as a horizontal line.
    """
    figure, ax = new_figure(height=4.0)
    for (label, rows), own in zip(table.groupby("rule", sort=False), _MANY_STYLES, strict=False):
        style = own | {"markersize": 6}
        bars = np.clip([rows["error"] - rows["low"], rows["high"] - rows["error"]], 0, None)
        ax.errorbar(rows["ratio"], rows["error"], yerr=bars, label=label, capsize=3, **style)
    ax.axhline(level, color="black", lw=0.9)
    ax.text(table["ratio"].max(), level, "allowed", ha="right", va="bottom", fontsize=9)
    ax.set(
        xlabel="largest gap, with the second largest at 1",
        ylabel="share of wrong answers",
        ylim=(-0.01, 0.72),
        xscale="log",
    )
    ticks = sorted(table["ratio"].unique())
    ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.legend()
    return figure


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
    ax.plot(x, x, color=_COLOURS[0], ls="--", lw=1.3)
    ax.plot(x, delta_max - x, color=_COLOURS[1], ls="-.", lw=1.3)
    tent = np.array([0.0, delta_max / 2, delta_max])
    ax.plot(tent, np.minimum(tent, delta_max - tent), color="black", lw=2.4)
    high = 0.92 * delta_max
    ax.text(0.13 * delta_max, high, "told from the largest gap", color=_COLOURS[1])
    ax.text(0.87 * delta_max, high, "told from the arm", color=_COLOURS[0], ha="right")
    worth = {rank: min(d, delta_max - d) for rank, d in distances.items() if d < delta_max}
    best = max(worth, key=lambda rank: worth[rank])
    for rank, distance in distances.items():
        colour = _COLOURS[2] if rank == best else "0.35"
        ax.plot(distance, max(worth.get(rank, 0.0), 0.0), "o", color=colour, ms=8, clip_on=False)
        ax.annotate(
            str(rank),
            (distance, max(worth.get(rank, 0.0), 0.0)),
            xytext=(0, 7),
            textcoords="offset points",
            ha="center",
            fontweight="bold" if rank == best else "normal",
        )
    ax.axhline(worth[best], color=_COLOURS[2], lw=1, ls=":")
    ax.text(reach, worth[best], r"$\gamma^r$", color=_COLOURS[2], ha="right", va="bottom")
    ax.set(
        xlabel=f"distance of an arm to the right of arm {arm}",
        ylabel="worth as a helper",
        xlim=(0, reach),
        ylim=(0, delta_max),
    )
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
        special = {arm: _COLOURS[0], helper: _COLOURS[2]}
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
    for (left, right), colour, name in (
        ((high[certain[1] - 1], low[certain[0] - 1]), "0.85", "certain gap"),
        ((low[opening - 1], high[helper - 1]), (*_COLOURS[2], 0.15), f"right-gap bound of {arm}"),
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
    figure, axes = new_figure(1, len(labels), height=3.8, sharex=True, sharey=True)
    ends = np.array([table[x].min(), table[x].max()])
    for label, ax in zip(labels, np.atleast_1d(axes), strict=True):
        rows = table[table["policy"] == label]
        style = policy_style(label)
        for is_end, marker, colour, name in (
            (False, "o", style["color"], "needs a helper"),
            (True, "x", "0.45", "needs none"),
        ):
            part = rows[rows["end"] == is_end]
            ax.plot(part[x], part["samples"], marker, color=colour, ms=3, alpha=0.5, label=name)
        exponent, intercept = fits[label]
        ax.plot(ends, np.exp(intercept) * ends**exponent, color="black", lw=2, label="fit")
        ax.set_title(label, fontsize=11)
        ax.set(xscale="log", yscale="log")
    first = np.atleast_1d(axes)[0]
    first.set_ylabel("samples of the arm")
    handles, names = first.get_legend_handles_labels()
    figure.legend(handles, names, loc="outside upper center", ncols=3, markerscale=2)
    figure.supxlabel(xlabel, fontsize=11)
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
        ax.plot(
            rows["bound"],
            rows["measured"],
            style["marker"],
            color=style["color"],
            ms=4,
            alpha=0.5,
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
    figure.legend(loc="outside upper center", ncols=2, frameon=False)
    return figure


def samples_by_rank_and_rule(table: pd.DataFrame, split_rank: int) -> Figure:
    """Mean samples of each arm by rank, one line a rule, with 95 % bars; logarithmic.

    Parameters
    ----------
    table : DataFrame
        Columns rule, rank, mean, low, high.
    split_rank : int
        Rank of the arm above the largest gap, which is marked.
    """
    figure, ax = new_figure(height=3.6)
    looks = [("o", "-", _COLOURS[1]), ("s", "--", _COLOURS[0]), ("D", ":", _COLOURS[2])]
    for (rule, rows), (marker, dash, colour) in zip(
        table.groupby("rule", sort=False), looks, strict=False
    ):
        spread = [rows["mean"] - rows["low"], rows["high"] - rows["mean"]]
        ax.errorbar(
            rows["rank"],
            rows["mean"],
            yerr=spread,
            marker=marker,
            ls=dash,
            color=colour,
            capsize=2.5,
            ms=5,
            label=rule,
        )
    ax.axvline(split_rank + 0.5, color="0.5", lw=1, ls=":")
    ax.text(split_rank + 0.5, 1.0, " largest gap", transform=ax.get_xaxis_transform(), va="top")
    ax.set(yscale="log", xlabel="rank", ylabel="samples of the arm", xticks=table["rank"].unique())
    figure.legend(loc="outside upper center", ncols=3, frameon=False)
    return figure


def stopping_times(table: pd.DataFrame, *, xlabel: str) -> Figure:
    """Mean samples until a policy stops against hardness, a panel a stopping rule.

    Parameters
    ----------
    table : DataFrame
        Columns rule, policy, hardness, mean, low, high.
    xlabel : str
        Name of the horizontal axis.
    """
    rules = list(dict.fromkeys(table["rule"]))
    figure, axes = new_figure(1, len(rules), height=4.2, sharex=True, sharey=True)
    ticks = np.arange(np.ceil(table["hardness"].min() / 5e3), table["hardness"].max() / 5e3) * 5e3
    for rule, ax in zip(rules, np.atleast_1d(axes), strict=True):
        for label, rows in table[table["rule"] == rule].groupby("policy", sort=False):
            spread = [rows["mean"] - rows["low"], rows["high"] - rows["mean"]]
            style = policy_style(str(label))
            ax.errorbar(rows["hardness"], rows["mean"], yerr=spread, label=label, **style)
        steady = np.array([table["hardness"].min(), table["hardness"].max()])
        start = table["mean"].min() / 1.5
        ax.plot(steady, start * steady / steady[0], color="0.5", lw=1.2, ls=(0, (1, 1)))
        ax.set_title(rule, fontsize=11)
        ax.set(xscale="log", yscale="log")
        ax.set_xticks(ticks, [f"{tick / 1000:g}" for tick in ticks])
        ax.minorticks_off()
        ax.text(steady[1], start * steady[1] / steady[0] / 1.1, "slope 1", ha="right", va="top")
        ax.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    first = np.atleast_1d(axes)[0]
    first.set_ylabel("samples until it stops")
    handles, names = first.get_legend_handles_labels()
    figure.legend(handles, names, loc="outside upper center", ncols=2)
    figure.supxlabel(f"{xlabel}, thousands", fontsize=11)
    return figure


def stopping_ratios(table: pd.DataFrame, *, xlabel: str) -> Figure:
    """How many times longer round robin takes under the same rule, a panel a rule, with bars.

    Parameters
    ----------
    table : DataFrame
        Columns rule, policy, x, ratio, low, high.
    xlabel : str
        Name of the horizontal axis.
    """
    rules = list(dict.fromkeys(table["rule"]))
    figure, axes = new_figure(1, len(rules), height=3.6, sharex=True, sharey=True)
    for rule, ax in zip(rules, np.atleast_1d(axes), strict=True):
        for label, rows in table[table["rule"] == rule].groupby("policy", sort=False):
            spread = [rows["ratio"] - rows["low"], rows["high"] - rows["ratio"]]
            style = policy_style(str(label))
            ax.errorbar(rows["x"], rows["ratio"], yerr=spread, label=label, capsize=2.5, **style)
        ax.axhspan(6, 8, color="0.88", lw=0, zorder=0)
        ax.axhline(1, color="black", lw=0.8)
        ax.set_title(rule, fontsize=11)
        ax.set(ylim=(0, None))
        ax.locator_params(axis="x", nbins=4)
    first = np.atleast_1d(axes)[0]
    first.set_ylabel("times fewer samples")
    handles, names = first.get_legend_handles_labels()
    figure.legend(handles, names, loc="outside upper center", ncols=3)
    figure.supxlabel(xlabel, fontsize=11)
    return figure


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
    figure, axes = new_figure(len(panels), height=2.6 * len(panels) + 0.5, sharex=True)
    styles = [(_COLOURS[0], "-"), (_COLOURS[2], "--"), (_COLOURS[3], "-.")]
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
        _bracket(ax, (low[i_l], high[i_r]), n_arms + 0.2, f"right-gap bound {decimal(bound, 2)}")
        ends = (low[i_l], low[i_l] + delta_max)
        arrow = {"arrowstyle": "|-|, widthA=0.3, widthB=0.3", "shrinkA": 0, "shrinkB": 0, "lw": 3}
        ax.annotate("", (ends[0], -1), (ends[1], -1), arrowprops=arrow)
        ax.text(ends[1], -1, f"  largest gap {decimal(delta_max, 2)}", va="center", fontsize=9)
        ax.set(ylim=(-1.7, n_arms + 2.0), ylabel="arm")
        ax.set_yticks(range(n_arms))
        ax.text(0.995, 0.03, title, transform=ax.transAxes, ha="right", fontsize=10)
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
    ax.text(time[-1], delta_max, " largest gap", va="center", fontsize=9)
    ax.plot(time, top, color="0.8", lw=8, label="highest bound of all arms")
    colours = (_COLOURS[0], _COLOURS[2], _COLOURS[3])
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
    ax.hist(values, bins=edges, color=_COLOURS[0], alpha=0.75)
    dashes = ["--", "-.", ":"]
    for (name, place), dash, colour in zip(
        marks.items(), dashes, (_COLOURS[3], "black", _COLOURS[2]), strict=False
    ):
        ax.axvline(place, ls=dash, color=colour, lw=2, label=name)
    ax.set(xscale="log", xlabel=xlabel, ylabel="runs")
    ticks = [t for t in (0.2, 0.5, 1, 2, 5, 10, 20, 50) if edges[0] < t < edges[-1]]
    ax.set_xticks(ticks, [f"{t:g}" for t in ticks])
    ax.minorticks_off()
    figure.legend(loc="outside upper center", ncols=1, frameon=False)
    return figure
