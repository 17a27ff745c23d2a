"""The MaxGap bandit: find the largest gap between neighbouring means."""

from typing import TYPE_CHECKING, Any

from maxgap import confidence, gaps, hardness, policies, problems, reference, simulate, stopping
from maxgap.gaps import GapBounds, GapLowerBound, gap_lower_bound, gap_upper_bounds
from maxgap.policies import (
    MaxGapContrasts,
    MaxGapElim,
    MaxGapTop2UCB,
    MaxGapUCB,
    Policy,
    RoundRobin,
    SortThenSearch,
    Split,
    load,
)
from maxgap.policies.max_gap_partition import MaxGapPartition, Partition
from maxgap.problems import BordaProblem, Problem
from maxgap.simulate import Run, Study

if TYPE_CHECKING:
    from maxgap.ratings import (
        Forecast,
        Plan,
        TablePartition,
        TableSplit,
        partition,
        plan,
        split,
        split_duels,
    )

__version__ = "0.2.0"

__all__ = [
    "BordaProblem",
    "Forecast",
    "GapBounds",
    "GapLowerBound",
    "MaxGapContrasts",
    "MaxGapElim",
    "MaxGapPartition",
    "MaxGapTop2UCB",
    "MaxGapUCB",
    "Partition",
    "Plan",
    "Policy",
    "Problem",
    "RoundRobin",
    "Run",
    "SortThenSearch",
    "Split",
    "Study",
    "TablePartition",
    "TableSplit",
    "confidence",
    "gap_lower_bound",
    "gap_upper_bounds",
    "gaps",
    "hardness",
    "load",
    "partition",
    "plan",
    "policies",
    "problems",
    "reference",
    "simulate",
    "split",
    "split_duels",
    "stopping",
]

#: Names of the wing `maxgap.ratings`, which is imported when one of them is first used.
_OF_RATINGS = {
    "Forecast",
    "Plan",
    "TablePartition",
    "TableSplit",
    "partition",
    "plan",
    "split",
    "split_duels",
}


def __getattr__(name: str) -> Any:
    if name not in _OF_RATINGS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from maxgap import ratings

    return globals().setdefault(name, getattr(ratings, name))


def __dir__() -> list[str]:
    return sorted({*globals(), *_OF_RATINGS})
