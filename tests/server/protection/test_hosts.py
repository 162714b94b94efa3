"""Only the names of this server are served: a page cannot reach it under a name of its own."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from playground.core.errors import InvalidInputError
from playground.server.options import ServerOptions, read_options
from playground.server.protection.hosts import HostCheck, host_name


async def hello(_request):
    return PlainTextResponse("hello")


async def talk(websocket):
    await websocket.accept()
    await websocket.send_text("hello")
    await websocket.close()


def client(address, *allowed_hosts):
    """A client of a server on a connection that came in at an address."""
    routes = [Route("/", hello), Route("/_stcore/health", hello), WebSocketRoute("/stream", talk)]
    app = Starlette(routes=routes, middleware=[Middleware(HostCheck, allowed_hosts=allowed_hosts)])
    host = f"[{address}]" if ":" in address else address
    return TestClient(app, base_url=f"http://{host}:8501")


def status(address, host, *allowed_hosts):
    return client(address, *allowed_hosts).get("/", headers={"host": host}).status_code


@pytest.mark.parametrize(
    ("address", "host", "is_served"),
    [
        ("127.0.0.1", "localhost:8501", True),
        ("127.0.0.1", "LOCALHOST.", True),
        ("127.0.0.1", "app.localhost", True),
        ("127.0.0.1", "127.0.0.1:8501", True),
        ("::1", "[::1]:8501", True),
        ("::ffff:127.0.0.1", "localhost", True),
        ("127.0.0.1", "evil.example:8501", False),
        ("::ffff:127.0.0.1", "evil.example", False),
        ("127.0.0.1", "localhost.evil.example", False),
        ("127.0.0.1", "evil-localhost", False),
        ("127.0.0.1", "127.0.0.1.evil.example", False),
        ("127.0.0.1", "192.168.1.7", False),
        ("192.168.1.7", "192.168.1.7:8501", True),
        ("172.17.0.2", "192.168.1.7:8501", True),  # a port of a container that its machine forwards
        ("fe80::1%eth0", "[fe80::1%25eth0]:80", True),
        ("192.168.1.7", "evil.example", False),
        ("192.168.1.7", "", False),
        ("192.168.1.7", "evil.example/192.168.1.7", False),
        ("192.168.1.7", "evil.example@192.168.1.7", False),
        ("192.168.1.7", "evil.example:80:192.168.1.7", False),
    ],
)
def test_names_are_checked_against_the_address_of_the_connection(address, host, is_served):
    assert status(address, host) == (200 if is_served else 421)


def test_the_machines_own_name_is_fine_from_outside_only(monkeypatch):
    monkeypatch.setattr("socket.gethostname", lambda: "Desk7.school.example")
    for host in ("desk7", "desk7.local", "desk7.school.example"):
        assert status("192.168.1.7", host) == 200
        assert status("127.0.0.1", host) == 421
    assert status("192.168.1.7", "school.example") == 421


def test_more_names_may_be_allowed():
    for address in ("127.0.0.1", "192.168.1.7"):
        assert status(address, "class.example:443", "class.example") == 200
        assert status(address, "other.class.example", "class.example") == 421
        assert status(address, "class.example", "class.example:8501") == 200
        assert status(address, "evil.example", "*") == 200


def test_a_refusal_says_how_to_allow():
    answer = client("127.0.0.1").get("/", headers={"host": "class.example:8501"})
    assert "'class.example:8501'" in answer.text
    assert "--allow-host class.example:8501" in answer.text
    assert "TESSERA_ALLOW_HOST" in answer.text
    assert answer.headers["content-type"].startswith("text/plain")


def test_several_hosts_or_none_are_refused():
    for headers in ([("host", "localhost"), ("host", "evil.example")], [("host", "")]):
        assert client("127.0.0.1").get("/", headers=headers).status_code == 421


def test_a_socket_is_refused_too():
    with client("127.0.0.1").websocket_connect("/stream", headers={"host": "localhost"}) as socket:
        assert socket.receive_text() == "hello"
    with (
        pytest.raises(WebSocketDisconnect),
        client("127.0.0.1").websocket_connect("/stream", headers={"host": "evil.example"}),
    ):
        pass


def test_health_is_told_under_any_name():
    assert client("127.0.0.1").get("/_stcore/health", headers={"host": "10.0.0.3"}).status_code == 200


@given(host=st.text(max_size=30))
def test_any_text_is_a_name_or_none(host):
    name = host_name(host)
    assert host_name(name) in (name, "") or name.endswith(".")
    assert name == name.lower()


def test_options_come_from_arguments_and_environment():
    arguments = ["--allow-host", "a.example, b.example", "--else", "--allow-frame=https://c.example:8443"]
    environment = {"TESSERA_ALLOW_HOST": "d.example", "TESSERA_ALLOW_FRAME": "http://e.example"}
    assert read_options(arguments, environment) == ServerOptions(
        ("a.example", "b.example", "d.example"), ("https://c.example:8443", "http://e.example")
    )
    assert read_options([], {}) == ServerOptions()


@pytest.mark.parametrize(
    "arguments",
    [["--allow-host", "a b"], ["--allow-host", "https://a.example"], ["--allow-frame", "a.example"],
     ["--allow-frame", "https://a.example/"], ["--allow-frame", "https://a.example; script-src *"],
     ["--allow-frame", "https://["]],
)  # fmt: skip
def test_what_is_no_name_or_origin_is_told(arguments):
    with pytest.raises(InvalidInputError, match=r"is no (host name|origin); give one such as .*a.*\.example"):
        read_options(arguments, {})
