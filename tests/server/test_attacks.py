"""Attacks that one client made over HTTP: none fills, slows or freezes the server for the others."""

import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin

from playground.server import health
from playground.server.protection import bodies, guard
from playground.server.protection.hosts import HostCheck
from playground.server.routes import OwnRoutes
from tests.waiting import wait_until

ROOT = Path(__file__).resolve().parents[2]
COUNT, ENCODE = "/api/v1/count", "/api/v1/encode"
LARGE = 100_000


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """Serve Tessera's routes on a free port."""
    app = Starlette(middleware=[Middleware(HostCheck), Middleware(OwnRoutes)])
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="critical"))
    thread = threading.Thread(target=server.run)
    thread.start()
    wait_until(lambda: server.started)
    yield server.servers[0].sockets[0].getsockname()[1]
    server.force_exit = server.should_exit = True
    thread.join()


def post(port: int, path: str, body: object) -> tuple[int, dict[str, object]]:
    with closing(HTTPConnection("127.0.0.1", port, timeout=120)) as connection:
        connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())


def head(path: str, n_bytes: int) -> bytes:
    lines = [f"POST {path} HTTP/1.1", "Host: 127.0.0.1", "Content-Type: application/json"]
    return "\r\n".join([*lines, f"Content-Length: {n_bytes}", "", ""]).encode()


@contextmanager
def stalled(port: int, sent: bytes, *, n_clients: int = 12) -> Iterator[list[socket.socket]]:
    """Open connections that send this and then neither send nor read."""
    with ExitStack() as stack:
        opened = [
            stack.enter_context(socket.create_connection(("127.0.0.1", port))) for _ in range(n_clients)
        ]
        for connection in opened:
            connection.sendall(sent)
        yield opened


def test_clients_that_stall_keep_nobody_waiting(port, monkeypatch):
    monkeypatch.setattr(bodies, "MAX_PAUSE_SECONDS", 1_000.0)
    body = {"text": "a " * (LARGE // 3), "encoding": "utf8_bytes"}
    asks = json.dumps({**body, "spans": True}).encode()
    senders = stalled(port, head(COUNT, 10 * LARGE) + b" " * LARGE)
    with senders, stalled(port, head(ENCODE, len(asks)) + asks, n_clients=3):
        assert post(port, COUNT, body)[0] == 200


def test_a_client_that_stalls_is_told_and_its_connection_ends(port, monkeypatch):
    monkeypatch.setattr(bodies, "MAX_PAUSE_SECONDS", 0.3)
    with stalled(port, head(COUNT, 10 * LARGE) + b" " * LARGE, n_clients=1) as opened:
        opened[0].settimeout(60)
        assert b" 408 " in opened[0].recv(1_000)
        while opened[0].recv(1_000):
            pass


def test_large_bodies_of_one_address_are_held_up_to_a_limit_and_small_ones_beyond(port, monkeypatch):
    limited = bodies.HeldBytes(max_bytes=20 * LARGE, max_bytes_of_address=4 * LARGE)
    monkeypatch.setattr(guard, "_HELD", limited)
    with stalled(port, head(COUNT, 10 * LARGE) + b" " * LARGE):
        wait_until(lambda: limited.of_address.total() >= 3 * LARGE)
        status, answer = post(port, COUNT, {"text": "a " * LARGE, "encoding": "gpt2"})
        assert (status, "large requests" in str(answer["error"])) == (503, True)
        assert post(port, COUNT, {"text": "a", "encoding": "gpt2"})[0] == 200
    wait_until(lambda: not limited.of_address)


def test_the_health_check_fails_where_a_page_would_find_no_memory(port, monkeypatch):
    for needed, status in ((1_000, 200), (1 << 60, 503)):
        monkeypatch.setattr(health, "NEEDED_BYTES", needed)
        with closing(HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
            connection.request("GET", "/health", headers={"Host": "any.example"})
            assert connection.getresponse().status == status


def test_a_library_that_holds_the_interpreter_keeps_no_small_request_waiting(port):
    small = {"text": "to be", "encoding": "bert_uncased"}
    post(port, COUNT, small)
    with ThreadPoolExecutor(2) as clients:
        dots = {"text": "." * 300_000, "encoding": "bert_uncased"}
        large = [clients.submit(post, port, COUNT, dots) for _ in range(2)]
        time.sleep(0.1)
        n_before = 0
        for _ in range(20):
            assert post(port, COUNT, small)[0] == 200
            n_before += not any(request.done() for request in large)
        assert n_before > 1, "small requests are answered while large ones are under way"
        assert [request.result()[1]["count"] for request in large] == [300_000] * 2


def test_a_server_for_all_addresses_asks_no_other_machine_and_refuses_websockets_of_other_pages():
    with closing(socket.create_server(("127.0.0.1", 0))) as outside:
        asked = f"http://127.0.0.1:{outside.getsockname()[1]}"
        with socket.create_server(("127.0.0.1", 0)) as probe:
            port = probe.getsockname()[1]
        server = subprocess.Popen(
            [*(sys.executable, "-m", "streamlit", "run", "streamlit_app.py", "--server.port", str(port)),
             *("--server.address", "0.0.0.0", "--server.headless", "true")],
            cwd=ROOT, env={**os.environ, "http_proxy": asked, "https_proxy": asked, "no_proxy": ""},
            stdout=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            wait_until(lambda: answers(port), 100)
            stream = f"ws://127.0.0.1:{port}/_stcore/stream"
            for _ in range(3):
                with pytest.raises(InvalidStatus, match="403"):
                    connect(stream, origin=Origin("https://evil.example"), proxy=None, open_timeout=90)
            with connect(stream, origin=Origin(f"http://127.0.0.1:{port}"), proxy=None, open_timeout=90):
                pass
            with closing(HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
                connection.request("GET", "/health")
                assert connection.getresponse().read() == b'{"status":"ok"}'
        finally:
            server.kill()
            server.wait()
        outside.settimeout(0)
        with pytest.raises(BlockingIOError):
            outside.accept()


def answers(port: int) -> bool:
    try:
        with closing(HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
            connection.request("GET", "/_stcore/health")
            return True
    except OSError:
        return False
