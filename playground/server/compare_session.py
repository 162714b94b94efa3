"""What one visitor compares: a text and several tokenizers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from starlette.responses import Response

from playground.analysis.comparison import ComparisonRow, TextCut, comparison_rows, cut_document
from playground.analysis.live_document import MAX_TEXT_BYTES, LiveDocument
from playground.core.errors import TextTooLongError
from playground.core.tokenizer import Tokenizer, replace_lone_surrogates
from playground.server.actions import Action, Actions
from playground.server.compare_rows import SentRows, rows_response, sent_rows
from playground.server.sessions import PageSession
from playground.server.shapes import Optional, Shape, array, integer, or_null, string
from playground.server.share_link import LinkKind, link_query
from playground.server.wire import json_response

#: A session remembers what its browser holds up to here: 8 bytes a token.
MAX_HELD_TOKENS = 3_000_000
MAX_TOKENIZERS = 6


@dataclass(eq=False)
class CompareSession(PageSession):
    """A text and the tokenizers it is shown in; `text_revision` changes only when the page sets the text."""

    text: str
    tokenizers: tuple[Tokenizer, ...] = ()
    text_revision: int = 0
    _documents: tuple[LiveDocument, ...] = field(init=False, default=())
    _sent: SentRows | None = field(init=False, default=None)
    _n_sent: int = field(init=False, default=0)

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

    def answer(self, text: str, *, held: int | None) -> Response:
        """The answer to a keystroke, for a browser that holds this version. Raises TextTooLongError.

        The text is kept, so that the page restores it.
        """
        text = replace_lone_surrogates(text)
        cuts = self.cut(text)
        with self.lock:
            self.text, self.is_fresh = text, False
            before = self._sent
            if before is None or before.version != held or len(before.columns) != len(cuts):
                before = None
            self._n_sent += 1
            sent = sent_rows(text, cuts, version=self._n_sent)
            self._sent = sent if sum(len(cut.ids) for cut in cuts) <= MAX_HELD_TOKENS else None
        return rows_response(text, cuts, sent, before)

    def rows(self) -> list[ComparisonRow]:
        """The figures of the present text."""
        return comparison_rows(self.text, self.cut(self.text))


def _share(session: CompareSession, *, text: str) -> Response:
    names = [tokenizer.name for tokenizer in session.tokenizers]
    return json_response({"query": link_query({"tokenizers": names, "text": replace_lone_surrogates(text)})})


def _state_of_old_link(parameters: Mapping[str, str]) -> dict[str, Any]:
    names = parameters.get("tokenizers")
    return {"text": parameters.get("text"), "tokenizers": names.split(",")[:MAX_TOKENIZERS] if names else []}


COMPARE_ACTIONS: Actions = {
    "rows": Action(CompareSession.answer, Shape({"text": string(), "held": or_null(integer(0, 2**53 - 1))})),
    "share": Action(_share, Shape({"text": string()})),
}

COMPARE_LINK = LinkKind(
    Shape(
        {
            "text": Optional(string()),
            "tokenizers": Optional(array(string(), max_items=MAX_TOKENIZERS), []),
        }
    ),
    old_parameters=("text", "tokenizers"),
    read_old=_state_of_old_link,
)
