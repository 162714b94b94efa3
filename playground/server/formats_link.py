"""Share links of the Formats page."""

from collections.abc import Mapping
from typing import Any

from playground.server.shapes import Shape, whole_text
from playground.server.share_link import LinkKind, unpack_bytes


def _state_of_old_link(parameters: Mapping[str, str]) -> dict[str, Any]:
    return {"text": unpack_bytes(parameters["data"].rstrip("=")).decode(errors="replace")}


FORMATS_LINK = LinkKind(Shape({"text": whole_text}), old_parameters=("data",), read_old=_state_of_old_link)
