"""Share links: what a page shows, compressed into one parameter of its address.

A link holds the text itself; nothing is stored on the server. What a link says is checked like any input, and
links of before are read as ever.
"""

import base64
import binascii
import json
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from playground.analysis.live_document import MAX_TEXT_BYTES
from playground.core.errors import InvalidInputError, TextTooLongError
from playground.server.shapes import Optional, Shape, array, json_object, parse_json, whole_text

PARAMETER = "share"
#: Browsers and proxies take at least this much; a longer link breaks in mail and chat.
MAX_LINK_CHARS = 8_000
#: The longest state: a text whose every byte is written as "\u0000".
MAX_STATE_BYTES = 6 * MAX_TEXT_BYTES
#: What was chosen in the fields of a page, which checks it, and the names of what was too long for the link.
CHOSEN = {
    "chosen": Optional(json_object, {}),
    "left_out": Optional(array(whole_text, max_items=100), []),
}
#: Stands before the state. The first links, all of Tokenize, have none.
_VERSION = "2."


@dataclass(frozen=True, slots=True)
class LinkKind:
    """The links of one page: the shape of their state, and how it stood in parameters of its own before.

    `large` says what each part that a long link leaves out is called.
    """

    shape: Shape
    large: Mapping[str, str] = field(default_factory=dict)
    old_parameters: tuple[str, ...] = ()
    read_old: Callable[[Mapping[str, str]], dict[str, Any]] = dict

    @property
    def parameters(self) -> tuple[str, ...]:
        """All parameters of an address that may belong to a link."""
        return (PARAMETER, *self.old_parameters)

    def read(self, parameters: Mapping[str, str]) -> dict[str, Any] | None:
        """The state that an address holds; None if it holds none. Raises InvalidInputError."""
        old = {name: parameters[name] for name in self.old_parameters if name in parameters}
        try:
            if PARAMETER in parameters:
                return self.shape.check(unpack(parameters[PARAMETER]))
            if not old:
                return None
            said = {name: value for name, value in self.read_old(old).items() if value is not None}
            return self.shape.check(said)
        except InvalidInputError as error:
            raise InvalidInputError(f"this share link is damaged: {error}; ask for a new one") from None


def link_query(state: Mapping[str, Any]) -> str:
    """The query part of a link that restores a state. Raises TextTooLongError."""
    return f"{PARAMETER}={pack(state)}"


def pack(state: Mapping[str, Any]) -> str:
    """State as text that is safe in a query. Raises TextTooLongError.

    >>> unpack(pack({"text": "héllo"}))
    {'text': 'héllo'}
    """
    packed = _VERSION + pack_bytes(json.dumps(state, ensure_ascii=False).encode(errors="replace"))
    if len(packed) > MAX_LINK_CHARS:
        raise TextTooLongError(
            f"this is too long for a link: {len(packed):,} characters when compressed, and links over "
            f"{MAX_LINK_CHARS:,} break in mail and chat. Send it as a file instead"
        )
    return packed


def unpack(packed: str) -> object:
    """The state of a link, as it stands there. Raises InvalidInputError."""
    version, dot, data = packed.rpartition(".")
    if version + dot not in ("", _VERSION):
        raise InvalidInputError(f"it begins with {version[:20]!r}; this server reads links that begin with 2")
    return parse_json(unpack_bytes(data))


def pack_bytes(plain: bytes) -> str:
    """Bytes, compressed, in the 64 characters that stand in an address as they are."""
    return base64.urlsafe_b64encode(zlib.compress(plain, 9)).rstrip(b"=").decode()


def unpack_bytes(packed: str) -> bytes:
    """What `pack_bytes` packed; a bomb is not inflated. Raises InvalidInputError.

    >>> unpack_bytes(pack_bytes(b"hello"))
    b'hello'
    """
    if len(packed) > MAX_LINK_CHARS:
        raise InvalidInputError(f"it has {len(packed):,} characters; links have up to {MAX_LINK_CHARS:,}")
    try:
        data = base64.b64decode(packed + "=" * (-len(packed) % 4), altchars=b"-_", validate=True)
        stream = zlib.decompressobj()
        plain = stream.decompress(data, MAX_STATE_BYTES)
    except (ValueError, binascii.Error, zlib.error):
        raise InvalidInputError("its data cannot be read") from None
    if not stream.eof:
        raise InvalidInputError("a part of its data is missing")
    return plain
