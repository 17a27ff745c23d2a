"""What is published: its contents, in an empty environment, and its types seen from outside."""

import importlib.metadata
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from pathlib import Path

import from_wheel
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import maxgap

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
NAME = f"maxgap-{maxgap.__version__}"

posix = pytest.mark.skipif(os.name != "posix", reason="environments are made of symbolic links")


def sources():
    """What the package consists of."""
    return {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "maxgap").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Wheel and sdist, built from the checkout with the setuptools that is here."""
    folder = tmp_path_factory.mktemp("built")
    ignored = shutil.ignore_patterns(".*", "_build", "build", "*.egg-info", "__pycache__")
    shutil.copytree(ROOT, folder / "checkout", ignore=ignored)
    done = subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", "../dist", "."],
        cwd=folder / "checkout",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    (wheel,) = (folder / "dist").glob("*.whl")
    (sdist,) = (folder / "dist").glob("*.tar.gz")
    return wheel, sdist


# -- contents ----------------------------------------------------------------------------------


def test_the_wheel_holds_the_package_and_nothing_else(built):
    wheel, _ = built
    assert wheel.name == f"{NAME}-py3-none-any.whl"
    names = set(zipfile.ZipFile(wheel).namelist())
    beside = {name for name in names if name.startswith(f"{NAME}.dist-info/")}
    assert names - beside == sources()
    assert {name.split("/", 1)[1] for name in beside} == {
        "METADATA",
        "RECORD",
        "WHEEL",
        "entry_points.txt",
        "licenses/LICENSE",
        "top_level.txt",
    }


def test_the_source_distribution_holds_what_makes_the_wheel_and_nothing_else(built):
    _, sdist = built
    with tarfile.open(sdist) as archive:
        names = {member.name for member in archive if member.isfile()}
    names = {name.removeprefix(f"{NAME}/") for name in names}
    made = {name for name in names if name.startswith("maxgap.egg-info/")}
    described = {"LICENSE", "MANIFEST.in", "PKG-INFO", "README.md", "pyproject.toml", "setup.cfg"}
    assert names - made == sources() | described


def test_what_the_wheel_says_of_itself(built):
    wheel, _ = built
    text = zipfile.ZipFile(wheel).read(f"{NAME}.dist-info/METADATA").decode()
    assert f"\nVersion: {maxgap.__version__}\n" in text
    assert "\nLicense-Expression: MIT\n" in text
    needed = re.findall(r"(?m)^Requires-Dist: ([\w-]+)[^;\n]*$", text)
    assert sorted(needed) == sorted(Requirement(line).name for line in PROJECT["dependencies"])


def test_the_version_stands_in_one_place():
    assert "version" not in PROJECT
    assert PROJECT["dynamic"] == ["version"]
    assert importlib.metadata.version("maxgap") == maxgap.__version__


def test_the_changelog_has_the_form_that_it_names():
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    sections = re.findall(r"(?m)^## (.*)$", text)
    assert sections[0] == "Unreleased"
    numbered = [
        re.fullmatch(r"(\d+)\.(\d+)\.(\d+) - (\d{4}-\d\d-\d\d|unreleased)", section)
        for section in sections[1:]
    ]
    assert all(numbered), sections
    versions = [tuple(map(int, match.groups()[:3])) for match in numbered]
    assert versions == sorted(set(versions), reverse=True)
    kinds = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
    assert set(re.findall(r"(?m)^### (.*)$", text)) <= kinds
    for section in re.split(r"(?m)^## ", text)[1:]:
        found = re.findall(r"(?m)^### (.*)$", section)
        assert len(found) == len(set(found)), section.splitlines()[0]


# -- pinned packages ---------------------------------------------------------------------------


def pinned():
    """Version of each package in requirements.txt."""
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    made = [Requirement(line) for line in lines if line and not line.startswith("#")]
    assert all(re.fullmatch(r"==[\w.]+", str(one.specifier)) for one in made)
    return {canonicalize_name(one.name): str(one.specifier)[2:] for one in made}


def test_the_pinned_versions_are_in_the_declared_ranges_and_none_is_missing():
    extras = PROJECT["optional-dependencies"]
    declared = [*PROJECT["dependencies"], *extras["book"], *extras["test"]]
    versions = pinned()
    for one in map(Requirement, declared):
        assert one.specifier.contains(versions[canonicalize_name(one.name)]), one
    # What a reader may add is tested here, too.
    tested = {Requirement(line).name for line in extras["test"]}
    assert {Requirement(line).name for line in extras["dask"] + extras["parquet"]} <= tested


def needs(names):
    """These packages and all that they need, as installed here, but not their extras."""
    found, open_ = set(), [canonicalize_name(name) for name in names]
    while open_:
        name = open_.pop()
        if name in found:
            continue
        found.add(name)
        for line in importlib.metadata.requires(name) or []:
            one = Requirement(line)
            if one.marker is None or one.marker.evaluate({"extra": ""}):
                open_.append(canonicalize_name(one.name))
    return found


def test_what_the_pinned_packages_need_is_pinned_too():
    extras = PROJECT["optional-dependencies"]
    lines = [*PROJECT["dependencies"], *extras["book"], *extras["test"]]
    assert needs(Requirement(line).name for line in lines) <= pinned().keys()


def test_a_release_is_tested_with_packages_that_are_pinned():
    assert needs(from_wheel.TOOLS) <= pinned().keys()


# -- in an empty environment -------------------------------------------------------------------


def link(names, site):
    """Make these packages importable from a folder, without a download or a copy."""
    for name in names:
        distribution = importlib.metadata.distribution(name)
        for first in {file.parts[0] for file in distribution.files} - {"..", "__pycache__"}:
            if not (site / first).exists():
                (site / first).symlink_to(distribution.locate_file(first))


@pytest.fixture(scope="module")
def bare(built, tmp_path_factory):
    """Python of an environment with the wheel, what it needs, and nothing else."""
    folder = tmp_path_factory.mktemp("bare")
    venv.create(folder, symlinks=True)
    (site,) = folder.rglob("site-packages")
    link(needs(Requirement(line).name for line in PROJECT["dependencies"]), site)
    python = folder / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-index"]
    if importlib.util.find_spec("pip") is None:
        pip = ["uv", "pip", "install", "--python", str(python), "--offline"]
    subprocess.run([*pip, "--quiet", "--no-deps", str(built[0])], check=True, capture_output=True)
    return python


def ran(*command, cwd, **environment):
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "PYTEST"))}
    return subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=kept | environment,
        capture_output=True,
        text=True,
        check=False,
    )


@posix
def test_everything_is_importable_without_the_books_packages(bare, tmp_path):
    done = ran(bare, "-c", from_wheel.IMPORTED, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 40
    others = ("jupyter_book", "IPython", "pytest", "yaml", "pyarrow", "distributed")
    for name in ("maxgap_book", *others):
        assert ran(bare, "-c", f"import {name}", cwd=tmp_path).returncode == 1


@posix
def test_the_command_line_works_there(bare, tmp_path):
    (tmp_path / "ratings.csv").write_text("item,stars\n" + "tea,5\nmud,1\n" * 100)
    done = ran(bare.parent / "maxgap", "split", "ratings.csv", "--bounds", "1", "5", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Certified with an error probability of at most 0.05" in done.stdout
    done = ran(bare.parent / "maxgap", "--version", cwd=tmp_path)
    assert done.stdout == f"maxgap {maxgap.__version__}\n"


@posix
def test_parquet_without_its_package_is_refused_with_its_name(bare, tmp_path):
    (tmp_path / "ratings.parquet").write_bytes(b"PAR1")
    done = ran(bare.parent / "maxgap", "split", "ratings.parquet", "--sigma", "1", cwd=tmp_path)
    assert done.returncode == 3
    assert "maxgap[parquet]" in done.stderr


@posix
def test_a_sample_of_the_tests_passes_from_the_wheel(bare, tmp_path):
    # All of them: `make dist`. These compile little.
    from_wheel.copy_tests(tmp_path / "elsewhere")
    (tmp_path / "tools").mkdir()
    link(needs(["pytest", "pytest-xdist", "hypothesis"]), tmp_path / "tools")
    (installed,) = bare.parent.parent.rglob("site-packages/maxgap")
    names = ("ratings/question.py", "gaps.py", "problems.py", "statistics.py")
    modules = [installed / name for name in names]
    for tests in (
        ["tests/test_init.py", "tests/test_problems.py", "tests/test_statistics.py"],
        ["--doctest-modules", *modules],
    ):
        command = ["-m", "pytest", "-q", "-p", "no:cacheprovider", *tests]
        tools = str(tmp_path / "tools")
        done = ran(bare, *command, cwd=tmp_path / "elsewhere", PYTHONPATH=tools)
        assert done.returncode == 0, done.stdout
        assert " passed" in done.stdout


def test_every_test_file_is_of_the_package_or_of_the_checkout():
    for folder in from_wheel.OF_THE_CHECKOUT:
        assert list((ROOT / "tests" / folder).glob("test_*.py")), folder
    for name in from_wheel.package_tests():
        text = (ROOT / "tests" / name).read_text(encoding="utf-8")
        assert "maxgap_book" not in text, name


# -- types, seen from outside ------------------------------------------------------------------

USED_RIGHTLY = """
from collections.abc import Hashable
from typing import assert_type

