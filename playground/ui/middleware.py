"""The middleware before all pages and routes, and the options of the person who starts the server."""

import os
import sys
from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import regex
import streamlit as st
from starlette.middleware import Middleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from playground.catalog.local_models import LocalPlaces
from playground.core.errors import InvalidInputError
from playground.core.wording import quoted
from playground.server.protection.headers import SafeHeaders
from playground.server.protection.hosts import HostCheck, host_name, is_loopback
from playground.server.routes import OwnRoutes

_ORIGIN = regex.compile(r"https?://(?:[A-Za-z0-9_.-]+|\[[0-9a-f:.]+\])(?::[0-9]+)?")


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """Host names of the server, origins whose pages may show it in a frame, and folders of models."""

    allowed_hosts: tuple[str, ...] = ()
    allowed_frames: tuple[str, ...] = ()
    models: str = ""


def read_options(arguments: Sequence[str], environment: Mapping[str, str]) -> ServerOptions:
    """Read the options after `--` on the command line, each repeated or with commas, and the environment's.

    >>> read_options(["--allow-host", "class.example"], {"TESSERA_ALLOW_FRAME": "https://a.example"})
    ServerOptions(allowed_hosts=('class.example',), allowed_frames=('https://a.example',), models='')

    Raises InvalidInputError.
    """
    parser = ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--allow-host", action="append", default=[])
    parser.add_argument("--allow-frame", action="append", default=[])
    parser.add_argument("--models", action="append", default=[])
    given, _ = parser.parse_known_args(list(arguments))
    hosts = _split([*given.allow_host, environment.get("TESSERA_ALLOW_HOST", "")])
    frames = _split([*given.allow_frame, environment.get("TESSERA_ALLOW_FRAME", "")])
    for host in hosts:
        if host != "*" and not host_name(host):
            raise InvalidInputError(
                f"--allow-host {quoted(host)} is not a host name; use one such as class.example"
            )
    for frame in frames:
        if not _ORIGIN.fullmatch(frame):
            raise InvalidInputError(
                f"--allow-frame {quoted(frame)} is not an origin; use one such as https://a.example"
            )
    models = os.pathsep.join(given.models) or environment.get("TESSERA_MODELS", "")
    LocalPlaces.of(models, has_caches=False)  # refuses a folder that does not exist
    return ServerOptions(hosts, frames, models)


def _split(given: Sequence[str]) -> tuple[str, ...]:
    return tuple(name.strip() for part in given for name in part.split(",") if name.strip())


def offered_places() -> LocalPlaces:
    """Return where visitors may find models on this machine.

    Folders named by `--models` are for all visitors; the caches of other programs only for the person at this
    machine.
    """
    options = read_options(sys.argv[1:], os.environ)
    return LocalPlaces.of(options.models, has_caches=is_own_server())


def is_own_server() -> bool:
    """Return whether only the person at this machine reaches the server: by its address and host names."""
    options = read_options(sys.argv[1:], os.environ)
    return is_loopback(st.get_option("server.address") or "") and not options.allowed_hosts


def middleware(arguments: Sequence[str], environment: Mapping[str, str]) -> list[Middleware]:
    """Return the middleware of a server started with these arguments, the outermost first."""
    options = read_options(arguments, environment)
    page = (Path(st.__file__).parent / "static" / "index.html").read_text(encoding="utf-8")
    started_as = [st.get_option("server.address") or "", st.get_option("browser.serverAddress") or ""]
    return [
        Middleware(SafeHeaders, allowed_frames=options.allowed_frames, page=page),
        Middleware(HostCheck, allowed_hosts=[*options.allowed_hosts, *started_as]),
        Middleware(NoErrorDialogs),
        Middleware(OwnRoutes, base_path=st.get_option("server.baseUrlPath") or ""),
    ]


class NoErrorDialogs:
    """Middleware that sets `blockErrorDialogs` in the configuration that Streamlit sends to its browser code.

    Otherwise a dialog takes the keyboard some seconds after a laptop sleeps or the server restarts, and what
    a person types then is lost. Streamlit has the setting for sites that embed it, and no option for it.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""

        async def send_changed(message: Message) -> None:
            if "body" in message:  # "true " is as long as "false", so Content-Length stays right
                changed = message["body"].replace(b'"blockErrorDialogs":false', b'"blockErrorDialogs":true ')
                message = {**message, "body": changed}
            await send(message)

        is_config = scope["path"].endswith("/_stcore/host-config") if scope["type"] == "http" else False
        await self.app(scope, receive, send_changed if is_config else send)
