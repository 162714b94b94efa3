"""Reading memory as arrays cannot: eight bytes at any place, and a line before it is needed.

As in `byte_masks`, each function says in Python what its instructions do.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from playground.training.kernel.compiled import emitted

Bytes = npt.NDArray[np.uint8]
Words = npt.NDArray[np.uint64]


def _emit_eight_bytes(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    from llvmlite import ir  # only here: kept code does without it

    text, start = arguments
    data = context.make_array(signature.args[0])(context, builder, text).data
    first = builder.gep(builder.bitcast(data, ir.PointerType(ir.IntType(8))), [start])
    return builder.load(builder.bitcast(first, ir.PointerType(ir.IntType(64))), align=1)


@emitted(_emit_eight_bytes, returns="uint64")
def eight_bytes(text: Bytes | Words, start: int | np.int64) -> np.uint64:
    """The eight bytes from `start` on as one number, the first the lowest.

    >>> hex(eight_bytes(np.arange(16, dtype=np.uint8), 1))
    '0x807060504030201'
    """
    return np.uint64(int.from_bytes(text[start : start + 8].tobytes(), "little"))


def _emit_fetch(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    from llvmlite import ir

    rows, place = arguments
    data = context.make_array(signature.args[0])(context, builder, rows).data
    number, pointer = ir.IntType(32), ir.PointerType(ir.IntType(8))
    address = builder.bitcast(builder.gep(data, [place]), pointer)
    prefetch = builder.module.declare_intrinsic(
        "llvm.prefetch", [pointer], ir.FunctionType(ir.VoidType(), [pointer, number, number, number])
    )
    builder.call(prefetch, [address, ir.Constant(number, 1), ir.Constant(number, 3), ir.Constant(number, 1)])
    return place


@emitted(_emit_fetch, returns="uint64")
def fetch(_rows: Words, place: np.uint64) -> np.uint64:
    """Have the line that begins at `place` come near, and wait for nothing; returns the place."""
    return place
