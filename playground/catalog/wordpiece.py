"""WordPiece as in BERT: words, lower-cased without accents or not, cut into the longest pieces.

`tokenizers` encodes; `cut_longest_first` cuts a word here too, to show how its tokens come about. A
`vocab.txt` has one piece per line, whose number is its id.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np
import regex

from playground.bpe.special_tokens import encode_around_special
from playground.catalog.shipped_vocabularies import check_hash, read_vocabulary
from playground.core.building import Given, Pretoken, Probed
from playground.core.encoding import Encoding
from playground.core.text_units import Positions, byte_of_characters
from playground.core.tokenizer import NO_SPECIAL, PythonProgram, python_literal, replace_lone_surrogates
from playground.core.vocabulary import Ids, TableVocabulary
from playground.core.wording import counted
from playground.files.library_file import LibraryFile
from playground.files.tokenizer_config import TokenizerConfig

if TYPE_CHECKING:
    from tokenizers import Tokenizer as LibraryTokenizer


from playground.core.building import Probe
from playground.core.errors import VocabularyFileError
from playground.files.checks import check_count, read_text, shown
from playground.files.limits import MAX_ENTRIES, MAX_SPECIAL_CHARS

#: The SHA-256 of the `vocab.txt` that Google publishes, by encoding name.
_HASHES = {"bert_uncased": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"}
_CONTINUES = "##"
#: A longer word is unknown as a whole.
_MAX_WORD_CHARS = 100
#: Words end at white space and around punctuation marks, and normalizing does not cross these. The characters
#: on both sides have tokens, because dropped characters count to the token before them.
_KEPT = r"[^\s\p{M}\p{C}\ufffd]"
SAFE_CUT = rf"(?<={_KEPT}[ \t\r\n])(?={_KEPT})|(?<=[!-/:-@\[-`{{-~\u4e00-\u9fff])(?={_KEPT})"


@dataclass(frozen=True)
class WordPieceTokenizer:
    """A `vocab.txt`, shipped or opened, without BERT's `[CLS]` before and `[SEP]` after a text.

    `opening` is the Python that opens a file that ships with the app; `config` is the config beside an opened
    file.

    >>> bert = load_bert("bert_uncased")
    >>> [bert.vocabulary.entry(token_id).spelled for token_id in bert.encode("Unaffable Élan")]
    ['una', '##ffa', '##ble', 'el', '##an']
    """

    name: str
    model: LibraryFile
    _: KW_ONLY
    opening: str = ""
    config: TokenizerConfig | None = None
    split_pattern: None = None
    merges: None = None
    rest: None = None

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle as the file."""
        made = partial(WordPieceTokenizer, opening=self.opening, config=self.config)
        return made, (self.name, self.model)

    @cached_property
    def pieces(self) -> tuple[str, ...]:
        """The pieces by id."""
        return read_bert_vocab(self.model.raw, self.name)

    @cached_property
    def special_tokens(self) -> Mapping[str, int]:
        """Map each special token to its id."""
        return {name: self._id_of[name] for name in SPECIAL_PIECES if name in self._id_of}

    @cached_property
    def is_uncased(self) -> bool:
        """Whether words are lower-cased and lose their accents, because no piece has a capital letter."""
        return not is_cased(self.pieces)

    @property
    def safe_cut(self) -> regex.Pattern[str]:
        """Where words end whatever surrounds them."""
        return regex.compile(SAFE_CUT)  # cached by `regex`

    @property
    def about(self) -> str:
        """The kind and the number of pieces."""
        case = "lower case without accents" if self.is_uncased else "capital letters kept"
        return (
            f"WordPiece, {case} · {counted(len(self.pieces), 'token')} · "
            "models get [CLS] … [SEP], which is not put around a text here"
        )

    @property
    def n_bytes_held(self) -> int:
        """The approximate number of bytes of memory it takes once every page has used it."""
        return 1_300 * len(self.pieces) + (self.config.n_bytes_held if self.config else 0)

    @cached_property
    def vocabulary(self) -> TableVocabulary:
        """The pieces; a piece that continues a word is spelled with ## before it."""
        ids = [token_id for token_id, piece in enumerate(self.pieces) if piece not in SPECIAL_PIECES]
        continuing = [token_id for token_id in ids if self.pieces[token_id].startswith(_CONTINUES)]
        return TableVocabulary(
            self.name,
            ids,
            [(self.pieces[token_id].removeprefix(_CONTINUES) or _CONTINUES).encode() for token_id in ids],
            kinds={**dict.fromkeys(continuing, "continuation"), self._id_of[UNKNOWN_PIECE]: "unknown"},
            special_tokens=self.special_tokens,
            spell=lambda token_id, _raw: self.pieces[token_id],
        )

    def encode(self, text: str, *, allowed_special: frozenset[str] = NO_SPECIAL) -> Encoding:
        """Return the ids of a text, equal to the library's; white space and controls are dropped."""
        return encode_around_special(self, text, allowed_special, self._encode)

    def encode_batch(self, texts: Sequence[str]) -> list[Sequence[int]]:
        """Return the ids of each text in one call of the library, on all cores."""
        library: Any = self._library
        found = library.encode_batch_fast(list(map(replace_lone_surrogates, texts)), add_special_tokens=False)
        return [encoding.ids for encoding in found]

    def iter_pretokens(self, text: str) -> Iterator[Pretoken]:
        """Yield words and punctuation marks, normalized."""
        from tokenizers import PreTokenizedString

        library: Any = self._library
        cut: Any = PreTokenizedString(replace_lone_surrogates(text))
        cut.normalize(library.normalizer.normalize)
        library.pre_tokenizer.pre_tokenize(cut)
        for word, (start, end), _tokens in cut.get_splits(offset_referential="original", offset_type="char"):
            yield Pretoken(word, start, end)

    def build(self, pretoken: Pretoken) -> Probed | Given:
        """Return the longest pieces of a word from the left, or one unknown token if one place has none."""
        return cut_longest_first(
            pretoken.text,
            self._id_of,
            self._id_of[UNKNOWN_PIECE],
            prefix=_CONTINUES,
            n_max_chars=_MAX_WORD_CHARS,
        )

    def decode(self, ids: Iterable[int]) -> str:
        """Return words joined by spaces, normalized as they were encoded. Raises UnknownTokenError."""
        spelled = [self.vocabulary.entry(token_id).spelled for token_id in ids]
        following = (s.removeprefix(_CONTINUES) if s.startswith(_CONTINUES) else f" {s}" for s in spelled[1:])
        return "".join([*spelled[:1], *following])

    def python_program(self) -> PythonProgram:
        """Return Python that loads the pieces in tokenizers."""
        name = python_literal(self.model.file_name or f"{self.name}.txt")
        place = (
            "a file that Tessera saves beside Copy Python"
            if self.opening
            else f"the file that was opened, {name}"
        )
        imports = "import gzip\n\n" if self.opening else ""
        opening = self.opening or f'open({name}, encoding="utf-8")'
        lowercase = "" if self.is_uncased else "lowercase=False"
        setup = (
            f"# Its list of pieces is {place}.\n{imports}"
            "from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers\n\n"
            f"with {opening} as lines:\n"
            "    pieces = {line.rstrip('\\n'): token_id for token_id, line in enumerate(lines)}\n"
            'model = models.WordPiece(pieces, unk_token="[UNK]", max_input_chars_per_word=100)\n'
            "encoding = Tokenizer(model)\n"
            f"encoding.normalizer = normalizers.BertNormalizer({lowercase})\n"
            "encoding.pre_tokenizer = pre_tokenizers.BertPreTokenizer()\n"
            "encoding.decoder = decoders.WordPiece(cleanup=False)\n"
        )
        return PythonProgram(
            setup, "encoding.encode(text).ids", "encoding.decode(ids, skip_special_tokens=False)"
        )

    def _encode(self, text: str) -> Encoding:
        found = self._library.encode(text)
        ids = np.array(found.ids, np.uint32)
        if b"".join(self.vocabulary.raws_of(ids)) == text.encode():  # nothing is dropped or changed
            return Encoding.tiling(text, ids, self._n_bytes_of)
        places = np.array(found.offsets, np.int64).reshape(-1, 2)
        byte_of = byte_of_characters(text)
        return Encoding(text, ids, byte_of[places[:, 0]], byte_of[places[:, 1]])

    @cached_property
    def _id_of(self) -> dict[str, int]:
        return {piece: token_id for token_id, piece in enumerate(self.pieces)}

    @cached_property
    def _library(self) -> "LibraryTokenizer":
        from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

        library: Any = Tokenizer(
            models.WordPiece(self._id_of, unk_token=UNKNOWN_PIECE, max_input_chars_per_word=_MAX_WORD_CHARS)
        )
        library.normalizer = normalizers.BertNormalizer(lowercase=self.is_uncased)
        library.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        return library  # type: ignore[no-any-return]

    def _n_bytes_of(self, ids: Ids) -> Positions:
        return self.vocabulary.n_bytes_of(ids)


