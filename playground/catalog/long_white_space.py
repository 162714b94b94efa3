"""Encoding texts with more white space in a row than tiktoken's regex engine can take.

The engine gives up near 1,000,000 white-space characters. Only the long runs are split here, by `regex`;
what lies between them goes to tiktoken, whose Unicode tables are older than `regex`'s.
"""

from collections.abc import Iterator
from functools import cache

import regex
import tiktoken

#: A run of at least this many characters is long.
MAX_WHITESPACE_RUN = 250_000
_LONG_RUN = regex.compile(rf"\s{{{MAX_WHITESPACE_RUN},}}+")
_LINE_ENDS = regex.compile(r"[\r\n]*+")


def has_long_white_space(text: str) -> bool:
    """Whether a text has a run that tiktoken may not take.

    A run that long covers one of the places looked at first; they spare a search of 20 ms a megabyte.
    """
    places = range(MAX_WHITESPACE_RUN - 1, len(text), MAX_WHITESPACE_RUN)
    return any(text[place].isspace() for place in places) and _LONG_RUN.search(text) is not None


def encode_long_white_space(encoding: tiktoken.Encoding, text: str) -> list[int]:
    """The ids that `encoding.encode_ordinary` would give if its engine had no limit.

    >>> from playground.catalog.openai import load_openai
    >>> encode_long_white_space(load_openai("gpt2").encoding, " " * 250_001 + "a")[-2:]
    [220, 257]
    """
    ids: list[int] = []
    for part, is_run in _iter_parts(encoding, text):
        if is_run:
            ids.extend(encoding._core_bpe.encode_single_piece(part.encode()))
        else:
            ids.extend(encoding.encode_ordinary(part))
    return ids


def _iter_parts(encoding: tiktoken.Encoding, text: str) -> Iterator[tuple[str, bool]]:
    """Yield `(part, is_run)`; parts begin where pretokens do, and each run is one pretoken."""
    position = 0
    for match in _LONG_RUN.finditer(text):
        start, end = match.span()
        line_ends = _LINE_ENDS.match(text, start, end)
        if line_ends and line_ends.end() > start and _takes_line_ends(encoding, text[position:start]):
            start = line_ends.end()
            if start == end:
                continue  # all of it belongs to the punctuation before, which the engine takes at any length
        if start > position:
            yield text[position:start], False
        # What follows a run takes at most its last character, and then the pattern's pieces before that
        # are the same whatever follows: an "x" stands for it.
        is_last = end == len(text)
        pieces = list(regex.finditer(encoding._pat_str, text[start:end] + ("" if is_last else "x")))
        if not is_last:
            end = start + pieces.pop().start()
        for piece in pieces:
            yield piece.group(), True
        position = end
    if position < len(text):
        yield text[position:], False


def _takes_line_ends(encoding: tiktoken.Encoding, text: str) -> bool:
    """Whether the last pretoken of a text would go on over line ends, as punctuation does in cl100k.

    tiktoken's engine decides, for what is punctuation depends on its Unicode tables: in a vocabulary whose
    only merges are of a byte and a line feed, a merge at the end shows that both are in one pretoken.
    """
    if not text:
        return False
    return _line_end_probe(encoding._pat_str).encode_ordinary(f"{text}\n")[-1] >= 256


@cache
def _line_end_probe(split_pattern: str) -> tiktoken.Encoding:
    ranks = {bytes([byte]): byte for byte in range(256)}
    ranks |= {bytes([byte, 0x0A]): 256 + byte for byte in range(256)}
    return tiktoken.Encoding("probe", pat_str=split_pattern, mergeable_ranks=ranks, special_tokens={})
