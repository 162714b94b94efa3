"""Opened tokenizers with what lies beside their files: the tokens that a tokenizer_config.json adds.

Merges and a tokenizer.json take them into themselves; SentencePiece's and BERT's files get them around. What
its chat template does is `analysis.jinja_chat`'s business.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace

from playground.bpe.model import BpeModel
from playground.catalog.extended import WithSpecialTokens
from playground.catalog.sentencepiece_file import SentencePieceFile
from playground.catalog.tokenizer_json_file import TokenizerJsonFile
from playground.catalog.trained import TrainedTokenizer
from playground.catalog.word_table import WordTableTokenizer
from playground.catalog.wordpiece import WordPieceTokenizer
from playground.core.errors import UnknownTokenError, VocabularyFileError
from playground.core.tokenizer import Tokenizer
from playground.files.checks import read_json, read_text, shown
from playground.files.library_file import LibraryFile
from playground.files.tokenizer_config import CONFIG, AddedToken, TokenizerConfig
from playground.files.word_table import WordTable

#: What a tokenizer's own file holds: merges that are merged here, a table, or what its own library runs.
FileModel = BpeModel | LibraryFile | WordTable
#: A tokenizer that a file alone makes.
FileTokenizer = (
    TrainedTokenizer | SentencePieceFile | WordPieceTokenizer | TokenizerJsonFile | WordTableTokenizer
)


@dataclass(frozen=True, slots=True)
class ConfiguredModel:
    """What a tokenizer's files hold: its own, and those beside it."""

    model: FileModel
    config: TokenizerConfig


@dataclass(frozen=True)
class WithAddedTokens(WithSpecialTokens):
    """An opened tokenizer with tokens that stand beside its file alone."""

    base: SentencePieceFile | WordPieceTokenizer

    def __reduce__(self) -> tuple[object, ...]:
        """Travels to another process as its file."""
        return WithAddedTokens, (self.base, self.extra)

    @property
    def model(self) -> LibraryFile:
        """All that the base is made of."""
        return self.base.model

    @property
    def config(self) -> TokenizerConfig | None:
        """What lay beside the file."""
        return self.base.config

    @property
    def about(self) -> str:
        """Its kind in a few words."""
        return self.base.about

    @property
    def n_bytes_held(self) -> int:
        """About how many bytes of memory it takes once every page has used it."""
        return self.base.n_bytes_held + 300 * len(self.extra)


def with_config(tokenizer: FileTokenizer, config: TokenizerConfig) -> FileTokenizer | WithAddedTokens:
    """The tokenizer with what lies beside its file; tokens that it has already stay what they are.

    Raises VocabularyFileError where a token cannot be added exactly.

    >>> from playground.bpe.split_pattern import SplitPattern
    >>> bytes_alone = TrainedTokenizer("mine", BpeModel(SplitPattern.named("gpt2"), ()))
    >>> added = TokenizerConfig({}, {}, (AddedToken("<|end|>", 256),))
    >>> dict(with_config(bytes_alone, added).special_tokens)
    {'<|end|>': 256}
    """
    match tokenizer:
        case TokenizerJsonFile():  # its file has them since `add_to_json`
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
    """A tokenizer.json with the added tokens that it lacks, and their ids. Raises VocabularyFileError.

    >>> config = TokenizerConfig({}, {}, (AddedToken("<x>", 1),))
    >>> added, ids = add_to_json(b'{"model": {}}', "x.json", config)
    >>> json.loads(added)["added_tokens"][0]["content"], ids
    ('<x>', (1,))
    """
    document = read_json(read_text(raw, file_name), file_name)
    own = document.get("added_tokens") or []
    if not isinstance(own, list):
        return raw, ()  # its reader tells, as below
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
    except UnicodeEncodeError:  # half a surrogate pair
        return raw, ()


def _id_of(token: object) -> int:
    found = token.get("id") if isinstance(token, dict) else None
    return found if isinstance(found, int) else 0


def _missing(tokenizer: Tokenizer, config: TokenizerConfig) -> Mapping[str, int]:
    """The added tokens that a tokenizer does not have, checked."""
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
