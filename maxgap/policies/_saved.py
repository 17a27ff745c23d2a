"""Policies in files: what cannot be computed again is stored, and the rest computed when read.

So a file cannot contradict itself in much. What is left is compared with what the arms give: a
policy that is read decides again.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable
from typing import Any

import numpy as np

from maxgap._checking import LARGEST_REWARD
from maxgap._saving import (
    StrPath,
    check_saved,
    checked_path,
    digest,
    fingerprint,
    saved_list,
    write_whole,
)
from maxgap.engine.state import BY_PROVED_RULE, BY_RULE, begin, list_next, renew_all
from maxgap.policies.rules import LOOK_BACK

FORMAT, FORMAT_VERSION = "maxgap policy", 2


def save_policy(policy: Any, path: StrPath) -> None:
    """Write a policy to a file, whole or not at all."""
    if not type(policy).__module__.startswith("maxgap.policies."):
        raise ValueError(f"only the package's own policies can be saved, not {policy!r}")
    if callable(policy._confidence):
        raise ValueError(
            f"confidence is the function {policy._confidence!r}; only a named radius can be saved"
        )
    for label in policy._labels:
        if type(label) not in (str, int, float, bool) or label in (math.inf, -math.inf):
            raise ValueError(f"label {label!r} of type {type(label).__name__} cannot be saved")
    with policy._save_lock:
        content = content_of(policy)
        document = {"format": FORMAT, "version": FORMAT_VERSION, "sha256": digest(content)}
        text = json.dumps({**document, "policy": content}, allow_nan=False, indent=1)
        place, mark = write_whole(path, text, policy._files)
        # Anew, as a copy of the policy shares the old one.
        policy._files = {**policy._files, place: mark}


def content_of(policy: Any) -> dict[str, Any]:
    """What a file says of the policy."""
    with policy._lock:
        arms, scalar = policy._state.arms, policy._scalar_sigma
        content = {
            "class": type(policy).__name__,
            "arms": policy._labels,
            "delta": policy._delta,
            "sigma": float(policy._sigmas[0]) if scalar else policy._sigmas.tolist(),
            "confidence": policy._confidence,
            "nested": policy._nested,
            "stopping": policy._stopping,
            "bounds": None if policy._bounds is None else list(policy._bounds),
            "counts": arms["count"].tolist(),
            "means": arms["mean"].tolist(),
            "scatter": _finite(arms["scatter"]),
            "top": arms["top"].tolist() if policy.stopped else None,
            **policy._state.intervals.saved(arms),
            **policy._lines.saved(),
        }
        if policy._nested:
            content["crossed"] = bool(policy._state.progress[0]["crossed"])
            content["lower"], content["upper"] = _finite(arms["lower"]), _finite(arms["upper"])
        return content


def _finite(values: Any) -> list[float | None]:
    """Infinite numbers have no form in JSON."""
    return [x if math.isfinite(x) else None for x in values.tolist()]


def read_policy(path: StrPath, of_name: Callable[[Any], Any]) -> Any:
    """The policy that a file holds, of a class by its name; a ValueError names the file."""
    name = checked_path(path)
    try:
        with open(name, "rb") as file:
            written = file.read()
        document = json.loads(written)
        if document["format"] != FORMAT:
            raise ValueError("it is of another format")
        if document["version"] != FORMAT_VERSION:
            raise ValueError(f"version {document['version']!r} is not {FORMAT_VERSION}")
        content = document["policy"]
        if document["sha256"] != digest(content):
            raise ValueError("its contents do not match their checksum")
        policy = _restored(content, of_name(content["class"]))
        if digest(content_of(policy)) != digest(content):
            raise ValueError("it holds what no policy writes")
        policy._files = {os.path.realpath(name): fingerprint(written)}
        return policy
    except (
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        MemoryError,
        OverflowError,
        RecursionError,
    ) as problem:
        raise ValueError(f"{name!r} is not a saved policy: {problem}") from problem


@np.errstate(over="ignore", invalid="ignore")  # of what is refused by then
def _restored(content: dict[str, Any], cls: Any) -> Any:
    """The policy that this content describes."""
    names = ("delta", "confidence", "nested", "stopping", "bounds", *(["c"] * ("c" in content)))
    settings = {name: content[name] for name in names}
    sigma = 1.0 if content["bounds"] else content["sigma"]
    policy = cls(content["arms"], sigma=sigma, **settings)
    n_arms = len(policy._labels)
    state, arms, progress = policy._state, policy._state.arms, policy._state.progress[0]
    arms["count"] = saved_list(content, "counts", int, n_arms)
    arms["mean"] = saved_list(content, "means", float, n_arms)
    _fill(arms["scatter"], content, "scatter", math.inf)
    counts = arms["count"]
    check_saved("counts", (counts >= 0).all())
    check_saved("means", (np.abs(arms["mean"]) <= LARGEST_REWARD).all())
    check_saved("means", (arms["mean"][counts == 0] == 0).all())
    check_saved("scatter", (arms["scatter"] >= 0).all())
    check_saved("scatter", (arms["scatter"][counts < 2] == 0).all())
    progress["total"], progress["unsampled"] = sum(counts.tolist()), (counts == 0).sum()
    policy._state = state = state._replace(
        intervals=state.intervals.restored(content, arms, policy._radii.up_to)
    )
    renew_all(state)
    if policy._nested:
        _restore_nested(policy, content)
    policy._lines.restore(content, complete=not progress["unsampled"])
    _decide(policy, content["top"] and np.array(saved_list(content, "top", bool, n_arms)))
    return policy


def _fill(values: Any, content: dict[str, Any], name: str, missing: float) -> None:
    """Put saved numbers in place, of which some are infinite."""
    saved = saved_list(content, name, (float, type(None)), values.size)
    values[:] = [missing if x is None else x for x in saved]


def _restore_nested(policy: Any, content: dict[str, Any]) -> None:
    """Put back nested intervals, which lie in those that counts and means give, eq. (28)."""
    arms = policy._state.arms
    low, high = arms["lower"].copy(), arms["upper"].copy()
    _fill(arms["lower"], content, "lower", -math.inf)
    _fill(arms["upper"], content, "upper", math.inf)
    (crossed,) = saved_list({"crossed": [content["crossed"]]}, "crossed", bool, 1)
    policy._state.progress["crossed"] = crossed
    check_saved("lower and upper", (arms["lower"] <= arms["upper"]).all())
    for ends in (arms["lower"], arms["upper"]):
        check_saved("lower and upper", np.array_equal(np.isinf(ends), arms["count"] == 0))
    # One that has crossed keeps an interval from before, which was not always as narrow.
    slack = 1e-9 * (high - low) + 1e-15 * np.abs(arms["mean"])
    inside = (arms["lower"] - low >= -slack) & (high - arms["upper"] >= -slack)
    check_saved("lower and upper", crossed or inside[arms["count"] > 0].all())


def _memory(policy: Any) -> dict[str, Any]:
    """What it remembers beside its samples."""
    kept = policy._state.intervals.saved(policy._state.arms)
    return {**policy._lines.saved(), **{name: kept.get(name) for name in ("aims", "last_look")}}


def _decide(policy: Any, top: Any) -> None:
    """Decide again, and refuse a file that says something else.

    After a stop that is done only where the intervals cannot have moved on, because every arm has a
    single sample; and nested ones only shrink, so that what was certain still is.
    """
    state, lines, rule, said = policy._state, policy._lines, policy._rule, _memory(policy)
    arms, progress = state.arms, state.progress[0]
    looks = policy._stopping in LOOK_BACK
    check_saved("aims", policy._always_keeps_rewards or not any(said["aims"] or []))
    check_saved("last_look", looks or not said["last_look"])
    if progress["total"] == arms.size and progress["unsampled"] == 0:
        again = policy._fresh()
        again._tell(np.arange(arms.size), arms["mean"].copy())
        answer: Any = again._state.arms["top"] if again.stopped else None
        check_saved("top", np.array_equal(answer, top))
        check_saved("memory", _memory(again) == said)
    if top is not None:
        check_saved("top", 0 < top.sum() < arms.size and progress["unsampled"] == 0 and rule.bounds)
        check_saved("last_look", said["last_look"] or not looks)
        check_saved("sequence", said.get("sequence", []) is not None)
        apart = arms["lower"][top].min() > arms["upper"][~top].max()
        held = policy._nested and not progress["crossed"] and not looks
        check_saved("top", apart or not (held and rule.proved))
        arms["top"] = top
        progress["stopped"], progress["n_next"] = BY_PROVED_RULE if rule.proved else BY_RULE, 0
        begin(state, lines, rule)
        return
    if said["last_look"] == progress["total"]:  # whoever looks again finds the same
        state.intervals.seen["last_look"] = 0
    begin(state, lines, rule)
    # After an interval has missed, all arms may have been let in again.
    let_in = all(said.get("active", [False]))
    check_saved("top", not policy.stopped or (let_in and policy._stopping in policy.rules))
    if said != _memory(policy):
        check_saved("memory", let_in)
        lines.restore(said, complete=True)
        progress["stopped"] = 0
        list_next(state, lines)
