"""Tables of your own: ratings or duels in, groups out, and whether they are certain.

Imported when one of its names is first used: ``maxgap.split``, ``partition``, ``split_duels``,
``plan`` and what they return; or by the command line.

>>> import maxgap
>>> answer = maxgap.split(arm=[*"aabbcc"], reward=[0, 0, 1, 1, 9, 9], sigma=0.1)
>>> sorted(answer.bottom), answer.certified
(['a', 'b'], True)
"""

from maxgap.policies.max_gap_partition import Rival
from maxgap.ratings.duels import split_duels
from maxgap.ratings.groups import TablePartition, partition
from maxgap.ratings.planning import Forecast, Plan, plan
from maxgap.ratings.splits import TableSplit, split

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
