"""What the panel that repeats an experiment knows beforehand: instances, the book's numbers."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from maxgap import Problem
from maxgap_book.figures.shared import Player
from maxgap_book.printing import decimal, interval

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Preset", "rerun_panel"]


@dataclass(frozen=True)
class Preset:
    """An experiment that can be repeated.

    Attributes
    ----------
    key, name : str
        In an address, and in the menu.
    problem : Problem
        Its arms share one sigma.
    code : str
        Python that makes the problem, with SIGMA for its sigma: what readers copy, and what the
        extension ``interactives`` makes the means from.
    radius : str
        Of the published experiment.
    delta : float
        Probability of error allowed.
    base_looks, looks : sequence of int
        Numbers of samples to look at, of round robin and of all others.
    runs : int
        Replicates behind the ratios.
    ratios : DataFrame
        The book's own: columns policy, level, ratio, low, high.
    claimed : (float, float)
        The paper's number or numbers.
    says : str
        The same in words, "the paper's 8".
    limit : float or None
        What is proved to be the most.
    elsewhere : bool
        Whether the paper's number is of another instance, so that runs of this one cannot judge it.
    """

    key: str
    name: str
    problem: Problem
    code: str
    radius: str
    delta: float
    base_looks: Sequence[int]
    looks: Sequence[int]
    runs: int
    ratios: pd.DataFrame
    claimed: tuple[float, float]
    says: str
    limit: float | None = None
    elsewhere: bool = False

    def content(self) -> dict[str, Any]:
        """What the script is told."""
        book: dict[str, dict[str, list[float]]] = {}
        for row in self.ratios.itertuples():
            level = f"{100 * row.level:g}"
            # To three decimals: no processor's last bit is in a page.
            found = [float(decimal(x, 3)) for x in (row.ratio, row.low, row.high)]
            book.setdefault(row.policy, {})[level] = found
        return {
            "key": self.key,
            "name": self.name,
            "sigma": float(self.problem.sigmas[0]),
            "radius": self.radius,
            "delta": self.delta,
            "looks": {"base": ranges(self.base_looks), "others": ranges(self.looks)},
            "code": self.code,
            "runs": self.runs,
            "book": book,
            "claimed": list(self.claimed),
            "says": self.says,
            "limit": self.limit,
            "elsewhere": self.elsewhere,
        }


def ranges(numbers: Iterable[int]) -> list[list[int]]:
    """Increasing numbers as ranges [first, last, step].

    Examples
    --------
    >>> ranges([20, 40, 60, 110, 160]), ranges([7])
    ([[20, 60, 20], [110, 160, 50]], [[7, 7, 1]])
    """
    found: list[list[int]] = []
    for number in map(int, numbers):
        if found and number - found[-1][1] == found[-1][2]:
            found[-1][1] = number
        elif found and found[-1][0] == found[-1][1]:
            found[-1][1:] = [number, number - found[-1][0]]
        else:
            found.append([number, number, 1])
    return found


def rerun_panel(name: str, presets: Sequence[Preset]) -> Player:
    """The panel that repeats an experiment, opened on the first of these presets.

    Without scripts and on paper a sentence leads to the chapter's own figures. The extension
    ``interactives`` gives every page with a panel the presets of all chapters.

    Examples
    --------
    >>> import pandas as pd
    >>> ratios = pd.DataFrame([["MaxGapUCB", 0.05, 4.9, 4.5, 5.1]])
    >>> ratios.columns = ["policy", "level", "ratio", "low", "high"]
    >>> rerun_panel("two", [Preset(
    ...     "two-arms", "Two arms", Problem([0.0, 1.0]), "Problem([0, 1], SIGMA)", "paper", 0.1,
    ...     [10, 20], [10], 100, ratios, (8, 8), "the paper's 8")])
    two-arms, 100 runs, at 5%: MaxGapUCB 4.9 (4.5-5.1)
    """
    # A "<" could end the script element that holds the data.
    data = json.dumps([one.content() for one in presets], separators=(",", ":"))
    data = data.replace("<", "\\u003c")
    html = (
        f'<div class="maxgap-rerun" id="{escape(name)}" data-preset="{presets[0].key}">'
        f'<script type="application/json" class="rerun-presets">{data}</script>'
        '<p class="without">With scripts it can be repeated here. The figures above show the '
        "book's own runs.</p></div>"
    )
    lines = []
    for one in presets:
        at_five = one.ratios[one.ratios["level"] == 0.05]
        texts = [f"{r.policy} {interval(r.ratio, r.low, r.high)}" for r in at_five.itertuples()]
        lines.append(f"{one.key}, {one.runs:,} runs, at 5%: {', '.join(texts)}")
    return Player(html, "\n".join(lines))
