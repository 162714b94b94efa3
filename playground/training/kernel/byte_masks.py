"""Sixty-four bytes at once: which of them are of a kind, as the bits of one number.

Numba has no words for it, so each function is written twice: in NumPy, which says what it is, and in LLVM's
instructions, which are what compiled code has.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from playground.training.kernel.compiled import emitted

Bytes = npt.NDArray[np.uint8]

N_BYTES = 64


def _emit_bytes_between(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    from llvmlite import ir  # only here: kept code does without it

    text, start, low, high = arguments
    data = context.make_array(signature.args[0])(context, builder, text).data
    byte = ir.IntType(8)
    vector = ir.VectorType(byte, N_BYTES)
    address = builder.bitcast(builder.gep(data, [start]), ir.PointerType(vector))
    read = builder.load(address, align=1)

    def in_each(number: Any) -> Any:
        one = builder.insert_element(
            ir.Constant(vector, ir.Undefined), builder.trunc(number, byte), ir.Constant(ir.IntType(32), 0)
        )
        places = ir.Constant(ir.VectorType(ir.IntType(32), N_BYTES), [0] * N_BYTES)
        return builder.shuffle_vector(one, one, places)

    # What is lower than `low` wraps round to what is high.
    found = builder.icmp_unsigned("<=", builder.sub(read, in_each(low)), in_each(builder.sub(high, low)))
    return builder.bitcast(found, ir.IntType(N_BYTES))


@emitted(_emit_bytes_between, returns="uint64")
def bytes_between(text: Bytes, start: int, low: int, high: int) -> np.uint64:
    """Which of the 64 bytes from `start` on are from `low` up to `high`; the first is the lowest bit.

    >>> bin(bytes_between(np.frombuffer(b"a1b2c3" + bytes(58), np.uint8), 0, ord("1"), ord("2")))
    '0b1010'
    """
    read = text[start : start + N_BYTES]
    bits = np.packbits((read >= low) & (read <= high), bitorder="little")
    return np.uint64(int.from_bytes(bits.tobytes(), "little"))


def _emit_lowest_bit(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
    from llvmlite import ir

    return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 0))


@emitted(_emit_lowest_bit, returns="int64")
def lowest_bit(mask: np.uint64) -> int:
    """The place of the lowest bit that is set; 64 where none is.

    >>> lowest_bit(np.uint64(12)), lowest_bit(np.uint64(0))
    (2, 64)
    """
    return next((place for place in range(64) if int(mask) >> place & 1), 64)


def _emit_highest_bit(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
    from llvmlite import ir

    zeros = builder.ctlz(arguments[0], ir.Constant(ir.IntType(1), 0))
    return builder.sub(ir.Constant(ir.IntType(64), 63), zeros)


@emitted(_emit_highest_bit, returns="int64")
def highest_bit(mask: np.uint64) -> int:
    """The place of the highest bit that is set; -1 where none is.

    >>> highest_bit(np.uint64(12)), highest_bit(np.uint64(0))
    (3, -1)
    """
    return int(mask).bit_length() - 1


def _emit_n_bits(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
    return builder.ctpop(arguments[0])


@emitted(_emit_n_bits, returns="int64")
def n_bits(mask: np.uint64) -> int:
    """How many bits are set.

    >>> n_bits(np.uint64(12))
    2
    """
    return int(mask).bit_count()
