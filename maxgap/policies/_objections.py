"""What rewards say against the assumptions of a certificate: spread, order, the answer itself.

Each look errs with a probability of about one in a million where the assumptions hold.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from maxgap.engine.types import Flags, Floats, Integers, Records

#: Probability with which a look may object without reason, over all arms.
LEVEL = 1e-6


def raised_by(
    labels: Sequence[Hashable], arms: Records, kept: Any, answered: bool
) -> tuple[str, ...]:
    """All that is said against a policy by what it knows of its arms, and by the rewards kept.

    These are None where nothing looks at their order; a split is judged once it is ``answered``.
    """
    found = against_sigma(labels, arms["count"], arms["scatter"], arms["sigma"])
    if kept is not None:
        found += against_order(labels, arms["count"], arms["scatter"], kept.stacks, kept.sums)
    if answered:
        found += against_top(labels, arms["top"], arms["lower"], arms["upper"])
    return tuple(found)


def against_sigma(
    labels: Sequence[Hashable], counts: Integers, scatter: Floats, sigmas: Floats
) -> list[str]:
    """Whether some arm's rewards vary more than a sub-Gaussian scale permits.

    ``scatter`` is the sum of squared distances from the mean. For a sigma-sub-Gaussian X and
    0 < x < 1 the expectation of exp(x (X - mu)^2 / (2 sigma^2)) is at most (1 - x)^(-1/2); so the
    product over an arm's rewards, times (1 - x)^(n / 2), is a supermartingale, and it only falls if
    the empirical mean stands for mu. The average over a few x exceeds K / LEVEL at any time with
    probability at most LEVEL / K.
    """
    bets = np.array([0.5, 0.2, 0.05, 0.01])
    with np.errstate(over="ignore"):
        # Squares of large rewards are infinite: then this is the least that it may be.
        finite = np.minimum(scatter, np.finfo(np.float64).max)
        evidence = np.outer((np.sqrt(finite) / sigmas) ** 2 / 2, bets)
        evidence += np.outer(counts / 2, np.log1p(-bets))
    excess = evidence.max(axis=1) - math.log(len(labels) * bets.size / LEVEL)
    arm = int(np.argmax(excess))
    if excess[arm] <= 0:
        return []
    deviation = math.sqrt(scatter[arm] / (counts[arm] - 1))
    return [
        f"sigma is too small for {labels[arm]!r}: {_rounded(sigmas[arm])}, but its "
        f"{counts[arm]:,} rewards have a standard deviation of {_rounded(deviation)}"
    ]


def _rounded(number: float) -> str:
    """Two digits of it, however large or small it is."""
    if math.isinf(number):
        return "more than 1e+150"
    if 99.5 <= number < 1e9:
        return f"{float(f'{number:.1e}'):,.0f}"
    return f"{number:#.2g}".rstrip(".")


def against_order(
    labels: Sequence[Hashable], counts: Integers, scatter: Floats, stacks: Records, sums: Floats
) -> list[str]:
    """Whether some arm's rewards were plainly not told in the order in which they were drawn.

    The largest distance of the partial sums from their straight line, in units of the standard
    deviation times the square root of n, exceeds x with a probability of about 2 exp(-2 x^2)
    (Kolmogorov) where the order is that of independent draws.
    """
    least = math.sqrt(math.log(2 * len(labels) / LEVEL) / 2)
    found = []
    # Nothing shorter can be so far from a line.
    for arm in np.flatnonzero((counts >= 4 * least**2) & (scatter > 0)).tolist():
        n, start = int(counts[arm]), int(stacks[arm]["start"])
        walk = sums[start : start + n + 1]
        off = np.abs(walk - np.arange(n + 1) * (walk[n] / n)).max()
        if off > least * math.sqrt(scatter[arm]):
            found.append(repr(labels[arm]))
    if not found:
        return []
    more = f" and {len(found) - 3:,} more" if len(found) > 3 else ""
    return [f"the rewards of {', '.join(found[:3])}{more} are sorted, or drift, in their order"]


def against_top(labels: Sequence[Hashable], top: Flags, lower: Floats, upper: Floats) -> list[str]:
    """Whether the intervals now put an arm of the bottom above one of the top."""
    bottom, above = np.flatnonzero(~top), np.flatnonzero(top)
    highest = bottom[np.argmax(lower[bottom])]
    lowest = above[np.argmin(upper[above])]
    if lower[highest] <= upper[lowest]:
        return []
    return [
        "since it stopped the rewards contradict the answer: "
        f"{labels[highest]!r} lies above {labels[lowest]!r}"
    ]
