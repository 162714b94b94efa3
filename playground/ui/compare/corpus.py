"""My corpus: the tokens of the visitor's own file, of up to 256 MB, in each tokenizer."""

import secrets
import threading
from collections.abc import Sequence
from contextlib import suppress

import pandas as pd
import streamlit as st

from playground.core.errors import InvalidInputError, PlaygroundError
from playground.core.tokenizer import Tokenizer
from playground.core.wording import counted
from playground.corpora.sources import DEFAULT_FIELD, kind_of
from playground.corpora.token_counts import FileCount
from playground.corpora.uploads import count_upload, fields_of_upload
from playground.render.visible_text import markdown_escape
from playground.server.work import Work
from playground.ui import state
from playground.ui.row_fields import chosen_field, show_field, what_to_choose
from playground.ui.state import UploadedFile
from playground.workers.process import CancelledError

MAX_UPLOAD_MB = 256
FIELD = state.Field("compare.field", DEFAULT_FIELD)
_FILE_KEY = "compare-file"
_PATIENCE_SECONDS, _REFRESH_SECONDS = 0.4, 0.25


class CorpusCount:
    """One visitor's count; asking for another count cancels the running one."""

    def __init__(self) -> None:
        self._visitor = secrets.token_hex(8)
        self._wish: object = None
        self._work: Work[FileCount] | None = None
        self._is_gone = threading.Event()
        self._fields: tuple[str, list[str] | None] | None = None

    def fields(self, file: UploadedFile) -> list[str] | None:
        """Return the fields of a file of rows that can hold text; None if the file cannot be read."""
        if self._fields is None or self._fields[0] != file.file_id:
            self.end()
            found: list[str] | None = None
            with suppress(PlaygroundError):  # the count reports the error
                found = fields_of_upload(file.name, file.getvalue(), visitor=self._visitor)
            self._fields = file.file_id, found
        return self._fields[1]

    def ask(self, file: UploadedFile, field: str, tokenizers: Sequence[Tokenizer]) -> Work[FileCount]:
        """Return the work that counts a file; stopped work starts again only after `end`."""
        wish = (file.file_id, field, tuple(map(id, tokenizers)))
        if self._work is None or self._wish != wish:
            self.end()
            self._wish, gone = wish, threading.Event()
            self._is_gone = gone
            name, raws, chosen = file.name, [file.getvalue()], tuple(tokenizers)
            self._work = Work(
                wish,
                lambda tell, _so_far: count_upload(
                    name, raws.pop(), chosen, field=field, visitor=self._visitor, cancelled=gone,
                    tell=lambda part: tell(min(part, 1.0), ""),
                ),
            )  # fmt: skip
        return self._work

    def stop(self) -> None:
        """Cancel the running count and remember that it was stopped."""
        self._is_gone.set()
        if self._work is not None:
            self._work.stop()

    def begin_again(self) -> None:
        """Forget the count and the fields, so that the file is read again."""
        self.end()
        self._fields = None

    def end(self) -> None:
        """Cancel the running count and forget it."""
        self.stop()
        self._work = None


@st.cache_resource(scope="session", on_release=lambda count: count.end(), show_spinner=False)
def corpus_count() -> CorpusCount:
    """Return this visitor's count; closing the tab cancels it."""
    return CorpusCount()


