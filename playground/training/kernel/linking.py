"""How Numba makes an object file here: all functions are linked as they are, and optimized once, together.

By itself it optimizes each function, makes machine code of it, and does both again for whoever calls it.
Imported only where something is compiled.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from numba.core.codegen import JITCodeLibrary, JITCPUCodegen
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import cpu_target


class _LinkedLibrary(JITCodeLibrary):
    """A function and those that it calls, of which nobody asks for an address."""

    def get_pointer_to_function(self: Any, _name: str) -> int:
        self._ensure_finalized()
        return 0

    def _optimize_final_module(self) -> None:
        """Only `object_file` does."""

    def _finalize_final_module(self) -> None:
        self._finalized = True

    def object_file(self: Any) -> bytes:
        JITCodeLibrary._optimize_final_module(self)  # type: ignore[no-untyped-call]
        return bytes(self._codegen._tm.emit_object(self._final_module))


class _LinkingCodegen(JITCPUCodegen):
    _library_class = _LinkedLibrary

    def set_env(self, _env_name: str, _env: Any) -> None:
        """What is never run needs no surroundings."""


@cache
def _codegen() -> Any:
    """One for all: what one function has made is linked into the next that calls the same."""
    new: Any = _LinkingCodegen
    return new("tessera")


@contextmanager
def linking() -> Iterator[None]:
    """Numba compiles as this module says, for one thread after the other."""
    with global_compiler_lock:
        context: Any = cpu_target.target_context
        before = context._internal_codegen
        context._internal_codegen = _codegen()
        try:
            yield
        finally:
            context._internal_codegen = before
