"""Policies in files: what is written, and what is refused when read back.

The form of a file is that of version 0.1: JSON with a checksum.
"""

from __future__ import annotations

import copy
import json
import math
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from maxgap._checking import LARGEST_REWARD
from maxgap._core.intervals import BY_COUNT, SUMS, interval_from_sums
from maxgap._core.order import settle_all
from maxgap._core.rewards import grown_stacks, new_stacks
from maxgap._core.state import BY_PROVED_RULE, BY_RULE, PROGRESS, State
from maxgap._core.types import Floats, Integers
from maxgap._saving import StrPath, checked_path, digest, fingerprint, write_whole
from maxgap.confidence import radius
from maxgap.stopping import LOOK_BACK, never, row_of

if TYPE_CHECKING:
    from maxgap.policies.base import Policy

__all__ = ["read_policy", "save_policy"]

FORMAT = "maxgap policy"
FORMAT_VERSION = 1

#: Of the progress, what a file has as its numbers; the active arms are listed on their own.
COUNTERS = tuple(name for name in PROGRESS.names or () if name not in ("n_active", "origin"))
#: Running sums of every arm, which a file has only where the intervals come from them.
SUM_NAMES = SUMS.names or ()


def save_policy(policy: Policy, path: StrPath) -> None:
    """Write a policy to a file, whole or not at all."""
    if policy._in_table != type(policy).__name__:
        raise ValueError(f"only the package's own policies can be saved, not {policy!r}")
    if callable(policy._confidence):
        raise ValueError(
            f"confidence is the function {policy._confidence!r}; only a named radius can be saved"
        )
    for label in policy._labels:
        if type(label) not in (str, int, float, bool) or label in (math.inf, -math.inf):
            raise ValueError(f"label {label!r} of type {type(label).__name__} cannot be saved")
    with policy._save_lock:
        content = _content(policy)
        document = {
            "format": FORMAT,
            "version": FORMAT_VERSION,
            "sha256": digest(content),
            "policy": content,
        }
        text = json.dumps(document, allow_nan=False, indent=1)
        place, mark = write_whole(path, text, policy._files)
        # Anew, as a copy of the policy shares the old one.
        policy._files = {**policy._files, place: mark}


def _content(policy: Policy) -> dict[str, Any]:
    """What a file says of the policy."""
    with policy._lock:
        policy._listed()
        state, arms = policy._state, policy._state.arms
        scalar = policy._scalar_sigma
        return {
            "class": type(policy).__name__,
            "arms": policy._labels,
            "delta": policy._delta,
            "sigma": float(policy._sigmas[0]) if scalar else policy._sigmas.tolist(),
            "confidence": policy._confidence,
            "nested": policy._nested,
            "stopping": policy._stopping,
            "bounds": None if policy._bounds is None else list(policy._bounds),
            "c": policy._c,
            "counts": arms["count"].tolist(),
            "means": arms["mean"].tolist(),
            "scatter": [x if math.isfinite(x) else None for x in arms["scatter"].tolist()],
            # Infinite ends have no form in JSON.
            "lower": [x if math.isfinite(x) else None for x in arms["lower"].tolist()],
            "upper": [x if math.isfinite(x) else None for x in arms["upper"].tolist()],
            "active": np.isin(np.arange(arms.size), _active(state)).tolist(),
            "top": arms["top"].tolist(),
            "next_arms": state.next.tolist(),
            "sequence": state.sequence.tolist(),
            "numbers": [int(state.progress[0][name]) for name in COUNTERS],
            **{name: state.sums[name].tolist() for name in SUM_NAMES if state.sums.size > 0},
            **({"aims": state.stacks["aim"].tolist()} if state.stacks.size > 0 else {}),
            **({"origin": _origin(state)} if state.stacks.size > 0 else {}),
            **({"prefix_sums": _prefix_sums(state)} if state.stacks.size > 0 else {}),
        }


def read_policy(path: StrPath, classes: Mapping[str, type[Policy]]) -> Policy:
    """The policy of one of these classes that a file holds, or a ValueError that names the file."""
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
        policy = _restored(content, classes)
        if digest(_content(policy)) != digest(content):
            raise ValueError("it holds what no policy writes")
        policy._files = {os.path.realpath(name): fingerprint(written)}
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


