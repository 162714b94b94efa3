"""`@compiled`, `@inlined`, `@pasted` and `@inner`: Numba's decorators with the options that every kernel has.

`@compiled` is for functions that Python calls: Numba keeps their machine code on disk. The others are for
functions that compiled code calls. This module imports Numba, which takes 0.4 s of CPU time: import a
kernel inside the function that calls it wherever a command may end without it.
"""

import os
from collections.abc import Callable
from typing import TypeVar, cast

import numpy as np

from playground.training.kernel.cache_folder import numba_cache_folder

os.environ.setdefault("NUMBA_CACHE_DIR", numba_cache_folder())  # before Numba reads it

from numba import njit
from numba.extending import register_jitable

Function = TypeVar("Function", bound=Callable[..., object])

#: Start value of counters. Numba compiles a callee a second time for the literal 0, which this value is not.
ZERO = cast(int, np.int64(0))


def compiled(function: Function) -> Function:
    """Compile a function that Python calls; it runs without the interpreter's lock."""
    return cast(Function, njit(cache=True, nogil=True)(function))


def inner(function: Function) -> Function:
    """Compile a function that only compiled code calls."""
    return register_jitable(function)


def inlined(function: Function) -> Function:
    """Compile a function that LLVM copies into each caller."""
    return register_jitable(forceinline=True)(function)


def pasted(function: Function) -> Function:
    """Put a function of one or two lines into each caller before types are inferred.

    Numba then does not compile it by itself, which takes 0.2 s; longer functions would take longer.
    """
    return cast(Function, njit(inline="always")(function))
