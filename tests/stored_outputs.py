"""Plugin of pytest beside nbval: say in a few lines which stored output of a chapter is different.

Load it with ``-p tests.stored_outputs`` from the root of the repository.
"""

from __future__ import annotations

import difflib
import html
import re
from collections.abc import Generator, Mapping, Sequence
from typing import Any

import pytest

#: Lines shown of a cell, and letters shown around what differs in a line.
MOST_LINES, AROUND = 8, 30

ADVICE = """\
What is stored is not what is computed now: that may come from an edit of the code or the chapter
since it was last executed, from other versions of the packages than requirements.txt has, or from
another processor, which would be a mistake of ours. After an edit store the new outputs by
`make refresh NOTEBOOKS=book/NN-name.ipynb` and look at what changed; otherwise make .venv anew with
`make clean ALL=1`, and if the lines above come again, report them with the processor's name."""

_ANSI = re.compile(r"\x1b\[[0-9;]*m")
_BREAKS = re.compile(r"</(?:td|th|tr|p|div|text)>")
_TAGS = re.compile(r"<[^>]*>")


def lines_of(outputs: Sequence[Mapping[str, Any]]) -> list[str]:
    """What a cell shows, as lines of text; pictures are left out."""
    lines: list[str] = []
    for output in outputs:
        data = output.get("data", {})
        if "text" in output:
            lines += "".join(output["text"]).splitlines()
        elif "text/html" in data:
            text = _TAGS.sub("", _BREAKS.sub("\n", "".join(data["text/html"])))
            lines += [html.unescape(line).strip() for line in text.splitlines() if line.strip()]
        elif not any(kind.startswith("image/") for kind in data):
            # What a page quotes is stored as "application/papermill.record/text/plain".
            for kind, text in data.items():
                lines += "".join(text).splitlines() if kind.endswith("text/plain") else []
    return lines


def shortened(stored: str, now: str) -> tuple[str, str]:
    """The two lines without the beginning and the end that they share, but for some letters."""
    first = 0
    while first < min(len(stored), len(now)) and stored[first] == now[first]:
        first += 1
    last = 0
    while last < min(len(stored), len(now)) - first and stored[-1 - last] == now[-1 - last]:
        last += 1
    begin, end = max(first - AROUND, 0), max(last - AROUND, 0)

    def cut(line: str) -> str:
        return f"{'...' * (begin > 0)}{line[begin : len(line) - end]}{'...' * (end > 0)}"

    return cut(stored), cut(now)


def differences(
    stored: Sequence[Mapping[str, Any]], now: Sequence[Mapping[str, Any]]
) -> list[tuple[str, str]]:
    """Lines that differ, as (stored, now); an empty text where one of them has no such line."""
    before, after = lines_of(stored), lines_of(now)
    found = []
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for kind, i, i_end, j, j_end in matcher.get_opcodes():
        if kind != "equal":
            old, new = before[i:i_end], after[j:j_end]
            size = max(len(old), len(new))
            old += [""] * (size - len(old))
            new += [""] * (size - len(new))
            found += [shortened(*pair) for pair in zip(old, new, strict=True)]
    return found


def explain(
    place: str, stored: Sequence[Mapping[str, Any]], now: Sequence[Mapping[str, Any]]
) -> str:
    """Say what differs in the cell at ``place``, a line for each line."""
    pairs = differences(stored, now)
    if not pairs:
        return f"{place}: the outputs differ in their kinds or their number"
    lines = [f'{place}: stored "{old}" now "{new}"' for old, new in pairs[:MOST_LINES]]
    if len(pairs) > MOST_LINES:
        lines.append(f"{place}: and {len(pairs) - MOST_LINES} more lines")
    return "\n".join(lines)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option to leave out what no page shows."""
    parser.addoption(
        "--shown-alone", action="store_true", help="run only the cells that a page shows or folds"
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out, where asked, the cells that are hidden for good: the others run without them."""
    if config.getoption("--shown-alone"):
        items[:] = [item for item in items if not is_hidden(getattr(item, "cell", {}))]


def is_hidden(cell: Mapping[str, Any]) -> bool:
    """Whether no page shows the code of a cell, not even folded."""
    return not {"remove-cell", "remove-input"}.isdisjoint(cell.get("metadata", {}).get("tags", []))


def pytest_collectstart(collector: Any) -> None:
    """Compare no drawings: their ends are coordinates, whose last digits a processor may choose.

    What a figure shows stands in a table below it, which is compared.
    """
    if hasattr(collector, "skip_compare"):  # a notebook, whose bitmaps nbval leaves out itself
        collector.skip_compare += ("image/svg+xml",)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Put the short text in the place of nbval's."""
    report = yield
    if call.when == "call" and call.excinfo is not None and hasattr(item, "cell_num"):
        place = f"{item.nodeid.partition('::')[0]}, cell [{item.cell_num + 1}]"
        now = item.test_outputs or []
        raised = [output for output in now if "ename" in output]
        if str(call.excinfo.value) == "Cell outputs differ":
            report.longrepr = explain(place, item.cell.get("outputs", []), now)
            report.user_properties.append(("stored output", place))
        elif raised:
            message = f"{raised[0]['ename']}: {raised[0]['evalue']}"
            report.longrepr = f"{place}: raised {_ANSI.sub('', message)}"
    return report


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say once what it may mean, and what to do."""
    failed = terminalreporter.stats.get("failed", [])
    if any(name == "stored output" for report in failed for name, _ in report.user_properties):
        terminalreporter.section("stored outputs")
        terminalreporter.write_line(ADVICE)
