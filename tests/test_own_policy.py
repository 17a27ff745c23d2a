"""Policies of the reader's own: a dozen lines of plain Python, beside the compiled ones."""

import copy
import pickle

import numpy as np
import pytest

import maxgap
from maxgap import MaxGapElim, MaxGapTop2UCB, MaxGapUCB, Policy, Problem, RoundRobin, simulate

PROBLEM = Problem([0.0, 0.1, 0.2, 1.0, 1.1, 1.25], sigma=0.3)


class WidestGap(Policy):
    """The two arms around the widest empirical gap."""

    def choose(self):
        order = np.argsort(self.means)
        k = int(np.argmax(np.diff(self.means[order])))
        return [self.arms[order[k]], self.arms[order[k + 1]]]


class InPython(Policy):
    """Algorithm 2 once more, from the public bounds."""

    def choose(self):
        bounds = self.gap_bounds().either
        return [arm for arm, bound in zip(self.arms, bounds, strict=True) if bound == bounds.max()]


class Patient(WidestGap):
    """Stops by a rule of its own, and has a memory."""

    def __init__(self, arms, *, rounds, **settings):
        super().__init__(arms, **settings)
        self.rounds = rounds
        self.seen = []

    def may_stop(self):
        self.seen.append(int(self.counts.sum()))
        return len(self.seen) >= self.rounds


def test_it_asks_for_what_it_chooses_once_every_arm_has_a_sample():
    policy = WidestGap(["a", "b", "c"], sigma=0.1)
    assert policy.ask() == ["a", "b", "c"]
    policy.tell(["a", "b"], [0.0, 0.1])
    assert policy.ask() == ["c"]
    policy.tell("c", 1.0)
    assert policy.ask() == policy.ask() == ["b", "c"]


def test_it_may_stop_certified_by_the_cluster_rule_only():
    policy = WidestGap(["a", "b", "c"], sigma=0.01)
    policy.tell(["a", "b", "c"], [0.0, 0.1, 1.0])
    assert (policy.stopped, policy.certified) == (True, True)
    assert policy.recommend().top == {"c"}
    with pytest.raises(ValueError, match="stopping"):
        WidestGap(3, stopping="paper")


def test_a_rule_of_its_own_stops_and_certifies_nothing():
    policy = Patient(3, rounds=3, stopping=None)
    for k in range(3):
        assert not policy.stopped
        policy.tell([0, 1, 2], [0.0, 0.1, 1.0])
        assert policy.seen == [3, 6, 9][: k + 1]
    assert (policy.stopped, policy.certified, policy.ask()) == (True, False, [])
    assert policy.recommend().top == {2}


@pytest.mark.parametrize("stopping", ["clusters", None])
@pytest.mark.parametrize("seed", range(5))
def test_algorithm_2_in_python_runs_as_the_compiled_one_sample_for_sample(stopping, seed):
    settings = {"sigma": 0.3, "stopping": stopping, "delta": 0.1}
    runs = [
        simulate.run(cls(6, **settings), PROBLEM, budget=1500, rng=np.random.default_rng(seed))
        for cls in (InPython, MaxGapUCB)
    ]
    plain, compiled = runs
    assert plain.counts.tolist() == compiled.counts.tolist()
    assert plain[:4] == compiled[:4]
    assert plain.split == compiled.split


def test_studies_take_both_kinds_and_any_number_of_workers_gives_the_same():
    policies = {
        "plain": InPython(6, sigma=0.3, stopping=None),
        "compiled": MaxGapUCB(6, sigma=0.3, stopping=None),
        "own": WidestGap(6, sigma=0.3),
        "patient": Patient(6, rounds=40, sigma=0.3, stopping=None),
    }
    tables = [
        simulate.replicate(
            policies, PROBLEM, budget=400, replicates=12, checkpoints=[100, 400], seed=3, n_jobs=n
        )
        for n in (1, 2)
    ]
    assert tables[0].errors.equals(tables[1].errors)
    assert tables[0].stops.equals(tables[1].stops)
    # Every run has a memory of its own, and the policy that was given has none of it.
    stops = tables[0].stops.query("policy == 'patient'")
    assert stops["stopped"].all()
    assert not stops["certified"].any()
    assert policies["patient"].seen == []


def test_copies_and_pickles_work_and_files_are_refused(tmp_path):
    policy = WidestGap(3)
    policy.tell([0, 1, 2], [0.0, 0.5, 1.0])
    for other in (copy.copy(policy), pickle.loads(pickle.dumps(policy))):
        assert type(other) is WidestGap
        other.tell(0, 9.0)
        assert policy.counts.tolist() == [1, 1, 1]
    with pytest.raises(ValueError, match="only the package's own policies can be saved"):
        policy.save(tmp_path / "policy.json")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("chosen", "complaint"),
    [([], "must name an arm"), ([7], "unknown label 7"), (["a"], "unknown label 'a'")],
)
def test_what_is_no_arm_cannot_be_chosen(chosen, complaint):
    class Odd(Policy):
        def choose(self):
            return chosen

    policy = Odd(3)
    policy.tell([0, 1, 2], [0.0, 0.5, 1.0])
    with pytest.raises(ValueError, match=complaint):
        policy.ask()
    # Nothing is lost, and it can be told on.
    policy.tell(1, 0.5)
    assert policy.counts.tolist() == [1, 2, 1]


def test_a_policy_that_does_not_say_what_to_choose_says_so():
    policy = Policy(2)
    policy.tell([0, 1], [0.0, 0.0])
    with pytest.raises(NotImplementedError, match="choose"):
        policy.ask()


def test_a_subclass_of_a_policy_of_the_paper_runs_as_that_says():
    class Lazy(MaxGapTop2UCB):
        def choose(self):
            return self.arms[:1]

    policy = Lazy(6, sigma=0.3, stopping=None)
    ended = simulate.run(policy, PROBLEM, budget=50, rng=np.random.default_rng(1))
    assert ended.counts.tolist() == [45, 1, 1, 1, 1, 1]


def test_the_paper_chooses_what_it_asks_for():
    for cls in (RoundRobin, MaxGapElim, MaxGapUCB, MaxGapTop2UCB):
        policy = cls(["a", "b", "c"], sigma=0.1)
        policy.tell(["a", "b", "c"], [0.0, 0.01, 1.0])
        policy.tell(["a", "b"], [0.0, 0.01])
        assert list(policy.choose()) == policy.ask()


# -- what it costs to add one --------------------------------------------------------------------


def test_a_radius_and_a_rule_are_added_from_outside_and_prove_nothing():
    def narrow(n, *, delta, n_arms, sigma):
        return 0.1 * sigma / np.sqrt(n)

    class Half(Policy):
        def choose(self):
            return self.arms

        def may_stop(self):
            return self.gap_lower().value > 0.5

    policy = Half(3, sigma=1.0, confidence=narrow, stopping=None)
    policy.tell([0, 1, 2], [0.0, 0.1, 0.8])
    assert (policy.stopped, policy.certified) == (False, False)
    policy.tell([2], [1.0])
    assert (policy.stopped, policy.certified) == (True, False)
    certified = Half(3, sigma=1.0, confidence=narrow)
    certified.tell([0, 1, 2], [0.0, 0.1, 1.5])
    assert (certified.stopped, certified.certified) == (True, False)
    assert not maxgap.confidence.guarantees(narrow)
