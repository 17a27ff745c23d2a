"""Policies: which arms next, is it over, what is the answer. Ask, sample, tell.

>>> import numpy as np
>>> import maxgap
>>> rng = np.random.default_rng(1)
>>> policy = maxgap.MaxGapTop2UCB(["a", "b", "c"], delta=0.05, sigma=1.0)
>>> true_means = {"a": 0.0, "b": 0.2, "c": 3.0}
>>> while not policy.stopped:
...     arms = policy.ask()
...     policy.tell(arms, [true_means[arm] + rng.standard_normal() for arm in arms])
>>> sorted(policy.recommend().top), policy.certified
(['c'], True)

The state of a policy is a tuple of arrays, and everything that reads or changes it is compiled:
``observe`` takes one reward, ``update_interval`` moves the arm's interval, ``settle`` restores the
order of the arms, ``decide`` says which arms come next and whether to stop. ``ask``/``tell`` and
the compiled runs of :mod:`maxgap.simulate` call the same functions, so they agree sample for
sample. Arrays of records hold what is known by arm and by position in the order: a compiled call
pays for every array it is given, and a round costs little more than a handful of calls.
"""

from __future__ import annotations

import copy
import json
import math
import threading
import warnings
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from maxgap import stopping as rules
from maxgap._checking import (
    LARGEST_REWARD,
    checked_batch,
    checked_confidence,
    checked_factor,
    checked_labels,
    checked_sigmas,
    label_index,
)
from maxgap._compiled import compiled
from maxgap._elementary import log
from maxgap._saving import StrPath, checked_path, digest, write_whole
from maxgap.confidence import check_delta, guarantees, radius, radius_rows
from maxgap.gaps import (
    WIDTHS,
    Floats,
    GapBounds,
    GapLowerBound,
    Integers,
    Records,
    certified_split,
    gap_lower_bound,
    gap_upper_bounds,
    largest_leaf,
    mark_touching,
    new_slots,
    next_at_least,
    renew_slots,
    second_bound,
    second_bound_with_ties,
)

if TYPE_CHECKING:
    import pandas as pd

FORMAT = "maxgap policy"
FORMAT_VERSION = 1


class _Default:
    """Stands for "the class's own default": None already means "never stop"."""

    def __repr__(self) -> str:
        return "the class's own default"


DEFAULT = _Default()


class Split(NamedTuple):
    """An answer: the arms above and below the largest gap, and the gap between their means.

    Examples
    --------
    >>> policy = RoundRobin(["a", "b", "c"])
    >>> policy.tell(["a", "b", "c"], [0.25, 0.0, 1.0])
    >>> policy.recommend() == Split(top=frozenset({"c"}), bottom=frozenset({"a", "b"}), gap=0.75)
    True
    """

    top: frozenset[Hashable]
    bottom: frozenset[Hashable]
    gap: float


# --------------------------------------------------------------------------------------------
# The compiled core
# --------------------------------------------------------------------------------------------

ROUND_ROBIN, ELIM, UCB, TOP2, SORT = range(5)
NEVER, CLUSTERS, PAPER, LITERAL, AUTHORS = range(5)
RULE_CODES = {
    None: NEVER,
    "clusters": CLUSTERS,
    "paper": PAPER,
    "literal": LITERAL,
    "authors": AUTHORS,
}

# Entries of State.numbers.
TOTAL, UNSAMPLED, FIRST, SECOND, N_NEXT, STOPPED, SEARCHING, CROSSED, LAST_LOOK, N_NUMBERS = range(
    10
)
# Values of numbers[STOPPED].
BY_RULE, BY_PROVED_RULE = 1, 2
# Value of numbers[N_NEXT] while nobody has asked for the next arms.
UNLISTED = -1

# lil'UCB, Jamieson et al. (2014): the parameters of its analysed version.
LIL_EPSILON, LIL_BETA = 0.01, 1.0
LIL_LAMBDA = ((2 + LIL_BETA) / LIL_BETA) ** 2


#: What is known of one arm.
ARM = np.dtype(
    [
        ("count", np.int64),
        ("mean", np.float64),
        ("lower", np.float64),
        ("upper", np.float64),
        ("sigma", np.float64),
        ("row", np.int64),  # of the table of radii
        ("factor", np.float64),  # of the radii in that row
        ("position", np.int64),  # in the order by lower end
        ("active", np.bool_),  # Elim: not yet eliminated
        ("top", np.bool_),  # the answer, once stopped
        # Two lists that have nothing to do with the arm in whose record an entry stands.
        ("next", np.int64),  # the arms to sample next, increasing
        ("sequence", np.int64),  # SortThenSearch: the certified order, smallest mean first
    ],
    align=True,
)


class State(NamedTuple):
    """Everything a policy knows."""

    arms: Records  # ARM, by arm
    slots: Records  # gaps.SLOT, by position; derived from arms, as are the trees
    trees: Floats
    numbers: Integers  # counters and flags, named above

    @property
    def next_arms(self) -> Integers:
        """The arms to sample next, increasing; the first ``numbers[N_NEXT]`` entries count."""
        return self.arms["next"]

    @property
    def sequence(self) -> Integers:
        """The certified order of SortThenSearch, smallest mean first."""
        return self.arms["sequence"]


def new_state(sigmas: Floats, row: Integers, factor: Floats) -> State:
    """State before the first sample: every interval is the whole line."""
    n_arms = sigmas.size
    arms = np.zeros(n_arms, ARM)
    arms["lower"], arms["upper"] = -np.inf, np.inf
    arms["sigma"], arms["row"], arms["factor"] = sigmas, row, factor
    arms["position"] = np.arange(n_arms)
    arms["active"] = True
    arms["next"] = arms["sequence"] = np.arange(n_arms)
    numbers = np.zeros(N_NUMBERS, np.int64)
    numbers[UNSAMPLED] = n_arms
    numbers[SECOND] = 1
    numbers[N_NEXT] = n_arms
    return State(arms, *new_slots(n_arms), numbers)


@compiled
def observe(arms: Records, arm: int, reward: float) -> bool:
    """Take one reward: count and mean. Returns whether it is the arm's first."""
    n = arms[arm]["count"] + 1
    arms[arm]["count"] = n
    mean = arms[arm]["mean"]
    arms[arm]["mean"] = mean + (reward - mean) / n
    return n == 1


