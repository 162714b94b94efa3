"""A SentencePiece model, BPE or Unigram, run by its library: Mistral's that ship with the app, or opened."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property, partial
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import regex

from playground.bpe.character_merging import ByScore
from playground.bpe.special_tokens import encode_around_special
from playground.catalog.sentencepiece_library import (
    SPACE,
    decode_pieces,
    merge_rule_of,
    rest_at_spaces,
    rest_of_text,
    special_tokens_of,
    vocabulary_of,
)
from playground.catalog.shipped_vocabularies import check_hash, read_vocabulary
from playground.catalog.unigram import UNKNOWN_PENALTY, Unigram
from playground.core.building import Given, Lattice, Merged, Pretoken
from playground.core.encoding import Encoding
from playground.core.errors import VocabularyFileError
from playground.core.text_units import Positions
from playground.core.tokenizer import (
    NO_SPECIAL,
    PythonProgram,
    RestOfText,
    python_literal,
    replace_lone_surrogates,
)
from playground.core.vocabulary import Ids, TableVocabulary
from playground.core.wording import counted
from playground.files.charsmap import check_charsmap
from playground.files.checks import check_count, shown
from playground.files.library_file import LibraryFile
from playground.files.limits import MAX_ENTRIES, MAX_SPECIAL_TOKENS, MAX_TOKEN_BYTES
from playground.files.proof import library_errors, versioned
from playground.files.tokenizer_config import TokenizerConfig

if TYPE_CHECKING:
    from sentencepiece import SentencePieceProcessor

#: The SHA-256 of the `.model` files that ship with the app, by encoding name.
_HASHES = {
    "gemma_4": "3ced6b3f9e6b7ae72dda9eb13f8e6eacb4c695c742225bc2a78d8c600f9aacd0",
    "mistral_v1": "dadfd56d766715c61d2ef780a525ab43b8e6da4de6865bda3d95fdef5e134055",
    "mistral_v3": "9addc8bdce5988448ae81b729336f43a81262160ae8da760674badab9d4c7d33",
}

#: If pieces have more characters than this before a space inside them, the whole text is one pretoken.
_MAX_BEFORES = 16

_MERGED_OTHERWISE = "Its library merges this word in another way than its scores tell."
_WHY_NOTHING_INSIDE = {
    "WORD": "A token is a word of the table, and a word that is not in it is unknown.",
    "CHAR": "A token is a character of the table, and one that is not in it is unknown.",
}


@dataclass(frozen=True)
class SentencePieceFile:
    """A tokenizer that `sentencepiece` runs. Characters that change together share their tokens' span.

    A space that the library adds before or after a text covers no bytes if it is a token of its own; a token
    that contains it covers its other characters. `opening` is the Python that opens a file that ships with
    the app; `config` is the config beside an opened file.

    >>> mistral = load_sentencepiece("mistral_v1")
    >>> encoding = mistral.encode("Hello é🙂")
    >>> [mistral.vocabulary.entry(token_id).spelled for token_id in encoding], encoding.starts.tolist()
    (['▁Hello', '▁é', '🙂'], [0, 5, 8])
    """

    name: str
    model: LibraryFile
    _: KW_ONLY
    opening: str = ""
    config: TokenizerConfig | None = None
    split_pattern: None = None
    safe_cut: None = None

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle as the file."""
        made = partial(SentencePieceFile, opening=self.opening, config=self.config)
        return made, (self.name, self.model)

    @cached_property
    def special_tokens(self) -> Mapping[str, int]:
        """Map each control symbol and the unknown token to its id."""
        return special_tokens_of(self._processor)

    @cached_property
    def vocabulary(self) -> TableVocabulary:
        """The pieces."""
        return vocabulary_of(self.name, self._processor, self.special_tokens, self.merges)

    @cached_property
    def merges(self) -> ByScore | None:
        """The rule: characters merge, the best score first; None for models that do not merge."""
        document, kinds = self._document, type(self._document).SentencePiece
        if document.trainer_spec.model_type != type(document.trainer_spec).BPE:
            return None
        pieces = enumerate(document.pieces)
        symbols = [token_id for token_id, piece in pieces if piece.type == kinds.USER_DEFINED]
        return merge_rule_of(self._processor, symbols)

    @cached_property
    def about(self) -> str:
        """The kind and the number of tokens."""
        spec = self._document.trainer_spec
        kinds = type(spec)
        names = {kinds.UNIGRAM: "Unigram", kinds.BPE: "BPE", kinds.WORD: "words", kinds.CHAR: "characters"}
        kind = names[spec.model_type]
        return f"SentencePiece {kind} · {counted(self._processor.vocab_size(), 'token')}"

    @cached_property
    def n_bytes_held(self) -> int:
        """The approximate number of bytes of memory it takes once every page has used it."""
        n_bytes: int = self._document.ByteSize()
        n_beside = self.config.n_bytes_held if self.config else 0
        return 6 * n_bytes + 900 * self._processor.vocab_size() + n_beside

    @cached_property
    def rest(self) -> RestOfText | None:
        """Where a text may be cut; None for nowhere.

        A Unigram may not be cut: the library sums scores over the whole text in single precision, so which of
        two nearly equal spellings of a word wins depends on everything before it.
        """
        spec = self._document.normalizer_spec
        if self._strips_after or self.merges is None or self._is_suffix or not spec.escape_whitespaces:
            return None
        if self._is_as_typed and self._document.trainer_spec.byte_fallback:
            return rest_of_text(self._processor, self._encode)
        return rest_at_spaces(self._processor, self._encode, spec.precompiled_charsmap)

    def encode(self, text: str, *, allowed_special: frozenset[str] = NO_SPECIAL) -> Encoding:
        """Return the ids of a text, equal to the library's.

        Each part between special tokens is encoded alone.
        """
        return encode_around_special(
            self, text, allowed_special, self._encode, strips_after=self._strips_after
        )

    def encode_batch(self, texts: Sequence[str]) -> list[Sequence[int]]:
        """Return the ids of each text in one call of the library, on all cores."""
        n_threads = os.cpu_count() or 1
        found: list[Sequence[int]] = self._processor.encode(
            list(map(replace_lone_surrogates, texts)), num_threads=n_threads
        )
        return found

    def normalized(self, text: str) -> str:
        """Return a text as the library normalizes it, with spaces for U+2581."""
        normalized: str = self._processor.normalize(replace_lone_surrogates(text))
        return normalized.replace(SPACE, " ")

    def iter_pretokens(self, text: str) -> Iterator[Pretoken]:
        """Yield normalized words with their spaces, or the whole text if pieces cross spaces."""
        normalized, offsets = self._processor.normalize(replace_lone_surrogates(text), with_offsets=True)
        ends = _following(offsets)
        for match in self._word.finditer(normalized):
            start, end = match.span()
            word = match.group()
            # A space that was added before or after the text is left out if it is a token of its own.
            if self._has_dummy and not self._is_suffix and start == 0 and offsets[0] == offsets[1]:
                word = word[1:] if self._spells_alone(word, 0) else word
            if self._has_dummy and self._is_suffix and end == len(normalized) and offsets[-2] == offsets[-1]:
                word = word[:-1] if self._spells_alone(word, -1) else word
            if word:
                yield Pretoken(word.replace(SPACE, " "), offsets[start], ends[end - 1])

    def build(self, pretoken: Pretoken) -> Merged | Lattice | Given:
        """Return how the pieces of a word merge or are chosen by their scores."""
        ids = tuple(self._words.encode(pretoken.text))
        if self._unigram is not None:
            return self._unigram.build(self._spelled(pretoken.text), ids)
        if self.merges is not None:
            merged = self.merges.build(pretoken.text.encode())
            return merged if merged.ids == ids else Given(ids, _MERGED_OTHERWISE)
        spec = self._document.trainer_spec
        return Given(ids, _WHY_NOTHING_INSIDE[type(spec).ModelType.Name(spec.model_type)])

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of ids as the library writes it. Raises UnknownTokenError."""
        return decode_pieces(ids, self._processor, self.vocabulary, self.special_tokens)

    def python_program(self) -> PythonProgram:
        """Return Python that loads the model's file in sentencepiece."""
        name = python_literal(self.model.file_name or f"{self.name}.model")
        setup = (
            "# Its model is in a file that Tessera saves beside Copy Python.\n"
            "import gzip\n\nfrom sentencepiece import SentencePieceProcessor\n\n"
            f"with {self.opening} as file:\n    encoding = SentencePieceProcessor(model_proto=file.read())\n"
            if self.opening
            else f"# {name} is the file that was opened.\n"
            "from sentencepiece import SentencePieceProcessor\n\n"
            f"encoding = SentencePieceProcessor(model_file={name})\n"
        )
        added = {token_id: name for name, token_id in self.special_tokens.items()}
        return PythonProgram(setup, "encoding.encode(text)", "encoding.decode(ids)", added=added)

    def _encode(self, text: str) -> Encoding:
        if self._keeps_bytes:
            return self._encode_kept_bytes(text)
        pieces = self._processor.encode(text, out_type="proto").pieces
        ids = np.array([piece.id for piece in pieces], np.uint32)
        raws = self.vocabulary.raws_of(ids)
        source = text.encode()
        starts = np.array([piece.begin for piece in pieces], np.int64)
        ends = np.array([piece.end for piece in pieces], np.int64)
        _share_spans(starts, ends, raws, source, has_dummy=self._has_dummy)
        covers_all = np.array_equal(np.append(starts, len(source)), np.append(0, ends))
        if covers_all and b"".join(raws) == source:
            return Encoding.tiling(text, ids, self._n_bytes_of)
        return Encoding(text, ids, starts, ends)

    def _encode_kept_bytes(self, text: str) -> Encoding:
        """Encode without asking the library for spans, which takes 2.4 times as long.

        The tokens' bytes are the text's with a space before it and one for each U+2581, whose first byte
        stands for it.
        """
        ids = np.array(self._processor.encode(text), np.uint32)
        raw = np.frombuffer(text.encode(), np.uint8)
        is_token_byte = np.ones(len(raw), np.bool_)
        sign = np.flatnonzero((raw[:-2] == 0xE2) & (raw[1:-1] == 0x96) & (raw[2:] == 0x81))
        is_token_byte[sign + 1] = is_token_byte[sign + 2] = False
        starts = np.flatnonzero(is_token_byte)
        ends = np.append(starts[1:], len(raw))
        last = np.cumsum(self.vocabulary.n_bytes_of(ids)) - 1
        first = np.concatenate([[0], last[:-1]])
        return Encoding(text, ids, np.append(starts, len(raw))[first], np.concatenate([[0], ends])[last])

    @cached_property
    def _strips_after(self) -> frozenset[str]:
        """The special tokens that take the white space behind them, as the config beside the file says."""
        added = self.config.added if self.config else ()
        return frozenset(token.content for token in added if token.rstrip)

    @cached_property
    def _is_as_typed(self) -> bool:
        """Whether normalizing changes no character and removes no space."""
        spec = self._document.normalizer_spec
        return not (spec.precompiled_charsmap or spec.remove_extra_whitespaces)

    @cached_property
    def _keeps_bytes(self) -> bool:
        """Whether tokens spell exactly the text with a space before it, each U+2581 as a space.

        A space without a piece of its own, or in an unknown word, becomes the three bytes of U+2581.
        """
        spec, trainer = self._document.normalizer_spec, self._document.trainer_spec
        is_prefixed = self._has_dummy and not self._is_suffix and spec.escape_whitespaces
        is_whole = trainer.model_type != type(trainer).WORD and self._knows_space
        return self._is_as_typed and is_prefixed and bool(trainer.byte_fallback) and is_whole

    @property
    def _has_dummy(self) -> bool:
        has_dummy: bool = self._document.normalizer_spec.add_dummy_prefix
        return has_dummy

    @property
    def _is_suffix(self) -> bool:
        is_suffix: bool = self._document.trainer_spec.treat_whitespace_as_suffix
        return is_suffix

    def _spells_alone(self, word: str, place: int) -> bool:
        """Whether the first or last token of a word is a single space."""
        ids = self._words.encode(word)
        return bool(ids) and self._processor.id_to_piece(ids[place]) == SPACE

    @cached_property
    def _processor(self) -> "SentencePieceProcessor":
        return _load(self.model.raw)

    @cached_property
    def _words(self) -> "SentencePieceProcessor":
        """The processor with the same pieces, for text that is already normalized."""
        changed = type(self._document)()
        changed.CopyFrom(self._document)
        spec = changed.normalizer_spec
        spec.precompiled_charsmap, spec.name = b"", "identity"
        spec.add_dummy_prefix = spec.remove_extra_whitespaces = False
        return _load(changed.SerializeToString())

    @cached_property
    def _document(self) -> Any:
        return _parse(self.model.raw)

    @cached_property
    def _word(self) -> regex.Pattern[str]:
        """Matches pretokens: words, joined where a piece may cross the space between them, or the whole text.

        Adjacent unknown characters are one token, also across a space that is unknown itself; and adjacent
        unknown words are one token in a model of words.
        """
        pieces = [piece.piece for piece in self._document.pieces]
        spec = self._document.trainer_spec
        if spec.model_type != type(spec).WORD and self._knows_space:
            side = "rstrip" if self._is_suffix else "lstrip"
            crossing = [piece for piece in pieces if SPACE in getattr(piece, side)(SPACE)]
            if not crossing and self._is_suffix:
                return regex.compile(f"[^{SPACE}]+{SPACE}*|{SPACE}+")
            # A piece that crosses a space has one of these characters before it.
            befores = {a for piece in crossing for a, b in pairwise(piece) if b == SPACE != a}
            if not self._is_suffix and len(befores) <= _MAX_BEFORES:
                joined = "".join(f"|(?<={regex.escape(before)}){SPACE}+" for before in sorted(befores))
                return regex.compile(f"{SPACE}*(?:[^{SPACE}]{joined})+|{SPACE}+")
        return regex.compile(r"(?s).+")

    @property
    def _knows_space(self) -> bool:
        """Whether a single space is a piece."""
        return bool(self._processor.piece_to_id(SPACE) != self._processor.unk_id())

    def _spelled(self, text: str) -> str:
        """Return a pretoken as pieces spell it."""
        return text.replace(" ", SPACE) if self._document.normalizer_spec.escape_whitespaces else text

    @cached_property
    def _unigram(self) -> Unigram | None:
        """The Unigram model; None for a model of another kind."""
        document, kinds = self._document, type(self._document).SentencePiece
        if document.trainer_spec.model_type != type(document.trainer_spec).UNIGRAM:
            return None
        scores = [piece.score for piece in document.pieces if piece.type == kinds.NORMAL]
        pieces = {
            piece.piece: (
                token_id,
                _score_of_symbol(piece.piece) if piece.type == kinds.USER_DEFINED else piece.score,
            )
            for token_id, piece in enumerate(document.pieces)
            if piece.type in (kinds.NORMAL, kinds.USER_DEFINED)
        }
        unknown = (self._processor.unk_id(),)
        byte_ids = [self._processor.piece_to_id(f"<0x{byte:02X}>") for byte in range(256)]

        def unknown_ids(characters: str) -> tuple[int, ...]:
            if not document.trainer_spec.byte_fallback:
                return unknown
            return tuple([byte_ids[byte] for byte in characters.encode()])

        return Unigram(pieces, min(scores, default=0.0) - UNKNOWN_PENALTY, unknown_ids, is_single=True)

    def _n_bytes_of(self, ids: Ids) -> Positions:
        return self.vocabulary.n_bytes_of(ids)


