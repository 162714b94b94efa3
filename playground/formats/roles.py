"""Which characters of a text are keys, values, punctuation or white space, and the tokens that each costs.

A format marks its keys and values; what it leaves is white space or punctuation by its characters.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction

import numpy as np

from playground.core.text_units import character_of_bytes
from playground.core.tokenizer import Tokenizer, replace_lone_surrogates
from playground.formats.values import ROLES, Role

_SPACE = re.compile(r"\s+")
_KEYS, _VALUES, _PUNCTUATION, _WHITESPACE = range(len(ROLES))


def roles_by(
    pattern: str, *, flags: re.RegexFlag = re.DOTALL
) -> Callable[[str], Iterator[tuple[int, int, Role]]]:
    """A function that marks what the groups `keys` and `values` match; `keys_2` is `keys` too.

    A group `punctuation` takes characters away from the groups after it, and marks nothing.

    >>> list(roles_by(r'(?P<keys>\\w+)=|(?P<values>\\w+)')("a=b"))
    [(0, 1, 'keys'), (2, 3, 'values')]
    """
    compiled = re.compile(pattern, flags)
    role_of: dict[str, Role] = {
        name: "keys" if name.startswith("keys") else "values"
        for name in compiled.groupindex
        if not name.startswith("punctuation")
    }

    def iter_roles(text: str) -> Iterator[tuple[int, int, Role]]:
        for match in compiled.finditer(text):
            if match.lastgroup in role_of:
                start, end = match.span(match.lastgroup)
                yield start, end, role_of[match.lastgroup]

    return iter_roles


def byte_roles(
    text: str, spans: Iterator[tuple[int, int, Role]]
) -> "np.ndarray[tuple[int], np.dtype[np.uint8]]":
    """The index in ROLES of each byte of the text in UTF-8.

    >>> byte_roles("a = é", iter([(0, 1, "keys"), (4, 5, "values")])).tolist()
    [0, 3, 2, 3, 1, 1]
    """
    characters = np.full(len(text), _PUNCTUATION, np.uint8)
    for match in _SPACE.finditer(text):
        characters[match.start() : match.end()] = _WHITESPACE
    for start, end, role in spans:
        characters[start:end] = _KEYS if role == "keys" else _VALUES
    if text.isascii():
        return characters
    roles: np.ndarray[tuple[int], np.dtype[np.uint8]] = characters[character_of_bytes(text)[:-1]]
    return roles


def count_tokens_by_role(
    text: str, spans: Iterator[tuple[int, int, Role]], tokenizer: Tokenizer
) -> Mapping[Role, Fraction]:
    """Tokens spent on each role; a token that spans several is divided by its bytes.

    The parts are exact fractions, and sum to the number of tokens.

    >>> from playground.catalog.baselines import ByteTokenizer
    >>> parts = count_tokens_by_role("a = é", iter([(0, 1, "keys")]), ByteTokenizer())
    >>> {role: int(part) for role, part in parts.items()}
    {'keys': 1, 'values': 0, 'punctuation': 3, 'whitespace': 2}
    """
    text = replace_lone_surrogates(text)
    lengths = tokenizer.encode(text).lengths
    length_of_byte = np.repeat(lengths, lengths)  # of the token that holds the byte
    roles = byte_roles(text, spans)
    longest = int(lengths.max(initial=0)) + 1
    table = np.bincount(roles * longest + length_of_byte, minlength=len(ROLES) * longest)
    return {
        role: sum(
            (
                Fraction(int(n), length)
                for length, n in enumerate(table[i * longest : (i + 1) * longest])
                if n
            ),
            Fraction(0),
        )
        for i, role in enumerate(ROLES)
    }


def rounded_parts(parts: Mapping[Role, Fraction]) -> dict[Role, int]:
    """Whole tokens that still sum to the count: the largest remainders are rounded up.

    >>> rounded_parts({"keys": Fraction(3, 2), "values": Fraction(1, 2), "punctuation": Fraction(1)})
    {'keys': 2, 'values': 0, 'punctuation': 1}
    """
    whole = {role: int(part) for role, part in parts.items()}
    missing = int(sum(parts.values())) - sum(whole.values())
    for role in sorted(parts, key=lambda role: whole[role] - parts[role])[:missing]:
        whole[role] += 1
    return whole
