"""Compare: one text in several tokenizers, with their counts and shared boundaries."""

import streamlit as st

from playground.analysis.comparison import comparison_rows, count_agreement, cut_text
from playground.analysis.examples import COMPARE_EXAMPLES
from playground.analysis.live_comparison import LiveComparison
from playground.server.compare_session import MAX_TOKENIZERS, CompareSession
from playground.ui import page, picker, state
from playground.ui.compare.corpus import show_corpus
from playground.ui.compare.difference import show_difference
from playground.ui.compare.languages import CHART, show_languages
from playground.ui.compare.report import show_report
from playground.ui.compare.view import compare_view
from playground.ui.save_chart import choose_view_of_chart
from playground.ui.vocabulary.old_links import follow_old_link

VIEWS = ["Languages", "Report", "My corpus", "Difference"]
#: The view with exactly one chart, and the name of the file that it is saved as, without an extension.
PICTURES = {"Languages": "tokens-by-language"}

follow_old_link()
bar = page.open_page("Compare", claim="See how tokenizers split the same text.")
session = state.get_or_make("compare", lambda: CompareSession(LiveComparison(COMPARE_EXAMPLES[0].text)))
with bar.picker:
    tokenizers = picker.choose_tokenizers(n_min=2, n_max=MAX_TOKENIZERS, messages=bar.messages)
session.use(tokenizers)

if session.tokenizers:
    compare_view(session, key="compare_view")
    view = choose_view_of_chart("compare", VIEWS, CHART, PICTURES)
    if view == "Languages":
        show_languages(session)
    elif view == "Report":
        show_report(session)
    elif view == "Difference":
        show_difference(session)
    else:
        with st.container(key="compare-corpus"):
            show_corpus(session.tokenizers)
page.show_source(cut_text, comparison_rows, count_agreement)
