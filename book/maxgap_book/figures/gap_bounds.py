"""Figures of the chapter on gap bounds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike, NDArray

from maxgap import gap_upper_bounds
from maxgap.figures import PALETTE, STYLE, bracket, new_figure
from maxgap_book.printing import decimal

__all__ = [
    "last_slot",
    "right_gap_by_position",
    "right_gap_placements",
    "slots",
]

SIZE = STYLE["font.size"]
"""Of all letters; they are smaller outside of the style's context."""


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
    height = (0.32 * low.size + 0.75) * len(placements) + 0.4
    figure, axes = new_figure(len(placements), height=height, sharex=True)
    for ax, (x, placed) in zip(np.ravel(axes), placements, strict=False):
        means = np.asarray(placed, dtype=float)
        ax.axvline(x, color=PALETTE[0], lw=0.8, ls=":")
        for j in range(low.size):
            stays_right = low[j] > x
            colour = PALETTE[0] if j == arm else PALETTE[3] if stays_right else "0.45"
            style = "--" if stays_right else "-"
            ax.plot([low[j], high[j]], [j, j], color=colour, ls=style, lw=2.5)
            marker = "X" if j == arm else "s" if stays_right else "o"
            ax.plot(means[j], j, marker, color=colour, ms=9)
        closing = means[means > x].min()
        bracket(ax, (x, closing), low.size - 0.3, "")
        text = f"  right gap {decimal(closing - x)}"
        ax.text(closing, low.size - 0.3, text, va="center", fontsize=SIZE)
        ax.set(ylim=(-0.6, low.size + 0.3))
        _name_rows(ax, range(low.size))
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
    figure, ax = new_figure(height=3.0)
    # The curve jumps up at every lower end: no line across.
    jumps = np.flatnonzero(np.diff(y) > 0) + 1
    for piece in np.split(np.arange(x.size), jumps):
        ax.plot(x[piece], y[piece], color=PALETTE[0], lw=2.5)
    ax.vlines(at, 0, best, color="0.6", lw=0.8, ls=":")
    ax.plot(at, best, "o", color=PALETTE[0], ms=7)
    widest = int(np.argmax(best))
    ax.plot(at[widest], best[widest], "D", color=PALETTE[3], ms=10, label="largest")
    name = f"  the largest: {decimal(best[widest])}"
    ax.text(at[widest], best[widest], name, va="bottom", color=PALETTE[4], fontsize=SIZE)
    ax.set(xlabel="mean of the arm", ylabel="largest right gap", ylim=(0, 1.2 * best[widest]))
    return figure


def slots(lower: ArrayLike, upper: ArrayLike) -> Figure:
    """Intervals by lower end, their slots, and who touches the widest one.

    Parameters
    ----------
    lower, upper : array_like, shape (K,)
        Ends of the intervals.
    """
    order, low, high, end = _slots(lower, upper)
    either = gap_upper_bounds(low, high).either
    widest = int(np.argmax(end - low))
    ends = low[widest], end[widest]
    figure, ax = new_figure(height=0.78 * low.size + 1.2)
    ax.axvspan(*ends, color=PALETTE[3], alpha=0.12, lw=0, zorder=0)
    for x in ends:
        ax.axvline(x, color=PALETTE[3], lw=1.2, ls="--", zorder=1)
    for k in range(low.size):
        touches = any(low[k] <= x <= high[k] for x in ends)
        colour = PALETTE[0] if touches else "0.4"
        ax.plot([low[k], high[k]], [k, k], color=colour, lw=6, solid_capstyle="butt")
        text = f"bound {decimal(either[k], 2)}"
        ax.text(
            1.0,
            k,
            text,
            va="center",
            ha="right",
            color=colour,
            fontsize=SIZE,
            transform=ax.get_yaxis_transform(),
            fontweight="bold" if touches else None,
        )
        wide = k == widest
        line = {"color": PALETTE[4] if wide else "0.35", "lw": 3 if wide else 1.2}
        ax.plot([low[k], end[k]], [k - 0.4] * 2, marker="|", ms=9, **line)
        text = f"{decimal(end[k] - low[k], 2)} "
        ax.text(low[k], k - 0.4, text, va="center", ha="right", color="0.25", fontsize=SIZE)
    name = "  the widest slot"
    ax.text(
        sum(ends) / 2, widest - 0.47, name, ha="center", va="top", color=PALETTE[4], fontsize=SIZE
    )
    ax.set(xlabel="mean", ylim=(-0.9, low.size - 0.4))
    left, right = low.min(), max(high.max(), end.max())
    ax.set_xlim(left - 0.12 * (right - left), right + 0.32 * (right - left))
    _name_rows(ax, order)
    return figure


def last_slot(lower: ArrayLike, upper: ArrayLike) -> Figure:
    """Intervals by lower end, and the last slot, whose width depends on the arm that asks.

    Parameters
    ----------
    lower, upper : array_like, shape (K,)
        Ends of the intervals; one arm alone has the largest upper end.
    """
    order, low, high, _ = _slots(lower, upper)
    holder = int(np.argmax(high))
    second = np.delete(high, holder).max()
    figure, ax = new_figure(height=0.4 * low.size + 2.1)
    for k in range(low.size):
        colour = PALETTE[3] if k == holder else PALETTE[0]
        ax.plot([low[k], high[k]], [k, k], color=colour, lw=6, solid_capstyle="butt")
    ax.axvline(low[-1], color="0.6", lw=0.8, ls=":")
    others = ", ".join(str(order[k]) for k in range(low.size) if k != holder)
    for row, end, text, colour in (
        (0, high[holder], f"for arms {others}: {decimal(high[holder] - low[-1])}", PALETTE[0]),
        (1, second, f"for arm {order[holder]}: {decimal(second - low[-1])}", PALETTE[4]),
    ):
        y = -0.9 - 0.8 * row
        ax.plot([low[-1], end], [y, y], marker="|", ms=9, lw=2, color=colour)
        ax.text(low[-1], y, f"{text}  ", va="center", ha="right", color=colour, fontsize=SIZE)
    ax.set(xlabel="mean", ylim=(-2.2, low.size - 0.4))
    _name_rows(ax, order)
    return figure


def _slots(lower: ArrayLike, upper: ArrayLike) -> tuple[NDArray[np.intp], ...]:
    """Arms by lower end; their lower ends, upper ends, and the ends of their slots."""
    order = np.argsort(np.asarray(lower, dtype=float), kind="stable")
    low, high = np.asarray(lower, dtype=float)[order], np.asarray(upper, dtype=float)[order]
    end = np.append(np.minimum.accumulate(high[::-1])[::-1][1:], high[:-1].max())
    return order, low, high, np.maximum(end, low)


def _name_rows(ax: Axes, arms: Sequence[int] | NDArray[np.intp]) -> None:
    """A row for each arm, with its name and no line."""
    ax.set_yticks(range(len(arms)), [f"arm {arm}" for arm in arms], fontsize=SIZE)
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    ax.grid(visible=False)
