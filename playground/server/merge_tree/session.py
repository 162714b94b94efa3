"""The session of Merge tree's trees.

A key press changes one or two pretokens: the answer lists all pretokens by number, and draws only those that
the browser does not have yet.
"""

import secrets
from dataclasses import dataclass, field
from typing import Any, get_args

from starlette.responses import Response

from playground.analysis.live_document import MAX_TEXT_BYTES
from playground.core.building import PretokenIdentity
from playground.core.errors import InvalidInputError, PlaygroundError, TextTooLongError
from playground.core.tokenizer import Tokenizer, replace_lone_surrogates
from playground.render.merge_tree import Height
from playground.server.actions import Action, Actions
from playground.server.merge_tree.data import MAX_TRACE_CHARS, NO_TREES, MergeTrees, draw_merge_trees
from playground.server.saved_page.merge_tree import saved_trees
from playground.server.sessions import PageSession
from playground.server.shapes import Optional, Shape, integer, one_of, string
from playground.server.wire import json_response

#: Most characters of SVG that a browser stores; beyond that it is told to forget its trees.
MAX_SENT_CHARS = 12_000_000


class MergeTreesAnswer(MergeTrees):
    """Merge trees, the epoch of their numbers, the session's revision, and the version of its text."""

    epoch: str
    revision: int
    version: int


@dataclass(eq=False)
class MergeTreeSession(PageSession):
    """A text, and the trees that the browser has."""

    text: str
    tokenizer: Tokenizer | None = None
    _version: int = field(init=False, default=0)
    _epoch: str = field(init=False, default="")
    _drawn_as: tuple[Height, bool] | None = field(init=False, default=None)
    _number_of: dict[PretokenIdentity, int] = field(init=False, default_factory=dict)
    _n_sent_chars: int = field(init=False, default=0)

    @property
    def version(self) -> int:
        """The version of the text."""
        return self._version

    @property
    def tokenizers(self) -> tuple[Tokenizer, ...]:
        """The current tokenizer; empty before it is known."""
        return () if self.tokenizer is None else (self.tokenizer,)

    def use(self, tokenizer: Tokenizer) -> None:
        """Change the tokenizer; the text stays."""
        if tokenizer is not self.tokenizer:
            with self.lock:
                self.tokenizer = tokenizer
                self._epoch = ""
                self.revision += 1

    def follow(self, text: str) -> None:
        """Take the browser's text. Raises TextTooLongError."""
        text = _checked(text)
        with self.lock:
            if text != self.text:
                self.text = text
                self._version += 1
                self.is_fresh = False

    def draw(self, text: str, *, height_by: Height, epoch: str) -> MergeTreesAnswer:
        """Return the merge trees of a text as JSON, without those sent earlier in this `epoch`.

        Raises PlaygroundError.
        """
        with self.lock:
            self.follow(text)
            text = self.text
            if self.tokenizer is None:
                return {**NO_TREES, "epoch": "", "revision": self.revision, "version": self.version}
            drawn_as = (height_by, not text[:MAX_TRACE_CHARS].isascii())
            if (
                not epoch
                or epoch != self._epoch
                or drawn_as != self._drawn_as
                or self._n_sent_chars > MAX_SENT_CHARS
            ):
                self._number_of, self._n_sent_chars = {}, 0
                self._epoch, self._drawn_as = secrets.token_urlsafe(6), drawn_as
            sent_before = dict(self._number_of)
            try:
                data = draw_merge_trees(text, self.tokenizer, height_by=height_by, number_of=self._number_of)
            except PlaygroundError:
                self._number_of = sent_before  # its drawings are not sent
                raise
            self._n_sent_chars += sum(len(kind["svg"]) for kind in data["new"].values())
            return {**data, "epoch": self._epoch, "revision": self.revision, "version": self.version}


def _checked(text: str) -> str:
    text = replace_lone_surrogates(text)
    n_bytes = len(text.encode())
    if n_bytes > MAX_TEXT_BYTES:
        raise TextTooLongError(f"the text has {n_bytes:,} bytes; this page takes up to {MAX_TEXT_BYTES:,}")
    return text


def _draw(session: MergeTreeSession, **asked: Any) -> Response:
    return json_response(session.draw(**asked))


def _page(session: MergeTreeSession, *, text: str, height_by: Height, step: int) -> Response:
    tokenizer = session.tokenizer
    if tokenizer is None:
        raise InvalidInputError("no tokenizer is chosen")
    return json_response(saved_trees(_checked(text), tokenizer, height_by=height_by, step=step).file)


STEP = integer(0, 2**31 - 1)
HEIGHT = one_of(*get_args(Height))

MERGE_TREE_ACTIONS: Actions = {
    "draw": Action(
        _draw,
        Shape(
            {
                "text": string(),
                "height_by": Optional(HEIGHT, "depth"),
                "epoch": Optional(string(), ""),
            }
        ),
    ),
    "page": Action(_page, Shape({"text": string(), "height_by": HEIGHT, "step": STEP})),
}
