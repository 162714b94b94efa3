"""The vocabulary files that ship with the app: read, unpacked and checked against their SHA-256.

What a file means is known to the module of its tokenizer.
"""

import gzip
import hashlib
import zlib
from binascii import a2b_base64
from typing import NamedTuple, NewType

from playground.core.assets import ASSETS
from playground.core.errors import VocabularyFileError

VOCABULARY_DIR = ASSETS / "vocabularies"
#: A `.tiktoken` file: a line a token, its bytes in base64 and its rank, in the order of ranks.
RankLines = NewType("RankLines", bytes)
#: An even number. All 200,000 tokens at once hold the interpreter for 0.14 s, and a key press waits.
_WORDS_AT_ONCE = 20_000


def read_vocabulary(file_name: str) -> bytes:
    """The content of a `.gz` file of `assets/vocabularies`. Raises VocabularyFileError.

    >>> read_vocabulary("vocab.bpe.gz")[:13]
    b'#version: 0.2'
    """
    path = VOCABULARY_DIR / file_name
    try:
        return gzip.decompress(path.read_bytes())
    except (OSError, EOFError, zlib.error) as error:
        raise VocabularyFileError(f"cannot read vocabulary file {path}: {error}") from error


def parse_ranks(lines: RankLines) -> dict[bytes, int]:
    """The tokens of a `.tiktoken` file, bytes to rank.

    >>> parse_ranks(RankLines(b"YQ== 0\\nIGI= 1\\n"))
    {b'a': 0, b' b': 1}
    """
    words = lines.split()
    ranks: dict[bytes, int] = {}
    for start in range(0, len(words), _WORDS_AT_ONCE):
        block = words[start : start + _WORDS_AT_ONCE]
        ranks.update(zip(map(a2b_base64, block[::2]), map(int, block[1::2]), strict=True))
    return ranks


def check_hash(file_name: str, data: bytes, expected_hash: str, *, source: str) -> None:
    """Compare with the SHA-256 that the source of the content states. Raises VocabularyFileError.

    >>> check_hash("empty", b"", hashlib.sha256(b"").hexdigest(), source="its maker")
    """
    actual = hashlib.sha256(data).hexdigest()
    if actual != expected_hash:
        raise VocabularyFileError(
            f"vocabulary file {VOCABULARY_DIR / file_name} is damaged: its SHA-256 is {actual}, "
            f"{source}'s is {expected_hash}; restore it from the repository"
        )


class About(NamedTuple):
    """Which models use a tokenizer, how it builds tokens, how many ids it has, and under which licence.

    Family and licence are empty where there is none to name.

    >>> str(About("GPT-2", "byte-level BPE", 50_257, "MIT"))
    'GPT-2 · byte-level BPE · 50,257 tokens · MIT'
    """

    family: str
    kind: str
    n_vocab: int
    licence: str

    def __str__(self) -> str:
        return " · ".join(filter(None, [self.family, self.kind, f"{self.n_vocab:,} tokens", self.licence]))
