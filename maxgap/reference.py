"""The paper's gap bounds, line by line: slow, obvious, and an oracle for the fast ones.

Nothing here shares code with the rest of the package, so that a test that holds the two equal
means something. Three independent roads lead to the upper bounds: the paper's procedure (Algorithm
4), its mixed integer programme (equations 14 to 17), and a brute force over configurations that
uses neither.

Equation, lemma and algorithm numbers are the paper's, counted through its appendices. "Right"
always means towards larger means. Arms are numbered 0 to K - 1.
"""

import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "GapBounds",
    "GapLowerBound",
    "LemmaCheck",
    "LevelSets",
    "NoiseFreeGap",
    "RunRecord",
    "attaining_configuration",
    "early_stop_as_printed",
    "early_stop_as_worded",
    "gap_lower_bound",
    "gap_upper_bounds",
    "gap_upper_bounds_brute",
    "gap_upper_bounds_mip",
    "largest_gap_noise_free",
    "left_gap_at",
    "lemma_checks",
    "level_sets",
    "record_run",
    "right_gap_arms",
    "right_gap_at",
]

Vector = NDArray[np.float64]

# A brute force over more configurations than this would need gigabytes.
_MOST_CONFIGURATIONS = 1_000_000


class GapBounds(NamedTuple):
    """Upper bounds on every arm's right and left gap, in rewards' units.

    Attributes
    ----------
    right, left : ndarray, shape (K,)
        Upper bounds on the gaps towards larger and towards smaller means; never negative.

    Examples
    --------
    >>> bounds = GapBounds(right=np.array([2.0, 0.5]), left=np.array([0.0, 1.5]))
    >>> bounds.either.tolist()
    [2.0, 1.5]
    """

    right: Vector
    left: Vector

    @property
    def either(self) -> Vector:
        """Upper bound on every arm's gap, the larger of its two; shape (K,)."""
        return np.maximum(self.right, self.left)


class GapLowerBound(NamedTuple):
    """Lower bound on the largest gap, and the split that gives it.

    Attributes
    ----------
    value : float
        In rewards' units. Not positive when the intervals separate no two clusters.
    split_rank : int
        How many arms, counted from the largest empirical mean, lie above the split.

    Examples
    --------
    >>> bound = gap_lower_bound([0.0, 1.0], lower=[-0.1, 0.8], upper=[0.1, 1.2])
    >>> round(bound.value, 3), bound.split_rank
    (0.7, 1)
    """

    value: float
    split_rank: int


class LevelSets(NamedTuple):
    """The arms relevant to one arm's right gap, as three disjoint sets of arm numbers.

    Examples
    --------
    >>> sets = LevelSets(frozenset({0}), frozenset({1, 2}), frozenset())
    >>> sorted(sets.level0 | sets.level1 | sets.level2)
    [0, 1, 2]
    """

    level0: frozenset[int]
    level1: frozenset[int]
    level2: frozenset[int]


class NoiseFreeGap(NamedTuple):
    """The largest gap among known numbers, and the two numbers on either side of it.

    Examples
    --------
    >>> found = largest_gap_noise_free([1.0, 7.0, 2.0, 6.5])
    >>> found.gap, found.below, found.above
    (4.5, 2.0, 6.5)
    """

    gap: float
    below: float
    above: float


# The largest gap of one arm at a known position: Figure 3, equations (7) and (18).


def right_gap_at(arm: int, x: float, lower: ArrayLike, upper: ArrayLike) -> float:
    """Return the largest possible right gap of `arm` if its mean is `x`.

    Equation (7), and Lemma 2 for its proof. If some arms cannot lie at or below `x`, the smallest
    of their upper ends closes the gap, and all others step aside to the left. If every arm can, the
    one with the largest upper end goes there alone. Where no arm can lie above `x`, the printed
    formula is not positive; the gap is 0 then, by the convention that opens Lemma 2.

    Parameters
    ----------
    arm : int
        The arm, 0 to K - 1.
    x : float
        Its mean; inside its interval.
    lower, upper : array_like, shape (K,)
        Ends of the intervals of the means, in rewards' units. Infinite ends are allowed.

    Returns
    -------
    float
        At least 0, in rewards' units.

    Raises
    ------
    ValueError
        If the intervals, the arm or its position are unusable.

    Examples
    --------
    Arm 2 cannot lie at or below 0.5, so it closes the gap at its upper end:

    >>> right_gap_at(0, 0.5, lower=[0, 0, 1], upper=[1, 4, 3])
    2.5

    From 1 on, both other arms can, and arm 1 alone goes right:

    >>> right_gap_at(0, 1.0, lower=[0, 0, 1], upper=[1, 4, 3])
    3.0
    """
    lower, upper = _checked_intervals(lower, upper)
    arm = _checked_arm(arm, len(lower))
    return _right_gap_at(arm, _checked_position(arm, x, lower, upper), lower, upper)


