"""Open a visitor's tokenizer files, alone or with the config beside them, within limits.

Small files are read in this process, others in a worker: reading a large file takes seconds of the
interpreter, a pattern in a file may never finish, and a library may crash on a damaged file. The contents of
files are checked in `files`; chat templates are run by `analysis.jinja_chat`.
"""

import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from playground.bpe.model import BpeModel
from playground.bpe.split_pattern import SplitPattern
from playground.catalog.extended import WithSpecialTokens
from playground.catalog.gguf_tokenizer import tokenizer_in
from playground.catalog.jinja_rendering import check_template
from playground.catalog.sentencepiece_file import SentencePieceFile, check_sentencepiece
from playground.catalog.tokenizer_json_file import TokenizerJsonFile, open_tokenizer_json
from playground.catalog.trained import TrainedTokenizer
from playground.catalog.word_table import ENDING, WordTable, WordTableTokenizer, read_table
from playground.catalog.wordpiece import WordPieceTokenizer, read_bert_vocab
from playground.core.errors import (
    CannotHoldError,
    InvalidInputError,
    UnknownPartError,
    UnknownTokenError,
    VocabularyFileError,
)
from playground.core.text_units import is_utf8
from playground.core.tokenizer import Tokenizer
from playground.core.wording import counted
from playground.files.checks import check_count, check_kind, read_json, read_text, shown
from playground.files.gguf import MAGIC
from playground.files.library_file import LibraryFile, library_kind, with_true_endings
from playground.files.limits import MAX_FILE_BYTES
from playground.files.registry import FOR_PEOPLE, format_of, read_model
from playground.files.tekken import is_tekken
from playground.files.tokenizer_config import CONFIG, AddedToken, TokenizerConfig, is_beside, read_config
from playground.workers import pool

#: The contents of a tokenizer's own file: merges that are run here, a table, or a library's file.
FileModel = BpeModel | LibraryFile | WordTable
#: A tokenizer that a file alone makes.
FileTokenizer = (
    TrainedTokenizer | SentencePieceFile | WordPieceTokenizer | TokenizerJsonFile | WordTableTokenizer
)


@dataclass(frozen=True, slots=True)
class ConfiguredModel:
    """The contents of a tokenizer's files: its own file and the config beside it."""

    model: FileModel
    config: TokenizerConfig


@dataclass(frozen=True)
class WithAddedTokens(WithSpecialTokens):
    """An opened tokenizer with tokens that are only in the config beside its file."""

    base: SentencePieceFile | WordPieceTokenizer

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle as the base's file."""
        return WithAddedTokens, (self.base, self.extra)

    @property
    def model(self) -> LibraryFile:
        """The file of the base."""
        return self.base.model

    @property
    def config(self) -> TokenizerConfig | None:
        """The config beside the file."""
        return self.base.config

    @property
    def about(self) -> str:
        """The tokenizer's kind in a few words."""
        return self.base.about

    @property
    def n_bytes_held(self) -> int:
        """The approximate number of bytes of memory it takes once every page has used it."""
        return self.base.n_bytes_held + 300 * len(self.extra)


def with_config(tokenizer: FileTokenizer, config: TokenizerConfig) -> FileTokenizer | WithAddedTokens:
    """Return a tokenizer with the config beside its file; tokens that it already has stay the same.

    Raises VocabularyFileError if a token cannot be added exactly.

    >>> from playground.bpe.split_pattern import SplitPattern
    >>> bytes_alone = TrainedTokenizer("mine", BpeModel(SplitPattern.named("gpt2"), ()))
    >>> added = TokenizerConfig({}, {}, (AddedToken("<|end|>", 256),))
    >>> dict(with_config(bytes_alone, added).special_tokens)
    {'<|end|>': 256}
    """
    match tokenizer:
        case TokenizerJsonFile():  # `add_to_json` has put them into its file
            return replace(tokenizer, config=config)
        case WordTableTokenizer():
            if _missing(tokenizer, config):
                raise VocabularyFileError(
                    f"{CONFIG} adds tokens, and a table of {tokenizer.model.unit} takes none"
                )
            return replace(tokenizer, config=config)
        case TrainedTokenizer():
            model = tokenizer.model
            special_tokens = {**model.special_tokens, **_missing(tokenizer, config)}
            return TrainedTokenizer(
                tokenizer.name, replace(model, special_tokens=special_tokens), config=config
            )
        case SentencePieceFile() | WordPieceTokenizer():
            missing = _missing(tokenizer, config)
            configured = replace(tokenizer, config=config)
            return WithAddedTokens(configured, missing) if missing else configured


