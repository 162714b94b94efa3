"""`--out` of `train`: a trained tokenizer in the format of a file's ending, proven by its library."""

from pathlib import Path

from playground.catalog.exports import exports_of
from playground.catalog.opened import OpenedTokenizer
from playground.catalog.trained import TrainedTokenizer
from playground.core.errors import CannotHoldError
from playground.files.proof import Export
from playground.files.registry import format_of
from playground.shell.tokenizer_outputs import start_of, stem_of, write_files


def export_to(path: Path, tokenizer: OpenedTokenizer) -> Export:
    """Return the files of a tokenizer in the format of a path's ending, named after it.

    Raises: InvalidInputError, CannotHoldError.
    """
    try:
        if isinstance(tokenizer, TrainedTokenizer):
            entry = format_of(path.name)
            return TrainedTokenizer(stem_of(path, entry), tokenizer.model).export_here(entry)
        exports = exports_of(tokenizer)
        found = [each for _library, each in exports if isinstance(each, Export)]
        for each in found:
            if path.suffix and any(file.endswith(path.suffix) for file in each.every_file):
                return each
        if endings := sorted({Path(file).suffix for each in found for file in each.every_file}):
            raise CannotHoldError(f"choose a name that ends in {' or '.join(endings)}")
        raise CannotHoldError("; ".join(f"for {library} {reason}" for library, reason in exports))
    except CannotHoldError as error:
        raise CannotHoldError(f"cannot write {path}: {error}") from None


def write_tokenizer(path: Path, tokenizer: OpenedTokenizer) -> str:
    """Write a tokenizer; return how it was verified, and which files are beside it.

    Raises: InvalidInputError, CannotHoldError.
    """
    export = export_to(path, tokenizer)
    if isinstance(tokenizer, TrainedTokenizer):
        entry = format_of(path.name)
        start, name = start_of(path, entry), stem_of(path, entry)
    else:
        start, name = f"{path.stem}.", tokenizer.name
    return f"{export.proof.sentence}{write_files(path, start, export.every_file, name)}"
