"""What a browser keeps comes back as it was, or is refused in a sentence."""

import base64
import random
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playground.bpe.model import BpeModel
from playground.bpe.split_pattern import SplitPattern
from playground.catalog.kept_file import read_kept, write_and_read, write_kept
from playground.core.errors import CannotHoldError, InvalidInputError, PlaygroundError, TextTooLongError
from playground.server import memory_session
from playground.server.memory_session import MemorySession, Thing, pack_thing, unpack_thing
from tests.server.browser_side import post
from tests.ui.visits import learned


@given(raw=st.binary(max_size=300))
def test_a_thing_comes_back(raw):
    assert unpack_thing(pack_thing(raw, "it")) == raw


@pytest.mark.parametrize("packed", ["", "é", "****", "AAAA", pack_thing(b"x" * 99, "it")[:-8]])
def test_a_damaged_thing_is_refused(packed):
    with pytest.raises(InvalidInputError, match="kept"):
        unpack_thing(packed)


def test_a_bomb_is_not_inflated(monkeypatch):
    monkeypatch.setattr(memory_session, "MAX_BYTES", 1_000)
    packed = {n: base64.b64encode(zlib.compress(b"x" * n)).decode() for n in (1_000, 1_001)}
    assert len(unpack_thing(packed[1_000])) == 1_000
    with pytest.raises(InvalidInputError, match="a part of what was kept is missing"):
        unpack_thing(packed[1_001])


@pytest.mark.parametrize(
    ("limit", "raw"), [("MAX_BYTES", b"x" * 101), ("MAX_PACKED_CHARS", random.Random(1).randbytes(90))]
)
def test_what_is_too_large_is_told(monkeypatch, limit, raw):
    monkeypatch.setattr(memory_session, limit, 100)
    with pytest.raises(TextTooLongError, match=r"mine is too large for this browser to keep: .* A reload"):
        pack_thing(raw, "mine")


MODELS = {
    "trained": learned("mine", "low lower lowest " * 3).model,
    "own pattern": BpeModel(SplitPattern.typed(r"\w+|\s+|[^\w\s]+"), ((97, 97, 256), (256, 98, 257))),
    "special tokens with spaces": learned("mine", "a b c").model.with_special_tokens(
        ("<a b>", " ", "<|end|>")
    ),
    "no pattern": BpeModel(SplitPattern.named("none"), ((97, 97, 256),), {"<s>": 300}),
    "bytes in another order": BpeModel(
        SplitPattern.named("gpt2"), ((0, 1, 256),), {}, tuple(reversed(range(256)))
    ),
}


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_a_tokenizer_comes_back_as_it_was(model):
    assert read_kept(write_kept(model), visitor="v") == model


def test_one_that_no_file_gives_back_is_told():
    clash = BpeModel(SplitPattern.typed("\n"), ((97, 97, 256),), {"<a b>": 257}, tuple(reversed(range(256))))
    try:
        text = write_and_read(clash)
    except CannotHoldError as error:
        assert "no file" in str(error)  # noqa: PT017
    else:
        assert read_kept(text.encode(), visitor="v") == clash


def test_only_what_was_written_here_is_read_as_kept():
    with pytest.raises(InvalidInputError, match=r"'kept.tiktoken'; kept files are kept.model and kept.json"):
        read_kept(b"kept.tiktoken\nAA== 0\n", visitor="v")


@given(text=st.binary(max_size=80) | st.binary(max_size=80).map(lambda raw: b"kept.model\n" + raw))
@settings(max_examples=40)
def test_anything_else_is_refused_as_a_file(text):
    try:
        read_kept(text, visitor="v")
    except PlaygroundError as error:
        assert str(error)  # noqa: PT017


def test_a_visit_is_given_back_once_and_only_what_is_kept():
    session = MemorySession()
    model = MODELS["trained"]
    packed = pack_thing(write_kept(model), "mine")

    def give(name, packed=packed):
        return post(session, "give_back", {"name": name, "digest": "d", "packed": packed})

    assert give("tokenizer/mine").status_code == 200
    assert session.models == {"mine": ("d", model)}
    assert give("choices", pack_thing(b"{}", "it")).status_code == 200
    assert session.data == {"choices": b"{}"}
    refused = give("keep.editor")
    assert (refused.status_code, "nothing is kept as" in refused.json()["error"]) == (400, True)
    bad = give("tokenizer/bad", pack_thing(b"kept.model\nnonsense", "it"))
    assert (bad.status_code, "bad was kept, and cannot be opened again" in bad.json()["error"]) == (400, True)
    session.is_fresh = False
    assert give("tokenizer/mine").status_code == 409


def test_a_thing_is_fetched_by_its_name_and_refused_in_a_sentence():
    def cannot():
        raise CannotHoldError("no file holds it")

    session = MemorySession()
    session.things = {"a": Thing("1", "mine", lambda: b"raw"), "b": Thing("2", "yours", cannot)}
    assert unpack_thing(post(session, "thing", {"name": "a"}).json()["packed"]) == b"raw"
    refused = post(session, "thing", {"name": "b"}).json()["error"]
    assert refused == "this browser cannot keep yours: no file holds it. A reload loses it"
    assert post(session, "thing", {"name": "c"}).status_code == 404
