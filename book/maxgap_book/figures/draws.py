"""A figure to draw runs in again and again, and see how much a ratio of samples owes to chance."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from maxgap_book.printing import decimal

from .two_large_gaps import Player, Words

__all__ = ["Words", "draws_figure"]

#: The upper panel, error against samples; the lower one, a dot for each draw.
_WIDTH, _LEFT, _RIGHT = 420, 44, 404
_TOP, _BASE, _MOST_ERROR, _MOST_SAMPLES = 24, 150, 0.4, 4000
_DOTS_BASE, _DOTS_HEIGHT, _DOT, _MOST_RATIO, _BIN = 300, 96, 7.0, 12, 0.25


def draws_figure(
    answers: Mapping[str, tuple[Sequence[int], ArrayLike]],
    ratios: Sequence[float],
    *,
    level: float,
    runs: int,
    claimed: float,
    words: Words,
) -> Player:
    """Error curves of two policies by a few runs, drawn anew at each press, and each draw's ratio.

    The runs are stored in the figure, one bit an answer; where scripts are off it shows the first
    runs, and the given ratios as dots.

    Parameters
    ----------
    answers : mapping of str to (sequence of int, array_like of bool of shape (R, C))
        Two policies, the slower first: the C numbers of samples at which its R runs were looked at,
        and whether their answers were wrong.
    ratios : sequence of float
        Ratios to show where scripts are off.
    level : float
        Share of wrong answers at which samples are compared.
    runs : int
        Runs that are drawn, none twice.
    claimed : float
        Ratio that is marked, and counted from.
    words : Words
        As in :func:`~maxgap_book.figures.two_large_gaps.profile_player`.

    Raises
    ------
    ValueError
        If there are not two policies, or fewer than `runs` runs.

    Examples
    --------
    >>> answers = {"slow": ([10, 20], [[1, 1], [1, 0]]), "fast": ([10, 20], [[1, 0], [0, 0]])}
    >>> draws_figure(answers, [2.0, 1.0], level=0.5, runs=2, claimed=8,
    ...     words=Words(name="draws", caption="Draws.", alt="Curves."))
    2 draws: 1.0 to 2.0 times fewer samples; 8 or more in 0 of 2.
    """
    samples = {label: at for label, (at, _) in answers.items()}
    tables = {label: np.asarray(wrong, dtype=bool) for label, (_, wrong) in answers.items()}
    if len(tables) != 2:
        raise ValueError(f"answers must hold two policies, got {list(tables)}")
    fewest = min(len(table) for table in tables.values())
    if fewest < runs:
        raise ValueError(f"answers must hold at least {runs} runs, got {fewest}")
    low, high = decimal(min(ratios), 1), decimal(max(ratios), 1)
    reached = sum(ratio >= claimed for ratio in ratios)
    says = (
        f"{len(ratios)} draws: {low} to {high} times fewer samples; "
        f"{claimed:g} or more in {reached} of {len(ratios)}."
    )
    x_scale, y_scale = (_RIGHT - _LEFT) / _MOST_SAMPLES, (_BASE - _TOP) / _MOST_ERROR
    data: dict[str, Any] = {
        "policies": [
            {"samples": [int(n) for n in samples[label]], "bits": _packed(table)}
            for label, table in tables.items()
        ],
        "level": level,
        "runs": runs,
        "claimed": claimed,
        "x": {"left": _LEFT, "right": _RIGHT, "scale": x_scale},
        "y": {"top": _TOP, "base": _BASE, "scale": y_scale},
        "ratio": {
            "left": _LEFT,
            "scale": (_RIGHT - _LEFT) / _MOST_RATIO,
            "base": _DOTS_BASE,
            "height": _DOTS_HEIGHT,
            "dot": _DOT,
            "bin": _BIN,
            "bins": int(_MOST_RATIO / _BIN),
        },
    }
    shares = {label: table[:runs].mean(axis=0) for label, table in tables.items()}
    page = (Path(__file__).parent / "draws.html").read_text(encoding="utf-8")
    for key, value in {
        "NAME": escape(words.name),
        "PICTURE": _picture(shares, samples, ratios, level, claimed, words.alt),
        "RUNS": str(runs),
        "SAYS": escape(says),
        "CAPTION": escape(words.caption),
        # A "<" could end the script element that holds the data.
        "DATA": json.dumps(data, separators=(",", ":")).replace("<", "\\u003c"),
    }.items():
        page = page.replace(key, value)
    return Player(page, says)


def _packed(table: np.ndarray) -> str:
    """Rows of bits, each beginning at a whole byte, in base 64."""
    return base64.b64encode(np.packbits(table, axis=1).tobytes()).decode("ascii")


def _picture(
    shares: Mapping[str, np.ndarray],
    samples: Mapping[str, Sequence[int]],
    ratios: Sequence[float],
    level: float,
    claimed: float,
    alt: str,
) -> str:
    """Both panels as SVG."""
    x_scale, y_scale = (_RIGHT - _LEFT) / _MOST_SAMPLES, (_BASE - _TOP) / _MOST_ERROR
    lines = [
        f'<svg viewBox="0 0 {_WIDTH} 342" role="img" aria-label="{escape(alt)}">',
        '<text x="2" y="14">share of wrong answers</text>',
        f'<text x="{_RIGHT}" y="14" text-anchor="end">'
        f"{' (dashed) and '.join(map(escape, shares))}</text>",
        f'<text x="{_WIDTH / 2:g}" y="{_BASE + 34}" text-anchor="middle">samples</text>',
        f'<text x="{_WIDTH / 2:g}" y="{_DOTS_BASE + 36}" text-anchor="middle">'
        "times fewer samples</text>",
    ]
    for error in (0, 0.2, 0.4):
        y = _BASE - y_scale * error
        lines += [
            f'<line class="grid" x1="{_LEFT}" x2="{_RIGHT}" y1="{y:g}" y2="{y:g}"/>',
            f'<text x="{_LEFT - 6}" y="{y + 4:g}" text-anchor="end">{error:g}</text>',
        ]
    for n in range(0, _MOST_SAMPLES + 1, 1000):
        x = _LEFT + x_scale * n
        anchor = "end" if n == _MOST_SAMPLES else "middle"
        lines.append(f'<text x="{x:g}" y="{_BASE + 17}" text-anchor="{anchor}">{n:,}</text>')
    height = decimal(_BASE - y_scale * level, 2)
    lines += [
        f'<line class="level" x1="{_LEFT}" x2="{_RIGHT}" y1="{height}" y2="{height}"/>',
        f'<text x="{_RIGHT}" y="{float(height) - 5:g}" text-anchor="end">{100 * level:g}%</text>',
    ]
    for kind, (label, row) in zip(("base", "other"), shares.items(), strict=True):
        points = [
            f"{decimal(_LEFT + x_scale * n, 1)} {decimal(_BASE - y_scale * share, 1)}"
            for n, share in zip(samples[label], row, strict=True)
            if n <= _MOST_SAMPLES and share <= _MOST_ERROR
        ]
        lines.append(f'<path class="curve {kind}" d="M{"L".join(points)}"/>')
        lines.append(f'<circle class="until {kind}" cx="-20" cy="{height}" r="5"/>')
    scale = (_RIGHT - _LEFT) / _MOST_RATIO
    lines.append(
        f'<line class="grid" x1="{_LEFT}" x2="{_RIGHT}" y1="{_DOTS_BASE}" y2="{_DOTS_BASE}"/>'
    )
    for tick in range(0, _MOST_RATIO + 1, 2):
        x = _LEFT + scale * tick
        lines.append(f'<text x="{x:g}" y="{_DOTS_BASE + 17}" text-anchor="middle">{tick}</text>')
    x = _LEFT + scale * claimed
    lines += [
        f'<line class="level" x1="{x:g}" x2="{x:g}" y1="{_DOTS_BASE}" y2="{_DOTS_BASE - 100}"/>',
        f'<text x="{x + 5:g}" y="{_DOTS_BASE - 88}">claimed: {claimed:g}</text>',
        '<g class="dots">',
    ]
    stacks: dict[int, int] = {}
    for ratio in ratios:
        place = int(min(ratio / _BIN, _MOST_RATIO / _BIN - 1))  # an infinite one is the last
        stacks[place] = stacks.get(place, 0) + 1
        x, up = _LEFT + (place + 0.5) * _BIN * scale, (stacks[place] - 0.5) * _DOT
        lines.append(f'<circle cx="{decimal(x, 2)}" cy="{decimal(_DOTS_BASE - up, 2)}" r="3.2"/>')
    return "\n".join([*lines, "</g></svg>"])
