"""The editor's routes: what a browser sends, what it gets, and what is refused."""

import base64
import json

import numpy as np
import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from playground.analysis.live_document import MAX_TEXT_BYTES
from playground.catalog.openai import load_openai
from playground.catalog.registry import get_tokenizer
from playground.server.editor_routes import EDITOR_PATH, EDITOR_ROUTES
from playground.server.editor_session import EditorSession, find_session

CLIENT = TestClient(Starlette(routes=EDITOR_ROUTES))


@pytest.fixture
def session():
    return EditorSession(get_tokenizer("cl100k_base"))


def post(session, action, body, **options):
    return CLIENT.post(f"{EDITOR_PATH}/{session.id}/{action}", json=body, **options)


def read_tokens(response):
    """Unpack an answer as `web/shared/wire.js` does: header, ids and lengths of all pieces."""
    assert response.status_code == 200, response.text
    data = response.content
    n_header = int.from_bytes(data[:4], "little")
    assert n_header % 4 == 0, "columns must be aligned"
    header = json.loads(data[4 : 4 + n_header])
    offset, ids, lengths = 4 + n_header, [], []
    for n_tokens, _ in header["pieces"]:
        ids += np.frombuffer(data, "<u4", n_tokens, offset).tolist()
        lengths += np.frombuffer(data, "<u4", n_tokens, offset + 4 * n_tokens).tolist()
        offset += 8 * n_tokens
    assert offset == len(data)
    return header, ids, lengths


def edit(session, start, n_deleted, inserted, version=None):
    version = session.document.version if version is None else version
    return post(
        session,
        "edit",
        {"version": version, "start": start, "n_deleted": n_deleted, "inserted": inserted},
    )


def test_open_and_edit_give_tiktokens_ids(session):
    header, ids, lengths = read_tokens(post(session, "open", {}))
    encoding = load_openai("cl100k_base").encoding
    assert ids == encoding.encode(header["text"])
    assert sum(lengths) == len(header["text"].encode())
    n_units = len(header["text"].encode("utf-16-le")) // 2
    header, ids, _ = read_tokens(edit(session, 0, n_units, "नमस्ते 👨‍👩‍👧 <|endoftext|>"))
    assert ids == encoding.encode("नमस्ते 👨‍👩‍👧 <|endoftext|>", disallowed_special=())
    assert header["totals"]["n_tokens"] == len(ids)
    assert header["totals"]["n_tokens_special"] < header["totals"]["n_tokens_plain"]
    _, ids, _ = read_tokens(post(session, "settings", {"honours_special": True}))
    assert ids == encoding.encode("नमस्ते 👨‍👩‍👧 <|endoftext|>", allowed_special="all")


def test_chat_ids_and_their_modes(session):
    messages = [{"role": "system", "content": "You are a helpful assistant"}, {"role": "user", "content": ""}]
    body = {"mode": "chat", "messages": messages, "template_name": "gpt-4"}
    header, ids, lengths = read_tokens(post(session, "settings", body))
    assert ids == [100264, 9125, 100266, 2675, 527, 264, 11190, 18328, 100265, 100264, 882, 100266, 100265,
                   100264, 78191, 100266]  # fmt: skip
    assert header["totals"]["n_template"] == 11
    assert sum(lengths) == len(base64.b64decode(header["raw"]))
    header, ids, _ = read_tokens(post(session, "settings", {"mode": "ids", "ids_text": "[9906, 1917]"}))
    assert (ids, base64.b64decode(header["raw"])) == ([9906, 1917], b"Hello world")
    header, ids, _ = read_tokens(post(session, "ids", {"ids_text": "9906, 100256"}))
    assert ids == []
    assert "100256" in header["error"]
    assert "0 to 100,276" in header["error"]


def test_half_a_surrogate_pair_is_read_as_the_replacement_character(session):
    body = b'{"mode": "chat", "messages": [{"role": "user", "content": "a\\ud83d"}]}'
    url = f"{EDITOR_PATH}/{session.id}/settings"
    response = CLIENT.post(url, content=body, headers={"Content-Type": "application/json"})
    header, _, _ = read_tokens(response)
    assert header["messages"][0]["content"] == "a\ufffd"


