"""`--tokenizer`: a name, or a tokenizer's file."""

from pathlib import Path
from typing import TYPE_CHECKING

from playground.catalog.registry import get_tokenizer
from playground.core.errors import NotShippedError
from playground.core.tokenizer import Tokenizer

if TYPE_CHECKING:
    from playground.catalog.opened import OpenedTokenizer

#: Files that are one tokenizer together: each is looked for beside the other.
_PAIRS = {"encoder.json": "vocab.bpe", "vocab.json": "merges.txt"}
_BESIDE = _PAIRS | {other: name for name, other in _PAIRS.items()}
#: What has a tokenizer's special tokens and its chat template, where they lie in the same folder.
_BESIDE_ALL = ("tokenizer_config.json", "chat_template.jinja")


def chosen_tokenizer(name: str, pattern: str) -> Tokenizer:
    """The tokenizer of a file, where there is one of this name, or of an encoding or model.

    `pattern` names the split pattern of a file that holds none.

    >>> chosen_tokenizer("gpt-4o", "gpt2").name
    'o200k_base'

    Raises: UnknownTokenizerError, VocabularyFileError, InvalidInputError.
    """
    path = Path(name)
    if not path.is_file():
        try:
            return get_tokenizer(name)
        except NotShippedError as error:
            raise NotShippedError(f"{error}; here give it as --tokenizer FILE") from None
    return opened_file(path, pattern)


def opened_file(path: Path, pattern: str) -> "OpenedTokenizer":
    """The tokenizer of a file and of what lies beside it. Raises VocabularyFileError, InvalidInputError."""
    from playground.bpe.split_pattern import SplitPattern  # only here: a name needs no reader
    from playground.catalog.opened import read_and_try, tokenizer_of
    from playground.files.checks import check_count
    from playground.files.limits import MAX_FILE_BYTES
    from playground.files.proof import unheard_panics

    paths = [path, *(path.with_name(path.name.removesuffix(end) + other)
                     for end, other in _BESIDE.items() if path.name.endswith(end))]  # fmt: skip
    paths += [path.with_name(name) for name in _BESIDE_ALL if name != path.name]
    found = [each for each in paths if each.is_file()]
    for each in found:  # before it is read
        check_count(each.stat().st_size, "bytes", MAX_FILE_BYTES, each.name)
    files = {each.name: each.read_bytes() for each in found}
    with unheard_panics():  # no other thread runs yet
        return tokenizer_of(path.stem, read_and_try(files, SplitPattern.named(pattern)))
