"""What a browser keeps of a visit over a reload: it fetches what is new, and gives it back to the next visit.

The server keeps nothing itself. What comes back is checked like any input.
"""

import base64
import binascii
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypedDict

from starlette.responses import Response

from playground.catalog.kept_file import read_kept
from playground.catalog.opened import OpenedModel
from playground.core.errors import InvalidInputError, PlaygroundError, TextTooLongError
from playground.server.actions import Action, Actions
from playground.server.refusals import RefusedRequestError
from playground.server.sessions import PageSession
from playground.server.shapes import Shape, string
from playground.server.wire import json_response

#: Characters of a thing as it is kept; with its name it fits the largest body of a request.
MAX_PACKED_CHARS = 8_000_000
#: Bytes of a thing; 8 million characters hold some 6 MB of them compressed.
MAX_BYTES = 48_000_000
MAX_TOKENIZERS = 20
#: Before the name of a tokenizer.
TOKENIZER = "tokenizer/"
CHOICES = "choices"
_NAMES = (CHOICES,)


@dataclass(frozen=True, slots=True)
class Thing:
    """What a browser is to keep; `digest` tells one state of it from another, people call it `title`."""

    digest: str
    title: str
    make: Callable[[], bytes]


class KeptThing(TypedDict):
    """A thing compressed, in characters."""

    packed: str


@dataclass(eq=False)
class MemorySession(PageSession):
    """What is to be kept of this visit, by name; and what the browser has given back of the one before."""

    things: Mapping[str, Thing] = field(default_factory=dict)
    models: dict[str, tuple[str, OpenedModel]] = field(default_factory=dict)
    data: dict[str, bytes] = field(default_factory=dict)


def pack_thing(raw: bytes, title: str) -> str:
    """A thing as it is kept. Raises TextTooLongError."""
    packed = "" if len(raw) > MAX_BYTES else base64.b64encode(zlib.compress(raw)).decode()
    if not packed or len(packed) > MAX_PACKED_CHARS:
        raise TextTooLongError(
            f"{title} is too large for this browser to keep: {len(raw) / 1e6:,.1f} MB, where up to "
            f"{MAX_BYTES / 1e6:,.0f} MB are kept, and {MAX_PACKED_CHARS * 0.75e-6:,.0f} MB compressed. A "
            "reload of this tab loses it"
        )
    return packed


def unpack_thing(packed: str) -> bytes:
    """What `pack_thing` packed; a bomb is not inflated. Raises InvalidInputError.

    >>> unpack_thing(pack_thing(b"hello", "a text"))
    b'hello'
    """
    try:
        stream = zlib.decompressobj()
        raw = stream.decompress(base64.b64decode(packed, validate=True), MAX_BYTES)
    except (ValueError, binascii.Error, zlib.error):
        raise InvalidInputError("what was kept cannot be read") from None
    if not stream.eof:
        raise InvalidInputError("a part of what was kept is missing")
    return raw


def _thing(session: MemorySession, *, name: str) -> Response:
    thing = session.things.get(name)
    if thing is None:
        raise RefusedRequestError(404, f"there is nothing called {name[:80]!r} to keep")
    try:
        raw = thing.make()
    except PlaygroundError as error:
        raise InvalidInputError(
            f"this browser cannot keep {thing.title}: {error}. A reload loses it"
        ) from None
    return json_response(KeptThing(packed=pack_thing(raw, thing.title)))


def _give_back(session: MemorySession, *, name: str, digest: str, packed: str) -> Response:
    if not session.is_fresh:
        raise RefusedRequestError(409, "this visit has its things already")
    is_tokenizer = name.startswith(TOKENIZER)
    if not is_tokenizer and name not in _NAMES:
        raise InvalidInputError(
            f"nothing is kept as {name[:80]!r}; choose {TOKENIZER}… or {', '.join(_NAMES)}"
        )
    raw = unpack_thing(packed)
    if is_tokenizer:
        own_name = name.removeprefix(TOKENIZER)
        if len(session.models) >= MAX_TOKENIZERS:
            raise InvalidInputError(f"{own_name} was not opened again: at most {MAX_TOKENIZERS} are kept")
        try:
            session.models[own_name] = digest, read_kept(raw, visitor=session.id)
        except PlaygroundError as error:
            raise InvalidInputError(f"{own_name} was kept, and cannot be opened again: {error}") from None
    else:
        session.data[name] = raw
    return json_response({})


MEMORY_ACTIONS: Actions = {
    "thing": Action(_thing, Shape({"name": string(max_chars=200)})),
    "give_back": Action(
        _give_back,
        Shape(
            {
                "name": string(max_chars=200),
                "digest": string(max_chars=100),
                "packed": string(max_chars=MAX_PACKED_CHARS),
            }
        ),
    ),
}
