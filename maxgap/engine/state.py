"""What a policy knows, and a round: take the rewards, see whether it is over, choose.

A round is written once, here; ask/tell and the compiled runs of :mod:`maxgap.engine.runs` call it.
What differs comes in as an object of its own type, whose methods the compiler puts in place:

* *intervals* say what a reward does to an arm's interval: :class:`ByCount`, :class:`FromSums`;
* *lines* are those of an algorithm, with what it remembers: subclasses of :class:`Lines`;
* a *rule* says when to stop and with which answer: subclasses of :class:`Rule`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from maxgap._saving import check_saved, saved_list
from maxgap.engine.compiled import compiled, inlined, internal, method
from maxgap.engine.slots import Order, certain_gap_lies_at, list_marked, new_order, settle
from maxgap.engine.types import Flags, Floats, Integers, Records

#: Values of ``stopped``; 0 while it goes on.
BY_RULE, BY_PROVED_RULE = 1, 2
#: Values of ``n_next``, where plain Python says whom to sample next: nobody has asked it yet, nor,
#: of the second, whether to stop.
UNLISTED, UNDECIDED = -1, -2

#: What is known of one arm.
ARM = np.dtype(
    [
        ("count", np.int64),
        ("mean", np.float64),
        ("scatter", np.float64),  # sum of squared distances from the mean, of rewards told
        ("lower", np.float64),
        ("upper", np.float64),
        ("sigma", np.float64),
        ("row", np.int64),  # of the table of radii
        ("factor", np.float64),  # of the radii in that row
        ("position", np.int64),  # in the order by lower end
        ("top", np.bool_),  # the answer, once stopped
    ],
    align=True,
)

#: How far a policy has come.
PROGRESS = np.dtype(
    [
        ("total", np.int64),  # samples
        ("unsampled", np.int64),  # arms
        ("rounds", np.int64),
        ("n_moved", np.int64),  # how many of State.next had rewards in the last round
        ("n_next", np.int64),  # how many of State.next to sample next, or UNLISTED, UNDECIDED
        ("in_python", np.int64),  # 1 if plain Python says whom to sample next, or when to stop
        ("stopped", np.int64),  # 0, BY_RULE or BY_PROVED_RULE
        ("crossed", np.int64),  # 1 once nested intervals have crossed
    ],
    align=True,
)


class State(NamedTuple):
    """What every policy knows."""

    arms: Records  # ARM, by arm
    order: Order
    next: Integers  # increasing: the arms that had rewards in the last round, then those to sample
    progress: Records  # one PROGRESS
    intervals: Any  # ByCount, FromSums, or what holds one of these


def new_state(sigmas: Floats, row: Integers, factor: Floats, intervals: Any) -> State:
    """State before the first sample: every interval is the whole line, every arm comes next."""
    n_arms = sigmas.size
    arms = np.zeros(n_arms, ARM)
    arms["lower"], arms["upper"] = -np.inf, np.inf
    arms["sigma"], arms["row"], arms["factor"] = sigmas, row, factor
    arms["position"] = np.arange(n_arms)
    progress = np.zeros(1, PROGRESS)
    progress["unsampled"] = progress["n_next"] = n_arms
    return State(arms, new_order(n_arms), np.arange(n_arms), progress, intervals)


# -- intervals -------------------------------------------------------------------------------------


class ByCount(NamedTuple):
    """Intervals by count and mean, eq. (5): ``factor radii[row, count]`` is an arm's radius."""

    radii: Floats  # (rows, counts)
    nested: bool

    @method
    def take(self, arms: Records, arm: int, reward: float) -> None:
        """Note a reward: count and mean do."""

    @method
    def renew(self, arms: Records, arm: int) -> bool:
        """The interval from what is known; whether nested intervals have crossed."""
        known = arms[arm]
        radius = known["factor"] * self.radii[known["row"], known["count"]]
        mean = known["mean"]
        return _set_interval(arms, arm, mean - radius, mean + radius, self.nested)

    @method
    def has_room(self, arms: Records, arm: int) -> bool:
        """Whether the arm can have one reward more."""
        return arms[arm]["count"] + 1 < self.radii.shape[1]

    def room(self, counts: Integers) -> int:
        """How many rewards more there is room for, whichever arms they are of."""
        return self.radii.shape[1] - 1 - int(counts.max())

    def grown(self, counts: Integers, needed: Integers, radii: Callable[[int], Floats]) -> ByCount:
        """The same with room for ``needed`` rewards of each arm."""
        if needed.max() < self.radii.shape[1]:
            return self
        return self._replace(radii=radii(int(needed.max())))

    def saved(self, arms: Records) -> dict[str, Any]:
        """What a file says of them: counts and means give them again."""
        return {}

    def restored(
        self, content: Mapping[str, Any], arms: Records, radii: Callable[[int], Floats]
    ) -> ByCount:
        """The same with room for the rewards of these arms."""
        return self.grown(arms["count"], arms["count"], radii)


