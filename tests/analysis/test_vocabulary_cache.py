"""Indexes are kept for the last few vocabularies, and none longer than its tokenizer."""

import gc
import weakref

from playground.analysis import vocabulary_index as cache
from playground.analysis.vocabulary_index import MAX_INDEXES, vocabulary_index
from tests.ui.visits import learned


def test_an_index_goes_with_its_tokenizer_or_when_others_come(monkeypatch):
    monkeypatch.setattr(cache, "_indexes", type(cache._indexes)())
    tokenizer = learned("mine", "aaab", vocab_size=257)
    index = vocabulary_index(tokenizer)
    assert vocabulary_index(tokenizer) is index
    vocabulary = weakref.ref(tokenizer.vocabulary)
    del tokenizer, index
    gc.collect()
    assert vocabulary() is None
    assert not cache._indexes
    several = [learned("mine", "aaab", vocab_size=257) for _ in range(MAX_INDEXES + 1)]
    indexes = [vocabulary_index(tokenizer) for tokenizer in several]
    assert len(cache._indexes) == MAX_INDEXES
    assert vocabulary_index(several[-1]) is indexes[-1]
    assert vocabulary_index(several[0]) is not indexes[0]
