"""Where pretokens start in ASCII, 64 bytes at once: the split patterns as arithmetic on bits.

A bit stands for a byte, the lowest bit for the first; so `letters << 1` are the places behind letters. Places
that depend on later bytes, or on other characters, are left to `scanners`; the results of both are equal.
"""

import numpy as np
import numpy.typing as npt

from playground.training.kernel.compiled import inlined, inner, pasted
from playground.training.kernel.intrinsics import N_BYTES, borrowed, bytes_between, lowest_bit
from playground.training.kernel.scanners import GPT2, O200K, QWEN, TEKKEN, contraction_end, pretoken_end

Bytes = npt.NDArray[np.uint8]

#: Masks of: the ASCII bytes in front, line ends, spaces, white space, upper case, lower case, numbers.
Kinds = tuple[np.uint64, np.uint64, np.uint64, np.uint64, np.uint64, np.uint64, np.uint64]
SPACES = 2  # index in `Kinds`

NO_STARTS = np.uint64(0)
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
#: With fewer than 16 bytes of ASCII in front, `scanners` are faster.
_FEW = np.uint64(0xFFFF)
_1, _2, _3, _4, _8, _16, _32 = (np.uint64(n) for n in (1, 2, 3, 4, 8, 16, 32))


@inlined
def next_end(
    text: Bytes, start: int, end: int, classes: Bytes, scanner: int, starts: np.uint64
) -> tuple[int, np.uint64]:
    """Return where the pretoken at `start` ends, and which of the 64 bytes from there on start another.

    `starts` is the second result of the previous call, NO_STARTS at first.
    """
    if starts == NO_STARTS:
        starts = ascii_starts(text, start, end, scanner)
    if starts == NO_STARTS:
        return pretoken_end(text, start, end, classes, scanner), NO_STARTS
    length = lowest_bit(starts)
    return start + length, (starts >> np.uint64(length)) & ~_1


@inlined
def ascii_starts(text: Bytes, start: int, end: int, scanner: int) -> np.uint64:
    """Return which of the next 64 bytes start a pretoken, given that one starts at `start` (not included).

    The result is NO_STARTS if too few bytes are ASCII. Nothing is known behind the last start.
    """
    return starts_among(ascii_kinds(text, start, end), text, start, end, scanner)


@inlined
def ascii_kinds(text: Bytes, start: int, end: int) -> Kinds:
    """Return the kinds of the next 64 bytes, which are the same for each scanner."""
    if start + N_BYTES > len(text):
        return NO_STARTS, NO_STARTS, NO_STARTS, NO_STARTS, NO_STARTS, NO_STARTS, NO_STARTS
    unknown = bytes_between(text, start, 0x80, 0xFF)
    if start + N_BYTES > end:
        unknown |= _ALL << np.uint64(end - start)
    line_ends = bytes_between(text, start, 10, 10) | bytes_between(text, start, 13, 13)
    spaces = bytes_between(text, start, 32, 32)
    return (
        _below(unknown),
        line_ends,
        spaces,
        bytes_between(text, start, 9, 13) | spaces,
        bytes_between(text, start, 65, 90),
        bytes_between(text, start, 97, 122),
        bytes_between(text, start, 48, 57),
    )


