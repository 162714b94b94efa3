"""Machine code kept on disk, and called: what Numba compiled once is loaded by LLVM alone, 0.8 s sooner.

Which functions are compiled, and from what, is `compiled`'s business.
"""

import ctypes
import hashlib
import json
import os
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import llvmlite.binding as llvm

_TYPES: dict[str, Any] = {
    "P": ctypes.c_void_p, "q": ctypes.c_int64, "Q": ctypes.c_uint64, "d": ctypes.c_double,
}  # fmt: skip
#: How a function ended, as Numba tells it; anything else is an error.
_ENDED, _RETURNED_NONE = 0, -2
_engines: list[Any] = []  # each holds machine code that may be running


class MachineCode(NamedTuple):
    """An object file with one function; `returned` is the letter of its result, "" for None."""

    symbol: str
    returned: str
    raw: bytes


def kept(name: str, kind: str) -> MachineCode | None:
    """The machine code of a function for arguments of a kind; None where it is not on disk."""
    if CACHE_DIR is None:
        return None
    with suppress(OSError, ValueError, TypeError):
        about, _, raw = _file(CACHE_DIR, name, kind).read_bytes().partition(b"\n")
        symbol, returned, digest = json.loads(about)
        if digest == hashlib.sha256(raw).hexdigest():
            return MachineCode(symbol, returned, raw)
    return None


def keep(name: str, kind: str, code: MachineCode) -> None:
    """Write it to disk, whole or not at all; on a disk that is full it is used and not kept."""
    if CACHE_DIR is None:
        return
    about = json.dumps([code.symbol, code.returned, hashlib.sha256(code.raw).hexdigest()]).encode()
    part = None
    try:
        with tempfile.NamedTemporaryFile(dir=CACHE_DIR, delete=False) as file:
            part = file.name
            file.write(about + b"\n" + code.raw)
        os.replace(part, _file(CACHE_DIR, name, kind))
    except OSError:
        if part is not None:
            with suppress(OSError):
                os.unlink(part)


def callable_of(name: str, code: MachineCode, c_types: str) -> Callable[[list[Any]], int | None]:
    """A function of values whose types are letters: P an address, q and Q of 64 bits, d a float.

    It gives back the interpreter's lock while it runs.
    """
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _target())
    engine.add_object_file(llvm.ObjectFileRef.from_data(code.raw))
    engine.finalize_object()
    _engines.append(engine)
    result = _TYPES[code.returned or "P"]
    prototype = ctypes.CFUNCTYPE(
        ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, *(_TYPES[letter] for letter in c_types)
    )
    function = prototype(engine.get_function_address(code.symbol))

    def call(values: list[Any]) -> int | None:
        returned, failure = result(), ctypes.c_void_p()
        ended = function(ctypes.addressof(returned), ctypes.addressof(failure), *values)
        if ended not in (_ENDED, _RETURNED_NONE):
            raise RuntimeError(f"the compiled {name} failed")
        return returned.value if code.returned else None

    return call


@cache
def _target() -> Any:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_default_triple().create_target_machine(cpu=llvm.get_host_cpu_name(), jit=True)


def _file(folder: str, name: str, kind: str) -> Path:
    return Path(folder) / f"{name}-{hashlib.sha256(kind.encode()).hexdigest()[:16]}.o"


def _version_file(package: str) -> Path:
    """Which says its version and commit; the package is not imported."""
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"{package} is not installed", name=package)
    return Path(spec.origin).with_name("_version.py")


def _cache_dir() -> str | None:
    """A folder of this user's that can be written: beside the source it may not be."""
    digest = hashlib.sha256(f"{llvm.get_host_cpu_name()} {llvm.get_host_cpu_features().flatten()}".encode())
    # A function has those of this folder in it that it calls; `importlib.metadata` would take 0.02 s.
    for path in (*map(_version_file, ("numba", "llvmlite")), *sorted(Path(__file__).parent.glob("*.py"))):
        digest.update(path.read_bytes())
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    base = Path(chosen) if chosen else Path(home) / "tessera"
    folder = base / f"compiled-{digest.hexdigest()[:12]}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return str(folder)
    except OSError:
        return None  # compile at each start


CACHE_DIR = _cache_dir()
