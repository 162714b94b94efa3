"""A tokenizer that normalizes a text to NFC before another one encodes it; spans refer to the typed text."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import regex

from playground.bpe.special_tokens import encode_around_special
from playground.core.building import Building, MergeRule, Pretoken
from playground.core.encoding import Encoding
from playground.core.text_units import Positions, character_of_bytes
from playground.core.tokenizer import NO_SPECIAL, PythonProgram, Tokenizer, replace_lone_surrogates
from playground.core.vocabulary import Vocabulary

Normalize = Callable[[str], str]

#: Characters that are normalized at once; the library takes a hundred times as long as a check.
_MAX_WHOLE = 1 << 10


class Normalized(NamedTuple):
    """A normalized text; its byte n came from the bytes `starts[n]:ends[n]` of the source.

    Both columns never decrease.

    >>> normalized = normalize_nfc("xe\\u0301", lambda text: unicodedata.normalize("NFC", text))
    >>> normalized.text, normalized.starts.tolist(), normalized.ends.tolist()
    ('xé', [0, 1, 1], [1, 4, 4])
    """

    text: str
    starts: Positions
    ends: Positions


def normalize_nfc(text: str, nfc: Normalize) -> Normalized | None:
    """Return a text in normalization form C with its source bytes; None if nothing changes.

    `nfc` is the library's function. Only adjacent characters change together, so each byte maps to the few
    characters that it came from.

    >>> normalize_nfc("plain", str.upper) is None
    True
    """
    # Python's Unicode is not older than the library's, which therefore changes nothing that Python accepts.
    if unicodedata.is_normalized("NFC", text):
        return None
    n_bytes, n_source_bytes, changes = [], [], []
    position = 0
    pieces = []
    for match in _changing().finditer(text):
        source = match.group()
        made = nfc(source)
        if made == source:
            continue
        n_same = _n_shared(source, made)
        n_same_end = _n_shared(source[n_same:][::-1], made[n_same:][::-1])
        start, end = match.start() + n_same, match.end() - n_same_end
        unchanged = text[position:start]
        changed = made[n_same : len(made) - n_same_end]
        pieces += [unchanged, changed]
        n_unchanged_bytes = len(unchanged.encode())
        n_bytes += [n_unchanged_bytes, len(changed.encode())]
        n_source_bytes += [n_unchanged_bytes, len(text[start:end].encode())]
        changes += [False, True]
        position = end
    pieces.append(text[position:])
    n_unchanged_bytes = len(pieces[-1].encode())
    n_bytes.append(n_unchanged_bytes)
    n_source_bytes.append(n_unchanged_bytes)
    changes.append(False)
    joined = "".join(pieces)
    whole = nfc(text)
    if whole == text:
        return None
    if whole != joined:  # different versions of Unicode: map the whole text to the whole source
        n_all = len(whole.encode())
        return Normalized(whole, np.zeros(n_all, np.int64), np.full(n_all, len(text.encode())))
    return Normalized(joined, *_spans(np.array(n_bytes), np.array(n_source_bytes), np.array(changes)))


def nfc_text(text: str, nfc: Normalize) -> str:
    """Return a text in normalization form C, without sources; only the parts that change are normalized.

    >>> nfc_text("xe\\u0301", lambda text: unicodedata.normalize("NFC", text))
    'xé'
    """
    if unicodedata.is_normalized("NFC", text):  # as `normalize_nfc` says
        return text
    # Text before an ASCII character never changes together with it.
    middle = _ascii().search(text, len(text) // 2) if len(text) > _MAX_WHOLE else None
    if middle is None:
        return nfc(text)
    return nfc_text(text[: middle.start()], nfc) + nfc_text(text[middle.start() :], nfc)


def library_nfc(text: str) -> str:
    """Return a text in normalization form C, as Hugging Face's library normalizes it."""
    normalized: str = _nfc().normalize_str(text)
    return normalized


@cache
def _nfc() -> Any:
    from tokenizers.normalizers import NFC  # imported for the first text that is not in form C; few are

    return NFC()


