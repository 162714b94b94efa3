"""Data for the browser code of pages with a live text field."""

from collections.abc import Sequence
from typing import TypedDict

from playground.analysis.examples import Example
from playground.analysis.live_document import MAX_TEXT_BYTES
from playground.server.sessions import PageSession
from playground.ui import component


class ShownExample(TypedDict):
    """An `Example` as JSON."""

    title: str
    text: str
    notice: str


class LiveText(TypedDict):
    """Data that all pages with a live text field pass; versions and revisions are the session's.

    `given` is the text that the page has set, or that it opens with if the tab has no text for it.
    """

    url: str
    version: int
    revision: int
    text_revision: int
    given: str | None
    max_bytes: int
    examples: list[ShownExample]


def live_text(session: PageSession, examples: Sequence[Example]) -> LiveText:
    """Return the data that all pages with a live text field pass."""
    return {
        "url": component.address(session.url),
        "version": session.version,
        "revision": session.revision,
        "text_revision": session.text_revision,
        "given": session.given,
        "max_bytes": MAX_TEXT_BYTES,
        "examples": [
            {"title": example.title, "text": example.text, "notice": example.notice} for example in examples
        ],
    }
