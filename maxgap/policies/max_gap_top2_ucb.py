"""Algorithm 3, MaxGapTop2UCB: sample the arms with the two highest gap bounds."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import ClassVar

from maxgap.engine.compiled import inlined
from maxgap.engine.slots import (
    certain_gap,
    highest_bound,
    list_touching,
    n_bounds_above,
    second_highest_bound,
)
from maxgap.engine.state import Lines, Rule, State
from maxgap.policies.base import Policy
from maxgap.policies.rules import Certain, Rules
from maxgap.reference.estimates import Estimates, PlainRule

__all__ = ["MaxGapTop2UCB", "max_gap_top2_ucb", "second_below", "third_below"]


# -- the paper's lines -----------------------------------------------------------------------------


def second_below(estimates: Estimates, arms: list[int], of_nothing: float = -math.inf) -> bool:
    """Algorithm 3, line 7: M_2 is below the lower bound on the largest gap.

    If all arms share the highest bound, M_2 is a maximum of nothing, on which the paper is silent:
    `of_nothing` stands for it. With minus infinity the rule stops at once, with infinity never.

    Examples
    --------
    >>> estimates = Estimates(3, draw=[0.0, 0.5, 1.0].__getitem__, radius=lambda n: 0.3 / n)
    >>> estimates.sample(estimates.arms)
    >>> second_below(estimates, [0, 1, 2]), second_below(estimates, [0, 1, 2], of_nothing=math.inf)
    (True, False)
    """
    bound = estimates.gap_bounds().either
    m_2 = max((b for b in bound if b < max(bound)), default=of_nothing)
    return bool(m_2 < estimates.gap_lower().value)


def third_below(estimates: Estimates, arms: list[int]) -> bool:
    """Algorithm 3, line 7, as the authors ran it: at most two bounds are above the certain gap."""
    certain = estimates.gap_lower().value
    wide = [bound for bound in estimates.gap_bounds().either if bound > certain]
    return bool(certain > 0 and len(wide) <= 2)


def max_gap_top2_ucb(estimates: Estimates, stop: PlainRule = second_below) -> Iterator[list[int]]:
    """Algorithm 3, MaxGapTop2UCB; it stops by `second_below` unless told otherwise.

    Examples
    --------
    >>> from maxgap.reference import clusters, empirical_top
    >>> estimates = Estimates(3, draw=[0.0, 0.2, 1.0].__getitem__, radius=lambda n: 0.25 / n)
    >>> list(max_gap_top2_ucb(estimates, stop=clusters)), empirical_top(estimates)
    ([[0, 1, 2], [0, 1, 2]], {2})
    """
    # 1: U_1 and U_2 together are [K]
    first, second = estimates.arms, list[int]()
    # 2: in rounds t = 1, 2, ...
    while True:
        # 3: sample every arm of U_1 and U_2 once and update its interval
        arms = sorted(first + second)
        yield arms
        estimates.sample(arms)
        # 4: compute the gap bound of every arm
        bound = estimates.gap_bounds().either
        # 5: M_1 is the highest gap bound, U_1 are the arms that have it
        first = [a for a in estimates.arms if bound[a] == max(bound)]
        # 6: M_2 is the highest of the other bounds, U_2 are its arms
        m_2 = max((b for b in bound if b < max(bound)), default=-math.inf)
        second = [a for a in estimates.arms if bound[a] == m_2]
        # 7: if M_2 is below the lower bound on the largest gap, stop
        if stop(estimates, sorted(first + second)):
            return


# -- the same, compiled ----------------------------------------------------------------------------


@inlined
def list_top2(state: State) -> None:
    """Lines 5 and 6: U_1 are the arms with the highest gap bound M_1, U_2 those with M_2."""
    m_2 = second_highest_bound(state.order)
    if m_2 < 0.0:  # there is none: all arms share the highest
        m_2 = highest_bound(state.order)
    state.progress[0]["n_next"] = list_touching(state.arms, state.order, state.next, m_2)


class Top2Lines(Lines):
    """Algorithm 3 after line 2, compiled."""

    def choose(self, state: State) -> None:
        """Lines 4 to 6."""
        list_top2(state)


class SecondBelow(Rule):
    """Alg. 3, line 7, literally: M_2 is below the lower bound on the largest gap. Not proved.

    The maximum over no arm is minus infinity: while all arms share the highest bound it stops at
    once. Neither asking for a certain gap as well nor for an arm outside mends it: counterexamples
    are in the book's chapter on rules that fail. :class:`ThirdBelow` is what Section 3.2 says.
    """

    def holds(self, state: State) -> bool:
        """Whether to stop."""
        return second_highest_bound(state.order) < certain_gap(state.order)


class ThirdBelow(Certain):
    """Alg. 3, line 7, as its authors ran it: at most two arms have a bound above the certain gap.

    Section 3.2 asks for the second-highest bound of a *gap*, and two arms share a gap: it is the
    third-highest bound of an arm that the published scripts compare with the certain gap.

    Proved in the book's chapter on stopping, for intervals of positive width that are valid when it
    stops, nested or not. For three arms or more a gap is then certain: all bounds are above 0. For
    two arms it has to be asked.
    """

    def holds(self, state: State) -> bool:
        """Whether to stop."""
        certain = certain_gap(state.order)
        return certain > 0.0 and n_bounds_above(state.order, certain) <= 2


class MaxGapTop2UCB(Policy):
    """Algorithm 3: sample every arm that has one of the two highest gap bounds.

    Settings are those of :class:`maxgap.Policy`.

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

    rules: ClassVar[Rules] = {"paper": (ThirdBelow, True), "literal": (SecondBelow, False)}

    def new_lines(self) -> Lines:
        """The compiled lines, before the first round."""
        return Top2Lines(bounds=True)
