"""The stored chapters: executed in order, quiet, rounded alike everywhere, illustrated for all."""

import ast
import json
import math
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

BOOK = Path(__file__).parents[2] / "book"
NOTEBOOKS = sorted(BOOK.glob("*.ipynb"))
LONGEST_CELL = 20
WIDEST_LINE = 80
IMAGES = {"image/png", "image/svg+xml", "image/jpeg"}

#: Width of a figure on a phone, and of the least letters there, in pixels.
ON_A_PHONE, LEAST_LETTERS = 342, 9
#: How a drawing of matplotlib says how wide it is, and of a text how high, in points.
WIDTH_OF = re.compile(r'width="([\d.]+)pt"')
LETTERS = re.compile(r"scale\((0\.\d+) -0\.\d+\)")

#: The formats that a cell may use: a width, separators of thousands, whole numbers, and ``g`` for
#: a setting. One with decimals leaves a tie to the last bit, which differs between processors.
FORMAT = re.compile(r"[<>^]?\d*,?[dgs]?")
FORMATTED = re.compile(r"\{[^{}]*:([^{}]*)\}|%[-+ 0#]*\d*(\.\d+)[efg]")
#: More decimals than a chapter asks for: what a table or a number shows if nothing rounds it.
UNROUNDED = re.compile(r"\d\.\d{6}")