def _restored(content: dict[str, Any], classes: Mapping[str, type[Policy]]) -> Policy:
    """The policy that this content describes."""
    cls = classes[content["class"]]
    extra = {"c": content["c"]} if cls.__name__ == "MaxGapUCB" else {}
    policy = cls(
        content["arms"],
        delta=content["delta"],
        sigma=1.0 if content["bounds"] else content["sigma"],
        bounds=content["bounds"],
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
        ("top", "top", bool),
    ):
        state.arms[field] = _saved_list(content, name, kind, n_arms)
    for name, missing in (("lower", -math.inf), ("upper", math.inf), ("scatter", math.inf)):
        ends = _saved_list(content, name, (float, type(None)), n_arms)
        state.arms[name] = [missing if x is None else x for x in ends]
    state.next[:] = _saved_list(content, "next_arms", int, n_arms)
    state.sequence[:] = _saved_list(content, "sequence", int, n_arms)
    for name, value in zip(
        COUNTERS, _saved_list(content, "numbers", int, len(COUNTERS)), strict=True
    ):
        state.progress[name] = value
    for name in SUM_NAMES if state.sums.size > 0 else ():
        state.sums[name] = _saved_list(content, name, float, n_arms)
    if state.stacks.size > 0:
        _restore_rewards(policy, content)
        state = policy._state
    active = np.flatnonzero(_saved_list(content, "active", bool, n_arms))
    state.active[: active.size] = active
    state.progress["n_active"] = active.size
    _check_restored(policy)
    settle_all(state)
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


def _origin(state: State) -> float | None:
    """From where the sums of rewards count; None before the first."""
    origin = float(state.progress[0]["origin"])
    return origin if math.isfinite(origin) else None


def _prefix_sums(state: State) -> list[list[float]]:
    """Of each arm the sums of its first 1, 2, ... rewards, from the origin."""
    starts = state.stacks["start"] + 1
    ends = starts + state.arms["count"]
    return [state.prefix[a:b].tolist() for a, b in zip(starts, ends, strict=True)]


def _restore_rewards(policy: Policy, content: dict[str, Any]) -> None:
    """Put back the sums of rewards and the aims, or a ValueError if they fit no counts or means."""
    arms, n_arms = policy._state.arms, policy._state.arms.size
    counts = arms["count"].tolist()
    prefixes = _saved_list(content, "prefix_sums", list, n_arms)
    # Before any memory is taken for so many rewards.
    if [len(sums) for sums in prefixes] != counts:
        raise ValueError("its prefix_sums are not one for each reward")
    aims = _saved_list(content, "aims", int, n_arms)
    (origin,) = _saved_list({"origin": [content["origin"]]}, "origin", (float, type(None)), 1)
    if (origin is None) != (sum(counts) == 0):
        raise ValueError("its origin cannot be that of a policy")
    policy._state.progress["origin"] = math.inf if origin is None else origin
    stacks, prefix = new_stacks(n_arms)
    stacks, prefix = grown_stacks(stacks, prefix, np.zeros(n_arms, np.int64), arms["count"])
    stacks["aim"] = aims
    for arm, count in enumerate(counts):
        sums = [0.0, *_saved_list({"prefix_sums": prefixes[arm]}, "prefix_sums", float, count)]
        start = stacks[arm]["start"]
        prefix[start : start + count + 1] = sums
        largest = np.abs(np.diff(sums)).max(initial=0.0)
        # Both round at every reward, the mean at its own size.
        size = max(largest, np.abs(sums).max(), abs(1e-6 * (origin or 0.0)))
        from_origin = (arms[arm]["mean"] - (origin or 0.0)) * count
        if not largest <= 2.001 * LARGEST_REWARD or not (
            abs(sums[-1] - from_origin) <= 1e-9 * size * max(count, 1)
        ):
            raise ValueError("its prefix_sums cannot be those of a policy")
    policy._state = policy._state._replace(stacks=stacks, prefix=prefix)


