"""Vocabularies: the tokens that two tokenizers share, and those that only one has."""

import numpy as np
import pandas as pd
import streamlit as st

from playground.analysis.vocabulary_health import compare_vocabularies
from playground.analysis.vocabulary_index import vocabulary_index
from playground.core.tokenizer import Tokenizer
from playground.core.wording import counted, listed
from playground.render.charts import AnyChart, unchecked
from playground.render.compare_charts import lengths_chart, scripts_chart
from playground.render.visible_text import markdown_escape, shown_bytes
from playground.ui import page, state
from playground.ui.save_chart import save_chart_buttons

#: Comparing a larger vocabulary, such as all characters of Unicode, takes seconds and 400 MB.
MAX_TOKENS = 1_000_000
FIRST, SECOND = state.Field("compare.first_vocabulary", ""), state.Field("compare.second_vocabulary", "")


def show_vocabularies(tokenizers: tuple[Tokenizer, ...]) -> None:
    """Draw the choice of two tokenizers and the comparison of their vocabularies."""
    by_name = {t.name: t for t in tokenizers if len(t.vocabulary) <= MAX_TOKENS}
    names = list(by_name)
    if others := [t for t in tokenizers if t.name not in by_name]:
        told = listed([f"{t.name} has {len(t.vocabulary):,} tokens" for t in others])
        st.caption(
            markdown_escape(f"{told}; vocabularies of up to {MAX_TOKENS:,} tokens can be compared here.")
        )
    if len(names) < 2:
        smaller = "smaller " if others else ""
        st.info(f"Choose two {smaller}tokenizers above, such as gpt2 and cl100k_base.")
        return
    left, right = st.columns(2)
    first = left.selectbox("First vocabulary", names, **FIRST.one_of(names))
    seconds = [name for name in names if name != first]
    second = right.selectbox("Second vocabulary", seconds, **SECOND.one_of(seconds))
    ready = {name: vocabulary_index(by_name[name]) for name in (first, second)}
    comparison = compare_vocabularies(ready[first].raws, ready[second].raws)
    shares = (
        f"{100 * comparison.n_shared / max(n_own, 1):.0f} % of the {n_own:,} of {markdown_escape(name)}"
        for name, n_own in ((first, comparison.n_first), (second, comparison.n_second))
    )
    st.write(f"They share **{comparison.n_shared:,}** tokens: {', and '.join(shares)}.")
    st.caption(
        "Special tokens are not included. Tokens are compared by their bytes: “\u00a0the” with a space and "
        "“the” are different tokens."
        + "".join(
            f" {markdown_escape(name)} has {counted(n_again, 'token')} more, with the same bytes as others."
            for name, n_own in ((first, comparison.n_first), (second, comparison.n_second))
            if (n_again := len(ready[name].raws) - n_own)
        )
    )
    lengths, scripts = st.columns(2)
    with lengths:
        _chart(
            lengths_chart(
                {name: np.bincount(index.n_bytes).tolist() for name, index in ready.items()},
                theme=page.theme(),
                among=names,
                type_scale=page.type_scale(),
            ),
            file_name="token-lengths",
        )
        longest = (comparison.longest_only_first, comparison.longest_only_second)
        st.dataframe(
            pd.DataFrame(
                {
                    f"longest only in {name}": pd.Series(
                        [f"{counted(len(raw), 'byte')}: {shown_bytes(raw)}" for raw in raws]
                    )
                    for name, raws in zip((first, second), longest, strict=True)
                }
            ),
            hide_index=True,
            height=240,
        )
    with scripts:
        counts = {name: index.script_counts() for name, index in ready.items()}
        _chart(
            scripts_chart(counts, theme=page.theme(), among=names, type_scale=page.type_scale()),
            file_name="token-scripts",
        )
        table = pd.DataFrame(counts).fillna(0).astype(int)
        st.dataframe(
            table.rename_axis("script").reset_index(),
            hide_index=True,
            height=240,
            column_config={name: st.column_config.NumberColumn(format="localized") for name in ready},
        )


def _chart(chart: AnyChart, *, file_name: str) -> None:
    """Draw a chart with its save buttons above it."""
    key = f"compare-{file_name}"
    with st.container(horizontal=True, horizontal_alignment="right"):
        save_chart_buttons(key, file_name=file_name)
    with st.container(key=key):
        st.altair_chart(unchecked(chart))
