"""Tokenize: paste a text and see its tokens."""

import streamlit as st

from playground.ui import controls, page

page.open_page("Tokenize", claim="Paste a text and see its tokens as you type.")
tokenizer = controls.choose_tokenizer("tokenize")
text = st.text_area("Text", "Tokens are the tiles a text is laid from.")
st.metric("Tokens", len(tokenizer.encode(text)))
