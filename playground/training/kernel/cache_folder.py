"""Where Numba keeps the compiled kernels, and which of them are there."""

import getpass
import hashlib
import os
import sys
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path

_KERNEL = Path(__file__).parent


@cache
def numba_cache_folder() -> str:
    """Return the default of `NUMBA_CACHE_DIR`: a folder for this version of the source.

    Numba compiles a function anew when its own file changes, not when a file of a function that it calls
    does. So the folder is named by a hash of all files of the kernel. It is beside the source, as Numba's
    own default is, or in the user's cache where that is read-only, or else among temporary files.
    """
    user_cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    beside_source, in_user_cache = (
        folder / f"numba-{_version()}" for folder in (_KERNEL / "__pycache__", user_cache / "tessera")
    )
    temporary = Path(tempfile.gettempdir(), f"tessera-{getpass.getuser()}", in_user_cache.name)
    for folder in (beside_source, in_user_cache):
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
        if os.access(folder, os.W_OK):
            return str(folder)
    return str(temporary)


def is_compiled(kernels: str) -> bool:
    """Whether `mark_compiled` was called on this machine for this version of the source.

    `kernels` is one of the four names that `warm_up` has.
    """
    return _mark(kernels).exists()


def mark_compiled(kernels: str) -> None:
    """Note on disk that kernels are compiled; where nothing can be written, each start compiles."""
    with suppress(OSError):
        _mark(kernels).touch()


def _mark(kernels: str) -> Path:
    folder = Path(os.environ.get("NUMBA_CACHE_DIR") or numba_cache_folder())
    return folder / f"{kernels}-{_version()}-{sys.implementation.cache_tag}-numba-{numba_version()}"


@cache
def numba_version() -> str:
    """Return the version of the installed Numba, without loading Numba."""
    from importlib.metadata import version  # imported late: a tenth of the start of `count`

    return version("numba")


@cache
def _version() -> str:
    """Return a hash of the kernel's files and of where they are: Numba keeps what it compiles by both."""
    digest = hashlib.sha256(str(_KERNEL).encode())
    for path in sorted(_KERNEL.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]
