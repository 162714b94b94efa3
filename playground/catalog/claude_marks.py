"""Rewrite a text into the marked stream that the reconstruction of Claude's tokenizer cuts into pieces.

The rules and character tables are those of `ctok` 1.3.0 (MIT, Sander Land), which were measured with
Anthropic's counting service. A word is written in lower case between a mark for its start and one for its
end, and a mark for its case before it: `Hello world` is `⟨shift⟩⟨bow⟩hello⟨eow⟩⟨bow⟩world⟨eow⟩`. A space
between two marks is dropped, because the marks stand for it.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import regex

from playground.catalog.normalized import normalize_nfc
from playground.core.short_texts import MAX_CHARACTERS
from playground.core.text_units import Positions, byte_of_characters

#: The marks inside a stream. Normalizing removes private-use characters, so a text never contains them.
BOW, EOW, SHIFT, CAPS = "\ue000", "\ue001", "\ue002", "\ue003"
#: How the marks are written in the vocabulary and on screen.
MARK_NAMES = {BOW: "⟨bow⟩", EOW: "⟨eow⟩", SHIFT: "⟨shift⟩", CAPS: "⟨caps⟩"}


class Rules(NamedTuple):
    """What differs between generations of Claude.

    `folds_quotes`: curly quotes become straight. `has_caps`: words of four or more capitals get a mark.
    `frame_is_word_start`: the text before a message ends in a word start, which stands for one leading space.
    """

    folds_quotes: bool
    has_caps: bool
    frame_is_word_start: bool


class Source(NamedTuple):
    """A normalized text; its character n came from the bytes `starts[n]:ends[n]` of the source."""

    text: str
    starts: Positions
    ends: Positions


class Piece(NamedTuple):
    """A part of the marked stream that no token crosses, of `n_chars` characters of the normalized text.

    With `has_space`, the first of them is a space that was dropped: the first word start stands for it.
    """

    marked: str
    n_chars: int
    has_space: bool = False


_CONTROLS = "[\x01-\x08\x0b-\x1f\x7f-\x9f]"
_PRIVATE = "[\ue000-\uf8ff]"
_SARA_AM = "\u0e4d\u0e32"
_SPACES = dict.fromkeys(
    map(ord, "\0\xa0\u1680\u2028\u2029\u202f\u205f" + "".join(map(chr, range(0x2000, 0x200B)))), " "
)
_QUOTES = {0x2018: "'", 0x2019: "'", 0x201C: '"', 0x201D: '"'}


def normalize(text: str, rules: Rules) -> Source:
    """Return a text in form C without control characters, its spaces and quotes folded.

    >>> normalize("a\\x01\\u2019", Rules(folds_quotes=True, has_caps=True, frame_is_word_start=True))[0]
    "a'"
    """
    bounds = byte_of_characters(text)
    starts, ends = bounds[:-1], bounds[1:]
    composed = normalize_nfc(text, lambda part: unicodedata.normalize("NFC", part))
    if composed is not None:
        bounds = byte_of_characters(composed.text)
        text = composed.text
        starts, ends = _apart(composed.starts[bounds[:-1]], composed.ends[bounds[1:] - 1])
    source = _without(_CONTROLS, Source(text, starts, ends))
    source = _without(_PRIVATE, _with_sara_am(source))
    return source._replace(text=source.text.translate(_SPACES | _QUOTES if rules.folds_quotes else _SPACES))


def _apart(starts: Positions, ends: Positions) -> tuple[Positions, Positions]:
    """Divide bytes that several characters came from among them: a byte each, and the last has the others."""
    is_shared = np.append(False, starts[1:] == starts[:-1])
    places = np.arange(len(starts))
    starts = starts + places - np.maximum.accumulate(np.where(is_shared, 0, places))
    return starts, np.where(np.append(is_shared[1:], False), np.append(starts[1:], 0), ends)


def _without(pattern: str, source: Source) -> Source:
    if not re.search(pattern, source.text):
        return source
    is_kept = np.array([not re.match(pattern, character) for character in source.text], np.bool_)
    return Source(re.sub(pattern, "", source.text), source.starts[is_kept], source.ends[is_kept])


def _with_sara_am(source: Source) -> Source:
    """Join Thai's decomposed SARA AM, which form C leaves as two characters."""
    first = np.array([match.start() for match in re.finditer(_SARA_AM, source.text)], np.int64)
    if not len(first):
        return source
    ends = source.ends.copy()
    ends[first] = ends[first + 1]
    text = source.text.replace(_SARA_AM, "\u0e33")
    return Source(text, np.delete(source.starts, first + 1), np.delete(ends, first + 1))


# ---- classes of characters

