"""Mean samples of the chapter on the naive baseline, and their power laws."""

import numpy as np
import pandas as pd
import pytest

from maxgap import MaxGapTop2UCB, RoundRobin, problems, simulate
from maxgap_book.studies import naive_baseline


@pytest.fixture(scope="module")
def studies():
    policies = {
        "Top2": MaxGapTop2UCB(4, delta=0.1, sigma=0.3),
        "RoundRobin": RoundRobin(4, delta=0.1, sigma=0.3),
    }
    return [
        simulate.replicate(
            policies,
            problems.one_large_gap(2, 2, 1.0, value, 0.3),
            budget=5_000,
            replicates=8,
            checkpoints=1,
            seed=3,
        )
        for value in (0.2, 0.1)
    ]


def test_a_row_has_the_mean_of_the_runs_of_one_policy_on_one_instance(studies):
    table = naive_baseline.mean_samples(studies, [0.2, 0.1])
    places = sorted(zip(table["policy"], table["delta_min"], strict=True))
    assert places == [("RoundRobin", 0.1), ("RoundRobin", 0.2), ("Top2", 0.1), ("Top2", 0.2)]
    stops = studies[1].stops
    runs = stops[stops["policy"] == "Top2"]["samples"]
    row = table[(table["policy"] == "Top2") & (table["delta_min"] == 0.1)].iloc[0]
    assert row["mean"] == runs.mean()
    assert np.isclose(row["error"], runs.std() / np.sqrt(8))
    assert row["low"] < row["mean"] < row["high"]
    assert (row["certified"], row["wrong"]) == (8, 0)


def test_wrong_answers_are_counted(studies):
    study = studies[0]
    stops = study.stops.assign(correct=study.stops["policy"] == "Top2")
    table = naive_baseline.mean_samples([type("S", (), {"stops": stops})], [0.2])
    assert table.set_index("policy")["wrong"].to_dict() == {"Top2": 0, "RoundRobin": 8}


def test_exponents_are_those_of_each_policy():
    values = np.array([0.2, 0.1, 0.05])
    parts = [
        pd.DataFrame({"policy": name, "delta_min": values, "mean": values**power, "error": 0.0})
        for name, power in (("steep", -2.0), ("level", 0.0))
    ]
    found = naive_baseline.exponents(pd.concat(parts))
    assert {name: round(law.exponent, 6) for name, law in found.items()} == {
        "steep": -2.0,
        "level": 0.0,
    }
