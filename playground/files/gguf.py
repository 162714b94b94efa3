"""GGUF, the model files of llama.cpp, Ollama and LM Studio: the header, and where each tensor is.

`catalog.gguf_tokenizer` makes a tokenizer of the header, and `expect.weights` reads the tensors.
"""

import struct
from collections.abc import Sequence
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any, NamedTuple

from playground.core.errors import VocabularyFileError
from playground.files.checks import check_count

MAGIC = b"GGUF"
#: Limits of a header.
MAX_ENTRIES, MAX_ITEMS = 10_000, 4_000_000
_STRING, _ARRAY = 8, 9
#: Limits of a tensor's dimensions, and where tensors begin if a header does not say.
_MAX_DIMENSIONS, _ALIGNMENT = 4, 32
#: How a value of each type is unpacked.
_FORMATS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}


class TensorPlace(NamedTuple):
    """A tensor in a file: its shape (rows first), the number of its type, and its first byte."""

    shape: tuple[int, ...]
    kind: int
    start: int


class _Reader:
    """Reads the values of a header; every error names its byte. Without `keeps`, it only finds the end."""

    def __init__(self, raw: bytes | mmap, file_name: str, *, keeps: bool = True) -> None:
        self.raw = raw
        self.size = len(raw)
        self.at = 0
        self.file_name = file_name
        self.keeps = keeps
        self.n_tensors = 0

    def header(self) -> dict[str, Any]:
        if self.take(4) != MAGIC:
            raise VocabularyFileError(f"{self.file_name} does not begin with GGUF")
        version = self.number("I")
        if version not in (2, 3):
            raise VocabularyFileError(
                f"{self.file_name} has version {version} of GGUF; versions 2 and 3 are read"
            )
        self.n_tensors = self.number("Q")
        n_entries = self.number("Q")
        check_count(n_entries, "entries of its header", MAX_ENTRIES, self.file_name)
        header: dict[str, Any] = {}
        for _ in range(n_entries):
            key = self.text()
            header[key] = self.value(self.number("I"))
        return header

    def tensors(self, alignment: int) -> dict[str, TensorPlace]:
        check_count(self.n_tensors, "tensors", MAX_ENTRIES, self.file_name)
        found: dict[str, TensorPlace] = {}
        for _ in range(self.n_tensors):
            name, n_dimensions = self.text(), self.number("I")
            check_count(n_dimensions, f"dimensions of {name}", _MAX_DIMENSIONS, self.file_name)
            shape = tuple(self.number("Q") for _ in range(n_dimensions))[::-1]
            found[name] = TensorPlace(shape, self.number("I"), self.number("Q"))
        start = -(-self.at // alignment) * alignment
        return {name: place._replace(start=start + place.start) for name, place in found.items()}

    def fault(self, what: str) -> VocabularyFileError:
        return VocabularyFileError(f"{self.file_name}, byte {self.at:,}: {what}")

    def take(self, n_bytes: int) -> bytes:
        if n_bytes > self.size - self.at:
            raise self.fault(
                f"the header goes on for {n_bytes:,} bytes, but the file ends after {self.size:,}"
            )
        self.at += n_bytes
        return self.raw[self.at - n_bytes : self.at]

    def number(self, code: str) -> Any:
        return struct.unpack("<" + code, self.take(struct.calcsize("<" + code)))[0]

    def text(self) -> str:
        return self.take(self.number("Q")).decode(errors="replace")

    def value(self, kind: int) -> Any:
        if kind == _STRING:
            return self.text()
        if kind == _ARRAY:
            return self.array()
        return self.number(self.format_of(kind))

    def format_of(self, kind: int) -> str:
        if kind == _ARRAY:
            raise self.fault("an array contains arrays, which no tokenizer has")
        if kind not in _FORMATS:
            raise self.fault(f"there is no type of value {kind}")
        return _FORMATS[kind]

    def array(self) -> Sequence[Any]:
        kind, n_items = self.number("I"), self.number("Q")
        if n_items > MAX_ITEMS:
            raise self.fault(f"an array has {n_items:,} items; up to {MAX_ITEMS:,} are read")
        if kind == _STRING:
            return self.texts(n_items)
        code = f"<{n_items}{self.format_of(kind)}"
        raw = self.take(struct.calcsize(code))
        return struct.unpack(code, raw) if self.keeps else ()

    def texts(self, n_items: int) -> list[str]:
        raw, at, last, keeps = self.raw, self.at, self.size - 8, self.keeps
        length_at = struct.Struct("<Q").unpack_from
        found: list[bytes] = []
        for place in range(n_items):
            start = at + 8
            at = start + length_at(raw, at)[0] if at <= last else self.size + 1
            if at > self.size:
                raise self.fault(f"text {place + 1:,} of {n_items:,} ends after the end of the file")
            if keeps:
                found.append(raw[start:at])
        self.at = at
        return [text.decode(errors="replace") for text in found]


def read_header(raw: bytes, file_name: str) -> dict[str, Any]:
    """Return the values of a file's header by name. Raises VocabularyFileError.

    >>> read_header(b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, 1) + b"a" + struct.pack("<IB", 0, 7), "x.gguf")
    {'a': 7}
    """
    return _Reader(raw, file_name).header()


def read_tensors(raw: bytes | mmap, file_name: str) -> tuple[dict[str, Any], dict[str, TensorPlace]]:
    """Return the values of a file's header, and where its tensors are. Raises VocabularyFileError."""
    reader = _Reader(raw, file_name)
    header = reader.header()
    alignment = header.get("general.alignment", _ALIGNMENT)
    if not isinstance(alignment, int) or alignment < 1:
        raise VocabularyFileError(f"{file_name}: general.alignment has a wrong type")
    return header, reader.tensors(alignment)


def header_of(path: Path) -> bytes:
    """Return the header of a file without the weights behind it, which are not read.

    Raises VocabularyFileError, OSError.
    """
    with path.open("rb") as file:
        if not path.stat().st_size:  # an empty file cannot be mapped
            return b""
        with mmap(file.fileno(), 0, access=ACCESS_READ) as mapped:
            reader = _Reader(mapped, path.name, keeps=False)
            reader.header()
            return mapped[: reader.at]
