"""Algorithm 3, MaxGapTop2UCB: sample the arms with the two highest gap bounds."""

from __future__ import annotations

from maxgap._core.compiled import compiled
from maxgap._core.state import State
from maxgap._core.words import ask_bound_at_least, highest_bound, second_highest_bound
from maxgap.policies.paper import PaperPolicy

__all__ = ["MaxGapTop2UCB", "choose"]

# 1: U_1 and U_2 together are [K]
# 2: for t = 1, 2, ...
# 3: sample the arms of U_1 and U_2, update their intervals
# 4: compute the gap bound of every arm


@compiled(inline=True)
def choose(state: State) -> None:
    """Lines 5 and 6: U_1 are the arms with the highest gap bound M_1, U_2 those with M_2."""
    second = second_highest_bound(state)
    if second < 0.0:  # there is none: all arms share the highest
        second = highest_bound(state)
    ask_bound_at_least(state, second)


# 7: if M_2 is below the certain gap, stop: stopping.third_below, as the authors ran it;
# stopping.second_below, as printed


class MaxGapTop2UCB(PaperPolicy):
    """Algorithm 3: sample every arm that has one of the two highest gap bounds.

    Examples
    --------
    >>> means = [0.0, 0.1, 0.9, 1.0]
    >>> policy = MaxGapTop2UCB(4, sigma=0.1)
    >>> while not policy.stopped:
    ...     arms = policy.ask()
    ...     policy.tell(arms, [means[arm] for arm in arms])
    >>> policy.certified, sorted(policy.recommend().top)
    (True, [2, 3])
    """

    _in_table = "MaxGapTop2UCB"
    _choose = staticmethod(choose)
