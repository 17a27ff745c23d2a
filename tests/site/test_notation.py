"""The page of notation: its table of settings is what the chapters set."""

import ast
import inspect
import json
import math
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

import maxgap

ROOT = Path(__file__).parents[2]
BOOK = ROOT / "book"
PAGE = (BOOK / "notation.md").read_text(encoding="utf-8")
SETTINGS = ("delta", "sigma")

#: A name in a chapter that stands for several of a setting.
ALSO = {"SCALE": "sigma"}
#: Said above the table of all chapters at once.
FOR_PROOFS = {"delta": {0.3}, "sigma": set()}
DEFAULTS = {
    name: inspect.signature(maxgap.MaxGapTop2UCB).parameters[name].default for name in SETTINGS
}
NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?")
POSITIONS = {
    name: list(inspect.signature(made).parameters)
    for module in (maxgap, maxgap.problems)
    for name in module.__all__
    if callable(made := getattr(module, name))
}


def numbers(text: str) -> set[float]:
    """Numbers of a cell of the table; roots and powers count as their values."""
    roots = re.findall(r"\\sqrt\{(\d+)/(\d+)\}", text)
    powers = re.findall(r"10\^\{(-\d+)\}", text)
    plain = re.sub(r"\\sqrt\{[^}]*\}|10\^\{[^}]*\}", "", text)
    found = [float(number) for number in NUMBER.findall(plain)]
    found += [float(f"1e{power}") for power in powers]
    return {*found, *(math.sqrt(int(a) / int(b)) for a, b in roots)}


def table() -> dict[str, dict[str, set[float]]]:
    """Settings of every chapter in the table, by the chapter's label."""
    (rows,) = re.findall(r":name: tab-settings\n\n(.*?)\n:::", PAGE, re.DOTALL)
    found = re.findall(r"\* - \{ref\}`(.*?)`\n  - (.*)\n  - (.*)\n  - .+", rows)
    assert len(found) == rows.count("* - ") - 1, "a row of another shape"
    return {label: dict(zip(SETTINGS, map(numbers, cells), strict=True)) for label, *cells in found}


def chapters() -> dict[str, str]:
    """Labels of the numbered chapters that run something, and their files."""
    parts = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))["parts"]
    names = [Path(c["file"]).name for p in parts if p.get("numbered") for c in p["chapters"]]
    found = {}
    for name in names:
        notebook = json.loads((BOOK / f"{name}.ipynb").read_text(encoding="utf-8"))
        label = re.match(r"\((ch-[a-z-]*)\)=", "".join(notebook["cells"][0]["source"]))
        found[label[1]] = name
    del found["ch-verdicts"]
    return found


def value(node: ast.AST) -> float | None:
    """Value of a number or of arithmetic with numbers, None of anything else."""
    match node:
        case ast.Constant(value=bool() | str() | None):
            return None
        case ast.Constant(value=number) if isinstance(number, int | float):
            return float(number)
        case ast.BinOp(left=left, op=op, right=right):
            a, b = value(left), value(right)
            if a is None or b is None:
                return None
            if isinstance(op, ast.Pow):
                return a**b
            return a / b if isinstance(op, ast.Div) else None
        case ast.Call(func=ast.Attribute(attr="sqrt"), args=[argument]):
            inner = value(argument)
            return None if inner is None else math.sqrt(inner)
    return None


def named(name: str) -> str:
    """The setting that a name stands for, or the name itself."""
    return ALSO.get(name, name.lower())


def assigned(node: ast.AST, setting: str) -> Iterator[ast.AST]:
    """What one statement or expression sets a setting to."""
    match node:
        case ast.keyword(arg=name, value=set_to) if name == setting:
            yield set_to
        case ast.Assign(targets=[ast.Name(id=name)], value=set_to) if named(name) == setting:
            yield from set_to.values if isinstance(set_to, ast.Dict) else [set_to]
        case ast.Assign(targets=[ast.Tuple(elts=left)], value=ast.Tuple(elts=right)):
            for target, set_to in zip(left, right, strict=True):
                if isinstance(target, ast.Name) and named(target.id) == setting:
                    yield set_to
        case ast.Dict(keys=keys, values=values):
            for key, set_to in zip(keys, values, strict=True):
                if isinstance(key, ast.Constant) and key.value == setting:
                    yield set_to
        case ast.For(target=ast.Name(id=name), iter=ast.Tuple(elts=elements)) if name == setting:
            yield from elements
        case ast.arguments(args=args, defaults=defaults, kwonlyargs=others, kw_defaults=more):
            pairs = [*zip(args[::-1], defaults[::-1], strict=False)]
            pairs += zip(others, more, strict=True)
            yield from (set_to for arg, set_to in pairs if arg.arg == setting and set_to)


