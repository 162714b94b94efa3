"""SentencePiece's precompiled character map: its limit, and the rules that matter for cuts at spaces.

A map is the size of a trie in bytes (4 bytes, little-endian), the trie as a double array of 32-bit units
(darts-clone, as `sentencepiece` writes it), and the replacement texts, each followed by a zero byte.
"""

import base64
from typing import NamedTuple

import numpy as np

from playground.core.errors import VocabularyFileError
from playground.files.checks import text_or_empty
from playground.files.limits import MAX_NORMALIZED_BYTES

#: Bytes of one rule, and number of rules: more than any map has, so a trie that exceeds them has a cycle.
_MAX_RULE_BYTES, _MAX_RULES = 64, 2_000_000


class SpaceRules(NamedTuple):
    """What the rules of a map do with spaces.

    With `crosses_space` a rule reads a space after another character. `characters` begin or end the text of
    rules that drop it or turn it into a text with a space.
    """

    crosses_space: bool
    characters: frozenset[str]


def space_rules(charsmap: bytes) -> SpaceRules:
    """Return the space rules of a map; for a damaged map only that a rule may cross a space.

    >>> space_rules(b"")
    SpaceRules(crosses_space=False, characters=frozenset())
    """
    if not charsmap:
        return SpaceRules(False, frozenset())
    n_trie = int.from_bytes(charsmap[:4], "little")
    units = np.frombuffer(charsmap[4 : 4 + n_trie // 4 * 4], np.uint32).astype(np.int64)
    texts = np.frombuffer(charsmap[4 + n_trie :] + b"\0", np.uint8)
    damaged = SpaceRules(True, frozenset())
    if not len(units) or 4 + n_trie > len(charsmap):
        return damaged
    places = np.arange(len(units))
    offsets = (units >> 10) << ((units & 512) >> 6)
    labels = units & 0x8000_00FF
    children = places[(labels > 0) & (labels < 256)]
    from_bases = children ^ labels[children]
    order = np.argsort(from_bases, kind="stable")
    children, from_bases = children[order], from_bases[order]
    zeros, spaces = np.flatnonzero(texts == 0), np.append(np.flatnonzero(texts == 32), len(texts))
    # A row per path in the trie: its base, its first and last characters so far, and their number.
    bases, firsts, lasts = np.array([offsets[0]]), np.zeros(1, np.int64), np.zeros(1, np.int64)
    n_chars, n_rules, crosses = np.zeros(1, np.int64), 0, False
    found: set[int] = set()
    for _ in range(_MAX_RULE_BYTES):
        lows, highs = np.searchsorted(from_bases, bases), np.searchsorted(from_bases, bases, "right")
        n_each = highs - lows
        rows = np.repeat(np.arange(len(bases)), n_each)
        if not len(rows):
            return SpaceRules(crosses, frozenset(map(chr, found)))
        within = np.arange(len(rows)) - np.repeat(np.cumsum(n_each) - n_each, n_each)
        nodes = children[lows[rows] + within]
        labels_here = labels[nodes]
        is_tail = (labels_here & 0xC0) == 0x80  # a continuation byte of a character
        head = np.select([labels_here < 0x80, labels_here < 0xE0, labels_here < 0xF0],
                         [labels_here, labels_here & 31, labels_here & 15], labels_here & 7)  # fmt: skip
        lasts = np.where(is_tail, (lasts[rows] << 6) | (labels_here & 63), head)
        n_chars = n_chars[rows] + ~is_tail
        firsts = np.where(n_chars == 1, lasts, firsts[rows])
        crosses = crosses or bool(((labels_here == 32) & (n_chars > 1)).any())
        bases = nodes ^ offsets[nodes]
        has_text = np.flatnonzero((units[nodes] >> 8) & 1)
        n_rules += len(has_text)
        if n_rules > _MAX_RULES or len(bases) > _MAX_RULES or (bases >= len(units)).any():
            return damaged
        starts = units[bases[has_text]] & 0x7FFF_FFFF
        if (starts >= len(texts)).any() or (lasts > 0x10FFFF).any():
            return damaged
        ends = zeros[np.searchsorted(zeros, starts)]
        is_of_space = (ends == starts) | (spaces[np.searchsorted(spaces, starts)] < ends)
        for column in (firsts, lasts):
            found.update(column[has_text[is_of_space]].tolist())
    return damaged


def charsmap_of(written: object) -> bytes:
    """Return a map that a tokenizer.json holds in Base64. Raises binascii.Error."""
    return base64.b64decode(text_or_empty(written), validate=True)


def check_charsmap(charsmap: bytes, place: str) -> None:
    """Raise VocabularyFileError if SentencePiece's table replaces one character by too long a text."""
    n_trie = int.from_bytes(charsmap[:4], "little")
    longest = max(map(len, charsmap[4 + n_trie :].split(b"\0")))
    if longest > MAX_NORMALIZED_BYTES:
        raise VocabularyFileError(
            f"{place}: its normalizer makes {longest:,} bytes of a character; the limit is "
            f"{MAX_NORMALIZED_BYTES}"
        )
