"""Classify texts by Unicode script, or as digits, symbols, white space, or part of a character."""

from collections.abc import Sequence
from functools import cache

import numpy as np
import numpy.typing as npt
import regex

#: Scripts that are listed by name.
SCRIPTS: tuple[str, ...] = (
    *("Latin", "Cyrillic", "Greek", "Han", "Hiragana", "Katakana", "Hangul", "Arabic", "Hebrew"),
    *("Devanagari", "Bengali", "Gurmukhi", "Gujarati", "Oriya", "Tamil", "Telugu", "Kannada", "Malayalam"),
    *("Sinhala", "Thai", "Lao", "Tibetan", "Myanmar", "Khmer", "Georgian", "Armenian", "Ethiopic"),
    *("Mongolian", "Cherokee"),
)
OTHER_SCRIPT = "Other script"
DIGITS = "Digits"
WHITE_SPACE = "White space"
SYMBOLS = "Symbols and punctuation"
PARTIAL = "Part of a character"
#: All kinds of texts.
SCRIPT_KINDS: tuple[str, ...] = (*SCRIPTS, OTHER_SCRIPT, DIGITS, SYMBOLS, WHITE_SPACE, PARTIAL)


def script_codes(texts: Sequence[str], is_utf8: npt.NDArray[np.bool_]) -> npt.NDArray[np.int8]:
    """Return, for each text, the index of its kind in `SCRIPT_KINDS`.

    The script is that of the first letter in a named script. `is_utf8` is False for texts that are only parts
    of characters, which contain U+FFFD.

    >>> [SCRIPT_KINDS[code] for code in script_codes(["1ж", " ", "7!"], np.array([True] * 3))]
    ['Cyrillic', 'White space', 'Digits']
    """
    code_of = {name: code for code, name in enumerate(SCRIPT_KINDS)}
    points = np.frombuffer("".join(texts).encode("utf-32-le"), dtype=np.uint32)
    lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    owners = np.repeat(np.arange(len(texts)), lengths)  # the text of each character
    codes_of_points = np.full(0x110000, code_of[WHITE_SPACE], dtype=np.int8)
    is_used = np.zeros(0x110000, dtype=np.bool_)
    is_used[points] = True
    for point in np.flatnonzero(is_used).tolist():
        code = _code_of_character(chr(point), code_of)
        if code is not None:
            codes_of_points[point] = code
    codes = codes_of_points[points]
    # Without a script, the kind is the first one in the order of SCRIPT_KINDS.
    array = np.full(len(texts), code_of[WHITE_SPACE], dtype=np.int8)
    np.minimum.at(array, owners[codes >= code_of[OTHER_SCRIPT]], codes[codes >= code_of[OTHER_SCRIPT]])
    with_script = np.flatnonzero(codes < code_of[OTHER_SCRIPT])
    own = owners[with_script]
    first = with_script[np.flatnonzero(np.diff(own, prepend=-1))]
    array[owners[first]] = codes[first]
    array[~is_utf8 & (array > code_of[OTHER_SCRIPT])] = code_of[PARTIAL]
    return array


@cache
def _script_pattern() -> regex.Pattern[str]:
    return regex.compile("|".join(rf"(?P<{name}>\p{{Script={name}}})" for name in SCRIPTS))


def _code_of_character(character: str, code_of: dict[str, int]) -> int | None:
    match = _script_pattern().match(character)
    if match and match.lastgroup:
        return code_of[match.lastgroup]
    if character == "\ufffd" or character.isspace():
        return None
    if character.isalpha():
        return code_of[OTHER_SCRIPT]
    return code_of[DIGITS if character.isnumeric() else SYMBOLS]
