"""Edits of a text as a browser sends them; `packed.py` has the pieces of tokens that it gets back.

`web/shared/live_text.js` is the other side. A page's text is a `LiveDocument`, or several in step.
"""

from playground.server.refusals import RefusedRequestError
from playground.server.shapes import Shape, integer, string

COUNT = integer(0, 2**31 - 1)
#: The whole text of a page, when it opens its session.
OPEN_SHAPE = Shape({"text": string()})
#: In the text of this `version`, `inserted` replaces `n_deleted` UTF-16 units at `start`.
EDIT_SHAPE = Shape({"version": COUNT, "start": COUNT, "n_deleted": COUNT, "inserted": string()})


def check_version(asked: int, present: int) -> None:
    """Refuse an edit of an older version; the browser then fetches the text again.

    Raises RefusedRequestError (409).
    """
    if asked != present:
        raise RefusedRequestError(409, f"the text is at version {present}, the edit was made to {asked}")
