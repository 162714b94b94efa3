"""Byte-level BPE by rank, as tiktoken runs it; whose ranks these are is known to others."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property

import regex
import tiktoken

from playground.bpe.character_categories import with_stand_ins
from playground.bpe.merging import ByRank
from playground.bpe.safe_cuts import SafeCuts, iter_safe_blocks, safe_cut_of
from playground.bpe.special_tokens import iter_special_parts
from playground.bpe.split_pattern import SplitPattern, iter_pretokens
from playground.catalog.shipped_vocabularies import RankLines
from playground.catalog.tiktoken_encoding import (
    LONG_BYTES,
    TIKTOKEN_EXPRESSIONS,
    LateEncoding,
    byte_level_vocabulary,
    encode_known_pattern,
    whole_encoding,
)
from playground.core.building import Merged, Pretoken, place_pretokens
from playground.core.encoding import Encoding
from playground.core.text_units import Positions
from playground.core.tokenizer import (
    NO_SPECIAL,
    PythonProgram,
    decode_bytes,
    replace_lone_surrogates,
)
from playground.core.vocabulary import Ids, TableVocabulary

#: Characters that tiktoken's engine is given at once with a pattern that is not one of `SPLIT_PATTERNS`: it
#: gives up after a million steps back, of which kimi_k2's pattern takes four for a capital letter.
MAX_PIECE = 50_000


@dataclass(frozen=True)
class RankedTokenizer:
    """A `tiktoken.Encoding` as every page wants a tokenizer; ids equal its own.

    Its ids are its ranks, counted from `first_id`. `cuts_like` names the split pattern whose safe cuts are
    safe here too, where its own has none known; its own must leave nothing out and always end. `program` is
    needed where tiktoken does not know it by its name.

    >>> from playground.catalog.openai import load_openai
    >>> load_openai("gpt2").encode("Hello world")
    [15496, 995]
    """

    encoding: tiktoken.Encoding
    _: KW_ONLY
    first_id: int = 0
    cuts_like: str = ""
    program: PythonProgram | None = None
    rest: None = field(init=False, default=None)
    special_tokens: Mapping[str, int] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "special_tokens", dict(self.encoding._special_tokens))

    @property
    def name(self) -> str:
        """The encoding name."""
        return self.encoding.name

    @cached_property
    def vocabulary(self) -> TableVocabulary:
        """Its tokens; cl100k_base has gaps between their ids."""
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
        return self.encoding._pat_str

    @cached_property
    def merges(self) -> ByRank:
        """Any neighbours merge that are a token."""
        return ByRank(self._ranks, ids=self.mergeable_ranks, raw_of=self.vocabulary.raw_of)

    @property
    def mergeable_ranks(self) -> Mapping[bytes, int]:
        """Bytes to id, as tiktoken has them."""
        return self.encoding._mergeable_ranks

    @property
    def rank_lines(self) -> RankLines | None:
        """The file of ranks; None where there is none, or where they are parsed already."""
        return self.encoding.rank_lines if isinstance(self.encoding, LateEncoding) else None

    def encode(self, text: str, *, allowed_special: frozenset[str] = NO_SPECIAL) -> Encoding:
        """The ids of a text, exactly as `tiktoken` gives them."""
        text = replace_lone_surrogates(text)
        allowed = [name for name in self.special_tokens if name in allowed_special]
        ids: list[int] = []
        for part, is_special in iter_special_parts(text, allowed):
            if is_special:
                ids.append(self.special_tokens[part])
            else:
                ids.extend(self._encode_ordinary(part))
        return Encoding.tiling(text, ids, self._n_bytes_of)

    def iter_pretokens(self, text: str) -> Iterator[Pretoken]:
        """Yield what the split pattern cuts."""
        text = replace_lone_surrogates(text)
        if self.cuts_like:
            return place_pretokens(_cut(text, self.split_pattern))
        pretokens = iter_pretokens(text, SplitPattern.of(self.split_pattern))
        return place_pretokens(pretoken for pretoken, _is_match in pretokens)

    def encode_pretoken(self, raw: bytes) -> Sequence[int]:
        """The ids of a piece of text, whatever has cut it off."""
        if len(raw) < LONG_BYTES:
            ids: list[int] = self.encoding._core_bpe.encode_single_piece(raw)
            return ids
        return self._whole.encode_ordinary(raw.decode())

    def build(self, pretoken: Pretoken) -> Merged:
        """The merges of a pretoken."""
        return self.merges.build(pretoken.text.encode())

    def decode(self, ids: Iterable[int]) -> str:
        """The text of ids; bytes that are not UTF-8 become U+FFFD. Raises UnknownTokenError."""
        return decode_bytes(self, ids).decode(errors="replace")

    def python_program(self) -> PythonProgram:
        """The encoding in tiktoken, by its name if there is no other way."""
        setup = f'import tiktoken\n\nencoding = tiktoken.get_encoding("{self.name}")\n'
        return self.program or PythonProgram(setup, *TIKTOKEN_EXPRESSIONS)

    def _encode_ordinary(self, text: str) -> Sequence[int]:
        if not self.cuts_like or len(text) <= MAX_PIECE:
            return encode_known_pattern(self.encoding, text)
        ids: list[int] = []
        parts = (text[start : start + MAX_PIECE // 2] for start in range(0, len(text), MAX_PIECE // 2))
        for piece in iter_safe_blocks(parts, SafeCuts(self.safe_cut)):
            if len(piece) <= MAX_PIECE:
                ids.extend(self.encoding.encode_ordinary(piece))
            else:
                for pretoken in _cut(piece, self.split_pattern):
                    ids.extend(self.encode_pretoken(pretoken.encode()))
        return ids

    @cached_property
    def _ranks(self) -> Mapping[bytes, int]:
        if not self.first_id:
            return self.mergeable_ranks
        return {raw: token_id - self.first_id for raw, token_id in self.mergeable_ranks.items()}

    @cached_property
    def _whole(self) -> tiktoken.Encoding:
        return whole_encoding(self.name, self.mergeable_ranks)

    def _n_bytes_of(self, ids: Ids) -> Positions:
        return self.vocabulary.n_bytes_of(ids)  # the table of tokens is made once someone asks


def _cut(text: str, split_pattern: str) -> Iterator[str]:
    """What a pattern cuts that leaves nothing out, as tiktoken's engine classes characters."""
    position = 0
    for piece in regex.findall(split_pattern, with_stand_ins(text)):
        yield text[position : position + len(piece)]
        position += len(piece)