def left_gap_at(arm: int, x: float, lower: ArrayLike, upper: ArrayLike) -> float:
    """Return the largest possible left gap of `arm` if its mean is `x`.

    Equation (18), the mirror image of `right_gap_at`; parameters, errors and the convention of 0
    where no arm can lie below `x` are the same.

    Examples
    --------
    >>> left_gap_at(2, 2.5, lower=[0, -1, 1], upper=[1, 4, 3])
    2.5
    >>> left_gap_at(2, 1.0, lower=[0, -1, 1], upper=[1, 4, 3])
    2.0
    """
    lower, upper = _checked_intervals(lower, upper)
    arm = _checked_arm(arm, len(lower))
    return _left_gap_at(arm, _checked_position(arm, x, lower, upper), lower, upper)


def _right_gap_at(arm: int, x: float, lower: Vector, upper: Vector) -> float:
    cannot_go_left = lower > x
    if cannot_go_left.any():
        return float(upper[cannot_go_left].min() - x)
    furthest = upper[np.arange(len(upper)) != arm].max()
    return float(furthest - x) if furthest > x else 0.0


def _left_gap_at(arm: int, x: float, lower: Vector, upper: Vector) -> float:
    cannot_go_right = upper < x
    if cannot_go_right.any():
        return float(x - lower[cannot_go_right].max())
    furthest = lower[np.arange(len(lower)) != arm].min()
    return float(x - furthest) if furthest < x else 0.0


# The upper bounds of all arms, three ways.


def gap_upper_bounds(lower: ArrayLike, upper: ArrayLike) -> GapBounds:
    """Return upper bounds on every arm's gaps by the paper's procedure.

    Algorithm 4 as it stands, with its index in line 4 read as i (it prints j). An arm's right gap
    is largest when the arm sits at some lower end inside its interval (Lemma 4), so the bound is
    the maximum of `right_gap_at` over those. One arm takes O(K^2), all of them O(K^3).

    Parameters
    ----------
    lower, upper : array_like, shape (K,)
        Ends of the intervals of the means, in rewards' units. Infinite ends are allowed.

    Returns
    -------
    GapBounds
        With `.right`, `.left` and their maximum `.either`, each of shape (K,).

    Raises
    ------
    ValueError
        If the intervals are unusable.

    Examples
    --------
    >>> bounds = gap_upper_bounds(lower=[0, 2, 5], upper=[1, 3, 6])
    >>> bounds.right
    array([3., 4., 0.])
    >>> bounds.left
    array([0., 3., 4.])
    >>> bounds.either
    array([3., 4., 4.])
    """
    lower, upper = _checked_intervals(lower, upper)
    n_arms = len(lower)
    right = np.zeros(n_arms)
    left = np.zeros(n_arms)
    for a in range(n_arms):
        for i in range(n_arms):
            if lower[a] <= lower[i] <= upper[a]:
                right[a] = max(right[a], _right_gap_at(a, lower[i], lower, upper))
            if lower[a] <= upper[i] <= upper[a]:
                left[a] = max(left[a], _left_gap_at(a, upper[i], lower, upper))
    return GapBounds(right, left)


def gap_upper_bounds_mip(lower: ArrayLike, upper: ArrayLike) -> GapBounds:
    """Return upper bounds on every arm's gaps by the paper's mixed integer programme.

    Equations (14) to (17), solved by HiGHS for every ordered pair of an arm and its neighbour. A
    binary z_i says on which side of the gap arm i lies. Left gaps come from the mirror image. The
    "large number" M is the distance between the smallest lower and the largest upper end: no two
    means can be further apart, so a larger M would admit nothing more.

    HiGHS holds constraints to within 1e-6, an absolute tolerance, so the intervals are moved
    and scaled to fill [0, 1]. Values agree with `gap_upper_bounds` to about 1e-6 of the whole span,
    as long as no two ends differ by less than that without being equal.

    Parameters
    ----------
    lower, upper : array_like, shape (K,)
        Ends of the intervals of the means, in rewards' units; finite.

    Returns
    -------
    GapBounds
        With `.right`, `.left` and `.either`, each of shape (K,).

    Raises
    ------
    ValueError
        If the intervals are unusable.
    RuntimeError
        If HiGHS neither solves a programme nor finds it infeasible.

    Examples
    --------
    >>> bounds = gap_upper_bounds_mip(lower=[0, 2, 5], upper=[1, 3, 6])
    >>> bounds.right.round(5)
    array([3., 4., 0.])
    >>> bounds.left.round(5)
    array([0., 3., 4.])
    """
    lower, upper = _checked_intervals(lower, upper, finite=True)
    return GapBounds(_right_bounds_mip(lower, upper), _right_bounds_mip(-upper, -lower))


def _right_bounds_mip(lower: Vector, upper: Vector) -> Vector:
    n_arms = len(lower)
    start, span = lower.min(), upper.max() - lower.min()
    if span == 0:
        return np.zeros(n_arms)
    scaled_lower, scaled_upper = (lower - start) / span, (upper - start) / span
    right = np.zeros(n_arms)
    for a in range(n_arms):
        for b in range(n_arms):
            if a != b:
                gap = _right_gap_to_mip(a, b, scaled_lower, scaled_upper)
                right[a] = max(right[a], span * gap)
    return right