@compiled
def update_interval(arms: Records, arm: int, radii: Floats, nested: bool) -> bool:
    """Interval of an arm from its count and mean, eq. (5); ``factor radii[row, n]`` is its radius.

    Returns whether nested intervals (eq. 28) have crossed: some interval has missed. The arm then
    keeps its last one.
    """
    radius = arms[arm]["factor"] * radii[arms[arm]["row"], arms[arm]["count"]]
    mean = arms[arm]["mean"]
    low, high = mean - radius, mean + radius
    if nested:
        low, high = max(low, arms[arm]["lower"]), min(high, arms[arm]["upper"])
        if low > high:
            return True
    arms[arm]["lower"] = low
    arms[arm]["upper"] = high
    return False


@compiled
def track_leaders(arms: Records, n_moved: int, numbers: Integers) -> None:
    """Keep the two arms with the most samples, after the first ``n_moved`` next arms got more."""
    for i in range(n_moved):
        arm = arms[i]["next"]
        first, second = numbers[FIRST], numbers[SECOND]
        if arm != first:
            count = arms[arm]["count"]
            if count > arms[first]["count"]:
                numbers[FIRST], numbers[SECOND] = arm, first
            elif arm != second and count > arms[second]["count"]:
                numbers[SECOND] = arm


@compiled
def settle(arms: Records, slots: Records, trees: Floats, n_moved: int) -> None:
    """Bring the slots up to date after the intervals of the first ``n_moved`` next arms changed."""
    last = slots.size - 1
    lowest, highest = last, 0
    for i in range(n_moved):
        k = arms[arms[i]["next"]]["position"]
        lowest, highest = min(lowest, k), max(highest, k)
    if highest - lowest < 3 * n_moved:
        lowest, highest = sort_again(arms, slots, lowest, highest)
    else:
        for i in range(n_moved):
            arm = arms[i]["next"]
            value = arms[arm]["lower"]
            k = arms[arm]["position"]
            while k > 0 and slots[k - 1]["lower"] > value:
                _put(slots, k, slots[k - 1]["arm"], slots[k - 1]["lower"], arms)
                k -= 1
            while k < last and slots[k + 1]["lower"] < value:
                _put(slots, k, slots[k + 1]["arm"], slots[k + 1]["lower"], arms)
                k += 1
            _put(slots, k, arm, value, arms)
            lowest, highest = min(lowest, k), max(highest, k)
    renew_slots(slots, trees, lowest, highest)


@compiled
def _put(slots: Records, k: int, arm: int, lower: float, arms: Records) -> None:
    slots[k]["arm"] = arm
    slots[k]["lower"] = lower
    slots[k]["upper"] = arms[arm]["upper"]
    arms[arm]["position"] = k


@compiled
def sort_again(arms: Records, slots: Records, first: int, last: int) -> tuple[int, int]:
    """Sort the arms after those at positions first..last have changed; returns what has changed.

    By insertion, since few change places; afresh where many do.
    """
    n_arms = slots.size
    lowest = first
    moves = 0
    k = first
    while k < n_arms:
        arm = slots[k]["arm"]
        value = arms[arm]["lower"]
        j = k
        while j > 0 and slots[j - 1]["lower"] > value:
            _put(slots, j, slots[j - 1]["arm"], slots[j - 1]["lower"], arms)
            j -= 1
        if j == k and k > last:
            break
        _put(slots, j, arm, value, arms)
        lowest = min(lowest, j)
        moves += k - j
        if moves > 8 * n_arms:
            _sort_afresh(arms, slots)
            return 0, n_arms - 1
        k += 1
    return lowest, k - 1


@compiled
def _sort_afresh(arms: Records, slots: Records) -> None:
    """Put the arms into ``slots`` in order, those with equal lower ends in their own order."""
    values = np.empty(slots.size)
    for arm in range(values.size):
        values[arm] = arms[arm]["lower"]
    order = np.argsort(values, kind="mergesort")
    for k in range(order.size):
        arm = order[k]
        _put(slots, k, arm, values[arm], arms)


@compiled
def uses_bounds(kind: int, rule: int) -> bool:
    """Whether the policy looks at intervals at all (round robin without a rule does not)."""
    return kind != ROUND_ROBIN or rule == CLUSTERS or rule == AUTHORS


@compiled
def decide(
    arms: Records,
    slots: Records,
    trees: Floats,
    numbers: Integers,
    kind: int,
    rule: int,
    c: float,
    lil_log_delta: float,
) -> None:
    """Whether to stop; what eliminates arms or ends a phase. Called after every round of samples.

    The next arms are left to ``list_next``, but where finding out lists them anyway.
    """
    if numbers[STOPPED] != 0:
        return
    numbers[N_NEXT] = UNLISTED
    if numbers[UNSAMPLED] > 0:
        return

    most_of_a_gap, of_all_gaps = 0, 0
    lower_bound, split = 0.0, 0
    if rule == CLUSTERS or kind == ELIM:
        lower_bound, split = certified_split(trees)
    if kind == ELIM:
        numbers[N_NEXT] = _eliminate(arms, slots, trees, lower_bound)
    elif kind == SORT:
        if numbers[SEARCHING] == 0:
            if _mark_overlapping(slots) > 0:
                return
            numbers[SEARCHING] = 1
            for k in range(slots.size):
                arms[k]["sequence"] = slots[k]["arm"]
        chosen, most_of_a_gap, of_all_gaps = _lil_ucb(arms, lil_log_delta)
        below, above = arms[chosen]["sequence"], arms[chosen + 1]["sequence"]
        arms[0]["next"], arms[1]["next"] = min(below, above), max(below, above)
        numbers[N_NEXT] = 2

    # Whether it stops.
    by = 0
    if rule == CLUSTERS:
        if rules.clusters(slots, trees, lower_bound, split):
            by = BY_PROVED_RULE
    elif rule == AUTHORS and not _time_to_look(numbers):
        by = 0
    elif rule != NEVER and kind == UCB:
        most, next_most = arms[numbers[FIRST]]["count"], arms[numbers[SECOND]]["count"]
        if rules.dominant_pair(most, next_most, numbers[TOTAL], c) and (
            rule != PAPER or certified_split(trees)[0] > 0.0
        ):
            by = BY_RULE
    elif rule == AUTHORS and kind != SORT:
        lower_bound, split = certified_split(trees)
        if rules.few_wide(mark_touching(slots, trees, _just_above(lower_bound), 0, slots.size - 1)):
            by = BY_RULE
    elif rule == PAPER or rule == LITERAL:
        if kind == ELIM:
            if rule == LITERAL:
                by = BY_RULE if numbers[N_NEXT] <= 2 else 0
            elif rules.two_active(arms, slots, split):
                by = BY_PROVED_RULE
        elif kind == TOP2:
            lower_bound, split = certified_split(trees)
            second = _second_highest_bound(slots, trees)
            if second < lower_bound and (rule == LITERAL or lower_bound > 0.0):
                by = BY_RULE
        elif kind == SORT and rules.dominant_gap(most_of_a_gap, of_all_gaps, LIL_LAMBDA):
            by = BY_RULE

    if by != 0:
        numbers[STOPPED] = by
        numbers[N_NEXT] = 0
        if by == BY_PROVED_RULE:
            for k in range(slots.size):
                arms[slots[k]["arm"]]["top"] = k >= split
        else:
            mark_largest_empirical_gap(arms)
    elif kind == ELIM and numbers[N_NEXT] < 2:
        # The two arms of the largest gap cannot both go while the intervals hold: one has missed.
        for arm in range(arms.size):
            arms[arm]["active"] = True
            arms[arm]["next"] = arm
        numbers[N_NEXT] = arms.size


