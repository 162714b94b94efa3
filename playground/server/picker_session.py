"""The tokenizers that a visitor has trained or opened, and what the tokenizer picker may ask of the server.

`PickerSession` holds them by name; `PICKER_ACTIONS` are its routes, which `web/picker/` calls. Begin with
`PickerSession.keep`, which checks the limits, and `open_files_of`, which reads uploaded files.
"""

import base64
import binascii
import secrets
import threading
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, count
from typing import NamedTuple, TypedDict
from urllib.parse import quote
from weakref import WeakValueDictionary, finalize

import regex
from starlette.responses import Response

from playground.bpe.split_pattern import SPLIT_PATTERNS, SplitPattern
from playground.catalog.kept_file import read_kept, write_file, write_kept
from playground.catalog.local_models import LocalModel, LocalPlaces, read_local
from playground.catalog.models import find_model
from playground.catalog.opened import OpenedModel, OpenedTokenizer, model_of, open_files, tokenizer_of
from playground.catalog.registry import is_known
from playground.core.errors import (
    InvalidInputError,
    LimitExceededError,
    PlaygroundError,
    TextTooLongError,
)
from playground.core.machine_memory import usable_memory
from playground.core.wording import counted, quoted
from playground.files.limits import MAX_FILE_BYTES
from playground.files.tokenizer_config import is_beside
from playground.server.actions import Action, Actions
from playground.server.picker_list import search
from playground.server.refusals import RefusedRequestError
from playground.server.sessions import PageSession
from playground.server.shapes import Shape, array, integer, one_of, string
from playground.server.wire import json_response
from playground.workers.process import CancelledError

MAX_TOKENIZERS = 20
#: Characters of a tokenizer's name.
MAX_NAME = 60
#: Memory for one visitor's tokenizers: four like cl100k_base, or one and a half like Llama 3.
MAX_BYTES = 400_000_000
#: Bytes of all files that are opened together.
MAX_UPLOAD_BYTES = 2 * MAX_FILE_BYTES + 10_000_000
#: What the browser keeps of one tokenizer: bytes, and characters once it is compressed.
MAX_KEPT_BYTES, MAX_PACKED_CHARS = 48_000_000, 8_000_000
#: Split patterns for files that contain none; "" where nobody has chosen.
PATTERNS = ["", *SPLIT_PATTERNS, "none"]
#: How long the answer to `open` waits for the reading to end before the browser has to ask again.
_PATIENCE_SECONDS = 0.4
#: Endings of files that come in pairs; `.vocab` is what minbpe writes for people.
_HALVES = ("encoder.json", "vocab.bpe", "vocab.json", "merges.txt", ".model", ".vocab")
#: The tokenizers of all visitors by identity, as weak references.
_of_all_visitors: WeakValueDictionary[int, OpenedTokenizer] = WeakValueDictionary()


def max_bytes_of_all() -> int:
    """Return the memory for all visitors' tokenizers: a quarter of what is usable, and at least 600 MB."""
    return max(usable_memory() // 4, 600_000_000)


class Upload(NamedTuple):
    """One uploaded file."""

    name: str
    raw: bytes


class OpenedFiles(NamedTuple):
    """A tokenizer read from files: the name of its own file, and its model."""

    file_name: str
    model: OpenedModel


class OpenState(TypedDict):
    """The progress of reading files; once it is over, the names of new tokenizers, and sentences."""

    is_over: bool
    opened: list[str]
    messages: list[str]
    refused: list[str]


class PackedTokenizer(TypedDict):
    """A tokenizer compressed, as the browser keeps it, and what it is in a few words."""

    packed: str
    about: str


@dataclass(eq=False)
class Opening:
    """Files that are read in a thread; `results` and `refused` are set when `is_over` is.

    The tokenizer replaces the one called `replaces`, or gets the id of `model`, a model that needs a file, or
    the name `called`. Without these it gets the name of its file.
    """

    replaces: str
    model: str = ""
    called: str = ""
    is_over: threading.Event = field(default_factory=threading.Event)
    is_cancelled: threading.Event = field(default_factory=threading.Event)
    results: list[OpenedFiles] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)

    def read(
        self,
        find_files: Callable[[], Sequence[Upload]],
        n_earlier: int,
        pattern: SplitPattern | None,
        visitor: str,
    ) -> None:
        """Read the files; runs in a thread of its own."""
        try:
            self.results, self.refused = open_files_of(
                find_files(), n_earlier, pattern, visitor=visitor, cancelled=self.is_cancelled
            )
        except CancelledError:
            self.refused = ["Reading was stopped. Open the file again to read it."]
        except PlaygroundError as error:
            self.refused = [str(error)]
        finally:
            self.is_over.set()


