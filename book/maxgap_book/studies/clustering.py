"""Clustering by single linkage, for two clusters of normal arms of known variance on the line.

The algorithms of Chandran, Reddy and Bhashyam (arXiv 2501.11421), as far as their abstracts tell
them; the full text could not be had. Theirs: ATBOC tracks the average of the optimal shares,
LUCBBOC goes by lower and upper confidence bounds as LUCB does for best arms, BOC-Elim extends
MaxGapElim, and all keep delta. Ours, from what is proved in the book: the threshold of the
likelihood ratio (the ellipsoid), the least share of every arm and how often shares are computed;
which links LUCBBOC samples; the radius (normal mixture) and the rule by which the last two stop
(the cluster rule, which no rule can precede that is right and looks only at the intervals of the
moment). With two clusters BOC-Elim is taken to be MaxGapElim.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from maxgap import MaxGapElim, Policy
from maxgap_book.studies.rivals import TrackAndStop

__all__ = ["LUCBBOC", "successors"]


class LUCBBOC(Policy):
    """Sample the ends of two links: the shortest between the clusters, the longest inside one.

    Clusters are those of the empirical means, and so are the links inside: on the line, between
    neighbours. Both lengths are as bad as the intervals allow, as in LUCB: one may be too short,
    the other too long.

    Examples
    --------
    >>> policy = LUCBBOC(["a", "b", "c", "d"], delta=0.1, sigma=0.1)
    >>> policy.tell(["a", "b", "c", "d"], [0.0, 0.1, 1.0, 1.3])
    >>> policy.ask()
    ['b', 'c', 'd']
    """

    def choose(self) -> list[Hashable]:
        """The arms at the ends of the two links: two, if there are no others, to four."""
        means, lower, upper = self.means, self.lower, self.upper
        order = np.argsort(means, kind="stable")
        gaps = np.diff(means[order])
        cut = int(gaps.argmax())
        bottom, top = order[: cut + 1], order[cut + 1 :]
        ends = {bottom[upper[bottom].argmax()], top[lower[top].argmin()]}
        if means.size > 2:
            radii = (upper - lower)[order] / 2
            longest = gaps + radii[:-1] + radii[1:]
            longest[cut] = -np.inf
            ends.update(order[[longest.argmax(), longest.argmax() + 1]])
        return [self.arms[arm] for arm in sorted(ends)]


def successors(arms: Any, *, delta: float, sigma: float) -> dict[str, Policy]:
    """All three, by name.

    Examples
    --------
    >>> [*successors(3, delta=0.1, sigma=1.0)]
    ['BOC-Elim', 'LUCBBOC', 'ATBOC']
    """
    own: dict[str, Any] = {"delta": delta, "sigma": sigma}
    by_intervals = own | {"confidence": "normal-mixture", "stopping": "clusters"}
    return {
        "BOC-Elim": MaxGapElim(arms, **by_intervals),
        "LUCBBOC": LUCBBOC(arms, **by_intervals),
        "ATBOC": TrackAndStop(arms, **own),
    }
