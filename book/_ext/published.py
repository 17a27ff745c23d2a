"""Where the book is published, as far as this build can know, and who wrote what when.

The repository is `BOOK_REPOSITORY`, or else the remote `origin` of git if that is on a forge known
here; an empty `BOOK_REPOSITORY` says that there is none. The address of the pages is `BOOK_URL`,
which nothing can guess. The branch to open is `BOOK_BRANCH`, or else ``main``. The date is
`SOURCE_DATE_EPOCH`, or else that of the last commit.
"""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parent.parent.parent
FORGES = ("github.com", "gitlab.com")
_REMOTE = re.compile(
    r"(?:https://(?:[^@/]+@)?|ssh://git@|git@|git://)"
    rf"(?P<forge>{'|'.join(map(re.escape, FORGES))})(?::\d+)?[/:]"
    r"(?P<owner>[\w.-]+)/(?P<name>[\w.-]+?)(?:\.git)?/?"
)


class WrongAddressError(ValueError):
    """An address that was given cannot be one."""


@dataclass(frozen=True)
class Place:
    """Where the book is published; what is not known is empty."""

    repository: str  # "https://github.com/example/maxgap"
    branch: str
    url: str  # ends in a slash
    when: date | None

    @property
    def colab(self) -> str:
        """Where Colab finds its notebooks: whoever publishes puts them on a branch of their own."""
        if self.url and self.repository.startswith("https://github.com/"):
            return f"https://colab.research.google.com/github/{self.repository[19:]}/blob/colab/"
        return ""


def repository_of(address: str) -> str:
    """Turn what git calls a remote into the address of its pages; empty where that is not known.

    >>> repository_of("git@github.com:example/maxgap.git")
    'https://github.com/example/maxgap'
    >>> repository_of("/srv/git/maxgap.git")
    ''
    """
    found = _REMOTE.fullmatch(address.strip())
    return f"https://{found['forge']}/{found['owner']}/{found['name']}" if found else ""


def _git(*arguments: str, folder: Path) -> str:
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments], capture_output=True, text=True, timeout=20
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def _is_checkout(folder: Path) -> bool:
    """Whether git manages this very folder: an unpacked archive may lie in another's clone."""
    top = _git("rev-parse", "--show-toplevel", folder=folder)
    return bool(top) and Path(top).resolve() == folder.resolve()


def place(folder: Path = ROOT) -> Place:
    """Ask the environment, then git."""
    checkout = _is_checkout(folder)
    given = os.environ.get("BOOK_REPOSITORY")
    if given is None:
        origin = _git("remote", "get-url", "origin", folder=folder) if checkout else ""
        repository = repository_of(origin)
    else:
        repository = repository_of(given)
        if given and not repository:
            raise WrongAddressError(
                f"BOOK_REPOSITORY is {given!r}, and not like https://github.com/owner/name "
                f"(known are {' and '.join(FORGES)})"
            )
    url = os.environ.get("BOOK_URL", "")
    if url and not re.fullmatch(r"https?://[^\s/?#]+(?:/[^\s?#]*)?", url):
        raise WrongAddressError(f"BOOK_URL is {url!r}, and not like https://example.org/maxgap/")
    seconds = os.environ.get("SOURCE_DATE_EPOCH", "")
    if not seconds and checkout:
        seconds = _git("log", "-1", "--format=%ct", folder=folder)
    return Place(
        repository=repository,
        branch=os.environ.get("BOOK_BRANCH") or "main",
        url=url and url.rstrip("/") + "/",
        when=datetime.fromtimestamp(int(seconds), UTC).date() if seconds else None,
    )


def _entry(kind: str, key: str, fields: dict[str, str]) -> str:
    width = max(map(len, fields))
    lines = [f"  {name:{width}} = {{{value}}}" for name, value in fields.items()]
    return f"@{kind}{{{key},\n" + ",\n".join(lines) + "\n}"


def _person(author: dict[str, str]) -> str:
    if "family-names" in author:
        return f"{author['family-names']}, {author['given-names']}"
    return f"{{{author['name']}}}"  # a group: braces keep it in one piece


def citation() -> dict[str, Any]:
    """What `CITATION.cff` says: the one source of who, what and under which licence."""
    return yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))


def bibtex(where: Place) -> tuple[str, str]:
    """BibTeX of the book and of the paper."""
    said = citation()
    (paper,) = said["references"]
    book = {
        "author": " and ".join(map(_person, said["authors"])),
        "title": f"{{{said['title']}}}",
        "version": str(said["version"]),
    }
    if where.when:
        book["year"] = str(where.when.year)
    if where.url or where.repository:
        book["url"] = where.url or where.repository
    (preprint,) = (item["value"] for item in paper["identifiers"])
    article = {
        "author": " and ".join(map(_person, paper["authors"])),
        "title": f"{{{paper['title']}}}",
        "booktitle": paper["collection-title"],
        "volume": str(paper["volume"]),
        "year": str(paper["year"]),
        "eprint": preprint.removeprefix("arXiv:"),
        "archiveprefix": "arXiv",
    }
    return _entry("software", "maxgap_book", book), _entry("inproceedings", "maxgap", article)
