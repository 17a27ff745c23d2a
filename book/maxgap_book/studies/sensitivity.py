"""What happens to intervals, errors and certified answers if the noise is not as it was told."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from maxgap.simulate import Study
from maxgap.statistics import median_interval, wilson_interval
from maxgap_book.printing import interval, percent
from maxgap_book.study_tables import join_studies

__all__ = ["certified_row", "coverage", "ratio_text", "short_table", "to_error"]


def coverage(
    worst: Mapping[str, NDArray[np.float64]], radii: Iterable[str], told: Iterable[float]
) -> pd.DataFrame:
    """Share of runs with a miss, for rewards, radii and the scale told.

    Parameters
    ----------
    worst : mapping of str to ndarray, shape (runs, radii)
        Of each kind of rewards: how far an empirical mean ever was from the true one in a run, in
        units of the radius told the right scale.
    radii : iterable of str
        Names of the radii.
    told : iterable of float
        Scales told, as multiples of the right one.

    Returns
    -------
    DataFrame
        Columns rewards, radius, told, share, low, high.

    Examples
    --------
    >>> coverage({"normal": np.array([[0.7], [1.5]])}, ["lil"], [0.5, 1, 2])["share"].tolist()
    [1.0, 0.5, 0.0]
    """
    rows = []
    scales = list(told)
    for rewards, ratios in worst.items():
        for radius, column in zip(radii, ratios.T, strict=True):
            for scale in scales:
                missed = int((column > scale).sum())
                share = missed / len(column)
                low, high = map(float, wilson_interval(missed, len(column)))
                rows.append((rewards, radius, scale, share, low, high))
    return pd.DataFrame(rows, columns=["rewards", "radius", "told", "share", "low", "high"])


def short_table(found: pd.DataFrame, names: Mapping[float, str]) -> pd.DataFrame:
    """Shares of :func:`coverage` in per cent: rewards and radii by the scale told.

    Parameters
    ----------
    found : DataFrame
        As from :func:`coverage`.
    names : mapping of float to str
        Scale told -> the name of its column.

    Examples
    --------
    >>> found = coverage({"normal": np.array([[0.7], [1.5]])}, ["lil"], [0.5, 1])
    >>> short_table(found, {0.5: "half", 1.0: "right"}).loc[("normal", "lil")].tolist()
    ['100%', '50%']
    """
    rows: dict[tuple[str, str], dict[str, str]] = {}
    for row in found.itertuples():
        text = percent(row.share, row.low, row.high).partition(" ")[0]
        rows.setdefault((row.rewards, row.radius), {})[names[row.told]] = text
    table = pd.DataFrame.from_dict(rows, orient="index")
    table.index = pd.MultiIndex.from_tuples(table.index, names=["rewards", "radius"])
    return table


def to_error(
    study: Study, robin: Study | float, *, level: float, unit: float
) -> tuple[dict[str, str], NDArray[np.float64]]:
    """Samples of a policy until its error is at a level, and how many times fewer than round robin.

    Parameters
    ----------
    study : Study
        Of one policy.
    robin : Study or float
        Of round robin, with the first checkpoints in common; or its samples to that level.
    level : float
        Error level.
    unit : float
        Samples are shown in this unit.

    Returns
    -------
    texts : dict
        ``"samples"`` and ``"times fewer"``, with their 95% intervals.
    samples : ndarray, shape (3,)
        Samples and the ends of their interval.
    """
    row = study.samples_to_error(level).iloc[0]
    samples = row[["samples", "low", "high"]].to_numpy(dtype=float)
    if isinstance(robin, Study):
        ratio: Any = join_studies(robin, study).speedup(robin.labels[0], level)
        ratio = ratio.iloc[0][["ratio", "low", "high"]]
    else:
        ratio = robin / samples[[0, 2, 1]]
    return {"samples": interval(*samples / unit), "times fewer": interval(*ratio)}, samples


def certified_row(stops: pd.DataFrame) -> dict[str, float]:
    """Wrong answers among runs, with their share, and the median of the samples, with intervals.

    A run that has not stopped is not wrong, and its samples are infinite.

    Parameters
    ----------
    stops : DataFrame
        ``Study.stops`` of one policy: stopped, correct, samples.

    Examples
    --------
    >>> stops = pd.DataFrame({"stopped": True, "correct": [True, False], "samples": [10, 30]})
    >>> row = certified_row(stops)
    >>> row["wrong"], row["stopped"], row["share"], row["median"]
    (1, 2, 0.5, 20.0)
    """
    runs, wrong = len(stops), int((stops["stopped"] & ~stops["correct"]).sum())
    low, high = map(float, wilson_interval(wrong, runs))
    samples = np.where(stops["stopped"], stops["samples"], np.inf)
    median, early, late = map(float, median_interval(samples))
    shares = {"share": wrong / runs, "low": low, "high": high}
    times = {"median": median, "early": early, "late": late}
    return {"wrong": wrong, "stopped": int(stops["stopped"].sum()), **shares, **times}


def ratio_text(above: Sequence[float], below: Sequence[float], places: int = 1) -> str:
    """Ratio of two numbers with intervals, by the ends of both: wider than need be.

    Examples
    --------
    >>> ratio_text([10, 8, 12], [5, 4, 6])
    '2.0 (1.3-3.0)'
    """
    (value, low, high), (base, base_low, base_high) = above, below
    return interval(value / base, low / base_high, high / base_low, places)
