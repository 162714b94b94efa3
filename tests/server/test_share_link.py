"""Share links bring a page back, and nothing that a link says can do harm."""

import json
import random
from urllib.parse import parse_qs

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from playground.catalog.registry import get_tokenizer
from playground.core.errors import InvalidInputError, TextTooLongError, UnknownTokenizerError
from playground.server.compare_session import COMPARE_LINK
from playground.server.editor.link import EDITOR_LINK, editor_state, restore_editor
from playground.server.editor.session import EditorSession
from playground.server.editor.view import checked_view
from playground.server.forest.session import FOREST_LINK
from playground.server.formats.session import FORMATS_LINK
from playground.server.share_link import (
    MAX_LINK_CHARS,
    MAX_STATE_BYTES,
    PARAMETER,
    link_query,
    pack,
    unpack,
)
from tests.analysis.texts import texts
from tests.server.any_link import LINKS, check_link, json_values, links, squeeze


def parameters_of(query: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(query, keep_blank_values=True).items()}


@given(state=st.dictionaries(st.text(max_size=5), json_values, max_size=4))
def test_state_comes_back(state):
    packed = pack(state)
    assert unpack(packed) == state
    assert set(packed) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.")


@given(text=texts(), name=st.sampled_from(["gpt2", "cl100k_base", "utf8_bytes"]), special=st.booleans())
@settings(max_examples=30)
def test_an_editor_comes_back(text, name, special):
    session = EditorSession(get_tokenizer(name))
    session.use_tokenizer(get_tokenizer(name), ("<user>",))
    session.document.replace(text)
    session.change(honours_special=special)
    other = EditorSession(get_tokenizer("o200k_base"))
    state = EDITOR_LINK.read(parameters_of(link_query(editor_state(session, view=None))))
    assert state is not None
    restore_editor(other, state)
    assert other.document.text == text
    assert (other.base_tokenizer.name, other.own_special) == (name, ("<user>",))
    assert other.document.honours_special == special
    assert other.document.ids == session.document.ids


@pytest.mark.parametrize(
    ("kind", "query", "state"),
    [
        (COMPARE_LINK, "text=h%C3%A9llo", {"text": "héllo", "tokenizers": []}),
        (COMPARE_LINK, "text=", {"text": "", "tokenizers": []}),
        (FOREST_LINK, "text=Hello+world%21&step=2&height=order",
         {"tokenizer": "", "text": "Hello world!", "step": 2, "height_by": "order"}),
        (FOREST_LINK, "text=a&step=" + "9" * 5_000,
         {"tokenizer": "", "text": "a", "step": 0, "height_by": "depth"}),
        (FOREST_LINK, "height=order", {"tokenizer": "", "text": None, "step": 0, "height_by": "order"}),
        (FORMATS_LINK, "data=eNpLtFI4vBIABWECKA%3D%3D", {"text": "a: é"}),
    ],
    ids=range(6),
)  # fmt: skip
def test_links_of_before_are_read(kind, query, state):
    read = kind.read(parameters_of(query))
    assert read == {**dict.fromkeys(read), "chosen": {}, "left_out": [], **state}


def test_the_first_links_of_the_editor_are_read():
    state = {"tokenizer": "gpt2", "own_special": ["<a>"], "honours_special": True, "mode": "text",
             "view": {"pane": {"marks": True}, "settings": {}}, "text": "héllo"}  # fmt: skip
    packed = squeeze(json.dumps(state).encode(), version="")
    read = EDITOR_LINK.read({PARAMETER: packed})
    assert read is not None
    assert {name: read[name] for name in state} == state


def test_an_address_without_a_link_has_none():
    assert all(kind.read({"type": "large"}) is None for kind in LINKS.values())


@pytest.mark.parametrize("kind", LINKS.values(), ids=LINKS)
@pytest.mark.parametrize(
    "packed",
    ["", "x", "é", "****", "2.", "3." + squeeze(b"{}", version=""), "A" * (MAX_LINK_CHARS + 1),
     squeeze(b"[]"), squeeze(b"{"), squeeze(b"\xff"), squeeze(b"NaN"), squeeze(b"[" * 100_000),
     squeeze(b" " * 7_000_000), squeeze(b'{"text": 7, "tokenizer": 7}'), pack({"text": "hello"})[:-6]],
    ids=range(15),
)  # fmt: skip
def test_damaged_links_and_bombs_are_refused(kind, packed):
    with pytest.raises(InvalidInputError, match=r"this share link is damaged: .*; ask for a new one"):
        kind.read({PARAMETER: packed})


