"""Write `assets/unicode/categories.txt`: the general category of each character in tiktoken's engine.

Run `python -m scripts.write_character_categories` after an update of tiktoken.
"""

from pathlib import Path

import tiktoken

from playground.bpe.character_categories import CATEGORIES, CATEGORIES_FILE, DEFAULT
from playground.core.assets import ASSETS

_EVERY = "".join(map(chr, [*range(0xD800), *range(0xE000, 0x110000)]))
_BYTES = {bytes([byte]): byte for byte in range(256)}


def members(category: str) -> str:
    """Return the characters that tiktoken's engine counts as members of a category such as "Lu".

    The encoding used here drops characters that its pattern does not match; its ids are the bytes of the
    others.
    """
    encoding = tiktoken.Encoding(
        "members", pat_str=rf"\p{{{category}}}+", mergeable_ranks=_BYTES, special_tokens={}
    )
    return bytes(encoding.encode_ordinary(_EVERY)).decode()


def ranges(characters: str) -> str:
    """Return sorted characters as ranges of code points.

    >>> ranges("abcz")
    '61-63 7a'
    """
    runs: list[list[int]] = []
    for code in map(ord, characters):
        if runs and code == runs[-1][1] + 1:
            runs[-1][1] = code
        else:
            runs.append([code, code])
    return " ".join(f"{first:x}" if first == last else f"{first:x}-{last:x}" for first, last in runs)


def write(path: Path = ASSETS / CATEGORIES_FILE) -> None:
    """Query each category, and write a line for each."""
    named = [category for category in CATEGORIES if category not in (DEFAULT, "Cs")]
    lines = [f"{category} {ranges(members(category))}" for category in named]
    path.write_text("\n".join([*lines, "Cs d800-dfff", ""]), encoding="ascii")
    print(f"{path.name}: {path.stat().st_size:,} bytes, from tiktoken {tiktoken.__version__}")


if __name__ == "__main__":
    write()
