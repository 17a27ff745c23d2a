"""Figure of the study that tries to make certificates wrong."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from maxgap.figures import PALETTE, new_figure
from maxgap_book.figures.shared import figure_of

__all__ = ["wrong_shares"]


def wrong_shares(worst: pd.DataFrame, *, delta: float, reach: float) -> Figure:
    """Share of wrong certified answers, a row a case, beside delta.

    Parameters
    ----------
    worst : DataFrame
        Columns case, share, low, high: of every case the rule of sampling that is wrong most.
    delta : float
        The share that is allowed.
    reach : float
        The share that a single contrast may use.

    Examples
    --------
    >>> row = {"case": "a", "share": 0.02, "low": 0.01, "high": 0.03}
    >>> figure = wrong_shares(pd.DataFrame([row]), delta=0.1, reach=0.05)
    >>> [tick.get_text() for tick in figure.axes[0].get_yticklabels()]
    ['a']
    """
    places = range(len(worst))
    _, ax = new_figure(height=1.2 + 0.31 * len(worst))
    ax.hlines(places, 100 * worst["low"], 100 * worst["high"], color=PALETTE[0], lw=2)
    ax.plot(100 * worst["share"], places, "o", color=PALETTE[0], ms=7)
    ax.axvline(100 * delta, color="black", lw=1.5)
    ax.axvline(100 * reach, color="black", ls=":", lw=1.5)
    bottom = len(worst) - 0.7
    ax.text(99 * delta, bottom, r"$\delta$: allowed", ha="right", va="bottom")
    ax.text(101 * reach, bottom, "one contrast\nmay use", va="bottom")
    ax.set(
        xlabel="wrong certified answers in %",
        xlim=(-2 * delta, 104 * delta),
        ylim=(len(worst) - 0.4, -0.6),
    )
    ax.set_yticks(places, worst["case"])
    ax.tick_params(axis="y", length=0)
    ax.grid(visible=False, axis="y")
    return figure_of(ax)
