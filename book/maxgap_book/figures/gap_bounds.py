"""Figures of the chapter on gap bounds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import ArrayLike, NDArray

from maxgap.figures import PALETTE, bracket, new_figure
from maxgap_book.printing import decimal

__all__ = [
    "intervals",
    "right_gap_by_position",
    "right_gap_placements",
    "slots",
]


def intervals(lower: ArrayLike, upper: ArrayLike, split_rank: int) -> Figure:
    """Intervals of the arms, smallest lower end at the bottom; the split, and its certain gap.

    Parameters
    ----------
    lower, upper : array_like, shape (K,)
        Ends of the intervals, finite.
    split_rank : int
        How many arms lie above the gap. Those with the largest lower ends are dashed. Where their
        intervals lie above all others the gap between is shaded and named.
    """
    low, high = np.asarray(lower, dtype=float), np.asarray(upper, dtype=float)
    figure, ax = new_figure(height=max(3.2, 0.2 * low.size + 1.2))
    rows = _interval_rows(low)
    top = rows >= low.size - split_rank
    for j in range(low.size):
        colour, dash = (PALETTE[1], "--") if top[j] else (PALETTE[0], "-")
        ax.plot([low[j], high[j]], [rows[j]] * 2, color=colour, ls=dash, lw=4)
        ax.text(high[j], rows[j], f"  arm {j}", va="center", ha="left")
    ends = high[~top].max(), low[top].min()
    if ends[0] < ends[1]:
        ax.axvspan(*ends, color="0.85", lw=0, zorder=0)
        bracket(ax, ends, rows.max() + 0.5, f"at least {decimal(ends[1] - ends[0], 3)}")
    ax.set(xlabel="mean", ylim=(-0.6, rows.max() + 1.3))
    ax.margins(x=0.1)
    ax.set_yticks([])
    ax.spines["left"].set_visible(False)
    ax.grid(visible=False)
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
        ax.axvline(x, color=PALETTE[0], lw=0.8, ls=":")
        for j in range(len(low)):
            stays_right = low[j] > x
            colour = PALETTE[0] if j == arm else PALETTE[3] if stays_right else "0.45"
            style = "--" if stays_right else "-"
            ax.plot([low[j], high[j]], [rows[j]] * 2, color=colour, ls=style, lw=2.5)
            marker = "X" if j == arm else "s" if stays_right else "o"
            ax.plot(means[j], rows[j], marker, color=colour, ms=9)
        closing = means[means > x].min()
        bracket(ax, (x, closing), rows.max() + 0.7, f"right gap {decimal(closing - x, 3)}")
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
        ax.plot(x[piece], y[piece], color=PALETTE[0])
    ax.vlines(at, 0, best, color="0.6", lw=0.8, ls=":")
    ax.plot(at, best, "o", color=PALETTE[0], ms=7)
    widest = int(np.argmax(best))
    ax.plot(at[widest], best[widest], "D", color=PALETTE[3], ms=10, label="the gap bound")
    for place, gap in zip(at, best, strict=True):
        name = "  the gap bound, " if gap == best[widest] else "  "
        ax.text(place, gap, f"{name}{decimal(gap, 3)}", va="bottom")
    ax.set(xlabel="mean of the arm", ylabel="largest right gap", ylim=(0, 1.1 * best[widest]))
    return figure


def slots(lower: ArrayLike, upper: ArrayLike, arm: int) -> Figure:
    """Intervals sorted by lower end, below each its slot; those that an arm touches stand out."""
    order = np.argsort(np.asarray(lower, dtype=float), kind="stable")
    low, high = np.asarray(lower, dtype=float)[order], np.asarray(upper, dtype=float)[order]
    place = int(np.flatnonzero(order == arm)[0])
    end = np.append(np.minimum.accumulate(high[::-1])[::-1][1:], high[:-1].max())
    figure, ax = new_figure(height=0.75 * low.size + 1.2)
    ends = np.array([low, np.maximum(end, low)])
    touched = ((low[place] <= ends) & (ends <= high[place])).any(axis=0)
    widest = int(np.argmax(np.where(touched, ends[1] - ends[0], -np.inf)))
    for k in range(low.size):
        colour = PALETTE[0] if k == place else "0.45"
        ax.plot([low[k], high[k]], [k, k], color=colour, lw=5, solid_capstyle="butt")
        ax.text(high[k], k, f"  arm {order[k]}", va="center", ha="left", color=colour)
        colour = PALETTE[3] if touched[k] else "0.7"
        line, width = ("-" if touched[k] else "--"), (4 if k == widest else 2)
        y = k - 0.42
        ax.plot(ends[:, k], (y, y), color=colour, lw=width, ls=line, marker="|", ms=9)
        text = f"{decimal(ends[1, k] - ends[0, k], 3)} "
        ax.text(ends[0, k], y, text, va="center", ha="right", color="0.25")
    name = f"  the gap bound of arm {arm}"
    ax.text(ends[:, widest].mean(), widest - 0.48, name, ha="center", va="top", color=PALETTE[4])
    ax.axvspan(low[place], high[place], color=PALETTE[0], alpha=0.08, lw=0)
    ax.set(xlabel="mean", ylim=(-0.9, low.size - 0.4))
    ax.margins(x=0.12)
    ax.set_yticks([])
    ax.spines["left"].set_visible(False)
    ax.grid(visible=False)
    return figure


def _interval_rows(lower: NDArray[np.float64]) -> NDArray[np.intp]:
    """Row of every arm, the smallest lower end at the bottom."""
    return np.argsort(np.argsort(lower, kind="stable"), kind="stable")
