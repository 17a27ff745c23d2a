"""When may a policy stop? Every rule of the paper, as printed and as it can be justified.

Each rule is named in a policy's ``stopping=``. *Valid intervals* means below: with probability at
least 1 - delta every mean lies in its interval at all times (``confidence.guarantees``).

==========  ===================  ================================================  =========
name        policies             stops when                                        certified
==========  ===================  ================================================  =========
clusters    all                  :func:`clusters`                                  yes
paper       MaxGapElim           :func:`two_active`                                yes
paper       MaxGapUCB            :func:`dominant_pair`, once a gap is certain      no
paper       MaxGapTop2UCB        second-highest gap bound < lower bound > 0        no
paper       SortThenSearch       :func:`dominant_gap`                              no
paper       RoundRobin           never: the paper has no rule for it               no
literal     all                  the same without the conditions added here        no
authors     Elim, Top2, Robin    :func:`few_wide` (published scripts)              no
authors     MaxGapUCB            :func:`dominant_pair`                             no
None        all                  never                                             no
==========  ===================  ================================================  =========

The second-highest bound, "paper" for ``MaxGapTop2UCB``. No proof covers it, even with a certain
gap: several arms may share the highest bound, and the largest gap may lie between two of them
while the certain gap is another one. With intervals [-0.01, 0.01], [1, 2.5], [1.05, 2.6] all three
arms touch the slot (-0.01, 2.5), no arm is left outside, and a gap of 0.99 is certain; yet means
0, 1 and 2.6 put the largest gap between the two upper arms. Real runs err, too, with all intervals
valid: the book's chapter of the three algorithms counts how often.

The rules look at arms sorted by lower end (see :mod:`maxgap.gaps`).

Examples
--------
The same rewards, two rules: only one of them guarantees the answer.

>>> from maxgap import MaxGapTop2UCB
>>> for rule in ("clusters", "paper"):
...     policy = MaxGapTop2UCB(3, sigma=0.01, stopping=rule)
...     policy.tell([0, 1, 2], [0.0, 0.1, 1.0])
...     print(rule, policy.stopped, policy.certified)
clusters True True
paper True False
"""

from __future__ import annotations

from maxgap._compiled import compiled
from maxgap.gaps import WIDTHS, Floats, Records, largest_between

#: Number of samples between two looks of the published scripts at their stopping rules.
AUTHORS_LOOK_EVERY = 100


@compiled
def clusters(slots: Records, trees: Floats, lower_bound: float, position: int) -> bool:
    """The corrected cluster rule: inside both clusters every gap is below the certain one.

    ``lower_bound`` is the certain gap, ``position`` the lowest arm above it. Stops when every
    right-gap bound in the top cluster and every left-gap bound in the bottom one lie below
    ``lower_bound``. Certified. Proof: let the intervals be valid. A positive lower bound separates
    the true means of the clusters by at least that much, so the split is between neighbouring
    means. Every other gap lies between two arms of one cluster: it is the right gap of an arm in
    the top cluster or the left gap of one in the bottom cluster, hence below ``lower_bound``, hence
    below the gap at the split. So the split's gap is the largest and the clusters are right.

    The paper states the rule with the sides exchanged in words, and in its formula for too few
    arms (those with ``l_a >= l_(k)`` and with ``r_a <= l_(k+1)``); both can fail.

    Within a cluster the largest right-gap bound is its widest slot, and so is the largest left-gap
    bound; the slots of the full instance are those of the clusters but for the bottom one's last.
    """
    if lower_bound <= 0.0:
        return False
    inside = largest_between(trees, WIDTHS, position, slots.size - 1)
    inside = max(inside, largest_between(trees, WIDTHS, 0, position - 2))
    inside = max(inside, slots[position - 1]["reach"] - slots[position - 1]["lower"])
    return inside < lower_bound


@compiled
def two_active(arms: Records, slots: Records, position: int) -> bool:
    """Alg. 1: two active arms are left; here also: the certain gap lies between them.

    ``position`` is the lowest arm above the certain gap (0 if there is none).
    Certified. Proof: with valid intervals, an arm of the largest gap has a bound of at least
    Delta_max, the lower bound is at most Delta_max, and equality would need intervals of width 0.
    So neither arm was eliminated: they are the two. The certain gap separates true means, one of
    the two lies on each side, and no mean lies between them: the split is theirs.

    Without the second condition two arms stop after one sample each.
    """
    below = 0
    above = 0
    for k in range(slots.size):
        if arms[slots[k]["arm"]]["active"]:
            if k < position:
                below += 1
            else:
                above += 1
    return below == 1 and above == 1


@compiled
def dominant_pair(first: int, second: int, total: int, c: float) -> bool:
    """Alg. 2: two arms have c times the samples of all others, ``T_i + T_j >= c * rest``.

    ``first`` and ``second`` are the two largest counts. Not certified: the proof of the accuracy
    theorem only treats stopping on the lower bound, and c <= 2 / (K - 2) stops in round one.
    "paper" and "authors" use c = 5 (the published scripts; the paper does not give it).
    """
    pair = first + second
    return pair >= c * (total - pair)


@compiled
def few_wide(n_above: int) -> bool:
    """Published scripts: the third-largest gap bound is at most the lower bound.

    ``n_above`` is the number of arms whose bound is above it; the scripts look every
    ``AUTHORS_LOOK_EVERY`` samples. Not certified: nothing asks that a gap be certain, and the two
    arms that are left need not be the two sides of the split.
    """
    return n_above <= 2


@compiled
def dominant_gap(largest: int, total: int, factor: float) -> bool:
    """lil'UCB's rule on the gaps of a sorted list: ``T_g >= 1 + factor * sum of the others``.

    ``largest`` is the largest number of samples of a gap, ``total`` the sum over all gaps,
    ``factor`` the lambda of Jamieson et al. (2014). Not certified here: their theorem is for
    independent arms sampled from scratch, while neighbouring gaps share an arm and the samples of
    the sorting phase are reused.
    """
    return largest >= 1 + factor * (total - largest)
