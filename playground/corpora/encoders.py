"""Encode large texts with exactly the ids of `Tokenizer.encode`.

splintr encodes for tokenizers that merge bytes by rank, five times as fast as tiktoken. A shipped vocabulary
is compared with its library in the tests, any other on load. Everything else is done by the tokenizer itself:
other kinds, little text, and texts with a character that the two classify differently.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain, islice, pairwise

import numpy as np
import numpy.typing as npt
import splintr

from playground.bpe.character_categories import CATEGORIES, character_categories
from playground.bpe.safe_cuts import SafeCuts
from playground.bpe.special_tokens import iter_special_parts
from playground.catalog.normalized import NormalizedTokenizer
from playground.catalog.ranked import RankedTokenizer
from playground.core.lazy import Once
from playground.core.tokenizer import NO_SPECIAL, EncodesInBatches, Tokenizer, replace_lone_surrogates
from playground.core.vocabulary import Ids
from playground.corpora.blocks import common_cuts
from playground.corpora.rank_tables import RankTable, rank_table_of
from playground.corpora.text_files import Text, as_str
from playground.files.proof import new_texts, proof_texts

#: The version of splintr with which the tests compare the shipped vocabularies.
_PROVEN = "0.22.0"
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
        self._engine: Once[_RankEngine | None] = Once()
        self._is_shipped = isinstance(tokenizer, RankedTokenizer | NormalizedTokenizer)
        self._n_characters = 0

    def needs_library(self, n_characters: int) -> bool:
        """Whether the tokenizer's own library encodes so much text, which is slow."""
        return n_characters >= MUCH_CHARACTERS and self._engine_for(n_characters) is None

    def lengths(self, texts: Sequence[Text]) -> list[int]:
        """Return the number of ids of each text. Raises PlaygroundError."""
        return [len(ids) for ids in self._iter_ids(texts)]

    def encode(self, texts: Sequence[Text], *, closing_id: int = -1) -> Ids:
        """Return the ids of all texts, each followed by the closing id (-1 for none).

        Raises PlaygroundError.
        """
        closing = np.array([closing_id] if closing_id >= 0 else [], np.uint32)
        columns = [column for ids in self._iter_ids(texts) for column in (ids, closing)]
        return np.concatenate([np.zeros(0, np.uint32), *columns])

    def _iter_ids(self, texts: Sequence[Text]) -> Iterator[Ids]:
        self._n_characters += sum(map(len, texts))
        engine = self._engine_for(self._n_characters)
        if engine is None:
            return _iter_library_ids(self.tokenizer, self._allowed, list(map(as_str, texts)))
        return (engine.encode(as_str(text)) for text in texts)

    def _engine_for(self, n_characters: int) -> "_RankEngine | None":
        # splintr loads a shipped vocabulary in half the time that tiktoken takes.
        if not self._is_shipped and n_characters < MUCH_CHARACTERS:
            return None
        return self._engine.get(self._load)

    def _load(self) -> "_RankEngine | None":
        table = rank_table_of(self.tokenizer)
        if table is None:
            return None
        engine = _RankEngine(table, self.tokenizer, self._allowed)
        if self._is_shipped and splintr.__version__ == _PROVEN:
            return engine
        special = self.tokenizer.special_tokens
        for text in [*proof_texts([*table.added, *special]), *new_texts()]:
            if [*engine.encode(text)] != [*self.tokenizer.encode(text, allowed_special=self._allowed)]:
                return None
        return engine


class _RankEngine:
    """splintr with a table of ranks, around the tokens that are found before anything is split."""

    def __init__(self, table: RankTable, tokenizer: Tokenizer, allowed_special: frozenset[str]) -> None:
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
    """Whether tiktoken's engine and splintr's have the same class for each character of a text.

    splintr knows a newer Unicode: it classifies characters that are unassigned in tiktoken's, and U+0295,
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
