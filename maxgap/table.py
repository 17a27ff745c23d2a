"""From a table of rewards to an answer: which groups, is it certain, whom to rate next.

>>> import pandas as pd
>>> import maxgap
>>> ratings = pd.DataFrame({"item": [*"abcabcabc"] * 30, "stars": [5, 4, 1, 4, 4, 2, 5, 5, 1] * 30})
>>> answer = maxgap.split(ratings, arm="item", reward="stars", bounds=(1, 5))
>>> sorted(answer.top), answer.certified
(['a', 'b'], True)
"""

from __future__ import annotations

import copy
import html
import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from maxgap._core.types import Flags, Floats
from maxgap._rows import BadRow, Moments, Range, Rows
from maxgap.planning import Forecast, Setting, World, checked_setting, forecast
from maxgap.policies import Policy
from maxgap.statistics import decimal

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["Rival", "TableSplit", "answer", "split"]

#: How many arms are shown in a table, and named in a line.
SHOWN, NAMED = 20, 6
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


@dataclass(frozen=True, eq=False, repr=False)
class TableSplit:
    """What a table of rewards says: shows itself at a terminal and in a notebook, and draws itself.

    Attributes
    ----------
    top, bottom : frozenset of hashable
        The arms above and below the largest gap between empirical means.
    gap : float
        That gap.
    certified : bool
        Whether the rewards certify the groups, as they are.
    certain_gap : float
        The gap between the groups is at least this, with the intervals; negative while those of the
        two groups overlap.
    rival : Rival or None
        What the certain gap has to exceed to be certified by "clusters"; None with two arms.
    next : tuple of hashable
        The arms to rate next, once each; none once certified.
    arms : pandas.DataFrame
        A row per arm, largest mean first: arm, ratings, mean, lower, upper, group.

    Examples
    --------
    >>> import maxgap
    >>> answer = maxgap.split(arm=[*"aabbcc"], reward=[0, 0, 1, 1, 9, 9], sigma=0.1)
    >>> sorted(answer.bottom), answer.gap, answer.certified
    (['a', 'b'], 8.0, True)
    >>> answer.certain_gap > answer.rival.gap
    True
    """

    top: frozenset[Hashable]
    bottom: frozenset[Hashable]
    gap: float
    certified: bool
    certain_gap: float
    rival: Rival | None
    next: tuple[Hashable, ...]
    arms: pd.DataFrame
    _policy: Policy
    _setting: Setting
    _world: World

    @cached_property
    def more(self) -> Forecast:
        """Roughly how many more rewards until the groups are certified, if asked for as ``next``.

        Simulated, when first looked at, from the estimates and what is uncertain about them.

        Examples
        --------
        >>> import maxgap
        >>> answer = maxgap.split(arm=[*"aabbcc"], reward=[0, 0, 1, 1, 3, 3], sigma=0.5)
        >>> answer.certified, answer.more.low > 0
        (False, True)
        """
        if self.certified:
            return Forecast(0.0, 0.0, 0.0)
        return forecast(self._policy, self._world)

    def batch(self, size: int) -> dict[Hashable, int]:
        """How often to rate which arms, if this many ratings are to be asked for at a time.

        The arms are those of ``next``, those with the fewest ratings first, as evenly as can be.

        Examples
        --------
        >>> import maxgap
        >>> answer = maxgap.split(arm=[*"aabbbcc"], reward=[0, 0, 1, 1, 1, 3, 3], sigma=5)
        >>> answer.batch(5)
        {'a': 2, 'c': 2, 'b': 1}
        """
        if not isinstance(size, (int, np.integer)) or isinstance(size, bool) or size < 1:
            raise ValueError(f"size must be a whole number from 1, got {size!r}")
        ratings = dict(zip(self.arms["arm"], self.arms["ratings"], strict=True))
        fewest = sorted(self.next, key=lambda arm: ratings[arm])  # ties stay as they are
        n_arms = max(len(fewest), 1)
        times = [size // n_arms + (k < size % n_arms) for k in range(len(fewest))]
        return {arm: n for arm, n in zip(fewest, times, strict=True) if n > 0}

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
        frame = self.arms if len(self.arms) <= DRAWN else self.arms.assign(arm="")
        return rated(frame, rival=rival, certified=self.certified, ax=ax)

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
        return copy.copy(self._policy)

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

    def lines(self) -> list[str]:
        """What is found, in sentences.

        Examples
        --------
        >>> import maxgap
        >>> answer = maxgap.split(arm=[*"aabbcc"], reward=[0, 0, 1, 1, 9, 9], sigma=0.1)
        >>> print(answer.lines()[0])
        The largest gap is 8.00, from b (1.00) up to c (9.00).
        """
        above = self.arms[self.arms["group"] == "top"].iloc[-1]
        below = self.arms[self.arms["group"] == "bottom"].iloc[0]
        found = [
            f"The largest gap {'is' if self.certified else 'seems to be'} {self._text(self.gap)}, "
            f"from {below['arm']} ({self._text(below['mean'])}) "
            f"up to {above['arm']} ({self._text(above['mean'])}).",
            self._group("top"),
            self._group("bottom"),
            self._verdict(),
        ]
        if not self.certified:
            found += [
                f"Rate next: {_named(self.next)}.",
                f"More ratings until certified, if asked for so: {self.more}.",
            ]
        return found

    def _verdict(self) -> str:
        delta, gap = f"{self._setting.delta:g}", self._text(self.certain_gap)
        if self._setting.stopping == "contrasts":
            how = "Certified" if self.certified else "Not certified"
            return f"{how} by contrasts, with an error probability of at most {delta}."
        rival = self.rival
        inside = f"{self._text(rival.gap)} ({rival.below} to {rival.above})" if rival else ""
        if self.certified:
            others = f", any inside a group at most {inside}" if inside else ""
            return (
                f"Certified with an error probability of at most {delta}: "
                f"the gap is at least {gap}{others}."
            )
        if self.certain_gap <= 0:
            return f"Not certified (delta {delta}): the intervals of the two groups overlap."
        return (
            f"Not certified (delta {delta}): the gap is at least {gap}, "
            f"but one inside a group may be {inside}."
        )

    def _group(self, name: str) -> str:
        arms = self.arms.loc[self.arms["group"] == name, "arm"].tolist()
        return f"{name.capitalize()} ({len(arms):,}): {_named(arms)}"

    def _text(self, value: float) -> str:
        return decimal(value, self._places)

    @cached_property
    def _places(self) -> int:
        """Decimals that tell the groups apart."""
        if not 0 < self.gap < 1:
            return 2
        return min(2 - math.floor(math.log10(self.gap)), 12)

    def _shown(self) -> pd.DataFrame:
        """The arms as text, those in the middle left out where there are many."""
        import pandas as pd

        frame = self.arms
        asked = set(self.next)
        frame = frame.assign(next=["*" if arm in asked else "" for arm in frame["arm"]])
        n_top = len(self.top)
        if len(frame) > SHOWN:  # around the split, where it is decided
            start = min(max(n_top - SHOWN // 2, 0), len(frame) - SHOWN)
            frame = frame.iloc[start : start + SHOWN]
        return pd.DataFrame(
            {
                "arm": [str(arm) for arm in frame["arm"]],
                "ratings": [f"{n:,}" for n in frame["ratings"]],
                **{
                    name: [self._text(x) for x in frame[name]]
                    for name in ("mean", "lower", "upper")
                },
                "group": frame["group"].to_numpy(),
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


def split(
    table: Any = None,
    *,
    arm: Any,
    reward: Any,
    bounds: tuple[float, float] | None = None,
    sigma: float | Mapping[Hashable, float] | None = None,
    delta: float = 0.05,
    confidence: Any = None,
    stopping: str = "clusters",
) -> TableSplit:
    """Where the largest gap is in a table of rewards, and whether these rewards certify it.

    The rewards are taken in the table's order, once, and as they are: nothing is asked of how many
    there are of each arm, of who chose them or of when collecting ended. What a certificate asks
    for is that each reward of an arm, *given those of the arm before it*, has the arm's mean as its
    expectation, and keeps to the bounds or is sub-Gaussian with scale ``sigma``. Raters who differ
    and rate several arms do no harm, as long as who rates an arm next does not depend on the
    ratings; a mean that drifts, or rows sorted by reward, do.

    The default certificate is the cluster rule on intervals that hold at all times, "clusters":
    with bounds those of "empirical-bernstein", which are narrow where rewards vary little; with
    ``sigma`` those of "normal-mixture". Choose another before you look at its answer: the best of
    several at one ``delta`` errs more often than ``delta``.

    Parameters
    ----------
    table : pandas.DataFrame or mapping, optional
        A row per reward.
    arm, reward : hashable, or sequences
        Names of two columns of the table; without a table the two sequences themselves.
    bounds : (float, float), optional
        The smallest and largest reward that there *could* be, such as (1, 5) for stars: of the
        scale, not of the data.
    sigma : float or mapping, optional
        In place of bounds: sub-Gaussian scale of the rewards, for all arms or by label.
    delta : float
        Probability of error allowed, in (0, 1).
    confidence : str, optional
        As in :class:`maxgap.Policy`. For rewards of 0 and 1 with means near 1/2 "normal-mixture"
        is narrower than the default.
    stopping : str
        "clusters", or "contrasts", which often needs fewer rewards but asks for more: all rewards
        independent, also those of different arms. Where a rater rates several arms they are not.

    Returns
    -------
    TableSplit

    Raises
    ------
    ValueError
        For a row that cannot be used, with the row and the column; for columns that are not there,
        fewer than two arms, and arguments that cannot be used.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"item": ["tea", "mud"] * 20, "stars": [5, 1] * 20})
    >>> split(table, arm="item", reward="stars", bounds=(1, 5))
    The largest gap is 4.00, from mud (1.00) up to tea (5.00).
    Top (1): tea
    Bottom (1): mud
    Certified with an error probability of at most 0.05: the gap is at least 0.31.
    <BLANKLINE>
    arm  ratings  mean  lower  upper  group   next
    tea       20  5.00   3.15   6.85  top
    mud       20  1.00  -0.85   2.85  bottom
    """
    setting = checked_setting(bounds, sigma, delta, confidence, stopping)
    arms, rewards, places = _columns(table, arm, reward)
    with Rows(Range() if setting.bounds is None else Range(*setting.bounds)) as rows:
        try:
            rows.add(arms, rewards)
        except BadRow as bad:
            name, column = ("arm", arm) if bad.is_arm else ("reward", reward)
            where = f"row {bad.place}, counted from 0"
            if places is None:
                raise ValueError(f"{name}, {where}: {bad.why}") from None
            index = places[bad.place]
            raise ValueError(f"column {column!r}, {where} (index {index!r}): {bad.why}") from None
        return answer(rows, setting)


def answer(rows: Rows, setting: Setting) -> TableSplit:
    """The answer that checked rows give."""
    if rows.total == 0:
        raise ValueError("the table has no rows")
    if len(rows.labels) < 2:
        raise ValueError(f"two arms or more are needed, the table has only {rows.labels[0]!r}")
    policy = setting.policy(rows.labels)
    moments = rows.moments()
    policy._grow_stacks(moments.counts)
    policy._grow_radii(int(moments.counts.max()))
    for numbers, values in rows:
        policy._take(numbers, values, decide=False)
    policy._decide()
    found = policy.recommend()
    top = np.array([label in found.top for label in policy.arms])
    lower, upper = policy.lower, policy.upper
    return TableSplit(
        top=found.top,
        bottom=found.bottom,
        gap=found.gap,
        certified=policy.certified,
        certain_gap=float(lower[top].min() - upper[~top].max()),
        rival=_rival(policy.arms, lower, upper, top),
        next=tuple(policy.ask()),
        arms=_by_mean(policy, top),
        _policy=policy,
        _setting=setting,
        _world=_world(moments, policy, setting),
    )


def _columns(table: Any, arm: Any, reward: Any) -> tuple[pd.Series, pd.Series, Any]:
    """The two columns, and the index of the table's rows if it has one of its own."""
    import pandas as pd

    if table is None:
        for name, values in (("arm", arm), ("reward", reward)):
            if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
                raise ValueError(f"{name} must be a sequence where there is no table: {values!r}")
            if isinstance(values, (set, frozenset, Mapping)):
                raise ValueError(f"{name} must be a sequence, which has an order, got {values!r}")
        arms, rewards = _series(arm), _series(reward)
        if arms.size != rewards.size:
            raise ValueError(
                f"arm and reward must have equal lengths, got {arms.size} and {rewards.size}"
            )
        return arms, rewards, None
    if not isinstance(table, pd.DataFrame):
        try:
            table = pd.DataFrame(table)
        except (TypeError, ValueError) as problem:
            raise ValueError(f"table must be a DataFrame or a mapping: {problem}") from None
    for name, column in (("arm", arm), ("reward", reward)):
        try:
            times = int((table.columns == column).sum())
        except (TypeError, ValueError):
            times = 0
        if times != 1:
            there = ", ".join(map(repr, table.columns[:50])) or "none"
            what = "is not a column" if times == 0 else f"is {times} columns"
            raise ValueError(f"{name}={column!r} {what} of the table; its columns: {there}")
    if arm == reward:
        raise ValueError(f"arm and reward must be two columns, got {arm!r} for both")
    return table[arm], table[reward], table.index


def _series(values: Any) -> pd.Series:
    """A column of these values, as they are: of a list, pandas would make 1 and "1" no strings."""
    import pandas as pd

    if isinstance(values, (pd.Series, pd.Index, pd.api.extensions.ExtensionArray, np.ndarray)):
        if getattr(values, "ndim", 1) != 1:
            raise ValueError(f"arm and reward must be one-dimensional, got {values!r}")
        return pd.Series(values)
    values = list(values)
    column = np.empty(len(values), dtype=object)
    for at, value in enumerate(values):  # a tuple at once would be taken apart
        column[at] = value
    return pd.Series(column)


def _by_mean(policy: Policy, top: Flags) -> pd.DataFrame:
    report = policy.report()
    frame = report[["arm", "samples", "mean", "lower", "upper"]].rename(
        columns={"samples": "ratings"}
    )
    frame["group"] = np.where(top, "top", "bottom")
    # Equal means stay in the table's order, but never a bottom arm above a top one.
    order = np.lexsort((-frame["mean"], ~top))
    return frame.iloc[order].reset_index(drop=True)


def _rival(labels: Sequence[Hashable], lower: Floats, upper: Floats, top: Flags) -> Rival | None:
    """The widest gap inside a group: Algorithm 4 on each group as an instance of its own."""
    best = None
    for group in (top, ~top):
        arms = np.flatnonzero(group)
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


def _world(moments: Moments, policy: Policy, setting: Setting) -> World:
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
        return World(means, errors, variances, setting.bounds)
    return World(means, np.sqrt(variances / counts), variances, None)


def _named(arms: Iterable[Hashable]) -> str:
    """The first few names, and how many more."""
    names = [str(arm) for arm in arms]
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
