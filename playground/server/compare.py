"""What one visitor compares: a text and several tokenizers; the route that a keystroke goes to.

The answer is a JSON header and two uint32 columns a row, ids and starts, without the tokens at both ends that
the browser holds already; `web/compare/rows.js` reads it.
"""

import json
import secrets
import threading
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from weakref import WeakValueDictionary

import numpy as np
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from playground.analysis.comparison import (
    Columns,
    ComparisonRow,
    TextCut,
    comparison_rows,
    count_agreement,
    cut_document,
    row_figures,
    utf16_starts,
)
from playground.analysis.live_document import MAX_TEXT_BYTES, LiveDocument
from playground.core.errors import TextTooLongError
from playground.core.tokenizer import Tokenizer
from playground.server.guard import answer_for_session

COMPARE_PATH = "/compare-rows"
#: A session remembers what its browser holds up to here: 8 bytes a token.
MAX_HELD_TOKENS = 3_000_000

_sessions: WeakValueDictionary[str, "CompareSession"] = WeakValueDictionary()


@dataclass(frozen=True, slots=True)
class SentRows:
    """What a browser holds: ids and starts for each row, of a text of so many UTF-16 units."""

    version: int
    n_units: int
    columns: tuple[tuple[Columns, Columns], ...]


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
    _sent: SentRows | None = field(init=False, default=None)
    _n_sent: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        _sessions[self.id] = self

    def use(self, tokenizers: Sequence[Tokenizer]) -> None:
        """Change the tokenizers; the text stays."""
        if tuple(map(id, tokenizers)) != tuple(map(id, self.tokenizers)):
            self.tokenizers = tuple(tokenizers)
            self._documents = tuple(LiveDocument(tokenizer) for tokenizer in tokenizers)
            self._sent = None
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

    def answer(self, text: str, *, held: int | None) -> bytes:
        """The answer to a keystroke, for a browser that holds this version. Raises TextTooLongError.

        The text is kept, so that the page restores it.
        """
        cuts = self.cut(text)
        with self.lock:
            self.text, self.is_fresh = text, False
            before = self._sent
            if before is None or before.version != held or len(before.columns) != len(cuts):
                before = None
            self._n_sent += 1
            sent = _columns(text, cuts, version=self._n_sent)
            self._sent = sent if sum(len(cut.ids) for cut in cuts) <= MAX_HELD_TOKENS else None
        return pack_rows(text, cuts, sent, before)

    def rows(self) -> list[ComparisonRow]:
        """The figures of the present text."""
        return comparison_rows(self.text, self.cut(self.text))


def pack_rows(text: str, cuts: Sequence[TextCut], sent: SentRows, before: SentRows | None) -> bytes:
    """The length of the header, the header, then each row's columns without what `before` has at the ends."""
    shift = sent.n_units - before.n_units if before else 0
    kept, columns = [], []
    for number, (ids, starts) in enumerate(sent.columns):
        n_before, n_after = count_kept(before.columns[number], (ids, starts), shift) if before else (0, 0)
        kept.append({"n_before": n_before, "n_after": n_after})
        columns += [column[n_before : len(column) - n_after] for column in (ids, starts)]
    header = {
        "version": sent.version,
        "shift": shift,
        "rows": [row_figures(row) | own for row, own in zip(comparison_rows(text, cuts), kept, strict=True)],
        "agreement": asdict(count_agreement(cuts)) if cuts else None,
        "n_characters": len(text),
        "n_bytes": len(text.encode(errors="replace")),
    }
    packed = json.dumps(header, separators=(",", ":")).encode()
    packed += b" " * (-len(packed) % 4)
    raws = [column.astype("<u4", copy=False).tobytes() for column in columns]
    return b"".join([len(packed).to_bytes(4, "little"), packed, *raws])


def count_kept(old: tuple[Columns, Columns], new: tuple[Columns, Columns], shift: int) -> tuple[int, int]:
    """How many tokens at the start are the same, and how many at the end with their starts moved by `shift`.

    >>> ids, starts = np.array([1, 2, 3], dtype=np.uint32), np.array([0, 4, 5], dtype=np.uint32)
    >>> count_kept((ids, starts), (ids, np.array([0, 4, 7], dtype=np.uint32)), 2)
    (2, 1)
    """
    limit = min(len(old[0]), len(new[0]))
    is_same = (old[0][:limit] == new[0][:limit]) & (old[1][:limit] == new[1][:limit])
    n_before = limit if is_same.all() else int(np.argmin(is_same))
    limit -= n_before
    if not limit:
        return n_before, 0
    moved = old[1][-limit:] + np.uint32(shift % 2**32)  # the highest bit, which is a flag, stays
    is_same = ((old[0][-limit:] == new[0][-limit:]) & (moved == new[1][-limit:]))[::-1]
    return n_before, limit if is_same.all() else int(np.argmin(is_same))


def _columns(text: str, cuts: Sequence[TextCut], *, version: int) -> SentRows:
    columns = tuple((cut.ids, starts) for cut, starts in zip(cuts, utf16_starts(text, cuts), strict=True))
    return SentRows(version, len(text.encode("utf-16-le", errors="replace")) // 2, columns)


async def _compare(request: Request) -> Response:
    held = request.query_params.get("held", "")
    answer = partial(_answer, held=int(held) if held.isdecimal() else None)
    return await answer_for_session(
        request, _sessions.get, answer, content_type="text/plain", max_body_bytes=4 * MAX_TEXT_BYTES
    )


def _answer(session: CompareSession, body: bytes, *, held: int | None) -> Response:
    text = body.decode(errors="replace")
    return Response(
        session.answer(text, held=held),
        media_type="application/octet-stream",
        headers={"Cache-Control": "no-store"},
    )


COMPARE_ROUTES: list[BaseRoute] = [Route(f"{COMPARE_PATH}/{{session_id}}", _compare, methods=["POST"])]