def _aims_fit(state: State, aiming: bool) -> bool:
    """Whether MaxGapContrasts may aim so; the other policies have no aims."""
    aims, counts = state.stacks["aim"], state.arms["count"]
    if aims.size == 0:
        return not aiming
    if not aiming:
        return not aims.any()
    # Two rewards a step of one more than 64th of the steps, and what was told beside.
    in_reach = (aims >= 0).all() and (aims <= 2 + counts + counts // 32).all()
    waits = (aims > counts).any()
    unsampled, stopped = (counts == 0).any(), state.progress[0]["stopped"] != 0
    return bool(in_reach and (waits or unsampled or stopped))


def _active(state: State) -> Integers:
    """The arms that are not eliminated."""
    return state.active[: state.progress[0]["n_active"]]


def _check_restored(policy: Policy) -> None:
    """Refuse a state that no policy can be in: compiled code trusts indices and counts.

    What follows from the counts, the means and the intervals is compared with what they give.
    Files of version 0.1.0 differ from ours in the last bits of a radius, in nothing else.
    """
    state = policy._state
    arms, progress = state.arms, state.progress[0]
    n_arms, counts, n_next = arms.size, arms["count"], progress["n_next"]
    every_arm = np.arange(n_arms)
    asked = state.next[: max(n_next, 0)]
    leaders = np.array([progress["first"], progress["second"]])
    known = ((leaders >= 0) & (leaders < n_arms)).all() and leaders[0] != leaders[1]
    unsampled = counts == 0
    stopped = progress["stopped"] != 0
    complete = not unsampled.any()
    sorts = policy._in_table == "SortThenSearch"
    searching = sorts and complete
    eliminates = policy._in_table == "MaxGapElim" and complete
    last_look = progress["last_look"]
    looks = policy._stopping in LOOK_BACK
    for name, holds in (
        ("counts", (counts >= 0).all() and sum(counts.tolist()) == progress["total"]),
        ("means", (np.abs(arms["mean"]) <= LARGEST_REWARD).all()),
        ("means", (arms["mean"][unsampled] == 0).all()),
        ("scatter", (arms["scatter"] >= 0).all()),
        ("scatter", (arms["scatter"][counts < 2] == 0).all()),
        ("lower and upper", (arms["lower"] <= arms["upper"]).all()),
        ("lower", np.array_equal(arms["lower"] == -np.inf, unsampled)),
        ("upper", np.array_equal(arms["upper"] == np.inf, unsampled)),
        ("sequence", np.array_equal(np.sort(state.sequence), every_arm)),
        ("sequence", progress["searching"] == 1 or np.array_equal(state.sequence, every_arm)),
        ("next_arms", ((state.next >= 0) & (state.next < n_arms)).all()),
        ("next_arms", 0 <= n_next <= n_arms and (np.diff(asked) > 0).all()),
        ("next_arms", (n_next == 0) == stopped),
        ("numbers", unsampled.sum() == progress["unsampled"]),
        ("numbers", known and np.array_equal(counts[leaders], np.sort(counts)[:-3:-1])),
        ("numbers", progress["stopped"] in (0, _way_to_stop(policy))),
        ("numbers", not stopped or complete),
        ("numbers", progress["searching"] in ((0, 1) if searching else (0,))),
        (
            "numbers",
            progress["searching"] == 1 or not (stopped and sorts),
        ),
        ("numbers", progress["crossed"] in ((0, 1) if policy._nested else (0,))),
        ("numbers", last_look == 0 or (looks and complete and last_look <= progress["total"])),
        ("numbers", last_look > 0 or not (stopped and looks)),
        ("aims", _aims_fit(state, policy._in_table == "MaxGapContrasts")),
        ("active", eliminates or _active(state).size == n_arms),
        ("top", 0 < arms["top"].sum() < n_arms if stopped else not arms["top"].any()),
    ):
        if not holds:
            raise ValueError(f"its {name} cannot be those of a policy")
    _check_sums(policy)
    _check_intervals(policy)
    _check_decision(policy)


def _way_to_stop(policy: Policy) -> int:
    """The value of ``stopped`` after its rule has held; 0 if it never does."""
    row = row_of(policy._in_table, policy._stopping)
    if row.rule is never:
        return 0
    return BY_PROVED_RULE if row.proved else BY_RULE


def _check_intervals(policy: Policy) -> None:
    """Refuse intervals that the counts and means do not give, eqs. (5) and (28)."""
    sampled = policy._state.arms["count"] > 0
    arms = policy._state.arms[sampled]
    low, high = (ends[sampled] for ends in _ends(policy))
    rounding = 1e-9 * (high - low) + 1e-15 * np.abs(arms["mean"])
    below, above = arms["lower"] - low, high - arms["upper"]
    if not policy._nested:
        fits = (np.abs(below) <= rounding) & (np.abs(above) <= rounding)
    else:
        # One that has crossed keeps an interval from before, which was not always as narrow.
        fits = (below >= -rounding) & (above >= -rounding)
        fits |= policy._state.progress[0]["crossed"] == 1
    if not fits.all():
        raise ValueError("its lower and upper cannot be those of a policy")


def _ends(policy: Policy) -> tuple[Floats, Floats]:
    """The ends of the intervals that counts, means and sums give, not nested."""
    arms, sums = policy._state.arms.copy(), policy._state.sums
    if policy._interval == BY_COUNT:
        half_width = radius(
            policy._confidence,
            arms["count"],
            delta=policy._share,
            n_arms=arms.size,
            sigma=policy._sigmas,
        )
        return arms["mean"] - half_width, arms["mean"] + half_width
    for arm in np.flatnonzero(arms["count"] > 0).tolist():
        interval_from_sums(arms, sums, arm, policy._lines, False)
    return arms["lower"], arms["upper"]


def _check_sums(policy: Policy) -> None:
    """Refuse running sums that no rewards have."""
    arms, sums = policy._state.arms, policy._state.sums
    if sums.size == 0:
        return
    mean, low, high = arms["mean"], sums["lowest"], sums["highest"]
    slack = 1e-9 * policy._sigmas
    once, often = arms["count"] == 1, arms["count"] > 1
    for name, holds in (
        *((name, (np.abs(sums[name]) <= LARGEST_REWARD).all()) for name in SUM_NAMES),
        *((name, (sums[name][arms["count"] == 0] == 0).all()) for name in SUM_NAMES),
        ("lowest and highest", (low <= high).all() and (high - low <= 2.1 * policy._sigmas).all()),
        ("lowest and highest", np.array_equal(low[once], mean[once])),
        ("lowest and highest", np.array_equal(high[once], mean[once])),
        ("means", ((low - slack <= mean) & (mean <= high + slack))[often].all()),
        ("squares", (sums["squares"][once] == 0).all()),
        ("squares", ((sums["squares"] >= 0) & (sums["squares"] <= 1.01 * arms["count"])).all()),
    ):
        if not holds:
            raise ValueError(f"its {name} cannot be those of a policy")


def _check_decision(policy: Policy) -> None:
    """Refuse next arms, or a stop, that the intervals do not give.

    After a stop the intervals may have moved on. Only where they cannot have, because every arm
    has a single sample, is it decided again; and nested ones only shrink, so that what was certain
    still is.
    """
    given = policy._state
    again = copy.copy(policy)
    state = again._state
    arms, progress = state.arms, state.progress[0]
    settle_all(state)
    if progress["stopped"] != 0:
        top = given.arms["top"]
        apart = given.arms["lower"][top].min() > given.arms["upper"][~top].max()
        by_intervals = policy._stopping not in LOOK_BACK
        held = policy._nested and progress["crossed"] == 0 and by_intervals
        if progress["stopped"] == BY_PROVED_RULE and held and not apart:
            raise ValueError("its top cannot be that of a policy")
        if progress["total"] > arms.size:
            return
        progress["stopped"] = progress["last_look"] = progress["searching"] = 0
        progress["n_active"] = arms.size
        arms["top"], state.sequence[:], state.active[:] = (
            False,
            np.arange(arms.size),
            range(arms.size),
        )
    elif (
        policy._in_table == "MaxGapElim"
        and progress["n_next"] == arms.size
        and _active(state).size == arms.size
    ):
        return  # all may have been let in again, after an interval has missed
    again._decide()
    asked = again._listed()
    for name, holds in (
        ("numbers", np.array_equal(state.progress, given.progress)),
        ("next_arms", np.array_equal(asked, given.next[: asked.size])),
        ("sequence", np.array_equal(state.sequence, given.sequence)),
        ("active", np.array_equal(_active(state), _active(given))),
        ("top", np.array_equal(arms["top"], given.arms["top"])),
    ):
        if not holds:
            raise ValueError(f"its {name} cannot be those of a policy")
