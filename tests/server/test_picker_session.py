"""The routes of the tokenizer picker: the list, files that are opened, and what a browser keeps."""

import base64
import contextlib
import json
import threading
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playground.bpe.model import BpeModel
from playground.bpe.split_pattern import SplitPattern
from playground.catalog.local_models import LocalPlaces
from playground.catalog.opened import OpenedTokenizer, model_of, tokenizer_of
from playground.core.errors import InvalidInputError, LimitExceededError, PlaygroundError, TextTooLongError
from playground.files.registry import FILE_FORMATS
from playground.files.tokenizer_json import write_tokenizer_json
from playground.server import picker_session
from playground.server.picker_list import choice_of, search
from playground.server.picker_session import (
    PickerSession,
    pack_tokenizer,
    problem_with_name,
    unpack_tokenizer,
)
from playground.workers.process import CancelledError
from tests.catalog.sentencepiece_models import model_bytes
from tests.server.browser_side import post, post_raw
from tests.ui.visits import learned

MINE = learned("mine", "low lower lowest " * 3)
GPT2_FILES = {name: text.encode() for name, text in FILE_FORMATS["gpt2"].write(MINE.model, "mine").items()}
CONFIG = b'{"chat_template": "{% for m in messages %}<s>{{ m.content }}{% endfor %}", "bos_token": "<s>"}'


def session_with(*tokenizers: OpenedTokenizer) -> PickerSession:
    session = PickerSession()
    for tokenizer in tokenizers:
        session.add(tokenizer)
    return session


def open_files(session, files, *, n_earlier=0, replaces="", pattern="gpt2", model=""):
    """Post files as a browser does, and ask until they are read."""
    header = {
        "files": [{"name": name, "n_bytes": len(raw)} for name, raw in files],
        "n_earlier": n_earlier,
        "replaces": replaces,
        "pattern": pattern,
        "model": model,
    }
    head = json.dumps(header).encode()
    body = b"".join([len(head).to_bytes(4, "little"), head, *(raw for _, raw in files)])
    answer = post_raw(session, "open", body, **{"Content-Type": "application/octet-stream"}).json()
    while not answer.get("is_over", True):
        answer = post(session, "opening", {}).json()
    return answer


def test_the_list_has_the_visitors_own_tokenizers_first():
    groups = post(session_with(MINE), "search", {"typed": ""}).json()["groups"]
    assert groups[0]["title"] == "Yours"
    assert [(row["name"], row["detail"]) for row in groups[0]["rows"]] == [("mine", MINE.about)]


def test_a_file_that_is_opened_for_a_model_is_called_like_the_model():
    session = PickerSession()
    assert open_files(session, [*GPT2_FILES.items()], model="llama-3.3-70b")["opened"] == ["llama-3.3-70b"]
    (row, *_) = search("llama 3.3", session.visitor_tokenizers)["groups"][0]["rows"]
    assert (row["tokenizer"], row["badge"]) == ("llama-3.3-70b", "your file")
    assert choice_of("llama-3.3-70b", session.visitor_tokenizers).label == "Llama 3.3 70B"


def test_a_model_on_this_machine_is_listed_and_opened_by_its_name_alone(tmp_path):
    for path in ("llama-3.2/tokenizer.json", "broken/tokenizer.json", "org/own:8b/tokenizer.json"):
        file = tmp_path / path
        file.parent.mkdir(parents=True)
        [written] = write_tokenizer_json(MINE.model, "x").values()
        file.write_text("{" if "broken" in path else written)
    session = PickerSession(places=LocalPlaces(folders=(tmp_path,)))
    groups = post(session, "search", {"typed": ""}).json()["groups"]
    assert groups[0]["title"] == "On this machine"
    assert [row["name"] for row in groups[0]["rows"]] == ["broken", "llama-3.2", "org/own:8b"]
    (tmp_path / "broken").rename(tmp_path / "gone")
    assert post(session, "search", {"typed": "broken"}).json()["groups"][0]["rows"][0]["name"] == "broken"
    assert "broken" not in json.dumps(post(session, "search", {"typed": ""}).json()), "read when opened"
    (tmp_path / "gone").rename(tmp_path / "broken")
    assert post(session, "search", {"typed": "llama 3.2"}).json()["first"] == "llama-3.2"  # the model

    def opened(name):
        answer = post(session, "open_local", {"name": name}).json()
        while not answer.get("is_over", True):
            answer = post(session, "opening", {}).json()
        return answer

    assert opened("llama-3.2")["opened"] == ["llama-3.2"]
    assert opened("org/own:8b")["opened"] == ["own-8b"]
    assert "tokenizer.json" in opened("broken")["refused"][0]
    for name in ("../x", str(tmp_path / "llama-3.2"), ""):
        assert "on this machine any more" in opened(name)["error"]


