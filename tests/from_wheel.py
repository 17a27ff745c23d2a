"""Install a wheel into an empty environment, away from the checkout, and test what is installed.

Run as ``python tests/from_wheel.py FOLDER``, where the folder holds one wheel. Packages come by
pip, the versions of requirements.txt: first what the package itself needs, with which everything
must be importable and the command line must work, then what its tests need.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).parent.parent

#: What the tests of the package need beside it.
TOOLS = ["distributed", "hypothesis", "pyarrow", "pytest", "pytest-xdist", "pyyaml", "ville"]

#: Read by tests of the package; the README's and the page's examples are run.
PAGES = [path.name for path in sorted((ROOT / "book").glob("api*.md"))]
READ = ["README.md", "pyproject.toml", "book/reproduce.md", *(f"book/{name}" for name in PAGES)]

#: Folders of tests about the book, the sources or the workflows: only the checkout has those.
OF_THE_CHECKOUT = ("book/", "site/")

#: Run by the installed Python: every module is there, and comes from where it was installed.
IMPORTED = """
import importlib, pkgutil, sys
import maxgap
names = [m.name for m in pkgutil.walk_packages(maxgap.__path__, "maxgap.")]
for name in set(names) - {"maxgap.__main__"}:
    module = importlib.import_module(name)
    assert module.__file__.startswith(sys.prefix), module.__file__
print(len(names))
"""


def package_tests() -> list[str]:
    """Names of the files with tests of the package alone."""
    tests = ROOT / "tests"
    names = sorted(path.relative_to(tests).as_posix() for path in tests.rglob("test_*.py"))
    return [name for name in names if not name.startswith(OF_THE_CHECKOUT)]


def copy_tests(folder: Path) -> None:
    """The tests of the package, what helps them and what they read; no more of the checkout."""
    tests = ROOT / "tests"
    others = [path.relative_to(tests).as_posix() for path in tests.rglob("*.py")]
    helpers = [name for name in others if not Path(name).name.startswith("test_")]
    for name in [*package_tests(), *helpers]:
        (folder / "tests" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(tests / name, folder / "tests" / name)
    for name in READ:
        (folder / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, folder / name)


def program(home: Path, name: str) -> str:
    """Path of a program of an environment."""
    return str(home / ("Scripts" if os.name == "nt" else "bin") / name)


def run(*command: str, cwd: Path) -> None:
    """Run a command that finds nothing by the environment's variables."""
    print("+", *command, flush=True)
    kept = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    subprocess.run(command, check=True, cwd=cwd, env=kept)


def main(arguments: list[str]) -> int:
    """Test the wheel that is in a folder."""
    (wheel,) = Path(arguments[0]).resolve().glob("*.whl")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        home = folder / "environment"
        venv.create(home, with_pip=True)
        python = program(home, "python")
        pip = [python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
        pinned = ["--constraint", str(ROOT / "requirements.txt")]
        copy_tests(folder / "elsewhere")
        elsewhere = folder / "elsewhere"

        run(*pip, *pinned, str(wheel), cwd=elsewhere)
        run(python, "-c", IMPORTED, cwd=elsewhere)
        run(program(home, "maxgap"), "plan", "4", "1", "--bounds", "1", "5", cwd=elsewhere)
        run(*pip, *pinned, *TOOLS, cwd=elsewhere)
        (installed,) = home.rglob("site-packages/maxgap")
        tested = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
        run(*tested, "--doctest-modules", str(installed), cwd=elsewhere)
        run(*tested, "-n", "auto", "--dist", "loadscope", "tests", cwd=elsewhere)
    print(f"{wheel.name} is sound")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except subprocess.CalledProcessError as problem:
        sys.exit(problem.returncode)
