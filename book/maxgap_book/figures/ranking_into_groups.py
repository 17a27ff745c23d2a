"""Figures of the chapter on ranking into groups."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from maxgap.figures import GROUP_COLOURS, PALETTE, new_figure

__all__ = ["groups_found"]

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
        Columns instance, samples, sampling ("evenly" or "as asked"), way, share, low, high.
    """
    figure, axes = new_figure(
        len(instances), 2, height=0.6 + 1.35 * len(instances), width_ratios=(1, 1.5), sharex="col"
    )
    for (name, (means, group)), (left, right) in zip(instances.items(), axes, strict=True):
        # As in a picture of an answer, whose first group is the highest.
        colours = [PALETTE[GROUP_COLOURS[np.max(group) - k]] for k in np.asarray(group)]
        left.scatter(means, group, c=colours, marker="|", s=120)
        left.set(yticks=[], ylim=(-0.8, np.max(group) + 0.8))
        left.set_title(name, loc="left")
        rows = table[table["instance"] == name]
        for place, way in enumerate(WAY_STYLES):
            colour, marker = WAY_STYLES[way]
            for sampling, shift in (("evenly", -0.17), ("as asked", 0.17)):
                here = rows[(rows["way"] == way) & (rows["sampling"] == sampling)].iloc[0]
                y = place + shift
                right.hlines(y, 100 * here["low"], 100 * here["high"], color=colour, lw=2)
                fill = colour if sampling == "as asked" else "white"
                right.plot(
                    100 * here["share"], y, color=colour, marker=marker, mfc=fill, ms=7, ls="none"
                )
        right.set(yticks=range(len(WAY_STYLES)), yticklabels=list(WAY_STYLES), ylim=(2.5, -0.5))
        right.set_title(f"{rows['samples'].iloc[0]:,} samples", loc="left")
    axes[-1, 0].set_xlabel("true mean")
    axes[-1, 1].set(xlabel="runs that find these groups, %", xlim=(-4, 104))
    labels = {"sampled evenly": "white", "as the partition asks": "0.3"}
    handles = [
        axes[0, 1].plot([], [], color="0.3", marker="o", mfc=fill, ms=7, ls="none", label=label)[0]
        for label, fill in labels.items()
    ]
    figure.legend(handles=handles, loc="outside upper center", ncols=2, frameon=False)
    return figure