def test_the_two_files_of_one_tokenizer_are_opened_together():
    session = PickerSession()
    answer = open_files(session, [*GPT2_FILES.items()])
    assert answer == {
        "is_over": True,
        "opened": ["mine"],
        "messages": [f"mine is open: {MINE.about} · split by gpt2."],
        "refused": [],
    }
    assert (
        session.visitor_tokenizers["mine"].encode("lowest").ids.tolist() == MINE.encode("lowest").ids.tolist()
    )


def test_a_file_that_was_refused_alone_goes_with_the_next():
    session = PickerSession()
    first, second = GPT2_FILES.items()
    assert open_files(session, [first])["opened"] == []
    assert open_files(session, [first, second], n_earlier=1)["opened"] == ["mine"]


def test_a_config_joins_the_tokenizer_that_is_open_and_takes_its_place():
    session = PickerSession()
    [text] = FILE_FORMATS["tokenizer.json"].write(MINE.model, "mine").values()
    raw = text.encode()
    [name] = open_files(session, [("tokenizer.json", raw)])["opened"]
    answer = open_files(session, [("tokenizer.json", raw), ("tokenizer_config.json", CONFIG)], replaces=name)
    assert answer["opened"] == [name]
    assert "Its chat template is under Chat on Tokenize." in answer["messages"][0]
    assert list(session.visitor_tokenizers) == [name]
    config = session.visitor_tokenizers[name].config
    assert config is not None
    assert config.templates


def test_several_tokenizers_are_opened_at_once_and_bad_files_are_named():
    session = PickerSession()
    files = [
        ("one.model", model_bytes("bpe, bytes")),
        ("two.model", model_bytes("unigram, nmt_nfkc, symbols")),
        ("notes.txt", b"hello"),
    ]
    answer = open_files(session, files)
    assert answer["opened"] == ["one", "two"]
    [refused] = answer["refused"]
    assert "notes.txt" in refused


def test_another_tokenizer_of_the_same_name_gets_its_size_into_its_name():
    session = session_with(tokenizer_of("one", MINE.model))
    answer = open_files(session, [("one.model", model_bytes("bpe, bytes"))])
    [name] = answer["opened"]
    assert name == f"one-{len(session.visitor_tokenizers[name].vocabulary)}"
    assert "Another tokenizer is called one." in answer["messages"][0]
    assert open_files(session, [("one.model", model_bytes("bpe, bytes"))])["opened"] == [name], "opened again"


def test_a_file_named_like_a_known_tokenizer_gets_another_name():
    session = PickerSession()
    assert open_files(session, [("gpt2.model", model_bytes("bpe, bytes"))])["opened"] == ["gpt2-file"]


def test_a_split_pattern_is_used_where_the_file_has_none():
    session = PickerSession()
    ranks = FILE_FORMATS["tiktoken"].write(MINE.model, "mine")["mine.tiktoken"].encode()
    open_files(session, [("mine.tiktoken", ranks)], pattern="none")
    model = session.visitor_tokenizers["mine"].model
    assert isinstance(model, BpeModel)
    assert model.pattern.is_none


