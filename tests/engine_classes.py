"""Ask tiktoken's engine which characters belong to a class."""

from functools import cache

import numpy as np
import regex
import tiktoken

#: All characters that a text can hold: lone surrogates are none.
EVERY = np.r_[0:0xD800, 0xE000:0x110000].astype("<u4").tobytes().decode("utf-32-le")
#: What the split patterns ask about a character, beside white space.
CLASSES = (r"[\p{Lu}\p{Lt}]", r"\p{Ll}", r"[\p{Lm}\p{Lo}]", r"\p{M}", r"\p{N}")

_BYTES = {bytes([byte]): byte for byte in range(256)}


def members_in_tiktoken(character_class: str, text: str = EVERY) -> str:
    """Return the characters of a text that match a class; encodings drop what their pattern doesn't match."""
    encoding = tiktoken.Encoding(
        "x", pat_str=f"{character_class}+", mergeable_ranks=_BYTES, special_tokens={}
    )
    return bytes(encoding.encode_ordinary(text)).decode()


@cache
def classed_otherwise() -> str:
    """Return the characters that `regex` classes differently from tiktoken: 17,560 with its Unicode 17."""
    differing: set[str] = set()
    for character_class in CLASSES:
        differing |= set(members_in_tiktoken(character_class)) ^ set(regex.findall(character_class, EVERY))
    return "".join(sorted(differing))
