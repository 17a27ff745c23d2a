"""What the wing of ratings needs of a policy's inside; nothing else there reaches into one.

All rows of a table are taken at once, in array operations alone. That is the same as telling them
one by one, up to rounding, with nothing to compile: an answer that the intervals give is there at
once. And a policy goes on with made-up rewards, to see how many more it takes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from maxgap._core.contrasts import RHO_ORDERS
from maxgap._core.intervals import BY_COUNT, FIRST_SQUARE
from maxgap._core.order import settle_all
from maxgap._core.state import BY_PROVED_RULE, track_leaders
from maxgap._core.types import Flags, Floats, Integers, Records
from maxgap.policies._batch import shares, waiting_counts
from maxgap.policies.paper import PaperPolicy

if TYPE_CHECKING:
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

#: Of delta that the orders of contrasts have at most.
LARGEST_SHARE = 0.1
#: Rows in pieces, that can be gone through again: numbers of arms, rewards.
Pieces = Iterable[tuple[Integers, Floats]]


def take_all(
    policy: Policy, pieces: Pieces, counts: Integers, means: Floats, scatter: Floats
) -> None:
    """Take all rewards into a policy that has none, of arms with these moments.

    Nothing is decided yet, and the order of the arms is left to :func:`begin`; until then counts,
    means, intervals and objections are right, and a copy may be made.

    Parameters
    ----------
    policy : Policy
        With no reward yet.
    pieces : iterable of (array, array)
        Numbers of arms and rewards, checked, in the order in which they were drawn; gone through
        twice at most.
    counts, means, scatter : array, shape (K,)
        Of every arm: how many of them, their mean, the sum of squared distances from it.
    """
    arms, progress = policy._state.arms, policy._state.progress[0]
    policy._grow_stacks(counts)
    policy._grow_radii(int(counts.max()))
    arms["count"], arms["mean"], arms["scatter"] = counts, means, scatter
    progress["total"], progress["unsampled"] = counts.sum(), (counts == 0).sum()
    if policy._state.stacks.size > 0:
        _keep_sums(policy, pieces)
    if policy._interval == BY_COUNT:
        radius = arms["factor"] * policy._radii[arms["row"], counts]
        lower, upper = means - radius, means + radius
    else:
        spread, sums = 2 * arms["sigma"], policy._state.sums
        _add_sums(sums, pieces, means)
        sums["squares"] /= spread**2
        bound = np.full(counts.size, np.inf)
        for intercept, slope in policy._lines.T:
            bound = np.minimum(bound, intercept + slope * (FIRST_SQUARE + sums["squares"]))
        radius = spread * bound / np.maximum(counts, 1)
        lower = np.minimum(np.maximum(means - radius, sums["highest"] - spread), means)
        upper = np.maximum(np.minimum(means + radius, sums["lowest"] + spread), means)
    arms["lower"] = np.where(counts > 0, lower, -np.inf)
    arms["upper"] = np.where(counts > 0, upper, np.inf)


def begin(policy: Policy) -> None:
    """Put the arms of such a policy in order, and decide: compiled, as all it does from then on.

    Whoever has stopped stays so, and doing it twice does nothing more.
    """
    state, listed = policy._state, policy._state.next.copy()
    state.next[:] = np.arange(listed.size)
    track_leaders(state, listed.size)
    settle_all(state)
    state.next[:] = listed
    policy._decide()


def orders_may_hold(policy: Policy, top: Flags) -> bool:
    """Whether contrasts may certify this answer: they need the top certainly above all others.

    The test is that of :func:`maxgap.reference.contrasts.certainly_above`, at the largest share of
    delta that it can have.
    """
    arms = policy._state.arms
    needed = math.log(top.size * (top.size - 1) / 2 / (policy._share * LARGEST_SHARE))
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
    """What ``policy.batch`` asks for, counted by label: a size of any magnitude costs no more.

    ``pending`` is as there. A ValueError for a size below 1 and for what does not say who waits.
    """
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
    compiled = isinstance(policy, PaperPolicy)
    price = 1_000 + 2 * n_arms if compiled else 3_000 + 27 * n_arms
    price += 100 * min(n_groups, n_arms - n_groups)
    look = n_arms**2 // 2 if policy._state.stacks.size > 0 else 0
    return Cost(price, look, sum(part.nbytes for part in policy._state))


class Round(NamedTuple):
    """A round of made-up rewards: how many, and whether contrasts were looked at after it."""

    rewards: int
    looked: bool


def simulated_round(
    policy: Policy, draw: Callable[[Integers], Floats], *, part: int, most: int, like: Policy
) -> Round:
    """Tell a policy a round of made-up rewards, and let it decide.

    Every arm that it asks for gets one reward for each ``part`` that it has, at least one; in all
    at most ``most``. That made-up rewards object to sigma is nothing to be told.

    Parameters
    ----------
    policy : Policy
        Begun, and not stopped; it is changed.
    draw : callable
        From numbers of arms, shape (n,), to a reward for each.
    part, most : int
        From 1.
    like : Policy
        One of the same settings: radii that one has computed the other need not.
    """
    policy._radii = like._radii
    asked, last_look = policy._listed().copy(), policy._state.progress[0]["last_look"]
    arms = np.repeat(asked, np.maximum(1, policy.counts[asked] // part))[:most]
    policy._take(arms, draw(arms), decide=False)
    policy._decide()
    like._radii = policy._radii
    looked = bool(last_look != policy._state.progress[0]["last_look"])
    return Round(arms.size, looked or policy._always_keeps_rewards)


def _add_sums(sums: Records, pieces: Pieces, means: Floats) -> None:
    """Of every arm the lowest and highest reward, and the squared errors of all but the first.

    Each is foretold by the mean of those before it.
    """
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


def _keep_sums(policy: Policy, pieces: Pieces) -> None:
    """The sums of the first rewards of every arm, from the origin."""
    stacks, sums = policy._state.stacks, policy._state.prefix
    progress = policy._state.progress[0]
    at = stacks["start"].copy()
    for numbers, values in pieces:
        if progress["origin"] == np.inf:
            progress["origin"] = values[0]
        for arm in np.unique(numbers).tolist():
            further = values[numbers == arm] - progress["origin"]
            end = at[arm] + further.size
            sums[at[arm] + 1 : end + 1] = sums[at[arm]] + np.cumsum(further)
            at[arm] = end
