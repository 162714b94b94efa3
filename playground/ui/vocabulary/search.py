"""Search: find tokens of a vocabulary and look at one."""

from collections.abc import Sequence
from dataclasses import replace
from html import escape
from typing import Any

import pandas as pd
import regex
import streamlit as st

from playground.analysis.unicode_scripts import SCRIPT_KINDS
from playground.analysis.vocabulary_index import (
    TokenQuery,
    VocabularyIndex,
    is_merged,
    parents_of,
    read_search,
    vocabulary_index,
)
from playground.bpe.merging import token_tree
from playground.core.building import MergeRule
from playground.core.errors import PlaygroundError
from playground.core.tokenizer import Tokenizer
from playground.core.vocabulary import Kind
from playground.core.wording import counted, listed
from playground.render.lattice import score_text
from playground.render.merge_tree import merge_tree_svg
from playground.render.visible_text import markdown_escape, shown_bytes
from playground.ui import state
from playground.ui.merge_tree.trees import show_trees
from playground.ui.vocabulary.token_list import choose_token
from playground.ui.vocabulary.token_table import choose_row, token_table

_IN_WORDS: dict[Kind, str] = {
    "piece": "It is a piece of text.",
    "byte": "It is a single byte.",
    "continuation": "It continues a word that another token begins.",
    "special": "It is a special token.",
    "unknown": "It replaces text that no other token covers.",
}
MAX_PARENTS = 500
MAX_SPECIAL = 8
#: The most bytes that are shown in hex.
_MAX_HEX = 24
#: The most characters of a token in its heading.
_MAX_HEADING = 48
BEST, BY_RANK, LATEST, LONGEST = "best match first", "by rank", "latest first", "longest first"
_ORDERS = [BEST, BY_RANK, LATEST, LONGEST]
_ANY_SCRIPT = "any script"
#: The filters that are chips.
_CHIPS = IGNORES_CASE, SPACE, NO_SPACE, UTF8, PARTIAL = (
    *("Ignore case", "Leading space", "No leading space", "Whole UTF-8", "Partial UTF-8"),
)
#: The filters by id and length, behind a button.
_RANGES = ("from_id", "to_id", "from_bytes", "to_bytes")
QUERY, ORDER = state.Field("vocabulary.query", ""), state.Field("vocabulary.order", BEST)
CHIPS: state.Field[list[str]] = state.Field("vocabulary.only", [])
SCRIPT = state.Field("vocabulary.script", _ANY_SCRIPT)


def show_search(tokenizer: Tokenizer) -> None:
    """Draw the search box with its filters, the tokens found, and the selected token."""
    index = vocabulary_index(tokenizer)
    box, order_box, script_box = st.columns([6, 2, 2], vertical_alignment="bottom")
    typed = box.text_input(
        "Text, id or /regex/",
        type="search",
        live="300ms",
        placeholder="ization, 262 or /^ [A-Z]\\w+ing$/",
        **QUERY.shown(),
    )
    messages = st.container()
    order = order_box.selectbox("Order", _ORDERS, **ORDER.one_of(_ORDERS))
    scripts = [_ANY_SCRIPT, *SCRIPT_KINDS]
    script = script_box.selectbox("Script", scripts, **SCRIPT.one_of(scripts))
    query = _filtered(index, read_search(typed), None if script == _ANY_SCRIPT else script)
    try:
        found = index.search(query)
    except PlaygroundError as error:
        sentence = str(error)
        messages.error(markdown_escape(f"{sentence[:1].upper()}{sentence[1:]}."))
        return
    has_special = _show_special(tokenizer, query)
    if not len(found):
        if has_special:
            return
        _show_none(index, query, tokenizer)
        return
    if order == LONGEST or (order == BEST and not typed.strip()):  # nothing to match: the longest come first
        positions = sorted(found.tolist(), key=lambda position: (-len(index.raws[position]), position))
    elif order == LATEST:
        positions = found[::-1].tolist()
    else:
        positions = (index.best_first(query, found) if order == BEST else found).tolist()
    n_special = len(index.vocabulary) - len(index.raws)
    aside = f", not counting {counted(n_special, 'special token')}" if n_special else ""
    st.write(f"**{len(positions):,}** of {len(index.raws):,} tokens{aside}")
    tokens, card = st.columns([3, 2], gap="medium")
    with tokens:
        position = choose_token(index, positions)
    with card:
        _show_at(tokenizer, index, position)


