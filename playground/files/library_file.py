"""Files that a tokenizer's own library runs, kept as they came; which they are is told by name and content.

What the library makes of them is `catalog`'s business.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

LibraryKind = Literal["sentencepiece.model"]
LIBRARY_KINDS: tuple[LibraryKind, ...] = get_args(LibraryKind)

#: A file of minbpe begins with these words, and one of SentencePiece with the length of its first piece.
_MINBPE, _SENTENCEPIECE = b"minbpe ", b"\n"
_RANKS_LINE = rb"[A-Za-z0-9+/]+={0,2} \d+\r?\n"


@dataclass(frozen=True, slots=True)
class LibraryFile:
    """A tokenizer's file as it came, and which library runs it: `kind` is a name that such files have."""

    kind: LibraryKind
    raw: bytes = field(repr=False)


def library_kind(file_name: str, raw: bytes) -> LibraryKind | None:
    r"""What a file is that a library runs; None where our own readers read it.

    >>> library_kind("spiece.model", b"\n\x0e\n\x05<unk>"), library_kind("mine.model", b"minbpe v1\n")
    ('sentencepiece.model', None)
    """
    if file_name.endswith((".model", ".spm")) and raw.startswith(_SENTENCEPIECE):
        return "sentencepiece.model"
    return None


def with_true_endings(files: Mapping[str, bytes]) -> dict[str, bytes]:
    r"""The files, where a `.model` of ranks, as Llama 3 and Kimi have it, is called `.tiktoken`.

    >>> list(with_true_endings({"tokenizer.model": b"IQ== 0\n", "mine.model": b"minbpe v1\n"}))
    ['tokenizer.tiktoken', 'mine.model']
    """
    return {
        name.removesuffix(".model") + ".tiktoken"
        if name.endswith(".model") and not raw.startswith(_MINBPE) and re.match(_RANKS_LINE, raw)
        else name: raw
        for name, raw in files.items()
    }