def _spans(n_bytes: Positions, n_source_bytes: Positions, changes: Positions) -> tuple[Positions, Positions]:
    """Return the source span of each byte of runs that are unchanged or changed as a whole."""
    first = np.cumsum(n_source_bytes) - n_source_bytes
    within = np.arange(n_bytes.sum()) - np.repeat(np.cumsum(n_bytes) - n_bytes, n_bytes)
    is_changed = np.repeat(changes, n_bytes)
    starts = np.repeat(first, n_bytes) + np.where(is_changed, 0, within)
    ends = np.where(is_changed, np.repeat(first + n_source_bytes, n_bytes), starts + 1)
    return starts, ends


def _n_shared(one: str, other: str) -> int:
    """Return the number of characters that two texts have in common at their start."""
    pairs = zip(one, other, strict=False)
    return next((place for place, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


@cache
def _ascii() -> re.Pattern[str]:
    return re.compile(r"[\x00-\x7f]")


@cache
def _changing() -> regex.Pattern[str]:
    """Match where form C may change something: marks with their base, and characters always replaced.

    Three Tibetan vowels are not marks but decompose into marks.
    """
    mark = r"\p{NFC_QC=M}\P{ccc=0}\u0f73\u0f75\u0f81"
    return regex.compile(rf"(?s:[^{mark}])?[{mark}]+|\p{{NFC_QC=N}}")


@dataclass(frozen=True)
class NormalizedTokenizer:
    """`base` on texts in normalization form C; `nfc` is the library's function, `program` how to call it.

    >>> import unicodedata
    >>> from playground.catalog.baselines import CharacterTokenizer
    >>> tokenizer = NormalizedTokenizer(
    ...     CharacterTokenizer(), lambda text: unicodedata.normalize("NFC", text), PythonProgram("", "", "")
    ... )
    >>> encoding = tokenizer.encode("xe\\u0301")
    >>> encoding, encoding.starts.tolist(), encoding.ends.tolist()
    ([120, 233], [0, 1], [1, 4])
    """

    base: Tokenizer
    nfc: Normalize
    program: PythonProgram
    split_pattern: None = None
    rest: None = None

    @property
    def name(self) -> str:
        """The encoding name."""
        return self.base.name

    @property
    def vocabulary(self) -> Vocabulary:
        """The vocabulary of the base."""
        return self.base.vocabulary

    @property
    def special_tokens(self) -> Mapping[str, int]:
        """Map each special token to its id; special tokens are not normalized."""
        return self.base.special_tokens

    @property
    def safe_cut(self) -> regex.Pattern[str] | None:
        """The safe cuts of the base; none is before a mark, and form C changes nothing across the others."""
        return self.base.safe_cut

    @property
    def merges(self) -> MergeRule[Any] | None:
        """The merge rule of the base."""
        return self.base.merges

    def encode(self, text: str, *, allowed_special: frozenset[str] = NO_SPECIAL) -> Encoding:
        """Return the ids of a text; a token of changed characters covers all their source characters."""
        return encode_around_special(self, text, allowed_special, self._encode)

    def iter_pretokens(self, text: str) -> Iterator[Pretoken]:
        """Yield the base's pretokens; two may share source characters that were changed into both."""
        text = replace_lone_surrogates(text)
        normalized = normalize_nfc(text, self.nfc)
        if normalized is None:
            yield from self.base.iter_pretokens(text)
            return
        characters = character_of_bytes(text)
        start = 0
        for pretoken in self.base.iter_pretokens(normalized.text):
            end = start + len(pretoken.text.encode())
            first, last = normalized.starts[start], normalized.ends[end - 1]
            yield Pretoken(pretoken.text, int(characters[first]), int(characters[last]))
            start = end

    def build(self, pretoken: Pretoken) -> Building:
        """Return how the base builds a normalized pretoken."""
        return self.base.build(pretoken)

    def decode(self, ids: Iterable[int]) -> str:
        """Return the normalized text of ids. Raises UnknownTokenError."""
        return self.base.decode(ids)

    def python_program(self) -> PythonProgram:
        """Return the program of the base on normalized text."""
        return self.program

    def _encode(self, text: str) -> Encoding:
        normalized = normalize_nfc(text, self.nfc)
        if normalized is None:
            return self.base.encode(text)
        return _in_source(text, normalized, self.base.encode(normalized.text))


def _in_source(text: str, normalized: Normalized, encoding: Encoding) -> Encoding:
    """Return the encoding of a normalized text with positions in its source.

    Every token must have at least one byte.
    """
    return Encoding(
        text, encoding.ids, normalized.starts[encoding.starts], normalized.ends[encoding.ends - 1]
    )
