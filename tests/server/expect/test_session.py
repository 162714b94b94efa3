"""The routes of Expect: readings a chunk at a time, and a model that is opened or fetched."""

import json
import os

import pytest

from playground.expect import model_file
from playground.expect.reading import CHUNK
from playground.server.expect import models
from playground.server.expect.session import EXPECT_ACTIONS, MAX_TEXT_BYTES, ExpectSession
from playground.workers.pool import Pool
from playground.workers.process import Request
from tests.expect.models import write_tiny_model
from tests.server.browser_side import post, post_raw


@pytest.fixture(autouse=True)
def places(tmp_path, monkeypatch):
    """No model on this machine, and a process of this test's own."""
    own = Pool(n_processes=1, n_per_visitor=1, max_idle_bytes=2**62)
    monkeypatch.setattr(models, "_POOL", own)
    monkeypatch.setattr(model_file, "data_folder", lambda: tmp_path / "models")
    yield
    own.close()


@pytest.fixture
def tiny(tmp_path):
    return write_tiny_model(tmp_path / "tiny.gguf", context=200)


def open_model(session, path, *, n_bytes=100_000, name="tiny.gguf"):
    raw = path.read_bytes()
    for start in range(0, len(raw), n_bytes):
        head = json.dumps({"name": name, "start": start, "size": len(raw)}).encode()
        body = head + b"\n" + raw[start : start + n_bytes]
        found = post_raw(session, "open_part", body, **{"Content-Type": "application/octet-stream"})
        if found.status_code != 200 or found.json()["is_open"]:
            break
    return found


def name_of_model(session):
    shown = session.shown_model
    return shown and (shown["name"], shown["is_own"])


def read(session, *parts, side="text"):
    return post(session, "read", {"side": side, "parts": list(parts)}).json()


def test_a_text_is_read_a_chunk_at_a_time_in_the_same_process(tiny):
    session = ExpectSession(is_own_server=True)
    assert session.shown_model is None
    assert open_model(session, tiny).json() == {"is_open": True}
    assert name_of_model(session) == ("tiny", True)
    text = "the tin " * 40
    first = read(session, text)
    assert (len(first["expected"]), first["is_over"]) == (CHUNK, False)
    second = read(session, text)
    assert second["is_over"]
    assert second["expected"][: CHUNK - 1] == first["expected"][: CHUNK - 1]
    assert len(second["expected"]) == len(second["ids"]) + 1
    assert sum(second["lengths"]) == len(text)
    [process] = [process for _, process in models._POOL.free]
    assert process.is_alive
    assert process.ask(Request("os.getpid", (), 9, 10**9), what="it") != os.getpid()


def test_what_a_token_is_called_and_what_typing_it_gives(tiny):
    session = ExpectSession(is_own_server=True)
    open_model(session, tiny)
    answer = read(session, "then", side="second")
    named = {int(token): each for token, each in answer["named"].items()}
    assert [named[token]["typed"] for token in answer["ids"]] == ["th", "e", "n"]
    every = {**named, **{int(t): n for t, n in read(session, "é<|endoftext|>", "\ud83d")["named"].items()}}
    assert every[127]["typed"] == "", "a byte outside any character cannot be typed"
    assert 262 not in read(session, "<|endoftext|>")["ids"], "it is ordinary text"
    assert all(each["typed"] == "" for token, each in every.items() if token == 262)


def test_only_the_person_at_the_machine_opens_and_fetches_models(tiny):
    session = ExpectSession()
    assert open_model(session, tiny).status_code == 403
    for action in ("fetch", "stop_fetching", "close_own"):
        assert post(session, action, {}).status_code == 403
    assert post(session, "read", {"side": "text", "parts": ["a"]}).status_code == 409, "there is no model"


def test_an_opened_model_is_used_by_other_pages_until_it_is_closed(tiny):
    open_model(ExpectSession(is_own_server=True), tiny)
    other = ExpectSession(is_own_server=True)
    assert read(other, "a")["model"] == "tiny"
    assert post(other, "close_own", {}).status_code == 200
    assert other.shown_model is None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda raw: b"PK" + raw, "is not a GGUF file"),
        (lambda raw: raw[:-50_000], "ends before its weights do"),
        (lambda raw: raw.replace(b"llama", b"qwen2"), "has the architecture qwen2"),
    ],
)
def test_a_file_that_is_no_such_model_is_refused_and_the_used_one_stays(tiny, tmp_path, change, message):
    session = ExpectSession(is_own_server=True)
    open_model(session, tiny)
    (tmp_path / "other.gguf").write_bytes(change(tiny.read_bytes()))
    refused = open_model(session, tmp_path / "other.gguf", name="../other.gguf")
    assert refused.status_code == 400
    assert message in refused.json()["error"]
    assert name_of_model(session) == ("tiny", True)


def test_parts_of_a_file_are_taken_in_order_and_within_limits(tiny, monkeypatch):
    session = ExpectSession(is_own_server=True)
    head = json.dumps({"name": "x.gguf", "start": 5, "size": 10}).encode()
    late = post_raw(session, "open_part", head + b"\nabc", **{"Content-Type": "application/octet-stream"})
    assert (late.status_code, late.json()) == (400, {"error": "the file is not being opened; open it again"})
    monkeypatch.setattr("playground.server.expect.session._machine_bytes", lambda: 300_000_000)
    assert "more than 70% of this machine’s 0.3 GB" in open_model(session, tiny).json()["error"]
    monkeypatch.setattr("playground.server.expect.session.MAX_FILE_BYTES", 1000)
    assert "files up to 0.0 GB are opened" in open_model(session, tiny).json()["error"]


def test_too_long_a_text_is_refused(tiny):
    session = ExpectSession(is_own_server=True)
    open_model(session, tiny)
    refused = post(session, "read", {"side": "text", "parts": ["e" * MAX_TEXT_BYTES, "e"]})
    assert (refused.status_code, refused.json()["error"]) == (
        400,
        "the text is over the limit of 20,000 bytes",
    )


def test_fetching_tells_how_far_it_is_and_what_went_wrong(monkeypatch):
    session = ExpectSession(is_own_server=True)

    def fetch(tell):
        tell(0.5, "Fetching")
        raise OSError("no space left")

    monkeypatch.setattr(model_file, "fetch", fetch)
    state = post(session, "fetch", {}).json()
    while not state["is_over"]:
        state = post(session, "fetching", {}).json()
    assert state == {"is_over": True, "part": 0.5, "what": "Fetching", "problem": "no space left"}


def test_every_reading_waits_in_threads_of_its_own():
    assert EXPECT_ACTIONS["read"].threads is not None
    assert not ExpectSession().is_bounded
