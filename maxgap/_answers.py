"""What answers from a table share: rows in, and how an answer shows itself."""

from __future__ import annotations

import copy
import html
import math
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from maxgap.engine.types import Flags, Floats, Integers
from maxgap._rows import BadRow, Moments, Rows
from maxgap.planning import Forecast, Setting, World, forecast
from maxgap.policies import Policy
from maxgap.policies._batch import shares, waiting_counts
from maxgap.policies._bulk import begin, take_all
from maxgap.statistics import decimal

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "Answer",
    "Rival",
    "by_mean",
    "check_arms",
    "columns_of",
    "members",
    "named",
    "printable",
    "questions",
    "refusal",
    "rows_of",
    "stand_apart",
    "tell_all",
    "widest_inside",
    "world_of",
]

#: How many arms are shown in a table, and named in a line.
SHOWN, NAMED = 20, 6
#: The longest name that is shown in full.
LONGEST = 40
#: Smaller numbers are shown with an exponent; a gap as small as rounding asks for no decimals.
TINY, ROUNDING = 1e-5, 1e-11
#: Of how many arms the names are drawn.
DRAWN = 60


class Rival(NamedTuple):
    """The widest gap that may still be inside one of the two groups, from one arm up to another.

    Examples
    --------
    >>> import maxgap
    >>> answer = maxgap.split(arm=[*"aabbcc"], reward=[0, 0, 1, 1, 9, 9], sigma=0.1)
    >>> answer.rival.below, answer.rival.above
    ('a', 'b')
    """

    gap: float
    below: Hashable
    above: Hashable
    ends: tuple[float, float]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Answer:
    """An answer from a table: shows itself at a terminal and in a notebook, and draws itself."""

    certified: bool
    rival: Rival | None
    arms: pd.DataFrame
    notes: tuple[str, ...]
    _policy: Policy
    _setting: Setting
    _world: World

    def lines(self) -> list[str]:
        """What is found, in sentences.

        Examples
        --------
        >>> import maxgap
        >>> answer = maxgap.split(arm=[*"aabbcc"], reward=[0, 0, 1, 1, 9, 9], sigma=0.1)
        >>> print(answer.lines()[0])
        The largest gap is 8.00, from b (1.00) up to c (9.00).
        """
        if self.certified:
            return self.verdict()
        return [
            *self.verdict(),
            f"Rate next: {named(self.next)}.",
            f"More ratings until certified, if asked for so: {self.more}. "
            "You may look as often as you like.",
        ]

    def verdict(self) -> list[str]:
        """The first of these sentences, which are there at once: all but how to go on.

        Examples
        --------
        >>> import maxgap
        >>> answer = maxgap.split(arm=[*"aabbcc"], reward=[0, 0, 1, 1, 9, 9], sigma=0.1)
        >>> answer.verdict() == answer.lines()
        True
        """
        return [*self._found(), self._verdict(), *self.notes]

    @cached_property
    def next(self) -> tuple[Hashable, ...]:
        """The arms to rate next; none once certified."""
        return () if self.certified else tuple(self._begun.ask())

    @cached_property
    def _begun(self) -> Policy:
        """The policy that was told the rewards, ready to go on."""
        policy = copy.copy(self._policy)
        begin(policy)
        return policy

    def _found(self) -> list[str]:
        """The gaps and the groups."""
        raise NotImplementedError

    def _verdict(self) -> str:
        """Whether they are certified."""
        raise NotImplementedError

    def _rival_text(self) -> str:
        """The rival and its arms; nothing if there is none."""
        if self.rival is None:
            return ""
        below, above = (printable(arm, LONGEST) for arm in (self.rival.below, self.rival.above))
        return f"{self._text(self.rival.gap)} ({below} to {above})"

    def _others(self) -> str:
        """How wide any gap inside a group is at most; nothing if there is none."""
        return "" if self.rival is None else f", any inside a group at most {self._rival_text()}"

    def _smallest_gap(self) -> float:
        """The smallest of the gaps between groups, which says how many decimals matter."""
        raise NotImplementedError

    @cached_property
    def more(self) -> Forecast:
        """Roughly how many more rewards until the groups are certified, if asked for as ``next``.

        Simulated, when first looked at, from what the rewards tell of the means and spreads. With
        few rewards that is little: see how far the range reaches. It takes a second or two at most;
        what is not reached by then is "more than" what was simulated.

        Examples
        --------
        >>> import maxgap
        >>> answer = maxgap.split(arm=[*"aabbcc"], reward=[0, 0, 1, 1, 3, 3], sigma=0.5)
        >>> answer.certified, answer.more.low > 0
        (False, True)
        """
        if self.certified:
            return Forecast(0.0, 0.0, 0.0, 0)
        return forecast(self._begun, self._world)

    def batch(self, size: int) -> dict[Hashable, int]:
        """How often to rate which arms, if this many ratings are to be asked for at a time.

        The arms are those of ``next``, those with the fewest ratings first, as evenly as can be:
        what ``policy().batch`` asks for, counted.

        Examples
        --------
        >>> import maxgap
        >>> answer = maxgap.split(arm=[*"aabbbcc"], reward=[0, 0, 1, 1, 1, 3, 3], sigma=5)
        >>> answer.batch(5)
        {'a': 2, 'c': 2, 'b': 1}
        """
        return questions(self._begun, size)

    def plot(self, ax: Axes | None = None) -> Figure:
        """Arms by mean with their intervals, the split, the certain gap and its rival.

        Examples
        --------
        >>> import maxgap
        >>> answer = maxgap.split(arm=[*"aabbcc"], reward=[0, 0, 1, 1, 9, 9], sigma=0.1)
        >>> figure = answer.plot()
        >>> figure.axes[0].get_xlabel()
        'mean reward'
        >>> import matplotlib.pyplot as plt
        >>> plt.close(figure)
        """
        from maxgap.figures import rated

        rival = None if self.rival is None else self.rival.ends
        many = len(self.arms) > DRAWN
        names = ["" if many else printable(arm, LONGEST) for arm in self.arms["arm"]]
        frame = self.arms.assign(arm=names)
        return rated(frame, rival=rival, certified=self.certified, ax=ax)

    def estimates(self) -> tuple[Floats, Floats]:
        """Means and standard deviations of the rewards, in the order of the policy's arms.

        The variance of an arm with few rewards is drawn towards the average.

        Examples
        --------
        >>> import maxgap
        >>> answer = maxgap.split(arm=[*"aabb"], reward=[0, 2, 5, 7], sigma=1)
        >>> answer.estimates()[0].tolist()
        [1.0, 6.0]
        """
        return self._world.means.copy(), np.sqrt(self._world.variances)

    def _text(self, value: float) -> str:
        return f"{value:.3g}" if 0 < abs(value) < TINY else decimal(value, self._places)

    @cached_property
    def _places(self) -> int:
        """Decimals that tell the groups apart."""
        gap = self._smallest_gap()
        return 2 - math.floor(math.log10(gap)) if ROUNDING < gap < 1 else 2

    def _shown(self) -> pd.DataFrame:
        """The arms as text, those in the middle left out where there are many."""
        import pandas as pd

        frame = self.arms
        asked = set(self.next)
        frame = frame.assign(next=["*" if arm in asked else "" for arm in frame["arm"]])
        if len(frame) > SHOWN:  # those nearest to a split, where it is decided
            group, rows = frame["group"].to_numpy(), np.arange(len(frame))
            splits = np.r_[-math.inf, np.flatnonzero(group[1:] != group[:-1]) + 0.5, math.inf]
            after = np.searchsorted(splits, rows)
            away = np.minimum(rows - splits[after - 1], splits[after] - rows)
            frame = frame.iloc[np.sort(np.argsort(away, kind="stable")[:SHOWN])]
        return pd.DataFrame(
            {
                "arm": [printable(arm, LONGEST) for arm in frame["arm"]],
                "ratings": [f"{n:,}" for n in frame["ratings"]],
                **{
                    name: [self._text(x) for x in frame[name]]
                    for name in ("mean", "lower", "upper")
                },
                "group": [str(group) for group in frame["group"]],
                "next": frame["next"].to_numpy(),
            }
        )

    def _caption(self) -> str:
        left_out = max(len(self.arms) - SHOWN, 0)
        return f"{left_out:,} arms further from the split are not shown" if left_out else ""

    def __str__(self) -> str:
        table = _aligned(self._shown())
        return "\n".join([*self.lines(), "", *table, *filter(None, [self._caption()])])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        sentences = "".join(f"<p>{html.escape(line)}</p>" for line in self.lines())
        table = self._shown().to_html(index=False, escape=True, border=0)
        caption = self._caption()
        return f"<div>{sentences}{table}{f'<p>{caption}</p>' if caption else ''}</div>"


