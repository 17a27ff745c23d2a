"""Policies: which arms next, is it over, what is the answer. Ask, sample, tell.

>>> import numpy as np
>>> import maxgap
>>> rng = np.random.default_rng(1)
>>> policy = maxgap.MaxGapTop2UCB(["a", "b", "c"], delta=0.05, sigma=1.0)
>>> true_means = {"a": 0.0, "b": 0.2, "c": 3.0}
>>> while not policy.stopped:
...     arms = policy.ask()
...     policy.tell(arms, [true_means[arm] + rng.standard_normal() for arm in arms])
>>> sorted(policy.recommend().top), policy.certified
(['c'], True)

One file for each algorithm. To add one: its file, and a line in :data:`NAMES`.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from maxgap._saving import StrPath
from maxgap.engine.compiled import compiled
from maxgap.engine.state import Lines
from maxgap.policies._saved import read_policy
from maxgap.policies.base import Policy, Split
from maxgap.policies.max_gap_elim import MaxGapElim
from maxgap.policies.max_gap_top2_ucb import MaxGapTop2UCB
from maxgap.policies.max_gap_ucb import MaxGapUCB
from maxgap.policies.round_robin import RoundRobin
from maxgap.policies.sort_then_search import SortThenSearch

if TYPE_CHECKING:
    from maxgap.policies.max_gap_contrasts import MaxGapContrasts

__all__ = [
    "NAMES",
    "Lines",
    "MaxGapContrasts",
    "MaxGapElim",
    "MaxGapTop2UCB",
    "MaxGapUCB",
    "Policy",
    "RoundRobin",
    "SortThenSearch",
    "Split",
    "compiled",
    "load",
]

NAMES = (
    "RoundRobin",
    "SortThenSearch",
    "MaxGapElim",
    "MaxGapUCB",
    "MaxGapTop2UCB",
    "MaxGapContrasts",
)
"""The policies of the package."""


def __getattr__(name: str) -> Any:
    if name != "MaxGapContrasts":  # the only one that needs the wing of contrasts
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from maxgap.policies.max_gap_contrasts import MaxGapContrasts

    return MaxGapContrasts


def load(path: StrPath) -> Policy:
    """Read a policy that :meth:`Policy.save` has written; it goes on as if never stopped.

    Raises
    ------
    ValueError
        Names the file if it is not a saved policy, was cut short or was changed by hand, also if
        what it says contradicts itself.
    OSError
        Names the file if it is not there or cannot be read.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> policy = RoundRobin(["red", "blue"])
    >>> policy.tell("red", 0.5)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     policy.save(Path(folder) / "policy.json")
    ...     load(Path(folder) / "policy.json").counts.tolist()
    [1, 0]
    """

    def of_name(name: Any) -> type[Policy]:
        if name not in NAMES:
            raise ValueError(f"there is no policy {name!r}")
        return getattr(sys.modules[__name__], name)

    return read_policy(path, of_name)
