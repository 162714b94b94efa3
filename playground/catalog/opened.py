"""Tokenizer files that a visitor opens: small ones are read here, others by a process with limits.

Reading a large file takes seconds of the interpreter, and a pattern in a file may never end. What a file must
hold is `files`' business.
"""

import threading
from collections.abc import Mapping

from playground.bpe.model import BpeModel
from playground.bpe.split_pattern import SplitPattern
from playground.catalog.trained import TrainedTokenizer
from playground.core.errors import InvalidInputError
from playground.files.registry import FOR_PEOPLE, format_of, read_model
from playground.workers import pool

#: Bytes of all files that are read here: the work grows with their square at most.
MAX_BYTES_HERE = 20_000
#: What reading and trying may take there; o200k's tokenizer.json takes 3 s and 400 MB.
SECONDS, MEMORY_BYTES = 30.0, 1_500_000_000
#: Encoded once, so that what a tokenizer makes at its first use is made within the limits too.
_PROBE = "Hello world, 1234 \U0001f44b\n  " + "a" * 50


def open_files(
    files: Mapping[str, bytes],
    pattern: SplitPattern,
    *,
    visitor: str = "",
    cancelled: threading.Event | None = None,
) -> BpeModel:
    """The model in a tokenizer's file or files, tried out; `pattern` is used where they hold none.

    Raises VocabularyFileError, InvalidInputError, LimitExceededError; CancelledError once `cancelled` is set.

    >>> from playground.catalog.bundled import load_python_docs
    >>> from playground.files.registry import FILE_FORMATS
    >>> model = load_python_docs().model
    >>> written = FILE_FORMATS["gpt2"].write(model, "mine")
    >>> open_files({name: text.encode() for name, text in written.items()}, model.pattern) == model
    True
    """
    if _is_small(files):
        return read_and_try(files, pattern)
    model: BpeModel = pool.run(
        "playground.catalog.opened.read_and_try", dict(files), pattern,
        what="reading this tokenizer", visitor=visitor, cancelled=cancelled,
        seconds=SECONDS, memory_bytes=MEMORY_BYTES,
    )  # fmt: skip
    return model


def read_and_try(files: Mapping[str, bytes], pattern: SplitPattern) -> BpeModel:
    """Read a model and encode with it. Raises VocabularyFileError and InvalidInputError."""
    model = read_model(files, pattern)
    tokenizer = TrainedTokenizer("opened", model)
    tokenizer.encode(_PROBE, allowed_special=frozenset(model.special_tokens))
    tokenizer.vocabulary  # noqa: B018 - it is made when it is first asked for
    return model


def _is_small(files: Mapping[str, bytes]) -> bool:
    """Whether the bytes alone bound the work: they are few, and hold no pattern to compile and run."""
    if sum(map(len, files.values())) > MAX_BYTES_HERE:
        return False
    try:
        return not any(format_of(name).holds_pattern for name in files if not name.endswith(FOR_PEOPLE))
    except InvalidInputError:  # refused for its name
        return True
