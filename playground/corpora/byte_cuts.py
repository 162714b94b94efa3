"""Safe cuts of a text that is known by its bytes, a few of which are read at a time."""

import codecs
from collections.abc import Callable, Iterable, Iterator

from playground.bpe.safe_cuts import SafeCuts

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
