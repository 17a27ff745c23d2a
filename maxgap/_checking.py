"""What a policy is given, checked: labels, scales, rewards. A ValueError names what is wrong."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

import numpy as np

from maxgap._numbers import as_float, as_floats, is_whole, scalar
from maxgap.confidence import FROM_REWARDS, RADII, check_sigma
from maxgap.engine.types import Floats, Integers

#: The largest reward (in size) that a policy takes: differences of two must not overflow.
LARGEST_REWARD = 1e300

#: Attoseconds, the finest unit of NumPy's dates, in every unit of fixed length.
_SECONDS = {"s": 1, "m": 60, "h": 3_600, "D": 86_400, "W": 604_800}
_ATTOSECONDS = {"as": 1, "fs": 10**3, "ps": 10**6, "ns": 10**9, "us": 10**12, "ms": 10**15}
_ATTOSECONDS |= {unit: seconds * 10**18 for unit, seconds in _SECONDS.items()}
_MONTHS = {"Y": 12, "M": 1}


def checked_labels(arms: Any) -> list[Hashable]:
    """The labels in order, such as the user gave them; a count stands for 0, 1, ..."""
    arms = scalar(arms)
    if is_whole(arms):
        if arms < 2:
            raise ValueError(f"arms must be at least two, got {arms!r}")
        try:
            return list(range(int(arms)))
        except (OverflowError, MemoryError) as problem:
            raise ValueError(f"arms are more than memory holds, got {arms!r}") from problem
    given = _in_order("arms", arms)
    if given is None:
        raise ValueError(f"arms must be a count or a sequence of labels, got {arms!r}")
    labels = [_kept(label) for label in given]
    if len(labels) < 2:
        raise ValueError(f"arms must be at least two, got {arms!r}")
    keys, seen = set(), set()
    for label in labels:
        try:
            key = label_key(label)
            # Both: answers are sets of labels, lookups go by key.
            repeated = key in keys or label in seen
            keys.add(key)
            seen.add(label)
            if _is_missing(label):
                raise ValueError("it is not equal to itself")
        except (TypeError, ValueError, ArithmeticError) as problem:
            # It has no hash, or, like pandas' NA, no answer to whether it equals itself.
            raise ValueError(f"arms holds {label!r}, which cannot be a label") from problem
        if repeated:
            raise ValueError(f"arms holds the label {label!r} more than once")
    return labels


def label_index(labels: list[Hashable]) -> dict[Hashable, int]:
    """Where each label is found by its key."""
    return {label_key(label): arm for arm, label in enumerate(labels)}


def checked_batch(
    arms: Any, rewards: Any, labels: list[Hashable], index: dict[Hashable, int]
) -> tuple[Integers, Floats]:
    """Indices and rewards of a batch, or a ValueError before anything has changed."""
    if isinstance(rewards, Mapping):
        raise ValueError(
            f"rewards is a mapping: give its keys as arms, its values as rewards, got {rewards!r}"
        )
    given = _in_order("rewards", rewards)
    told = [scalar(arms)] if given is None else _in_order("arms", arms)
    if told is None:
        raise ValueError(f"arms is the single label {arms!r} but rewards is a sequence")
    if given is None:
        given = [rewards]
    indices = checked_indices(told, labels, index)
    if indices.size != len(given):
        raise ValueError(
            f"arms and rewards must have equal lengths, got {indices.size} and {len(given)}"
        )
    values = _checked_rewards(given)
    bad = ~(np.abs(values) <= LARGEST_REWARD)
    if bad.any():
        at = int(bad.argmax())
        raise ValueError(
            f"rewards must be finite numbers of size at most {LARGEST_REWARD:g}, "
            f"got reward {list(given)[at]!r} of arm {labels[indices[at]]!r}"
        )
    return indices, values


def check_ranges(
    indices: Integers,
    values: Floats,
    lowest: Floats,
    highest: Floats,
    spreads: Floats,
    labels: list[Hashable],
) -> None:
    """A ValueError if the rewards of an arm, with those before, lie further apart than its spread.

    ``lowest`` and ``highest`` are those of the rewards so far, infinite before the first.
    """
    low, high = lowest.copy(), highest.copy()
    np.minimum.at(low, indices, values)
    np.maximum.at(high, indices, values)
    # Twice a half may miss the whole by a rounding.
    bad = high - low > spreads * (1 + 1e-9)
    if bad.any():
        arm = int(bad.argmax())
        raise ValueError(
            f"rewards of arm {labels[arm]!r} go from {float(low[arm])!r} to {float(high[arm])!r}, "
            f"but sigma {float(spreads[arm]) / 2!r} is half the width of their range"
        )


def checked_indices(told: Any, labels: list[Hashable], index: dict[Hashable, int]) -> Integers:
    """Index of every label, or a ValueError that names one that is unknown."""
    if isinstance(told, np.ndarray) and told.dtype.kind in "biufUS":
        told = told.tolist()  # the same labels, found faster
    found = []
    for label in told:
        try:
            arm = index.get(label_key(label) if isinstance(label, _KEYED) else label)
        except (TypeError, ValueError):  # it has no hash
            arm = None
        # True == 1 and hash alike, but no one means arm 1 by True; nor any whole number by a float
        # that others are rounded to.
        if (
            arm is None
            or isinstance(label, (bool, np.bool_)) != isinstance(labels[arm], bool)
            or (
                isinstance(label, float)
                and not isinstance(labels[arm], float)
                and is_rounded(label)
            )
        ):
            raise ValueError(f"arms holds the unknown label {label!r}")
        found.append(arm)
    return np.array(found, dtype=np.int64)


def checked_sigmas(
    sigma: Any, labels: list[Hashable], index: dict[Hashable, int]
) -> tuple[Floats, bool]:
    """The scale of every arm, and whether one was given for all. Labelled ones go by label."""
    if hasattr(sigma, "items"):  # a mapping or a pandas Series
        sigma = _by_label(sigma, labels, index)
    sigmas = check_sigma(sigma)
    if sigmas.shape not in ((), (len(labels),)):
        raise ValueError(f"sigma: one number or {len(labels)} are needed, got shape {sigmas.shape}")
    return np.full(len(labels), sigmas), sigmas.ndim == 0


def checked_bounds(bounds: Any) -> tuple[float, float]:
    """The smallest and the largest reward that there could be, or a ValueError."""
    ends = as_floats(bounds)
    if ends is None or ends.shape != (2,) or not -math.inf < ends[0] < ends[1] < math.inf:
        raise ValueError(f"bounds must be two numbers, the smaller first, got {bounds!r}")
    return float(ends[0]), float(ends[1])


def checked_scale(bounds: Any, sigma: Any) -> tuple[tuple[float, float] | None, Any]:
    """Bounds, and the sigma that goes with them, or a ValueError if both are given."""
    if bounds is None:
        return None, sigma
    given = None if hasattr(sigma, "items") else as_floats(sigma)
    if given is None or np.any(given != 1.0):
        raise ValueError(f"give bounds or sigma, got bounds {bounds!r} and sigma {sigma!r}")
    low, high = checked_bounds(bounds)
    return (low, high), (high - low) / 2


def check_bounds(
    indices: Integers, values: Floats, bounds: tuple[float, float], labels: list[Hashable]
) -> None:
    """A ValueError that names the first arm with a reward outside the bounds."""
    outside = (values < bounds[0]) | (values > bounds[1])
    if outside.any():
        at = int(outside.argmax())
        raise ValueError(
            f"rewards holds {float(values[at])!r} of arm {labels[indices[at]]!r}, outside the "
            f"bounds {bounds[0]:.12g} to {bounds[1]:.12g}"
        )


def checked_confidence(confidence: Any) -> Any:
    known = [*RADII, *FROM_REWARDS]
    if not callable(confidence) and not (isinstance(confidence, str) and confidence in known):
        raise ValueError(f"confidence must be one of {known} or a function, got {confidence!r}")
    return confidence


# -- labels ------------------------------------------------------------------------------------

#: Labels that are found by something else than themselves.
_KEYED = (np.generic, datetime, timedelta)


def _kept(label: Any) -> Hashable:
    """A label as it was given, in a form that has a hash and does not change."""
    if isinstance(label, np.void) and label.dtype.names is not None:
        # A record is a view of the user's array, and has a hash only if no one can write to it.
        frozen = np.array([label], dtype=label.dtype)
        frozen.flags.writeable = False
        return frozen[0]
    return _plain(label)


def _plain(label: Any) -> Any:
    """Python's number or text for NumPy's, which is equal and can be saved; others as they are."""
    numpys = isinstance(label, np.generic) and label.dtype.kind in "biufcUS"
    return label.item() if numpys else label


def label_key(label: Any) -> Hashable:
    """Equal labels have equal keys: NumPy's hashes alone do not promise that for its own kinds."""
    if isinstance(label, np.void):
        return np.void, label.dtype.names, label.item()
    # pandas' own times are subclasses of Python's, and finer.
    if isinstance(label, datetime) and label.tzinfo is None:
        label = getattr(label, "to_datetime64", lambda: np.datetime64(label))()
    elif isinstance(label, timedelta):
        label = getattr(label, "to_timedelta64", lambda: np.timedelta64(label))()
    if isinstance(label, (np.datetime64, np.timedelta64)) and not np.isnat(label):
        unit, step = np.datetime_data(label.dtype)
        if isinstance(label, np.datetime64) and unit in ("Y", "M"):
            label = label.astype("datetime64[D]")
            unit, step = "D", 1
        # In Python's integers, which do not overflow. Months and years have no fixed length.
        for lengths in (_ATTOSECONDS, _MONTHS):
            if unit in lengths:
                count = int(label.astype(np.int64)) * step * lengths[unit]
                return type(label), lengths is _MONTHS, count
    return _plain(label)


