"""Serve only requests whose `Host` header is a name of this server, for pages and websockets alike.

Otherwise another site could point a name of its own at this machine and read Tessera's answers as if they
were its own (DNS rebinding). Websockets of other sites' pages are refused here too: for an unknown origin
Streamlit asks a machine outside for this server's address, and all visitors wait.
"""

import ipaddress
import socket
from collections.abc import Iterable
from urllib.parse import urlsplit

import regex
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

_HOST = regex.compile(
    r"(?:(?<name>[a-z0-9_-]+(?:\.[a-z0-9_-]+)*)\.?|\[(?<address>[0-9a-f:.]+(?:%\w+)?)\])(?::[0-9]*)?"
)
#: Answered under any name, for monitors that ask whether the server is alive.
HEALTH_PATHS = ("/_stcore/health", "/health")


class HostCheck:
    """Middleware that refuses requests whose `Host` is not a name of this server.

    Names of this server are `allowed_hosts` ("*" allows all) and the loopback names. On a connection from
    another machine also the machine's own name and every IP address, since no site can own an IP address.
    """

    def __init__(self, app: ASGIApp, *, allowed_hosts: Iterable[str] = ()) -> None:
        self.app = app
        self.allows_all = "*" in (allowed := [*allowed_hosts])
        self.allowed_hosts = frozenset(map(host_name, allowed)) - {""}
        own_name = socket.gethostname().lower().partition(".")[0]
        self.own_names = frozenset([socket.gethostname().lower(), own_name, f"{own_name}.local"])

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or refuse it."""
        if scope["type"] not in ("http", "websocket") or scope["path"].endswith(HEALTH_PATHS):
            return await self.app(scope, receive, send)
        given = [value for name, value in scope["headers"] if name == b"host"]
        address = (scope.get("server") or ("127.0.0.1",))[0]
        if len(given) == 1 and self.is_own(host_name(host := given[0].decode("latin-1")), address):
            origins = [value.decode("latin-1") for name, value in scope["headers"] if name == b"origin"]
            if scope["type"] == "http" or all(is_same_origin(origin, host) for origin in origins):
                return await self.app(scope, receive, send)
            return await send({"type": "websocket.close", "code": 1008, "reason": "unknown origin"})
        shown = b", ".join(given).decode("latin-1")[:100]
        sentence = (
            f"This server does not know the name {shown!r}. If it is a name of this server, start it with "
            f"`-- --allow-host {shown or 'NAME'}` at the end, or set TESSERA_ALLOW_HOST.\n"
        )
        if scope["type"] == "websocket":
            return await send({"type": "websocket.close", "code": 1008, "reason": "unknown host"})
        return await PlainTextResponse(sentence, 421)(scope, receive, send)

    def is_own(self, name: str, address: str) -> bool:
        """Return whether a name is one of this server, on a connection to this address of the server.

        >>> check = HostCheck(PlainTextResponse(), allowed_hosts=["class.example"])
        >>> check.is_own("localhost", "127.0.0.1"), check.is_own("evil.example", "127.0.0.1")
        (True, False)
        >>> check.is_own("192.168.1.7", "192.168.1.7"), check.is_own("class.example", "192.168.1.7")
        (True, True)
        """
        if self.allows_all or name in self.allowed_hosts or is_loopback(name):
            return True
        return not is_loopback(address) and (read_address(name) is not None or name in self.own_names)


def is_same_origin(origin: str, host: str) -> bool:
    """Return whether a page with this `Origin` comes from the server that it names in `Host`.

    >>> is_same_origin("https://a.example", "A.example"), is_same_origin("https://evil.example", "a.example")
    (True, False)
    """
    try:
        name = urlsplit(origin).netloc.lower()
    except ValueError:
        return False
    return name != "" and name == host.lower()


def host_name(host: str) -> str:
    """Return the name in a `Host` header without port, brackets and final dot; "" if it is invalid.

    >>> host_name("LocalHost:8501"), host_name("[::1]:80"), host_name("a.example."), host_name("a/b")
    ('localhost', '::1', 'a.example', '')
    """
    match = _HOST.fullmatch(host.strip().lower())
    return match["name"] or match["address"] if match else ""


def read_address(name: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Return an IP address, mapped ones as IPv4; None for a name.

    >>> read_address("::ffff:127.0.0.1"), read_address("a.example")
    (IPv4Address('127.0.0.1'), None)
    """
    try:
        address = ipaddress.ip_address(name.partition("%")[0])
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def is_loopback(name: str) -> bool:
    """Return whether a name or address always means the machine that asks.

    >>> is_loopback("127.0.0.2"), is_loopback("app.localhost"), is_loopback("localhost.example")
    (True, True, False)
    """
    address = read_address(name)
    return name == "localhost" or name.endswith(".localhost") or (address is not None and address.is_loopback)


def is_private(name: str) -> bool:
    """Return whether an address belongs to a machine in a network of its own, as in a classroom.

    >>> is_private("192.168.1.7"), is_private("9.9.9.9"), is_private("a.example")
    (True, False, False)
    """
    address = read_address(name)
    return address is not None and address.is_private