def load_sentencepiece(name: str) -> SentencePieceFile:
    """Load a model that ships with the app. Raises VocabularyFileError.

    >>> load_sentencepiece("mistral_v3").vocabulary.n_vocab
    32768
    """
    data = read_vocabulary(f"{name}.model.gz")
    check_hash(f"{name}.model", data, _HASHES[name], source="the shipped file")
    opening = f'gzip.open("assets/vocabularies/{name}.model.gz")'
    return SentencePieceFile(name, LibraryFile.of("sentencepiece.model", data), opening=opening)


def check_sentencepiece(model: LibraryFile, file_name: str) -> None:
    """Raise VocabularyFileError for a file that is not a model or exceeds a limit."""
    document = _parse(model.raw, file_name)
    if not document.HasField(
        "normalizer_spec"
    ):  # the last field; a truncated file may end between two pieces
        raise VocabularyFileError(
            f"{file_name} is not a complete SentencePiece model: its normalizer_spec is missing, which "
            "follows its pieces"
        )
    check_count(len(document.pieces), "pieces", MAX_ENTRIES, file_name)
    for token_id, piece in enumerate(document.pieces):
        if isinstance(piece.piece, bytes):  # protobuf's value for text that is not UTF-8
            raise VocabularyFileError(
                f"{file_name}: piece {token_id} is not UTF-8 text: {shown(piece.piece)}"
            )
        n_bytes = len(piece.piece.encode())
        if not 0 < n_bytes <= MAX_TOKEN_BYTES:
            raise VocabularyFileError(
                f"{file_name}: piece {token_id} has {n_bytes:,} bytes; 1 to {MAX_TOKEN_BYTES:,} are read"
            )
    kinds = [piece.type for piece in document.pieces]
    n_unknown = kinds.count(type(document).SentencePiece.UNKNOWN)
    n_control = kinds.count(type(document).SentencePiece.CONTROL)
    check_count(n_control, "control symbols", MAX_SPECIAL_TOKENS, file_name)
    if n_unknown != 1:
        raise VocabularyFileError(
            f"{file_name} has {counted(n_unknown, 'piece')} for unknown characters; a model has one"
        )
    check_charsmap(document.normalizer_spec.precompiled_charsmap, file_name)
    _load(model.raw, file_name)


