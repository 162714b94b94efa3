"""The session of Compare: a text in several tokenizers."""

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

from starlette.responses import Response

from playground.analysis.comparison import Agreement, ComparedModel, ComparisonRow, row_figures
from playground.analysis.live_comparison import LiveComparison
from playground.analysis.live_document import Update
from playground.catalog.registry import is_shipped
from playground.core.tokenizer import Tokenizer, replace_lone_surrogates
from playground.server.actions import Action, Actions
from playground.server.packed import PieceShapes, SentPiece, join_pieces
from playground.server.saved_page.compare import LAYOUTS, Layout, saved_comparison
from playground.server.sessions import PageSession
from playground.server.shapes import Shape, one_of
from playground.server.text_edits import EDIT_SHAPE, OPEN_SHAPE, check_version
from playground.server.wire import columns_response, json_response

MAX_TOKENIZERS = 6
#: Most characters that are encoded on the event loop: three pieces of prose per row, a few milliseconds.
MAX_CHARACTERS_NOW = 24_000


class RowChange(TypedDict):
    """A row's change besides its figures: from piece `first` on, the sent pieces replace `n_removed`."""

    first: int
    n_removed: int
    pieces: PieceShapes


class CompareChange(TypedDict):
    """The change of each row after an edit, and the number of boundaries that rows share."""

    version: int
    rows: list[Any]
    agreement: Agreement


class CsvAnswer(TypedDict):
    """The figures of all rows as a CSV file, with a header line."""

    csv: str


@dataclass(eq=False)
class CompareSession(PageSession):
    """A text in several tokenizers, and the models that they stand for."""

    comparison: LiveComparison
    models: Sequence[ComparedModel] = ()

    @property
    def text(self) -> str:
        """The current text."""
        return self.comparison.text

    @property
    def version(self) -> int:
        """The version of the text in these tokenizers."""
        return self.comparison.version

    @property
    def tokenizers(self) -> tuple[Tokenizer, ...]:
        """The tokenizers, in order."""
        return self.comparison.tokenizers

    def use(self, tokenizers: Sequence[Tokenizer]) -> None:
        """Change the tokenizers; the text stays."""
        with self.lock:
            if tuple(map(id, tokenizers)) != tuple(map(id, self.tokenizers)):
                self.comparison.use(tokenizers)
                self.revision += 1

    def set_text(self, text: str) -> None:
        """Replace the browser's text. Raises TextTooLongError."""
        with self.lock:
            self.comparison.replace(text)
            self.given = text
            self.text_revision += 1

    def rows(self) -> list[ComparisonRow]:
        """Return the figures of the current text."""
        with self.lock:
            return self.comparison.rows()


def _open(session: CompareSession, *, text: str) -> Response:
    text = replace_lone_surrogates(text)
    with session.lock:
        if text != session.text:
            session.comparison.replace(text)
        documents = session.comparison.documents
        updates = [Update(document.version, 0, (), tuple(document.pieces)) for document in documents]
        return _rows_response(session.comparison, updates)


def _edit(session: CompareSession, *, version: int, start: int, n_deleted: int, inserted: str) -> Response:
    comparison = session.comparison
    with session.lock:
        check_version(version, comparison.version)
        updates = comparison.edit(start, n_deleted, inserted)
        return _rows_response(comparison, updates)


def _edit_now(session: CompareSession, **edit: Any) -> Response | None:
    """Apply an edit on the event loop if that is fast: shipped tokenizers, short pieces, idle threads."""
    if not session.lock.acquire(blocking=False):
        return None
    try:
        comparison = session.comparison
        documents = comparison.documents
        if not all(document.pieces and is_shipped(document.tokenizer) for document in documents):
            return None
        check_version(edit["version"], comparison.version)  # the edit's positions are those of that version
        n_characters = sum(
            document.n_characters_around(edit["start"], edit["n_deleted"]) + len(edit["inserted"])
            for document in documents
        )
        return _edit(session, **edit) if n_characters <= MAX_CHARACTERS_NOW else None
    finally:
        session.lock.release()


def _rows_response(comparison: LiveComparison, updates: Iterable[Update]) -> Response:
    """Return the figures of all rows, and each row's pieces that replace `n_removed` from `first` on."""
    rows, columns = [], []
    for row, update in zip(comparison.rows(), updates, strict=True):
        shapes, own = join_pieces(map(SentPiece.of, update.pieces))
        columns += own
        change: RowChange = {"first": update.first, "n_removed": update.n_removed, "pieces": shapes}
        rows.append({**row_figures(row), **change})
    answer: CompareChange = {
        "version": comparison.version,
        "rows": rows,
        "agreement": comparison.agreement(),
    }
    return columns_response(answer, columns)


def _csv(session: CompareSession) -> Response:
    rows = [row_figures(row) for row in session.rows()]
    file = io.StringIO()
    writer = csv.DictWriter(file, fieldnames=rows[0] if rows else (), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return json_response(CsvAnswer(csv=file.getvalue()))


def _page(session: CompareSession, *, layout: Layout) -> Response:
    with session.lock:
        return json_response(saved_comparison(session.comparison, session.models, layout=layout).file)


COMPARE_ACTIONS: Actions = {
    "open": Action(_open, OPEN_SHAPE),
    "edit": Action(_edit, EDIT_SHAPE, _edit_now),
    "csv": Action(_csv, Shape({})),
    "page": Action(_page, Shape({"layout": one_of(*LAYOUTS)})),
}
