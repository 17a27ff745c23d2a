"""True means and what follows from them: gaps, ranks, the right answer, and the paper's instances.

A `Problem` is what a simulation knows and a policy does not. Ranks count from 1 with the largest
mean, as in the paper; arms count from 0. Every named instance lists its arms by rank, largest mean
first, so that arm ``j`` has rank ``j + 1``; where it is made from gaps, the smallest mean is 0. Its
``sigma`` is the scale of the noise. What is out of range is a ``ValueError`` that names it.

Paper: Katariya, Tripathy and Nowak (2019), *MaxGap Bandit: Adaptive Algorithms for Approximate
Ranking*, NeurIPS.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from maxgap._numbers import as_floats, is_whole

__all__ = [
    "Problem",
    "four_arms",
    "one_large_gap",
    "stopping_time_family",
    "streetview",
    "two_large_gaps",
]

_TIE = 1e-12


def rounding(means: NDArray[np.float64]) -> float:
    """Differences of means no larger than this are taken to be rounding, in the means' units."""
    return _TIE * float(np.abs(means).max())


@dataclass(frozen=True, init=False, repr=False, eq=False)
class Problem:
    """A MaxGap problem: the true mean of each arm and the scale of its noise.

    Both are attributes of this name, as given; arrays are read-only.

    Parameters
    ----------
    means : array_like, shape (K,)
        True means, in the rewards' units. At least two, all finite, in any order.
    sigma : float or array_like of shape (K,), default 1.0
        Standard deviation of normal rewards, in the rewards' units: one number, or one per arm.
        Arms are positions here: two pandas Series must have the same index.

    Raises
    ------
    ValueError
        Fewer than two means, one that is not finite, a sigma that is not positive and finite or of
        the wrong length. On a tie for the largest gap only from `split_rank`, `top` and `bottom`.

    Notes
    -----
    Two gaps tie if they differ by at most 1e-12 times the largest absolute mean, which is more than
    the rounding of decimal means and far below any gap that sampling could tell apart.

    Examples
    --------
    >>> problem = Problem([0.0, 1.0, 1.2])
    >>> problem.split_rank, sorted(problem.top), sorted(problem.bottom)
    (2, [1, 2], [0])
    """

    means: NDArray[np.float64]
    sigma: float | NDArray[np.float64]
    _order: NDArray[np.intp]

    def __init__(self, means: ArrayLike, sigma: ArrayLike = 1.0) -> None:
        checked = _real_array("means", means)
        if checked.ndim != 1 or checked.size < 2:
            raise ValueError(f"means: at least two arms in one dimension are needed, got {means!r}")
        checked_sigma = _real_array("sigma", sigma)
        ours: Any = getattr(means, "index", None)
        theirs: Any = getattr(sigma, "index", None)
        if hasattr(ours, "equals") and hasattr(theirs, "equals") and not ours.equals(theirs):
            raise ValueError(
                "sigma: its index is not that of means; arms are positions here, so give values "
                f"in one order, got {sigma!r}"
            )
        if checked_sigma.shape not in ((), checked.shape):
            raise ValueError(f"sigma: one value or {checked.size} are needed, got {sigma!r}")
        if not np.all(checked_sigma > 0):
            raise ValueError(f"sigma: must be positive, got {sigma!r}")
        one_or_all = checked_sigma if checked_sigma.ndim else float(checked_sigma)
        # Stable, so that arms with equal means are ranked in the order given.
        order = np.argsort(-checked, kind="stable")
        self.__setstate__({"means": checked, "sigma": one_or_all, "_order": order})

    def __repr__(self) -> str:
        shown = f"{self.n_arms} means from {self.means.min():g} to {self.means.max():g}"
        if self.n_arms <= 6:
            shown = repr(self.means.tolist())
        sigma = self.sigma if isinstance(self.sigma, float) else self.sigma.tolist()
        return f"Problem({shown}, sigma={sigma})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Problem):
            return NotImplemented
        return np.array_equal(self.means, other.means) and np.array_equal(self.sigmas, other.sigmas)

    def __hash__(self) -> int:
        return hash((self.means.tobytes(), self.sigmas.tobytes()))

    def __setstate__(self, state: dict[str, Any]) -> None:
        # From __init__, copy and pickle, which would leave arrays writeable.
        for name, value in state.items():
            if isinstance(value, np.ndarray):
                value = value.copy()
                value.flags.writeable = False
            object.__setattr__(self, name, value)

    @property
    def n_arms(self) -> int:
        """Number of arms, K."""
        return self.means.size

    @property
    def sigmas(self) -> NDArray[np.float64]:
        """Noise scale of every arm, shape (K,)."""
        return np.broadcast_to(np.asarray(self.sigma, dtype=np.float64), self.means.shape)

    @property
    def gaps(self) -> NDArray[np.float64]:
        """Gaps between neighbours by rank, shape (K - 1,); entry ``j`` is mu_(j+1) - mu_(j+2)."""
        ranked = self.means[self._order]
        return ranked[:-1] - ranked[1:]

    @property
    def delta_max(self) -> float:
        """The largest gap."""
        return float(self.gaps.max())

    @property
    def arm_gaps(self) -> NDArray[np.float64]:
        """Every arm's gap, shape (K,), the larger of its left and right gaps; eq. (1).

        Where means are equal, eq. (1) allows an arm any of the ranks that its mean occupies; the
        largest gap over those is taken, so that equal means have equal gaps.
        """
        different, group = np.unique(self.means, return_inverse=True)
        gaps = np.concatenate(([0.0], np.diff(different), [0.0]))
        return np.maximum(gaps[:-1], gaps[1:])[group]

    @property
    def split_rank(self) -> int:
        """Rank m of the arm just above the largest gap, eq. (2). ``ValueError`` on a tie."""
        gaps = self.gaps
        slack = rounding(self.means)
        if gaps.max() <= slack:
            raise ValueError(f"means: all are equal, no gap in {_shown(self.means)}")
        tied = np.flatnonzero(gaps >= gaps.max() - slack)
        if tied.size > 1:
            raise ValueError(
                f"means: no unique largest gap, ranks {(tied + 1).tolist()} tie "
                f"with gap {gaps.max():g} in {_shown(self.means)}"
            )
        return int(tied[0]) + 1

    @property
    def top(self) -> frozenset[int]:
        """Arms above the largest gap, C_1. ``ValueError`` on a tie."""
        return frozenset(self._order[: self.split_rank].tolist())

    @property
    def bottom(self) -> frozenset[int]:
        """Arms below the largest gap, C_2. ``ValueError`` on a tie."""
        return frozenset(self._order[self.split_rank :].tolist())


