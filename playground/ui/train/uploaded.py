"""The files that are uploaded to learn from: their uploader, what is told of them, and what they hold."""

from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from playground.core.errors import InvalidInputError, PlaygroundError, TextTooLongError
from playground.core.wording import counted, listed, quoted
from playground.corpora.sources import DEFAULT_FIELD, is_packed, kind_of
from playground.corpora.upload_files import fields_of_upload
from playground.corpora.upload_texts import read_texts
from playground.render.visible_text import markdown_escape
from playground.training.corpora import Corpus
from playground.training.counted_corpus import CountedCorpus
from playground.training.utf8_files import Utf8Rows, Utf8Text, read_utf8
from playground.ui import state
from playground.ui.row_fields import chosen_field, show_field, what_to_choose
from playground.ui.train.session import TrainingSession
from playground.workers import pool

MAX_UPLOAD_MB = 256
#: To count a million texts takes 30 s of a core.
MAX_TEXTS = 2_000_000
#: Distinct pretokens of counts: they take about 100 bytes each while a run learns from them.
MAX_PRETOKENS = 6_000_000
FIELD = state.Field("train.field", DEFAULT_FIELD)
_MEMORY_BYTES = 2_500_000_000
_FILES_KEY = "train-files"
#: The ids of files that are not learned from, for they cannot be and the others are to be.
_LEFT_OUT = "train.left_out"
#: So many reasons why files cannot be learned from are read.
_SHOWN_REASONS = 6


class _BadFilesError(InvalidInputError):
    """Some files cannot be learned from: those of these ids."""

    def __init__(self, reasons: Sequence[str], ids: Sequence[str], n_files: int) -> None:
        head = f"{len(reasons):,} of {counted(n_files, 'file')} cannot be learned from:"
        several = len(reasons) > 1
        super().__init__("\n".join([head, *_first_of_files(reasons, "and ")]) if several else reasons[0])
        self.ids = frozenset(ids)


class _Rows(NamedTuple):
    """Files of rows: their fields, whether each can be read as text too, and those that cannot be read."""

    names: list[str]
    is_text_too: bool
    errors: dict[str, PlaygroundError]

    @property
    def field(self) -> str | None:
        """The one to read, "" for the whole file; None where none is chosen."""
        return chosen_field(FIELD, self.names, is_text_too=self.is_text_too)


def show_files(session: TrainingSession) -> None:
    """Draw the uploader and, of files of rows, the choice of the field."""
    files = st.file_uploader(
        f"UTF-8 text, JSON Lines, CSV, TSV or Parquet, also .gz and .zst, together up to {MAX_UPLOAD_MB} MB",
        accept_multiple_files=True,
        max_upload_size=MAX_UPLOAD_MB,
        help=f"Unpacked they may have {MAX_UPLOAD_MB} MB of text. Counts of a corpus of any size are one "
        ".parquet, which `python -m playground train FILES --keep-counts counts.parquet` writes.",
        key=_FILES_KEY,
    )
    if not files:
        st.info("Choose one or more files.")
        return
    with st.spinner("Reading the files"):
        rows = _rows_among(session, _files_to_read())
    if rows and (rows.names or rows.is_text_too):
        show_field(FIELD, rows.names, is_text_too=rows.is_text_too)
        if rows.field is None and not rows.errors:
            st.info(f"Choose {what_to_choose(rows.names)}.")
    with st.spinner("Reading the files"), suppress(PlaygroundError):  # which is told below
        read_files(session)


def what_is_missing(session: TrainingSession) -> str:
    """What is to be chosen yet, and where it is, is told there; "" where files can be read."""
    if not state.uploaded_files(_FILES_KEY):
        return "no file is chosen yet"
    rows = _rows_among(session, _files_to_read())
    return "no field is chosen yet" if rows and rows.field is None and not rows.errors else ""


