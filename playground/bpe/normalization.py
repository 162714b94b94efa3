"""Normalizing a text before it is cut, and which bytes of the source each byte of the result came from.

What is made of the normalized text is the business of `catalog.normalized`.
"""

import re
import unicodedata
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np
import regex

from playground.core.text_units import Positions

Normalize = Callable[[str], str]

#: Characters that are made anew together: the library takes a hundred times as long as a look at them.
_MAX_WHOLE = 1 << 10


class Normalized(NamedTuple):
    """A normalized text. Its byte n was made of the bytes `starts[n]:ends[n]` of the source; both never fall.

    >>> normalized = normalize_nfc("xe\\u0301", lambda text: unicodedata.normalize("NFC", text))
    >>> normalized.text, normalized.starts.tolist(), normalized.ends.tolist()
    ('xé', [0, 1, 1], [1, 4, 4])
    """

    text: str
    starts: Positions
    ends: Positions


def normalize_nfc(text: str, nfc: Normalize) -> Normalized | None:
    """Normalization form C; None where it changes nothing. `nfc` is the library's function.

    Only characters that stand together can change together, so each byte leads to the few that it came from.

    >>> normalize_nfc("plain", str.upper) is None
    True
    """
    # Python's Unicode is no older than the library's: what Python finds normalized, the library leaves alone.
    if unicodedata.is_normalized("NFC", text):
        return None
    n_bytes, n_source_bytes, changes = [], [], []
    position = 0
    pieces = []
    for match in _changing().finditer(text):
        source = match.group()
        made = nfc(source)
        if made == source:
            continue
        n_same = _n_shared(source, made)
        n_same_end = _n_shared(source[n_same:][::-1], made[n_same:][::-1])
        start, end = match.start() + n_same, match.end() - n_same_end
        kept = text[position:start]
        changed = made[n_same : len(made) - n_same_end]
        pieces += [kept, changed]
        n_kept = len(kept.encode())
        n_bytes += [n_kept, len(changed.encode())]
        n_source_bytes += [n_kept, len(text[start:end].encode())]
        changes += [False, True]
        position = end
    pieces.append(text[position:])
    n_kept = len(pieces[-1].encode())
    n_bytes.append(n_kept)
    n_source_bytes.append(n_kept)
    changes.append(False)
    joined = "".join(pieces)
    whole = nfc(text)
    if whole == text:
        return None
    if whole != joined:  # a library of another Unicode: all of it came from all of it
        n_all = len(whole.encode())
        return Normalized(whole, np.zeros(n_all, np.int64), np.full(n_all, len(text.encode())))
    return Normalized(joined, *_spans(np.array(n_bytes), np.array(n_source_bytes), np.array(changes)))


def nfc_text(text: str, nfc: Normalize) -> str:
    """A text in normalization form C, where nobody asks what came from where: only what changes is made anew.

    >>> nfc_text("xe\\u0301", lambda text: unicodedata.normalize("NFC", text))
    'xé'
    """
    if unicodedata.is_normalized("NFC", text):  # as `normalize_nfc` says
        return text
    # What stands before an ASCII character never changes together with it.
    middle = _ascii().search(text, len(text) // 2) if len(text) > _MAX_WHOLE else None
    if middle is None:
        return nfc(text)
    return nfc_text(text[: middle.start()], nfc) + nfc_text(text[middle.start() :], nfc)


def _spans(n_bytes: Positions, n_source_bytes: Positions, changes: Positions) -> tuple[Positions, Positions]:
    """Of runs that are kept, and those that are changed as a whole, the source of each byte."""
    first = np.cumsum(n_source_bytes) - n_source_bytes
    within = np.arange(n_bytes.sum()) - np.repeat(np.cumsum(n_bytes) - n_bytes, n_bytes)
    is_changed = np.repeat(changes, n_bytes)
    starts = np.repeat(first, n_bytes) + np.where(is_changed, 0, within)
    ends = np.where(is_changed, np.repeat(first + n_source_bytes, n_bytes), starts + 1)
    return starts, ends


def _n_shared(one: str, other: str) -> int:
    """How many characters two texts begin with in common."""
    pairs = zip(one, other, strict=False)
    return next((place for place, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


@cache
def _ascii() -> re.Pattern[str]:
    return re.compile(r"[\x00-\x7f]")


@cache
def _changing() -> regex.Pattern[str]:
    """Matches where form C may change something: marks and what they stand on, and what is always replaced.

    The three Tibetan vowels count as no marks, and begin with one once they are taken apart.
    """
    mark = r"\p{NFC_QC=M}\P{ccc=0}\u0f73\u0f75\u0f81"
    return regex.compile(rf"(?s:[^{mark}])?[{mark}]+|\p{{NFC_QC=N}}")
