"""Compile with numba, and keep the machine code where it can be written and is never stale.

numba's own cache knows the file of the compiled function alone: an edit of a function that it
*calls* leaves the old code running. Here the folder of the cache bears a digest of all sources of
the package, so other sources look into another folder.

To compile ask/tell takes as long as thousands of its rounds in plain Python, which few need. So
what is *patient* runs in plain Python until that has taken `PATIENCE` seconds, and is compiled
then; the results are the same. What is kept from another process is used at once.
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
import shutil
import stat
import tempfile
import threading
import time
import uuid
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar, overload

import numba
import numba.extending
import numpy as np
import platformdirs

#: The number to begin counting with, where a function is called with it. After a literal 0 numba
#: would compile that function once for the literal and once more for a number.
ZERO: Any = np.int64(0)

_said = os.environ.get("MAXGAP_PATIENCE", "2")
if re.fullmatch(r"\d+(\.\d*)?(e\d+)?|inf", _said) is None:
    raise ValueError(f"MAXGAP_PATIENCE must be a number of seconds from 0, got {_said!r}")
#: Seconds of processor time in plain Python after which what is patient is compiled, for each
#: function and the types that it is called with; 0 to compile at the first call.
PATIENCE = float(_said)

#: What is handed over at once may make one call in plain Python long: the largest array there is
#: patience with.
LARGEST = 20_000

#: How many caches of other sources are left beside the one in use.
KEPT = 4

_PACKAGE = Path(__file__).parent.parent
_FOLDER = re.compile("maxgap-[0-9a-f]{16}")
_lock = threading.Lock()

Function = TypeVar("Function", bound=Callable[..., Any])

#: Its own types do not say all of it.
_numba: Any = numba


class _Here(threading.local):
    """Whether this thread runs, in plain Python, what is not compiled yet."""

    plain = False


_here = _Here()

#: The type of what numba makes of a function; while compilation is off, of functions.
_Made: Any = type(numba.njit(lambda: None))

if _numba.config.DISABLE_JIT:
    _PlainToo = _Made
else:

    class _PlainToo(_Made):  # type: ignore[no-redef]
        """What is compiled, but for callers in plain Python is plain, too."""

        def __call__(self, *args: Any, **kwargs: Any) -> Any:
            return (self.py_func if _here.plain else super().__call__)(*args, **kwargs)


@overload
def compiled(function: Function) -> Function: ...


@overload
def compiled(
    *, allocates: bool = False, inline: bool = False, patient: bool = False
) -> Callable[[Function], Function]: ...


def compiled(
    function: Any = None, *, allocates: bool = False, inline: bool = False, patient: bool = False
) -> Any:
    """Compile a function at its first call; calls release Python's lock.

    The machine code is kept for later processes in the first of these that can be written: the
    folder that ``NUMBA_CACHE_DIR`` names, ``__pycache__`` of the package, the user's cache folder,
    a folder of the user's own among the temporary files. Where none can, every process compiles
    anew, and a ``RuntimeWarning`` says so once.

    Parameters
    ----------
    function : callable
        Of numbers, arrays, and named tuples of these.
    allocates : bool
        Whether it makes arrays, slices of arrays among them. Where no function does, none is
        counted, which halves the time of a round.
    inline : bool
        Whether it is put into the code of the compiled function that calls it.
    patient : bool
        Whether it runs in plain Python first, until that has taken `PATIENCE` seconds.

    Examples
    --------
    >>> @compiled
    ... def double(x):
    ...     return 2 * x
    >>> double(21)
    42
    """
    # Always said: what numba first compiles inside an inlined function it would inline, too.
    options = {"patient": patient, "_nrt": allocates, "forceinline": inline}
    return functools.partial(_kept, **options) if function is None else _kept(function, **options)


@overload
def internal(function: Function) -> Function: ...


@overload
def internal(*, allocates: bool) -> Callable[[Function], Function]: ...


def internal(function: Any = None, *, allocates: bool = False) -> Any:
    """As `compiled`, but for compiled callers alone: a way in from Python is slow to compile."""
    return functools.partial(_closed, _nrt=allocates) if function is None else _closed(function)


def inlined(function: Function) -> Function:
    """As `internal`, and put into the code of its caller: handing over costs more than its work."""
    return _closed(function, forceinline=True)


def method(function: Function) -> Function:
    """Let compiled code call methods of this name, of any class of named tuples, at no cost.

    The class is part of the type, so each is compiled for itself, and put into its caller's code.
    All take the same arguments as the one that is decorated.
    """
    name = function.__name__

    @functools.wraps(function)  # numba asks for the arguments
    def find(*types: Any) -> Any:
        return getattr(types[0].instance_class, name)

    options = {"strict": False, "jit_options": {"forceinline": True, "_nrt": False}}
    _numba.extending.overload_method(_numba.types.BaseNamedTuple, name, **options)(find)
    return function


def _closed(function: Any, *, _nrt: bool = False, forceinline: bool = False) -> Any:
    """Compile a function, with these options of numba, without a way in from Python."""
    made = _kept(function, _nrt=_nrt, forceinline=forceinline, no_cpython_wrapper=True)
    if made is not function:
        # A call from Python would jump to what is not there, and end the process.
        made._insert = lambda *code: None
        made._compile_for_args = functools.partial(_refuse, function.__name__)
    return made


def _refuse(name: str, *args: Any, **kwargs: Any) -> Any:
    raise TypeError(f"{name} is internal: compiled code alone may call it")


def _kept(function: Any, *, patient: bool = False, **options: Any) -> Any:
    """Compile a function with these options of numba, and keep the machine code."""
    config = _numba.config
    if config.DISABLE_JIT:
        return function
    with _lock:
        before = config.CACHE_DIR
        folder = _cache_folder(_digest(_stamps()), before)
        # What was typed in has no file that a digest could know.
        keep = folder is not None and Path(function.__code__.co_filename).is_file()
        try:
            if keep:
                config.CACHE_DIR = str(folder)
            made = _numba.njit(cache=keep, nogil=True, no_cfunc_wrapper=True, **options)(function)
            if keep:
                made._cache.save_overload = functools.partial(_save_ours, made._cache.save_overload)
                file = made._cache._cache_file
                file._data_name = functools.partial(_name_of_its_own, file._index_name)
        finally:
            config.CACHE_DIR = before
    try:
        made.__class__ = _PlainToo
        if patient:
            made._compile_for_args = functools.partial(
                _wait_or_compile, made, keep, {}, made._compile_for_args
            )
    except (AttributeError, TypeError):
        pass  # another numba: without patience
    return made


def _wait_or_compile(
    made: Any, keep: bool, spent: dict[Any, float], compile_: Callable[..., Any], *args: Any
) -> Any:
    """What numba is to call with these arguments, for whose types it has no code yet."""
    try:
        types = tuple(map(made.typeof_pyval, args))
        if types not in spent:
            spent[types] = np.inf if keep and _is_kept(made, types) else 0.0
    except (AttributeError, TypeError, ValueError):
        return compile_(*args)  # another numba, or none of its types: it says so
    if spent[types] >= PATIENCE or not all(map(_is_small, args)):
        return compile_(*args)
    return functools.partial(_run_plainly, made.py_func, spent, types)


def _is_kept(made: Any, types: tuple[Any, ...]) -> bool:
    """Whether machine code for these types is kept from another process."""
    cache, codegen = made._cache, made.targetctx.codegen()
    return cache._index_key(types, codegen) in cache._cache_file._load_index()


def _is_small(part: Any) -> bool:
    if isinstance(part, tuple):
        return all(map(_is_small, part))
    return getattr(part, "size", 0) <= LARGEST


def _run_plainly(function: Any, spent: dict[Any, float], types: Any, *args: Any) -> Any:
    """Run in plain Python, with what that calls, and count the time."""
    began = time.thread_time()
    _here.plain = True
    try:
        with np.errstate(all="ignore"):  # as compiled code
            return function(*args)
    finally:
        _here.plain = False
        spent[types] += time.thread_time() - began


def _save_ours(save: Callable[..., None], signature: Any, code: Any) -> None:
    """Keep the code for these types, unless one is a class that another process may not find."""
    if all(map(_is_ours, signature)):
        save(signature, code)


def _name_of_its_own(index_name: str, number: int) -> str:
    """Name of a file for one type's code.

    numba counts the files, and processes that save at once would take the same number for two
    types: later ones would run the code of the other.
    """
    return f"{index_name.removesuffix('.nbi')}.{uuid.uuid4().hex[:16]}.nbc"


def _is_ours(part: Any) -> bool:
    if not isinstance(part, _numba.types.BaseNamedTuple):
        return True
    ours = part.instance_class.__module__.split(".")[0] == __name__.split(".")[0]
    return ours and all(map(_is_ours, part.types))


def _stamps() -> tuple[tuple[str, int, int], ...]:
    """Name, time and size of every source: new ones mean that the digest is to be made anew."""
    found = []
    for folder, subfolders, names in os.walk(_PACKAGE):
        # Caches come and go while we look, and hold no sources.
        subfolders[:] = [name for name in subfolders if name != "__pycache__"]
        for path in (os.path.join(folder, name) for name in names if name.endswith(".py")):
            status = os.stat(path)
            found.append((path, status.st_mtime_ns, status.st_size))
    return tuple(sorted(found))


@functools.lru_cache(maxsize=1)
def _digest(stamps: tuple[tuple[str, int, int], ...]) -> str:
    """Digest of the names and contents of all sources of the package."""
    digest = hashlib.sha256()
    for name, _, size in stamps:
        relative = Path(name).relative_to(_PACKAGE).as_posix()
        digest.update(f"{relative} {size}\n".encode() + Path(name).read_bytes())
    return digest.hexdigest()[:16]


@functools.lru_cache(maxsize=4)
def _cache_folder(digest: str, wanted: str) -> Path | None:
    """The first folder that can be written, made if need be; None, with a warning, if none can."""
    for base in _bases(wanted):
        folder = base / f"maxgap-{digest}"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=folder).close()
        except OSError:
            continue
        _drop_old(base, folder)
        return folder
    warnings.warn(
        "maxgap finds no folder to keep its compiled code in: every process compiles anew what it "
        "needs often. Set NUMBA_CACHE_DIR to a folder that can be written.",
        RuntimeWarning,
        stacklevel=4,
    )
    return None


def _bases(wanted: str) -> Iterator[Path]:
    if wanted:
        yield Path(wanted)
    if _PACKAGE.is_dir():  # not inside a zip file
        yield _PACKAGE / "__pycache__"
    own = Path(platformdirs.user_cache_dir("maxgap", appauthor=False))
    if own.is_absolute():  # without a home "~" stays "~"
        yield own
    try:
        temporary = Path(tempfile.gettempdir())
    except FileNotFoundError:
        return
    # Code is loaded from there: nobody else may write to it.
    private = temporary / f"maxgap-of-{os.getuid() if hasattr(os, 'getuid') else os.getlogin()}"
    try:
        private.mkdir(mode=0o700, exist_ok=True)
        status = private.lstat()
    except OSError:
        return
    shared = hasattr(os, "getuid") and (status.st_uid != os.getuid() or status.st_mode & 0o022)
    if stat.S_ISDIR(status.st_mode) and not shared:
        yield private


def _drop_old(base: Path, current: Path) -> None:
    """Remove all but the newest caches of other sources; who still uses one compiles once more."""
    try:
        others = [
            (path.stat().st_mtime, path)
            for path in base.iterdir()
            if _FOLDER.fullmatch(path.name) and path != current
        ]
    except OSError:
        return
    for _, path in sorted(others)[:-KEPT]:
        shutil.rmtree(path, ignore_errors=True)
