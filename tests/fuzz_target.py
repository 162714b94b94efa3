"""What a fuzzing target is: cases, and a check; `fuzz_targets` is the table."""

from collections.abc import Callable
from typing import Any, NamedTuple

from hypothesis import strategies as st


class Target(NamedTuple):
    """Cases that `repr` writes as Python, and what raises where one shows a fault."""

    cases: st.SearchStrategy[Any]
    check: Callable[[Any], object]
