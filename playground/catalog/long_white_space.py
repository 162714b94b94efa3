"""Encoding texts with more white space in a row than tiktoken's regex engine can take.

The engine gives up near 1,000,000 white-space characters. Only the long runs are split here, by `regex`;
what lies between them goes to tiktoken.
"""

from collections.abc import Iterator
from functools import cache

import regex
import tiktoken

from playground.bpe.character_categories import with_stand_ins

#: A run of at least this many characters is long.
MAX_WHITESPACE_RUN = 250_000


def encode_known_pattern(encoding: tiktoken.Encoding, text: str) -> list[int]:
    """The ids that `encoding.encode_ordinary` would give if its engine had no limit.

    The encoding has one of `SPLIT_PATTERNS`. Takes time in proportion to the text.

    >>> from playground.catalog.openai import load_openai
    >>> encode_known_pattern(load_openai("gpt2").encoding, " " * 250_001 + "a")[-2:]
    [220, 257]
    """
    if len(text) < MAX_WHITESPACE_RUN:
        return encoding.encode_ordinary(text)
    ids: list[int] = []
    for part, is_run in _iter_parts(encoding, text):
        if is_run:
            ids.extend(encoding._core_bpe.encode_single_piece(part.encode()))
        else:
            ids.extend(encoding.encode_ordinary(part))
    return ids


def iter_long_runs(text: str, n_long: int) -> Iterator[tuple[int, int]]:
    r"""Yield where each run of `n_long` or more white-space characters starts and ends.

    A run that long covers one of the places looked at, so texts without one cost next to nothing, and no
    character is looked at twice.

    >>> list(iter_long_runs("a  b \n c", 3))
    [(4, 7)]
    """
    spaces, spaces_before = regex.compile(r"\s++"), regex.compile(r"(?r)\s++")
    end = 0
    for place in range(n_long - 1, len(text), n_long):
        if place < end:
            continue
        ahead = spaces.match(text, place)
        if ahead is None:
            continue
        before = spaces_before.match(text, end, place)
        start, end = before.start() if before else place, ahead.end()
        if end - start >= n_long:
            yield start, end


def _iter_parts(encoding: tiktoken.Encoding, text: str) -> Iterator[tuple[str, bool]]:
    """Yield `(part, is_run)`; parts begin where pretokens do, and each run is one pretoken."""
    position = 0
    before, seen = "", 0  # what stands for `text[:seen]` when it is asked what comes before a run
    for start, end in iter_long_runs(text, MAX_WHITESPACE_RUN):
        line_ends = regex.compile(r"[\r\n]++").match(text, start, end)
        if line_ends and _takes_line_ends(encoding, before + text[seen:start]):
            start = line_ends.end()
            if start == end:
                # All of it belongs to the punctuation before, which the engine takes at any length.
                before, seen = "!\n", end
                continue
        if start > position:
            yield text[position:start], False
        # What follows a run takes at most its last character; the first of it tells whether it does.
        is_last = end == len(text)
        pieces = list(
            regex.finditer(encoding._pat_str, text[start:end] + with_stand_ins(text[end : end + 1]))
        )
        if not is_last:
            end = start + pieces.pop().start()
        for piece in pieces:
            yield piece.group(), True
        position = seen = end
        before = ""
    if position < len(text):
        yield text[position:], False


def _takes_line_ends(encoding: tiktoken.Encoding, text: str) -> bool:
    """Whether the last pretoken of a text would go on over line ends, as punctuation does in cl100k.

    tiktoken's engine decides, for what is punctuation depends on its Unicode tables: in a vocabulary whose
    only merges are of a byte and a line feed, a merge at the end shows that both are in one pretoken.
    """
    if not text:
        return False  # nothing is before it
    return _line_end_probe(encoding._pat_str).encode_ordinary(f"{text}\n")[-1] >= 256


@cache
def _line_end_probe(split_pattern: str) -> tiktoken.Encoding:
    ranks = {bytes([byte]): byte for byte in range(256)}
    ranks |= {bytes([byte, 0x0A]): 256 + byte for byte in range(256)}
    return tiktoken.Encoding("probe", pat_str=split_pattern, mergeable_ranks=ranks, special_tokens={})
