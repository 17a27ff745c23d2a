"""The lemmas behind Theorem 2: which proof leans on which, and what the book had to mend."""

from __future__ import annotations

import numpy as np
import pandas as pd

from maxgap_book.figures.shared import Player

__all__ = ["MENDED", "NEEDS", "PLACES", "direct_needs", "lemma_map", "lemma_table"]

#: Statement -> what its proof in the paper cites.
NEEDS: dict[str, tuple[str, ...]] = {
    "Remark 1": (),
    "Lemma 5": (),
    "Lemma 6": ("Lemma 5",),
    "Lemma 7": ("Lemma 6",),
    "Lemma 8": ("Lemma 9", "Corollary 2", "Lemma 10", "Lemma 11", "Lemma 12", "Lemma 13"),
    "Lemma 9": (),
    "Lemma 10": (),
    "Lemma 11": ("Lemma 5", "Lemma 9", "Corollary 2", "Lemma 13"),
    "Lemma 12": (),
    "Lemma 13": ("Lemma 12",),
    "Corollary 1": ("Lemma 9",),
    "Corollary 2": ("Lemma 9",),
    "Theorem 2": ("Theorem 4", "Theorem 5"),
    "Theorem 4": ("Remark 1", "Lemma 6", "Lemma 7"),
    "Theorem 5": ("Remark 1", "Lemma 8"),
}

#: Statement -> what was mended, in three words or more: they are set as text.
MENDED: dict[str, str] = {
    "Lemma 6": "helpers dropped before the arm; nested intervals",
    "Lemma 7": "as Lemma 6; the signs in rho^l",
    "Lemma 8": "a larger alpha; three steps of the proof",
    "Lemma 11": "a larger alpha",
    "Lemma 12": "ends that are equal",
    "Corollary 2": "a third claim, which the proofs use",
    "Theorem 2": "no ties with (m) and (m+1)",
    "Theorem 4": "as Lemmas 6 and 7; a factor 3",
    "Theorem 5": "a larger alpha",
}

#: Statement -> its column, which is a layer, and its row in the map; and where the book has it.
PLACES: dict[str, tuple[int, int, str]] = {
    "Lemma 5": (0, 0, "hardness-proved.html"),
    "Lemma 6": (1, 0, "hardness-proved.html#lem-hardness-dropped"),
    "Lemma 7": (2, 0, "hardness-proved.html#lem-hardness-dropped"),
    "Theorem 4": (4, 0, "hardness-proved.html#cor-hardness-total"),
    "Remark 1": (3, 1, "hardness-proved.html"),
    "Theorem 2": (5, 1, "hardness-proved.html#thm-hardness-samples"),
    "Lemma 9": (0, 2, "#lem-gap-bounds-nested"),
    "Corollary 2": (1, 2, "#lem-why-levels"),
    "Lemma 11": (2, 2, "#thm-why-samples"),
    "Lemma 8": (3, 2, "#thm-why-samples"),
    "Theorem 5": (4, 2, "#thm-why-samples"),
    "Corollary 1": (1, 3, "#lem-why-levels"),
    "Lemma 10": (2, 3, "#lem-why-levels"),
    "Lemma 12": (0, 4, "#lem-why-reaching"),
    "Lemma 13": (1, 4, "#lem-why-levels"),
}

_SHORT = {"Lemma": "Lem.", "Corollary": "Cor.", "Theorem": "Thm.", "Remark": "Rem."}
_PITCH, _ROW, _WIDE, _HIGH = 114, 62, 88, 38
_STYLE = """<style>
.lemma-map svg { display: block; width: 100%; max-width: 44rem; height: auto; }
.lemma-map text { fill: currentColor; font: 18.5px sans-serif; text-anchor: middle; }
.lemma-map rect { fill: none; pointer-events: all; stroke: currentColor; stroke-width: 1.4; }
.lemma-map .mended rect { stroke-dasharray: 6 4; stroke-width: 2.6; }
.lemma-map a:is(:hover, :focus-visible) text { text-decoration: underline; }
.lemma-map line { stroke: currentColor; stroke-opacity: 0.6; stroke-width: 1.6; }
.lemma-map marker path { fill: currentColor; fill-opacity: 0.75; }
</style>"""


def direct_needs() -> list[tuple[str, str]]:
    """Pairs (needed, needing) that no longer way through other statements implies.

    Examples
    --------
    >>> [low for low, high in direct_needs() if high == "Lemma 8"]
    ['Lemma 10', 'Lemma 11']
    """

    def behind(name: str) -> set[str]:
        return {deep for low in NEEDS[name] for deep in (low, *behind(low))}

    return [
        (low, high)
        for high, needs in NEEDS.items()
        for low in needs
        if not any(low in behind(other) for other in needs)
    ]


def lemma_map() -> Player:
    """Every statement in a box that leads to it, layers from left to right; dashed if mended."""
    lines = [
        f'<line x1="{start[0]}" y1="{start[1]}" x2="{end[0]}" y2="{end[1]}" '
        'marker-end="url(#lemma-arrow)"/>'
        for start, end in map(_ends, direct_needs())
    ]
    boxes = []
    for name, (column, row, link) in PLACES.items():
        x, y = _middle(column, row)
        word, number = name.split()
        short = f"{_SHORT[word]} {number}"
        kind = ' class="mended"' if name in MENDED else ""
        boxes.append(
            f'<a href="{link}" aria-label="{name}"{kind}><rect x="{x - _WIDE / 2:g}" '
            f'y="{y - _HIGH / 2:g}" width="{_WIDE}" height="{_HIGH}" rx="5"/>'
            f'<text x="{x}" y="{y + 6}">{short}</text></a>'
        )
    size = 5 * _PITCH + _WIDE + 8, 4 * _ROW + _HIGH + 8
    page = [
        '<figure class="lemma-map">',
        _STYLE,
        f'<svg viewBox="0 0 {size[0]} {size[1]}" role="group" aria-label="Map of the lemmas">',
        '<defs><marker id="lemma-arrow" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" '
        'markerHeight="7" orient="auto"><path d="M0 0L10 5L0 10z"/></marker></defs>',
        *lines,
        *boxes,
        "</svg>",
        "</figure>",
    ]
    text = "; ".join(f"{low} -> {high}" for low, high in direct_needs())
    return Player("\n".join(page), text)


def _middle(column: int, row: int) -> tuple[int, int]:
    return _PITCH * column + _WIDE // 2 + 4, _ROW * row + _HIGH // 2 + 4


def _ends(pair: tuple[str, str]) -> tuple[tuple[float, float], tuple[float, float]]:
    """From the right side of one box to the left side of another, apart from other arrows."""
    low, high = (_middle(*PLACES[name][:2]) for name in pair)
    apart = 11 * np.sign(low[1] - high[1])
    return (low[0] + _WIDE / 2, low[1]), (high[0] - _WIDE / 2 - 1, high[1] + apart)


def lemma_table() -> pd.DataFrame:
    """A row for each statement that was mended, in the order of :data:`NEEDS`: what."""
    rows = {name: MENDED[name] for name in NEEDS if name in MENDED}
    return pd.DataFrame({"mended": rows}).rename_axis("statement")
