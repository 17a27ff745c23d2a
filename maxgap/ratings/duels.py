"""From a table of duels, who won against whom, to Borda scores and a certified split."""

from __future__ import annotations

import math
import re
from collections.abc import Hashable, Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import gammaln, logsumexp

from maxgap.policies.max_gap_partition import members
from maxgap.ratings.question import Question
from maxgap.ratings.rows import Floats, Integers, Rows, add_table, check, codes_of, key_of
from maxgap.ratings.splits import TableSplit, split_of

__all__ = ["Duels", "split_duels", "surprise"]

#: A table is refused if opponents drawn uniformly would ever look like these so rarely.
RARE = 1e-6
#: Words for a draw; an arm of such a name is one if it wins or loses at most this share of duels.
DRAW = re.compile(r"(tied?|drawn?|both|neither|none|equal|remis)\b.*", re.IGNORECASE | re.DOTALL)
HARDLY = 0.01
#: Of both if the first has won, if the second has, if nobody has.
REWARDS = np.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]])
NOBODY = 2


class Duels(Rows):
    """Duels in their order, each two rows, with NaN for a reward that does not count.

    Columns are winner and loser, or winner and the two of the pair; then perhaps who was chosen.
    """

    def __init__(self, pair: Sequence[Any], draws: str | None, *, chosen: bool) -> None:
        super().__init__()
        self._draws, self._chosen = draws, chosen
        self._side = {key_of(name): side for side, name in enumerate(pair)}
        self._n_draws = 0

    def add(self, *columns: pd.Series) -> None:
        """Add duels, or raise `BadRow` for the first that cannot be used."""
        one, other = (1, 2) if self._side else (0, 1)
        sides = [columns[one], columns[other]]
        if sides[0].dtype != sides[1].dtype:  # of whole numbers together pandas makes floats
            sides = [side.astype(object) for side in sides]
        in_turn = np.arange(2 * sides[0].size).reshape(2, -1).T.ravel()
        pairs = self.arms.numbers(pd.concat(sides).iloc[in_turn]).reshape(-1, 2)
        won = self._sides(columns[0], pairs) if self._side else np.zeros(len(pairs), np.int64)
        chosen = self._sides(columns[-1], pairs) if self._chosen else won
        drawn = won == NOBODY
        neither = "{!r} is neither of the two".format
        undecided = "{!r} is neither of the two; say what a draw is: half, or drop it".format
        check(
            columns,
            (pairs[:, 0] < 0, one, self.arms.why_not),
            (pairs[:, 1] < 0, other, self.arms.why_not),
            (pairs[:, 0] == pairs[:, 1], other, "{!r} plays itself".format),
            (won < 0, 0, neither),
            (drawn & (self._draws is None), 0, undecided),
            (((chosen < 0) | (chosen > 1)) & self._chosen, len(columns) - 1, neither),
        )
        values = REWARDS[won]
        if self._chosen:
            values[np.arange(len(pairs)), 1 - chosen] = math.nan
        self._n_draws += int(drawn.sum())
        self._keep(pairs.ravel(), values.ravel())

    def _sides(self, told: pd.Series, pairs: Integers) -> Integers:
        """Which of its two each row tells: 0 or 1, NOBODY, or -1 for neither of these."""
        codes, labels = codes_of(told)
        arms, sides = np.array([*map(self._meant, labels), (-1, -1)])[codes].T
        at_first, at_second = (arms == pairs.T) & (arms >= 0)
        return np.select([at_first, at_second], [0, 1], sides)

    def _meant(self, label: Hashable) -> tuple[int, int]:
        """The number of an arm, or else the side of a column's name or a word; -1 for none."""
        if (number := self.arms.find(label)) is not None:
            return number, -1
        return -1, self._side.get(key_of(label), NOBODY if _is_draw(label) else -1)

    @property
    def notes(self) -> tuple[str, ...]:
        """Also what a rating is, and what becomes of draws."""
        what = "one rating, of the arm that was chosen" if self._chosen else "two, one of each arm"
        draws = "count half a win" if self._draws == "half" else "are left out"
        more = [f"{self._n_draws:,} draws {draws}."] * (self._n_draws > 0)
        return (*super().notes, f"Ratings: a duel is {what}.", *more)

    def __iter__(self) -> Iterator[tuple[Integers, Floats]]:
        for numbers, values in super().__iter__():
            counts = ~np.isnan(values) & ((self._draws != "drop") | (values != 0.5))
            yield numbers[counts], values[counts]

    def check(self) -> None:
        """A ValueError if duels plainly do not come about as said."""
        self.check_arms()
        n_arms = len(self.labels)
        numbers, values = map(np.concatenate, zip(*super().__iter__(), strict=True))
        pairs = numbers.reshape(-1, 2)
        seats = np.array([np.bincount(side, minlength=n_arms) for side in pairs.T])
        for label, won, lost in zip(self.labels, *seats.tolist(), strict=True):
            if not self._side and _is_draw(label) and min(won, lost) <= HARDLY * (won + lost):
                raise ValueError(
                    f"{label!r} wins {won:,} and loses {lost:,} duels: a draw has no place among "
                    "winners: name both of a duel (pair=, --pair) and say whether a "
                    "draw counts half or is left out (draws=, --draws)"
                )
        counts = self.moments().counts
        if not counts.all():
            why = "has only draws" if self._draws == "drop" else "never was chosen"
            raise ValueError(f"{self.labels[counts.argmin()]!r} {why}: nothing counts for it")
        if self._chosen:  # the chosen one first
            pairs = np.where(np.isnan(values[::2, None]), pairs[:, ::-1], pairs)
        else:
            pairs = np.sort(pairs, axis=1)
        kinds, counts = np.unique(pairs @ [n_arms, 1], return_counts=True)
        arms, others = np.divmod(kinds, n_arms)
        # Of each arm that is chosen the opponents are drawn; without, all pairs at once.
        n_kinds = n_arms - 1 if self._chosen else n_arms * (n_arms - 1) // 2
        parts = members(arms if self._chosen else np.zeros_like(arms))
        surprises = [surprise(counts[part], n_kinds) for part in parts]
        # An average of capitals is one, too.
        if logsumexp(surprises) - math.log(len(parts)) <= -math.log(RARE):
            return
        part = parts[int(np.argmax(surprises))]
        at, total = part[counts[part].argmax()], counts[part].sum()
        one, other = self.labels[arms[at]], self.labels[others[at]]
        why = (
            f"the opponents of {one!r} were not drawn uniformly"
            if self._chosen
            else "pairs were not drawn uniformly, so a duel does not count for both; if one was "
            "chosen and the other drawn, count it for the chosen one alone (chosen=, --chosen)"
        )
        raise ValueError(
            f"{one!r} and {other!r} meet in {counts[at]:,} of {total:,} duels where about "
            f"{total / n_kinds:,.0f} are expected: {why}"
        )


