"""From a table of duels, who won against whom, to Borda scores and a certified split.

>>> import maxgap
>>> answer = maxgap.split_duels(winner=[*"abaabb"] * 99, loser=[*"bacccc"] * 99)
>>> sorted(answer.top), answer.certified
(['a', 'b'], True)
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from maxgap import _answers
from maxgap._checking import label_key
from maxgap._core.types import Floats, Integers
from maxgap._numbers import as_floats
from maxgap._rows import BadRow, Range, Rows
from maxgap.planning import checked_setting
from maxgap.table import TableSplit, answer

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Duels", "split_duels", "surprise"]

#: A table is refused if opponents drawn as it says would ever look like these so rarely.
RARE = 1e-6


class Duels(Rows):
    """Duels in their order, each a reward of 1 for its winner and one of 0 for its loser."""

    def __init__(self) -> None:
        super().__init__(Range(0.0, 1.0))

    def add(
        self, arms: pd.Series, rewards: pd.Series, numbers: pd.Series | None = None
    ) -> Integers:
        """Add duels: winners in place of arms, losers in place of rewards."""
        import pandas as pd

        n, first = len(arms), self.total // 2
        if arms.dtype != rewards.dtype:  # together they would be rounded to what holds both
            arms, rewards = arms.astype(object), rewards.astype(object)
        both = pd.concat([arms, rewards], ignore_index=True)
        both = both.iloc[np.arange(2 * n).reshape(2, n).T.ravel()]
        try:
            numbered = super().add(both, pd.Series(np.tile([1.0, 0.0], n)))
        except BadRow as bad:
            raise BadRow(bad.place // 2, bad.place % 2 == 0, bad.why) from None
        alone = numbered[::2] == numbered[1::2]
        if alone.any():
            at = int(alone.argmax())
            raise BadRow(first + at, False, f"{self.labels[numbered[2 * at]]!r} plays itself")
        return numbered

    def check_pairs(self) -> None:
        """A ValueError if pairs were plainly not drawn uniformly from all pairs."""
        _answers.check_arms(self)
        n_arms = len(self.labels)
        found: Counter[int] = Counter()
        for numbers, _ in self:
            pairs = np.sort(numbers.reshape(-1, 2), axis=1)
            kinds, times = np.unique(pairs @ [n_arms, 1], return_counts=True)
            found.update(dict(zip(kinds.tolist(), times.tolist(), strict=True)))
        counts = np.array(list(found.values()))
        n_pairs = n_arms * (n_arms - 1) // 2
        if surprise(counts, np.full(counts.size, 1 / n_pairs), n_pairs) > -math.log(RARE):
            one, other = divmod(found.most_common(1)[0][0], n_arms)
            raise ValueError(
                f"{self.labels[one]!r} and {self.labels[other]!r} meet in {counts.max():,} of "
                f"{counts.sum():,} duels where about {counts.sum() / n_pairs:,.0f} are expected: "
                "pairs were not drawn uniformly, so a duel does not count for both; if one was "
                "chosen and the other drawn, count it for the chosen one alone (chosen=)"
            )


class _Opponents(NamedTuple):
    """Whom an arm meets when it is chosen."""

    probabilities: Floats  # (K, K), of the opponent given the chosen arm; 0 on the diagonal
    largest: float  # the largest weight of a reward


def split_duels(
    table: Any = None,
    *,
    winner: Any,
    loser: Any,
    chosen: Any = None,
    opponents: pd.DataFrame | None = None,
    delta: float = 0.05,
    confidence: Any = None,
) -> TableSplit:
    """Where the largest gap between Borda scores is, and whether these duels certify it.

    The Borda score of an arm is the probability that it beats an opponent drawn uniformly from all
    other arms of the table. A duel is a reward of an arm, 1 if won and 0 if lost, if the opponent
    was drawn so. Hence it matters how duels were arranged, which a table does not show:

    - Pairs drawn uniformly from all pairs, whatever happened before: a duel counts for both.
    - An arm chosen, by whatever rule and from whatever has been seen, and its opponent drawn from
      the others: a duel counts for the chosen arm alone; ``chosen`` says which it is. For the
      opponent it is no fair sample, as whoever is chosen more often is met more often.
    - The opponent drawn with other probabilities, which are known and do not change:
      ``opponents`` has them, and a duel won counts 1/((K - 1) p) where p is that of the opponent.

    Who chooses opponents by hand, or pairs by what has been seen, gets no certificate. A table that
    is plainly none of what it is said to be, with odds of a million to one, is refused; but a table
    that passes is no proof. A league in which all meet equally often is not drawn at random: take
    the share of an arm's wins in a whole season as one reward, with ``maxgap.split``.

    The certificate is the cluster rule, which does not mind that the two rewards of a duel depend
    on each other. That of contrasts does, and is not on offer.

    Parameters
    ----------
    table : pandas.DataFrame, mapping, or what has ``to_pandas``, optional
        A row per duel, in the order in which they took place.
    winner, loser : hashable, or sequences
        Names of two columns of the table; without a table the two sequences themselves.
    chosen : hashable, or sequence, optional
        The column that holds which of the two was chosen; nobody, if it is not given.
    opponents : pandas.DataFrame, optional
        Row i, column j: the probability that j is the opponent if i is chosen, positive. A row for
        every arm, which adds up to 1; the diagonal is ignored.
    delta, confidence
        As in :func:`maxgap.split`.

    Returns
    -------
    TableSplit
        "Ratings" are rewards. Going on with its ``policy()`` or ``next``, draw opponents uniformly
        and tell what becomes of the arm asked for, alone.

    Raises
    ------
    ValueError
        For a row that cannot be used, with the row and the column; for opponents that were not
        drawn as said; for an arm that never was chosen; for arguments that cannot be used.

    Examples
    --------
    >>> import pandas as pd
    >>> duels = pd.DataFrame({"won": [*"abaabb"] * 99, "lost": [*"bacccc"] * 99})
    >>> answer = split_duels(duels, winner="won", loser="lost")
    >>> sorted(answer.top), answer.certified
    (['a', 'b'], True)

    Without the duels of "a" against "c" this is no draw from all pairs:

    >>> few = duels[(duels["won"] != "a") | (duels["lost"] != "c")]
    >>> split_duels(few, winner="won", loser="lost")
    Traceback (most recent call last):
    ...
    ValueError: 'a' and 'b' meet in 198 of 396 duels where about 132 are expected: ...
    """
    asked = {} if chosen is None else {"chosen": chosen}
    columns, places = _answers.columns_of(table, winner=winner, loser=loser, **asked)
    if opponents is not None and chosen is None:
        raise ValueError("opponents must come with chosen, the column of those who were chosen")
    with Duels() as duels:
        try:
            duels.add(columns[0], columns[1])
        except BadRow as bad:
            name, column = ("winner", winner) if bad.is_arm else ("loser", loser)
            raise ValueError(_answers.refusal(bad, name, column, places)) from None
        if chosen is None:
            duels.check_pairs()
            return answer(duels, checked_setting((0, 1), None, delta, confidence, "clusters"))
        _answers.check_arms(duels)
        drawn = _checked_opponents(opponents, duels.labels)
        setting = checked_setting((0, drawn.largest), None, delta, confidence, "clusters")
        with Rows(Range(0.0, drawn.largest)) as rows:
            try:
                _count_chosen(rows, duels, columns[2], drawn)
            except BadRow as bad:
                raise ValueError(_answers.refusal(bad, "chosen", chosen, places)) from None
            return answer(rows, setting)


def _count_chosen(rows: Rows, duels: Duels, chosen: pd.Series, drawn: _Opponents) -> None:
    """Add the rewards of those who were chosen."""
    import pandas as pd

    pairs = np.concatenate([numbers for numbers, _ in duels]).reshape(-1, 2)
    with Rows(Range()) as named:
        codes = named.add(chosen, pd.Series(np.zeros(len(chosen))))
        arms = np.array([duels.find(label) for label in named.labels])[codes]
    won, lost = arms == pairs[:, 0], arms == pairs[:, 1]
    if not (won | lost).all():
        at = int((~(won | lost)).argmax())
        raise BadRow(at, True, f"{chosen.iloc[at]!r} is neither the winner nor the loser")
    n_arms = len(duels.labels)
    counts = np.bincount(arms, minlength=n_arms)
    if not counts.all():
        raise ValueError(
            f"{duels.labels[int(counts.argmin())]!r} never was chosen: nothing counts for it"
        )
    met = np.where(won, pairs[:, 1], pairs[:, 0])
    _check_met(arms, met, drawn.probabilities, duels.labels)
    weights = 1 / ((n_arms - 1) * drawn.probabilities[arms, met])
    # The largest weight is a bound, which its rounding must not exceed.
    rows.add(chosen, pd.Series(won * np.minimum(weights, drawn.largest)))


def _check_met(arms: Integers, met: Integers, probabilities: Floats, labels: Sequence[Any]) -> None:
    """A ValueError if opponents were plainly not drawn with these probabilities."""
    from scipy.special import logsumexp

    n_arms = len(labels)
    counts = np.zeros((n_arms, n_arms), dtype=np.int64)
    np.add.at(counts, (arms, met), 1)
    surprises = [
        surprise(counts[arm, seen], probabilities[arm, seen], n_arms - 1)
        for arm, seen in enumerate(counts > 0)
    ]
    # An average of capitals is one, too.
    if logsumexp(surprises) - math.log(n_arms) > -math.log(RARE):
        arm = int(np.argmax(surprises))
        expected = counts[arm].sum() * probabilities[arm]
        off = np.abs(counts[arm] - expected) / np.sqrt(np.maximum(expected, 1e-300))
        other = int(off.argmax())
        raise ValueError(
            f"the opponents of {labels[arm]!r} were not drawn as said: it meets {labels[other]!r} "
            f"in {counts[arm, other]:,} of {counts[arm].sum():,} duels, expected are "
            f"{expected[other]:.1f}; if their probabilities were others, give them as opponents="
        )


def surprise(counts: Integers, probabilities: Floats, n_kinds: int) -> float:
    """Logarithm of the capital of who bets that draws are not from these probabilities.

    The bets are those of a Dirichlet mixture. If draws are from them, given all before, the capital
    is a martingale that starts with 1: it ever reaches 1/x with a probability of at most x,
    whenever one looks and whatever decides if there is a next draw. ``counts`` has only the kinds
    that were drawn at all.

    Examples
    --------
    >>> even, uneven = np.array([10, 10]), np.array([19, 1])
    >>> surprise(even, np.full(2, 0.5), 2) < 0 < surprise(uneven, np.full(2, 0.5), 2)
    True
    """
    from scipy.special import gammaln

    mixed = gammaln(counts + 0.5) - gammaln(0.5)
    total = gammaln(n_kinds / 2) - gammaln(n_kinds / 2 + counts.sum())
    return float(total + mixed.sum() - (counts * np.log(probabilities)).sum())


def _checked_opponents(opponents: Any, labels: Sequence[Any]) -> _Opponents:
    """The probabilities in the order of the labels; uniform ones if none are given."""
    n_arms = len(labels)
    if opponents is None:
        uniform = np.full((n_arms, n_arms), 1 / (n_arms - 1))
        np.fill_diagonal(uniform, 0.0)
        return _Opponents(uniform, 1.0)
    import pandas as pd

    if not isinstance(opponents, pd.DataFrame):
        raise ValueError(f"opponents must be a DataFrame with labels, got {opponents!r}")
    matrix = as_floats(opponents)
    orders = []
    for given in (opponents.index, opponents.columns):
        index = {label_key(label): at for at, label in enumerate(given)}
        order = [index.get(label_key(label), -1) for label in labels]
        if len(given) != n_arms or len(index) != n_arms or -1 in order:
            raise ValueError(
                "opponents must have a row and a column for every arm of the table, "
                f"got {list(given)} for {list(labels)}"
            )
        orders.append(order)
    if matrix is None:
        raise ValueError(f"opponents must be numbers, got {opponents!r}")
    matrix = matrix[np.ix_(*orders)]
    np.fill_diagonal(matrix, 0.0)
    others = ~np.eye(n_arms, dtype=bool)
    positive = (matrix > 0) | ~others
    if not positive.all():
        i, j = (int(at) for at in np.argwhere(~positive)[0])
        raise ValueError(
            f"opponents: the probability that {labels[i]!r} meets {labels[j]!r} must be positive, "
            f"or no duel shows who wins, got {matrix[i, j]:g}"
        )
    sums = matrix.sum(axis=1)
    if not (np.abs(sums - 1) <= 1e-6).all():
        at = int(np.abs(sums - 1).argmax())
        raise ValueError(f"opponents: those of {labels[at]!r} must add up to 1, got {sums[at]:g}")
    return _Opponents(matrix, float((1 / ((n_arms - 1) * matrix[others])).max()))
