"""Share links: a text and its settings, compressed into one query parameter.

The link holds the text itself; nothing is stored on the server. What a link says is checked like any input.
"""

import base64
import binascii
import json
import zlib
from collections.abc import Mapping
from typing import Any

from playground.analysis.live_document import MAX_TEXT_BYTES
from playground.catalog.registry import get_tokenizer
from playground.core.errors import InvalidInputError, PlaygroundError, TextTooLongError
from playground.core.tokenizer import Tokenizer
from playground.server.editor_session import EditorSession

PARAMETER = "share"
#: Browsers and proxies take at least this much; a longer link breaks in mail and chat.
MAX_LINK_CHARS = 8_000
_CHOICES: dict[str, tuple[object, ...]] = {
    "marks": (False, True),
    "label": ("text", "ids", "bytes"),
    "colorBy": ("position", "id"),
}


def pack(state: Mapping[str, Any]) -> str:
    """State as text that is safe in a query. Raises TextTooLongError.

    >>> unpack(pack({"text": "héllo"}))
    {'text': 'héllo'}
    """
    data = zlib.compress(json.dumps(state, ensure_ascii=False).encode("utf-8", "surrogatepass"), 9)
    packed = base64.urlsafe_b64encode(data).rstrip(b"=").decode()
    if len(packed) > MAX_LINK_CHARS:
        raise TextTooLongError(
            f"this is too long for a link: {len(packed):,} characters when compressed, and links over "
            f"{MAX_LINK_CHARS:,} break in mail and chat. Share the text as a file instead"
        )
    return packed


def unpack(packed: str) -> dict[str, Any]:
    """The state of a link. Raises InvalidInputError."""
    try:
        if len(packed) > MAX_LINK_CHARS:
            raise ValueError("too long")
        data = base64.b64decode(packed + "=" * (-len(packed) % 4), altchars=b"-_", validate=True)
        stream = zlib.decompressobj()
        plain = stream.decompress(data, 6 * MAX_TEXT_BYTES)
        if not stream.eof:
            raise ValueError("incomplete")
        state = json.loads(plain.decode("utf-8", "surrogatepass"))
    except (ValueError, binascii.Error, zlib.error, RecursionError) as error:
        raise InvalidInputError("this share link is damaged; ask for a new one") from error
    if not isinstance(state, dict):
        raise InvalidInputError("this share link is damaged; ask for a new one")
    return state


def share_query(session: EditorSession, *, view: object) -> str:
    """The query part of a link that restores a session. Raises TextTooLongError."""
    with session.lock:
        state: dict[str, Any] = {
            "tokenizer": session.base_tokenizer.name,
            "own_special": list(session.own_special),
            "honours_special": session.document.honours_special,
            "mode": session.mode,
            "view": checked_view(view),
        }
        match session.mode:
            case "text":
                state["text"] = session.document.text
            case "chat":
                state["messages"] = [{"role": m.role, "content": m.content} for m in session.messages]
                state["template_name"] = session.template_name
            case "ids":
                state["ids_text"] = session.ids_text
    return f"{PARAMETER}={pack(state)}"


def restore(session: EditorSession, packed: str) -> None:
    """Bring a session to the state of a link. Raises InvalidInputError and other PlaygroundErrors."""
    state = unpack(packed)
    session.is_fresh = False
    tokenizer = session.base_tokenizer
    problem: PlaygroundError | None = None
    try:
        tokenizer = _tokenizer_of(state)
    except PlaygroundError as error:
        problem = error  # the text is still shown, with the tokenizer at hand
    text = state.get("text")
    if isinstance(text, str):
        session.document.replace(text)
    own_special = state.get("own_special", [])
    if not isinstance(own_special, list) or not all(isinstance(name, str) for name in own_special):
        raise InvalidInputError("this share link is damaged: its special tokens are not a list of texts")
    session.use_tokenizer(tokenizer, tuple(own_special))
    wanted = {
        "mode": str,
        "messages": list,
        "template_name": str,
        "ids_text": str,
        "honours_special": bool,
    }
    session.change(**{key: state[key] for key, kind in wanted.items() if isinstance(state.get(key), kind)})
    session.view = checked_view(state.get("view"))
    if problem is not None:
        raise problem


def checked_view(view: object) -> dict[str, Any] | None:
    """How the tokens are shown, without anything unknown.

    >>> checked_view({"pane": {"marks": True, "label": "<b>"}, "settings": {"window": 4096, "x": 1}})
    {'pane': {'marks': True}, 'settings': {'window': 4096}}
    """
    if not isinstance(view, dict):
        return None
    pane, settings = view.get("pane"), view.get("settings")
    pane = pane if isinstance(pane, dict) else {}
    settings = settings if isinstance(settings, dict) else {}
    numbers = {
        key: settings[key]
        for key in ("window", "priceInput", "priceOutput")
        if type(settings.get(key)) in (int, float) and 0 <= settings[key] <= 1e12
    }
    if numbers.get("window", 1) < 1:
        del numbers["window"]
    return {
        "pane": {key: pane[key] for key, valid in _CHOICES.items() if key in pane and pane[key] in valid},
        "settings": numbers,
    }


def _tokenizer_of(state: Mapping[str, Any]) -> Tokenizer:
    name = state.get("tokenizer")
    if not isinstance(name, str):
        raise InvalidInputError("this share link is damaged: it names no tokenizer")
    return get_tokenizer(name)
