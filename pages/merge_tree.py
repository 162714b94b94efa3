"""Merge tree: inside each token is the tree of the merges that made it, and their ranks say when."""

import streamlit as st

from playground.bpe.encode import merge_bytes, token_tree
from playground.ui import controls, page
from playground.ui.forest_section import restore_forest, show_forest
from playground.ui.race_section import show_race
from playground.ui.vocabulary_section import show_vocabulary

restore_forest()
page.open_page("Merge tree", claim="A token is built from pairs; the lowest rank merges first.")
tokenizer = controls.choose_tokenizer("merge_tree", default="gpt2")
if not getattr(tokenizer, "mergeable_ranks", None):
    st.info(
        f"{tokenizer.name} merges nothing, so there is no tree inside its tokens. "
        "Choose a byte-pair tokenizer such as gpt2, cl100k_base or one that you trained."
    )
    st.stop()
show_forest(tokenizer)

race, vocabulary = st.tabs(["Merge race", "Vocabulary"])
with race:
    st.write("One word on one axis of ranks: who learnt it early, and from which pieces?")
    names = controls.choose_tokenizers("race", default=controls.default_tokenizers(), n_min=2, n_max=4)
    show_race(names)
with vocabulary:
    others = controls.choose_tokenizer("merge_tree_other", label="Compare its first merges with")
    show_vocabulary(tokenizer, others)

page.show_source(merge_bytes, token_tree)
