"""The session of Vocabulary: the tokens that a search found, which the browser fetches as it scrolls."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict

from starlette.responses import Response

from playground.analysis.unicode_scripts import SCRIPT_KINDS
from playground.analysis.vocabulary_index import VocabularyIndex
from playground.render.visible_text import shown_bytes
from playground.server.actions import Action, Actions
from playground.server.refusals import RefusedRequestError
from playground.server.sessions import PageSession
from playground.server.shapes import Shape, integer
from playground.server.wire import json_response

#: The most rows of one answer.
MAX_ROWS = 200


class TokenRow(TypedDict):
    """A token: its id, its text with visible white space, its number of bytes, and its script."""

    id: int
    text: str
    n_bytes: int
    script: str


class TokenRows(TypedDict):
    """The rows from `first` on, of the search with this revision."""

    revision: int
    first: int
    rows: list[TokenRow]


@dataclass(eq=False)
class VocabularySession(PageSession):
    """The positions of the found tokens in an index, in order."""

    index: VocabularyIndex | None = None
    positions: Sequence[int] = ()

    def show(self, index: VocabularyIndex, positions: Sequence[int]) -> None:
        """Replace what was found; the revision changes if it is something else."""
        with self.lock:
            if index is not self.index or positions != self.positions:
                self.index, self.positions = index, positions
                self.revision += 1

    def rows(self, first: int, n_rows: int) -> TokenRows:
        """Return some rows; fewer at the end."""
        with self.lock:
            index, positions = self.index, self.positions[first : first + n_rows]
            if index is None:
                raise RefusedRequestError(409, "nothing was searched yet")
            return {
                "revision": self.revision,
                "first": first,
                "rows": [
                    {
                        "id": int(index.ids[position]),
                        "text": shown_bytes(index.raws[position]),
                        "n_bytes": len(index.raws[position]),
                        "script": SCRIPT_KINDS[index.script_codes[position]],
                    }
                    for position in positions
                ],
            }


def _rows(session: VocabularySession, *, first: int, n_rows: int) -> Response:
    return json_response(session.rows(first, n_rows))


VOCABULARY_ACTIONS: Actions = {
    "rows": Action(_rows, Shape({"first": integer(0, 2**31 - 1), "n_rows": integer(1, MAX_ROWS)}))
}
