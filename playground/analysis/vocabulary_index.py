"""Search a vocabulary by text, pattern, script or length; list its first merges and a token's parents.

`vocabulary_index` returns the index of a tokenizer, which is made once and shared by all visitors.
"""

import difflib
import threading
import time
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import regex
from numpy.typing import NDArray

from playground.analysis.unicode_scripts import SCRIPT_KINDS, script_codes
from playground.bpe.typed_patterns import compile_typed
from playground.core.building import MergeRule
from playground.core.errors import InvalidInputError
from playground.core.text_units import Positions, is_utf8
from playground.core.tokenizer import Tokenizer, replace_lone_surrogates
from playground.core.vocabulary import Ids, Vocabulary
from playground.core.wording import quoted


@dataclass(frozen=True, slots=True)
class TokenQuery:
    """Conditions on tokens; every one that is set must hold, and ranges include both ends.

    `text` is looked for in a token's bytes, so "é" finds the token of its two bytes and longer ones. A token
    with the id `or_id` matches in place of `text`. `pattern` is a regular expression (`regex` syntax)
    searched in a token's text. `script` is one of `unicode_scripts.SCRIPT_KINDS`.

    >>> TokenQuery(text="ing", max_bytes=4).starts_with_space is None
    True
    """

    text: str = ""
    or_id: int | None = None
    pattern: str = ""
    ignores_case: bool = False
    min_id: int | None = None
    max_id: int | None = None
    min_bytes: int | None = None
    max_bytes: int | None = None
    script: str | None = None
    starts_with_space: bool | None = None
    is_utf8: bool | None = None


def read_search(typed: str) -> TokenQuery:
    """Return the query for what was typed into the search box: a text, an id, or a /regular expression/.

    `/…/i` ignores case. A number is looked for both as an id and as text.

    >>> read_search("/^ing$/i").pattern, read_search("1,024").or_id, read_search(" the").text
    ('^ing$', 1024, ' the')
    """
    if found := regex.fullmatch(r"/(.+)/(i?)", typed, regex.DOTALL):
        return TokenQuery(pattern=found[1], ignores_case=bool(found[2]))
    if regex.fullmatch(r"\s*[0-9][0-9,_]{0,11}\s*", typed):
        return TokenQuery(text=typed.strip(), or_id=int(regex.sub(r"\D", "", typed)))
    return TokenQuery(text=typed)


#: A search by regular expression stops after this long.
MAX_SECONDS = 2.0

#: Limits of a search for the nearest tokens: characters of the text, and tokens that are compared with it.
_MAX_NEAREST_CHARACTERS, _MAX_COMPARED = 40, 2_000

_Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class VocabularyIndex:
    r"""A searchable index of a vocabulary without special tokens; arrays have an item for each token.

    Tokens are in the order of their ranks, or of their ids if there are no ranks.

    >>> from playground.core.vocabulary import TableVocabulary
    >>> index = VocabularyIndex(TableVocabulary("toy", range(5), [b"a", b" ", b" a", b" ab", b"\xc3"]))
    >>> [index.raws[position] for position in index.search(TokenQuery(text="a", starts_with_space=True))]
    [b' a', b' ab']
    >>> [index.raws[position] for position in index.search(TokenQuery(is_utf8=False))]
    [b'\xc3']
    """

    vocabulary: Vocabulary = field(repr=False)
    special_ids: Set[int] = frozenset()
    ids: Ids = field(init=False, repr=False)
    ranks: Positions = field(init=False, repr=False)
    raws: tuple[bytes, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        ids, ranks = self.vocabulary.ids, self.vocabulary.ranks
        order = np.lexsort((ids, ranks))
        order = order[~np.isin(ids[order], [*self.special_ids])]
        object.__setattr__(self, "ids", ids[order])
        object.__setattr__(self, "ranks", ranks[order])
        object.__setattr__(self, "raws", tuple(self.vocabulary.raws_of(ids[order])))

    def search(self, query: TokenQuery) -> Positions:
        """Return the positions in `raws` of the tokens that match a query, by rank.

        Raises InvalidInputError for an invalid pattern, or one that takes longer than `MAX_SECONDS`.
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
            found = self._contains(query.text, ignores_case=query.ignores_case)
            if query.or_id is not None:
                found |= self.ids == query.or_id
            keep &= found
        if query.pattern:
            keep &= self._matches(query.pattern, keep, ignores_case=query.ignores_case)
        return np.flatnonzero(keep)

    def best_first(self, query: TokenQuery, positions: Positions) -> Positions:
        """Return positions of a search with the wanted id first, then whole tokens, then the others by rank.

        A token is whole if it is the text itself, with or without a space before it.
        """
        if not query.text:
            return positions
        wanted = {query.text.lower(), query.text.lower().strip(" "), f" {query.text.lower().strip(' ')}"}
        places = [
            0 if self.ids[position] == query.or_id
            else 1 if self.texts[position] == query.text
            else 2 if self.texts[position].lower() in wanted
            else 3
            for position in positions.tolist()
        ]  # fmt: skip
        return positions[np.argsort(np.array(places, dtype=np.int8), kind="stable")]

    def nearest(self, text: str, n_tokens: int = 10) -> list[int]:
        """Return the positions of the tokens that are most like a text that no token contains.

        They share the longest stretches with it, in any case of letters. If no token contains two of its
        characters in a row, they share a character, or the first bytes of one. The most alike come first.
        """
        text = replace_lone_surrogates(text)[:_MAX_NEAREST_CHARACTERS].lower()
        stretches = (
            [text[start : start + length] for start in range(len(text) - length + 1)]
            for length in range(len(text), min(2, len(text)) - 1, -1)
        )
        first_bytes = ([character.encode()[:n_bytes] for character in text] for n_bytes in (4, 3, 2))
        return self._most_alike(text, stretches, n_tokens) or self._most_alike(
            text.encode(), first_bytes, n_tokens
        )

    def _most_alike(
        self, wanted: str | bytes, parts: Iterable[Sequence[str | bytes]], n_tokens: int
    ) -> list[int]:
        """Return the positions of the tokens most like a text in lower case, or like bytes.

        Each list of `parts` is searched for only if fewer than `n_tokens` tokens contain earlier parts.
        """
        is_text = isinstance(wanted, str)
        found: dict[int, None] = {}
        for some in parts:
            for part in dict.fromkeys(some):
                found |= dict.fromkeys(np.flatnonzero(self._contains(part, ignores_case=is_text)).tolist())
            if len(found) >= n_tokens:
                break
        like: Any = difflib.SequenceMatcher(autojunk=False)
        like.set_seq2(wanted)

        def likeness(position: int) -> float:
            like.set_seq1(self.texts[position].lower() if is_text else self.raws[position])
            ratio: float = like.ratio()
            return ratio

        return sorted(list(found)[:_MAX_COMPARED], key=likeness, reverse=True)[:n_tokens]

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """Each token's text; bytes that are not UTF-8 become U+FFFD."""
        return tuple([raw.decode(errors="replace") for raw in self.raws])

    @cached_property
    def n_bytes(self) -> npt.NDArray[np.int64]:
        """Length of each token in bytes."""
        return self.vocabulary.n_bytes_of(self.ids)

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
            flags[position] = is_utf8(self.raws[position])  # a token may spell U+FFFD itself
        return flags

    @cached_property
    def script_codes(self) -> npt.NDArray[np.int8]:
        """The index of each token's kind in `SCRIPT_KINDS`."""
        return script_codes(self.texts, self.is_utf8)

    def script_counts(self) -> dict[str, int]:
        """Return the number of tokens of each script, the most frequent first."""
        counts = np.bincount(self.script_codes, minlength=len(SCRIPT_KINDS))
        order = np.argsort(-counts, kind="stable")
        return {SCRIPT_KINDS[code]: int(counts[code]) for code in order if counts[code]}

    def starting_or_ending_with(self, raw: bytes) -> Positions:
        """Return the positions of the tokens that begin or end with these bytes, in rising order."""
        joined, starts = self._joined
        ends = [offset + 1 for offset in _iter_found(joined, b"\xff" + raw)]
        ends += list(_iter_found(joined, raw + b"\xff"))
        if joined.startswith(raw):
            ends.append(0)
        if joined.endswith(raw):
            ends.append(len(joined) - 1)
        return np.unique(np.searchsorted(starts, np.array(ends, dtype=np.int64), side="right") - 1)

    @cached_property
    def _joined(self) -> tuple[bytes, npt.NDArray[np.int64]]:
        """All tokens joined by the byte FF, and the start of each, so that one search finds all matches.

        FF never occurs in UTF-8, so no match crosses from one token to the next.
        """
        steps = self.n_bytes + 1
        return b"\xff".join(self.raws), np.cumsum(steps) - steps

    @cached_property
    def _joined_lower(self) -> tuple[bytes, npt.NDArray[np.int64]]:
        """`_joined` in lower case."""
        lowered = [text.lower().encode() for text in self.texts]
        starts = np.cumsum([0, *map(len, lowered[:-1])], dtype=np.int64) + np.arange(len(lowered))
        return b"\xff".join(lowered), starts

    def _contains(self, wanted: str | bytes, *, ignores_case: bool) -> _Flags:
        if isinstance(wanted, str):
            wanted = replace_lone_surrogates(wanted.lower() if ignores_case else wanted).encode()
        joined, starts = self._joined_lower if ignores_case else self._joined
        found = np.zeros(len(self.raws), dtype=np.bool_)
        offsets = np.fromiter(_iter_found(joined, wanted), dtype=np.int64)
        found[np.searchsorted(starts, offsets, side="right") - 1] = True
        return found

    def _matches(self, pattern: str, keep: _Flags, *, ignores_case: bool) -> _Flags:
        deadline = time.monotonic() + MAX_SECONDS
        found = np.zeros(len(self.raws), dtype=np.bool_)
        try:
            search = compile_typed(pattern, ignores_case=ignores_case).search
            for position in np.flatnonzero(keep).tolist():
                left = deadline - time.monotonic()
                if left <= 0:
                    raise TimeoutError
                if search(self.texts[position], timeout=left):
                    found[position] = True
        except TimeoutError:
            raise InvalidInputError(
                f"the search for {quoted(pattern)} took longer than {MAX_SECONDS:g} s and was stopped; "
                "a simpler pattern or a narrower range of ids is quicker"
            ) from None
        return found

    def _script_code(self, script: str) -> int:
        if script not in SCRIPT_KINDS:
            raise InvalidInputError(f"unknown script {script!r}; choose from {', '.join(SCRIPT_KINDS)}")
        return SCRIPT_KINDS.index(script)


def _iter_found(joined: bytes, needle: bytes) -> Iterator[int]:
    """Yield the offsets of all occurrences of the needle."""
    position = joined.find(needle)
    while position >= 0:
        yield position
        position = joined.find(needle, position + 1)


def vocabulary_index(tokenizer: Tokenizer) -> VocabularyIndex:
    """Return the index of a tokenizer's vocabulary; the last few are cached.

    >>> from playground.catalog.registry import get_tokenizer
    >>> vocabulary_index(get_tokenizer("gpt2")) is vocabulary_index(get_tokenizer("gpt2"))
    True
    """
    return _index_of(tokenizer.vocabulary, frozenset(tokenizer.special_tokens.values()))


# Vocabularies are compared by identity: two tokenizers may have the same name.
# An index takes about 20 MB and holds its vocabulary.
_index_of = lru_cache(maxsize=4)(VocabularyIndex)


def prepare_index(tokenizer: Tokenizer) -> None:
    """Make an index in a background thread, so that the first search is fast."""

    def prepare() -> None:
        vocabulary_index(tokenizer).script_counts()  # computes most cached arrays

    threading.Thread(target=prepare, name="vocabulary index", daemon=True).start()


class TokenMerge(NamedTuple):
    """A token of the vocabulary, and the parts it was merged from."""

    rank: int
    raw: bytes
    parts: tuple[bytes, ...]


def is_merged(index: VocabularyIndex) -> NDArray[np.bool_]:
    """Return a mask of the tokens made by merges: those with a rank and more than one byte."""
    return (index.n_bytes > 1) & (index.ranks >= 0)


def first_merges(index: VocabularyIndex, merges: MergeRule[Any], n_merges: int) -> list[TokenMerge]:
    """Return the first merges, by rank.

    >>> from playground.catalog.registry import get_tokenizer
    >>> gpt2 = get_tokenizer("gpt2")
    >>> first_merges(VocabularyIndex(gpt2.vocabulary, special_ids={50256}), gpt2.merges, 1)
    [TokenMerge(rank=256, raw=b' t', parts=(b' ', b't'))]
    """
    found = []
    for position in np.flatnonzero(is_merged(index))[:n_merges].tolist():
        parts = merges.parts_of(int(index.ids[position]))
        raws = tuple(map(index.vocabulary.raw_of, parts))
        found.append(TokenMerge(int(index.ranks[position]), index.raws[position], raws))
    return found


def parents_of(index: VocabularyIndex, merges: MergeRule[Any], token_id: int) -> list[int]:
    """Return the positions of the tokens merged from this one and another, by rank. Raises UnknownTokenError.

    >>> from playground.catalog.registry import get_tokenizer
    >>> gpt2 = get_tokenizer("gpt2")
    >>> index = VocabularyIndex(gpt2.vocabulary, special_ids={50256})
    >>> [index.raws[position] for position in parents_of(index, gpt2.merges, 262)][:3]
    [b' they', b' their', b' them']
    """
    raw = index.vocabulary.raw_of(token_id)
    # Both parts have lower ranks than the token, which leaves few merges to recover.
    candidates = [
        position
        for position in index.starting_or_ending_with(raw).tolist()
        if any(
            merges.rank_of(other) < index.ranks[position]
            for rest in _rests(index.raws[position], raw)
            for other in index.vocabulary.ids_of(rest)
            if other not in index.special_ids
        )
    ]
    return [position for position in candidates if token_id in merges.parts_of(int(index.ids[position]))]


def _rests(raw: bytes, part: bytes) -> Iterator[bytes]:
    """Yield the rest of a token after a part at its start, and before a part at its end."""
    if len(part) < len(raw):
        if raw.startswith(part):
            yield raw[len(part) :]
        if raw.endswith(part):
            yield raw[: -len(part)]
