"""The book's own package: what it consists of is what is installed."""

import os
import tomllib
from pathlib import Path

import pytest

from maxgap_book.files import write_whole

ROOT = Path(__file__).parents[2]
BOOK = ROOT / "book"
SETTINGS = tomllib.loads((BOOK / "pyproject.toml").read_text(encoding="utf-8"))


def test_every_folder_of_modules_is_listed():
    folders = {path.parent for path in (BOOK / "maxgap_book").rglob("*.py")}
    names = {folder.relative_to(BOOK).as_posix().replace("/", ".") for folder in folders}
    assert set(SETTINGS["tool"]["setuptools"]["packages"]) == names


def test_it_lists_nothing_that_the_package_lists():
    package = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert SETTINGS["project"]["dependencies"] == []
    assert SETTINGS["project"]["requires-python"] == package["project"]["requires-python"]


@pytest.mark.parametrize(
    ("file", "installed"),
    [
        ("Makefile", "-e . -e ./book"),
        (".binder/postBuild", "-e . -e ./book"),
        ("book/_ext/publishing.py", "-e ./maxgap-book -e ./maxgap-book/book"),
    ],
)
def test_both_packages_are_installed_together(file, installed):
    text = (ROOT / file).read_text(encoding="utf-8")
    assert text.count(installed) == 1


def test_a_file_that_cannot_be_written_stays_as_it_was(tmp_path, monkeypatch):
    file = tmp_path / "x.json"
    write_whole(file, "old\n")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_whole(file, "new\n")
    assert file.read_bytes() == b"old\n"
    assert [found.name for found in tmp_path.iterdir()] == ["x.json"]
