"""Figures of the chapter on comparisons."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from maxgap.figures import PALETTE, new_figure
from maxgap_book.figures.shared import MANY_STYLES, darker

__all__ = ["duels_needed", "two_ways"]


def two_ways(scores: Mapping[Any, float], ways: Mapping[str, pd.DataFrame]) -> Figure:
    """The same duels read in two ways: estimates with intervals beside the true scores.

    Parameters
    ----------
    scores : mapping of hashable to float
        The true score of every arm, the rows from the top.
    ways : mapping of str to DataFrame
        The wrong way and the right way: name -> ``TableSplit.arms``.

    Examples
    --------
    >>> arms = pd.DataFrame({"arm": [*"ab"], "mean": [0.8, 0.2], "lower": 0.1, "upper": 0.9})
    >>> figure = two_ways({"a": 0.7, "b": 0.3}, {"wrong": arms, "right": arms})
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['wrong', 'right', 'true score']
    """
    figure, ax = new_figure(height=4.6)
    rows = {arm: -float(place) for place, arm in enumerate(scores)}
    first, *_, last = rows
    for arm, score in scores.items():
        ax.plot([score] * 2, rows[arm] + np.array([-0.38, 0.38]), color="0.6", lw=5, zorder=1)
    looks = (
        ({"color": PALETTE[3], "marker": "v"}, 0.17, last, "upper", 8, "left"),
        ({"color": PALETTE[0], "marker": "o"}, -0.17, first, "lower", -8, "right"),
    )
    for (name, arms), (style, shift, named, end, away, align) in zip(
        ways.items(), looks, strict=True
    ):
        at = arms["arm"].map(rows) + shift
        ax.hlines(at, arms["lower"], arms["upper"], color=style["color"], lw=1.6)
        ax.plot(arms["mean"], at, ls="none", ms=7, label=name, zorder=3, **style)
        # Above the first row and beside the last there is room for a name.
        place = arms.set_index("arm").loc[named, end], rows[named] + shift
        words: dict[str, Any] = {"ha": align, "va": "center", "fontsize": 12}
        words |= {"xytext": (away, 0), "textcoords": "offset points"}
        ax.annotate(name, place, color=darker(style["color"]), **words)
    under: dict[str, Any] = {"xytext": (0, -4), "textcoords": "offset points", "fontsize": 12}
    ax.annotate(
        "true score",
        (scores[last], rows[last] - 0.38),
        ha="center",
        va="top",
        color="0.35",
        **under,
    )
    ax.set(xlabel="share of duels won", xlim=(0, 1), ylim=(rows[last] - 1.1, 0.6))
    ax.set_yticks(list(rows.values()), [str(arm) for arm in rows])
    ax.grid(axis="y", visible=False)
    return figure


def duels_needed(medians: Mapping[str, Mapping[str, tuple[float, float, float]]]) -> Figure:
    """Duels until certified, a row for each way and a marker for each instance, logarithmic.

    Parameters
    ----------
    medians : mapping of str to mapping of str to (float, float, float)
        Way, from the top -> instance -> median, and the ends of its interval.

    Examples
    --------
    >>> figure = duels_needed({"pairs": {"rings": (20.0, 15.0, 25.0)}})
    >>> [tick.get_text() for tick in figure.axes[0].get_yticklabels()]
    ['pairs']
    """
    figure, ax = new_figure(height=1.4 + 0.5 * len(medians))
    instances = list(next(iter(medians.values())))
    shifts = np.linspace(-0.22, 0.22, len(instances)) if len(instances) > 1 else np.zeros(1)
    for instance, shift, style in zip(instances, shifts, MANY_STYLES, strict=False):
        value, low, high = np.transpose([row[instance] for row in medians.values()])
        at = np.arange(len(medians)) + shift
        ax.hlines(at, low, high, color=style["color"], lw=1.4)
        ax.plot(value, at, label=instance, **{**style, "linestyle": "none", "markersize": 7})
    ax.set(xscale="log", xlabel="duels", ylim=(len(medians) - 0.5, -0.5))
    ticks = [10_000, 30_000, 100_000, 300_000]
    ax.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
    ax.minorticks_off()
    ax.set_yticks(range(len(medians)), list(medians))
    ax.grid(axis="y", visible=False)
    figure.legend(loc="outside upper center", ncols=3, frameon=False, fontsize=12)
    return figure
