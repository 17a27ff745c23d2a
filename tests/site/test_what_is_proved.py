"""The list of what is proved says of rules and intervals what the package says."""

import json
import re
from pathlib import Path

from maxgap import confidence, stopping

PAGE = Path(__file__).parents[2] / "book" / "verdicts.ipynb"
EVERY = ("Every policy", {row.policy for row in stopping.TABLE})


def rows(heading):
    """Of every line of the list below a heading: what it is about, what is said, and why."""
    cells = json.loads(PAGE.read_text(encoding="utf-8"))["cells"]
    text = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    part = text.split(f"### {heading}\n")[1].split("\n#")[0]
    lines = [" ".join(line.split()) for line in re.split(r"(?m)^- ", part)[1:]]
    return [re.match(r"(.*?): \*\*(.*?)\*\*(.*)", line).groups() for line in lines]


def pairs(about):
    policies = {name for name in EVERY[1] if name in about.split(", ")}
    if about.startswith(EVERY[0]):
        policies = EVERY[1]
    return {(policy, name) for policy in policies for name in re.findall(r'`"([\w-]+)"`', about)}


def test_every_rule_is_on_the_page_and_proved_there_as_in_the_table():
    said = {}
    for about, right, because in rows("Is the answer right?"):
        assert right in ("yes", "no")
        assert because
        for pair in pairs(about):
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
    found = [pairs(about) for about, *_ in rows("Does it stop, and when?") if '"' in about]
    assert len(found) >= 8
    for named in found:
        assert named
        assert named <= known


def test_intervals_are_on_the_page_as_they_are_proved():
    said = {
        name: proved
        for about, proved, _ in rows("When do the intervals hold?")
        for name in re.findall(r'"([\w-]+)"', about)
    }
    assert set(said) == {*confidence.RADII, *confidence.FROM_REWARDS}
    for name, proved in said.items():
        scales = (0.01, 0.7, 0.71, 1.0, 100.0)
        holds = [confidence.guarantees(name, sigma) for sigma in scales]
        expected = {"never": [False] * 5, "up to sigma² = 1/2": [True, True, False, False, False]}
        assert holds == expected.get(proved, [True] * 5)
