"""The fast way to gap bounds in plain Python: the bounds of the paper's procedure."""

from time import process_time

import numpy as np
from hypothesis import given, settings
from strategies import intervals

from maxgap.reference import gap_upper_bounds
from maxgap_book.slots import right_bounds_by_slots
from maxgap_book.studies.gap_bounds import milliseconds, random_intervals


@given(intervals(max_arms=7))
@settings(max_examples=300)
def test_slots_give_the_bounds_of_the_papers_procedure(pair):
    assert right_bounds_by_slots(*pair) == gap_upper_bounds(*pair).right.tolist()


def test_random_intervals_have_ends_that_coincide_and_ends_that_do_not():
    rng = np.random.default_rng(1)
    found = set()
    for _ in range(40):
        lower, upper = random_intervals(rng, 6)
        assert (lower <= upper).all()
        ends = np.concatenate([lower, upper])
        found.add(bool(np.all(8 * ends == np.round(8 * ends))))
    assert found == {True, False}


def test_the_shortest_of_many_calls_is_taken():
    spent = iter([0.03, 0.001, 0.04, 1.0])
    seen = []

    def method(lower, upper):
        seen.append(lower.size)
        end = process_time() + next(spent)
        while process_time() < end:
            pass

    assert 1 <= milliseconds(method, [3], seed=1)[3] < 20
    assert seen == [3, 3, 3]
