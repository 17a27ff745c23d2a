"""The stored chapters: executed in order, quiet, illustrated for everyone."""

import json
from pathlib import Path

import pytest

BOOK = Path(__file__).parent.parent / "book"
NOTEBOOKS = sorted(BOOK.glob("*.ipynb"))
LONGEST_CELL = 20
IMAGES = {"image/png", "image/svg+xml", "image/jpeg"}


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
        source = "".join(cell["source"])
        place = f"code cell {number} ({cell.get('id')})"
        if not source.strip():
            found.append(f"{place} is empty")
        elif cell["execution_count"] != number:
            found.append(f"{place} was not executed in order: {cell['execution_count']}")
        if len(source.splitlines()) > LONGEST_CELL:
            found.append(f"{place} has more than {LONGEST_CELL} lines")
        if cell["metadata"].keys() & {"execution", "ExecuteTime"}:
            found.append(f"{place} stores when it was executed")
        images = 0
        for output in cell["outputs"]:
            if output["output_type"] == "error":
                found.append(f"{place} ends in {output['ename']}")
            if output.get("name") == "stderr":
                found.append(f"{place} writes to stderr")
            if output["output_type"] in {"display_data", "execute_result"}:
                images += bool(IMAGES & output["data"].keys())
        if images > 1:
            found.append(f"{place} shows {images} images under one alternative text")
        settings = cell["metadata"].get("mystnb", {})
        if images and not settings.get("image", {}).get("alt", "").strip():
            found.append(f"{place} shows a figure without alternative text")
        if images and not settings.get("figure", {}).get("caption", "").strip():
            found.append(f"{place} shows a figure without a caption")
        if images and not settings.get("figure", {}).get("name", "").startswith("fig-"):
            found.append(f"{place} shows a figure without a label fig-...")
    return found


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


@pytest.mark.parametrize(
    ("notebook", "complaint"),
    [
        (stored(count=None), "was not executed in order"),
        (stored(count=2), "was not executed in order"),
        (stored(source="\n" * 21 + "x"), "more than 20 lines"),
        (stored(outputs=[{"output_type": "stream", "name": "stderr", "text": ""}]), "stderr"),
        (stored(outputs=[{"output_type": "error", "ename": "KeyError"}]), "ends in KeyError"),
        (stored(outputs=[PICTURE], mystnb={"figure": LABELLED["figure"]}), "alternative text"),
        (stored(outputs=[PICTURE], mystnb={"image": LABELLED["image"]}), "without a caption"),
        (stored(outputs=[PICTURE, PICTURE], mystnb=LABELLED), "shows 2 images"),
        (stored(execution={"iopub": ""}), "stores when"),
    ],
)
def test_each_kind_of_neglect_is_noticed(notebook, complaint):
    assert complaint in "\n".join(complaints(notebook))
