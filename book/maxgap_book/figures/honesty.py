"""Figure of the study that tries to make certificates wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from maxgap.figures import PALETTE, POLICY_STYLES, new_figure, policy_style

__all__ = ["wrong_shares"]


def wrong_shares(table: pd.DataFrame, *, reach: float | None = None) -> Figure:
    """Share of wrong certified answers, a row a case and a marker a sampler; a panel a delta.

    Parameters
    ----------
    table : DataFrame
        Columns case, sampler, delta, share, low, high. The interval of a row is drawn for the
        sampler with the largest share.
    reach : float, optional
        A part of delta: a dotted line at the share that a single contrast may use.

    Examples
    --------
    >>> row = {"case": "a", "sampler": "RoundRobin", "share": 0.02, "low": 0.01, "high": 0.03}
    >>> figure = wrong_shares(pd.DataFrame([{**row, "delta": 0.1}, {**row, "delta": 0.3}]))
    >>> [tick.get_text() for tick in figure.axes[0].get_yticklabels()]
    ['a']
    """
    deltas = sorted(table["delta"].unique())
    cases = list(dict.fromkeys(table["case"]))
    figure, first = new_figure(height=1.2 + 0.36 * len(cases), columns=len(deltas))
    axes = np.atleast_1d(first)
    samplers = list(dict.fromkeys(table["sampler"]))
    offsets = np.linspace(-0.28, 0.28, len(samplers)) if len(samplers) > 1 else np.zeros(1)
    for ax, delta in zip(axes, deltas, strict=True):
        rows = table[table["delta"] == delta]
        for sampler, offset in zip(samplers, offsets, strict=True):
            of_sampler = rows[rows["sampler"] == sampler].set_index("case")["share"].reindex(cases)
            style = _style(sampler) | {"linestyle": "none", "markersize": 5}
            ax.plot(100 * of_sampler, np.arange(len(cases)) + offset, label=sampler, **style)
        for place, case in enumerate(cases):
            of_case = rows[rows["case"] == case]
            most = of_case.loc[of_case["share"].idxmax()]
            at = place + offsets[samplers.index(most["sampler"])]
            ax.hlines(at, 100 * most["low"], 100 * most["high"], color="0.35", lw=1.2, zorder=1)
        ax.axvline(100 * delta, color="0.2", ls="--", lw=1.5)
        bottom = len(cases) - 0.7
        ax.text(98 * delta, bottom, r"$\delta$", ha="right", va="bottom")
        if reach is not None:
            ax.axvline(100 * delta * reach, color="0.2", ls=":", lw=1.2)
            ax.text(100 * delta * (reach + 0.02), bottom, rf"${reach:.3g}\,\delta$", va="bottom")
        ax.set(
            title=f"$\\delta = {delta:g}$",
            xlabel="wrong certified answers in %",
            xlim=(-4 * delta, 108 * delta),
            yticks=np.arange(len(cases)),
        )
        ax.set_xticks([0, 50 * delta, 100 * delta])
        ax.set_yticklabels(cases if ax is axes[0] else [])
        ax.invert_yaxis()
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="outside upper center", ncols=min(3, len(labels)), frameon=False
    )
    return figure


def _style(sampler: str) -> dict[str, Any]:
    """Of a policy its own, of the rules that know the true means none that a policy has."""
    if sampler in POLICY_STYLES:
        return policy_style(sampler)
    if sampler == "doubled":
        return {"color": PALETTE[0], "marker": "v"}
    return {"color": PALETTE[4], "marker": "^"}