@compiled
def list_next(arms: Records, slots: Records, trees: Floats, numbers: Integers, kind: int) -> None:
    """List the arms to sample next (Algorithms 1 to 3), unless they are listed already."""
    if numbers[N_NEXT] != UNLISTED:
        return
    if numbers[UNSAMPLED] > 0:
        numbers[N_NEXT] = _arms_with_count(arms, 0)
    elif kind == ROUND_ROBIN:
        numbers[N_NEXT] = _arms_with_fewest(arms)
    elif kind == UCB:
        widest, at, tied = largest_leaf(trees, WIDTHS)
        most = _most_inserted(arms.size)
        n_next = most + 1 if tied else _add_arms_around(arms, slots, at, 0, most)
        if n_next > most:
            n_next = _arms_touching(arms, slots, trees, widest)
        numbers[N_NEXT] = n_next
    elif kind == TOP2:
        # The arms of the two highest bounds are those that touch a slot as wide as the second.
        second = _second_highest_bound(slots, trees)
        least = trees[WIDTHS, 1] if second < 0.0 else second
        numbers[N_NEXT] = _arms_touching(arms, slots, trees, least)
    else:  # SortThenSearch, while it sorts
        _mark_overlapping(slots)
        numbers[N_NEXT] = _marked_arms(arms, slots)


@compiled
def _second_highest_bound(slots: Records, trees: Floats) -> float:
    """Highest gap bound below the highest; -inf if there is none."""
    widest, at, tied = largest_leaf(trees, WIDTHS)
    if tied:
        return second_bound_with_ties(slots, trees, widest)
    return second_bound(slots, trees, at)


@compiled
def _arms_with_count(arms: Records, count: int) -> int:
    n_next = 0
    for arm in range(arms.size):
        if arms[arm]["count"] == count:
            arms[n_next]["next"] = arm
            n_next += 1
    return n_next


@compiled
def _arms_with_fewest(arms: Records) -> int:
    fewest = arms[0]["count"]
    n_next = 0
    for arm in range(arms.size):
        count = arms[arm]["count"]
        if count < fewest:
            fewest = count
            n_next = 0
        if count == fewest:
            arms[n_next]["next"] = arm
            n_next += 1
    return n_next


@compiled
def _just_above(value: float) -> float:
    return np.nextafter(value, np.inf)


@compiled
def _eliminate(arms: Records, slots: Records, trees: Floats, lower_bound: float) -> int:
    """Algorithm 1, line 6: drop the arms whose gap bound is at most a positive lower bound."""
    n_active = 0
    lowest, highest = slots.size - 1, 0
    for arm in range(arms.size):
        if arms[arm]["active"]:
            arms[n_active]["next"] = arm
            n_active += 1
            k = arms[arm]["position"]
            lowest, highest = min(lowest, k), max(highest, k)
    if lower_bound <= 0.0:
        return n_active
    mark_touching(slots, trees, _just_above(lower_bound), lowest, highest)
    n_next = 0
    for i in range(n_active):
        arm = arms[i]["next"]
        arms[n_next]["next"] = arm
        stays = slots[arms[arm]["position"]]["touches"]
        arms[arm]["active"] = stays
        n_next += stays
    return n_next


@compiled
def _marked_arms(arms: Records, slots: Records) -> int:
    """Arms whose position is marked in ``touches``."""
    n_next = 0
    for arm in range(arms.size):
        if slots[arms[arm]["position"]]["touches"]:
            arms[n_next]["next"] = arm
            n_next += 1
    return n_next


@compiled
def _add_arms_around(arms: Records, slots: Records, at: int, n_next: int, most: int) -> int:
    """Add the arms that touch slot ``at`` to the next arms; returns the new number of these.

    A number above ``most`` means that there are more and not all were added.
    """
    left, right = slots[at]["lower"], slots[at]["end"]
    k = at
    while k >= 0 and n_next <= most:
        if slots[k]["upper"] >= left:
            n_next = _add(arms, n_next, slots[k]["arm"])
        if slots[k]["reach"] < left:
            break
        k -= 1
    for k in range(at + 1, slots.size):
        low = slots[k]["lower"]
        if low > right or n_next > most:
            break
        if slots[k]["upper"] >= right or low <= left:
            n_next = _add(arms, n_next, slots[k]["arm"])
    return n_next


@compiled
def _most_inserted(n_arms: int) -> int:
    """How long a list may grow by insertion: its square stays below some passes over all arms."""
    return min(int(math.sqrt(8.0 * n_arms)), n_arms - 1)


@compiled
def _add(arms: Records, n_next: int, arm: int) -> int:
    """Insert an arm into the increasing list of next arms; returns its new length."""
    i = n_next
    while i > 0 and arms[i - 1]["next"] > arm:
        i -= 1
    if i > 0 and arms[i - 1]["next"] == arm:
        return n_next
    for j in range(n_next, i, -1):
        arms[j]["next"] = arms[j - 1]["next"]
    arms[i]["next"] = arm
    return n_next + 1


@compiled
def _time_to_look(numbers: Integers) -> bool:
    """The published scripts look at their rules once in so many samples."""
    every = rules.AUTHORS_LOOK_EVERY
    look = numbers[TOTAL] // every > numbers[LAST_LOOK] // every
    if look:
        numbers[LAST_LOOK] = numbers[TOTAL]
    return look


