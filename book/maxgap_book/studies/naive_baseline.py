"""Samples until policies stop, on one instance after another, and the power laws they follow."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from maxgap.simulate import Study
from maxgap_book.standard_errors import PowerLaw, normal_interval, power_law

__all__ = [
    "exponents",
    "mean_samples",
]


def mean_samples(studies: Sequence[Study], values: Sequence[float]) -> pd.DataFrame:
    """Mean samples until each policy stops, with 95% intervals; a row a policy and an instance.

    Parameters
    ----------
    studies : sequence of Study
        One for each instance.
    values : sequence of float
        The parameter of the instances.

    Returns
    -------
    DataFrame
        Columns policy, delta_min (the parameter), mean, error (the standard error), certified and
        wrong (numbers of runs), low, high.
    """
    parts = [
        study.stops.assign(delta_min=value) for study, value in zip(studies, values, strict=True)
    ]
    stops = pd.concat(parts)
    stops["wrong"] = ~stops["correct"].astype(bool)
    table = stops.groupby(["policy", "delta_min"], sort=False).agg(
        mean=("samples", "mean"),
        error=("samples", "sem"),
        certified=("certified", "sum"),
        wrong=("wrong", "sum"),
    )
    low, high = normal_interval(table["mean"], table["error"])
    return table.assign(low=low, high=high).reset_index()


def exponents(table: pd.DataFrame) -> dict[str, PowerLaw]:
    """The power law in the parameter that each policy's samples follow.

    Parameters
    ----------
    table : DataFrame
        As :func:`mean_samples` gives it.
    """
    return {
        str(policy): power_law(rows["delta_min"], rows["mean"], rows["error"])
        for policy, rows in table.groupby("policy", sort=False)
    }
