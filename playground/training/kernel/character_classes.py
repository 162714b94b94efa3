"""What kind of character each code point is, as one array that the scanners read.

The kinds are those that split patterns speak of; `regex` decides which character is which.
"""

from functools import cache

import numpy as np
import numpy.typing as npt
import regex

# As NumPy's numbers, for which Numba compiles a function once, and not once for each value.
UPPER = np.uint8(1)  # \p{Lu} and \p{Lt}
LOWER = np.uint8(2)  # \p{Ll}
OTHER_LETTER = np.uint8(4)  # \p{Lm} and \p{Lo}, which have no case
MARK = np.uint8(8)  # \p{M}
NUMBER = np.uint8(16)  # \p{N}
SPACE = np.uint8(32)  # \s, line ends included
LINE_END = np.uint8(64)  # \r and \n
OTHER = np.uint8(128)  # punctuation, symbols, controls, what is not assigned

LETTER = UPPER | LOWER | OTHER_LETTER

_KINDS = (UPPER, LOWER, OTHER_LETTER, MARK, NUMBER, SPACE)
_RUN = regex.compile(r"([\p{Lu}\p{Lt}]+)|(\p{Ll}+)|([\p{Lm}\p{Lo}]+)|(\p{M}+)|(\p{N}+)|(\s+)")


@cache
def character_classes() -> npt.NDArray[np.uint8]:
    """The class of each code point; read-only, shape (0x110000,), 1.1 MB, built once in 0.1 s.

    >>> character_classes()[ord("a")] == LOWER, character_classes()[ord("京")] == OTHER_LETTER
    (np.True_, np.True_)
    """
    classes = np.full(0x110000, OTHER, dtype=np.uint8)
    # Planes 3 to 13 hold ideographs or nothing yet; no surrogate occurs in UTF-8.
    for first, last in ((0, 0xD800), (0xE000, 0x40000), (0xE0000, 0xE1000)):
        text = np.arange(first, last, dtype=np.uint32).tobytes().decode("utf-32-le")
        for match in _RUN.finditer(text):
            assert match.lastindex is not None
            classes[first + match.start() : first + match.end()] = _KINDS[match.lastindex - 1]
    classes[[ord("\r"), ord("\n")]] |= LINE_END
    classes.setflags(write=False)
    return classes