def _right_gap_to_mip(a: int, b: int, lower: Vector, upper: Vector) -> float:
    """Return the largest gap from arm a up to its neighbour b, -inf if b cannot be that."""
    # Here, because it is slow to import and few need it.
    from scipy.optimize import Bounds, LinearConstraint, milp

    n_arms = len(lower)
    big_m = 1.0  # the intervals fill [0, 1]
    # The variables are mu_1 ... mu_K, z_1 ... z_K; z_a and z_b appear in no constraint.
    objective = np.zeros(2 * n_arms)
    objective[b], objective[a] = -1.0, 1.0  # milp minimises
    rows, limits = [], []
    for i in range(n_arms):
        if i in (a, b):
            continue
        row = np.zeros(2 * n_arms)  # (17a): mu_i <= mu_a + M (1 - z_i)
        row[i], row[a], row[n_arms + i] = 1.0, -1.0, big_m
        rows.append(row)
        limits.append(big_m)
        row = np.zeros(2 * n_arms)  # (17b): mu_i >= mu_b - M z_i
        row[i], row[b], row[n_arms + i] = -1.0, 1.0, -big_m
        rows.append(row)
        limits.append(0.0)
    result = milp(
        objective,
        integrality=np.repeat([0, 1], n_arms),
        bounds=Bounds(np.append(lower, np.zeros(n_arms)), np.append(upper, np.ones(n_arms))),
        constraints=LinearConstraint(np.array(rows), ub=np.array(limits)) if rows else None,
        options={"mip_rel_gap": 0.0},
    )
    if result.status == 2:  # infeasible: some arm always lies between a and b
        return -math.inf
    if not result.success:
        raise RuntimeError(f"HiGHS did not solve the programme of arms {a}, {b}: {result.message}")
    return float(-result.fun)


def gap_upper_bounds_brute(lower: ArrayLike, upper: ArrayLike) -> GapBounds:
    """Return upper bounds on every arm's gaps by trying configurations of the means.

    Every mean is placed at every end, of any arm's interval, that its own interval contains; each
    arm's gaps are read off each configuration, and the largest kept. The arms tied with an arm do
    not close its gap: the right gap runs to the nearest strictly larger mean, and is 0 if none is.

    That grid suffices. Fix an arm a, its right neighbour b and which other arms lie at or below a
    (the rest lie at or above b). Maximising mu_b - mu_a is then a linear programme, whose
    constraints are bounds on single means and on differences of two. At a vertex every mean is
    tied, through differences equal to 0, to a mean that sits at an end of its interval: so it
    equals some end, and lies inside its own interval. All the sets are closed and bounded, so the
    maximum is attained at a vertex. If it is positive, nothing lies strictly between a and b there,
    and it is the gap of a; otherwise the bound is 0, since no gap is smaller.

    Parameters
    ----------
    lower, upper : array_like, shape (K,)
        Ends of the intervals of the means, in rewards' units; finite. The number of configurations
        grows as (2 K)^K: K <= 5 is practical.

    Returns
    -------
    GapBounds
        With `.right`, `.left` and `.either`, each of shape (K,).

    Raises
    ------
    ValueError
        If the intervals are unusable, or there are more than a million configurations.

    Examples
    --------
    >>> gap_upper_bounds_brute(lower=[0, 2, 5], upper=[1, 3, 6]).right
    array([3., 4., 0.])
    """
    lower, upper = _checked_intervals(lower, upper, finite=True)
    ends = np.unique(np.append(lower, upper))
    places = [ends[(low <= ends) & (ends <= high)] for low, high in zip(lower, upper, strict=True)]
    n_configurations = math.prod(len(place) for place in places)
    if n_configurations > _MOST_CONFIGURATIONS:
        raise ValueError(
            f"lower and upper give {n_configurations} configurations of {len(lower)} arms, "
            f"more than {_MOST_CONFIGURATIONS}"
        )
    means = np.stack([axis.ravel() for axis in np.meshgrid(*places, indexing="ij")], axis=1)
    right = np.zeros(len(lower))
    left = np.zeros(len(lower))
    for a in range(len(lower)):
        rise = means - means[:, [a]]
        to_right = np.where(rise > 0, rise, np.inf).min(axis=1)
        to_left = np.where(rise < 0, -rise, np.inf).min(axis=1)
        right[a] = np.where(np.isfinite(to_right), to_right, 0.0).max()
        left[a] = np.where(np.isfinite(to_left), to_left, 0.0).max()
    return GapBounds(right, left)


# What attains a bound.


