"""How many samples two certificates take, and how many times fewer the one does with."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from maxgap.statistics import median_interval, percentile_interval

__all__ = ["samples_needed", "times_fewer"]


def samples_needed(stops: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Median samples of every policy on every instance.

    Parameters
    ----------
    stops : mapping of str to pandas.DataFrame
        Instance -> ``Study.stops``, in which every run is certified.

    Returns
    -------
    pandas.DataFrame
        Columns instance, policy, median, low, high (its interval at 95%), wrong.

    Raises
    ------
    ValueError
        If a run ended without a certificate: it would have taken more samples.

    Examples
    --------
    >>> runs = pd.DataFrame({"policy": "a", "samples": [2, 3, 9], "certified": True,
    ...                      "correct": [True, True, False]})
    >>> samples_needed({"x": runs})[["median", "wrong"]].to_numpy().tolist()
    [[3.0, 1.0]]
    """
    rows = []
    for instance, table in stops.items():
        if not table["certified"].all():
            raise ValueError(f"{instance}: a run ended without a certificate")
        for policy, runs in table.groupby("policy", sort=False):
            median, low, high = median_interval(runs["samples"])
            rows.append(
                {
                    "instance": instance,
                    "policy": policy,
                    "median": median,
                    "low": low,
                    "high": high,
                    "wrong": int((~runs["correct"]).sum()),
                }
            )
    return pd.DataFrame(rows)


def times_fewer(
    stops: Mapping[str, pd.DataFrame], *, seed: int, resamples: int = 2000
) -> pd.DataFrame:
    """Ratio of the medians, MaxGapTop2UCB over MaxGapContrasts, with its bootstrap interval.

    Parameters
    ----------
    stops : mapping of str to pandas.DataFrame
        Instance -> ``Study.stops`` of both.
    seed : int
        Of the bootstrap, the same for every instance.
    resamples : int
        Draws of all runs.

    Returns
    -------
    pandas.DataFrame
        By instance, columns times, low, high.

    Examples
    --------
    >>> policies = ["MaxGapContrasts"] * 3 + ["MaxGapTop2UCB"] * 3
    >>> runs = pd.DataFrame({"policy": policies, "samples": [5, 5, 5, 20, 20, 20]})
    >>> times_fewer({"x": runs}, seed=1).loc["x"].tolist()
    [4.0, 4.0, 4.0]
    """
    rows = {}
    for instance, table in stops.items():
        by_policy = table.groupby("policy")["samples"]
        one, other = (
            by_policy.get_group(name).to_numpy() for name in ("MaxGapTop2UCB", "MaxGapContrasts")
        )
        rng = np.random.default_rng(seed)
        drawn = [np.median(rng.choice(s, (resamples, s.size)), axis=1) for s in (one, other)]
        ends = percentile_interval(drawn[0] / drawn[1])
        rows[instance] = (np.median(one) / np.median(other), *ends)
    return pd.DataFrame(rows, index=["times", "low", "high"]).T
