"""`make refresh`: a chapter is replaced when it has been executed to its end, or not at all."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import pytest

from tests.book.test_verdicts import CLAIMS, FOUND, TOC

ROOT = Path(__file__).parents[2]


def chapter(book, *sources):
    """A stored notebook in a book of its own."""
    cells = [nbformat.v4.new_code_cell(source, id=f"c{i}") for i, source in enumerate(sources)]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    notebook = nbformat.v4.new_notebook(
        cells=cells, metadata={"kernelspec": kernel, "language_info": {"name": "python"}}
    )
    book.mkdir(exist_ok=True)
    (book.parent / "_toc.yml").write_text(TOC, encoding="utf-8")
    (book / "claims.yml").write_text(CLAIMS, encoding="utf-8")
    path = book / "01-x.ipynb"
    path.write_text(nbformat.writes(notebook) + "\n", encoding="utf-8")
    return path


def start(path):
    return subprocess.Popen(
        [sys.executable, str(ROOT / "book" / "_ext" / "refresh.py"), str(path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def wait_for(file, process):
    for _ in range(1200):
        if file.exists():
            return
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    raise TimeoutError(f"{file} did not appear")


OFFER = f"from maxgap_book.verdicts import offer\noffer('01-x', {FOUND!r})"


@pytest.mark.skipif(os.name == "nt", reason="signals are those of POSIX")
@pytest.mark.parametrize(
    ("ended_by", "whole_group"),
    [("SIGINT", True), ("SIGINT", False), ("SIGTERM", False), ("SIGKILL", False)],
)
def test_an_interrupted_chapter_is_as_it_was(tmp_path, ended_by, whole_group):
    running = tmp_path / "running"
    wait = f"import pathlib, time\npathlib.Path({str(running)!r}).touch()\ntime.sleep(60)"
    path = chapter(tmp_path / "book", "print('executed')", wait, OFFER)
    records = tmp_path / "book" / "records"
    records.mkdir()
    (records / "01-x.json").write_text("[]\n", encoding="utf-8")
    before = path.read_bytes()
    process = start(path)
    wait_for(running, process)
    # Ctrl-C reaches all processes of a terminal, its kernel too; others may reach one alone.
    if whole_group:
        os.killpg(process.pid, signal.Signals[ended_by])
    else:
        process.send_signal(signal.Signals[ended_by])
    _, said = process.communicate(timeout=60)
    assert process.returncode != 0
    assert path.read_bytes() == before
    assert (records / "01-x.json").read_text(encoding="utf-8") == "[]\n"
    assert sorted(file.name for file in path.parent.iterdir()) == [
        "01-x.ipynb",
        "claims.yml",
        "records",
    ]
    if ended_by != "SIGKILL" and not whole_group:
        assert f"Interrupted: {path} is as it was" in said.splitlines()


def test_a_chapter_that_fails_is_as_it_was(tmp_path):
    path = chapter(tmp_path / "book", "print('executed')", "raise ValueError('no')", OFFER)
    before = path.read_bytes()
    _, said = start(path).communicate(timeout=60)
    assert "cell [2], line 1: ValueError: no" in said
    assert path.read_bytes() == before
    assert not (path.parent / "records").exists()


def test_a_chapter_is_replaced_once_and_then_keeps_every_byte(tmp_path):
    path = chapter(tmp_path / "book", "print('executed')", OFFER)
    said, errors = start(path).communicate(timeout=60)
    assert (said, errors) == (f"{path}: changed\n", "")
    after = path.read_bytes()
    assert b"executed" in after
    kept = json.loads((path.parent / "records" / "01-x.json").read_text(encoding="utf-8"))
    assert kept == FOUND
    said, _ = start(path).communicate(timeout=60)
    assert said == f"{path}: unchanged\n"
    assert path.read_bytes() == after


def test_a_disk_that_fills_up_leaves_the_stored_chapter(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "book" / "_ext"))
    import refresh

    path = chapter(tmp_path / "book", "print('executed')")
    before = path.read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        refresh.refresh(path)
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.glob(".*")] == []
