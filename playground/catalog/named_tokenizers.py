"""`tokenizer_named`: the tokenizer of a file, a folder, a known name, or a model on this machine."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from playground.bpe.split_pattern import SplitPattern
from playground.catalog.local_models import (
    IN_FOLDER,
    LocalModel,
    LocalPlaces,
    find_local,
    read_local,
    read_with_companions,
    tokenizer_file_in,
)
from playground.catalog.registry import TOKENIZERS, get_tokenizer
from playground.core.errors import InvalidInputError, NotShippedError, UnknownTokenizerError
from playground.core.tokenizer import Tokenizer

if TYPE_CHECKING:  # imported late below: most names need no reader of files
    from playground.catalog.opened import OpenedTokenizer

#: Returns the split pattern for a file that has none; called only for a file.
Pattern = Callable[[], SplitPattern | None]
#: Endings of tokenizer files, which no model's name has.
_ENDINGS = (".json", ".model", ".tiktoken", ".bpe", ".txt", ".spm", ".gguf")


def tokenizer_named(name: str, pattern: Pattern, places: LocalPlaces, *, called: str = "") -> Tokenizer:
    """Return the tokenizer that a name means; `pattern` returns the split pattern for a file without one.

    A file or folder comes first, then the names of the catalog, then models on this machine. A name with ":"
    or "/", as Ollama and Hugging Face have them, is looked for on this machine before it is read as a model
    of the catalog. A tokenizer from a file gets the name `called`, by default the name of the file or folder.

    Raises UnknownTokenizerError, NotShippedError, VocabularyFileError, InvalidInputError.
    """
    if found := _tokenizer_at(Path(name), pattern, called):
        return found
    if (":" in name or "/" in name) and (model := find_local(name, places.find())):
        return _open_local(model, pattern, called)
    try:
        return get_tokenizer(name)
    except UnknownTokenizerError as error:
        if model := find_local(name, places.find()):
            return _open_local(model, pattern, called)
        if isinstance(error, NotShippedError):
            raise NotShippedError(f"{error}; give that file's path in place of the name") from None
        if name.endswith(_ENDINGS):
            raise InvalidInputError(f"there is no file {name}") from None
        raise


def _tokenizer_at(path: Path, pattern: Pattern, called: str) -> "OpenedTokenizer | None":
    """Return the tokenizer of a file or of a model's folder; None if there is neither.

    Raises VocabularyFileError; InvalidInputError for a folder without a tokenizer that is no known name.
    """
    if path.is_file():
        return _open(read_with_companions(path), pattern, called or path.stem)
    if not path.is_dir():
        return None
    inside = tokenizer_file_in(path)
    if inside is not None:
        return _open(read_with_companions(inside), pattern, called or path.resolve().name)
    if path.name.lower() in TOKENIZERS:
        return None
    raise InvalidInputError(f"{path} contains no tokenizer file; expected one of {', '.join(IN_FOLDER)}")


def _open_local(model: LocalModel, pattern: Pattern, called: str) -> "OpenedTokenizer":
    return _open(read_local(model), pattern, called or model.name)


def _open(files: Mapping[str, bytes], pattern: Pattern, name: str) -> "OpenedTokenizer":
    from playground.catalog.opened import open_here
    from playground.files.proof import silenced_panics

    with silenced_panics():  # a library's panic is reported as a sentence
        return open_here(files, pattern(), name)
