"""One tokenizer for the pages: what was chosen on one stands on the next, until one changes it there.

How a picker looks is `controls`' business.
"""

import streamlit as st

from playground.catalog.registry import encoding_name, is_known
from playground.server.editor.session import EditorSession
from playground.server.forest.session import ForestSession
from playground.ui import state

#: Pickers of one tokenizer that follow each other; every other keeps to itself.
_FOLLOWING = ("tokenize", "merge_tree")
#: What was chosen last in any of them, and which were changed by hand and keep their own.
LATEST = state.Field("tokenizer.latest", "")
OWN: state.Field[list[str]] = state.Field("tokenizer.own", [])


def picker_field(name: str, default: str = "cl100k_base") -> state.Field[str]:
    """What the picker of this name shows; one that nobody has used shows what was chosen last elsewhere.

    Where nothing was chosen, a text that was typed in Tokenize stands in its tokenizer in Merge tree too, but
    for where another has been drawn: that, and its step, are of the tokenizer there.
    """
    field = state.Field(f"tokenizer.{name}", default)
    latest = LATEST.value or _typed_in()
    if latest and name in _FOLLOWING and name not in OWN.value and field.value != latest:
        field.put(latest)
        if not LATEST.value:
            st.rerun()  # the browser is told at a run's beginning what to keep
    return field


def _typed_in() -> str:
    """The tokenizer of a text that was typed in Tokenize; "" where none was, or Merge tree drew another."""
    editor: EditorSession | None = state.kept("editor", None)
    forest: ForestSession | None = state.kept("merge_tree.session", None)
    if editor is None or editor.is_fresh or not (forest is None or forest.is_fresh):
        return ""
    return editor.base_tokenizer.name


def chosen(name: str) -> str:
    """What the picker of this name shows, such as a model; "" before it was drawn."""
    return state.Field(f"tokenizer.{name}", "").value


def change(name: str, chosen: str) -> None:
    """A picker was set by hand or by a link: it keeps its choice, and those that follow take it over."""
    state.Field(f"tokenizer.{name}", "").put(chosen)
    if name in _FOLLOWING:
        OWN.put([*(own for own in OWN.value if own != name), name])
        LATEST.put(chosen)


def latest_first(defaults: list[str]) -> list[str]:
    """What a picker of several opens with: what was chosen last takes the first place, if it has none."""
    latest = LATEST.value
    if is_known(latest):
        latest = encoding_name(latest)
    elif latest not in state.trained_tokenizers():
        return defaults
    return defaults if latest in defaults else [latest, *defaults[1:]]
