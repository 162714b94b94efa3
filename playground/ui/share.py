"""Share links as pages take them from their address and put them there."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from playground.core.errors import PlaygroundError
from playground.render.plain_text import markdown_escape
from playground.server.share_link import PARAMETER, LinkKind, pack
from playground.ui import state


def take_link(kind: LinkKind) -> dict[str, Any] | None:
    """The state of a link, taken out of the address; None if it has none. A damaged link is told."""
    given = {name: value for name in kind.parameters if (value := state.query_parameter(name)) is not None}
    if not given or given == state.keep("share.given", dict):
        return None
    for name in given:
        state.set_query_parameter(name, None)
    try:
        return kind.read(given)
    except PlaygroundError as error:
        st.error(markdown_escape(str(error)))
        return None


def give_link(shown: Mapping[str, Any]) -> None:
    """Put a link into the address; it stays there, and is not taken. Raises TextTooLongError."""
    packed = pack(shown)
    state.put("share.given", {PARAMETER: packed})
    state.set_query_parameter(PARAMETER, packed)