def _parse(raw: bytes, file_name: str = "the file") -> Any:
    """Parse the file as a protobuf message. Raises VocabularyFileError."""
    from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
    from sentencepiece import sentencepiece_model_pb2

    document = vars(sentencepiece_model_pb2)["ModelProto"]()
    try:
        document.ParseFromString(raw)
    except DecodeError:
        raise VocabularyFileError(f"{file_name} is not a complete SentencePiece model") from None
    return document


def _load(raw: bytes, file_name: str = "the file") -> "SentencePieceProcessor":
    from sentencepiece import SentencePieceProcessor

    try:
        with library_errors(versioned("sentencepiece")):
            return SentencePieceProcessor(model_proto=raw)
    except Exception as error:
        raise VocabularyFileError(f"{file_name}: {error}") from None


def _score_of_symbol(symbol: str) -> float:
    """Return the score that `sentencepiece` 0.2.3 gives a user-defined symbol.

    It is high enough that the best path contains the symbol.
    """
    return (len(symbol) - 1) / 10


def _following(offsets: Sequence[int]) -> list[int]:
    """For each offset, return the next larger one, where the text that begins there ends."""
    following: list[int] = []
    end = after = offsets[-1] if offsets else 0
    for offset in reversed(offsets):
        if offset < end:
            end, after = offset, end
        following.append(after)
    return following[::-1]


def _share_spans(
    starts: Positions, ends: Positions, raws: Sequence[bytes], source: bytes, *, has_dummy: bool
) -> None:
    """Give the tokens of one character its span; the library gives it to the last of them only.

    Byte tokens of an unchanged character get one byte each; tokens of a changed character share its span.
    """
    first = 1 if has_dummy and len(raws) and raws[0] == b" " and starts[0] == ends[0] else 0
    is_whole = np.flatnonzero(ends > starts)
    before = first
    for last in is_whole.tolist():
        if before < last:
            start, end = int(starts[last]), int(ends[last])
            group = slice(before, last + 1)
            if b"".join(raws[group]) == source[start:end]:
                bounds = [*accumulate(map(len, raws[group]), initial=start)]
                starts[group], ends[group] = bounds[:-1], bounds[1:]
            else:
                starts[group], ends[group] = start, end
        before = last + 1