#: Characters outside ASCII that behave as punctuation does.
_PUNCTUATION = frozenset("—»«•°„–−£§€…√→（№└│।·─═█")
_IDEOGRAPHIC_SYMBOLS = frozenset("〄〒〓〠〶〷〾〿")
#: Numerals and symbols that behave as letters: Runic, Roman, circled, Bamum.
_SYMBOL_LETTERS = ((0x16EE, 0x16F0), (0x2160, 0x2188), (0x24B6, 0x24E9), (0xA6E6, 0xA6EF))
#: Letters that stand alone: CJK, Hangul, and the marks that repeat or close ideographs.
_LONE_LETTERS = ((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xAC00, 0xD7A3), (0xF900, 0xFAFF))
_LONE_MARKS = frozenset("々〆〱〲〳〴〵〻〼")
#: Cased letters of Unicode 16 that older versions of Python do not know.
_NEW_LOWER = {"\u1c89": "\u1c8a", "\ua7cb": "\u0264"}
_NEW_CASED = frozenset(_NEW_LOWER) | frozenset(_NEW_LOWER.values())
#: Claude does not treat this capital as one.
_UNCASED = "\u03f4"
_CONTRACTIONS = frozenset(["s", "t", "d", "m", "ll", "re", "ve"])
_MARK, _ALPHABETIC = r"\p{M}", r"\p{Alphabetic}"


def _is_in(code: int, ranges: tuple[tuple[int, int], ...]) -> bool:
    return any(first <= code <= last for first, last in ranges)


def _class_of(character: str) -> str:
    """Return the class of a character.

    `w` letter of a word, `m` mark that can open a word, `s` white space, `d` digit, `p` punctuation. The
    others stand alone: `P` like punctuation, `N` numbers, `V` variation selectors, `L` letters and the rest.
    """
    code = ord(character)
    category = unicodedata.category(character)
    if character in _NEW_CASED or _is_in(code, _SYMBOL_LETTERS):
        return "w"
    if category[0] == "Z" or character in "\t\n":
        return "s"
    if category == "Nd" and (code < 0x80 or 0x660 <= code <= 0x669 or 0x6F0 <= code <= 0x6F9):
        return "d"
    if character in _PUNCTUATION or (code < 0x80 and category[0] in "PS"):
        return "p"
    if 0xFE00 <= code <= 0xFE0F:
        return "V"
    if code >= 0x10000:
        return "L"
    if regex.match(_MARK, character):
        if not regex.match(_ALPHABETIC, character):
            return "P"
        is_syriac_vowel = code == 0x711 or 0x730 <= code <= 0x73F
        return "m" if unicodedata.combining(character) and not is_syriac_vowel else "w"
    if category[0] == "L" and not _is_in(code, _LONE_LETTERS) and character not in _LONE_MARKS:
        return "w"
    if category in ("No", "Nd"):
        return "N"
    return "P" if _is_like_punctuation(character) else "L"


def _is_like_punctuation(character: str) -> bool:
    category = unicodedata.category(character)
    if regex.match(_MARK, character):
        return _class_of(character) == "P"
    is_ideographic = "\u3001" <= character <= "\u303f" and (
        category[0] == "P" or character in _IDEOGRAPHIC_SYMBOLS
    )
    is_one = category[0] in "PS" or category in ("Cf", "Cn")
    return is_one and not is_ideographic and ord(character) < 0x10000


class _Classes(dict[int, str]):
    """Map each code point to its class, for `str.translate`."""

    def __missing__(self, code: int) -> str:
        self[code] = found = _class_of(chr(code))
        return found


_OPENING = frozenset([BOW, SHIFT, CAPS])
_CLASSES = _Classes()
_RUNS = r"w[wm]*|m+|s+|d+|p+|P[PV]*|N[NV]*|[LV]+"


class _Run(NamedTuple):
    """Adjacent characters of one class. `opens` and `closes`: a mark is written where a space borders it."""

    kind: str
    text: str
    opens: bool = False
    closes: bool = False


def _iter_runs(text: str) -> Iterator[_Run]:
    classes = text.translate(_CLASSES)
    for match in re.finditer(_RUNS, classes):
        start, end = match.span()
        kind, part = classes[start], text[start:end]
        if kind == "w":
            yield _Run(kind, part, closes=_is_like_punctuation(part[-1]))
        elif kind in "ms":
            yield _Run(kind, part)
        elif kind == "p":
            yield _Run(kind, part, opens=True, closes=True)
        elif kind == "d" or (kind == "N" and len({*map(unicodedata.category, part)}) == 1):
            yield _Run(kind, part, opens=not part[0].isascii(), closes=not part[-1].isascii())
        else:
            yield _Run(kind, part, opens=kind in "PV", closes=classes[end - 1] in "PV")


# ---- the marks