@compiled
def _arms_touching(arms: Records, slots: Records, trees: Floats, least: float) -> int:
    """Arms that touch a slot at least this wide: those whose gap bound is at least ``least``."""
    n_arms = slots.size
    most = _most_inserted(n_arms)
    n_next, n_wide = 0, 0
    k = next_at_least(trees, WIDTHS, 0, least)
    while k < n_arms and n_wide < 8 and n_next <= most:
        n_next = _add_arms_around(arms, slots, k, n_next, most)
        n_wide += 1
        k = next_at_least(trees, WIDTHS, k + 1, least)
    if k < n_arms or n_next > most:
        mark_touching(slots, trees, least, 0, n_arms - 1)
        n_next = _marked_arms(arms, slots)
    return n_next


@compiled
def _mark_overlapping(slots: Records) -> int:
    """Mark the positions whose interval touches another one; returns how many."""
    n_arms = slots.size
    highest = -np.inf
    overlapping = 0
    for k in range(n_arms):
        low, high = slots[k]["lower"], slots[k]["upper"]
        touches = low <= highest or (k + 1 < n_arms and slots[k + 1]["lower"] <= high)
        slots[k]["touches"] = touches
        overlapping += touches
        highest = max(highest, high)
    return overlapping


@compiled
def _lil_ucb(arms: Records, lil_log_delta: float) -> tuple[int, int, int]:
    """lil'UCB on the gaps of neighbours: the gap to sample, the largest count, all counts."""
    best, chosen = -np.inf, 0
    largest, total = 0, 0
    growth = 1.0 + LIL_EPSILON
    factor = (1.0 + LIL_BETA) * (1.0 + math.sqrt(LIL_EPSILON))
    for k in range(arms.size - 1):
        below, above = arms[arms[k]["sequence"]], arms[arms[k + 1]["sequence"]]
        n = min(below["count"], above["count"])
        # A difference of two rewards: variances add, sigma sqrt(2) for equal sigmas.
        variance = below["sigma"] ** 2 + above["sigma"] ** 2
        radius = factor * math.sqrt(
            2.0 * variance * growth * (log(log(growth * n)) - lil_log_delta) / n
        )
        index = above["mean"] - below["mean"] + radius
        if index > best:
            best, chosen = index, k
        largest = max(largest, n)
        total += n
    return chosen, largest, total


@compiled
def mark_largest_empirical_gap(arms: Records) -> None:
    """Set ``top`` to the arms above the largest gap between neighbouring empirical means.

    Nested intervals may leave an empirical mean outside; it counts at the nearest end. Of several
    largest gaps the highest is taken.
    """
    n_arms = arms.size
    values = np.empty(n_arms)
    for arm in range(n_arms):
        values[arm] = min(max(arms[arm]["mean"], arms[arm]["lower"]), arms[arm]["upper"])
    ranking = np.argsort(values, kind="mergesort")
    best, split = -1.0, n_arms - 1
    for k in range(n_arms - 1, 0, -1):
        gap = values[ranking[k]] - values[ranking[k - 1]]
        if gap > best:
            best, split = gap, k
    for k in range(n_arms):
        arms[ranking[k]]["top"] = k >= split


@compiled
def tell_batch(
    told: Integers,
    rewards: Floats,
    radii: Floats,
    nested: bool,
    kind: int,
    rule: int,
    c: float,
    lil_log_delta: float,
    arms: Records,
    slots: Records,
    trees: Floats,
    numbers: Integers,
) -> None:
    """Take a batch of rewards, then decide once. The last arguments are a State."""
    moved = np.zeros(arms.size, np.bool_)
    for i in range(told.size):
        moved[told[i]] = True
        numbers[TOTAL] += 1
        numbers[UNSAMPLED] -= observe(arms, told[i], rewards[i])
        if update_interval(arms, told[i], radii, nested):
            numbers[CROSSED] = 1
    n_moved = 0
    for arm in range(arms.size):
        if moved[arm]:
            arms[n_moved]["next"] = arm
            n_moved += 1
    track_leaders(arms, n_moved, numbers)
    settle(arms, slots, trees, n_moved)
    decide(arms, slots, trees, numbers, kind, rule, c, lil_log_delta)


# --------------------------------------------------------------------------------------------
# Ask and tell
# --------------------------------------------------------------------------------------------


