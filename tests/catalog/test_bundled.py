"""The tokenizer that ships beside OpenAI's is what its script trains, and what its file says."""

import gzip

import pytest

from playground.catalog import shipped_vocabularies
from scripts import train_bundled

FILE = shipped_vocabularies.VOCABULARY_DIR / "python_docs_4k.tiktoken.gz"


def test_training_again_gives_the_same_file():
    if train_bundled.corpus_hash() != train_bundled.CORPUS_HASH:
        pytest.skip("this Python's documentation is not that of Python 3.11.7")
    assert train_bundled.train().encode() == gzip.decompress(FILE.read_bytes())
