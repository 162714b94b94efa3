"""A tokenizer as one text that a browser keeps, and gives back like any file: the same checks read it."""

from playground.bpe.model import BpeModel
from playground.bpe.split_pattern import SplitPattern
from playground.catalog.configured import ConfiguredModel
from playground.catalog.opened import OpenedModel, open_files
from playground.catalog.trained import MAX_EXPORTED_HERE
from playground.core.errors import CannotHoldError, InvalidInputError
from playground.files.library_file import LIBRARY_KINDS, LibraryFile
from playground.files.registry import FILE_FORMATS, read_model
from playground.files.tokenizer_config import CONFIG, write_config
from playground.files.word_table import ENDING, WordTable, write_table
from playground.workers import pool

#: Formats that bring a split pattern; the first that gives the same model back is kept.
_FORMATS = ("minbpe", "tokenizer.json")
_NAMES = tuple(f"kept{FILE_FORMATS[name].endings[0]}" for name in _FORMATS)
#: And names of what a library runs, which is kept as it came.
_TABLE = f"kept{ENDING}"
_ALL_NAMES = (*_NAMES, *LIBRARY_KINDS, _TABLE)
#: What writing and reading back may take.
SECONDS, MEMORY_BYTES = 30.0, 1_500_000_000


def write_kept(model: OpenedModel) -> bytes:
    r"""The name of a file, a line feed and the file. Raises CannotHoldError, LimitExceededError.

    What lies beside a tokenizer's file comes before it, with its length in the line of its name.

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
        return model.kind.encode() + b"\n" + model.raw
    if len(model.merges) <= MAX_EXPORTED_HERE and (model.pattern.is_known or model.pattern.is_none):
        return write_and_read(model).encode()
    written: str = pool.run(
        "playground.catalog.kept_file.write_and_read", model,
        what="writing this tokenizer", seconds=SECONDS, memory_bytes=MEMORY_BYTES,
    )  # fmt: skip
    return written.encode()


def write_file(name: str, model: OpenedModel) -> tuple[str, bytes]:
    r"""A tokenizer's own file under its name, to give to someone; what lay beside it is not in it.

    Raises CannotHoldError, LimitExceededError.

    >>> from playground.bpe.split_pattern import SplitPattern
    >>> write_file("mine", BpeModel(SplitPattern.named("none"), ((97, 97, 256),)))
    ('mine.model', b'minbpe v1\n\n0\n97 97\n')
    """
    own = model.model if isinstance(model, ConfiguredModel) else model
    kind, _, raw = write_kept(own).partition(b"\n")
    ending = kind.decode().removeprefix("kept")
    return f"{name}{ending}" if ending.startswith(".") else f"{name}-{ending}", raw


def write_and_read(model: BpeModel) -> str:
    """What `write_kept` gives of merges, made in this process. Raises CannotHoldError."""
    for format_name, file_name in zip(_FORMATS, _NAMES, strict=True):
        try:
            text = FILE_FORMATS[format_name].write(model, "kept")[file_name]
            if read_model({file_name: text.encode()}, model.pattern) == model:
                return f"{file_name}\n{text}"
        except (CannotHoldError, InvalidInputError):
            continue
    raise CannotHoldError("no file that could be kept gives the same tokenizer back")


def read_kept(text: bytes, *, visitor: str) -> OpenedModel:
    """The model of what `write_kept` wrote, read as a file that a visitor opens.

    Raises VocabularyFileError, InvalidInputError, LimitExceededError.
    """
    file_name, _, raw = text.partition(b"\n")
    name = file_name.decode(errors="replace")
    beside: dict[str, bytes] = {}
    if name.startswith(f"{CONFIG} ") and (n_bytes := name.removeprefix(f"{CONFIG} ")).isdecimal():
        beside[CONFIG], raw = raw[: int(n_bytes[:12])], raw[int(n_bytes[:12]) :]
        file_name, _, raw = raw.partition(b"\n")
        name = file_name.decode(errors="replace")
    if name not in _ALL_NAMES:
        raise InvalidInputError(
            f"the file is called {name[:60]!r}; kept files are {' and '.join(_ALL_NAMES)}"
        )
    return open_files({name: raw, **beside}, SplitPattern.named("none"), visitor=visitor)
