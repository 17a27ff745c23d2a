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

from collections.abc import Callable
from typing import Any, NamedTuple

from maxgap._core.compiled import ZERO, compiled, inlined
from maxgap._core.contrasts import certifies
from maxgap._core.slots import WIDTHS, largest_between
from maxgap._core.state import Setting, State
from maxgap._core.words import (
    certain_gap,
    certain_gap_lies_at,
    n_bounds_above,
    second_highest_bound,
)

__all__ = [
    "LOOK_BACK",
    "RULES",
    "TABLE",
    "Row",
    "clusters",
    "contrasts",
    "dominant_gap",
    "dominant_pair",
    "dominant_pair_and_certain_gap",
    "either",
    "never",
    "row_of",
    "second_below",
    "third_below",
    "two_active",
    "two_active_around_certain_gap",
]

#: Names of the rules that look back at rewards.
LOOK_BACK = ("contrasts", "either")
#: The certificate of contrasts is looked at again after this part of the samples more.
LOOK_AT_GROWTH = 64

# lil'UCB, Jamieson et al. (2014): ((2 + beta) / beta)^2 at beta = 1, as in its analysed version.
LIL_LAMBDA = 9.0


@inlined
def never(state: State, setting: Setting) -> bool:
    """Go on until the budget is spent. There is nothing to prove."""
    return False


@inlined
def clusters(state: State, setting: Setting) -> bool:
    """The corrected cluster rule: inside both clusters every gap is below the certain one.

    Stops when every right-gap bound in the top cluster and every left-gap bound in the bottom one
    lie below the certain gap between the clusters.

    Proved. Let the intervals be valid. A positive lower bound separates the true means of the
    clusters by at least that much, so the split is between neighbouring means. Every other gap
    lies between two arms of one cluster: it is the right gap of an arm in the top cluster or the
    left gap of one in the bottom cluster, hence below the lower bound, hence below the gap at the
    split. So the split's gap is the largest and the clusters are right.

    The paper states the rule with the sides exchanged in words, and in its formula for too few
    arms (those with ``l_a >= l_(k)`` and with ``r_a <= l_(k+1)``); both can fail.
    """
    lower_bound = certain_gap(state)
    if lower_bound <= 0.0:
        return False
    # Within a cluster the largest right-gap bound is its widest slot, and so is the largest
    # left-gap bound; the slots of the full instance are those of the clusters but for the bottom
    # one's last.
    slots, trees = state.slots, state.trees
    position = certain_gap_lies_at(state)
    inside = largest_between(trees, WIDTHS, position, slots.size - 1)
    inside = max(inside, largest_between(trees, WIDTHS, ZERO, position - 2))
    inside = max(inside, slots[position - 1]["reach"] - slots[position - 1]["lower"])
    return inside < lower_bound


@compiled
def contrasts(state: State, setting: Setting) -> bool:
    """The certificate of contrasts: tests of "is this gap wider than that one", not intervals.

    Looked at when the number of samples has grown by one part in ``LOOK_AT_GROWTH``, so no run that
    stays certain is missed. The answer is the split at the largest gap between empirical means. It
    is not in the dispatch below: runs that do without it need not wait until it is compiled.

    Proved, whatever the intervals, for rewards that are independent within and across arms and
    sigma-sub-Gaussian; only *conditionally* sub-Gaussian is not enough. Each arm's have to be told
    in the order in which they were drawn, and nothing may be chosen by rewards not yet told.
    Theorem, proof and the plain code are those of :mod:`maxgap.reference.contrasts`.
    """
    if not contrasts_due(state, setting):
        return False
    state.progress[0]["last_look"] = state.progress[0]["total"]
    return certifies(state.arms, state.stacks, state.prefix, setting.delta)


@inlined
def either(state: State, setting: Setting) -> bool:
    """The cluster rule or the certificate of contrasts, each with half of ``delta``.

    Contrasts need far fewer rewards where these are 0 or 1, intervals that learn the spread where
    they vary little; whoever does not know beforehand pays the logarithm of 2. Contrasts are looked
    at outside, as for :func:`contrasts`; this is the other half.

    Proved: each half errs with probability at most ``delta`` / 2, by its own proof and under its
    own conditions, so the rewards have to meet both.
    """
    return clusters(state, setting)


@inlined
def two_active(state: State, setting: Setting) -> bool:
    """Alg. 1, line 7, literally: at most two active arms are left.

    Not proved. Two arms stop after one sample each. From four arms on, intervals that are not
    nested can be valid and the answer wrong: an arm that was dropped comes to lie at the certain
    gap. For three arms, and for more with nested intervals, the rule is right; that proof and the
    counterexample are in the book's chapter of the three algorithms.
    :func:`two_active_around_certain_gap` needs neither condition.
    """
    return state.progress[0]["n_active"] <= 2


