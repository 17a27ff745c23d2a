"""Another processor on this one: the settings take effect, and the statistics do not change."""

import json
import os
import platform
import subprocess
import sys

import pytest
from processors import compare, main, plain_settings

MACHINE = """
import json, math
import numpy as np
from numba.core.registry import cpu_target
from maxgap.simulate import Study

x = np.linspace(0.1, 50, 20_003) / 7
a = np.random.default_rng(0).random((150, 200))
# Runs that are wrong until a time of their own: a resampled curve often stays on the level.
until = np.random.default_rng(1).exponential(300, (3, 200, 1))
wrong = until > np.arange(1, 151) * 10
made = Study(("a", "b", "c"), np.arange(1, 151) * 10, wrong, None, None, None)
table = made.speedup("a", 0.05)[["ratio", "low", "high"]]
print(json.dumps({
    "dispatched": np.show_config(mode="dicts")["SIMD Extensions"].get("found", []),
    "numba": cpu_target.target_context.codegen().magic_tuple()[1:],
    "numpy's log and exp": (np.log(x) + np.exp(x)).tobytes().hex(),
    "the C library's": [(math.log(v) * math.exp(v)).hex() for v in x],
    "products": (a @ a.T).tobytes().hex(),
    "speedup": table.to_numpy().tobytes().hex(),
    "wilson": made.errors[["low", "high"]].to_numpy().tobytes().hex(),
}))
"""

only_x86 = pytest.mark.skipif(
    platform.machine().lower() not in ("x86_64", "amd64"),
    reason="only an x86-64 processor can be made plainer by settings",
)


def machine(settings):
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", MACHINE],
        env=os.environ | settings,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    return json.loads(done.stdout)


@only_x86
def test_the_settings_make_another_machine_whose_statistics_are_the_same_to_the_last_bit():
    own, plain = machine({}), machine(plain_settings())
    assert plain["dispatched"] == []
    assert plain["numba"] == ["x86-64", ""]
    if {"X86_V3", "FMA3"} & set(own["dispatched"]):
        # This processor has more than the plain one, and its routines are others.
        assert own["numba"] != plain["numba"]
        assert own["numpy's log and exp"] != plain["numpy's log and exp"]
        assert own["products"] != plain["products"]
        if platform.libc_ver()[0] == "glibc":
            assert own["the C library's"] != plain["the C library's"]
    assert own["speedup"] == plain["speedup"]
    assert own["wilson"] == plain["wilson"]


@only_x86
def test_settings_of_the_c_library_that_are_there_already_are_kept(monkeypatch):
    monkeypatch.setenv("GLIBC_TUNABLES", "glibc.malloc.check=1")
    assert plain_settings()["GLIBC_TUNABLES"].startswith("glibc.malloc.check=1:glibc.cpu.hwcaps=-")


class Ended:
    """A process that has printed something and ended."""

    def __init__(self, returncode):
        self.returncode = returncode

    def communicate(self):
        return "lines of pytest", None


@pytest.mark.parametrize(("codes", "expected"), [((0, 0), 0), ((1, 0), 1), ((0, 1), 1)])
def test_a_difference_on_either_machine_is_a_failure(codes, expected, monkeypatch, capsys):
    ends = iter(codes)
    monkeypatch.setattr("processors.plain_settings", lambda: {"NUMBA_CPU_NAME": "x86-64"})
    monkeypatch.setattr("processors.compare", lambda *_: Ended(next(ends)))
    assert main(["book/x.ipynb"]) == expected
    assert "as a plain x86-64:\nlines of pytest" in capsys.readouterr().out


def test_another_kind_of_machine_says_that_the_second_comparison_is_left_out(monkeypatch, capsys):
    monkeypatch.setattr(platform, "machine", lambda: "arm64")
    monkeypatch.setattr("processors.compare", lambda *_: Ended(0))
    assert plain_settings() == {}
    assert main(["book/x.ipynb"]) == 0
    assert "left out, since this machine is arm64" in capsys.readouterr().out


