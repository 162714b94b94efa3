"""`@compiled`, `@inner` and `@inlined`: functions that Numba turns into machine code and keeps on disk.

What is compiled lives in the modules of this folder.
"""

import hashlib
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Any, TypeVar

import numba

_njit: Any = numba.njit  # some of the options below are missing in its type
Function = TypeVar("Function", bound=Callable[..., object])


_is_only_kept: ContextVar[bool] = ContextVar("is_only_kept", default=False)


class NotKeptError(Exception):
    """A function is not on disk, and may not be compiled here."""


@contextmanager
def only_kept() -> Iterator[None]:
    """Load functions from disk, and raise NotKeptError where one would be compiled.

    Compiling holds the interpreter. Where nothing can be kept on disk, functions are compiled all the same.
    """
    before = _is_only_kept.set(True)
    try:
        yield
    finally:
        _is_only_kept.reset(before)


def compiled(function: Function) -> Function:
    """For what Python calls: compiled on the first call, loaded from disk on later starts.

    It runs without the interpreter's lock. All arrays belong to the caller, who holds them while it waits. So
    compiled code counts no references (`_nrt`), which had cost half the time of counting pretokens, and makes
    no arrays of its own.
    """
    decorated: Any = _njit(function, cache=_CACHE_DIR is not None, **_OPTIONS)
    if _CACHE_DIR is not None:
        _guard(decorated._cache)
    made: Function = decorated
    return made


def _guard(cache: Any) -> None:
    """On a disk that is full the code is used and not kept; Numba would raise. And see `only_kept`."""
    load, save = cache.load_overload, cache.save_overload

    def load_overload(*arguments: object) -> Any:
        found = load(*arguments)
        if found is None and _is_only_kept.get():
            raise NotKeptError
        return found

    def save_overload(*arguments: object) -> None:
        with suppress(OSError):
            save(*arguments)

    cache.load_overload, cache.save_overload = load_overload, save_overload


def inner(function: Function) -> Function:
    """For what only compiled code calls: without a wrapper for Python, a third of the work to compile."""
    decorated: Function = _njit(function, no_cpython_wrapper=True, **_OPTIONS)
    return decorated


def inlined(function: Function) -> Function:
    """The same for a function that LLVM copies into its callers: a third faster in loops over bytes."""
    decorated: Function = _njit(function, no_cpython_wrapper=True, forceinline=True, **_OPTIONS)
    return decorated


def _cache_dir() -> str | None:
    """A folder of this user's that can be written: beside the source it may not be."""
    digest = hashlib.sha256()  # Numba looks only at the file of the function it loads, not at those it calls
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    base = Path(chosen) if chosen else Path(home) / "tessera"
    folder = base / f"numba-{digest.hexdigest()[:12]}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return str(folder)
    except OSError:
        return None  # compile at each start


_CACHE_DIR = _cache_dir()
if _CACHE_DIR is not None:
    numba.config.CACHE_DIR = _CACHE_DIR  # type: ignore[attr-defined]
_OPTIONS: dict[str, Any] = {"nogil": True, "_nrt": False, "no_cfunc_wrapper": True}
