"""What is computed once and kept for all visitors: vocabularies made ready to search.

Each is kept no longer than the tokenizer that it was made for.
"""

import threading
import weakref
from collections import OrderedDict

from playground.analysis.vocabulary.index import VocabularyIndex
from playground.core.tokenizer import Tokenizer

MAX_INDEXES = 8
#: By the identity of the vocabulary, which its index keeps alive: two tokenizers may have one name. The
#: reference takes an index away with its tokenizer.
_indexes: OrderedDict[int, tuple[VocabularyIndex, "weakref.ref[Tokenizer]"]] = OrderedDict()
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
            index = VocabularyIndex(tokenizer.vocabulary, special_ids)
            _indexes[key] = index, weakref.ref(tokenizer, lambda _gone: _indexes.pop(key, None))
        _indexes.move_to_end(key)
        while len(_indexes) > MAX_INDEXES:
            _indexes.popitem(last=False)
        return _indexes[key][0]


def prepare_index(tokenizer: Tokenizer) -> None:
    """Make a vocabulary ready in the background, so that the first search need not wait for it."""

    def prepare() -> None:
        vocabulary_index(tokenizer).script_counts()  # stands on most of what is kept

    threading.Thread(target=prepare, name="vocabulary index", daemon=True).start()
