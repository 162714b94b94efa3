"""Share links of the Tokenize page."""

from collections.abc import Mapping
from dataclasses import asdict
from types import MappingProxyType
from typing import Any

from playground.catalog.registry import get_tokenizer
from playground.core.errors import PlaygroundError
from playground.core.tokenizer import Tokenizer
from playground.server.editor.session import CHANGES, EditorSession
from playground.server.editor.view import checked_view
from playground.server.shapes import Optional, Shape, array, json_object, or_null, whole_text
from playground.server.share_link import CHOSEN, LinkKind

EDITOR_LINK = LinkKind(
    Shape(
        {
            **CHOSEN,
            "tokenizer": whole_text,
            "own_special": Optional(array(whole_text, max_items=1_000), []),
            "text": Optional(whole_text),
            "earlier": Optional(or_null(whole_text)),
            "view": Optional(or_null(json_object)),
            **{name: Optional(check) for name, check in CHANGES.items()},
        }
    ),
    large={
        "text": "the text",
        "earlier": "the earlier version",
        "messages": "the messages",
        "ids_text": "the ids",
    },
)


def editor_state(session: EditorSession, *, view: object) -> dict[str, Any]:
    """What a link has that restores a session."""
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
                if session.cutting["own"] or session.cutting["off"]:
                    state["cutting"] = session.cutting
                if session.earlier is not None:
                    state["earlier"] = session.earlier
            case "chat":
                state["messages"] = [asdict(message) for message in session.messages]
                state["template_name"] = session.template_name
                state |= asdict(session.options)
                state["extras"] = [asdict(extra) for extra in session.extras]
            case "ids":
                state["ids_text"] = session.ids_text
    return state


def restore_editor(
    session: EditorSession, state: dict[str, Any], *, own: Mapping[str, Tokenizer] = MappingProxyType({})
) -> None:
    """Bring a session to the state of a link; `own` are the visitor's tokenizers.

    Raises PlaygroundError: for a tokenizer that is not here the text is shown in the one at hand.
    """
    session.is_fresh = False
    tokenizer = session.base_tokenizer
    problem: PlaygroundError | None = None
    try:
        name = state["tokenizer"]
        tokenizer = own[name] if name in own else get_tokenizer(name)
    except PlaygroundError as error:
        problem = error
    if state["text"] is not None:
        session.document.replace(state["text"])
        session.text_revision += 1
    session.use_tokenizer(tokenizer, tuple(state["own_special"]))
    session.change(**{name: state[name] for name in CHANGES})
    session.compare_with(state["earlier"])
    session.view = checked_view(state["view"])
    if problem is not None:
        raise problem
