"""The general category of every character, as the split patterns' own engine, tiktoken's, knows it.

`regex` and Python follow newer or older versions of Unicode. What a text is cut into must not depend on
theirs: compiled code reads this table, and `regex` cuts a text in which stand-ins are put.
"""

from functools import cache

import numpy as np
import numpy.typing as npt
import regex

from playground.core.assets import damaged, read_text

#: A category's number in the table is its place here.
CATEGORIES = (
    *("Cn", "Lu", "Lt", "Ll", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "No", "Pc", "Pd", "Ps", "Pe"),
    *("Pi", "Pf", "Po", "Sm", "Sc", "Sk", "So", "Zs", "Zl", "Zp", "Cc", "Cf", "Co", "Cs"),
)
#: What the file leaves out: characters that are not assigned.
DEFAULT = "Cn"
CATEGORIES_FILE = "unicode/categories.txt"

_N_CODE_POINTS = 0x110000


@cache
def character_categories() -> npt.NDArray[np.uint8]:
    """The number of each code point's category in `CATEGORIES`; read-only, shape (0x110000,).

    Source: tiktoken's engine itself, asked by `scripts/write_character_categories.py`. Raises AssetError.

    >>> [CATEGORIES[character_categories()[ord(character)]] for character in "Aa1京"]
    ['Lu', 'Ll', 'Nd', 'Lo']
    """
    categories = np.full(_N_CODE_POINTS, CATEGORIES.index(DEFAULT), np.uint8)
    try:
        for line in read_text(CATEGORIES_FILE).splitlines():
            category, *runs = line.split()
            number = CATEGORIES.index(category)
            for run in runs:
                first, _, last = run.partition("-")
                categories[int(first, 16) : int(last or first, 16) + 1] = number
    except ValueError as error:
        raise damaged(CATEGORIES_FILE, error) from error
    categories.setflags(write=False)
    return categories


def with_stand_ins(text: str) -> str:
    """The text for `regex` to cut: a character that it classes otherwise is replaced by one of its category.

    Each stand-in is one character for one, so places found in the result are places in the text. No pattern
    names a stand-in, for those it takes are outside ASCII.

    >>> with_stand_ins("naïve"), len(with_stand_ins("\\U00010940 1"))
    ('naïve', 3)
    """
    if text.isascii():
        return text
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    return _stand_ins()[codes].tobytes().decode("utf-32-le", "surrogatepass")


@cache
def _stand_ins() -> npt.NDArray[np.uint32]:
    """What stands for each code point: itself, unless the `regex` that is installed classes it otherwise."""
    categories = character_categories()
    stand_ins = np.arange(_N_CODE_POINTS, dtype=np.uint32)
    for number, category in enumerate(CATEGORIES):
        members = np.flatnonzero(categories == number).astype(np.uint32)
        is_other = np.zeros(len(members), np.bool_)
        text = members.tobytes().decode("utf-32-le", "surrogatepass")
        for match in regex.finditer(rf"\P{{{category}}}+", text):
            is_other[match.start() : match.end()] = True
        if is_other.any():
            stand_ins[members[is_other]] = members[~is_other & (members > 0x7F)][0]
    return stand_ins
