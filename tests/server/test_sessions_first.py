"""What a page's browser asks is answered before Streamlit's own middleware, long answers compressed."""

import zlib
from typing import Any

import numpy as np
import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from playground.catalog.registry import get_tokenizer
from playground.server.editor.session import EditorSession
from playground.server.routes import session_route_below
from playground.server.sessions_first import MIN_PRESSED_BYTES, SessionsFirst


@pytest.fixture(params=["", "tools/tokens"])
def opened(request):
    """A session, the address below which its actions are, and a client of a server with nothing else."""
    session = EditorSession(get_tokenizer("gpt2"))
    session.document.replace("")
    base = f"/{request.param}" if request.param else ""

    async def streamlits(_request):
        return PlainTextResponse("Streamlit's")

    app = Starlette(
        routes=[Route("/{path:path}", streamlits, methods=["GET", "POST"])],
        middleware=[Middleware(SessionsFirst, route=session_route_below(request.param))],
    )
    with TestClient(app) as client:
        yield session, f"{base}{session.url}", client


def edit(client, url, session, inserted, **headers):
    body: dict[str, Any] = {"version": session.document.version, "start": 0, "n_deleted": 0}
    return client.post(f"{url}/edit", json={**body, "inserted": inserted}, headers=headers)


def test_an_action_is_answered_and_the_rest_is_left(opened):
    session, url, client = opened
    assert edit(client, url, session, "to be").status_code == 200
    assert session.document.text == "to be"
    assert client.get(f"{url}/edit").status_code == 405, "by the guard"
    assert client.post(f"{url}x/edit", json={}).status_code == 410, "by the guard"
    for other in ("/", "/session/x", "/other"):
        assert client.get(other).text == "Streamlit's"


def test_a_keys_answer_is_sent_as_it_is_and_a_long_one_compressed(opened, monkeypatch):
    session, url, client = opened
    levels = []
    make = zlib.compressobj

    def compressobj(*args, **kwargs):
        levels.append((args or kwargs.get("level")) and (args[0] if args else kwargs["level"]))
        return make(*args, **kwargs)

    monkeypatch.setattr(zlib, "compressobj", compressobj)
    long = edit(client, url, session, "to be or not " * 3_000 + "x")
    assert len(long.content) > MIN_PRESSED_BYTES
    assert long.headers["content-encoding"] == "gzip"
    assert np.frombuffer(long.content[-4:], np.uint32).tolist() == [2], 'the length of the last token, " x"'
    assert levels == [4], "more takes the thread that answers all 40 times as long"
    key = edit(client, url, session, "x")
    assert "content-encoding" not in key.headers
    plain = edit(client, url, session, "to be or not " * 3_000, **{"Accept-Encoding": "identity"})
    assert "content-encoding" not in plain.headers
    assert levels == [4]
