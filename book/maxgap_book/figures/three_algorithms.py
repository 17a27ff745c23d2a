"""Figures of the chapter on the three algorithms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter, NullLocator
from numpy.typing import ArrayLike, NDArray

from maxgap.figures import PALETTE, new_figure, policy_style
from maxgap_book.printing import significant

__all__ = [
    "interval_board",
    "policy_runs",
    "wrong_stops",
]


def policy_runs(
    traces: Mapping[str, Mapping[str, NDArray]], *, true_gap: float, ends: Mapping[str, str]
) -> Figure:
    """One run of each policy: the intervals of its arms, and the bounds that close on each other.

    Parameters
    ----------
    traces : mapping of str to mapping
        Policy -> arrays of its run, a row a round: "samples" (R,), "lower", "upper", "estimate",
        "sampled", "bound" (R, K), "certain" (R,).
    true_gap : float
        The largest gap, drawn as a dotted line.
    ends : mapping of str to str
        Policy -> how its run ended, written beside its last round.
    """
    height = 2.7 * len(traces)
    figure, axes = new_figure(len(traces), 2, height=height, sharex=True, squeeze=False)
    for (strip, bounds), (label, trace) in zip(axes, traces.items(), strict=True):
        colour = policy_style(label)["color"]
        samples = trace["samples"]
        for arm in range(trace["lower"].shape[1]):
            low, high = trace["lower"][:, arm], trace["upper"][:, arm]
            strip.fill_between(samples, low, high, color="0.5", alpha=0.15, lw=0)
            strip.plot(samples, trace["estimate"][:, arm], color="0.55", lw=0.8)
            taken = trace["sampled"][:, arm]
            strip.fill_between(samples, low, high, where=taken, color=colour, alpha=0.22, lw=0)
            mean = np.where(taken, trace["estimate"][:, arm], np.nan)
            strip.plot(samples, mean, color=colour, lw=2.2)
        strip.set(ylim=(-0.9, 3.2), ylabel="mean")
        strip.set_title(label, loc="left", color=colour, fontweight="bold")
        strip.set_rasterization_zorder(3)  # thousands of corners
        bounds.plot(samples, trace["bound"], color="0.6", lw=0.8)
        bounds.plot(samples, trace["bound"].max(axis=1), color=PALETTE[0], label="highest bound")
        certain = np.maximum(trace["certain"], 0.0)
        bounds.plot(samples, certain, color=PALETTE[2], ls="--", label="certain gap")
        bounds.axhline(true_gap, color="black", lw=1.2, ls=":", label="largest gap")
        bounds.text(0.9 * samples[-1], -0.29, ends[label], ha="right")
        bounds.set(ylim=(-0.35, 2.6), ylabel="gap")
        for ax in (strip, bounds):
            ax.set_xscale("log")
            ax.axvline(samples[-1], color="black", lw=0.8)
            ax.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    for ax in axes[-1]:
        ax.set_xlabel("samples")
    handles, labels = axes[0, 1].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper right", ncols=3)
    return figure


def interval_board(
    means: ArrayLike,
    estimates: ArrayLike,
    lower: ArrayLike,
    upper: ArrayLike,
    counts: ArrayLike,
    asked: Sequence[int],
) -> Figure:
    """State of a policy: intervals by arm, who is sampled next, and the gap that is certain.

    Parameters
    ----------
    means, estimates, lower, upper, counts : array_like, shape (K,)
        True means, empirical means, ends of the intervals, samples taken.
    asked : sequence of int
        The arms to be sampled next, drawn filled.
    """
    low, high = np.asarray(lower, dtype=float), np.asarray(upper, dtype=float)
    estimates = np.asarray(estimates, dtype=float)
    figure, ax = new_figure(height=0.42 * low.size + 1.1)
    for arm in range(low.size):
        face = (*PALETTE[0], 0.45) if arm in set(asked) else "white"
        edge = PALETTE[0] if arm in set(asked) else "0.4"
        ax.barh(arm, high[arm] - low[arm], left=low[arm], height=0.42, color=face, edgecolor=edge)
    ax.plot(estimates, range(low.size), ls="", marker="|", ms=15, mew=2, color="black")
    below = np.arange(low.size) + 0.36
    ax.plot(means, below, ls="", marker="^", ms=8, color=PALETTE[3], clip_on=False)
    order = np.argsort(-estimates, kind="stable")
    least = np.minimum.accumulate(low[order])[:-1]
    most = np.maximum.accumulate(high[order][::-1])[::-1][1:]
    split = int(np.argmax(least - most))
    if least[split] > most[split]:
        ax.axvspan(most[split], least[split], color=PALETTE[2], alpha=0.25, lw=0, zorder=0)
        text = f"certain: {significant(least[split] - most[split])}"
        ax.text((most[split] + least[split]) / 2, -0.75, text, ha="center", va="bottom")
    left, right = low.min() - 0.1, high.max() + 0.12 * (high.max() - low.min())
    ax.text(right, -0.75, "samples", ha="right", va="bottom")
    for arm, count in enumerate(np.asarray(counts)):
        ax.text(right, arm, str(count), ha="right", va="center")
    ax.set(xlabel="mean", ylabel="arm", xlim=(left, right))
    ax.set(ylim=(low.size - 0.3, -0.8), yticks=range(low.size))
    ax.grid(visible=False, axis="y")
    return figure


def wrong_stops(table: pd.DataFrame, *, level: float) -> Figure:
    """Share of wrong answers among the runs that stopped, one line a rule, intervals as bars.

    A rule that is named after a policy has its colour; the rules of one policy differ in dashes.

    Parameters
    ----------
    table : DataFrame
        Columns rule, ratio (of the largest gap to the second largest), error, low, high; at most
        three rules of a policy. What comes before a comma in a rule's name stands in a line of its
        own.
    level : float
        The error allowed, drawn as a horizontal line.
    """
    figure, ax = new_figure(height=4.2)
    first = table["ratio"].min()
    beside = {"ha": "right", "va": "center", "linespacing": 1.1}
    drawn: list[str] = []
    for label, rows in table.groupby("rule", sort=False):
        style = policy_style(str(label))
        style |= {"markersize": 6, "linestyle": ("-", "--", ":")[drawn.count(str(style["color"]))]}
        drawn.append(str(style["color"]))
        bars = np.clip([rows["error"] - rows["low"], rows["high"] - rows["error"]], 0, None)
        kept = {"capsize": 3, "elinewidth": 1.4, "clip_on": False}
        ax.errorbar(rows["ratio"], rows["error"], yerr=bars, **kept, **style)
        name = str(label).replace(", ", ",\n")
        ax.text(0.965 * first, rows["error"].iloc[0], name, color=style["color"], **beside)
    ax.axhline(level, color="black", lw=0.9)
    ax.text(0.965 * first, level, "allowed", va="bottom", ha="right")
    ax.set(
        xlabel="largest gap, with the second largest at 1",
        ylabel="share of wrong answers",
        ylim=(-0.06, 0.72),
        xscale="log",
        xlim=(0.68 * first, 1.03 * table["ratio"].max()),
    )
    ticks = sorted(table["ratio"].unique())
    ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.xaxis.set_minor_locator(NullLocator())
    return figure