def iter_pieces(text: str, rules: Rules, *, has_leading_space: bool) -> Iterator[Piece]:
    """Yield the pieces of a normalized text without newlines at its end; their characters join to the text.

    `has_leading_space`: the source, too, begins with a space.
    """
    has_space = rules.frame_is_word_start and has_leading_space and text[:1] == " " != text[1:2]
    runs = list(_iter_runs(text[1:] if has_space else text))
    parts: list[str] = []
    n_chars = int(has_space)
    if rules.frame_is_word_start and runs and _opens_word(runs, 0):
        yield Piece(" ", n_chars)
        n_chars, has_space = 0, False
    elif rules.frame_is_word_start and not (runs and _begins_with_mark(runs[0])):
        parts.append(BOW)
    for place, run in enumerate(runs):
        marked = _marked(runs, place, rules)
        is_closed = bool(parts) and parts[-1][-1] == EOW
        if is_closed and run.text == " " and place + 1 < len(runs):
            is_closed = _marked(runs, place + 1, rules)[0] in _OPENING
            if is_closed:
                yield Piece("".join(parts), n_chars, has_space)
                parts, n_chars, has_space = [], 1, True
                continue
        if parts and (is_closed or marked[0] in _OPENING):
            yield Piece("".join(parts), n_chars, has_space)
            parts, n_chars, has_space = [], 0, False
        parts.append(marked)
        n_chars += len(run.text)
    if parts:
        yield Piece("".join(parts), n_chars, has_space)


def _begins_with_mark(first: _Run) -> bool:
    """Whether a run at the start of a message needs no mark before it."""
    return first.kind in "wmp" or first.opens or first.text[0] == " "


def _opens_word(runs: list[_Run], place: int) -> bool:
    """Whether a run is a single apostrophe before a word."""
    return runs[place].text == "'" and place + 1 < len(runs) and runs[place + 1].kind in "wm"


def _is_contraction(runs: list[_Run], place: int) -> bool:
    """Whether a word is the rest of a contraction: the apostrophe before it is its start."""
    if runs[place].text not in _CONTRACTIONS or not place or runs[place - 1].text != "'":
        return False
    return place < 2 or not runs[place - 2].closes


def _marked(runs: list[_Run], place: int, rules: Rules) -> str:
    run = runs[place]
    before = runs[place - 1] if place else None
    after = runs[place + 1] if place + 1 < len(runs) else None
    if run.kind == "w":
        if before and before.kind == "m":
            return run.text + EOW
        mark = _mark_short_word if len(run.text) <= MAX_CHARACTERS else _mark_word
        return mark(run.text, rules.has_caps, not _is_contraction(runs, place))
    if run.kind == "m":
        return BOW + run.text + ("" if after and after.kind == "w" else EOW)
    opens = run.opens and not _opens_word(runs, place)
    if opens:
        opens = rules.frame_is_word_start if before is None else before.kind == "s" and before.text[-1] == " "
    closes = run.closes and after is not None and after.kind == "s"
    if closes and after is not None:
        closes = after.text[0] == " " and after.text[:2] != "  "
    return BOW * opens + run.text + EOW * closes


def _mark_word(word: str, has_caps: bool, has_start: bool) -> str:
    """Return a word in lower case between its marks, if a mark can express its case.

    >>> [_mark_word(word, True, True) for word in ("Hi", "NASA", "WiFi")] == [
    ...     SHIFT + BOW + "hi" + EOW, CAPS + BOW + "nasa" + EOW, BOW + "WiFi" + EOW]
    True
    """
    case, lower = _case_of(word, has_caps)
    return case + BOW * has_start + lower + EOW


_mark_short_word = lru_cache(maxsize=1 << 14)(_mark_word)


def _case_of(word: str, has_caps: bool) -> tuple[str, str]:
    head, tail = word[0], word[1:]
    if "ẞ" in word or head == "İ":
        return "", word
    upper = [*map(_is_upper, word)]
    if "İ" not in word and has_caps and len(word) >= 4:
        is_cased = all(
            is_upper
            or not (
                character in _NEW_CASED or unicodedata.category(character)[0] in "LM" or _is_lower(character)
            )
            for is_upper, character in zip(upper, word, strict=True)
        )
        if is_cased and any(upper):
            return CAPS, _lower(word)
    if upper[0] and not any(is_upper for is_upper, c in zip(upper[1:], tail, strict=True) if c != "İ"):
        return SHIFT, _lower(word)
    return "", word


def _is_upper(character: str) -> bool:
    if character in _NEW_LOWER:
        return True
    return character != _UNCASED and character.isupper() and character.lower() != character


def _is_lower(character: str) -> bool:
    return character in _NEW_LOWER.values() or character.islower()


def _lower(text: str) -> str:
    return "".join(c if c in (_UNCASED, "İ") else _NEW_LOWER.get(c, c.lower()) for c in text)
