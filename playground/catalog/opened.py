"""Tokenizer files that a visitor opens: small ones are read here, others by a process with limits.

Reading a large file takes seconds of the interpreter, a pattern in a file may never end, and what a library
makes of a damaged file is not known. What a file must hold is `files`' business.
"""

import threading
from collections.abc import Mapping
from dataclasses import replace
from typing import Protocol

from playground.bpe.model import BpeModel
from playground.bpe.split_pattern import SplitPattern
from playground.catalog.configured import ConfiguredModel, FileModel, FileTokenizer, add_to_json, with_config
from playground.catalog.jinja_rendering import check_template
from playground.catalog.sentencepiece_file import SentencePieceFile, check_sentencepiece
from playground.catalog.tokenizer_json_file import TokenizerJsonFile, open_tokenizer_json
from playground.catalog.trained import TrainedTokenizer
from playground.catalog.word_table import WordTableTokenizer
from playground.catalog.wordpiece import WordPieceTokenizer
from playground.core.errors import CannotHoldError, InvalidInputError, UnknownPartError, VocabularyFileError
from playground.core.text_units import is_utf8
from playground.core.tokenizer import Tokenizer
from playground.core.wording import counted
from playground.files.bert_vocab import read_bert_vocab
from playground.files.checks import check_count, check_kind, shown
from playground.files.library_file import LibraryFile, library_kind, with_true_endings
from playground.files.limits import MAX_FILE_BYTES
from playground.files.registry import FOR_PEOPLE, format_of, read_model
from playground.files.tekken import is_tekken
from playground.files.tokenizer_config import TokenizerConfig, is_beside, read_config
from playground.files.word_table import ENDING, WordTable, read_table
from playground.workers import pool

#: Bytes of all files that are read here: the work grows with their square at most.
MAX_BYTES_HERE = 20_000
#: What reading and trying may take there; o200k's tokenizer.json takes 3 s and 400 MB.
SECONDS, MEMORY_BYTES = 30.0, 1_500_000_000
#: Encoded once, so that what a tokenizer makes at its first use is made within the limits too.
_PROBE = "Hello world, 1234 \U0001f44b\n  " + "a" * 50

#: What a tokenizer's own file holds, alone or with what lies beside it.
OpenedModel = FileModel | ConfiguredModel


class OpenedTokenizer(Tokenizer, Protocol):
    """A tokenizer of one visitor, learned here or read from a file."""

    @property
    def model(self) -> FileModel:
        """All that its own file holds."""

    @property
    def config(self) -> TokenizerConfig | None:
        """What lay beside the file, such as its chat template."""

    @property
    def about(self) -> str:
        """Its kind in a few words."""

    @property
    def n_bytes_held(self) -> int:
        """About how many bytes of memory it takes once every page has used it."""


def tokenizer_of(name: str, model: OpenedModel) -> OpenedTokenizer:
    """The tokenizer that files hold.

    >>> tokenizer_of("bytes", BpeModel(SplitPattern.named("gpt2"), ())).about
    'byte-level BPE · 256 tokens'
    """
    if isinstance(model, ConfiguredModel):
        return with_config(_file_tokenizer(name, model.model), model.config)
    return _file_tokenizer(name, model)


def _file_tokenizer(name: str, model: FileModel) -> FileTokenizer:
    if isinstance(model, BpeModel):
        return TrainedTokenizer(name, model)
    if isinstance(model, WordTable):
        return WordTableTokenizer(name, model)
    match model.kind:
        case "sentencepiece.model":
            return SentencePieceFile(name, model)
        case "vocab.txt":
            return WordPieceTokenizer(name, model)
        case "tokenizer.json":
            return TokenizerJsonFile(name, model)


def model_of(tokenizer: OpenedTokenizer) -> OpenedModel:
    """What `tokenizer_of` makes the same tokenizer of."""
    return tokenizer.model if tokenizer.config is None else ConfiguredModel(tokenizer.model, tokenizer.config)


def open_files(
    files: Mapping[str, bytes],
    pattern: SplitPattern,
    *,
    visitor: str = "",
    cancelled: threading.Event | None = None,
) -> OpenedModel:
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
    model: OpenedModel = pool.run(
        "playground.catalog.opened.read_and_try", dict(files), pattern,
        what="reading this tokenizer", visitor=visitor, cancelled=cancelled,
        seconds=SECONDS, memory_bytes=MEMORY_BYTES,
    )  # fmt: skip
    return model


