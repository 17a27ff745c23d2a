"""The certificate of contrasts, compiled: what is open while the largest gap is not certain.

The theorem, its proof and every definition are in :mod:`maxgap.contrasts.plain`, whose names
and line numbers are used here. To be rejected is to find a path, from link to link, that leads from
a low arm to a high one. Most often it is a single link, or certain orders leave no room for a gap.
"""

from __future__ import annotations

import numpy as np

from maxgap.contrasts.look import (
    BITS,
    BOTTOM,
    HIGHS,
    LOWS,
    MANY,
    NEW,
    TOP,
    Look,
    Told,
    add,
    has,
    link_needs,
    look_again,
    lowest,
    of_side,
    order_evidence,
    take_pair,
    weigh,
)
from maxgap.engine.compiled import compiled, inlined, internal
from maxgap.engine.types import Integers, Records

__all__ = [
    "GAP",
    "NONE",
    "ORDER",
    "PAIR_OF_GAPS",
    "has_partner",
    "is_open",
    "label_highs",
    "what_is_open",
]

#: What is open: nothing; an order; a gap that needs the smaller evidence; one of two compatible
#: gaps that need the larger.
NONE, ORDER, GAP, PAIR_OF_GAPS = range(4)
#: What `_go_over` looks for: of gaps between neighbours by mean the first that is open; of all that
#: with the least evidence; all that are.
FIRST_NEIGHBOURS, LEAST, ALL = range(3)


@compiled
def what_is_open(look: Look, told: Told) -> int:
    """What stands between the split and its certificate, into ``now``: NONE if nothing does.

    Of the gaps that line 2 leaves open, for the first pair with one, that with the least evidence;
    of many arms the first that is between neighbours in the order of means, if there is one.
    Where line 3 fails ``gaps`` holds all that it leaves, and ``now`` the kind alone.
    """
    now, n_arms, order = look.now[0], look.order.size, look.order
    if not look_again(look, told):
        return now["kind"]
    now["kind"] = ORDER
    if _line_1_fails(look, told.arms):
        return ORDER
    for low in range(n_arms):
        for w in range(look.gaps.shape[1]):
            look.gaps[low, w] = 0
    first = FIRST_NEIGHBOURS if n_arms >= MANY else LEAST
    now["kind"] = GAP
    for line in range(2, 4):
        for p in range(now["split"], n_arms):
            for q in range(now["split"] - 1, -1, -1):
                if not _may_be_boundary(look, order[p], order[q]):
                    continue
                take_pair(look, told, order[p], order[q], look.needed[line - 1])
                for what in range(first if line == 2 else ALL, line):
                    if _go_over(look, told, what):
                        return GAP
    now["kind"] = NONE
    for low in range(n_arms):
        for high in range(n_arms):
            if has(look.gaps, low, high) and has_partner(look, low, high):
                now["kind"] = PAIR_OF_GAPS
                return PAIR_OF_GAPS
    return NONE


@inlined
def _line_1_fails(look: Look, arms: Records) -> bool:
    """Whether an order of top and bottom is not certain: into ``now`` the least evident."""
    now = look.now[0]
    least = np.inf
    for k in range(now["split"], arms.size):
        for m in range(now["split"]):
            upper, lower = look.order[k], look.order[m]
            if not has(look.below, upper, lower):
                value = order_evidence(arms, upper, lower)
                if value < least:
                    least = value
                    now["upper"], now["lower"] = upper, lower
    return least < np.inf


@inlined
def _may_be_boundary(look: Look, i: int, j: int) -> bool:
    """Whether no arm of the top is certainly below i, none of the bottom certainly above j."""
    return not (_meet(look.below, i, look.sides, TOP) or _meet(look.above, j, look.sides, BOTTOM))


@internal
def _go_over(look: Look, told: Told, what: int) -> bool:
    """Go over the gaps that the pair may leave open. Of one there is, ``now`` holds it."""
    now, order = look.now[0], look.order
    least = np.inf
    for side in (TOP, BOTTOM):
        first, last = of_side(look, side)
        for k in range(first, last):
            start, stop = first, last
            if what == FIRST_NEIGHBOURS:
                start, stop = k + 1, min(k + 2, last)
            for m in range(start, stop):
                low, high = order[k], order[m]
                if low == high or has(look.gaps, low, high):
                    continue
                if not is_open(look, told, side, (low, high), least):
                    continue
                if what == ALL:
                    add(look.gaps, low, high)
                    look.pairs[low, high] = now["i"] * order.size + now["j"]
                    continue
                now["upper"], now["lower"] = now["i"], now["j"]
                now["low"], now["high"] = low, high
                if what == FIRST_NEIGHBOURS:
                    return True
                least = weigh(look, told, low, high)
    return least < np.inf


