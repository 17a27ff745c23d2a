"""What could be done by someone who was told the order of the arms.

Section 6 of the paper compares the MaxGap problem with an easier one. If the order of the means is
known, only K - 1 differences of neighbours are left, and the largest gap is the best arm among
them. `search_known_order` solves that by LUCB (Kalyanakrishnan et al., 2012). It is no policy: it
knows what no policy may know, so it stands apart from :mod:`maxgap.policies`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from maxgap.confidence import check_delta, radius
from maxgap.problems import Problem

__all__ = ["KnownOrder", "search_known_order"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class _Gaps(NamedTuple):
    """What gaps are drawn from, by rank, and what is known of them, which sampling changes."""

    means: Floats
    sigmas: Floats
    pulls: Integers
    estimates: Floats


class KnownOrder(NamedTuple):
    """Runs of the search by someone who knows the order of the arms.

    Attributes
    ----------
    samples : ndarray of int, shape (replicates,)
        Rewards drawn; a sample of a gap takes two.
    stopped : ndarray of bool, shape (replicates,)
        Whether one gap was certified as the largest within the budget.
    correct : ndarray of bool, shape (replicates,)
        Whether the gap with the largest mean difference at the end is a largest one.
    counts : ndarray of int, shape (replicates, K)
        Rewards drawn of every arm, in the order of the problem's arms.
    """

    samples: Integers
    stopped: NDArray[np.bool_]
    correct: NDArray[np.bool_]
    counts: Integers


def search_known_order(
    problem: Problem,
    *,
    delta: float,
    budget: int,
    replicates: int,
    seed: int,
    confidence: str | Callable[..., ArrayLike] = "normal-mixture",
) -> KnownOrder:
    """Find the largest gap when the order of the arms is known: LUCB on the K - 1 gaps.

    A sample of a gap is a fresh reward of its upper arm less a fresh reward of its lower arm, so
    the gaps are independent and their noise has variance sigma_i^2 + sigma_j^2: for four arms,
    the P_{4,3}, P_{3,2} and P_{2,1} of the paper's Section 6. A round samples the gap with the
    largest mean and, of the others, the one with the largest upper end. It stops once the lower
    end of the first is at least the upper end of the second. While the intervals of all gaps hold
    the answer is right; they do with probability 1 - delta for a radius that
    `maxgap.confidence.guarantees`.

    Parameters
    ----------
    problem : Problem
        True means, from which the order is taken, and scales of the normal noise.
    delta : float
        Probability of error allowed, inside (0, 1).
    budget : int
        The largest number of rewards of a run; at least two for every gap.
    replicates : int
        Number of runs.
    seed : int
        Each run has its own generator, spawned from it.
    confidence : str or callable
        Radius of the intervals of the gaps, as in `maxgap.confidence.radius`, for K - 1 arms.

    Returns
    -------
    KnownOrder

    Raises
    ------
    ValueError
        If `delta`, `budget`, `replicates` or `confidence` is unusable.

    Examples
    --------
    >>> from maxgap.problems import four_arms
    >>> runs = search_known_order(
    ...     four_arms(0.3, 1.0), delta=0.05, budget=100_000, replicates=20, seed=1
    ... )
    >>> bool(runs.stopped.all()), int(runs.correct.sum()) >= 19
    (True, True)
    """
    delta = check_delta(delta)
    n_gaps = problem.n_arms - 1
    for name, value, least in (("budget", budget, 2 * n_gaps), ("replicates", replicates, 1)):
        whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
        if not whole or value < least:
            raise ValueError(f"{name} must be an integer, at least {least}, got {value!r}")
    order = np.argsort(-problem.means, kind="stable")
    means, sigmas = problem.means[order], problem.sigmas[order]
    scales = np.hypot(sigmas[:-1], sigmas[1:])

    def table(size: int) -> Floats:
        n = np.arange(size)
        rows = [
            radius(confidence, n, delta=delta, n_arms=n_gaps, sigma=float(scale))
            for scale in scales
        ]
        return np.array(rows)

    radii = table(1024)
    stopped = np.zeros(replicates, dtype=np.bool_)
    correct = np.zeros(replicates, dtype=np.bool_)
    counts = np.zeros((replicates, problem.n_arms), dtype=np.int64)
    for i, child in enumerate(np.random.SeedSequence(seed).spawn(replicates)):
        rng = np.random.default_rng(child)
        gaps = _Gaps(means, sigmas, np.zeros(n_gaps, dtype=np.int64), np.zeros(n_gaps))
        while True:
            stopped[i] = _lucb(rng, gaps, radii, budget // 2)
            if stopped[i] or gaps.pulls.max() < radii.shape[1] - 1:
                break
            radii = table(2 * radii.shape[1])
        found = problem.gaps[np.argmax(gaps.estimates)]
        correct[i] = found >= problem.delta_max * (1 - 1e-9)
        counts[i, order[:-1]] += gaps.pulls
        counts[i, order[1:]] += gaps.pulls
    return KnownOrder(counts.sum(axis=1), stopped, correct, counts)


@njit(nogil=True)
def _lucb(rng: np.random.Generator, gaps: _Gaps, radii: Floats, most_pulls: int) -> bool:
    """Sample gaps until one is certified (True), or no budget or no radius is left (False).

    A run goes on where the gaps stand.
    """
    pulls, estimates = gaps.pulls, gaps.estimates
    n_gaps = pulls.size
    for k in range(n_gaps):
        if pulls[k] == 0:
            _sample_gap(rng, k, gaps)
    while True:
        first = 0
        for k in range(1, n_gaps):
            if estimates[k] > estimates[first]:
                first = k
        second, highest = -1, -np.inf
        for k in range(n_gaps):
            if k != first and estimates[k] + radii[k, pulls[k]] > highest:
                second, highest = k, estimates[k] + radii[k, pulls[k]]
        if second < 0 or estimates[first] - radii[first, pulls[first]] >= highest:
            return True
        if pulls.sum() + 2 > most_pulls or pulls.max() + 1 >= radii.shape[1]:
            return False
        _sample_gap(rng, first, gaps)
        _sample_gap(rng, second, gaps)


@njit(nogil=True)
def _sample_gap(rng: np.random.Generator, k: int, gaps: _Gaps) -> None:
    above = gaps.means[k] + gaps.sigmas[k] * rng.standard_normal()
    below = gaps.means[k + 1] + gaps.sigmas[k + 1] * rng.standard_normal()
    gaps.pulls[k] += 1
    gaps.estimates[k] += (above - below - gaps.estimates[k]) / gaps.pulls[k]
