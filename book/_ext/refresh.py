"""Execute notebooks in place; a notebook whose results did not change keeps every byte.

Cells tagged ``nbval-ignore-output`` show times, which differ from run to run. Alone they change
nothing: their stored outputs are renewed only together with other results.

The executed notebook replaces the stored one in one step, at the end. Whoever stops this earlier,
in whatever way, keeps the stored one.
"""

from __future__ import annotations

import copy
import sys
from pathlib import Path

import nbformat
from chapters import describe_failure
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

from maxgap_book.files import write_whole

#: Figures that pages which are no notebooks show too: (notebook, figure) -> file in _static.
PICTURES = {
    ("maxgap-problem", "fig-problem-scenes"): "problem.svg",
    ("streetview", "fig-streetview-error"): "streetview-error.svg",
}
SVG = "image/svg+xml"
STATIC = Path(__file__).parent.parent / "_static"

KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}


def refresh(path: Path) -> bool:
    """Execute the notebook at `path`; return whether its file changed."""
    before = path.read_text(encoding="utf-8")
    notebook = nbformat.reads(before, as_version=4)
    # The kernel writes its own version here, which says nothing about the chapter.
    notebook.metadata = {"kernelspec": dict(KERNEL), "language_info": {"name": "python"}}
    NotebookClient(
        notebook,
        timeout=1800,
        kernel_name="python3",
        record_timing=False,
        # Adjacent prints arrive in a varying number of messages.
        coalesce_streams=True,
        resources={"metadata": {"path": str(path.parent)}},
    ).execute()
    notebook.metadata = {"kernelspec": dict(KERNEL), "language_info": {"name": "python"}}
    for cell in notebook.cells:
        for volatile in ("execution", "collapsed", "scrolled", "ExecuteTime"):
            cell.metadata.pop(volatile, None)
    if _text(_with_stored_times(notebook, before)) == before:
        return False
    write_whole(path, _text(notebook))
    return True


def copy_pictures(path: Path) -> None:
    """Write the notebook's figures that other pages show; those are the stored outputs."""
    notebook = nbformat.reads(path.read_text(encoding="utf-8"), as_version=4)
    for cell in notebook.cells:
        figure = cell.metadata.get("mystnb", {}).get("figure", {}).get("name")
        target = PICTURES.get((path.stem, figure))
        if target:
            (picture,) = [o.data[SVG] for o in cell.outputs if SVG in o.get("data", {})]
            write_whole(STATIC / target, picture)


def _text(notebook: nbformat.NotebookNode) -> str:
    return nbformat.writes(notebook) + "\n"


def _with_stored_times(notebook: nbformat.NotebookNode, before: str) -> nbformat.NotebookNode:
    """Return a copy whose cells tagged ``nbval-ignore-output`` show what they showed before."""
    kept = copy.deepcopy(notebook)
    for cell, stored in zip(kept.cells, nbformat.reads(before, as_version=4).cells, strict=True):
        if "nbval-ignore-output" in cell.metadata.get("tags", []):
            cell.outputs = stored.get("outputs", [])
    return kept


def main(names: list[str]) -> int:
    """Refresh the named notebooks, or say which one failed."""
    for name in names:
        path = Path(name)
        try:
            changed = refresh(path)
        except (CellExecutionError, CellTimeoutError) as error:
            print(f"A chapter failed: {path.name}, {describe_failure(error)}", file=sys.stderr)
            return 1
        except (KeyboardInterrupt, DeadKernelError, AssertionError):
            # At a signal nbclient ends the kernel, and asserts afterwards that there is one.
            print(f"Interrupted: {name} is as it was", file=sys.stderr)
            return 1
        copy_pictures(path)
        print(f"{name}: {'changed' if changed else 'unchanged'}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
