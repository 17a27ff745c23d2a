"""The page of what is proved says of rules and intervals what the package says."""

import re
from pathlib import Path

from maxgap import confidence, stopping

PAGE = (Path(__file__).parents[2] / "book" / "what-is-proved.md").read_text(encoding="utf-8")
EVERY = ("every one", {row.policy for row in stopping.TABLE})


def rows(name):
    """Cells of a list table, without its head."""
    block = PAGE.split(f":name: {name}\n")[1].split("\n:::")[0]
    found = [re.split(r"\n {2}- ", row) for row in re.split(r"\n\* - ", block)[1:]]
    return [[" ".join(cell.split()) for cell in row] for row in found[1:]]


def pairs(algorithms, names):
    policies = EVERY[1] if algorithms.startswith(EVERY[0]) else set(algorithms.split(", "))
    return {(policy, name) for policy in policies for name in re.findall(r'"([\w-]+)"', names)}


def test_every_rule_is_on_the_page_and_proved_there_as_in_the_table():
    said = {}
    for algorithms, names, right, because in rows("tab-proved-right"):
        assert right in ("yes", "no")
        assert because
        for pair in pairs(algorithms, names):
            assert pair not in said
            said[pair] = right == "yes"
    stops = {
        (row.policy, row.stopping): row.proved
        for row in stopping.TABLE
        if row.rule is not stopping.Never
    }
    assert said == stops


def test_rules_of_which_it_says_when_they_stop_are_rules():
    known = {(row.policy, row.stopping) for row in stopping.TABLE}
    for algorithms, names, stops, samples in rows("tab-proved-stops"):
        assert pairs(algorithms, names) <= known
        assert stops
        assert samples


def test_intervals_are_on_the_page_as_they_are_proved():
    said = {
        name: proved
        for names, proved, _ in rows("tab-proved-intervals")
        for name in re.findall(r'"([\w-]+)"', names)
    }
    assert set(said) == {*confidence.RADII, *confidence.FROM_REWARDS}
    for name, proved in said.items():
        scales = (0.01, 0.7, 0.71, 1.0, 100.0)
        holds = [confidence.guarantees(name, sigma) for sigma in scales]
        expected = {"never": [False] * 5, "up to sigma² = 1/2": [True, True, False, False, False]}
        assert holds == expected.get(proved, [True] * 5)
