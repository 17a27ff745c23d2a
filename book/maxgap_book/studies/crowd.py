"""Ratings from a crowd, asked for one question at a time: the crowd is simulated, the rest is not.

Who answers a question is drawn at random from many raters, who differ in how generous they are.
Answers come late, twice, or not at all.
"""

from __future__ import annotations

import heapq
import json
from collections.abc import Hashable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from maxgap.policies import Policy

__all__ = ["STARS", "Crowd", "Desk", "Reply", "collect", "means_of"]

#: The ratings there are.
STARS = np.arange(1, 6)
#: Standard deviations of raters' generosity, and of one rater's rating of one item.
GENEROSITY, NOISE = 0.3, 0.5
#: Ends of what a rater feels, between one number of stars and the next.
ENDS = np.array([1.5, 2.5, 3.5, 4.5])


class Reply(NamedTuple):
    """What a rater sends: the number of the question, and the stars."""

    question: int
    stars: int


def means_of(quality: Mapping[Hashable, float]) -> dict[Hashable, float]:
    """Mean number of stars of every item, over all raters.

    Examples
    --------
    >>> round(means_of({"a": 3.0})["a"], 6)
    3.0
    """
    spread = np.hypot(GENEROSITY, NOISE)
    return {item: float(1 + norm.sf(ENDS, q, spread).sum()) for item, q in quality.items()}


class Crowd:
    """Raters: a question goes to one of them at random, who may answer, late, twice, or never.

    Whether and when does not depend on the stars. That is what the guarantee needs of a crowd.

    Parameters
    ----------
    quality : mapping of hashable to float
        Item -> what raters feel about it in the middle, about 1 to 5.
    rng : numpy.random.Generator
        Source of everything.
    lost, doubled : float
        Shares of the answers that never come, and that come twice.
    delay : float
        Mean number of days until an answer comes.
    """

    def __init__(
        self,
        quality: Mapping[Hashable, float],
        rng: np.random.Generator,
        *,
        lost: float = 0.1,
        doubled: float = 0.05,
        delay: float = 3.0,
    ) -> None:
        self._quality, self._rng = quality, rng
        self._lost, self._doubled, self._delay = lost, doubled, delay
        self._day = 0
        self._coming: list[tuple[int, Reply]] = []

    def rate(self, items: Sequence[Hashable]) -> NDArray[np.int64]:
        """The stars of every item, each from a rater drawn at random."""
        felt = np.array([self._quality[item] for item in items])
        felt += self._rng.normal(0.0, GENEROSITY, felt.size) + self._rng.normal(
            0.0, NOISE, felt.size
        )
        return np.clip(np.rint(felt), STARS[0], STARS[-1]).astype(np.int64)

    def send(self, questions: Sequence[int], items: Sequence[Hashable]) -> None:
        """Put each question to someone."""
        stars, n = self.rate(items), len(items)
        copies = np.where(self._rng.random(n) < self._doubled, 2, 1)
        copies[self._rng.random(n) < self._lost] = 0
        days = self._day + self._rng.geometric(1 / self._delay, (2, n))
        for k in range(n):
            for day in days[: copies[k], k]:
                heapq.heappush(self._coming, (int(day), Reply(questions[k], int(stars[k]))))

    def answers(self) -> list[Reply]:
        """Those that come on the next day."""
        self._day += 1
        found = []
        while self._coming and self._coming[0][0] <= self._day:
            found.append(heapq.heappop(self._coming)[1])
        return found


class Desk:
    """The list of questions: each counts once, however often it is answered.

    Attributes
    ----------
    questions : list of (hashable, int)
        Of every question, by its number, the item and the day on which it was sent.
    answered : set of int
        Numbers of those that were.
    day : int
        Today.
    """

    #: Days after which an answer is expected no more; it still counts when it comes.
    patience = 20

    def __init__(self) -> None:
        self.questions: list[tuple[Hashable, int]] = []
        self.answered: set[int] = set()
        self.day = 0

    def pending(self) -> list[Hashable]:
        """Items of the questions that wait for an answer that may still come."""
        first = len(self.questions)
        while first > 0 and self.questions[first - 1][1] > self.day - self.patience:
            first -= 1
        return [
            self.questions[number][0]
            for number in range(first, len(self.questions))
            if number not in self.answered
        ]

    def send(self, crowd: Crowd, items: Sequence[Hashable]) -> None:
        """Put a question about each of these items to the crowd."""
        first = len(self.questions)
        self.questions += [(item, self.day) for item in items]
        crowd.send(range(first, len(self.questions)), items)

    def receive(self, answers: list[Reply]) -> list[tuple[Hashable, int]]:
        """Item and stars of every answer to a question that had none; the day is over."""
        self.day += 1
        rows = []
        for number, stars in answers:
            if number not in self.answered:
                self.answered.add(number)
                rows.append((self.questions[number][0], stars))
        return rows

    def save(self, path: Path) -> None:
        """Write it down, to go on another day."""
        content = [self.day, sorted(self.answered), self.questions]
        path.write_text(json.dumps(content), encoding="utf-8")

    @classmethod
    def load(cls, path: Path) -> Desk:
        """What was written down."""
        desk = cls()
        desk.day, answered, questions = json.loads(path.read_text(encoding="utf-8"))
        desk.answered = set(answered)
        desk.questions = [(item, day) for item, day in questions]
        return desk


def collect(
    policy: Policy,
    crowd: Crowd,
    desk: Desk,
    *,
    open_at_once: int = 60,
    until: int = 1_000_000,
) -> None:
    """Ask and tell until it stops, or ``until`` questions were sent."""
    while not policy.stopped and len(desk.questions) < until:
        pending = desk.pending()
        if len(pending) < open_at_once:
            size = open_at_once - len(pending)
            desk.send(crowd, policy.batch(size, pending))
        rows = desk.receive(crowd.answers())
        if rows:
            items, stars = zip(*rows, strict=True)
            policy.tell(items, stars)
