"""Heavy requests of one address wait for each other; a key press of another waits for none of them."""

import asyncio
import json
import threading
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

import pytest
from starlette.responses import Response

from playground.bpe.model import BpeModel
from playground.bpe.split_pattern import SplitPattern
from playground.catalog.registry import get_tokenizer
from playground.catalog.trained import TrainedTokenizer
from playground.core.errors import InvalidInputError
from playground.server.editor.session import EditorSession
from playground.server.protection import bodies, guard
from playground.server.protection.guard import GuardedEndpoint, Job
from playground.server.protection.turns import Turns
from playground.server.routes import SESSION_ROUTE
from playground.workers import pool

LARGE = b" " * (bodies.SMALL_BODY_BYTES + 1)
API_TURNS = Turns(n_at_once=2, max_waiting=200, max_seconds=60, whose="your address")


class Call:
    """One request to an endpoint, whose body comes in chunks; a chunk of None never comes."""

    def __init__(
        self,
        endpoint: GuardedEndpoint,
        chunks: Iterable[bytes | None],
        *,
        address: str,
        path: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self.endpoint, self.chunks, self.address, self.path = endpoint, list(chunks), address, path
        self.n_received = 0
        self.sent: list[Any] = []

    async def run(self) -> int:
        """Make the request; its status."""
        scope = {
            "type": "http",
            "method": "POST",
            "path": "/",
            "path_params": dict(self.path),
            "headers": [(b"content-type", b"application/json")],
            "client": (self.address, 5),
        }
        await self.endpoint(scope, self.receive, self.send)
        return int(self.sent[0]["status"])

    async def receive(self) -> dict[str, Any]:
        if not self.chunks or self.chunks[0] is None:
            await asyncio.Event().wait()
        self.n_received += 1
        chunk = self.chunks.pop(0)
        return {"type": "http.request", "body": chunk, "more_body": bool(self.chunks)}

    async def send(self, message: Any) -> None:
        self.sent.append(message)

    @property
    def headers(self) -> dict[bytes, bytes]:
        return dict(self.sent[0]["headers"])

    @property
    def error(self) -> str:
        return str(json.loads(self.sent[1]["body"])["error"])


def test_one_visitor_keeps_nobody_else_waiting():
    go_on = threading.Event()
    lock = threading.Lock()
    running = most = 0

    def heavy(_body: bytes) -> Response:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        assert go_on.wait(30)
        with lock:
            running -= 1
        return Response("heavy")

    encode = GuardedEndpoint(lambda _path: Job(heavy, API_TURNS))
    edit = GuardedEndpoint(lambda _path: Job(lambda _body: Response("key"), API_TURNS))

    async def play() -> None:
        calls = [Call(encode, [LARGE], address="10.0.0.1") for _ in range(30)]
        tasks = [asyncio.create_task(call.run()) for call in calls]
        while running < 2:
            await asyncio.sleep(0.01)
        assert await Call(edit, [b"{}"], address="10.0.0.2").run() == 200
        assert not any(task.done() for task in tasks), "the key press came first, though it was sent last"
        go_on.set()
        assert await asyncio.gather(*tasks) == [200] * 30

    asyncio.run(play())
    assert most == 2


def test_heavy_requests_of_many_visitors_leave_threads_for_a_key_press():
    go_on = threading.Event()
    n_running = 0

    def heavy(_body: bytes) -> Response:
        nonlocal n_running
        n_running += 1
        assert go_on.wait(30)
        return Response("heavy")

    encode = GuardedEndpoint(lambda _path: Job(heavy, API_TURNS))
    edit = GuardedEndpoint(lambda _path: Job(lambda _body: Response("key"), API_TURNS))

    async def play() -> None:
        calls = [Call(encode, [LARGE], address=f"10.1.0.{n}") for n in range(12)]
        tasks = [asyncio.create_task(call.run()) for call in calls]
        while n_running < 2:
            await asyncio.sleep(0.01)
        try:
            async with asyncio.timeout(5):
                assert await Call(edit, [b"{}"], address="10.1.1.1").run() == 200
        finally:
            go_on.set()
            await asyncio.gather(*tasks)

    asyncio.run(play())


def test_pages_with_endless_patterns_leave_threads_for_a_key_press(monkeypatch: pytest.MonkeyPatch):
    """Twenty pages whose pattern never ends, and another's key press through the same route."""
    go_on = threading.Event()
    asked: list[str] = []

    def wait(_function: str, expression: str, *_rest: object, visitor: str, **_limits: object) -> None:
        asked.append(visitor)
        assert go_on.wait(30)
        raise InvalidInputError(f"{expression} took too long")

    monkeypatch.setattr(pool, "run", wait)
    model = BpeModel(SplitPattern("custom", "(a|a)*[bc]"), ())
    evil = []
    for n in range(20):
        session = EditorSession(get_tokenizer("gpt2"))
        session.document.replace("")
        session.use_tokenizer(TrainedTokenizer(f"evil {n}", model), ())
        evil.append(session)
    plain = EditorSession(get_tokenizer("gpt2"))
    plain.document.replace("")
    endpoint = SESSION_ROUTE.endpoint  # type: ignore[attr-defined]

    def key_press(session: EditorSession, inserted: str) -> Call:
        edit = {"version": session.document.version, "start": 0, "n_deleted": 0, "inserted": inserted}
        path = {"session_id": session.id, "action": "edit"}
        return Call(endpoint, [json.dumps(edit).encode()], address="10.0.0.7", path=path)

    async def play() -> None:
        tasks = [asyncio.create_task(key_press(session, "a" * 60).run()) for session in evil]
        while len(asked) < 8:
            await asyncio.sleep(0.01)
        page_at_work = next(session for session in evil if session.id == asked[0])
        tasks.append(asyncio.create_task(key_press(page_at_work, "a").run()))
        try:
            async with asyncio.timeout(20):
                assert await key_press(plain, "Hello").run() == 200
            assert not any(task.done() for task in tasks)
        finally:
            go_on.set()
            *first, second = await asyncio.gather(*tasks)
            assert first == [400] * 20
            assert second == 200, "the text without what could not be cut"

    asyncio.run(play())
    assert sorted(asked) == sorted(session.id for session in evil), "the pool knows whose each search is"


def test_requests_of_one_page_are_answered_one_after_the_other():
    page_turns = Turns(n_at_once=1, max_waiting=8, max_seconds=60, whose="this page")
    go_on = threading.Event()
    order: list[bytes] = []

    def answer(body: bytes) -> Response:
        assert go_on.wait(30)
        order.append(body)
        return Response()

    endpoint = GuardedEndpoint(lambda _path: Job(answer, page_turns, "page"))

    async def play() -> list[int]:
        calls = [Call(endpoint, [b"%d" % number], address=f"10.0.3.{number}") for number in range(12)]
        tasks = [asyncio.create_task(call.run()) for call in calls]
        while sum(task.done() for task in tasks) < 3:
            await asyncio.sleep(0.01)
        go_on.set()
        statuses = await asyncio.gather(*tasks)
        refused = calls[-1]
        assert refused.headers[b"retry-after"] == b"1"
        assert "8 requests of this page wait" in refused.error
        return statuses

    assert asyncio.run(play()) == [200] * 9 + [429] * 3
    assert order == [b"%d" % number for number in range(9)]


def test_bodies_held_open_are_few_and_not_for_long(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(bodies, "MAX_PAUSE_SECONDS", 0.2)
    endpoint = GuardedEndpoint(lambda _path: Job(lambda _body: Response(), API_TURNS))

    async def play() -> list[Call]:
        calls = [Call(endpoint, [LARGE, b" " * 1_000_000, None], address="10.0.0.4") for _ in range(100)]
        tasks = [asyncio.create_task(call.run()) for call in calls]
        await asyncio.sleep(0.05)
        assert sum(call.n_received > 1 for call in calls) <= 4, "who waits for a turn is not read"
        await asyncio.gather(*tasks)
        return calls

    calls = asyncio.run(play())
    statuses = [call.sent[0]["status"] for call in calls]
    assert set(statuses) == {408, 429}
    assert statuses.count(408) == 44
    slow = calls[statuses.index(408)]
    assert slow.headers[b"connection"] == b"close"
    assert "too slowly" in slow.error


def test_a_body_that_drips_ends_too(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(bodies, "MAX_BODY_SECONDS", 0.1)

    class Drip(Call):
        async def receive(self) -> dict[str, Any]:
            await asyncio.sleep(0.01)
            return await super().receive()

    endpoint = GuardedEndpoint(lambda _path: Job(lambda _body: Response(), API_TURNS))
    assert asyncio.run(Drip(endpoint, [b" "] * 500, address="10.0.0.5").run()) == 408


def test_who_does_not_read_is_cut_off(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture):
    monkeypatch.setattr(guard, "MAX_SEND_SECONDS", 0.05)

    class Deaf(Call):
        async def send(self, _message: Any) -> None:
            await asyncio.Event().wait()

    one_at_a_time = Turns(n_at_once=1, max_waiting=8, max_seconds=60, whose="this page")
    endpoint = GuardedEndpoint(lambda _path: Job(lambda _body: Response("x"), one_at_a_time, "page"))

    async def play() -> int:
        deaf = Deaf(endpoint, [b"{}"], address="10.0.0.6")
        with pytest.raises(IndexError):
            await deaf.run()
        return await Call(endpoint, [b"{}"], address="10.0.0.6").run()

    assert asyncio.run(play()) == 200
    assert "did not read" in caplog.text
