"""Read many files in blocks, which threads take in turn: pieces of long texts, batches of short ones."""

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
from playground.corpora.text_files import Chunk, Text, as_utf8


class Block(NamedTuple):
    """Texts of one file, each encoded on its own; with `ends`, each text is the end of a document.

    A document longer than a block comes in pieces, cut where its ids do not change. Texts of a plain file are
    the file's own bytes.
    """

    file: int  # its number
    texts: Sequence[Text]
    ends: bool
    n_characters: int  # adds up to the characters of the file
    n_left_out: int = 0  # rows without a text


def common_cuts(tokenizers: Sequence[Tokenizer], *, allow_special: bool) -> SafeCuts:
    """Return the places where a text may be cut without changing the ids of any of the tokenizers."""
    special = {name for tokenizer in tokenizers if allow_special for name in tokenizer.special_tokens}
    safe_cuts = []
    for tokenizer in tokenizers:
        safe_cut, added = _cut_of(tokenizer)
        safe_cuts.append(safe_cut)
        special.update(added)
    return SafeCuts(reduce(_both, safe_cuts), special)


def _cut_of(tokenizer: Tokenizer) -> tuple[regex.Pattern[str] | None, Iterable[str]]:
    """Return where a text may be cut, and the tokens that must not be cut even if none are allowed."""
    if tokenizer.safe_cut is None:
        from playground.catalog.tokenizer_json_file import TokenizerJsonFile  # only here: few texts need it

        if isinstance(tokenizer, TokenizerJsonFile):
            return tokenizer.safe_cut_outside_added, tokenizer.added_tokens
    return tokenizer.safe_cut, ()


def iter_blocks(
    sources: Iterable[Source],
    cuts: SafeCuts,
    *,
    on_read: OnRead,
    on_error: Callable[[int, InvalidInputError], None] | None = None,
) -> Iterator[Block]:
    """Yield the blocks of all files in turn.

    A file that cannot be read ends at the error, which is passed to `on_error`.

    Raises InvalidInputError if there is no `on_error`.
    """
    for number, source in enumerate(sources):
        try:
            if source.kind == "text":
                chunks = iter_chunks(source, on_read)
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
    """Yield the blocks of a plain text, or of a part of one; the document continues behind each."""
    n_read = n_reported = 0

    def raws() -> Iterator[bytes]:
        nonlocal n_read
        for chunk in chunks:
            n_read += chunk.n_characters
            yield chunk.raw

    for raw in iter_safe_pieces(raws(), cuts):
        yield Block(file, [raw], False, n_read - n_reported)
        n_reported = n_read


def end_of_text(file: int) -> Block:
    """Return the empty block that ends a plain text."""
    return Block(file, [""], True, 0)


def rows_together(file: int, rows: Rows) -> Block:
    """Return a block of rows, each of which is a document."""
    return Block(file, rows.texts, True, sum(map(len, rows.texts)), rows.n_left_out)


def _both(one: regex.Pattern[str] | None, other: regex.Pattern[str] | None) -> regex.Pattern[str] | None:
    """Return a pattern that matches where both zero-width patterns match."""
    if one is None or other is None:
        return None
    return one if one is other else regex.compile(f"(?:{one.pattern})(?:{other.pattern})")


#: The bytes from one place up to another, fewer where the text ends.
ReadBytes = Callable[[int, int], bytes]
_WINDOW_BYTES = 1 << 10


def first_cut(read: ReadBytes, at: int, n_bytes: int, cuts: SafeCuts) -> int:
    """Return the first safe cut of a text of `n_bytes` from byte `at` on; else its end.

    A cut depends only on the characters around it, so each worker finds the same one. The beginning and
    the end are always safe. Raises UnicodeDecodeError, its positions counted from the beginning of
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
    r"""Regroup a text that arrives as UTF-8 into safe pieces, as `iter_safe_blocks` does; little is decoded.

    >>> from playground.bpe.safe_cuts import safe_cut_of
    >>> list(iter_safe_pieces([b"to b", b"e or", b" not"], SafeCuts(safe_cut_of("gpt2"))))
    [b'to', b' be', b' or', b' not']
    """
    held: list[bytes] = []  # what has come since the last cut
    tail = b""  # its last characters, which decide whether the last places are safe
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
    """Return the last safe cut in `before + raw` that can be judged, searching back from the end.

    Only the last places of `before` have not been judged earlier.
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
    """Return the whole characters in the last `n_bytes` of `before + raw`, without joining the two."""
    n_of_raw = min(n_bytes, len(raw))
    n_before = min(n_bytes - n_of_raw, len(before))
    window = before[len(before) - n_before :] + raw[len(raw) - n_of_raw :]
    return window[_n_following(window, 0) :]


def _n_following(raw: bytes, place: int) -> int:
    """Return the number of bytes from a place on that belong to an earlier character."""
    n = 0
    while n < 3 and place + n < len(raw) and raw[place + n] & 0xC0 == 0x80:
        n += 1
    return n


def _decoded(raw: bytes, begin: int, *, is_last: bool) -> str:
    """Decode whole characters; an incomplete last one is dropped unless `is_last`."""
    try:
        return codecs.getincrementaldecoder("utf-8")().decode(raw, final=is_last)
    except UnicodeDecodeError as error:
        raise UnicodeDecodeError(
            error.encoding, error.object, begin + error.start, begin + error.end, error.reason
        ) from error


#: Plain text is held out in stretches of about this many bytes.
STRETCH_BYTES = 1 << 11


def is_held_out(number: int, share: float) -> bool:
    """Whether document `number` is held out: the same documents in each run, evenly spread.

    >>> sum(is_held_out(number, 0.1) for number in range(10_000))
    1001
    """
    mixed = (number * 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF
    return mixed < share * 2.0**64


def is_document_held_out(number: int, text: Text, share: float, seed: int | None) -> bool:
    """Whether a document is held out: by its number, or with a seed by its text.

    A document that comes in pieces has no text here (b""), and is chosen by its number and the seed.

    >>> [is_document_held_out(number, "equal", 0.5, 7) for number in range(4)]
    [False, False, False, False]
    """
    if seed is None:
        return is_held_out(number, share)
    raw = as_utf8(text) or number.to_bytes(8)
    key = blake2b(raw, digest_size=8, salt=seed.to_bytes(8)).digest()
    return int.from_bytes(key) < share * 2.0**64


def is_row_held_out(raw: bytes, share: float) -> bool:
    """Whether a row is held out, by its text: equal rows are always on the same side."""
    return int.from_bytes(blake2b(raw, digest_size=8).digest()) < share * 2.0**64


def iter_stretches(
    raw: bytes, position: int, file: int, cuts: SafeCuts, share: float
) -> Iterator[tuple[int, bytes, bool]]:
    """Divide a block, which begins at a safe cut of a file, into held-out and training pieces.

    Yields the start of each piece in the block, its bytes, and whether it is held out. A piece begins at the
    first safe cut behind a multiple of `STRETCH_BYTES`, so no pretoken is cut, and the pieces do not
    depend on how the file is divided into blocks.
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