def attaining_configuration(
    arm: int, lower: ArrayLike, upper: ArrayLike, side: str = "right"
) -> Vector:
    """Return means, inside their intervals, under which a gap of `arm` equals its upper bound.

    The construction in the proofs of Lemma 2 and Theorem 3, in the wording of Figure 3: arms that
    can go to the left of `arm` go to their lower ends, the others to their upper ends; if all can,
    the one with the largest upper end goes there and the rest left. (The proof of Lemma 2 sends
    every arm with an upper end above the position right and every arm with a lower end below it
    left, which is both for an interval around it.)

    Parameters
    ----------
    arm : int
        The arm, 0 to K - 1.
    lower, upper : array_like, shape (K,)
        Ends of the intervals of the means, in rewards' units; finite, since an infinite bound
        is not attained.
    side : {"right", "left"}
        Which gap.

    Returns
    -------
    ndarray, shape (K,)
        The means. They are checked to lie in their intervals.

    Raises
    ------
    ValueError
        If the intervals, the arm or the side are unusable.

    Examples
    --------
    >>> attaining_configuration(0, lower=[0, 0, 1], upper=[1, 4, 3])
    array([0., 0., 3.])
    >>> attaining_configuration(2, lower=[0, 0, 1], upper=[1, 4, 3], side="left")
    array([0., 4., 3.])
    """
    lower, upper = _checked_intervals(lower, upper, finite=True)
    arm = _checked_arm(arm, len(lower))
    if side == "right":
        means = _right_attaining(arm, lower, upper)
    elif side == "left":
        means = -_right_attaining(arm, -upper, -lower)
    else:
        raise ValueError(f"side must be 'right' or 'left', not {side!r}")
    if not ((lower <= means) & (means <= upper)).all():
        raise AssertionError(f"means {means} left their intervals [{lower}, {upper}]")
    return means


def _right_attaining(arm: int, lower: Vector, upper: Vector) -> Vector:
    x = _best_position(arm, lower, upper)
    cannot_go_left = lower > x
    means = np.where(cannot_go_left, upper, lower)
    if not cannot_go_left.any():
        furthest = _furthest_other(arm, upper)
        means[furthest] = upper[furthest]
    means[arm] = x
    return means


def _best_position(arm: int, lower: Vector, upper: Vector) -> float:
    """Return the lower end in the arm's interval at which its right gap is largest."""
    places = lower[(lower[arm] <= lower) & (lower <= upper[arm])]
    return float(max(places, key=lambda x: _right_gap_at(arm, x, lower, upper)))


def _furthest_other(arm: int, upper: Vector) -> int:
    others = [j for j in range(len(upper)) if j != arm]
    return max(others, key=lambda j: upper[j])


def right_gap_arms(arm: int, lower: ArrayLike, upper: ArrayLike) -> tuple[int, int] | None:
    """Return the two arms whose ends make the upper bound of the right gap of `arm`.

    The arms i_l and i_r of the paper's Section "Sample Complexity of MaxGapUCB": the bound is
    ``upper[i_r] - lower[i_l]``. Of several, the lowest-numbered are returned.

    Parameters
    ----------
    arm : int
        The arm, 0 to K - 1.
    lower, upper : array_like, shape (K,)
        Ends of the intervals of the means, in rewards' units. Infinite ends are allowed.

    Returns
    -------
    tuple of int, or None
        (i_l, i_r); None when the bound is 0 because no arm can lie to the right of `arm`.

    Raises
    ------
    ValueError
        If the intervals or the arm are unusable.

    Examples
    --------
    >>> right_gap_arms(0, lower=[0, 2, 5], upper=[1, 3, 6])
    (0, 1)
    >>> right_gap_arms(2, lower=[0, 2, 5], upper=[1, 3, 6]) is None
    True
    """
    lower, upper = _checked_intervals(lower, upper)
    arm = _checked_arm(arm, len(lower))
    x = _best_position(arm, lower, upper)
    cannot_go_left = np.flatnonzero(lower > x)
    if cannot_go_left.size:
        closing = int(cannot_go_left[np.argmin(upper[cannot_go_left])])
    else:
        closing = _furthest_other(arm, upper)
        if upper[closing] <= x:
            return None
    return int(np.flatnonzero(lower == x)[0]), closing


def level_sets(arm: int, lower: ArrayLike, upper: ArrayLike) -> LevelSets:
    """Return the level 0, 1 and 2 arms of `arm`: those relevant to its right gap.

    Equations (31) to (33). Level 0: upper end inside the arm's interval, below its upper end.
    Level 1: interval contains the arm's upper end, so the arm itself is one. Level 2: interval
    wholly to the right, and none of those ends before it begins. The lower end of the arm's largest
    right gap belongs to a level 0 or 1 arm (35), its upper end to an arm of any of the three (Lemma
    10).

    Parameters
    ----------
    arm : int
        The arm, 0 to K - 1.
    lower, upper : array_like, shape (K,)
        Ends of the intervals of the means, in rewards' units. Infinite ends are allowed.

    Returns
    -------
    LevelSets
        Three disjoint frozensets of arm numbers. Arms in none of them do not matter.

    Raises
    ------
    ValueError
        If the intervals or the arm are unusable.

    Examples
    --------
    >>> levels = level_sets(1, lower=[0, 1, 2, 5, 6, 9], upper=[2, 3, 4, 7, 8, 10])
    >>> [sorted(level) for level in levels]
    [[0], [1, 2], [3, 4]]
    """
    lower, upper = _checked_intervals(lower, upper)
    arm = _checked_arm(arm, len(lower))
    right_of_arm = lower > upper[arm]
    nearest_end = upper[right_of_arm].min() if right_of_arm.any() else -np.inf
    level0 = (lower[arm] <= upper) & (upper < upper[arm])
    level1 = (lower <= upper[arm]) & (upper[arm] <= upper)
    level2 = right_of_arm & (lower <= nearest_end)
    return LevelSets(*(frozenset(np.flatnonzero(a).tolist()) for a in (level0, level1, level2)))


