"""What a person typed stays text in a message."""

import re

from hypothesis import given
from hypothesis import strategies as st

from playground.render.plain_text import markdown_escape


@given(st.text())
def test_messages_keep_their_text(text):
    assert re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", markdown_escape(text)).replace("\u2060", "") == text.replace(
        "\u2060", ""
    )
    assert not re.search(r"(?<!\\)[*_`<\[!]", re.sub(r"\\\\", "", markdown_escape(text)))
