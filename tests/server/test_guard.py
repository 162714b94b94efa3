"""The guard of Tessera's routes: refused requests, and how visitors share threads and turns."""

import asyncio
import gc
import json
import threading
from typing import Any

import pytest
from starlette.responses import Response

from playground.analysis.live_comparison import LiveComparison
from playground.analysis.live_document import LiveDocument
from playground.catalog.registry import get_tokenizer
from playground.server.compare_session import CompareSession
from playground.server.editor.session import EditorSession
from playground.server.protection.bodies import SMALL_BODY_BYTES
from playground.server.protection.guard import (
    MAX_BODY_BYTES,
    GuardedEndpoint,
    Job,
    Turns,
)
from playground.server.refusals import RefusedRequestError
from playground.server.sessions import find_session
from tests.server.browser_side import CLIENT, post
from tests.waiting import wait_until

JSON = {"Content-Type": "application/json"}
PROSE = "Some words in a line.\n" * 500


@pytest.fixture
def session() -> EditorSession:
    session = EditorSession(get_tokenizer("gpt2"))
    session.document.replace(PROSE)
    session.document.totals()
    return session


@pytest.mark.parametrize("path", ["/api/v1/encode", "/session/{id}/open"])
def test_requests_that_a_page_of_tessera_does_not_send_are_refused(path, session):
    path = path.format(id=session.id)
    assert CLIENT.post(path, json={}, headers={"Origin": "https://example.org"}).status_code == 403
    assert CLIENT.post(path, content=b"{}", headers={"Content-Type": "text/plain"}).status_code == 415
    assert CLIENT.post(path, content=b"{", headers=JSON).status_code == 400
    answer = CLIENT.get(path)
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")


@pytest.mark.parametrize(
    ("origin", "status"),
    [("http://testserver", 200), ("https://TestServer", 200), ("http://testserver.evil", 403),
     ("null", 403), ("", 403), ("http://[::1", 403)],
)  # fmt: skip
def test_the_origin_must_be_the_host(origin, status):
    headers = {"Origin": origin, "Content-Type": "Application/JSON; charset=utf-8"}
    body = b'{"text": "a", "encoding": "gpt2"}'
    assert CLIENT.post("/api/v1/encode", content=body, headers=headers).status_code == status


def test_a_body_is_counted_as_it_arrives_and_refused_over_the_limit(session):
    for n_bytes, status in ((MAX_BODY_BYTES, 400), (MAX_BODY_BYTES + 1, 413)):
        chunks = (b" " * min(100_000, n_bytes - sent) for sent in range(0, n_bytes, 100_000))
        answer = CLIENT.post(f"{session.url}/edit", content=chunks, headers=JSON)
        assert answer.status_code == status
    assert f"{MAX_BODY_BYTES:,}" in answer.json()["error"]


def test_an_unknown_action_is_refused_and_the_error_names_the_known_ones(session):
    answer = post(session, "nothing", {})
    assert answer.status_code == 404
    assert "edit" in answer.json()["error"]


def test_a_session_ends_when_nobody_holds_it_and_its_address_then_answers_410():
    session = EditorSession(get_tokenizer("gpt2"))
    number, url = session.id, session.url
    assert find_session(number) is session
    del session

    def is_gone() -> bool:
        gc.collect()
        try:
            find_session(number)
        except RefusedRequestError:
            return True
        return False

    wait_until(is_gone)
    answer = CLIENT.post(f"{url}/open", json={})
    assert answer.status_code == 410
    assert "your text is kept" in answer.json()["error"]


class Requests:
    """Requests to one endpoint that run at the same time, each from an address."""

    def __init__(self, answer: Any, turns: Turns, key: str | None = None) -> None:
        self.endpoint = GuardedEndpoint(lambda _path: Job(answer, turns, key))
        self.answers: dict[str, Any] = {}

    async def send(self, address: str, body: bytes = b"{}") -> int:
        sent: list[Any] = []

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: Any) -> None:
            sent.append(message)

        scope = {"type": "http", "method": "POST", "path": "/", "path_params": {}, "client": (address, 5),
                 "headers": [(b"content-type", b"application/json")]}  # fmt: skip
        await self.endpoint(scope, receive, send)
        self.answers[address] = sent
        return int(sent[0]["status"])


def test_heavy_requests_of_many_visitors_leave_threads_for_a_key_press():
    go_on, n_running = threading.Event(), threading.Semaphore(0)

    def heavy(body: bytes) -> Response:
        if len(body) > SMALL_BODY_BYTES:
            n_running.release()
            assert go_on.wait(30)
        return Response()

    async def play() -> None:
        requests = Requests(heavy, Turns(n_at_once=2, max_waiting=200, max_seconds=60, whose="your address"))
        large = [asyncio.create_task(requests.send(f"10.0.0.{n}", b" " * 65_000)) for n in range(12)]
        while not n_running.acquire(blocking=False):
            await asyncio.sleep(0.01)
        try:
            assert await asyncio.wait_for(requests.send("10.0.1.1"), 20) == 200
        finally:
            go_on.set()
        assert await asyncio.gather(*large) == [200] * 12

    asyncio.run(play())


def test_requests_of_one_page_are_answered_in_order_and_too_many_are_refused():
    go_on, order = threading.Event(), []

    def answer(body: bytes) -> Response:
        assert go_on.wait(30)
        order.append(int(body))
        return Response()

    async def play() -> list[int]:
        turns = Turns(n_at_once=1, max_waiting=8, max_seconds=60, whose="this page")
        requests = Requests(answer, turns, "page")
        tasks = [asyncio.create_task(requests.send(f"10.0.0.{n}", b"%d" % n)) for n in range(12)]
        while sum(task.done() for task in tasks) < 3:
            await asyncio.sleep(0.01)
        go_on.set()
        statuses = await asyncio.gather(*tasks)
        head, body = requests.answers["10.0.0.11"]
        assert (b"retry-after", b"1") in head["headers"]
        assert "8 requests of this page are waiting" in json.loads(body["body"])["error"]
        return statuses

    assert asyncio.run(play()) == [200] * 9 + [429] * 3
    assert order == list(range(9))


@pytest.fixture
def edit_threads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the names of the threads in which documents are edited."""
    names: list[str] = []
    edit = LiveDocument.edit

    def recorded(*arguments: Any) -> object:
        names.append(threading.current_thread().name)
        return edit(*arguments)

    monkeypatch.setattr(LiveDocument, "edit", recorded)
    return names


def edit(session: EditorSession | CompareSession, inserted: str = "x") -> None:
    """Insert text in the middle, as a browser does."""
    edited = session.comparison if isinstance(session, CompareSession) else session.document
    body = {"version": edited.version, "start": len(edited.text) // 2, "n_deleted": 0, "inserted": inserted}
    assert post(session, "edit", body).status_code == 200


def test_a_key_in_prose_is_answered_without_a_thread(session, edit_threads):
    edit(session)
    comparison = CompareSession(LiveComparison(PROSE, [*map(get_tokenizer, ("gpt2", "cl100k_base"))]))
    edit(comparison)
    assert len(edit_threads) == 3
    assert not any(name.startswith("AnyIO worker") for name in edit_threads)
