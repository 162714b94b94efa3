"""One guard stands before every route of ours, whatever the page."""

import gc
import time
from contextlib import suppress

import anyio
import pytest
from starlette.requests import ClientDisconnect

from playground.analysis.live_comparison import LiveComparison
from playground.catalog.registry import get_tokenizer
from playground.server.api import ENDPOINTS
from playground.server.compare_session import CompareSession
from playground.server.editor.session import EditorSession
from playground.server.forest.session import ForestSession
from playground.server.refusals import RefusedRequestError
from playground.server.routes import ROUTES
from playground.server.sessions import find_session
from tests.server.browser_side import CLIENT

SESSIONS = {
    "editor": lambda: EditorSession(get_tokenizer("gpt2")),
    "compare": lambda: CompareSession(LiveComparison("")),
    "forest": lambda: ForestSession(""),
}
ACTIONS = {"editor": "open", "compare": "edit", "forest": "draw"}
JSON = {"Content-Type": "application/json"}


@pytest.fixture(params=[*SESSIONS, *ENDPOINTS])
def path(request):
    """A path of each kind that answers; its session lives as long as the test."""
    if request.param in ENDPOINTS:
        yield request.param
    else:
        session = SESSIONS[request.param]()
        yield f"{session.url}/{ACTIONS[request.param]}"
        del session


def test_what_is_not_from_our_page_is_refused(path):
    assert CLIENT.post(path, json={}, headers={"Origin": "https://example.org"}).status_code == 403
    assert CLIENT.post(path, content=b"{}", headers={"Content-Type": "text/plain"}).status_code == 415
    assert CLIENT.post(path, content=b"{", headers=JSON).status_code == 400
    answer = CLIENT.get(path)
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")


def test_our_own_page_is_served_however_a_browser_writes_it(path):
    headers = {
        "Origin": "http://testserver",
        "Host": "TestServer",
        "Content-Type": "Application/JSON; charset=utf-8",
    }
    answer = CLIENT.post(path, content=b"{", headers=headers)
    assert "not valid JSON" in answer.json()["error"]


def test_a_body_over_the_limit_is_refused_and_one_at_it_is_read(path, monkeypatch):
    monkeypatch.setattr("playground.server.protection.bodies.MAX_BODY_BYTES", 100_000)
    answer = CLIENT.post(path, content=b" " * 100_001, headers=JSON)
    assert answer.status_code == 413
    assert "100,000" in answer.json()["error"]
    answer = CLIENT.post(path, content=b"{}" + b" " * 99_998, headers=JSON)
    assert answer.status_code in (200, 400)
    assert "JSON" not in answer.text, "it is read whole"


def test_a_client_that_leaves_raises_nothing_and_gets_nothing(path):
    sent = []

    async def receive():
        return {"type": "http.disconnect"}

    async def send(message):
        sent.append(message)

    async def call() -> None:
        scope = {"type": "http", "method": "POST", "path": path, "query_string": b"", "path_params": {},
                 "headers": [(b"content-type", b"application/json"), (b"host", b"x")]}  # fmt: skip
        for route in ROUTES:
            matched, child = route.matches(scope)
            if matched.value == 2:
                return await route.handle({**scope, **child}, receive, send)
        raise AssertionError("no route")

    try:
        anyio.run(call)
    except ClientDisconnect:  # pragma: no cover
        pytest.fail("a traceback for a browser that left")
    assert sent == []


@pytest.mark.parametrize("kind", SESSIONS)
def test_an_unknown_action_is_refused_with_those_that_exist(kind):
    session = SESSIONS[kind]()
    answer = CLIENT.post(f"{session.url}/nothing", json={})
    assert answer.status_code == 404
    assert ACTIONS[kind] in answer.json()["error"]


@pytest.mark.parametrize("kind", SESSIONS)
def test_a_session_lives_as_long_as_its_tab(kind):
    session = SESSIONS[kind]()
    url = session.url
    assert find_session(session.id) is session
    assert CLIENT.post(f"{url}/{ACTIONS[kind]}", json={"more": 1}).status_code == 400
    number = session.id
    del session
    wait_until_forgotten(number)
    answer = CLIENT.post(f"{url}/{ACTIONS[kind]}", json={})
    assert answer.status_code == 410
    assert "your text is kept" in answer.json()["error"]


def wait_until_forgotten(session_id):
    """The thread that answered last holds its session until it has let go of the call."""
    deadline = time.monotonic() + 20
    with suppress(RefusedRequestError):
        while time.monotonic() < deadline:
            gc.collect()
            find_session(session_id)
            time.sleep(0.01)


def test_ids_cannot_be_guessed():
    ids = {SESSIONS["forest"]().id for _ in range(100)}
    assert len(ids) == 100
    assert min(map(len, ids)) >= 24  # 18 random bytes
