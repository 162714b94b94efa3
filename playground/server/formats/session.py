"""One visitor's data on Formats: a text or a file, and the results that are computed from it.

The browser sends edits and files to `FORMATS_ACTIONS`. A run of the page asks for `answer`, `format_roles`
and `growth`: each is `Work`, the same one for as long as the data and the settings stay the same.
"""

import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypedDict, TypeVar

from starlette.responses import Response

from playground.core.errors import DataSyntaxError, InvalidInputError, LimitExceededError
from playground.core.tokenizer import Tokenizer
from playground.expect.reading import NEARLY_CERTAIN_BITS, Reading
from playground.formats.costs import CostTable, count_tokens, measure
from playground.formats.example_data import EXAMPLE_DATA
from playground.formats.limits import MAX_INPUT_BYTES, check_n_bytes
from playground.formats.offloading import (
    READ_AND_CONVERT_SECONDS,
    FormatRoles,
    iter_format_roles,
    measure_growth,
    open_document,
    write_data,
)
from playground.formats.reading import Document, decode_text, encoding_note, encoding_of
from playground.formats.registry import COMPACT_JSON
from playground.formats.scaling import Grow, Growth
from playground.formats.values import Conversion, WriteOptions
from playground.server.actions import Action, Actions
from playground.server.expect.models import model_here, read
from playground.server.sessions import PageSession
from playground.server.shapes import Optional, Shape, string
from playground.server.text_edits import EDIT_SHAPE, OPEN_SHAPE, check_version
from playground.server.wire import json_response
from playground.server.work import Tell, Work

T = TypeVar("T")
#: A longer text has more tokens than the small model reads.
_MAX_READ_CHARACTERS = 100_000


@dataclass(eq=False, slots=True)
class Answer:
    """Data in every format, with its token counts by tokenizer name.

    `name` is the name of the data's file, if it has one. `given` is the text as it was given, and `n_given`
    its tokens by tokenizer name. `json_otherwise` is compact JSON with the other choice of escapes for
    characters beyond ASCII, where that makes a difference.
    """

    name: str
    document: Document
    options: WriteOptions
    conversions: tuple[Conversion, ...]
    given: str
    json_otherwise: str | None
    counts: dict[str, tuple[Tokenizer, Mapping[str, int]]]
    n_given: dict[str, int]

    def is_counted_by(self, tokenizer: Tokenizer) -> bool:
        """Whether this very tokenizer has counted it, and not another of the same name."""
        return tokenizer.name in self.counts and self.counts[tokenizer.name][0] is tokenizer

    def table(self, tokenizers: Sequence[Tokenizer]) -> CostTable:
        """Return the costs in those of the tokenizers that have counted the data."""
        counted = [tokenizer.name for tokenizer in tokenizers if self.is_counted_by(tokenizer)]
        return CostTable(self.conversions, {name: self.counts[name][1] for name in counted})

    def escape_counts(self, tokenizer: Tokenizer) -> tuple[int, int] | None:
        """Return the tokens of compact JSON without and with escapes, or None if they make no difference."""
        if self.json_otherwise is None:
            return None
        n_other = len(tokenizer.encode(self.json_otherwise))
        n_tokens = self.counts[tokenizer.name][1][COMPACT_JSON]
        return (n_other, n_tokens) if self.options.is_ascii else (n_tokens, n_other)


class ExpectedCosts(NamedTuple):
    """A text's tokens, the bits of all but the first, and the share of tokens that were all but certain."""

    n_tokens: int
    bits: float
    share_certain: float


class ExpectedFormat(NamedTuple):
    """Data in a format as a small model reads it; no costs for a text that is longer than it reads."""

    model: str
    format_name: str
    costs: ExpectedCosts | None


