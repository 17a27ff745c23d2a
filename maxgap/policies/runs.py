"""Whole runs of a policy: what :mod:`maxgap.simulate` needs of its inside."""

from __future__ import annotations

from typing import Any

import numpy as np

from maxgap.confidence import from_rewards
from maxgap.engine.runs import Looks, Truth, run
from maxgap.engine.state import UNDECIDED
from maxgap.engine.types import Flags, Integers
from maxgap.policies.base import Policy, Split

__all__ = ["Truth", "answer", "check_runnable", "prepared", "run_fresh"]


def check_runnable(policy: Any, noise: str) -> None:
    """A ValueError if this is no policy that can be run on rewards with this noise."""
    if not isinstance(policy, Policy):
        raise ValueError(f"policy must be a policy object, got {policy!r}")
    if not policy._answers_with_a_split:
        raise ValueError(f"policy must answer with a split, which a run judges, got {policy!r}")
    if policy._state.progress[0]["total"] > 0:
        raise ValueError(f"policy must not have begun, got {policy!r}")
    in_range = noise == "bernoulli" and (policy._sigmas >= 0.5).all()
    if from_rewards(policy._confidence) and not in_range:
        raise ValueError(
            f"confidence {policy._confidence!r} needs rewards in a range of width 2 sigma: noise "
            f"'bernoulli' and sigma from 0.5, got noise {noise!r} and sigma {policy._sigmas}"
        )


def prepared(policy: Policy, count: int) -> Policy:
    """A fresh one of the same settings, with radii up to this count."""
    fresh = policy._fresh()
    fresh._radii.up_to(count)
    return fresh


def run_fresh(
    policy: Policy, truth: Truth, checkpoints: Integers, budget: int, rng: np.random.Generator
) -> tuple[Policy, Flags, Integers]:
    """Run a fresh copy until it stops or has taken the budget.

    Parameters
    ----------
    policy : Policy
        Not yet started; it stays so.
    truth : Truth
        What rewards are drawn from.
    checkpoints : array, shape (C,)
        Numbers of samples at which to look, increasing; the last may come twice.
    budget : int
        The largest number of samples.
    rng : numpy.random.Generator
        Source of the rewards.

    Returns
    -------
    Policy, array of bool of shape (C,), array of int of shape (C, K)
        The policy after the run; whether its answer was wrong; its samples per arm.
    """
    started = policy._fresh()
    n_arms = truth.means.size
    counts = np.zeros((checkpoints.size, n_arms), dtype=np.int64)
    looks = Looks(checkpoints, np.ones(checkpoints.size, dtype=np.bool_), counts, budget)
    progress = started._state.progress[0]
    while True:
        run(rng, truth, looks, started._state, started._lines, started._rule)
        if progress["n_next"] < 0:  # it is in plain Python
            if progress["n_next"] == UNDECIDED:
                started._finish_in_python()
            started._listed()
        elif progress["stopped"] or progress["total"] >= budget:
            break
        else:
            started._grow(started.counts + 1)
    if progress["crossed"]:
        started._warn_crossed()
    return started, looks.wrong, counts


def answer(ended: Policy) -> Split | None:
    """The answer of a policy that :func:`run_fresh` looked at last when it ended; None if none."""
    arms = ended._state.arms
    return ended._split(arms) if arms["count"].all() else None
