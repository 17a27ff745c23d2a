"""The MaxGap bandit: find the largest gap between neighbouring means."""

from maxgap import confidence, gaps, hardness, policies, problems, reference, simulate, stopping
from maxgap.duels import split_duels
from maxgap.gaps import GapBounds, GapLowerBound, gap_lower_bound, gap_upper_bounds
from maxgap.grouping import MaxGapPartition, Partition, TablePartition, partition
from maxgap.planning import Forecast, Plan, plan
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
from maxgap.table import TableSplit, split

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
