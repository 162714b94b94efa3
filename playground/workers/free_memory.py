"""Memory that is free, given back to the operating system, where the C library keeps it."""

import ctypes
import sys
from functools import cache

#: What glibc's `mallopt` calls M_MMAP_THRESHOLD and M_ARENA_MAX (its `malloc.h`).
_MMAP_THRESHOLD, _ARENA_MAX = -3, -8


def lend_memory_briefly() -> bool:
    """Have glibc keep little of what is freed, in a process that many threads fill in turn; whether it will.

    A block of a megabyte goes back as soon as it is free; unasked, glibc puts blocks of up to 32 MB among the
    small ones once such a block was freed. And threads share two arenas instead of eight for each core: what
    one leaves free, another fills. See `mallopt(3)`.
    """
    mallopt = getattr(_libc(), "mallopt", None)
    return mallopt is not None and bool(mallopt(_MMAP_THRESHOLD, 1 << 20) and mallopt(_ARENA_MAX, 2))


def give_memory_back() -> bool:
    """Return free memory to the operating system; whether there was any, as far as is known.

    Only glibc keeps it, and only there can it be asked.
    """
    trim = getattr(_libc(), "malloc_trim", None)
    return trim is not None and bool(trim(0))


@cache
def _libc() -> ctypes.CDLL | None:
    """The C library, on Linux; one that is not glibc has neither function, or does nothing."""
    return ctypes.CDLL(None) if sys.platform.startswith("linux") else None
