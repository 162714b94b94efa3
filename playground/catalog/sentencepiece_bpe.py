"""SentencePiece BPE of Mistral's first models; ids are the library's, and the files ship with the app.

Models that normalize, that lack byte tokens or that are not BPE are in `sentencepiece_file`.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import regex

from playground.bpe.character_merging import ByScore
from playground.bpe.special_tokens import encode_around_special, iter_special_parts
from playground.catalog.sentencepiece_library import (
    SPACE,
    decode_pieces,
    merge_rule_of,
    rest_of_text,
    special_tokens_of,
    vocabulary_of,
)
from playground.catalog.shipped_vocabularies import About, check_hash, read_vocabulary
from playground.core.building import Merged, Pretoken
from playground.core.encoding import Encoding
from playground.core.errors import UnknownTokenizerError
from playground.core.tokenizer import NO_SPECIAL, PythonProgram, RestOfText, replace_lone_surrogates
from playground.core.vocabulary import TableVocabulary

if TYPE_CHECKING:
    from sentencepiece import SentencePieceProcessor

#: What pickers say of each encoding, and the SHA-256 of the `.model` file that Mistral publishes.
SENTENCEPIECE_MODELS = {
    "mistral_v1": (
        About("Mistral 7B v0.1, Mixtral 8x7B", "SentencePiece BPE", 32_000, "Apache-2.0"),
        "dadfd56d766715c61d2ef780a525ab43b8e6da4de6865bda3d95fdef5e134055",
    ),
    "mistral_v3": (
        About("Mistral 7B v0.3, Mixtral 8x22B", "SentencePiece BPE", 32_768, "Apache-2.0"),
        "9addc8bdce5988448ae81b729336f43a81262160ae8da760674badab9d4c7d33",
    ),
}


@dataclass(frozen=True)
class SentencePieceTokenizer:
    """A SentencePiece model that merges characters; a space before the text merges with its first word.

    A character without a piece becomes its bytes. A token that contains the space before the text covers its
    remaining characters.

    >>> mistral = load_sentencepiece("mistral_v1")
    >>> encoding = mistral.encode("Hello é🙂")
    >>> [mistral.vocabulary.entry(token_id).spelled for token_id in encoding], encoding.starts.tolist()
    (['▁Hello', '▁é', '🙂'], [0, 5, 8])
    """

    name: str
    processor: "SentencePieceProcessor"
    split_pattern: None = None
    safe_cut: None = None
    special_tokens: Mapping[str, int] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "special_tokens", special_tokens_of(self.processor))

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle as the name."""
        return load_sentencepiece, (self.name,)

    @cached_property
    def vocabulary(self) -> TableVocabulary:
        """The pieces; a byte token may have the same bytes as a piece."""
        return vocabulary_of(self.name, self.processor, self.special_tokens, self.merges)

    @cached_property
    def merges(self) -> ByScore:
        """The rule: characters merge, the best score first."""
        return merge_rule_of(self.processor, self._symbol_ids)

    @cached_property
    def rest(self) -> RestOfText | None:
        """Where a text may be cut; nothing is put before its rest."""
        return rest_of_text(self.processor, self._encode)

    def encode(self, text: str, *, allowed_special: frozenset[str] = NO_SPECIAL) -> Encoding:
        """Return the ids of a text, equal to the library's.

        Each part between special tokens is encoded alone.
        """
        return encode_around_special(self, text, allowed_special, self._encode)

    def iter_pretokens(self, text: str) -> Iterator[Pretoken]:
        """Yield words, each with the space before it; no piece crosses the end of a word."""
        source = replace_lone_surrogates(text)
        place, is_first = 0, True
        for part, is_symbol in iter_special_parts(source, self._symbols):
            for word in [part] if is_symbol else self._word.findall(part):
                plain = word.replace(SPACE, " ")
                if is_first and not is_symbol and self._is_joined(f" {plain}"):
                    plain = f" {plain}"
                yield Pretoken(plain, place, place + len(word))
                place += len(word)
                is_first = False

    def build(self, pretoken: Pretoken) -> Merged:
        """Return the merges of a word."""
        return self.merges.build(pretoken.text.encode())

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of ids, without the space before it. Raises UnknownTokenError."""
        return decode_pieces(ids, self.processor, self.vocabulary, self.special_tokens)

    def python_program(self) -> PythonProgram:
        """Return Python that loads the model's file in sentencepiece."""
        setup = (
            "# Its model is in the app's folder.\n"
            "import gzip\n\nfrom sentencepiece import SentencePieceProcessor\n\n"
            f'with gzip.open("assets/vocabularies/{self.name}.model.gz") as file:\n'
            "    encoding = SentencePieceProcessor(model_proto=file.read())\n"
        )
        added = {token_id: name for name, token_id in self.special_tokens.items()}
        return PythonProgram(setup, "encoding.encode(text)", "encoding.decode(ids)", added=added)

    def _encode(self, text: str) -> Encoding:
        ids = np.array(self.processor.encode(text), np.uint32)
        # The tokens' bytes are the text's with a space before it and for each U+2581.
        raw = np.frombuffer(text.encode(), np.uint8)
        starts = np.flatnonzero(_is_kept(raw))
        ends = np.append(starts[1:], len(raw))
        last = np.cumsum(self.vocabulary.n_bytes_of(ids)) - 1
        first = np.concatenate([[0], last[:-1]])
        return Encoding(text, ids, np.append(starts, len(raw))[first], np.concatenate([[0], ends])[last])

    def _is_joined(self, word: str) -> bool:
        """Whether the space before a text merges with the text's start."""
        return self.merges.build(word.encode()).part_ends[0] > 1

    @cached_property
    def _symbol_ids(self) -> list[int]:
        """The ids of pieces that are taken wherever a text spells them: those with score 0."""
        model = self.processor
        others = (model.is_control, model.is_unknown, model.is_byte)
        of_score = [n for n in range(model.vocab_size()) if model.get_score(n) == 0]
        return [n for n in of_score if not any(ask(n) for ask in others)]

    @cached_property
    def _symbols(self) -> frozenset[str]:
        return frozenset(map(self.processor.id_to_piece, self._symbol_ids))

    @cached_property
    def _word(self) -> regex.Pattern[str]:
        return regex.compile(rf"(?s)[ {SPACE}]*[^ {SPACE}]+|[ {SPACE}]+")


def load_sentencepiece(name: str) -> SentencePieceTokenizer:
    """Load a model that ships with the app. Raises UnknownTokenizerError, VocabularyFileError.

    >>> load_sentencepiece("mistral_v3").vocabulary.n_vocab
    32768
    """
    from sentencepiece import SentencePieceProcessor  # imported here because few runs need it

    if name not in SENTENCEPIECE_MODELS:
        raise UnknownTokenizerError(f"{name} is no SentencePiece model of this app")
    data = read_vocabulary(f"{name}.model.gz")
    check_hash(f"{name}.model", data, SENTENCEPIECE_MODELS[name][1], source="Mistral")
    return SentencePieceTokenizer(name, SentencePieceProcessor(model_proto=data))


def _is_kept(
    raw: "np.ndarray[tuple[int], np.dtype[np.uint8]]",
) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
    """Return a mask of the bytes that tokens contain; a U+2581 is represented by its first byte."""
    is_kept = np.ones(len(raw), np.bool_)
    sign = np.flatnonzero((raw[:-2] == 0xE2) & (raw[1:-1] == 0x96) & (raw[2:] == 0x81))
    is_kept[sign + 1] = is_kept[sign + 2] = False
    return is_kept