# The lemmas of the proof for MaxGapUCB, checked on recorded runs.


class RunRecord(NamedTuple):
    """A run of a policy, decision by decision.

    Attributes
    ----------
    lower, upper : ndarray, shape (T, K)
        Ends of the intervals at each of T decisions, in rewards' units.
    sampled : ndarray of bool, shape (T, K)
        The arms that the decision then samples.

    Examples
    --------
    >>> ends = np.array([[0.0, 1.0]])
    >>> record = RunRecord(ends - 0.5, ends + 0.5, np.array([[True, False]]))
    >>> (record.upper - record.lower).tolist(), record.sampled.tolist()
    ([[1.0, 1.0]], [[True, False]])
    """

    lower: Vector
    upper: Vector
    sampled: NDArray[np.bool_]


class LemmaCheck(NamedTuple):
    """How often a statement was put to the test, and how often it failed.

    Examples
    --------
    >>> check = LemmaCheck(cases=1000, failures=0)
    >>> check.failures / check.cases
    0.0
    """

    cases: int
    failures: int


def record_run(
    policy: Any, draw: Callable[[NDArray[np.intp]], ArrayLike], rounds: int
) -> RunRecord:
    """Run a policy and keep what it saw and did, once every arm has been sampled.

    Parameters
    ----------
    policy : policy with ``ask`` and ``tell``
        Fresh, its arms labelled 0 to K - 1; it must not stop.
    draw : callable
        Takes an array of arms, returns one reward for each.
    rounds : int
        Number of decisions to keep, T, at least 1.

    Returns
    -------
    RunRecord

    Raises
    ------
    ValueError
        If `rounds` is not positive, or the policy stops.

    Examples
    --------
    >>> import numpy as np
    >>> from maxgap import MaxGapUCB
    >>> policy = MaxGapUCB(3, sigma=0.1, nested=True, stopping=None)
    >>> record = record_run(policy, lambda arms: np.array([0.0, 0.2, 3.0])[arms], rounds=100)
    >>> record.sampled.shape
    (100, 3)
    """
    if isinstance(rounds, bool) or not isinstance(rounds, int | np.integer) or rounds < 1:
        raise ValueError(f"rounds must be a positive whole number, not {rounds!r}")
    lower, upper, sampled = [], [], []
    asked = np.array(policy.ask())
    for _ in range(rounds):
        policy.tell(asked, draw(asked))
        asked = np.array(policy.ask())
        if asked.size == 0:
            raise ValueError(f"policy must not stop, but it has: {policy!r}")
        lower.append(policy.lower)
        upper.append(policy.upper)
        sampled.append(np.isin(np.arange(len(lower[-1])), asked))
    return RunRecord(np.array(lower), np.array(upper), np.array(sampled))


