"""Where descriptors are scarce new visitors are told, and those who are here are served."""

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

from playground.server.protection.visitors import Descriptors, VisitorLimit, count_descriptors

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
        assert answer.headers["retry-after"] == "60"
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
