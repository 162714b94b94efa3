"""Tokenizer files that a visitor brings: read beside the page, and kept in the session."""

import contextlib
import secrets
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, count
from typing import NamedTuple, TypedDict

import regex
import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from playground.bpe.split_pattern import SPLIT_PATTERNS, SplitPattern
from playground.catalog.opened import OpenedModel, OpenedTokenizer, model_of, open_files, tokenizer_of
from playground.catalog.registry import is_known
from playground.core.errors import InvalidInputError, PlaygroundError
from playground.files.limits import MAX_FILE_BYTES
from playground.files.tokenizer_config import is_beside
from playground.render.visible_text import markdown_escape
from playground.ui import component, controls, state
from playground.ui.kept_tokenizers import MAX_NAME, keep_tokenizer, show_kept_tokenizers
from playground.ui.word_tables import show_table_learner
from playground.ui.work import Work
from playground.workers.process import CancelledError

_PATTERNS = [*SPLIT_PATTERNS, "none"]
IMPORT_PATTERN = state.Field("train.import_pattern", _PATTERNS[0])
#: Seconds that a run of the page waits, for most files are read at once; then it looks again and again.
_PATIENCE_SECONDS, _REFRESH_SECONDS = 0.4, 0.5
#: What Streamlit sends of a file: its megabytes are millions.
_MAX_SENT_BYTES = MAX_FILE_BYTES // 2**20 * 1_000_000
#: Endings of files of which a tokenizer has several; `.vocab` is what minbpe writes for people.
_HALVES = ("encoder.json", "vocab.bpe", "vocab.json", "merges.txt", ".model", ".vocab")
#: So often is tried which of the files before go with those chosen last.
_MAX_CHOICES = 4


_OPENER_KEY = "open-tokenizer"
_component = component.define(
    "open_tokenizer",
    html="open_tokenizer/open_tokenizer.html",
    module="open_tokenizer/open_tokenizer.js",
    styles=("open_tokenizer/open_tokenizer.css",),
)


class OpenTokenizerData(TypedDict):
    """What came of the files that were brought last: their ids, once they are read, and the tokenizer's name.

    Both are "" before; the name alone where some were refused, for why is told in the opener.
    """

    files: str
    opened: str


@dataclass(slots=True)
class Opening:
    """Files that are being read, or were: then `work` is None, and `told`, as Markdown, what came of them.

    `key` tells these files from others, and `newest` are the ids of those that were chosen last; `name` is
    the tokenizer's where it was kept, and `used` are then the ids of its files; of several it is the last
    one's, and `used` is empty. `refused`, as Markdown, is why others of the files were not taken. `before` is
    the name of a tokenizer that some of these files gave before, whose place it takes.
    """

    key: tuple[object, ...]
    newest: tuple[str, ...]
    title: str
    work: Work["_Read"] | None
    is_cancelled: threading.Event
    before: str = ""
    told: str = ""
    refused: str = ""
    name: str = ""
    used: tuple[str, ...] = ()

    def settle(self) -> None:
        """Keep the tokenizer that was read, or say why not, and let go of the files."""
        assert self.work is not None
        try:
            read = self.work.result()
        except CancelledError:
            self.told = "Reading was stopped. To read the file after all, remove it and choose it again."
        except PlaygroundError as error:
            self.told = markdown_escape(str(error))
        else:
            self._keep_all(read)
        self.work = None  # last: a run that is ended before leaves all this to the next one

    def _keep_all(self, read: "_Read") -> None:
        """Put each tokenizer that was read into every picker, and tell of each what came of it."""
        opened, refused = [], list(read.refused)
        for each in (read, *read.others):
            try:
                tokenizer, told = self._keep(each)
            except PlaygroundError as error:
                refused.append(str(error))
            else:
                opened.append((tokenizer.name, told))
        sentences = [markdown_escape(sentence) for sentence in refused]
        if not opened:
            self.told = "  \n".join(sentences)
            return
        self.told, self.refused = "  \n".join(told for _, told in opened), "  \n".join(sentences)
        self.name, self.used = opened[-1][0], () if read.others else read.used
        state.put(controls.OPENED_BEFORE, [name for name, _ in opened[:-1]])
        state.put(controls.OPENED, self.name)

    def _keep(self, read: "_Read") -> tuple[OpenedTokenizer, str]:
        """The tokenizer, kept, and what is told of it as Markdown. Raises PlaygroundError."""
        wanted = _name_of(read.title)
        tokenizer = tokenizer_of(self.before or wanted, read.model)
        if not self.before:
            name = _free_name(wanted, tokenizer)
            tokenizer = tokenizer if name == wanted else tokenizer_of(name, read.model)
        keep_tokenizer(tokenizer)
        has_chat = tokenizer.config is not None and tokenizer.config.templates
        is_taken = tokenizer.name != wanted and wanted in state.trained_tokenizers()
        other = f" {markdown_escape(wanted)} is another tokenizer, which stays." if is_taken else ""
        return tokenizer, (
            f"{markdown_escape(tokenizer.name)}: {tokenizer.about}. It is now in every picker"
            f"{', and its chat template in Chat on Tokenize' if has_chat else ''}."
            f"{other}"
        )