def lemma_checks(
    record: RunRecord, right: ArrayLike, left: ArrayLike, means: ArrayLike
) -> dict[str, LemmaCheck]:
    """Put the lemmas behind Theorem 5 to the test on one run of MaxGapUCB with nested intervals.

    The statements are those of the paper's Appendix D.2, with its conditions on intervals read as
    closed ("l_j <= x <= r_j"). Where several pairs of arms make the same right-gap bound, each is
    tried as (i_l, i_r). A case is:

    - "Corollary 1": a bound and two decisions in a row. It must not grow.
    - "two arms share": a decision. At least two arms have the highest gap bound.
    - "(m) and (m+1)": a decision and one of the two. Its gap bound is at least Delta_max.
    - "(m) equals (m+1)": a decision. The two bounds are equal, as the proof of Theorem 5 says.
    - "equation (35)": an arm i, a decision, an i_l. It lies in level 0 or 1.
    - "Lemma 10": an arm i, a decision, an i_r. It lies in level 0, 1 or 2.
    - "Corollary 2, before": a level-2 arm of i at a decision. It was in some level ever before.
    - "Corollary 2, after": the same arm at that or a later decision. It is not in level 0 or 1.
    - "Corollary 2, third claim": a level-0 or level-1 arm of i at a decision. It was one ever
      before. The paper does not state this, but uses it.
    - "Lemma 12": an arm i whose right-gap bound is the highest of all, and an arm whose interval
      holds one of that bound's ends. It is sampled.
    - "Lemma 13, level 1": such an i with a level-1 i_r. All level-1 arms are sampled.
    - "Lemma 13, level 2": such an i with a level-2 i_r. All level-1 and level-2 arms are sampled.

    Parameters
    ----------
    record : RunRecord
        The run. That the intervals hold is up to the caller; only the statements on (m) and (m+1)
        need it.
    right, left : array_like, shape (T, K)
        Gap bounds at each decision, in rewards' units, from any of the ways to compute them.
    means : array_like, shape (K,)
        True means, with one largest gap.

    Returns
    -------
    dict of LemmaCheck
        By the names above, in that order.

    Raises
    ------
    ValueError
        If the arrays' shapes do not go together.

    Examples
    --------
    >>> import numpy as np
    >>> from maxgap import MaxGapUCB
    >>> policy = MaxGapUCB(3, sigma=0.1, nested=True, stopping=None)
    >>> means = np.array([0.0, 0.2, 3.0])
    >>> record = record_run(policy, lambda arms: means[arms], rounds=100)
    >>> bounds = [gap_upper_bounds(*ends) for ends in zip(record.lower, record.upper)]
    >>> right, left = np.array([b.right for b in bounds]), np.array([b.left for b in bounds])
    >>> lemma_checks(record, right, left, means)["(m) and (m+1)"]
    LemmaCheck(cases=200, failures=0)
    """
    lower: Vector = np.asarray(record.lower, dtype=np.float64)
    upper: Vector = np.asarray(record.upper, dtype=np.float64)
    sampled: NDArray[np.bool_] = np.asarray(record.sampled, dtype=np.bool_)
    right, left = np.asarray(right, dtype=np.float64), np.asarray(left, dtype=np.float64)
    means = np.asarray(means, dtype=np.float64)
    for name, array in (("upper", upper), ("sampled", sampled), ("right", right), ("left", left)):
        if array.shape != lower.shape:
            raise ValueError(f"{name} must have the shape {lower.shape}, not {array.shape}")
    if means.shape != lower.shape[1:]:
        raise ValueError(f"means must have the shape {lower.shape[1:]}, not {means.shape}")

    checks: dict[str, LemmaCheck] = {}

    def check(name: str, holds: NDArray[np.bool_], among: NDArray[np.bool_] | None = None) -> None:
        tried = holds.ravel() if among is None else np.broadcast_to(holds, among.shape)[among]
        before = checks.get(name, LemmaCheck(0, 0))
        failures = tried.size - int(np.count_nonzero(tried))
        checks[name] = LemmaCheck(before.cases + tried.size, before.failures + failures)

    either = np.maximum(right, left)
    highest = either.max(axis=1)
    ranked = _ranked(means)
    gaps = means[ranked[:-1]] - means[ranked[1:]]
    upper_side, lower_side = ranked[gaps.argmax()], ranked[gaps.argmax() + 1]
    check("Corollary 1", np.diff(np.hstack([right, left]), axis=0) <= 0)
    sharing: NDArray[np.bool_] = np.asarray((either == highest[:, None]).sum(axis=1) >= 2)
    check("two arms share", sharing)
    check("(m) and (m+1)", either[:, [upper_side, lower_side]] >= gaps.max())
    check("(m) equals (m+1)", either[:, upper_side] == either[:, lower_side])
    for i in range(len(means)):
        level0, level1, level2 = _level_masks(i, lower, upper)
        meets = level0 | level1
        in_a_level = meets | level2
        for i_l, opens, closes in _right_gap_ends(i, lower, upper, right[:, i]):
            check("equation (35)", meets[:, i_l], opens)
            check("Lemma 10", in_a_level, closes)
            decisive = opens & (right[:, i] == highest)
            start = lower[:, [i_l]]
            end = np.where(closes, upper, -np.inf).max(axis=1, keepdims=True)
            holds_start = (lower <= start) & (start <= upper)
            holds_end = (lower <= end) & (end <= upper)
            check("Lemma 12", sampled, decisive[:, None] & (holds_start | holds_end))
            level1_closes = decisive & (closes & level1).any(axis=1)
            check("Lemma 13, level 1", _all(sampled | ~level1), level1_closes)
            level2_closes = decisive & (closes & level2).any(axis=1)
            check("Lemma 13, level 2", _all(sampled | ~(level1 | level2)), level2_closes)
        check("Corollary 2, before", np.logical_and.accumulate(in_a_level, axis=0), level2)
        once_level2 = np.logical_or.accumulate(level2, axis=0)
        check("Corollary 2, after", ~meets, once_level2)
        check("Corollary 2, third claim", np.logical_and.accumulate(meets, axis=0), meets)
    return checks


