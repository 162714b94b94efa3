"""The Unicode category of every character as tiktoken's regex engine knows it.

`regex` and Python follow other versions of Unicode. So that they do not change the ids, compiled code reads
this table, and `regex` cuts a text whose differing characters are replaced by stand-ins.
"""

from functools import cache

import numpy as np
import numpy.typing as npt
import regex

from playground.core.assets import damaged, read_text

#: The number of a category in the table is its index here.
CATEGORIES = (
    *("Cn", "Lu", "Lt", "Ll", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "No", "Pc", "Pd", "Ps", "Pe"),
    *("Pi", "Pf", "Po", "Sm", "Sc", "Sk", "So", "Zs", "Zl", "Zp", "Cc", "Cf", "Co", "Cs"),
)
#: Characters that are not in the file are unassigned.
DEFAULT = "Cn"
CATEGORIES_FILE = "unicode/categories.txt"

_N_CODE_POINTS = 0x110000


@cache
def character_categories() -> npt.NDArray[np.uint8]:
    """Return the number of each code point's category in `CATEGORIES`.

    Read-only, shape (0x110000,). Source: tiktoken's engine, queried by
    `scripts/write_character_categories.py`. Raises AssetError.

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
    """Replace each character that `regex` classes differently with one of tiktoken's category.

    Replacement is one for one, so positions in the result are positions in the text. Stand-ins are outside
    ASCII, where no pattern names a single character.

    >>> with_stand_ins("naïve"), len(with_stand_ins("\\U00010940 1"))
    ('naïve', 3)
    """
    if text.isascii():
        return text
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    return _stand_ins()[codes].tobytes().decode("utf-32-le", "surrogatepass")


@cache
def _stand_ins() -> npt.NDArray[np.uint32]:
    """Return the stand-in of each code point: itself, unless the installed `regex` classes it differently."""
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
