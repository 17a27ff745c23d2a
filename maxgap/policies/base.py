"""Ask, sample, tell: what all policies share.

The state is a tuple of arrays, and a round is compiled, in :mod:`maxgap.engine.state`; the runs of
:mod:`maxgap.simulate` call the same functions, so they agree sample for sample.
"""

from __future__ import annotations

import copy
import threading
import warnings
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import compress
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from maxgap._checking import (
    check_bounds,
    check_ranges,
    checked_batch,
    checked_confidence,
    checked_indices,
    checked_labels,
    checked_scale,
    checked_sigmas,
    label_index,
)
from maxgap._saving import StrPath
from maxgap.confidence import check_delta, from_rewards, guarantees
from maxgap.engine.state import (
    BY_PROVED_RULE,
    BY_RULE,
    UNDECIDED,
    UNLISTED,
    Lines,
    empirical_top,
    list_next,
    new_state,
    tell,
)
from maxgap.engine.types import Floats, Integers
from maxgap.gaps import GapBounds, GapLowerBound, gap_lower_bound, gap_upper_bounds
from maxgap.policies._batch import spread, waiting_counts
from maxgap.policies._intervals import RadiusTable, new_intervals
from maxgap.policies._objections import raised_by
from maxgap.policies._saved import save_policy
from maxgap.policies.rules import LOOK_BACK, Rules, rule_of

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["DEFAULT", "Policy", "Split"]


class _Default:
    """Stands for the class's own default: None already means "never stop"."""

    def __repr__(self) -> str:
        return "DEFAULT"


DEFAULT = _Default()

#: What a policy holds that never changes, its settings; and what begins anew in a fresh one.
SETTINGS = (
    *("_bounds", "_labels", "_index", "_delta", "_sigmas", "_scalar_sigma", "_confidence"),
    *("_nested", "_stopping", "_share", "_ranges_matter", "_radii", "_files"),
)
BEGINS = ("_state", "_lines", "_rule", "_room", "_objected", "_lock", "_save_lock")


class Split(NamedTuple):
    """An answer: the arms above and below the largest gap, and the gap between their means.

    Examples
    --------
    >>> Split(top=frozenset({"c"}), bottom=frozenset({"a", "b"}), gap=0.75).gap
    0.75
    """

    top: frozenset[Hashable]
    bottom: frozenset[Hashable]
    gap: float