def test_reading_can_be_stopped(monkeypatch):
    started = threading.Event()

    def read(_raws, _pattern, *, visitor, cancelled):
        started.set()
        assert cancelled.wait(20), visitor
        raise CancelledError

    monkeypatch.setattr(picker_session, "open_files", read)
    monkeypatch.setattr(picker_session, "_PATIENCE_SECONDS", 0.01)
    session = PickerSession()
    session.open([picker_session.Upload("a.model", b"")], n_earlier=0, replaces="", pattern="gpt2")
    assert started.wait(20)
    assert post(session, "stop", {}).status_code == 200
    monkeypatch.setattr(picker_session, "_PATIENCE_SECONDS", 20)
    answer = post(session, "opening", {}).json()
    assert answer["refused"] == ["Reading was stopped. Open the file again to read it."]


@pytest.mark.parametrize("body", [b"", b"\xff\xff\xff\xff", b"\x02\0\0\0{}", b"\x04\0\0\0null"])
def test_a_damaged_upload_is_refused(body):
    answer = post_raw(PickerSession(), "open", body, **{"Content-Type": "application/octet-stream"})
    assert answer.status_code == 400
    assert answer.json()["error"]


def test_an_upload_must_be_of_a_type_that_no_form_of_another_site_sends():
    answer = post_raw(PickerSession(), "open", b"", **{"Content-Type": "text/plain"})
    assert answer.status_code == 415
    assert "send application/octet-stream" in answer.json()["error"]


def test_an_upload_over_the_limit_is_refused(monkeypatch):
    large = b"x" * (picker_session.MAX_UPLOAD_BYTES + 1)
    answer = post_raw(PickerSession(), "open", large, **{"Content-Type": "application/octet-stream"})
    assert answer.status_code == 413


def test_a_renamed_tokenizer_keeps_its_place_and_its_former_names_lead_to_it():
    session = session_with(MINE, learned("other", "other words"))
    assert post(session, "rename", {"name": "mine", "new_name": "theirs"}).status_code == 200
    assert post(session, "rename", {"name": "theirs", "new_name": "ours"}).status_code == 200
    assert list(session.visitor_tokenizers) == ["ours", "other"]
    assert session.visitor_tokenizers["ours"].name == "ours"
    assert session.renamed == {"mine": "ours", "theirs": "ours"}


@pytest.mark.parametrize(
    ("new_name", "sentence"),
    [
        ("other", "other (byte-level BPE"),
        ("gpt2", "gpt2 is the name of a known tokenizer; choose another"),
        ("a b", "this one has ' ' at place 2"),
        ("x" * 61, "this one has 61 characters"),
    ],
)
def test_a_name_that_is_taken_or_invalid_is_refused(new_name, sentence):
    session = session_with(MINE, learned("other", "other words"))
    answer = post(session, "rename", {"name": "mine", "new_name": new_name})
    assert answer.status_code == 400
    assert sentence in answer.json()["error"]


def test_a_removed_tokenizer_is_gone():
    session = session_with(MINE)
    assert post(session, "remove", {"name": "mine"}).status_code == 200
    assert session.visitor_tokenizers == {}
    assert post(session, "file", {"name": "mine"}).status_code == 404


def test_the_saved_file_opens_again_as_the_same_tokenizer():
    session = session_with(MINE)
    answer = post(session, "file", {"name": "mine"})
    assert answer.headers["content-disposition"] == "attachment; filename*=UTF-8''mine.model"
    other = PickerSession()
    open_files(other, [("mine.model", answer.content)])
    assert model_of(other.visitor_tokenizers["mine"]) == model_of(MINE)


def test_the_number_of_tokenizers_is_limited(monkeypatch):
    monkeypatch.setattr(picker_session, "MAX_TOKENIZERS", 1)
    session = session_with(MINE)
    session.add(learned("mine", "in its place"))
    with pytest.raises(LimitExceededError, match="1 tokenizers are open, the limit; remove one under Yours"):
        session.add(learned("other", "one too many"))


