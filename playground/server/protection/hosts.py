"""Under which names this server may be asked for; others are refused, pages and sockets of Streamlit too.

A page of another site can point a name of its own at this machine and then read all that is here, as if it
were its own (DNS rebinding). What gives it away is the name in the header `Host`.
"""

import ipaddress
import socket
from collections.abc import Iterable
from functools import lru_cache

import regex
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

_HOST = regex.compile(
    r"(?:(?<name>[a-z0-9_-]+(?:\.[a-z0-9_-]+)*)\.?|\[(?<address>[0-9a-f:.]+(?:%\w+)?)\])(?::[0-9]*)?"
)
#: Answered under any name, for machines that only ask whether the server lives.
HEALTH_PATH = "/_stcore/health"
MISDIRECTED = 421
#: Names that need not be looked at again for every key.
_MAX_KNOWN = 100


class HostCheck:
    """Middleware that serves only requests whose Host is a name of this server.

    Those are `allowed_hosts`, of which "*" stands for all; on a connection of this machine with itself the
    loopback names; on any other the machine's own name and every IP address, for an address is no name that
    could be pointed elsewhere.
    """

    def __init__(self, app: ASGIApp, *, allowed_hosts: Iterable[str] = ()) -> None:
        self.app = app
        self.allows_all = "*" in (allowed := [*allowed_hosts])
        self.allowed_hosts = frozenset(map(host_name, allowed)) - {""}
        own_name = socket.gethostname().lower().partition(".")[0]
        self.is_served = lru_cache(_MAX_KNOWN)(
            lambda host, address: self.is_own(host_name(host.decode("latin-1")), address)
        )
        self.own_names = frozenset([socket.gethostname().lower(), own_name, f"{own_name}.local"])

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or refuse it."""
        if scope["type"] not in ("http", "websocket") or scope["path"].endswith(HEALTH_PATH):
            return await self.app(scope, receive, send)
        given = [value for name, value in scope["headers"] if name == b"host"]
        address = (scope.get("server") or ("127.0.0.1",))[0]
        if len(given) == 1 and self.is_served(given[0], address):
            return await self.app(scope, receive, send)
        shown = b", ".join(given).decode("latin-1")[:100]
        sentence = (
            f"This server is not known as {shown!r}. If that is a name of it, start it with "
            f"`-- --allow-host {shown or 'NAME'}` at the end, or set TESSERA_ALLOW_HOST.\n"
        )
        if scope["type"] == "websocket":
            return await send({"type": "websocket.close", "code": 1008, "reason": "unknown host"})
        return await PlainTextResponse(sentence, MISDIRECTED)(scope, receive, send)

    def is_own(self, name: str, address: str) -> bool:
        """Whether a name stands for this server, on a connection that came in at an address of it.

        >>> check = HostCheck(PlainTextResponse(), allowed_hosts=["class.example"])
        >>> check.is_own("localhost", "127.0.0.1"), check.is_own("evil.example", "127.0.0.1")
        (True, False)
        >>> check.is_own("192.168.1.7", "192.168.1.7"), check.is_own("class.example", "192.168.1.7")
        (True, True)
        """
        if self.allows_all or name in self.allowed_hosts or is_loopback(name):
            return True
        return not is_loopback(address) and (read_address(name) is not None or name in self.own_names)


def host_name(host: str) -> str:
    """The name in a header `Host`, without port, brackets and a final dot; "" for what is none.

    >>> host_name("LocalHost:8501"), host_name("[::1]:80"), host_name("a.example."), host_name("a/b")
    ('localhost', '::1', 'a.example', '')
    """
    match = _HOST.fullmatch(host.strip().lower())
    return match["name"] or match["address"] if match else ""


def read_address(name: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """An IP address, of version 4 where one of version 6 stands for it; None for a name.

    >>> read_address("::ffff:127.0.0.1"), read_address("a.example")
    (IPv4Address('127.0.0.1'), None)
    """
    try:
        address = ipaddress.ip_address(name.partition("%")[0])
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def is_loopback(name: str) -> bool:
    """Whether a name or address always stands for the machine that asks.

    >>> is_loopback("127.0.0.2"), is_loopback("app.localhost"), is_loopback("localhost.example")
    (True, True, False)
    """
    address = read_address(name)
    return name == "localhost" or name.endswith(".localhost") or (address is not None and address.is_loopback)
