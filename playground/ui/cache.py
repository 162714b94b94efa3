"""What is computed once and kept for all visitors: vocabularies made ready to search."""

import streamlit as st

from playground.analysis.vocabulary import VocabularyIndex
from playground.catalog.registry import TOKENIZERS
from playground.core.tokenizer import Tokenizer


def vocabulary_index(tokenizer: Tokenizer) -> VocabularyIndex | None:
    """The tokenizer's tokens, ready to search; None for one that has no merges."""
    ranks = getattr(tokenizer, "mergeable_ranks", None)
    if not ranks:
        return None
    # A name says which vocabulary it is only for the built-in ones.
    fingerprint = 0 if tokenizer.name in TOKENIZERS else hash(tuple(ranks.items()))
    return _index(tokenizer.name, fingerprint, ranks)


@st.cache_resource(max_entries=8, show_spinner="Indexing the vocabulary…")
def _index(name: str, fingerprint: int, _ranks: dict[bytes, int]) -> VocabularyIndex:  # noqa: ARG001
    return VocabularyIndex(_ranks)
