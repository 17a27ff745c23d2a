"""Studies put together, and their errors and ratios as tables of texts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from maxgap.simulate import Study
from maxgap_book.printing import interval_texts

__all__ = ["error_table", "join_studies", "ratio_table"]


def error_table(
    study: Study, samples: Iterable[int], *, places: int = 3, scale: float = 1
) -> pd.DataFrame:
    """Errors of a study with their intervals as texts: numbers of samples by policy.

    Parameters
    ----------
    study : Study
        Its policies are the columns, in order.
    samples : iterable of int
        Checkpoints of the study: the rows, increasing.
    places : int
        Decimals.
    scale : float
        Errors are shown times this; 100 for per cent.

    Raises
    ------
    ValueError
        For a number of samples that is no checkpoint.

    Examples
    --------
    >>> from maxgap import MaxGapUCB, RoundRobin, problems, simulate
    >>> study = simulate.replicate(
    ...     {"RoundRobin": RoundRobin(6), "MaxGapUCB": MaxGapUCB(6)},
    ...     problems.Problem([0.0, 0.1, 0.2, 9.0, 9.1, 9.2]),
    ...     budget=120, replicates=20, checkpoints=[60, 120], seed=1, n_jobs=1,
    ... )
    >>> error_table(study, [120], places=2).loc[120].to_dict()
    {'RoundRobin': '0.00 (0.00-0.16)', 'MaxGapUCB': '0.00 (0.00-0.16)'}
    """
    wanted = list(samples)
    missing = sorted(set(wanted) - set(study.checkpoints.tolist()))
    if missing:
        raise ValueError(f"samples must be checkpoints of the study, got {missing}")
    errors = study.errors
    rows = errors[errors["samples"].isin(wanted)]
    shown = rows.assign(error=interval_texts(scale * rows[["error", "low", "high"]], places))
    return shown.pivot(index="samples", columns="policy", values="error")[[*study.labels]]


def ratio_table(
    ratios: pd.DataFrame, columns: Sequence[str] = ("ratio", "low", "high"), *, places: int = 1
) -> pd.DataFrame:
    """Ratios with their intervals as texts: error levels, in per cent, by policy.

    Parameters
    ----------
    ratios : pandas.DataFrame
        As stacked from ``Study.speedup``: policy, level, and the three columns.
    columns : sequence of str
        Names of the columns of the ratio and of the ends of its interval.
    places : int
        Decimals.

    Returns
    -------
    pandas.DataFrame
        Levels and policies in the order in which `ratios` has them.

    Examples
    --------
    >>> ratios = pd.DataFrame({"policy": ["b", "a"], "level": 0.05, "ratio": [6.0, 5.0],
    ...                        "low": [5.5, 4.0], "high": [6.5, 6.0]})
    >>> ratio_table(ratios).to_dict("index")
    {'5%': {'b': '6.0 (5.5-6.5)', 'a': '5.0 (4.0-6.0)'}}
    """
    rows = ratios[["policy"]].assign(
        shown=interval_texts(ratios[[*columns]], places),
        **{"error level": [f"{100 * level:g}%" for level in ratios["level"]]},
    )
    table = rows.pivot(index="error level", columns="policy", values="shown")
    return table.loc[rows["error level"].unique(), rows["policy"].unique()]


def join_studies(longest: Study, *others: Study) -> Study:
    """Put studies of one problem with different budgets together, to compare their policies.

    Beyond a study's own budget its answers are held at the last one; its counts are unknown there,
    NaN. So read off the joined study only levels that each policy reached by the end of its own.

    Parameters
    ----------
    longest : Study
        The study with the largest budget.
    *others : Study
        Their checkpoints are the first ones of `longest`, their replicates as many.

    Raises
    ------
    ValueError
        For other checkpoints or another number of replicates, and for a policy that is in two.

    Examples
    --------
    >>> from maxgap import MaxGapUCB, RoundRobin, problems, simulate
    >>> problem = problems.Problem([0.0, 0.4, 0.8, 2.0, 2.4, 2.8])
    >>> slow = simulate.replicate({"RoundRobin": RoundRobin(6)}, problem,
    ...     budget=900, replicates=40, checkpoints=range(30, 901, 30), seed=1, n_jobs=1)
    >>> fast = simulate.replicate({"MaxGapUCB": MaxGapUCB(6)}, problem,
    ...     budget=600, replicates=40, checkpoints=range(30, 601, 30), seed=2, n_jobs=1)
    >>> join_studies(slow, fast).speedup("RoundRobin", 0.2)["policy"].tolist()
    ['MaxGapUCB']
    """
    studies = (longest, *others)
    n_looks = longest.checkpoints.size
    for study in others:
        if not np.array_equal(study.checkpoints, longest.checkpoints[: study.checkpoints.size]):
            raise ValueError(
                f"others must have the first checkpoints of longest, got {study.labels}"
            )
        if study.wrong.shape[1] != longest.wrong.shape[1]:
            raise ValueError(
                f"others must have {longest.wrong.shape[1]} replicates, got {study.wrong.shape[1]}"
            )
    labels = sum((study.labels for study in studies), ())
    if len(set(labels)) < len(labels):
        raise ValueError(f"others must have policies of their own, got {labels}")

    def padded(array: Any, axis: int, **how: Any) -> Any:
        width = [(0, 0)] * array.ndim
        width[axis] = (0, n_looks - array.shape[axis])
        return np.pad(array, width, **how)

    counts, counts_sd = (
        np.concatenate([padded(getattr(s, name), 1, constant_values=np.nan) for s in studies])
        for name in ("counts", "counts_sd")
    )
    return replace(
        longest,
        labels=labels,
        wrong=np.concatenate([padded(study.wrong, 2, mode="edge") for study in studies]),
        counts=counts,
        counts_sd=counts_sd,
        stop_rows=np.concatenate([study.stop_rows for study in studies]),
    )
