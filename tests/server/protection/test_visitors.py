"""Where descriptors are scarce, or an address has many pages, new ones are told; others are served."""

import asyncio
import os
import subprocess
import sys

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from playground.server.protection.visitors import (
    MIN_PAGES_OF_ADDRESS,
    Descriptors,
    PageLimit,
    VisitorLimit,
    count_descriptors,
    max_pages_of_address,
)

PAGE = {"Accept": "text/html,application/xhtml+xml"}


async def hello(_request):
    return PlainTextResponse("hello")


async def talk(websocket):
    await websocket.accept(subprotocol="streamlit")
    await websocket.close()


def client(counted):
    routes = [
        Route("/", hello),
        Route("/edit", hello, methods=["POST"]),
        WebSocketRoute("/a/_stcore/stream", talk),
    ]
    middleware = [Middleware(VisitorLimit, count=lambda: counted)]
    return TestClient(Starlette(routes=routes, middleware=middleware))


@pytest.mark.parametrize(("n_open", "is_full"), [(80, False), (81, True), (200, True)])
def test_new_pages_and_sockets_are_refused_at_the_limit(n_open, is_full):
    visitor = client(Descriptors(n_open, 100))
    answer = visitor.get("/", headers=PAGE)
    assert answer.status_code == (503 if is_full else 200)
    if is_full:
        assert "This server is full" in answer.text
        assert answer.headers["retry-after"] == answer.headers["refresh"] == "60", "and a browser asks again"
        with (
            pytest.raises(WebSocketDisconnect),
            visitor.websocket_connect("/a/_stcore/stream", ["streamlit"]),
        ):
            pass
    assert visitor.post("/edit", headers={"Accept": "*/*"}).status_code == 200
    with visitor.websocket_connect("/a/_stcore/stream", ["streamlit", "xsrf", "a session of before"]):
        pass


def test_where_nothing_is_known_all_are_served():
    assert client(None).get("/", headers=PAGE).status_code == 200


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="the system does not tell")
def test_open_descriptors_are_counted():
    before = count_descriptors()
    pipes = [os.pipe() for _ in range(5)]
    after = count_descriptors()
    for pipe in pipes:
        os.close(pipe[0])
        os.close(pipe[1])
    assert before is not None
    assert after is not None
    assert after.n_open == before.n_open + 10


def test_the_limit_is_raised_as_far_as_it_goes():
    program = (
        "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (200, 500));"
        "from playground.server.protection.visitors import count_descriptors, raise_descriptor_limit;"
        "raise_descriptor_limit(); print(count_descriptors().limit)"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    assert run.stdout == "500\n"


class Visits:
    """An app behind a `PageLimit` of three pages, and what its visitors do."""

    def __init__(self, *, keep_seconds=3600.0):
        self.n_served = 0
        self.limit = PageLimit(self, is_held="held".__eq__, keep_seconds=keep_seconds)
        self.limit.max_pages = 3

    async def __call__(self, scope, receive, _send):
        self.n_served += 1
        if scope["type"] == "websocket":
            await receive()  # until the tab is closed

    async def ask(self, address, scope, receive=None):
        """What is sent to a visitor, or [] where the app was asked."""
        sent = []

        async def send(message):
            sent.append(message)

        await self.limit({"path": "/a/_stcore/stream", "client": (address, 1), **scope}, receive, send)
        return sent

    async def page(self, address):
        headers = [(b"accept", b"text/html")]
        return await self.ask(address, {"type": "http", "method": "GET", "headers": headers})

    async def open(self, address, *, session=""):
        """A socket that stays open, and what closes it."""
        closing = asyncio.Event()
        scope = {"type": "websocket", "subprotocols": ["streamlit", "xsrf", *([session] if session else [])]}
        task = asyncio.create_task(self.ask(address, scope, closing.wait))
        await asyncio.sleep(0)

        async def close():
            closing.set()
            return await task

        return close


def test_an_address_with_many_pages_gets_no_new_one_and_those_it_has_work_on():
    async def play():
        visits = Visits()
        close_one, *_ = [await visits.open("school") for _ in range(3)]
        start, body = await visits.page("school")
        assert (start["status"], dict(start["headers"])[b"retry-after"]) == (503, b"60")
        assert b"has 3 pages open, and 0 were just closed; this server holds up to 3" in body["body"]
        refused = await (await visits.open("school"))()
        assert [message["type"] for message in refused] == ["websocket.close"]
        n_served = visits.n_served
        edit = {"type": "http", "method": "POST", "headers": [(b"accept", b"*/*")]}
        assert await visits.ask("school", edit) == []
        comes_back = await visits.open("school", session="held")
        unknown = await visits.open("school", session="unknown")
        assert visits.n_served == n_served + 2, "an edit, and who comes back to a session that is held"
        assert len(await unknown()) == 1
        assert await visits.page("home") == [], "another address"
        await comes_back()
        await close_one()
        assert await visits.page("school") == [], "who reloads a page has it again"

    asyncio.run(play())


def test_pages_that_open_and_close_again_and_again_count_until_their_sessions_are_gone():
    async def play():
        visits = Visits(keep_seconds=0.05)
        for _ in range(3):
            await (await visits.open("one"))()
        assert len(await visits.page("one")) == 2
        while visits.limit._left:
            await asyncio.sleep(0.01)
        assert await visits.page("one") == []
        assert not visits.limit._open

    asyncio.run(play())


def test_a_class_behind_one_address_has_room():
    assert max_pages_of_address() >= MIN_PAGES_OF_ADDRESS >= 30 * 10