#: Running sums over the rewards of one arm.
SUMS = np.dtype(
    [
        ("squares", np.float64),  # of the distances from the mean so far, in units of the range
        ("lowest", np.float64),  # reward
        ("highest", np.float64),  # reward
    ],
    align=True,
)

#: What the first reward adds to the squares at most: nobody knows its range, but half of it.
FIRST_SQUARE = 0.25


class FromSums(NamedTuple):
    """Intervals that look at the rewards of an arm, in a range of which sigma is half the width.

    The empirical Bernstein bound of :func:`maxgap.confidence.bernstein_lines`: with the range R of
    the rewards and V their squares, the mean lies within R min(intercept + slope V) / n of the
    empirical one; and surely no further than R from any reward.
    """

    sums: Records  # SUMS, by arm
    lines: Floats  # (2, lines): intercepts and slopes
    nested: bool

    def take(self, arms: Records, arm: int, reward: float) -> None:
        """Note a reward; count and mean have it. All but the first are foretold by the mean."""
        sums, known = self.sums[arm], arms[arm]
        n = known["count"] - 1
        if n == 0:
            sums["lowest"] = sums["highest"] = reward
            return
        sums["lowest"] = min(sums["lowest"], reward)
        sums["highest"] = max(sums["highest"], reward)
        # The mean before this reward, from the mean after it.
        ahead = (reward - known["mean"]) * (n + 1.0) / n / (2.0 * known["sigma"])
        sums["squares"] += ahead * ahead

    def renew(self, arms: Records, arm: int) -> bool:
        """The interval from what is known; whether nested intervals have crossed."""
        spread, mean = 2.0 * arms[arm]["sigma"], arms[arm]["mean"]
        squares = FIRST_SQUARE + self.sums[arm]["squares"]
        bound = np.inf
        for k in range(self.lines.shape[1]):
            bound = min(bound, self.lines[0, k] + self.lines[1, k] * squares)
        radius = spread * bound / arms[arm]["count"]
        low = min(max(mean - radius, self.sums[arm]["highest"] - spread), mean)
        high = max(min(mean + radius, self.sums[arm]["lowest"] + spread), mean)
        return _set_interval(arms, arm, low, high, self.nested)

    def has_room(self, arms: Records, arm: int) -> bool:
        """Whether the arm can have one reward more: always."""
        return True

    def room(self, counts: Integers) -> int:
        """How many rewards more there is room for."""
        return 1 << 62

    def grown(self, counts: Integers, needed: Integers, radii: Callable[[int], Floats]) -> FromSums:
        """The same: nothing has to grow."""
        return self

    def saved(self, arms: Records) -> dict[str, Any]:
        """What a file says of them."""
        return {name: self.sums[name].tolist() for name in SUMS.names or ()}

    def restored(
        self, content: Mapping[str, Any], arms: Records, radii: Callable[[int], Floats]
    ) -> FromSums:
        """These with the sums that a file says, or a ValueError if no rewards have them."""
        sums, count, mean, sigma = self.sums, arms["count"], arms["mean"], arms["sigma"]
        for name in SUMS.names or ():
            sums[name] = saved_list(content, name, float, sums.size)
            check_saved(name, np.isfinite(sums[name]).all() and not sums[name][count == 0].any())
        low, high = sums["lowest"], sums["highest"]
        slack, once, often = 1e-9 * sigma, count == 1, count > 1
        fit = (low <= high).all() and (high - low <= 2.1 * sigma).all()
        alone = np.array_equal(low[once], mean[once]) and np.array_equal(high[once], mean[once])
        check_saved("lowest and highest", fit and alone)
        check_saved("means", ((low - slack <= mean) & (mean <= high + slack))[often].all())
        check_saved("squares", not sums["squares"][once].any())
        check_saved("squares", ((sums["squares"] >= 0) & (sums["squares"] <= 1.01 * count)).all())
        return self


