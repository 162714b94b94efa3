"""The live editor: one component for text, chat and ids, with its tokens, ids and counts.

Its JavaScript talks to `playground.ui.editor_routes`; the text never goes through a rerun of the page.
"""

from pathlib import Path
from typing import Any

import streamlit as st

from playground.analysis.chat import CHAT_TEMPLATES
from playground.analysis.examples import EXAMPLES
from playground.analysis.live_document import MAX_TEXT_BYTES
from playground.render.palette import editor_css
from playground.ui import state
from playground.ui.editor_routes import EDITOR_PATH
from playground.ui.editor_session import EditorSession

_HERE = Path(__file__).parent
#: In the order in which they use each other; a component is one script.
_SCRIPTS = (
    "wire.js",
    "text_sync.js",
    "segments.js",
    "text_field.js",
    "token_pane.js",
    "chat_editor.js",
    "token_card.js",
    "../save_file.js",
    "picture.js",
    "editor.js",
)

_component = st.components.v2.component(
    "tessera_token_editor",
    html=(_HERE / "editor.html").read_text(),
    css=(_HERE / "text_field.css").read_text() + (_HERE / "editor.css").read_text() + editor_css(),
    js="\n".join((_HERE / name).read_text() for name in _SCRIPTS),
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
