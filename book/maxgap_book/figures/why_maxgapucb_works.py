"""Figures of the chapter on why MaxGapUCB works."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from numpy.typing import ArrayLike

from maxgap.figures import PALETTE, STYLE, bracket, new_figure
from maxgap_book.printing import decimal

from .shared import darker

__all__ = [
    "bounds_over_time",
    "helper_in_slot",
    "level_sets",
    "sample_ratios",
]

SIZE = STYLE["font.size"]
"""Of all letters; they are smaller outside of the style's context."""

Panel = tuple[str, ArrayLike, ArrayLike, Sequence[frozenset[int]], tuple[int, int]]


def level_sets(panels: Sequence[Panel], arm: int, delta_max: float) -> Figure:
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
    figure, axes = new_figure(len(panels), height=3.3 * len(panels) + 0.3, sharex=True)
    colours = (PALETTE[0], PALETTE[2], PALETTE[3])
    for ax, (title, lower, upper, levels, (i_l, i_r)) in zip(np.ravel(axes), panels, strict=True):
        low, high = np.asarray(lower, dtype=float), np.asarray(upper, dtype=float)
        n_arms = low.size
        for j in range(n_arms):
            level = next((k for k, arms in enumerate(levels) if j in arms), None)
            colour = (0.6, 0.6, 0.6) if level is None else colours[level]
            width = 7 if j == arm else 3.5
            ax.plot([low[j], high[j]], [j, j], color=colour, lw=width, solid_capstyle="butt")
            named = "  no level" if level is None else f"  level {level}"
            named += ", the arm" if j == arm else ""
            ax.text(high[j], j, named, va="center", color=darker(colour), fontsize=SIZE)
        ax.axvline(high[arm], color="0.6", lw=0.8, ls=":")
        bound = high[i_r] - low[i_l]
        bracket(ax, (low[i_l], high[i_r]), n_arms + 0.1, "")
        named = f"right-gap bound {decimal(bound, 2)}"
        middle = (low[i_l] + high[i_r]) / 2
        ax.text(middle, n_arms + 0.4, named, ha="center", va="bottom", fontsize=SIZE)
        ends = (low[i_l], low[i_l] + delta_max)
        arrow = {"arrowstyle": "|-|, widthA=0.3, widthB=0.3", "shrinkA": 0, "shrinkB": 0, "lw": 3}
        ax.annotate("", (ends[0], -1), (ends[1], -1), arrowprops=arrow)
        named = f"  largest gap {decimal(delta_max, 2)}"
        ax.text(ends[1], -1, named, va="center", fontsize=SIZE)
        ax.set(ylim=(-1.6, n_arms + 1.6), ylabel="arm")
        ax.set_yticks(range(n_arms))
        ax.set_title(title, loc="left", fontsize=SIZE)
        ax.grid(visible=False)
    left, right = ax.get_xlim()
    ax.set_xlim(left, right + 0.2 * (right - left))
    ax.set_xlabel("mean")
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
    figure, ax = new_figure(height=4.0)
    time, top = np.asarray(samples, dtype=float), np.asarray(highest, dtype=float)
    ceiling = 3 * delta_max
    ax.axhline(delta_max, color="black", lw=1, ls="--")
    first = time[top < ceiling][0]
    ax.text(first, delta_max, " largest gap", va="bottom", fontsize=SIZE)
    ax.plot(time, top, color="0.8", lw=9)
    where = int(np.flatnonzero(top < 0.85 * ceiling)[0])
    name = "  highest bound of all arms"
    ax.text(time[where], top[where], name, va="bottom", color="0.35", fontsize=SIZE)
    colours = (PALETTE[0], PALETTE[2], PALETTE[3])
    # Arms share the bound: the first of them is drawn last, on top of those that stay longer.
    for depth, ((arm, bound), colour) in enumerate(zip(right.items(), colours, strict=False)):
        y, now = np.asarray(bound, dtype=float), np.asarray(sampled[arm], dtype=bool)
        last = int(np.flatnonzero(now)[-1])
        order = 6 - depth
        ax.plot(time[last:], y[last:], color=colour, lw=1.6, ls=":", zorder=order)
        ax.plot(time, np.where(now, y, np.nan), color=colour, lw=3, zorder=order)
        ax.plot(time[last], y[last], "X", color=colour, ms=11, zorder=7, label=f"arm {arm}")
        # Beside the drop, on the side where the next arm's is not.
        side = "left" if depth % 2 else "right"
        named = {"color": darker(colour), "fontweight": "bold", "fontsize": SIZE}
        ax.text(time[last], y[last] - 0.33, f" arm {arm} ", ha=side, va="center", **named)
    ax.set(xscale="log", xlabel="samples of all arms", ylabel="right-gap bound")
    ax.set(xlim=(first, time[-1]), ylim=(0, ceiling))
    ax.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    return figure