class _Read(NamedTuple):
    """What was read: the name of a tokenizer's own file, its model, and the ids of all its files.

    `others` are further tokenizers that were chosen at once, and `refused` says why some of those were not
    taken.
    """

    title: str
    model: OpenedModel
    used: tuple[str, ...]
    others: tuple["_Read", ...] = ()
    refused: tuple[str, ...] = ()


@dataclass(slots=True)
class FileOpener:
    """The tokenizer files of one visitor, one tokenizer after another.

    `last` is the tokenizer that was kept last, and `done` are the ids of all files that stood there then.
    """

    visitor: str = field(default_factory=lambda: secrets.token_hex(8))
    opening: Opening | None = None
    last: Opening | None = None
    done: frozenset[str] = frozenset()

    def begin(self, files: Sequence[UploadedFile], pattern: SplitPattern) -> None:
        """Read files in a thread, unless they are read or were; what was read before is ended."""
        key = (pattern, *(file.file_id for file in files))
        before = self.opening
        if before is not None and before.key == key:
            return
        newest = [file for file in files if before is None or file.file_id not in before.key]
        newest = newest or [file for file in files if before and file.file_id in before.newest] or list(files)
        self.end()
        if before is not None and before.name:
            self.last, self.done = before, frozenset(map(str, before.key[1:]))
        gone = threading.Event()
        choices, is_of_last = self._choices(files, newest)
        read = partial(_open_all, choices, newest, pattern, visitor=self.visitor, cancelled=gone)
        self.opening = Opening(
            key, tuple(file.file_id for file in newest), newest[0].name, Work(lambda _tell: read()), gone,
            before=self.last.name if is_of_last and self.last else "",
        )  # fmt: skip

    def _choices(
        self, files: Sequence[UploadedFile], newest: Sequence[UploadedFile]
    ) -> tuple[list[list[UploadedFile]], bool]:
        """Which files may be one tokenizer, the most first; and whether those are of the tokenizer kept last.

        Files of a tokenizer that is kept go with none but those that lie beside one, such as its config.
        """
        ids = {file.file_id for file in newest}
        waiting = [file for file in files if file.file_id not in ids | self.done]
        used = set(self.last.used) if self.last else set()
        is_of_last = bool(ids & used)
        if all(is_beside(file.name) for file in [*waiting, *newest]):
            waiting = [file for file in files if file.file_id in used - ids] + waiting
            is_of_last = is_of_last or bool(used)
        n_waiting = len(waiting)
        last = n_waiting - 1 if n_waiting and all(is_beside(file.name) for file in newest) else n_waiting
        return [[*waiting[start:], *newest] for start in range(last + 1)[-_MAX_CHOICES:]], is_of_last

    def rename(self, old: str, new: str) -> None:
        """Follow a tokenizer of these files to its new name."""
        for opening in (self.opening, self.last):
            if opening is None:
                continue
            if opening.before == old:
                opening.before = new
            if opening.name == old:
                opening.name, opening.told = new, f"{markdown_escape(old)} is {markdown_escape(new)} now."

    def stop(self) -> None:
        """End the reading in hand; that it was ended is told."""
        if self.opening is not None:
            self.opening.is_cancelled.set()

    def end(self) -> None:
        """End the reading in hand, and forget it."""
        self.stop()
        self.opening = None


