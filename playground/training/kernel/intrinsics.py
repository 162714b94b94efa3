"""Machine instructions that Numba has no function for, added by `numba.extending.intrinsic`.

- `bytes_between` compares 64 bytes at once. A loop over the bytes takes 60 instructions instead of six.
- `lowest_bit`, `highest_bit` and `n_bits` are one instruction each.
- `eight_bytes` reads a number from any place of an array, and `fetch` loads a cache line ahead of its use.
- `borrowed` gives arrays without an owner.

They write LLVM's instructions, so this is the only module that imports llvmlite.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import extending, types

Bytes = npt.NDArray[np.uint8]
Words = npt.NDArray[np.uint64]

intrinsic: Any = extending.intrinsic  # its type is that of a function that takes the typing context too

#: Number of bytes that `bytes_between` compares.
N_BYTES = 64


@intrinsic
def borrowed(_typing: Any, value: Any) -> Any:
    """Return an array, or a tuple of arrays, that Numba counts no references to; the caller must hold it.

    Counting references is an atomic operation at each use of an array of a tuple: without it a corpus is
    counted nine times as fast.
    """

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _without_owner(context, builder, signature.args[0], arguments[0])

    return value(value), emit


def _without_owner(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    if isinstance(kind, types.Array):
        array = context.make_array(kind)(context, builder, value)
        array.meminfo = array.meminfo.type(None)
        return array._getvalue()
    if isinstance(kind, types.BaseTuple):
        elements: Any = kind
        for place, element in enumerate(elements):
            plain = _without_owner(context, builder, element, builder.extract_value(value, place))
            value = builder.insert_value(value, plain, place)
    return value


@intrinsic
def bytes_between(_typing: Any, text: Any, start: Any, low: Any, high: Any) -> Any:
    """Return which of the 64 bytes from `start` on are between `low` and `high`; the first is the lowest bit.

    `bytes_between(b"a1b2c3" …, 0, ord("1"), ord("2"))` is 0b1010.
    """
    byte, place = ir.IntType(8), ir.IntType(32)
    vector = ir.VectorType(byte, N_BYTES)

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = _address(context, builder, signature, arguments, ir.PointerType(vector))
        read = builder.load(data, align=1)

        def in_each(number: Any) -> Any:
            one = builder.insert_element(
                ir.Constant(vector, ir.Undefined), builder.trunc(number, byte), ir.Constant(place, 0)
            )
            return builder.shuffle_vector(one, one, ir.Constant(ir.VectorType(place, N_BYTES), [0] * N_BYTES))

        # A byte below `low` wraps round to a high number.
        lower, upper = arguments[2:]
        found = builder.icmp_unsigned(
            "<=", builder.sub(read, in_each(lower)), in_each(builder.sub(upper, lower))
        )
        return builder.bitcast(found, ir.IntType(N_BYTES))

    return types.uint64(text, types.int64, types.int64, types.int64), emit


@intrinsic
def lowest_bit(_typing: Any, mask: Any) -> Any:
    """Return the place of the lowest bit that is set, 64 if none is: 2 for 0b1100."""

    def emit(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.uint64), emit


@intrinsic
def highest_bit(_typing: Any, mask: Any) -> Any:
    """Return the place of the highest bit that is set, -1 if none is: 3 for 0b1100."""

    def emit(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        zeros = builder.ctlz(arguments[0], ir.Constant(ir.IntType(1), 0))
        return builder.sub(ir.Constant(ir.IntType(64), 63), zeros)

    return types.int64(types.uint64), emit


@intrinsic
def n_bits(_typing: Any, mask: Any) -> Any:
    """Return the number of bits that are set: 2 for 0b1100."""

    def emit(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.uint64), emit


@intrinsic
def eight_bytes(_typing: Any, text: Any, start: Any) -> Any:
    """Return the eight bytes from `start` on as one number, the first byte the lowest.

    They may reach beyond the end of the array, whose memory must go on there.
    """

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load(
            _address(context, builder, signature, arguments, ir.PointerType(ir.IntType(64))), align=1
        )

    return types.uint64(text, types.int64), emit


@intrinsic
def fetch(_typing: Any, rows: Any, place: Any) -> Any:
    """Load the cache line of a place without waiting for it; returns the place."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        number, pointer = ir.IntType(32), ir.PointerType(ir.IntType(8))
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        address = builder.bitcast(builder.gep(data, [arguments[1]]), pointer)
        prefetch = builder.module.declare_intrinsic(
            "llvm.prefetch", [pointer], ir.FunctionType(ir.VoidType(), [pointer, number, number, number])
        )
        builder.call(
            prefetch, [address, ir.Constant(number, 1), ir.Constant(number, 3), ir.Constant(number, 1)]
        )
        return arguments[1]

    return types.uint64(rows, types.uint64), emit


def _address(context: Any, builder: Any, signature: Any, arguments: Any, pointer: Any) -> Any:
    """Return the address of a byte as a pointer of a type; the first arguments are array and place."""
    text, start = arguments[:2]
    data = context.make_array(signature.args[0])(context, builder, text).data
    first = builder.gep(builder.bitcast(data, ir.PointerType(ir.IntType(8))), [start])
    return builder.bitcast(first, pointer)
