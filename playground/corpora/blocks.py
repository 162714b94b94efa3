"""Blocks of many files: pieces of long texts and batches of short ones, as several threads take them."""

import codecs
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce
from hashlib import blake2b
from typing import NamedTuple

import regex

from playground.bpe.safe_cuts import SafeCuts
from playground.core.errors import InvalidInputError
from playground.core.tokenizer import Tokenizer
from playground.corpora.documents import Rows, iter_chunks, iter_rows
from playground.corpora.sources import Source
from playground.corpora.streams import OnRead
from playground.corpora.text_files import Chunk, Text


class Block(NamedTuple):
    """Texts of one file, each encoded on its own; with `ends`, a document ends behind each.

    A document longer than a block comes in pieces, cut where its ids do not change. Those of a plain file
    are the file's own bytes.
    """

    file: int  # its number
    texts: Sequence[Text]
    ends: bool
    n_characters: int  # those of all blocks of a file add up to its characters
    n_left_out: int = 0  # rows without a text


def common_cuts(tokenizers: Sequence[Tokenizer], *, allow_special: bool) -> SafeCuts:
    """The places where a text may be cut for each of several tokenizers."""
    special = {name for tokenizer in tokenizers if allow_special for name in tokenizer.special_tokens}
    return SafeCuts(reduce(_both, (tokenizer.safe_cut for tokenizer in tokenizers)), special)


def iter_blocks(
    sources: Iterable[Source],
    cuts: SafeCuts,
    *,
    on_read: OnRead,
    on_error: Callable[[int, InvalidInputError], None] | None = None,
    n_together: int = 1,
) -> Iterator[Block]:
    """The blocks of all files in turn; of plain text each is as long as so many.

    A file that cannot be read ends there, and is told to `on_error`.

    Raises InvalidInputError for one where there is no `on_error`.
    """
    for number, source in enumerate(sources):
        try:
            if source.kind == "text":
                chunks = iter_chunks(source, on_read, n_blocks=n_together)
                yield from iter_text_blocks(number, chunks, cuts)
                yield end_of_text(number)
            else:
                for rows in iter_rows(source, on_read):
                    yield rows_together(number, rows)
        except InvalidInputError as error:
            if on_error is None:
                raise
            on_error(number, error)


def iter_text_blocks(file: int, chunks: Iterable[Chunk], cuts: SafeCuts) -> Iterator[Block]:
    """The blocks of a plain text, or of a part of one, which no document ends."""
    n_read = n_told = 0

    def raws() -> Iterator[bytes]:
        nonlocal n_read
        for chunk in chunks:
            n_read += chunk.n_characters
            yield chunk.raw

    for raw in iter_safe_pieces(raws(), cuts):
        yield Block(file, [raw], False, n_read - n_told)
        n_told = n_read


def end_of_text(file: int) -> Block:
    """Behind the blocks of a plain text."""
    return Block(file, [""], True, 0)


def rows_together(file: int, rows: Rows) -> Block:
    """A block of rows, each of which is a document."""
    return Block(file, rows.texts, True, sum(map(len, rows.texts)), rows.n_left_out)


def _both(one: regex.Pattern[str] | None, other: regex.Pattern[str] | None) -> regex.Pattern[str] | None:
    """Matches where both match, which are of width zero."""
    if one is None or other is None:
        return None
    return one if one is other else regex.compile(f"(?:{one.pattern})(?:{other.pattern})")


#: The bytes from one place up to another, fewer where the text ends.
ReadBytes = Callable[[int, int], bytes]
_WINDOW_BYTES = 1 << 10


