"""Figures of the chapter on two large gaps; one of them is to be stepped through."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from maxgap.figures import PALETTE, new_figure
from maxgap_book.figures.shared import (
    Player,
    Words,
    error_curves_with_bars,
    figure_of,
    speedup_curves,
)
from maxgap_book.printing import decimal, rounded

__all__ = [
    "Player",
    "Words",
    "error_curves_with_bars",
    "profile_player",
    "sample_profile",
    "speedup_curves",
    "two_gaps",
]


def two_gaps(
    means: ArrayLike, pairs: Mapping[str, tuple[int, int]], sigma: float, *, ax: Axes
) -> Figure:
    """Means against rank with named gaps between neighbours; bars of one standard deviation.

    Parameters
    ----------
    means : array_like, shape (K,)
        True means, largest first.
    pairs : mapping of str to (int, int)
        Name of a gap -> the two ranks next to it, the two pairs in the colours of
        :func:`sample_profile`.
    sigma : float
        Standard deviation of a reward, in the means' units.
    ax : Axes
        Where to draw.
    """
    values = np.asarray(means, dtype=float)
    ranks = np.arange(1, values.size + 1)
    ax.errorbar(ranks, values, yerr=sigma, fmt="none", ecolor="0.6", lw=1.0)
    ax.plot(ranks, values, "o", color="0.35", ms=4)
    for (name, pair), colour in zip(pairs.items(), (1, 0), strict=True):
        at = np.array(pair) - 1
        ax.axhspan(*values[at[::-1]], color=PALETTE[colour], alpha=0.2, lw=0)
        ax.plot(pair, values[at], "o", color=PALETTE[colour], ms=6)
        box = {"fc": "white", "ec": "none", "alpha": 0.8, "pad": 1.5}
        ax.text(ranks[0], values[at].mean(), name, ha="left", va="center", bbox=box)
    ax.set(xlabel="rank", ylabel="mean", xticks=[1, 6, 12, 18, 24])
    return figure_of(ax)


def sample_profile(
    counts: ArrayLike,
    standard_errors: ArrayLike,
    samples: Sequence[int],
    pairs: Mapping[str, tuple[int, int]],
    *,
    other: tuple[str, ArrayLike] | None = None,
) -> Figure:
    """Mean samples of every arm by rank at several times, a panel each, axes shared.

    Heights go with the square root, so that few samples are seen beside many.

    Parameters
    ----------
    counts : array_like, shape (T, K)
        Mean samples: time, arm by rank (largest mean first).
    standard_errors : array_like, shape (T, K)
        Their standard errors, drawn as bars of plus or minus one.
    samples : sequence of int, length T
        Samples taken in all.
    pairs : mapping of str to (int, int)
        Name -> two ranks to pick out, two pairs.
    other : (str, array_like of shape (T, K)), optional
        Name and mean samples of another setting, drawn as a line.
    """
    means, errors = np.asarray(counts, dtype=float), np.asarray(standard_errors, dtype=float)
    columns = 3
    rows = -(-len(samples) // columns)
    figure, axes = new_figure(rows, columns, height=2.5 * rows, sharex=True, sharey=True)
    ranks = np.arange(1, means.shape[1] + 1)
    for t, ax in enumerate(np.ravel(axes)[: len(samples)]):
        ax.bar(ranks, means[t], width=0.85, color="0.7", label="other arms")
        for (name, pair), colour, hatch in zip(pairs.items(), (1, 0), ("//", ""), strict=True):
            at = np.array(pair) - 1
            ax.bar(pair, means[t][at], width=0.85, color=PALETTE[colour], hatch=hatch, label=name)
        ax.errorbar(ranks, means[t], yerr=errors[t], fmt="none", ecolor="black", lw=0.9)
        if other is not None:
            line = np.asarray(other[1], dtype=float)[t]
            ax.plot(ranks, line, color=PALETTE[3], ls="--", lw=1.4, label=other[0])
        ax.text(0.03, 0.97, f"t = {samples[t]}", transform=ax.transAxes, va="top")
        ax.set_xticks([1, 6, 12, 18, 24])
        ax.set_yscale("function", functions=(_root, np.square))
        ax.set(ylim=(0, _ceiling(means.max())), yticks=_root_ticks(_ceiling(means.max())))
    figure.supxlabel("rank", fontsize=11)
    figure.supylabel("samples of the arm", fontsize=11)
    handles, labels = np.ravel(axes)[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=2, frameon=False)
    return figure


def profile_player(
    counts: ArrayLike,
    samples: Sequence[int],
    pairs: Mapping[str, tuple[int, int]],
    words: Words,
) -> Player:
    """Mean samples of every arm by rank, one time after another: steps, slider, play.

    Heights go with the square root, as in :func:`sample_profile`.

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


def _root(value: ArrayLike) -> np.ndarray:
    """Square root; 0 below 0, where matplotlib asks too."""
    return np.sqrt(np.maximum(value, 0.0))


def _root_ticks(top: float) -> list[float]:
    """Ticks of an axis of square roots from 0 to ``top``."""
    return [0.0, *(tick * top for tick in (0.05, 0.25, 0.5, 1.0))]


def _ceiling(value: float) -> float:
    """The smallest of 1, 2, 4, 5, 6, 8, 10 times a power of ten that is not below ``value``."""
    power = 10.0 ** np.floor(np.log10(value))
    return float(next(n * power for n in (1, 2, 4, 5, 6, 8, 10) if n * power >= value))