@contextmanager
def rows_of(
    table: Any, arm: Any, reward: Any, setting: Setting, rater: Any = None
) -> Iterator[Rows]:
    """The checked rows of a table, or a ValueError that names the row and the column."""
    asked = {"arm": arm, "reward": reward} | ({} if rater is None else {"rater": rater})
    columns, places = columns_of(table, **asked)
    with Rows(setting.bounds) as rows:
        try:
            rows.add(*columns)
        except BadRow as bad:
            raise ValueError(refusal(bad, asked, places)) from None
        with rows.once() as once:
            yield once


def refusal(bad: BadRow, asked: Mapping[str, Any], places: Any) -> str:
    """What to say of a row that cannot be used: its column, and its place in a table or without."""
    name, column = list(asked.items())[bad.column]
    where = f"row {bad.place}, counted from 0"
    if places is None:
        return f"{name}, {where}: {bad.why}"
    return f"column {column!r}, {where} (index {places[bad.place]!r}): {bad.why}"


def check_arms(rows: Rows, groups: int = 2) -> None:
    """A ValueError if there are fewer arms than groups."""
    if rows.total == 0:
        raise ValueError("the table has no rows")
    if len(rows.labels) < 2:
        raise ValueError(f"two arms or more are needed, the table has only {rows.labels[0]!r}")
    if len(rows.labels) < groups:
        raise ValueError(f"groups must be at most {len(rows.labels)}, the arms, got {groups}")


