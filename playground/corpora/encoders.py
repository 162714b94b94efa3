"""Encode and count texts with exactly the ids of `Tokenizer.encode`, by what is fastest for their length.

Little text of a shipped table of ranks is merged here: that takes half the time in which tiktoken loads. Much
text is counted by toktok, which has OpenAI's tables, and encoded or counted for other tables of ranks by
splintr, which is an extra. A shipped table is compared with its library in the tests, any other on load.
Everything else is done by the tokenizer itself: other kinds, and texts with a character that an engine
classifies otherwise than tiktoken.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from importlib.util import find_spec
from itertools import chain, islice, pairwise
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

from playground.bpe.character_categories import CATEGORIES, character_categories
from playground.bpe.merging import merge_parts
from playground.bpe.safe_cuts import SafeCuts
from playground.bpe.special_tokens import iter_special_parts
from playground.catalog.normalized import NormalizedTokenizer, nfc_text
from playground.catalog.ranked import RankedTokenizer
from playground.core.lazy import Once
from playground.core.tokenizer import NO_SPECIAL, EncodesInBatches, Tokenizer, replace_lone_surrogates
from playground.core.vocabulary import Ids
from playground.corpora.blocks import common_cuts
from playground.corpora.text_files import Text, as_str
from playground.files.proof import new_texts, proof_texts

if TYPE_CHECKING:  # imported late below: it needs splintr, an extra
    from playground.corpora.rank_tables import RankTable

#: The versions of the engines with which the tests compare the shipped vocabularies.
_PROVEN = {"splintr": "0.22.0", "toktok": "0.3.0"}
#: The encodings that toktok has.
_IN_TOKTOK = ("cl100k_base", "o200k_base", "o200k_harmony")
#: Up to this number of characters, merging here is faster than loading an engine.
LITTLE_CHARACTERS = 100_000
#: From this number of characters on, making and proving the table of an opened tokenizer is worth its time.
MUCH_CHARACTERS = 4_000_000
#: Characters of the pieces in which a library encodes a long text.
_PIECE_CHARACTERS = 1 << 15
#: Characters whose classes are looked up at once.
_SLICE = 1 << 12


class Encoder:
    """Encodes texts, each on its own, for one tokenizer.

    >>> from playground.catalog.registry import get_tokenizer
    >>> encoder = Encoder(get_tokenizer("gpt2"))
    >>> encoder.encode(["Hello world", "Hello"], closing_id=50256).tolist()
    [15496, 995, 50256, 15496, 50256]
    >>> encoder.lengths(["Hello world", "Hello"])
    [2, 1]
    """

    def __init__(self, tokenizer: Tokenizer, *, allowed_special: frozenset[str] = NO_SPECIAL) -> None:
        self.tokenizer, self._allowed = tokenizer, allowed_special
        self._engine: Once[_Engine | None] = Once()
        self._counter: Once[_Toktok | None] = Once()
        self._plain: Once[_PlainEngine] = Once()
        self._is_shipped = isinstance(tokenizer, RankedTokenizer | NormalizedTokenizer)
        self._n_characters = 0

    def needs_library(self, n_characters: int) -> bool:
        """Whether the tokenizer's own library encodes so much text, which is slow."""
        if n_characters < MUCH_CHARACTERS or self._counter_for(n_characters) is not None:
            return False
        return self._engine_for(n_characters) is None

    def lengths(self, texts: Sequence[Text]) -> list[int]:
        """Return the number of ids of each text. Raises PlaygroundError."""
        self._n_characters += sum(map(len, texts))
        counter = self._counter_for(self._n_characters)
        if counter is not None:
            return counter.lengths(list(map(as_str, texts)))
        return [len(ids) for ids in self._iter_ids(texts)]

    def encode(self, texts: Sequence[Text], *, closing_id: int = -1) -> Ids:
        """Return the ids of all texts, each followed by the closing id (-1 for none).

        Raises PlaygroundError.
        """
        self._n_characters += sum(map(len, texts))
        closing = np.array([closing_id] if closing_id >= 0 else [], np.uint32)
        columns = [column for ids in self._iter_ids(texts) for column in (ids, closing)]
        return np.concatenate([np.zeros(0, np.uint32), *columns])

    def _iter_ids(self, texts: Sequence[Text]) -> Iterator[Ids]:
        engine = self._engine_for(self._n_characters)
        if engine is None:
            return _iter_library_ids(self.tokenizer, self._allowed, list(map(as_str, texts)))
        return (engine.encode(as_str(text)) for text in texts)

    def _counter_for(self, n_characters: int) -> "_Toktok | None":
        is_in_toktok = self._is_shipped and self.tokenizer.name in _IN_TOKTOK
        if not is_in_toktok or n_characters <= LITTLE_CHARACTERS:
            return None
        return self._counter.get(
            lambda: _Toktok(self.tokenizer, self._allowed) if is_proven("toktok") else None
        )

    def _engine_for(self, n_characters: int) -> "_Engine | None":
        if self._is_shipped and n_characters <= LITTLE_CHARACTERS:
            return self._plain.get(lambda: _PlainEngine(self.tokenizer, self._allowed))
        if not self._is_shipped and n_characters < MUCH_CHARACTERS:
            return None
        return self._engine.get(self._load)

    def _load(self) -> "_Engine | None":
        if find_spec("splintr") is None:
            return None
        from playground.corpora.rank_tables import rank_table_of

        table = rank_table_of(self.tokenizer)
        if table is None:
            return None
        engine = _RankEngine(table, self.tokenizer, self._allowed)
        if self._is_shipped and is_proven("splintr"):
            return engine
        special = self.tokenizer.special_tokens
        for text in [*proof_texts([*table.added, *special]), *new_texts()]:
            if [*engine.encode(text)] != [*self.tokenizer.encode(text, allowed_special=self._allowed)]:
                return None
        return engine