def add_to_json(raw: bytes, file_name: str, config: TokenizerConfig) -> tuple[bytes, tuple[int, ...]]:
    """Return a tokenizer.json with the added tokens it lacks, and their ids. Raises VocabularyFileError.

    >>> config = TokenizerConfig({}, {}, (AddedToken("<x>", 1),))
    >>> added, ids = add_to_json(b'{"model": {}}', "x.json", config)
    >>> json.loads(added)["added_tokens"][0]["content"], ids
    ('<x>', (1,))
    """
    document = read_json(read_text(raw, file_name), file_name)
    own = document.get("added_tokens") or []
    if not isinstance(own, list):
        return raw, ()  # its reader reports the fault, as below
    id_of = {token.get("content"): token.get("id") for token in own if isinstance(token, dict)}
    missing = [token for token in config.added if token.content not in id_of]
    for token in config.added:
        if id_of.get(token.content, token.id) != token.id:
            raise _conflict(token, f"which has the id {id_of[token.content]} in {file_name}")
    if not missing:
        return raw, ()
    document["added_tokens"] = sorted([*own, *(token._asdict() for token in missing)], key=_id_of)
    try:
        return json.dumps(document, ensure_ascii=False).encode(), tuple(token.id for token in missing)
    except UnicodeEncodeError:  # a lone surrogate
        return raw, ()


def _id_of(token: object) -> int:
    found = token.get("id") if isinstance(token, dict) else None
    return found if isinstance(found, int) else 0


def _missing(tokenizer: Tokenizer, config: TokenizerConfig) -> Mapping[str, int]:
    """Return the added tokens that a tokenizer lacks, checked."""
    missing: dict[str, int] = {}
    for token in config.added:
        known = tokenizer.special_tokens.get(token.content)
        if known is not None and known != token.id:
            raise _conflict(token, f"which has the id {known} in the tokenizer’s file")
        try:
            spelled = tokenizer.vocabulary.entry(token.id).spelled
        except UnknownTokenError:
            spelled = None
        if spelled not in (None, token.content):
            raise _conflict(token, f"which is {shown(spelled)} in the tokenizer’s file")
        if spelled is not None:
            continue
        if not token.is_plain or (token.normalized and not isinstance(tokenizer, TrainedTokenizer)):
            raise VocabularyFileError(
                f"{CONFIG}: the added token {shown(token.content)} takes more than its own text; with a "
                "tokenizer.json alone that is exact"
            )
        missing[token.content] = token.id
    return missing


def _conflict(token: AddedToken, known: str) -> VocabularyFileError:
    return VocabularyFileError(
        f"{CONFIG} gives the token {shown(token.content)} the id {token.id}, {known}; choose files of one "
        "tokenizer"
    )


#: Bytes of all files that are read in this process; the work grows at most with their square.
MAX_BYTES_HERE = 20_000
#: Limits of reading and trying in a worker; o200k's tokenizer.json takes 3 s and 400 MB.
SECONDS, MEMORY_BYTES = 30.0, 1_500_000_000
#: Encoded once, so that what a tokenizer builds on first use is within the limits too.
_PROBE = "Hello world, 1234 \U0001f44b\n  " + "a" * 50

#: The contents of a tokenizer's own file, alone or with a config.
OpenedModel = FileModel | ConfiguredModel


