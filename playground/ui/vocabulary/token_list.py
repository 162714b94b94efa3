"""The list of found tokens: as many rows as there are, of which one is chosen.

The rows are in the page's session, from which `web/vocabulary/token_list.js` fetches what is in view.
"""

from collections.abc import Sequence
from typing import Literal, TypedDict, get_args

from playground.analysis.vocabulary_index import VocabularyIndex
from playground.server.vocabulary_session import VocabularySession
from playground.ui import component, state

#: A row was chosen; the server no longer knows the session.
TokenListEvent = Literal["chosen", "lost"]
_KEY = "vocabulary-list"

_token_list = component.define(
    "token_list",
    html="vocabulary/token_list.html",
    module="vocabulary/token_list.js",
    styles=("vocabulary/token_list.css",),
    events=get_args(TokenListEvent),
)


class TokenListData(TypedDict):
    """The session's address and revision, its number of rows, and the place of the chosen one."""

    url: str
    revision: int
    n_rows: int
    chosen: int


def choose_token(index: VocabularyIndex, positions: Sequence[int]) -> int:
    """Draw the list and return the position of the chosen token, at first that of the first row."""
    session = state.get_or_make("vocabulary.session", VocabularySession)
    session.show(index, positions)
    revision, place = state.get("vocabulary.chosen", (session.revision, 0))
    if revision != session.revision or place >= len(positions):
        place = 0

    def take() -> None:
        sent = state.component_value(_KEY, "chosen")
        state.put("vocabulary.chosen", (int(sent["revision"]), int(sent["place"])))

    data: TokenListData = {
        "url": component.address(session.url),
        "revision": session.revision,
        "n_rows": len(positions),
        "chosen": place,
    }
    _token_list(key=_KEY, data=data, chosen=take)
    return positions[place]
