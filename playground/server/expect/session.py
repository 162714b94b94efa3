"""One visitor's session on Expect.

The browser has the texts and posts each with every change, as parts that are encoded one by one. An answer
has what is read so far; the browser asks again until all is read, or the text has changed.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypedDict

from anyio import CapacityLimiter
from starlette.responses import Response

from playground.core.errors import InvalidInputError
from playground.core.text_units import is_utf8
from playground.core.tokenizer import replace_lone_surrogates
from playground.expect import model_file
from playground.expect.reading import SMALL_MODEL, Reading
from playground.render.visible_text import shown_bytes
from playground.server.actions import Action, Actions
from playground.server.expect import models
from playground.server.refusals import RefusedRequestError
from playground.server.sessions import PageSession
from playground.server.shapes import Shape, array, integer, one_of, string
from playground.server.wire import json_response

#: The longest text, in bytes; of its tokens the first 1,000 are read.
MAX_TEXT_BYTES = 20_000
MAX_PARTS = 5_000
#: Bytes of a file that are posted together, and of the whole file: a model of 1.5 billion weights as F16.
MAX_PART_BYTES, MAX_FILE_BYTES = 8_000_000, 3_200_000_000
#: The share of this machine's memory that a model may take.
_MEMORY_SHARE = 0.7
#: Requests that wait for the model; other pages have other threads.
_THREADS = CapacityLimiter(64)
#: Texts of one page: the text, the second text, and the text in another cut.
SIDES = ("text", "second", "cut")


class NamedToken(TypedDict):
    """A token as it is shown, and the text that typing it gives; "" for one that cannot be typed."""

    shown: str
    typed: str


class TokenExpected(TypedDict):
    """What was expected at one place: the token's bits and rank, and the likeliest [token, probability]."""

    bits: float
    rank: int
    likeliest: list[tuple[int, float]]


class ExpectAnswer(TypedDict):
    """A text's tokens, and what has been read of them; see `expect.reading.Reading`."""

    model: str
    n_vocab: int
    ids: list[int]
    lengths: list[int]
    expected: list[TokenExpected]
    named: dict[int, NamedToken]
    n_left_out: int
    is_over: bool


class ShownModel(TypedDict):
    """A model's name, its number of weights, its memory, and whether it was opened from a file."""

    name: str
    n_weights: int
    memory_bytes: int
    is_own: bool


@dataclass(eq=False)
class ExpectSession(PageSession):
    """A visitor's page; with `is_own_server`, the visitor may fetch the model and open another one.

    Which model is used, the user's data folder tells: another one that was opened, or the small model.
    """

    is_own_server: bool = False
    _arriving: "TemporaryDirectory[str] | None" = field(init=False, default=None)

    @property
    def is_bounded(self) -> bool:
        """False: a reading takes as long as the model needs."""
        return False

    @property
    def shown_model(self) -> ShownModel | None:
        """The model as the page names it."""
        model = models.model_here(self.id)
        if model is None:
            return None
        about = model.about
        return {
            "name": about.name,
            "n_weights": about.n_weights,
            "memory_bytes": about.memory_bytes,
            "is_own": about is not SMALL_MODEL,
        }

    def read(self, side: str, parts: Sequence[str]) -> ExpectAnswer:
        """Read a further chunk of a text. Raises PlaygroundError."""
        model = models.model_here(self.id)
        if model is None:
            raise RefusedRequestError(409, "the model is not on this machine any more")
        parts = [replace_lone_surrogates(part) for part in parts]
        if sum(len(part.encode()) for part in parts) > MAX_TEXT_BYTES:
            raise InvalidInputError(f"the text is over the limit of {MAX_TEXT_BYTES:,} bytes")
        try:
            reading = models.read(model, f"{self.id} {side}", parts, self.id)
        except OSError as error:
            raise InvalidInputError(f"the model cannot be read ({error.strerror or error})") from None
        return _answer(model.about.name, reading)

    def open_part(self, name: str, start: int, size: int, raw: bytes) -> bool:
        """Take a part of a model's file; returns whether the file is complete, and then used.

        Raises PlaygroundError, after which the file has to be opened again.
        """
        self.check_own()
        if size > MAX_FILE_BYTES:
            raise InvalidInputError(
                f"{name} has {size / 1e9:,.1f} GB; files up to {MAX_FILE_BYTES / 1e9:,.1f} GB are opened"
            )
        if start == 0:
            if not raw.startswith(b"GGUF"):
                raise InvalidInputError(
                    f"{name} is not a GGUF file; models of llama.cpp, Ollama and LM Studio are"
                )
            model_file.data_folder().mkdir(parents=True, exist_ok=True)
            self._arriving = TemporaryDirectory(
                prefix="opened-", dir=model_file.data_folder(), ignore_cleanup_errors=True
            )
        if self._arriving is None:
            raise InvalidInputError("the file is not being opened; open it again")
        path = Path(self._arriving.name) / (Path(name).name or "model.gguf")
        if start != (path.stat().st_size if path.exists() else 0):
            raise InvalidInputError("a part of the file is missing; open it again")
        with path.open("ab") as file:
            file.write(raw)
        if start + len(raw) < size:
            return False
        about = models.about(path, self.id)
        memory = _machine_bytes()
        if memory and about.memory_bytes > _MEMORY_SHARE * memory:
            raise InvalidInputError(
                f"{name} needs {about.memory_bytes / 1e9:,.1f} GB of memory, more than {_MEMORY_SHARE:.0%} "
                f"of this machine’s {memory / 1e9:,.1f} GB"
            )
        model_file.use_own(path)
        return True

    def check_own(self) -> None:
        """Refuse what only the person at this machine may do. Raises RefusedRequestError."""
        if not self.is_own_server:
            raise RefusedRequestError(403, "this server is not yours alone; ask the person who started it")


