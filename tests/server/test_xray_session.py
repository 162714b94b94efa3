"""The routes of X-ray: what is read stays until something better was read, and its parts can be opened."""

import json

import pytest

from playground.server.xray.session import MAX_LOG_BYTES, XraySession
from tests.analysis.test_xray import lines, request
from tests.server.browser_side import post, post_raw


def upload(session, action, content):
    return post_raw(session, action, content, **{"Content-Type": "application/octet-stream"})


@pytest.fixture
def session():
    return XraySession()


def test_a_page_opens_with_an_example_and_keeps_what_was_read(session):
    example = post(session, "open", {}).json()
    assert example["is_example"]
    assert [turn["diff"] and turn["diff"]["cause"] for turn in example["report"]["turns"]] == [
        None, "", "a date or a time", "",
    ]  # fmt: skip
    read = upload(session, "read", lines(request(), request()).encode()).json()
    assert (len(read["report"]["turns"]), read["is_example"]) == (2, False)
    assert "cannot be read as a chat" in upload(session, "read", b"{oops").json()["refused"]
    assert post(session, "open", {}).json() == read
    [place] = [n for n, piece in enumerate(read["report"]["pieces"]) if piece["kind"] == "user"]
    assert post(session, "text", {"piece": place}).json() == {"text": "Weather?"}
    assert post(session, "text", {"piece": 999}).status_code == 400
    assert upload(session, "read", b"x" * (MAX_LOG_BYTES + 1)).status_code == 413


def test_requests_that_name_no_model_are_counted_for_the_pickers(session):
    chat = {"messages": [{"role": "user", "content": "Hi"}]}
    first = upload(session, "read", json.dumps(chat).encode()).json()
    revision = session.revision
    session.use("claude-opus-5")
    assert session.revision > revision
    models = [each["report"]["turns"][0]["model"] for each in (first, post(session, "open", {}).json())]
    assert models == ["GPT-4o", "Claude Opus 5"]