@inlined
def two_active_around_certain_gap(state: State, setting: Setting) -> bool:
    """Alg. 1, line 7, and the certain gap lies between the two.

    Proved. With valid intervals, an arm of the largest gap has a bound of at least Delta_max, the
    lower bound is at most Delta_max, and equality would need intervals of width 0. So neither arm
    was eliminated: they are the two. The certain gap separates true means, one of the two lies on
    each side, and no mean lies between them: the split is theirs.
    """
    position = certain_gap_lies_at(state)
    below = 0
    above = 0
    for i in range(state.progress[0]["n_active"]):
        if state.arms[state.active[i]]["position"] < position:
            below += 1
        else:
            above += 1
    return below == 1 and above == 1


@inlined
def dominant_pair(state: State, setting: Setting) -> bool:
    """Alg. 2, line 6: two arms have c times the samples of all others, ``T_i + T_j >= c rest``.

    Not proved: the proof of the accuracy theorem only treats stopping on the lower bound, and
    c <= 2 / (K - 2) stops in round one. c = 5 is the published scripts'; the paper gives none.
    """
    progress = state.progress[0]
    pair = state.arms[progress["first"]]["count"] + state.arms[progress["second"]]["count"]
    return pair >= setting.c * (progress["total"] - pair)


@inlined
def dominant_pair_and_certain_gap(state: State, setting: Setting) -> bool:
    """Alg. 2, line 6, never before some gap is certain. Not proved, for the same reason."""
    return dominant_pair(state, setting) and certain_gap(state) > 0.0


@inlined
def second_below(state: State, setting: Setting) -> bool:
    """Alg. 3, line 7, literally: M_2 is below the lower bound on the largest gap. Not proved.

    The maximum over no arm is minus infinity: while all arms share the highest bound it stops at
    once. Asking for a certain gap as well does not mend it: with intervals [0, 2], [3, 5], [4, 6]
    all three arms touch the slot (0, 5) and a gap of 1 is certain; yet means 2, 3.5 and 6 put the
    largest gap between the two upper arms. Nor does asking for an arm outside (the maximum over no
    arm is infinity), from four arms on: the intervals [0, 8], [5, 13], [9, 17], [31, 39], [38, 46]
    leave the lowest arm outside with a bound of 13, and a gap of 14 is certain; yet means 5, 11,
    17, 31 and 46 lie in them. :func:`third_below` is what Section 3.2 says in words.
    """
    return second_highest_bound(state) < certain_gap(state)


@inlined
def third_below(state: State, setting: Setting) -> bool:
    """Alg. 3, line 7, as its authors ran it: at most two arms have a bound above the certain gap.

    Section 3.2 asks for the second-highest bound of a *gap*, and two arms share a gap: it is the
    third-highest bound of an arm that the published scripts compare with the certain gap.

    Proved, for intervals of positive width that are valid when it stops, nested or not. Let C1 and
    C2 be the sides of the certain gap L. However the means lie in the intervals, the lowest arm of
    C1 could be lifted to the least upper end in C1 while C2 lies at its lower ends, so its bound is
    above L; so is that of the highest arm of C2. These two are the only ones with a bound above L.
    Any other gap between neighbours has one of the other arms at its far side, hence is at most L,
    and the gap between the two is at least L. For three arms or more a gap is then certain: all
    bounds are above 0, so with L = 0 all would be above L. For two arms it has to be asked.
    """
    return certain_gap(state) > 0.0 and n_bounds_above(state, certain_gap(state)) <= 2


@inlined
def dominant_gap(state: State, setting: Setting) -> bool:
    """lil'UCB's rule on the gaps of a sorted list: ``T_g >= 1 + lambda * sum of the others``.

    A gap has as many samples as the less sampled of its two arms. Not proved here: the theorem of
    Jamieson et al. (2014) is for independent arms sampled from scratch, while neighbouring gaps
    share an arm and the samples of the sorting phase are reused.
    """
    most, total = 0, 0
    for k in range(state.sequence.size - 1):
        below, above = state.arms[state.sequence[k]], state.arms[state.sequence[k + 1]]
        n = min(below["count"], above["count"])
        most = max(most, n)
        total += n
    return most >= 1 + LIL_LAMBDA * (total - most)


class Row(NamedTuple):
    """A policy and a name of a rule: the function that decides, and whether it is proved."""

    policy: str
    stopping: str | None
    rule: Callable[[State, Setting], bool]
    proved: bool = False


