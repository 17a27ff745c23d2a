"""Read TeX's log: lines that stick out, references and letters that are missing."""

from __future__ import annotations

import re
import sys
from pathlib import Path

#: How far a line may stick out, in points: one letter and a half in a cell of a table.
WIDEST = 8.0
#: How many lines may stick out by more than one point.
MOST = 40


def complaints(log: str) -> list[str]:
    r"""What is wrong, one line each.

    >>> complaints("Overfull \\hbox (12.5pt too wide) in paragraph at lines 3--4")
    ['a line sticks out by 12.5pt: in paragraph at lines 3--4']
    """
    # TeX breaks its own lines after 79 characters.
    log = re.sub(r"(?<=^.{79})\n", "", log, flags=re.MULTILINE)
    wide = re.findall(r"^Overfull \\hbox \(([\d.]+)pt too wide\) (.*)", log, re.MULTILINE)
    found = [f"a line sticks out by {by}pt: {where}" for by, where in wide if float(by) > WIDEST]
    visible = sum(float(by) > 1 for by, _ in wide)
    if visible > MOST:
        found.append(f"{visible} lines stick out by more than a point, {MOST} are known")
    missing = re.findall(r"(?:Reference|Hyper reference|Citation) `[^']*' .*undefined", log)
    found += [f"leads nowhere: {text}" for text in sorted(set(missing))]
    letters = re.findall(r"Missing character: There is no (.*?) in font", log)
    found += [f"no font has {letter}" for letter in sorted(set(letters))]
    return found


def main(path: str) -> int:
    """Say what is wrong in the log at `path`, and how much sticks out at all."""
    log = Path(path).read_text(encoding="utf-8", errors="replace")
    found = complaints(log)
    for line in found:
        print(line, file=sys.stderr)
    pages = re.search(r"\((\d+) pages", log)
    wide = len(re.findall(r"^Overfull \\hbox", log, re.MULTILINE))
    print(f"{pages[1] if pages else 'no'} pages, {wide} lines stick out at all")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
