"""What runs elsewhere: actions pinned by commit, least permissions, the Pythons declared."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

import maxgap

ROOT = Path(__file__).parents[2]
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


# -- a release ---------------------------------------------------------------------------------

RELEASE = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8"))


def uses(job):
    return [step["uses"].split("@")[0] for step in job["steps"] if "uses" in step]


def test_a_tag_and_nothing_else_releases():
    assert RELEASE[True] == {"push": {"tags": ["v*"]}}  # YAML takes `on` for true


def test_only_the_job_that_publishes_may_do_so_and_it_runs_none_of_our_code():
    assert RELEASE["permissions"] == {}
    build, publish = RELEASE["jobs"]["build"], RELEASE["jobs"]["publish"]
    assert build["permissions"] == {"contents": "read"}
    assert publish["permissions"] == {"id-token": "write"}
    assert publish["environment"] == {"name": "release"}
    assert publish["needs"] == "build"
    assert uses(publish) == ["actions/download-artifact", "pypa/gh-action-pypi-publish"]
    assert not any("run" in step for step in publish["steps"])
    assert "pypa/gh-action-pypi-publish" not in uses(build)


def test_nothing_secret_is_named_in_any_workflow():
    for path in PATHS:
        assert not re.search(r"secrets\.|password|token:(?! write)", path.read_text("utf-8")), path


def test_what_is_published_was_built_and_tested_in_the_same_run_of_the_workflow():
    steps = RELEASE["jobs"]["build"]["steps"]
    runs = [step["run"].split(" #")[0] for step in steps if "run" in step]
    assert runs == ['python .github/release.py "$GITHUB_REF_NAME"', "make PYTHON=python dist"]
    uploaded, downloaded = steps[-1], RELEASE["jobs"]["publish"]["steps"][0]
    assert uploaded["with"]["path"] == "_build/dist"
    assert uploaded["with"]["name"] == downloaded["with"]["name"]
    assert downloaded["with"]["path"] == "dist"  # where the action looks
    assert "--outdir _build/dist" in (ROOT / "Makefile").read_text(encoding="utf-8")


def checked(tag, folder):
    return subprocess.run(
        [sys.executable, str(folder / ".github" / "release.py"), tag],
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def ready(tmp_path):
    """What is looked at before a release, as it is when all is in order."""
    files = {
        "maxgap/__init__.py": '"""Doc."""\n\n__version__ = "1.2.3"\n',
        "CITATION.cff": "cff-version: 1.2.0\ntitle: x\nversion: 1.2.3\n",
        ".zenodo.json": '{"version": "1.2.3"}',
        "CHANGELOG.md": "## Unreleased\n\n## 1.2.3 - 2030-01-31\n\n- x\n\n## 1.2.2 - 2029-01-31\n",
        ".github/release.py": (ROOT / ".github" / "release.py").read_text(encoding="utf-8"),
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def test_a_release_in_order_passes(ready):
    done = checked("v1.2.3", ready)
    assert (done.returncode, done.stdout) == (0, "v1.2.3 it is\n")


@pytest.mark.parametrize("tag", ["v1.2.4", "1.2.3", "v1.2", "v1.2.3rc1", "v"])
def test_a_tag_that_is_not_the_version_does_not(ready, tag):
    assert checked(tag, ready).returncode == 1


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        ("maxgap/__init__.py", "1.2.3", "1.2.2", "the tag says 1.2.3, the package 1.2.2"),
        ("CITATION.cff", "n: 1.2.3", "n: 1.2.2", "CITATION.cff says 1.2.2"),
        (".zenodo.json", "1.2.3", "1.2.2", ".zenodo.json says 1.2.2"),
        ("CHANGELOG.md", "## 1.2.3 - 2030-01-31\n\n- x\n\n", "", "CHANGELOG.md says 1.2.2"),
        ("CHANGELOG.md", "2030-01-31", "unreleased", "has no date: 1.2.3 - unreleased"),
        ("CHANGELOG.md", "Unreleased\n", "Unreleased\n\n### Added\n\n- y\n", "under Unreleased"),
    ],
)
def test_a_record_that_says_otherwise_does_not(ready, name, old, new, said):
    text = (ready / name).read_text(encoding="utf-8")
    assert old in text
    (ready / name).write_text(text.replace(old, new), encoding="utf-8")
    done = checked("v1.2.3", ready)
    assert done.returncode == 1
    assert said in done.stdout


def test_this_checkout_lacks_nothing_but_the_date_and_the_cut():
    done = checked(f"v{maxgap.__version__}", ROOT)
    assert re.sub(r"(?m)^(the newest|CHANGELOG.md has entries).*\n", "", done.stdout) in (
        "",
        f"v{maxgap.__version__} it is\n",
    )
    assert done.stderr == ""