def first_cut(read: ReadBytes, at: int, n_bytes: int, cuts: SafeCuts) -> int:
    """The first place from byte `at` on where a text of so many bytes may be cut; else its end.

    It depends on the characters around it alone, so whoever looks for it finds the same. The beginning and
    the end are always such places. Raises UnicodeDecodeError, its positions counted from the beginning of
    the text.

    >>> from playground.bpe.safe_cuts import safe_cut_of
    >>> raw = b"one two"
    >>> first_cut(lambda start, stop: raw[start:stop], 1, len(raw), SafeCuts(safe_cut_of("gpt2")))
    3
    """
    if at <= 0:
        return 0
    n_window = _WINDOW_BYTES
    while at < n_bytes:
        begin = max(at - 4 * cuts.n_around, 0)
        is_last = at + n_window >= n_bytes
        raw = read(begin, min(at + n_window, n_bytes))
        n_skipped = _n_following(raw, 0) if begin else 0
        first = at - begin + _n_following(raw, at - begin)  # the first character that begins there
        text = _decoded(raw[n_skipped:], begin + n_skipped, is_last=is_last)
        n_before = len(raw[n_skipped:first].decode())
        place = cuts.next(text, n_before)
        if place is not None and (is_last or place + cuts.n_around <= len(text)):
            return begin + n_skipped + len(text[:place].encode())
        if is_last:
            break
        n_window *= 8
    return n_bytes


def iter_safe_pieces(raws: Iterable[bytes], cuts: SafeCuts) -> Iterator[bytes]:
    r"""`iter_safe_blocks` of a text that comes as UTF-8, in whole characters; little of it is decoded.

    >>> from playground.bpe.safe_cuts import safe_cut_of
    >>> list(iter_safe_pieces([b"to b", b"e or", b" not"], SafeCuts(safe_cut_of("gpt2"))))
    [b'to', b' be', b' or', b' not']
    """
    held: list[bytes] = []  # what has come since the last cut
    tail = b""  # its last characters: enough to judge the places that could not be judged yet
    for raw in raws:
        cut = _last_cut(tail, raw, cuts)
        if cut is None:
            held.append(raw)
            cut = 0
        elif cut < len(tail):
            before = b"".join(held)
            place = len(before) - len(tail) + cut
            yield before[:place]
            held = [before[place:], raw]
        else:
            yield b"".join([*held, memoryview(raw)[: cut - len(tail)]])  # copied once
            held = [raw[cut - len(tail) :]]
        n_kept = min(len(tail) + len(raw) - cut, 8 * cuts.n_around)  # a character has four bytes at most
        tail = _from_the_end(tail, raw, n_kept)
    if rest := b"".join(held):
        yield rest


def _last_cut(before: bytes, raw: bytes, cuts: SafeCuts) -> int | None:
    """The last place in `before + raw` where it may be cut, told by what has come; found from its end back.

    Of `before`, only the last places have not been judged before.
    """
    n_bytes = len(before) + len(raw)
    n_window = _WINDOW_BYTES if cuts.is_known else 0
    while n_window:
        window = _from_the_end(before, raw, n_window)
        first = n_bytes - len(window)
        text = window.decode()
        judged = len(before[first:].decode()) - cuts.n_around
        place = cuts.last(text, max(judged, cuts.n_around if first else 0), len(text) - cuts.n_around)
        if place is not None:
            return n_bytes - len(text[place:].encode())
        n_window = 8 * n_window if first else 0
    return None


def _from_the_end(before: bytes, raw: bytes, n_bytes: int) -> bytes:
    """The whole characters in the last so many bytes of `before + raw`, which is long, and so is not made."""
    n_of_raw = min(n_bytes, len(raw))
    n_before = min(n_bytes - n_of_raw, len(before))
    window = before[len(before) - n_before :] + raw[len(raw) - n_of_raw :]
    return window[_n_following(window, 0) :]


def _n_following(raw: bytes, place: int) -> int:
    """How many bytes from a place on belong to a character that begins before it."""
    n = 0
    while n < 3 and place + n < len(raw) and raw[place + n] & 0xC0 == 0x80:
        n += 1
    return n


def _decoded(raw: bytes, begin: int, *, is_last: bool) -> str:
    """The whole characters; the last may be cut off."""
    try:
        return codecs.getincrementaldecoder("utf-8")().decode(raw, final=is_last)
    except UnicodeDecodeError as error:
        raise UnicodeDecodeError(
            error.encoding, error.object, begin + error.start, begin + error.end, error.reason
        ) from error


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
