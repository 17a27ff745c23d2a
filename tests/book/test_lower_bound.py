"""Samples of one of the four arms, by policy and epsilon, are those of the runs."""

import numpy as np
import pytest

from maxgap import RoundRobin, SortThenSearch, problems, simulate
from maxgap_book.known_order import search_known_order
from maxgap_book.studies.lower_bound import arm_samples, ends_over

EPSILONS = [0.4, 0.3]


@pytest.fixture(scope="module")
def runs():
    policies = {"RoundRobin": RoundRobin(4), "SortThenSearch": SortThenSearch(4)}
    instances = [problems.four_arms(epsilon, 1.0) for epsilon in EPSILONS]
    studies = [
        simulate.replicate(
            policies, problem, budget=400, replicates=9, checkpoints=1, seed=i, n_jobs=1
        )
        for i, problem in enumerate(instances)
    ]
    told = [
        search_known_order(problem, delta=0.1, budget=10_000, replicates=9, seed=i)
        for i, problem in enumerate(instances)
    ]
    return studies, told


def test_every_mean_stands_in_its_row(runs):
    studies, told = runs
    table = arm_samples(studies, told, EPSILONS, arm=3)
    assert table["policy"].unique().tolist() == ["RoundRobin", "SortThenSearch", "knows the order"]
    assert table["epsilon"].tolist() == EPSILONS * 3
    sort = table[table["policy"] == "SortThenSearch"]
    assert sort["mean"].tolist() == [study.counts[1, -1, 3] for study in studies]
    order = table[table["policy"] == "knows the order"]
    assert order["mean"].tolist() == [run.counts[:, 3].mean() for run in told]
    assert order["error"].tolist() == pytest.approx([run.counts[:, 3].std() / 3 for run in told])
    assert np.allclose(table["high"] - table["mean"], 1.96 * table["error"], rtol=1e-3)


def test_the_ends_are_those_of_the_policies_asked_for(runs):
    table = arm_samples(*runs, EPSILONS, arm=0)
    robin = table[table["policy"] == "RoundRobin"]
    least, most = ends_over(table, [2.0, 4.0], ["RoundRobin"])
    assert least == pytest.approx((robin["low"].to_numpy() / [2.0, 4.0]).min())
    assert most == pytest.approx((robin["high"].to_numpy() / [2.0, 4.0]).max())