# -- rejection -------------------------------------------------------------------------------------


@inlined
def _meet(sets: Integers, row: int, others: Integers, other: int) -> bool:
    """Whether two sets have an arm in common."""
    meet = False
    for w in range(sets.shape[1]):
        meet |= sets[row, w] & others[other, w] != 0
    return meet


@compiled
def is_open(look: Look, told: Told, side: int, gap: tuple[int, int], least: float) -> bool:
    """Whether "low and high are neighbours, at least as far apart as j and i" is not refuted.

    A gap with ``least`` evidence or more is not looked into. Of an open one LOWS of ``labels`` is
    complete; `label_highs` completes HIGHS.
    """
    low, high = gap
    labels = look.labels
    if has(look.above, high, low) or _first_labels(look, side, low, high):
        return False
    value = weigh(look, told, low, high)
    if value >= least or value >= link_needs(look, side, gap, low, high):
        return False
    n_words = labels.shape[1]
    at = 0
    while at < n_words:
        word = labels[NEW, at]
        if word == 0:
            at += 1
            continue
        labels[NEW, at] = word & (word - 1)
        x = lowest(at, word)
        if _is_link(look, told, side, gap, x, high):
            return False
        for w in range(n_words):
            rest = look.sides[side, w] & ~labels[LOWS, w]
            if x != low:
                rest &= look.links[look.now[0]["row"] + x, w]
            while rest != 0:
                y = lowest(w, rest)
                rest &= rest - 1
                if _is_link(look, told, side, gap, x, y):
                    if has(labels, HIGHS, y):
                        return False
                    add(labels, LOWS, y)
                    add(labels, NEW, y)
                    at = min(at, w)
    return True


@inlined
def _first_labels(look: Look, side: int, low: int, high: int) -> bool:
    """Labels that need no link; whether an arm is both low and high."""
    labels, sides = look.labels, look.sides
    for w in range(labels.shape[1]):
        labels[LOWS, w] = look.below[high, w] & sides[side, w]
        labels[HIGHS, w] = look.above[low, w] & sides[side, w]
    add(labels, LOWS, low)
    add(labels, HIGHS, high)
    if side == TOP:
        add(labels, LOWS, look.now[0]["i"])
    else:
        add(labels, HIGHS, look.now[0]["j"])
    for w in range(labels.shape[1]):
        labels[NEW, w] = labels[LOWS, w]
    return _meet(labels, LOWS, labels, HIGHS)


@compiled
def label_highs(look: Look, told: Told, side: int, gap: tuple[int, int]) -> None:
    """Complete HIGHS of a gap that is open, once LOWS are complete."""
    labels, order = look.labels, look.order
    first, last = of_side(look, side)
    changed = True
    while changed:
        changed = False
        for k in range(first, last):
            x = order[k]
            for m in range(first, last):
                if has(labels, LOWS, x) or has(labels, HIGHS, x):
                    break
                if has(labels, HIGHS, order[m]) and _is_link(look, told, side, gap, x, order[m]):
                    add(labels, HIGHS, x)
                    changed = True


@inlined
def _is_link(look: Look, told: Told, side: int, gap: tuple[int, int], x: int, y: int) -> bool:
    """Whether x and y are a link, for this gap."""
    return weigh(look, told, x, y) >= link_needs(look, side, gap, x, y)


@compiled
def has_partner(look: Look, low: int, high: int) -> bool:
    """Whether another open gap is compatible with this one."""
    side = TOP if has(look.sides, TOP, low) else BOTTOM
    for other in range(look.order.size):
        apart = not has(look.sides, side, other)
        if other == low:
            continue
        for w in range(look.gaps.shape[1]):
            highs = look.gaps[other, w]
            if not apart and has(look.below, high, other):
                highs &= ~look.above[low, w]
            if not apart and w == high // BITS:
                highs &= ~(1 << (high % BITS))
            if highs != 0:
                return True
    return False
