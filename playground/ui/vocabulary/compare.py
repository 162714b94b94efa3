"""Compare: the tokens that two vocabularies share, and those that only one has."""

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from playground.analysis.vocabulary_health import compare_vocabularies
from playground.analysis.vocabulary_index import VocabularyIndex, first_merges, vocabulary_index
from playground.core.building import MergeRule
from playground.core.glossary import GLOSSARY
from playground.core.tokenizer import Tokenizer
from playground.core.wording import counted
from playground.render.charts import AnyChart, unchecked
from playground.render.compare_charts import lengths_chart, scripts_chart
from playground.render.visible_text import markdown_escape, shown_bytes
from playground.ui import page, picker
from playground.ui.save_chart import save_chart_buttons

#: Comparing a larger vocabulary, such as all characters of Unicode, takes seconds and 400 MB.
MAX_TOKENS = 1_000_000
N_FIRST_MERGES = 50


def show_comparison(tokenizer: Tokenizer) -> None:
    """Draw the choice of a second tokenizer and the comparison of both vocabularies."""
    other = picker.choose_tokenizer(
        "other",
        label=f"Compare {tokenizer.name} with",
        default="gpt2" if tokenizer.name == "o200k_base" else "o200k_base",
    )
    if other.name == tokenizer.name:
        st.info("Choose another tokenizer to compare with, such as gpt2.")
        return
    for large in (tokenizer, other):
        if len(large.vocabulary) > MAX_TOKENS:
            st.info(
                f"{markdown_escape(large.name)} has {len(large.vocabulary):,} tokens. Vocabularies of up to "
                f"{MAX_TOKENS:,} tokens can be compared."
            )
            return
    _show_both(tokenizer, other)


def _show_both(tokenizer: Tokenizer, other: Tokenizer) -> None:
    first, second = names = [tokenizer.name, other.name]
    ready = {first: vocabulary_index(tokenizer), second: vocabulary_index(other)}
    comparison = compare_vocabularies(ready[first].raws, ready[second].raws)
    shares = (
        f"{100 * comparison.n_shared / max(n_own, 1):.0f} % of the {n_own:,} of {markdown_escape(name)}"
        for name, n_own in ((first, comparison.n_first), (second, comparison.n_second))
    )
    st.write(f"They share **{comparison.n_shared:,}** tokens: {', and '.join(shares)}.")
    st.caption(
        "Special tokens are not counted. Tokens are compared by their bytes: “\u00a0the” with a space and "
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
    if tokenizer.merges is not None and other.merges is not None:
        st.subheader("First merges", anchor=False, help=GLOSSARY["merge"])
        columns = {
            **_merges(first, ready[first], tokenizer.merges),
            **_merges(second, ready[second], other.merges),
        }
        narrow = {name: st.column_config.Column(width="small") for name in columns if name.endswith("rank")}
        st.dataframe(pd.DataFrame(columns), hide_index=True, height=240, column_config=narrow)


def _merges(name: str, index: VocabularyIndex, merges: MergeRule[Any]) -> dict[str, pd.Series]:
    """Return two columns: the ranks of the first merges, and what they join."""
    found = first_merges(index, merges, N_FIRST_MERGES)
    return {
        f"{name}: rank": pd.Series([merge.rank for merge in found]),
        f"{name}: merge": pd.Series(
            [" + ".join(map(shown_bytes, merge.parts)) + " = " + shown_bytes(merge.raw) for merge in found]
        ),
    }


def _chart(chart: AnyChart, *, file_name: str) -> None:
    """Draw a chart with its save buttons above it."""
    key = f"compare-{file_name}"
    with st.container(horizontal=True, horizontal_alignment="right"):
        save_chart_buttons(key, file_name=file_name)
    with st.container(key=key):
        st.altair_chart(unchecked(chart))