class OpenedTokenizer(Tokenizer, Protocol):
    """A visitor's tokenizer, trained here or read from a file."""

    @property
    def model(self) -> FileModel:
        """The contents of its own file."""

    @property
    def config(self) -> TokenizerConfig | None:
        """The config beside the file, such as its chat template."""

    @property
    def about(self) -> str:
        """Its kind in a few words."""

    @property
    def n_bytes_held(self) -> int:
        """The approximate number of bytes of memory it takes once every page has used it."""


def tokenizer_of(name: str, model: OpenedModel) -> OpenedTokenizer:
    """Return the tokenizer of a model.

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
    """Return the model from which `tokenizer_of` makes this tokenizer."""
    return tokenizer.model if tokenizer.config is None else ConfiguredModel(tokenizer.model, tokenizer.config)


def open_files(
    files: Mapping[str, bytes],
    pattern: SplitPattern | None,
    *,
    visitor: str = "",
    cancelled: threading.Event | None = None,
) -> OpenedModel:
    """Read and try a tokenizer's files; `pattern` is the split pattern if they contain none.

    Raises VocabularyFileError, InvalidInputError, LimitExceededError; CancelledError once `cancelled` is set.

    >>> from playground.catalog.trained import load_python_docs
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


def read_and_try(files: Mapping[str, bytes], pattern: SplitPattern | None) -> OpenedModel:
    """Return the model of a tokenizer that `open_here` opens. Raises what that does."""
    tokenizer = open_here(files, pattern, "opened")
    if not isinstance(tokenizer, TrainedTokenizer):  # whose reader has checked the sizes
        tokenizer.vocabulary  # noqa: B018 - builds it within the limits
    return model_of(tokenizer)


def open_here(files: Mapping[str, bytes], pattern: SplitPattern | None, name: str) -> OpenedTokenizer:
    """Return the tokenizer of files, with a name, after it has encoded a text.

    Raises VocabularyFileError and InvalidInputError.
    """
    tokenizer = _read(files, pattern, name)
    try:
        tokenizer.encode(_probe_of(tokenizer), allowed_special=frozenset(tokenizer.special_tokens))
    except CannotHoldError as error:
        raise VocabularyFileError(f"{' with '.join(files)}: {error}") from None
    return tokenizer


def _probe_of(tokenizer: OpenedTokenizer) -> str:
    """Return a text to try, of characters with a token of their own if the tokenizer refuses others."""
    if isinstance(tokenizer, TokenizerJsonFile) and tokenizer.may_refuse_characters:
        return "".join(filter(lambda character: tokenizer.vocabulary.ids_of(character.encode()), _PROBE))
    return _PROBE


def _read(files: Mapping[str, bytes], pattern: SplitPattern | None, name: str) -> OpenedTokenizer:
    if model_files := [file_name for file_name, raw in files.items() if raw.startswith(MAGIC)]:
        return _read_gguf(files, model_files[0], name)
    beside = {file_name: raw for file_name, raw in files.items() if is_beside(file_name)}
    if not beside:
        return _read_own(files, pattern, name)
    own = {file_name: raw for file_name, raw in files.items() if file_name not in beside}
    if not own:
        raise InvalidInputError(
            f"{next(iter(beside))} goes with a tokenizer’s file: choose both at once, such as tokenizer.json "
            "with it"
        )
    config = _checked_config(beside, " with ".join(beside))
    if len(own) == 1 and (file_name := next(iter(own))).endswith(".json") and not is_tekken(file_name):
        raw, from_beside = add_to_json(own[file_name], file_name, config)
        try:
            tokenizer = with_config(_read_own({file_name: raw}, pattern, name), config)
        except VocabularyFileError as error:
            if not from_beside:
                raise
            added = f"{counted(len(from_beside), 'token')} that {' and '.join(beside)} adds"
            raise VocabularyFileError(f"{error}; it is read with {added}") from None
        if isinstance(tokenizer, TokenizerJsonFile):
            return replace(tokenizer, model=replace(tokenizer.model, from_beside=from_beside))
        return tokenizer
    return with_config(_read_own(own, pattern, name), config)


