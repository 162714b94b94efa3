"""A tokenizer as one file that the browser keeps and returns; it is read back like any opened file."""

import json
import re
from dataclasses import replace

from playground.bpe.model import BpeModel, ReadFrom
from playground.bpe.split_pattern import SplitPattern
from playground.catalog.opened import ConfiguredModel, FileModel, OpenedModel, open_files
from playground.catalog.trained import MAX_EXPORTED_HERE
from playground.catalog.word_table import ENDING, WordTable, write_table
from playground.core.errors import CannotHoldError, InvalidInputError, VocabularyFileError
from playground.core.tokenizer import replace_lone_surrogates
from playground.core.wording import quoted
from playground.files.library_file import LIBRARY_KINDS, LibraryFile
from playground.files.registry import FILE_FORMATS, read_model
from playground.files.tekken import write_tekken
from playground.files.tiktoken_ranks import ranks_text
from playground.files.tokenizer_config import CONFIG, write_config
from playground.workers import pool

#: Files that contain a split pattern, with their writers; the first that reads back equal is kept.
_WRITERS = {
    "kept.model": FILE_FORMATS["minbpe"].write,
    "kept.json": FILE_FORMATS["tokenizer.json"].write,
    "tekken-kept.json": write_tekken,
}
#: The names of files that are kept as they came.
_TABLE = f"kept{ENDING}"
#: Ranks are kept as they came, which needs no proof; their split pattern stands beside the file's name.
_RANKS = "kept.tiktoken"
_ALL_NAMES = (*_WRITERS, *LIBRARY_KINDS, _TABLE, _RANKS)
#: Characters of a file's own name, or of a split pattern.
_MAX_NAME = 2_000
#: Limits of writing and reading back.
SECONDS, MEMORY_BYTES = 30.0, 1_500_000_000


def write_kept(model: OpenedModel) -> bytes:
    r"""Return a file's name, a line feed and its content. Raises CannotHoldError, LimitExceededError.

    A config from beside the file comes first, with its length in the line of its name. After the name, as
    JSON, follows the source: the format of merges and the names of a visitor's files; for a file that its
    library runs, also the ids it has from beside.

    >>> from playground.bpe.split_pattern import SplitPattern
    >>> write_kept(BpeModel(SplitPattern.named("none"), ((97, 97, 256),))).splitlines()
    [b'kept.model', b'minbpe v1', b'', b'0', b'97 97']
    """
    if isinstance(model, ConfiguredModel):
        beside = write_config(model.config)
        return f"{CONFIG} {len(beside)}\n".encode() + beside + write_kept(model.model)
    if isinstance(model, WordTable):
        return f"{_TABLE}\n{write_table(model)}".encode()
    if isinstance(model, LibraryFile):
        said = _source_text([model.file_name, *map(str, model.from_beside)])
        return f"{model.kind}{said}\n".encode() + model.raw
    read_from = model.read_from
    if read_from and read_from.format_name == "tiktoken" and not model.special_tokens:
        said = _source_text([*read_from.file_names, model.pattern.expression or "none"])
        return f"{_RANKS}{said}\n{ranks_text(model.mergeable_ranks())}".encode()
    name, text = _written(model).split("\n", 1)
    said = _source_text([read_from.format_name, *read_from.file_names]) if read_from else ""
    return f"{name}{said}\n{text}".encode()


def _written(model: BpeModel) -> str:
    if len(model.merges) <= MAX_EXPORTED_HERE and (model.pattern.is_known or model.pattern.is_none):
        return write_and_read(model)
    written: str = pool.run(
        "playground.catalog.kept_file.write_and_read", model,
        what="writing this tokenizer", seconds=SECONDS, memory_bytes=MEMORY_BYTES,
    )  # fmt: skip
    return written


def _source_text(names: list[str]) -> str:
    """Return the source of a file as JSON after its name; "" if unknown."""
    return f" {json.dumps(names)}" if all(names) else ""


