"""Typed text is quoted unchanged in messages, and can't affect the terminal or the page."""

from hypothesis import example, given
from hypothesis import strategies as st

from playground.core.wording import quoted


@given(typed=st.text(max_size=200))
@example(typed=r"\p{Nope}+")
@example(typed="it's \"\x1b[31m\ud800")
def test_typed_text_is_quoted_unchanged(typed):
    shown = quoted(typed)
    assert shown.isprintable()
    assert shown.endswith("…") == (len(typed) > 120)
    if typed.isprintable():
        assert shown[1:].startswith(typed[:120])
