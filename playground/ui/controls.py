"""Controls that several pages share; each keeps its choice for the session."""

import streamlit as st

from playground.catalog.registry import MODELS, TOKENIZERS, get_tokenizer
from playground.core.tokenizer import Tokenizer
from playground.ui import state


def choose_tokenizer(name: str, *, label: str = "Tokenizer", default: str = "cl100k_base") -> Tokenizer:
    """A searchable picker of encodings and models; `name` tells one picker's memory from another's."""
    options = [*TOKENIZERS, *(model for model in MODELS if model not in TOKENIZERS)]
    kept = state.keep(f"tokenizer.{name}", lambda: default)
    chosen = st.selectbox(
        label,
        options,
        index=options.index(kept) if kept in options else 0,
        format_func=lambda option: (
            f"{option} → {MODELS[option]}" if option in MODELS and option not in TOKENIZERS else option
        ),
    )
    state.put(f"tokenizer.{name}", chosen)
    return get_tokenizer(chosen)