@st.cache_resource(scope="session", on_release=lambda opener: opener.end(), show_spinner=False)
def file_opener() -> FileOpener:
    """This visitor's; a closed tab ends it."""
    return FileOpener()


def show_opener() -> None:
    """Open a tokenizer that was made elsewhere; no run is needed. What is kept is listed below."""
    with st.container(key=_OPENER_KEY):
        with st.expander("Open a tokenizer file", icon=":material/upload_file:"):
            show_file_reader()
        _take_drops()
    if state.keep(controls.OPENED, str):  # this page has no picker for it
        state.put(controls.OPENED, "")
        state.put(controls.OPENED_BEFORE, [])
        st.rerun()  # the browser is told at a run's beginning what to keep
    show_kept_tokenizers(file_opener().rename)


def show_opener_in_bar(get_texts: Callable[[], Sequence[str]] | None = None) -> None:
    """The same beside a page's picker, which then shows the tokenizer that was opened.

    A run that ends between the two leaves that to the next one. Where the page has a text, `get_texts` gives
    it, and a table of its words can be learned.
    """
    with st.container(key=_OPENER_KEY, gap=None):
        with st.popover(
            "Open a tokenizer", icon=":material/upload_file:", help="Open a tokenizer, or drop its file here"
        ):
            show_file_reader()
            if get_texts is not None:
                show_table_learner(get_texts, source="the text of this page")
            show_kept_tokenizers(file_opener().rename)
        _take_drops()


def show_file_reader() -> None:
    """Take the files of one tokenizer; what is in them joins every picker, or is refused in a sentence."""
    files = st.file_uploader(
        ".model, .tiktoken, tokenizer.json, tekken.json, vocab.txt, or encoder.json with vocab.bpe; "
        f"tokenizer_config.json and chat_template.jinja with them; up to {MAX_FILE_BYTES // 2**20} MB each",
        accept_multiple_files=True,
        max_upload_size=MAX_FILE_BYTES // 2**20,
        key="train-import",
    )
    pattern = st.selectbox(
        "Split pattern, where the file holds none", _PATTERNS, **IMPORT_PATTERN.one_of(_PATTERNS)
    )
    opener = file_opener()
    if not files:
        opener.end()
        return
    opener.begin(files, SplitPattern.named(pattern))
    opening = opener.opening
    assert opening is not None
    if opening.work is not None and opening.work.wait(_PATIENCE_SECONDS):
        opening.settle()
    if opening.work is not None:
        st.fragment(lambda: _draw_waiting(opener, opening), run_every=_REFRESH_SECONDS)()
    elif not opening.name:
        st.error(opening.told)
    elif opening.name in state.trained_tokenizers():
        st.success(opening.told)
    if opening.refused:
        st.error(opening.refused)


def _take_drops() -> None:
    """Mount what brings files here that are dropped anywhere on the page; it shows nothing until then."""
    opening = file_opener().opening
    is_over = opening is not None and opening.work is None
    data: OpenTokenizerData = {
        "files": "".join(opening.newest) if opening is not None and is_over else "",
        "opened": opening.name if opening is not None and is_over and not opening.refused else "",
    }
    _component(key="open-tokenizer-drop", data=data)


