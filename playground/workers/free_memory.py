"""Memory that is free, given back to the operating system, where the C library keeps it."""

import ctypes
import sys


def give_memory_back() -> bool:
    """Return free memory to the operating system; whether there was any, as far as is known.

    Only glibc keeps it, and only there can it be asked.
    """
    if not sys.platform.startswith("linux"):
        return False
    try:
        trim = ctypes.CDLL(None).malloc_trim
    except AttributeError:  # another C library
        return False
    return bool(trim(0))
