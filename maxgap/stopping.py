"""When may a policy stop? Every rule of the paper, as printed and as it can be justified.

Each rule is named in a policy's ``stopping=``; what the name means depends on the policy.
:data:`TABLE` is the only list of what there is and of what is proved:

{table}

*Proved* means: with *valid intervals* of positive width (with probability at least 1 - delta every
mean lies in its interval at all times, ``confidence.guarantees``) an answer is wrong with
probability at most delta. The proof, or what stands in its way, is in the rule's docstring.

Examples
--------
The same rewards, two rules: only one of them guarantees the answer.

>>> from maxgap import MaxGapTop2UCB
>>> for rule in ("clusters", "literal"):
...     policy = MaxGapTop2UCB(3, sigma=0.01, stopping=rule)
...     policy.tell([0, 1, 2], [0.0, 0.1, 1.0])
...     print(rule, policy.stopped, policy.certified)
clusters True True
literal True False
"""

from __future__ import annotations

from typing import Any, NamedTuple

from maxgap import policies
from maxgap.contrasts.rules import Contrasts, Either
from maxgap.policies import Policy
from maxgap.policies.max_gap_elim import TwoActive, TwoActiveAroundCertainGap
from maxgap.policies.max_gap_top2_ucb import SecondBelow, ThirdBelow
from maxgap.policies.max_gap_ucb import DominantPair, DominantPairAndCertainGap
from maxgap.policies.rules import RULES_OF_ANY, Clusters, Never, rule_of
from maxgap.policies.sort_then_search import DominantGap

__all__ = [
    "TABLE",
    "Clusters",
    "Contrasts",
    "DominantGap",
    "DominantPair",
    "DominantPairAndCertainGap",
    "Either",
    "Never",
    "Row",
    "SecondBelow",
    "ThirdBelow",
    "TwoActive",
    "TwoActiveAroundCertainGap",
]


class Row(NamedTuple):
    """A policy and a name of a rule: the rule, and whether it is proved."""

    policy: str
    stopping: str | None
    rule: Any
    proved: bool


TABLE: tuple[Row, ...] = tuple(
    Row(policy.__name__, stopping, *rule_of(policy.rules, stopping))
    # The last stands for those of the reader's own.
    for policy in (*(getattr(policies, name) for name in policies.NAMES), Policy)
    for stopping in (*RULES_OF_ANY, *policy.rules, None)
)
"""Policy, name of the rule, rule, whether proved: what the classes of policies say."""


def _as_text() -> str:
    """The table, for the page that documents this module."""
    cells = [("stopping", "policy", "stops when", "proved")]
    for row in TABLE:
        who = "the reader's own" if row.policy == "Policy" else row.policy
        rule = "never" if row.rule is Never else f":class:`{row.rule.__name__}`"
        cells.append((str(row.stopping), who, rule, "yes" if row.proved else "no"))
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    border = "  ".join("=" * width for width in widths)
    lines = ["  ".join(map(str.ljust, line, widths)).rstrip() for line in cells]
    return "\n".join([border, lines[0], border, *lines[1:], border])


if __doc__ is not None:  # python -OO leaves none
    __doc__ = __doc__.format(table=_as_text())