@dataclass(eq=False)
class PickerSession(PageSession):
    """A visitor's own tokenizers by name; `versions` tells a browser which of them it has not kept yet.

    `places` are folders of the server's machine whose models the visitor may open; `local` are the models
    that were there when the visitor last opened the list. `renamed` maps former names to present ones, so
    that a choice follows its tokenizer.
    """

    visitor_tokenizers: dict[str, OpenedTokenizer] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    renamed: dict[str, str] = field(default_factory=dict)
    places: LocalPlaces = field(default_factory=LocalPlaces)
    local: Mapping[str, LocalModel] | None = None
    opening: Opening | None = None

    def add(self, tokenizer: OpenedTokenizer, *, version: str = "") -> None:
        """Add a tokenizer, or replace the one of its name. Raises LimitExceededError."""
        others = [other for name, other in self.visitor_tokenizers.items() if name != tokenizer.name]
        if len(others) >= MAX_TOKENIZERS:
            raise LimitExceededError(
                f"{len(others)} tokenizers are open, the limit; remove one under Yours first", limit="memory"
            )
        n_bytes = sum(other.n_bytes_held for other in others) + tokenizer.n_bytes_held
        if n_bytes > MAX_BYTES:
            largest = max(others, key=lambda other: other.n_bytes_held, default=None)
            advice = "" if largest is None else f"; remove one under Yours first, such as {largest.name}"
            raise LimitExceededError(
                f"with {tokenizer.name} your tokenizers would take {n_bytes / 1e6:,.0f} MB of memory; the "
                f"limit is {MAX_BYTES / 1e6:,.0f} MB{advice}",
                limit="memory",
            )
        of_all = sum(other.n_bytes_held for other in list(_of_all_visitors.values()))
        if of_all + tokenizer.n_bytes_held > max_bytes_of_all():
            raise LimitExceededError(
                "this server has no memory left for more tokenizers; try again later", limit="memory"
            )
        _of_all_visitors[id(tokenizer)] = tokenizer
        self.visitor_tokenizers[tokenizer.name] = tokenizer
        self.versions[tokenizer.name] = version or secrets.token_hex(8)
        self.renamed.pop(tokenizer.name, None)

    def rename(self, old: str, new: str) -> None:
        """Give a tokenizer another name; its place among the others stays. Raises InvalidInputError."""
        if new == old:
            return
        if new in self.visitor_tokenizers:
            raise InvalidInputError(
                f"{new} ({self.visitor_tokenizers[new].about}) exists already; "
                "choose another name, or remove that one first"
            )
        if problem := problem_with_name(new):
            raise InvalidInputError(problem.removesuffix("."))
        tokenizer = tokenizer_of(new, model_of(self._find(old)))
        _of_all_visitors[id(tokenizer)] = tokenizer
        others = {new if name == old else name: other for name, other in self.visitor_tokenizers.items()}
        self.visitor_tokenizers.clear()  # the same dictionary stays, since a page may hold it
        self.visitor_tokenizers.update(others | {new: tokenizer})
        self.versions[new] = self.versions.pop(old)
        self.renamed = {name: new if now == old else now for name, now in self.renamed.items()}
        self.renamed[old] = new
        self.renamed.pop(new, None)

    def remove(self, name: str) -> None:
        """Forget a tokenizer."""
        self.visitor_tokenizers.pop(name, None)
        self.versions.pop(name, None)

    def open(
        self, files: Sequence[Upload], *, n_earlier: int, replaces: str, pattern: str, model: str = ""
    ) -> OpenState:
        """Start reading files in a thread, in place of those being read; waits a moment for the result.

        The first `n_earlier` files were refused earlier and may belong with the others. `replaces` names the
        tokenizer that was read from some of these files before, and is replaced. With `model`, the id of a
        model, the files are that model's tokenizer, which gets the id as its name.
        """
        opening = Opening(replaces if replaces in self.visitor_tokenizers else "", model)
        return self._start(
            opening, lambda: files, n_earlier, SplitPattern.named(pattern) if pattern else None
        )

    def open_local(self, name: str) -> OpenState:
        """Start reading a model on the server's machine, by a name of `places`."""
        model = self.places.find().get(name)
        if model is None:
            raise RefusedRequestError(404, f"there is no model {name[:MAX_NAME]!r} on this machine any more")
        opening = Opening("", name, _name_of(name.rpartition("/")[2]))

        def find_files() -> list[Upload]:
            return [Upload(file_name, raw) for file_name, raw in read_local(model).items()]

        return self._start(opening, find_files, 0, None)

    def _start(
        self,
        opening: Opening,
        find_files: Callable[[], Sequence[Upload]],
        n_earlier: int,
        pattern: SplitPattern | None,
    ) -> OpenState:
        if self.opening is not None:
            self.opening.is_cancelled.set()
        self.opening = opening
        threading.Thread(
            target=opening.read,
            args=(find_files, n_earlier, pattern, self.id),
            name="reading a tokenizer",
            daemon=True,
        ).start()
        finalize(self, opening.is_cancelled.set)  # a closed tab ends the reading
        return self.open_state()

    def open_state(self) -> OpenState:
        """Return the progress of the reading. Once it is over, add its tokenizers to the visitor's."""
        opening = self.opening
        if opening is None:
            return {"is_over": True, "opened": [], "messages": [], "refused": []}
        if not opening.is_over.wait(_PATIENCE_SECONDS):
            return {"is_over": False, "opened": [], "messages": [], "refused": []}
        self.opening = None
        opened, messages, refused = [], [], list(opening.refused)
        for result in opening.results:
            try:
                name, sentence = self._keep_opened(result, opening)
            except PlaygroundError as error:
                refused.append(f"{error}.")
            else:
                opened.append(name)
                messages.append(sentence)
        return {"is_over": True, "opened": opened, "messages": messages, "refused": refused}

    def _keep_opened(self, result: OpenedFiles, opening: Opening) -> tuple[str, str]:
        """Keep what files contain under a free name; returns the name and a sentence about the tokenizer."""
        replaces = opening.replaces
        model = find_model(opening.model) if len(opening.results) == 1 else None
        if model is not None and model.tokenizer is None:
            wanted = model.ids[0]
        else:
            wanted = opening.called or _name_of(result.file_name.split(".")[0])
        tokenizer = tokenizer_of(replaces or wanted, result.model)
        if not replaces and (name := self._free_name(tokenizer)) != wanted:
            tokenizer = tokenizer_of(name, result.model)
        self.add(tokenizer)
        has_chat = tokenizer.config is not None and tokenizer.config.templates
        chat = " Its chat template is under Chat on Tokenize." if has_chat else ""
        is_taken = tokenizer.name != wanted and wanted in self.visitor_tokenizers
        other = f" Another tokenizer is called {wanted}." if is_taken else ""
        return tokenizer.name, f"{tokenizer.name} is open: {tokenizer.about}.{chat}{other}"

    def _free_name(self, tokenizer: OpenedTokenizer) -> str:
        """Return the tokenizer's name; if another one has it, with the vocabulary size, such as "x-128k"."""
        name, model, n_tokens = tokenizer.name, model_of(tokenizer), len(tokenizer.vocabulary)
        size = f"{n_tokens / 1000:.0f}k" if n_tokens >= 1000 else str(n_tokens)
        with_size = f"{name[: MAX_NAME - 10]}-{size}"
        for free in chain([name, with_size], (f"{with_size}-{number}" for number in count(2))):
            if free not in self.visitor_tokenizers or model_of(self.visitor_tokenizers[free]) == model:
                return free
        raise AssertionError

    def _find(self, name: str) -> OpenedTokenizer:
        if name not in self.visitor_tokenizers:
            raise RefusedRequestError(404, f"there is no tokenizer {name[:MAX_NAME]!r} here any more")
        return self.visitor_tokenizers[name]


