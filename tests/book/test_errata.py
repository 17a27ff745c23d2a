"""The early rule of MaxGapElim: what fails as printed and as worded, what is right when mended."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from scipy import stats
from strategies import drawn_intervals, symmetric_estimates

from maxgap.confidence import radius
from maxgap.reference import Estimates, clusters, gap_lower_bound, gap_upper_bounds
from maxgap_book.errata import early_stop_as_printed, early_stop_as_worded, early_stop_by_ends

seeded = settings(derandomize=True, deadline=None)


class TestEarlyStopping:
    true_means = np.array([0.0, 1.0, 1.02, 1.97])
    seen = np.array([0.05, 1.0, 1.02, 2.0])

    def test_as_printed_it_stops_with_a_wrong_answer_while_all_intervals_hold(self):
        lower, upper = self.seen - 0.1, self.seen + 0.1
        assert ((lower <= self.true_means) & (self.true_means <= upper)).all()
        assert np.argmax(np.diff(self.true_means)) == 0  # the right top cluster has three arms
        assert early_stop_as_printed(self.seen, lower, upper)
        assert gap_lower_bound(self.seen, lower, upper).split_rank == 1

    def test_asked_of_every_arm_of_the_cluster_the_same_formula_does_not_stop(self):
        lower, upper = self.seen - 0.1, self.seen + 0.1
        bounds = gap_upper_bounds(lower, upper)
        value = gap_lower_bound(self.seen, lower, upper).value
        assert bounds.left[1] > value

    def test_simulated_the_printed_formula_errs_far_more_often_than_delta(self):
        # Round robin, intervals valid for delta = 0.05 (Hoeffding and a union bound over samples),
        # looked at after every 100 samples of each arm, up to 2,000.
        rng = np.random.default_rng(20190901)
        n_runs, wrong = 100, 0
        for _ in range(n_runs):
            total = np.zeros(4)
            for n in range(100, 2001, 100):
                total += rng.normal(100 * self.true_means, 10.0)
                means = total / n
                radius = math.sqrt(2 * math.log(4 * 4 * n**2 / 0.05) / n)
                if early_stop_as_printed(means, means - radius, means + radius):
                    wrong += gap_lower_bound(means, means - radius, means + radius).split_rank != 3
                    break
        assert wrong > 20  # a rule that errs with probability 0.05 does this once in 1e8

    @given(symmetric_estimates())
    @settings(seeded, max_examples=800)
    def test_as_worded_it_never_stops(self, triple):
        assert not early_stop_as_worded(*triple)

    def test_as_worded_it_does_not_even_stop_once_the_means_are_known(self):
        assert not early_stop_as_worded([0.0, 1.0, 5.0], [0.0, 1.0, 5.0], [0.0, 1.0, 5.0])
        assert early_stop_as_printed([0.0, 1.0, 5.0], [0.0, 1.0, 5.0], [0.0, 1.0, 5.0])

    def test_nothing_stops_before_a_gap_is_detected(self):
        assert not early_stop_as_printed([0.0, 1.0], [-9.0, -8.0], [9.0, 10.0])


def test_the_early_stop_as_printed_is_wrong_in_half_of_the_runs_where_the_corrected_rule_is_right():
    """Means 0, 1, 1.02, 1.97: as printed, the rule does not look at the arms next to the split."""
    rng = np.random.default_rng(5)
    true = np.array([0.0, 1.0, 1.02, 1.97])
    n = np.geomspace(300, 600_000, 40).astype(int)
    half_width = radius("normal-mixture", n, delta=0.1, n_arms=4)
    runs, printed, printed_wrong, corrected, corrected_wrong = 80, 0, 0, 0, 0
    for _ in range(runs):
        steps = np.diff(n, prepend=0)
        noise = np.cumsum(rng.standard_normal((4, n.size)) * np.sqrt(steps), axis=1) / n
        done_printed = done_corrected = False
        for means, c in zip((true[:, None] + noise).T, half_width, strict=True):
            lower, upper = means - c, means + c
            bound = gap_lower_bound(means, lower, upper)
            if bound.value <= 0:
                continue
            wrong = bound.split_rank != 3
            if not done_printed and early_stop_as_printed(means, lower, upper):
                done_printed = True
                printed, printed_wrong = printed + 1, printed_wrong + wrong
            gaps = gap_upper_bounds(lower, upper)
            top = np.argsort(-means)[: bound.split_rank]
            bottom = np.argsort(-means)[bound.split_rank :]
            if (gaps.right[top] < bound.value).all() and (gaps.left[bottom] < bound.value).all():
                done_corrected = True
                corrected, corrected_wrong = corrected + 1, corrected_wrong + wrong
            if done_corrected:
                break
    assert printed == runs
    assert printed_wrong > 0.25 * runs
    assert corrected > 0.9 * runs
    assert corrected_wrong <= stats.binom.ppf(1 - 1e-4, corrected, 0.1)


def test_the_early_rule_with_its_end_mended_is_the_cluster_rule_if_all_intervals_are_as_wide():
    rng = np.random.default_rng(9)
    held = 0
    for _ in range(1500):
        lower, upper = drawn_intervals(rng, rng.integers(2, 6), equal=True)
        means = (lower + upper) / 2
        estimates = Estimates(len(means), draw=means.__getitem__, radius=lambda n: 0.5)
        estimates.sample(estimates.arms)
        mended = early_stop_by_ends(means, lower, upper)
        assert mended == clusters(estimates, estimates.arms)
        held += mended
    assert 50 < held < 1450


@pytest.mark.parametrize("function", [early_stop_as_printed, early_stop_as_worded])
def test_unusable_means_are_refused(function):
    with pytest.raises(ValueError, match=r"means\[0\] must be finite, not nan"):
        function([math.nan, 1], [0, 1], [1, 2])
    with pytest.raises(ValueError, match="means and lower must have equal lengths"):
        function([0, 1, 2], [0, 1], [1, 2])
