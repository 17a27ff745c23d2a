"""Whole runs: draw, take, decide, and look at the answer at checkpoints."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from maxgap._core.compiled import ZERO, compiled, inlined, internal
from maxgap._core.intervals import BY_COUNT, interval_from_count
from maxgap._core.order import settle
from maxgap._core.state import Setting, State, observe, track_leaders
from maxgap._core.types import Flags, Floats, Integers
from maxgap._core.words import answer_empirically
from maxgap.policies import (
    decided_outside,
    end_round,
    list_next,
    max_gap_contrasts,
    start_round,
)
from maxgap.policies._step import (
    next_round,
    renew_interval,
    stop_if_contrasts_certify,
    stop_if_rule_holds,
    take_reward,
)
from maxgap.stopping import by_contrasts, needs_leaders

__all__ = [
    "BERNOULLI",
    "NORMAL",
    "STUDENT_T",
    "Looks",
    "Truth",
    "look",
    "run",
    "run_with_contrasts",
]

NORMAL, STUDENT_T, BERNOULLI = range(3)
STUDENT_T_SCALE = 3.0**0.5


class Truth(NamedTuple):
    """What the rewards are drawn from, and how large the gap of a right answer is at least."""

    means: Floats  # (K,)
    sigmas: Floats  # (K,)
    noise: int  # NORMAL, STUDENT_T or BERNOULLI
    least_gap: float


class Looks(NamedTuple):
    """Numbers of samples at which to look, and what is seen there."""

    checkpoints: Integers  # (C,), increasing; the last may come twice
    wrong: Flags  # (C,)
    counts: Integers  # (C, K)


@compiled
def run(
    rng: np.random.Generator,
    truth: Truth,
    looks: Looks,
    at: int,
    budget: int,
    rounds_left: int,
    policy: int,
    state: State,
    setting: Setting,
) -> bool:
    """Sample until stopped, or the budget, the rounds or the room for rewards are used up.

    Or until a round is over after which the caller is to decide: returns whether it is. The next
    look is number ``at``.
    """
    progress = state.progress[0]
    bounds = policy != 0 or setting.rule != 0  # round robin without a rule looks at none
    while (
        progress["stopped"] == 0
        and progress["total"] < budget
        and rounds_left > 0
        and has_room(state)
    ):
        rounds_left -= 1
        at = run_round(rng, truth, looks, at, budget, bounds, state, setting)
        if decided_outside(policy, state, setting):
            return True
        if (
            next_round(state)
            and end_round(policy, state)
            and not (setting.rule != 0 and stop_if_rule_holds(state, setting))
        ):
            start_round(policy, state)
        list_next(policy, state, setting)
        # The end of a round is looked at after the decision, which may have stopped the run.
        at = look(truth, looks, at, not bounds, state, setting)
    return False


@compiled
def run_with_contrasts(
    rng: np.random.Generator,
    truth: Truth,
    looks: Looks,
    at: int,
    budget: int,
    policy: int,
    state: State,
    setting: Setting,
) -> None:
    """As `run`, with the decisions that it leaves to its caller, for policies of the package.

    Apart, so that who has nothing to do with contrasts need not wait until they are compiled.
    """
    while run(rng, truth, looks, at, budget, _rounds_left(state, setting), policy, state, setting):
        if next_round(state):
            if policy == 5:
                goes_on = max_gap_contrasts.after_round(state, setting)
            else:
                goes_on = end_round(policy, state)
            if goes_on and not (
                (by_contrasts(setting) and stop_if_contrasts_certify(state, setting))
                or stop_if_rule_holds(state, setting)
            ):
                start_round(policy, state)
        list_next(policy, state, setting)
        while at < looks.checkpoints.size and looks.checkpoints[at] < state.progress[0]["total"]:
            at += 1
        at = look(truth, looks, at, False, state, setting)


@internal
def _rounds_left(state: State, setting: Setting) -> int:
    """How many rounds there may be until a count leaves the table of radii."""
    if setting.interval != BY_COUNT:
        return 1 << 62
    largest = 0
    for arm in range(state.arms.size):
        largest = max(largest, state.arms[arm]["count"])
    return setting.radii.shape[1] - 1 - largest


@inlined
def run_round(
    rng: np.random.Generator,
    truth: Truth,
    looks: Looks,
    at: int,
    budget: int,
    bounds: bool,
    state: State,
    setting: Setting,
) -> int:
    """Sample the next arms, as far as the budget goes; returns the number of the next look.

    Where ``bounds`` are never looked at, intervals are made only to look at an answer.
    """
    progress = state.progress[0]
    lazy = not bounds and not setting.nested
    total = progress["total"]
    n_next = min(progress["n_next"], budget - total)
    done = ZERO
    while done < n_next:
        # Up to the end of the round or a checkpoint inside it.
        stretch = n_next - done
        if at < looks.checkpoints.size:
            stretch = min(stretch, looks.checkpoints[at] - total)
        n_first, crossed = _sample(rng, truth, done, done + stretch, lazy, state, setting)
        progress["unsampled"] -= n_first
        progress["crossed"] |= crossed
        done += stretch
        total += stretch
        progress["total"] = total
        if done < n_next:
            at = look(truth, looks, at, lazy, state, setting)
    if needs_leaders(setting):
        track_leaders(state, n_next)
    if bounds:
        settle(state, n_next)
    return at


@inlined
def has_room(state: State) -> bool:
    """Whether the rewards of the next arms can be kept, if they are kept."""
    if state.stacks.size > 0:
        for i in range(state.progress[0]["n_next"]):
            arm = state.next[i]
            if state.arms[arm]["count"] >= state.stacks[arm]["room"]:
                return False
    return True


@compiled(inline=True)
def look(truth: Truth, looks: Looks, at: int, lazy: bool, state: State, setting: Setting) -> int:
    """Look at the answer at every checkpoint that has just been reached; the number of the next.

    A policy that has stopped stands by its answer at all later checkpoints.
    """
    progress = state.progress[0]
    while at < looks.checkpoints.size and (
        looks.checkpoints[at] == progress["total"] or progress["stopped"] != 0
    ):
        _record(truth, looks, at, lazy, state, setting)
        at += 1
    return at


@internal
def _record(
    truth: Truth, looks: Looks, at: int, renew: bool, state: State, setting: Setting
) -> None:
    """Note whether the present answer is wrong, and how often every arm was sampled."""
    looks.wrong[at] = not _is_correct(truth, renew, state, setting)
    arms, counts = state.arms, looks.counts
    for arm in range(arms.size):
        counts[at, arm] = arms[arm]["count"]


@internal
def _draw(rng: np.random.Generator, noise: int, mean: float, sigma: float) -> float:
    """A reward."""
    if noise == NORMAL:
        return mean + sigma * rng.standard_normal()
    if noise == STUDENT_T:
        return mean + sigma * rng.standard_t(3.0) / STUDENT_T_SCALE
    return 1.0 if rng.random() < mean else 0.0


@inlined
def _sample(
    rng: np.random.Generator,
    truth: Truth,
    start: int,
    stop: int,
    lazy: bool,
    state: State,
    setting: Setting,
) -> tuple[int, bool]:
    """Draw and take a reward of each of the next arms ``start`` to ``stop``.

    Returns how many arms were sampled for the first time, and whether intervals have crossed. A
    function of its own: the loop is as fast as drawing only where the compiler sees little else.
    """
    arms, listed, radii, nested = state.arms, state.next, setting.radii, setting.nested
    means, sigmas = truth.means, truth.sigmas
    n_first = 0
    crossed = False
    if setting.interval != BY_COUNT or truth.noise != NORMAL or state.stacks.size > 0:
        for i in range(start, stop):
            arm = listed[i]
            reward = _draw(rng, truth.noise, means[arm], sigmas[arm])
            first, has_crossed = take_reward(state, setting, arm, reward)
            n_first += first
            crossed |= has_crossed
    elif lazy:
        for i in range(start, stop):
            arm = listed[i]
            reward = means[arm] + sigmas[arm] * rng.standard_normal()
            n_first += observe(arms, arm, reward)
    else:
        for i in range(start, stop):
            arm = listed[i]
            reward = means[arm] + sigmas[arm] * rng.standard_normal()
            n_first += observe(arms, arm, reward)
            crossed |= interval_from_count(arms, arm, radii, nested)
    return n_first, crossed


@internal
def _is_correct(truth: Truth, renew: bool, state: State, setting: Setting) -> bool:
    """Whether the present answer splits the true means at a gap of at least ``least_gap``.

    Never while some arm has no sample. With ``renew`` the intervals are brought up to date first;
    nested ones always are.
    """
    arms, progress = state.arms, state.progress[0]
    if progress["unsampled"] > 0:
        return False
    if renew:
        for arm in range(arms.size):
            renew_interval(state, setting, arm)
    if progress["stopped"] == 0:
        answer_empirically(arms)
    above, below = np.inf, -np.inf
    for arm in range(arms.size):
        if arms[arm]["top"]:
            above = min(above, truth.means[arm])
        else:
            below = max(below, truth.means[arm])
    return above - below >= truth.least_gap