_PAPER = ("RoundRobin", "SortThenSearch", "MaxGapElim", "MaxGapUCB", "MaxGapTop2UCB")
_EVERY = (*_PAPER, "MaxGapContrasts", "Policy")  # the last stands for those of the reader's own

TABLE: tuple[Row, ...] = (
    *(Row(policy, "clusters", clusters, proved=True) for policy in _EVERY),
    *(Row(policy, "contrasts", contrasts, proved=True) for policy in _EVERY),
    *(Row(policy, "either", either, proved=True) for policy in _EVERY),
    Row("RoundRobin", "paper", third_below, proved=True),  # the scripts'; the paper has none
    Row("SortThenSearch", "paper", dominant_gap),
    Row("MaxGapElim", "paper", two_active_around_certain_gap, proved=True),
    Row("MaxGapUCB", "paper", dominant_pair_and_certain_gap),
    Row("MaxGapTop2UCB", "paper", third_below, proved=True),
    Row("RoundRobin", "literal", never),
    Row("SortThenSearch", "literal", dominant_gap),
    Row("MaxGapElim", "literal", two_active),
    Row("MaxGapUCB", "literal", dominant_pair),
    Row("MaxGapTop2UCB", "literal", second_below),
    *(Row(policy, None, never) for policy in _EVERY),
)
"""Policy, name of the rule, function, whether proved: read by all who ask what may stop when."""

RULES = (
    never,
    clusters,
    two_active,
    two_active_around_certain_gap,
    dominant_pair,
    dominant_pair_and_certain_gap,
    second_below,
    third_below,
    dominant_gap,
    contrasts,
    either,
)
"""The rules, in the order of their numbers in compiled code."""


@compiled(inline=True)
def rule_holds(state: State, setting: Setting) -> bool:
    """Whether the rule with the setting's number holds: the only dispatch, but for contrasts."""
    rule = setting.rule
    if rule == 1:
        return clusters(state, setting)
    if rule == 2:
        return two_active(state, setting)
    if rule == 3:
        return two_active_around_certain_gap(state, setting)
    if rule == 4:
        return dominant_pair(state, setting)
    if rule == 5:
        return dominant_pair_and_certain_gap(state, setting)
    if rule == 6:
        return second_below(state, setting)
    if rule == 7:
        return third_below(state, setting)
    if rule == 8:
        return dominant_gap(state, setting)
    if rule == 10:
        return either(state, setting)
    return never(state, setting)


@inlined
def needs_leaders(setting: Setting) -> bool:
    """Whether the rule looks at the two arms with the most samples."""
    return 4 <= setting.rule <= 5


@compiled(inline=True)
def by_contrasts(setting: Setting) -> bool:
    """Whether the rule looks at contrasts, alone or beside the cluster rule."""
    return setting.rule >= 9


@compiled(inline=True)
def cluster_rule_too(setting: Setting) -> bool:
    """Whether the cluster rule may end it, beside the contrasts."""
    return setting.rule == 10


@compiled(inline=True)
def contrasts_due(state: State, setting: Setting) -> bool:
    """Whether the rule looks at contrasts, and it is time to."""
    total, last_look = state.progress[0]["total"], state.progress[0]["last_look"]
    return by_contrasts(setting) and LOOK_AT_GROWTH * (total - last_look) >= last_look


def row_of(policy: str, stopping: Any) -> Row:
    """The row of a policy and a name of a rule; a ValueError if it has none of this name.

    Examples
    --------
    >>> row_of("MaxGapElim", "paper").proved, row_of("MaxGapTop2UCB", "paper").proved
    (True, True)
    """
    rows = [row for row in TABLE if row.policy == policy]
    for row in rows:
        if (stopping is None or isinstance(stopping, str)) and row.stopping == stopping:
            return row
    raise ValueError(f"stopping must be one of {[row.stopping for row in rows]}, got {stopping!r}")


def _as_text() -> str:
    """The table, for the page that documents this module."""
    cells = [("stopping", "policy", "stops when", "proved")]
    for row in TABLE:
        who = "the reader's own" if row.policy == "Policy" else row.policy
        rule = "never" if row.rule is never else f":func:`{row.rule.__name__}`"
        cells.append((str(row.stopping), who, rule, "yes" if row.proved else "no"))
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    border = "  ".join("=" * width for width in widths)
    lines = ["  ".join(map(str.ljust, line, widths)).rstrip() for line in cells]
    return "\n".join([border, lines[0], border, *lines[1:], border])


if __doc__ is not None:  # python -OO leaves none
    __doc__ = __doc__.format(table=_as_text())
