"""The Merge tree page's first part: the forest of a text, live, and the player of its encoding."""

import hashlib
from typing import Any

import streamlit as st

from playground.core.errors import PlaygroundError
from playground.core.tokenizer import Tokenizer
from playground.render.merge_tree import Height
from playground.ui import state
from playground.ui.merge_forest import merge_forest_editor
from playground.ui.merge_forest.forest_data import (
    MAX_DRAWN,
    MAX_TRACE_CHARS,
    NO_TREES,
    DrawnTrees,
    forest_data,
)

EXAMPLE = " tokenization"
_KEY = "merge_forest"


def restore_forest() -> None:
    """Take text, step, height and tokenizer from a share link."""
    names = ("text", "step", "height", "tokenizer")
    text, step, height, tokenizer_name = map(state.take_query_parameter, names)
    if text is not None:
        state.put("merge_tree.text", text)
        state.put("merge_tree.step", int(step) if step and step.isdecimal() and len(step) < 9 else 0)
        state.put("merge_tree.height_by", "order" if height == "order" else "depth")
    if tokenizer_name:
        state.put("tokenizer.merge_tree", tokenizer_name)


@st.fragment
def show_forest(tokenizer: Tokenizer) -> None:
    """Mount the live forest of a tokenizer that merges."""
    _adopt("text", "step", "height_by")
    text = state.keep("merge_tree.text", lambda: EXAMPLE)
    step = state.keep("merge_tree.step", lambda: 0)
    height_by: Height = "order" if state.keep("merge_tree.height_by", lambda: "depth") == "order" else "depth"
    ranks = getattr(tokenizer, "mergeable_ranks", {})
    try:
        pattern = getattr(tokenizer, "split_pattern", "")
        data = forest_data(text, ranks, pattern, height_by=height_by, drawn=_drawn(tokenizer))
        data |= {"problem": _difference(data, tokenizer, text)}
    except PlaygroundError as error:
        data = NO_TREES | {"problem": str(error), "height_by": height_by}
    what = f"{tokenizer.name}\0{len(ranks)}\0{height_by}\0{text}".encode(errors="replace")
    data |= {
        "text": text,
        "step": step,
        "tokenizer": tokenizer.name,
        "revision": hashlib.sha256(what).hexdigest()[:16],
        "file_name": f"merge-tree-{tokenizer.name}",
    }
    merge_forest_editor(key=_KEY, data=data)


def _drawn(tokenizer: Tokenizer) -> DrawnTrees:
    """What this session has drawn of the tokenizer at hand."""
    kept: tuple[Tokenizer, DrawnTrees] = state.keep("merge_tree.drawn", lambda: (tokenizer, {}))
    if kept[0] is not tokenizer or len(kept[1]) > MAX_DRAWN:
        kept = (tokenizer, {})
        state.put("merge_tree.drawn", kept)
    return kept[1]


def _adopt(*names: str) -> None:
    """Keep what the component sent, also for when the visitor comes back to the page."""
    for name in names:
        value = state.component_value(_KEY, name)
        if value is None or state.keep(f"merge_tree.sent.{name}", lambda: None) == value:
            continue
        state.put(f"merge_tree.sent.{name}", value)
        state.put(f"merge_tree.{name}", value)
        if name == "text":
            state.put("merge_tree.step", 0)


def _difference(data: dict[str, Any], tokenizer: Tokenizer, text: str) -> str:
    """Say so if the tokenizer's own encoder counts otherwise, as one that does not merge by rank may."""
    n_own = len(tokenizer.encode(text[:MAX_TRACE_CHARS]))
    if n_own == data["n_tokens"]:
        return ""
    return (
        f"{tokenizer.name} itself makes {n_own:,} tokens of this text, because some of its merges depend on "
        f"the pair and not only on its rank. The trees show what merging by rank makes: {data['n_tokens']:,}."
    )
