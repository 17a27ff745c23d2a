"""What a policy is given, checked: labels, scales, rewards. A ValueError names what is wrong."""

from __future__ import annotations

import math
import numbers
from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from maxgap.confidence import RADII, check_sigma
from maxgap.gaps import Floats, Integers

#: The largest reward (in size) that a policy takes: differences of two must not overflow.
LARGEST_REWARD = 1e300


def checked_labels(arms: Any) -> list[Hashable]:
    if isinstance(arms, (bool, np.bool_, str, bytes)):
        raise ValueError(f"arms must be a count or a sequence of labels, got {arms!r}")
    if isinstance(arms, numbers.Integral):
        labels: list[Hashable] = list(range(int(arms)))
    elif isinstance(arms, Iterable):
        # NumPy scalars become plain Python values, so that labels can be saved.
        labels = [x.item() if isinstance(x, np.generic) else x for x in arms]
    else:
        raise ValueError(f"arms must be a count or a sequence of labels, got {arms!r}")
    if len(labels) < 2:
        raise ValueError(f"arms must be at least two, got {arms!r}")
    seen = set()
    for label in labels:
        try:
            repeated = label in seen
        except TypeError as problem:
            raise ValueError(f"arms holds {label!r}, which cannot be a label") from problem
        if repeated:
            raise ValueError(f"arms holds the label {label!r} more than once")
        if label != label:
            raise ValueError(f"arms holds {label!r}, which cannot be a label")
        seen.add(label)
    return labels


def checked_batch(
    arms: Any, rewards: Any, labels: list[Hashable], index: dict[Hashable, int]
) -> tuple[Integers, Floats]:
    """Indices and rewards of a batch, or a ValueError before anything has changed."""
    try:
        single = np.ndim(rewards) == 0
    except ValueError as problem:  # rows of unequal length
        raise ValueError(f"rewards must be one number per arm, got {rewards!r}") from problem
    if single:
        label_list: Any = [arms]
        reward_list: Any = [rewards]
    else:
        if isinstance(arms, (str, bytes)) or not isinstance(arms, Iterable):
            raise ValueError(f"arms is the single label {arms!r} but rewards is a sequence")
        label_list, reward_list = arms, rewards
    indices = checked_indices(label_list, labels, index)
    if np.ma.is_masked(reward_list):
        reward_list = np.ma.filled(reward_list.astype(np.float64), np.nan)
    values = np.asarray(reward_list)
    if values.ndim != 1 or values.size != indices.size:
        raise ValueError(
            f"arms and rewards must have equal lengths, got {indices.size} and {values.shape}"
        )
    if values.dtype.kind in "fiub":
        with np.errstate(over="ignore"):  # longer floats may become infinite
            values = values.astype(np.float64)
        bad = ~(np.abs(values) <= LARGEST_REWARD)
    else:
        bad = np.array([not is_reward(x) for x in reward_list], dtype=np.bool_)
        if not bad.any():
            values = np.array([float(x) for x in reward_list])
    if bad.any():
        at = int(bad.argmax())
        raise ValueError(
            f"reward {list(reward_list)[at]!r} of arm {labels[indices[at]]!r} is not a "
            f"finite number (of size at most {LARGEST_REWARD:g})"
        )
    return indices, values


def checked_indices(told: Any, labels: list[Hashable], index: dict[Hashable, int]) -> Integers:
    """Index of every label, or a ValueError that names one that is unknown."""
    if isinstance(told, np.ndarray) and told.ndim != 1:
        raise ValueError(f"arms must be one-dimensional, got shape {told.shape}")
    found = []
    for label in told:
        try:
            arm = index.get(label)
        except TypeError:  # unhashable
            arm = None
        # True == 1 and hash alike, but no one means arm 1 by True.
        if arm is not None and isinstance(label, (bool, np.bool_)):
            arm = arm if isinstance(labels[arm], bool) else None
        if arm is None:
            raise ValueError(f"arms holds the unknown label {label!r}")
        found.append(arm)
    return np.array(found, dtype=np.int64)


def is_reward(value: Any) -> bool:
    """Whether it is a number small enough to be summed."""
    size: Any = abs(value) if isinstance(value, numbers.Real) else math.nan
    return bool(size <= LARGEST_REWARD)


def checked_sigmas(sigma: ArrayLike, n_arms: int) -> Floats:
    sigmas = check_sigma(sigma)
    if sigmas.shape not in ((), (n_arms,)):
        raise ValueError(f"sigma: one number or {n_arms} are needed, got shape {sigmas.shape}")
    return np.full(n_arms, sigmas)


def checked_confidence(confidence: Any) -> Any:
    if not callable(confidence) and not (isinstance(confidence, str) and confidence in RADII):
        raise ValueError(
            f"confidence must be one of {list(RADII)} or a function, got {confidence!r}"
        )
    return confidence


def checked_factor(c: Any) -> float:
    """The factor of MaxGapUCB's stopping rule, or a ValueError."""
    if not isinstance(c, numbers.Real) or not 0 < float(c) < math.inf:
        raise ValueError(f"c must be a positive number, got {c!r}")
    return float(c)