@inner
def starts_among(kinds: Kinds, text: Bytes, start: int, end: int, scanner: int) -> np.uint64:
    """Return the result of `ascii_starts` for bytes whose kinds are known."""
    text = borrowed(text)
    known, line_ends, spaces, white, upper, lower, numbers = kinds
    if known <= _FEW:
        return NO_STARTS
    if scanner in (O200K, TEKKEN):  # a slash behind line ends may belong to the same pretoken
        known &= _below(bytes_between(text, start, 47, 47) & (line_ends << _1))
    line_ends &= known
    spaces &= known
    white &= known
    upper &= known
    lower &= known
    numbers &= known
    letters = upper | lower
    visible = known & ~white
    marks = visible & ~(letters | numbers)
    quotes = bytes_between(text, start, 39, 39) & (letters >> _1)
    first_marks = marks & ~((marks | spaces) << _1)
    if scanner == GPT2:
        starts = (letters & ~(letters << _1) | numbers & ~(numbers << _1)) & ~(spaces << _1) | first_marks
        starts |= white & (~(white << _1) | visible >> _1)
        starts = _without_contractions(text, start, end, scanner, starts, quotes & starts)
    else:
        # Line ends behind punctuation belong to it: adding 1 at the first carries through all of them.
        tails = line_ends & ~(line_ends + (line_ends & (marks << _1)))
        blanks = white & ~line_ends
        prefixes = blanks | first_marks & ~(marks >> _1)
        starts = letters & ~((letters | prefixes) << _1) | first_marks
        starts |= _number_starts(numbers, scanner)
        starts |= _white_starts(white & ~tails, line_ends & ~tails, visible)
        if scanner in (O200K, TEKKEN):
            starts |= upper & (lower << _1)
        if scanner == O200K:
            highest = known & ~(known >> _1)
            starts &= ~(bytes_between(text, start, 39, 39) & highest)  # the next byte is not known
            starts = _without_contractions(text, start, end, scanner, starts, quotes & (letters << _1))
        elif scanner != TEKKEN:
            starts = _without_contractions(text, start, end, scanner, starts, quotes & starts)
    # White space at the end may continue, so only its first byte is known to start a pretoken.
    judged = _up_to_highest(visible) << _1 | _1
    return starts & judged & known & ~_1


@inlined
def _number_starts(numbers: np.uint64, scanner: int) -> np.uint64:
    """Return the starts of numbers, of one digit or of up to three."""
    if scanner in (QWEN, TEKKEN):
        return numbers
    found = np.uint64(0)
    more = numbers & ~(numbers << _1)
    fourth = numbers & (numbers << _1) & (numbers << _2) & (numbers << _3)
    while more:
        found |= more
        more = (more << _3) & fourth
    return found


@inlined
def _white_starts(white: np.uint64, line_ends: np.uint64, visible: np.uint64) -> np.uint64:
    """Return the starts of white space: its first byte, behind its last line end, a blank before a word."""
    later, through = line_ends, white  # places from which white space leads to a line end, doubling steps
    later |= through & (later >> _1)
    through &= through >> _1
    later |= through & (later >> _2)
    through &= through >> _2
    later |= through & (later >> _4)
    through &= through >> _4
    later |= through & (later >> _8)
    through &= through >> _8
    later |= through & (later >> _16)
    through &= through >> _16
    later |= through & (later >> _32)
    blanks = white & ~line_ends
    return white & ~(white << _1) | blanks & ~later & (line_ends << _1) | blanks & (visible >> _1)


@inlined
def _without_contractions(
    text: Bytes, start: int, end: int, scanner: int, starts: np.uint64, quotes: np.uint64
) -> np.uint64:
    """Return the starts with contractions such as 's taken together; `quotes` are where they may begin."""
    after = -1
    while quotes:
        place = lowest_bit(quotes)
        quotes &= quotes - _1
        stop = contraction_end(text, start + place, end, scanner) - start
        if stop == place or (scanner == O200K and place == after):  # a word has only one
            continue
        after = stop
        first = place if scanner == O200K else place + 1
        for inside in range(first, min(stop, N_BYTES)):
            starts &= ~(_1 << np.uint64(inside))
        if stop < N_BYTES:
            starts |= _1 << np.uint64(stop)
    return starts


@pasted
def _below(mask: np.uint64) -> np.uint64:
    """Return the bits below the lowest bit that is set; all bits if none is."""
    return ~mask & (mask - _1)


@pasted
def _up_to_highest(mask: np.uint64) -> np.uint64:
    """Return the highest bit that is set, and all bits below it."""
    mask |= mask >> _1
    mask |= mask >> _2
    mask |= mask >> _4
    mask |= mask >> _8
    mask |= mask >> _16
    return mask | mask >> _32
