"""The plain design `benchmarks.keystroke` compares with: `st.text_area`, and a span a token in `st.html`."""

import sys
from html import escape
from pathlib import Path

import streamlit as st

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from playground.catalog.registry import get_tokenizer
from playground.core.tokenizer import segment

COLORS = ("#edb067", "#b9f9fe", "#c5aeff", "#f6ee94", "#72dabe")

text = st.text_area("Text", height=200)
segments = segment(get_tokenizer("cl100k_base"), text).segments
spans = (
    f'<span style="background:{COLORS[i % 5]}">{escape(segment.text)}</span>'
    for i, segment in enumerate(segments)
)
st.html(f'<div id="tokens" data-n="{len(segments)}" style="white-space:pre-wrap">{"".join(spans)}</div>')
