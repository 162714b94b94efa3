"""What the one who starts the server may allow: after `--` on the command line, or in the environment."""

from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import regex

from playground.core.errors import InvalidInputError
from playground.core.wording import quoted
from playground.server.protection.hosts import host_name

_ORIGIN = regex.compile(r"https?://(?:[A-Za-z0-9_.-]+|\[[0-9a-f:.]+\])(?::[0-9]+)?")


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """Names under which the server may be asked for, and origins whose pages may show it in a frame."""

    allowed_hosts: tuple[str, ...] = ()
    allowed_frames: tuple[str, ...] = ()


def read_options(arguments: Sequence[str], environment: Mapping[str, str]) -> ServerOptions:
    """Options from arguments, each with a comma or repeated, and from the environment.

    >>> read_options(["--allow-host", "class.example"], {"TESSERA_ALLOW_FRAME": "https://a.example"})
    ServerOptions(allowed_hosts=('class.example',), allowed_frames=('https://a.example',))

    Raises InvalidInputError.
    """
    parser = ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--allow-host", action="append", default=[])
    parser.add_argument("--allow-frame", action="append", default=[])
    given, _ = parser.parse_known_args(list(arguments))
    hosts = _split([*given.allow_host, environment.get("TESSERA_ALLOW_HOST", "")])
    frames = _split([*given.allow_frame, environment.get("TESSERA_ALLOW_FRAME", "")])
    for host in hosts:
        if host != "*" and not host_name(host):
            raise InvalidInputError(
                f"--allow-host {quoted(host)} is no host name; give one such as class.example"
            )
    for frame in frames:
        if not _ORIGIN.fullmatch(frame):
            raise InvalidInputError(
                f"--allow-frame {quoted(frame)} is no origin; give one such as https://a.example"
            )
    return ServerOptions(hosts, frames)


def _split(given: Sequence[str]) -> tuple[str, ...]:
    return tuple(name.strip() for part in given for name in part.split(",") if name.strip())
