"""Which part of a corpus is held out: whole rows and stretches of text, the same ones wherever it is read."""

from collections.abc import Iterator
from hashlib import blake2b

from playground.bpe.safe_cuts import SafeCuts
from playground.corpora.byte_cuts import first_cut

#: A text is held out in stretches of about so many bytes.
STRETCH_BYTES = 1 << 11


def is_held_out(number: int, share: float) -> bool:
    """Whether the document of a number is: the same ones each time, spread over all.

    >>> sum(is_held_out(number, 0.1) for number in range(10_000))
    1001
    """
    mixed = (number * 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF
    return mixed < share * 2.0**64


def is_row_held_out(raw: bytes, share: float) -> bool:
    """Whether a row is, by its text: equal rows are never on both sides."""
    return int.from_bytes(blake2b(raw, digest_size=8).digest()) < share * 2.0**64


def iter_stretches(
    raw: bytes, position: int, file: int, cuts: SafeCuts, share: float
) -> Iterator[tuple[int, bytes, bool]]:
    """Cut a block, which begins at a byte of a file that may be cut, into what is held out and what is not.

    Yields where each piece begins in the block. A piece begins at the first safe cut behind a multiple of
    `STRETCH_BYTES`, so no pretoken is cut, and other blocks of the file give the same stretches.
    """
    start, end = 0, len(raw)
    stretch = position // STRETCH_BYTES
    while start < end:
        is_out = is_held_out(file + stretch + 1, share)
        cut = start
        while cut < end and is_held_out(file + stretch + 1, share) == is_out:
            stretch += 1
            cut = first_cut(lambda a, b: raw[a:b], stretch * STRETCH_BYTES - position, end, cuts)
            stretch = max(stretch, (position + cut) // STRETCH_BYTES)
        yield start, raw[start:cut], is_out
        start = cut
