"""The vocabulary files that ship with the app: read, unpacked and checked against their SHA-256.

What a file means is known to the module of its tokenizer.
"""

import gzip
import hashlib
import zlib
from binascii import a2b_base64

from playground.core.assets import ASSETS
from playground.core.errors import VocabularyFileError

VOCABULARY_DIR = ASSETS / "vocabularies"


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


def parse_ranks(data: bytes) -> dict[bytes, int]:
    """The tokens of a `.tiktoken` file, bytes to rank.

    >>> parse_ranks(b"YQ== 0\\nIGI= 1\\n")
    {b'a': 0, b' b': 1}
    """
    words = data.split()
    return dict(zip(map(a2b_base64, words[::2]), map(int, words[1::2]), strict=True))


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
