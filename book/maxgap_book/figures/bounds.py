"""Intervals to drag, and what their ends say about the gap of each arm."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from html import escape
from pathlib import Path

from maxgap import gap_upper_bounds
from maxgap_book.figures.shared import Player
from maxgap_book.printing import decimal

__all__ = ["bounds_figure"]

_WIDTH, _LEFT, _RIGHT, _TOP, _ROW = 480, 58, 74, 46, 46


def bounds_figure(
    lower: Sequence[float],
    upper: Sequence[float],
    arm: int,
    *,
    axis: tuple[float, float],
    steps: int,
    alt: str,
) -> Player:
    """Intervals that can be dragged by their ends or as a whole, and the gap bound of every arm.

    HTML; where scripts are off it is a picture of the intervals given.

    Parameters
    ----------
    lower, upper : sequence of float, length K
        Ends of the intervals to begin with, multiples of a step.
    arm : int
        The arm whose widest gap is shown at first.
    axis : (float, float)
        Where intervals may lie.
    steps : int
        Steps in a unit: ends move by whole ones, so that they can meet exactly.
    alt : str
        What the picture shows, for those who do not see it. Number and caption are the cell's.

    Raises
    ------
    ValueError
        If an end is no multiple of a step, or not on the axis.

    Examples
    --------
    >>> bounds_figure([0, 2], [1, 3], 0, axis=(0, 4), steps=10, alt="Two bars.")
    Gap bounds: 3.00, 3.00.
    """
    for end in (*lower, *upper):
        if not axis[0] <= end <= axis[1] or round(end * steps) / steps != end:
            raise ValueError(f"ends must be multiples of 1 / {steps} in {axis}, got {end!r}")
    either = gap_upper_bounds(lower, upper).either
    texts = [decimal(bound, 2) for bound in either]
    data = {
        "lower": list(lower),
        "upper": list(upper),
        "arm": arm,
        "axis": list(axis),
        "steps": steps,
    }
    scale = (_WIDTH - _LEFT - _RIGHT) / (axis[1] - axis[0])
    height = _TOP + _ROW * len(texts)
    lines = [
        f'<svg viewBox="0 0 {_WIDTH} {height + 44}" role="img" aria-label="{escape(alt)}">',
        f'<text x="{_WIDTH - 2}" y="{_TOP - 8}" text-anchor="end">gap bound</text>',
        f'<text x="{_WIDTH // 2}" y="{height + 38}" text-anchor="middle">mean</text>',
    ]
    for tick in range(math.ceil(axis[0]), math.floor(axis[1]) + 1):
        x = decimal(_LEFT + scale * (tick - axis[0]), 1)
        lines += [
            f'<line class="grid" x1="{x}" x2="{x}" y1="{_TOP}" y2="{height}"/>',
            f'<text x="{x}" y="{height + 17}" text-anchor="middle">{tick}</text>',
        ]
    for k, (low, high, text) in enumerate(zip(lower, upper, texts, strict=True)):
        y, kind = _TOP + _ROW * k + _ROW // 2, "chosen" if k == arm else "other"
        left, wide = decimal(_LEFT + scale * (low - axis[0]), 1), decimal(scale * (high - low), 1)
        lines += [
            f'<text x="2" y="{y + 5}" class="{kind}">arm {k}</text>',
            f'<rect class="bar {kind}" x="{left}" width="{wide}" y="{y - 6}" height="12"/>',
            f'<text x="{_WIDTH - 2}" y="{y + 5}" text-anchor="end">{text}</text>',
        ]
    page = (Path(__file__).parent / "bounds.html").read_text(encoding="utf-8")
    for key, value in {
        "PICTURE": "\n".join([*lines, "</svg>"]),
        "DATA": json.dumps(data, separators=(",", ":")),
    }.items():
        page = page.replace(key, value)
    return Player(page, f"Gap bounds: {', '.join(texts)}.")