def read_and_try(files: Mapping[str, bytes], pattern: SplitPattern) -> OpenedModel:
    """Read a model and encode with it. Raises VocabularyFileError and InvalidInputError."""
    tokenizer = _read(files, pattern)
    try:
        tokenizer.encode(_PROBE, allowed_special=frozenset(tokenizer.special_tokens))
    except CannotHoldError as error:
        raise VocabularyFileError(f"{' with '.join(files)}: {error}") from None
    tokenizer.vocabulary  # noqa: B018 - it is made when it is first asked for
    return model_of(tokenizer)


def _read(files: Mapping[str, bytes], pattern: SplitPattern) -> OpenedTokenizer:
    beside = {name: raw for name, raw in files.items() if is_beside(name)}
    if not beside:
        return _read_own(files, pattern)
    own = {name: raw for name, raw in files.items() if name not in beside}
    if not own:
        raise InvalidInputError(
            f"{next(iter(beside))} goes with a tokenizer’s file: choose both at once, such as tokenizer.json "
            "with it"
        )
    config = read_config(beside)
    for title, template in config.templates.items():
        try:
            check_template(template)
        except InvalidInputError as error:
            raise VocabularyFileError(f"{' with '.join(beside)}, template {shown(title)}: {error}") from None
    if len(own) == 1 and (name := next(iter(own))).endswith(".json") and not is_tekken(name):
        raw, from_beside = add_to_json(own[name], name, config)
        try:
            tokenizer = with_config(_read_own({name: raw}, pattern), config)
        except VocabularyFileError as error:
            if not from_beside:
                raise
            told = f"{counted(len(from_beside), 'token')} that {' and '.join(beside)} adds"
            raise VocabularyFileError(f"{error}; it is read with {told}") from None
        if isinstance(tokenizer, TokenizerJsonFile):
            return replace(tokenizer, model=replace(tokenizer.model, from_beside=from_beside))
        return tokenizer
    return with_config(_read_own(own, pattern), config)


def _read_own(files: Mapping[str, bytes], pattern: SplitPattern) -> FileTokenizer:
    for name, raw in files.items():
        check_kind(raw, name)
    if len(files) == 1 and (name := next(iter(files))).endswith(ENDING):
        check_count(len(files[name]), "bytes", MAX_FILE_BYTES, name)
        return WordTableTokenizer("opened", read_table(files[name], name))
    run_by_library = {name: kind for name, raw in files.items() if (kind := library_kind(name, raw))}
    if run_by_library:
        if len(files) > 1:
            raise InvalidInputError(f"choose {next(iter(run_by_library))} alone: it is a whole tokenizer")
        ((name, kind),) = run_by_library.items()
        check_count(len(files[name]), "bytes", MAX_FILE_BYTES, name)
        model = LibraryFile.of(kind, files[name], name)
        if kind == "sentencepiece.model":
            check_sentencepiece(model, name)
        else:
            read_bert_vocab(files[name], name)
        return _file_tokenizer("opened", model)
    try:
        return TrainedTokenizer("opened", _read_merges(files, pattern))
    except VocabularyFileError as unread:
        ((name, raw), *others) = files.items()
        is_one = not others and name.endswith(".json") and not name.endswith("encoder.json")
        if not is_one or is_tekken(name) or len(raw) > MAX_FILE_BYTES or not is_utf8(raw):
            raise
        try:
            return open_tokenizer_json(LibraryFile.of("tokenizer.json", raw, name), name)
        except VocabularyFileError as error:
            # Of byte-level BPE we know better what is wrong, but for parts that we do not know.
            is_ours = b'"ByteLevel"' in raw and not isinstance(unread, UnknownPartError)
            raise (unread if is_ours else error) from None


def _read_merges(files: Mapping[str, bytes], pattern: SplitPattern) -> BpeModel:
    """What our own readers read, and the names that the files have."""
    known = with_true_endings(files)
    model = read_model(known, pattern)
    assert model.read_from is not None
    own_name = dict(zip(known, files, strict=True))
    names = tuple([own_name[name] for name in model.read_from.file_names])
    return replace(model, read_from=replace(model.read_from, file_names=names))


def _is_small(files: Mapping[str, bytes]) -> bool:
    """Whether the bytes alone bound the work: they are few, and no pattern, template or library works."""
    if sum(map(len, files.values())) > MAX_BYTES_HERE or any(map(is_beside, files)):
        return False
    if any(library_kind(name, raw) for name, raw in files.items()):
        return False
    try:
        return not any(format_of(name).holds_pattern for name in files if not name.endswith(FOR_PEOPLE))
    except InvalidInputError:  # refused for its name
        return True
