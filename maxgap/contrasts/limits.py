r"""The limit of an instance: how many samples any method needs, as errors become rare.

Write kl for the relative entropy of a coin of chance delta to one of chance 1 - delta. With
normal rewards, a policy that errs with probability at most delta whatever the means takes at least
T*(mu) kl samples on average, and there are policies that need no more in the limit of small
delta (Garivier and Kaufmann 2016). Here

.. math::

    \frac{1}{T^*(\mu)} = \max_w D(w), \qquad
    D(w) = \min_\lambda \sum_a w_a \frac{(\mu_a - \lambda_a)^2}{2 \sigma_a^2},

w are the shares of the samples by arm, and lambda all means with another answer, or just between
two answers. `nearest_alternative` is the inner minimum, exact but for rounding;
`characteristic_time` is the outer maximum, between two bounds that are close.

Why the minimum is a list of small problems
-------------------------------------------
Let mu split the arms into B below and T above. What lambda may be is a union of two kinds.

*Inversions*: some i of T is at or below some j of B. The cheapest way for a pair is to meet in
their weighted average. An arm of weight 0 goes to the other one for nothing, so that the distance
is 0. From here on weights are positive.

*A wide gap in T* (in B: the mirror image): there is a window from x to y, every arm of T is "low",
at or below x, or "high", at or above y, and min_T lambda - max_B lambda <= y - x. Let i be the
lowest of T and j the highest of B. Then

    i is low,   some arm is high,   lambda_i - lambda_j <= y - x.

Conversely, take *any* i of T and j of B for which these three hold. If y < x, lambda_i lies below
lambda_j, an inversion. Else the gap between B and T is no wider than one in T. So the minimum over
lambda, x and y, over all i, j and all choices of the low arms is what is sought. Few choices are
enough. Fix i, j and x <= y. Another arm a of T pays w_a / (2 sigma_a^2) times the square of how far
it must come down to x, or rise to y. Low is cheaper if and only if mu_a lies below the middle of
the window, whatever its weight. So either

- the low arms, i aside, are the first ones by mean; or
- all are better low, i aside too. One must be high nevertheless, and one is enough, so all but one
  are low. *Which* one depends on the weights: an arm of little weight is cheap to move far.

The small problem
-----------------
Let v_a = w_a / (2 sigma_a^2), and let the pull f be half the multiplier of the last condition. Arm
j rises by f / v_j, arm i sinks by f / v_i. The level y starts at the least mean of a high arm,
rises at the rate of 1 / (sum of v of the arms it carries), and carries every high arm that it
meets; x sinks likewise. The excess of lambda_i - lambda_j over y - x falls as f rises: straight
until a level meets an arm, and less steeply after that. Walk from one meeting to the next until the
excess is 0. The cost is twice the area under it.

This leaves out that i is low. If lambda_i ends above x, then lambda_i = x at the optimum, as the
problem is convex: we begin anew with i as one of the arms of the level x, which is pulled twice.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from maxgap._numbers import as_floats
from maxgap.engine.compiled import compiled, inlined
from maxgap.problems import Problem

__all__ = [
    "CharacteristicTime",
    "NearestAlternative",
    "characteristic_time",
    "nearest_alternative",
]

Float = NDArray[np.float64]

#: Relative width of the bracket around T*.
WIDTH = 1e-4
#: Where to look next: this far from the best weights so far to those that the cuts suggest.
STEP = 0.3
#: Give up after so many lines; of the paper's instances Streetview takes most, some 300.
MOST_LINES = 5000
#: Less weight than this, of the largest, is none.
NO_WEIGHT = 1e-200


class NearestAlternative(NamedTuple):
    """The means nearest to the true ones among those with another answer.

    Attributes
    ----------
    distance : float
        Sum of w_a (mu_a - lambda_a)^2 / (2 sigma_a^2): the evidence that one sample, spread over
        the arms as the weights say, brings against these means on average.
    means : ndarray, shape (K,)
        lambda. Between two answers: the gap of the true split ties with another, or is 0.

    Examples
    --------
    >>> nearest_alternative([0.0, 1.0], [0.5, 0.5])
    NearestAlternative(distance=0.125, means=array([0.5, 0.5]))
    """

    distance: float
    means: Float


class CharacteristicTime(NamedTuple):
    """T* of an instance, and how the best method spreads its samples.

    Attributes
    ----------
    value : float
        T*, as the middle of the bracket.
    weights : ndarray, shape (K,)
        Share of the samples by arm. With these, `high` is attained.
    low : float
        T* is at least this, but for rounding.
    high : float
        And at most this; they differ by at most 0.01%.

    Examples
    --------
    >>> time = characteristic_time([0.0, 1.0])
    >>> bool(time.low <= 8 * (1 + 1e-9) and 8 <= time.high * (1 + 1e-9))
    True
    """

    value: float
    weights: Float
    low: float
    high: float


def nearest_alternative(
    means: ArrayLike, weights: ArrayLike, sigma: ArrayLike = 1.0
) -> NearestAlternative:
    """Smallest sum_a w_a (mu_a - lambda_a)^2 / (2 sigma_a^2) over lambda with another answer.

    Parameters
    ----------
    means : array_like, shape (K,)
        True means, with one largest gap.
    weights : array_like, shape (K,)
        Share of the samples by arm, or their numbers: the distance is proportional to them.
    sigma : float or array_like of shape (K,), default 1.0
        Standard deviation of the normal rewards.

    Returns
    -------
    NearestAlternative
        Of several minimisers, one.

    Raises
    ------
    ValueError
        Bad `means` or `sigma`, a tie for the largest gap; weights that are not K finite numbers
        from 0 up, or all of them 0.

    Notes
    -----
    Exact but for rounding. Means between two answers are among the candidates; otherwise there
    would be no nearest.

    Examples
    --------
    Gaps of 1 and 2 must become equal; the middle arm, which is in both, has twice the weight:

    >>> distance, alternative = nearest_alternative([0.0, 1.0, 3.0], [0.25, 0.5, 0.25])
    >>> round(distance, 6)
    0.03125
    >>> alternative.round(6).tolist()
    [-0.25, 1.25, 2.75]
    """
    frame = _Frame(means, sigma)
    checked = _checked_weights(weights, frame.means.size)
    largest = checked.max()
    distance, moved = frame.nearest(checked[frame.order] / largest)
    return NearestAlternative(
        float(distance * (largest / frame.time_scale)),
        frame.by_arm(frame.origin + frame.unit * moved),
    )


def characteristic_time(means: ArrayLike, sigma: ArrayLike = 1.0) -> CharacteristicTime:
    """T*(mu): samples needed in the limit of rare errors, per unit of kl(delta, 1 - delta).

    Parameters
    ----------
    means : array_like, shape (K,)
        True means, with one largest gap.
    sigma : float or array_like of shape (K,), default 1.0
        Standard deviation of the normal rewards.

    Returns
    -------
    CharacteristicTime
        T*, the shares of the samples, and a bracket whose width is at most 0.01%.

    Raises
    ------
    ValueError
        Bad `means` or `sigma`, a tie for the largest gap.
    RuntimeError
        The bracket is still wider after 5,000 alternatives. We know of no such instance.

    Notes
    -----
    Every alternative lambda bounds D(w) from above by a function that is linear in w, a "line". The
    weights that are best for the lines found so far solve a linear program. The nearest alternative
    to weights a part of the way there is the next line, and so on. Any weights w bound T* from
    above by 1 / D(w). Any mixture of lines bounds it from below: for no w is D(w) above its largest
    coefficient. So both ends of the bracket hold however well the solver works.

    D(w) is flat around its maximum: `weights` are some of many that are as good but for 0.01%.

    Where many alternatives are about as near as the nearest, T* kl(delta, 1 - delta) is far below
    what a policy can do at a practical delta.

    Examples
    --------
    Where one contrast c decides, T* = 2 sigma^2 (sum abs(c_a))^2 / (c mu)^2: here 2 (1 + 2 + 1)^2.

    >>> time = characteristic_time([0.0, 1.0, 3.0])
    >>> bool(time.low <= 32 * (1 + 1e-9) and 32 <= time.high * (1 + 1e-9))
    True
    >>> bool(time.high <= 1.0001 * time.low)
    True
    """
    frame = _Frame(means, sigma)
    best = wanted = np.full(frame.means.size, 1 / frame.means.size)
    attained, bound = 0.0, np.inf
    lines: list[Float] = []
    while bound > (1 + WIDTH) * attained:
        if len(lines) >= MOST_LINES:
            raise RuntimeError(
                f"T* was not bracketed after {MOST_LINES} alternatives: it lies between "
                f"{frame.time_scale / bound:g} and {frame.time_scale / attained:g}"
            )
        weights = (1 - STEP) * best + STEP * wanted
        distance, alternative = frame.nearest(weights)
        lines.append(frame.precision * (frame.means - alternative) ** 2)
        if distance > attained:
            attained, best = distance, weights
        # In units of the answer, so that the solver's tolerance is a relative one.
        wanted, new_bound = _best_weights(np.array(lines) / attained)
        bound = min(bound, new_bound * attained)
    high = frame.time_scale / attained
    # By rounding alone the ends of a bracket without width may cross.
    low = min(frame.time_scale / bound, high)
    return CharacteristicTime((low + high) / 2, frame.by_arm(best), low, high)


class _Frame:
    """An instance in its own units: arms by rising mean, the largest gap 1, its lower end 0."""

    def __init__(self, means: ArrayLike, sigma: ArrayLike) -> None:
        problem = Problem(means, sigma)
        self.split = problem.n_arms - problem.split_rank
        self.order = np.argsort(problem.means, kind="stable")
        rising = problem.means[self.order]
        self.origin, self.unit = rising[self.split - 1], problem.delta_max
        sigmas = problem.sigmas[self.order]
        with np.errstate(over="ignore", under="ignore"):
            # T* in these units, times this, is T*.
            self.time_scale = float((sigmas.min() / self.unit) ** 2)
        if not 0 < self.time_scale < np.inf:
            raise ValueError(
                f"means, sigma: too far apart for floats, sigma is {sigmas.min():g} and the "
                f"largest gap {self.unit:g}"
            )
        self.means = (rising - self.origin) / self.unit
        #: 1 / (2 sigma^2); the largest is 1/2.
        self.precision = (sigmas.min() / sigmas) ** 2 / 2

    def nearest(self, weights: Float) -> tuple[float, Float]:
        """Distance to the nearest alternative, and the alternative."""
        v = weights * self.precision
        # What is lost here is less than rounding, and its inverse would overflow.
        v[v < NO_WEIGHT] = 0.0
        distance, i, j, level = _inversion(self.means, v, self.split)
        alternative = self.means.copy()
        alternative[[i, j]] = level
        if distance > 0:
            distance = _wide_gap(self.means, v, self.split, distance, alternative)
            mirrored = -alternative[::-1]
            distance = _wide_gap(
                -self.means[::-1], v[::-1].copy(), v.size - self.split, distance, mirrored
            )
            alternative = -mirrored[::-1]
        return distance, alternative

    def by_arm(self, rising: Float) -> Float:
        """Values by rising mean, put in the order in which the arms were given."""
        values = np.empty_like(rising)
        values[self.order] = rising
        return values


def _best_weights(lines: Float) -> tuple[Float, float]:
    """Weights for which the least of the lines is greatest, and a bound on that of any weights."""
    from scipy.optimize import linprog  # takes longer to load than all of maxgap

    n_lines, n_arms = lines.shape
    found = linprog(
        np.append(np.zeros(n_arms), -1.0),
        A_ub=np.hstack([-lines, np.ones((n_lines, 1))]),
        b_ub=np.zeros(n_lines),
        A_eq=np.append(np.ones(n_arms), 0.0)[None, :],
        b_eq=[1.0],
        bounds=[(0, None)] * n_arms + [(None, None)],
        method="highs",
    )
    if found.status != 0:
        raise RuntimeError(f"the linear program of the weights was not solved: {found.message}")
    mixture = np.maximum(-found.ineqlin.marginals, 0)
    return found.x[:n_arms], float((mixture @ lines).max() / mixture.sum())


@compiled
def _inversion(m: Float, v: Float, split: int) -> tuple[float, int, int, float]:
    """Cheapest meeting of an arm above the split with one below: cost, the two, and where."""
    best, at = np.inf, (split, split - 1)
    for i in range(split, m.size):
        for j in range(split):
            cost = 0.0 if min(v[i], v[j]) == 0 else (m[i] - m[j]) ** 2 / (1 / v[i] + 1 / v[j])
            if cost < best:
                best, at = cost, (i, j)
    i, j = at
    if v[i] == 0:
        return best, i, j, m[j]
    if v[j] == 0:
        return best, i, j, m[i]
    return best, i, j, m[i] + (m[j] - m[i]) * (v[j] / (v[i] + v[j]))


class _Small(NamedTuple):
    """The small problem in which the arms `first` to `last`, i aside, are high."""

    m: Float
    v: Float
    split: int
    i: int
    j: int
    first: int
    last: int


@compiled
def _wide_gap(m: Float, v: Float, split: int, best: float, alternative: Float) -> float:
    """Cheapest way to a gap above the split as wide as that at the split, if below `best`.

    `m` rises; all `v` are positive. `alternative` is written only then.
    """
    last = m.size - 1
    for j in range(split - 1, -1, -1):
        for i in range(split, m.size):
            for first in range(split, m.size):
                # The high arms, i aside: all from `first` up, or that one alone. Where `first` is
                # i, the first is the same as from i + 1 up, and the second is nobody.
                if first == i:
                    continue
                best = _try(_Small(m, v, split, i, j, first, last), best, alternative)
                best = _try(_Small(m, v, split, i, j, first, first), best, alternative)
    return best


@compiled
def _try(small: _Small, best: float, alternative: Float) -> float:
    """Solve a small problem: its cost, if below `best`, and then `alternative`."""
    m, v, split, i, j, first, last = small
    merged = False
    cost, pull, x, y = _walk(small, merged, best)
    if cost < best and m[i] - pull / v[i] > x:
        merged = True
        cost, pull, x, y = _walk(small, merged, best)
    if not cost < best:
        return best
    for b in range(split):
        alternative[b] = m[b]
    alternative[j] = m[j] + pull / v[j]
    for a in range(split, m.size):
        if a == i and not merged:
            alternative[a] = m[a] - pull / v[a]
        elif a != i and first <= a <= last:
            alternative[a] = max(m[a], y)
        else:
            alternative[a] = min(m[a], x)
    return cost


@compiled
def _walk(small: _Small, merged: bool, best: float) -> tuple[float, float, float, float]:
    """Raise the pull until the condition holds: cost, pull, x, y; infinite cost from `best` up.

    `merged`: arm i is part of the level x. Else it sinks alone, perhaps not below x; without other
    low arms x is at infinity, and i must be part of it.
    """
    m, v, split, i, j, first, last = small
    high = _next_high(first, i)
    low = _next_low(m.size - 1, split, i, first, last, merged)
    if low < split:
        return -np.inf, 0.0, -np.inf, m[high]
    y, lifting = m[high], v[high]
    x, pressing = m[low], v[low]
    high = _next_high(high + 1, i)
    low = _next_low(low - 1, split, i, first, last, merged)
    excess = (x if merged else m[i]) + x - m[j] - y
    # Above 0: the arm just below y is one of the two in front, less than the largest gap away; the
    # other one is at least that gap above j.
    cost = pull = 0.0
    while True:
        # What the excess loses by the pull, now and at most from here on.
        alone = 4 / pressing if merged else 1 / pressing + 1 / v[i]
        slope = 1 / v[j] + 1 / lifting + alone
        if not cost + excess * excess / slope < best:
            return np.inf, pull, x, y
        step, event = excess / slope, 0
        if high <= last and (m[high] - y) * lifting < step:
            step, event = (m[high] - y) * lifting, 1
        rate = (2 if merged else 1) / pressing
        if low >= split and (x - m[low]) / rate < step:
            step, event = (x - m[low]) / rate, 2
        cost += step * (2 * excess - step * slope)
        excess -= step * slope
        pull += step
        y += step / lifting
        x -= step * rate
        if event == 0:
            return cost, pull, x, y
        if event == 1:
            y, lifting = m[high], lifting + v[high]
            high = _next_high(high + 1, i)
        else:
            x, pressing = m[low], pressing + v[low]
            low = _next_low(low - 1, split, i, first, last, merged)


@inlined
def _next_high(a: int, i: int) -> int:
    """The first arm from a upwards that is not i."""
    return a + 1 if a == i else a


@inlined
def _next_low(a: int, split: int, i: int, first: int, last: int, merged: bool) -> int:
    """The first low arm from a downwards; below `split` if there is none."""
    while a >= split and (not merged if a == i else first <= a <= last):
        a -= 1
    return a


def _checked_weights(weights: ArrayLike, n_arms: int) -> Float:
    checked = as_floats(weights)
    if checked is None or checked.shape != (n_arms,):
        raise ValueError(f"weights: {n_arms} numbers are needed, one per arm, got {weights!r}")
    if not np.all((checked >= 0) & (checked < np.inf)) or not checked.any():
        raise ValueError(f"weights: finite, from 0 up and not all 0 are needed, got {weights!r}")
    return checked
