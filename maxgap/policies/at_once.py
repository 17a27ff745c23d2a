"""What the wing of ratings needs of a policy's inside; nothing else there reaches into one.

All rows of a table are taken at once, in array operations alone: the same as telling them one by
one, up to rounding, with nothing to compile. And a policy goes on with made-up rewards, to see how
many more it takes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable
from typing import Any, NamedTuple

import numpy as np

from maxgap.engine.state import BY_PROVED_RULE, FIRST_SQUARE
from maxgap.engine.state import begin as decide
from maxgap.engine.types import Flags, Floats, Integers, Records
from maxgap.policies._batch import shares, waiting_counts
from maxgap.policies.base import Policy

__all__ = [
    "Cost",
    "Round",
    "begin",
    "cost",
    "orders_may_hold",
    "questions",
    "scales",
    "simulated_round",
    "stand_by",
    "take_all",
]

#: Rows in pieces, that can be gone through again: numbers of arms, rewards.
Pieces = Iterable[tuple[Integers, Floats]]


def take_all(
    policy: Policy, pieces: Pieces, counts: Integers, means: Floats, scatter: Floats
) -> None:
    """Take all rewards into a policy that has none, of arms with these moments, shape (K,).

    These are the number of rewards, their mean, the sum of squared distances from it; the pieces
    have been checked, in the order of drawing, and are gone through twice at most. Nothing is
    decided yet, and the order of the arms is left to :func:`begin`; until then counts, means,
    intervals and objections are right, and a copy may be made.
    """
    policy._grow(counts)
    arms, progress = policy._state.arms, policy._state.progress[0]
    arms["count"], arms["mean"], arms["scatter"] = counts, means, scatter
    progress["total"], progress["unsampled"] = counts.sum(), (counts == 0).sum()
    intervals = policy._state.intervals
    if hasattr(intervals, "stacks"):
        _keep_sums(intervals, pieces)
        intervals = intervals.intervals
    if hasattr(intervals, "radii"):
        radius = arms["factor"] * intervals.radii[arms["row"], counts]
        lower, upper = means - radius, means + radius
    else:
        spread, sums = 2 * arms["sigma"], intervals.sums
        _add_sums(sums, pieces, means)
        sums["squares"] /= spread**2
        bound = np.full(counts.size, np.inf)
        for intercept, slope in intervals.lines.T:
            bound = np.minimum(bound, intercept + slope * (FIRST_SQUARE + sums["squares"]))
        radius = spread * bound / np.maximum(counts, 1)
        lower = np.minimum(np.maximum(means - radius, sums["highest"] - spread), means)
        upper = np.maximum(np.minimum(means + radius, sums["lowest"] + spread), means)
    arms["lower"] = np.where(counts > 0, lower, -np.inf)
    arms["upper"] = np.where(counts > 0, upper, np.inf)


def begin(policy: Policy) -> None:
    """Put the arms of such a policy in order, and decide, unless it has stopped; once is enough."""
    decide(policy._state, policy._lines, policy._rule)
    policy._finish_in_python()


def orders_may_hold(policy: Policy, top: Flags) -> bool:
    """Whether contrasts may certify this answer: they need the top certainly above all others.

    By :func:`maxgap.contrasts.plain.certainly_above`, at the largest share of delta it can have.
    """
    from maxgap.contrasts.look import RHO_ORDERS, SHARES_OF_FEW, SHARES_OF_MANY

    arms = policy._state.arms
    largest = max(SHARES_OF_FEW[0], SHARES_OF_MANY[0])
    needed = math.log(top.size * (top.size - 1) / 2 / (policy._share * largest))
    n = np.maximum(arms["count"], 1)
    spread = arms["sigma"] ** 2 * (1 / n + RHO_ORDERS / n**2)
    growth = np.log1p(n / RHO_ORDERS)
    distance = np.subtract.outer(arms["mean"][top], arms["mean"][~top])
    evidence = distance**2 / (2 * np.add.outer(spread[top], spread[~top]))
    evidence -= np.add.outer(growth[top], growth[~top]) / 2
    # What is not seen for sure, by rounding, is left to the compiled look.
    return bool((evidence >= needed - 1e-6).all())


def stand_by(policy: Policy, top: Flags) -> None:
    """Stop with this answer, shape (K,), by a rule that is proved: the caller has looked at it."""
    policy._state.arms["top"] = top
    progress = policy._state.progress[0]
    progress["stopped"], progress["n_next"] = BY_PROVED_RULE, 0


def questions(policy: Policy, size: int, pending: Any = ()) -> dict[Hashable, int]:
    """What ``policy.batch`` asks for, counted by label: a size of any magnitude costs no more."""
    waiting = waiting_counts(pending, policy._labels, policy._index)
    with policy._lock:
        shared = shares(size, policy._listed_for_many().tolist(), policy.counts, waiting)
    return {policy._labels[arm]: n for arm, n in shared.items()}


def scales(policy: Policy) -> Floats:
    """The sub-Gaussian scale of every arm, shape (K,)."""
    return policy._sigmas.copy()


class Cost(NamedTuple):
    """What going on costs: a round and a look at contrasts, in rewards drawn meanwhile; a copy."""

    round: int
    look: int
    bytes: int


def cost(policy: Policy, n_groups: int) -> Cost:
    """What a simulation of this policy costs; measured."""
    n_arms = policy._sigmas.size
    in_python = policy._state.progress[0]["in_python"]
    price = 3_000 + 27 * n_arms if in_python else 1_000 + 2 * n_arms
    price += 100 * min(n_groups, n_arms - n_groups)
    look = n_arms**2 // 2 if hasattr(policy._state.intervals, "stacks") else 0
    return Cost(price, look, _bytes(policy._state))


def _bytes(part: Any) -> int:
    """Memory of all arrays in a named tuple of such."""
    return sum(map(_bytes, part)) if isinstance(part, tuple) else getattr(part, "nbytes", 0)


class Round(NamedTuple):
    """A round of made-up rewards: how many, and whether contrasts were looked at after it."""

    rewards: int
    looked: bool


def simulated_round(
    policy: Policy, draw: Callable[[Integers], Floats], *, part: int, most: int
) -> Round:
    """Tell a policy a round of made-up rewards, and let it decide.

    Every arm that it asks for gets one reward for each ``part`` that it has, at least one; in all
    at most ``most``. The policy has begun and not stopped; ``draw`` takes numbers of arms, shape
    (n,), and returns a reward for each. That these object to sigma is nothing to be told.
    """
    asked, last_look = policy._listed().copy(), _last_look(policy)
    arms = np.repeat(asked, np.maximum(1, policy.counts[asked] // part))[:most]
    policy._tell(arms, draw(arms))
    looked = last_look != _last_look(policy) or policy._always_keeps_rewards
    return Round(arms.size, looked)


def _last_look(policy: Policy) -> int:
    """After how many samples contrasts were looked at last."""
    kept = policy._state.intervals
    return int(kept.seen[0]["last_look"]) if hasattr(kept, "seen") else 0


def _add_sums(sums: Records, pieces: Pieces, means: Floats) -> None:
    """Of every arm its `SUMS`: of a reward the error is from the mean of those before it."""
    known = np.zeros(means.size, np.int64)
    past = np.zeros(means.size)
    for numbers, values in pieces:
        order = np.argsort(numbers, kind="stable")
        arm, values = numbers[order], values[order]
        starts = np.flatnonzero(np.r_[True, arm[1:] != arm[:-1]][: arm.size])
        here, sizes = arm[starts], np.diff(np.r_[starts, arm.size])
        new = known[here] == 0
        lowest = np.minimum.reduceat(values, starts)
        highest = np.maximum.reduceat(values, starts)
        sums["lowest"][here] = np.where(new, lowest, np.minimum(lowest, sums["lowest"][here]))
        sums["highest"][here] = np.where(new, highest, np.maximum(highest, sums["highest"][here]))
        # From the mean of all the distances are small, and so is what their sums lose.
        off = values - means[arm]
        before = np.r_[0.0, np.cumsum(off)]
        total = before[starts + sizes] - before[starts]
        before = before[:-1] + np.repeat(past[here] - before[starts], sizes)
        n = np.arange(arm.size) + np.repeat(known[here] - starts, sizes)
        errors = np.where(n > 0, off - before / np.maximum(n, 1), 0.0)
        sums["squares"][here] += np.add.reduceat(errors**2, starts)
        known[here] += sizes
        past[here] += total


def _keep_sums(kept: Any, pieces: Pieces) -> None:
    """The sums of the first rewards of every arm, from the origin."""
    sums, seen = kept.sums, kept.seen[0]
    at = kept.stacks["start"].copy()
    for numbers, values in pieces:
        if seen["origin"] == np.inf:
            seen["origin"] = values[0]
        for arm in np.unique(numbers).tolist():
            further = values[numbers == arm] - seen["origin"]
            end = at[arm] + further.size
            sums[at[arm] + 1 : end + 1] = sums[at[arm]] + np.cumsum(further)
            at[arm] = end