def is_proven(engine: str) -> bool:
    """Whether the installed version of an engine is the one that the tests compare with the libraries."""
    version: str = __import__(engine).__version__
    return version == _PROVEN[engine]


class _Engine(Protocol):
    """Encodes one text."""

    def encode(self, text: str) -> Ids: ...


class _Toktok:
    """toktok's counts of one of OpenAI's encodings."""

    def __init__(self, tokenizer: Tokenizer, allowed_special: frozenset[str]) -> None:
        self._tokenizer = tokenizer
        self._found = {name for name in tokenizer.special_tokens if name in allowed_special}

    def lengths(self, texts: Sequence[str]) -> list[int]:
        import toktok  # imported here because little text needs none

        asked: list[str] = []
        known: list[int] = []  # for each text, the tokens that toktok is not asked about
        n_asked: list[int] = []
        for text in map(replace_lone_surrogates, texts):
            before, n_known = len(asked), 0
            for part, is_special in iter_special_parts(text, self._found):
                if is_special:
                    n_known += 1
                elif is_classified_alike(part):
                    asked.append(part)
                else:
                    n_known += len(self._tokenizer.encode(part).ids)
            known.append(n_known)
            n_asked.append(len(asked) - before)
        counts = iter(toktok.batch_count(asked, self._tokenizer.name, 1))
        return [n + sum(islice(counts, k)) for n, k in zip(known, n_asked, strict=True)]


class _PlainEngine:
    """Merges by rank in Python, each distinct pretoken once."""

    def __init__(self, tokenizer: Tokenizer, allowed_special: frozenset[str]) -> None:
        special = tokenizer.special_tokens
        self._found = {name: special[name] for name in special if name in allowed_special}
        self._nfc = tokenizer.nfc if isinstance(tokenizer, NormalizedTokenizer) else None
        base = tokenizer.base if isinstance(tokenizer, NormalizedTokenizer) else tokenizer
        assert isinstance(base, RankedTokenizer)
        self._base, self._ranks = base, base.mergeable_ranks
        self._ids_of: dict[str, list[int]] = {}

    def encode(self, text: str) -> Ids:
        ids: list[int] = []
        for part, is_special in iter_special_parts(replace_lone_surrogates(text), self._found):
            if is_special:
                ids.append(self._found[part])
            else:
                ids += self._ids_in(nfc_text(part, self._nfc) if self._nfc else part)
        return np.array(ids, np.uint32)

    def _ids_in(self, text: str) -> Iterator[int]:
        for pretoken in self._base.iter_pretokens(text):
            ids = self._ids_of.get(pretoken.text)
            if ids is None:
                ids = self._ids_of[pretoken.text] = self._merged(pretoken.text.encode())
            yield from ids

    def _merged(self, raw: bytes) -> list[int]:
        ranks = self._ranks
        if raw in ranks:
            return [ranks[raw]]
        _, parts, _ = merge_parts([raw[n : n + 1] for n in range(len(raw))], ranks.get)
        return [ranks[part] for part in parts]


