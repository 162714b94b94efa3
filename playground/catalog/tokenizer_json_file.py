"""A tokenizer.json that a person opens and that `tokenizers` runs, whatever its parts.

Files that we can run without the library become a `catalog.trained` tokenizer.
"""

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np
import regex

from playground.bpe.character_merging import BySpelledPair
from playground.bpe.gpt2_bytes import from_gpt2_characters, to_gpt2_characters
from playground.bpe.safe_cuts import safe_cut_of, space_cut
from playground.bpe.special_tokens import encode_around_special
from playground.catalog.unigram import UNKNOWN_PENALTY, Unigram
from playground.catalog.wordpiece import SAFE_CUT, cut_longest_first
from playground.core.building import Building, Given, Pretoken
from playground.core.encoding import Encoding
from playground.core.errors import (
    CannotHoldError,
    InvalidInputError,
    LimitExceededError,
    VocabularyFileError,
)
from playground.core.lazy import Once
from playground.core.text_units import Positions, byte_of_characters
from playground.core.tokenizer import (
    NO_SPECIAL,
    PythonProgram,
    RestOfText,
    decode_bytes,
    python_literal,
    replace_lone_surrogates,
)
from playground.core.vocabulary import Ids, Kind, TableVocabulary
from playground.core.wording import counted
from playground.files.checks import read_json, shown
from playground.files.library_cuts import AT_SPACES, BEHIND_SPACES, BERT
from playground.files.library_document import LibraryDocument, read_library_document
from playground.files.library_file import LibraryFile
from playground.files.proof import library_errors, versioned
from playground.files.tokenizer_config import AddedToken, TokenizerConfig
from playground.files.tokenizers_library import (
    cut_words,
    find_fault,
    load_in_parts,
    load_library,
    load_wordpiece,
    read_pairs,
    settled,
)
from playground.workers import pool

if TYPE_CHECKING:
    from tokenizers import Tokenizer as LibraryTokenizer

#: From this number of merges on, the library gets a file in parts; fewer load in 50 ms.
MANY_MERGES = 5_000
#: The same for pieces of WordPiece.
MANY_PIECES = 20_000
#: Limits of cutting a text by a file's own patterns, in a worker that may have to start.
SECONDS, MEMORY_BYTES = 8.0, 300_000_000
#: Characters of all texts together that a worker cuts in one request.
MAX_CUT_AT_ONCE = 500_000
#: Bytes of a character that the file's steps have cut apart are shown as private-use characters.
_LONE_BYTES = {0xDC00 + byte: 0xF700 + byte for byte in range(128, 256)}
_BYTES_LONE = {private: lone for lone, private in _LONE_BYTES.items()}

_MERGED_OTHERWISE = "Its library merges this pretoken in another way than the pairs of its file tell."
_WHY_NOTHING_INSIDE = {
    "WordLevel": "A token is a word of the table, and a word that is not in it is unknown.",
}
_LOAD = """from tokenizers import Tokenizer

encoding = Tokenizer.from_file({name})
"""
_LOAD_WITH_ADDED = """import json
from tokenizers import Tokenizer

with open({name}, encoding="utf-8-sig") as file:
    document = json.load(file)
beside = [  # added tokens that only the tokenizer_config.json beside it has
{added}]
added = [*(document.get("added_tokens") or []), *beside]
document["added_tokens"] = sorted(added, key=lambda token: token["id"])
encoding = Tokenizer.from_str(json.dumps(document))
"""


