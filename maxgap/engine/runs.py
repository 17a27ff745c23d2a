"""Whole runs: draw, take, decide, and look at the answer at checkpoints."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from maxgap.engine.compiled import ZERO, compiled, inlined, internal
from maxgap.engine.slots import settle
from maxgap.engine.state import State, answer_empirically, end_round, observe
from maxgap.engine.types import Flags, Floats, Integers

NORMAL, STUDENT_T, BERNOULLI = range(3)
STUDENT_T_SCALE = 3.0**0.5


class Truth(NamedTuple):
    """What the rewards are drawn from, and how large the gap of a right answer is at least."""

    means: Floats  # (K,)
    sigmas: Floats  # (K,)
    noise: int  # NORMAL, STUDENT_T or BERNOULLI
    least_gap: float


class Looks(NamedTuple):
    """Numbers of samples at which to look, what is seen there, and how far to go."""

    checkpoints: Integers  # (C,), increasing; the last may come twice
    wrong: Flags  # (C,)
    counts: Integers  # (C, K)
    budget: int
    lazy: bool  # whether intervals are made only to look at an answer


@compiled
def run(
    rng: np.random.Generator, truth: Truth, looks: Looks, state: State, lines: Any, rule: Any
) -> None:
    """Sample until stopped, or until the budget or the room for rewards is used up.

    Or until lines leave it to Python whom to sample next.
    """
    progress = state.progress[0]
    at = ZERO
    while at < looks.checkpoints.size and looks.checkpoints[at] < progress["total"]:
        at += 1
    while progress["n_next"] >= 0:
        at = _look(truth, looks, at, state)
        if progress["stopped"] != 0 or progress["total"] >= looks.budget:
            return
        for i in range(progress["n_next"]):
            if not state.intervals.has_room(state.arms, state.next[i]):
                return
        at = _sample_round(rng, truth, looks, at, state)
        end_round(state, lines, rule)


@inlined
def _sample_round(
    rng: np.random.Generator, truth: Truth, looks: Looks, at: int, state: State
) -> int:
    """Sample the next arms, as far as the budget goes; returns the number of the next look."""
    progress = state.progress[0]
    total = progress["total"]
    n_next = min(progress["n_next"], looks.budget - total)
    done = ZERO
    while done < n_next:
        # Up to the end of the round or a checkpoint inside it.
        end = n_next
        if at < looks.checkpoints.size:
            end = min(end, done + looks.checkpoints[at] - total)
        _sample(rng, truth, range(done, end), looks.lazy, state)
        total += end - done
        done = end
        progress["total"] = total
        if done < n_next:
            at = _look(truth, looks, at, state)
    progress["n_moved"] = n_next
    if not looks.lazy:
        settle(state.arms, state.order, state.next, n_next)
    return at


@inlined
def _sample(
    rng: np.random.Generator, truth: Truth, places: range, lazy: bool, state: State
) -> None:
    """Draw and take a reward of each of the next arms at these places of the list."""
    arms, listed = state.arms, state.next
    n_first, crossed = 0, False
    for i in places:
        arm = listed[i]
        if truth.noise == NORMAL:
            reward = truth.means[arm] + truth.sigmas[arm] * rng.standard_normal()
        elif truth.noise == STUDENT_T:
            reward = truth.means[arm] + truth.sigmas[arm] * rng.standard_t(3.0) / STUDENT_T_SCALE
        else:
            reward = 1.0 if rng.random() < truth.means[arm] else 0.0
        n_first += observe(arms, arm, reward)
        state.intervals.take(arms, arm, reward)
        if not lazy:
            crossed |= state.intervals.renew(arms, arm)
    state.progress[0]["unsampled"] -= n_first
    state.progress[0]["crossed"] |= crossed


@inlined
def _look(truth: Truth, looks: Looks, at: int, state: State) -> int:
    """Look at the answer at every checkpoint that has just been reached; the number of the next.

    A policy that has stopped stands by its answer at all later checkpoints.
    """
    progress = state.progress[0]
    while at < looks.checkpoints.size and (
        looks.checkpoints[at] == progress["total"] or progress["stopped"] != 0
    ):
        looks.wrong[at] = not _is_correct(truth, looks.lazy, state)
        for arm in range(state.arms.size):
            looks.counts[at, arm] = state.arms[arm]["count"]
        at += 1
    return at


@internal
def _is_correct(truth: Truth, lazy: bool, state: State) -> bool:
    """Whether the present answer splits the true means at a gap of at least ``least_gap``.

    Never while some arm has no sample. Intervals that were not made are made first.
    """
    arms, progress = state.arms, state.progress[0]
    if progress["unsampled"] > 0:
        return False
    if lazy:
        for arm in range(arms.size):
            state.intervals.renew(arms, arm)
    if progress["stopped"] == 0:
        answer_empirically(arms)
    above, below = np.inf, -np.inf
    for arm in range(arms.size):
        if arms[arm]["top"]:
            above = min(above, truth.means[arm])
        else:
            below = max(below, truth.means[arm])
    return above - below >= truth.least_gap
