"""Rules that any policy may stop by. An algorithm's own stand in its file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from maxgap.engine.slots import clusters_are_apart
from maxgap.engine.state import Rule, State, answer_around

__all__ = ["LOOK_BACK", "RULES_OF_ANY", "Certain", "Clusters", "Never", "Rules", "rule_of"]

#: Names of the rules that look back at rewards.
LOOK_BACK = ("contrasts", "either")
#: Names of the rules that any policy may stop by.
RULES_OF_ANY = ("clusters", *LOOK_BACK)


class Never(Rule):
    """Go on until the budget is spent. There is nothing to prove."""

    @classmethod
    def of(cls, proved: bool, lines: Any) -> Rule:
        """The rule; it looks at nothing."""
        return cls(False, False, lines)


class Certain(Rule):
    """What rules share that answer with the arms above the certain gap."""

    def answer(self, state: State) -> None:
        """Set ``top`` to the arms above the certain gap."""
        answer_around(state)


class Clusters(Certain):
    """The corrected cluster rule: inside both clusters every gap is below the certain one.

    Stops when every right-gap bound in the top cluster and every left-gap bound in the bottom one
    lie below the certain gap between the clusters.

    Proved in the book's chapter on stopping: every other gap lies between two arms of one cluster,
    so the one at the split is the largest while the intervals are valid. The paper states the rule
    with the sides exchanged in words, and in its formula for too few arms (those with
    ``l_a >= l_(k)`` and with ``r_a <= l_(k+1)``); both can fail.
    """

    def holds(self, state: State) -> bool:
        """Whether to stop."""
        return clusters_are_apart(state.order)


#: Rules by name: the class of named tuples, and whether it is proved.
Rules = Mapping[str | None, tuple[Any, bool]]


def rule_of(own: Rules, stopping: Any) -> tuple[Any, bool]:
    """The rule of this name of a policy with rules of its own, and whether it is proved.

    A ValueError if there is none.
    """
    if stopping is None or isinstance(stopping, str):
        if stopping in own:
            return own[stopping]
        if stopping is None:
            return Never, False
        if stopping == "clusters":
            return Clusters, True
        if stopping in LOOK_BACK:
            from maxgap.contrasts.rules import Contrasts, Either

            return (Contrasts if stopping == "contrasts" else Either), True
    known = [*RULES_OF_ANY, *own, None]
    raise ValueError(f"stopping must be one of {known}, got {stopping!r}")
