"""Compiled code: never stale, and kept wherever something can be written."""

import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

#: Says whether the cluster rule holds where it must: two arms, far apart.
STOPPED = """
import maxgap
policy = maxgap.RoundRobin(3, sigma=0.01, stopping="clusters")
policy.tell([0, 1, 2], [0.0, 0.1, 1.0])
print(policy.stopped)
"""

#: Compiles quickly.
BOUNDS = "import maxgap; print(maxgap.gap_upper_bounds([0.0, 1.0], [2.0, 3.0]).right.tolist())"
ANSWER = "[3.0, 1.0]"

# As long as the right one, so that the size of the file tells nothing.
RULE, CHANGED = "return inside < certain", "return inside > certain"
RULES = Path("maxgap") / "engine" / "slots.py"


def ran(code, *, python=sys.executable, **environment):
    """What a program prints in a process of its own, and what it complains."""
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("NUMBA_", "PYTHON"))}
    done = subprocess.run(
        [python, "-W", "always", "-c", code],
        env={**inherited, **environment},
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT / "tests",  # where there is no maxgap
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip(), done.stderr


@pytest.fixture
def source(tmp_path):
    """The sources alone, in a folder of their own."""
    folder = tmp_path / "source"
    shutil.copytree(
        ROOT / "maxgap", folder / "maxgap", ignore=shutil.ignore_patterns("__pycache__")
    )
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    return folder


def change_the_rule(folder):
    file = folder / RULES
    text = file.read_text(encoding="utf-8")
    assert text.count(RULE) == 1
    file.write_text(text.replace(RULE, CHANGED), encoding="utf-8")


def folders(base):
    return sorted(base.glob("maxgap-*"))


def test_a_changed_rule_runs_in_the_same_folder_and_the_old_one_again_when_changed_back(source):
    cache = source / "maxgap" / "__pycache__"
    assert ran(STOPPED, PYTHONPATH=str(source)) == ("True", "")
    (first,) = folders(cache)
    kept = {path: path.stat().st_mtime_ns for path in first.rglob("*.nb?")}
    assert len(kept) > 10

    # Nothing is compiled twice while nothing changes.
    assert ran(STOPPED, PYTHONPATH=str(source)) == ("True", "")
    assert {path: path.stat().st_mtime_ns for path in first.rglob("*.nb?")} == kept

    original = (source / RULES).read_bytes()
    change_the_rule(source)
    assert ran(STOPPED, PYTHONPATH=str(source)) == ("False", "")
    assert len(folders(cache)) == 2

    (source / RULES).write_bytes(original)
    assert ran(STOPPED, PYTHONPATH=str(source)) == ("True", "")
    assert len(folders(cache)) == 2


def test_a_changed_rule_runs_after_an_upgrade_by_pip(source, tmp_path):
    home = tmp_path / "environment"
    venv.create(home, symlinks=os.name != "nt")
    python = home / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    # What the package needs is not installed anew.
    (site,) = home.rglob("site-packages")
    paths = sysconfig.get_paths()
    (site / "needs.pth").write_text(f"{paths['purelib']}\n{paths['platlib']}\n", encoding="utf-8")

    def install():
        # Nothing of the environment that runs the tests is looked at or changed.
        pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-index"]
        if importlib.util.find_spec("pip") is None:
            pip = ["uv", "pip", "install", "--python", str(python), "--offline"]
        options = ["--quiet", "--no-deps", "--no-build-isolation"]
        done = subprocess.run(
            [*pip, *options, str(source)], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr

    def version():
        """Of the sources as installed, and whether the rule holds."""
        text = "import maxgap; print(maxgap.__version__, end=' ')"
        return ran(text + STOPPED, python=python)

    released = (source / "maxgap" / "__init__.py").read_text(encoding="utf-8")
    install()
    old, complaints = version()
    assert old.endswith(" True")
    assert complaints == ""
    assert folders(site / "maxgap" / "__pycache__")

    change_the_rule(source)
    now = released.replace('__version__ = "', '__version__ = "9.')
    (source / "maxgap" / "__init__.py").write_text(now, encoding="utf-8")
    install()
    assert version() == (f"9.{old.removesuffix(' True')} False", "")


#: Where nothing can be written, not even by an administrator: below a file.
def nowhere(tmp_path):
    file = tmp_path / "file"
    file.touch()
    return str(file / "below")


@pytest.fixture
def sealed(source):
    """A package beside which nothing can be written."""
    (source / "maxgap" / "__pycache__").touch()
    return source


def test_beside_a_sealed_package_the_users_cache_folder_serves(sealed, tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    answer = ran(
        BOUNDS,
        PYTHONPATH=str(sealed),
        HOME=str(home),
        XDG_CACHE_HOME=str(home / "cache"),
        LOCALAPPDATA=str(home / "cache"),
    )
    assert answer == (ANSWER, "")
    assert len(list(home.rglob("maxgap-*/**/*.nbc"))) > 0


def test_without_a_home_a_private_temporary_folder_serves(sealed, tmp_path):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    gone = nowhere(tmp_path)
    places = {"HOME": gone, "XDG_CACHE_HOME": gone, "LOCALAPPDATA": gone}
    environment = {"PYTHONPATH": str(sealed), "TMPDIR": str(temporary), "TEMP": str(temporary)}
    assert ran(BOUNDS, **environment, **places) == (ANSWER, "")
    (private,) = temporary.iterdir()
    assert len(list(private.rglob("*.nbc"))) > 0
    if os.name == "posix":
        assert private.stat().st_mode & 0o077 == 0


@pytest.mark.skipif(os.name != "posix", reason="owners and modes are those of POSIX")
def test_a_temporary_folder_that_others_can_write_to_is_not_trusted(sealed, tmp_path):
    temporary = tmp_path / "temporary"
    private = temporary / f"maxgap-of-{os.getuid()}"
    private.mkdir(parents=True)
    private.chmod(0o777)
    gone = nowhere(tmp_path)
    _, complaints = ran(
        "import maxgap",
        PYTHONPATH=str(sealed),
        HOME=gone,
        XDG_CACHE_HOME=gone,
        TMPDIR=str(temporary),
    )
    assert "every process compiles anew" in complaints
    assert list(private.iterdir()) == []


def test_where_nothing_can_be_written_it_runs_and_says_once_that_it_is_slower(sealed, tmp_path):
    gone = nowhere(tmp_path)
    answer, complaints = ran(
        f"import tempfile; tempfile.tempdir = {gone!r}\n" + STOPPED,
        PYTHONPATH=str(sealed),
        HOME=gone,
        XDG_CACHE_HOME=gone,
        LOCALAPPDATA=gone,
        NUMBA_CACHE_DIR=gone,
    )
    assert answer == "True"
    assert complaints.count("RuntimeWarning") == 1
    assert "NUMBA_CACHE_DIR" in complaints


def test_the_folder_that_the_user_names_comes_first(source, tmp_path):
    named = tmp_path / "named"
    assert ran(BOUNDS, PYTHONPATH=str(source), NUMBA_CACHE_DIR=str(named)) == (ANSWER, "")
    assert len(list(named.rglob("maxgap-*/**/*.nbc"))) > 0
    assert folders(source / "maxgap" / "__pycache__") == []


def test_numbas_own_setting_is_left_as_it_was():
    code = "import numba, maxgap; print(repr(numba.config.CACHE_DIR))"
    assert ran(code, PYTHONPATH=str(ROOT))[0] == "''"


def test_caches_of_older_sources_are_dropped(source):
    cache = source / "maxgap" / "__pycache__"
    for age in range(9):
        old = cache / f"maxgap-{age:016x}"
        old.mkdir(parents=True)
        os.utime(old, (age, age))
    (cache / "maxgap-notes").mkdir()
    ran("import maxgap", PYTHONPATH=str(source))
    names = {path.name for path in folders(cache)}
    assert len(names) == 1 + 4 + 1
    assert {f"maxgap-{age:016x}" for age in range(5, 9)} <= names
    assert "maxgap-notes" in names
