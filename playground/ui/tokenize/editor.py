"""The live editor: one component for text, chat and ids, with its tokens, ids and counts.

Its JavaScript talks to `playground.server.editor_routes`; the text never goes through a rerun of the page.
"""

from pathlib import Path
from typing import Any

import streamlit as st

from playground.analysis.chat import CHAT_TEMPLATES
from playground.analysis.examples import EXAMPLES
from playground.analysis.live_document import MAX_TEXT_BYTES
from playground.render.palette import editor_css
from playground.server.editor_routes import EDITOR_PATH
from playground.server.editor_session import EditorSession
from playground.ui import state

_WEB = Path(__file__).resolve().parents[2] / "web"
#: In the order in which they use each other; a component is one script.
_SCRIPTS = (
    "shared/wire.js",
    "shared/text_sync.js",
    "shared/segments.js",
    "shared/text_field.js",
    "editor/token_pane.js",
    "editor/chat_editor.js",
    "editor/token_card.js",
    "shared/save_file.js",
    "editor/picture.js",
    "editor/editor.js",
)
_STYLES = ("shared/text_field.css", "editor/editor.css")

_component = st.components.v2.component(
    "tessera_token_editor",
    html=(_WEB / "editor/editor.html").read_text(),
    css="".join((_WEB / name).read_text() for name in _STYLES) + editor_css(),
    js="\n".join((_WEB / name).read_text() for name in _SCRIPTS),
)


def token_editor(session: EditorSession, *, key: str) -> Any:
    """Mount the editor; the page runs again a moment after typing stops.

    The result's trigger `lost` is set when the server no longer knew the session. After a reload the tab
    tells what it had chosen, and the page's controls take that over.
    """
    return _component(
        key=key,
        data={
            "url": f"{EDITOR_PATH}/{session.id}",
            "revision": session.revision,
            "is_fresh": session.is_fresh,
            "tokenizer_name": session.tokenizer.name,
            "choice": state.keep("tokenizer.tokenize", lambda: session.tokenizer.name),
            "own_special": list(session.own_special),
            "has_special": bool(session.tokenizer.special_tokens),
            "max_bytes": MAX_TEXT_BYTES,
            "templates": list(CHAT_TEMPLATES),
            "examples": [
                {"title": example.title, "text": example.text, "notice": example.notice}
                for example in EXAMPLES
            ],
        },
        on_settled_change=lambda: None,
        on_lost_change=lambda: None,
        on_restored_change=lambda: _restore_controls(st.session_state[key].restored),
    )


def _restore_controls(kept: object) -> None:
    """Take over what a tab remembers; the controls check it like any input."""
    choice, own_special = (
        (kept.get("choice"), kept.get("own_special")) if isinstance(kept, dict) else (None, None)
    )
    if isinstance(choice, str):
        state.put("tokenizer.tokenize", choice)
    if isinstance(own_special, list) and all(isinstance(name, str) for name in own_special):
        state.put("own_special", "\n".join(own_special))
