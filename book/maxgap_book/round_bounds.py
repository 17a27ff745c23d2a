"""How soon the recommended method stops: rounds of MaxGapTop2UCB under the cluster rule."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from maxgap import Problem
from maxgap.confidence import radius

__all__ = ["cluster_hardness", "round_bound"]

Floats = NDArray[np.float64]


def cluster_hardness(means: ArrayLike) -> Floats:
    r"""Radius at which MaxGapTop2UCB under the cluster rule needs no more of an arm.

    .. math:: \kappa_a = \tfrac18 \min\{\Delta_{\max} - D_a, \max\{g, d_a\}\}

    D_a is the largest gap beside arm a inside its own cluster (0 if there is none), g the
    difference between the largest gap and the second largest, and d_a the distance from a to the
    arm of its cluster at the largest gap. If all intervals hold and those of the arms that the
    policy would sample next are narrower than 2 kappa_a, the cluster rule holds already.

    Parameters
    ----------
    means : array_like, shape (K,)
        True means, with one largest gap.

    Returns
    -------
    ndarray, shape (K,)
        Between g / 8 and Delta_max / 8.

    Raises
    ------
    ValueError
        Bad `means`, or a tie for the largest gap.

    Examples
    --------
    >>> 8 * cluster_hardness([0.0, 0.25, 1.25, 1.75, 1.75])
    array([0.5, 0.5, 0.5, 0.5, 0.5])
    """
    problem = Problem(means)
    largest = problem.delta_max
    slack = 1e-12 * np.abs(problem.means).max()  # less is rounding, as in Problem
    difference = problem.means[None, :] - problem.means[:, None]
    top = np.isin(np.arange(problem.n_arms), list(problem.top))
    own = top[:, None] == top[None, :]

    def beside(distance: Floats) -> Floats:
        nearest = np.where(own & (distance > slack), distance, np.inf).min(axis=1)
        return np.where(np.isfinite(nearest), nearest, 0.0)

    widest = np.maximum(beside(difference), beside(-difference))
    to_the_gap = np.where(own, np.where(top[:, None], -difference, difference), 0.0).max(axis=1)
    lead = largest - widest.max()
    return np.minimum(largest - widest, np.maximum(lead, to_the_gap)) / 8


def round_bound(
    means: ArrayLike, delta: float, *, confidence: str = "normal-mixture", sigma: ArrayLike = 1.0
) -> int:
    """Rounds in which MaxGapTop2UCB under the cluster rule stops, if all intervals hold.

    1 + the sum of tau_a - 1, where tau_a samples are the fewest that bring arm a's radius below its
    `cluster_hardness`. A round takes at most one sample of each arm.

    Parameters
    ----------
    means : array_like, shape (K,)
        True means, with one largest gap.
    delta : float
        Probability of error allowed, inside (0, 1).
    confidence : str
        A radius, as for :func:`maxgap.confidence.radius`.
    sigma : float or array_like of shape (K,), default 1.0
        Scale of the noise.

    Returns
    -------
    int
        No arm takes more samples, and all together at most K times as many.

    Raises
    ------
    ValueError
        Bad `means`, a tie for the largest gap, bad `delta`, `confidence` or `sigma`.

    Examples
    --------
    >>> round_bound([0.0, 0.25, 1.25, 1.75], 0.1)
    13509
    """
    needed = cluster_hardness(means)

    def wide(n: NDArray[np.int64]) -> NDArray[np.bool_]:
        return radius(confidence, n, delta=delta, n_arms=needed.size, sigma=sigma) >= needed

    step = np.ones(needed.size, dtype=np.int64)
    while np.any(wide(step)):
        step = np.where(wide(step), 2 * step, step)
    last = np.zeros_like(step)  # so many samples leave it wide; found by halving
    while np.any(step > 0):
        last = np.where((step > 0) & wide(last + step), last + step, last)
        step //= 2
    return 1 + int(last.sum())