def helper_in_slot() -> Figure:
    """Why the helper of an arm is sampled with it: its interval cannot lie inside the slot."""
    figure, ax = new_figure(height=3.7)
    opens, closes, mean = 0.8, 4.0, 2.3
    rows = [
        ("few samples: holds $x$", (0.5, 3.1), PALETTE[2], "-"),
        ("few samples: holds $y$", (1.6, 4.4), PALETTE[2], "-"),
        ("many: inside, which cannot be", (1.8, 2.8), PALETTE[3], (0, (2, 1))),
    ]
    ax.fill_between((opens, closes), -0.9, 4.2, color="0.92", lw=0, zorder=0)
    for x, name in ((opens, "$x$"), (closes, "$y$")):
        ax.plot((x, x), (-0.9, 4.2), color="black", lw=1.2, ls="--")
        ax.text(x, -0.55, f" {name}", va="center", fontsize=SIZE + 2)
    ax.plot((0.4, 1.2), (0, 0), color=PALETTE[0], lw=7, solid_capstyle="butt")
    ax.text(1.2, 0, "  arm $i$, many samples", va="center", color=PALETTE[0], fontsize=SIZE)
    for k, (text, ends, colour, dash) in enumerate(rows):
        y = 3.4 - k
        ax.plot(ends, (y, y), color=colour, lw=5, ls=dash, solid_capstyle="butt")
        ax.plot(mean, y, "|", color="black", ms=14, mew=2)
        ax.text(4.6, y, text, va="center", color=darker(colour), fontsize=SIZE)
    ax.text(0.35, 2.4, "helper", ha="right", va="center", fontsize=SIZE)
    bracket(ax, (opens, closes), 4.2, "")
    text = "highest bound: that of $i$"
    ax.text((opens + closes) / 2, 4.4, text, ha="center", va="bottom", fontsize=SIZE)
    ax.set(xlim=(-0.5, 7.9), ylim=(-0.9, 5.0))
    ax.axis("off")
    return figure


def sample_ratios(ratios: ArrayLike, marks: Mapping[str, float], *, xlabel: str) -> Figure:
    """Histogram of positive numbers on a logarithmic axis, with named vertical lines.

    Parameters
    ----------
    ratios : array_like, shape (N,)
        The numbers.
    marks : mapping of str to float
        Name of a line -> its place; each is higher than those before it.
    xlabel : str
        What the numbers are.
    """
    figure, ax = new_figure(height=3.8)
    values = np.asarray(ratios, dtype=float)
    edges = np.geomspace(min(values.min(), *marks.values()) / 1.2, max(marks.values()) * 1.3, 40)
    counts, _, _ = ax.hist(values, bins=edges, color=PALETTE[2], alpha=0.75)
    top = float(np.max(counts))
    for k, (name, place) in enumerate(marks.items()):
        colour = (PALETTE[3], "black", PALETTE[0])[k % 3]
        right_half = place > np.sqrt(edges[0] * edges[-1])
        y = (1.12 + 0.16 * k) * top
        ax.plot([place, place], [0, y + 0.06 * top], ls="--", color=colour, lw=2)
        text, align = (f"{name} ", "right") if right_half else (f" {name}", "left")
        ax.text(place, y, text, ha=align, va="center", color=colour, fontsize=SIZE)
    ax.set(xscale="log", xlabel=xlabel, ylabel="runs", ylim=(0, (1.08 + 0.16 * len(marks)) * top))
    ax.yaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 5, 10]))
    ticks = [t for t in (0.2, 0.5, 1, 2, 5, 10, 20, 50) if edges[0] < t < edges[-1]]
    ax.set_xticks(ticks, [f"{t:g}" for t in ticks])
    ax.minorticks_off()
    return figure
