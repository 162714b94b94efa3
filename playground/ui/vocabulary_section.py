"""The vocabulary browser: search a tokenizer's tokens, and open one."""

import pandas as pd
import streamlit as st

from playground.analysis.vocabulary import SCRIPT_KINDS, TokenQuery, VocabularyIndex
from playground.bpe.encode import token_tree
from playground.core.errors import PlaygroundError
from playground.core.tokenizer import Tokenizer
from playground.render.merge_tree import merge_tree_svg
from playground.render.shown_bytes import shown_bytes
from playground.ui import state
from playground.ui.cache import vocabulary_index
from playground.ui.merge_forest import show_trees

PAGE_TOKENS = 100
MAX_PARENTS = 500
_ORDERS = {"by rank": 1, "latest first": -1, "longest first": 0}
_ANY = "any"
_YES_NO = {"yes": True, "no": False}


@st.fragment
def show_vocabulary(tokenizer: Tokenizer, other: Tokenizer) -> None:
    """Search fields, the tokens found, and the page of the one that is chosen."""
    index = vocabulary_index(tokenizer)
    if index is None:
        st.info(f"{tokenizer.name} has no merges to browse. Choose a byte-pair tokenizer such as gpt2.")
        return
    try:
        found = index.search(_ask(index)).tolist()
    except PlaygroundError as error:
        st.error(str(error))
        return
    if not found:
        st.info("No token is like that. Take a condition away, or look for a shorter text.")
        return
    order = state.keep("vocabulary.order", lambda: "by rank")
    position = _choose(index, _sorted(index, found, order))
    if position is not None:
        _show_token(index, position, tokenizer, vocabulary_index(other), other)


def _ask(index: VocabularyIndex) -> TokenQuery:
    first = st.columns([3, 3, 2, 2], vertical_alignment="bottom")
    text = first[0].text_input("Text", state.keep("vocabulary.text", lambda: "token"), key="vocabulary_text")
    state.put("vocabulary.text", text)
    pattern = first[1].text_input(
        "Regular expression", placeholder=r"^ [A-Z]\w+ing$", key="vocabulary_pattern"
    )
    script = first[2].selectbox("Script", [_ANY, *SCRIPT_KINDS], key="vocabulary_script")
    order = first[3].selectbox("Order", list(_ORDERS), key="vocabulary_order")
    state.put("vocabulary.order", order)
    second = st.columns([2, 2, 2, 2, 2, 2], vertical_alignment="bottom")
    highest = int(index.ids[-1])
    longest = int(index.n_bytes.max())
    min_id = second[0].number_input("From id", 0, highest, 0, key=f"vocabulary_from_{highest}")
    max_id = second[1].number_input("to id", 0, highest, highest, key=f"vocabulary_to_{highest}")
    n_bytes = second[2].slider(
        "Bytes", 1, max(longest, 2), (1, max(longest, 2)), key=f"vocabulary_bytes_{longest}"
    )
    space = second[3].selectbox("Starts with a space", [_ANY, *_YES_NO], key="vocabulary_space")
    utf8 = second[4].selectbox("Valid UTF-8", [_ANY, *_YES_NO], key="vocabulary_utf8")
    ignores_case = second[5].checkbox("Ignore case", key="vocabulary_case")
    return TokenQuery(
        text=text,
        pattern=pattern,
        ignores_case=ignores_case,
        min_id=min_id,
        max_id=max_id,
        min_bytes=n_bytes[0],
        max_bytes=n_bytes[1],
        script=None if script == _ANY else script,
        starts_with_space=_YES_NO.get(space),
        is_utf8=_YES_NO.get(utf8),
    )


def _sorted(index: VocabularyIndex, positions: list[int], order: str) -> list[int]:
    if order == "longest first":
        return sorted(positions, key=lambda position: (-len(index.raws[position]), position))
    return positions[:: _ORDERS[order]]


def _choose(index: VocabularyIndex, positions: list[int]) -> int | None:
    n_pages = -(-len(positions) // PAGE_TOKENS)
    heading, pager = st.columns([5, 1], vertical_alignment="bottom")
    number = 1
    if n_pages > 1:
        number = int(
            pager.number_input(f"Page of {n_pages:,}", 1, n_pages, 1, key=f"vocabulary_page_{n_pages}")
        )
    heading.write(f"**{len(positions):,}** of {len(index.raws):,} tokens. Choose a row to open its token.")
    shown = positions[(number - 1) * PAGE_TOKENS : number * PAGE_TOKENS]
    event = st.dataframe(
        token_table(index, shown),
        hide_index=True,
        height=min(35 * (len(shown) + 1) + 3, 280),
        on_select="rerun",
        selection_mode="single-row",
        key="vocabulary_table",
    )
    rows = event["selection"]["rows"]
    return shown[rows[0]] if rows and rows[0] < len(shown) else shown[0]


def token_table(index: VocabularyIndex, positions: list[int]) -> pd.DataFrame:
    """A row a token: id, text, bytes, script."""
    raws = [index.raws[position] for position in positions]
    return pd.DataFrame(
        {
            "id": [int(index.ids[position]) for position in positions],
            "token": [shown_bytes(raw) for raw in raws],
            "bytes": [len(raw) for raw in raws],
            "hex": [raw[:16].hex(" ").upper() + (" …" if len(raw) > 16 else "") for raw in raws],
            "script": [SCRIPT_KINDS[index.script_codes[position]] for position in positions],
        }
    )


def _show_token(
    index: VocabularyIndex,
    position: int,
    tokenizer: Tokenizer,
    other_index: VocabularyIndex | None,
    other: Tokenizer,
) -> None:
    raw = index.raws[position]
    rank = index.mergeable_ranks[raw]
    st.subheader(f"Token {rank:,}", anchor=False)
    tree = token_tree(raw, index.mergeable_ranks)
    n_merged = sum(len(own) > 1 for own in index.raws[:position])
    place = f"It is number {position + 1:,} of {len(index.raws):,} by rank"
    learnt = f", and merge {n_merged + 1:,} of the vocabulary." if len(raw) > 1 else ", a single byte."
    left, right = st.columns([3, 2])
    with left:
        show_trees([merge_tree_svg(tree)], key="vocabulary_tree", file_name=f"{tokenizer.name}-{rank}")
        st.write(place + learnt)
        if not tree.is_recovered:
            st.warning(
                "No merge of lower-ranked tokens makes this token; its tree ends in the parts that are left."
            )
    with right:
        with st.spinner("Recovering all merges…"):
            parents = index.parents_of(raw)
        st.write(f"**{len(parents):,}** tokens are merged from it" + (", by rank:" if parents else "."))
        if parents:
            st.dataframe(token_table(index, parents[:MAX_PARENTS]), hide_index=True, height=240)
            if len(parents) > MAX_PARENTS:
                st.write(f"The table stops after {MAX_PARENTS}.")
    if other_index is not None and other_index is not index:
        st.write(f"The first merges of **{tokenizer.name}** beside those of **{other.name}**.")
        st.dataframe(
            pd.DataFrame({**_merges(index, tokenizer.name), **_merges(other_index, other.name)}),
            hide_index=True,
            height=240,
        )


def _merges(index: VocabularyIndex, name: str, n_merges: int = 50) -> dict[str, pd.Series]:
    merges = index.first_merges(n_merges)
    return {
        f"{name}: rank": pd.Series([rank for rank, _raw, _parts in merges]),
        f"{name}: merge": pd.Series(
            [" + ".join(map(shown_bytes, parts)) + " = " + shown_bytes(raw) for _rank, raw, parts in merges]
        ),
    }
