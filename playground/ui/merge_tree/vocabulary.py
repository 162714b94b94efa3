"""Vocabulary: search a tokenizer's tokens and look at one."""

from collections.abc import Iterable
from dataclasses import replace
from html import escape
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from playground.analysis.unicode_scripts import SCRIPT_KINDS
from playground.analysis.vocabulary_index import (
    TokenQuery,
    VocabularyIndex,
    first_merges,
    is_merged,
    parents_of,
    vocabulary_index,
)
from playground.bpe.merging import token_tree
from playground.core.building import MergeRule
from playground.core.errors import PlaygroundError
from playground.core.glossary import GLOSSARY
from playground.core.tokenizer import Tokenizer
from playground.core.vocabulary import Kind
from playground.core.wording import counted
from playground.render.lattice import score_text
from playground.render.merge_tree import merge_tree_svg
from playground.render.visible_text import markdown_escape, shown_bytes
from playground.ui import picker, state
from playground.ui.merge_tree.forest_view import show_trees
from playground.ui.merge_tree.token_table import choose_row, token_table

PAGE_TOKENS = 100
_IN_WORDS: dict[Kind, str] = {
    "piece": "It is a piece of text.",
    "byte": "It is a single byte.",
    "continuation": "It continues a word that another token begins.",
    "special": "It is a special token.",
    "unknown": "It replaces text that no other token covers.",
}
MAX_PARENTS = 500
N_FIRST_MERGES = 50
_ORDERS = {"by rank": 1, "latest first": -1, "longest first": 0}
_ANY = "any"
_YES_NO = {"yes": True, "no": False}
#: The advanced filters.
_RANGES, _PROPERTIES = ("from_id", "to_id", "from_bytes", "to_bytes"), ("space", "utf8")
TEXT, PATTERN = state.Field("vocabulary.text", ""), state.Field("vocabulary.pattern", "")
ORDER = state.Field("vocabulary.order", "by rank")
IGNORES_CASE = state.Field("vocabulary.case", False)
PAGE = state.Field("vocabulary.page", 1)


def show_vocabulary(tokenizer: Tokenizer) -> None:
    """Draw the search fields, the tokens found, and the selected token."""
    index = vocabulary_index(tokenizer)
    try:
        with st.container(key="vocabulary-filters"):
            query, order = _ask(index)
        found = index.search(query).tolist()
    except PlaygroundError as error:
        st.error(markdown_escape(str(error)))
        return
    if not found:
        n_in_any_case = len(index.search(replace(query, ignores_case=True)))
        st.info(
            "No token matches. "
            + (
                f"With *Ignore case* {counted(n_in_any_case, 'token')} would match."
                if n_in_any_case
                else "Remove a filter, or search for a shorter text."
            )
        )
        return
    position = _choose(index, _sorted(index, found, order), f"{tokenizer.name} {order} {hash(query)}")
    if tokenizer.merges is None:
        show_unmerged_token(tokenizer, int(index.ids[position]))
        return
    show_token(index, position, tokenizer.merges, file_name=f"{tokenizer.name}-{index.ids[position]}")
    _show_first_merges(index, tokenizer, tokenizer.merges)


