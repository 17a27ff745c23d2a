"""The paper's theorems and lemmas: which proof leans on which, and what the book had to mend."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from maxgap.figures import PALETTE, new_figure

__all__ = ["MENDED", "NEEDS", "lemma_map", "lemma_table"]

#: Statement -> what its proof in the paper cites, or names as its twin.
NEEDS: dict[str, tuple[str, ...]] = {
    "Remark 1": (),
    "Lemma 1": (),
    "Lemma 2": (),
    "Lemma 3": ("Lemma 2",),
    "Lemma 4": (),
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
    "Theorem 1": (),
    "Theorem 2": ("Theorem 4", "Theorem 5"),
    "Theorem 3": ("Lemma 2", "Lemma 3", "Lemma 4"),
    "Theorem 4": ("Remark 1", "Lemma 6", "Lemma 7"),
    "Theorem 5": ("Remark 1", "Lemma 8"),
}

#: Statement -> what was mended.
MENDED: dict[str, str] = {
    "Lemma 6": "helpers dropped before the arm; nested intervals",
    "Lemma 7": "as Lemma 6, and the signs in rho^l",
    "Lemma 8": "a larger alpha; three steps of the proof",
    "Lemma 11": "a larger alpha",
    "Lemma 12": "equal ends",
    "Corollary 2": "a third claim, which the proofs use",
    "Theorem 1": "other stopping rules",
    "Theorem 2": "the largest gap's own arms; no ties with them",
    "Theorem 4": "as Lemmas 6 and 7; the total has a factor 3",
    "Theorem 5": "a larger alpha",
}

_PLACES: dict[str, tuple[float, float]] = {
    "Lemma 5": (0, 1.2),
    "Lemma 6": (1, 0.8),
    "Lemma 7": (2, 0.0),
    "Theorem 4": (4, 0.8),
    "Remark 1": (3, 2.0),
    "Corollary 1": (0, 4.4),
    "Lemma 9": (0, 3.0),
    "Corollary 2": (1, 3.9),
    "Lemma 11": (2, 2.6),
    "Lemma 8": (3, 4.2),
    "Theorem 5": (4, 3.2),
    "Theorem 2": (5, 2.0),
    "Lemma 12": (0, 5.9),
    "Lemma 13": (1, 5.0),
    "Lemma 10": (2, 5.6),
    "Lemma 2": (0, 6.9),
    "Lemma 3": (1, 7.5),
    "Lemma 4": (2, 6.4),
    "Theorem 3": (3, 7.0),
    "Theorem 1": (4, 6.4),
    "Lemma 1": (4, 7.4),
}


def lemma_map() -> Figure:
    """Every statement in a box, an arrow from what is needed to what needs it."""
    figure, ax = new_figure(height=4.8)
    for name, (x, y) in _PLACES.items():
        for needed in NEEDS[name]:
            beside = _PLACES[needed][0] != x
            ax.annotate(
                "",
                (x, y),
                _PLACES[needed],
                arrowprops={
                    "arrowstyle": "-|>",
                    "color": "0.45",
                    "shrinkA": 22 if beside else 11,
                    "shrinkB": 30 if beside else 11,
                    "lw": 1.1,
                },
            )
    for name, (x, y) in _PLACES.items():
        mended = name in MENDED
        box = {
            "boxstyle": "round,pad=0.35",
            "fc": "white",
            "ec": PALETTE[3] if mended else PALETTE[0],
            "ls": "--" if mended else "-",
            "lw": 2.0 if mended else 1.2,
        }
        ax.text(x, y, name, ha="center", va="center", bbox=box)
    ax.set(xlim=(-0.5, 5.5), ylim=(7.9, -0.5))
    ax.axis("off")
    return figure


def lemma_table() -> pd.DataFrame:
    """A row for each statement that was mended, in the order of :data:`NEEDS`: what."""
    rows = {name: MENDED[name] for name in NEEDS if name in MENDED}
    return pd.DataFrame({"mended": rows}).rename_axis("statement")
