"""Whether bytes are UTF-8, and how many characters they are: 64 of them at once, and none is decoded.

The first byte of a character says how many follow; bytes that follow stand nowhere else. Behind four first
bytes the next is bounded, so that each character has one spelling and none is a surrogate. A bit stands for a
byte, as in `ascii_starts`. Source: The Unicode Standard, table 3-7.
"""

import numpy as np

from playground.training.kernel.byte_masks import N_BYTES, Bytes, bytes_between, n_bits
from playground.training.kernel.compiled import ZERO, compiled, inlined

#: What has fewer bytes is Python's to check.
MIN_BYTES = N_BYTES
NOT_UTF8 = -1
_NONE = np.uint64(0)


@compiled
def count_characters(text: Bytes) -> int:
    """The characters of a text of MIN_BYTES or more; NOT_UTF8 of what is none, or ends within a character.

    >>> text = np.frombuffer("né".encode() * 30, np.uint8)
    >>> count_characters(text), count_characters(text[:-1]) == NOT_UTF8
    (60, True)
    """
    n_bytes, n_following = len(text), ZERO
    if text[n_bytes - 1] >= 0xC0 or text[n_bytes - 2] >= 0xE0 or text[n_bytes - 3] >= 0xF0:
        return NOT_UTF8
    for start in range(0, n_bytes, N_BYTES):
        at = min(start, n_bytes - N_BYTES)  # the last come with some that were seen before
        beyond_ascii = bytes_between(text, at, 0x80, 0xFF)
        if beyond_ascii == _NONE and (at == 0 or text[at - 1] < 0x80):
            continue
        following = bytes_between(text, at, 0x80, 0xBF)
        if beyond_ascii != following | bytes_between(text, at, 0xC2, 0xF4):
            return NOT_UTF8
        expected = _behind(text, at, 1, 0xC2, 0xF4) | _behind(text, at, 2, 0xE0, 0xF4)
        if following != expected | _behind(text, at, 3, 0xF0, 0xF4) or _is_out_of_bounds(text, at):
            return NOT_UTF8
        n_following += n_bits(following >> np.uint64(start - at))
    return n_bytes - n_following


@inlined
def _is_out_of_bounds(text: Bytes, at: int) -> bool:
    """Whether a byte that follows another is none that may follow just that one."""
    too_low = _behind(text, at, 1, 0xE0, 0xE0) & bytes_between(text, at, 0x80, 0x9F)
    too_low |= _behind(text, at, 1, 0xF0, 0xF0) & bytes_between(text, at, 0x80, 0x8F)
    too_high = _behind(text, at, 1, 0xED, 0xED) & bytes_between(text, at, 0xA0, 0xBF)
    too_high |= _behind(text, at, 1, 0xF4, 0xF4) & bytes_between(text, at, 0x90, 0xBF)
    return bool(too_low | too_high)


@inlined
def _behind(text: Bytes, at: int, ahead: int, low: int, high: int) -> np.uint64:
    """Of the 64 bytes from `at` on, those that stand so many places behind one from `low` up to `high`."""
    if at < ahead:
        return bytes_between(text, 0, low, high) << np.uint64(ahead - at)
    return bytes_between(text, at - ahead, low, high)