def problem_with_name(name: str) -> str:
    """Return why a visitor's tokenizer cannot have this name, as a sentence; "" if it can."""
    if not regex.fullmatch(rf"\w[\w.-]{{0,{MAX_NAME - 1}}}", name):
        return (
            f"A name has 1 to {MAX_NAME} letters, digits, and the marks . - _, with . and - not first; "
            f"{_invalid_part(name)}."
        )
    return f"{name} is the name of a known tokenizer; choose another." if is_known(name) else ""


def _invalid_part(name: str) -> str:
    """Name what a tokenizer's name may not have: its length, or the first invalid character.

    >>> _invalid_part("my tokenizer/2"), _invalid_part(".a")
    ("this one has ' ' at place 3", "this one has '.' at place 1")
    """
    wrong = regex.search(r"^\W|[^\w.-]", name)
    if wrong is None or len(name) > MAX_NAME:
        return f"this one has {counted(len(name), 'character')}"
    return f"this one has {quoted(wrong.group())} at place {wrong.start() + 1}"


def open_files_of(
    files: Sequence[Upload],
    n_earlier: int,
    pattern: SplitPattern | None,
    *,
    visitor: str,
    cancelled: threading.Event,
) -> tuple[list[OpenedFiles], list[str]]:
    """Read files as one tokenizer: all of them, or else only the newest, or else each of the newest alone.

    The newest are the files after the first `n_earlier`; two files of one format belong together. Returns
    what was read, and sentences about refused files. Raises what `open_files` raises if nothing was read.
    """

    def read(some: Sequence[Upload]) -> OpenedFiles:
        raws = {file.name: file.raw for file in some}
        if len(raws) < len(some):
            raise InvalidInputError("two files have the same name; open them one after the other")
        own = next((name for name in raws if not is_beside(name)), some[0].name)
        return OpenedFiles(own, open_files(raws, pattern, visitor=visitor, cancelled=cancelled))

    newest = files[n_earlier:]
    groups = _tokenizers_among(newest)
    attempts = [files]
    if n_earlier and not all(is_beside(file.name) for file in newest):  # a config alone is no tokenizer
        attempts.append(newest)
    for attempt in attempts:
        try:
            return [read(attempt)], []
        except PlaygroundError:
            if attempt is attempts[-1] and len(groups) < 2:
                raise
    results, refused = [], []
    for group in groups:
        try:
            results.append(read(group))
        except PlaygroundError as error:
            name, sentence = group[0].name, str(error)
            refused.append(sentence if name in sentence else f"{name}: {sentence}")
    if not results:
        raise InvalidInputError("; ".join(refused))
    return results, refused


