"""``python -m maxgap`` in a process of its own: pipes, interrupts, terminals, full disks."""

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest
from rating_tables import COMMAND, run

# -- in a process of its own -----------------------------------------------------------------------

STARS = ["--bounds", "1", "5"]


def test_who_closes_the_pipe_is_not_told_off():
    rows = "".join(f"{arm},{arm % 5}\n" for arm in range(20_000)).encode()
    process = subprocess.Popen(
        [*COMMAND, "split", "-", "--bounds", "0", "4", "--json"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    with process:
        process.stdin.write(b"item,stars\n" + rows)
        process.stdin.close()
        assert process.stdout.read(1) == b"{"
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141


@pytest.mark.parametrize("_", range(4))  # it may come at any moment
def test_an_interrupt_leaves_no_traceback(_):
    process = subprocess.Popen(
        [*COMMAND, "split", "-", *STARS],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    with process:
        # More than a pipe holds: once it is written, the command is reading.
        process.stdin.write(b"item,stars\n" + b"a,5\nb,1\n" * 100_000)
        process.stdin.flush()
        process.send_signal(signal.SIGINT)
        process.stdin.close()
        assert process.stdout.read() == b""
        assert process.stderr.read() == b"\n"
    assert process.returncode == 130


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_result_that_cannot_be_written_is_said(unbuffered):
    if not Path("/dev/full").exists():
        pytest.skip("needs a device that is full")
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*COMMAND, "plan", "1", "0", "--sigma", "0.1"],
            stdout=full, stderr=subprocess.PIPE, text=True, check=False,
            env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
        )  # fmt: skip
    assert done.returncode == 3
    assert done.stderr == "maxgap: standard output: No space left on device\n"


def test_names_cannot_steer_the_terminal_and_none_is_too_long_or_too_foreign():
    name = "\x1b[31mred\nline " + "x" * 500
    rows = f'item,stars\n"{name}",5\ncafé,1\n'.encode()
    here = {**os.environ, "PYTHONIOENCODING": "ascii"}
    for command in ("split", "next"):
        status, out, err = run(command, "-", *STARS, stdin=rows, env=here)
        assert (status, err) == (0, "")
        assert "\\x1b[31mred\\nline" in out
        assert "caf\\xe9" in out
        assert "\x1b" not in out
    status, out, _ = run("split", "-", *STARS, "--json", stdin=rows, env=here)
    assert json.loads(out)["top"] == [name]
    shown, sentence = run("split", "-", *STARS, stdin=rows)[1].split("\n\nFor a report: ")
    assert max(map(len, shown.splitlines())) < 200
    assert "red" not in sentence  # it has no names
