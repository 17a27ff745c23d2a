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

One file for each algorithm: the paper's lines, then the class. To add one: its file, a line in
:data:`POLICIES`, and a line in each dispatch below.
"""

from __future__ import annotations

from maxgap._core.compiled import inlined
from maxgap._core.state import UNLISTED, Setting, State
from maxgap._core.words import ask_with_fewest
from maxgap._saving import StrPath
from maxgap.policies import (
    max_gap_contrasts,
    max_gap_elim,
    max_gap_top2_ucb,
    max_gap_ucb,
    round_robin,
    sort_then_search,
)
from maxgap.policies._saved import read_policy
from maxgap.policies.base import Policy, Split
from maxgap.policies.max_gap_contrasts import MaxGapContrasts
from maxgap.policies.max_gap_elim import MaxGapElim
from maxgap.policies.max_gap_top2_ucb import MaxGapTop2UCB
from maxgap.policies.max_gap_ucb import MaxGapUCB
from maxgap.policies.round_robin import RoundRobin
from maxgap.policies.sort_then_search import SortThenSearch
from maxgap.stopping import contrasts_due

__all__ = [
    "MaxGapContrasts",
    "MaxGapElim",
    "MaxGapTop2UCB",
    "MaxGapUCB",
    "Policy",
    "RoundRobin",
    "SortThenSearch",
    "Split",
    "load",
]

POLICIES = (RoundRobin, SortThenSearch, MaxGapElim, MaxGapUCB, MaxGapTop2UCB, MaxGapContrasts)
"""The policies, in the order of their numbers in compiled code."""

#: The number of all others, which decide in plain Python after every round.
OUTSIDE = -1


@inlined
def end_round(policy: int, state: State) -> bool:
    """Change what a round changes beside samples; whether any rule may be looked at."""
    if policy == 1:
        return sort_then_search.after_round(state)
    if policy == 2:
        return max_gap_elim.after_round(state)
    return True


@inlined
def decided_outside(policy: int, state: State, setting: Setting) -> bool:
    """Whether the decision after this round takes what is not compiled into runs.

    For its size, or because it is in plain Python.
    """
    if policy == OUTSIDE:
        return True
    if policy == 5 and max_gap_contrasts.aims_reached(state):
        return True
    return contrasts_due(state, setting)


@inlined
def start_round(policy: int, state: State) -> None:
    """Change what has to be right before arms are chosen."""
    if policy == 2:
        max_gap_elim.before_round(state)


@inlined
def list_next(policy: int, state: State, setting: Setting) -> None:
    """List the arms to sample next, unless they are listed already."""
    progress = state.progress[0]
    if progress["n_next"] != UNLISTED:
        return
    if progress["unsampled"] > 0:
        ask_with_fewest(state)
    elif policy == 0:
        round_robin.choose(state)
    elif policy == 1:
        sort_then_search.choose(state, setting)
    elif policy == 2:
        max_gap_elim.choose(state)
    elif policy == 3:
        max_gap_ucb.choose(state)
    elif policy == 4:
        max_gap_top2_ucb.choose(state)
    else:
        max_gap_contrasts.choose(state, setting)


def number_of(policy: Policy) -> int:
    """The number of the policy's class in compiled code."""
    return POLICIES.index(type(policy)) if type(policy) in POLICIES else OUTSIDE


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
    return read_policy(path, {cls.__name__: cls for cls in POLICIES})
