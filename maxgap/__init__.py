"""The MaxGap bandit: find the largest gap between neighbouring means."""

import importlib
from typing import TYPE_CHECKING, Any

from maxgap import confidence, gaps, hardness, policies, problems, reference, simulate
from maxgap.gaps import GapBounds, GapLowerBound, gap_lower_bound, gap_upper_bounds
from maxgap.policies import (
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
from maxgap.problems import Problem
from maxgap.simulate import Run, Study

if TYPE_CHECKING:
    from maxgap import stopping
    from maxgap.policies import MaxGapContrasts
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


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    # The rest of __all__ needs a wing, which is imported when first used.
    if name == "stopping":
        return importlib.import_module("maxgap.stopping")
    room = "maxgap.policies" if name == "MaxGapContrasts" else "maxgap.ratings"
    return globals().setdefault(name, getattr(importlib.import_module(room), name))


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
