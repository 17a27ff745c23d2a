"""Figures of the chapter on sensitivity."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from maxgap.figures import error_curves, new_figure

from .shared import MANY_STYLES

__all__ = [
    "samples_by_scale",
    "scenario_curves",
    "shares",
]


def scenario_curves(errors: pd.DataFrame, *, level: float | None = None) -> Figure:
    """Share of wrong answers against samples, one line a scenario, with its interval as a band.

    Parameters
    ----------
    errors : DataFrame
        Columns scenario, samples, error, low, high; at most six scenarios.
    level : float, optional
        An error level to mark with a horizontal line.
    """
    _, ax = new_figure(height=4.2)
    named = errors.assign(policy=errors["scenario"])
    scenarios = named["policy"].unique()
    styles = dict(zip(scenarios, MANY_STYLES[: len(scenarios)], strict=True))
    return error_curves(named, level=level, styles=styles, alpha=0.12, ax=ax)


def shares(table: pd.DataFrame, *, xlabel: str, mark: float | None = None) -> Figure:
    """Shares with their intervals: a panel a column, a line a row, a colour and marker a series.

    Parameters
    ----------
    table : DataFrame
        Columns panel, row, series, share, low, high.
    xlabel : str
        What is shared.
    mark : float, optional
        A share to mark with a vertical line.
    """
    panels, rows = table["panel"].unique(), table["row"].unique()
    series = table["series"].unique()
    figure, axes = new_figure(1, len(panels), height=1.6 + 0.5 * len(rows), sharey=True)
    for ax, panel in zip(np.ravel(axes), panels, strict=True):
        for k, name in enumerate(series):
            chosen = table[(table["panel"] == panel) & (table["series"] == name)]
            y = [
                list(rows).index(row) + 0.24 * (k - (len(series) - 1) / 2) for row in chosen["row"]
            ]
            reach = np.abs(chosen[["low", "high"]].to_numpy().T - chosen["share"].to_numpy())
            style = MANY_STYLES[k] | {"linestyle": "none"}
            ax.errorbar(chosen["share"], y, xerr=reach, label=name, ms=5, lw=1.2, **style)
        if mark is not None:
            ax.axvline(mark, color="black", lw=0.8, ls=":")
        ax.set_title(panel, fontsize=11)
        ax.set(xlim=(-0.05, 1.05), xticks=[0, 0.5, 1], yticks=range(len(rows)), yticklabels=rows)
        ax.grid(visible=False, axis="y")
    np.ravel(axes)[0].invert_yaxis()
    figure.supxlabel(xlabel, fontsize=11)
    handles, labels = np.ravel(axes)[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(series), frameon=False)
    return figure


def samples_by_scale(table: pd.DataFrame) -> Figure:
    """Samples until a run stops against the scale told, one line a noise, both logarithmic.

    Parameters
    ----------
    table : DataFrame
        Columns noise, told (a multiple of the true scale), median, low, high.
    """
    figure, ax = new_figure()
    for (noise, rows), style in zip(
        table.groupby("noise", sort=False), MANY_STYLES[: table["noise"].nunique()], strict=True
    ):
        ordered = rows.sort_values("told")
        reach = np.abs(ordered[["low", "high"]].to_numpy().T - ordered["median"].to_numpy())
        ax.errorbar(
            ordered["told"], ordered["median"], yerr=reach, label=noise, capsize=3, ms=6, **style
        )
    ticks = sorted(table["told"].unique())
    ax.set(xscale="log", yscale="log", xlabel="scale told, as a multiple of the true one")
    ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    ax.minorticks_off()
    ax.set_ylabel("samples until certified")
    ax.legend()
    return figure
