"""The fast way to gap bounds in plain Python: the bounds of the paper's procedure."""

from hypothesis import given, settings
from strategies import intervals

from maxgap.reference import gap_upper_bounds
from maxgap_book.slots import right_bounds_by_slots


@given(intervals(max_arms=7))
@settings(max_examples=300)
def test_slots_give_the_bounds_of_the_papers_procedure(pair):
    assert right_bounds_by_slots(*pair) == gap_upper_bounds(*pair).right.tolist()