def _ask(index: VocabularyIndex) -> tuple[TokenQuery, str]:
    first = st.columns([3, 3, 2, 2, 1.5], vertical_alignment="bottom")
    text = first[0].text_input("Text", placeholder="token", **TEXT.shown())
    pattern = first[1].text_input("Regular expression", placeholder=r"^ [A-Z]\w+ing$", **PATTERN.shown())
    script = _choose_or_any(first[2], "Script", "script", SCRIPT_KINDS)
    orders = list(_ORDERS)
    order = first[3].selectbox("Order", orders, **ORDER.one_of(orders))
    ignores_case = first[4].checkbox("Ignore case", **IGNORES_CASE.shown())
    with st.expander("More filters", expanded=_has_more()):
        second = st.columns([2, 2, 2, 2, 3, 3], vertical_alignment="bottom")
    highest, longest = int(index.ids.max()), int(index.n_bytes.max())
    ranges = [
        column.number_input(
            label,
            low,
            high,
            placeholder=str(high if name[:2] == "to" else low),
            **_number(name, high).shown(),
        )
        for column, label, name, low, high in (
            (second[0], "From id", "from_id", 0, highest),
            (second[1], "to id", "to_id", 0, highest),
            (second[2], "From bytes", "from_bytes", 1, longest),
            (second[3], "to bytes", "to_bytes", 1, longest),
        )
    ]
    space = _choose_or_any(second[4], "Starts with a space", "space", _YES_NO)
    utf8 = _choose_or_any(second[5], "Valid UTF-8", "utf8", _YES_NO)
    query = TokenQuery(
        text=text,
        pattern=pattern,
        ignores_case=ignores_case,
        min_id=ranges[0],
        max_id=ranges[1],
        min_bytes=ranges[2],
        max_bytes=ranges[3],
        script=None if script == _ANY else script,
        starts_with_space=_YES_NO.get(space),
        is_utf8=_YES_NO.get(utf8),
    )
    return query, order


def _has_more() -> bool:
    """Whether an advanced filter is or was active; the panel then starts expanded."""
    nothing = {**dict.fromkeys(_RANGES), **dict.fromkeys(_PROPERTIES, _ANY)}
    if any(state.Field(f"vocabulary.{name}", at).value != at for name, at in nothing.items()):
        state.put("vocabulary.has_more", True)
    return state.kept("vocabulary.has_more", False)


def _choose_or_any(place: DeltaGenerator, label: str, name: str, choices: Iterable[str]) -> str:
    options = [_ANY, *choices]
    chosen: str = place.selectbox(label, options, **state.Field(f"vocabulary.{name}", _ANY).one_of(options))
    return chosen


def _number(name: str, highest: int) -> state.Field[int | None]:
    """Return the field of a number, clamped to this vocabulary's range; it may be empty."""
    field: state.Field[int | None] = state.Field(f"vocabulary.{name}", None)
    if (field.value or 0) > highest:
        field.put(highest)
    return field


def _sorted(index: VocabularyIndex, positions: list[int], order: str) -> list[int]:
    if order == "longest first":
        return sorted(positions, key=lambda position: (-len(index.raws[position]), position))
    return positions[:: _ORDERS[order]]