def _is_missing(label: Any) -> bool:
    """Whether it is not equal to itself, as NaN and NaT, or a tuple holds such a value."""
    if isinstance(label, tuple):
        return any(_is_missing(part) for part in label)
    return bool(label != label)


def is_missing(label: Any) -> bool:
    """Whether a table would take it for missing: None, NaN, NaT or NA, alone or in a tuple."""
    try:
        return label is None or _is_missing(label)
    except (TypeError, ValueError, ArithmeticError):
        return True


def is_rounded(label: Any) -> bool:
    """Whether it is a float of a size at which whole numbers are rounded to their neighbours."""
    return isinstance(label, float) and 2**53 <= abs(label) < math.inf


def _by_label(sigma: Any, labels: list[Hashable], index: dict[Hashable, int]) -> list[Any]:
    """The values of a mapping or a Series, in the order of the labels."""
    pairs = list(sigma.items())
    try:
        arms = checked_indices([label for label, _ in pairs], labels, index)
        fits = sorted(arms.tolist()) == list(range(len(labels)))
        reason = "not every label just once"
    except ValueError as problem:
        fits, reason = False, str(problem)
    if not fits:
        raise ValueError(
            "sigma comes with labels, which must be those of the arms "
            f"(for one per arm by position give the values alone): {reason}, got {sigma!r}"
        )
    return [pairs[at][1] for at in np.argsort(arms)]


