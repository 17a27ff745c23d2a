"""What fails as printed: the rule for stopping MaxGapElim early (Appendix D.1), in two forms."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from maxgap.reference import gap_lower_bound, gap_upper_bounds

__all__ = [
    "early_stop_as_printed",
    "early_stop_as_worded",
    "early_stop_by_ends",
]


def early_stop_as_printed(means: ArrayLike, lower: ArrayLike, upper: ArrayLike) -> bool:
    """Say whether the early stopping rule of MaxGapElim holds, as its formula is printed.

    Equation (20), including its conditions on the ends: of the bottom cluster it looks only at arms
    that lie wholly below the lower end of the arm ranked next after the split, so not at that arm
    itself unless its interval is a point. It can therefore stop although another gap may be the
    largest. That end is most likely a misprint for the upper one: see `early_stop_by_ends`. Kept
    for that demonstration; no policy uses it.

    Parameters and errors are those of `gap_lower_bound`.

    Returns
    -------
    bool
        False while no gap is detected, as the text around the formula assumes.

    Examples
    --------
    Means that could belong to 0, 1, 1.02, 1.97, whose largest gap is the lowest one. The formula
    stops, and the split it stops with puts arm 3 alone on top:

    >>> import numpy as np
    >>> means = np.array([0.05, 1.0, 1.02, 2.0])
    >>> early_stop_as_printed(means, means - 0.1, means + 0.1)
    True
    >>> gap_lower_bound(means, means - 0.1, means + 0.1).split_rank
    1
    """
    return _early_stop(means, lower, upper, end_below=lower)


def early_stop_by_ends(means: ArrayLike, lower: ArrayLike, upper: ArrayLike) -> bool:
    """Say whether the early stopping rule holds, with the likely misprint of its formula mended.

    Equation (20) with the upper end of the arm ranked next after the split in the place of its
    lower end. Where all intervals are equally wide this is the cluster rule. Otherwise an interval
    may reach past that arm's, or past the one on the other side of the split, and its arm is then
    not looked at; to ask it of every arm of the clusters, as the sentence before the formula does,
    is right always.

    Parameters and errors are those of `early_stop_as_printed`.

    Examples
    --------
    Where the printed formula stops, this one waits, as it should:

    >>> import numpy as np
    >>> means = np.array([0.05, 1.0, 1.02, 2.0])
    >>> early_stop_by_ends(means, means - 0.1, means + 0.1)
    False

    Arm 1 reaches past arm 2, which is ranked next after the split. With means 8.3, 10, 8.9 and 11
    the largest gap lies below arm 1 (1.1), and the formula stops for the one above it (1):

    >>> lower, upper = np.array([8.2, 7.9, 8.9, 11.0]), np.array([8.4, 10.0, 9.1, 11.2])
    >>> early_stop_by_ends((lower + upper) / 2, lower, upper)
    True
    """
    return _early_stop(means, lower, upper, end_below=upper)


def _early_stop(
    means: ArrayLike, lower: ArrayLike, upper: ArrayLike, *, end_below: ArrayLike
) -> bool:
    """Equation (20); `end_below` holds the ends that the bottom cluster's are compared with."""
    value, split_rank = gap_lower_bound(means, lower, upper)
    if value <= 0:
        return False
    lower, upper = np.asarray(lower, dtype=np.float64), np.asarray(upper, dtype=np.float64)
    ranked = _ranked(means)
    above, below = ranked[split_rank - 1], ranked[split_rank]
    bounds = gap_upper_bounds(lower, upper)
    right_is_small = (bounds.right < value)[lower >= lower[above]].all()
    left_is_small = (bounds.left < value)[upper <= np.asarray(end_below)[below]].all()
    return bool(right_is_small and left_is_small)


def early_stop_as_worded(means: ArrayLike, lower: ArrayLike, upper: ArrayLike) -> bool:
    """Say whether the early stopping rule of MaxGapElim holds, as the text words it.

    The sentence before equation (20) asks that every *left* gap bound in the top cluster and every
    *right* gap bound in the bottom one be less than the lower bound. Those include both sides of
    the split itself, whose gap is at least the lower bound, so it never holds. The formula has the
    sides the other way round. Kept for that demonstration; no policy uses it.

    Parameters and errors are those of `gap_lower_bound`.

    Examples
    --------
    >>> early_stop_as_worded(means=[0, 10], lower=[-1, 9], upper=[1, 11])
    False
    """
    value, split_rank = gap_lower_bound(means, lower, upper)
    if value <= 0:
        return False
    ranked = _ranked(means)
    top, bottom = ranked[:split_rank], ranked[split_rank:]
    bounds = gap_upper_bounds(lower, upper)
    return bool((bounds.left[top] < value).all() and (bounds.right[bottom] < value).all())


def _ranked(means: ArrayLike) -> NDArray[np.intp]:
    """Arms from the largest mean to the smallest, equal ones by their number."""
    return np.argsort(-np.asarray(means, dtype=np.float64), kind="stable")
