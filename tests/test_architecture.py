"""The picture of the rooms, held to what the modules import; no room looks up."""

import ast
import graphlib
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
LEFT_OUT = {"_book", "__init__", "__main__", "__version__"}


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


#: Of the tests, those that may look inside: the core's own, and the one place for all others.
INSIDE = {"states.py"}


def test_tests_and_benchmarks_use_public_names_only():
    private = re.compile(
        r"\bmaxgap\._(?!book\b|_)|\bmaxgap\.(?!_book)\w+\._[a-z]|policy\._[a-z]|import _[a-z]"
    )
    found = [
        (path.name, line.strip())
        for folder in ("tests", "benchmarks")
        for path in sorted((ROOT / folder).rglob("*.py"))
        if path.name not in INSIDE and not path.name.startswith("test_core_")
        for line in path.read_text(encoding="utf-8").splitlines()
        if private.search(line)
    ]
    assert found == []