def tell_all(policy: Policy, rows: Rows) -> Moments:
    """Tell a policy all rows, in their order; nothing is decided yet."""
    moments = rows.moments()
    take_all(policy, rows, *moments)
    for text in policy.objections:
        if text.startswith("sigma"):
            raise ValueError(text)
    return moments


def stand_apart(policy: Policy, top: Flags) -> bool:
    """Whether the top is certainly further above the rest than any two neighbours inside."""
    lower, upper = policy.lower, policy.upper
    rival = widest_inside(policy.arms, lower, upper, np.where(top, 0, 1))
    gap = float(lower[top].min() - upper[~top].max())
    return gap > max(0.0, rival.gap if rival else 0.0)


def questions(policy: Policy, size: int, pending: Any = ()) -> dict[Hashable, int]:
    """What ``policy.batch`` asks for, counted; of any size at once."""
    waiting = waiting_counts(pending, policy._labels, policy._index)
    with policy._lock:
        shared = shares(size, policy._listed_for_many().tolist(), policy.counts, waiting)
    return {policy._labels[arm]: n for arm, n in shared.items()}


def columns_of(table: Any, **named: Any) -> tuple[list[pd.Series], Any]:
    """The columns named, and the index of the table's rows if it has one of its own."""
    import pandas as pd

    if table is None:
        named = {name: _of_pandas(values) for name, values in named.items()}
        for name, values in named.items():
            if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
                raise ValueError(f"{name} must be a sequence where there is no table: {values!r}")
            if isinstance(values, (set, frozenset, Mapping)):
                raise ValueError(f"{name} must be a sequence, which has an order, got {values!r}")
        columns = [_series(name, values) for name, values in named.items()]
        sizes = [column.size for column in columns]
        if len(set(sizes)) > 1:
            raise ValueError(
                f"{' and '.join(named)} must have equal lengths, "
                f"got {' and '.join(map(str, sizes))}"
            )
        return columns, None
    if not isinstance(table, pd.DataFrame):
        try:
            table = pd.DataFrame(_of_pandas(table))
        except (TypeError, ValueError) as problem:
            raise ValueError(
                f"table must be a DataFrame, a mapping, or what has to_pandas(): {problem}"
            ) from None
    for name, column in named.items():
        try:
            times = int((table.columns == column).sum())
        except (TypeError, ValueError):
            times = 0
        if times != 1:
            there = ", ".join(map(repr, table.columns[:50])) or "none"
            what = "is not a column" if times == 0 else f"is {times} columns"
            raise ValueError(f"{name}={column!r} {what} of the table; its columns: {there}")
    for (one, column), (other, same) in combinations(named.items(), 2):
        if column == same:
            raise ValueError(f"{one} and {other} must be two columns, got {column!r} for both")
    return [table[column] for column in named.values()], table.index


def _of_pandas(values: Any) -> Any:
    """What says how it becomes a table or column of pandas, as such: a lazy one is collected."""
    for name in ("collect", "to_pandas", "to_df", "read_pandas"):
        # A column of this name is not called.
        if callable(convert := getattr(type(values), name, None)):
            with suppress(ImportError):  # of pyarrow, which polars asks for
                values = convert(values)
    return values


