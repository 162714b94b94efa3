"""What a run learns from: its fields, and the corpus that they name as they stand."""

from collections.abc import Sequence

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from playground.core.errors import InvalidInputError, PlaygroundError
from playground.core.wording import counted, listed
from playground.corpora.sources import kind_of
from playground.render.plain_text import markdown_escape
from playground.training.corpora import BUNDLED, LANGUAGES, Corpus, udhr, udhr_languages
from playground.training.counted_corpus import CountedCorpus
from playground.training.utf8_files import Utf8Text, read_utf8
from playground.ui import state
from playground.ui.choices import PASTE, UPLOAD
from playground.ui.refused_uploads import tell_refused_uploads
from playground.ui.train.session import TrainingSession
from playground.workers import pool

MAX_UPLOAD_MB = 256
#: Distinct pretokens of counts: they take about 100 bytes each while a run learns from them.
MAX_PRETOKENS = 6_000_000
_MEMORY_BYTES = 2_500_000_000
_FILES_KEY = "train-files"
#: The ids of files that are not learned from, for they cannot be and the others are to be.
_LEFT_OUT = "train.left_out"
#: So many reasons why files cannot be learned from are read.
_SHOWN_REASONS = 6

CORPUS = state.Field("train.corpus", next(iter(BUNDLED)))
PASTED = state.Field("train.pasted", "aaabdaaabac")
CHOSEN_LANGUAGES = state.Field("train.languages", ["English", "Korean"])


class _BadFilesError(InvalidInputError):
    """Some files cannot be learned from: those of these ids."""

    def __init__(self, message: str, ids: frozenset[str]) -> None:
        super().__init__(message)
        self.ids = ids


def is_waiting_for_files() -> bool:
    """Whether files are to be uploaded and none has come yet."""
    return CORPUS.value == UPLOAD and not state.uploaded_files(_FILES_KEY)


def show_corpus() -> None:
    """Draw the fields: a bundled corpus, a text to paste or files to upload."""
    st.selectbox("Corpus", options := [*BUNDLED, PASTE, UPLOAD], **CORPUS.one_of(options))
    if CORPUS.value == PASTE:
        st.text_area("Text to learn from", height=140, **PASTED.shown())
    elif CORPUS.value == UPLOAD:
        _show_files()
    elif CORPUS.value == LANGUAGES:
        st.multiselect(
            "Languages", languages := list(udhr_languages()), **CHOSEN_LANGUAGES.some_of(languages)
        )
        with st.popover("Weigh the languages", width="stretch"):
            for name in CHOSEN_LANGUAGES.value:
                st.number_input(name, min_value=1, max_value=50, **_weight(name).shown())


def corpus_texts(session: TrainingSession) -> Sequence[str]:
    """The texts of the corpus as the fields stand. Raises InvalidInputError."""
    corpus = read_corpus(session)
    if isinstance(corpus, CountedCorpus):
        raise InvalidInputError("this corpus was counted elsewhere, and has no text; choose another corpus")
    return [*corpus.texts, *map(str, corpus.files)]


def read_corpus(session: TrainingSession) -> Corpus | CountedCorpus:
    """The corpus as the fields stand. Raises InvalidInputError."""
    name = CORPUS.value
    if name == UPLOAD:
        return _read_files(session)
    session.uploaded = None
    if name == PASTE:
        if not PASTED.value:
            raise InvalidInputError("the text is empty; paste one, or choose a bundled corpus")
        return Corpus("Pasted text", (PASTED.value,))
    if name == LANGUAGES:
        if not CHOSEN_LANGUAGES.value:
            raise InvalidInputError("no language is chosen; choose one or more")
        return udhr({language: _weight(language).value for language in CHOSEN_LANGUAGES.value})
    return BUNDLED[name]()


def _weight(language: str) -> state.Field[int]:
    return state.Field(f"train.weight.{language}", 1)


def _show_files() -> None:
    files = st.file_uploader(
        f"UTF-8 text files, or a corpus counted elsewhere, together up to {MAX_UPLOAD_MB} MB",
        accept_multiple_files=True,
        max_upload_size=MAX_UPLOAD_MB,
        help="Counts of a corpus of any size are one .parquet, which `python -m playground train FILES "
        "--keep-counts counts.parquet` writes.",
        key=_FILES_KEY,
    )
    tell_refused_uploads(key="corpus", uploader=_FILES_KEY, max_bytes=MAX_UPLOAD_MB * 1_000_000)
    if not files:
        st.info("Choose one or more files.")


