"""What is computed once and kept for all visitors: vocabularies made ready to search."""

import threading
from collections import OrderedDict

from playground.analysis.vocabulary import VocabularyIndex
from playground.catalog.registry import TOKENIZERS
from playground.core.tokenizer import Tokenizer

MAX_INDEXES = 8
_indexes: OrderedDict[tuple[str, int], VocabularyIndex] = OrderedDict()
_lock = threading.Lock()


def vocabulary_index(tokenizer: Tokenizer) -> VocabularyIndex | None:
    """The tokenizer's tokens, ready to search; None for one that has no merges."""
    ranks = getattr(tokenizer, "mergeable_ranks", None)
    if not ranks:
        return None
    # A name says which vocabulary it is only for the built-in ones.
    key = (tokenizer.name, 0 if tokenizer.name in TOKENIZERS else hash(tuple(ranks.items())))
    with _lock:
        if key not in _indexes:
            _indexes[key] = VocabularyIndex(ranks)
        _indexes.move_to_end(key)
        while len(_indexes) > MAX_INDEXES:
            _indexes.popitem(last=False)
        return _indexes[key]


def prepare_index(tokenizer: Tokenizer) -> None:
    """Make a vocabulary ready in the background, so that the first search need not wait for it."""

    def prepare() -> None:
        index = vocabulary_index(tokenizer)
        if index is not None:
            index.script_counts()  # stands on most of what is kept

    threading.Thread(target=prepare, name="vocabulary index", daemon=True).start()
