"""Files that a tokenizer's own library runs, kept as they came; recognized by name and content."""

import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

LibraryKind = Literal["sentencepiece.model", "tokenizer.json", "vocab.txt"]
LIBRARY_KINDS: tuple[LibraryKind, ...] = get_args(LibraryKind)

#: The first bytes of a minbpe file, and of a SentencePiece file (the tag of its first piece).
_MINBPE, _SENTENCEPIECE = b"minbpe ", b"\n"
_RANKS_LINE = rb"[A-Za-z0-9+/]+={0,2} \d+\r?\n"


@dataclass(frozen=True, slots=True)
class LibraryFile:
    """A tokenizer file as it came; `kind`, a usual name of such files, says which library runs it.

    `file_name` is the name under which a person opened it. `from_beside` are the ids of added tokens that
    were copied into it from a file beside it.
    """

    kind: LibraryKind
    packed: bytes = field(repr=False)
    file_name: str = field(default="", compare=False)
    from_beside: tuple[int, ...] = field(default=(), compare=False)

    @classmethod
    def of(cls, kind: LibraryKind, raw: bytes, file_name: str = "") -> "LibraryFile":
        """Return the file, compressed, because it is kept as long as its tokenizer.

        >>> LibraryFile.of("vocab.txt", b"[UNK]").raw
        b'[UNK]'
        """
        return cls(kind, zlib.compress(raw, 1), file_name)

    @property
    def raw(self) -> bytes:
        """The content of the file."""
        return zlib.decompress(self.packed)


def library_kind(file_name: str, raw: bytes) -> LibraryKind | None:
    r"""Return which kind of library file this is; None if our own readers read it.

    >>> library_kind("spiece.model", b"\n\x0e\n\x05<unk>"), library_kind("mine.model", b"minbpe v1\n")
    ('sentencepiece.model', None)
    """
    if file_name.endswith((".model", ".spm")) and raw.startswith(_SENTENCEPIECE):
        return "sentencepiece.model"
    return "vocab.txt" if file_name.endswith(".txt") and not file_name.endswith("merges.txt") else None


def with_true_endings(files: Mapping[str, bytes]) -> dict[str, bytes]:
    r"""Return the files under the names that our readers know.

    A `.model` of ranks, as Llama 3 and Kimi have it, becomes a `.tiktoken`; vocab.json with merges.txt
    becomes encoder.json with vocab.bpe.

    >>> list(with_true_endings({"tokenizer.model": b"IQ== 0\n"}))
    ['tokenizer.tiktoken']
    >>> list(with_true_endings({"vocab.json": b"{}", "merges.txt": b""}))
    ['encoder.json', 'vocab.bpe']
    """
    endings = {"vocab.json": "encoder.json", "merges.txt": "vocab.bpe"}
    has_both = all(any(name.endswith(ending) for name in files) for ending in endings)
    found: dict[str, bytes] = {}
    for name, raw in files.items():
        known = name
        if name.endswith(".model") and not raw.startswith(_MINBPE) and re.match(_RANKS_LINE, raw):
            known = name.removesuffix(".model") + ".tiktoken"
        for ending, other in endings.items():
            if has_both and name.endswith(ending):
                known = name.removesuffix(ending) + other
        found[known] = raw
    return found
