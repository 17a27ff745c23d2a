"""Whole runs of a policy: what :mod:`maxgap.simulate` needs of its inside."""

from __future__ import annotations

from typing import Any

import numpy as np

from maxgap.confidence import from_rewards
from maxgap.engine.runs import Looks, Truth, run
from maxgap.engine.types import Flags, Integers
from maxgap.policies.base import Policy

__all__ = ["Truth", "check_runnable", "prepared", "run_fresh"]


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
    """Run a fresh copy until it stops or has taken the budget; the policy is not started.

    Checkpoints are numbers of samples at which to look, shape (C,), increasing; the last may come
    twice. Returns the copy after the run; whether its answer was wrong, shape (C,); its samples per
    arm, shape (C, K).
    """
    started = policy._fresh()
    lines, rule, progress = started._lines, started._rule, started._state.progress[0]
    # Where nobody looks at bounds, intervals are made only to look at an answer; nested ones need
    # every reward.
    looked_at = lines.bounds or rule.bounds or bool(progress["in_python"])
    looks = Looks(
        checkpoints,
        wrong=np.ones(checkpoints.size, dtype=np.bool_),
        counts=np.zeros((checkpoints.size, truth.means.size), dtype=np.int64),
        budget=budget,
        lazy=not (looked_at or started._nested),
    )
    while True:
        run(rng, truth, looks, started._state, lines, rule)
        if progress["n_next"] < 0:  # it is in plain Python
            started._finish_in_python()
            started._listed()
        elif progress["stopped"] or progress["total"] >= budget:
            break
        else:
            started._grow(started.counts + 1)
    if progress["crossed"]:
        started._warn_crossed()
    return started, looks.wrong, looks.counts