@dataclass(eq=False)
class FormatSession(PageSession):
    """The data of one visitor, and the newest work of each kind on it.

    `text_name` is the name of the file that the text was opened from. `latest` is the last data that was read
    successfully.
    """

    text: str = field(default_factory=next(iter(EXAMPLE_DATA.values())))
    text_name: str = ""
    _version: int = 0
    latest: Answer | None = None
    _works: dict[str, Work[Any]] = field(init=False, default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        weakref.finalize(self, _stop_unfinished, self._works)  # when the tab is closed

    @property
    def version(self) -> int:
        """The version of the text."""
        return self._version

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to read."""
        return not self.text.strip()

    def edit(self, *, version: int, start: int, n_deleted: int, inserted: str, name: str = "") -> None:
        """Replace UTF-16 units of the text. Raises RefusedRequestError (409) and TextTooLongError."""
        check_version(version, self.version)
        units = self.text.encode("utf-16-le", "surrogatepass")
        head, tail = units[: 2 * start], units[2 * (start + n_deleted) :]
        edited = head + inserted.encode("utf-16-le", "surrogatepass") + tail
        self.open(text=edited.decode("utf-16-le", "surrogatepass"), name=name)

    def open(self, *, text: str, name: str = "") -> None:
        """Take the browser's text. Raises TextTooLongError."""
        check_n_bytes(text)
        with self.lock:
            if (text, name) != (self.text, self.text_name):
                self.text, self.text_name = text, name
                self._version += 1

    def answer(
        self, instead: Mapping[str, str], options: WriteOptions, tokenizers: Sequence[Tokenizer]
    ) -> Work[Answer]:
        """Return the work that converts the data, or that counts it in tokenizers that are new.

        `instead` maps a detected format to the one that a person chose for such data.
        """
        with self.lock:
            text, name = self.text, self.text_name
            key = (self.version, tuple(sorted(instead.items())), options)
        work = self._works.get("answer")
        if work is None or work.key != key:
            _stop_unfinished(self._works)
            convert = _convert(text, name, instead, options, tuple(tokenizers), visitor=self.id)
            work = self._works["answer"] = Work(key, convert)
        answer = work.found
        missing = () if answer is None else [t for t in tokenizers if not answer.is_counted_by(t)]
        return self._work("counts", (answer, *missing), _count(answer, missing)) if missing else work

    def format_roles(self, answer: Answer, tokenizer: Tokenizer) -> Work[list[FormatRoles]]:
        """Return the work that counts each format's tokens by role; `so_far` has those that are done."""
        return self._work(
            "format_roles", (answer, tokenizer), _count_roles(answer, tokenizer, visitor=self.id)
        )

    def growth(
        self, answer: Answer, tokenizer: Tokenizer, formats: Sequence[str], grow: Grow
    ) -> Work[Growth]:
        """Return the work that measures tokens as the data grows, and where the lines cross."""
        visitor, data, options = self.id, answer.document.data, answer.options

        def do(tell: Tell, _so_far: list[Any]) -> Growth:
            return measure_growth(
                data, tokenizer, formats, options, grow,
                visitor=visitor, on_wait=lambda: tell(0.0, "Writing more rows in each format"),
            )  # fmt: skip

        return self._work("growth", (answer, tokenizer, *formats, grow), do)

    def bits(self, answer: Answer) -> Work[list[ExpectedFormat]]:
        """Return the work that reads each format with the small model; `so_far` has those that are done."""
        return self._work("bits", (answer,), _expect(answer, visitor=self.id))

    def _work(self, name: str, key: tuple[object, ...], do: Callable[[Tell, list[Any]], T]) -> Work[T]:
        """Return the work of this kind, which other work of the same kind gives way to."""
        work = self._works.get(name)
        if work is None or work.key != key:
            if work is not None:
                work.stop()
            work = self._works[name] = Work(key, do)
        return work


def _stop_unfinished(works: dict[str, Work[Any]]) -> None:
    """Stop work, and forget what is unfinished."""
    for name, work in [*works.items()]:
        if not work.is_over:
            work.stop()
            del works[name]


def _convert(
    text: str,
    name: str,
    instead: Mapping[str, str],
    options: WriteOptions,
    tokenizers: Sequence[Tokenizer],
    *,
    visitor: str,
) -> Callable[[Tell, list[Any]], Answer]:
    """Return what reads data, writes it in every format, and counts it; the list gets the conversions."""
    read: list[Document] = []

    def do(tell: Tell, conversions: list[Any]) -> Answer:
        started = time.monotonic()
        if not read:
            tell(0.0, "Reading the data")
            read.append(
                open_document(
                    text,
                    file_name=name,
                    instead=instead,
                    visitor=visitor,
                    on_wait=lambda: tell(0.0, "Reading the data"),
                )
            )
        (document,) = read
        table = measure(
            document.data, tokenizers, options,
            visitor=visitor, on_progress=tell, done=conversions,
            seconds=READ_AND_CONVERT_SECONDS - (time.monotonic() - started),
            read_as=document.input_format,
        )  # fmt: skip
        other = _json_otherwise(document, options, table.conversions, visitor=visitor)
        counts = {tokenizer.name: (tokenizer, table.n_tokens[tokenizer.name]) for tokenizer in tokenizers}
        n_given = {tokenizer.name: len(tokenizer.encode(text)) for tokenizer in tokenizers}
        return Answer(name, document, options, table.conversions, text, other, counts, n_given)

    return do


def _json_otherwise(
    document: Document, options: WriteOptions, conversions: Sequence[Conversion], *, visitor: str
) -> str | None:
    """Return compact JSON with the other choice of escapes; None if it is the same, or takes too long."""
    text = next((found.text for found in conversions if found.format_name == COMPACT_JSON), None)
    if text is None or not (r"\u" in text if options.is_ascii else not text.isascii()):
        return None
    try:
        options = replace(options, is_ascii=not options.is_ascii)
        other = write_data(document.data, COMPACT_JSON, options, visitor=visitor)
    except LimitExceededError:
        return None
    return None if other == text else other


def _count(answer: Answer | None, tokenizers: Sequence[Tokenizer]) -> Callable[[Tell, list[Any]], Answer]:
    def do(tell: Tell, _so_far: list[Any]) -> Answer:
        assert answer is not None
        for tokenizer in tokenizers:
            n_tokens = count_tokens(answer.conversions, tokenizer, on_progress=tell)
            answer.n_given[tokenizer.name] = len(tokenizer.encode(answer.given))
            answer.counts[tokenizer.name] = tokenizer, n_tokens
        return answer

    return do


def _count_roles(
    answer: Answer, tokenizer: Tokenizer, *, visitor: str
) -> Callable[[Tell, list[Any]], list[FormatRoles]]:
    written = [found for found in answer.conversions if found.text is not None]
    order = [found.format_name for found in written]

    def do(tell: Tell, done: list[Any]) -> list[FormatRoles]:
        def say() -> None:
            tell(len(done) / len(written), f"Tokens of {len(done)} of {len(written)} formats counted by role")

        known = {found.format_name for found in done}
        left = [found for found in written if found.format_name not in known]
        for found in iter_format_roles(left, tokenizer, visitor=visitor, on_wait=say):
            done.append(found)
            say()
        return sorted(done, key=lambda found: order.index(found.format_name))

    return do


def _expect(answer: Answer, *, visitor: str) -> Callable[[Tell, list[Any]], list[ExpectedFormat]]:
    texts = {found.format_name: found.text for found in answer.conversions if found.text is not None}

    def do(tell: Tell, done: list[Any]) -> list[ExpectedFormat]:
        model = model_here(visitor)
        if model is None:
            raise InvalidInputError("the model is not on this machine any more")
        for name in [*texts][len(done) :]:
            readable = texts[name][:_MAX_READ_CHARACTERS]
            reading: Reading | None = None
            while reading is None or not (reading.is_over or reading.n_left_out):
                tell(len(done) / len(texts), f"{len(done)} of {len(texts)} formats are read by the model")
                reading = read(model, f"{visitor} formats", [readable], visitor)
            if reading.n_left_out:
                done.append(ExpectedFormat(model.about.name, name, None))
                continue
            bits = [each.bits for each in reading.expected[1 : len(reading.ids)]]
            n_certain = sum(each < NEARLY_CERTAIN_BITS for each in bits)
            costs = ExpectedCosts(len(reading.ids), sum(bits), n_certain / len(reading.ids))
            done.append(ExpectedFormat(model.about.name, name, costs))
        return done

    return do


class FormatsEdited(TypedDict):
    """The version of the text that the session has."""

    version: int


class OpenedFile(TypedDict):
    """The text of a file; `note` says which encoding was guessed, or is empty."""

    text: str
    note: str


def _open(session: FormatSession, *, text: str, name: str) -> Response:
    session.open(text=text, name=name)
    return json_response(FormatsEdited(version=session.version))


def _edit(
    session: FormatSession, *, version: int, start: int, n_deleted: int, inserted: str, name: str
) -> Response:
    session.edit(version=version, start=start, n_deleted=n_deleted, inserted=inserted, name=name)
    return json_response(FormatsEdited(version=session.version))


def _file(_session: FormatSession, body: bytes) -> Response:
    """Return the text of a file. Raises InvalidInputError for a file that is no text."""
    try:
        text = decode_text(body)
    except DataSyntaxError as error:
        raise InvalidInputError(
            f"The file could not be opened, because {error}. Save it as UTF-8 and open it again."
        ) from None
    return json_response(OpenedFile(text=text, note=encoding_note(encoding_of(body))))


_NAME = Optional(string(max_chars=300), "")
FORMATS_ACTIONS: Actions = {
    "open": Action(_open, Shape({**OPEN_SHAPE.fields, "name": _NAME})),
    "edit": Action(_edit, Shape({**EDIT_SHAPE.fields, "name": _NAME})),
    "file": Action(_file, Shape({}), max_upload_bytes=MAX_INPUT_BYTES),
}