def test_a_token_is_described(session):
    session.document.replace("Egg egg Egg")
    details = post(session, "token", {"index": 0}).json()
    assert (details["id"], details["text"], details["n_occurrences"]) == (36, "E", 1)
    session.document.replace("é")
    session.use_tokenizer(get_tokenizer("utf8_bytes"), ())
    details = post(session, "token", {"index": 1}).json()
    assert (details["text"], details["character"], details["char_start"], details["char_end"]) == (
        None,
        "é",
        0,
        1,
    )
    assert details["code_points"][0]["name"] == "LATIN SMALL LETTER E WITH ACUTE (1 of its 2 bytes)"
    assert post(session, "token", {"index": 2}).status_code == 400


def test_warnings_and_spelled_special_tokens_are_told(session):
    session.document.replace("<|endoftext|> ")
    answer = post(session, "inspect", {"n_lone_surrogates": 2}).json()
    assert answer["special_spelled"] == ["<|endoftext|>"]
    assert [warning["kind"] for warning in answer["warnings"]] == ["trailing space", "lone surrogate"]


def test_snippets_and_share_links_come_back(session):
    session.document.replace("Hello world")
    assert json.loads(post(session, "snippet", {"kind": "json"}).json()["snippet"])["ids"] == [9906, 1917]
    assert "tiktoken" in post(session, "snippet", {"kind": "python"}).json()["snippet"]
    assert post(session, "snippet", {"kind": "ruby"}).status_code == 400
    assert post(session, "share", {"view": None}).json()["query"].startswith("share=")
    session.document.replace("".join(map(chr, range(0x4E00, 0x9000))))
    refused = post(session, "share", {"view": None})
    assert refused.status_code in (400, 413)
    assert "8,000" in refused.json()["error"]


def test_a_text_over_the_limit_is_refused_and_the_old_one_stays(session):
    session.document.replace("a" * 10)
    refused = edit(session, 0, 0, "b" * MAX_TEXT_BYTES)
    assert refused.status_code == 413
    assert "1,000,000" in refused.json()["error"]
    assert session.document.text == "a" * 10


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"version": 10**6, "start": 0, "n_deleted": 0, "inserted": ""}, 409),
        ({"version": 1, "start": -1, "n_deleted": 0, "inserted": ""}, 400),
        ({"version": 1, "start": 0, "n_deleted": 10**9, "inserted": ""}, 400),
        ({"version": 1, "start": "0", "n_deleted": 0, "inserted": ""}, 400),
        ({"version": 1, "start": 0, "n_deleted": 0, "inserted": None}, 400),
        ({"version": 1}, 400),
        ({"unknown": 1}, 400),
        ([], 400),
    ],
)
def test_a_bad_edit_is_refused_and_changes_nothing(session, body, status):
    text = session.document.text
    response = post(session, "edit", body)
    assert response.status_code == status
    assert response.json()["error"]
    assert session.document.text == text


@pytest.mark.parametrize(
    "body",
    [
        {"mode": "speech"},
        {"mode": ["text"]},
        {"honours_special": "yes"},
        {"messages": [{"role": "user"}]},
        {"messages": "hi"},
        {"template_name": "gpt-9"},
        {"mode": "chat", "ids_text": 7},
    ],
)
def test_bad_settings_change_nothing(session, body):
    before = (session.mode, session.messages, session.template_name, session.ids_text)
    assert post(session, "settings", body).status_code == 400
    assert (session.mode, session.messages, session.template_name, session.ids_text) == before


def test_what_is_not_from_our_page_is_refused(session):
    assert post(session, "open", {}, headers={"Origin": "https://example.org"}).status_code == 403
    url = f"{EDITOR_PATH}/{session.id}/open"
    assert CLIENT.post(url, content=b"{}", headers={"Content-Type": "text/plain"}).status_code == 415
    assert CLIENT.post(url, content=b"{", headers={"Content-Type": "application/json"}).status_code == 400
    assert CLIENT.get(url).status_code == 405
    assert post(session, "nothing", {}).status_code == 404
    big = b'{"inserted": "' + b"a" * 10_000_001 + b'"}'
    assert CLIENT.post(url, content=big, headers={"Content-Type": "application/json"}).status_code == 413


def test_a_session_lives_as_long_as_its_tab():
    session = EditorSession(get_tokenizer("gpt2"))
    session_id = session.id
    assert find_session(session_id) is session
    del session
    assert find_session(session_id) is None
    response = CLIENT.post(f"{EDITOR_PATH}/{session_id}/open", json={})
    assert response.status_code == 410
