"""Tokenizers that we trained ourselves and that ship with the app, a plain function each.

`scripts/train_bundled.py` makes their files again.
"""

from functools import cache

from playground.bpe.split_pattern import SplitPattern
from playground.catalog.shipped_vocabularies import check_hash, read_vocabulary
from playground.catalog.trained import TrainedTokenizer
from playground.files.registry import read_model

#: SHA-256 of the content of `python_docs_4k.tiktoken.gz`.
PYTHON_DOCS_HASH = "171a54c0988f5f689dae7b9d9c099cf302e0f81f44e66a624f7dc24205b06f57"


@cache
def load_python_docs() -> TrainedTokenizer:
    """4,096 tokens of cl100k's pattern, learned from Python 3.11's documentation. Raises VocabularyFileError.

    >>> python_docs = load_python_docs()
    >>> [python_docs.vocabulary.raw_of(token_id) for token_id in python_docs.encode(" tokenization")]
    [b' to', b'ke', b'n', b'ization']
    """
    name = "python_docs_4k"
    file_name = f"{name}.tiktoken"
    data = read_vocabulary(f"{file_name}.gz")
    check_hash(file_name, data, PYTHON_DOCS_HASH, source="the trained one")
    model = read_model({file_name: data}, SplitPattern.named("cl100k"))
    return TrainedTokenizer(name, model, opening=f'gzip.open("assets/vocabularies/{file_name}.gz", "rt")')
