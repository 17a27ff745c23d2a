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
from maxgap.problems import Problem
from maxgap.simulate import Run, Study

__version__ = "0.1.0"

__all__ = [
    "GapBounds",
    "GapLowerBound",
    "MaxGapContrasts",
    "MaxGapElim",
    "MaxGapTop2UCB",
    "MaxGapUCB",
    "Policy",
    "Problem",
    "RoundRobin",
    "Run",
    "SortThenSearch",
    "Split",
    "Study",
    "confidence",
    "gap_lower_bound",
    "gap_upper_bounds",
    "gaps",
    "hardness",
    "load",
    "policies",
    "problems",
    "reference",
    "simulate",
    "stopping",
]
