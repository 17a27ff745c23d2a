"""What answers from a table share: rows told to a policy, text and picture, and how to go on."""

from __future__ import annotations

import copy
import html
import math
import sys
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from maxgap.confidence import guarantees
from maxgap.policies import Policy, at_once
from maxgap.policies.max_gap_partition import Cuts, Rival
from maxgap.ratings.planning import Forecast, World, forecast
from maxgap.ratings.question import Question
from maxgap.ratings.rows import Floats, Moments, Rows
from maxgap.statistics import decimal

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["Answer", "named", "printable", "shared", "tell_all"]

#: How many arms are shown in a table, are named in a line, and have their names in a picture.
SHOWN, NAMED, DRAWN = 20, 6, 60
#: The longest name that is shown in full.
LONGEST = 40
#: Smaller numbers are shown with an exponent; a gap as small as rounding asks for no decimals.
TINY, ROUNDING = 1e-5, 1e-11


def tell_all(policy: Policy, rows: Rows) -> Moments:
    """Tell a policy all rows, in their order; nothing is decided yet."""
    moments = rows.moments()
    at_once.take_all(policy, rows, *moments)
    for text in policy.objections:
        if text.startswith("sigma"):
            raise ValueError(text)
    return moments


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Answer:
    """An answer from a table: shows itself at a terminal and in a notebook, and draws itself."""

    certified: bool
    rival: Rival | None
    arms: pd.DataFrame
    notes: tuple[str, ...]
    _policy: Policy
    _question: Question
    _world: World
    _smallest_gap: float  # of those between groups

    def lines(self) -> list[str]:
        """What is found, in sentences."""
        if self.certified or not self.next:  # without a proof it may stop and not be certified
            return self.verdict()
        return [
            *self.verdict(),
            f"Rate next: {named(self.next)}.",
            f"More ratings until certified, if asked for so: {self.more}. "
            "You may look as often as you like.",
        ]

    def verdict(self) -> list[str]:
        """The first of these sentences, which are there at once: all but how to go on."""
        raise NotImplementedError

    def _judged(self, certain: float, sure: str, overlap: str, wide: str) -> str:
        """How sure it is; in these words where it goes by intervals, and the least certain gap."""
        asked, rival = self._question, -math.inf if self.rival is None else self.rival.gap
        delta = f"{asked.delta:g}"
        if self.certified and certain > max(rival, 0.0):
            inside = self._inside(", any inside a group at most ")
            return f"Certified{sure} {self._text(certain)}{inside}."
        if self.certified:
            return f"Certified by contrasts, with an error probability of at most {delta}."
        if asked.stopping == "contrasts":
            return f"Not certified by contrasts (delta {delta})."
        if not guarantees(asked.confidence, at_once.scales(self._policy)):
            return f"Not certified: the intervals {asked.confidence!r} have no proof."
        why = overlap if certain <= 0 else wide + self._inside("")
        return f"Not certified (delta {delta}): {why}."

    def _group(self, title: str, name: Any) -> str:
        arms = self.arms.loc[self.arms["group"] == name, "arm"].tolist()
        return f"{title} ({len(arms):,}): {named(arms)}"

    @cached_property
    def next(self) -> tuple[Hashable, ...]:
        """The arms to rate next; none once certified."""
        return () if self.certified else tuple(self._begun.ask())

    @cached_property
    def more(self) -> Forecast:
        """Roughly how many more rewards until the groups are certified, if asked for as ``next``.

        Simulated, when first looked at, from what the rewards tell of the means and spreads, in a
        second or two at most; what is not reached by then is "more than" what was simulated.
        """
        if self.certified:
            return Forecast(0.0, 0.0, 0.0, 0)
        return forecast(self._begun, self._world)

    def batch(self, size: int) -> dict[Hashable, int]:
        """How often to rate which arms, if this many ratings are to be asked for at a time.

        What ``policy().batch`` asks for, counted.

        Examples
        --------
        >>> import maxgap
        >>> answer = maxgap.split(arm=[*"aabbbcc"], reward=[0, 0, 1, 1, 1, 3, 3], sigma=5)
        >>> answer.batch(5)
        {'a': 2, 'c': 2, 'b': 1}
        """
        return at_once.questions(self._begun, size)

    def policy(self) -> Policy:
        """A policy that was told these rewards, to go on with: ``ask``, ``tell``, ``save``.

        Examples
        --------
        >>> import maxgap
        >>> policy = maxgap.split(arm=[*"aabbcc"], reward=[0, 0, 1, 1, 3, 3], sigma=0.5).policy()
        >>> policy.tell("a", 0.5)
        >>> policy.counts.tolist()
        [3, 2, 2]
        """
        return copy.copy(self._begun)

    @cached_property
    def _begun(self) -> Policy:
        """The policy that was told the rewards, ready to go on."""
        at_once.begin(self._policy)
        return self._policy

    def estimates(self) -> tuple[Floats, Floats]:
        """Means and standard deviations of the rewards, in the order of the policy's arms.

        The variance of an arm with few rewards is drawn towards the average.
        """
        return self._world.means.copy(), np.sqrt(self._world.variances)

    def plot(self, ax: Axes | None = None) -> Figure:
        """Arms by mean with their intervals, the split, the certain gap and its rival."""
        from maxgap.figures import rated

        many = len(self.arms) > DRAWN
        names = ["" if many else printable(arm, LONGEST) for arm in self.arms["arm"]]
        rival = None if self.rival is None else self.rival.ends
        return rated(self.arms.assign(arm=names), rival=rival, certified=self.certified, ax=ax)

    def _text(self, value: float) -> str:
        """A number with as many decimals as tell the groups apart."""
        if 0 < abs(value) < TINY:
            return f"{value:.3g}"
        gap = self._smallest_gap
        places = 2 - math.floor(math.log10(gap)) if ROUNDING < gap < 1 else 2
        return decimal(value, places)

    def _inside(self, before: str) -> str:
        """How wide any gap inside a group may be, and between which arms; nothing if none is."""
        if self.rival is None:
            return ""
        gap, below, above = self._text(self.rival.gap), self.rival.below, self.rival.above
        return f"{before}{gap} ({named([below])} to {named([above])})"

    def _shown(self) -> pd.DataFrame:
        """The arms as text, those in the middle left out where there are many."""
        frame = self.arms
        if len(frame) > SHOWN:  # those nearest to a split, where it is decided
            group, rows = frame["group"].to_numpy(), np.arange(len(frame))
            splits = np.flatnonzero(group[1:] != group[:-1]) + 0.5
            nearest = np.searchsorted((splits[1:] + splits[:-1]) / 2, rows)
            away = np.abs(rows - splits[nearest])
            frame = frame.iloc[np.sort(np.argsort(away, kind="stable")[:SHOWN])]
        asked = set(self.next)
        return frame.assign(
            arm=[printable(arm, LONGEST) for arm in frame["arm"]],
            ratings=frame["ratings"].map("{:,}".format),
            **{name: frame[name].map(self._text) for name in ("mean", "lower", "upper")},
            group=frame["group"].astype(str),
            next=["*" if arm in asked else "" for arm in frame["arm"]],
        )

    def _caption(self) -> list[str]:
        left_out = len(self.arms) - SHOWN
        return [f"{left_out:,} arms further from the split are not shown"] * (left_out > 0)

    def __str__(self) -> str:
        columns = []
        for name, column in self._shown().items():
            cells = [str(name), *column]
            width = max(map(len, cells))
            flush = str.ljust if name in ("arm", "group", "next") else str.rjust
            columns.append([flush(cell, width) for cell in cells])
        table = ("  ".join(row).rstrip() for row in zip(*columns, strict=True))
        return "\n".join([*self.lines(), "", *table, *self._caption()])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        above, below = (
            "".join(f"<p>{html.escape(line)}</p>" for line in lines)
            for lines in (self.lines(), self._caption())
        )
        table = self._shown().to_html(index=False, escape=True, border=0)
        return f"<div>{above}{table}{below}</div>"