class Policy:
    """What all policies share. Not used itself: take one of the five below.

    Parameters
    ----------
    arms : int or iterable of hashable
        How many arms, or their distinct labels in order. A count stands for 0, 1, ..., K - 1.
        Labels come back as they were given. As in a dict, equal ones are the same: 1, 1.0 and
        ``np.int64(1)``, or one instant in two units of NumPy's dates; but True is not 1. None is a
        label, NaN and whatever else is not equal to itself is not.
    delta : float
        Probability of error allowed, in (0, 1).
    sigma : float, array_like of shape (K,), or mapping
        Sub-Gaussian scale of the rewards, one for all arms or one per arm. A mapping or a pandas
        Series goes by its labels, which must be those of the arms, in any order.
    confidence : str or callable
        Name of a radius in :data:`maxgap.confidence.RADII`, or a function
        ``f(n, *, delta, n_arms, sigma)`` of the counts ``n`` (an array) that returns half-widths.
    nested : bool
        Intersect every interval with those before it (eq. 28 of the paper). If the intersection
        would be empty the arm keeps its last interval and a ``RuntimeWarning`` says so.
    stopping : str or None
        Name of a rule, see :mod:`maxgap.stopping`.

    Raises
    ------
    ValueError
        Names the argument and the value that cannot be used.

    Examples
    --------
    >>> policy = RoundRobin(["low", "high"], sigma=0.1)
    >>> while not policy.stopped:
    ...     for label in policy.ask():
    ...         policy.tell(label, {"low": 0.0, "high": 1.0}[label])
    >>> policy.certified, policy.counts.tolist(), policy.recommend().gap
    (True, [2, 2], 1.0)
    >>> policy.report()[["arm", "cluster"]].to_numpy().tolist()
    [['low', 'bottom'], ['high', 'top']]
    """

    _kind: int
    _default_stopping = "clusters"

    def __init__(
        self,
        arms: int | Iterable[Hashable],
        *,
        delta: float = 0.05,
        sigma: float | ArrayLike = 1.0,
        confidence: str | Callable[..., ArrayLike] = "normal-mixture",
        nested: bool = False,
        stopping: str | _Default | None = DEFAULT,
    ) -> None:
        self._labels = checked_labels(arms)
        self._index = label_index(self._labels)
        self._delta = check_delta(delta)
        self._sigmas, self._scalar_sigma = checked_sigmas(sigma, self._labels, self._index)
        self._confidence = checked_confidence(confidence)
        if not isinstance(nested, (bool, np.bool_)):
            raise ValueError(f"nested must be True or False, got {nested!r}")
        self._nested = bool(nested)
        if isinstance(stopping, _Default):
            stopping = self._default_stopping
        if not (stopping is None or isinstance(stopping, str)) or stopping not in RULE_CODES:
            raise ValueError(f"stopping must be one of {list(RULE_CODES)}, got {stopping!r}")
        self._stopping = stopping
        self._c = 5.0
        self._row_sigmas, row, factor = radius_rows(self._confidence, self._sigmas)
        self._places = row, factor
        self._state = new_state(self._sigmas, row, factor)
        self._room = 0
        self._set_locks()
        self._radii = np.full((self._row_sigmas.size, 1), np.inf)

    # -- what to do next ---------------------------------------------------------------------

    def ask(self) -> list[Hashable]:
        """Labels of the arms to sample next, once each; empty once stopped.

        Changes nothing. Arms that were never sampled come first.

        Examples
        --------
        >>> policy = MaxGapUCB(["x", "y"])
        >>> policy.ask(), policy.ask()
        (['x', 'y'], ['x', 'y'])
        """
        with self._lock:
            return [self._labels[arm] for arm in self._listed().tolist()]

    def tell(self, arms: Hashable | Sequence[Hashable] | ArrayLike, rewards: ArrayLike) -> None:
        """Take one reward of one arm, or rewards and arms in two sequences of equal length.

        A reward is any real number: of Python, its decimals and fractions included, of NumPy or of
        pandas. The two sequences may be columns, views or iterators, which are consumed; they pair
        up by position, whatever a Series has as its index.

        Any arm may be told at any time, asked for or not, in any order. The policy decides once
        after each call. After it has stopped, rewards still count in the means and intervals; the
        answer stays.

        Raises
        ------
        ValueError
            For an unknown label, a reward that is not a finite number, unequal lengths, or a set,
            which has no order. Nothing is taken then, not even what was right.
        """
        indices, values = checked_batch(arms, rewards, self._labels, self._index)
        if indices.size == 0:
            return
        with self._lock:
            state = self._state
            self._make_room(indices.size)
            crossed_before = state.numbers[CROSSED]
            tell_batch(indices, values, *self._settings(), *state)
            crossed = state.numbers[CROSSED] > crossed_before
        if crossed:
            self._warn_crossed()

    @property
    def stopped(self) -> bool:
        """Whether the stopping rule has held."""
        return bool(self._state.numbers[STOPPED])

    @property
    def certified(self) -> bool:
        """Whether the policy stopped by a rule that guarantees an error of at most ``delta``.

        True only if the rule's guarantee is proved (:mod:`maxgap.stopping`) and so is the radius's
        (:func:`maxgap.confidence.guarantees`).
        """
        return bool(self._state.numbers[STOPPED] == BY_PROVED_RULE) and self._proved_radius()

    def recommend(self) -> Split:
        """The answer: the two clusters around the largest gap between empirical means.

        A policy that has stopped gives the answer it stopped with.

        Raises
        ------
        ValueError
            While some arm has no sample: there is no answer yet.
        """
        with self._lock:
            arms = self._state.arms.copy()
            stopped = self.stopped
        unsampled = np.flatnonzero(arms["count"] == 0)
        if unsampled.size > 0:
            missing = [self._labels[arm] for arm in unsampled[:5]]
            raise ValueError(
                f"no answer yet: {unsampled.size} of {len(self._labels)} arms have no "
                f"sample, among them {missing}"
            )
        if not stopped:
            mark_largest_empirical_gap(arms)
        top, means = arms["top"], arms["mean"]
        gap = float(means[top].min() - means[~top].max())
        return Split(
            frozenset(self._labels[arm] for arm in np.flatnonzero(top)),
            frozenset(self._labels[arm] for arm in np.flatnonzero(~top)),
            gap,
        )

    # -- what is known -----------------------------------------------------------------------

    @property
    def arms(self) -> list[Hashable]:
        """Labels, in the order of all arrays."""
        return list(self._labels)

    @property
    def counts(self) -> Integers:
        """Samples per arm, shape (K,)."""
        return self._column("count")

    @property
    def means(self) -> Floats:
        """Empirical means, shape (K,); 0 for an arm without a sample."""
        return self._column("mean")

    @property
    def lower(self) -> Floats:
        """Lower ends of the intervals, shape (K,)."""
        return self._column("lower")

    @property
    def upper(self) -> Floats:
        """Upper ends of the intervals, shape (K,)."""
        return self._column("upper")

    def gap_bounds(self) -> GapBounds:
        """Upper bounds on every arm's gaps, from the current intervals."""
        with self._lock:
            lower, upper = self.lower, self.upper
        return gap_upper_bounds(lower, upper)

    def gap_lower(self) -> GapLowerBound:
        """Lower bound on the largest gap, from the current intervals."""
        with self._lock:
            means, lower, upper = self.means, self.lower, self.upper
        return gap_lower_bound(np.clip(means, lower, upper), lower, upper)

    def report(self) -> pd.DataFrame:
        """One row per arm: samples, mean, interval, gap bounds and cluster.

        The mean of an arm without a sample is given as 0 and its interval is infinite; the cluster
        is "" while there is no answer.
        """
        import pandas as pd

        now = copy.copy(self)  # one moment for all columns, whoever tells meanwhile
        bounds = now.gap_bounds()
        cluster = np.full(len(now._labels), "", dtype=object)
        if now._state.numbers[UNSAMPLED] == 0:
            top = now.recommend().top
            cluster[:] = ["top" if label in top else "bottom" for label in now._labels]
        return pd.DataFrame(
            {
                "arm": pd.Series(now._labels, dtype=object),
                "samples": now.counts,
                "mean": now.means,
                "lower": now.lower,
                "upper": now.upper,
                "right_gap_bound": bounds.right,
                "left_gap_bound": bounds.left,
                "cluster": cluster,
            }
        )

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({len(self._labels)} arms, "
            f"{self._state.numbers[TOTAL]} samples, stopped={self.stopped})"
        )

    # -- copies --------------------------------------------------------------------------------

    def __getstate__(self) -> dict[str, Any]:
        """What a copy or a pickle holds: a state of its own, and no locks."""
        with self._lock:
            content = self.__dict__.copy()
            content["_state"] = copy.deepcopy(self._state)
        del content["_lock"], content["_save_lock"]
        return content

    def __setstate__(self, content: dict[str, Any]) -> None:
        self.__dict__.update(content)
        self._set_locks()

    # -- keeping -----------------------------------------------------------------------------

    def save(self, path: StrPath) -> None:
        """Write the policy to a JSON file, whole or not at all; :func:`maxgap.load` reads it.

        The file is written beside ``path``, flushed to disk and renamed, so a file that was there
        before is replaced only by a complete one. Its mode, and where allowed its owner, are kept;
        a new one is as accessible as the umask says. Of a symbolic link the target is replaced;
        another hard link to the same file keeps the old content.

        Raises
        ------
        ValueError
            If the radius is a function, or a label is not a string or a number: JSON has no form
            for them. If ``path`` is a device, a pipe or a socket.
        OSError
            Names the file if the system does not let it be written: it is a folder or read-only,
            its folder is missing or read-only, the disk is full. An old file is whole then.
        """
        if callable(self._confidence):
            raise ValueError(
                f"confidence is the function {self._confidence!r}; only a named radius can be saved"
            )
        for label in self._labels:
            if type(label) not in (str, int, float, bool) or label in (math.inf, -math.inf):
                raise ValueError(f"label {label!r} of type {type(label).__name__} cannot be saved")
        with self._save_lock:
            content = self._content()
            document = {
                "format": FORMAT,
                "version": FORMAT_VERSION,
                "sha256": digest(content),
                "policy": content,
            }
            write_whole(path, json.dumps(document, allow_nan=False, indent=1))

    def _content(self) -> dict[str, Any]:
        """What a file says of the policy."""
        with self._lock:
            self._listed()
            return {
                "class": type(self).__name__,
                "arms": self._labels,
                "delta": self._delta,
                "sigma": float(self._sigmas[0]) if self._scalar_sigma else self._sigmas.tolist(),
                "confidence": self._confidence,
                "nested": self._nested,
                "stopping": self._stopping,
                "c": self._c,
                "counts": self.counts.tolist(),
                "means": self.means.tolist(),
                # Infinite ends have no form in JSON.
                "lower": [x if math.isfinite(x) else None for x in self.lower.tolist()],
                "upper": [x if math.isfinite(x) else None for x in self.upper.tolist()],
                "active": self._column("active").tolist(),
                "top": self._column("top").tolist(),
                "next_arms": self._state.next_arms.tolist(),
                "sequence": self._state.sequence.tolist(),
                "numbers": self._state.numbers.tolist(),
            }

    # -- below: used by the above and by maxgap.simulate -----------------------------------------

    def _set_locks(self) -> None:
        # Whoever reads or changes the state holds the first; saves queue at the second, so that the
        # file's last state is the latest. Compiled code lets other threads run meanwhile.
        self._lock = threading.RLock()
        self._save_lock = threading.Lock()

    def _column(self, name: str) -> NDArray[Any]:
        """A copy of what is known of every arm, shape (K,)."""
        with self._lock:
            return self._state.arms[name].copy()

    def _listed(self) -> Integers:
        """The arms to sample next, listed now if they were not."""
        state = self._state
        list_next(*state, self._kind)
        return state.next_arms[: state.numbers[N_NEXT]]

    def _fresh(self) -> Policy:
        """A policy of the same settings that has not begun; shares the table of radii."""
        fresh = copy.copy(self)
        fresh._room = 0
        fresh._state = new_state(self._sigmas, *self._places)
        return fresh

    def _settings(self) -> tuple[Floats, bool, int, int, float, float]:
        """What the compiled functions need beside the state, in their order."""
        return (
            self._radii,
            self._nested,
            self._kind,
            RULE_CODES[self._stopping],
            self._c,
            _lil_log_delta(self._delta),
        )

    def _make_room(self, n_rewards: int) -> None:
        """Make the table of radii reach whatever counts so many further rewards lead to."""
        # The largest count is looked up only once the room found last time is used up.
        if n_rewards > self._room:
            largest = int(self._state.arms["count"].max())
            self._grow_radii(largest + n_rewards)
            self._room = self._radii.shape[1] - 1 - largest
        self._room -= n_rewards

    def _grow_radii(self, largest_count: int) -> None:
        """Make the table of radii reach this count."""
        if largest_count < self._radii.shape[1]:
            return
        size = max(2 * self._radii.shape[1], largest_count + 1, 1024)
        n = np.arange(size)
        self._radii = np.array(
            [
                radius(
                    self._confidence,
                    n,
                    delta=self._delta,
                    n_arms=len(self._labels),
                    sigma=float(sigma),
                )
                for sigma in self._row_sigmas
            ]
        )

    def _proved_radius(self) -> bool:
        return guarantees(self._confidence, self._sigmas)

    def _warn_crossed(self) -> None:
        warnings.warn(
            "an arm's interval no longer meets the ones before it: the assumption on the noise "
            "(sigma, independence, a fixed mean) looks violated",
            RuntimeWarning,
            stacklevel=3,
        )