@inlined
def _set_interval(arms: Records, arm: int, low: float, high: float, nested: bool) -> bool:
    """Set the ends, inside those before if nested (eq. 28); whether they have crossed.

    Crossed intervals say that some interval has missed. The arm then keeps its last one.
    """
    if nested:
        low, high = max(low, arms[arm]["lower"]), min(high, arms[arm]["upper"])
        if low > high:
            return True
    arms[arm]["lower"] = low
    arms[arm]["upper"] = high
    return False


# -- lines and rules -------------------------------------------------------------------------------


class Lines(NamedTuple):
    """The lines of an algorithm; one with a memory is a named tuple of its own."""

    bounds: bool  # whether they look at gap bounds

    @method
    def after_round(self, state: State) -> bool:
        """Remember what a round changes beside samples; whether any rule may be looked at."""
        return True

    @method
    def choose(self, state: State) -> None:
        """List the arms to sample next, once all have a sample. These leave it to Python."""
        state.progress[0]["n_next"] = UNLISTED

    def saved(self) -> dict[str, Any]:
        """What a file says of it: nothing but samples is remembered."""
        return {}

    def restore(self, content: Mapping[str, Any], complete: bool) -> None:
        """Nothing but samples is remembered."""


class Rule(NamedTuple):
    """When to stop, and with which answer."""

    bounds: bool  # whether it looks at bounds, or at anything else
    proved: bool
    lines: Any  # those of the algorithm, with what they remember

    @classmethod
    def of(cls, proved: bool, lines: Any) -> Rule:
        """The rule beside these lines, which it may ask."""
        return cls(True, proved, lines)

    @method
    def holds(self, state: State) -> bool:
        """Whether to stop: never."""
        return False

    @method
    def answer(self, state: State) -> None:
        """Set ``top`` to the answer, by default the empirical one."""
        answer_empirically(state.arms)


# -- a round ---------------------------------------------------------------------------------------


@inlined
def observe(arms: Records, arm: int, reward: float) -> bool:
    """Take one reward: count and mean. Returns whether it is the arm's first."""
    known = arms[arm]
    n = known["count"] + 1
    known["count"] = n
    mean = known["mean"]
    known["mean"] = mean + (reward - mean) / n
    return n == 1


@compiled(patient=True)
def tell(state: State, lines: Any, rule: Any, told: Integers, rewards: Floats) -> bool:
    """A round of given rewards; whether nested intervals have crossed for the first time."""
    arms, slots, progress = state.arms, state.order.slots, state.progress[0]
    crossed_before = progress["crossed"] == 1
    for k in range(slots.size):
        slots[k]["touches"] = False
    for i in range(told.size):
        arm = told[i]
        slots[arms[arm]["position"]]["touches"] = True
        before = arms[arm]["mean"]
        progress["unsampled"] -= observe(arms, arm, rewards[i])
        state.intervals.take(arms, arm, rewards[i])
        progress["crossed"] |= state.intervals.renew(arms, arm)
        arms[arm]["scatter"] += (rewards[i] - before) * (rewards[i] - arms[arm]["mean"])
    progress["total"] += told.size
    progress["n_moved"] = list_marked(arms, slots, state.next)
    settle(arms, state.order, state.next, progress["n_moved"])
    end_round(state, lines, rule)
    return progress["crossed"] == 1 and not crossed_before


@compiled(patient=True)
def renew_all(state: State) -> None:
    """Make the intervals of all arms from what is known of them."""
    for arm in range(state.arms.size):
        if state.arms[arm]["count"] > 0:
            state.intervals.renew(state.arms, arm)


