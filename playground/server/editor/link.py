"""Share links of the Tokenize page."""

from typing import Any

from playground.catalog.registry import get_tokenizer
from playground.core.errors import PlaygroundError
from playground.server.editor.session import CHANGES, EditorSession
from playground.server.editor.view import checked_view
from playground.server.shapes import Optional, Shape, array, json_object, or_null, whole_text
from playground.server.share_link import LinkKind, link_query

EDITOR_LINK = LinkKind(
    Shape(
        {
            "tokenizer": whole_text,
            "own_special": Optional(array(whole_text, max_items=1_000), []),
            "text": Optional(whole_text),
            "earlier": Optional(or_null(whole_text)),
            "view": Optional(or_null(json_object)),
            **{name: Optional(check) for name, check in CHANGES.items()},
        }
    )
)


def editor_query(session: EditorSession, *, view: object) -> str:
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
                if session.earlier is not None:
                    state["earlier"] = session.earlier
            case "chat":
                state["messages"] = [{"role": m.role, "content": m.content} for m in session.messages]
                state["template_name"] = session.template_name
            case "ids":
                state["ids_text"] = session.ids_text
    return link_query(state)


def restore_editor(session: EditorSession, state: dict[str, Any]) -> None:
    """Bring a session to the state of a link.

    Raises PlaygroundError: for a tokenizer that is not here the text is shown in the one at hand.
    """
    session.is_fresh = False
    tokenizer = session.base_tokenizer
    problem: PlaygroundError | None = None
    try:
        tokenizer = get_tokenizer(state["tokenizer"])
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
