"""Figure of the chapter on ranking under sampling."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from maxgap.figures import new_figure
from maxgap_book.figures.shared import MANY_STYLES, figure_of

__all__ = ["groups"]


def groups(
    means: ArrayLike, sizes: Sequence[int], *, ylabel: str = "mean", ax: Axes | None = None
) -> Figure:
    """Means against rank in named groups: neighbours differ in colour, a line divides them.

    Parameters
    ----------
    means : array_like, shape (K,)
        True means in any order.
    sizes : sequence of int
        Arms in each group, that of the largest means first; they add up to K.
    ylabel : str
        What the means are.
    ax : Axes, optional
        Where to draw; a new figure if there is none.

    Raises
    ------
    ValueError
        If the groups do not hold all arms.

    Examples
    --------
    >>> figure = groups([0.0, 1.0, 1.1], [2, 1])
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['ranks 1 to 2', 'rank 3']
    """
    ordered = np.sort(np.asarray(means, dtype=float))[::-1]
    if sum(sizes) != ordered.size:
        raise ValueError(f"sizes must add up to {ordered.size}, got {list(sizes)}")
    if ax is None:
        _, ax = new_figure(height=4.6)
    start = 0
    for number, size in enumerate(sizes):
        end = start + size
        style: dict[str, Any] = MANY_STYLES[number % 2] | {"linestyle": "none", "markersize": 4}
        ax.plot(np.arange(start + 1, end + 1), ordered[start:end], **style)
        name = f"rank {end}" if size == 1 else f"ranks {start + 1} to {end}"
        # The means fall: there is room right of the first half of them, and left of the second.
        first_half = start + end < ordered.size + size // 3
        x, shift, align = (end, (7, 0), "left") if first_half else (start + 1, (-7, 0), "right")
        y = ordered[start:end].mean()
        if size > ordered.size / 3:
            x = (start + end) // 2
            y, shift, align = ordered[x], (8, 8), "left"
        place: dict[str, Any] = {"xytext": shift, "textcoords": "offset points", "fontsize": 9.5}
        ground = {"facecolor": "white", "edgecolor": "none", "pad": 0.5}
        ax.annotate(name, (x, y), color=style["color"], ha=align, va="center", bbox=ground, **place)
        if end < ordered.size:
            level = ordered[end - 1 : end + 1].mean()
            ax.axhline(level, color="0.5", lw=0.8, ls=":", label="_division")
        start = end
    ax.set(xlabel="rank", ylabel=ylabel, xlim=(0, ordered.size + 1))
    return figure_of(ax)
