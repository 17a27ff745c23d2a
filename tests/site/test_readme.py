"""The README: its ten lines run, its numbers are the book's, its picture is the book's."""

import json
import operator
import re
import subprocess
import sys
from pathlib import Path

import maxgap
from maxgap_book import verdicts

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


#: A number, and its interval if it has one: "5,760", "31% (27% to 36%)", "4.1 (3.8-4.4)".
NUMBER = re.compile(r"(?<![\w.])\d+(?:,\d{3})*(?:\.\d+)?%?(?: \([^()]*\d[^()]*\))?")
#: What has a number in it and is no result of ours, and why.
NO_RESULTS = {
    "NeurIPS 2019": "the conference",
    "95% intervals": "the level of every interval",
    "O(K^2)": "an order",
}


def rows():
    """Every verdict, by key."""
    return {row["key"]: row for row in verdicts.read_all()}


def evidence():
    """Evidence of every verdict, by key."""
    return {key: row["evidence"] for key, row in rows().items()}


def unbacked(text, keys):
    """Numbers of a text that are in no evidence of the named verdicts.

    What stands in quotation marks is the paper's: its numbers are those of the claims.
    """
    known = rows()
    ours = " ; ".join(known[key]["evidence"] for key in keys)
    theirs = " ; ".join(known[key].get("claim", "") for key in keys)
    text = re.sub(r"\s+", " ", text.replace("*", ""))
    for words in NO_RESULTS:
        text = text.replace(words, "")
    parts = re.split(r'"([^"]*)"', text)

    def missing(part, words):
        for number in NUMBER.findall(part):
            end = r"(?!\d|%|[.,]\d)" if number[-1].isdigit() else ""
            if not re.search(rf"(?<![\d.,]){re.escape(number)}{end}", words):
                yield number

    said = [number for part in parts[::2] for number in missing(part, ours)]
    return said + [number for part in parts[1::2] for number in missing(part, theirs)]


def findings():
    """The section of what was found: its first paragraph, and its findings with their keys."""
    section = README.split("## What was found")[1].split("## The book")[0]
    first, *points = re.split(r"\n- ", section)
    key = re.compile(r"<!-- ([a-z0-9-]+) -->")
    return first, [(key.sub("", point), key.findall(point)) for point in points]


def test_the_ten_lines_run_and_print_what_they_say():
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert len([line for line in code.splitlines() if line.strip()]) <= 11
    assert done.stdout.startswith("['ada', 'bea'] True\n")
    assert done.stderr == ""


def test_every_number_in_bold_is_the_evidence_of_the_verdict_it_names():
    known = evidence()
    findings = README.split("## What was found")[1].split("## The book")[0]
    quoted = 0
    for part, key in re.findall(r"(.*?)<!-- ([a-z0-9-]+) -->", findings, re.DOTALL):
        for number in re.findall(r"\*\*(.*?)\*\*", part):
            assert number in known[key], (number, known[key])
            quoted += 1
        assert key in known
    assert quoted == findings.count("**") / 2 > 0


def test_every_number_of_a_finding_is_in_the_evidence_of_a_verdict_it_names():
    first, points = findings()
    assert len(points) > 5
    missing = {point: unbacked(point, keys) for point, keys in [(first, []), *points]}
    assert not {point: numbers for point, numbers in missing.items() if numbers}


def test_a_number_that_no_evidence_has_is_noticed():
    key, row = next((key, row) for key, row in rows().items() if "8 times" in row.get("claim", ""))
    number, *_ = NUMBER.findall(row["evidence"])
    assert unbacked(f'**{number}** at last, not "8x fewer"', [key]) == []
    assert unbacked(f"77{number} at NeurIPS 2019", [key]) == [f"77{number}"]
    assert unbacked('not "9x"', [key]) == ["9"]
    assert unbacked("8 times, or 98,765", [key])[-1] == "98,765"


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


def test_the_chapters_of_the_first_part_are_named_in_their_order():
    toc = (ROOT / "_toc.yml").read_text(encoding="utf-8")
    first = re.findall(r"- file: (book/[a-z0-9-]+)", toc.split("caption: Proofs")[0])
    assert re.findall(r"\]\((book/[a-z0-9-]+)\.ipynb\)", README) == first


def test_names_of_the_package_are_there():
    table = README.split("## The package")[1].split("\n\n## ")[0]
    named = [
        name
        for row in re.findall(r"(?m)^\| (`.*?) \|", table)
        for name in re.findall("`(.*?)`", row)
    ]
    assert 12 <= len(named) <= 14
    for name in named:
        operator.attrgetter(name)(maxgap)