def write_file(name: str, model: OpenedModel) -> tuple[str, bytes]:
    r"""Return a tokenizer's own file and its name, for a download, without the config beside it.

    Raises CannotHoldError, LimitExceededError.

    >>> from playground.bpe.split_pattern import SplitPattern
    >>> write_file("mine", BpeModel(SplitPattern.named("none"), ((97, 97, 256),)))
    ('mine.model', b'minbpe v1\n\n0\n97 97\n')
    """
    own = model.model if isinstance(model, ConfiguredModel) else model
    kind, _, raw = write_kept(own).partition(b"\n")
    kept = kind.decode().split(" ")[0]
    return kept.replace("kept", name) if "kept" in kept else f"{name}-{kept}", raw


def write_and_read(model: BpeModel) -> str:
    """Return what `write_kept` returns for merges, in this process. Raises CannotHoldError."""
    for file_name, write in _WRITERS.items():
        try:
            text = write(model, "kept")[file_name]
            if read_model({file_name: text.encode()}, model.pattern) == model:
                return f"{file_name}\n{text}"
        except (CannotHoldError, InvalidInputError, VocabularyFileError):
            continue
    raise CannotHoldError("no file that could be kept gives the same tokenizer back")


def read_kept(text: bytes, *, visitor: str) -> OpenedModel:
    """Return the model of a file that `write_kept` wrote, read as a visitor's file.

    Raises VocabularyFileError, InvalidInputError, LimitExceededError.
    """
    file_name, _, raw = text.partition(b"\n")
    name = file_name.decode(errors="replace")
    beside: dict[str, bytes] = {}
    if name.startswith(f"{CONFIG} ") and (n_bytes := name.removeprefix(f"{CONFIG} ")).isdecimal():
        beside[CONFIG], raw = raw[: int(n_bytes[:12])], raw[int(n_bytes[:12]) :]
        file_name, _, raw = raw.partition(b"\n")
        name = file_name.decode(errors="replace")
    name, _, said = name.partition(" ")
    if name not in _ALL_NAMES:
        raise InvalidInputError(
            f"the file is called {quoted(name, n_shown=60)}; kept files are {' and '.join(_ALL_NAMES)}"
        )
    names = _source_of(said)
    pattern = SplitPattern.named("none")
    if name == _RANKS:
        *_, expression = ["none", *names]
        pattern = SplitPattern.typed("" if expression == "none" else expression)
    model = open_files({name: raw, **beside}, pattern, visitor=visitor)
    if isinstance(model, ConfiguredModel):
        return replace(model, model=_as_read(model.model, names))
    return _as_read(model, names)


def _source_of(said: str) -> list[str]:
    """Return the names that `_source_text` wrote; none if they are not valid."""
    try:
        names = json.loads(said) if said else []
    except (ValueError, RecursionError):
        names = []
    if not isinstance(names, list) or not all(
        isinstance(name, str) and len(name) <= _MAX_NAME and replace_lone_surrogates(name) == name
        for name in names
    ):
        return []
    return names


def _as_read(model: FileModel, names: list[str]) -> FileModel:
    """Return the model with the file names that `_source_text` wrote."""
    match model, names:
        case LibraryFile(), [file_name, *ids] if all(re.fullmatch(r"[0-9]{1,10}", one) for one in ids):
            return replace(model, file_name=file_name, from_beside=tuple(map(int, ids)))
        case LibraryFile(), _:
            return replace(model, file_name="")
        case BpeModel(), ["gpt2" as format_name, first, second]:
            return replace(model, read_from=ReadFrom(format_name, (first, second)))
        case BpeModel(read_from=ReadFrom("tiktoken")), [file_name, _pattern]:
            return replace(model, read_from=ReadFrom("tiktoken", (file_name,)))
        case BpeModel(), [("minbpe" | "tiktoken" | "tokenizer.json" | "tekken") as format_name, first]:
            return replace(model, read_from=ReadFrom(format_name, (first,)))
        case BpeModel(), _:
            return replace(model, read_from=None)
    return model
