"""`--tokenizer` (a name, file or model folder) and `--pattern` (a name, a tokenizer's, or an expression)."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from playground.bpe.split_pattern import SPLIT_PATTERNS, SplitPattern
from playground.catalog.normalized import NormalizedTokenizer
from playground.catalog.registry import get_tokenizer, is_known, is_shipped
from playground.core.errors import InvalidInputError, NotShippedError, UnknownTokenizerError
from playground.core.tokenizer import Tokenizer
from playground.shell.terminal import print_note
from playground.shell.usage import DEFAULT_PATTERN


def chosen_pattern(text: str) -> SplitPattern:
    """Return the split pattern named by `--pattern`. Raises InvalidInputError.

    >>> chosen_pattern("cl100k_base").name, chosen_pattern("gpt-4o").name, chosen_pattern("none").name
    ('cl100k', 'o200k', 'none')
    """
    if text in SPLIT_PATTERNS or not is_known(text):
        return SplitPattern.parse(text)
    tokenizer = get_tokenizer(text)
    if isinstance(tokenizer, NormalizedTokenizer):
        tokenizer = tokenizer.base
    if not tokenizer.split_pattern:
        raise InvalidInputError(f"--pattern {text}: {tokenizer.name} has no split pattern")
    return SplitPattern.typed(tokenizer.split_pattern)


if TYPE_CHECKING:
    from playground.catalog.opened import OpenedTokenizer

#: Pairs of files that make up one tokenizer.
_PAIRS = {"encoder.json": "vocab.bpe", "vocab.json": "merges.txt"}
_BESIDE = _PAIRS | {other: name for name, other in _PAIRS.items()}
#: Files in the same folder with the special tokens and the chat template.
_BESIDE_ALL = ("tokenizer_config.json", "chat_template.jinja")
#: Tokenizer files of a model's folder, in the order of preference.
_IN_FOLDER = ("tokenizer.json", "tekken.json", "tokenizer.model", "vocab.json", "encoder.json", "vocab.txt")
#: Endings of tokenizer files, which no model's name has.
_ENDINGS = (".json", ".model", ".tiktoken", ".bpe", ".txt", ".spm")


def chosen_tokenizers(names: Sequence[str], pattern: str) -> list[Tokenizer]:
    """Return several tokenizers with distinct names: equal names are replaced by file names, then by paths.

    Raises what `chosen_tokenizer` does.
    """
    tokenizers = [_tokenizer_of(name, pattern) for name in names]
    for called in ([Path(name).name for name in names], names):
        times = Counter(tokenizer.name for tokenizer in tokenizers)
        tokenizers = [
            tokenizer if times[tokenizer.name] == 1 else _tokenizer_of(name, pattern, called=own)
            for tokenizer, name, own in zip(tokenizers, names, called, strict=True)
        ]
    for tokenizer in tokenizers:
        _note_unused(pattern, tokenizer)
    return tokenizers


def chosen_tokenizer(name: str, pattern: str) -> Tokenizer:
    """Return the tokenizer of a file, of a model's folder, or of an encoding's or model's name.

    `pattern` is the split pattern for a file without one; a note is printed if it isn't used.

    >>> chosen_tokenizer("gpt-4o", "").name
    'o200k_base'

    Raises: UnknownTokenizerError, VocabularyFileError, InvalidInputError.
    """
    tokenizer = _tokenizer_of(name, pattern)
    _note_unused(pattern, tokenizer)
    return tokenizer


def _note_unused(pattern: str, tokenizer: Tokenizer) -> None:
    if pattern and not lacks_pattern(tokenizer):
        print_note(
            f"--pattern {pattern} is not used for {tokenizer.name}: it only applies to files of "
            "ranks, such as .tiktoken and vocab.bpe"
        )


def lacks_pattern(tokenizer: Tokenizer) -> bool:
    """Whether a tokenizer was opened from a file of ranks, which has no split pattern.

    >>> lacks_pattern(get_tokenizer("python_docs_4k"))
    False
    """
    read_from = getattr(getattr(tokenizer, "model", None), "read_from", None)
    if read_from is None or is_shipped(tokenizer):
        return False
    from playground.files.registry import FILE_FORMATS  # already loaded with the file

    entry = FILE_FORMATS.get(read_from.format_name)
    return entry is not None and not entry.holds_pattern


def _tokenizer_of(name: str, pattern: str, *, called: str = "") -> Tokenizer:
    """Find a tokenizer; one from a file gets the name `called`, or the file's name."""
    path = Path(name)
    if path.is_file():
        return opened_file(path, pattern, name=called)
    if inside := next((path / own for own in _IN_FOLDER if (path / own).is_file()), None):
        return opened_file(inside, pattern, name=called or path.resolve().name)
    try:
        return get_tokenizer(name)
    except NotShippedError as error:
        raise NotShippedError(f"{error}; pass it as --tokenizer FILE") from None
    except UnknownTokenizerError:
        if path.is_dir():
            raise InvalidInputError(
                f"{name} contains no tokenizer file; expected one of {', '.join(_IN_FOLDER)}"
            ) from None
        if name.endswith(_ENDINGS):
            raise InvalidInputError(f"there is no file {name}") from None
        raise


def opened_file(path: Path, pattern: str, *, name: str = "") -> "OpenedTokenizer":
    """Open a tokenizer file together with its companions in the folder; by default it is named for the file.

    Raises: VocabularyFileError, InvalidInputError.
    """
    from playground.catalog.opened import read_and_try, tokenizer_of  # imported late: names need no reader
    from playground.files.checks import check_count
    from playground.files.limits import MAX_FILE_BYTES
    from playground.files.proof import silenced_panics
    from playground.shell.tokenizer_arguments import chosen_pattern

    paths = [path, *(path.with_name(path.name.removesuffix(end) + other)
                     for end, other in _BESIDE.items() if path.name.endswith(end))]  # fmt: skip
    paths += [path.with_name(beside) for beside in _BESIDE_ALL if beside != path.name]
    found = [each for each in paths if each.is_file()]
    for each in found:  # checked before reading
        check_count(each.stat().st_size, "bytes", MAX_FILE_BYTES, each.name)
    files = {each.name: each.read_bytes() for each in found}
    with silenced_panics():  # no other thread runs yet
        return tokenizer_of(
            name or path.stem, read_and_try(files, chosen_pattern(pattern or DEFAULT_PATTERN))
        )