def _filtered(index: VocabularyIndex, query: TokenQuery, script: str | None) -> TokenQuery:
    """Draw the chips and the ranges, and return the query with the chosen filters."""
    with st.container(horizontal=True, vertical_alignment="center"):
        chips: list[str] = st.pills(
            "Filters", _CHIPS, selection_mode="multi", label_visibility="collapsed", **CHIPS.some_of(_CHIPS)
        )
        n_set = sum(state.Field(f"vocabulary.{name}", None).value is not None for name in _RANGES)
        ranges_box = st.popover(f"Id and length{f' · {n_set}' if n_set else ''}")
    highest, longest = int(index.ids.max()), int(index.n_bytes.max())
    with ranges_box:
        columns = st.columns(2)
        min_id, max_id, min_bytes, max_bytes = (
            columns[place % 2].number_input(
                label, low, high, placeholder=f"{shown:,}", **_number(name, high).shown()
            )
            for place, (name, label, low, high, shown) in enumerate(
                (
                    ("from_id", "Lowest id", 0, highest, 0),
                    ("to_id", "Highest id", 0, highest, highest),
                    ("from_bytes", "Fewest bytes", 1, longest, 1),
                    ("to_bytes", "Most bytes", 1, longest, longest),
                )
            )
        )
    return replace(
        query,
        ignores_case=query.ignores_case or IGNORES_CASE in chips,
        min_id=min_id,
        max_id=max_id,
        min_bytes=min_bytes,
        max_bytes=max_bytes,
        script=script,
        starts_with_space=_yes_or_no(chips, SPACE, NO_SPACE),
        is_utf8=_yes_or_no(chips, UTF8, PARTIAL),
    )


def _yes_or_no(chips: Sequence[str], yes: str, no: str) -> bool | None:
    """Return which of two opposite chips is chosen; None for neither, or for both, which exclude nothing."""
    return None if (yes in chips) == (no in chips) else yes in chips


def _number(name: str, highest: int) -> state.Field[int | None]:
    """Return the field of a number, clamped to this vocabulary's range; it may be empty."""
    field: state.Field[int | None] = state.Field(f"vocabulary.{name}", None)
    if (field.value or 0) > highest:
        field.put(highest)
    return field


def _show_special(tokenizer: Tokenizer, query: TokenQuery) -> bool:
    """Name the special tokens that match, which are not in the list of tokens; return whether any does."""
    names = [
        f"`{name}` ({token_id:,})"
        for name, token_id in tokenizer.special_tokens.items()
        if (query.text and query.text in name) or token_id == query.or_id
    ]
    if names:
        more = [f"{len(names) - MAX_SPECIAL:,} more"] if len(names) > MAX_SPECIAL else []
        st.caption(f"Special tokens with their ids: {listed([*names[:MAX_SPECIAL], *more])}")
    return bool(names)


def _show_none(index: VocabularyIndex, query: TokenQuery, tokenizer: Tokenizer) -> None:
    """Say that no token matches, and draw the nearest tokens or name the filter to remove."""
    unfiltered = TokenQuery(query.text, query.or_id, query.pattern, ignores_case=query.ignores_case)
    name = markdown_escape(tokenizer.name)
    if (n_without := len(index.search(unfiltered))) and query != unfiltered:
        matches = "token matches" if n_without == 1 else "tokens match"
        st.info(f"No token matches. Without the filters, {n_without:,} {matches}.")
    elif query.pattern:
        st.info(f"No token of {name} matches this regular expression.")
    else:
        is_id = query.or_id is not None
        what = f"has the id {query.or_id:,} or contains it" if is_id else "contains this text"
        about = f" Ids go from {int(index.ids.min()):,} to {int(tokenizer.vocabulary.ids.max()):,}."
        nearest = [] if is_id else index.nearest(query.text)
        st.info(
            f"No token of {name} {what}.{about if is_id else ''}{' The nearest tokens:' if nearest else ''}"
        )
        if nearest:
            chosen = choose_row(
                _table(index, nearest), key=f"vocabulary_nearest {tokenizer.name} {query.text}"
            )
            _show_at(tokenizer, index, nearest[chosen or 0])


