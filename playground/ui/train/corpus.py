"""The corpus of a run: a bundled corpus, a pasted text or uploaded files."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from io import BytesIO
from typing import NamedTuple

import streamlit as st

from playground.core.errors import InvalidInputError, PlaygroundError, TextTooLongError
from playground.core.wording import counted, listed, quoted
from playground.corpora.sources import DEFAULT_FIELD, is_packed, kind_of
from playground.corpora.uploads import fields_of_upload, read_texts
from playground.render.visible_text import markdown_escape
from playground.training.corpora import BUNDLED, LANGUAGES, Corpus, udhr, udhr_languages
from playground.training.counted_corpus import CountedCorpus
from playground.training.utf8_files import Utf8Rows, Utf8Text, read_utf8
from playground.ui import state
from playground.ui.row_fields import chosen_field, show_field, what_to_choose
from playground.ui.state import UploadedFile
from playground.ui.train.view import train_session
from playground.workers import pool

MAX_UPLOAD_MB = 256
#: Counting a million texts takes 30 s of a core.
MAX_TEXTS = 2_000_000
#: Distinct pretokens of counts: each takes about 100 bytes while a run learns from it.
MAX_PRETOKENS = 6_000_000
CORPUS = state.Field("train.corpus", next(iter(BUNDLED)))
PASTE, UPLOAD = "Paste a text", "Upload files"
PASTED = state.Field("train.pasted", "aaabdaaabac", in_address=False)
CHOSEN_LANGUAGES = state.Field("train.languages", ["English", "Korean"])
FIELD = state.Field("train.field", DEFAULT_FIELD)
_MEMORY_BYTES = 2_500_000_000
_FILES_KEY = "train-files"
#: Ids of invalid files that the visitor has left out, so that the others can be learned from.
_LEFT_OUT = "train.left_out"
#: Most reasons that are listed why files cannot be learned from.
_N_REASONS = 6


@dataclass
class _ReadFiles:
    """The result of reading the uploaded files last, by their ids and row field, and the row fields by id."""

    chosen: object = None
    result: Corpus | CountedCorpus | PlaygroundError | None = None
    fields: dict[str, list[str] | PlaygroundError] = field(default_factory=dict)


class _InvalidFilesError(InvalidInputError):
    """Some of the files, those with these ids, cannot be learned from."""

    def __init__(self, reasons: Sequence[str], ids: Sequence[str], n_files: int) -> None:
        head = f"{len(reasons):,} of {counted(n_files, 'file')} cannot be learned from:"
        several = len(reasons) > 1
        super().__init__("\n".join([head, *_shortened(reasons, "and ")]) if several else reasons[0])
        self.ids = frozenset(ids)


class _Rows(NamedTuple):
    """Files of rows: their fields, whether each is readable as text too, and the errors by file id."""

    names: list[str]
    is_text_too: bool
    errors: dict[str, PlaygroundError]

    @property
    def field(self) -> str | None:
        """The field to read, "" for the whole file, None before a choice."""
        return chosen_field(FIELD, self.names, is_text_too=self.is_text_too)


def show_corpus() -> None:
    """Draw the choice of a corpus, and what the choice needs at once: files or languages."""
    st.selectbox("Corpus", options := [*BUNDLED, PASTE, UPLOAD], **CORPUS.one_of(options))
    if CORPUS.value == UPLOAD:
        _show_files()
    elif CORPUS.value == LANGUAGES:
        languages = list(udhr_languages())
        st.multiselect("Languages", languages, **CHOSEN_LANGUAGES.some_of(languages))


def show_corpus_fields() -> None:
    """Draw the fields that are sent with Start: the pasted text, or the weights of the languages."""
    if CORPUS.value == PASTE:
        if (text := state.query_parameter("text")) and PASTED.value == PASTED.default:
            PASTED.put(text)  # a lesson opens the page on its text
        st.text_area("Text to learn from", height=140, **PASTED.shown())
    elif CORPUS.value == LANGUAGES:
        with st.expander("Weight of each language"):
            for name in CHOSEN_LANGUAGES.value:
                st.number_input(name, min_value=1, max_value=50, **_weight(name).shown())


def read_corpus() -> Corpus | CountedCorpus:
    """Return the chosen corpus. Raises PlaygroundError."""
    name = CORPUS.value
    if name == UPLOAD:
        return read_files()
    _read().chosen = _read().result = None
    if name == PASTE:
        if not PASTED.value:
            raise InvalidInputError("the text is empty; paste one, or choose a bundled corpus")
        return Corpus("Pasted text", (PASTED.value,))
    if name == LANGUAGES:
        if not CHOSEN_LANGUAGES.value:
            raise InvalidInputError("no language is chosen; choose one or more")
        return udhr({language: _weight(language).value for language in CHOSEN_LANGUAGES.value})
    return BUNDLED[name]()


def read_files() -> Corpus | CountedCorpus:
    """Return the content of the uploaded files; of rows, the chosen field. Raises PlaygroundError."""
    read, files = _read(), _files_to_read()
    if not files:
        read.chosen = read.result = None
        raise InvalidInputError("no file is chosen; choose one or more")
    n_bytes = sum(file.size for file in files)
    if n_bytes > MAX_UPLOAD_MB * 1_000_000:
        raise InvalidInputError(
            f"these files have {n_bytes:,} bytes together; at most {MAX_UPLOAD_MB * 1_000_000:,} can be "
            "learned from here. For more, train in a shell: tessera train FILE"
        )
    rows = _rows_among(files)
    chosen = tuple(file.file_id for file in files), rows.field if rows else ""
    if read.chosen != chosen or read.result is None:  # read once, not in each run of the page
        read.chosen = chosen
        try:
            read.result = _corpus_of(files, rows)
        except PlaygroundError as error:
            read.result = error
    if isinstance(read.result, PlaygroundError):
        raise read.result
    return read.result


def _weight(language: str) -> state.Field[int]:
    return state.Field(f"train.weight.{language}", 1)


def _read() -> _ReadFiles:
    return state.get_or_make("train.read_files", _ReadFiles)


# ---- files: drawing


def _show_files() -> None:
    """Draw the uploader, the choice of the field of rows, and what is wrong with the files."""
    files = st.file_uploader(
        f"UTF-8 text, JSON Lines, CSV, TSV or Parquet, also .gz and .zst, together up to {MAX_UPLOAD_MB} MB",
        accept_multiple_files=True,
        max_upload_size=MAX_UPLOAD_MB,
        help=f"Up to {MAX_UPLOAD_MB} MB of text when decompressed. For a larger corpus, upload its counts, "
        "which `tessera train FILES --keep-counts counts.parquet` writes.",
        key=_FILES_KEY,
    )
    if not files:
        st.info("Choose one or more files.")
        return
    with st.spinner("Reading the files"):
        rows = _rows_among(_files_to_read())
    if rows and (rows.names or rows.is_text_too):
        show_field(FIELD, rows.names, is_text_too=rows.is_text_too)
        if rows.field is None and not rows.errors:
            st.info(f"Choose {what_to_choose(rows.names)}.")
            return
    try:
        with st.spinner("Reading the files"):
            read_files()
    except PlaygroundError as error:
        st.error(markdown_escape(str(error)).replace("\n", "  \n"))
    _show_what_was_read(files)


def _show_what_was_read(files: Sequence[UploadedFile]) -> None:
    """Describe the corpus, or offer to leave out the files that cannot be learned from."""
    found = _read().result
    left_out = state.get(_LEFT_OUT, frozenset[str]())
    if isinstance(found, _InvalidFilesError):
        invalid = left_out | found.ids
        if n_others := sum(file.size > 0 for file in files if file.file_id not in invalid):
            st.button(
                f"Use the other {n_others:,}" if n_others > 1 else "Use the other one",
                help="Leave out the files that cannot be learned from",
                on_click=lambda: state.put(_LEFT_OUT, invalid),
            )
        return
    if isinstance(found, Corpus):
        _describe_rows(found, [file.name for file in files if file.file_id not in left_out])
    elif isinstance(found, CountedCorpus):
        st.caption(
            f"{counted(len(found.counts), 'distinct pretoken')} of {counted(found.counts.n_bytes, 'byte')}, "
            f"cut by {markdown_escape(found.pattern.name)}: that is the split pattern, whatever is chosen "
            "below. Counts hold no text, so nothing is held out, and the film shows the most frequent "
            "pretokens."
        )
    for names, what in (
        ([file.name for file in files if file.file_id in left_out], "Left out"),
        ([file.name for file in files if not file.size and len(files) > 1], "Empty"),
    ):
        if names:
            st.caption(markdown_escape(f"{what}: {listed(_shortened(names))}."))


def _describe_rows(corpus: Corpus, names: Sequence[str]) -> None:
    """Say how many texts the rows hold, or that files of rows are read as plain text."""
    if rows := [file for file in corpus.files if isinstance(file, Utf8Rows)]:
        n_texts, n_bytes = sum(file.n_texts for file in rows), sum(len(file.raw) for file in rows)
        st.caption(f"{counted(n_bytes, 'byte')} in {counted(n_texts, 'text')}.")
    elif as_text := [name for name in names if kind_of(name) != "text"]:
        are = f"{as_text[0]} is" if len(as_text) == 1 else f"{counted(len(as_text), 'file')} of rows are"
        st.caption(f"{markdown_escape(are)} read as plain text: field names and punctuation are learned too.")


def _shortened(lines: Sequence[str], joint: str = "") -> list[str]:
    """Return the first of some lines, and how many more files there are."""
    n_more = len(lines) - _N_REASONS
    return [*lines[:_N_REASONS], *([f"{joint}{counted(n_more, 'more file')}"] if n_more > 0 else [])]


# ---- files: reading


def _files_to_read() -> list[UploadedFile]:
    left_out = state.get(_LEFT_OUT, frozenset[str]())
    return [file for file in state.uploaded_files(_FILES_KEY) if file.file_id not in left_out]


def _rows_among(files: Sequence[UploadedFile]) -> _Rows | None:
    """Return the files of rows, None without one. The fields of each file are read once."""
    if sum(file.size for file in files) > MAX_UPLOAD_MB * 1_000_000:
        return None
    read = _read()
    known = read.fields
    read.fields = {
        file.file_id: known[file.file_id] if file.file_id in known else _fields_of(file)
        for file in files
        if file.size and kind_of(file.name) != "text"
    }
    found = {
        file.file_id: read.fields[file.file_id]
        for file in files
        if file.file_id in read.fields and not _holds_counts(file)
    }
    if not found:
        return None
    return _Rows(
        [*dict.fromkeys(name for names in found.values() if isinstance(names, list) for name in names)],
        all(kind_of(file.name) != "parquet" for file in files),
        {file_id: error for file_id, error in found.items() if isinstance(error, PlaygroundError)},
    )


def _fields_of(file: UploadedFile) -> list[str] | PlaygroundError:
    try:
        return fields_of_upload(file.name, file.getvalue(), visitor=train_session().id)
    except PlaygroundError as error:
        return error


def _holds_counts(file: UploadedFile) -> bool:
    """Whether a file is a table of counts: it has no column of text."""
    return kind_of(file.name) == "parquet" and _read().fields.get(file.file_id) == []


def _corpus_of(files: Sequence[UploadedFile], rows: _Rows | None) -> Corpus | CountedCorpus:
    """Return what the files hold. Raises PlaygroundError."""
    row_field = rows.field if rows else ""
    counts = [file for file in files if _holds_counts(file)]
    if counts and len(files) > 1:
        raise _InvalidFilesError(
            [
                f"{file.name} has no column of text, so it is read as the counts of a corpus; choose it alone"
                for file in counts
            ],
            [file.file_id for file in counts],
            len(files),
        )
    if counts:
        return _read_counts(counts[0])
    if row_field is None and rows and not rows.errors:
        raise InvalidInputError(f"no field is chosen; choose {what_to_choose(rows.names)}")
    texts = _texts_of(files, row_field or "", rows.errors if rows and row_field != "" else {})
    name = files[0].name if len(files) == 1 else f"{len(files)} files"
    if not any(texts):
        if row_field:
            raise InvalidInputError(f"no row has text in its field {quoted(row_field)}; choose another field")
        what = f"{files[0].name} is" if len(files) == 1 else "these files are"
        raise InvalidInputError(f"{what} empty; choose a file with text in it")
    return Corpus(f"{row_field} of {name}" if row_field else name, files=texts)


def _read_counts(file: UploadedFile) -> CountedCorpus:
    counts, pattern = pool.run(
        "playground.corpora.kept_counts.counts_in_upload", file.getvalue(), file.name, MAX_PRETOKENS,
        what=f"reading {file.name}", visitor=train_session().id, memory_bytes=_MEMORY_BYTES,
    )  # fmt: skip
    if not len(counts):
        raise InvalidInputError(f"{file.name} has no pretoken; count files with text in them")
    return CountedCorpus(file.name, counts, pattern)


def _texts_of(
    files: Sequence[UploadedFile], row_field: str, errors: dict[str, PlaygroundError]
) -> tuple[Utf8Text | Utf8Rows, ...]:
    """Return the texts of each file. Raises _InvalidFilesError with a line for each invalid file."""
    texts: list[Utf8Text | Utf8Rows] = []
    reasons: dict[str, str] = {}
    n_bytes_left, n_texts_left = MAX_UPLOAD_MB * 1_000_000, MAX_TEXTS
    for file in files:
        try:
            if file.file_id in errors:
                raise errors[file.file_id]
            found = _read_file(file, row_field, n_bytes_left, n_texts_left)
        except TextTooLongError:
            reasons[file.file_id] = (
                f"{file.name}: with this file there are, unpacked, more than {MAX_UPLOAD_MB * 1_000_000:,} "
                f"bytes or {MAX_TEXTS:,} texts, the most that can be learned from here. For more, train in a "
                "shell: tessera train FILE"
            )
        except PlaygroundError as error:
            reasons[file.file_id] = str(error)
        else:
            texts.append(found)
            n_bytes_left -= len(found.raw)
            n_texts_left -= found.n_texts
    if reasons:
        raise _InvalidFilesError([*reasons.values()], [*reasons], len(files))
    return tuple(texts)


def _read_file(file: UploadedFile, row_field: str, max_bytes: int, max_texts: int) -> Utf8Text | Utf8Rows:
    has_rows = row_field != "" and kind_of(file.name) != "text"
    if not file.size or not (has_rows or is_packed(file.name)):
        return read_utf8(BytesIO(file.getvalue()), file.name)
    return read_texts(
        file.name,
        file.getvalue(),
        field=row_field if has_rows else "",
        max_bytes=max_bytes,
        max_texts=max_texts,
        visitor=train_session().id,
    )
