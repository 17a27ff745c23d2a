"""How hard a problem is: gamma, its relatives, and the bounds on samples that rest on them.

Write Delta_{a,j} = mu_j - mu_a. To rule out arm a's right gap a policy looks for a *helper*: an arm
j to the right of a, far enough to be told apart from a, yet nearer than the largest gap. The best
helper makes the hardness; samples needed grow as its inverse square. Left gaps mirror this.

``formula="printed"`` is the paper to the letter; ``"corrected"`` is what its argument gives.

What no formula of the paper gives, the samples that an instance itself demands, say
`characteristic_time` and `nearest_alternative`, of :mod:`maxgap.contrasts.limits`.

Means may come in any order. Differences within rounding of 0 or of the largest gap count as that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from maxgap._numbers import is_whole
from maxgap.confidence import check_delta
from maxgap.problems import Problem, checked_number, rounding

if TYPE_CHECKING:
    from maxgap.contrasts.limits import (
        CharacteristicTime,
        NearestAlternative,
        characteristic_time,
        nearest_alternative,
    )

__all__ = [
    "CharacteristicTime",
    "Hardness",
    "NearestAlternative",
    "arm_sample_bounds",
    "characteristic_time",
    "gamma",
    "gamma_naive",
    "lower_bound",
    "nearest_alternative",
    "one_sided",
    "radius_constant",
    "rho",
    "sample_bound",
    "suboptimal_arms",
]

PAPER_SIGMA = float(np.sqrt(0.5))
"""The noise for which the paper's radius is the Hoeffding radius."""

Float = NDArray[np.float64]
Integer = NDArray[np.intp]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    # The rest of __all__ is in the wing of contrasts, which is imported when first used.
    from maxgap.contrasts import limits

    return getattr(limits, name)


class Hardness(NamedTuple):
    """Hardness of every arm's right gap and left gap, in the units of the means. Small is hard.

    Attributes
    ----------
    right : ndarray, shape (K,)
        Towards larger means. Infinite: the formula asks for no samples at all.
    left : ndarray, shape (K,)
        Towards smaller means.

    Examples
    --------
    >>> Hardness(right=np.array([1.0, 0.2]), left=np.array([np.inf, 0.5])).either.tolist()
    [1.0, 0.2]
    """

    right: Float
    left: Float

    @property
    def either(self) -> Float:
        """The smaller of the two, shape (K,); an arm is done when both its gaps are ruled out."""
        return np.minimum(self.right, self.left)


def gamma(means: ArrayLike) -> Hardness:
    """Hardness of the paper's Theorem 2: every arm's best helper, eqs. (10) and (11).

    gamma^r_a is the largest min(Delta_{a,j}, Delta_max - Delta_{a,j}) over arms j with
    0 < Delta_{a,j} < Delta_max, at most Delta_max / 2; infinite if there is none. That happens to
    an arm with nothing on that side, and to arms whose gap on that side *is* the largest and never
    ruled out: `suboptimal_arms` leaves these out, as the theorems do.

    Parameters
    ----------
    means : array_like, shape (K,)
        True means.

    Raises
    ------
    ValueError
        If `means` are not at least two finite numbers.

    Examples
    --------
    >>> gamma([0.0, 0.25, 1.25, 1.75]).right
    array([0.25,  inf, 0.5 ,  inf])
    """
    distance, largest, slack = _distances(means)
    helps = (distance > slack) & (distance < largest - slack)
    worth = np.where(helps, np.minimum(distance, largest - distance), -np.inf)
    return _infinite_without(helps, worth.max(axis=2))


def gamma_naive(means: ArrayLike, formula: str = "corrected") -> Hardness:
    """Hardness for sorting first and searching the gaps after, eq. (12).

    Arm a must be told apart from its right neighbour, at distance Delta^r_a, and that gap from the
    largest: the hardness is min(Delta^r_a, Delta_max - Delta^r_a), 0 for the largest gap itself,
    and infinite where there is no arm on that side.

    Parameters
    ----------
    means : array_like, shape (K,)
        True means. Equal ones are passed over, although no number of samples sorts them.
    formula : {"corrected", "printed"}, default "corrected"
        As printed, the minimum runs over *all* arms to the right, and is negative as soon as one of
        them is further than Delta_max.

    Raises
    ------
    ValueError
        As `gamma`, and for another `formula`.

    Examples
    --------
    >>> gamma_naive([0.0, 0.25, 1.25, 1.75]).either
    array([0.25, 0.  , 0.  , 0.5 ])
    """
    _check_formula(formula)
    distance, largest, slack = _distances(means)
    beyond = distance > slack
    nearest = np.where(beyond, distance, np.inf).min(axis=2)
    furthest = np.where(beyond, distance, -np.inf).max(axis=2)
    other = furthest if formula == "printed" else nearest
    return _infinite_without(beyond, np.minimum(nearest, largest - other))


