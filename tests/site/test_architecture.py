"""The picture of the rooms, held to what the modules import; no module and no room looks up."""

import ast
import graphlib
import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PICTURE = (ROOT / "book" / "_static" / "rooms.svg").read_text(encoding="utf-8")
PAGE = (ROOT / "book" / "reproduce.md").read_text(encoding="utf-8")

#: Drawn without arrows: the package, which imports nearly all, and what nearly all import.
WITHOUT_ARROWS = {"maxgap", "_checking", "_numbers", "_saving"}


def module_of(path):
    name = path.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".")
    return name.removesuffix(".__init__")


PATHS = {module_of(path): path for path in sorted((ROOT / "maxgap").rglob("*.py"))}


def room_of(module):
    """The room of ``maxgap.x.y``; the package itself is one, too."""
    return module.split(".")[1] if "." in module else module


def imported(tree, known):
    """The modules that are imported anywhere in this one, be it later or for types alone."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            for alias in node.names:
                names = f"{node.module}.{alias.name}", node.module
                yield from [name for name in names if name in known][:1]


def parsed(path):
    return ast.parse(path.read_text(encoding="utf-8"))


USES = {name: set(imported(parsed(path), PATHS)) for name, path in PATHS.items()}


def between_rooms(uses):
    """Of each room, the rooms that it imports."""
    found = {}
    for name, others in uses.items():
        room = room_of(name)
        found.setdefault(room, set()).update({room_of(other) for other in others} - {room})
    return found


ROOMS = between_rooms(USES)


def order_of(uses):
    """What is imported first; a CycleError where there is a circle."""
    return list(graphlib.TopologicalSorter(uses).static_order())


def test_the_arrows_of_the_picture_are_the_imports():
    drawn = set(re.findall(r'data-from="(\w+)" data-to="(\w+)"', PICTURE))
    there = {(other, room) for room, others in ROOMS.items() for other in others}
    assert drawn == {arrow for arrow in there if not WITHOUT_ARROWS & set(arrow)}


def test_every_room_is_in_the_picture_and_on_the_page():
    for room in ROOMS:
        assert f'data-room="{room}"' in PICTURE or re.search(rf"\b{room}\b", PICTURE), room
        assert f"`{room}`" in PAGE, room


def test_there_is_no_circle_of_modules():
    assert set(order_of(USES)) == set(PATHS)


def test_there_is_no_circle_of_rooms():
    order = order_of(ROOMS)
    assert order.index("engine") < order.index("policies") < order.index("simulate")


@pytest.mark.parametrize(
    ("module", "line"),
    [
        ("maxgap.engine.state", "from maxgap.policies import base"),
        ("maxgap.engine.slots", "if TYPE_CHECKING:\n    from maxgap.engine.state import State"),
        ("maxgap.policies.rules", "def later():\n    import maxgap.policies.base"),
    ],
)
def test_a_circle_would_be_noticed(module, line):
    more = set(imported(ast.parse(line), PATHS))
    assert more
    with pytest.raises(graphlib.CycleError):
        order_of({**USES, module: USES[module] | more})


def test_plain_lines_share_nothing_with_what_they_check():
    assert ROOMS["reference"] == set()
    assert USES["maxgap.contrasts.plain"] == set()


@pytest.mark.parametrize("name", PATHS)
def test_a_module_is_short_and_one_that_is_not_private_says_what_it_exports(name):
    assert len(PATHS[name].read_text(encoding="utf-8").splitlines()) <= 600
    assigned = [n for n in parsed(PATHS[name]).body if isinstance(n, ast.Assign | ast.AnnAssign)]
    targets = [
        t for n in assigned for t in (n.targets if isinstance(n, ast.Assign) else [n.target])
    ]
    says = "__all__" in [t.id for t in targets if isinstance(t, ast.Name)]
    private = ".engine" in name or re.search(r"\._(?!_)", name) is not None
    assert says is not private


# -- where the tests stand -------------------------------------------------------------------------

TESTS = ROOT / "tests"
#: Rooms without a module: what is said of the checkout, of the book.
ROOMS_OF_THE_CHECKOUT = {"book", "site"}


def place_of(path):
    """Where the tests of a module stand: in the folder of its room, under its name."""
    path = path.relative_to(ROOT / "maxgap")
    return (path.parent / f"test_{path.stem.strip('_')}.py").as_posix()


def defines_something(path):
    return any(isinstance(node, ast.FunctionDef | ast.ClassDef) for node in parsed(path).body)


def test_every_module_that_defines_something_has_a_test_file_of_its_name():
    modules = [p for p in PATHS.values() if p.stem != "__init__" and defines_something(p)]
    assert len(modules) > 40
    assert [place_of(p) for p in modules if not (TESTS / place_of(p)).is_file()] == []


def test_a_test_file_has_the_name_of_a_module_or_that_and_a_story():
    modules = [place_of(path).removesuffix(".py") for path in PATHS.values()]
    for path in TESTS.rglob("test_*.py"):
        name = path.relative_to(TESTS).with_suffix("").as_posix()
        if name.split("/")[0] not in ROOMS_OF_THE_CHECKOUT:
            assert any(f"{name}_".startswith(f"{module}_") for module in modules), name
            assert len(path.read_text(encoding="utf-8").splitlines()) <= 900, name


# -- who may look inside ---------------------------------------------------------------------------

#: Of the tests, the one place for all others; those of the engine, and of what looks inside itself.
INSIDE = {"tests/states.py", "tests/policies/test_at_once.py"}
PRIVATE = re.compile(
    r"\bmaxgap(_book)?\._(?!_)|\bmaxgap(_book)?\.[\w.]+\._[a-z]|policy\._[a-z]|import _[a-z]"
)


def code_of(path):
    """Of a module all of it, of a notebook its code cells."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".ipynb":
        return text
    cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
    return "\n".join("".join(cell["source"]) for cell in cells)


