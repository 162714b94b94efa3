"""The live editor: one component for text, chat and ids, with its tokens, ids and counts.

Its JavaScript talks to `playground.server.editor.actions`; the text never goes through a rerun of the page.
"""

from typing import Any, Literal, get_args

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from playground.analysis.chat_templates import OPEN_TEMPLATES, opened_templates
from playground.analysis.examples import TOKENIZE_EXAMPLES
from playground.catalog.claude import ClaudeTokenizer
from playground.core.tokenizer import Tokenizer
from playground.render.palette import token_css
from playground.render.visible_text import markdown_escape
from playground.server.compare_session import MAX_TOKENIZERS
from playground.server.editor.session import EditorSession
from playground.ui import component, picker, state
from playground.ui.live_text import LiveText, live_text
from playground.ui.merge_tree.forest import VIEW as MERGE_TREE_VIEW
from playground.ui.page import PAGES
from playground.ui.picker import ModelFigures
from playground.ui.tokenize.special_tokens import SpecialTokens, take_special_tokens

#: Typing has stopped; the server no longer knows the session; a token is to be opened on another page; own
#: special tokens were typed.
EditorEvent = Literal["settled", "lost", "elsewhere", "special"]

_component = component.define(
    "token_editor",
    html="editor/editor.html",
    module="editor/editor.js",
    styles=("shared/text_field.css", "shared/token_strip.css", "editor/editor.css"),
    css=token_css(),
    events=get_args(EditorEvent),
)


class EditorData(LiveText):
    """Data of the component; `is_fresh` until something was changed in its session.

    `model` has the context window and prices of the chosen model.
    """

    is_fresh: bool
    special: SpecialTokens
    has_special: bool
    templates: list[str]
    model: ModelFigures | None


def token_editor(session: EditorSession, special: SpecialTokens, *, key: str) -> Any:
    """Mount the editor; the page runs again a moment after typing stops.

    The result's trigger `lost` is set when the server no longer knew the session.
    """
    if (path := state.take("tokenize.elsewhere", "")) != "":
        st.switch_page(path)
    data: EditorData = {
        **live_text(session, TOKENIZE_EXAMPLES),
        "is_fresh": session.is_fresh,
        "special": special,
        "has_special": bool(session.tokenizer.special_tokens),
        "templates": list(session.templates),
        "model": picker.figures_of(picker.chosen_model(session.shown_tokenizer, picker.ONE)),
    }
    return _component(
        key=key,
        data=data,
        elsewhere=lambda: open_elsewhere(session, state.component_value(key, "elsewhere")),
        special=lambda: take_special_tokens(state.component_value(key, "special")),
    )


def choose_editor_tokenizer(session: EditorSession, *, told: DeltaGenerator) -> Tokenizer:
    """Draw the page's picker; in a chat the template decides the tokenizer, and the picker shows both.

    A tokenizer that is chosen brings its own chat template, if it has one.
    """
    mine = state.picker_session()
    renamed = {old: new for old, new in mine.renamed.items() if old not in mine.own}
    session.rename_template({
        title: title.replace(old, new, 1)
        for old, new in renamed.items()
        for title in [session.template_name]
        if title == old or title.startswith(f"{old} · ")
    })  # fmt: skip
    session.offer_templates({**OPEN_TEMPLATES, **opened_templates(mine.own)})
    tokenizer = picker.chosen_tokenizer()
    if tokenizer is not session.base_tokenizer:
        session.choose_template(tokenizer.name)
    if session.mode != "chat":
        return picker.choose_tokenizer()
    if tokenizer.name in mine.own and not session.has_template(tokenizer.name):
        told.caption(
            markdown_escape(
                f"{tokenizer.name} has no chat template: open its tokenizer_config.json or "
                f"chat_template.jinja with it. Still shown: {session.template_name}."
            )
        )
    if isinstance(tokenizer, ClaudeTokenizer):
        told.caption(
            "Claude’s chat template is not published. To count a message for Claude, choose Text: the count "
            "with the frame of one message is shown beside the count of the text."
        )
    told.caption(
        markdown_escape(
            f"The chat template of {session.template_name} decides the tokenizer: "
            f"{session.shown_tokenizer.name}."
        )
    )
    fixed = " → ".join(dict.fromkeys([session.template_name, session.shown_tokenizer.name]))
    return picker.choose_tokenizer(fixed=fixed)


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