class _RankEngine:
    """splintr with a table of ranks, around the tokens that are found before anything is split."""

    def __init__(self, table: "RankTable", tokenizer: Tokenizer, allowed_special: frozenset[str]) -> None:
        import splintr  # an extra

        special = tokenizer.special_tokens
        self._found = {**table.added, **{name: special[name] for name in special if name in allowed_special}}
        self._normalize, self._tokenizer = table.normalize, tokenizer
        self._splintr = splintr.Tokenizer.from_bytes(table.lines, table.pattern, {})

    def encode(self, text: str) -> Ids:
        text = replace_lone_surrogates(text)
        if not self._found:
            return self._encode_part(text)
        return np.concatenate(
            [
                np.zeros(0, np.uint32),
                *(
                    np.array([self._found[part]], np.uint32) if is_found else self._encode_part(part)
                    for part, is_found in iter_special_parts(text, self._found)
                ),
            ]
        )

    def _encode_part(self, text: str) -> Ids:
        if self._normalize:
            text = self._normalize(text)
        if not is_classified_alike(text):
            return self._tokenizer.encode(text).ids
        return np.frombuffer(self._splintr.encode_flat(text), np.uint32)


def is_classified_alike(text: str) -> bool:
    """Whether tiktoken's engine, splintr and toktok have the same class for each character of a text.

    The two know a newer Unicode: they classify characters that are unassigned in tiktoken's, and U+0295,
    which became another kind of letter.

    >>> is_classified_alike("naïve 京"), is_classified_alike("\\U000323b0")
    (True, False)
    """
    if text.isascii():
        return True
    if len(text) > _SLICE:  # of most texts, only some slices are not ASCII
        return all(is_classified_alike(text[start : start + _SLICE]) for start in range(0, len(text), _SLICE))
    return not _is_other()[np.frombuffer(text.encode("utf-32-le"), np.uint32)].any()


@cache
def _is_other() -> npt.NDArray[np.bool_]:
    is_other: npt.NDArray[np.bool_] = character_categories() == CATEGORIES.index("Cn")
    is_other[0x295] = True
    return is_other


def _iter_library_ids(tokenizer: Tokenizer, allowed: frozenset[str], texts: Sequence[str]) -> Iterator[Ids]:
    """Yield the ids of each text from the tokenizer, with its library's batch call, if it has one."""
    if allowed or not isinstance(tokenizer, EncodesInBatches):
        for text in texts:
            yield tokenizer.encode(text, allowed_special=allowed).ids
        return
    before, pieces = _pieces_of(tokenizer, texts)
    # The text before the rest of a text is encoded too, and its tokens are dropped.
    n_before, *encoded = tokenizer.encode_batch([before, *chain.from_iterable(pieces)])
    found = iter(encoded)
    for own in pieces:
        first, *rest = islice(found, len(own))
        yield np.array([*first, *chain.from_iterable(ids[len(n_before) :] for ids in rest)], np.uint32)


def _pieces_of(tokenizer: Tokenizer, texts: Sequence[str]) -> tuple[str, list[list[str]]]:
    """Return long texts in pieces, and the text that precedes each piece after the first one."""
    if max(map(len, texts), default=0) <= _PIECE_CHARACTERS:
        return "", [[text] for text in texts]
    cuts, before = common_cuts([tokenizer], allow_special=False), ""
    if not cuts.is_known and (rest := tokenizer.rest):
        cuts, before = SafeCuts(rest.cut, before_rest=True), rest.before
    found: list[list[str]] = []
    for text in texts:
        places = [0]
        while (place := cuts.next(text, places[-1] + _PIECE_CHARACTERS)) is not None:
            places.append(place)
        found.append(
            [before * (start > 0) + text[start:end] for start, end in pairwise([*places, len(text)])]
        )
    return before, found
