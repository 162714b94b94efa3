"""A vocabulary as something to search: every token by text, pattern, id, length and script.

How a token is written on a page is decided in `render`.
"""

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt
import regex

from playground.bpe.merging import iter_token_parts
from playground.core.errors import InvalidInputError, UnknownTokenError
from playground.core.tokenizer import replace_lone_surrogates

#: Scripts that get a name of their own; a token is of the script of its first letter that has one.
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
#: Every kind that `VocabularyIndex.script_names` may hold.
SCRIPT_KINDS: tuple[str, ...] = (*SCRIPTS, OTHER_SCRIPT, DIGITS, SYMBOLS, WHITE_SPACE, PARTIAL)

#: A search by regular expression stops after this long.
MAX_SECONDS = 2.0

_SCRIPT_PATTERN = regex.compile("|".join(rf"(?P<{name}>\p{{Script={name}}})" for name in SCRIPTS))
_Flags = npt.NDArray[np.bool_]
_Positions = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class TokenQuery:
    """What tokens to look for; every condition that is set must hold, and ranges include both ends.

    `text` is looked for in a token's bytes, so "é" finds the token of its two bytes and longer ones.
    `pattern` is a regular expression (`regex` syntax) searched in a token's text.
    """

    text: str = ""
    pattern: str = ""
    ignores_case: bool = False
    min_id: int | None = None
    max_id: int | None = None
    min_bytes: int | None = None
    max_bytes: int | None = None
    script: str | None = None
    starts_with_space: bool | None = None
    is_utf8: bool | None = None