def _is_draw(label: Any) -> bool:
    return isinstance(label, str) and DRAW.fullmatch(label.strip()) is not None


def split_duels(
    table: Any = None,
    *,
    winner: Any,
    loser: Any = None,
    pair: tuple[Any, Any] | None = None,
    draws: str | None = None,
    chosen: Any = None,
    delta: float = 0.05,
    confidence: Any = None,
) -> TableSplit:
    """Where the largest gap between Borda scores is, and whether these duels certify it.

    The Borda score of an arm is the probability that it beats an opponent drawn uniformly from all
    other arms of the table. A duel is a reward of an arm, 1 if won and 0 if lost, if the opponent
    was drawn so. Hence it matters how duels were arranged, which a table does not show:

    - Pairs drawn uniformly from all pairs, whatever happened before: a duel counts for both.
    - An arm chosen by whatever rule, and its opponent drawn from the others: a duel counts for the
      arm in ``chosen`` alone, as whoever is chosen more often is met more often.

    Opponents drawn otherwise or chosen by hand, pairs by what has been seen, and leagues give no
    certificate. A table that is plainly not what it is said to be, with odds of a million to one,
    is refused; one that passes is no proof. The certificate is the cluster rule, as that of
    contrasts would mind that the two rewards of a duel depend on each other. Going on with the
    answer's ``policy()`` or ``next``, draw opponents uniformly, and tell what becomes of the arm
    asked for, alone.

    Parameters
    ----------
    table : pandas.DataFrame, mapping, or what has ``to_pandas``, optional
        A row per duel, in the order in which they took place.
    winner, loser : hashable, or sequences
        Columns, named as ``arm`` and ``reward`` of :func:`maxgap.split`.
    pair : (hashable, hashable), or two sequences, optional
        In place of ``loser`` the two columns of who met, where there are draws: ``winner`` then
        holds one of the two, the name of its column, or a word such as "tie", "draw" or "both bad".
    draws : {"half", "drop"}, optional
        Half a win for each; or left out, and scores are shares of decided duels. Else refused.
    chosen : hashable, or sequence, optional
        The column that holds which of the two was chosen.
    delta, confidence
        As in :func:`maxgap.split`.

    Raises
    ------
    ValueError
        As :func:`maxgap.split`; for opponents that were not drawn so, and an arm never chosen.

    Examples
    --------
    >>> import pandas as pd
    >>> duels = pd.DataFrame({"won": [*"abaabb"] * 99, "lost": [*"bacccc"] * 99})
    >>> answer = split_duels(duels, winner="won", loser="lost")
    >>> sorted(answer.top), answer.certified
    (['a', 'b'], True)
    """
    if (loser is None) == (pair is None):
        raise ValueError(f"give loser= or else pair=, got loser {loser!r} and pair {pair!r}")
    if draws is not None and (draws not in ("half", "drop") or pair is None):
        raise ValueError(f"draws must be 'half' or 'drop' and come with pair, got {draws!r}")
    columns = {"winner": winner, "loser": loser}
    names: Sequence[Any] = ()
    if pair is not None:
        if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 2:
            raise ValueError(f"pair must be two columns, got {pair!r}")
        columns |= {"pair[0]": pair[0], "pair[1]": pair[1]}
        names = (object(), object()) if table is None else pair
    duels = Duels(names, draws, chosen=chosen is not None)
    add_table(duels, table, **columns, chosen=chosen)
    duels.check()
    return split_of(duels, Question.asked((0, 1), None, delta, confidence, "clusters"))


def surprise(counts: Integers, n_kinds: int) -> float:
    """Logarithm of the capital of who bets, by a Dirichlet mixture, against uniform draws.

    If each of ``n_kinds`` is drawn uniformly, given all before, the capital is a martingale that
    starts with 1: it ever reaches 1/x with a probability of at most x. ``counts`` has only the
    kinds that were drawn.
    """
    mixed = gammaln(counts + 0.5) - gammaln(0.5)
    total = gammaln(n_kinds / 2) - gammaln(n_kinds / 2 + counts.sum())
    return float(total + mixed.sum() + counts.sum() * math.log(n_kinds))