def own_roundings(source: str) -> list[str]:
    """Parts of a cell that round or format a number other than by `maxgap_book.printing`."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FormattedValue) and node.format_spec is not None:
            parts = node.format_spec.values
            literal = all(isinstance(part, ast.Constant) for part in parts)
            if not literal or not FORMAT.fullmatch("".join(part.value for part in parts)):
                found.append(ast.unparse(node.format_spec))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            for spec, decimals in FORMATTED.findall(node.value):
                if decimals or not FORMAT.fullmatch(spec):
                    found.append(node.value)
        elif isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            numbered = isinstance(node.func, ast.Name) and name == "format"
            if name in {"round", "around", "set_printoptions", "set_option"} or numbered:
                found.append(ast.unparse(node))
    return found


def texts(output: dict) -> str:
    """All that an output shows but pictures."""
    data = [value for kind, value in output.get("data", {}).items() if kind not in IMAGES]
    return "\n".join("".join(part) for part in [output.get("text", ""), *data])


def tags(cell: dict) -> set[str]:
    """What the page does with a cell."""
    return set(cell["metadata"].get("tags", []))


def complaints(notebook: dict) -> list[str]:
    """Everything that is wrong with a stored notebook, one line each."""
    found = []
    cells = [c for c in notebook["cells"] if c["cell_type"] == "code"]
    ids = [c.get("id") for c in notebook["cells"]]
    if None in ids or len(set(ids)) != len(ids):
        found.append("cells without an id of their own")
    if notebook["metadata"].get("kernelspec", {}).get("name") != "python3":
        found.append("the kernel is not python3")
    for number, cell in enumerate(cells, start=1):
        place = f"code cell {number} ({cell.get('id')})"
        wrong = [*of_source(cell, number), *of_outputs(cell), *of_picture(cell)]
        found += [f"{place} {complaint}" for complaint in wrong]
    return found


def of_source(cell: dict, number: int) -> Iterator[str]:
    """What is wrong with the code of a cell, or with when it was executed."""
    source = "".join(cell["source"])
    if not source.strip():
        yield "is empty"
    elif cell["execution_count"] != number:
        yield f"was not executed in order: {cell['execution_count']}"
    shown = not {"remove-cell", "remove-input"} & tags(cell)
    if len(source.splitlines()) > LONGEST_CELL and shown:
        yield f"has more than {LONGEST_CELL} lines"
    widest = max(map(len, source.splitlines()), default=0)
    if widest > WIDEST_LINE and shown:
        yield f"has a line of {widest} columns, which a page cuts"
    if cell["metadata"].keys() & {"execution", "ExecuteTime"}:
        yield "stores when it was executed"
    for part in own_roundings(source):
        yield f"rounds by itself, not with decimal, interval, rounded or significant: {part}"


def of_outputs(cell: dict) -> Iterator[str]:
    """What is wrong with what a cell says."""
    for output in cell["outputs"]:
        if "nbval-ignore-output" not in cell["metadata"].get("tags", []):
            for number in UNROUNDED.findall(texts(output)):
                yield f"shows a number that is not rounded: ...{number}..."
        if output["output_type"] == "error":
            yield f"ends in {output['ename']}"
        if output.get("name") == "stderr":
            yield "writes to stderr"


def of_picture(cell: dict) -> Iterator[str]:
    """What a picture lacks."""
    shown = [o for o in cell["outputs"] if o["output_type"] in {"display_data", "execute_result"}]
    images = sum(bool(IMAGES & output["data"].keys()) for output in shown)
    if images > 1:
        yield f"shows {images} images under one alternative text"
    settings = cell["metadata"].get("mystnb", {})
    figure = settings.get("figure", {})
    if images and not settings.get("image", {}).get("alt", "").strip():
        yield "shows a figure without alternative text"
    if images and not figure.get("caption", "").strip():
        yield "shows a figure without a caption"
    if images and not figure.get("name", "").startswith("fig-"):
        yield "shows a figure without a label fig-..."
    for drawing in ("".join(o["data"].get("image/svg+xml", "")) for o in shown):
        found = [100 * float(size) for size in LETTERS.findall(drawing)]
        pixels = (
            min(found, default=math.inf)
            * ON_A_PHONE
            / float((WIDTH_OF.search(drawing) or ["", 1])[1])
        )
        if pixels < LEAST_LETTERS:
            yield f"has letters of {pixels} pixels on a phone"
    tables = sum('class="dataframe"' in "".join(o["data"].get("text/html", "")) for o in shown)
    if tables and "remove-cell" not in tags(cell):
        if tables > 1:
            yield f"shows {tables} tables under one caption"
        if not figure.get("caption", "").strip() or not figure.get("name", "").startswith("tab-"):
            yield "shows a table without a caption and a label tab-..."


def stored(source="print(1)", outputs=(), count=1, **metadata):
    """A notebook of one code cell."""
    cell = {
        "cell_type": "code",
        "id": "only",
        "source": source,
        "outputs": list(outputs),
        "execution_count": count,
        "metadata": metadata,
    }
    return {"cells": [cell], "metadata": {"kernelspec": {"name": "python3"}}}


PICTURE = {"output_type": "display_data", "data": {"image/png": "", "text/plain": ""}}
SMALL = {
    "output_type": "display_data",
    "data": {"image/svg+xml": '<svg width="454.8pt"><g transform="scale(0.1 -0.1)"/></svg>'},
}
LARGE = {
    "output_type": "display_data",
    "data": {"image/svg+xml": '<svg width="454.8pt"><g transform="scale(0.12 -0.12)"/></svg>'},
}
TABLE = {"output_type": "execute_result", "data": {"text/html": ['<table class="dataframe">']}}
CAPTIONED = {"figure": {"name": "tab-x", "caption": "A table."}}
LABELLED = {"figure": {"name": "fig-x", "caption": "A figure."}, "image": {"alt": "Axes."}}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_a_stored_chapter_is_executed_quiet_and_has_alternative_texts(path):
    assert complaints(json.loads(path.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_a_chapter_is_in_the_table_of_contents(path):
    assert f"book/{path.stem}\n" in (BOOK.parent / "_toc.yml").read_text(encoding="utf-8")


def test_a_sound_notebook_raises_no_complaint():
    assert complaints(stored()) == []
    assert complaints(stored(outputs=[PICTURE], mystnb=LABELLED)) == []
    assert complaints(stored(outputs=[LARGE], mystnb=LABELLED)) == []
    assert complaints(stored(outputs=[TABLE], mystnb=CAPTIONED)) == []
    assert complaints(stored(outputs=[TABLE], tags=["remove-cell"])) == []
    assert complaints(stored(source="x = " + "1" * 99, tags=["remove-input"])) == []


@pytest.mark.parametrize(
    ("notebook", "complaint"),
    [
        (stored(count=None), "was not executed in order"),
        (stored(count=2), "was not executed in order"),
        (stored(source="\n" * 21 + "x"), "more than 20 lines"),
        (stored(source="x = " + "1" * 77), "a line of 81 columns"),
        (stored(outputs=[TABLE]), "a table without a caption"),
        (
            stored(outputs=[TABLE], mystnb={"figure": {"name": "tab-x"}}),
            "a table without a caption",
        ),
        (stored(outputs=[TABLE], mystnb=LABELLED), "a table without a caption and a label tab"),
        (stored(outputs=[TABLE, TABLE], mystnb=CAPTIONED), "shows 2 tables"),
        (stored(outputs=[{"output_type": "stream", "name": "stderr", "text": ""}]), "stderr"),
        (stored(outputs=[{"output_type": "error", "ename": "KeyError"}]), "ends in KeyError"),
        (stored(outputs=[PICTURE], mystnb={"figure": LABELLED["figure"]}), "alternative text"),
        (stored(outputs=[PICTURE], mystnb={"image": LABELLED["image"]}), "without a caption"),
        (stored(outputs=[PICTURE, PICTURE], mystnb=LABELLED), "shows 2 images"),
        (stored(outputs=[SMALL], mystnb=LABELLED), "letters of 7.5"),
        (stored(execution={"iopub": ""}), "stores when"),
        (stored(source="x = 1 / 3\nx.round(2)"), "rounds by itself"),
        (stored(source="print(f'{x:.1f}')"), "rounds by itself"),
        (stored(outputs=[{"output_type": "stream", "text": "0.333333"}]), "not rounded"),
        (stored(outputs=[{"output_type": "x", "data": {"text/html": "0.333333"}}]), "not rounded"),
    ],
)
def test_each_kind_of_neglect_is_noticed(notebook, complaint):
    assert complaint in "\n".join(complaints(notebook))


@pytest.mark.parametrize(
    "source",
    [
        "f'{x:.1f}'",
        "f'{x:,.0f}'",
        "f'{x:>6.2f}'",
        "f'{x:.0%}'",
        "f'{x:.2g}'",
        "f'{x:e}'",
        "f'{x:.{n}f}'",
        "'{:.1f}'.format(x)",
        "table.map('{:,.0f}'.format)",
        "form = '{:.1f}'",
        "'%.2f' % x",
        "format(x, spec)",
        "table.round(2)",
        "round(x, 2)",
        "np.round(x, 2)",
        "np.set_printoptions(precision=3)",
        "pd.set_option('display.precision', 3)",
    ],
)
def test_rounding_by_a_cells_own_means_is_noticed(source):
    assert own_roundings(source) != []


@pytest.mark.parametrize(
    "source",
    [
        "f'{n:,} of {total}, {decimal(x, 1):>8}, level {level:g}%'",
        "rounded(table, 2)",
        "'{} ({} to {})'.format(*texts)",
        "print(f'{name:28s}{slope}')",
        "f'at 5%: {text}; 50% of them'",
        "a[1:3], {'key': 1.5}",
    ],
)
def test_whole_numbers_and_the_packages_rounding_are_welcome(source):
    assert own_roundings(source) == []
