"""Share links of the Formats page."""

import base64
import binascii
from collections.abc import Mapping
from typing import Any

from playground.core.errors import InvalidInputError
from playground.server.shapes import Optional, Shape, or_null, whole_text
from playground.server.share_link import CHOSEN, LinkKind, unpack_bytes


def _state_of_old_link(parameters: Mapping[str, str]) -> dict[str, Any]:
    return {"text": unpack_bytes(parameters["data"].rstrip("=")).decode(errors="replace")}


#: A file: `base64` where it is no UTF-8 text.
_UPLOAD = Shape({"name": whole_text, "text": Optional(whole_text), "base64": Optional(whole_text)})

FORMATS_LINK = LinkKind(
    Shape({**CHOSEN, "text": Optional(whole_text), "upload": Optional(or_null(_UPLOAD.check))}),
    large={"text": "the data", "upload": "the file"},
    old_parameters=("data",),
    read_old=_state_of_old_link,
)


def packed_file(name: str, raw: bytes) -> dict[str, str]:
    """A file as a link has it."""
    try:
        return {"name": name, "text": raw.decode()}
    except UnicodeDecodeError:
        return {"name": name, "base64": base64.b64encode(raw).decode()}


def unpacked_file(packed: Mapping[str, Any]) -> tuple[str, bytes]:
    r"""The name and the bytes of a file that a link has. Raises InvalidInputError.

    >>> unpacked_file(packed_file("a.csv", b"a,\xff"))
    ('a.csv', b'a,\xff')
    """
    if packed.get("text") is not None:
        return packed["name"], packed["text"].encode()
    try:
        return packed["name"], base64.b64decode(packed["base64"] or "", validate=True)
    except (ValueError, binascii.Error):
        raise InvalidInputError("the file in this link cannot be read; ask for a new one") from None
