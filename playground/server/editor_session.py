"""What one visitor has in the live editor: a text, a chat, ids, and the tokenizer they are shown with.

The visitor's Streamlit session holds the only strong reference, so closing the tab frees it; the server's
routes find it by an id that cannot be guessed.
"""

import secrets
import threading
from dataclasses import dataclass, field
from typing import Any, Literal, get_args
from weakref import WeakValueDictionary

from playground.analysis.chat import CHAT_TEMPLATES, Message, encode_chat
from playground.analysis.examples import EXAMPLES
from playground.analysis.ids_text import decode_ids, parse_ids
from playground.analysis.live_document import MAX_TEXT_BYTES, LiveDocument
from playground.analysis.shown_tokens import (
    ShownTokens,
    show_chat,
    show_document,
    show_ids,
    show_problem,
)
from playground.catalog.extended import with_own_special_tokens
from playground.core.errors import InvalidInputError, PlaygroundError, TextTooLongError
from playground.core.tokenizer import Tokenizer, replace_lone_surrogates

Mode = Literal["text", "chat", "ids"]
MAX_MESSAGES = 1_000

_sessions: WeakValueDictionary[str, "EditorSession"] = WeakValueDictionary()


def find_session(session_id: str) -> "EditorSession | None":
    """The session with this id, unless its tab was closed or the server restarted."""
    return _sessions.get(session_id)


@dataclass(eq=False)
class EditorSession:
    """The state behind one editor. Everything shown is computed from it.

    `revision` changes when tokens must be fetched again for a reason that is not an edit.
    """

    base_tokenizer: Tokenizer
    document: LiveDocument = field(init=False)
    id: str = field(init=False, default_factory=lambda: secrets.token_urlsafe(18))
    lock: threading.RLock = field(init=False, default_factory=threading.RLock)
    mode: Mode = "text"
    messages: tuple[Message, ...] = (Message("system", "You are a helpful assistant"), Message("user", ""))
    template_name: str = "gpt-4o"
    ids_text: str = "15496, 995"
    own_special: tuple[str, ...] = ()
    view: dict[str, Any] | None = None
    is_fresh: bool = True
    revision: int = 0

    def __post_init__(self) -> None:
        self.document = LiveDocument(self.base_tokenizer, EXAMPLES[0].text)
        _sessions[self.id] = self

    @property
    def tokenizer(self) -> Tokenizer:
        """The tokenizer with the visitor's own special tokens."""
        return self.document.tokenizer

    def use_tokenizer(self, tokenizer: Tokenizer, own_special: tuple[str, ...]) -> None:
        """Change the tokenizer or one's own special tokens; the text stays. Raises InvalidInputError."""
        with self.lock:
            if tokenizer is self.base_tokenizer and own_special == self.own_special:
                return
            extended = with_own_special_tokens(tokenizer, own_special) if own_special else tokenizer
            self.document.configure(extended, honours_special=self.document.honours_special)
            self.base_tokenizer, self.own_special = tokenizer, own_special
            self.revision += 1

    def change(
        self,
        *,
        mode: str | None = None,
        honours_special: bool | None = None,
        messages: object = None,
        template_name: str | None = None,
        ids_text: str | None = None,
    ) -> None:
        """Change what is given; the rest stays. Raises InvalidInputError, and then nothing has changed."""
        new_mode = self.mode if mode is None else _checked_mode(mode)
        new_messages = self.messages if messages is None else checked_messages(messages)
        if template_name is not None and template_name not in CHAT_TEMPLATES:
            known = ", ".join(CHAT_TEMPLATES)
            raise InvalidInputError(f"unknown chat template {template_name!r}; choose from {known}")
        if ids_text is not None and not isinstance(ids_text, str):
            raise InvalidInputError("ids must come as a text")
        if honours_special is not None and not isinstance(honours_special, bool):
            raise InvalidInputError(f"honours_special is {honours_special!r}; it must be true or false")
        with self.lock:
            self.mode, self.messages = new_mode, new_messages
            if template_name is not None:
                self.template_name = template_name
            if ids_text is not None:
                self.ids_text = replace_lone_surrogates(ids_text)
            if honours_special is not None and honours_special != self.document.honours_special:
                self.document.configure(self.document.tokenizer, honours_special=honours_special)

    def shown(self) -> ShownTokens:
        """The tokens of the present mode; what cannot be tokenized is told in `problem`."""
        with self.lock:
            if self.mode == "text":
                return show_document(self.document)
            try:
                if self.mode == "ids":
                    return show_ids(self.tokenizer, decode_ids(self.tokenizer, parse_ids(self.ids_text)))
                n_bytes = sum(len(f"{message.role}{message.content}".encode()) for message in self.messages)
                if n_bytes > MAX_TEXT_BYTES:
                    limit = f"this page takes up to {MAX_TEXT_BYTES:,}"
                    raise TextTooLongError(f"the chat has {n_bytes:,} bytes; {limit}")
                return show_chat(encode_chat(self.messages, CHAT_TEMPLATES[self.template_name]))
            except PlaygroundError as error:
                return show_problem(self.tokenizer, str(error))

    def problem_with_own_special(self, names: tuple[str, ...]) -> str | None:
        """Why these cannot be special tokens, or None."""
        try:
            with_own_special_tokens(self.base_tokenizer, names)
        except PlaygroundError as error:
            return str(error)
        return None


def checked_messages(value: object) -> tuple[Message, ...]:
    """Messages from JSON. Raises InvalidInputError."""
    if not isinstance(value, list) or len(value) > MAX_MESSAGES:
        raise InvalidInputError(f"messages must be a list of at most {MAX_MESSAGES:,}")
    messages = []
    for item in value:
        role = item.get("role") if isinstance(item, dict) else None
        content = item.get("content") if isinstance(item, dict) else None
        if not isinstance(role, str) or not isinstance(content, str):
            raise InvalidInputError('each message needs a text "role" and a text "content"')
        messages.append(Message(replace_lone_surrogates(role), replace_lone_surrogates(content)))
    return tuple(messages)


def _checked_mode(value: str) -> Mode:
    for mode in get_args(Mode):
        if value == mode:
            return mode  # type: ignore[no-any-return]
    raise InvalidInputError(f"unknown mode {value!r}; choose from {', '.join(get_args(Mode))}")
