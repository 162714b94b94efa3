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
    """The pattern that is meant. Raises InvalidInputError.

    >>> chosen_pattern("cl100k_base").name, chosen_pattern("gpt-4o").name, chosen_pattern("none").name
    ('cl100k', 'o200k', 'none')
    """
    if text in SPLIT_PATTERNS or not is_known(text):
        return SplitPattern.parse(text)
    tokenizer = get_tokenizer(text)
    if isinstance(tokenizer, NormalizedTokenizer):
        tokenizer = tokenizer.base
    if not tokenizer.split_pattern:
        raise InvalidInputError(f"--pattern {text}: {tokenizer.name} has no split pattern; it cuts otherwise")
    return SplitPattern.typed(tokenizer.split_pattern)


if TYPE_CHECKING:
    from playground.catalog.opened import OpenedTokenizer

#: Files that are one tokenizer together: each is looked for beside the other.
_PAIRS = {"encoder.json": "vocab.bpe", "vocab.json": "merges.txt"}
_BESIDE = _PAIRS | {other: name for name, other in _PAIRS.items()}
#: What has a tokenizer's special tokens and its chat template, where they lie in the same folder.
_BESIDE_ALL = ("tokenizer_config.json", "chat_template.jinja")
#: What a model's folder has, the first that is there.
_IN_FOLDER = ("tokenizer.json", "tekken.json", "tokenizer.model", "vocab.json", "encoder.json", "vocab.txt")
#: How files end that are tokenizers; models' names do not.
_ENDINGS = (".json", ".model", ".tiktoken", ".bpe", ".txt", ".spm")


def chosen_tokenizers(names: Sequence[str], pattern: str) -> list[Tokenizer]:
    """Several that are shown together: files that would be called alike are called by name, or by path.

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
    """The tokenizer of a file or of a model's folder, where there is one, or of an encoding or model.

    `pattern` names the split pattern of a file that holds none; a note tells where it is not used.

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
            f"--pattern {pattern} is not used for {tokenizer.name}: it is for files of ranks, such as "
            ".tiktoken and vocab.bpe"
        )


def lacks_pattern(tokenizer: Tokenizer) -> bool:
    """Whether it was opened from a file of ranks, which holds no split pattern.

    >>> lacks_pattern(get_tokenizer("python_docs_4k"))
    False
    """
    read_from = getattr(getattr(tokenizer, "model", None), "read_from", None)
    if read_from is None or is_shipped(tokenizer):
        return False
    from playground.files.registry import FILE_FORMATS  # loaded with the file

    entry = FILE_FORMATS.get(read_from.format_name)
    return entry is not None and not entry.holds_pattern


def _tokenizer_of(name: str, pattern: str, *, called: str = "") -> Tokenizer:
    """A file's is called so, or as the file is."""
    path = Path(name)
    if path.is_file():
        return opened_file(path, pattern, name=called)
    if inside := next((path / own for own in _IN_FOLDER if (path / own).is_file()), None):
        return opened_file(inside, pattern, name=called or path.resolve().name)
    try:
        return get_tokenizer(name)
    except NotShippedError as error:
        raise NotShippedError(f"{error}; here give it as --tokenizer FILE") from None
    except UnknownTokenizerError:
        if path.is_dir():
            raise InvalidInputError(
                f"{name} has no tokenizer's file; valid are {', '.join(_IN_FOLDER)}"
            ) from None
        if name.endswith(_ENDINGS):
            raise InvalidInputError(f"there is no file {name}") from None
        raise


def opened_file(path: Path, pattern: str, *, name: str = "") -> "OpenedTokenizer":
    """The tokenizer of a file and of what lies beside it, called as the file where no name is given.

    Raises: VocabularyFileError, InvalidInputError.
    """
    from playground.catalog.opened import read_and_try, tokenizer_of  # only here: a name needs no reader
    from playground.files.checks import check_count
    from playground.files.limits import MAX_FILE_BYTES
    from playground.files.proof import unheard_panics
    from playground.shell.tokenizer_arguments import chosen_pattern

    paths = [path, *(path.with_name(path.name.removesuffix(end) + other)
                     for end, other in _BESIDE.items() if path.name.endswith(end))]  # fmt: skip
    paths += [path.with_name(beside) for beside in _BESIDE_ALL if beside != path.name]
    found = [each for each in paths if each.is_file()]
    for each in found:  # before it is read
        check_count(each.stat().st_size, "bytes", MAX_FILE_BYTES, each.name)
    files = {each.name: each.read_bytes() for each in found}
    with unheard_panics():  # no other thread runs yet
        return tokenizer_of(
            name or path.stem, read_and_try(files, chosen_pattern(pattern or DEFAULT_PATTERN))
        )
