"""Languages: the tokens of one article of the Universal Declaration of Human Rights in each language."""

import pandas as pd
import streamlit as st

from playground.analysis.language_counts import LanguageCount, article_text, count_languages
from playground.core.tokenizer import Tokenizer
from playground.core.wording import counted
from playground.render.charts import unchecked
from playground.render.compare_charts import languages_chart
from playground.render.visible_text import markdown_escape
from playground.server.compare_session import CompareSession
from playground.training.parallel_texts import load_parallel_texts
from playground.ui import page, state

#: The key of the container with the chart, which the save buttons look for.
CHART = "compare-chart"
N_ARTICLES = 30
_WHOLE = "all 30 articles"


def show_languages(session: CompareSession) -> None:
    """Draw the choice of an article, the chart and the table; a click puts that text into the editor."""
    options = [*(f"article {n}" for n in range(1, N_ARTICLES + 1)), _WHOLE]
    chosen = st.selectbox(
        "Article of the Universal Declaration of Human Rights",
        options,
        **state.Field("compare.article", options[0]).one_of(options),
    )
    article = None if chosen == _WHOLE else options.index(chosen) + 1
    counts = _counts(session.tokenizers, article)
    for sentence in loss_sentences(counts):
        st.caption(markdown_escape(sentence))
    drawn = [count for count in counts if count.times_english > 0]  # the axis is logarithmic
    with st.container(key=CHART):
        event = st.altair_chart(
            unchecked(languages_chart(drawn, theme=page.theme(), type_scale=page.type_scale())),
            on_select="rerun",
            key="languages_chart",
        )
        picked = event["selection"].get("language", []) if event else []
    frame = language_table(counts)
    rows = st.dataframe(
        frame,
        height=520,
        hide_index=True,
        column_config={
            name: st.column_config.NumberColumn(format="%.2f" if name.endswith("English") else "localized")
            for name in frame.columns[1:]
        },
        on_select="rerun",
        selection_mode="single-row",
        key="languages_table",
    )["selection"]["rows"]
    st.caption("Click a dot or a row to put that language's text into the text field.")
    language = picked[0]["language"] if picked else frame["language"].iloc[rows[0]] if rows else None
    asked = (language, article)
    if language is not None and state.get_or_make("compare.language", lambda: None) != asked:
        code = next(text.code for text in load_parallel_texts() if text.name == language)
        session.set_text(article_text(code, article))
        state.put("compare.language", asked)
        st.rerun()
    if language is None:
        state.put("compare.language", None)


def loss_sentences(counts: list[LanguageCount]) -> list[str]:
    """Return a warning for each tokenizer that loses text in some language.

    >>> lossy = LanguageCount("Thai", "tha", "mine", 2, 100, 300, 0.1, is_lossy=True)
    >>> loss_sentences([lossy])
    ['mine loses text in 1 of 1 language: unknown characters are dropped or replaced, so its low counts \
there do not mean good compression.']
    """
    messages = []
    for name in dict.fromkeys(count.tokenizer_name for count in counts):
        own = [count.is_lossy for count in counts if count.tokenizer_name == name]
        if any(own):
            messages.append(
                f"{name} loses text in {sum(own)} of {counted(len(own), 'language')}: unknown characters "
                "are dropped or replaced, so its low counts there do not mean good compression."
            )
    return messages


def language_table(counts: list[LanguageCount]) -> pd.DataFrame:
    """Return a row for each language, by falling cost in the first tokenizer; two columns per tokenizer."""
    names = list(dict.fromkeys(count.tokenizer_name for count in counts))
    languages = list(dict.fromkeys(count.language for count in counts))
    by_place = {(count.language, count.tokenizer_name): count for count in counts}
    languages.sort(key=lambda language: -by_place[language, names[0]].times_english)
    columns: dict[str, list[object]] = {"language": [*languages]}
    for name in names:
        columns[name] = [by_place[language, name].n_tokens for language in languages]
        columns[f"{name} × English"] = [
            round(by_place[language, name].times_english, 2) for language in languages
        ]
    return pd.DataFrame(columns)


def _counts(tokenizers: tuple[Tokenizer, ...], article: int | None) -> list[LanguageCount]:
    asked = (tuple(map(id, tokenizers)), article)
    kept = state.get_or_make("compare.language_counts", lambda: None)
    if kept is None or kept[0] != asked:
        kept = (asked, count_languages(tokenizers, article=article))
        state.put("compare.language_counts", kept)
    counts: list[LanguageCount] = kept[1]
    return counts
