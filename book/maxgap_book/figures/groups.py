"""Figures of the chapter on groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from maxgap.figures import GROUP_COLOURS, PALETTE, new_figure
from maxgap_book.figures.shared import MANY_STYLES, figure_of

__all__ = ["divisions", "groups_found"]

#: Colour and marker of each way to make groups; no colour is that of a group.
WAY_STYLES = {
    "largest gaps": (PALETTE[3], "D"),
    "natural breaks": (PALETTE[6], "o"),
    "normal mixture": (PALETTE[6], "^"),
}


def groups_found(
    instances: Mapping[str, tuple[ArrayLike, ArrayLike]], table: pd.DataFrame
) -> Figure:
    """Left the true means, a colour and a height a group; right how often each way finds them.

    Parameters
    ----------
    instances : mapping of str to (array_like, array_like)
        Name -> means, and the group of each that is meant.
    table : DataFrame
        Columns instance, samples, way, share, low, high.
    """
    n = len(instances)
    shape = {"width_ratios": (1, 1.3), "sharex": "col", "squeeze": False}
    figure, axes = new_figure(n, 2, height=0.6 + 1.2 * n, **shape)
    for (name, (means, group)), (left, right) in zip(instances.items(), axes, strict=True):
        # As in a picture of an answer, whose first group is the highest.
        colours = [PALETTE[GROUP_COLOURS[np.max(group) - k]] for k in np.asarray(group)]
        left.scatter(means, group, c=colours, marker="|", s=120)
        left.set(yticks=[], ylim=(-0.8, np.max(group) + 0.8))
        left.set_title(name, loc="left", fontsize=12)
        rows = table[table["instance"] == name].set_index("way")
        for place, (way, (colour, marker)) in enumerate(WAY_STYLES.items()):
            share, low, high = 100 * rows.loc[way, ["share", "low", "high"]].to_numpy(float)
            right.hlines(place, low, high, color=colour, lw=2)
            right.plot(share, place, color=colour, marker=marker, ms=7, ls="none")
        right.set(yticks=range(len(WAY_STYLES)), yticklabels=list(WAY_STYLES), ylim=(2.5, -0.5))
        right.set_title(f"{rows['samples'].iloc[0]:,} samples", loc="left", fontsize=12)
    axes[-1, 0].set_xlabel("true mean")
    axes[-1, 1].set(xlabel="runs that find them, %", xlim=(-4, 104))
    return figure


def divisions(
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
    >>> figure = divisions([0.0, 1.0, 1.1], [2, 1])
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['ranks 1 to 2', 'rank 3']
    """
    ordered = np.sort(np.asarray(means, dtype=float))[::-1]
    if sum(sizes) != ordered.size:
        raise ValueError(f"sizes must add up to {ordered.size}, got {list(sizes)}")
    if ax is None:
        _, ax = new_figure(height=5.2)
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
        place: dict[str, Any] = {"xytext": shift, "textcoords": "offset points", "fontsize": 12}
        ground = {"facecolor": "white", "edgecolor": "none", "pad": 0.5}
        ax.annotate(name, (x, y), color=style["color"], ha=align, va="center", bbox=ground, **place)
        if end < ordered.size:
            level = ordered[end - 1 : end + 1].mean()
            ax.axhline(level, color="0.5", lw=0.8, ls=":", label="_division")
        start = end
    ax.set(xlabel="rank", ylabel=ylabel, xlim=(0, ordered.size + 1))
    return figure_of(ax)
