"""Compare: one text in several tokenizers, with their counts and shared boundaries."""

import streamlit as st

from playground.analysis.comparison import comparison_rows, count_agreement, cut_text
from playground.analysis.examples import COMPARE_EXAMPLES
from playground.analysis.live_comparison import LiveComparison
from playground.render.charts import unchecked
from playground.render.compare_charts import tokens_chart
from playground.server.compare_session import MAX_TOKENIZERS, CompareSession
from playground.ui import page, picker, state
from playground.ui.compare.corpus import show_corpus
from playground.ui.compare.languages import CHART, show_languages
from playground.ui.compare.view import compare_view
from playground.ui.compare.vocabularies import show_vocabularies
from playground.ui.save_chart import choose_view_of_chart

VIEWS = ["Tokens", "Languages", "Vocabularies", "My corpus"]
VIEW = state.Field("view.compare", VIEWS[0])
#: The views with exactly one chart, and the name of the file that it is saved as, without an extension.
PICTURES = {"Tokens": "tokens-by-tokenizer", "Languages": "tokens-by-language"}

bar = page.open_page("Compare", claim="See how tokenizers split the same text.")
session = state.keep("compare", lambda: CompareSession(LiveComparison(COMPARE_EXAMPLES[0].text)))
with bar.picker:
    tokenizers = picker.choose_tokenizers(n_min=2, n_max=MAX_TOKENIZERS, told=bar.told)
session.use(tokenizers)

if session.tokenizers:
    compare_view(session, key="compare_view", on_corpus=lambda: VIEW.put("My corpus"))
    view = choose_view_of_chart("compare", VIEWS, CHART, PICTURES)
    match view:
        case "Languages":
            show_languages(session)
        case "Vocabularies":
            show_vocabularies(session.tokenizers)
        case "My corpus":
            with st.container(key="compare-corpus"):
                show_corpus(session.tokenizers)
        case _:
            with st.container(key=CHART), st.container(key="compare-tokens"):
                st.altair_chart(
                    unchecked(tokens_chart(session.rows(), theme=page.theme(), type_scale=page.type_scale()))
                )
page.show_source(cut_text, comparison_rows, count_agreement)
