"""The README: its ten lines run, its numbers are the book's, its picture is the book's."""

import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def evidence():
    """Evidence of every verdict, by key."""
    paths = (ROOT / "book" / "records").glob("*.json")
    rows = [row for path in paths for row in json.loads(path.read_text(encoding="utf-8"))]
    return {row["key"]: row["evidence"] for row in rows}


def test_the_ten_lines_run_and_print_what_they_say():
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert len([line for line in code.splitlines() if line.strip()]) <= 11
    assert done.stdout.startswith("['ada', 'bea'] True\n")
    assert done.stderr == ""


def test_every_number_in_bold_is_the_evidence_of_the_verdict_it_names():
    known = evidence()
    findings = README.split("## What was found")[1].split("## Run it")[0]
    quoted = 0
    for part, key in re.findall(r"(.*?)<!-- ([a-z0-9-]+) -->", findings, re.DOTALL):
        for number in re.findall(r"\*\*(.*?)\*\*", part):
            assert number in known[key], (number, known[key])
            quoted += 1
        assert key in known
    assert quoted == findings.count("**") / 2 > 0


def test_pictures_outside_the_chapters_are_the_chapters_figures():
    sys.path.insert(0, str(ROOT / "book" / "_ext"))
    from refresh import PICTURES, STATIC, SVG

    for (chapter, figure), name in PICTURES.items():
        notebook = json.loads((ROOT / "book" / f"{chapter}.ipynb").read_text(encoding="utf-8"))
        stored = [
            "".join(output["data"][SVG])
            for cell in notebook["cells"]
            if cell["metadata"].get("mystnb", {}).get("figure", {}).get("name") == figure
            for output in cell["outputs"]
            if SVG in output.get("data", {})
        ]
        assert stored == [(STATIC / name).read_text(encoding="utf-8")]
    assert "book/_static/streetview-error.svg" in README
