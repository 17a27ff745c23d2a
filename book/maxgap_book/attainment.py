"""What makes a gap bound: means that attain it, the arms whose ends it is, the arms that matter."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from maxgap.reference import right_gap_at

__all__ = [
    "LevelSets",
    "attaining_configuration",
    "level_sets",
    "right_gap_arms",
]

Vector = NDArray[np.float64]


class LevelSets(NamedTuple):
    """The arms relevant to one arm's right gap, as three disjoint sets of arm numbers.

    Examples
    --------
    >>> sets = LevelSets(frozenset({0}), frozenset({1, 2}), frozenset())
    >>> sorted(sets.level0 | sets.level1 | sets.level2)
    [0, 1, 2]
    """

    level0: frozenset[int]
    level1: frozenset[int]
    level2: frozenset[int]


def attaining_configuration(
    arm: int, lower: ArrayLike, upper: ArrayLike, side: str = "right"
) -> Vector:
    """Return means, inside their intervals, under which a gap of `arm` equals its upper bound.

    The construction in the proofs of Lemma 2 and Theorem 3, in the wording of Figure 3: arms that
    can go to the left of `arm` go to their lower ends, the others to their upper ends; if all can,
    the one with the largest upper end goes there and the rest left. (The proof of Lemma 2 sends
    every arm with an upper end above the position right and every arm with a lower end below it
    left, which is both for an interval around it.)

    Parameters
    ----------
    arm : int
        The arm, 0 to K - 1.
    lower, upper : array_like, shape (K,)
        Ends of the intervals of the means, in rewards' units; finite, since an infinite bound
        is not attained.
    side : {"right", "left"}
        Which gap.

    Returns
    -------
    ndarray, shape (K,)
        The means. They are checked to lie in their intervals.

    Raises
    ------
    ValueError
        If the intervals, the arm or the side are unusable.
    AssertionError
        If a mean left its interval, which would be a mistake of ours.

    Examples
    --------
    >>> attaining_configuration(0, lower=[0, 0, 1], upper=[1, 4, 3])
    array([0., 0., 3.])
    >>> attaining_configuration(2, lower=[0, 0, 1], upper=[1, 4, 3], side="left")
    array([0., 4., 3.])
    """
    lower, upper = _checked(arm, lower, upper)
    if not (np.isfinite(lower) & np.isfinite(upper)).all():
        raise ValueError(f"lower and upper must be finite, not {lower} and {upper}")
    if side == "right":
        means = _right_attaining(arm, lower, upper)
    elif side == "left":
        means = -_right_attaining(arm, -upper, -lower)
    else:
        raise ValueError(f"side must be 'right' or 'left', not {side!r}")
    if not ((lower <= means) & (means <= upper)).all():
        raise AssertionError(f"means {means} left their intervals [{lower}, {upper}]")
    return means


def right_gap_arms(arm: int, lower: ArrayLike, upper: ArrayLike) -> tuple[int, int] | None:
    """Return the two arms whose ends make the upper bound of the right gap of `arm`.

    The arms i_l and i_r of the paper's Section "Sample Complexity of MaxGapUCB": the bound is
    ``upper[i_r] - lower[i_l]``. Of several, the lowest-numbered are returned.

    Parameters
    ----------
    arm : int
        The arm, 0 to K - 1.
    lower, upper : array_like, shape (K,)
        Ends of the intervals of the means, in rewards' units. Infinite ends are allowed.

    Returns
    -------
    tuple of int, or None
        (i_l, i_r); None when the bound is 0 because no arm can lie to the right of `arm`.

    Raises
    ------
    ValueError
        If the intervals or the arm are unusable.

    Examples
    --------
    >>> right_gap_arms(0, lower=[0, 2, 5], upper=[1, 3, 6])
    (0, 1)
    >>> right_gap_arms(2, lower=[0, 2, 5], upper=[1, 3, 6]) is None
    True
    """
    lower, upper = _checked(arm, lower, upper)
    x = _best_position(arm, lower, upper)
    cannot_go_left = np.flatnonzero(lower > x)
    if cannot_go_left.size:
        closing = int(cannot_go_left[np.argmin(upper[cannot_go_left])])
    else:
        closing = _furthest_other(arm, upper)
        if upper[closing] <= x:
            return None
    return int(np.flatnonzero(lower == x)[0]), closing


def level_sets(arm: int, lower: ArrayLike, upper: ArrayLike) -> LevelSets:
    """Return the level 0, 1 and 2 arms of `arm`: those relevant to its right gap.

    Equations (31) to (33). Level 0: upper end inside the arm's interval, below its upper end.
    Level 1: interval contains the arm's upper end, so the arm itself is one. Level 2: interval
    wholly to the right, and none of those ends before it begins. The lower end of the arm's largest
    right gap belongs to a level 0 or 1 arm (35), its upper end to an arm of any of the three (Lemma
    10).

    Parameters and errors are those of `right_gap_arms`.

    Returns
    -------
    LevelSets
        Three disjoint frozensets of arm numbers. Arms in none of them do not matter.

    Examples
    --------
    >>> levels = level_sets(1, lower=[0, 1, 2, 5, 6, 9], upper=[2, 3, 4, 7, 8, 10])
    >>> [sorted(level) for level in levels]
    [[0], [1, 2], [3, 4]]
    """
    lower, upper = _checked(arm, lower, upper)
    right_of_arm = lower > upper[arm]
    nearest_end = upper[right_of_arm].min() if right_of_arm.any() else -np.inf
    level0 = (lower[arm] <= upper) & (upper < upper[arm])
    level1 = (lower <= upper[arm]) & (upper[arm] <= upper)
    level2 = right_of_arm & (lower <= nearest_end)
    return LevelSets(*(frozenset(np.flatnonzero(a).tolist()) for a in (level0, level1, level2)))


def _checked(arm: int, lower: ArrayLike, upper: ArrayLike) -> tuple[Vector, Vector]:
    """Copies of the ends, or a ValueError for an arm or intervals that are unusable."""
    low, high = np.array(lower, dtype=np.float64, ndmin=1), np.array(upper, dtype=np.float64)
    whole = isinstance(arm, int | np.integer) and not isinstance(arm, bool)
    if not whole or not 0 <= arm < len(low):
        raise ValueError(f"arm must be a whole number from 0 to {len(low) - 1}, not {arm!r}")
    right_gap_at(arm, low[arm], lower, upper)  # refuses the intervals
    return low, high


def _right_attaining(arm: int, lower: Vector, upper: Vector) -> Vector:
    x = _best_position(arm, lower, upper)
    cannot_go_left = lower > x
    means = np.where(cannot_go_left, upper, lower)
    if not cannot_go_left.any():
        furthest = _furthest_other(arm, upper)
        means[furthest] = upper[furthest]
    means[arm] = x
    return means


def _best_position(arm: int, lower: Vector, upper: Vector) -> float:
    """Return the lower end in the arm's interval at which its right gap is largest."""
    places = lower[(lower[arm] <= lower) & (lower <= upper[arm])]
    return float(max(places, key=lambda x: right_gap_at(arm, x, lower, upper)))


def _furthest_other(arm: int, upper: Vector) -> int:
    others = [j for j in range(len(upper)) if j != arm]
    return max(others, key=lambda j: upper[j])