def test_the_memory_of_one_visitor_and_of_all_is_limited(monkeypatch):
    session = session_with(MINE)
    monkeypatch.setattr(picker_session, "MAX_BYTES", MINE.n_bytes_held)
    with pytest.raises(LimitExceededError, match="remove one under Yours first, such as mine"):
        session.add(learned("other", "one too many"))
    monkeypatch.undo()
    monkeypatch.setattr(picker_session, "max_bytes_of_all", lambda: MINE.n_bytes_held)
    with pytest.raises(LimitExceededError, match="this server has no memory left"):
        PickerSession().add(learned("other", "one too many"))


MODELS = {
    "trained": MINE.model,
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
def test_a_tokenizer_that_a_browser_kept_comes_back_as_it_was(model):
    packed = post(session_with(tokenizer_of("mine", model)), "pack", {"name": "mine"}).json()
    session = PickerSession()
    given = {"name": "mine", "version": "abc", "packed": packed["packed"]}
    assert post(session, "give_back", given).status_code == 200
    assert model_of(session.visitor_tokenizers["mine"]) == model
    assert session.versions == {"mine": "abc"}
    assert packed["about"] == session.visitor_tokenizers["mine"].about


def test_what_earlier_versions_of_the_app_kept_opens():
    """Their things were zlib in Base64 of the name of a file, a line feed and the file."""
    packed = base64.b64encode(zlib.compress(b"kept.model\nminbpe v1\n\n0\n97 97\n")).decode()
    model = unpack_tokenizer(packed, visitor="")
    assert isinstance(model, BpeModel)
    assert model.merges == ((97, 97, 256),)


def test_only_text_that_the_app_has_packed_is_unpacked():
    packed = base64.b64encode(zlib.compress(b"kept.vocab\nAA== 0\n")).decode()
    with pytest.raises(InvalidInputError, match=r"'kept.vocab'; kept files are kept.model and kept.json"):
        unpack_tokenizer(packed, visitor="")


@given(raw=st.binary(max_size=80) | st.binary(max_size=80).map(lambda raw: b"kept.model\n" + raw))
@settings(max_examples=40)
def test_any_other_text_is_refused_as_a_file(raw):
    with contextlib.suppress(PlaygroundError):
        unpack_tokenizer(base64.b64encode(zlib.compress(raw)).decode(), visitor="")


def test_a_decompression_bomb_is_refused(monkeypatch):
    monkeypatch.setattr(picker_session, "MAX_KEPT_BYTES", 1_000)
    with pytest.raises(InvalidInputError, match="incomplete"):
        unpack_tokenizer(base64.b64encode(zlib.compress(b"x" * 1_001)).decode(), visitor="")


def test_a_tokenizer_that_is_too_large_to_be_kept_says_so(monkeypatch):
    monkeypatch.setattr(picker_session, "MAX_PACKED_CHARS", 100)
    with pytest.raises(TextTooLongError, match="mine is too large for this browser to keep"):
        pack_tokenizer(MINE)


BYTES = [f"{base64.b64encode(bytes([byte])).decode()} {byte}" for byte in range(256)]


def model_file(merges, special=()):
    lines = ["minbpe v1", "", str(len(special)), *special, *(f"{left} {right}" for left, right in merges)]
    return "\n".join(lines).encode()


def doublings(n):
    return model_file([(97, 97), *((256 + k, 256 + k) for k in range(n - 1))])


def ranks_file(*tokens):
    lines = [f"{base64.b64encode(raw).decode()} {rank}" for rank, raw in enumerate(tokens, start=256)]
    return "\n".join([*BYTES, *lines]).encode()


def halves(n_bytes):
    """A token of so many equal bytes and its halves, down to two."""
    return [b"a" * 2**k for k in range(1, n_bytes.bit_length())]


def test_an_invalid_name_is_refused_in_one_sentence():
    assert problem_with_name("mine") == ""
    assert problem_with_name(".a").endswith("this one has '.' at place 1.")
