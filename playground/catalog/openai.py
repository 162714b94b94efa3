"""OpenAI's encodings from vocabulary files that ship with the app.

tiktoken's own table defines patterns, special tokens and hashes; only its downloads are replaced.
"""

import codecs
import importlib.util
from binascii import b2a_base64
from collections.abc import Mapping
from functools import cache
from itertools import accumulate, count, pairwise
from types import ModuleType

from playground.bpe.gpt2_bytes import GPT2_BYTE_ORDER, to_gpt2_characters
from playground.catalog.ranked import RankedTokenizer
from playground.catalog.shipped_vocabularies import RankLines, check_hash, read_vocabulary
from playground.catalog.tiktoken_encoding import LazyEncoding
from playground.core.errors import VocabularyFileError


@cache
def load_openai(name: str) -> RankedTokenizer:
    """Load an encoding from tiktoken's definition. Raises VocabularyFileError.

    >>> load_openai("p50k_edit").vocabulary.n_vocab
    50284
    """
    definition = getattr(_offline_definitions(), name)()
    return RankedTokenizer(LazyEncoding(**definition))


def encoding_names() -> list[str]:
    """Return the names of all encodings that tiktoken defines, oldest first."""
    return list(_offline_definitions().ENCODING_CONSTRUCTORS)


@cache
def _offline_definitions() -> ModuleType:
    """Return our own copy of tiktoken's table, whose download functions read `assets/`."""
    spec = importlib.util.find_spec("tiktoken_ext.openai_public")
    if spec is None or spec.loader is None:
        raise VocabularyFileError("tiktoken's table `tiktoken_ext.openai_public` is not installed")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.__dict__["load_tiktoken_bpe"] = _load_tiktoken_bpe
    module.__dict__["data_gym_to_mergeable_bpe_ranks"] = _load_vocab_bpe
    return module


def _load_tiktoken_bpe(url: str, expected_hash: str) -> RankLines:
    """Do as tiktoken's `load_tiktoken_bpe`, from assets; p50k and r50k are made of GPT-2's merges."""
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
    return RankLines(data)


def _load_vocab_bpe(*, vocab_bpe_file: str, vocab_bpe_hash: str, **_encoder_json: str) -> dict[bytes, int]:
    """Do as tiktoken's `data_gym_to_mergeable_bpe_ranks`; the merges alone determine the ids."""
    file_name = vocab_bpe_file.rsplit("/", 1)[-1]
    data = read_vocabulary(f"{file_name}.gz")
    check_hash(file_name, data, vocab_bpe_hash, source="OpenAI")
    ranks = {bytes([byte]): rank for rank, byte in enumerate(GPT2_BYTE_ORDER)}
    tokens = data.decode().replace(" ", "").split("\n")[1:-1]  # each line has the two tokens of a merge
    byte_of = codecs.charmap_build(to_gpt2_characters(bytes(range(256))))
    raw = codecs.charmap_encode("".join(tokens), "strict", byte_of)[0]  # one byte per character
    ends = accumulate(map(len, tokens), initial=0)
    ranks |= zip((raw[start:end] for start, end in pairwise(ends)), count(len(ranks)))
    return ranks


@cache
def _gpt2_ranks() -> dict[bytes, int]:
    ranks: dict[bytes, int] = _offline_definitions().gpt2()["mergeable_ranks"]
    return ranks


def _to_tiktoken_bpe(ranks: Mapping[bytes, int]) -> bytes:
    return b"".join(b2a_base64(token, newline=False) + b" %d\n" % rank for token, rank in ranks.items())
