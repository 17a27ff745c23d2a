"""Figures of the chapter on the certificate of contrasts."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter

from maxgap.figures import new_figure, policy_style
from maxgap_book.figures.shared import figure_of
from maxgap_book.printing import significant

__all__ = ["random_instances", "samples_needed"]

BOXES, CONTRASTS = "MaxGapTop2UCB", "MaxGapContrasts"


def samples_needed(table: pd.DataFrame) -> Figure:
    """Median samples with their interval, a row an instance and a marker a policy.

    Parameters
    ----------
    table : DataFrame
        Columns instance, policy, median, low, high; two policies an instance.
    """
    instances = list(dict.fromkeys(table["instance"]))
    figure, ax = new_figure(height=1.2 + 0.55 * len(instances))
    for place, instance in enumerate(instances):
        rows = table[table["instance"] == instance].set_index("policy")
        ends = rows.loc[[CONTRASTS, BOXES], "median"].to_numpy()
        ax.plot(ends, [place, place], color="0.75", lw=2, zorder=0)
        times = ends[1] / ends[0]
        ax.text(
            np.sqrt(ends.prod()),
            place - 0.12,
            f"{significant(times)} times",
            ha="center",
            va="bottom",
        )
    for policy in (CONTRASTS, BOXES):
        rows = table[table["policy"] == policy]
        style = policy_style(policy) | {"linestyle": "none", "markersize": 8}
        at = [instances.index(instance) for instance in rows["instance"]]
        ax.plot(rows["median"], at, label=policy, **style)
        ax.hlines(at, rows["low"], rows["high"], color=style["color"], lw=2)
    ax.set(
        xscale="log",
        xlabel="samples until certified, median",
        yticks=range(len(instances)),
        yticklabels=instances,
        ylim=(len(instances) - 0.5, -0.6),
    )
    ax.xaxis.set_major_locator(LogLocator(subs=(1, 3)))
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    figure.legend(loc="outside upper center", ncols=2, frameon=False)
    return figure_of(ax)


def random_instances(table: pd.DataFrame) -> Figure:
    """Samples of both policies on random instances, a point an instance.

    Parameters
    ----------
    table : DataFrame
        A row an instance; columns MaxGapContrasts, MaxGapTop2UCB.
    """
    _, ax = new_figure(height=4.6)
    ends = np.array([table.min().min() / 1.3, table.max().max() * 1.3])
    style = policy_style(CONTRASTS) | {"linestyle": "none"}
    ax.plot(table[BOXES], table[CONTRASTS], **style, alpha=0.7)
    for times, text in ((1, "as many"), (1 / 2, "half"), (1 / 10, "a tenth")):
        ax.plot(ends, ends * times, color="0.5", lw=1, ls="-" if times == 1 else ":")
        ax.text(ends[1], ends[1] * times, f" {text}", va="center", color="0.3")
    ax.set(
        xscale="log",
        yscale="log",
        xlabel="samples of MaxGapTop2UCB",
        ylabel="samples of MaxGapContrasts",
        xlim=ends,
        ylim=(table[CONTRASTS].min() / 1.3, 1.3 * ends[1]),
    )
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    return figure_of(ax)