def _draw_waiting(opener: FileOpener, opening: Opening) -> None:
    """Look whether the files are read; meanwhile the page can be used."""
    if opening.work is None or opening.work.is_over:
        st.rerun()
    st.progress(0.0, text=f"Reading {markdown_escape(opening.title)} …")
    st.button("Stop", key="train-import-stop", icon=":material/stop_circle:", on_click=opener.stop)


def _open_all(
    choices: Sequence[Sequence[UploadedFile]],
    newest: Sequence[UploadedFile],
    pattern: SplitPattern,
    *,
    visitor: str,
    cancelled: threading.Event,
) -> _Read:
    """The tokenizer that the files hold together, or else those that the newest hold by themselves.

    Raises what is wrong with all of them.
    """
    groups = _groups(newest)
    try:
        return _open_first(choices, pattern, visitor=visitor, cancelled=cancelled)
    except PlaygroundError:
        if len(groups) < 2:
            raise
    reads, refused = [], []
    for files in groups:
        try:
            reads.append(_open(files, pattern, visitor=visitor, cancelled=cancelled))
        except PlaygroundError as error:
            name, told = files[0].name, str(error)
            refused.append(told if name in told else f"{name}: {told}")
    if not reads:
        raise InvalidInputError("; ".join(refused))
    return reads[0]._replace(others=tuple(reads[1:]), refused=tuple(refused))


def _groups(files: Sequence[UploadedFile]) -> list[list[UploadedFile]]:
    """Files that may each be a tokenizer: alone, or where its format has two, with the other of its name."""
    groups: dict[object, list[UploadedFile]] = {}
    for file in files:
        stem = next((file.name.removesuffix(half) for half in _HALVES if file.name.endswith(half)), None)
        groups.setdefault(file.file_id if stem is None else stem, []).append(file)
    return [*groups.values()]


def _open_first(
    choices: Sequence[Sequence[UploadedFile]],
    pattern: SplitPattern,
    *,
    visitor: str,
    cancelled: threading.Event,
) -> _Read:
    """The first of these that hold one tokenizer.

    Each leaves out one more of the files that were chosen before, for what was refused stands there still.
    Raises what `open_files` raises of the last, which are those chosen last.
    """
    *others, last = choices
    for files in others:
        with contextlib.suppress(PlaygroundError):
            return _open(files, pattern, visitor=visitor, cancelled=cancelled)
    return _open(last, pattern, visitor=visitor, cancelled=cancelled)


def _open(
    files: Sequence[UploadedFile], pattern: SplitPattern, *, visitor: str, cancelled: threading.Event
) -> _Read:
    raws = {file.name: file.getvalue() for file in files}
    if len(raws) < len(files):
        raise InvalidInputError(f"two files have the name {next(iter(raws))}")
    model = open_files(raws, pattern, visitor=visitor, cancelled=cancelled)
    return _Read(_own_file(raws), model, tuple(file.file_id for file in files))


def _own_file(files: Mapping[str, bytes]) -> str:
    """The name of a tokenizer's own file, or else of what lies beside one."""
    return next((name for name in files if not is_beside(name)), next(iter(files)))


def _name_of(file_name: str) -> str:
    """A name for the tokenizer in a file that no other tokenizer has."""
    name = regex.sub(r"[^\w.-]+", "-", file_name.split(".")[0]).strip("-")[:MAX_NAME] or "uploaded"
    return f"{name}-file" if is_known(name) else name


def _free_name(name: str, tokenizer: OpenedTokenizer) -> str:
    """The name, or where another tokenizer is kept by it, one with the number of tokens, such as "x-128k"."""
    model = model_of(tokenizer)
    n_tokens = len(tokenizer.vocabulary)
    told = f"{name[: MAX_NAME - 10]}-{f'{n_tokens / 1000:.0f}k' if n_tokens >= 1000 else n_tokens}"
    kept = state.trained_tokenizers()
    for found in chain([name, told], (f"{told}-{number}" for number in count(2))):
        other = kept.get(found)
        if other is None or model_of(other) == model:
            return found
    raise AssertionError
