"""The compare view: one live text, and its rows in several tokenizers on one axis of characters.

Its JavaScript talks to `playground.server.compare_session`; the text never goes through a rerun of the page.
"""

from typing import Any

from playground.analysis.examples import COMPARE_EXAMPLES
from playground.analysis.live_document import MAX_TEXT_BYTES
from playground.render.palette import token_css, tokenizer_colors
from playground.server.compare_session import CompareSession
from playground.ui import component

_component = component.define(
    "compare",
    html="compare/compare.html",
    module="compare/compare.js",
    styles=("shared/text_field.css", "shared/token_strip.css", "compare/compare.css"),
    css=token_css(),
    events=("settled", "lost"),
)


def compare_view(session: CompareSession, *, key: str) -> Any:
    """Mount the view; the page runs again a moment after typing stops.

    The result's trigger `lost` is set when the server no longer knew the session.
    """
    return _component(
        key=key,
        data={
            "url": component.address(session.url),
            "revision": session.revision,
            "text_revision": session.text_revision,
            "is_fresh": session.is_fresh,
            "examples": [example.text for example in COMPARE_EXAMPLES],
            "colors": tokenizer_colors(tokenizer.name for tokenizer in session.tokenizers),
            "max_bytes": MAX_TEXT_BYTES,
        },
    )