def _answer(model: str, reading: Reading) -> ExpectAnswer:
    return {
        "model": model,
        "n_vocab": reading.n_vocab,
        "ids": reading.ids,
        "lengths": reading.lengths,
        "expected": [
            {
                "bits": round(each.bits, 4),
                "rank": each.rank,
                "likeliest": [(token, round(chance, 5)) for token, chance in each.likeliest],
            }
            for each in reading.expected
        ],
        "named": {
            token: {
                "shown": shown_bytes(raw),
                "typed": raw.decode() if is_utf8(raw) and token not in reading.special else "",
            }
            for token, raw in reading.raws.items()
        },
        "n_left_out": reading.n_left_out,
        "is_over": reading.is_over,
    }


def _machine_bytes() -> int:
    """Return the memory of this machine; 0 where it is not known."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return 0


class Opened(TypedDict):
    """Whether a file is complete and used."""

    is_open: bool


_PART_SHAPE = Shape(
    {"name": string(max_chars=300), "start": integer(0, MAX_FILE_BYTES), "size": integer(1, 2**53)}
)


def _open_part(session: ExpectSession, body: bytes) -> Response:
    """Take a part of a file: a line of JSON, then bytes."""
    head, _, raw = body.partition(b"\n")
    with session.lock:
        is_open = session.open_part(**_PART_SHAPE.read(head), raw=raw)
    return json_response(Opened(is_open=is_open))


def _close_own(session: ExpectSession) -> Response:
    session.check_own()
    model_file.remove_own()
    return json_response({})


def _read(session: ExpectSession, *, side: str, parts: list[str]) -> Response:
    return json_response(session.read(side, parts))


def _fetch(session: ExpectSession) -> Response:
    session.check_own()
    return json_response(models.fetch())


def _fetching(_session: ExpectSession) -> Response:
    return json_response(models.fetch_state())


def _stop_fetching(session: ExpectSession) -> Response:
    session.check_own()
    models.stop_fetching()
    return json_response({})


EXPECT_ACTIONS: Actions = {
    "read": Action(
        _read,
        Shape({"side": one_of(*SIDES), "parts": array(string(), max_items=MAX_PARTS)}),
        threads=_THREADS,
    ),
    "open_part": Action(_open_part, Shape({}), max_upload_bytes=MAX_PART_BYTES + 2_000),
    "close_own": Action(_close_own, Shape({})),
    "fetch": Action(_fetch, Shape({})),
    "fetching": Action(_fetching, Shape({})),
    "stop_fetching": Action(_stop_fetching, Shape({})),
}
