"""Where a plain word ends: the pretoken that most texts mostly consist of, read eight bytes at a time.

What it does not know for certain it leaves to `scanners`, whose results it must equal.
"""

import numpy as np
import numpy.typing as npt

from playground.training.kernel.character_classes import LETTER, LINE_END, NUMBER
from playground.training.kernel.compiled import inlined
from playground.training.kernel.scanners import GPT2, O200K, TEKKEN

Bytes = npt.NDArray[np.uint8]
Words = npt.NDArray[np.uint64]

_EACH = 0x0101010101010101  # times a byte: that byte eight times
_HIGH_BITS = np.uint64(0x80 * _EACH)
_LOW_BITS = np.uint64(0x7F * _EACH)
_CASE_BITS = np.uint64(0x20 * _EACH)
_FROM_A = np.uint64((0x80 - ord("a")) * _EACH)  # added to a byte from "a" on, it reaches the high bit
_PAST_Z = np.uint64((0x7F - ord("z")) * _EACH)
_ONES = np.uint64(_EACH)
_ONE, _SEVEN, _BITS_56 = np.uint64(1), np.uint64(7), np.uint64(56)


@inlined
def plain_word_end(text: Bytes, words: Words, start: int, classes: Bytes, scanner: int) -> int:
    """End of `prefix?[A-Za-z]+`, for o200k and Tekken `prefix?[A-Z]?[a-z]+`, before ASCII; 0 where unsure.

    GPT-2's prefix is a space; the others' any ASCII character but letter, number, line end and apostrophe.
    Eight zero bytes end the text.
    """
    first = text[start]
    position = start
    if not classes[first] & LETTER or first >= 0x80:
        if first != 32 and (
            scanner == GPT2 or first >= 0x80 or first == 39 or classes[first] & (NUMBER | LINE_END)
        ):
            return 0
        position += 1
    case_bits = _CASE_BITS
    if scanner in (O200K, TEKKEN):
        case_bits = np.uint64(0)
        if 65 <= text[position] <= 90:
            position += 1
    letters_start = position
    n_letters = np.int64(8)
    while n_letters == 8:
        n_letters = _leading_letters(words[position], case_bits)
        position += int(n_letters)
    after = text[position]
    if position == letters_start or after >= 0x80 or (scanner == O200K and after == 39):
        return 0
    return position


@inlined
def _leading_letters(word: np.uint64, case_bits: np.uint64) -> np.int64:
    """How many of eight bytes, the first in the lowest bits, are letters before the first that is none.

    With the case bits set in all bytes, capitals are read as small letters.
    """
    small = (word | case_bits) & _LOW_BITS
    others = (~(small + _FROM_A) | (small + _PAST_Z) | word) & _HIGH_BITS
    before = (others - _ONE) & ~others  # all bits below the high bit of the first that is none
    return np.int64((((before >> _SEVEN) & _ONES) * _ONES) >> _BITS_56)