def _all(mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether a mask holds for all arms, at each decision."""
    return np.asarray(mask.all(axis=1))


def _level_masks(arm: int, lower: Vector, upper: Vector) -> tuple[NDArray[np.bool_], ...]:
    """Return `level_sets` of one arm at T decisions, as three masks of shape (T, K)."""
    low, high = lower[:, [arm]], upper[:, [arm]]
    right_of_arm = lower > high
    nearest_end = np.where(right_of_arm, upper, np.inf).min(axis=1, keepdims=True)
    level0 = (low <= upper) & (upper < high)
    level1 = (lower <= high) & (high <= upper)
    return level0, level1, right_of_arm & (lower <= nearest_end)


def _right_gap_ends(
    arm: int, lower: Vector, upper: Vector, right: Vector
) -> Iterator[tuple[int, NDArray[np.bool_], NDArray[np.bool_]]]:
    """Yield every i_l of an arm, at which of T decisions it is one, and the i_r that go with it.

    The second is a mask of shape (T,), the third one of shape (T, K). Bounds of 0 are left out.
    """
    n_arms = lower.shape[1]
    for i_l in range(n_arms):
        x = lower[:, [i_l]]
        above = lower > x
        some_above: NDArray[np.bool_] = np.asarray(above.any(axis=1))
        nearest = np.where(above, upper, np.inf).min(axis=1)
        others = np.arange(n_arms) != arm
        furthest = upper[:, others].max(axis=1)
        end = np.where(some_above, nearest, furthest)
        inside = (lower[:, arm] <= x[:, 0]) & (x[:, 0] <= upper[:, arm])
        opens = inside & (right > 0) & (end - x[:, 0] == right)
        candidates = np.where(some_above[:, None], above, others)
        yield i_l, opens, opens[:, None] & candidates & (upper == end[:, None])


# The lower bound on the largest gap, and stopping early on it.


def gap_lower_bound(means: ArrayLike, lower: ArrayLike, upper: ArrayLike) -> GapLowerBound:
    """Return a lower bound on the largest gap, and the split that gives it.

    Equation (9), term by term in O(K^2): over all splits of the arms by empirical mean, the largest
    distance from the top cluster's smallest lower end down to the bottom one's largest upper end.
    Arms with equal means are ranked by their number, and the first of several best splits is taken.

    Parameters
    ----------
    means : array_like, shape (K,)
        Empirical means, in rewards' units; finite.
    lower, upper : array_like, shape (K,)
        Ends of the intervals of the means. Infinite ends are allowed.

    Returns
    -------
    GapLowerBound
        With `.value` and `.split_rank`. The value is as printed, so it may be negative.

    Raises
    ------
    ValueError
        If the means or the intervals are unusable.

    Examples
    --------
    >>> gap_lower_bound(means=[0.5, 2.5, 5.5], lower=[0, 2, 5], upper=[1, 3, 6])
    GapLowerBound(value=2.0, split_rank=1)
    """
    means, lower, upper = _checked_estimates(means, lower, upper)
    ranked = _ranked(means)
    best = GapLowerBound(-math.inf, 1)
    for k in range(1, len(means)):
        value = float(lower[ranked[:k]].min() - upper[ranked[k:]].max())
        if value > best.value:
            best = GapLowerBound(value, k)
    return best


def early_stop_as_printed(means: ArrayLike, lower: ArrayLike, upper: ArrayLike) -> bool:
    """Say whether the early stopping rule of MaxGapElim holds, as its formula is printed.

    Equation (20), including its conditions on the ends: of the bottom cluster it looks only at arms
    that lie wholly below the lower end of the arm ranked next after the split, so not at that arm
    itself unless its interval is a point. It can therefore stop although another gap may be the
    largest. Kept for that demonstration; no policy uses it.

    Parameters
    ----------
    means : array_like, shape (K,)
        Empirical means, in rewards' units; finite.
    lower, upper : array_like, shape (K,)
        Ends of the intervals of the means. Infinite ends are allowed.

    Returns
    -------
    bool
        False while no gap is detected, as the text around the formula assumes.

    Raises
    ------
    ValueError
        If the means or the intervals are unusable.

    Examples
    --------
    Means that could belong to 0, 1, 1.02, 1.97, whose largest gap is the lowest one. The formula
    stops, and the split it stops with puts arm 3 alone on top:

    >>> import numpy as np
    >>> means = np.array([0.05, 1.0, 1.02, 2.0])
    >>> early_stop_as_printed(means, means - 0.1, means + 0.1)
    True
    >>> gap_lower_bound(means, means - 0.1, means + 0.1).split_rank
    1
    """
    means, lower, upper = _checked_estimates(means, lower, upper)
    value, split_rank = gap_lower_bound(means, lower, upper)
    if value <= 0:
        return False
    ranked = _ranked(means)
    above, below = ranked[split_rank - 1], ranked[split_rank]
    bounds = gap_upper_bounds(lower, upper)
    right_is_small = (bounds.right < value)[lower >= lower[above]].all()
    left_is_small = (bounds.left < value)[upper <= lower[below]].all()
    return bool(right_is_small and left_is_small)


def early_stop_as_worded(means: ArrayLike, lower: ArrayLike, upper: ArrayLike) -> bool:
    """Say whether the early stopping rule of MaxGapElim holds, as the text words it.

    The sentence before equation (20) asks that every *left* gap bound in the top cluster and every
    *right* gap bound in the bottom one be less than the lower bound. Those include both sides of
    the split itself, whose gap is at least the lower bound, so it never holds. The formula has the
    sides the other way round. Kept for that demonstration; no policy uses it.

    Parameters and errors are those of `early_stop_as_printed`.

    Examples
    --------
    >>> early_stop_as_worded(means=[0, 10], lower=[-1, 9], upper=[1, 11])
    False
    """
    means, lower, upper = _checked_estimates(means, lower, upper)
    value, split_rank = gap_lower_bound(means, lower, upper)
    if value <= 0:
        return False
    ranked = _ranked(means)
    top, bottom = ranked[:split_rank], ranked[split_rank:]
    bounds = gap_upper_bounds(lower, upper)
    return bool((bounds.left[top] < value).all() and (bounds.right[bottom] < value).all())


def _ranked(means: Vector) -> NDArray[np.intp]:
    """Return the arms from the largest mean to the smallest, equal ones by their number."""
    return np.argsort(-means, kind="stable")


# The answer without noise.


def largest_gap_noise_free(x: ArrayLike) -> NoiseFreeGap:
    """Return the largest gap between neighbours among numbers, in linear time, without sorting.

    The paper's footnote. K numbers fall into K + 1 bins of equal width between the smallest and the
    largest, so some bin is empty. Neither the first nor the last is, so the numbers on either side
    of it differ by more than a bin's width, which no two in one bin do: the largest itself closes
    the last bin, every other bin excludes its right edge. Only gaps between bins can be largest,
    and for those each bin's smallest and largest number suffice.

    K bins would be enough: without an empty one, every number has a bin of its own. With K + 1 the
    largest of the K - 1 gaps is at least (K + 1) / (K - 1) widths, a margin that also covers the
    rounding of the bins' edges, for any K below about ten million.

    Parameters
    ----------
    x : array_like, shape (K,)
        The numbers; finite, at least two.

    Returns
    -------
    NoiseFreeGap
        With `.gap` and the numbers `.below` and `.above` it. The top cluster is ``x >= above``. Of
        several largest gaps the lowest is returned; equal numbers have the gap 0.

    Raises
    ------
    ValueError
        If `x` is not a vector of at least two finite numbers.

    Examples
    --------
    >>> largest_gap_noise_free([7, 1, 3, 8, 2])
    NoiseFreeGap(gap=4.0, below=3.0, above=7.0)
    """
    return _largest_gap(_checked_vector("x", x, finite=True).tolist())


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
    for held in bins:
        if held is None:
            continue
        smallest, largest = held
        if smallest - below > best.gap:
            best = NoiseFreeGap(smallest - below, below, smallest)
        below = largest
    return best


# Checks of what comes in.


def _checked_vector(name: str, values: ArrayLike, *, finite: bool) -> Vector:
    try:
        vector = np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be a vector of numbers, not {values!r}") from error
    if vector.ndim != 1:
        raise ValueError(f"{name} must be a vector, not an array of shape {vector.shape}")
    if len(vector) < 2:
        raise ValueError(f"{name} must have at least two entries, not {len(vector)}: {values!r}")
    bad = ~np.isfinite(vector) if finite else np.isnan(vector)
    if bad.any():
        where = int(np.flatnonzero(bad)[0])
        wanted = "finite" if finite else "a number"
        raise ValueError(f"{name}[{where}] must be {wanted}, not {vector[where]}")
    return vector


def _checked_intervals(
    lower: ArrayLike, upper: ArrayLike, *, finite: bool = False
) -> tuple[Vector, Vector]:
    low = _checked_vector("lower", lower, finite=finite)
    high = _checked_vector("upper", upper, finite=finite)
    if len(low) != len(high):
        raise ValueError(f"lower and upper must have equal lengths, not {len(low)} and {len(high)}")
    for a, (left, right) in enumerate(zip(low, high, strict=True)):
        if left > right:
            raise ValueError(f"lower[{a}] = {left} must not exceed upper[{a}] = {right}")
        if left == math.inf:
            raise ValueError(f"lower[{a}] must be less than infinity, not {left}")
        if right == -math.inf:
            raise ValueError(f"upper[{a}] must be more than minus infinity, not {right}")
    return low, high


def _checked_estimates(
    means: ArrayLike, lower: ArrayLike, upper: ArrayLike
) -> tuple[Vector, Vector, Vector]:
    low, high = _checked_intervals(lower, upper)
    middle = _checked_vector("means", means, finite=True)
    if len(middle) != len(low):
        raise ValueError(
            f"means and lower must have equal lengths, not {len(middle)} and {len(low)}"
        )
    return middle, low, high


def _checked_arm(arm: int, n_arms: int) -> int:
    if isinstance(arm, bool) or not isinstance(arm, int | np.integer) or not 0 <= arm < n_arms:
        raise ValueError(f"arm must be a whole number from 0 to {n_arms - 1}, not {arm!r}")
    return int(arm)


def _checked_position(arm: int, x: float, lower: Vector, upper: Vector) -> float:
    if not isinstance(x, int | float | np.number) or not lower[arm] <= x <= upper[arm]:
        raise ValueError(
            f"x must lie in the arm's interval [{lower[arm]}, {upper[arm]}], not {x!r}"
        )
    return float(x)