@dataclass(frozen=True)
class VocabularyIndex:
    r"""The tokens of a vocabulary in order of rank, ready to search; arrays have an item a token.

    >>> index = VocabularyIndex({b"a": 0, b"b": 1, b" ": 2, b" a": 3, b" ab": 4, b"\xc3": 5})
    >>> [index.raws[position] for position in index.search(TokenQuery(text="a", starts_with_space=True))]
    [b' a', b' ab']
    >>> [index.raws[position] for position in index.search(TokenQuery(is_utf8=False))]
    [b'\xc3']
    """

    mergeable_ranks: Mapping[bytes, int] = field(repr=False)
    raws: tuple[bytes, ...] = field(init=False, repr=False)
    ids: npt.NDArray[np.int64] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        raws, ids = tuple(self.mergeable_ranks), np.fromiter(self.mergeable_ranks.values(), dtype=np.int64)
        if np.any(ids[1:] < ids[:-1]):
            order = np.argsort(ids, kind="stable")
            raws, ids = tuple([raws[position] for position in order.tolist()]), ids[order]
        object.__setattr__(self, "raws", raws)
        object.__setattr__(self, "ids", ids)

    def search(self, query: TokenQuery) -> _Positions:
        """Positions in `raws` of the tokens that a query finds, by rank.

        Raises: InvalidInputError, for a pattern that is not one, or that takes longer than `MAX_SECONDS`.
        """
        keep = np.ones(len(self.raws), dtype=np.bool_)
        for low, high, values in (
            (query.min_id, query.max_id, self.ids),
            (query.min_bytes, query.max_bytes, self.n_bytes),
        ):
            if low is not None:
                keep &= values >= low
            if high is not None:
                keep &= values <= high
        if query.starts_with_space is not None:
            keep &= self.starts_with_space == query.starts_with_space
        if query.is_utf8 is not None:
            keep &= self.is_utf8 == query.is_utf8
        if query.script is not None:
            keep &= self.script_codes == self._script_code(query.script)
        if query.text:
            keep &= self._contains(query.text, ignores_case=query.ignores_case)
        if query.pattern:
            keep &= self._matches(query.pattern, keep, ignores_case=query.ignores_case)
        return np.flatnonzero(keep)

    def position_of(self, token_id: int) -> int:
        """Where a token stands in `raws`. Raises UnknownTokenError."""
        position = int(np.searchsorted(self.ids, token_id))
        if position == len(self.ids) or self.ids[position] != token_id:
            raise UnknownTokenError(
                f"no mergeable token has id {token_id}; ids run from {self.ids[0]} to {self.ids[-1]:,}"
            )
        return position

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """Each token's text; bytes that are not UTF-8 become U+FFFD."""
        return tuple([raw.decode(errors="replace") for raw in self.raws])

    @cached_property
    def n_bytes(self) -> npt.NDArray[np.int64]:
        """Length of each token in bytes."""
        return np.fromiter(map(len, self.raws), dtype=np.int64, count=len(self.raws))

    @cached_property
    def starts_with_space(self) -> _Flags:
        """Whether each token starts with a space, as the tokens that start a word do."""
        joined, starts = self._joined
        is_space: _Flags = np.frombuffer(joined, dtype=np.uint8)[starts] == ord(" ")
        return is_space

    @cached_property
    def is_utf8(self) -> _Flags:
        """Whether each token is valid UTF-8 by itself."""
        flags = np.fromiter(
            ("\ufffd" not in text for text in self.texts), dtype=np.bool_, count=len(self.raws)
        )
        for position in np.flatnonzero(~flags).tolist():
            flags[position] = _is_utf8(self.raws[position])  # a token may spell U+FFFD itself
        return flags

    @cached_property
    def script_codes(self) -> npt.NDArray[np.int8]:
        """For each token the position in `SCRIPT_KINDS` of its script, or of what it is instead."""
        code_of = {name: code for code, name in enumerate(SCRIPT_KINDS)}
        points = np.frombuffer("".join(self.texts).encode("utf-32-le"), dtype=np.uint32)
        lengths = np.fromiter(map(len, self.texts), dtype=np.int64, count=len(self.texts))
        owners = np.repeat(np.arange(len(self.texts)), lengths)  # the token of each character
        codes_of_points = np.full(0x110000, code_of[WHITE_SPACE], dtype=np.int8)
        is_used = np.zeros(0x110000, dtype=np.bool_)
        is_used[points] = True
        for point in np.flatnonzero(is_used).tolist():
            code = _code_of_character(chr(point), code_of)
            if code is not None:
                codes_of_points[point] = code
        codes = codes_of_points[points]
        # What is told only in the absence of a script: the first in the order of SCRIPT_KINDS.
        array = np.full(len(self.texts), code_of[WHITE_SPACE], dtype=np.int8)
        np.minimum.at(array, owners[codes >= code_of[OTHER_SCRIPT]], codes[codes >= code_of[OTHER_SCRIPT]])
        with_script = np.flatnonzero(codes < code_of[OTHER_SCRIPT])
        own = owners[with_script]
        first = with_script[np.flatnonzero(np.diff(own, prepend=-1))]
        array[owners[first]] = codes[first]
        array[~self.is_utf8 & (array > code_of[OTHER_SCRIPT])] = code_of[PARTIAL]
        return array

    def script_counts(self) -> dict[str, int]:
        """How many tokens are of each script, the most frequent first.

        >>> VocabularyIndex({b"a": 0, b"7": 1, b" the": 2}).script_counts()
        {'Latin': 2, 'Digits': 1}
        """
        counts = np.bincount(self.script_codes, minlength=len(SCRIPT_KINDS))
        order = np.argsort(-counts, kind="stable")
        return {SCRIPT_KINDS[code]: int(counts[code]) for code in order if counts[code]}

    def first_merges(self, n_merges: int) -> list[tuple[int, bytes, tuple[bytes, ...]]]:
        """`(rank, token, its parts)` of the first tokens that are not single bytes, by rank.

        >>> VocabularyIndex({b"a": 0, b"b": 1, b"ab": 2, b"aba": 3}).first_merges(1)
        [(2, b'ab', (b'a', b'b'))]
        """
        positions = np.flatnonzero(self.n_bytes > 1)[:n_merges].tolist()
        raws = [self.raws[position] for position in positions]
        parts = iter_token_parts(raws, self.mergeable_ranks)
        return [(self.mergeable_ranks[raw], raw, own) for raw, own in zip(raws, parts, strict=True)]

    def parents_of(self, raw: bytes) -> list[int]:
        """Positions of the tokens that are merged from this one and another, by rank.

        >>> index = VocabularyIndex({b"a": 0, b"b": 1, b"ab": 2, b"abb": 3, b"abab": 4})
        >>> [index.raws[position] for position in index.parents_of(b"ab")]
        [b'abb', b'abab']
        """
        joined, starts = self._joined
        ends = [offset + 1 for offset in _iter_found(joined, b"\xff" + raw)]
        ends += list(_iter_found(joined, raw + b"\xff"))
        if joined.startswith(raw):
            ends.append(0)
        if joined.endswith(raw):
            ends.append(len(joined) - 1)
        places = np.unique(np.searchsorted(starts, np.array(ends, dtype=np.int64), side="right") - 1)
        ranks, highest = self.mergeable_ranks, int(self.ids[-1])
        # Both parts have lower ranks: few tokens are left of which the merges must be recovered.
        candidates = [
            position
            for position in places.tolist()
            if any(
                ranks.get(rest, highest) < ranks[self.raws[position]]
                for rest in _rests(self.raws[position], raw)
            )
        ]
        parts = iter_token_parts([self.raws[position] for position in candidates], ranks)
        return [position for position, own in zip(candidates, parts, strict=True) if raw in own]

    @cached_property
    def _joined(self) -> tuple[bytes, npt.NDArray[np.int64]]:
        """All tokens in one run of bytes, with where each starts: one fast search serves them all.

        They are joined by FF, which no text's UTF-8 holds, so no match reaches from one token to the next.
        """
        starts = np.cumsum([0, *map(len, self.raws[:-1])], dtype=np.int64) + np.arange(len(self.raws))
        return b"\xff".join(self.raws), starts

    @cached_property
    def _joined_lower(self) -> tuple[bytes, npt.NDArray[np.int64]]:
        """The same in lower case."""
        lowered = [text.lower().encode() for text in self.texts]
        starts = np.cumsum([0, *map(len, lowered[:-1])], dtype=np.int64) + np.arange(len(lowered))
        return b"\xff".join(lowered), starts

    def _contains(self, text: str, *, ignores_case: bool) -> _Flags:
        text = replace_lone_surrogates(text)
        needle = (text.lower() if ignores_case else text).encode()
        joined, starts = self._joined_lower if ignores_case else self._joined
        found = np.zeros(len(self.raws), dtype=np.bool_)
        offsets = np.fromiter(_iter_found(joined, needle), dtype=np.int64)
        found[np.searchsorted(starts, offsets, side="right") - 1] = True
        return found

    def _matches(self, pattern: str, keep: _Flags, *, ignores_case: bool) -> _Flags:
        deadline = time.monotonic() + MAX_SECONDS
        found = np.zeros(len(self.raws), dtype=np.bool_)
        try:
            search = regex.compile(pattern, regex.IGNORECASE if ignores_case else 0).search
            for position in np.flatnonzero(keep).tolist():
                left = deadline - time.monotonic()
                if left <= 0:
                    raise TimeoutError
                if search(self.texts[position], timeout=left):
                    found[position] = True
        except regex.error as error:
            raise InvalidInputError(f"{pattern!r} is not a regular expression: {error}") from None
        except TimeoutError:
            raise InvalidInputError(
                f"the search for {pattern!r} took longer than {MAX_SECONDS:g} s and was stopped; "
                "a simpler pattern or a narrower range of ids is quicker"
            ) from None
        return found

    def _script_code(self, script: str) -> int:
        if script not in SCRIPT_KINDS:
            raise InvalidInputError(f"unknown script {script!r}; choose from {', '.join(SCRIPT_KINDS)}")
        return SCRIPT_KINDS.index(script)


