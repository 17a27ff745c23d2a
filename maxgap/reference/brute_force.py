"""Gap bounds by trying configurations of the means: no lemma and no programme of the paper."""

import math

import numpy as np
from numpy.typing import ArrayLike

from maxgap.reference._checking import checked_intervals
from maxgap.reference.bounds import GapBounds

__all__ = ["gap_upper_bounds_brute"]

# More configurations than this would need gigabytes.
_MOST_CONFIGURATIONS = 1_000_000


def gap_upper_bounds_brute(lower: ArrayLike, upper: ArrayLike) -> GapBounds:
    """Return upper bounds on every arm's gaps by trying configurations of the means.

    Every mean is placed at every end, of any arm's interval, that its own interval contains; each
    arm's gaps are read off each configuration, and the largest kept. The arms tied with an arm do
    not close its gap: the right gap runs to the nearest strictly larger mean, and is 0 if none is.

    That grid suffices. Fix an arm a, its right neighbour b and which other arms lie at or below a
    (the rest lie at or above b). Maximising mu_b - mu_a is then a linear programme, whose
    constraints are bounds on single means and on differences of two: at a vertex every mean equals
    some end. If the maximum is positive it is the gap of a; otherwise the bound is 0.

    Parameters
    ----------
    lower, upper : array_like, shape (K,)
        Ends of the intervals of the means, in rewards' units; finite. The number of configurations
        grows as (2 K)^K: K <= 5 is practical.

    Raises
    ------
    ValueError
        If the intervals are unusable, or there are more than a million configurations.

    Examples
    --------
    >>> gap_upper_bounds_brute(lower=[0, 2, 5], upper=[1, 3, 6]).right
    array([3., 4., 0.])
    """
    lower, upper = checked_intervals(lower, upper, finite=True)
    ends = np.unique(np.append(lower, upper))
    places = [ends[(low <= ends) & (ends <= high)] for low, high in zip(lower, upper, strict=True)]
    n_configurations = math.prod(len(place) for place in places)
    if n_configurations > _MOST_CONFIGURATIONS:
        raise ValueError(
            f"lower and upper give {n_configurations} configurations of {len(lower)} arms, "
            f"more than {_MOST_CONFIGURATIONS}"
        )
    means = np.stack([axis.ravel() for axis in np.meshgrid(*places, indexing="ij")], axis=1)
    right, left = np.zeros(len(lower)), np.zeros(len(lower))
    for a in range(len(lower)):
        rise = means - means[:, [a]]
        to_right = np.where(rise > 0, rise, np.inf).min(axis=1)
        to_left = np.where(rise < 0, -rise, np.inf).min(axis=1)
        right[a] = np.where(np.isfinite(to_right), to_right, 0.0).max()
        left[a] = np.where(np.isfinite(to_left), to_left, 0.0).max()
    return GapBounds(right, left)
