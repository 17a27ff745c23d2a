"""The lemmas of the proof for MaxGapUCB (Appendix D.2), checked on recorded runs."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "LemmaCheck",
    "RunRecord",
    "lemma_checks",
    "record_run",
]

Vector = NDArray[np.float64]


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
    >>> from maxgap.reference import gap_upper_bounds
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
    ranked = np.argsort(-means, kind="stable")
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
