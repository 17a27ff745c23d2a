"""Figures of the chapter on sensitivity."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from maxgap.figures import error_curves, new_figure
from maxgap_book.figures.shared import MANY_STYLES

__all__ = [
    "samples_by_scale",
    "scenario_curves",
    "shares",
]


def scenario_curves(
    errors: pd.DataFrame,
    panels: Mapping[str, Mapping[str, str]],
    *,
    level: float | None = None,
) -> Figure:
    """Share of wrong answers against samples, one line a scenario, with its interval as a band.

    Parameters
    ----------
    errors : DataFrame
        Columns scenario, samples, error, low, high; at most six scenarios.
    panels : mapping of str to mapping
        Title of a panel -> scenario -> its name there.
    level : float, optional
        An error level to mark with a horizontal line.
    """
    figure, axes = new_figure(1, len(panels), height=3.8, sharex=True, sharey=True)
    style_of = dict(zip(errors["scenario"].unique(), MANY_STYLES, strict=False))
    for ax, (title, names) in zip(np.atleast_1d(axes), panels.items(), strict=True):
        shown = errors[errors["scenario"].isin(list(names))]
        styles = {name: style_of[scenario] for scenario, name in names.items()}
        named = shown.assign(policy=shown["scenario"].map(names))
        error_curves(named, level=level, styles=styles, alpha=0.12, ax=ax)
        ax.set_title(title)
        ax.xaxis.set_major_formatter(lambda samples, _: f"{samples / 1000:g}")
        ax.set(xlabel="", ylabel="")
        ax.label_outer()
    figure.axes[0].set_ylabel("share of wrong answers")
    figure.supxlabel("thousand samples")
    return figure


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
        ax.set_title(panel)
        ax.set(xlim=(-0.05, 1.05), xticks=[0, 0.5, 1], yticks=range(len(rows)), yticklabels=rows)
        ax.grid(visible=False, axis="y")
    np.ravel(axes)[0].invert_yaxis()
    figure.supxlabel(xlabel)
    handles, labels = np.ravel(axes)[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(series), frameon=False)
    return figure


def samples_by_scale(table: pd.DataFrame) -> Figure:
    """Samples until a run stops against the scale told, one line a noise, both logarithmic.

    Each line is thinner than the one before, with a larger open marker, so that it hides none.

    Parameters
    ----------
    table : DataFrame
        Columns noise, told (a multiple of the true scale), median, low, high.
    """
    figure, ax = new_figure()
    for place, (noise, rows) in enumerate(table.groupby("noise", sort=False)):
        ordered = rows.sort_values("told")
        reach = np.abs(ordered[["low", "high"]].to_numpy().T - ordered["median"].to_numpy())
        style = MANY_STYLES[place] | {"lw": 3 - place, "ms": 5 + 2 * place}
        if place:
            style["mfc"] = "none"
        ax.errorbar(ordered["told"], ordered["median"], yerr=reach, capsize=3, **style)
        last = ordered.iloc[-1]
        ax.annotate(
            str(noise),
            (last["told"], last["median"]),
            (6, -16),
            textcoords="offset points",
            color=style["color"],
        )
    ticks = sorted(table["told"].unique())
    ax.set(xscale="log", yscale="log", xlabel="scale told, as a multiple of the true one")
    ax.set_xlim(ticks[0] / 1.2, ticks[-1] * 1.5)
    ax.set_xticks(ticks, [_FRACTIONS.get(tick, f"{tick:g}") for tick in ticks])
    millions = {10**k: f"{10**k:,}" for k in (3, 4, 5)} | {10**6: "1 million", 10**7: "10 million"}
    ax.set_yticks(list(millions), list(millions.values()))
    ax.minorticks_off()
    ax.set_ylabel("samples until certified")
    return figure


_FRACTIONS = {1 / 8: "1/8", 1 / 4: "1/4", 1 / 2: "1/2"}