def shared(
    policy: Policy, moments: Moments, look: Cuts, question: Question, names: Sequence[Any]
) -> dict[str, Any]:
    """What every kind of answer holds, of a policy that was told the rows; but the notes.

    Arms come with the highest group first and in it the largest mean; ends in the bounds.
    """
    low, high = question.bounds or (-math.inf, math.inf)
    frame = pd.DataFrame(
        {
            "arm": pd.Series(policy.arms, dtype=object),
            "ratings": policy.counts,
            "mean": policy.means,
            "lower": policy.lower.clip(low, high),
            "upper": policy.upper.clip(low, high),
            "group": np.array(names)[look.group],
        }
    )
    # Equal means stay in the table's order, but never an arm above one of a higher group.
    order = np.lexsort((-policy.means, look.group))
    return {
        "certified": policy.certified,
        "rival": look.rival,
        "arms": frame.iloc[order].reset_index(drop=True),
        "_policy": policy,
        "_question": question,
        "_world": World.of(moments, policy, question, look.group),
        "_smallest_gap": float(look.gaps.min()),
    }


def printable(arm: Hashable, longest: int = sys.maxsize) -> str:
    """The name of an arm on one line of a terminal, which it cannot steer; cut short if long."""
    # A thousand characters take time only to be dropped.
    text = "".join(c if c.isprintable() else repr(c)[1:-1] for c in str(arm)[: longest + 1])
    return text if len(text) <= longest else text[: longest - 3] + "..."


def named(arms: Sequence[Hashable]) -> str:
    """The first few names, and how many more."""
    more = f" and {len(arms) - NAMED:,} more" if len(arms) > NAMED + 1 else ""
    return ", ".join(printable(arm, LONGEST) for arm in arms[: NAMED if more else None]) + more
