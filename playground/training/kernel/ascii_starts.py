"""Where pretokens start in ASCII, 64 bytes at once: the split patterns as arithmetic on bits.

A bit stands for a byte, and the first is the lowest; so `letters << 1` are the places behind letters. What
depends on later bytes, or on other characters, is left to `scanners`, whose results it must equal.
"""

import numpy as np
import numpy.typing as npt

from playground.training.kernel.byte_masks import N_BYTES, bytes_between, lowest_bit
from playground.training.kernel.compiled import inlined
from playground.training.kernel.scanners import GPT2, O200K, QWEN, TEKKEN, contraction_end, pretoken_end

Bytes = npt.NDArray[np.uint8]

#: What is ASCII in front, line ends, spaces, white space, upper and lower case, numbers.
Kinds = tuple[np.uint64, np.uint64, np.uint64, np.uint64, np.uint64, np.uint64, np.uint64]
SPACES = 2  # their place in `Kinds`

NO_STARTS = np.uint64(0)
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
#: Where fewer bytes are ASCII in front, it is faster to find one pretoken after the other.
_FEW = np.uint64(0xFFFF)
_1, _2, _3, _4, _8, _16, _32 = (np.uint64(n) for n in (1, 2, 3, 4, 8, 16, 32))


@inlined
def next_end(
    text: Bytes, start: int, end: int, classes: Bytes, scanner: int, starts: np.uint64
) -> tuple[int, np.uint64]:
    """Where the pretoken at `start` ends, and which of the 64 bytes from there on start another.

    `starts` is what the last call gave, first NO_STARTS.
    """
    if starts == NO_STARTS:
        starts = ascii_starts(text, start, end, scanner)
    if starts == NO_STARTS:
        return pretoken_end(text, start, end, classes, scanner), NO_STARTS
    length = lowest_bit(starts)
    return start + length, (starts >> np.uint64(length)) & ~_1


@inlined
def ascii_starts(text: Bytes, start: int, end: int, scanner: int) -> np.uint64:
    """Which of the next 64 bytes start a pretoken, given that one starts at `start`, which is not told.

    None does where too few are ASCII. What starts behind the last that is told is not yet known.
    """
    return starts_among(ascii_kinds(text, start, end), text, start, end, scanner)


@inlined
def ascii_kinds(text: Bytes, start: int, end: int) -> Kinds:
    """Which of the next 64 bytes are of which kind: the same for each scanner."""
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


@inlined
def starts_among(kinds: Kinds, text: Bytes, start: int, end: int, scanner: int) -> np.uint64:
    """What `ascii_starts` tells, of bytes whose kinds are known."""
    known, line_ends, spaces, white, upper, lower, numbers = kinds
    if known <= _FEW:
        return NO_STARTS
    if scanner in (O200K, TEKKEN):  # a slash behind line ends may belong to them
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
        # Line ends behind marks are theirs: to add one at their first carries through them.
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
            starts &= ~(bytes_between(text, start, 39, 39) & highest)  # what stands behind is not seen
            starts = _without_contractions(text, start, end, scanner, starts, quotes & (letters << _1))
        elif scanner != TEKKEN:
            starts = _without_contractions(text, start, end, scanner, starts, quotes & starts)
    # White space that may go on starts no second pretoken yet.
    judged = _up_to_highest(visible) << _1 | _1
    return starts & judged & known & ~_1


@inlined
def _number_starts(numbers: np.uint64, scanner: int) -> np.uint64:
    """One number a pretoken, or up to three."""
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
    """Of white space its first, what stands behind its last line end, and a blank before what is visible."""
    later, through = line_ends, white  # from where white space leads to a line end, by steps that double
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
    """The starts where 's and the like are one pretoken, or the end of a word's; `quotes` may begin them."""
    after = -1
    while quotes:
        place = lowest_bit(quotes)
        quotes &= quotes - _1
        stop = contraction_end(text, start + place, end, scanner) - start
        if stop == place or (scanner == O200K and place == after):  # a word has one alone
            continue
        after = stop
        first = place if scanner == O200K else place + 1
        for inside in range(first, min(stop, N_BYTES)):
            starts &= ~(_1 << np.uint64(inside))
        if stop < N_BYTES:
            starts |= _1 << np.uint64(stop)
    return starts


@inlined
def _below(mask: np.uint64) -> np.uint64:
    """The bits below the lowest that is set; all where none is."""
    return ~mask & (mask - _1)


@inlined
def _up_to_highest(mask: np.uint64) -> np.uint64:
    """The highest bit that is set, and all below it."""
    mask |= mask >> _1
    mask |= mask >> _2
    mask |= mask >> _4
    mask |= mask >> _8
    mask |= mask >> _16
    return mask | mask >> _32