def tell_files(session: TrainingSession) -> None:
    """Which files are not learned from; of those that cannot be, a button that leaves them out."""
    files = state.uploaded_files(_FILES_KEY) if CORPUS.value == UPLOAD else []
    error = session.uploaded[1] if files and session.uploaded else None
    left_out = state.kept(_LEFT_OUT, frozenset[str]())
    if isinstance(error, _BadFilesError):
        bad = left_out | error.ids
        if n_others := sum(file.size > 0 for file in files if file.file_id not in bad):
            st.button(
                f"Use the other {n_others:,}" if n_others > 1 else "Use the other one",
                help="Leave out the files that cannot be learned from",
                on_click=lambda: state.put(_LEFT_OUT, bad),
            )
        return
    _tell_rows([file.name for file in files if file.file_id not in left_out])
    for names, what in (
        ([file.name for file in files if file.file_id in left_out], "Left out"),
        ([file.name for file in files if not file.size and len(files) > 1], "Empty"),
    ):
        if names:
            st.caption(markdown_escape(f"{what}: {listed(_first_of_files(names))}."))


def _first_of_files(told: Sequence[str], joint: str = "") -> list[str]:
    """What is told of some files, and how many more there are."""
    n_more = len(told) - _SHOWN_REASONS
    return [*told[:_SHOWN_REASONS], *([f"{joint}{counted(n_more, 'more file')}"] if n_more > 0 else [])]


def _tell_rows(names: Sequence[str]) -> None:
    """That files of rows are read as they are, and what reads one field of them."""
    if rows := [name for name in names if kind_of(name) not in ("text", "parquet")]:
        are = f"{rows[0]} is" if len(rows) == 1 else f"{counted(len(rows), 'file')} of rows are"
        st.caption(
            f"{markdown_escape(are)} read as plain text: names of fields and all marks are learned too. "
            "One field is read in a shell: `python -m playground train FILE --field text`."
        )


def tell_counted(session: TrainingSession) -> None:
    """What of the settings counts decide by themselves."""
    corpus = session.uploaded[1] if CORPUS.value == UPLOAD and session.uploaded else None
    if isinstance(corpus, CountedCorpus):
        st.caption(
            f"{counted(len(corpus.counts), 'distinct pretoken')} of "
            f"{counted(corpus.counts.n_bytes, 'byte')}, cut by {markdown_escape(corpus.pattern.name)}: that "
            "is the split pattern, whatever is chosen below. They hold no text, so nothing is held out, and "
            "the film shows the most frequent ones."
        )


def _read_files(session: TrainingSession) -> Corpus | CountedCorpus:
    left_out = state.kept(_LEFT_OUT, frozenset[str]())
    files = [file for file in state.uploaded_files(_FILES_KEY) if file.file_id not in left_out]
    if not files:
        session.uploaded = None
        raise InvalidInputError("no file is chosen; choose one or more")
    n_bytes = sum(file.size for file in files)
    if n_bytes > MAX_UPLOAD_MB * 1_000_000:
        raise InvalidInputError(
            f"these files have {n_bytes:,} bytes together; at most {MAX_UPLOAD_MB * 1_000_000:,} can be "
            "learned from here. For more, train in a shell: python -m playground train FILE"
        )
    ids = tuple(file.file_id for file in files)
    if session.uploaded is None or session.uploaded[0] != ids:  # read once, not at every click
        try:
            session.uploaded = ids, _corpus_of(files)
        except PlaygroundError as error:
            session.uploaded = ids, error
    found = session.uploaded[1]
    if isinstance(found, PlaygroundError):
        raise found
    return found


def _corpus_of(files: Sequence[UploadedFile]) -> Corpus | CountedCorpus:
    """What the files hold. Raises PlaygroundError."""
    tables = [file for file in files if file.name.lower().endswith(".parquet")]
    if tables:
        if len(files) > 1:
            raise InvalidInputError(
                f"{tables[0].name}: a .parquet is a whole corpus, counted elsewhere; choose it alone"
            )
        counts, pattern = pool.run(
            "playground.corpora.kept_counts.counts_in_upload", tables[0].getvalue(), tables[0].name,
            MAX_PRETOKENS, what=f"reading {tables[0].name}", memory_bytes=_MEMORY_BYTES,
        )  # fmt: skip
        if not len(counts):
            raise InvalidInputError(f"{tables[0].name} has no pretoken; count files with text in them")
        return CountedCorpus(tables[0].name, counts, pattern)
    texts = _texts_of(files)
    if not any(texts):
        are = f"{files[0].name} is" if len(files) == 1 else "these files are"
        raise InvalidInputError(f"{are} empty; choose a file with text in it")
    return Corpus(files[0].name if len(files) == 1 else f"{len(files)} files", files=texts)


def _texts_of(files: Sequence[UploadedFile]) -> tuple[Utf8Text, ...]:
    """The text of each file. Raises InvalidInputError; of several that have none with a line each."""
    texts, reasons, bad = [], [], set[str]()
    for file in files:
        try:
            texts.append(read_utf8(file, file.name))
        except InvalidInputError as error:
            reasons.append(str(error))
            bad.add(file.file_id)
    if len(reasons) > 1:
        head = f"{len(reasons):,} of {counted(len(files), 'file')} cannot be learned from:"
        raise _BadFilesError("\n".join([head, *_first_of_files(reasons, "and ")]), frozenset(bad))
    if reasons:
        raise _BadFilesError(reasons[0], frozenset(bad))
    return tuple(texts)
