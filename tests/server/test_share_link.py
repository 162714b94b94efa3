"""Share links bring a session back, and nothing that a link says can do harm."""

import base64
import json
import random
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playground.catalog.registry import TOKENIZERS, get_tokenizer
from playground.core.errors import InvalidInputError, PlaygroundError, TextTooLongError
from playground.server.editor_session import EditorSession
from playground.server.share_link import MAX_LINK_CHARS, checked_view, pack, restore, share_query, unpack
from tests.analysis.texts import texts

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
FIELDS = ["tokenizer", "own_special", "honours_special", "mode", "view", "text", "messages", "template_name"]


def squeeze(data):
    return base64.urlsafe_b64encode(zlib.compress(data)).rstrip(b"=").decode()


@given(state=st.dictionaries(st.text(max_size=5), json_values, max_size=4))
def test_state_comes_back(state):
    packed = pack(state)
    assert unpack(packed) == state
    assert set(packed) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")


@given(text=texts(), name=st.sampled_from(["gpt2", "cl100k_base", "utf8_bytes"]), special=st.booleans())
@settings(max_examples=30)
def test_a_session_comes_back(text, name, special):
    session = EditorSession(get_tokenizer(name))
    session.use_tokenizer(get_tokenizer(name), ("<user>",))
    session.document.replace(text)
    session.change(honours_special=special)
    other = EditorSession(get_tokenizer("o200k_base"))
    restore(other, share_query(session, view=None).removeprefix("share="))
    assert other.document.text == text
    assert (other.base_tokenizer.name, other.own_special) == (name, ("<user>",))
    assert other.document.honours_special == special
    assert other.document.ids == session.document.ids


@pytest.mark.parametrize(
    "packed",
    ["", "x", "é", "****", "A" * (MAX_LINK_CHARS + 1), squeeze(b"[]"), squeeze(b"{"), squeeze(b"\xff"),
     squeeze(b"[" * 100_000), squeeze(b" " * 7_000_000), pack({"text": "hello"})[:-6]],
    ids=range(11),
)  # fmt: skip
def test_damaged_links_and_bombs_are_refused(packed):
    with pytest.raises(InvalidInputError, match="damaged"):
        unpack(packed)


def test_a_long_text_is_refused_with_its_length():
    noise = "".join(map(chr, random.Random(1).choices(range(0x4E00, 0x9F00), k=20_000)))
    with pytest.raises(TextTooLongError, match=rf"\d\d,\d\d\d characters.*{MAX_LINK_CHARS:,}"):
        pack({"text": noise})


@given(hostile=st.dictionaries(st.sampled_from(FIELDS), json_values), name=st.sampled_from([*TOKENIZERS][:1]))
@settings(max_examples=100)
def test_any_values_are_taken_or_refused(hostile, name):
    session = EditorSession(get_tokenizer(name))
    try:
        restore(session, squeeze(json.dumps({"tokenizer": name} | hostile).encode()))
    except PlaygroundError as error:
        assert str(error)  # noqa: PT017
    assert session.mode in ("text", "chat", "ids")
    assert session.document.ids == session.tokenizer.encode(
        session.document.text,
        allowed_special=frozenset(
            session.tokenizer.special_tokens if session.document.honours_special else ()
        ),
    )


@given(view=json_values)
def test_a_view_holds_only_what_is_known(view):
    checked = checked_view({"pane": view, "settings": view, "other": view})
    assert checked is not None
    assert set(checked) == {"pane", "settings"}
    assert set(checked["pane"]) <= {"marks", "label", "colorBy"}
