"""Instances of comparisons: probabilities that one item wins against another."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from maxgap import Problem

__all__ = ["borda_problem", "bradley_terry", "instances", "rings", "two_wide_gaps"]


def borda_problem(win_probabilities: ArrayLike) -> Problem:
    """Borda scores as means: run with ``noise="bernoulli"`` a reward is a duel, won or lost.

    Parameters
    ----------
    win_probabilities : array_like, shape (K, K)
        Entry [i, j] is the probability that item i beats item j; [i, j] and [j, i] add up to 1, up
        to 1e-6, and the diagonal is 1/2.

    Raises
    ------
    ValueError
        A matrix that is not as above, or smaller than 2 by 2.

    Examples
    --------
    >>> problem = borda_problem([[0.5, 0.6, 0.9], [0.4, 0.5, 0.8], [0.1, 0.2, 0.5]])
    >>> problem.means.round(3).tolist(), sorted(problem.bottom)
    ([0.75, 0.6, 0.15], [2])
    """
    wins = np.asarray(win_probabilities, dtype=np.float64)
    n = len(wins)
    square = wins.shape == (n, n) and n > 1 and ((wins >= 0) & (wins <= 1)).all()
    if not square or not (np.abs(wins + wins.T - 1) <= 1e-6).all():
        raise ValueError(
            "win_probabilities must be a square matrix of two items or more, in [0, 1], where "
            f"those of two opponents add up to 1, got {win_probabilities!r}"
        )
    others = np.where(np.eye(n, dtype=bool), 0.0, wins)
    return Problem(others.sum(axis=1) / (n - 1), sigma=0.5)


def bradley_terry(strengths: ArrayLike) -> NDArray[np.float64]:
    """Probabilities to win, of the row against the column: logistic in the strengths' difference.

    Examples
    --------
    >>> bradley_terry([1.0, 1.0]).tolist()
    [[0.5, 0.5], [0.5, 0.5]]
    """
    s = np.asarray(strengths, dtype=np.float64)
    return 1 / (1 + np.exp(s - s[:, None]))


def rings(sizes: Sequence[int], *, inside: float = 0.8, above: float = 0.7) -> NDArray[np.float64]:
    """In a ring an item wins against the next half of it; the first ring against the next one.

    Parameters
    ----------
    sizes : sequence of int
        Odd numbers of items, the best ring first.
    inside, above : float
        Probabilities to win against the next half, and against an item of a later ring.

    Examples
    --------
    >>> rings([3, 1])[0].round(6).tolist()
    [0.5, 0.8, 0.2, 0.7]
    """
    ring = np.repeat(np.arange(len(sizes)), sizes)
    place = np.concatenate([np.arange(size) for size in sizes])
    of = np.array(sizes)[ring]
    ahead = (place - place[:, None]) % of
    wins = np.where((ahead >= 1) & (ahead <= (of - 1) // 2), inside, 1 - inside)
    wins = np.where(ring[:, None] < ring, above, wins)
    wins = np.where(ring[:, None] > ring, 1 - above, wins)
    return np.where(np.eye(ring.size, dtype=bool), 0.5, wins)


def two_wide_gaps() -> NDArray[np.float64]:
    """24 items at levels with gaps of 0.2 and 0.1 among steps of 0.01; linear in the difference.

    Examples
    --------
    >>> two_wide_gaps()[0, -1].round(6).item()
    0.975
    """
    steps = np.full(23, 0.01)
    steps[7], steps[15] = 0.2, 0.1
    levels = -np.r_[0, np.cumsum(steps)]
    return 0.5 + 0.475 * (levels[:, None] - levels) / np.ptp(levels)


def instances() -> dict[str, NDArray[np.float64]]:
    """Probabilities to win of the three that the chapter compares ways to ask on.

    Examples
    --------
    >>> {name: len(wins) for name, wins in instances().items()}
    {'Bradley-Terry': 12, 'two rings': 12, 'two wide gaps': 24}
    """
    strengths = np.r_[np.linspace(1.6, 0.9, 4), np.linspace(-0.2, -1.0, 8)]
    return {
        "Bradley-Terry": bradley_terry(strengths),
        "two rings": rings([5, 7]),
        "two wide gaps": two_wide_gaps(),
    }
