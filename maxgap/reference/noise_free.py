"""The largest gap among known numbers: the paper's footnote."""

import math
from typing import NamedTuple

from numpy.typing import ArrayLike

from maxgap.reference._checking import checked_vector

__all__ = ["NoiseFreeGap", "largest_gap_noise_free"]


class NoiseFreeGap(NamedTuple):
    """The largest gap among known numbers, and the two numbers on either side of it."""

    gap: float
    below: float
    above: float


def largest_gap_noise_free(x: ArrayLike) -> NoiseFreeGap:
    """Return the largest gap between neighbours among numbers, in linear time, without sorting.

    The paper's footnote. K numbers fall into K + 1 bins of equal width between the smallest and the
    largest, so some bin is empty, and the numbers on either side of it differ by more than a bin's
    width, which no two in one bin do. Only gaps between bins can be largest, and for those each
    bin's smallest and largest number suffice. The largest of the K - 1 gaps is at least
    (K + 1) / (K - 1) widths, a margin that covers the rounding of the bins' edges, for any K below
    about ten million.

    The top cluster is ``x >= above``. Of several largest gaps the lowest is returned; equal numbers
    have the gap 0.

    Parameters
    ----------
    x : array_like, shape (K,)
        The numbers; finite, at least two.

    Raises
    ------
    ValueError
        If `x` is not a vector of at least two finite numbers.

    Examples
    --------
    >>> largest_gap_noise_free([7, 1, 3, 8, 2])
    NoiseFreeGap(gap=4.0, below=3.0, above=7.0)
    """
    return _largest_gap(checked_vector("x", x, finite=True).tolist())


def _largest_gap(values: list[float]) -> NoiseFreeGap:
    low, high = min(values), max(values)
    if low == high:
        return NoiseFreeGap(0.0, low, high)
    n_bins = len(values) + 1
    scale = 0.5 if math.isinf(high - low) else 1.0  # a span too large for a float
    span = scale * high - scale * low
    bins: list[tuple[float, float] | None] = [None] * n_bins
    for value in values:
        # Rounding preserves order, so a larger number never falls into a lower bin.
        position = (scale * value - scale * low) / span * n_bins
        index = min(int(position), n_bins - 1)  # the largest number closes the last bin
        held = bins[index]
        bins[index] = (value, value) if held is None else (min(held[0], value), max(held[1], value))
    best = NoiseFreeGap(0.0, low, low)
    below = low
    for smallest, largest in filter(None, bins):
        if smallest - below > best.gap:
            best = NoiseFreeGap(smallest - below, below, smallest)
        below = largest
    return best
