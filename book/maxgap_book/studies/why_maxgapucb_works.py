"""The lemmas behind Theorem 5 on random runs of MaxGapUCB with nested intervals."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from maxgap import MaxGapUCB, confidence, gap_upper_bounds
from maxgap_book.lemmas import LemmaCheck, RunRecord, lemma_checks, record_run

__all__ = ["bounds_of", "checked_lemmas", "random_run"]


def bounds_of(record: RunRecord) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Right-gap and left-gap bounds of all arms at every decision of a run, shape (T, K).

    Examples
    --------
    >>> record = RunRecord(np.zeros((1, 2)), np.ones((1, 2)), np.ones((1, 2), dtype=bool))
    >>> [part.tolist() for part in bounds_of(record)]
    [[[1.0, 1.0]], [[1.0, 1.0]]]
    """
    pairs = zip(record.lower, record.upper, strict=True)
    bounds = [gap_upper_bounds(*ends) for ends in pairs]
    return np.array([b.right for b in bounds]), np.array([b.left for b in bounds])


def random_run(rng: np.random.Generator, rounds: int) -> tuple[NDArray[np.float64], RunRecord]:
    """Means and a run of 2 to 10 arms: normal rewards, or steps of 1/8 so that ends coincide.

    Examples
    --------
    >>> means, record = random_run(np.random.default_rng(0), 5)
    >>> record.lower.shape == (5, means.size)
    True
    """
    n_arms = int(rng.integers(2, 11))
    on_grid = rng.random() < 0.5
    means = rng.permutation(16)[:n_arms] / 8 if on_grid else rng.random(n_arms)
    sigma = 1 / 8 if on_grid else 10 ** rng.uniform(-2, -0.3)

    def draw(arms: NDArray[np.intp]) -> NDArray[np.float64]:
        size = arms.size
        noise = rng.choice([-1, 1], size) if on_grid else rng.normal(size=size)
        rewards: NDArray[np.float64] = means[arms] + sigma * noise
        return rewards

    policy = MaxGapUCB(
        n_arms, delta=0.1, sigma=sigma, nested=True, confidence=_rounded_radius, stopping=None
    )
    return means, record_run(policy, draw, rounds)


def checked_lemmas(runs: int, rounds: int, seed: int) -> tuple[pd.DataFrame, int]:
    """Every statement of `lemma_checks` on random runs whose intervals hold.

    Parameters
    ----------
    runs, rounds : int
        Number of runs, and decisions in each.
    seed : int

    Returns
    -------
    DataFrame, int
        Statement -> cases, failures, and the runs that had cases; runs in which intervals held.
    """
    held = 0
    checked: dict[str, list[LemmaCheck]] = {}
    with warnings.catch_warnings():
        # Intervals that cross have failed before: such a run is left out.
        warnings.simplefilter("ignore", RuntimeWarning)
        for child in np.random.SeedSequence(seed).spawn(runs):
            means, record = random_run(np.random.default_rng(child), rounds)
            if not ((record.lower <= means) & (means <= record.upper)).all():
                continue
            held += 1
            for name, check in lemma_checks(record, *bounds_of(record), means).items():
                checked.setdefault(name, []).append(check)
    rows = {
        name: {
            "cases": sum(check.cases for check in found),
            "failures": sum(check.failures for check in found),
            "runs": sum(check.cases > 0 for check in found),
        }
        for name, found in checked.items()
    }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("statement"), held


def _rounded_radius(n: ArrayLike, **settings: Any) -> NDArray[np.float64]:
    """Rounded up: no processor's last digit decides between slots that tie."""
    radius = confidence.radius("normal-mixture", n, **settings)
    rounded: NDArray[np.float64] = np.ceil(radius * 2**20) / 2**20
    return rounded
