"""What a reader of a chapter holds in mind: words, hidden code, names that come from nowhere."""

import builtins
import json
import symtable
from pathlib import Path

import pytest
import yaml

from tests.stored_outputs import is_hidden

ROOT = Path(__file__).parents[2]
PARTS = {part["caption"]: part for part in yaml.safe_load((ROOT / "_toc.yml").read_text())["parts"]}
NAMES = [
    Path(chapter["file"]).stem
    for part in PARTS.values()
    if part.get("numbered")
    for chapter in part["chapters"]
]
WALKED = [Path(chapter["file"]).stem for chapter in PARTS["The paper, walked through"]["chapters"]]
#: Its cells are calls that show what other chapters found.
OF_CALLS = "verdicts"


def cells(name, kind):
    """Sources of the cells of a chapter of this kind, with the cells."""
    notebook = json.loads((ROOT / "book" / f"{name}.ipynb").read_text(encoding="utf-8"))
    found = [cell for cell in notebook["cells"] if cell["cell_type"] == kind]
    return [("".join(cell["source"]), cell) for cell in found]


def words(name):
    return sum(len(source.split()) for source, _ in cells(name, "markdown"))


def lines(source):
    return sum(bool(line.strip()) for line in source.splitlines())


def folded(cell):
    return any(tag.startswith("hide-") for tag in cell["metadata"].get("tags", []))


def reads_and_binds(code):
    """Global names that a cell reads before it binds them, as far as can be told, and binds."""
    top = symtable.symtable(code, "cell", "exec")
    binds = {s.get_name() for s in top.get_symbols() if s.is_assigned() or s.is_imported()}
    reads = {s.get_name() for s in top.get_symbols() if s.is_referenced()}
    todo = list(top.get_children())
    while todo:
        table = todo.pop()
        todo += table.get_children()
        reads |= {s.get_name() for s in table.get_symbols() if s.is_global() and s.is_referenced()}
    return reads, binds


def unbound(sources):
    """Names that these cells, run in order, read and none of them binds."""
    known, missing = set(dir(builtins)), set()
    for source in sources:
        reads, binds = reads_and_binds(source)
        missing |= reads - known - binds
        known |= binds
    return missing


def test_names_that_nothing_binds_are_noticed():
    assert unbound(["import numpy as np", "def f(x):\n    return np.abs(x) + y"]) == {"y"}
    assert unbound(["z = [a for a in range(3)]", "print(z)"]) == set()


@pytest.mark.parametrize("name", NAMES)
def test_what_a_chapter_shows_or_folds_needs_nothing_that_is_hidden(name):
    shown = [source for source, cell in cells(name, "code") if not is_hidden(cell)]
    assert unbound(shown) == set()


@pytest.mark.parametrize("name", NAMES)
def test_hidden_for_good_is_the_hand_over_alone(name):
    hidden = [source for source, cell in cells(name, "code") if is_hidden(cell)]
    assert len(hidden) <= 2
    assert all("glue(" in source or "offer(" in source for source in hidden)


@pytest.mark.parametrize("name", [name for name in NAMES if name != OF_CALLS])
def test_at_most_three_tenths_of_the_code_are_folded_or_hidden(name):
    found = [
        (lines(source), is_hidden(cell) or folded(cell)) for source, cell in cells(name, "code")
    ]
    away = sum(count for count, unseen in found if unseen)
    assert away <= 0.3 * sum(count for count, _ in found)


def test_the_book_can_be_read():
    count = {name: words(name) for name in NAMES}
    assert len(WALKED) == 10
    assert max(count[name] for name in WALKED) <= 2_800
    assert sum(count[name] for name in WALKED) <= 22_000
    assert sum(count.values()) <= 42_000