NOTEBOOK = {
    "cells": [
        {
            "cell_type": "code",
            "id": "a",
            "source": "print('first')\nprint('takes 4.6-7.6 times fewer')\n'7.5'",
            "execution_count": 1,
            "metadata": {},
            "outputs": [
                {
                    "output_type": "stream",
                    "name": "stdout",
                    "text": "first\ntakes 4.6-7.5 times fewer\n",
                },
                {
                    "output_type": "execute_result",
                    "execution_count": 1,
                    "metadata": {},
                    "data": {"text/plain": "'7.5'"},
                },
            ],
        },
        {
            "cell_type": "code",
            "id": "b",
            "source": "from IPython.display import HTML, display\n"
            "display(HTML('<table><tr><td>same</td><td>4 &lt; 5</td></tr></table>'))",
            "execution_count": 2,
            "metadata": {},
            "outputs": [
                {
                    "output_type": "display_data",
                    "metadata": {},
                    "data": {
                        "text/html": "<table><tr><td>same</td><td>4 &lt; 6</td></tr></table>",
                        "text/plain": "<IPython.core.display.HTML object>",
                    },
                }
            ],
        },
        {
            "cell_type": "code",
            "id": "c",
            "source": "raise KeyError('gone')",
            "execution_count": 3,
            "metadata": {},
            "outputs": [],
        },
        {
            "cell_type": "code",
            "id": "d",
            "source": "print('same')",
            "execution_count": 4,
            "metadata": {},
            "outputs": [{"output_type": "stream", "name": "stdout", "text": "same\n"}],
        },
    ],
    "metadata": {"kernelspec": {"name": "python3", "display_name": "", "language": "python"}},
    "nbformat": 4,
    "nbformat_minor": 5,
}


def test_a_changed_output_is_told_by_chapter_cell_and_line_with_what_to_do(tmp_path):
    path = tmp_path / "99-small.ipynb"
    path.write_text(json.dumps(NOTEBOOK), encoding="utf-8")
    process = compare([str(path)], {})
    output, _ = process.communicate()
    assert process.returncode == 1
    # With CI set pytest repeats every line, whole, at its end.
    lines = output.partition("= short test summary info =")[0].splitlines()
    told = [line for line in lines if "99-small.ipynb, cell [" in line]
    assert len(told) == 3, output
    assert told[0].endswith(
        'cell [1]: stored "takes 4.6-7.5 times fewer" now "takes 4.6-7.6 times fewer"'
    )
    assert told[1].endswith('cell [2]: stored "4 < 6" now "4 < 5"')
    assert told[2].endswith("cell [3]: raised KeyError: 'gone'")
    assert output.count("make refresh NOTEBOOKS=") == 1
    assert "another processor" in output
    # Nothing of nbval's long report.
    assert "assert reference_output" not in output


DRAWING = {
    "cell_type": "code",
    "id": "e",
    "source": "from IPython.display import SVG\nSVG('<svg><path d=\"M 0.1\"/></svg>')",
    "execution_count": 5,
    "metadata": {},
    "outputs": [
        {
            "output_type": "execute_result",
            "execution_count": 5,
            "metadata": {},
            "data": {
                "image/svg+xml": '<svg><path d="M 0.2"/></svg>',
                "text/plain": "<IPython.core.display.SVG object>",
            },
        }
    ],
}


def test_a_sound_notebook_passes_with_no_advice_whatever_the_last_digits_of_a_drawing(tmp_path):
    path = tmp_path / "99-small.ipynb"
    cells = [*NOTEBOOK["cells"][3:], DRAWING]
    path.write_text(json.dumps(NOTEBOOK | {"cells": cells}), encoding="utf-8")
    process = compare([str(path)], {})
    output, _ = process.communicate()
    assert process.returncode == 0, output
    assert "refresh" not in output


def test_long_lines_are_cut_to_what_differs_and_many_are_counted():
    from stored_outputs import explain

    def stream(text):
        return [{"output_type": "stream", "name": "stdout", "text": text}]

    line = "a" * 100 + "{}" + "z" * 100 + "\n"
    told = explain("x, cell [1]", stream(line.format("7.6")), stream(line.format("7.5")))
    kept = "..." + "a" * 28 + "7.{}" + "z" * 30 + "..."
    assert told == f'x, cell [1]: stored "{kept.format(6)}" now "{kept.format(5)}"'
    many = explain("x, cell [1]", stream("1\n" * 20), stream("2\n" * 20)).splitlines()
    assert len(many) == 9
    assert many[-1] == "x, cell [1]: and 12 more lines"
    quoted = [{"data": {"application/papermill.record/text/plain": "'7.6'"}}]
    told = explain("x, cell [1]", quoted, [{"data": {"text/plain": "'7.5'"}}])
    assert told == """x, cell [1]: stored "'7.6'" now "'7.5'\""""
    more = explain("x, cell [1]", stream("1\n"), stream("1\n2\n"))
    assert more == 'x, cell [1]: stored "" now "2"'