@dataclass(frozen=True)
class TokenizerJsonFile:
    """A tokenizer that `tokenizers` runs, without the file's frame around a text and without truncation.

    If all special tokens are allowed, the library finds them; if only some are, each part between them is
    encoded as a text of its own.
    """

    name: str
    model: LibraryFile
    split_pattern: None = None
    config: TokenizerConfig | None = None
    _once_read: Once[LibraryDocument] = field(default_factory=Once, repr=False, compare=False)
    _once_loaded: "Once[tuple[LibraryTokenizer, BySpelledPair | None]]" = field(
        default_factory=Once, repr=False, compare=False
    )
    _once_rest: Once[RestOfText | None] = field(default_factory=Once, repr=False, compare=False)
    _once_listed: Once[TableVocabulary] = field(default_factory=Once, repr=False, compare=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle as the file."""
        return partial(TokenizerJsonFile, config=self.config), (self.name, self.model)

    @property
    def special_tokens(self) -> Mapping[str, int]:
        """Map each special token to its id."""
        return self.document.special_tokens

    @property
    def vocabulary(self) -> TableVocabulary:
        """The tokens, including added ones."""
        return self._once_listed.get(self._list)

    @property
    def document(self) -> LibraryDocument:
        """The checked contents of the file."""
        return self._once_read.get(lambda: read_library_document(self._parsed(), self.name))

    @property
    def safe_cut(self) -> regex.Pattern[str] | None:
        """Where a text may be cut and encoded in pieces; None if the file's steps are not known.

        BERT's steps do not depend on the pieces: each word is encoded alone, and the added tokens, all
        special, are found before anything is normalized.
        """
        document = self.document
        cuts_like = document.cuts_like
        if cuts_like in (AT_SPACES, BEHIND_SPACES):
            return space_cut(is_behind=cuts_like == BEHIND_SPACES, without=document.of_spaces)
        return regex.compile(SAFE_CUT) if cuts_like == BERT else safe_cut_of(cuts_like)

    @property
    def safe_cut_outside_added(self) -> regex.Pattern[str] | None:
        """Where a text may be cut if no added token is cut; None if the file's steps are not known."""
        return safe_cut_of(self.document.cuts_outside_added)

    @property
    def rest(self) -> RestOfText | None:
        """Where a text that is one pretoken may be cut; None for nowhere."""
        return self._once_rest.get(self._find_rest)

    def _find_rest(self) -> RestOfText | None:
        cut = self.document.pair_cut
        return None if cut is None else RestOfText.behind(cut.before, cut.pattern, self._encode)

    def _list(self) -> TableVocabulary:
        document = self.document
        special = set(document.special_tokens.values())
        own = {token_id: token for token_id, token in document.tokens.items() if token_id not in special}
        added = {token_id: token for token, token_id in document.added.items() if token_id not in own}
        spelled = {**own, **added}
        kinds: dict[int, Kind] = {}
        raws = {
            token_id: token.encode() if token in document.added else _raw_of(token, token_id, document, kinds)
            for token_id, token in spelled.items()
        }
        if document.unknown_id is not None:
            kinds[document.unknown_id] = "unknown"
        return TableVocabulary(
            self.name,
            raws,
            raws.values(),
            ranks=None if self.merges is None else map(self.merges.rank_of, raws),
            scores=[document.scores.get(token_id, 0.0) for token_id in raws] if document.scores else None,
            kinds=kinds,
            special_tokens=document.special_tokens,
            spell=lambda token_id, _raw: spelled[token_id],
        )

    @property
    def merges(self) -> BySpelledPair | None:
        """The rule of listed pairs; None for a model of another kind."""
        return self._loaded[1]

    @property
    def added_tokens(self) -> Mapping[str, int]:
        """Tokens that are found wherever a text spells them, without special tokens."""
        return self.document.added

    @property
    def is_byte_level_bpe(self) -> bool:
        """Whether its pretokens are bytes that merge by pairs."""
        return self.document.model_type == "BPE" and self.document.cuts_bytes

    @property
    def may_refuse_characters(self) -> bool:
        """Whether it raises InvalidInputError for a character without a piece: a Unigram without `unk_id`."""
        return self.document.model_type == "Unigram" and self.document.unknown_id is None

    @property
    def ids_around(self) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
        """The ids that the file's post-processor puts before and after a text; None for nothing."""
        return self.document.ids_around

    @property
    def shown_around(self) -> str:
        """What the post-processor puts around a text, such as "[CLS] … [SEP]"."""
        return self.document.around

    @property
    def about(self) -> str:
        """The kind, the number of tokens, and what the file does that is not done here."""
        document = self.document
        kind = "byte-level BPE" if self.is_byte_level_bpe else document.model_type
        about = f"{kind} in tokenizers · {counted(len(self.vocabulary), 'token')}"
        if document.around:
            about += f" · models get {document.around}, which is not put around a text here"
        if document.n_kept_tokens:
            about += f" · its file cuts texts after {document.n_kept_tokens:,}, here they are whole"
        return about

    @property
    def n_bytes_held(self) -> int:
        """The approximate number of bytes of memory it takes once every page has used it.

        Measured: the library takes 350 bytes per token and 370 per merge.
        """
        document = self.document
        n_beside = self.config.n_bytes_held if self.config else 0
        n_packed = 2 * len(self.model.packed)
        return 700 * len(document.tokens) + 370 * document.n_merges + n_packed + n_beside

    def encode(self, text: str, *, allowed_special: frozenset[str] = NO_SPECIAL) -> Encoding:
        """Return the ids of a text, equal to the library's. Raises InvalidInputError."""
        text = replace_lone_surrogates(text)
        allowed = [name for name in self.special_tokens if name in allowed_special]
        if len(allowed) in (0, len(self.special_tokens)):
            return self._encode(text, allows_special=bool(allowed))
        return encode_around_special(self, text, allowed_special, self._encode)

    def encode_batch(self, texts: Sequence[str], *, allows_special: bool = False) -> list[Sequence[int]]:
        """Return the ids of each text in one call of the library, on all cores. Raises InvalidInputError."""
        texts = list(map(replace_lone_surrogates, texts))
        if not self.document.is_quick:
            if sum(map(len, texts)) > MAX_CUT_AT_ONCE:
                return [self._encode(text, allows_special=allows_special).ids.tolist() for text in texts]
            self._in_worker("try_cuts", texts)
        library: Any = self._library
        with library_errors(versioned("tokenizers")), self._lock:
            library.encode_special_tokens = not allows_special
            return [found.ids for found in library.encode_batch_fast(texts, add_special_tokens=False)]

    def iter_pretokens(self, text: str) -> Iterator[Pretoken]:
        """Yield added tokens and the normalized pretokens of the file's steps. Raises InvalidInputError."""
        for word, start, end, is_added in self._cut(replace_lone_surrogates(text)):
            key = self.document.added[word] if is_added else word
            yield Pretoken(word if is_added else self._shown(word), start, max(end, start + 1), key)

    def build(self, pretoken: Pretoken) -> Building:
        """Return how the file's model makes the tokens of a pretoken."""
        document = self.document
        if isinstance(pretoken.key, int):
            why = f"“{pretoken.text}” is an added token, which is found before all others."
            return Given((pretoken.key,), why)
        word = self._spelled(pretoken.text) if pretoken.key is None else pretoken.key
        with library_errors(versioned("tokenizers")):
            ids = tuple(token.id for token in self._library.model.tokenize(word))
        if document.model_type == "Unigram":
            return self._unigram.build(word, ids)
        if document.model_type == "WordPiece" and document.unknown_id is not None:
            cut = cut_longest_first(
                word, self._id_of, document.unknown_id,
                prefix=document.prefix, n_max_chars=document.n_max_word_chars,
            )  # fmt: skip
            return (
                cut
                if cut.ids == ids
                else Given(ids, "Its library cuts this word in another way than WordPiece does.")
            )
        if self.merges is not None:
            merged = self.merges.build_word(word)
            return merged if merged.ids == ids else Given(ids, _MERGED_OTHERWISE)
        return Given(ids, _WHY_NOTHING_INSIDE.get(document.model_type, Given.why))

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of ids as the library writes it. Raises UnknownTokenError.

        If the file's decoder searches with a pattern of its own, the tokens' bytes are joined instead.
        """
        ids = list(ids)
        joined = decode_bytes(self, ids).decode(errors="replace")
        if not self.document.decodes_quickly:
            return joined
        with library_errors(versioned("tokenizers")):
            return self._library.decode(ids, skip_special_tokens=False)

    def python_program(self) -> PythonProgram:
        """Return Python that loads the file in tokenizers, with the tokens from beside it."""
        name = python_literal(self.model.file_name or f"{self.name}.json")
        from_beside = set(self.model.from_beside)
        added = [token for token in self.config.added if token.id in from_beside] if self.config else []
        setup = (
            f"# {name} is the file that was opened.\n"
            f"{_LOAD_WITH_ADDED.format(name=name, added=_lines(added)) if added else _LOAD.format(name=name)}"
            "encoding.no_truncation()\n"
            "encoding.no_padding()\n"
        )
        as_text = "encoding.encode_special_tokens = True  # as the text that they are\n"
        encode = "encoding.encode(text, add_special_tokens=False).ids"
        decode = "encoding.decode(ids, skip_special_tokens=False)"
        return PythonProgram(
            setup + as_text, encode, decode, with_special=PythonProgram(setup, encode, decode)
        )

    def _encode(self, text: str, *, allows_special: bool = False) -> Encoding:
        if not self.document.is_quick:
            self._cut(text)
        library = self._library
        with library_errors(versioned("tokenizers")), self._lock:
            library.encode_special_tokens = not allows_special
            # As a batch of one text, because the library lets other threads run during a batch.
            (found,) = library.encode_batch([text], add_special_tokens=False)
        ids = np.array(found.ids, np.uint32)
        source = text.encode()
        raws = self.vocabulary.raws_of(ids)
        drops_spaces = (
            self.document.cuts_like == BEHIND_SPACES
        )  # and the tokens may spell others in their place
        if not drops_spaces and b"".join(raws) == source:  # nothing is dropped or changed
            return Encoding.tiling(text, ids, self._n_bytes_of)
        if self.document.has_wrong_offsets:
            places = self._pretoken_places(text, len(ids))
        else:
            places = np.array(found.offsets, np.int64).reshape(-1, 2)
        if len(source) != len(text):
            places = byte_of_characters(text)[places]
        starts, ends = np.maximum.accumulate(places[:, 0]), np.maximum.accumulate(places[:, 1])
        ends = np.maximum(starts, ends)
        _share_spans(starts, ends, raws, source)
        return Encoding(text, ids, starts, ends)

    def _pretoken_places(self, text: str, n_tokens: int) -> Positions:
        """Return the span in characters of each token's pretoken; of the whole text if they do not match."""
        places = [
            (start, end)
            for word, start, end, is_added in self._cut(text)
            for _ in range(1 if is_added else len(self._library.model.tokenize(word)))
        ]
        if len(places) != n_tokens:
            places = [(0, len(text))] * n_tokens
        return np.array(places, np.int64).reshape(-1, 2)

    def _shown(self, word: str) -> str:
        """Return a pretoken as text where the file's steps spell bytes or spaces by other characters."""
        document = self.document
        if document.cuts_bytes:
            raw = b"".join(map(self._raw_of_character, word))
            return raw.decode(errors="surrogateescape").translate(_LONE_BYTES)
        return word.replace(document.cut_space, " ") if document.cut_space else word

    def _spelled(self, text: str) -> str:
        """Return a text from `_shown` as the file's model spells it."""
        document = self.document
        if document.cuts_bytes:
            return to_gpt2_characters(text.translate(_BYTES_LONE).encode(errors="surrogateescape"))
        return text.replace(" ", document.cut_space) if document.cut_space else text

    def _raw_of_character(self, character: str) -> bytes:
        """Return the bytes that a character of `_spelled` stands for."""
        document = self.document
        if document.cuts_bytes:
            try:
                return from_gpt2_characters(character)
            except KeyError:  # not a GPT-2 spelling of a byte
                return character.encode()
        return b" " if character == document.cut_space else character.encode()

    def _cut(self, text: str) -> list[tuple[str, int, int, bool]]:
        """Return pretokens with their spans; patterns that may never finish are run in a worker."""
        document = self.document
        if document.is_quick:
            return cut_words(document.cutting, text)
        words: list[tuple[str, int, int, bool]] = self._in_worker("cut_words", text)
        return words

    def _in_worker(self, function: str, texts: str | Sequence[str]) -> Any:
        """Call a function that cuts texts by the file's own patterns. Raises InvalidInputError."""
        try:
            return pool.run(
                f"playground.files.tokenizers_library.{function}", self.document.cutting, texts,
                what=f"cutting this text as {self.name} does", seconds=SECONDS, memory_bytes=MEMORY_BYTES,
            )  # fmt: skip
        except LimitExceededError as error:
            raise InvalidInputError(str(error)) from None
        except CannotHoldError as error:
            raise InvalidInputError(f"{self.name}: its own patterns cannot cut this text: {error}") from None

    @cached_property
    def _id_of(self) -> dict[str, int]:
        return {token: token_id for token_id, token in self.document.tokens.items()}

    @cached_property
    def _unigram(self) -> Unigram:
        document, id_of = self.document, self._id_of
        unknown = () if document.unknown_id is None else (document.unknown_id,)

        def unknown_ids(characters: str) -> tuple[int, ...]:
            of_bytes = [id_of.get(f"<0x{byte:02X}>") for byte in characters.encode()]
            found = tuple([token_id for token_id in of_bytes if token_id is not None])
            return found if document.has_bytes and len(found) == len(of_bytes) else unknown

        pieces = {token: (token_id, document.scores[token_id]) for token, token_id in id_of.items()}
        return Unigram(pieces, min(document.scores.values(), default=0.0) - UNKNOWN_PENALTY, unknown_ids)

    @property
    def _library(self) -> "LibraryTokenizer":
        return self._loaded[0]

    @property
    def _loaded(self) -> "tuple[LibraryTokenizer, BySpelledPair | None]":
        return self._once_loaded.get(self._load)

    def _parsed(self) -> dict[str, Any]:
        return read_json(self._text, self.name)

    @property
    def _text(self) -> str:
        return self.model.raw.decode("utf-8-sig")

    def _load(
        self, parsed: Mapping[str, Any] | None = None
    ) -> "tuple[LibraryTokenizer, BySpelledPair | None]":
        """Return the library's tokenizer and its merge rule; `parsed` is the file's JSON if it is at hand."""
        document = self.document
        if document.model_type != "BPE":
            if document.model_type == "WordPiece" and len(document.tokens) > MANY_PIECES:
                parsed = parsed or self._parsed()
                if parsed["model"].get("type") == document.model_type:
                    return settled(load_wordpiece(parsed)), None
            return load_library(self._text), None
        parsed = parsed or self._parsed()
        merges, options = read_pairs(parsed["model"])
        if document.n_merges < MANY_MERGES or parsed["model"].get("type") != "BPE":
            library = load_library(self._text)
        else:
            library = settled(load_in_parts(parsed, merges, options))
        rule = BySpelledPair(
            parsed["model"]["vocab"], merges, options,
            spell=lambda raw: self._spelled(raw.decode(errors="surrogateescape").translate(_LONE_BYTES)),
            unspell=self._raw_of_character, raw_of=lambda token_id: self.vocabulary.raw_of(token_id),
        )  # fmt: skip
        return library, rule

    def _n_bytes_of(self, ids: Ids) -> Positions:
        return self.vocabulary.n_bytes_of(ids)


def _lines(added: Iterable[AddedToken]) -> str:
    """Return tokens as lines of a Python list."""
    return "".join(f"    {token._asdict()!r},\n" for token in added)


def _share_spans(starts: Positions, ends: Positions, raws: Sequence[bytes], source: bytes) -> None:
    """Give each token of a split character its own bytes, if overlapping tokens spell their text.

    The library gives every one of them all bytes of the character.
    """
    begins = np.append(np.flatnonzero(starts[1:] >= ends[:-1]) + 1, len(starts))
    first = 0
    for last in begins.tolist():
        if last - first > 1:
            group, start = slice(first, last), int(starts[first])
            if b"".join(raws[group]) == source[start : int(ends[last - 1])]:
                bounds = [*accumulate(map(len, raws[group]), initial=start)]
                starts[group], ends[group] = bounds[:-1], bounds[1:]
        first = last


def open_tokenizer_json(model: LibraryFile, file_name: str, *, name: str = "") -> TokenizerJsonFile:
    """Return the tokenizer of a file, named `name` or like the file.

    Raises VocabularyFileError if it exceeds a limit or does not load.
    """
    parsed = read_json(model.raw.decode("utf-8-sig"), file_name)
    document = read_library_document(parsed, file_name)
    tokenizer = TokenizerJsonFile(name or file_name, model, _once_read=Once.of(document))
    try:
        with library_errors(versioned("tokenizers")):
            library, _rule = tokenizer._once_loaded.get(partial(tokenizer._load, parsed))
            for token, token_id in {**document.special_tokens, **document.added}.items():
                found = library.token_to_id(token)
                if found != token_id:
                    raise VocabularyFileError(
                        f"{file_name}: its added token {shown(token)} has the id {token_id}, but Hugging "
                        f"Face's library gives it {found}"
                    )
            _check_normalized(library, file_name)
            load_library(document.cutting)
    except InvalidInputError as error:
        fault = find_fault(parsed) or str(error)
        raise VocabularyFileError(f"{file_name}: {fault}") from None
    return tokenizer


def _check_normalized(library: "LibraryTokenizer", file_name: str) -> None:
    """Raise VocabularyFileError if two added tokens are the same text once normalized.

    The library then finds one of them, which differs from one loading of the file to the next.
    """
    normalizer: Any = library.normalizer
    content_of: dict[str, str] = {}
    for token in library.get_added_tokens_decoder().values() if normalizer else ():
        if token.normalized:
            normalized = normalizer.normalize_str(token.content)
            other = content_of.setdefault(normalized, token.content)
            if other != token.content:
                raise VocabularyFileError(
                    f"{file_name}: its added tokens {shown(other)} and {shown(token.content)} are both "
                    f"{shown(normalized)} once normalized, which gives other ids each time; one can be read"
                )


def _raw_of(token: str, token_id: int, document: LibraryDocument, kinds: dict[int, Kind]) -> bytes:
    """Return the bytes of a token, and record its kind if that is not "piece"."""
    if document.has_bytes and len(token) == 6 and token.startswith("<0x") and token.endswith(">"):
        kinds[token_id] = "byte"
        return bytes([int(token[3:5], 16)])
    plain = token
    if document.prefix and token.startswith(document.prefix) and token != document.prefix:
        kinds[token_id] = "continuation"
        plain = plain.removeprefix(document.prefix)
    if document.suffix and plain != document.suffix:
        plain = plain.removesuffix(document.suffix)
    if document.is_byte_level:
        try:
            raw = from_gpt2_characters(plain)
        except KeyError:
            return plain.encode()
        if len(raw) == 1:
            kinds.setdefault(token_id, "byte")
        return raw
    return (plain.replace(document.space, " ") if document.space else plain).encode()
