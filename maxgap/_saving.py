"""Files that are there whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import secrets
import stat
from collections.abc import Iterator, Mapping
from typing import Any

StrPath = str | bytes | os.PathLike[str] | os.PathLike[bytes]

#: Flags of a new file; Windows knows the last but not the two before.
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL
for _name in ("O_CLOEXEC", "O_NOFOLLOW", "O_BINARY"):
    _NEW |= getattr(os, _name, 0)


def digest(content: dict[str, Any]) -> str:
    """Checksum of a saved policy's content, independent of spacing and order of keys."""
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return fingerprint(canonical.encode())


def saved_list(
    content: Mapping[str, Any], name: str, kind: type | tuple[type, ...], size: int
) -> list[Any]:
    """A saved list, or a ValueError if NumPy would have to bend it into shape."""
    values = content[name]
    kinds = kind if isinstance(kind, tuple) else (kind,)
    if not isinstance(values, list) or len(values) != size:
        raise ValueError(f"{name} is not a list of {size}")
    for value in values:
        if type(value) not in kinds:
            raise ValueError(f"{name} holds {value!r}")
    return values


def check_saved(name: str, holds: Any) -> None:
    """A ValueError unless what a file says under this name holds what a policy can have there."""
    if not holds:
        raise ValueError(f"its {name} cannot be those of a policy")


def checked_path(path: Any) -> str:
    """The path as text, whatever its bytes, or a ValueError."""
    with contextlib.suppress(TypeError):
        text = os.fsdecode(path)
        if text and "\0" not in text:
            return text
    raise ValueError(f"path must be the path of a file, got {path!r}")


def fingerprint(content: bytes) -> str:
    """By which a file is known again."""
    return hashlib.sha256(content).hexdigest()


def write_whole(
    path: StrPath, text: str, known: Mapping[str, str] | None = None
) -> tuple[str, str]:
    """Write a file so that ``path`` holds either its old content or all of the new.

    A symbolic link stays one; its target is written. Of an old file mode, group and owner are
    kept, as far as the system lets us. One that is ``known``, by its place and fingerprint, and is
    another by now is left as it is, with a ValueError. Returns the place and fingerprint.
    """
    name, content = checked_path(path), text.encode("utf-8")
    with _naming(name):
        old = _replaceable(name)
        target = os.path.realpath(name)
        folder = os.path.dirname(target)
        if not os.path.isdir(folder):
            raise FileNotFoundError(errno.ENOENT, "There is no such folder", folder)
        with _alone(folder):
            if known and target in known and os.path.exists(target):
                with open(target, "rb") as file:
                    if fingerprint(file.read()) != known[target]:
                        raise ValueError(
                            f"{name!r} has changed since this policy was loaded from it or saved "
                            "to it: what somebody else has told it would be lost"
                        )
            _replace(target, folder, old, content)
        return target, fingerprint(content)


def _replace(target: str, folder: str, old: os.stat_result | None, content: bytes) -> None:
    # Of fixed length, since the file's own name may be as long as names can be.
    temporary = os.path.join(folder, f".maxgap-{secrets.token_hex(8)}.tmp")
    # A new file gets what the umask leaves; one that replaces another is nobody's until it is
    # as accessible as that was.
    handle = os.open(temporary, _NEW, 0o666 if old is None else 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            if old is not None:
                _inherit(handle, old)
            file.write(content)
            file.flush()
            os.fsync(handle)
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
        raise
    # Make the renaming last through a power cut, where folders can be opened and flushed. The file
    # is in place either way, so a system that refuses is no reason to fail.
    if hasattr(os, "O_DIRECTORY"):
        with contextlib.suppress(OSError):
            handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)


@contextlib.contextmanager
def _alone(folder: str) -> Iterator[None]:
    """One writer in a folder at a time, where the system can see to it."""
    with contextlib.ExitStack() as held:
        with contextlib.suppress(ImportError, OSError):
            import fcntl

            handle = os.open(folder, os.O_RDONLY)
            held.callback(os.close, handle)
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield


@contextlib.contextmanager
def _naming(name: str) -> Iterator[None]:
    """Errors of the system name the file that the user meant: a full disk names none."""
    try:
        yield
    except OSError as problem:
        if problem.errno is None or problem.filename == name:
            raise
        raise OSError(problem.errno, problem.strerror, name) from problem


def _replaceable(name: str) -> os.stat_result | None:
    """The status of the file that is there, None if there is none; an error if it must stay."""
    if os.path.basename(name) in ("", os.curdir, os.pardir):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), name)
    try:
        old = os.stat(name)
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(old.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), name)
    if not stat.S_ISREG(old.st_mode):
        raise ValueError(f"path must be that of a regular file, not of a device or pipe: {name!r}")
    # Renaming asks only for the folder's permission; a file that is read-only is meant to stay.
    if not os.access(name, os.W_OK, effective_ids=os.access in os.supports_effective_ids):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), name)
    return old


def _inherit(handle: int, old: os.stat_result) -> None:
    """Give an open file the mode, and as far as allowed the owner and group, of another."""
    if hasattr(os, "fchown"):
        try:
            os.fchown(handle, old.st_uid, old.st_gid)
        except OSError:  # only root gives files away; a group of one's own may be kept
            with contextlib.suppress(OSError):
                os.fchown(handle, -1, old.st_gid)
    if hasattr(os, "fchmod"):  # last, since a change of owner may clear bits
        mode = stat.S_IMODE(old.st_mode)
        if os.fstat(handle).st_gid != old.st_gid:
            mode &= ~stat.S_IRWXG  # what the old group might do was not meant for ours
        os.fchmod(handle, mode)
