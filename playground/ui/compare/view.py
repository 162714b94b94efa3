"""The compare view: one live text, and its rows in several tokenizers on one axis of characters.

Its JavaScript talks to `playground.server.compare`; the text never goes through a rerun of the page.
"""

from pathlib import Path
from typing import Any

import streamlit as st

from playground.analysis.live_document import MAX_TEXT_BYTES
from playground.analysis.presets import PRESETS
from playground.render.palette import TOKEN_COLORS, tokenizer_colors
from playground.server.compare import COMPARE_PATH, CompareSession

_WEB = Path(__file__).resolve().parents[2] / "web"
#: In the order in which they use each other; a component is one script. The text field is the editor's.
_SCRIPTS = (
    *("shared/text_sync.js", "shared/segments.js", "shared/text_field.js"),
    *("compare/rows.js", "compare/compare.js"),
)


def _token_css() -> str:
    variables = {
        theme: "".join(f"--token-{n}:{color};" for n, color in enumerate(colors))
        for theme, colors in TOKEN_COLORS.items()
    }
    return f".compare{{{variables['light']}}} .compare.dark{{{variables['dark']}}}"


_component = st.components.v2.component(
    "tessera_compare",
    html=(_WEB / "compare/compare.html").read_text(),
    css=_token_css()
    + (_WEB / "shared/text_field.css").read_text()
    + (_WEB / "compare/compare.css").read_text(),
    js="\n".join((_WEB / name).read_text() for name in _SCRIPTS),
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