def show_corpus(tokenizers: Sequence[Tokenizer]) -> None:
    """Draw the uploader, the progress of the count, and its table."""
    file = st.file_uploader(
        f"A file of up to {MAX_UPLOAD_MB} MB: text, JSON Lines, CSV, TSV or Parquet, also as .gz or .zst",
        max_upload_size=MAX_UPLOAD_MB,
        key=_FILE_KEY,
    )
    if file is None:
        corpus_count().end()
        st.info(
            "Choose a file to count its tokens in each tokenizer. The server keeps the file only until you "
            "reload or leave this page, and sends it nowhere."
        )
        return
    if file.size > MAX_UPLOAD_MB * 1_000_000:
        corpus_count().end()
        st.error(
            f"{markdown_escape(file.name)} has {file.size:,} bytes; the limit is "
            f"{MAX_UPLOAD_MB * 1_000_000:,}. Count larger files in a shell: `tessera count FILE`"
        )
        return
    if not file.size:
        corpus_count().end()
        _show_empty(file.name)
        return
    field, kind = "", kind_of(file.name)  # the name is never opened as a path
    if kind != "text":
        chosen = _choose_field(corpus_count().fields(file), is_text_too=kind != "parquet")
        if chosen is None:
            corpus_count().end()
            return
        field = chosen
    begun = st.empty()
    begun.progress(0.0, text=f"Counting {markdown_escape(file.name)}")  # shown at once, even for small files
    work = corpus_count().ask(file, field, tokenizers)
    is_over = work.wait(_PATIENCE_SECONDS)
    begun.empty()
    if not is_over:
        st.fragment(lambda: _draw_waiting(work, file.name, file.size), run_every=_REFRESH_SECONDS)()
        return
    try:
        found = work.result()
    except CancelledError:
        st.info("Stopped.", icon=":material/stop_circle:")
        st.button("Count again", on_click=corpus_count().begin_again)
    except PlaygroundError as error:
        st.error(markdown_escape(str(error)))
        if not isinstance(error, InvalidInputError):  # an invalid file stays invalid
            st.button("Count again", on_click=corpus_count().begin_again)
    else:
        if found.bytes:
            _show_table(found, tokenizers)
        else:
            _show_empty(file.name)


def _show_empty(name: str) -> None:
    st.info(f"{markdown_escape(name)} contains no text.")


def _choose_field(names: Sequence[str] | None, *, is_text_too: bool) -> str | None:
    """Draw the choice of a field and return it: "" for the whole file, None if nothing can be counted yet.

    `names` is None for a file that cannot be read; counting it then reports the error.
    """
    if names is None:
        return DEFAULT_FIELD
    if not names and not is_text_too:
        st.info("No column of this file contains text.")
        return None
    show_field(FIELD, names, is_text_too=is_text_too, width=260)
    field = chosen_field(FIELD, names, is_text_too=is_text_too)
    if field is None:
        st.info(f"Choose {what_to_choose(names)} to count its tokens.")
    return field


def corpus_table(found: FileCount, tokenizers: Sequence[Tokenizer]) -> pd.DataFrame:
    """Return the counts, a row for each tokenizer, in order of rising token count."""
    fewest = max(1, min(found.tokens))
    frame = pd.DataFrame(
        {
            "tokenizer": [tokenizer.name for tokenizer in tokenizers],
            "tokens": found.tokens,
            "bytes per token": found.bytes_per_token,
            "characters per token": [found.characters / n if n else 0.0 for n in found.tokens],
            "× the fewest": [n / fewest for n in found.tokens],
        }
    )
    return frame.sort_values("tokens", kind="stable")


def _draw_waiting(work: Work[FileCount], name: str, n_bytes: int) -> None:
    if work.is_over:
        st.rerun()
    n_digits = 0 if n_bytes >= 10_000_000 else 2
    done = f"{work.part * n_bytes / 1e6:,.{n_digits}f} of {n_bytes / 1e6:,.{n_digits}f} MB"
    bar, stop = st.columns([5, 1], vertical_alignment="center")
    bar.progress(work.part, text=f"Counting {markdown_escape(name)}: {done}")
    stop.button("Stop", key="compare.stop", icon=":material/stop_circle:", on_click=corpus_count().stop)


def _show_table(found: FileCount, tokenizers: Sequence[Tokenizer]) -> None:
    frame = corpus_table(found, tokenizers)
    two_digits = st.column_config.NumberColumn(format="%.2f")
    st.dataframe(
        frame,
        hide_index=True,
        column_config={
            "tokens": st.column_config.NumberColumn(format="localized"),
            **dict.fromkeys(frame.columns[2:], two_digits),
        },
    )
    st.caption(
        f"{markdown_escape(found.file)}: {counted(found.bytes, 'byte')} and "
        f"{counted(found.characters, 'character')} of text in {counted(found.documents, 'document')}."
    )
