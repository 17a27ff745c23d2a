"""Tables of ratings, and the command on them, that several tests share."""

import json
import subprocess
import sys

import numpy as np
import pandas as pd
from hypothesis import strategies as st

__all__ = [
    "COMMAND",
    "PLAIN",
    "STARS",
    "WHO",
    "arms_of",
    "rated_again",
    "ratings",
    "run",
    "small_tables",
    "true_groups",
]

STARS = {"bounds": (1, 5)}
COMMAND = [sys.executable, "-m", "maxgap"]
PLAIN = "item,stars\n01,5\n1,3\nNA,1\n01,4\n1,3\nNA,2\n"
WHO = {"arm": "item", "reward": "stars", "rater": "who"}


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


def rated_again():
    """Ten raters an item; some rate it again at once, or much later, and another way."""
    rows = [
        (item, k % 3 + 1 + 2 * (item == "b"), f"{item}{k}") for k in range(10) for item in "abc"
    ]
    again = [("a", 5, "a0"), ("a", 3, "a0"), ("b", 1, "b3"), ("c", 2, "c9"), ("c", 3, "c9")]
    return pd.DataFrame(
        rows[:1] + again[:1] + rows[1:] + again[1:], columns=["item", "stars", "who"]
    )


def run(*arguments, stdin=b"", **options):
    """The command in a process of its own: status, output, errors."""
    done = subprocess.run(
        [*COMMAND, *map(str, arguments)], input=stdin, capture_output=True, timeout=300, **options
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def arms_of(out):
    return {row["arm"]: row["ratings"] for row in json.loads(out)["arms"]}
