"""The compare view: one live text, and its rows in several tokenizers on one axis of characters.

Its JavaScript talks to `playground.ui.compare_session`; the text never goes through a rerun of the page.
"""

from pathlib import Path
from typing import Any

import streamlit as st

from playground.analysis.live_document import MAX_TEXT_BYTES
from playground.analysis.presets import PRESETS
from playground.render.palette import TOKEN_COLORS, tokenizer_colors
from playground.ui.compare_session import COMPARE_PATH, CompareSession

_HERE = Path(__file__).parent
_EDITOR = _HERE.parent / "token_editor"
#: In the order in which they use each other; a component is one script. The text field is the editor's.
_SCRIPTS = (
    *(_EDITOR / name for name in ("text_sync.js", "segments.js", "text_field.js")),
    *(_HERE / n for n in ("rows.js", "compare.js")),
)


def _token_css() -> str:
    variables = {
        theme: "".join(f"--token-{n}:{color};" for n, color in enumerate(colors))
        for theme, colors in TOKEN_COLORS.items()
    }
    return f".compare{{{variables['light']}}} .compare.dark{{{variables['dark']}}}"


_component = st.components.v2.component(
    "tessera_compare",
    html=(_HERE / "compare.html").read_text(),
    css=_token_css() + (_EDITOR / "text_field.css").read_text() + (_HERE / "compare.css").read_text(),
    js="\n".join(path.read_text() for path in _SCRIPTS),
)


def compare_view(session: CompareSession, *, key: str) -> Any:
    """Mount the view; the page runs again a moment after typing stops."""
    return _component(
        key=key,
        data={
            "url": f"{COMPARE_PATH}/{session.id}",
            "revision": session.revision,
            "text_revision": session.text_revision,
            "is_fresh": session.is_fresh,
            "text": session.text,
            "examples": [preset.text for preset in PRESETS],
            "colors": tokenizer_colors(tokenizer.name for tokenizer in session.tokenizers),
            "max_bytes": MAX_TEXT_BYTES,
        },
        on_settled_change=lambda: None,
    )
