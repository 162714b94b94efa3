"""The tokenizer that ships beside OpenAI's is what its script trains, and what its file says."""

import base64
import gzip

import pytest
import tiktoken
from hypothesis import given, settings

from playground.bpe.split_pattern import SPLIT_PATTERNS
from playground.catalog import shipped_vocabularies
from playground.catalog.registry import get_tokenizer
from playground.catalog.trained import load_python_docs
from playground.core.errors import VocabularyFileError
from playground.core.tokenizer import replace_lone_surrogates
from scripts import train_bundled
from tests.analysis.texts import texts

FILE = shipped_vocabularies.VOCABULARY_DIR / "python_docs_4k.tiktoken.gz"


def test_training_again_gives_the_same_file():
    if train_bundled.corpus_hash() != train_bundled.CORPUS_HASH:
        pytest.skip("this Python's documentation is not that of Python 3.11.7")
    assert train_bundled.train().encode() == gzip.decompress(FILE.read_bytes())


@given(text=texts())
@settings(max_examples=20, deadline=None)
def test_ids_are_tiktokens_for_the_ranks_of_the_file(text):
    lines = map(bytes.split, gzip.decompress(FILE.read_bytes()).splitlines())
    ranks = {base64.b64decode(token): int(rank) for token, rank in lines}
    assert len(ranks) == 4096
    encoding = tiktoken.Encoding(
        "x", pat_str=SPLIT_PATTERNS["cl100k"], mergeable_ranks=ranks, special_tokens={}
    )
    clean = replace_lone_surrogates(text)
    assert get_tokenizer("python_docs_4k").encode(text) == encoding.encode_ordinary(clean)


def test_a_damaged_file_is_named(tmp_path, monkeypatch):
    (tmp_path / FILE.name).write_bytes(gzip.compress(gzip.decompress(FILE.read_bytes())[:-9]))
    monkeypatch.setattr(shipped_vocabularies, "VOCABULARY_DIR", tmp_path)
    with pytest.raises(VocabularyFileError, match=r"python_docs_4k.tiktoken is damaged"):
        load_python_docs.__wrapped__()
