"""What a person typed stays text in a message; a Markdown reader is asked."""

import re
from html import unescape

import cmarkgfm
import pytest
from cmarkgfm.cmark import Options
from hypothesis import given
from hypothesis import strategies as st

from playground.render.visible_text import markdown_escape

MARKUP = st.text(st.sampled_from("a1 *_`~<>[](){}#+-=.!|&;:$\\\"'/@"), max_size=12)


@given(st.text())
def test_messages_keep_their_text(text):
    assert re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", markdown_escape(text)).replace("\u2060", "") == text.replace(
        "\u2060", ""
    )


@given(
    MARKUP | st.sampled_from(["&amp;", "a\\*", "[a](b)", "![a](b)", "~~a~~", "<b>", "http://a.org", "# a"])
)
def test_a_markdown_reader_shows_what_was_typed(text):
    typed = f"x{text}x"  # white space at the ends of a paragraph is not shown
    html = cmarkgfm.github_flavored_markdown_to_html(markdown_escape(typed), Options.CMARK_OPT_UNSAFE)
    assert set(re.findall(r"<[^>]*>", html)) == {"<p>", "</p>"}
    assert unescape(re.sub(r"<[^>]*>", "", html)).strip().replace("\u2060", "") == typed


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("$x$", r"\$x\$"),
        (":smile: :red[a]", r"\:smile\: \:red\[a\]"),
        ("a|b", r"a\|b"),
        ("me@a.org", "me\u2060@a\\.org"),
        ("www.a.org", "www\u2060\\.a\\.org"),
        ("http://a", "http\\:\u2060//a"),
    ],
)
def test_what_streamlit_reads_beyond_markdown_is_text_too(text, escaped):
    assert markdown_escape(text) == escaped