def rho(means: ArrayLike, formula: str = "corrected") -> Hardness:
    """Hardness of the paper's Theorem 4 for MaxGapElim, eqs. (21) and (22).

    rho^r_a is the larger of max_j min(Delta_{a,j} / 4, (Delta_max - Delta_{a,j}) / 8), over arms j
    to the right, and (Delta_max - Delta_{a,(1)}) / 8, where (1) is the largest mean: if everything
    to the right of a lies nearer than Delta_max, no helper is needed. It is 0 for the largest gap
    itself, and infinite where there is no arm on that side.

    Parameters
    ----------
    means : array_like, shape (K,)
        True means.
    formula : {"corrected", "printed"}, default "corrected"
        The printed rho^l has Delta_{a,j} and Delta_{a,(K)} where the mirror image of rho^r has
        Delta_{j,a} and Delta_{(K),a}. Those are negative, so no helper ever counts and the printed
        rho^l is (Delta_max + Delta_{(K),a}) / 8, even for the largest gap.

    Raises
    ------
    ValueError
        As `gamma`, and for another `formula`.

    Examples
    --------
    >>> rho([0.0, 0.25, 1.25, 1.75]).right
    array([0.0625, 0.    , 0.0625,    inf])
    """
    _check_formula(formula)
    distance, largest, slack = _distances(means)
    sign = np.array([1.0, -1.0 if formula == "printed" else 1.0])[:, None]
    beyond = distance > slack
    furthest = np.where(beyond, distance, -np.inf).max(axis=2)
    worth = np.minimum(sign[:, None] * distance / 4, (largest - distance) / 8)
    best_helper = np.where(beyond, worth, -np.inf).max(axis=2)
    return _infinite_without(beyond, np.maximum(best_helper, (largest - sign * furthest) / 8))


def one_sided(hardness: Hardness, means: ArrayLike) -> Float:
    """Hardness of the side that the cluster rule looks at, shape (K,): right on top, left below.

    All arms count, (m) and (m + 1) too. `hardness` is `gamma` or `rho` of the same means. A tie for
    the largest gap is a ``ValueError``.

    Examples
    --------
    >>> means = [0.0, 0.25, 1.25, 1.75]
    >>> one_sided(rho(means), means)
    array([    inf, 0.09375, 0.0625 ,     inf])
    """
    top = np.isin(np.arange(len(hardness.right)), list(Problem(means).top))
    return np.where(top, hardness.right, hardness.left)


def suboptimal_arms(means: ArrayLike) -> Integer:
    """Indices, rising, of all arms but (m), (m + 1) and those tied with them.

    Examples
    --------
    >>> suboptimal_arms([0.0, 0.25, 1.25, 1.75])
    array([0, 3])
    """
    problem = Problem(means)
    return np.flatnonzero(problem.arm_gaps < problem.delta_max - rounding(problem.means))


def radius_constant(delta: float, n_arms: int) -> float:
    r"""Smallest alpha of the paper's Remark 1, for the paper's radius c_s.

    The remark asks for an alpha such that, for all x > 0, s >= alpha log(K / (delta x)) / x^2
    implies c_s <= x. The smallest is the largest value of s c_s^2 / log(K / (delta c_s)) over
    s >= 1, which in w = log(4 K s^2 / delta) rises up to w = (e/2) (K / delta)^(3/2), where it is
    4 w / (w - 2). A ``ValueError`` names a `delta` outside (0, 1) or fewer than two arms.

    Examples
    --------
    >>> round(radius_constant(0.1, 24), 4)
    4.0016
    """
    delta = check_delta(delta)
    if not is_whole(n_arms) or n_arms < 2:
        raise ValueError(f"n_arms: a whole number from 2 is needed, got {n_arms!r}")
    peak = np.e / 2 * (n_arms / delta) ** 1.5
    return float(4 / (1 - 2 / peak))