import numpy as np
from numpy.typing import NDArray

import maxgap
from maxgap import simulate

ratings = {"item": ["a", "b"], "stars": [1, 5]}
found = maxgap.split(ratings, arm="item", reward="stars", bounds=(1, 5))
assert_type(found, maxgap.TableSplit)
assert_type(found.certified, bool)
assert_type(found.top, frozenset[Hashable])
more = maxgap.partition(ratings, arm="item", reward="stars", groups=3, sigma=1)
assert_type(more.groups, tuple[frozenset[Hashable], ...])
assert_type(maxgap.plan([1.0, 2.0], sigma=1.0).adaptive.median, float)

policy = maxgap.MaxGapTop2UCB(["a", "b", "c"], sigma=0.5, delta=0.1)
policy.tell(["a", "b"], [0.0, 1.0])
policy.tell("c", 1)
assert_type(policy.ask(), list[Hashable])
assert_type(policy.counts, NDArray[np.int64])
assert_type(policy.recommend(), maxgap.Split)
assert_type(policy.recommend().gap, float)
assert_type(maxgap.load("policy.json"), maxgap.Policy)

problem = maxgap.Problem([0.0, 1.0, 1.1], sigma=0.5)
study = simulate.replicate(
    {"mine": policy}, problem,
    budget=100, replicates=4, checkpoints=[50, 100], seed=1, n_jobs=None, progress=True,
)
assert_type(study, maxgap.Study)
assert_type(study.counts, NDArray[np.float64])
ended = simulate.run(policy, problem, budget=100, rng=np.random.default_rng(1))
assert_type(ended.split, maxgap.Split | None)


