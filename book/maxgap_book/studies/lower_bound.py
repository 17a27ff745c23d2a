"""Samples of one of the four arms: means with intervals, by policy, over a lower bound."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from maxgap.simulate import Study
from maxgap_book.known_order import KnownOrder
from maxgap_book.printing import decimal
from maxgap_book.standard_errors import normal_interval

__all__ = ["arm_samples", "ends_over", "span"]


def arm_samples(
    studies: Sequence[Study], told: Sequence[KnownOrder], epsilons: Sequence[float], arm: int
) -> pd.DataFrame:
    """Mean samples of an arm when the answer was given, by policy and epsilon.

    Parameters
    ----------
    studies : sequence of Study
        Of the same policies, one for every epsilon.
    told : sequence of KnownOrder
        Runs of one who "knows the order", one for every epsilon.
    epsilons : sequence of float
        As the studies have them.
    arm : int
        From 0.

    Returns
    -------
    pandas.DataFrame
        Columns policy, epsilon, mean, error (standard error), low, high (95%).
    """
    rows = [
        (label, epsilon, study.counts[place, -1, arm], study.counts_sd[place, -1, arm])
        for place, label in enumerate(studies[0].labels)
        for epsilon, study in zip(epsilons, studies, strict=True)
    ]
    replicates = studies[0].wrong.shape[1]
    rows += [
        ("knows the order", epsilon, runs.counts[:, arm].mean(), runs.counts[:, arm].std())
        for epsilon, runs in zip(epsilons, told, strict=True)
    ]
    table = pd.DataFrame(rows, columns=["policy", "epsilon", "mean", "error"])
    table["error"] *= replicates**-0.5
    low, high = normal_interval(table["mean"], table["error"])
    return table.assign(low=low, high=high)


def ends_over(
    table: pd.DataFrame, bound: ArrayLike, policies: Sequence[str]
) -> tuple[float, float]:
    """The lowest and the highest end of the intervals of some policies, over a bound.

    Parameters
    ----------
    table : DataFrame
        As :func:`arm_samples` returns it.
    bound : array_like
        At the values of epsilon in the order of the table.
    policies : sequence of str
        Whose rows count.

    Examples
    --------
    >>> table = pd.DataFrame({"policy": ["a", "a", "b"], "low": [4, 9, 0], "high": [6, 11, 99]})
    >>> ends_over(table, [2, 10], ["a"])
    (0.9, 3.0)
    """
    rows = [table[table["policy"] == policy] for policy in policies]
    over = np.array([[part["low"] / bound, part["high"] / bound] for part in rows])
    return float(over[:, 0].min()), float(over[:, 1].max())


def span(values: ArrayLike) -> str:
    """The smallest and the largest of some numbers.

    >>> span([3.2, 1.4, 2.0])
    '1 to 3'
    """
    array = np.asarray(values, dtype=np.float64)
    return f"{decimal(array.min())} to {decimal(array.max())}"
