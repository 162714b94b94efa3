"""Byte-level BPE by rank, as tiktoken runs it; the definitions are in `openai` and `open_models`."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property

import regex
import tiktoken

from playground.bpe.character_categories import with_stand_ins
from playground.bpe.merging import ByRank
from playground.bpe.safe_cuts import SafeCuts, iter_safe_blocks, safe_cut_of
from playground.bpe.special_tokens import encode_ids_around_special
from playground.bpe.split_pattern import SplitPattern, iter_pretokens
from playground.catalog.shipped_vocabularies import RankLines
from playground.catalog.tiktoken_encoding import (
    TIKTOKEN_EXPRESSIONS,
    LazyEncoding,
    byte_level_vocabulary,
    encode_known_pattern,
)
from playground.core.building import Merged, Pretoken, place_pretokens
from playground.core.encoding import Encoding
from playground.core.tokenizer import NO_SPECIAL, PythonProgram, decode_bytes, replace_lone_surrogates
from playground.core.vocabulary import TableVocabulary

#: Characters that tiktoken's engine gets at once with a pattern that is not in `SPLIT_PATTERNS`. It gives up
#: after a million steps back, and kimi_k2's pattern takes four for a capital letter.
MAX_PIECE = 50_000


@dataclass(frozen=True)
class RankedTokenizer:
    """An encoding of tiktoken as a `Tokenizer`; ids equal tiktoken's.

    An id is the token's rank plus `first_id`. `cuts_like` names the split pattern whose safe cuts are safe
    here too, for a pattern that has none of its own; the pattern must match every text completely. `program`
    is required where tiktoken does not know the encoding by name.

    >>> from playground.catalog.openai import load_openai
    >>> load_openai("gpt2").encode("Hello world")
    [15496, 995]
    """

    lazy: LazyEncoding
    _: KW_ONLY
    first_id: int = 0
    cuts_like: str = ""
    program: PythonProgram | None = None
    rest: None = field(init=False, default=None)

    @property
    def name(self) -> str:
        """The encoding name."""
        return self.lazy.name

    @property
    def encoding(self) -> tiktoken.Encoding:
        """The encoding in tiktoken, built on first use."""
        return self.lazy.engine

    @property
    def special_tokens(self) -> Mapping[str, int]:
        """Map each special token to its id."""
        return self.lazy.special_tokens

    @cached_property
    def vocabulary(self) -> TableVocabulary:
        """The tokens; ids may have gaps, as in cl100k_base."""
        ids = self.mergeable_ranks
        return byte_level_vocabulary(
            self.name,
            ids.values(),
            ids,
            ranks=self._ranks.values(),
            special_tokens=self.special_tokens,
            id_of=ids,
        )

    @property
    def safe_cut(self) -> regex.Pattern[str] | None:
        """Where a text may be cut and encoded in pieces."""
        return safe_cut_of(self.cuts_like or SplitPattern.of(self.split_pattern).name)

    @property
    def split_pattern(self) -> str:
        """The pattern that cuts a text into pretokens, in `regex` syntax."""
        return self.lazy.pattern

    @cached_property
    def merges(self) -> ByRank:
        """The rule: any neighbours merge whose bytes joined are a token."""
        return ByRank(self._ranks, ids=self.mergeable_ranks, raw_of=self.vocabulary.raw_of)

    @property
    def mergeable_ranks(self) -> Mapping[bytes, int]:
        """Map each token's bytes to its id, as tiktoken has them."""
        return self.lazy.mergeable_ranks

    @property
    def rank_lines(self) -> RankLines | None:
        """The lines of the file of ranks; None if there is no file or it is parsed already."""
        return self.lazy.rank_lines

    def encode(self, text: str, *, allowed_special: frozenset[str] = NO_SPECIAL) -> Encoding:
        """Return the ids of a text, equal to tiktoken's."""
        return encode_ids_around_special(self, text, allowed_special, self._encode_ordinary)

    def iter_pretokens(self, text: str) -> Iterator[Pretoken]:
        """Yield the pretokens that the split pattern cuts."""
        text = replace_lone_surrogates(text)
        if self.cuts_like:
            return place_pretokens(_cut(text, self.split_pattern))
        pretokens = iter_pretokens(text, SplitPattern.of(self.split_pattern))
        return place_pretokens(pretoken for pretoken, _is_match in pretokens)

    def encode_pretoken(self, text: str) -> Sequence[int]:
        """Return the ids of a text that is merged as one pretoken."""
        return self.lazy.encode_pretoken(text)

    def build(self, pretoken: Pretoken) -> Merged:
        """Return the merges of a pretoken."""
        return self.merges.build(pretoken.text.encode())

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of ids; invalid UTF-8 becomes U+FFFD. Raises UnknownTokenError."""
        return decode_bytes(self, ids).decode(errors="replace")

    def python_program(self) -> PythonProgram:
        """Return the program that was given, or tiktoken's `get_encoding` with the name."""
        setup = f'import tiktoken\n\nencoding = tiktoken.get_encoding("{self.name}")\n'
        return self.program or PythonProgram(setup, *TIKTOKEN_EXPRESSIONS)

    def _encode_ordinary(self, text: str) -> Sequence[int]:
        if not self.cuts_like or len(text) <= MAX_PIECE:
            return encode_known_pattern(self.lazy, text)
        ids: list[int] = []
        parts = (text[start : start + MAX_PIECE // 2] for start in range(0, len(text), MAX_PIECE // 2))
        for piece in iter_safe_blocks(parts, SafeCuts(self.safe_cut)):
            if len(piece) <= MAX_PIECE:
                ids.extend(self.encoding.encode_ordinary(piece))
            else:
                for pretoken in _cut(piece, self.split_pattern):
                    ids.extend(self.encode_pretoken(pretoken))
        return ids

    @cached_property
    def _ranks(self) -> Mapping[bytes, int]:
        if not self.first_id:
            return self.mergeable_ranks
        return {raw: token_id - self.first_id for raw, token_id in self.mergeable_ranks.items()}


def _cut(text: str, split_pattern: str) -> Iterator[str]:
    """Yield the pretokens of a pattern that matches every text completely, by tiktoken's Unicode classes."""
    position = 0
    for piece in regex.findall(split_pattern, with_stand_ins(text)):
        yield text[position : position + len(piece)]
        position += len(piece)
