"""Is this checkout what the tag says? Run as ``python .github/release.py v1.2.3`` before a release.

The version stands in ``maxgap/__init__.py``; the records for citation and the newest section of
the changelog must name it, too, that section with its date, and nothing may stand above it.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path


def wrong(tag: str, root: Path) -> list[str]:
    """What keeps the checkout in ``root`` from being released as ``tag``."""

    def text(name: str) -> str:
        return (root / name).read_text(encoding="utf-8")

    def found(pattern: str, name: str) -> str:
        match = re.search(pattern, text(name), re.MULTILINE)
        return match[1] if match else "none"

    version = found(r'^__version__ = "(.+)"$', "maxgap/__init__.py")
    says = {
        "the tag": tag.removeprefix("v"),
        "CITATION.cff": found(r"^version: (\S+)$", "CITATION.cff"),
        ".zenodo.json": json.loads(text(".zenodo.json"))["version"],
        "CHANGELOG.md": found(r"^## (\d\S*)", "CHANGELOG.md"),
    }
    problems = [
        f"{name} says {v}, the package {version}" for name, v in says.items() if v != version
    ]
    if not tag.startswith("v"):
        problems.append(f"the tag {tag} does not begin with v")
    newest = found(r"^## (\d.*)$", "CHANGELOG.md")
    if not re.fullmatch(r"\S+ - \d{4}-\d{2}-\d{2}", newest):
        problems.append(f"the newest section of CHANGELOG.md has no date: {newest}")
    if found(r"^## Unreleased\n+(-|###)", "CHANGELOG.md") != "none":
        problems.append("CHANGELOG.md has entries under Unreleased")
    return problems


if __name__ == "__main__":
    problems = wrong(sys.argv[1], Path(__file__).parent.parent)
    print("\n".join(problems) or f"{sys.argv[1]} it is")
    sys.exit(bool(problems))
