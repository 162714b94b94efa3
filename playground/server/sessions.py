"""Sessions: the server's state of one open page, found by an unguessable id.

Streamlit's session of the tab holds the only strong reference, so a closed tab frees the page's session.
"""

import secrets
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from weakref import WeakValueDictionary

from playground.core.tokenizer import Tokenizer, lets_text_be_cut
from playground.server.refusals import RefusedRequestError

SESSION_PATH = "/session"


@dataclass(eq=False, kw_only=True)
class PageSession:
    """Base of the sessions of all pages.

    The browser owns the page's text, of which the session has a copy. `revision` changes when the browser
    must open the session again because of something it did not send, and `text_revision` when the page sets
    the text, to `given`. `is_fresh` is true until the first change.
    """

    id: str = field(init=False, default_factory=lambda: secrets.token_urlsafe(18))
    lock: threading.RLock = field(init=False, default_factory=threading.RLock, repr=False)
    revision: int = field(init=False, default=0)
    text_revision: int = field(init=False, default=0)
    given: str | None = field(init=False, default=None)
    is_fresh: bool = field(init=False, default=True)

    def __post_init__(self) -> None:
        _SESSIONS[self.id] = self

    @property
    def version(self) -> int:
        """The version of the text, which each edit changes."""
        return 0

    @property
    def tokenizers(self) -> Sequence[Tokenizer]:
        """The tokenizers that answer key presses; read on the event loop, so without waiting for a lock."""
        return ()

    @property
    def is_bounded(self) -> bool:
        """True if small requests make little work: every tokenizer can encode a part of the text alone."""
        return all(map(lets_text_be_cut, self.tokenizers))

    @property
    def url(self) -> str:
        """The address of the session; each action is below it, by name."""
        return f"{SESSION_PATH}/{self.id}"


_SESSIONS: WeakValueDictionary[str, PageSession] = WeakValueDictionary()


def find_session(session_id: str) -> PageSession:
    """Return the session with this id.

    Raises RefusedRequestError (410) if there is none: its tab was closed, or the server was restarted.
    """
    session = _SESSIONS.get(session_id)
    if session is None:
        raise RefusedRequestError(
            410, "the server no longer knows this page; your text is kept, and the page opens again"
        )
    return session
