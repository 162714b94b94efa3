"""An obvious comparison of data, written apart from the one that is tested."""

import math
from typing import Any

from playground.formats.registry import FORMATS


def strict_equal(a: Any, b: Any) -> bool:
    """Types and values, numbers by value."""
    if isinstance(a, bool) or isinstance(b, bool) or a is None or b is None:
        return a is b
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return (a == b and (a != 0 or math.copysign(1, a) == math.copysign(1, b))) or (a != a and b != b)
    if type(a) is not type(b):
        return False
    if isinstance(a, list):
        return len(a) == len(b) and all(map(strict_equal, a, b))
    if isinstance(a, dict):
        typed = {(type(k), k): v for k, v in b.items()}
        return len(a) == len(b) and all(
            (type(k), k) in typed and strict_equal(v, typed[type(k), k]) for k, v in a.items()
        )
    return bool(a == b)


def comes_back(data: Any, format_name: str, text: str) -> bool:
    """Do all of a format's readers have the data again?"""
    entry = FORMATS[format_name]
    readers = [read for read in (entry.read, entry.read_otherwise) if read]
    return all(strict_equal(data, read(text)) for read in readers)