class RoundRobin(Policy):
    """Non-adaptive sampling: always the arms with the fewest samples. The paper's baseline.

    Examples
    --------
    >>> policy = RoundRobin(3)
    >>> policy.tell([0, 2], [0.1, 0.9])
    >>> policy.ask()
    [1]
    """

    _kind = ROUND_ROBIN


class SortThenSearch(Policy):
    """The paper's naive baseline (Section 1.2): certify the order of the arms, then search.

    First samples every arm whose interval still touches another's. Once none do the order is
    certain, and best-arm identification by lil'UCB (Jamieson et al., 2014; epsilon 0.01, beta 1,
    lambda 9) runs on the K - 1 gaps of neighbours, sampling both arms of a gap. The samples of the
    first phase are reused.

    Examples
    --------
    Only the two arms whose intervals still touch are sampled.

    >>> policy = SortThenSearch(["low", "a", "b"], sigma=0.01)
    >>> for _ in range(5):
    ...     policy.tell(["low", "a", "b"], [0.0, 1.0, 1.001])
    >>> policy.ask()
    ['a', 'b']
    """

    _kind = SORT


class MaxGapElim(Policy):
    """Algorithm 1: sample the arms whose gap may still be the largest, drop the others for good.

    Examples
    --------
    The two lower arms lie close together, far from the upper one, and nothing between them can be
    the largest gap: the lowest arm is dropped.

    >>> policy = MaxGapElim(["lowest", "low", "high"], sigma=0.01, stopping=None)
    >>> for _ in range(5):
    ...     policy.tell(["lowest", "low", "high"], [0.0, 0.2, 1.0])
    >>> policy.ask(), policy.active
    (['low', 'high'], ['low', 'high'])
    """

    _kind = ELIM

    @property
    def active(self) -> list[Hashable]:
        """Labels of the arms not yet eliminated, the paper's A."""
        return [self._labels[arm] for arm in np.flatnonzero(self._state.arms["active"])]


