"""OpenAI's encodings: a table, and the vocabulary files that ship with the app.

`tests/catalog/test_openai.py` compares the table with tiktoken's own.
"""

import codecs
from binascii import b2a_base64
from collections.abc import Mapping
from functools import cache
from itertools import accumulate, count, pairwise

from playground.bpe.gpt2_bytes import GPT2_BYTE_ORDER, to_gpt2_characters
from playground.bpe.split_pattern import SPLIT_PATTERNS
from playground.catalog.ranked import RankedTokenizer
from playground.catalog.shipped_vocabularies import RankLines, check_hash, read_vocabulary
from playground.catalog.tiktoken_encoding import LazyEncoding

_TEXT, _PREFIX, _MIDDLE, _SUFFIX, _PROMPT = (
    f"<|{name}|>" for name in ("endoftext", "fim_prefix", "fim_middle", "fim_suffix", "endofprompt")
)
_O200K = {_TEXT: 199999, _PROMPT: 200018}
_HARMONY = {
    "startoftext": 199998, "return": 200002, "constrain": 200003, "channel": 200005, "start": 200006,
    "end": 200007, "message": 200008, "call": 200012,
}  # fmt: skip
#: Each encoding's split pattern, vocabulary file and special tokens, oldest first, as in tiktoken's
#: `tiktoken_ext.openai_public`.
_ENCODINGS: dict[str, tuple[str, str, dict[str, int]]] = {
    "gpt2": ("gpt2", "vocab.bpe", {_TEXT: 50256}),
    "r50k_base": ("gpt2", "r50k_base.tiktoken", {_TEXT: 50256}),
    "p50k_base": ("gpt2", "p50k_base.tiktoken", {_TEXT: 50256}),
    "p50k_edit": (
        "gpt2", "p50k_base.tiktoken", {_TEXT: 50256, _PREFIX: 50281, _MIDDLE: 50282, _SUFFIX: 50283},
    ),
    "cl100k_base": (
        "cl100k", "cl100k_base.tiktoken",
        {_TEXT: 100257, _PREFIX: 100258, _MIDDLE: 100259, _SUFFIX: 100260, _PROMPT: 100276},
    ),
    "o200k_base": ("o200k", "o200k_base.tiktoken", _O200K),
    "o200k_harmony": (
        "o200k", "o200k_base.tiktoken",
        _O200K
        | {f"<|{name}|>": token_id for name, token_id in _HARMONY.items()}
        | {f"<|reserved_{n}|>": n for n in range(200000, 201088) if n not in _HARMONY.values()},
    ),
}  # fmt: skip
#: SHA-256 of the files, as OpenAI states them.
SHA256 = {
    "vocab.bpe": "1ce1664773c50f3e0cc8842619a93edc4624525b728b188a9e0be33b7726adc5",
    "r50k_base.tiktoken": "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930",
    "p50k_base.tiktoken": "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069",
    "cl100k_base.tiktoken": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    "o200k_base.tiktoken": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
}


@cache
def load_openai(name: str) -> RankedTokenizer:
    """Load an encoding from its shipped file. Raises VocabularyFileError.

    >>> load_openai("p50k_edit").vocabulary.n_vocab
    50284
    """
    pattern, file_name, special_tokens = _ENCODINGS[name]
    ranks = gpt2_ranks() if file_name == "vocab.bpe" else _rank_lines(file_name)
    return RankedTokenizer(
        LazyEncoding(
            name=name,
            pat_str=SPLIT_PATTERNS[pattern],
            mergeable_ranks=ranks,
            special_tokens=special_tokens,
        )
    )


def encoding_names() -> list[str]:
    """Return the names of OpenAI's encodings, oldest first."""
    return [*_ENCODINGS]


def _rank_lines(file_name: str) -> RankLines:
    """Return a `.tiktoken` file; p50k's and r50k's are made of GPT-2's merges."""
    match file_name:
        case "r50k_base.tiktoken":
            data = _to_tiktoken_bpe(gpt2_ranks())
        case "p50k_base.tiktoken":
            # r50k and runs of 2 to 25 spaces; id 50256 stays free for <|endoftext|>.
            spaces = {b" " * n: 50255 + n for n in range(2, 26)}
            data = _to_tiktoken_bpe(gpt2_ranks() | spaces)
        case _:
            data = read_vocabulary(f"{file_name}.gz")
    check_hash(file_name, data, SHA256[file_name], source="OpenAI")
    return RankLines(data)


@cache
def gpt2_ranks() -> dict[bytes, int]:
    """Return GPT-2's tokens with their ids, which the merges in `vocab.bpe` determine."""
    data = read_vocabulary("vocab.bpe.gz")
    check_hash("vocab.bpe", data, SHA256["vocab.bpe"], source="OpenAI")
    ranks = {bytes([byte]): rank for rank, byte in enumerate(GPT2_BYTE_ORDER)}
    tokens = data.decode().replace(" ", "").split("\n")[1:-1]  # each line has the two tokens of a merge
    byte_of = codecs.charmap_build(to_gpt2_characters(bytes(range(256))))
    raw = codecs.charmap_encode("".join(tokens), "strict", byte_of)[0]  # one byte per character
    ends = accumulate(map(len, tokens), initial=0)
    ranks |= zip((raw[start:end] for start, end in pairwise(ends)), count(len(ranks)))
    return ranks


def _to_tiktoken_bpe(ranks: Mapping[bytes, int]) -> bytes:
    return b"".join(b2a_base64(token, newline=False) + b" %d\n" % rank for token, rank in ranks.items())
