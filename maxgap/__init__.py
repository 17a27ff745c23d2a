"""The MaxGap bandit: find the largest gap between neighbouring means."""

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
from maxgap.problems import BordaProblem, Problem
from maxgap.simulate import Run, Study

_RATINGS = {"split_duels":"duels","MaxGapPartition":"grouping","Partition":"grouping","TablePartition":"grouping","partition":"grouping","Forecast":"planning","Plan":"planning","plan":"planning","TableSplit":"table","split":"table"}
def __getattr__(name):
    import importlib
    if name in _RATINGS:
        return getattr(importlib.import_module("maxgap."+_RATINGS[name]), name)
    raise AttributeError(name)

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
