"""Confidence radii: the number of samples of an arm -> half-width of its interval.

Each name belongs to a published sequence of radii. A radius *guarantees* delta if all intervals,
of all arms and at all times, hold together with probability at least 1 - delta, whatever the order
of sampling. `guarantees` says for which that is proved, and the table for what rewards:

================  ====================================================  ====================
name              radius after s samples                                proved
================  ====================================================  ====================
"hoeffding"       sigma sqrt(2 log(4 K s^2 / delta) / s)                always
"paper"           sqrt(log(4 K s^2 / delta) / s), whatever sigma is     if sigma^2 <= 1/2
"lil"             (1 + sqrt e) sigma
                  sqrt(2 (1 + e) log(log((1 + e) s) / d) / s)           always
"normal-mixture"  sigma sqrt((1 + r/s) (log(1 + s/r)
                  + 2 log(K / delta)) / s)                              always
"stitched"        1.7 sigma
                  sqrt((log log(2 s) + 0.72 log(10.4 K / delta)) / s)   always
"authors-lil"     1.5 sigma sqrt(2 log(log(5 s / (delta / 5))) / s)     no
================  ====================================================  ====================

In the mixture r = t0 / (2 L + log(1 + 2 L)) with L = log(K / delta) and t0 = 100, near which number
of samples it is narrowest. In "lil" e = 0.01 and
d = log(1 + e) (delta e / (2 K (2 + e)))^(1/(1 + e)).

"Always" means for rewards whose noise is sigma-sub-Gaussian given the arm's rewards before it:
normal noise of standard deviation sigma, or rewards in [a, b] with sigma = (b - a) / 2. Every arm
may err with probability delta / K, of its own rewards in their order: it does not matter when they
are sampled, so the intervals of all arms hold together under every policy.

"empirical-bernstein" (Howard et al. 2021, Theorem 4) is no radius, for it looks at the rewards and
not only at their number. It is for rewards in a range [a, b] of which sigma is half the width. It
is centred at the mean, the narrower the less the rewards vary, and is proved whatever their
distribution, as long as an arm's rewards keep their mean, given those before. Where they vary as
much as the range permits, "normal-mixture" is narrower up to 10,000 samples of an arm and more.

The proofs, and why each takes a range or a sigma, are in the book's chapter on confidence at all
times.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from maxgap._numbers import as_float, as_floats, is_whole
from maxgap.engine.elementary import log, log_of_array

__all__ = ["FROM_REWARDS", "RADII", "guarantees", "radius"]

LIL_EPSILON = 0.01
"""Jamieson et al. leave epsilon free; this is the value of their experiments."""

MIXTURE_T0 = 100
"""The normal mixture is tuned to be narrowest near this many samples."""

BERNSTEIN_LARGEST = 0.6
"""The largest bet of the empirical Bernstein intervals: larger ones only help below 20 samples."""

Float = NDArray[np.float64]
RadiusFunction = Callable[..., ArrayLike]


class _Radius(NamedTuple):
    """A formula at sigma 1, the largest sigma it is proved for, and whether it grows with sigma."""

    formula: Callable[..., Float]
    proved_to: float = 0.0
    grows_with_sigma: bool = True


def _hoeffding(n: Float, *, delta: float, n_arms: int) -> Float:
    """Hoeffding at each s with error delta / (2 K s^2), summed over s: at most 0.83 delta / K."""
    # Logarithms are taken apart: no square of a count is formed, and a tiny delta is no trouble.
    return np.sqrt(2 * (log(4.0 * n_arms) - log(delta) + 2 * log_of_array(n)) / n)


def _paper(n: Float, *, delta: float, n_arms: int) -> Float:
    """Katariya et al. 2019, eq. (5), literally: the Hoeffding radius at sigma^2 = 1/2."""
    return np.sqrt((log(4.0 * n_arms) - log(delta) + 2 * log_of_array(n)) / n)


def _lil(n: Float, *, delta: float, n_arms: int) -> Float:
    """Jamieson, Malloy, Nowak and Bubeck 2014, Lemma 3, both sides, all arms.

    The lemma's one-sided error is (2 + e)/e (d / log(1 + e))^(1 + e). The d that makes it
    delta / (2 K) lies below log(1 + e) / e, as the lemma asks, for every delta in (0, 1).
    """
    e = LIL_EPSILON
    log_d = log(log(1 + e)) + (log(delta) + log(e / (2 * n_arms * (2 + e)))) / (1 + e)
    iterated = log_of_array(log_of_array((1 + e) * n)) - log_d
    return (1 + math.sqrt(e)) * np.sqrt(2 * (1 + e) * iterated / n)


def _normal_mixture(n: Float, *, delta: float, n_arms: int) -> Float:
    """Robbins 1970; Howard et al. 2021, eq. (14): two-sided, error delta / K for each arm.

    r as in their Section 3.5.
    """
    log_inverse = log(float(n_arms)) - log(delta)
    r = MIXTURE_T0 / (2 * log_inverse + log(1 + 2 * log_inverse))
    return np.sqrt((1 + r / n) * (log_of_array(1 + n / r) + 2 * log_inverse) / n)


def _stitched(n: Float, *, delta: float, n_arms: int) -> Float:
    """Howard et al. 2021, eq. (2): two-sided, error delta / K for each arm.

    1.7, 0.72 and 10.4 = 2 x 5.2 are the constants of their Theorem 1 at eta = 2, s = 1.4, m = 1,
    each rounded up.
    """
    iterated = log_of_array(log_of_array(2 * n))
    return 1.7 * np.sqrt((iterated + 0.72 * (log(10.4 * n_arms) - log(delta))) / n)


def _authors_lil(n: Float, *, delta: float, n_arms: int) -> Float:
    """Radius of the published scripts, no valid family: no K, and delta inside both logarithms.

    Source: ``calculate_ci`` in https://github.com/sumeetsk/maxgap_bandit, commit 34dbf4d. Since
    25 s / delta > e it is defined for every delta in (0, 1).
    """
    return 1.5 * np.sqrt(2 * log_of_array(log_of_array(25 * n) - log(delta)) / n)


_RADII: dict[str, _Radius] = {
    "hoeffding": _Radius(_hoeffding, proved_to=math.inf),
    # sqrt(0.5) squared lies above 0.5 by one rounding.
    "paper": _Radius(_paper, proved_to=math.sqrt(0.5 * (1 + 1e-12)), grows_with_sigma=False),
    "lil": _Radius(_lil, proved_to=math.inf),
    "normal-mixture": _Radius(_normal_mixture, proved_to=math.inf),
    "stitched": _Radius(_stitched, proved_to=math.inf),
    "authors-lil": _Radius(_authors_lil),
}

RADII = tuple(_RADII)
"""Names of the radii."""

FROM_REWARDS = ("empirical-bernstein",)
"""Names of the intervals that look at the rewards themselves; all are proved."""


def bernstein_lines(log_inverse: float) -> Float:
    """How far a sum can be from its expectation, as the least of lines in the squares.

    For rewards in a range of width 1. The curve u of the book's chapter on confidence at all times,
    a mixture over finitely many bets (Howard et al. 2021, Theorem 4): with log_inverse =
    log(2 K / delta), the sum exceeds u of the squared errors at any time with probability at most
    delta / (2 K). As u is concave it lies below its tangents, which touch at 0.25, 0.375, ..., each
    half as far again. Returns intercepts and slopes, shape (2, 60), rounded up to ten digits.
    """
    bets = BERNSTEIN_LARGEST * 0.8 ** np.arange(40)
    psi = -np.log1p(-bets) - bets
    log_weights = -1.1 * np.log(np.arange(1, 41))
    log_weights -= np.log(np.exp(log_weights).sum())
    squares = 0.25 * 1.5 ** np.arange(60)
    # One bet alone gives a bound; from there Newton's steps for a convex function go down to u.
    sums = ((log_inverse - log_weights + np.outer(squares, psi)) / bets).min(axis=1)
    excess = np.zeros_like(sums)
    for _ in range(60):
        sums = sums - excess
        exponents = log_weights + np.outer(sums, bets) - np.outer(squares, psi)
        highest = exponents.max(axis=1)
        shares = np.exp(exponents - highest[:, None])
        total = shares.sum(axis=1)
        excess = np.maximum(highest + np.log(total) - log_inverse, 0) * total / (shares @ bets)
    slopes = (shares @ psi) / (shares @ bets)
    lines = np.array([sums - slopes * squares, slopes])
    digits = 10.0 ** (9 - np.floor(np.log10(np.abs(lines))))
    return np.ceil(lines * digits) / digits


def from_rewards(name: str | RadiusFunction) -> bool:
    """Whether intervals of this name look at the rewards themselves."""
    return isinstance(name, str) and name in FROM_REWARDS


def radius_rows(name: str | RadiusFunction, sigmas: Float) -> tuple[Float, NDArray[np.intp], Float]:
    """How to keep the radii of arms with these sigmas, shape (K,), in a table.

    Returns the sigmas of the rows, the row of each arm and the factor by which that arm multiplies
    its row. One row serves all arms unless the radius is a function, of which nothing is known.
    """
    if isinstance(name, str):
        grows = from_rewards(name) or _RADII[name].grows_with_sigma
        factors = sigmas if grows else np.ones_like(sigmas)
        return np.ones(1), np.zeros(sigmas.size, dtype=np.intp), factors
    rows, row = np.unique(sigmas, return_inverse=True)
    return rows, row, np.ones_like(sigmas)


def radius(
    name: str | RadiusFunction,
    n: ArrayLike,
    *,
    delta: float,
    n_arms: int,
    sigma: ArrayLike = 1.0,
) -> Float:
    """Half-width of the confidence interval of an arm after `n` samples.

    Parameters
    ----------
    name : str or callable
        One of `RADII`, or a function called as ``name(n, delta=delta, n_arms=n_arms, sigma=sigma)``
        with `n` and `sigma` float arrays of one shape, every ``n >= 1``; it returns an array of
        that shape, free of NaN and negative numbers.
    n : array_like of int
        Samples taken, 0 or more; whole numbers in floating point are accepted.
    delta : float
        Probability of error allowed over all arms and all times, inside (0, 1).
    n_arms : int
        Number of arms, K, among which `delta` is shared.
    sigma : array_like, default 1.0
        Scale of the noise, in the rewards' units, of a shape that broadcasts against that of `n`.

    Returns
    -------
    float or ndarray
        Half-widths in the rewards' units, in the broadcast shape; infinite where `n` is 0.

    Raises
    ------
    ValueError
        An argument or a callable's result that is not as above.

    Examples
    --------
    >>> radius("normal-mixture", 100, delta=0.1, n_arms=3, sigma=[0.1, 1, 5]).round(3)
    array([0.032, 0.318, 1.59 ])
    """
    if from_rewards(name):
        raise ValueError(f"name: {name!r} depends on the rewards; policies have it, as confidence")
    if not callable(name) and not (isinstance(name, str) and name in RADII):
        raise ValueError(f"name: one of {', '.join(RADII)} or a function is needed, got {name!r}")
    delta = check_delta(delta)
    if not is_whole(n_arms) or n_arms < 1:
        raise ValueError(f"n_arms: a whole number from 1 is needed, got {n_arms!r}")
    # Floating point before any arithmetic: the square of 50,000 does not fit 32 bits.
    counts, sigmas = as_floats(n), check_sigma(sigma)
    if counts is None or not np.all(
        np.isfinite(counts) & (counts >= 0) & (counts == np.floor(counts))
    ):
        raise ValueError(f"n: whole numbers from 0 are needed, got {n!r}")
    try:
        counts, sigmas = np.broadcast_arrays(counts, sigmas)
    except ValueError:
        raise ValueError(
            f"sigma: shape {sigmas.shape} does not go with n of shape {counts.shape}, got {sigma!r}"
        ) from None
    unsampled = counts == 0
    taken = np.where(unsampled, 1.0, counts)
    if callable(name):
        half_width = np.asarray(name(taken, delta=delta, n_arms=n_arms, sigma=sigmas))
        if half_width.shape != counts.shape:
            raise ValueError(f"name: {name!r} gave shape {half_width.shape}, not {counts.shape}")
        if half_width.dtype.kind not in "iuf" or not np.all(half_width >= 0):
            raise ValueError(f"name: {name!r} gave a value that is no radius: {half_width!r}")
    else:
        half_width = _RADII[name].formula(taken, delta=delta, n_arms=n_arms)
        if _RADII[name].grows_with_sigma:
            half_width = sigmas * half_width
    return np.where(unsampled, np.inf, half_width)[()]


def guarantees(name: str | RadiusFunction, sigma: ArrayLike = 1.0) -> bool:
    """Whether all intervals are proved to hold together with probability at least 1 - delta.

    For noise that is sigma-sub-Gaussian given the arm's rewards before it (for `FROM_REWARDS`:
    rewards in a range of width 2 sigma), and a mean that stays; for any number of arms, any order
    of sampling and any time of stopping. Nothing is known of a callable: no.

    Parameters
    ----------
    name : str or callable
        As for `radius`, or one of `FROM_REWARDS`.
    sigma : array_like, default 1.0
        Scale of the noise, one number or one per arm. Only "paper" depends on it: its argument
        needs sigma^2 <= 1/2 for every arm.

    Raises
    ------
    ValueError
        Unknown `name`, or a `sigma` that is not positive and finite.

    Examples
    --------
    >>> guarantees("paper", 0.5), guarantees("paper", 1.0), guarantees("authors-lil")
    (True, False, False)
    """
    sigmas = check_sigma(sigma)
    if callable(name):
        return False
    if name in FROM_REWARDS:
        return True
    if name not in RADII:
        known = ", ".join((*RADII, *FROM_REWARDS))
        raise ValueError(f"name: one of {known} or a function is needed, got {name!r}")
    return bool(np.all(sigmas <= _RADII[name].proved_to))


def check_delta(delta: object) -> float:
    """Return `delta` as a float, or raise ``ValueError`` unless it is one number inside (0, 1)."""
    number = as_float(delta)
    if number is None or not 0 < number < 1:
        raise ValueError(f"delta: a number inside (0, 1) is needed, got {delta!r}")
    return number


def check_sigma(sigma: ArrayLike) -> Float:
    """Return `sigma` as a float array, or raise ``ValueError`` unless all positive and finite."""
    array = as_floats(sigma)
    if array is None or not np.all((array > 0) & np.isfinite(array)):
        raise ValueError(f"sigma: positive finite numbers are needed, got {sigma!r}")
    return array
