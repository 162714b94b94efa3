"""What the running server answers to requests that no page of ours makes."""

import socket
from urllib.parse import urlsplit

import pytest


def ask(app_url: str, path: str, *, host: str, **headers: str) -> str:
    """The head of the answer to one request, as it comes over the wire."""
    address = urlsplit(app_url)
    assert address.hostname
    assert address.port
    lines = [
        f"GET {path} HTTP/1.1",
        f"Host: {host}",
        *(f"{k.replace('_', '-')}: {v}" for k, v in headers.items()),
    ]
    with socket.create_connection((address.hostname, address.port), 20) as connection:
        connection.sendall("\r\n".join([*lines, "", ""]).encode())
        answer = b""
        while b"\r\n\r\n" not in answer and (more := connection.recv(4096)):
            answer += more
    return answer.decode(errors="replace")


@pytest.mark.parametrize(
    "path", ["/", "/compare", "/_stcore/host-config", "/static/none.js", "/api/v1/encode", "/session/x/open"]
)
def test_another_name_is_refused_and_every_answer_is_careful(app_url, path):
    own = urlsplit(app_url).netloc
    assert ask(app_url, path, host="evil.example").startswith("HTTP/1.1 421 ")
    head = ask(app_url, path, host=own)
    assert not head.startswith("HTTP/1.1 421 ")
    assert "x-content-type-options: nosniff" in head.lower()
    assert "frame-ancestors 'self'" in head


def test_the_socket_of_streamlit_is_refused_under_another_name(app_url):
    handshake = {
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec_WebSocket_Key": "dGhlIHNhbXBsZSBub25jZQ==",
        "Sec_WebSocket_Version": "13",
    }
    own = urlsplit(app_url).netloc
    assert ask(app_url, "/_stcore/stream", host=own, Origin=app_url, **handshake).startswith("HTTP/1.1 101 ")
    foreign = ask(app_url, "/_stcore/stream", host="evil.example", Origin="http://evil.example", **handshake)
    assert foreign.startswith("HTTP/1.1 403 ")