# -- rewards -----------------------------------------------------------------------------------


def _in_order(name: str, values: Any) -> Any:
    """A list or an array of the values, which consumes an iterator; None for a single value."""
    if isinstance(values, (set, frozenset)):
        raise ValueError(f"{name} is a set, which has no order: give a list, got {values!r}")
    dimensions: Any = getattr(values, "ndim", None)
    if isinstance(values, (str, bytes)) or dimensions == 0 or not isinstance(values, Iterable):
        return None
    if isinstance(dimensions, int) and dimensions > 1:
        raise ValueError(f"{name} must be one-dimensional, got {values!r}")
    if callable(arrow := getattr(type(values), "to_pylist", None)):
        return arrow(values)
    # pandas' own columns are read value by value, so that labels are those that it shows.
    return values if isinstance(values, (list, np.ndarray)) else list(values)


def _checked_rewards(given: Any) -> Floats:
    """Their floats, 1 and 0 for True and False; NaN for what is no number."""
    if isinstance(given, list) and set(map(type, given)) <= {float, int}:  # as most are told
        try:
            return np.array(given, np.float64)
        except OverflowError:  # an integer beyond all floats
            pass
    values = as_floats(given)
    if values is not None and values.ndim == 1:
        return values
    floats = [float(x) if isinstance(x, (bool, np.bool_)) else as_float(x) for x in given]
    return np.array([math.nan if x is None else x for x in floats])
