"""Tables of ratings that several tests share."""

import numpy as np
import pandas as pd
from hypothesis import strategies as st

__all__ = ["STARS", "ratings", "small_tables", "true_groups"]

STARS = {"bounds": (1, 5)}


def ratings(seed, rows=400, means=(4.4, 4.2, 2.1, 1.9), noise=0.6):
    """A realistic table: raters with a taste of their own, half stars, rows shuffled."""
    rng = np.random.default_rng(seed)
    arms = rng.integers(0, len(means), rows)
    raters = rng.integers(0, 30, rows)
    taste = 0.3 * rng.standard_normal(30)
    stars = np.array(means)[arms] + taste[raters] + noise * rng.standard_normal(rows)
    return pd.DataFrame(
        {
            "rater": raters,
            "item": [f"item {arm}" for arm in arms],
            "stars": np.clip(np.rint(2 * stars) / 2, 1, 5),
        }
    )


def small_tables():
    """Few arms, few values: ties, single rewards and equal arms are common."""
    row = st.tuples(st.sampled_from("abcde"), st.sampled_from([1.0, 1.5, 3.0, 4.5, 5.0]))
    rows = st.lists(row, min_size=2, max_size=60)
    return rows.filter(lambda pairs: len({arm for arm, _ in pairs}) > 1)


def true_groups(means, n):
    """Group of every arm, 0 the highest, cut at the n - 1 largest gaps; None if they tie."""
    order = np.argsort(-means)
    gaps = -np.diff(means[order])
    ranked = np.sort(gaps)[::-1]
    if n - 1 < gaps.size and ranked[n - 2] == ranked[n - 1]:
        return None
    group = np.empty(means.size, dtype=int)
    group[order] = np.r_[0, np.cumsum(gaps >= ranked[n - 2])]
    return group
