"""What the browser code of a page with a live text is given: where its session is, and when to ask anew."""

from collections.abc import Sequence
from typing import TypedDict

from playground.analysis.examples import Example
from playground.analysis.live_document import MAX_TEXT_BYTES
from playground.server.sessions import PageSession
from playground.ui import component


class ShownExample(TypedDict):
    """An `Example`."""

    title: str
    text: str
    notice: str


class LiveText(TypedDict):
    """Of each such page; the revisions are those of the session."""

    url: str
    revision: int
    text_revision: int
    max_bytes: int
    examples: list[ShownExample]


def live_text(session: PageSession, examples: Sequence[Example]) -> LiveText:
    """The part that all such pages have in common."""
    return {
        "url": component.address(session.url),
        "revision": session.revision,
        "text_revision": session.text_revision,
        "max_bytes": MAX_TEXT_BYTES,
        "examples": [
            {"title": example.title, "text": example.text, "notice": example.notice} for example in examples
        ],
    }