def in_place(node: ast.AST, known: dict[str, list[str]], setting: str) -> Iterator[ast.AST]:
    """What a call of a known function sets a setting to without naming it."""
    if isinstance(node, ast.Call):
        called = getattr(node.func, "attr", getattr(node.func, "id", ""))
        for parameter, set_to in zip(known.get(called, []), node.args, strict=False):
            if parameter == setting:
                yield set_to


def settings(cells: list[str], name: str) -> set[float]:
    """Numbers that cells give to one setting."""
    nodes = [node for source in cells for node in ast.walk(ast.parse(source))]
    known = POSITIONS | {
        node.name: [arg.arg for arg in node.args.args]
        for node in nodes
        if isinstance(node, ast.FunctionDef)
    }
    found = {
        value(set_to)
        for node in nodes
        for set_to in [*assigned(node, name), *in_place(node, known, name)]
    }
    return found - {None}


def code(chapter: str, *, solutions: bool) -> list[str]:
    """A chapter's code cells, with or without those of solutions."""
    notebook = json.loads((BOOK / f"{chapter}.ipynb").read_text(encoding="utf-8"))
    return [
        "".join(cell["source"])
        for cell in notebook["cells"]
        if cell["cell_type"] == "code"
        and (solutions or "hide-cell" not in cell["metadata"].get("tags", []))
    ]


def studies(chapter: str) -> list[str]:
    """The modules of studies that a chapter uses."""
    sources = "\n".join(code(chapter, solutions=True))
    used = re.findall(r"maxgap_book\.studies(?: import|\.)\s*(\w+)", sources)
    folder = BOOK / "maxgap_book" / "studies"
    return [(folder / f"{name}.py").read_text(encoding="utf-8") for name in used]


def complaints(row: dict[str, set[float]], cells: list[str], all_cells: list[str]) -> list[str]:
    """What a row of the table leaves out, and what it says that no cell sets."""
    found = []
    for name in SETTINGS:
        for number in settings(cells, name) - row[name] - FOR_PROOFS[name]:
            found.append(f"the table lacks {name} {number:g}")
        for number in row[name] - settings(all_cells, name) - {DEFAULTS[name]}:
            found.append(f"no cell sets {name} {number:g}")
    return found


def test_every_numbered_chapter_has_a_row_in_the_books_order():
    assert list(table()) == list(chapters())
    assert "Where a proof is put to the test $\\delta$ is 0.3." in PAGE


@pytest.mark.parametrize(("label", "chapter"), chapters().items(), ids=chapters().values())
def test_a_row_has_what_the_chapter_sets_outside_solutions_and_nothing_else(label, chapter):
    shown = code(chapter, solutions=False)
    everything = code(chapter, solutions=True) + studies(chapter)
    assert complaints(table()[label], shown, everything) == []


def test_settings_are_found_however_they_are_written():
    cells = [
        "DELTA, SIGMA = 0.1, 0.5**0.5\nSCALE = {'normal': 0.05, 'other': 1 / 4}",
        "Problem([0, 1], 0.7)\nmade(sigma)\nproblems.streetview(sigma=2)",
        "def made(sigma, n=3):\n    return {'delta': 0.2}\nmade(8)\nfor sigma in (6, 7):\n    pass",
        "def other(n, sigma=np.sqrt(9)):\n    return n",
    ]
    assert settings(cells, "delta") == {0.1, 0.2}
    assert settings(cells, "sigma") == {0.5**0.5, 0.05, 0.25, 0.7, 2, 8, 6, 7, 3}


def test_a_row_that_says_too_little_or_too_much_is_noticed():
    cells = ["policy(delta=0.1, sigma=0.05)"]
    row = {"delta": {0.1}, "sigma": {0.05}}
    assert complaints(row, cells, cells) == []
    assert complaints(row | {"sigma": {0.1}}, cells, cells) == [
        "the table lacks sigma 0.05",
        "no cell sets sigma 0.1",
    ]
    assert complaints(row | {"delta": {0.1, 0.2}}, cells, cells) == ["no cell sets delta 0.2"]
    assert numbers("1; $\\sqrt{1/2}$ for 4 arms, $10^{-40}$") == {1, 4, 1e-40, math.sqrt(0.5)}
