"""Figures of the chapter on two large gaps; one of them is to be stepped through."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from maxgap.figures import PALETTE, new_figure, policy_style
from maxgap.simulate import Study
from maxgap_book.figures.shared import Player, darker
from maxgap_book.figures.streetview import error_bands, level_axis
from maxgap_book.printing import decimal, rounded

__all__ = [
    "Words",
    "error_bands",
    "profile_player",
    "speedup",
    "two_gaps",
    "two_gaps_player",
]


def two_gaps(means: ArrayLike, pairs: Mapping[str, tuple[int, int]]) -> Figure:
    """Means against rank with named gaps between neighbours.

    Parameters
    ----------
    means : array_like, shape (K,)
        True means, largest first.
    pairs : mapping of str to (int, int)
        Name of a gap -> the two ranks next to it, two pairs.
    """
    figure, ax = new_figure(height=3.4)
    values = np.asarray(means, dtype=float)
    ranks = np.arange(1, values.size + 1)
    ax.plot(ranks, values, "o", color="0.45", ms=5)
    ends = [1, values.size]
    for (name, pair), colour in zip(pairs.items(), (1, 0), strict=True):
        at = np.array(pair) - 1
        ax.axhspan(*values[at[::-1]], color=PALETTE[colour], alpha=0.2, lw=0)
        ax.plot(pair, values[at], "o", color=PALETTE[colour], ms=7)
        ax.text(ranks[0], values[at].mean(), name, ha="left", va="center")
        ends.append(pair[0])
    ax.set(xlabel="rank", ylabel="mean")
    ax.set_xticks(ends, [f"({end})" for end in ends])
    ax.grid(visible=False)
    return figure


def speedup(
    settings: Mapping[str, tuple[pd.DataFrame, tuple[float, float]]],
    *,
    claimed: float,
    limit: float,
    policy: str = "MaxGapUCB",
) -> Figure:
    """How many times fewer samples one policy needs, against the error level, by setting.

    Parameters
    ----------
    settings : mapping of str to (DataFrame, (float, float))
        Name -> policy, level, ratio, low, high; and where the name stands: level, ratio.
    claimed, limit : float
        Two ratios that are named, the second as a dashed line.
    policy : str
        Which one.
    """
    figure, ax = new_figure(height=4.2)
    colour = policy_style(policy)["color"]
    shown = []
    for (name, (table, place)), line in zip(settings.items(), ("-", "--"), strict=False):
        rows = table[table["policy"] == policy]
        ax.fill_between(rows["level"], rows["low"], rows["high"], color=colour, alpha=0.15, lw=0)
        ax.plot(rows["level"], rows["ratio"], color=colour, ls=line, lw=2)
        ax.text(*place, name, color=darker(colour))
        shown += rows["level"].tolist()
    ax.axhline(claimed, color="0.55", lw=3)
    ax.axhline(limit, color="black", lw=1, ls="--")
    for value, text in ((claimed, "the paper's"), (limit, "limit:")):
        ax.text(0.02, value + 0.12, f"{text} {value:g}", transform=ax.get_yaxis_transform())
    level_axis(ax, shown)
    ax.set_ylim(0, claimed + 1)
    return figure


class Words(NamedTuple):
    """What is said of a player: its name in the page, its caption, and a text in its place."""

    name: str
    caption: str
    alt: str


def profile_player(
    counts: ArrayLike,
    samples: Sequence[int],
    pairs: Mapping[str, tuple[int, int]],
    words: Words,
) -> Player:
    """Mean samples of every arm by rank, one time after another: steps, slider, play.

    Heights go with the square root, so that few samples are seen beside many.

    HTML with its own script and style, which asks for nothing from outside. It can be used by
    keyboard; it opens on the first time, where scripts are off it shows the last; where the reader
    prefers less motion it has no play button.

    Parameters
    ----------
    counts : array_like, shape (T, K)
        Mean samples: time, arm by rank (largest mean first). Rounded to one decimal.
    samples : sequence of int, length T
        Samples taken in all.
    pairs : mapping of str to (int, int)
        Name -> two neighbouring ranks to pick out, two pairs.
    words : Words
        Its identifier in the page, the caption below, and what a reader who cannot see it is told.

    Raises
    ------
    ValueError
        If `counts` is not one row per entry of `samples`.

    Examples
    --------
    >>> player = profile_player([[1, 1, 1, 1], [1, 2, 2, 5]], [4, 10], {"a": (1, 2), "b": (3, 4)},
    ...     Words(name="profile", caption="Samples.", alt="Bars."))
    >>> player
    t = 10. a: 1.0 and 2.0 samples. b: 2.0 and 5.0 samples. An even share: 2.5.
    """
    means = rounded(np.asarray(counts, dtype=float), 1)
    if means.ndim != 2 or len(means) != len(samples):
        raise ValueError(f"counts must have {len(samples)} rows, got shape {means.shape}")
    n_arms = means.shape[1]
    says = []
    for row, total in zip(means, samples, strict=True):
        parts = [f"{key}: {row[i - 1]} and {row[j - 1]} samples." for key, (i, j) in pairs.items()]
        says.append(f"t = {total}. {' '.join(parts)} An even share: {decimal(total / n_arms, 1)}.")
    top = _ceiling(means.max())
    data = {
        "samples": [int(total) for total in samples],
        "counts": means.tolist(),
        "says": says,
        "top": top,
        "height": _PLAYER_HEIGHT,
        "base": _PLAYER_BASE,
    }
    page = (Path(__file__).parent / "profile.html").read_text(encoding="utf-8")
    for key, value in {
        "NAME": escape(words.name),
        "PICTURE": _player_picture(means[-1], top, samples[-1], pairs, words.alt),
        "LAST": str(len(samples) - 1),
        "SAYS": escape(says[-1]),
        "CAPTION": escape(words.caption),
        # A "<" could end the script element that holds the data.
        "DATA": json.dumps(data, separators=(",", ":")).replace("<", "\\u003c"),
    }.items():
        page = page.replace(key, value)
    return Player(page, says[-1])


def two_gaps_player(study: Study, pairs: Mapping[str, tuple[int, int]], *, until: int) -> Player:
    """MaxGapUCB on the 24 arms, time by time, as :func:`profile_player`.

    Parameters
    ----------
    study : Study
        Has a policy MaxGapUCB.
    pairs : mapping of str to (int, int)
        Name -> two neighbouring ranks to pick out, two pairs.
    until : int
        The last number of samples shown.
    """
    times = np.flatnonzero(study.checkpoints <= until)
    return profile_player(
        study.counts[study.labels.index("MaxGapUCB"), times],
        study.checkpoints[times].tolist(),
        pairs,
        Words(
            name="two-gaps-profile",
            caption=f"Samples of each arm by MaxGapUCB, mean of {study.wrong.shape[1]:,} runs, as "
            "run, every 20 samples. Heights go with the square root. Dashed: an even share.",
            alt="Bars of the mean samples of each of 24 arms, by rank, growing with the samples "
            "taken in all. From about t = 200 only ranks 9, 10, 18 and 19 grow, the last two "
            "faster.",
        ),
    )


_PLAYER_WIDTH, _PLAYER_LEFT, _PLAYER_BASE, _PLAYER_HEIGHT = 400, 40, 232, 196


def _player_picture(
    row: np.ndarray, top: float, total: int, pairs: Mapping[str, tuple[int, int]], alt: str
) -> str:
    """The bars of one time as SVG."""
    step = (_PLAYER_WIDTH - _PLAYER_LEFT - 4) / row.size
    lines = [
        f'<svg viewBox="0 0 {_PLAYER_WIDTH} 272" role="img" aria-label="{escape(alt)}">',
        '<text x="2" y="12">samples of the arm</text>',
        f'<text x="{_PLAYER_WIDTH / 2:g}" y="268" text-anchor="middle">rank</text>',
    ]
    for tick in _root_ticks(top):
        y = _PLAYER_BASE - _PLAYER_HEIGHT * math.sqrt(tick / top)
        lines += [
            f'<line class="grid" x1="{_PLAYER_LEFT}" x2="{_PLAYER_WIDTH}" y1="{y:g}" y2="{y:g}"/>',
            f'<text x="{_PLAYER_LEFT - 4}" y="{y + 4:g}" text-anchor="end">{tick:g}</text>',
        ]
    kinds: dict[int, str] = {}
    for kind, pair in zip(("first", "second"), pairs.values(), strict=True):
        kinds.update(dict.fromkeys(pair, kind))
    for rank, value in enumerate(row, start=1):
        x, height = _PLAYER_LEFT + step * (rank - 0.92), _PLAYER_HEIGHT * math.sqrt(value / top)
        kind = f"bar {kinds[rank]}" if rank in kinds else "bar"
        lines.append(
            f'<rect class="{kind}" x="{decimal(x, 2)}" width="{decimal(0.84 * step, 2)}" '
            f'y="{decimal(_PLAYER_BASE - height, 2)}" height="{decimal(height, 2)}"/>'
        )
    labels = [(1.0, 248, "1"), (float(row.size), 248, str(row.size))]
    for key, (i, j) in pairs.items():
        labels += [((i + j) / 2, 30, key), ((i + j) / 2, 248, f"{i}, {j}")]
    for place, y, text in labels:
        x = _PLAYER_LEFT + step * (place - 0.5)
        at = f'x="{decimal(x, 2)}" y="{y}"'
        lines.append(f'<text {at} text-anchor="middle">{escape(text)}</text>')
    even = decimal(_PLAYER_BASE - _PLAYER_HEIGHT * math.sqrt(total / row.size / top), 2)
    lines.append(
        f'<line class="even" x1="{_PLAYER_LEFT}" x2="{_PLAYER_WIDTH}" y1="{even}" y2="{even}"/>'
    )
    return "\n".join([*lines, "</svg>"])


def _root_ticks(top: float) -> list[float]:
    """Ticks of an axis of square roots from 0 to ``top``."""
    return [0.0, *(tick * top for tick in (0.05, 0.25, 0.5, 1.0))]


def _ceiling(value: float) -> float:
    """The smallest of 1, 2, 4, 5, 6, 8, 10 times a power of ten that is not below ``value``."""
    power = 10.0 ** np.floor(np.log10(value))
    return float(next(n * power for n in (1, 2, 4, 5, 6, 8, 10) if n * power >= value))