class MaxGapUCB(Policy):
    """Algorithm 2: sample every arm that shares the highest gap bound.

    ``c`` is the factor of its stopping rule: two arms have ``c`` times the samples of all others.
    Under "clusters" it hardly ever stops, because it leaves all arms alone that do not share the
    highest bound; so its default is "paper", which certifies nothing.

    Examples
    --------
    The widest slot lies between the arms around the largest gap; both are sampled next.

    >>> policy = MaxGapUCB(4, sigma=0.01)
    >>> for _ in range(5):
    ...     policy.tell([0, 1, 2, 3], [0.0, 0.3, 0.9, 1.2])
    >>> policy.ask()
    [1, 2]
    """

    _kind = UCB
    _default_stopping = "paper"

    def __init__(
        self,
        arms: int | Iterable[Hashable],
        *,
        delta: float = 0.05,
        sigma: float | ArrayLike = 1.0,
        confidence: str | Callable[..., ArrayLike] = "normal-mixture",
        nested: bool = False,
        stopping: str | _Default | None = DEFAULT,
        c: float = 5.0,
    ) -> None:
        super().__init__(
            arms, delta=delta, sigma=sigma, confidence=confidence, nested=nested, stopping=stopping
        )
        self._c = checked_factor(c)


class MaxGapTop2UCB(Policy):
    """Algorithm 3: sample every arm that has one of the two highest gap bounds.

    Examples
    --------
    >>> means = [0.0, 0.1, 0.9, 1.0]
    >>> policy = MaxGapTop2UCB(4, sigma=0.1)
    >>> while not policy.stopped:
    ...     arms = policy.ask()
    ...     policy.tell(arms, [means[arm] for arm in arms])
    >>> policy.certified, sorted(policy.recommend().top)
    (True, [2, 3])
    """

    _kind = TOP2


POLICIES = {
    cls.__name__: cls for cls in (RoundRobin, SortThenSearch, MaxGapElim, MaxGapUCB, MaxGapTop2UCB)
}


def load(path: StrPath) -> Policy:
    """Read a policy that :meth:`Policy.save` has written; it goes on as if never stopped.

    Raises
    ------
    ValueError
        Names the file if it is not a saved policy, was cut short or was changed by hand, also if
        what it says contradicts itself.
    OSError
        Names the file if it is not there or cannot be read.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> policy = RoundRobin(["red", "blue"])
    >>> policy.tell("red", 0.5)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     policy.save(Path(folder) / "policy.json")
    ...     load(Path(folder) / "policy.json").counts.tolist()
    [1, 0]
    """
    name = checked_path(path)
    try:
        with open(name, encoding="utf-8") as file:
            document = json.load(file)
        if document["format"] != FORMAT:
            raise ValueError("it is of another format")
        if document["version"] != FORMAT_VERSION:
            raise ValueError(f"version {document['version']!r} is not {FORMAT_VERSION}")
        content = document["policy"]
        if document["sha256"] != digest(content):
            raise ValueError("its contents do not match their checksum")
        policy = _restored(content)
        if digest(policy._content()) != digest(content):
            raise ValueError("it holds what no policy writes")
        return policy
    except (
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        OverflowError,
        RecursionError,
    ) as problem:
        raise ValueError(f"{name!r} is not a saved policy: {problem}") from problem


def _restored(content: dict[str, Any]) -> Policy:
    """The policy that this content describes."""
    cls = POLICIES[content["class"]]
    extra = {"c": content["c"]} if cls is MaxGapUCB else {}
    policy = cls(
        content["arms"],
        delta=content["delta"],
        sigma=content["sigma"],
        confidence=content["confidence"],
        nested=content["nested"],
        stopping=content["stopping"],
        **extra,
    )
    n_arms = len(policy._labels)
    state = policy._state
    for field, name, kind in (
        ("count", "counts", int),
        ("mean", "means", float),
        ("active", "active", bool),
        ("top", "top", bool),
    ):
        state.arms[field] = _saved_list(content, name, kind, n_arms)
    for name, missing in (("lower", -math.inf), ("upper", math.inf)):
        ends = _saved_list(content, name, (float, type(None)), n_arms)
        state.arms[name] = [missing if x is None else x for x in ends]
    state.next_arms[:] = _saved_list(content, "next_arms", int, n_arms)
    state.sequence[:] = _saved_list(content, "sequence", int, n_arms)
    state.numbers[:] = _saved_list(content, "numbers", int, N_NUMBERS)
    _check_restored(policy)
    sort_again(state.arms, state.slots, 0, n_arms - 1)
    renew_slots(state.slots, state.trees, 0, n_arms - 1)
    return policy


def _saved_list(
    content: dict[str, Any], name: str, kind: type | tuple[type, ...], size: int
) -> list[Any]:
    """A saved list, or a ValueError if NumPy would have to bend it into shape."""
    values = content[name]
    kinds = kind if isinstance(kind, tuple) else (kind,)
    if not isinstance(values, list) or len(values) != size:
        raise ValueError(f"{name} is not a list of {size}")
    for value in values:
        if type(value) not in kinds:
            raise ValueError(f"{name} holds {value!r}")
    return values