def tell_files(session: TrainingSession) -> None:
    """Which files are not learned from; of those that cannot be, a button that leaves them out."""
    files = state.uploaded_files(_FILES_KEY)
    found = session.uploaded[1] if files and session.uploaded else None
    left_out = state.kept(_LEFT_OUT, frozenset[str]())
    if isinstance(found, _BadFilesError):
        bad = left_out | found.ids
        if n_others := sum(file.size > 0 for file in files if file.file_id not in bad):
            st.button(
                f"Use the other {n_others:,}" if n_others > 1 else "Use the other one",
                help="Leave out the files that cannot be learned from",
                on_click=lambda: state.put(_LEFT_OUT, bad),
            )
        return
    if isinstance(found, Corpus):
        _tell_rows(found, [file.name for file in files if file.file_id not in left_out])
    elif isinstance(found, CountedCorpus):
        _tell_counted(found)
    for names, what in (
        ([file.name for file in files if file.file_id in left_out], "Left out"),
        ([file.name for file in files if not file.size and len(files) > 1], "Empty"),
    ):
        if names:
            st.caption(markdown_escape(f"{what}: {listed(_first_of_files(names))}."))


def read_files(session: TrainingSession) -> Corpus | CountedCorpus:
    """What the files hold, of rows in the field that is chosen. Raises PlaygroundError."""
    files = _files_to_read()
    if not files:
        session.uploaded = None
        raise InvalidInputError("no file is chosen; choose one or more")
    n_bytes = sum(file.size for file in files)
    if n_bytes > MAX_UPLOAD_MB * 1_000_000:
        raise InvalidInputError(
            f"these files have {n_bytes:,} bytes together; at most {MAX_UPLOAD_MB * 1_000_000:,} can be "
            "learned from here. For more, train in a shell: python -m playground train FILE"
        )
    rows = _rows_among(session, files)
    chosen = tuple(file.file_id for file in files), rows.field if rows else ""
    if session.uploaded is None or session.uploaded[0] != chosen:  # read once, not at every click
        try:
            session.uploaded = chosen, _corpus_of(session, files, rows)
        except PlaygroundError as error:
            session.uploaded = chosen, error
    found = session.uploaded[1]
    if isinstance(found, PlaygroundError):
        raise found
    return found


def _files_to_read() -> list[UploadedFile]:
    left_out = state.kept(_LEFT_OUT, frozenset[str]())
    return [file for file in state.uploaded_files(_FILES_KEY) if file.file_id not in left_out]


def _rows_among(session: TrainingSession, files: Sequence[UploadedFile]) -> _Rows | None:
    """The files of rows among these; None where there is none. Each file's fields are read once."""
    if sum(file.size for file in files) > MAX_UPLOAD_MB * 1_000_000:
        return None
    known = session.fields
    session.fields = {
        file.file_id: known[file.file_id] if file.file_id in known else _fields_of(session, file)
        for file in files
        if file.size and kind_of(file.name) != "text"
    }
    found = {
        file.file_id: session.fields[file.file_id]
        for file in files
        if file.file_id in session.fields and not _holds_counts(session, file)
    }
    if not found:
        return None
    return _Rows(
        [*dict.fromkeys(name for names in found.values() if isinstance(names, list) for name in names)],
        all(kind_of(file.name) != "parquet" for file in files),
        {file_id: error for file_id, error in found.items() if isinstance(error, PlaygroundError)},
    )


def _fields_of(session: TrainingSession, file: UploadedFile) -> list[str] | PlaygroundError:
    try:
        return fields_of_upload(file.name, file.getvalue(), visitor=session.visitor)
    except PlaygroundError as error:
        return error


def _holds_counts(session: TrainingSession, file: UploadedFile) -> bool:
    """Whether a table has no column of text: counts have none."""
    return kind_of(file.name) == "parquet" and session.fields.get(file.file_id) == []


def _corpus_of(
    session: TrainingSession, files: Sequence[UploadedFile], rows: _Rows | None
) -> Corpus | CountedCorpus:
    """What the files hold. Raises PlaygroundError."""
    field = rows.field if rows else ""
    counts = [file for file in files if _holds_counts(session, file)]
    if counts and len(files) > 1:
        raise _BadFilesError(
            [
                f"{file.name} has no column of text, so it is taken for a corpus that was counted "
                "elsewhere; choose it alone"
                for file in counts
            ],
            [file.file_id for file in counts],
            len(files),
        )
    if counts:
        return _read_counts(session, counts[0])
    if field is None and rows and not rows.errors:
        raise InvalidInputError(f"no field is chosen; choose {what_to_choose(rows.names)}")
    texts = _texts_of(session, files, field or "", rows.errors if rows and field != "" else {})
    name = files[0].name if len(files) == 1 else f"{len(files)} files"
    if not any(texts):
        what = f"{files[0].name} is" if len(files) == 1 else "these files are"
        if field:
            raise InvalidInputError(f"no row has text in its field {quoted(field)}; choose another field")
        raise InvalidInputError(f"{what} empty; choose a file with text in it")
    return Corpus(f"{field} of {name}" if field else name, files=texts)


