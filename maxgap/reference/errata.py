"""What fails as printed: the rule for stopping MaxGapElim early (Appendix D.1), in two forms."""

from numpy.typing import ArrayLike

from maxgap.reference._checking import checked_estimates
from maxgap.reference.bounds import gap_lower_bound, gap_upper_bounds, ranked_arms

__all__ = [
    "early_stop_as_printed",
    "early_stop_as_worded",
]


def early_stop_as_printed(means: ArrayLike, lower: ArrayLike, upper: ArrayLike) -> bool:
    """Say whether the early stopping rule of MaxGapElim holds, as its formula is printed.

    Equation (20), including its conditions on the ends: of the bottom cluster it looks only at arms
    that lie wholly below the lower end of the arm ranked next after the split, so not at that arm
    itself unless its interval is a point. It can therefore stop although another gap may be the
    largest. Kept for that demonstration; no policy uses it.

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
    means, lower, upper = checked_estimates(means, lower, upper)
    value, split_rank = gap_lower_bound(means, lower, upper)
    if value <= 0:
        return False
    ranked = ranked_arms(means)
    above, below = ranked[split_rank - 1], ranked[split_rank]
    bounds = gap_upper_bounds(lower, upper)
    right_is_small = (bounds.right < value)[lower >= lower[above]].all()
    left_is_small = (bounds.left < value)[upper <= lower[below]].all()
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
    means, lower, upper = checked_estimates(means, lower, upper)
    value, split_rank = gap_lower_bound(means, lower, upper)
    if value <= 0:
        return False
    ranked = ranked_arms(means)
    top, bottom = ranked[:split_rank], ranked[split_rank:]
    bounds = gap_upper_bounds(lower, upper)
    return bool((bounds.left[top] < value).all() and (bounds.right[bottom] < value).all())