def _check_restored(policy: Policy) -> None:
    """Refuse a state that no policy can be in: compiled code trusts indices and counts.

    What follows from the counts, the means and the intervals is compared with what they give.
    Files of version 0.1.0 differ from ours in the last bits of a radius, in nothing else.
    """
    state = policy._state
    arms, counters = state.arms, state.numbers
    n_arms, counts, n_next = arms.size, arms["count"], counters[N_NEXT]
    every_arm = np.arange(n_arms)
    asked = state.next_arms[: max(n_next, 0)]
    leaders = counters[[FIRST, SECOND]]
    known = ((leaders >= 0) & (leaders < n_arms)).all() and leaders[0] != leaders[1]
    unsampled = counts == 0
    stopped = counters[STOPPED] != 0
    complete = not unsampled.any()
    searching = policy._kind == SORT and complete
    last_look = counters[LAST_LOOK]
    looks = policy._stopping == "authors" and complete and last_look >= rules.AUTHORS_LOOK_EVERY
    for name, holds in (
        ("counts", (counts >= 0).all() and sum(counts.tolist()) == counters[TOTAL]),
        ("means", (np.abs(arms["mean"]) <= LARGEST_REWARD).all()),
        ("means", (arms["mean"][unsampled] == 0).all()),
        ("lower and upper", (arms["lower"] <= arms["upper"]).all()),
        ("lower", np.array_equal(arms["lower"] == -np.inf, unsampled)),
        ("upper", np.array_equal(arms["upper"] == np.inf, unsampled)),
        ("sequence", np.array_equal(np.sort(state.sequence), every_arm)),
        ("sequence", counters[SEARCHING] == 1 or np.array_equal(state.sequence, every_arm)),
        ("next_arms", ((state.next_arms >= 0) & (state.next_arms < n_arms)).all()),
        ("next_arms", 0 <= n_next <= n_arms and (np.diff(asked) > 0).all()),
        ("next_arms", (n_next == 0) == stopped),
        ("numbers", unsampled.sum() == counters[UNSAMPLED]),
        ("numbers", known and np.array_equal(counts[leaders], np.sort(counts)[:-3:-1])),
        ("numbers", counters[STOPPED] in (0, _way_to_stop(policy))),
        ("numbers", not stopped or complete),
        ("numbers", counters[SEARCHING] in ((0, 1) if searching else (0,))),
        ("numbers", counters[SEARCHING] == 1 or not (stopped and policy._kind == SORT)),
        ("numbers", counters[CROSSED] in ((0, 1) if policy._nested else (0,))),
        ("numbers", last_look == 0 or (looks and last_look <= counters[TOTAL])),
        ("numbers", last_look > 0 or not (stopped and policy._stopping == "authors")),
        ("active", (policy._kind == ELIM and complete) or arms["active"].all()),
        ("top", 0 < arms["top"].sum() < n_arms if stopped else not arms["top"].any()),
    ):
        if not holds:
            raise ValueError(f"its {name} cannot be those of a policy")
    _check_intervals(policy)
    _check_decision(policy)


def _way_to_stop(policy: Policy) -> int:
    """The value of ``numbers[STOPPED]`` after its rule has held; 0 if it never does."""
    rule, kind = policy._stopping, policy._kind
    if rule == "clusters" or (rule == "paper" and kind == ELIM):
        return BY_PROVED_RULE
    no_rule = {ROUND_ROBIN: (None, "paper", "literal"), SORT: (None, "authors")}
    return 0 if rule in no_rule.get(kind, (None,)) else BY_RULE


def _check_intervals(policy: Policy) -> None:
    """Refuse intervals that the counts and means do not give, eqs. (5) and (28)."""
    sampled = policy._state.arms["count"] > 0
    arms = policy._state.arms[sampled]
    half_width = radius(
        policy._confidence,
        arms["count"],
        delta=policy._delta,
        n_arms=sampled.size,
        sigma=policy._sigmas[sampled],
    )
    rounding = 1e-9 * half_width + 1e-15 * np.abs(arms["mean"])
    below = arms["lower"] - (arms["mean"] - half_width)
    above = arms["mean"] + half_width - arms["upper"]
    if not policy._nested:
        fits = (np.abs(below) <= rounding) & (np.abs(above) <= rounding)
    else:
        # One that has crossed keeps an interval from before, which was not always as narrow.
        fits = (below >= -rounding) & (above >= -rounding)
        fits |= policy._state.numbers[CROSSED] == 1
    if not fits.all():
        raise ValueError("its lower and upper cannot be those of a policy")


def _check_decision(policy: Policy) -> None:
    """Refuse next arms, or a stop, that the intervals do not give.

    After a stop the intervals may have moved on. Only where they cannot have, because every arm
    has a single sample, is it decided again; and nested ones only shrink, so that what was certain
    still is.
    """
    given = policy._state
    state = copy.deepcopy(given)
    arms, counters = state.arms, state.numbers
    sort_again(arms, state.slots, 0, arms.size - 1)
    renew_slots(state.slots, state.trees, 0, arms.size - 1)
    stopped = counters[STOPPED] != 0
    if stopped:
        top = given.arms["top"]
        apart = given.arms["lower"][top].min() > given.arms["upper"][~top].max()
        held = policy._nested and counters[CROSSED] == 0
        if counters[STOPPED] == BY_PROVED_RULE and held and not apart:
            raise ValueError("its top cannot be that of a policy")
        if counters[TOTAL] > arms.size:
            return
        counters[[STOPPED, LAST_LOOK, SEARCHING]] = 0
        arms["active"], arms["top"], arms["sequence"] = True, False, np.arange(arms.size)
    elif policy._kind == ELIM and counters[N_NEXT] == arms.size and arms["active"].all():
        return  # all may have been let in again, after an interval has missed
    decide(*state, *policy._settings()[2:])
    list_next(*state, policy._kind)
    n_next = counters[N_NEXT]
    for name, holds in (
        ("numbers", np.array_equal(counters, given.numbers)),
        ("next_arms", np.array_equal(state.next_arms[:n_next], given.next_arms[:n_next])),
        ("sequence", np.array_equal(state.sequence, given.sequence)),
        ("active", np.array_equal(arms["active"], given.arms["active"])),
        ("top", np.array_equal(arms["top"], given.arms["top"])),
    ):
        if not holds:
            raise ValueError(f"its {name} cannot be those of a policy")


def _lil_log_delta(delta: float) -> float:
    """Logarithm of lil'UCB's own delta, such that its theorem gives an error of at most ``delta``.

    Jamieson et al. (2014) bound the error by 4 sqrt(x) + 4 x with
    x = (2 + e) / e * (d / log(1 + e))^(1 + e), solved here for log(d).
    """
    # sqrt(x) = (sqrt(1 + delta) - 1) / 2, without the difference of near equals.
    log_x = 2.0 * (log(delta) - log(2.0 * (math.sqrt(1.0 + delta) + 1.0)))
    e = LIL_EPSILON
    return log(log(1.0 + e)) + (log_x + log(e / (2.0 + e))) / (1.0 + e)