class Mine(maxgap.Policy):
    def choose(self) -> list[Hashable]:
        return self.arms[:2]


assert_type(Mine(3).stopped, bool)
"""

#: Each is refused by the type checker, for this reason.
USED_WRONGLY = {
    'maxgap.split(table, arm="item", reward="stars", bounds="1 to 5")': "arg-type",
    'maxgap.split(table, arm="item", reward="stars", bound=(1, 5))': "call-arg",
    'maxgap.RoundRobin(3, sigma="wide", delta="small")': "arg-type",
    "maxgap.RoundRobin(3).tell(0)": "call-arg",
    "maxgap.RoundRobin(3).recommend().middle": "attr-defined",
    "maxgap.RoundRobin(3).stopped = True": "misc",
    "maxgap.RoundRobin(3).ask().top": "attr-defined",
    "simulate.replicate({}, problem, budget=9, replicates=1)": "call-arg",
    "simulate.replicate([], problem, budget=9, replicates=1, seed=1)": "arg-type",
    'simulate.run(maxgap.RoundRobin(2), "problem", budget=9, rng=rng)': "arg-type",
    "assert_type(maxgap.RoundRobin(3).certified, int)": "assert-type",
}


def type_checked(python, folder, text):
    (folder / "consumer.py").write_text(text, encoding="utf-8")
    # The package as installed: the checkout is not on the way.
    command = ["-m", "mypy", "--strict", "--python-executable", python, "consumer.py"]
    return ran(sys.executable, *command, cwd=folder, MYPY_CACHE_DIR=str(python.parent)).stdout


@posix
def test_right_uses_have_the_types_that_they_should(bare, tmp_path):
    assert "Success" in type_checked(bare, tmp_path, USED_RIGHTLY)


@posix
def test_wrong_uses_are_refused(bare, tmp_path):
    begin = (
        "from typing import Any, assert_type\nimport numpy as np\nimport maxgap\n"
        "from maxgap import simulate\n"
        "table: dict[str, Any] = {}\nproblem = maxgap.Problem([0, 1])\n"
        "rng = np.random.default_rng(1)\n"
    )
    said = type_checked(bare, tmp_path, begin + "\n".join(USED_WRONGLY) + "\n")
    found = dict(re.findall(r"consumer\.py:(\d+): error: .*\[([\w-]+)\]", said))
    first = begin.count("\n") + 1
    assert found == {str(first + i): code for i, code in enumerate(USED_WRONGLY.values())}, said


@posix
def test_a_wheel_that_does_not_say_it_is_typed_would_be_noticed(bare, tmp_path):
    (marker,) = bare.parent.parent.rglob("site-packages/maxgap/py.typed")
    marker.rename(marker.with_suffix(".away"))
    try:
        assert "import-untyped" in type_checked(bare, tmp_path, "import maxgap\n")
    finally:
        marker.with_suffix(".away").rename(marker)