def bert_steps(*, is_lower: bool) -> tuple[Any, Any]:
    """Return the library's pretokenizer and normalizer of BERT.

    >>> cut, normalize = bert_steps(is_lower=True)
    >>> [word for word, _span in cut.pre_tokenize_str(normalize.normalize_str("Élan, now"))]
    ['elan', ',', 'now']
    """
    from tokenizers import normalizers, pre_tokenizers

    return pre_tokenizers.BertPreTokenizer(), normalizers.BertNormalizer(lowercase=is_lower)


def load_bert(name: str) -> WordPieceTokenizer:
    """Load BERT's pieces. Raises VocabularyFileError.

    >>> load_bert("bert_uncased").vocabulary.n_vocab
    30522
    """
    data = read_vocabulary(f"{name}.txt.gz")
    check_hash(f"{name}.txt", data, _HASHES[name], source="Google")
    opening = f'gzip.open("assets/vocabularies/{name}.txt.gz", "rt", encoding="utf-8")'
    return WordPieceTokenizer(name, LibraryFile.of("vocab.txt", data), opening=opening)


#: Special pieces; a file may lack all except the one for unknown words.
SPECIAL_PIECES = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
UNKNOWN_PIECE = "[UNK]"


def read_bert_vocab(raw: bytes, file_name: str) -> tuple[str, ...]:
    r"""Return the pieces by id. Raises VocabularyFileError.

    >>> read_bert_vocab(b"[UNK]\nthe\n##s\n", "vocab.txt")
    ('[UNK]', 'the', '##s')
    """
    lines = read_text(raw, file_name).removesuffix("\n").split("\n")
    check_count(len(lines), "lines", MAX_ENTRIES, file_name)
    pieces = tuple(line.removesuffix("\r") for line in lines)
    line_of: dict[str, int] = {}
    for number, piece in enumerate(pieces, start=1):
        if not 0 < len(piece) <= MAX_SPECIAL_CHARS:
            raise VocabularyFileError(
                f"{file_name}, line {number}, has {len(piece):,} characters; "
                f"a piece has 1 to {MAX_SPECIAL_CHARS}"
            )
        if line_of.setdefault(piece, number) != number:
            raise VocabularyFileError(
                f"{file_name}, line {number}: {shown(piece)} is in line {line_of[piece]} already"
            )
    if UNKNOWN_PIECE not in line_of:
        raise VocabularyFileError(
            f"{file_name} has no piece {UNKNOWN_PIECE}; BERT's vocab.txt has a piece a line, that one too"
        )
    return pieces


