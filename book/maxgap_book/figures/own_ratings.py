"""Figures of the chapter on one's own ratings, and of answers from a table in others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.text import Annotation
from matplotlib.ticker import LogLocator, NullFormatter
from numpy.typing import ArrayLike

from maxgap.figures import new_figure, policy_style
from maxgap.ratings import TablePartition, TableSplit
from maxgap_book.figures.shared import darker

__all__ = ["drawn", "where_asked"]


def drawn(answer: TableSplit | TablePartition, xlabel: str) -> Figure:
    """The answer as it draws itself, with marks and letters of the book's sizes.

    Examples
    --------
    >>> import maxgap
    >>> figure = drawn(maxgap.split(arm=[*"aabb"], reward=[0, 1, 8, 9], sigma=1), "stars")
    >>> figure.axes[0].get_xlabel()
    'stars'
    """
    figure = answer.plot()
    (ax,) = figure.axes
    for line in ax.lines:
        line.set_markersize(6)
    for text in ax.texts:
        text.set_fontsize(12)
    rows = len(answer.arms)
    left, right = ax.get_xlim()
    named = [text for text in ax.texts if isinstance(text, Annotation) and text.get_text()]
    if not any(left <= text.xy[0] <= right for text in named):
        # What rivals the gap reaches out of the picture, and is not drawn.
        ax.set_ylim(-0.9, rows - 0.1)
    ax.set_xlabel(xlabel)
    return figure


def where_asked(ratings: Mapping[str, ArrayLike], *, split: float) -> Figure:
    """Ratings of every arm by rank, one line a policy, named in the middle; the split dotted.

    Parameters
    ----------
    ratings : mapping of str to array_like of shape (K,)
        Policy -> mean ratings, those of the largest mean first.
    split : float
        Where the largest gap is, between two ranks.

    Examples
    --------
    >>> figure = where_asked({"MaxGapUCB": [10, 40, 40, 10]}, split=2.5)
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['largest gap', 'MaxGapUCB']
    """
    figure, ax = new_figure()
    rows = {name: np.asarray(row, dtype=float) for name, row in ratings.items()}
    ranks = np.arange(1, max(map(len, rows.values())) + 1)
    lowest = min(float(row.min()) for row in rows.values())
    letters: dict[str, Any] = {"fontsize": 12, "textcoords": "offset points"}
    ax.annotate("largest gap", (split, 0.6 * lowest), xytext=(4, 4), **letters)
    for name, row in rows.items():
        style = policy_style(name)
        ax.plot(ranks, row, markevery=max(ranks.size // 15, 1), **style)
        middle = ranks.size // 2
        place, colour = (middle, row[middle - 1]), darker(style["color"])
        ax.annotate(name, place, xytext=(0, -27), ha="center", color=colour, **letters)
    ax.axvline(split, color="black", lw=0.8, ls=":")
    ax.set_yscale("log")
    ax.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    ax.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    ax.yaxis.set_minor_formatter(NullFormatter())
    ax.set(xlabel="rank", ylabel="ratings", xlim=(0, ranks.size + 1), ylim=(0.6 * lowest, None))
    return figure
