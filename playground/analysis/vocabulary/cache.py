"""What is computed once and kept for all visitors: vocabularies made ready to search."""

import threading
from collections import OrderedDict

from playground.analysis.vocabulary.index import VocabularyIndex
from playground.core.tokenizer import Tokenizer

MAX_INDEXES = 8
#: By the identity of the vocabulary, which its index keeps alive: two tokenizers may have one name.
_indexes: OrderedDict[int, VocabularyIndex] = OrderedDict()
_lock = threading.Lock()


def vocabulary_index(tokenizer: Tokenizer) -> VocabularyIndex:
    """The tokenizer's tokens, ready to search.

    >>> from playground.catalog.registry import get_tokenizer
    >>> vocabulary_index(get_tokenizer("gpt2")) is vocabulary_index(get_tokenizer("gpt2"))
    True
    """
    key = id(tokenizer.vocabulary)
    with _lock:
        if key not in _indexes:
            special_ids = frozenset(tokenizer.special_tokens.values())
            _indexes[key] = VocabularyIndex(tokenizer.vocabulary, special_ids)
        _indexes.move_to_end(key)
        while len(_indexes) > MAX_INDEXES:
            _indexes.popitem(last=False)
        return _indexes[key]


def prepare_index(tokenizer: Tokenizer) -> None:
    """Make a vocabulary ready in the background, so that the first search need not wait for it."""

    def prepare() -> None:
        vocabulary_index(tokenizer).script_counts()  # stands on most of what is kept

    threading.Thread(target=prepare, name="vocabulary index", daemon=True).start()