def _tokenizers_among(files: Sequence[Upload]) -> list[list[Upload]]:
    """Group files that may each be a tokenizer: a file alone, or the two files that some formats have."""
    groups: dict[str, list[Upload]] = {}
    for file in files:
        half = next((half for half in _HALVES if file.name.endswith(half)), "")
        key = f"half {file.name.removesuffix(half)}" if half else f"file {file.name}"
        groups.setdefault(key, []).append(file)
    return [*groups.values()]


def _name_of(text: str) -> str:
    """Return a valid name for an opened tokenizer that no shipped tokenizer has.

    >>> _name_of("my words (2)"), _name_of("gpt2"), _name_of("llama3.2:8b")
    ('my-words-2', 'gpt2-file', 'llama3.2-8b')
    """
    name = regex.sub(r"[^\w.-]+", "-", text).strip("-.")[: MAX_NAME - 5] or "uploaded"
    return f"{name}-file" if is_known(name) else name


def pack_tokenizer(tokenizer: OpenedTokenizer) -> str:
    """Compress a tokenizer to text for the browser to keep. Raises TextTooLongError, CannotHoldError."""
    raw = write_kept(model_of(tokenizer))
    packed = "" if len(raw) > MAX_KEPT_BYTES else base64.b64encode(zlib.compress(raw)).decode()
    if not packed or len(packed) > MAX_PACKED_CHARS:
        raise TextTooLongError(
            f"{tokenizer.name} is too large for this browser to keep ({len(raw) / 1e6:,.1f} MB; up to "
            f"{MAX_PACKED_CHARS * 0.75e-6:,.0f} MB compressed are kept): after a reload, open its file again"
        )
    return packed


def unpack_tokenizer(packed: str, *, visitor: str) -> OpenedModel:
    """Read what `pack_tokenizer` wrote, with the checks of any file. Raises InvalidInputError."""
    try:
        stream = zlib.decompressobj()
        raw = stream.decompress(base64.b64decode(packed, validate=True), MAX_KEPT_BYTES)
    except (ValueError, binascii.Error, zlib.error):
        raise InvalidInputError("what this browser kept cannot be read") from None
    if not stream.eof:
        raise InvalidInputError("what this browser kept is incomplete")
    return read_kept(raw, visitor=visitor)


