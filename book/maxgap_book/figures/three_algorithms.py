"""Figures of the chapter on the three algorithms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from numpy.typing import ArrayLike, NDArray

from maxgap.figures import PALETTE, STYLE, new_figure, policy_style
from maxgap_book.printing import significant

__all__ = [
    "ink_of",
    "interval_board",
    "sampled_arms",
]

SIZE = STYLE["font.size"]
"""Of all letters; they are smaller outside of the style's context."""


def sampled_arms(
    rounds: Mapping[str, Sequence[Sequence[int]]], gaps: Mapping[int, str], *, bins: int = 260
) -> Figure:
    """Which arms each policy samples when: a block a policy, a row an arm, ink where it is sampled.

    Parameters
    ----------
    rounds : mapping of str to sequence of sequence of int
        Policy -> the arms of every round of its run.
    gaps : mapping of int to str
        Arm -> what stands at the line between it and the arm below, at most two.
    bins : int
        Number of columns; the ink of each is as dark as the share of its samples' rounds that
        sampled the arm.
    """
    n_arms = 1 + max(max(arms) for run in rounds.values() for arms in run)
    longest = max(sum(map(len, run)) for run in rounds.values())
    edges = np.linspace(0, longest, bins + 1)
    figure, ax = new_figure(height=0.215 * (n_arms + 2) * len(rounds) + 0.7)
    ticks = []
    for block, (label, run) in enumerate(rounds.items()):
        base = -block * (n_arms + 2)
        colour = policy_style(label)["color"]
        ink = ink_of(run, n_arms, edges)
        rgba = np.empty((*ink.shape, 4))
        rgba[:] = (*to_rgb(colour), 1.0)
        rgba[..., 3] = ink
        box = (0, longest, base - n_arms, base)
        ax.imshow(rgba[::-1], extent=box, aspect="auto", interpolation="nearest", zorder=2)
        end = sum(map(len, run))
        ax.plot([end, end], [base - n_arms, base], color="black", lw=1.2)
        ax.text(end + 0.01 * longest, base - 0.6, "stops", va="center", fontsize=SIZE)
        bold = {"color": colour, "fontweight": "bold", "fontsize": SIZE}
        ax.text(0, base + 0.15, label, va="bottom", **bold)
        for arm, text in gaps.items():
            at = base - n_arms + arm
            ax.plot([0, 1.03 * longest], [at, at], color="black", lw=0.9, zorder=3)
            ax.text(1.04 * longest, at, text, va="center", fontsize=SIZE)
        ticks += [(base - n_arms + arm + 0.5, str(arm)) for arm in range(n_arms)]
    ax.set(xlabel="samples", ylabel="arm", xlim=(0, 1.2 * longest))
    ax.set_ylim(-len(rounds) * (n_arms + 2) + 1.8, 1.6)
    ax.set_yticks([at for at, _ in ticks], [text for _, text in ticks])
    ax.tick_params(axis="y", length=0)
    ax.set_xticks(range(0, longest, 1000))
    ax.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    ax.spines["left"].set_visible(False)
    ax.grid(visible=False)
    return figure


def ink_of(run: Sequence[Sequence[int]], n_arms: int, edges: NDArray) -> NDArray:
    """Share of every stretch of samples that lies in rounds in which an arm was sampled.

    Examples
    --------
    >>> ink_of([[0, 1], [1], [1]], 2, np.array([0, 2, 4, 6])).tolist()
    [[1.0, 0.0, 0.0], [1.0, 1.0, 0.0]]
    """
    sizes = np.array([len(arms) for arms in run])
    ends = np.concatenate([[0], np.cumsum(sizes)])
    ink = np.zeros((n_arms, edges.size - 1))
    for arm in range(n_arms):
        taken = sizes * np.array([arm in arms for arms in run])
        covered = np.interp(edges, ends, np.concatenate([[0], np.cumsum(taken)]))
        ink[arm] = np.diff(covered) / np.diff(edges)
    return ink


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
        middle = (most[split] + least[split]) / 2
        ax.text(middle, -0.75, text, ha="center", va="bottom", fontsize=SIZE)
    left, right = low.min() - 0.1, high.max() + 0.12 * (high.max() - low.min())
    ax.text(right, -0.75, "samples", ha="right", va="bottom", fontsize=SIZE)
    for arm, count in enumerate(np.asarray(counts)):
        ax.text(right, arm, str(count), ha="right", va="center", fontsize=SIZE)
    ax.set(xlabel="mean", ylabel="arm", xlim=(left, right))
    ax.set(ylim=(low.size - 0.3, -0.8), yticks=range(low.size))
    ax.grid(visible=False, axis="y")
    return figure
