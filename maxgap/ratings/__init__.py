"""Tables of your own: ratings or duels in, groups out, and whether they are certain.

Imported when one of its names is first used: ``maxgap.split``, ``partition``, ``split_duels``,
``plan`` and what they return; or by the command line.
"""

from maxgap.policies.max_gap_partition import Rival
from maxgap.ratings.duels import split_duels
from maxgap.ratings.planning import Forecast, Plan, plan
from maxgap.ratings.splits import TablePartition, TableSplit, partition, split

__all__ = [
    "Forecast",
    "Plan",
    "Rival",
    "TablePartition",
    "TableSplit",
    "partition",
    "plan",
    "split",
    "split_duels",
]
