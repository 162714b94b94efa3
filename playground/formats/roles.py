"""Which characters of a text are keys, values, punctuation or white space, and the tokens that each costs.

A format marks its keys and values; the rest is white space or punctuation by its characters.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from playground.bpe.safe_cuts import SafeCuts, iter_safe_blocks
from playground.core.text_units import character_of_bytes
from playground.core.tokenizer import Tokenizer, replace_lone_surrogates
from playground.formats.values import ROLES, Format, Role

#: Indexes in ROLES of the characters or bytes of a text.
Roles = npt.NDArray[np.uint8]
#: Characters that are encoded at once; counting takes 60 bytes for each token.
_BLOCK_CHARACTERS = 1_000_000
_SPACE = re.compile(r"\s+")
_KEYS, _VALUES, _PUNCTUATION, _WHITESPACE = range(len(ROLES))


def roles_by(
    pattern: str, *, flags: re.RegexFlag = re.DOTALL
) -> Callable[[str], Iterator[tuple[int, int, Role]]]:
    """Return a function that marks what the groups `keys` and `values` match; `keys_2` also marks keys.

    What a group `punctuation` matches is not marked, nor matched by later groups.

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


def byte_roles(text: str, spans: Iterator[tuple[int, int, Role]]) -> Roles:
    """Return the index in ROLES of each UTF-8 byte of the text.

    >>> byte_roles("a = é", iter([(0, 1, "keys"), (4, 5, "values")])).tolist()
    [0, 3, 2, 3, 1, 1]
    """
    return _of_bytes(text, character_roles(text, spans))


def character_roles(text: str, spans: Iterator[tuple[int, int, Role]]) -> Roles:
    """Return the index in ROLES of each character.

    >>> character_roles("a = é", iter([(0, 1, "keys"), (4, 5, "values")])).tolist()
    [0, 3, 2, 3, 1]
    """
    characters = np.full(len(text), _PUNCTUATION, np.uint8)
    for match in _SPACE.finditer(text):
        characters[match.start() : match.end()] = _WHITESPACE
    for start, end, role in spans:
        characters[start:end] = _KEYS if role == "keys" else _VALUES
    return characters


def count_tokens_by_role(
    text: str, spans: Iterator[tuple[int, int, Role]], tokenizer: Tokenizer
) -> Mapping[Role, Fraction]:
    """Return the tokens of each role; a token that spans several roles is divided by its bytes.

    The parts are exact fractions that sum to the number of tokens.

    >>> from playground.catalog.baselines import ByteTokenizer
    >>> parts = count_tokens_by_role("a = é", iter([(0, 1, "keys")]), ByteTokenizer())
    >>> {role: int(part) for role, part in parts.items()}
    {'keys': 1, 'values': 0, 'punctuation': 3, 'whitespace': 2}
    """
    text = replace_lone_surrogates(text)
    roles = character_roles(text, spans)
    counted = RoleCounter(tokenizer)
    start = 0
    for block in iter_safe_blocks(_iter_blocks(text), SafeCuts(tokenizer.safe_cut)):
        counted.add(block, roles[start : start + len(block)])
        start += len(block)
    return counted.parts()


@dataclass(slots=True)
class RoleCounter:
    """Counts the tokens of pieces of a text, cut where tokens end."""

    tokenizer: Tokenizer
    #: Number of bytes, by their role and the length of their token.
    n_bytes: dict[tuple[int, int], int] = field(default_factory=dict)

    def add(self, text: str, roles: Roles) -> None:
        """Count the tokens of a piece whose characters have these roles."""
        lengths = self.tokenizer.encode(text).lengths
        longest = int(lengths.max(initial=0)) + 1
        table = np.bincount(_of_bytes(text, roles).astype(np.int64) * longest + np.repeat(lengths, lengths))
        for place in np.flatnonzero(table).tolist():
            key = divmod(place, longest)
            self.n_bytes[key] = self.n_bytes.get(key, 0) + int(table[place])

    def parts(self) -> dict[Role, Fraction]:
        """Return the tokens of each role: each byte counts as its part of a token."""
        parts = dict.fromkeys(ROLES, Fraction(0))
        for (role, length), n in self.n_bytes.items():
            parts[ROLES[role]] += Fraction(n, length)
        return parts


def _iter_blocks(text: str) -> Iterator[str]:
    for start in range(0, len(text), _BLOCK_CHARACTERS):
        yield text[start : start + _BLOCK_CHARACTERS]


def _of_bytes(text: str, roles: Roles) -> Roles:
    if text.isascii():
        return roles
    of_bytes: Roles = roles[character_of_bytes(text)[:-1]]
    return of_bytes


def rounded_parts(parts: Mapping[Role, Fraction]) -> dict[Role, int]:
    """Return whole numbers with the same sum: the largest remainders are rounded up.

    >>> rounded_parts({"keys": Fraction(3, 2), "values": Fraction(1, 2), "punctuation": Fraction(1)})
    {'keys': 2, 'values': 0, 'punctuation': 1}
    """
    whole = {role: int(part) for role, part in parts.items()}
    missing = int(sum(parts.values())) - sum(whole.values())
    for role in sorted(parts, key=lambda role: whole[role] - parts[role])[:missing]:
        whole[role] += 1
    return whole


def tokens_by_role(text: str, entry: Format, tokenizer: Tokenizer) -> dict[Role, int]:
    """Return whole tokens by role of a text in a format; they sum to its tokens.

    >>> from playground.catalog.baselines import ByteTokenizer
    >>> from playground.formats.registry import FORMATS
    >>> tokens_by_role("a: 1", FORMATS["yaml"], ByteTokenizer())
    {'keys': 1, 'values': 1, 'punctuation': 1, 'whitespace': 1}
    """
    text = replace_lone_surrogates(text)
    return rounded_parts(count_tokens_by_role(text, entry.iter_roles(text), tokenizer))
