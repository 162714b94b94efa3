"""Sessions: what the server keeps of one open page, found by an id that cannot be guessed.

The visitor's tab holds the only strong reference, so closing it frees the session.
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
    """What the sessions of all pages have.

    `revision` changes when the browser must ask anew for a reason that did not come from it, `text_revision`
    only when the page sets the text. `is_fresh` until something was done in it: a reload may put back what
    the tab remembers.
    """

    id: str = field(init=False, default_factory=lambda: secrets.token_urlsafe(18))
    lock: threading.RLock = field(init=False, default_factory=threading.RLock, repr=False)
    revision: int = field(init=False, default=0)
    text_revision: int = field(init=False, default=0)
    is_fresh: bool = field(init=False, default=True)

    def __post_init__(self) -> None:
        _SESSIONS[self.id] = self

    @property
    def tokenizers(self) -> Sequence[Tokenizer]:
        """The tokenizers that answer its key presses; the event loop asks, so no lock may be waited for."""
        return ()

    @property
    def is_bounded(self) -> bool:
        """Whether small requests make small work: not where a text is cut nowhere safely, for each key press
        then encodes all of it, by whatever pattern."""
        return all(map(lets_text_be_cut, self.tokenizers))

    @property
    def url(self) -> str:
        """Where its actions are, each by its name below."""
        return f"{SESSION_PATH}/{self.id}"


_SESSIONS: WeakValueDictionary[str, PageSession] = WeakValueDictionary()


def find_session(session_id: str) -> PageSession:
    """The session with this id.

    Raises RefusedRequestError (410) where there is none: its tab was closed, or the server started anew.
    """
    session = _SESSIONS.get(session_id)
    if session is None:
        raise RefusedRequestError(
            410, "the server no longer knows this page; your text is kept, and the page opens anew"
        )
    return session
