"""Figures of the chapter on intervals that hold at all times."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter
from numpy.typing import ArrayLike
from scipy.optimize import isotonic_regression

from maxgap.confidence import RADII
from maxgap.figures import PALETTE, STYLE, new_figure
from maxgap_book.figures.shared import darker

__all__ = [
    "misses",
    "widths",
]


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
    at_end: dict[str, tuple[float, Any]] = {}
    for name, rows in shares.groupby("radius", sort=False):
        style = _style(str(name))
        ax.plot(rows["samples"], rows["share"], label=name, **style)
        ax.fill_between(
            rows["samples"], rows["low"], rows["high"], color=style["color"], alpha=0.18, lw=0
        )
        at_end[str(name)] = rows["share"].iloc[-1], style["color"]
    ax.axhline(level, color="black", lw=0.8)
    _name_ends(ax, at_end | {f"{100 * level:g}% asked for": (level, "black")}, apart=0.05)
    ax.set(
        xscale="log",
        xlabel="samples of each arm so far",
        ylabel="runs with a miss",
        xlim=(1, shares["samples"].max()),
        ylim=(-0.03, None),
    )
    ax.xaxis.set_major_formatter("{x:,.0f}")
    ax.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    return figure


def widths(n: ArrayLike, factors: Mapping[str, ArrayLike], *, one_look: float) -> Figure:
    """Radius times the root of n against n, a line a radius.

    Parameters
    ----------
    n : array_like, shape (N,)
        Numbers of samples of the arm, rising.
    factors : mapping of str to array_like, shape (N,)
        Name of a radius -> radius times the root of n.
    one_look : float
        The factor of an interval for one number of samples, drawn across.
    """
    n = np.asarray(n, dtype=float)
    figure, ax = new_figure(height=4.2)
    at_end: dict[str, tuple[float, Any]] = {"one look": (one_look, "black")}
    for name, values in factors.items():
        line = np.asarray(values, dtype=float)
        ax.plot(n, line, label=name, **_style(name))
        at_end[name] = line[-1], _style(name)["color"]
    ax.axhline(one_look, color="black", lw=0.8)
    _name_ends(ax, at_end, apart=0.55)
    ax.set(
        xscale="log",
        xlabel="samples of the arm",
        ylabel=r"radius $\times \sqrt{n}\, /\, \sigma$",
        xlim=(n[0], n[-1]),
        ylim=(0, None),
    )
    return figure


def _name_ends(ax: Axes, at_end: Mapping[str, tuple[float, Any]], *, apart: float) -> None:
    """Write the name of every line at its right end, as near to it as names stand apart."""
    together: list[tuple[list[str], float, Any]] = []
    for name, (height, colour) in sorted(at_end.items(), key=lambda end: end[1][0]):
        if together and height - together[-1][1] < apart / 10:
            together[-1][0].append(name)
        else:
            together.append(([name], height, colour))
    steps = apart * np.arange(len(together))
    # The heights less their steps, made rising: the least squares of all that leave room.
    heights = isotonic_regression([height for _, height, _ in together] - steps).x + steps
    for (names, _, colour), height in zip(together, heights, strict=True):
        ax.annotate(
            ", ".join(sorted(names)),
            (1, height),
            xycoords=("axes fraction", "data"),
            xytext=(5, 0),
            textcoords="offset points",
            va="center",
            color=darker(colour),
            fontsize=STYLE["font.size"],
            annotation_clip=False,
        )


def _style(name: str) -> dict[str, Any]:
    """Colour and dashes of a radius, the same in every figure; dotted where delta is not kept."""
    k = RADII.index(name)
    dashes = {"paper": ":", "authors-lil": (0, (1, 2))}
    solid = ["-", "-", "--", "-", "-.", "-"]
    style = {"color": PALETTE[(6, 3, 2, 0, 4, 1)[k]], "ls": dashes.get(name, solid[k])}
    return style | ({"lw": 2.6} if name in dashes else {})
