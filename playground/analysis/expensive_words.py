"""Find the words of a text that need the most tokens, and say why.

A word is a run without white space; in Chinese and Japanese a run of one script (Han, Hiragana or Katakana):
"東京タワーへ" is 東京, タワー and へ. No dictionary is used, so a Chinese or Thai clause is one word. Cheaper
spellings are reported only if encoding them gave fewer tokens.
"""

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import regex

from playground.analysis.unicode_scripts import SCRIPT_KINDS, SCRIPTS, script_codes
from playground.core.text_units import Column, character_of_bytes
from playground.core.tokenizer import Tokenizer
from playground.core.wording import counted

MAX_WORDS = 12
#: A mark, or a sign that lengthens or voices a kana, belongs to the character before it.
_WORD = regex.compile(
    r"(?:\p{Han}\p{M}*+)++|(?:\p{Hiragana}[\p{M}ーｰﾞﾟ]*+)++|(?:\p{Katakana}[\p{M}ーｰﾞﾟ]*+)++"
    r"|[^\s\p{Han}\p{Hiragana}\p{Katakana}]++"
)
_RANDOM = regex.compile(r"(?=[^\s]*\d)[A-Za-z0-9+/=_-]{20,}|[0-9a-fA-F-]{16,}")
_ADDRESS = regex.compile(r"[a-z]+://|^www\.|^[~.]?(?:/[^/\s]+){2,}", regex.IGNORECASE)
_SIGNS_AROUND = regex.compile(r"^[\p{P}\p{Sm}\p{Sc}\p{Sk}]+|[\p{P}\p{Sm}\p{Sc}\p{Sk}]+$")
_ONE_TOKEN = "one token plus the punctuation around it"
_NAME = regex.compile(r"\w+(?:[_.:]\w+)+|\p{Ll}+\p{Lu}\w+|(?:\p{Lu}\p{Ll}+){2,}")


@dataclass(frozen=True, slots=True)
class ExpensiveWord:
    """A word: its occurrences, its most tokens in one occurrence, its tokens in all, and the reason."""

    word: str
    n_times: int
    n_tokens_each: int
    n_tokens: int
    why: str


def find_expensive_words(
    tokenizer: Tokenizer, text: str, lengths: Column, *, limit: int = MAX_WORDS
) -> list[ExpensiveWord]:
    """Return the words with the most tokens beyond one per occurrence; `lengths` has the bytes of each token.

    >>> from playground.catalog.registry import get_tokenizer
    >>> gpt2 = get_tokenizer("gpt2")
    >>> text = "see the .DefaultCellStyle"
    >>> [(word.word, word.n_tokens) for word in find_expensive_words(gpt2, text, gpt2.encode(text).lengths)]
    [('.DefaultCellStyle', 4)]
    """
    costs: dict[str, list[int]] = {}  # times, tokens at most, tokens in all
    for word, n_tokens in _iter_costs(text, lengths):
        cost = costs.setdefault(word, [0, 0, 0])
        cost[0] += 1
        cost[1] = max(cost[1], n_tokens)
        cost[2] += n_tokens
    expensive = [word for word, (n_times, _, n_tokens) in costs.items() if n_tokens > n_times]
    expensive.sort(key=lambda word: (costs[word][0] - costs[word][2], word))
    return [_reason(tokenizer, word, *costs[word]) for word in expensive[:limit]]


def _iter_costs(text: str, lengths: Column) -> Iterator[tuple[str, int]]:
    """Yield each word and the number of tokens that contain a byte of it."""
    ends = np.cumsum(lengths, dtype=np.int64)
    words = list(_WORD.finditer(text))
    spans = np.array([match.span() for match in words], np.int64).reshape(-1, 2)
    if not text.isascii():
        byte_of_character = np.searchsorted(character_of_bytes(text), np.arange(len(text) + 1))
        spans = byte_of_character[spans]
    first = np.searchsorted(ends, spans[:, 0], "right")
    last = np.searchsorted(ends - lengths, spans[:, 1], "left")
    yield from zip((match.group() for match in words), (last - first).tolist(), strict=True)


def _reason(
    tokenizer: Tokenizer, word: str, n_times: int, n_tokens_each: int, n_tokens: int
) -> ExpensiveWord:
    """Explain why a word is expensive, and name a cheaper spelling if there is one."""
    cheaper = [
        f"{spelled} it is {n:,}"
        for spelled, other in (
            ("in lower case", word.lower()),
            ("composed (NFC)", unicodedata.normalize("NFC", word)),
            ("without accents", _without_marks(word)),
        )
        if other != word and (n := len(tokenizer.encode(f" {other}"))) < n_tokens_each
    ]
    kind = _ONE_TOKEN if _is_one_token_with_signs(tokenizer, word) else _kind(word)
    return ExpensiveWord(word, n_times, n_tokens_each, n_tokens, why="; ".join([kind, *cheaper[:1]]))


def _is_one_token_with_signs(tokenizer: Tokenizer, word: str) -> bool:
    """Whether the word without surrounding punctuation is one token, with or without a leading space."""
    core = _SIGNS_AROUND.sub("", word)
    is_surrounded = core not in ("", word)
    return is_surrounded and any(len(tokenizer.encode(each)) == 1 for each in (f" {core}", core))


def _kind(word: str) -> str:
    n_bytes, n_digits = len(word.encode()), sum(character.isdigit() for character in word)
    characters = counted(len(word), "character")
    script = SCRIPT_KINDS[script_codes([word], np.array([True]))[0]]
    if _ADDRESS.search(word):
        return "an address: its parts and punctuation are separate tokens"
    if _RANDOM.search(word):
        return "a random-looking code: few of its pairs were ever merged"
    if n_digits * 2 > len(word):
        return f"a number of {n_digits:,} digits, of which a token has only a few"
    if any("\U0001f000" <= character <= "\U0001faff" for character in word):
        return f"emoji: {n_bytes:,} bytes without a token for the whole"
    if script in SCRIPTS and script != "Latin":
        return f"{script}: {n_bytes:,} bytes for {characters}, and few tokens for this script"
    if _NAME.search(word):
        return "a name made of several words"
    if not any(character.isalnum() for character in word):
        return "punctuation that is rarely combined"
    if n_digits * 3 >= sum(character.isalnum() for character in word):
        return "a code of letters and digits: few of its pairs were ever merged"
    if word.isupper():
        return "capitals: most tokens are in lower case"
    if not word.isascii():
        return f"letters beyond ASCII: {n_bytes:,} bytes for {characters}"
    return "a rare word, split into pieces"


def _without_marks(word: str) -> str:
    """Return a Latin word without accents; words of other scripts unchanged.

    >>> _without_marks("naïve"), _without_marks("नमस्ते")
    ('naive', 'नमस्ते')
    """
    plain = "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c))
    return plain if plain.isascii() else word