class Policy:
    """What all policies share; a policy of your own is a subclass that says what to sample.

    A subclass defines ``choose(self)``, which returns the labels of the arms to sample next, once
    every arm has a sample. It looks at ``counts``, ``means``, ``gap_bounds()`` and the like, and
    changes nothing. It may define ``may_stop(self)``, a stopping rule of its own, asked after every
    batch where the rule of ``stopping`` does not hold; what stops by it is not certified. Such a
    policy runs in plain Python, in ask/tell as in :mod:`maxgap.simulate`.

    One policy may be used by many threads: whoever reads or changes it waits for the others.

    Parameters
    ----------
    arms : int or iterable of hashable
        How many arms, or their distinct labels in order. A count stands for 0, 1, ..., K - 1.
        Labels come back as they were given. As in a dict, equal ones are the same: 1, 1.0 and
        ``np.int64(1)``, or one instant in two units of NumPy's dates; but True is not 1. None is a
        label, NaN and whatever else is not equal to itself is not.
    delta : float
        Probability of error allowed, in (0, 1).
    sigma : float, array_like of shape (K,), or mapping
        Sub-Gaussian scale of the rewards, one for all arms or one per arm. A mapping or a pandas
        Series goes by its labels, which must be those of the arms, in any order.
    confidence : str or callable
        Name of a radius in :data:`maxgap.confidence.RADII`, or a function
        ``f(n, *, delta, n_arms, sigma)`` of the counts ``n`` (an array) that returns half-widths.
        Or "empirical-bernstein", for rewards in a range of which ``sigma`` is half the width:
        narrower where the rewards vary little. The default with ``bounds``, else "normal-mixture".
    nested : bool
        Intersect every interval with those before it (eq. 28 of the paper). If the intersection
        would be empty the arm keeps its last interval and a ``RuntimeWarning`` says so.
    stopping : str or None
        Name of a rule, see :mod:`maxgap.stopping`; None to go on for ever. The default is the
        class's own: "clusters"; "paper" of MaxGapUCB; "contrasts" of MaxGapContrasts, with
        ``bounds`` "either".
    bounds : (float, float), optional
        The smallest and the largest reward that there could be, in place of ``sigma``, which then
        is half their distance. Rewards outside are refused.

    Raises
    ------
    ValueError
        Names the argument and the value that cannot be used.

    Examples
    --------
    >>> from maxgap import RoundRobin
    >>> policy = RoundRobin(["low", "high"], sigma=0.1)
    >>> while not policy.stopped:
    ...     for label in policy.ask():
    ...         policy.tell(label, {"low": 0.0, "high": 1.0}[label])
    >>> policy.certified, policy.counts.tolist(), policy.recommend().gap
    (True, [2, 2], 1.0)

    A policy of one's own: sample the two arms around the widest empirical gap.

    >>> class WidestGap(Policy):
    ...     def choose(self):
    ...         order = np.argsort(self.means)
    ...         k = int(np.argmax(np.diff(self.means[order])))
    ...         return [self.arms[order[k]], self.arms[order[k + 1]]]
    >>> policy = WidestGap(["a", "b", "c"], sigma=0.1)
    >>> policy.tell(["a", "b", "c"], [0.0, 0.1, 1.0])
    >>> policy.ask()
    ['b', 'c']
    """

    #: Rules of the class's own, by name, and whether each is proved.
    rules: ClassVar[Rules] = {}
    default_stopping: ClassVar[str | None] = "clusters"
    #: Files that it was loaded from or saved to, and what they held then.
    _files: Mapping[str, str] = MappingProxyType({})
    #: Objections, and after how many rewards they were looked for.
    _objected: tuple[int, tuple[str, ...]]
    #: Whether the answer is one that runs can judge.
    _answers_with_a_split = True
    #: Whether rewards are kept whatever the stopping rule.
    _always_keeps_rewards = False

    def __init__(
        self,
        arms: int | Iterable[Hashable],
        *,
        delta: float = 0.05,
        sigma: float | ArrayLike = 1.0,
        confidence: str | Callable[..., ArrayLike] | _Default = DEFAULT,
        nested: bool = False,
        stopping: str | _Default | None = DEFAULT,
        bounds: tuple[float, float] | None = None,
    ) -> None:
        self._bounds, sigma = checked_scale(bounds, sigma)
        self._labels = checked_labels(arms)
        self._index = label_index(self._labels)
        self._delta = check_delta(delta)
        self._sigmas, self._scalar_sigma = checked_sigmas(sigma, self._labels, self._index)
        if isinstance(confidence, _Default):
            confidence = "normal-mixture" if bounds is None else "empirical-bernstein"
        self._confidence = checked_confidence(confidence)
        if not isinstance(nested, (bool, np.bool_)):
            raise ValueError(f"nested must be True or False, got {nested!r}")
        self._nested = bool(nested)
        if isinstance(stopping, _Default):
            stopping = self.default_stopping
            if stopping == "contrasts" and bounds is not None:
                stopping = "either"
        rule_of(self.rules, stopping)
        self._stopping = stopping
        self._share = self._delta / 2 if stopping == "either" else self._delta
        self._ranges_matter = bounds is not None or from_rewards(self._confidence)
        self._radii = RadiusTable(self._confidence, self._share, self._sigmas)
        self._start()

    def choose(self) -> Iterable[Hashable]:
        """Labels of the arms to sample next, once every arm has a sample. For subclasses."""
        with self._lock:
            state, lines = copy.deepcopy((self._state, self._lines))
        if type(lines) is Lines:
            raise NotImplementedError(f"{type(self).__name__} does not define choose(self)")
        list_next(state, lines)
        return [self._labels[arm] for arm in state.next[: state.progress[0]["n_next"]].tolist()]

    def may_stop(self) -> bool:
        """Whether to stop, uncertified, where the stopping rule does not hold. For subclasses."""
        return False

    # -- what to do next ---------------------------------------------------------------------

    def ask(self) -> list[Hashable]:
        """Labels of the arms to sample next, once each; empty once stopped.

        Changes nothing. Arms that were never sampled come first.
        """
        with self._lock:
            return list(map(self._labels.__getitem__, self._listed().tolist()))

    def batch(
        self, size: int, pending: Iterable[Hashable] | Mapping[Hashable, int] = ()
    ) -> list[Hashable]:
        """Labels of the arms for the next ``size`` questions, where many are asked at a time.

        Those of ``ask``, as evenly as can be, few samples first; ``pending``, the arms of questions
        that still wait for an answer, or how many of each, count as asked. Empty once stopped.

        Examples
        --------
        >>> from maxgap import RoundRobin
        >>> policy = RoundRobin(["x", "y", "z"])
        >>> policy.batch(4, pending=["x", "x", "y"])
        ['z', 'y', 'z', 'x']
        """
        n_waiting = waiting_counts(pending, self._labels, self._index)
        with self._lock:
            chosen = spread(size, self._listed_for_many().tolist(), self.counts, n_waiting)
        return [self._labels[arm] for arm in chosen]

    def tell(self, arms: Hashable | Sequence[Hashable] | ArrayLike, rewards: ArrayLike) -> None:
        """Take one reward of one arm, or rewards and arms in two sequences of equal length.

        A reward is any real number, of Python, NumPy or pandas. Sequences, columns and iterators,
        which are consumed, pair up by position, whatever a Series has as its index.

        Any arm may be told at any time, asked for or not; for contrasts each arm's rewards in the
        order in which they were drawn. The policy decides once after each call. After it has
        stopped, rewards still count in the means and intervals; the answer stays.

        Raises
        ------
        ValueError
            For an unknown label, a reward that is not a finite number, unequal lengths, or a set,
            which has no order. For "empirical-bernstein", if the rewards of an arm lie further
            apart than 2 sigma. For a reward outside ``bounds``. Nothing is taken then, not even
            what was right.
        """
        indices, values = checked_batch(arms, rewards, self._labels, self._index)
        if indices.size == 0:
            return
        with self._lock:
            if self._ranges_matter:
                self._check_ranges(indices, values)
            before = self._state.progress["stopped"][0]
            crossed = self._tell(indices, values)
            stopped = self._state.progress["stopped"][0] > before
            against = "; ".join(self.objections) if stopped else ""
        if crossed:
            self._warn_crossed()
        if against:
            warnings.warn(f"stopped, but not certified: {against}", RuntimeWarning, stacklevel=2)

    @property
    def stopped(self) -> bool:
        """Whether the stopping rule has held."""
        return bool(self._state.progress[0]["stopped"])

    @property
    def certified(self) -> bool:
        """Whether the policy stopped by a rule that guarantees an error of at most ``delta``.

        True only if the rule's guarantee is proved (:mod:`maxgap.stopping`) and so is the radius's
        (:func:`maxgap.confidence.guarantees`), unless the rule is "contrasts", which looks at no
        interval. It and "either" ask for rewards that are sigma-sub-Gaussian and *independent* of
        each other, each arm's told in the order of drawing, and for nothing chosen by a look at
        rewards not yet told; the others for rewards sub-Gaussian given those before.
        """
        by_proof = bool(self._state.progress[0]["stopped"] == BY_PROVED_RULE)
        by_contrasts = self._stopping == "contrasts"
        proved = by_proof and (by_contrasts or guarantees(self._confidence, self._sigmas))
        return proved and not self.objections

    @property
    def objections(self) -> tuple[str, ...]:
        """What the rewards say against the assumptions, a sentence each; () if nothing.

        That some arm's vary more than ``sigma`` permits; that, where contrasts look, some arm's are
        sorted or drift; that they contradict the answer since it was given. With one no answer is
        ``certified``; further rewards may explain it. Where all is as assumed one is raised with a
        probability of about one in a million, the last with one of at most ``delta``.
        """
        with self._lock:
            total = int(self._state.progress[0]["total"])
            if self._objected[0] != total:
                kept = self._state.intervals if self._stopping in LOOK_BACK else None
                answered = self.stopped and self._answers_with_a_split
                found = raised_by(self._labels, self._state.arms, kept, answered)
                self._objected = total, found
            return self._objected[1]

    def recommend(self) -> Split:
        """The answer: the two clusters around the largest gap between empirical means.

        A policy that has stopped gives the answer it stopped with.

        Raises
        ------
        ValueError
            While some arm has no sample: there is no answer yet.
        """
        with self._lock:
            arms, stopped = self._state.arms.copy(), self.stopped
        unsampled = np.flatnonzero(arms["count"] == 0)
        if unsampled.size > 0:
            missing = [self._labels[arm] for arm in unsampled[:5]]
            raise ValueError(
                f"no answer yet: {unsampled.size} of {len(self._labels)} arms have no "
                f"sample, among them {missing}"
            )
        top = arms["top"] if stopped else empirical_top(arms)
        above, below = (compress(self._labels, side.tolist()) for side in (top, ~top))
        gap = float(arms["mean"][top].min() - arms["mean"][~top].max())
        return Split(frozenset(above), frozenset(below), gap)

    # -- what is known -----------------------------------------------------------------------

    @property
    def arms(self) -> list[Hashable]:
        """Labels, in the order of all arrays."""
        return list(self._labels)

    @property
    def counts(self) -> Integers:
        """Samples per arm, shape (K,)."""
        return self._column("count")

    @property
    def means(self) -> Floats:
        """Empirical means, shape (K,); 0 for an arm without a sample."""
        return self._column("mean")

    @property
    def lower(self) -> Floats:
        """Lower ends of the intervals, shape (K,)."""
        return self._column("lower")

    @property
    def upper(self) -> Floats:
        """Upper ends of the intervals, shape (K,)."""
        return self._column("upper")

    def gap_bounds(self) -> GapBounds:
        """Upper bounds on every arm's gaps, from the current intervals."""
        with self._lock:
            return gap_upper_bounds(self.lower, self.upper)

    def gap_lower(self) -> GapLowerBound:
        """Lower bound on the largest gap; means outside nested intervals count at the end."""
        with self._lock:
            means, lower, upper = self.means, self.lower, self.upper
        return gap_lower_bound(np.clip(means, lower, upper), lower, upper)

    def report(self) -> pd.DataFrame:
        """One row per arm: samples, mean, interval, gap bounds and cluster.

        The mean of an arm without a sample is given as 0 and its interval is infinite; the cluster
        is "" while there is no answer. ``attrs["objections"]`` has the :attr:`objections`.
        """
        import pandas as pd

        now = copy.copy(self)  # one moment for all columns, whoever tells meanwhile
        bounds = now.gap_bounds()
        cluster = np.full(len(now._labels), "", dtype=object)
        if now._state.progress[0]["unsampled"] == 0:
            cluster[:] = now._clusters()
        frame = pd.DataFrame(
            {
                "arm": pd.Series(now._labels, dtype=object),
                "samples": now.counts,
                "mean": now.means,
                "lower": now.lower,
                "upper": now.upper,
                "right_gap_bound": bounds.right,
                "left_gap_bound": bounds.left,
                "cluster": cluster,
            }
        )
        frame.attrs["objections"] = list(now.objections)
        return frame

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({len(self._labels)} arms, "
            f"{self._state.progress[0]['total']} samples, stopped={self.stopped})"
        )

    # -- copies --------------------------------------------------------------------------------

    def __getstate__(self) -> dict[str, Any]:
        """What a copy or a pickle holds: a state of its own, and no locks."""
        with self._lock:
            content = self.__dict__.copy()
            # Together, for a rule may look at what the lines remember.
            own = self._state, self._lines, self._rule
            content["_state"], content["_lines"], content["_rule"] = copy.deepcopy(own)
        del content["_lock"], content["_save_lock"]
        return content

    def __setstate__(self, content: dict[str, Any]) -> None:
        self.__dict__.update(content)
        self._set_locks()

    # -- keeping -----------------------------------------------------------------------------

    def save(self, path: StrPath) -> None:
        """Write the policy to a JSON file, whole or not at all; :func:`maxgap.load` reads it.

        A policy is of one writer at a time: a file that has changed since this policy was loaded
        from it or saved to it is not overwritten. Where several collect, let each append to one
        table: ``maxgap.split(table, ...).policy()`` or ``maxgap next`` goes on from it.

        Raises
        ------
        ValueError
            Names the file if somebody else has changed it meanwhile, or it is no file. If the
            radius is a function, or a label not a string or a number: JSON has no form for them.
        OSError
            Names the file if the system does not let it be written. An old one is whole then.
        """
        save_policy(self, path)

    # -- below: used by the above and by maxgap.simulate -----------------------------------------

    def _set_locks(self) -> None:
        # Whoever reads or changes the state holds the first; saves queue at the second, so that the
        # file's last state is the latest. Compiled code lets other threads run meanwhile.
        self._lock = threading.RLock()
        self._save_lock = threading.Lock()

    def _column(self, name: str) -> NDArray[Any]:
        """A copy of what is known of every arm, shape (K,)."""
        with self._lock:
            return self._state.arms[name].copy()

    def _clusters(self) -> list[Any]:
        """The cluster of every arm, as a report names it."""
        top = self.recommend().top
        return ["top" if label in top else "bottom" for label in self._labels]

    def _tell(self, indices: Integers, values: Floats) -> bool:
        """A round of these rewards; whether nested intervals have crossed for the first time."""
        if indices.size > self._room:  # that was found last time
            counts = self._state.arms["count"]
            self._grow(counts + np.bincount(indices, minlength=counts.size))
            self._room: int = self._state.intervals.room(counts)
        self._room -= indices.size
        crossed = tell(self._state, self._lines, self._rule, indices, values)
        if self._state.progress[0]["n_next"] < 0:
            self._finish_in_python()
        return bool(crossed)

    def _finish_in_python(self) -> None:
        """Of a policy in plain Python, where it is undecided: stop if its own rule holds."""
        progress = self._state.progress[0]
        if progress["n_next"] == UNDECIDED:
            progress["n_next"] = UNLISTED
            if self.may_stop():
                self._state.arms["top"] = empirical_top(self._state.arms)
                progress["stopped"], progress["n_next"] = BY_RULE, 0

    def _listed(self) -> Integers:
        """The arms to sample next, increasing, listed now if they were not."""
        state = self._state
        if state.progress[0]["n_next"] == UNLISTED:
            chosen = np.unique(checked_indices(list(self.choose()), self._labels, self._index))
            if chosen.size == 0:
                raise ValueError(f"{type(self).__name__}.choose() must name an arm, got none")
            state.next[: chosen.size] = chosen
            state.progress[0]["n_next"] = chosen.size
        return state.next[: state.progress[0]["n_next"]]

    def _listed_for_many(self) -> Integers:
        """The arms over which many questions at a time are spread."""
        return self._listed()

    def new_lines(self) -> Any:
        """The compiled lines of the algorithm; these leave it to ``choose``."""
        return Lines(bounds=False)

    def _fresh(self) -> Policy:
        """A policy of the same settings that has not begun; shares what never changes."""
        fresh = type(self).__new__(type(self))
        content = {name: value for name, value in self.__dict__.items() if name not in BEGINS}
        shared = {id(content[name]): content[name] for name in SETTINGS if name in content}
        # All else is copied: a policy of the reader's own may have a memory.
        fresh.__dict__.update(copy.deepcopy(content, shared))
        fresh._start()
        return fresh

    def _start(self) -> None:
        """Set what there is before the first reward."""
        rule, proved = rule_of(self.rules, self._stopping)
        self._lines: Any = self.new_lines()
        self._rule: Any = rule.of(proved, self._lines)
        radii, keeps = self._radii, self._always_keeps_rewards or self._stopping in LOOK_BACK
        intervals = new_intervals(radii, self._nested, keeps)
        self._state = new_state(self._sigmas, radii.row, radii.factor, intervals)
        own = type(self).choose, type(self).may_stop
        self._state.progress["in_python"] = own != (Policy.choose, Policy.may_stop)
        self._room = 0
        self._objected = 0, ()
        self._set_locks()

    def _check_ranges(self, indices: Integers, values: Floats) -> None:
        """Refuse rewards that are not in a range as wide as sigma says, where that matters."""
        if self._bounds is not None:
            check_bounds(indices, values, self._bounds, self._labels)
        if from_rewards(self._confidence):
            intervals = self._state.intervals
            sums = getattr(intervals, "intervals", intervals).sums
            unsampled = self._state.arms["count"] == 0
            lowest = np.where(unsampled, np.inf, sums["lowest"])
            highest = np.where(unsampled, -np.inf, sums["highest"])
            check_ranges(indices, values, lowest, highest, 2 * self._sigmas, self._labels)

    def _grow(self, needed: Integers) -> None:
        """Make room for so many rewards of each arm in all."""
        state = self._state
        grown = state.intervals.grown(state.arms["count"], needed, self._radii.up_to)
        self._state = state._replace(intervals=grown)

    def _warn_crossed(self) -> None:
        warnings.warn(
            "an arm's interval no longer meets the ones before it: the assumption on the noise "
            "(sigma, independence, a fixed mean) looks violated",
            RuntimeWarning,
            stacklevel=3,
        )