def streetview(sigma: float = 0.05, n_arms: int = 90) -> Problem:
    """Borda safety scores of Chicago street scenes, the paper's real data (Fig. 6).

    Each score is the probability that people find the scene safer than one drawn at random. The
    data file holds the 100 scores that the authors published, in full, and names its source.

    Parameters
    ----------
    sigma : float, default 0.05
        The paper says 0.05, the published scripts ran 0.1.
    n_arms : int, default 90
        How many scenes, the best first: 2 to 100. The published scripts keep 90, which the paper
        does not say: among all 100 the largest gap is between ranks 94 and 95.

    Examples
    --------
    >>> problem = streetview()
    >>> problem.n_arms, problem.split_rank, round(problem.delta_max, 4)
    (90, 2, 0.0292)
    """
    text = files("maxgap").joinpath("data/streetview.csv").read_text(encoding="utf-8")
    rows = [line.split(",") for line in text.splitlines() if line[:1].isdigit()]
    scores = np.array([float(score) for _, score in rows])
    if not is_whole(n_arms) or not 2 <= n_arms <= scores.size:
        raise ValueError(
            f"n_arms: a whole number from 2 to {scores.size} is needed, got {n_arms!r}"
        )
    return Problem(scores[:n_arms], sigma)


def two_large_gaps(small_gap: float = 0.2, sigma: float = 1.0) -> Problem:
    """24 arms with gaps 0.98 (ranks 9 and 10) and 1.0 (ranks 18 and 19), the rest small (Fig. 7).

    Parameters
    ----------
    small_gap : float, default 0.2
        Every other gap, above 0 and below 0.98. The paper says 0.2, the published scripts
        (``simulated_data`` in https://github.com/sumeetsk/maxgap_bandit) ran 0.1.
    sigma : float, default 1.0
        The paper says 1, the published scripts ran 0.05.

    Examples
    --------
    >>> problem = two_large_gaps()
    >>> problem.n_arms, problem.split_rank, round(problem.delta_max, 6)
    (24, 18, 1.0)
    """
    gaps = np.full(23, checked_number("small_gap", small_gap, above=0.0, below=0.98))
    gaps[9 - 1] = 0.98
    gaps[18 - 1] = 1.0
    return _with_gaps(gaps, sigma)