@compiled(patient=True)
def begin(state: State, lines: Any, rule: Any) -> None:
    """Go on from arms that are known, as if all had been told in one round."""
    for arm in range(state.next.size):
        state.next[arm] = arm
    state.progress[0]["n_moved"] = state.next.size
    settle(state.arms, state.order, state.next, state.next.size)
    end_round(state, lines, rule)


@inlined
def end_round(state: State, lines: Any, rule: Any) -> None:
    """After the rewards: stop, or list the arms to sample next."""
    progress = state.progress[0]
    progress["rounds"] += 1
    if progress["stopped"] != 0:
        return
    if progress["unsampled"] > 0:
        progress["n_next"] = list_with_fewest(state.arms, state.next)
        return
    may_stop = lines.after_round(state)
    if may_stop and rule.holds(state):
        progress["stopped"] = BY_PROVED_RULE if rule.proved else BY_RULE
        progress["n_next"] = 0
        rule.answer(state)
    elif progress["in_python"] != 0:
        progress["n_next"] = UNDECIDED if may_stop else UNLISTED
    else:
        lines.choose(state)


@compiled(patient=True)
def list_next(state: State, lines: Any) -> None:
    """List the arms that these lines would sample next."""
    lines.choose(state)


@internal
def list_with_fewest(arms: Records, listed: Integers) -> int:
    """List the arms with the fewest samples; returns how many there are."""
    fewest = arms[0]["count"]
    for arm in range(arms.size):
        fewest = min(fewest, arms[arm]["count"])
    n_next = 0
    for arm in range(arms.size):
        if arms[arm]["count"] == fewest:
            listed[n_next] = arm
            n_next += 1
    return n_next


# -- answers ---------------------------------------------------------------------------------------


@internal
def answer_around(state: State) -> None:
    """Set ``top`` to the arms above the certain gap."""
    slots = state.order.slots
    split = certain_gap_lies_at(state.order)
    for k in range(slots.size):
        state.arms[slots[k]["arm"]]["top"] = k >= split


@compiled(allocates=True)
def answer_empirically(arms: Records) -> None:
    """Set ``top`` to the arms above the largest gap between neighbouring empirical means.

    Nested intervals may leave an empirical mean outside; it counts at the nearest end.
    """
    values = np.empty(arms.size)
    for arm in range(arms.size):
        values[arm] = min(max(arms[arm]["mean"], arms[arm]["lower"]), arms[arm]["upper"])
    answer_by(arms, values)


def empirical_top(arms: Records) -> Flags:
    """The same answer from Python, with nothing to compile."""
    values = np.clip(arms["mean"], arms["lower"], arms["upper"])
    order = np.argsort(values, kind="stable")
    gaps = np.diff(values[order])
    top = np.zeros(arms.size, np.bool_)
    top[order[np.flatnonzero(gaps == gaps.max())[-1] + 1 :]] = True
    return top


@internal(allocates=True)
def answer_by(arms: Records, values: Floats) -> None:
    """Set ``top`` to the arms above the largest gap between neighbours; of equal gaps the highest.

    In linear time, without sorting: of twice as many pieces of the range as there are values none
    is as wide as the largest gap, which so lies between two pieces.
    """
    lowest = highest = values[0]
    for k in range(values.size):
        lowest, highest = min(lowest, values[k]), max(highest, values[k])
    if lowest == highest:
        for k in range(values.size):
            arms[k]["top"] = k == values.size - 1
        return
    n_pieces = 2 * values.size
    low, high = np.full(n_pieces, np.inf), np.full(n_pieces, -np.inf)
    for k in range(values.size):
        piece = min(int((values[k] - lowest) / (highest - lowest) * n_pieces), n_pieces - 1)
        low[piece] = min(low[piece], values[k])
        high[piece] = max(high[piece], values[k])
    widest, above, before = -1.0, highest, lowest
    for piece in range(n_pieces):
        if low[piece] <= high[piece]:
            if low[piece] - before >= widest:
                widest, above = low[piece] - before, low[piece]
            before = high[piece]
    for k in range(values.size):
        arms[k]["top"] = values[k] >= above