def test_a_whole_link_over_the_limit_is_refused_by_its_length():
    digits = "".join(random.Random(2).choices("0123456789", k=30_000))
    too_long = squeeze(json.dumps({"text": digits}).encode())
    assert len(too_long) > MAX_LINK_CHARS
    with pytest.raises(InvalidInputError, match="characters; links have up to 8,000"):
        unpack(too_long)


def test_a_long_text_is_refused_with_its_length():
    noise = "".join(map(chr, random.Random(1).choices(range(0x4E00, 0x9F00), k=20_000)))
    with pytest.raises(TextTooLongError, match=rf"\d\d,\d\d\d characters.*{MAX_LINK_CHARS:,}"):
        link_query({"text": noise})


def test_the_longest_link_is_given_and_read(monkeypatch):
    state = {"text": "one two three"}
    packed = pack(state)
    for n_more, is_given in ((0, True), (-1, False)):
        monkeypatch.setattr("playground.server.share_link.MAX_LINK_CHARS", len(packed) + n_more)
        if is_given:
            assert unpack(pack(state)) == state
        else:
            with pytest.raises(TextTooLongError):
                pack(state)
    for n_more, is_read in ((0, True), (-1, False)):
        monkeypatch.setattr("playground.server.share_link.MAX_LINK_CHARS", len(packed) - len("2.") + n_more)
        if is_read:
            assert unpack(packed) == state
        else:
            with pytest.raises(InvalidInputError, match="links have up to"):
                unpack(packed)


def test_the_longest_link_that_is_no_bomb_is_inflated_only_to_the_longest_text():
    for n_bytes, is_read in ((MAX_STATE_BYTES - 2, True), (MAX_STATE_BYTES + 1, False)):
        packed = squeeze(b'"' + b"x" * n_bytes + b'"')
        assert len(packed) < MAX_LINK_CHARS
        if is_read:
            assert len(str(unpack(packed))) == n_bytes
        else:
            with pytest.raises(InvalidInputError, match="a part of its data is missing"):
                unpack(packed)


def test_a_link_to_a_tokenizer_that_is_not_here_is_told_and_its_text_shown():
    session = EditorSession(get_tokenizer("gpt2"))
    state = EDITOR_LINK.read({PARAMETER: pack({"tokenizer": "mine", "text": "kept"})})
    assert state is not None
    with pytest.raises(UnknownTokenizerError, match="mine"):
        restore_editor(session, state)
    assert (session.document.text, session.base_tokenizer.name) == ("kept", "gpt2")


def test_the_longest_text_of_a_link_is_read_again():
    text = "".join(random.Random(3).choices("0123456789abcdef", k=10_200))
    packed = pack({"text": text})
    assert 7_500 < len(packed) <= MAX_LINK_CHARS
    assert unpack(packed) == {"text": text}


@given(case=links())
@settings(max_examples=60)
@example(case=("formats", {PARAMETER: squeeze(b'{"text": "\\udc00"}')}))
def test_any_link_is_taken_or_refused(case):
    check_link(*case)


@given(view=json_values)
def test_a_view_holds_only_what_is_known(view):
    checked = checked_view({"pane": view, "settings": view, "dear": view, "other": view})
    assert checked is not None
    assert set(checked) - {"dear"} == {"pane", "settings"}
    assert checked.get("dear") is (view if isinstance(view, bool) else None)
    assert set(checked["pane"]) <= {"marks", "label", "colorBy"}


@pytest.mark.parametrize(("name", "least"), [("window", 1), ("priceInput", 0), ("priceOutput", 0)])
def test_numbers_of_a_view_have_both_ends(name, least):
    def kept(value: object) -> object:
        checked = checked_view({"settings": {name: value}})
        assert checked is not None
        return checked["settings"].get(name)

    assert kept(least) == least
    assert kept(10**12) == 10**12
    for wrong in (
        least - 1,
        least - 0.5,
        -(10**400),
        10**12 + 1,
        10**400,
        float("nan"),
        True,
        "1",
        None,
        [1],
    ):
        assert kept(wrong) is None


@pytest.mark.parametrize("kind", LINKS.values(), ids=LINKS)
def test_a_page_can_show_every_text_of_a_link(kind):
    """Half a surrogate pair, which JSON can spell, is what neither a page nor a widget can hold."""
    shown = {"text": "\ud83d", "tokenizer": "a\udc00", "tokenizers": ["\udc00"], "own_special": ["<\udc00>"]}
    state = {name: value for name, value in shown.items() if name in kind.shape.fields}
    read = kind.read({PARAMETER: squeeze(json.dumps(state).encode())})
    assert {name: read[name] for name in state} == json.loads(
        json.dumps(state).replace("\\ud83d", "\\ufffd").replace("\\udc00", "\\ufffd")
    )