def one_large_gap(
    n_top: int, n_bottom: int, delta_max: float, delta_min: float, sigma: float = 1.0
) -> Problem:
    """One gap `delta_max`, all other gaps equal to `delta_min`: the paper's toy problem (Fig. 2).

    Parameters
    ----------
    n_top, n_bottom : int
        Arms above and below the large gap, at least one each.
    delta_max, delta_min : float
        The gaps, ``0 <= delta_min < delta_max``. With ``delta_min = 0`` each cluster is one tie.
    sigma : float, default 1.0

    Examples
    --------
    >>> one_large_gap(2, 3, delta_max=1.0, delta_min=0.25).means
    array([1.75, 1.5 , 0.5 , 0.25, 0.  ])
    """
    for name, value in (("n_top", n_top), ("n_bottom", n_bottom)):
        if not is_whole(value) or value < 1:
            raise ValueError(f"{name}: a whole number from 1 is needed, got {value!r}")
    delta_max = checked_number("delta_max", delta_max, above=0.0)
    delta_min = checked_number("delta_min", delta_min, below=delta_max)
    if delta_min < 0:
        raise ValueError(f"delta_min: must not be negative, got {delta_min!r}")
    gaps = np.full(n_top + n_bottom - 1, delta_min)
    gaps[n_top - 1] = delta_max
    return _with_gaps(gaps, sigma)


def four_arms(epsilon: float, nu: float, sigma: float = 1.0) -> Problem:
    """Instance B of the lower bound (Lemma 1): four arms with gaps nu, nu + epsilon, epsilon.

    The paper's arms 1 to 4 are arms 0 to 3; the answer is {0, 1}, {2, 3}.

    Parameters
    ----------
    epsilon, nu : float
        The small and the large spacing, ``0 < 1.1 epsilon < nu``. The paper asks for nu much larger
        than epsilon; below 1.1 epsilon moving arm 4 up by 2.1 epsilon no longer changes the answer.
    sigma : float, default 1.0

    Examples
    --------
    >>> four_arms(0.25, 1.0).means
    array([2.5 , 1.5 , 0.25, 0.  ])
    """
    nu = checked_number("nu", nu, above=0.0)
    epsilon = checked_number("epsilon", epsilon, above=0.0, below=nu / 1.1)
    return Problem([2 * nu + 2 * epsilon, nu + 2 * epsilon, epsilon, 0.0], sigma)


def stopping_time_family(gap: float, sigma: float = 0.05) -> Problem:
    """18 arms in three groups of six: gaps 0.02 in a group, 0.4 and `gap` between groups.

    From the published scripts; this version of the paper does not show it. They ran `gap` from
    0.36 to 0.39: the closer to 0.4, the harder. Below 0.4 the answer splits off the upper six.

    Parameters
    ----------
    gap : float
        Gap between the middle and the lowest group, positive.
    sigma : float, default 0.05

    Examples
    --------
    >>> problem = stopping_time_family(0.39)
    >>> problem.n_arms, problem.split_rank, round(problem.delta_max, 6)
    (18, 6, 0.4)
    """
    gap = checked_number("gap", gap, above=0.0)
    gaps = np.full(17, 0.02)
    gaps[6 - 1] = 0.4
    gaps[12 - 1] = gap
    return _with_gaps(gaps, sigma)


def _with_gaps(gaps: NDArray[np.float64], sigma: float) -> Problem:
    # Summed from the lowest arm, whose mean is 0.
    return Problem(np.concatenate((np.cumsum(gaps[::-1])[::-1], [0.0])), sigma)


def _shown(means: NDArray[np.float64]) -> str:
    return np.array2string(means, separator=", ", threshold=8, precision=6)


def _real_array(name: str, value: object) -> NDArray[np.float64]:
    array = as_floats(value)
    if array is None:
        raise ValueError(f"{name}: numbers are needed, got {value!r}")
    if not np.all(np.isfinite(array)):
        raise ValueError(f"{name}: must be finite, got {value!r}")
    # Adding 0.0 turns -0.0 into 0.0, so that equal problems have equal hashes.
    return array + 0.0


def checked_number(
    name: str, value: object, *, above: float = -np.inf, below: float = np.inf
) -> float:
    """Return it as a float, or raise ``ValueError`` unless it is one number between the two."""
    number = _real_array(name, value)
    if number.ndim != 0 or not above < number < below:
        raise ValueError(
            f"{name}: one number between {above:g} and {below:g} is needed, got {value!r}"
        )
    return float(number)
