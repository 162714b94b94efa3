"""Share links of the Tokenize page: given, and taken."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from playground.catalog.registry import encoding_name, is_known
from playground.core.errors import PlaygroundError, UnknownTokenizerError
from playground.render.visible_text import markdown_escape
from playground.server.editor.link import EDITOR_LINK, editor_state, restore_editor
from playground.server.editor.session import EditorSession
from playground.ui import controls, one_tokenizer, share, state


def shared_editor(session: EditorSession, shown: Mapping[str, Any]) -> share.Shared:
    """What a link has of the editor; the browser knows the view, and the picker the model."""
    said = editor_state(session, view=shown.get("view"))
    said["tokenizer"] = _as_chosen(one_tokenizer.chosen("tokenize"), session)
    large = {name: title for name, title in EDITOR_LINK.large.items() if name in said}
    return share.Shared(said, large, [session.base_tokenizer.name])


def take_tokenize_link(session: EditorSession) -> None:
    """Take all that the editor shows from a share link; the controls follow."""
    shared = share.take_link("tokenize", EDITOR_LINK)
    if shared is None:
        return
    try:
        restore_editor(session, shared, own=state.trained_tokenizers())
    except UnknownTokenizerError:
        pass  # it is told of the link
    except PlaygroundError as error:
        st.error(markdown_escape(str(error)))
    one_tokenizer.change("tokenize", _as_chosen(shared["tokenizer"], session))
    controls.OWN_SPECIAL.put("\n".join(session.own_special))


def _as_chosen(name: str, session: EditorSession) -> str:
    """The name of a model that stands for the session's tokenizer; of any other the tokenizer's own."""
    used = session.base_tokenizer.name
    return name if is_known(name) and encoding_name(name) == used else used