def outside():
    """What stands outside the package and shall use it as anybody can."""
    found = [path for name in ("tests", "benchmarks", "book") for path in (ROOT / name).rglob("*")]
    for path in sorted(found):
        name = path.relative_to(ROOT).as_posix()
        known = path.suffix in {".py", ".ipynb"} and ".ipynb_checkpoints" not in path.parts
        if known and name not in INSIDE and not name.startswith("tests/engine/"):
            yield path


def test_tests_benchmarks_and_the_book_use_public_names_only():
    found = [
        (path.name, line.strip())
        for path in outside()
        for line in code_of(path).splitlines()
        if PRIVATE.search(line)
    ]
    assert found == []


def test_the_chapters_and_the_books_modules_are_looked_at():
    names = {path.relative_to(ROOT).parts[:2] for path in outside()}
    assert {("book", "maxgap_book"), ("book", "_ext"), ("book", "maxgap-problem.ipynb")} <= names


@pytest.mark.parametrize(
    ("line", "private"),
    [
        ("from maxgap.~numbers import is_real", True),
        ("maxgap.policies.~saved.content_of(policy)", True),
        ("from maxgap_book.figures.~shared import darker", True),
        ("policy.~state = None", True),
        ("from maxgap.policies import ~saved", True),
        ("from maxgap_book.figures import shared", False),
        ("maxgap.~~version~~", False),
    ],
)
def test_a_private_name_is_noticed(line, private):
    # Written with "~", or this file would be found itself.
    assert bool(PRIVATE.search(line.replace("~", "_"))) == private


def is_private(name):
    return name.startswith("_") and not name.startswith("__")


def own_names(tree):
    """Private names that the classes of a module give to themselves."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            for part in ast.walk(node):
                if isinstance(part, ast.FunctionDef) and is_private(part.name):
                    yield part.name
                if isinstance(part, ast.Name | ast.Attribute) and isinstance(part.ctx, ast.Store):
                    name = part.id if isinstance(part, ast.Name) else part.attr
                    if is_private(name):
                        yield name


#: What is inside a policy.
OF_A_POLICY = {
    name
    for module, path in PATHS.items()
    if room_of(module) == "policies"
    for name in own_names(parsed(path))
}


def reached(tree):
    """What of a policy's inside this code looks at; a class may have such names of its own."""
    own = set(own_names(tree))
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in OF_A_POLICY:
            owner = node.value.id if isinstance(node.value, ast.Name) else ""
            if owner != "self" or node.attr not in own:
                yield ast.unparse(node)


def test_nobody_but_policies_looks_inside_a_policy():
    assert {"_state", "_lock", "_tell", "_grow", "_labels"} <= OF_A_POLICY
    package = [path for module, path in PATHS.items() if room_of(module) != "policies"]
    found = {path.name: list(reached(ast.parse(code_of(path)))) for path in [*package, *outside()]}
    assert {name: what for name, what in found.items() if what} == {}


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("started._state.arms", ["started._state"]),
        ("class Mine(Policy):\n    def choose(self): return self._labels", ["self._labels"]),
        ("class Rows:\n    def __init__(self): self._labels = []\n    n = self._labels", []),
        ("question._replace(bounds=None)", []),
    ],
)
def test_a_look_inside_is_noticed(code, found):
    assert list(reached(ast.parse(code))) == found
