"""Whole runs, compiled; many replicates side by side; results as tidy tables.

A run draws its rewards inside compiled code and calls the same functions as ask/tell. That code
releases Python's lock: replicates run in threads, or wherever ``joblib.parallel_config`` sends
them: to processes, or to many machines with Dask.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed

from maxgap._checking import is_missing
from maxgap._numbers import is_whole, scalar
from maxgap.engine.types import Flags, Floats, Integers
from maxgap.policies import Policy, Split
from maxgap.policies.runs import Truth, check_runnable, prepared, run_fresh
from maxgap.problems import Problem
from maxgap.statistics import first_below, percentile_interval, times_fewer, wilson_interval

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["NOISES", "Run", "Study", "replicate", "run"]

#: Reward distributions with mean mu and scale sigma. "student-t" has 3 degrees of freedom and is
#: scaled to standard deviation sigma; "bernoulli" is 0 or 1 with mean mu, whatever sigma.
NOISES = ("normal", "student-t", "bernoulli")

#: Replicates handed to a worker at a time, or fewer, so that all workers have some.
CHUNK = 8

#: Largest number of samples that a count holds.
LARGEST_BUDGET = 2**63 - 1
#: Largest number of replicates, checkpoints or resamples: a kilobyte each is all of a memory.
LARGEST_NUMBER = 10**7

#: Generators at rest. Compiled code that counts no references never lets go of one that it was
#: given, three kilobytes each: a new one for every replicate would fill the memory in the end.
_generators: list[np.random.Generator] = []


class Run(NamedTuple):
    """One run: samples taken, how it ended, samples per arm (K,), the answer.

    ``split`` is None, and ``correct`` False, if the budget did not reach every arm. Where several
    gaps are the largest any of them is a ``correct`` answer.

    Examples
    --------
    >>> from maxgap import Problem, RoundRobin
    >>> problem = Problem([0.0, 0.1, 1.0], sigma=0.01)
    >>> ended = run(RoundRobin(3, stopping=None), problem, budget=30, rng=np.random.default_rng(1))
    >>> ended.samples, ended.stopped, ended.correct, ended.counts.tolist()
    (30, False, True, [10, 10, 10])
    """

    samples: int
    stopped: bool
    certified: bool
    correct: bool
    counts: Integers
    split: Split | None


def run(
    policy: Policy,
    problem: Problem,
    *,
    budget: int,
    rng: np.random.Generator,
    noise: str = "normal",
) -> Run:
    """Run a policy on a problem until it stops or has taken ``budget`` samples.

    Parameters
    ----------
    policy : Policy
        Not yet started; it is not changed. Its arms are those of the problem, in order.
    problem : Problem
        True means and scales.
    budget : int
        The largest number of samples, at most 2^63 - 1.
    rng : numpy.random.Generator
        Source of the rewards.
    noise : str
        One of :data:`NOISES`.

    Raises
    ------
    ValueError
        For an argument that is none of the above, or Bernoulli means outside [0, 1].

    Examples
    --------
    >>> from maxgap import MaxGapTop2UCB, Problem
    >>> policy, problem = MaxGapTop2UCB(4, sigma=0.1), Problem([0.9, 0.8, 0.2, 0.1], sigma=0.1)
    >>> result = run(policy, problem, budget=10_000, rng=np.random.default_rng(3))
    >>> result.certified, result.correct, sorted(result.split.top)
    (True, True, [0, 1])
    """
    if not isinstance(rng, np.random.Generator):
        raise ValueError(f"rng must be a numpy.random.Generator, got {rng!r}")
    truth = _checked_truth(policy, problem, noise)
    budget = _positive_integer("budget", budget, LARGEST_BUDGET)
    ended, wrong, _ = run_fresh(policy, truth, np.array([budget]), budget, rng)
    counts = ended.counts
    return Run(
        samples=int(counts.sum()),
        stopped=ended.stopped,
        certified=ended.certified,
        correct=not wrong[0],
        counts=counts,
        split=ended.recommend() if counts.all() else None,
    )


def replicate(
    policies: Mapping[Hashable, Policy],
    problem: Problem,
    *,
    budget: int,
    replicates: int,
    checkpoints: int | Iterable[int] = 100,
    seed: int,
    n_jobs: int | None = -1,
    progress: bool | Callable[..., Iterable[Any]] | None = None,
    noise: str = "normal",
) -> Study:
    """Run every policy many times on one problem.

    Parameters
    ----------
    policies : mapping of hashable to Policy
        Label -> policy, not yet started. The tables hold the labels as they are, tuples too; None
        and NaN, which a table takes for missing, are refused.
    problem, budget, noise
        As in :func:`run`.
    replicates : int
        Runs of each policy, at most 10^7.
    checkpoints : int or iterable of int
        How many equally spaced numbers of samples to look at, the last at the budget; or the
        numbers themselves, increasing, at most the budget.
    seed : int
        Not negative, of any size. Each (policy, replicate) gets its own generator, spawned from it:
        the same seed gives the same tables for any ``n_jobs`` and backend.
    n_jobs : int or None
        Workers, as in joblib; -1 for all cores, None for what ``joblib.parallel_config`` says. A
        Dask cluster (``backend="dask"``) takes all its workers, whatever is said here.
    progress : bool or callable, optional
        True for a bar at a terminal, and nothing elsewhere. Or such as ``tqdm.tqdm``: called as
        ``progress(iterable, total=...)`` on the finished pieces.

    Raises
    ------
    ValueError
        For an argument that is not as above, before any run has begun.

    Examples
    --------
    >>> from maxgap import Problem, RoundRobin
    >>> policy, problem = RoundRobin(3, sigma=0.1), Problem([0, 0.1, 1], sigma=0.1)
    >>> study = replicate({"all": policy}, problem, budget=120, replicates=20, seed=1, n_jobs=1)
    >>> int(study.errors["wrong"].iloc[-1])
    0
    """
    if not isinstance(policies, Mapping) or not policies:
        raise ValueError(f"policies must map labels to at least one policy, got {policies!r}")
    for label, policy in policies.items():
        if is_missing(label):
            raise ValueError(f"policies holds the label {label!r}: a table takes it for missing")
        truth = _checked_truth(policy, problem, noise)
    budget = _positive_integer("budget", budget, LARGEST_BUDGET)
    replicates = _positive_integer("replicates", replicates)
    looks = _checked_checkpoints(checkpoints, budget)
    if not is_whole(seed) or seed < 0:
        raise ValueError(f"seed must be a non-negative integer, got {seed!r}")
    if n_jobs is not None and (not is_whole(n_jobs) or n_jobs == 0):
        raise ValueError(f"n_jobs must be None or an integer but not 0, got {n_jobs!r}")
    if not (progress is None or isinstance(progress, bool) or callable(progress)):
        raise ValueError(f"progress must be True, False or a callable, got {progress!r}")

    # The size of a piece does not depend on the number of workers, nor then do the sums.
    size = min(CHUNK, max(replicates // 16, 1))
    tasks = []
    branches = np.random.SeedSequence(int(seed)).spawn(len(policies))
    for policy, branch in zip(policies.values(), branches, strict=True):
        ready = prepared(policy, min(budget + 1, 1 << 16))
        # In one tuple: joblib would give an array of its own to one worker of a Dask cluster only,
        # for the others to fetch, and if that worker died the study could not go on.
        setting = (ready, truth, budget, looks, branch)
        tasks += [
            delayed(_piece)(setting, range(start, min(start + size, replicates)))
            for start in range(0, replicates, size)
        ]
    if n_jobs is not None:
        n_jobs = max(min(int(n_jobs), len(tasks)), -len(tasks))
    if isinstance(progress, bool):
        progress = _bar if progress and sys.stderr.isatty() else None
    pieces = _finished(tasks, n_jobs, needed=progress is not None)
    if progress is not None:
        pieces = progress(pieces, total=len(tasks))

    # Each piece is added at once: to keep them takes many times the memory of their sums.
    shape = len(policies), looks.size, problem.n_arms
    sums, squares = np.zeros(shape, dtype=np.int64), np.zeros(shape)
    wrong = np.empty((len(policies), replicates, looks.size), dtype=np.bool_)
    stops = np.empty((len(policies), replicates, 4), dtype=np.int64)
    per_policy = len(tasks) // len(policies)
    for i, piece in enumerate(pieces):
        k, start = i // per_policy, i % per_policy * size
        of_piece = k, slice(start, start + size)
        wrong[of_piece], stops[of_piece], more, more_squares = piece
        sums[k] += more
        squares[k] += more_squares
    return Study(
        labels=tuple(policies),
        checkpoints=looks,
        wrong=wrong,
        counts=sums / replicates,
        counts_sd=np.sqrt(np.maximum(squares / replicates - (sums / replicates) ** 2, 0.0)),
        stop_rows=stops,
    )


def _finished(tasks: list[Any], n_jobs: int | None, needed: bool) -> Iterable[Any]:
    """Results in the order of the tasks, each as soon as it is there, if that is possible."""
    try:
        parallel = Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")
    except ValueError:  # a backend that can only hand out all results together
        if needed:
            raise
        parallel = Parallel(n_jobs=n_jobs, prefer="threads")
    return parallel(tasks)


def _bar(pieces: Iterable[Any], total: int) -> Iterable[Any]:
    """Show how many pieces are done, once that takes more than a second."""
    from tqdm import tqdm

    return tqdm(pieces, total=total, unit="piece", delay=1.0, leave=False)


def _piece(
    setting: tuple[Policy, Truth, int, Integers, np.random.SeedSequence], numbers: range
) -> tuple[Flags, Integers, Integers, Floats]:
    """A few replicates of one policy.

    Of each whether it was wrong at the checkpoints and how it ended, as in `Study.stops`; summed
    over them the samples (checkpoint, arm) and their squares.
    """
    policy, truth, budget, checkpoints, branch = setting
    wrong = np.empty((len(numbers), checkpoints.size), dtype=np.bool_)
    # Whole numbers: their sums are exact in any order.
    sums = np.zeros((checkpoints.size, truth.means.size), dtype=np.int64)
    squares = np.zeros((checkpoints.size, truth.means.size))
    stops = np.empty((len(numbers), 4), dtype=np.int64)
    # The last look is for the answer at the end, wherever the reader's own looks are.
    looks = np.append(checkpoints, budget)
    try:
        rng = _generators.pop()
    except IndexError:
        rng = np.random.Generator(np.random.PCG64())
    for i, number in enumerate(numbers):
        # What `branch.spawn` makes; made here, it need not be kept nor sent.
        seed = np.random.SeedSequence(branch.entropy, spawn_key=(*branch.spawn_key, number))
        rng.bit_generator.state = np.random.PCG64(seed).state
        ended, run_wrong, counts = run_fresh(policy, truth, looks, budget, rng)
        wrong[i] = run_wrong[:-1]
        sums += counts[:-1]
        squares += counts[:-1].astype(np.float64) ** 2
        stops[i] = ended.counts.sum(), ended.stopped, ended.certified, not run_wrong[-1]
    _generators.append(rng)
    return wrong, stops, sums, squares


@dataclass(frozen=True)
class Study:
    """Results of :func:`replicate`. All intervals are at 95%.

    Attributes
    ----------
    labels : tuple of hashable
        The policies, in order.
    checkpoints : array, shape (C,)
        Numbers of samples looked at.
    wrong : array of bool, shape (P, R, C)
        Whether the answer was wrong: policy, replicate, checkpoint.
    counts : array, shape (P, C, K)
        Samples per arm: the mean over the replicates.
    counts_sd : array, shape (P, C, K)
        Their standard deviation.

    Examples
    --------
    >>> from maxgap import MaxGapUCB, Problem, RoundRobin
    >>> policies = {"RoundRobin": RoundRobin(6), "MaxGapUCB": MaxGapUCB(6)}
    >>> problem = Problem([0.0, 0.4, 0.8, 2.0, 2.4, 2.8])
    >>> study = replicate(policies, problem, budget=600, replicates=40, seed=1, n_jobs=1)
    >>> bool(study.speedup("RoundRobin", 0.2)["ratio"].iloc[0] > 1)
    True
    """

    labels: tuple[Hashable, ...]
    checkpoints: Integers
    wrong: Flags
    counts: Floats
    counts_sd: Floats
    stop_rows: Integers

    @property
    def errors(self) -> pd.DataFrame:
        """Share of wrong answers, in columns policy, samples, wrong, replicates, error, low, high.

        ``low`` and ``high`` are the ends of a Wilson interval.
        """
        import pandas as pd

        # Labels go into lists: an array would take tuples apart and make 1 a text.
        replicates = self.wrong.shape[1]
        wrong = self.wrong.sum(axis=1)
        low, high = wilson_interval(wrong, replicates)
        return pd.DataFrame(
            {
                "policy": [label for label in self.labels for _ in self.checkpoints],
                "samples": np.tile(self.checkpoints, len(self.labels)),
                "wrong": wrong.ravel(),
                "replicates": replicates,
                "error": wrong.ravel() / replicates,
                "low": low.ravel(),
                "high": high.ravel(),
            }
        )

    @property
    def stops(self) -> pd.DataFrame:
        """A row per policy and replicate: samples, stopped, certified, correct (at the end)."""
        import pandas as pd

        n_policies, replicates, _ = self.stop_rows.shape
        rows = self.stop_rows.reshape(-1, 4)
        return pd.DataFrame(
            {
                "policy": [label for label in self.labels for _ in range(replicates)],
                "replicate": np.tile(np.arange(replicates), n_policies),
                "samples": rows[:, 0],
                "stopped": rows[:, 1].astype(bool),
                "certified": rows[:, 2].astype(bool),
                "correct": rows[:, 3].astype(bool),
            }
        )

    def samples_to_error(self, level: float, *, resamples: int = 1000) -> pd.DataFrame:
        """Samples until the error has fallen to ``level``: policy, samples, low, high.

        The error curve is first made non-increasing (isotonic least squares), then read off
        between checkpoints by straight lines. The interval is the percentile bootstrap over
        replicates. Where the level is not reached within the budget the value is infinite. A
        level outside (0, 1) is a ``ValueError``.
        """
        import pandas as pd

        point, resampled = self._samples_to_error(level, resamples)
        low, high = percentile_interval(resampled)
        return pd.DataFrame(
            {"policy": list(self.labels), "samples": point, "low": low, "high": high}
        )

    def speedup(self, over: Hashable, level: float, *, resamples: int = 1000) -> pd.DataFrame:
        """How many times fewer samples than policy ``over`` until the error is ``level``.

        Columns policy, level, ratio, low, high: percentile bootstrap, the replicates of the two
        policies resampled independently. Where only ``over`` misses the level within the budget
        the ratio is infinite; where the policy itself misses it, 0 by convention. An unknown
        label, or a level outside (0, 1), is a ``ValueError``.
        """
        import pandas as pd

        if over not in self.labels:
            raise ValueError(f"over must be one of {list(self.labels)}, got {over!r}")
        point, resampled = self._samples_to_error(level, resamples)
        base = self.labels.index(over)
        others = [i for i in range(len(self.labels)) if i != base]
        low, high = percentile_interval(times_fewer(resampled[base], resampled[others]))
        return pd.DataFrame(
            {
                "policy": [self.labels[i] for i in others],
                "level": level,
                "ratio": times_fewer(point[base], point[others]),
                "low": low,
                "high": high,
            }
        )

    def _samples_to_error(self, level: float, resamples: int) -> tuple[Floats, Floats]:
        """Point estimates (P,) and bootstrap replicates (P, resamples)."""
        if not 0 < level < 1:
            raise ValueError(f"level must lie in (0, 1), got {level!r}")
        resamples = _positive_integer("resamples", resamples)
        n_policies, replicates, _ = self.wrong.shape
        shares = np.full(replicates, 1 / replicates)
        samples = np.empty((n_policies, 1 + resamples))
        for i, branch in enumerate(np.random.SeedSequence(0).spawn(n_policies)):
            rng = np.random.default_rng(branch)
            drawn = rng.multinomial(replicates, shares, size=resamples)
            times = np.vstack([np.ones(replicates, dtype=np.int64), drawn])
            # All sums are whole numbers: the product is exact in whatever order a processor adds.
            counts = (times.astype(np.float64) @ self.wrong[i].astype(np.float64)).astype(np.int64)
            samples[i] = first_below(counts, replicates, self.checkpoints, level)
        return samples[:, 0], samples[:, 1:]


def _checked_truth(policy: Any, problem: Any, noise: Any) -> Truth:
    """What rewards are drawn from, if this policy can be run on it."""
    if noise not in NOISES:
        raise ValueError(f"noise must be one of {list(NOISES)}, got {noise!r}")
    check_runnable(policy, noise)
    if not isinstance(problem, Problem):
        raise ValueError(f"problem must be a Problem, got {problem!r}")
    arms = policy.arms
    if len(arms) != problem.n_arms:
        raise ValueError(f"policy has {len(arms)} arms, the problem has {problem.n_arms}")
    if noise == "bernoulli" and not ((problem.means >= 0) & (problem.means <= 1)).all():
        raise ValueError(f"noise 'bernoulli' needs means in [0, 1], got {problem.means}")
    means, sigmas = np.array(problem.means), np.array(problem.sigmas)
    # Of equal largest gaps any is a right answer.
    return Truth(means, sigmas, NOISES.index(noise), problem.delta_max * (1 - 1e-9))


def _positive_integer(name: str, value: Any, largest: int = LARGEST_NUMBER) -> int:
    if not is_whole(value) or not 1 <= value <= largest:
        raise ValueError(f"{name} must be a positive integer, at most {largest}, got {value!r}")
    return int(value)


def _checked_checkpoints(checkpoints: Any, budget: int) -> Integers:
    checkpoints = scalar(checkpoints)
    if not isinstance(checkpoints, Iterable):
        number = _positive_integer("checkpoints", checkpoints)
        if number > budget:
            raise ValueError(f"checkpoints must be at most the budget {budget}, got {number}")
        # In Python's integers: the product may not fit 64 bits.
        return np.array([k * budget // number for k in range(1, number + 1)], dtype=np.int64)
    looks = np.array(
        [_positive_integer("checkpoints", x, LARGEST_BUDGET) for x in checkpoints], dtype=np.int64
    )
    if looks.size == 0 or (np.diff(looks) <= 0).any() or looks[-1] > budget:
        raise ValueError(f"checkpoints must increase up to the budget {budget}, got {looks}")
    return looks