def arm_sample_bounds(
    means: ArrayLike,
    delta: float,
    *,
    policy: str = "MaxGapUCB",
    formula: str = "corrected",
    sigma: float = PAPER_SIGMA,
) -> Float:
    """Samples of each arm, shape (K,), that the theorems allow with probability at least 1 - delta.

    With tau(x) = alpha log(K / (delta x)) / x^2, samples enough for a radius of x, and alpha of
    `radius_constant`:

    - MaxGapElim (Theorem 4): tau(rho_a).
    - MaxGapUCB (Theorem 5): 6 tau(gamma_a) as printed; corrected 3 tau(gamma_a / 4), as its proof
      needs a radius below gamma_a / 4.

    "Corrected" also takes the next whole number above tau, at least one, and the corrected `rho`.
    No theorem bounds the arms of the largest gap: theirs are infinite.

    Parameters
    ----------
    means : array_like, shape (K,)
        True means, with one largest gap.
    delta : float
        Probability of error allowed, inside (0, 1).
    policy : {"MaxGapUCB", "MaxGapElim"}
        Whose theorem.
    formula : {"corrected", "printed"}
        See above.
    sigma : float, default sqrt(1/2)
        Scale of the noise, for the radius "hoeffding". The default makes that the paper's radius.

    Raises
    ------
    ValueError
        Bad `means`, a tie for the largest gap, or another argument that is none of the above.

    Examples
    --------
    >>> arm_sample_bounds([0.0, 0.25, 1.25, 1.75], 0.1, policy="MaxGapElim")
    array([6656.,   inf,   inf, 6656.])
    """
    delta = check_delta(delta)
    _check_formula(formula)
    sigma = checked_number("sigma", sigma, above=0.0)
    problem = Problem(means)
    _ = problem.split_rank  # Refuses a tie: the theorems assume one answer.
    if policy == "MaxGapElim":
        width, factor = rho(means, formula).either, 1
    elif policy == "MaxGapUCB":
        share, factor = (4, 3) if formula == "corrected" else (1, 6)
        width = gamma(means).either / share
    else:
        raise ValueError(f"policy: 'MaxGapUCB' or 'MaxGapElim' is needed, got {policy!r}")
    suboptimal = suboptimal_arms(means)
    x = width[suboptimal] / (np.sqrt(2) * sigma)
    tau = radius_constant(delta, problem.n_arms) * np.log(problem.n_arms / (delta * x)) / x**2
    bounds = np.full(problem.n_arms, np.inf)
    if formula == "corrected":
        tau = np.maximum(np.floor(tau) + 1, 1)
    bounds[suboptimal] = factor * tau
    return bounds


def sample_bound(
    means: ArrayLike,
    delta: float,
    *,
    policy: str = "MaxGapUCB",
    formula: str = "corrected",
    sigma: float = PAPER_SIGMA,
) -> float:
    """H of Theorems 4 and 5: samples that all suboptimal arms together may take.

    The sum of the finite entries of `arm_sample_bounds`, with its parameters and errors; 0 if every
    arm has a part in the largest gap.

    Examples
    --------
    >>> sample_bound([0.0, 0.25, 1.25, 1.75], 0.1, policy="MaxGapElim")
    13312.0
    """
    bounds = arm_sample_bounds(means, delta, policy=policy, formula=formula, sigma=sigma)
    return float(bounds[np.isfinite(bounds)].sum())


def lower_bound(
    epsilon: float,
    delta: float,
    *,
    arm: int = 4,
    sigma: float = 1.0,
    formula: str = "corrected",
) -> float:
    """Expected samples of one arm that any policy right with probability 1 - delta must take.

    For the paper's four-arm instance (Lemma 1) with normal rewards: moving an arm by 2.1 epsilon
    (arm 4) or 1.1 epsilon (arm 1) changes the answer, and a policy that is right on both must
    collect log(1 / (2.4 delta)) of relative entropy. From delta = 1 / 2.4 up that says nothing, and
    the bound is 0.

    Parameters
    ----------
    epsilon, delta : float
        The small spacing of the instance, positive; the probability of error, inside (0, 1).
    arm : {4, 1}, default 4
        The arm by its number in the paper.
    sigma : float, default 1.0
        Standard deviation of the rewards.
    formula : {"corrected", "printed"}, default "corrected"
        The paper's bound for arm 4 is half of what its argument gives: it puts shift^2 where the
        relative entropy at sigma = 1 is half of that. For arm 1 it prints 1 / epsilon^2.

    Raises
    ------
    ValueError
        For an argument that is none of the above.

    Examples
    --------
    >>> round(lower_bound(0.1, 0.05), 1)
    96.2
    """
    delta = check_delta(delta)
    _check_formula(formula)
    epsilon = checked_number("epsilon", epsilon, above=0.0)
    sigma = checked_number("sigma", sigma, above=0.0)
    if arm not in (4, 1):
        raise ValueError(f"arm: the paper bounds arm 4 and arm 1, got {arm!r}")
    if formula == "printed" and arm == 1:
        return float((sigma / epsilon) ** 2)
    needed = max(0.0, -np.log(2.4 * delta))
    shift = (2.1 if arm == 4 else 1.1) * epsilon / sigma
    return float(needed / shift**2 * (1 if formula == "printed" else 2))


def _distances(means: ArrayLike) -> tuple[Float, float, float]:
    """Delta_{a,j} and -Delta_{a,j}, shape (2, K, K); the largest gap; what counts as rounding."""
    problem = Problem(means)
    difference = problem.means[None, :] - problem.means[:, None]
    return np.stack((difference, -difference)), problem.delta_max, rounding(problem.means)


def _infinite_without(candidates: NDArray[np.bool_], values: Float) -> Hardness:
    return Hardness(*np.where(candidates.any(axis=2), values, np.inf))


def _check_formula(formula: str) -> None:
    if formula not in ("corrected", "printed"):
        raise ValueError(f"formula: 'corrected' or 'printed' is needed, got {formula!r}")
