"""The vocabulary files that ship with the app: reading, unpacking, SHA-256, and what pickers say of them."""

import gzip
import hashlib
import zlib
from binascii import a2b_base64
from typing import NamedTuple, NewType

from playground.core.assets import ASSETS
from playground.core.errors import VocabularyFileError

VOCABULARY_DIR = ASSETS / "vocabularies"
#: The content of a `.tiktoken` file: per line a token's bytes in Base64 and its rank, sorted by rank.
RankLines = NewType("RankLines", bytes)
#: An even number. Parsing 200,000 tokens in one call holds the interpreter for 0.14 s, which delays key
#: presses.
_WORDS_AT_ONCE = 20_000


def read_vocabulary(file_name: str) -> bytes:
    """Return the content of a `.gz` file in `assets/vocabularies`. Raises VocabularyFileError.

    >>> read_vocabulary("vocab.bpe.gz")[:13]
    b'#version: 0.2'
    """
    path = VOCABULARY_DIR / file_name
    try:
        return gzip.decompress(path.read_bytes())
    except (OSError, EOFError, zlib.error) as error:
        raise VocabularyFileError(f"cannot read vocabulary file {path}: {error}") from error


def parse_ranks(lines: RankLines) -> dict[bytes, int]:
    """Return the tokens of a `.tiktoken` file, bytes to rank.

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
    """Raise VocabularyFileError if the SHA-256 is not the one that the source states.

    >>> check_hash("empty", b"", hashlib.sha256(b"").hexdigest(), source="its maker")
    """
    actual = hashlib.sha256(data).hexdigest()
    if actual != expected_hash:
        raise VocabularyFileError(
            f"vocabulary file {VOCABULARY_DIR / file_name} is damaged: its SHA-256 is {actual}, "
            f"{source}'s is {expected_hash}; restore it from the repository"
        )


class About(NamedTuple):
    """What a picker says of a tokenizer: its models, kind, number of ids and licence.

    Family and licence are "" if there is none to name.

    >>> str(About("GPT-2", "byte-level BPE", 50_257, "MIT"))
    'GPT-2 · byte-level BPE · 50,257 tokens · MIT'
    """

    family: str
    kind: str
    n_vocab: int
    licence: str

    def __str__(self) -> str:
        return " · ".join(filter(None, [self.family, self.kind, f"{self.n_vocab:,} tokens", self.licence]))
