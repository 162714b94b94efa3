"""What one visitor compares: a text and several tokenizers; the route that a keystroke goes to.

The answer is a JSON header and two uint32 columns a row, ids and starts; `compare_view/wire.js` reads it.
"""

import json
import secrets
import threading
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from weakref import WeakValueDictionary

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from playground.analysis.comparison import (
    ComparisonRow,
    TextCut,
    comparison_rows,
    count_agreement,
    cut_document,
    row_figures,
    utf16_starts,
)
from playground.analysis.live_document import MAX_TEXT_BYTES, LiveDocument
from playground.core.errors import PlaygroundError, TextTooLongError
from playground.core.tokenizer import Tokenizer
from playground.ui.http_guard import RefusedRequestError, error_response, read_checked_body

COMPARE_PATH = "/compare-rows"

_sessions: WeakValueDictionary[str, "CompareSession"] = WeakValueDictionary()


@dataclass(eq=False)
class CompareSession:
    """A text and the tokenizers it is shown in. `revision` changes when the page sets either anew,
    `text_revision` only when it sets the text.
    """

    text: str
    id: str = field(init=False, default_factory=lambda: secrets.token_urlsafe(18))
    lock: threading.Lock = field(init=False, default_factory=threading.Lock)
    tokenizers: tuple[Tokenizer, ...] = ()
    is_fresh: bool = True
    revision: int = 0
    text_revision: int = 0
    _documents: tuple[LiveDocument, ...] = field(init=False, default=())

    def __post_init__(self) -> None:
        _sessions[self.id] = self

    def use(self, tokenizers: Sequence[Tokenizer]) -> None:
        """Change the tokenizers; the text stays."""
        if tuple(map(id, tokenizers)) != tuple(map(id, self.tokenizers)):
            self.tokenizers = tuple(tokenizers)
            self._documents = tuple(LiveDocument(tokenizer) for tokenizer in tokenizers)
            self.revision += 1

    def set_text(self, text: str) -> None:
        """Put another text into the editor."""
        self.text = text
        self.is_fresh = False
        self.revision += 1
        self.text_revision += 1

    def cut(self, text: str) -> list[TextCut]:
        """The text in each tokenizer. Raises TextTooLongError."""
        n_bytes = len(text.encode(errors="replace"))
        if n_bytes > MAX_TEXT_BYTES:
            raise TextTooLongError(
                f"the text has {n_bytes:,} bytes; this page compares up to {MAX_TEXT_BYTES:,}. "
                "For longer files use `python -m playground compare FILE`"
            )
        with self.lock:
            for document in self._documents:
                document.replace(text)  # encodes only what changed
            return [cut_document(document) for document in self._documents]

    def rows(self) -> list[ComparisonRow]:
        """The figures of the present text."""
        return comparison_rows(self.text, self.cut(self.text))


def pack_rows(text: str, cuts: Sequence[TextCut]) -> bytes:
    """The answer to a keystroke: the length of the header, the header, then each row's two columns."""
    header = {
        "rows": [row_figures(row) for row in comparison_rows(text, cuts)],
        "agreement": asdict(count_agreement(cuts)) if cuts else None,
        "n_characters": len(text),
        "n_bytes": len(text.encode(errors="replace")),
    }
    packed = json.dumps(header, separators=(",", ":")).encode()
    packed += b" " * (-len(packed) % 4)
    columns = [
        column.astype("<u4", copy=False).tobytes()
        for cut, starts in zip(cuts, utf16_starts(text, cuts), strict=True)
        for column in (cut.ids, starts)
    ]
    return b"".join([len(packed).to_bytes(4, "little"), packed, *columns])


async def _compare(request: Request) -> Response:
    try:
        body = await read_checked_body(request, content_type="text/plain", max_body_bytes=4 * MAX_TEXT_BYTES)
        session = _sessions.get(request.path_params["session_id"])
        if session is None:
            raise RefusedRequestError(410, "the server no longer knows this page; your text is kept: reload")
        return await run_in_threadpool(_answer, session, body)
    except ClientDisconnect:
        return Response(status_code=499)
    except PlaygroundError as error:
        return error_response(error)


def _answer(session: CompareSession, body: bytes) -> Response:
    text = body.decode(errors="replace")
    content = pack_rows(text, session.cut(text))
    session.text, session.is_fresh = text, False
    return Response(content, media_type="application/octet-stream", headers={"Cache-Control": "no-store"})


COMPARE_ROUTES: list[BaseRoute] = [Route(f"{COMPARE_PATH}/{{session_id}}", _compare, methods=["POST"])]