def _show_at(tokenizer: Tokenizer, index: VocabularyIndex, position: int) -> None:
    token_id = int(index.ids[position])
    if tokenizer.merges is None:
        show_unmerged_token(tokenizer, token_id)
    else:
        show_token(index, position, tokenizer.merges, file_name=f"{tokenizer.name}-{token_id}")


def _table(index: VocabularyIndex, positions: list[int]) -> pd.DataFrame:
    ids = [int(index.ids[position]) for position in positions]
    scripts = [SCRIPT_KINDS[index.script_codes[position]] for position in positions]
    spelled = [index.vocabulary.entry(token_id).spelled for token_id in ids]
    raws = [index.raws[position] for position in positions]
    return token_table(ids, raws, spelled=spelled, scripts=scripts)


def show_token(index: VocabularyIndex, position: int, merges: MergeRule[Any], *, file_name: str) -> None:
    """Draw one token: its merge tree, its rank, and the tokens merged from it."""
    raw, token_id = index.raws[position], int(index.ids[position])
    _show_heading(token_id, raw)
    tree = token_tree(token_id, merges)
    n_merged = int(is_merged(index)[:position].sum())
    if is_merged(index)[position]:
        learned = f"merge {n_merged + 1:,} of the vocabulary."
    else:
        learned = "a single byte." if len(raw) == 1 else "in the vocabulary before any merge."
    entry = index.vocabulary.entry(token_id)
    st.write(
        f"Rank {int(index.ranks[position]):,}: {learned} {counted(len(raw), 'byte')}: `{_hex(raw)}`"
        + (f", in its file {_code(entry.spelled)}." if entry.spelled else ".")
        + _score_sentence(entry.score)
    )
    show_trees([merge_tree_svg(tree)], key="vocabulary_tree", file_name=file_name)
    if not tree.is_recovered:
        st.warning(
            "No merge of lower-ranked tokens produces this token; its tree ends in the remaining parts."
        )
    parents = parents_of(index, merges, token_id)
    are = "is" if len(parents) == 1 else "are"
    st.write(f"**{counted(len(parents), 'token')}** {are} merged from it{', by rank:' if parents else '.'}")
    if parents:
        st.dataframe(_table(index, parents[:MAX_PARENTS]), hide_index=True, height=240)
        if len(parents) > MAX_PARENTS:
            st.write(f"Showing the first {MAX_PARENTS} tokens.")


def _hex(raw: bytes) -> str:
    return raw[:_MAX_HEX].hex(" ").upper() + (" …" if len(raw) > _MAX_HEX else "")


def _code(text: str) -> str:
    """Return a text as inline code of Markdown; more backticks around it than it has in a row."""
    fence = "`" * (max(map(len, regex.findall("`+", text)), default=0) + 1)
    return f"{fence} {text} {fence}"


def _show_heading(token_id: int, raw: bytes) -> None:
    shown = shown_bytes(raw)
    shown = shown if len(shown) <= _MAX_HEADING else f"{shown[:_MAX_HEADING]}…"
    st.html(f'<h2 class="token-heading"><code>{escape(shown)}</code> id {token_id:,}</h2>')


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
    _show_heading(token_id, entry.raw)
    score = "" if entry.score is None else f" Its score is {score_text(entry.score)}; higher is better."
    st.write(f"It is spelled {markdown_escape(entry.spelled)} in its file. {_IN_WORDS[entry.kind]}{score}")
