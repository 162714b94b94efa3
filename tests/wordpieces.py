"""A small WordPiece tokenizer for tests: it normalizes, drops and inserts text.

It is in no catalog. `tokenizers` is its oracle: `as_json` is the same tokenizer as that library reads it.
"""

import json
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache

import numpy as np
import regex
import tokenizers

from playground.core.building import Given, Pretoken
from playground.core.encoding import Encoding
from playground.core.tokenizer import NO_SPECIAL, PythonProgram, replace_lone_surrogates
from playground.core.vocabulary import Kind, TableVocabulary

SPECIAL = {"[UNK]": 0, "[CLS]": 1, "[SEP]": 2}
#: Ids need not be in a row: of these the last is as large as an id may be.
PIECES = {
    piece: 10 * number
    for number, piece in enumerate(
        ["un", "##aff", "##able", "##a", "a", "e", "##e", "strasse", "中", "the", "##s", "!", "un!"], start=1
    )
} | {"##!": 2**31 - 1}
#: Letters, two that are taken apart or dropped by normalizing, marks, white space, an unknown one.
ALPHABET = "aAeéÉ\u0301ﬁunUNfFbl 中!?\n\tS"


def _raw(piece: str) -> bytes:
    return piece.removeprefix("##").encode()


def _vocabulary() -> TableVocabulary:
    kinds: dict[int, Kind] = {PIECES[piece]: "continuation" for piece in PIECES if piece.startswith("##")}
    kinds[SPECIAL["[UNK]"]] = "unknown"
    spelled = {token_id: piece for piece, token_id in PIECES.items()}
    return TableVocabulary(
        "wordpieces",
        PIECES.values(),
        map(_raw, PIECES),
        kinds=kinds,
        special_tokens=SPECIAL,
        spell=lambda token_id, _raw: spelled[token_id],
    )


@dataclass(frozen=True)
class Wordpieces:
    """Lower case without accents; longest match first; [CLS] and [SEP] around; white space dropped."""

    name: str = "wordpieces"
    special_tokens: Mapping[str, int] = field(default_factory=lambda: dict(SPECIAL))
    safe_cut: regex.Pattern[str] | None = None
    split_pattern: str | None = None
    rest: None = None
    merges: None = None
    vocabulary: TableVocabulary = field(default_factory=_vocabulary)

    def encode(self, text: str, *, allowed_special: frozenset[str] = NO_SPECIAL) -> Encoding:  # noqa: ARG002
        text = replace_lone_surrogates(text)
        byte_of = np.cumsum([0, *(len(character.encode()) for character in text)])
        rows = [(SPECIAL["[CLS]"], 0, 0)]
        for word, starts, ends in _iter_words(text):
            for token_id, first, last in _longest_first(word):
                rows.append((token_id, int(byte_of[starts[first]]), int(byte_of[ends[last - 1]])))
        rows.append((SPECIAL["[SEP]"], int(byte_of[-1]), int(byte_of[-1])))
        ids, starts_of, ends_of = zip(*rows, strict=True)
        return Encoding(text, np.array(ids, np.uint32), np.array(starts_of), np.array(ends_of))

    def iter_pretokens(self, text: str) -> Iterator[Pretoken]:
        for word, starts, ends in _iter_words(replace_lone_surrogates(text)):
            yield Pretoken(word, starts[0], ends[-1])

    def build(self, pretoken: Pretoken) -> Given:
        return Given(tuple(token_id for token_id, _, _ in _longest_first(pretoken.text)))

    def decode(self, ids: Iterable[int]) -> str:
        return " ".join(self.vocabulary.entry(token_id).spelled for token_id in ids).replace(" ##", "")

    def python_program(self) -> PythonProgram:
        return PythonProgram(
            "from tokenizers import Tokenizer\n\n"
            f"encoding = Tokenizer.from_str({as_json()!r})\nencoding.encode_special_tokens = True\n",
            "encoding.encode(text).ids",
            "encoding.decode(ids, skip_special_tokens=False)",
        )


def _iter_words(text: str) -> Iterator[tuple[str, list[int], list[int]]]:
    """Yield each normalized word, with the source position of each of its characters."""
    word, starts, ends = "", [], []  # type: ignore[var-annotated]
    for place, character in enumerate(text):
        if character.isspace():
            if word:
                yield word, starts, ends
            word, starts, ends = "", [], []
            continue
        for normalized in unicodedata.normalize("NFKD", character).lower():
            if not unicodedata.category(normalized).startswith("M"):
                word += normalized
                starts.append(place)
                ends.append(place + 1)
    if word:
        yield word, starts, ends


def _longest_first(word: str) -> list[tuple[int, int, int]]:
    """Yield `(id, first character, last)` of each piece; one unknown token if no piece matches."""
    found, start = [], 0
    while start < len(word):
        for end in range(len(word), start, -1):
            token_id = PIECES.get(("##" if start else "") + word[start:end])
            if token_id is not None:
                found.append((token_id, start, end))
                start = end
                break
        else:
            return [(SPECIAL["[UNK]"], 0, len(word))]
    return found


def as_json() -> str:
    """Return the same tokenizer as a tokenizer.json."""
    added = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    template = [{"SpecialToken": {"id": "[CLS]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}},
                {"SpecialToken": {"id": "[SEP]", "type_id": 0}}]  # fmt: skip
    return json.dumps(
        {
            "version": "1.0",
            "added_tokens": [{"id": i, "content": token, **added} for token, i in SPECIAL.items()],
            "normalizer": {
                "type": "Sequence",
                "normalizers": [{"type": "NFKD"}, {"type": "StripAccents"}, {"type": "Lowercase"}],
            },
            "pre_tokenizer": {"type": "WhitespaceSplit"},
            "post_processor": {
                "type": "TemplateProcessing",
                "single": template,
                "pair": template,
                "special_tokens": {
                    token: {"id": token, "ids": [SPECIAL[token]], "tokens": [token]}
                    for token in ("[CLS]", "[SEP]")
                },
            },
            "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": False},
            "model": {
                "type": "WordPiece",
                "unk_token": "[UNK]",
                "continuing_subword_prefix": "##",
                "max_input_chars_per_word": 100,
                "vocab": SPECIAL | PIECES,
            },
        }
    )


def oracle(text: str) -> tuple[list[int], list[tuple[int, int]]]:
    """Return the ids, and spans in characters of the source, that `tokenizers` gives."""
    encoding = _loaded().encode(text)
    return encoding.ids, encoding.offsets


@cache
def _loaded() -> tokenizers.Tokenizer:
    loaded = tokenizers.Tokenizer.from_str(as_json())
    loaded.encode_special_tokens = True
    return loaded
