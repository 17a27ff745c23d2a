"""What runs elsewhere: actions pinned by commit, least permissions, the Pythons declared."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parent.parent
PATHS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name)
def test_actions_are_pinned_by_commit_and_may_write_nothing_by_default(path):
    text = path.read_text(encoding="utf-8")
    for used in re.findall(r"uses: (\S+)", text):
        assert re.fullmatch(r"[\w.-]+/[\w.-]+@[0-9a-f]{40}", used), used
    allowed = yaml.safe_load(text)["permissions"]
    assert set(allowed.values()) <= {"read"}


def test_the_oldest_and_the_newest_python_are_tested():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    last = "Programming Language :: Python :: 3."
    minors = [int(c.removeprefix(last)) for c in project["classifiers"] if c.startswith(last)]
    workflow = yaml.safe_load((ROOT / ".github/workflows/check.yml").read_text(encoding="utf-8"))
    tested = workflow["jobs"]["test"]["strategy"]["matrix"]["python"]
    assert tested == [f"3.{min(minors)}", f"3.{max(minors)}"]
    assert project["requires-python"] == f">=3.{min(minors)},<3.{max(minors) + 1}"


def test_binder_runs_a_python_that_the_package_declares():
    runtime = (ROOT / ".binder" / "runtime.txt").read_text(encoding="utf-8").strip()
    assert runtime == "python-3.12"
    assert "requirements.txt" in (ROOT / ".binder" / "postBuild").read_text(encoding="utf-8")