def _checked_config(files: Mapping[str, bytes], source: str) -> TokenizerConfig:
    config = read_config(files)
    for title, template in config.templates.items():
        try:
            check_template(template)
        except InvalidInputError as error:
            raise VocabularyFileError(f"{source}, template {shown(title)}: {error}") from None
    return config


def _read_gguf(files: Mapping[str, bytes], file_name: str, name: str) -> OpenedTokenizer:
    """Read the tokenizer in the header of a GGUF file, rewritten as a file of a library."""
    if len(files) > 1:
        raise InvalidInputError(f"choose {file_name} alone: it is a whole tokenizer")
    made = tokenizer_in(files[file_name], file_name)
    model = LibraryFile.of(made.kind, made.raw, f"{file_name.removesuffix('.gguf')}-{made.kind}")
    config = _checked_config({CONFIG: made.config}, file_name)
    if model.kind == "sentencepiece.model":
        check_sentencepiece(model, file_name)
        return with_config(_file_tokenizer(name, model), config)
    return with_config(open_tokenizer_json(model, file_name, name=name), config)


def _read_own(files: Mapping[str, bytes], pattern: SplitPattern | None, name: str) -> FileTokenizer:
    for file_name, raw in files.items():
        check_kind(raw, file_name)
    if len(files) == 1 and (file_name := next(iter(files))).endswith(ENDING):
        check_count(len(files[file_name]), "bytes", MAX_FILE_BYTES, file_name)
        return WordTableTokenizer(name, read_table(files[file_name], file_name))
    run_by_library = {
        file_name: kind for file_name, raw in files.items() if (kind := library_kind(file_name, raw))
    }
    if run_by_library:
        if len(files) > 1:
            raise InvalidInputError(f"choose {next(iter(run_by_library))} alone: it is a whole tokenizer")
        ((file_name, kind),) = run_by_library.items()
        check_count(len(files[file_name]), "bytes", MAX_FILE_BYTES, file_name)
        model = LibraryFile.of(kind, files[file_name], file_name)
        if kind == "sentencepiece.model":
            check_sentencepiece(model, file_name)
        else:
            read_bert_vocab(files[file_name], file_name)
        return _file_tokenizer(name, model)
    try:
        return TrainedTokenizer(name, _read_merges(files, pattern))
    except VocabularyFileError as unread:
        ((file_name, raw), *others) = files.items()
        is_one = not others and file_name.endswith(".json") and not file_name.endswith("encoder.json")
        if not is_one or is_tekken(file_name) or len(raw) > MAX_FILE_BYTES or not is_utf8(raw):
            raise
        try:
            return open_tokenizer_json(LibraryFile.of("tokenizer.json", raw, file_name), file_name, name=name)
        except VocabularyFileError as error:
            # For byte-level BPE our own message is better, except for parts that we do not know.
            is_ours = b'"ByteLevel"' in raw and not isinstance(unread, UnknownPartError)
            raise (unread if is_ours else error) from None


def _read_merges(files: Mapping[str, bytes], pattern: SplitPattern | None) -> BpeModel:
    """Read a model with our own readers; `read_from` has the names of the visitor's files."""
    known = with_true_endings(files)
    model = read_model(known, pattern)
    assert model.read_from is not None
    own_name = dict(zip(known, files, strict=True))
    names = tuple([own_name[name] for name in model.read_from.file_names])
    return replace(model, read_from=replace(model.read_from, file_names=names))


def _is_small(files: Mapping[str, bytes]) -> bool:
    """Whether the files are few bytes without a pattern, template or library file."""
    if sum(map(len, files.values())) > MAX_BYTES_HERE or any(map(is_beside, files)):
        return False
    if any(raw.startswith(MAGIC) for raw in files.values()):
        return False
    if any(library_kind(name, raw) for name, raw in files.items()):
        return False
    try:
        return not any(format_of(name).holds_pattern for name in files if not name.endswith(FOR_PEOPLE))
    except InvalidInputError:  # the reader refuses its name
        return True