def _search(session: PickerSession, *, typed: str) -> Response:
    if session.local is None or not typed:  # the list was opened; key presses do not read the folders again
        session.local = session.places.find()
    return json_response(search(typed, session.visitor_tokenizers, session.local))


_OPEN_SHAPE = Shape(
    {
        "files": array(
            Shape({"name": string(max_chars=255), "n_bytes": integer(0, MAX_UPLOAD_BYTES)}).check,
            max_items=20,
        ),
        "n_earlier": integer(0, 20),
        "replaces": string(max_chars=MAX_NAME),
        "pattern": one_of(*PATTERNS),
        "model": string(max_chars=MAX_NAME),
    }
)


def _open(session: PickerSession, body: bytes) -> Response:
    """Open the files in a body: its first four bytes are the length of the JSON header that follows."""
    start = 4 + int.from_bytes(body[:4], "little")
    header = _OPEN_SHAPE.read(body[4:start])
    if start + sum(file["n_bytes"] for file in header["files"]) != len(body):
        raise InvalidInputError("the files are not as long as the header says")
    files = []
    for file in header["files"]:
        files.append(Upload(file["name"], body[start : start + file["n_bytes"]]))
        start += file["n_bytes"]
    if header["n_earlier"] >= len(files):
        raise InvalidInputError("there is no file to open")
    with session.lock:
        state = session.open(
            files,
            n_earlier=header["n_earlier"],
            replaces=header["replaces"],
            pattern=header["pattern"],
            model=header["model"],
        )
    return json_response(state)


def _open_local(session: PickerSession, *, name: str) -> Response:
    with session.lock:
        return json_response(session.open_local(name))


def _opening(session: PickerSession) -> Response:
    with session.lock:
        return json_response(session.open_state())


def _stop(session: PickerSession) -> Response:
    if session.opening is not None:
        session.opening.is_cancelled.set()
    return json_response({})


def _rename(session: PickerSession, *, name: str, new_name: str) -> Response:
    with session.lock:
        session.rename(name, new_name.strip())
    return json_response({})


def _remove(session: PickerSession, *, name: str) -> Response:
    with session.lock:
        session.remove(name)
    return json_response({})


def _file(session: PickerSession, *, name: str) -> Response:
    file_name, raw = write_file(name, model_of(session._find(name)))
    disposition = f"attachment; filename*=UTF-8''{quote(file_name)}"
    headers = {"Content-Disposition": disposition, "Cache-Control": "no-store"}
    return Response(raw, media_type="application/octet-stream", headers=headers)


def _pack(session: PickerSession, *, name: str) -> Response:
    tokenizer = session._find(name)
    return json_response(PackedTokenizer(packed=pack_tokenizer(tokenizer), about=tokenizer.about))


def _give_back(session: PickerSession, *, name: str, version: str, packed: str) -> Response:
    if name in session.visitor_tokenizers:
        return json_response({})
    if problem := problem_with_name(name):
        raise InvalidInputError(problem.removesuffix("."))
    tokenizer = tokenizer_of(name, unpack_tokenizer(packed, visitor=session.id))
    with session.lock:
        session.add(tokenizer, version=version)
    return json_response({})


_NAME = string(max_chars=200)
PICKER_ACTIONS: Actions = {
    "search": Action(_search, Shape({"typed": _NAME})),
    "open": Action(_open, Shape({}), max_upload_bytes=MAX_UPLOAD_BYTES),
    "open_local": Action(_open_local, Shape({"name": string(max_chars=500)})),
    "opening": Action(_opening, Shape({})),
    "stop": Action(_stop, Shape({})),
    "rename": Action(_rename, Shape({"name": _NAME, "new_name": _NAME})),
    "remove": Action(_remove, Shape({"name": _NAME})),
    "file": Action(_file, Shape({"name": _NAME})),
    "pack": Action(_pack, Shape({"name": _NAME})),
    "give_back": Action(
        _give_back, Shape({"name": _NAME, "version": _NAME, "packed": string(max_chars=MAX_PACKED_CHARS)})
    ),
}
