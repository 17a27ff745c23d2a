"""The picture of the rooms, held to what the modules import; no room looks up."""

import ast
import graphlib
import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PICTURE = (ROOT / "book" / "_static" / "rooms.svg").read_text(encoding="utf-8")
PAGE = (ROOT / "book" / "architecture.md").read_text(encoding="utf-8")

#: What comes in and goes out: used everywhere, so drawn without arrows.
DOOR = {"_checking", "_numbers", "_saving"}
#: Part of another room, or of the book.
PART_OF = {
    "_run": "simulate",
    "limits": "hardness",
}
#: The last is a string that the package has.
LEFT_OUT = {"__init__", "__main__", "__version__"}


def room_of(module):
    """The room of ``maxgap.x.y``; None for the package itself."""
    parts = module.split(".")
    return PART_OF.get(parts[1], parts[1]) if len(parts) > 1 else None


def imported(tree):
    """Names of the modules that run when this one does; not those only for types."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            continue
        if isinstance(node, ast.ImportFrom) and node.module:
            if node.module == "maxgap":
                yield from (f"maxgap.{alias.name}" for alias in node.names)
            else:
                yield node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        else:
            yield from imported(node)


def uses():
    """Of each room, the rooms that it imports."""
    found = {}
    for path in sorted((ROOT / "maxgap").rglob("*.py")):
        name = path.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".")
        me = room_of(name.removesuffix(".__init__"))
        if me is None or me in LEFT_OUT:
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        others = {room_of(m) for m in imported(tree) if m.split(".")[0] == "maxgap"}
        found.setdefault(me, set()).update(others - {me, None} - LEFT_OUT)
    return found


USES = uses()


def test_the_arrows_of_the_picture_are_the_imports():
    drawn = set(re.findall(r'data-from="(\w+)" data-to="(\w+)"', PICTURE))
    there = {(other, room) for room, others in USES.items() for other in others if room not in DOOR}
    assert drawn == {(other, room) for other, room in there if other not in DOOR}


def test_every_room_is_in_the_picture_and_on_the_page():
    for room in USES:
        assert f'data-room="{room}"' in PICTURE or room in PICTURE, room
        assert f"`{room}`" in PAGE, room


def test_no_room_looks_up():
    order = list(graphlib.TopologicalSorter(USES).static_order())
    assert order.index("_core") < order.index("policies") < order.index("simulate")


def test_the_reference_shares_nothing_with_what_it_checks():
    assert USES["reference"] <= DOOR


def test_a_cycle_would_be_noticed():
    with pytest.raises(graphlib.CycleError):
        list(graphlib.TopologicalSorter({**USES, "_core": {"simulate"}}).static_order())


@pytest.mark.parametrize("path", sorted((ROOT / "maxgap").rglob("*.py")), ids=lambda p: p.name)
def test_a_module_is_short_and_says_what_it_exports(path):
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 600
    names = [t.id for n in ast.parse(text).body if isinstance(n, ast.Assign) for t in n.targets
             if isinstance(t, ast.Name)]  # fmt: skip
    names += [n.target.id for n in ast.parse(text).body if isinstance(n, ast.AnnAssign)]
    assert "__all__" in names


#: Those that may look inside: of the tests the core's own, and the one place for all others; of the
#: book a study whose rules know the truth, compiled into the loop of a run.
INSIDE = {"tests/states.py"}
PRIVATE = re.compile(
    r"\bmaxgap(_book)?\._(?!_)|\bmaxgap(_book)?\.[\w.]+\._[a-z]|policy\._[a-z]|import _[a-z]"
)


def lines_of_code(path):
    """Of a module all lines, of a notebook those of its code cells."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".ipynb":
        return text.splitlines()
    cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
    return [line for cell in cells for line in "".join(cell["source"]).splitlines()]


def outside():
    """What stands outside the package and shall use it as anybody can."""
    found = [path for name in ("tests", "benchmarks", "book") for path in (ROOT / name).rglob("*")]
    for path in sorted(found):
        name = path.relative_to(ROOT).as_posix()
        known = path.suffix in {".py", ".ipynb"} and not path.name.startswith("test_core_")
        if known and name not in INSIDE and ".ipynb_checkpoints" not in path.parts:
            yield path


def test_tests_benchmarks_and_the_book_use_public_names_only():
    found = [
        (path.name, line.strip())
        for path in outside()
        for line in lines_of_code(path)
        if PRIVATE.search(line)
    ]
    assert found == []


def test_the_chapters_and_the_books_modules_are_looked_at():
    names = {path.relative_to(ROOT).parts[:2] for path in outside()}
    assert {("book", "maxgap_book"), ("book", "_ext"), ("book", "01-maxgap-problem.ipynb")} <= names


@pytest.mark.parametrize(
    ("line", "private"),
    [
        ("from maxgap.~core import words", True),
        ("maxgap.policies.~step.next_round(state)", True),
        ("from maxgap_book.figures.~shared import darker", True),
        ("policy.~state = None", True),
        ("from maxgap.policies import ~step", True),
        ("from maxgap_book.figures import shared", False),
        ("maxgap.~~version~~", False),
    ],
)
def test_a_private_name_is_noticed(line, private):
    # Written with "~", or this file would be found itself.
    assert bool(PRIVATE.search(line.replace("~", "_"))) == private