def _read_counts(session: TrainingSession, file: UploadedFile) -> CountedCorpus:
    counts, pattern = pool.run(
        "playground.corpora.kept_counts.counts_in_upload", file.getvalue(), file.name, MAX_PRETOKENS,
        what=f"reading {file.name}", visitor=session.visitor, memory_bytes=_MEMORY_BYTES,
    )  # fmt: skip
    if not len(counts):
        raise InvalidInputError(f"{file.name} has no pretoken; count files with text in them")
    return CountedCorpus(file.name, counts, pattern)


def _texts_of(
    session: TrainingSession, files: Sequence[UploadedFile], field: str, errors: dict[str, PlaygroundError]
) -> tuple[Utf8Text | Utf8Rows, ...]:
    """The texts of each file. Raises _BadFilesError; of several that have none with a line each."""
    texts: list[Utf8Text | Utf8Rows] = []
    reasons: dict[str, str] = {}
    n_bytes, n_texts = MAX_UPLOAD_MB * 1_000_000, MAX_TEXTS  # that may come yet
    for file in files:
        try:
            if file.file_id in errors:
                raise errors[file.file_id]
            found = _read(session, file, field, n_bytes, n_texts)
        except TextTooLongError:
            reasons[file.file_id] = (
                f"{file.name}: with it there are, unpacked, more than {MAX_UPLOAD_MB * 1_000_000:,} bytes or "
                f"{MAX_TEXTS:,} texts, the most that can be learned from here. For more, train in a shell: "
                "python -m playground train FILE"
            )
        except PlaygroundError as error:
            reasons[file.file_id] = str(error)
        else:
            texts.append(found)
            n_bytes -= len(found.raw)
            n_texts -= found.n_texts
    if reasons:
        raise _BadFilesError([*reasons.values()], [*reasons], len(files))
    return tuple(texts)


def _read(
    session: TrainingSession, file: UploadedFile, field: str, max_bytes: int, max_texts: int
) -> Utf8Text | Utf8Rows:
    has_rows = field != "" and kind_of(file.name) != "text"
    if not file.size or not (has_rows or is_packed(file.name)):
        return read_utf8(file, file.name)
    return read_texts(
        file.name,
        file.getvalue(),
        field=field if has_rows else "",
        max_bytes=max_bytes,
        max_texts=max_texts,
        visitor=session.visitor,
    )


def _tell_rows(corpus: Corpus, names: Sequence[str]) -> None:
    """How many texts are read of files of rows; or that they are read as they are."""
    if rows := [file for file in corpus.files if isinstance(file, Utf8Rows)]:
        n_texts, n_bytes = sum(file.n_texts for file in rows), sum(len(file.raw) for file in rows)
        st.caption(f"{counted(n_bytes, 'byte')} in {counted(n_texts, 'text')}.")
    elif as_text := [name for name in names if kind_of(name) != "text"]:
        are = f"{as_text[0]} is" if len(as_text) == 1 else f"{counted(len(as_text), 'file')} of rows are"
        st.caption(
            f"{markdown_escape(are)} read as plain text: names of fields and all marks are learned too."
        )


def _tell_counted(corpus: CountedCorpus) -> None:
    """What of the settings counts decide by themselves."""
    st.caption(
        f"{counted(len(corpus.counts), 'distinct pretoken')} of "
        f"{counted(corpus.counts.n_bytes, 'byte')}, cut by {markdown_escape(corpus.pattern.name)}: that "
        "is the split pattern, whatever is chosen below. They hold no text, so nothing is held out, and "
        "the film shows the most frequent ones."
    )


def _first_of_files(told: Sequence[str], joint: str = "") -> list[str]:
    """What is told of some files, and how many more there are."""
    n_more = len(told) - _SHOWN_REASONS
    return [*told[:_SHOWN_REASONS], *([f"{joint}{counted(n_more, 'more file')}"] if n_more > 0 else [])]