def _series(name: str, values: Any) -> pd.Series:
    """A column of these values, as they are: of a list, pandas would make 1 and "1" no strings."""
    import pandas as pd

    if isinstance(values, (pd.Series, pd.Index, pd.api.extensions.ExtensionArray, np.ndarray)):
        if getattr(values, "ndim", 1) != 1:
            raise ValueError(f"{name} must be one-dimensional, got {values!r}")
        return pd.Series(values)
    values = list(values)
    column = np.empty(len(values), dtype=object)
    for at, value in enumerate(values):  # a tuple at once would be taken apart
        column[at] = value
    return pd.Series(column)


def by_mean(policy: Policy, group: Integers, names: Sequence[Any]) -> pd.DataFrame:
    """A row per arm, the highest group first and in it the largest mean; ends in the bounds."""
    import pandas as pd

    ends = np.array([policy.lower, policy.upper])
    if policy._bounds is not None:
        ends = ends.clip(*policy._bounds)
    frame = pd.DataFrame(
        {
            "arm": pd.Series(policy.arms, dtype=object),
            "ratings": policy.counts,
            "mean": policy.means,
            "lower": ends[0],
            "upper": ends[1],
        }
    )
    frame["group"] = np.array(names)[group]
    # Equal means stay in the table's order, but never an arm above one of a higher group.
    order = np.lexsort((-frame["mean"], group))
    return frame.iloc[order].reset_index(drop=True)


def members(group: Integers) -> list[Integers]:
    """The arms of every group, in their order."""
    order = np.argsort(group, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(group[order])) + 1)


def widest_inside(
    labels: Sequence[Hashable], lower: Floats, upper: Floats, group: Integers
) -> Rival | None:
    """The widest gap inside a group: Algorithm 4 on each group as an instance of its own."""
    best = None
    for arms in members(group):
        if arms.size < 2:
            continue
        arms = arms[np.argsort(lower[arms], kind="stable")]
        low, high = lower[arms], upper[arms]
        # Above the lower end of an arm the gap reaches up to the smallest upper end further up...
        reach = np.minimum.accumulate(high[::-1])[::-1]
        k = int(np.argmax(reach[1:] - low[:-1]))
        pairs = [(arms[k], arms[k + 1 + int(np.argmin(high[k + 1 :]))])]
        # ...and above the highest lower end to any other arm's upper end.
        pairs.append((arms[-1], arms[int(np.argmax(high[:-1]))]))
        for below, above in pairs:
            gap = float(upper[above] - lower[below])
            if best is None or gap > best.gap:
                ends = float(lower[below]), float(upper[above])
                best = Rival(gap, labels[below], labels[above], ends)
    return best


def world_of(moments: Moments, policy: Policy, setting: Setting, group: Integers) -> World:
    """What rewards to simulate: means with their errors, variances drawn towards their average."""
    counts, means, squares = moments
    freedom = float((counts - 1).sum())
    pooled = squares.sum() / freedom if freedom > 0 else np.square(policy._sigmas)
    variances = (squares + pooled) / counts
    if setting.bounds is not None:
        low, high = setting.bounds
        variances = np.minimum(variances, np.maximum((means - low) * (high - means), 0.0))
        # A mean at a bound is uncertain, too.
        errors = np.sqrt(np.maximum(variances, pooled / counts) / counts)
        return World(means, errors, variances, setting.bounds, group)
    return World(means, np.sqrt(variances / counts), variances, None, group)


def printable(arm: Hashable, longest: int | None = None) -> str:
    """The name of an arm on one line of a terminal, which it cannot steer; cut short if long."""
    # A thousand characters take time only to be dropped.
    text = str(arm) if longest is None else str(arm)[: longest + 1]
    if not text.isprintable():
        text = "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
    if longest is not None and len(text) > longest:
        text = text[: longest - 3] + "..."
    return text


def named(arms: Iterable[Hashable]) -> str:
    """The first few names, and how many more."""
    names = [printable(arm, LONGEST) for arm in arms]
    more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED + 1 else ""
    return ", ".join(names[: NAMED if more else None]) + more


def _aligned(frame: pd.DataFrame) -> list[str]:
    """Rows of text, numbers to the right."""
    columns = []
    for name in frame:
        cells = [str(name), *frame[name]]
        width = max(map(len, cells))
        flush = str.ljust if name in ("arm", "group", "next") else str.rjust
        columns.append([flush(cell, width) for cell in cells])
    return ["  ".join(line).rstrip() for line in zip(*columns, strict=True)]
