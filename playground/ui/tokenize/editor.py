"""The live editor: one component for text, chat and ids, with its tokens, ids and counts.

Its JavaScript talks to `playground.server.editor.actions`; the text never goes through a rerun of the page.
"""

from typing import Any, Literal, get_args

import streamlit as st

from playground.analysis.chat_templates import opened_templates
from playground.analysis.examples import TOKENIZE_EXAMPLES
from playground.core.errors import UnknownTokenizerError
from playground.core.tokenizer import Tokenizer
from playground.render.palette import token_css
from playground.server.compare_session import MAX_TOKENIZERS
from playground.server.editor.session import EditorSession
from playground.server.picker_list import choice_of
from playground.ui import component, picker, state
from playground.ui.live_text import LiveText, live_text
from playground.ui.merge_tree.session import VIEW as MERGE_TREE_VIEW
from playground.ui.page import PAGES
from playground.ui.picker import ModelFigures
from playground.ui.tokenize.special_tokens import SpecialTokens, take_special_tokens

#: Typing has stopped; the server no longer knows the session; a token is to be opened on another page; own
#: special tokens were typed; a pasted chat names another model.
EditorEvent = Literal["settled", "lost", "elsewhere", "special", "model"]

_component = component.define(
    "token_editor",
    html="editor/editor.html",
    module="editor/editor.js",
    styles=("shared/text_field.css", "shared/token_strip.css", "editor/editor.css"),
    css=token_css(),
    events=get_args(EditorEvent),
)


class EditorData(LiveText):
    """Data of the component.

    `templates` are the titles of the tokenizer's chat templates, if it has several. `model` has the context
    window and prices of the chosen model.
    """

    special: SpecialTokens
    has_special: bool
    templates: list[str]
    model: ModelFigures | None


def token_editor(session: EditorSession, special: SpecialTokens, *, key: str) -> Any:
    """Mount the editor; the page runs again a moment after typing stops.

    The result's trigger `lost` is set when the server no longer knew the session.
    """
    if (path := state.pop("tokenize.elsewhere", "")) != "":
        st.switch_page(path)
    data: EditorData = {
        **live_text(session, TOKENIZE_EXAMPLES),
        "special": special,
        "has_special": bool(session.tokenizer.special_tokens),
        "templates": titles if len(titles := _titles_of(session.base_tokenizer)) > 1 else [],
        "model": picker.figures_of(session.model),
    }
    return _component(
        key=key,
        data=data,
        elsewhere=lambda: open_elsewhere(session, state.component_value(key, "elsewhere")),
        special=lambda: take_special_tokens(state.component_value(key, "special")),
        model=lambda: _take_model(session, state.component_value(key, "model")),
    )


def _titles_of(tokenizer: Tokenizer) -> list[str]:
    own = state.picker_session().visitor_tokenizers.get(tokenizer.name)
    return [] if own is None else [*opened_templates({tokenizer.name: own})]


def use_chosen_model(session: EditorSession, special: SpecialTokens, *, is_typed: bool) -> None:
    """Use the picker's tokenizer, the model that it was chosen for, and the visitor's special tokens."""
    tokenizer = picker.chosen_tokenizer()
    session.use_tokenizer(
        tokenizer,
        tuple(token for token, _ in special["used"]),
        model=picker.chosen_model(tokenizer, picker.ONE),
        is_typed=is_typed,
    )


def _take_model(session: EditorSession, asked: object) -> None:
    """Choose the model that a pasted chat names, or the template that an older link names."""
    if not isinstance(asked, str):
        return
    try:
        choice = choice_of(asked, state.picker_session().visitor_tokenizers)
    except UnknownTokenizerError:  # a template of an opened tokenizer that is gone
        session.revision += 1
        return
    picker.choose(picker.ONE, [choice.name])


def open_elsewhere(session: EditorSession, asked: object) -> None:
    """Bring this page's tokenizer to another page, which the next run opens; the browser brings the text."""
    if asked not in ("merge_tree", "compare"):
        return
    is_chat = session.mode == "chat"
    name = picker.name_of(session.shown_tokenizer if is_chat else session.base_tokenizer)
    if asked == "merge_tree":
        picker.choose(picker.ONE, [name])
        MERGE_TREE_VIEW.put(MERGE_TREE_VIEW.default)
    else:
        compared = picker.chosen_names(picker.SEVERAL) or picker.default_tokenizers()
        if name not in compared:
            picker.choose(picker.SEVERAL, [name, *compared][:MAX_TOKENIZERS])
    state.put("tokenize.elsewhere", str(PAGES / f"{asked}.py"))
