"""OpenAI's encodings as real `tiktoken.Encoding` objects, from vocabulary files that ship with the app.

tiktoken's own table gives patterns, special tokens and hashes; only its downloads are replaced.
"""

import importlib.util
from binascii import a2b_base64, b2a_base64
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from types import ModuleType

import regex
import tiktoken

from playground.bpe.gpt2_bytes import GPT2_BYTE_ORDER, from_gpt2_characters
from playground.bpe.merge_rules import ByRank
from playground.bpe.safe_cuts import safe_cut_of
from playground.bpe.special_tokens import iter_special_parts
from playground.bpe.split_pattern import SplitPattern, iter_pretokens
from playground.catalog.byte_level import TIKTOKEN_EXPRESSIONS, byte_level_vocabulary
from playground.catalog.long_white_space import encode_known_pattern
from playground.catalog.shipped_vocabularies import check_hash, read_vocabulary
from playground.core.building import Merged, Pretoken, place_pretokens
from playground.core.encoding import Encoding
from playground.core.errors import VocabularyFileError
from playground.core.text_units import Positions
from playground.core.tokenizer import (
    NO_SPECIAL,
    PythonProgram,
    decode_bytes,
    replace_lone_surrogates,
)
from playground.core.vocabulary import Ids, TableVocabulary


@dataclass(frozen=True)
class OpenAITokenizer:
    """One of OpenAI's encodings; ids equal `tiktoken`'s.

    >>> load_openai("gpt2").encode("Hello world")
    [15496, 995]
    """

    encoding: tiktoken.Encoding
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
        ranks = self.mergeable_ranks
        return byte_level_vocabulary(
            self.name,
            ranks.values(),
            ranks,
            ranks=ranks.values(),
            special_tokens=self.special_tokens,
            id_of=ranks,
        )

    @property
    def safe_cut(self) -> regex.Pattern[str] | None:
        """Where a text may be cut and encoded in pieces."""
        return safe_cut_of(SplitPattern.of(self.split_pattern).name)

    @property
    def split_pattern(self) -> str:
        """The pattern that cuts a text into pretokens, in `regex` syntax."""
        return self.encoding._pat_str

    @cached_property
    def merges(self) -> ByRank:
        """Any neighbours merge that are a token."""
        return ByRank(self.mergeable_ranks, raw_of=self.vocabulary.raw_of)

    @property
    def mergeable_ranks(self) -> Mapping[bytes, int]:
        """Bytes to rank; for these encodings a rank is also the id."""
        return self.encoding._mergeable_ranks

    def encode(self, text: str, *, allowed_special: frozenset[str] = NO_SPECIAL) -> Encoding:
        """The ids of a text, exactly as `tiktoken` gives them."""
        text = replace_lone_surrogates(text)
        allowed = [name for name in self.special_tokens if name in allowed_special]
        ids: list[int] = []
        for part, is_special in iter_special_parts(text, allowed):
            if is_special:
                ids.append(self.special_tokens[part])
            else:
                ids.extend(encode_known_pattern(self.encoding, part))
        return Encoding.tiling(text, ids, self._n_bytes_of)

    def iter_pretokens(self, text: str) -> Iterator[Pretoken]:
        """Yield what the split pattern cuts."""
        pattern = SplitPattern.of(self.split_pattern)
        pretokens = iter_pretokens(replace_lone_surrogates(text), pattern)
        return place_pretokens(pretoken for pretoken, _is_match in pretokens)

    def build(self, pretoken: Pretoken) -> Merged:
        """The merges of a pretoken."""
        return self.merges.build(pretoken.text.encode())

    def decode(self, ids: Iterable[int]) -> str:
        """The text of ids; bytes that are not UTF-8 become U+FFFD. Raises UnknownTokenError."""
        return decode_bytes(self, ids).decode(errors="replace")

    def python_program(self) -> PythonProgram:
        """The encoding by its name, which tiktoken knows."""
        return PythonProgram(
            f'import tiktoken\n\nencoding = tiktoken.get_encoding("{self.name}")\n', *TIKTOKEN_EXPRESSIONS
        )

    def _n_bytes_of(self, ids: Ids) -> Positions:
        return self.vocabulary.n_bytes_of(ids)  # the table of tokens is made once someone asks


@cache
def load_openai(name: str) -> OpenAITokenizer:
    """Build one encoding from tiktoken's own definition. Raises VocabularyFileError.

    >>> load_openai("p50k_edit").vocabulary.n_vocab
    50284
    """
    definition = getattr(_offline_definitions(), name)()
    return OpenAITokenizer(tiktoken.Encoding(**definition))


def encoding_names() -> list[str]:
    """The names of all encodings tiktoken defines, oldest first."""
    return list(_offline_definitions().ENCODING_CONSTRUCTORS)


@cache
def _offline_definitions() -> ModuleType:
    """A private copy of tiktoken's table whose two download functions read `assets/` instead."""
    spec = importlib.util.find_spec("tiktoken_ext.openai_public")
    if spec is None or spec.loader is None:
        raise VocabularyFileError("tiktoken's table `tiktoken_ext.openai_public` is not installed")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.__dict__["load_tiktoken_bpe"] = _load_tiktoken_bpe
    module.__dict__["data_gym_to_mergeable_bpe_ranks"] = _load_vocab_bpe
    return module


def _load_tiktoken_bpe(url: str, expected_hash: str) -> dict[bytes, int]:
    """tiktoken's `load_tiktoken_bpe`, from assets; p50k and r50k are rebuilt from GPT-2's merges."""
    file_name = url.rsplit("/", 1)[-1]
    match file_name:
        case "r50k_base.tiktoken":
            data = _to_tiktoken_bpe(_gpt2_ranks())
        case "p50k_base.tiktoken":
            # r50k and runs of 2 to 25 spaces; id 50256 stays free for <|endoftext|>.
            spaces = {b" " * n: 50255 + n for n in range(2, 26)}
            data = _to_tiktoken_bpe(_gpt2_ranks() | spaces)
        case _:
            data = read_vocabulary(f"{file_name}.gz")
    check_hash(file_name, data, expected_hash, source="OpenAI")
    lines = (line.split() for line in data.splitlines() if line)
    return {a2b_base64(token): int(rank) for token, rank in lines}


def _load_vocab_bpe(*, vocab_bpe_file: str, vocab_bpe_hash: str, **_encoder_json: str) -> dict[bytes, int]:
    """tiktoken's `data_gym_to_mergeable_bpe_ranks`; `encoder.json` holds nothing that the merges do not."""
    file_name = vocab_bpe_file.rsplit("/", 1)[-1]
    data = read_vocabulary(f"{file_name}.gz")
    check_hash(file_name, data, vocab_bpe_hash, source="OpenAI")
    ranks = {bytes([byte]): rank for rank, byte in enumerate(GPT2_BYTE_ORDER)}
    for line in data.decode().split("\n")[1:-1]:
        left, right = line.split()
        ranks[from_gpt2_characters(left + right)] = len(ranks)
    return ranks


@cache
def _gpt2_ranks() -> dict[bytes, int]:
    ranks: dict[bytes, int] = _offline_definitions().gpt2()["mergeable_ranks"]
    return ranks


def _to_tiktoken_bpe(ranks: Mapping[bytes, int]) -> bytes:
    return b"".join(b2a_base64(token, newline=False) + b" %d\n" % rank for token, rank in ranks.items())
