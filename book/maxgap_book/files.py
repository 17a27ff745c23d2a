"""Files that are there whole or not at all."""

import os
import secrets
from pathlib import Path

__all__ = ["write_whole"]


def write_whole(path: Path, text: str) -> None:
    """Write a file so that `path` holds either its old content or all of the new.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_whole(Path(folder, "x.json"), "[]")
    ...     [found.read_text() for found in Path(folder).iterdir()]
    ['[]']
    """
    temporary = path.with_name(f".maxgap-{secrets.token_hex(8)}.tmp")
    try:
        with open(temporary, "w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())  # a disk that is full says so before the old file goes
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