@dataclass(frozen=True, slots=True)
class VocabularyComparison:
    """What two vocabularies have in common; `longest_only_*` list tokens by falling length in bytes."""

    n_first: int
    n_second: int
    n_shared: int
    longest_only_first: tuple[bytes, ...]
    longest_only_second: tuple[bytes, ...]

    @property
    def share_of_smaller(self) -> float:
        """Shared tokens as a share of the smaller vocabulary; 0.0 if that is empty."""
        smaller = min(self.n_first, self.n_second)
        return self.n_shared / smaller if smaller else 0.0


def compare_vocabularies(
    first: Mapping[bytes, int], second: Mapping[bytes, int], *, n_longest: int = 50
) -> VocabularyComparison:
    """How many tokens two vocabularies share by their bytes, and the longest that only one of them has.

    >>> compare_vocabularies({b"a": 0, b"b": 1, b"ab": 2}, {b"a": 0, b"b": 1, b"ba": 2}).n_shared
    2
    """
    shared = first.keys() & second.keys()
    return VocabularyComparison(
        n_first=len(first),
        n_second=len(second),
        n_shared=len(shared),
        longest_only_first=_longest(first.keys() - shared, n_longest),
        longest_only_second=_longest(second.keys() - shared, n_longest),
    )


def _longest(raws: set[bytes], n_longest: int) -> tuple[bytes, ...]:
    return tuple(sorted(raws, key=lambda raw: (-len(raw), raw))[:n_longest])


def _rests(raw: bytes, part: bytes) -> Iterator[bytes]:
    """Yield what a token has beside a part at its start or its end."""
    if len(part) < len(raw):
        if raw.startswith(part):
            yield raw[len(part) :]
        if raw.endswith(part):
            yield raw[: -len(part)]


def _iter_found(joined: bytes, needle: bytes) -> Iterator[int]:
    """Yield an offset in each token that holds the needle; the rest of such a token is skipped."""
    position = joined.find(needle)
    while position >= 0:
        yield position
        position = joined.find(needle, position + 1)


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True


def _code_of_character(character: str, code_of: Mapping[str, int]) -> int | None:
    match = _SCRIPT_PATTERN.match(character)
    if match and match.lastgroup:
        return code_of[match.lastgroup]
    if character == "\ufffd" or character.isspace():
        return None
    if character.isalpha():
        return code_of[OTHER_SCRIPT]
    return code_of[DIGITS if character.isnumeric() else SYMBOLS]
