"""MaxGapTop2UCB: where the printed rule errs."""

import numpy as np
from states import decided

from maxgap import MaxGapTop2UCB

# -- decisions -------------------------------------------------------------------------------------


def test_top2_as_printed_can_stop_on_the_wrong_gap_and_as_its_authors_ran_it_waits():
    # The certain gap is 0.99; means 0, 1, 2.6 lie in the intervals and put the largest gap above.
    estimate = np.array([0.0, 1.75, 1.8]), np.array([-0.01, 1.0, 1.05]), np.array([0.01, 2.5, 2.6])
    policy = decided(MaxGapTop2UCB, estimate, stopping="literal")
    assert policy.stopped
    assert not policy.certified
    assert policy.recommend().top == {1, 2}
    assert not decided(MaxGapTop2UCB, estimate, stopping="paper").stopped
    assert not decided(MaxGapTop2UCB, estimate, stopping="clusters").stopped