def _choose(index: VocabularyIndex, positions: list[int], asked: str) -> int:
    """Draw the tokens found, page by page, and return the selected one; `asked` identifies the search."""
    n_pages = -(-len(positions) // PAGE_TOKENS)
    with st.container(key="vocabulary-found"):
        heading, pager = st.columns([5, 1], vertical_alignment="bottom")
    if state.keep("vocabulary.asked", lambda: asked) != asked:
        state.put("vocabulary.asked", asked)
        PAGE.put(1)
    number = 1
    if n_pages > 1:
        number = int(pager.number_input(f"Page, of {n_pages:,}", 1, n_pages, **PAGE.shown()))
    aside = " (special tokens not included)" if index.special_ids else ""
    heading.write(
        f"**{len(positions):,}** of {len(index.raws):,} tokens{aside}. Select a row to see its token."
    )
    shown = positions[(number - 1) * PAGE_TOKENS : number * PAGE_TOKENS]
    row = choose_row(_table(index, shown), key=f"vocabulary_table {asked} {number}")
    if row is not None:
        state.put("vocabulary.token", (asked, shown[row]))
    kept = state.keep("vocabulary.token", lambda: None)
    return kept[1] if kept and kept[0] == asked and kept[1] in shown else shown[0]


def _table(index: VocabularyIndex, positions: list[int]) -> pd.DataFrame:
    ids = [int(index.ids[position]) for position in positions]
    scripts = [SCRIPT_KINDS[index.script_codes[position]] for position in positions]
    spelled = [index.vocabulary.entry(token_id).spelled for token_id in ids]
    raws = [index.raws[position] for position in positions]
    return token_table(ids, raws, spelled=spelled, scripts=scripts)


def show_token(index: VocabularyIndex, position: int, merges: MergeRule[Any], *, file_name: str) -> None:
    """Draw one token: its merge tree, its rank, and the tokens merged from it."""
    raw, token_id = index.raws[position], int(index.ids[position])
    st.html(f'<h2 class="token-heading">Token {token_id:,} <code>{escape(shown_bytes(raw))}</code></h2>')
    tree = token_tree(token_id, merges)
    n_merged = int(is_merged(index)[:position].sum())
    place = f"It is number {position + 1:,} of {len(index.raws):,} in order of rank"
    learned = f", and merge {n_merged + 1:,} of the vocabulary."
    if not is_merged(index)[position]:
        learned = ", a single byte." if len(raw) == 1 else ", and in the vocabulary before any merge."
    left, right = st.columns([3, 2])
    with left:
        show_trees([merge_tree_svg(tree)], key="vocabulary_tree", file_name=file_name)
        st.write(place + learned + _score_sentence(index.vocabulary.entry(token_id).score))
        if not tree.is_recovered:
            st.warning(
                "No merge of lower-ranked tokens produces this token; its tree ends in the remaining parts."
            )
    with right:
        parents = parents_of(index, merges, token_id)
        are = "is" if len(parents) == 1 else "are"
        st.write(
            f"**{counted(len(parents), 'token')}** {are} merged from it{', by rank:' if parents else '.'}"
        )
        if parents:
            st.dataframe(_table(index, parents[:MAX_PARENTS]), hide_index=True, height=240)
            if len(parents) > MAX_PARENTS:
                st.write(f"Showing the first {MAX_PARENTS} tokens.")


def _score_sentence(score: float | None) -> str:
    """Say the score of a piece in its file; empty without one."""
    if score is None:
        return ""
    return (
        f" Its score in the file is {score_text(score).removesuffix('.00')}; the highest score merges first."
    )


def show_unmerged_token(tokenizer: Tokenizer, token_id: int) -> None:
    """Draw one token of a tokenizer without known merges: its spelling in the file, and its kind."""
    entry = tokenizer.vocabulary.entry(token_id)
    shown = escape(shown_bytes(entry.raw))
    st.html(f'<h2 class="token-heading">Token {token_id:,} <code>{shown}</code></h2>')
    score = "" if entry.score is None else f" Its score is {score_text(entry.score)}; higher is better."
    st.write(f"It is spelled {markdown_escape(entry.spelled)} in its file. {_IN_WORDS[entry.kind]}{score}")


def _show_first_merges(index: VocabularyIndex, tokenizer: Tokenizer, merges: MergeRule[Any]) -> None:
    st.subheader("First merges", anchor=False, help=GLOSSARY["merge"])
    custom = picker.default_tokenizers()[-1]
    other = picker.choose_tokenizer(
        "other",
        label=f"Compare the first merges of {tokenizer.name} with",
        default="gpt2" if tokenizer.name == custom else custom,
    )
    if other.merges is None:
        st.info(f"{markdown_escape(other.name)} has no merges. Choose a byte-pair tokenizer such as gpt2.")
        return
    columns = _merges(tokenizer.name, index, merges) | _merges(
        other.name, vocabulary_index(other), other.merges
    )
    narrow = {name: st.column_config.Column(width="small") for name in columns if name.endswith("rank")}
    st.dataframe(pd.DataFrame(columns), hide_index=True, height=240, column_config=narrow)


def _merges(name: str, index: VocabularyIndex, merges: MergeRule[Any]) -> dict[str, pd.Series]:
    found = first_merges(index, merges, N_FIRST_MERGES)
    return {
        f"{name}: rank": pd.Series([merge.rank for merge in found]),
        f"{name}: merge": pd.Series(
            [" + ".join(map(shown_bytes, merge.parts)) + " = " + shown_bytes(merge.raw) for merge in found]
        ),
    }
