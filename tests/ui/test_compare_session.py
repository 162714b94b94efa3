import gc
import json
from typing import Any

import numpy as np
import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from playground.catalog.registry import get_tokenizer
from playground.core.errors import TextTooLongError
from playground.ui.compare_session import COMPARE_PATH, COMPARE_ROUTES, CompareSession

NAMES = ["gpt2", "o200k_base", "utf8_bytes"]


@pytest.fixture
def session():
    session = CompareSession("")
    session.use([get_tokenizer(name) for name in NAMES])
    return session


@pytest.fixture
def client():
    return TestClient(Starlette(routes=COMPARE_ROUTES))


def post(client, session_id, text, **headers):
    headers = {"Content-Type": "text/plain"} | headers
    return client.post(f"{COMPARE_PATH}/{session_id}", content=text.encode(), headers=headers)


def unpack(content: bytes) -> tuple[dict[str, Any], list[Any]]:
    n_header = int.from_bytes(content[:4], "little")
    header = json.loads(content[4 : 4 + n_header])
    columns, offset = [], 4 + n_header
    for row in header["rows"]:
        n = row["n_tokens"]
        columns.append(
            (np.frombuffer(content, "<u4", n, offset), np.frombuffer(content, "<u4", n, offset + 4 * n))
        )
        offset += 8 * n
    assert offset == len(content)
    return header, columns


@pytest.mark.parametrize("text", ["", "Hello 안녕하세요 👋", "a\r\nb"])
def test_an_answer_has_the_ids_of_every_tokenizer(client, session, text):
    answer = post(client, session.id, text)
    assert answer.status_code == 200
    header, columns = unpack(answer.content)
    for name, row, (ids, starts) in zip(NAMES, header["rows"], columns, strict=True):
        assert ids.tolist() == get_tokenizer(name).encode(text)
        assert row["tokenizer_name"] == name
        assert len(starts) == len(ids)
    assert session.text == text


def test_bad_requests_are_refused_and_the_text_stays(client, session, monkeypatch):
    session.text = "kept"
    assert post(client, session.id, "x", Origin="https://elsewhere.example").status_code == 403
    assert post(client, session.id, "x", **{"Content-Type": "application/json"}).status_code == 415
    assert post(client, "unknown", "x").status_code == 410
    monkeypatch.setattr("playground.ui.compare_session.MAX_TEXT_BYTES", 10)
    answer = post(client, session.id, "x" * 11)
    assert answer.status_code == 413
    assert "11 bytes; this page compares up to 10" in answer.json()["error"]
    assert session.text == "kept"
    with pytest.raises(TextTooLongError):
        session.cut("x" * 11)


def test_a_session_ends_with_its_tab(client):
    session = CompareSession("")
    session_id = session.id
    del session
    gc.collect()
    assert post(client, session_id, "x").status_code == 410


def test_revisions_tell_a_new_text_from_new_tokenizers(session):
    before = (session.revision, session.text_revision)
    session.use(list(session.tokenizers))
    assert (session.revision, session.text_revision) == before
    session.use([get_tokenizer("gpt2")])
    assert (session.revision, session.text_revision) == (before[0] + 1, before[1])
    session.set_text("new")
    assert (session.revision, session.text_revision) == (before[0] + 2, before[1] + 1)
