"""The command line in this process, and a place for the files of examples."""

import os

import pytest

from maxgap.ratings import cli


@pytest.fixture
def called(capsys):
    """The command in this process: status, output, errors."""

    def call(*arguments):
        status = cli.main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return call


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder for the examples of one property: fixtures of a test serve only one example."""
    os.environ["PYTEST_FOLDER"] = str(tmp_path_factory.mktemp("rows"))
