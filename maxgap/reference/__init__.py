"""The paper line by line: slow, obvious, and an oracle for the fast code.

Nothing here shares code with the rest of the package, so that a test that holds the two equal
means something. Three independent roads lead to the upper bounds: the paper's procedure (Algorithm
4), its mixed integer programme (equations 14 to 17), and a brute force over configurations that
uses neither. Algorithms 1 to 3 are loops that can be read beside the print.

Equation, lemma and algorithm numbers are the paper's, counted through its appendices. "Right"
always means towards larger means. Arms are numbered 0 to K - 1.

Examples
--------
Algorithm 2 on rewards without noise, until two arms have five times the samples of all others:

>>> means = [0.0, 0.2, 1.0]
>>> estimates = Estimates(3, draw=means.__getitem__, radius=lambda n: 0.25 / n)
>>> for arms in max_gap_ucb(estimates):
...     pass
>>> estimates.counts, empirical_top(estimates)
([3, 8, 8], {2})
"""

from maxgap.reference import contrasts
from maxgap.reference.algorithms import (
    Estimates,
    certain_top,
    clusters,
    dominant_pair,
    dominant_pair_and_certain_gap,
    empirical_top,
    few_wide,
    max_gap_elim,
    max_gap_elim_as_in_scripts,
    max_gap_top2_ucb,
    max_gap_ucb,
    never,
    now_and_then,
    second_below,
    second_below_certain_gap,
    two_active,
    two_active_around_certain_gap,
)
from maxgap.reference.attainment import (
    LevelSets,
    attaining_configuration,
    level_sets,
    right_gap_arms,
)
from maxgap.reference.bounds import (
    GapBounds,
    GapLowerBound,
    gap_lower_bound,
    gap_upper_bounds,
    left_gap_at,
    left_gap_bound,
    right_gap_at,
    right_gap_bound,
)
from maxgap.reference.brute_force import gap_upper_bounds_brute
from maxgap.reference.errata import early_stop_as_printed, early_stop_as_worded
from maxgap.reference.integer_programme import gap_upper_bounds_mip
from maxgap.reference.lemmas import LemmaCheck, RunRecord, lemma_checks, record_run
from maxgap.reference.noise_free import NoiseFreeGap, largest_gap_noise_free
from maxgap.reference.slots import right_bounds_by_slots

__all__ = [
    "Estimates",
    "GapBounds",
    "GapLowerBound",
    "LemmaCheck",
    "LevelSets",
    "NoiseFreeGap",
    "RunRecord",
    "attaining_configuration",
    "certain_top",
    "clusters",
    "contrasts",
    "dominant_pair",
    "dominant_pair_and_certain_gap",
    "early_stop_as_printed",
    "early_stop_as_worded",
    "empirical_top",
    "few_wide",
    "gap_lower_bound",
    "gap_upper_bounds",
    "gap_upper_bounds_brute",
    "gap_upper_bounds_mip",
    "largest_gap_noise_free",
    "left_gap_at",
    "left_gap_bound",
    "lemma_checks",
    "level_sets",
    "max_gap_elim",
    "max_gap_elim_as_in_scripts",
    "max_gap_top2_ucb",
    "max_gap_ucb",
    "never",
    "now_and_then",
    "record_run",
    "right_bounds_by_slots",
    "right_gap_arms",
    "right_gap_at",
    "right_gap_bound",
    "second_below",
    "second_below_certain_gap",
    "two_active",
    "two_active_around_certain_gap",
]
