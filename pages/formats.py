"""Formats: one set of data in every format, with its tokens."""

import streamlit as st

from playground.formats.advice import advise
from playground.formats.conversion import Job
from playground.formats.roles import count_tokens_by_role
from playground.server.formats.session import FormatSession
from playground.ui import page, state
from playground.ui.formats.data import choose_settings, choose_tokenizers, data_field
from playground.ui.formats.results import show_results

bar = page.open_page("Formats", claim="The same data needs more tokens in one format than in another.")
session = state.get_or_make("formats", FormatSession)
with bar.picker:
    tokenizers = choose_tokenizers(messages=bar.messages)
left, right = page.settings_and_figure((5, 8))
with left:
    data_field(session)
    reading = st.container(key="formats-reading")
    settings = choose_settings(tokenizers[0])
with right:
    show_results(session, settings, tokenizers, reading)
page.show_source(Job, count_tokens_by_role, advise)
