"""What one visitor of Merge tree looks at, and the route that a keystroke goes to.

A key press changes one or two pretokens: the answer names all of them by number and draws only those that the
browser does not hold yet.
"""

import secrets
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakValueDictionary

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from playground.analysis.live_document import MAX_TEXT_BYTES
from playground.core.errors import InvalidInputError, PlaygroundError, TextTooLongError
from playground.core.tokenizer import Tokenizer, replace_lone_surrogates
from playground.render.merge_tree import Height
from playground.server.forest_data import MAX_TRACE_CHARS, NO_TREES, draw_forest
from playground.server.guard import answer_for_session, parse_json_object

FOREST_PATH = "/merge-forest"
FIELDS = ("text", "height_by", "step", "epoch")
#: A browser is made to forget its trees when they are more than this, in characters of SVG.
MAX_SENT_CHARS = 12_000_000

_sessions: WeakValueDictionary[str, "ForestSession"] = WeakValueDictionary()


@dataclass(eq=False)
class ForestSession:
    """A text, how it is drawn, and which trees the browser holds.

    `revision` changes when the page sets something anew, `text_revision` only when it sets the text.
    """

    text: str
    id: str = field(init=False, default_factory=lambda: secrets.token_urlsafe(18))
    lock: threading.Lock = field(init=False, default_factory=threading.Lock)
    tokenizer: Tokenizer | None = None
    height_by: Height = "depth"
    step: int = 0
    is_fresh: bool = True
    revision: int = 0
    text_revision: int = 0
    _epoch: str = field(init=False, default="")
    _drawn_as: tuple[Height, bool] | None = field(init=False, default=None)
    _number_of: dict[str, int] = field(init=False, default_factory=dict)
    _n_sent_chars: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        _sessions[self.id] = self

    def use(self, tokenizer: Tokenizer) -> None:
        """Change the tokenizer; the text stays."""
        if tokenizer is not self.tokenizer:
            with self.lock:
                self.tokenizer = tokenizer
                self._epoch = ""
                self.revision += 1

    def set_text(self, text: str, *, step: int = 0, height_by: Height = "depth") -> None:
        """Put another text into the field, as a share link does."""
        self.text, self.step, self.height_by = text, step, height_by
        self.is_fresh = False
        self.revision += 1
        self.text_revision += 1

    def draw(self, text: str, *, height_by: Height, step: int, epoch: str) -> dict[str, Any]:
        """The forest of a text, as JSON, without the trees that were sent in this `epoch`.

        Raises PlaygroundError. What is asked for is kept, so that the page restores it.
        """
        text = replace_lone_surrogates(text)
        n_bytes = len(text.encode())
        if n_bytes > MAX_TEXT_BYTES:
            raise TextTooLongError(
                f"the text has {n_bytes:,} bytes; this page takes up to {MAX_TEXT_BYTES:,}"
            )
        with self.lock:
            self.text, self.height_by, self.step, self.is_fresh = text, height_by, step, False
            if self.tokenizer is None:
                return NO_TREES | {"epoch": "", "problem": ""}
            drawn_as = (height_by, not text[:MAX_TRACE_CHARS].isascii())
            if (
                not epoch
                or epoch != self._epoch
                or drawn_as != self._drawn_as
                or self._n_sent_chars > MAX_SENT_CHARS
            ):
                self._number_of, self._n_sent_chars = {}, 0
                self._epoch, self._drawn_as = secrets.token_urlsafe(6), drawn_as
            ranks = getattr(self.tokenizer, "mergeable_ranks", {})
            pattern = getattr(self.tokenizer, "split_pattern", "")
            sent_before = dict(self._number_of)
            try:
                data = draw_forest(text, ranks, pattern, height_by=height_by, number_of=self._number_of)
            except PlaygroundError:
                self._number_of = sent_before  # what was drawn of it is not sent
                raise
            self._n_sent_chars += sum(len(kind["svg"]) for kind in data["new"].values())
            return data | {"epoch": self._epoch, "problem": _difference(data, self.tokenizer, text)}


def _difference(data: Mapping[str, Any], tokenizer: Tokenizer, text: str) -> str:
    """Say so if the tokenizer's own encoder counts otherwise, as one that does not merge by rank may."""
    n_own = len(tokenizer.encode(text[:MAX_TRACE_CHARS]))
    if n_own == data["n_tokens"]:
        return ""
    return (
        f"{tokenizer.name} itself makes {n_own:,} tokens of this text, because some of its merges depend on "
        f"the pair and not only on its rank. The trees show what merging by rank makes: {data['n_tokens']:,}."
    )


async def _draw(request: Request) -> Response:
    return await answer_for_session(request, _sessions.get, _answer, max_body_bytes=8 * MAX_TEXT_BYTES)


def _answer(session: ForestSession, body: bytes) -> Response:
    asked = parse_json_object(body, fields=FIELDS)
    text, step, epoch = asked.get("text"), asked.get("step", 0), asked.get("epoch", "")
    height_by: Height = "order" if asked.get("height_by") == "order" else "depth"
    if not isinstance(text, str) or not isinstance(epoch, str) or not isinstance(step, int) or step < 0:
        raise InvalidInputError("a forest is asked for with a text, a step from 0 on, and an epoch")
    data = session.draw(text, height_by=height_by, step=step, epoch=epoch)
    return JSONResponse(data, headers={"Cache-Control": "no-store"})


FOREST_ROUTES: list[BaseRoute] = [Route(f"{FOREST_PATH}/{{session_id}}/draw", _draw, methods=["POST"])]