def is_cased(pieces: tuple[str, ...]) -> bool:
    """Whether pieces keep capital letters; a text then keeps its capitals and accents.

    >>> is_cased(("[UNK]", "the")), is_cased(("[UNK]", "The"))
    (False, True)
    """
    return any(piece != piece.lower() for piece in pieces if not piece.startswith("["))


#: Look-ups of a longer word are not recorded, because they grow with the square of its length.
MAX_PROBED_CHARS = 60


def cut_longest_first(
    word: str, id_of: Mapping[str, int], unknown_id: int, *, prefix: str, n_max_chars: int
) -> Probed | Given:
    """Cut the longest piece off the start of a word until it is used up; unknown if no piece fits.

    `prefix` precedes pieces that continue a word. A word of more than `n_max_chars` is unknown.

    >>> probed = cut_longest_first("una", {"un": 5, "##a": 6}, 0, prefix="##", n_max_chars=100)
    >>> probed.ids, [probe.spelled for probe in probed.probes if not probe.is_found]
    ((5, 6), ['una'])
    """
    if len(word) > n_max_chars:
        return Given((unknown_id,), f"A word of more than {n_max_chars} characters is unknown as a whole.")
    if not word:
        return Given(())
    found: list[int] = []
    probes: list[Probe] = []
    start = 0
    while start < len(word):
        before = prefix if start else ""
        for end in range(len(word), start, -1):
            token_id = id_of.get(before + word[start:end])
            if len(word) <= MAX_PROBED_CHARS:
                probes.append(Probe(start, end, before + word[start:end], token_id is not None))
            if token_id is not None:
                found.append(token_id)
                start = end
                break
        else:
            found = [unknown_id]
            break
    if len(word) > MAX_PROBED_CHARS:
        return Given(tuple(found), f"Tries are drawn for words of up to {MAX_PROBED_CHARS} characters.")
    return Probed(word, tuple(probes), tuple(found))
