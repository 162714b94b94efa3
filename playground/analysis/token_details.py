"""Facts about one token: bytes, characters, rank, its word's other spellings, and what may follow it."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from heapq import nsmallest

from playground.bpe.gpt2_bytes import to_gpt2_characters
from playground.catalog.extended import WithSpecialTokens
from playground.catalog.ranked import RankedTokenizer
from playground.core.tokenizer import Tokenizer
from playground.core.tokens import Token
from playground.core.vocabulary import Vocabulary

#: Limits on the end of a text that is examined: each of its bytes is tried as the end of the stable part.
_MAX_LAST_BYTES, _MAX_LAST_SPACES, _MAX_TAIL_CHARS = 40, 4, 500


@dataclass(frozen=True, slots=True)
class Unstable:
    """The last `n_tokens` tokens of a text may change; `first` has the shortest completions as texts.

    A completion is the least sequence of tokens that those tokens may become.
    """

    n_tokens: int
    n_completions: int
    first: tuple[str, ...]


def find_unstable(tokenizer: Tokenizer, text: str, *, max_shown: int = 12) -> Unstable | None:
    """Return how more text may change the end; None if that is unknown or too expensive to find out.

    Known for byte-level tokenizers that tiktoken runs. Source: tiktoken's `encode_with_unstable`.

    >>> from playground.catalog.openai import load_openai
    >>> unstable = find_unstable(load_openai("gpt2"), "Hello worl", max_shown=2)
    >>> unstable.n_tokens, unstable.n_completions, unstable.first
    (2, 324, (' world', ' worldwide'))
    """
    if isinstance(tokenizer, WithSpecialTokens):
        tokenizer = tokenizer.base
    if not isinstance(tokenizer, RankedTokenizer):
        return None
    words = _last_words(tokenizer, text)
    if not words or _is_too_long(text, words):
        return None
    tail = "".join(words)
    n_stable, completions = split_unstable(tokenizer, tail)
    first = _shortest(completions, max_shown)
    return Unstable(
        len(tokenizer.encode(tail)) - n_stable,
        len(completions),
        tuple(tokenizer.decode(ids) for ids in first),
    )


def split_unstable(tokenizer: RankedTokenizer, text: str) -> tuple[int, list[list[int]]]:
    """Return the number of stable tokens, and the possible ids of the rest.

    >>> from playground.catalog.openai import load_openai
    >>> n_stable, completions = split_unstable(load_openai("gpt2"), "Hello worl")
    >>> n_stable, len(completions), [995] in completions
    (1, 324, True)
    """
    stable, completions = tokenizer.encoding.encode_with_unstable(text, disallowed_special=())
    return len(stable), [*completions]


def _shortest(completions: Sequence[list[int]], n: int) -> list[list[int]]:
    """Return the `n` completions with the fewest ids, then the lowest ids."""
    single = [ids for ids in completions if len(ids) == 1]
    if len(single) >= n:
        return nsmallest(n, single)
    return nsmallest(n, completions, key=lambda ids: (len(ids), ids))


def _last_words(tokenizer: RankedTokenizer, text: str) -> list[str]:
    """Return the last three pretokens; [] if a long text has no safe cut near its end."""
    start = max(0, len(text) - _MAX_TAIL_CHARS)
    if start:
        cut = None if tokenizer.safe_cut is None else tokenizer.safe_cut.search(text, start)
        if cut is None:
            return []
        start = cut.start()
    return [pretoken.text for pretoken in tokenizer.iter_pretokens(text[start:])][-3:]


def _is_too_long(text: str, words: Sequence[str]) -> bool:
    n_spaces = len(text) - len(text.rstrip())
    return max(len(word.encode()) for word in words) > _MAX_LAST_BYTES or n_spaces > _MAX_LAST_SPACES


#: Formal aliases of control characters (NameAliases.txt), which have no Unicode names.
_CONTROL_NAMES = {
    0: "NULL", 7: "ALERT", 8: "BACKSPACE", 9: "CHARACTER TABULATION", 10: "LINE FEED", 11: "LINE TABULATION",
    12: "FORM FEED", 13: "CARRIAGE RETURN", 27: "ESCAPE", 127: "DELETE", 0x85: "NEXT LINE",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class CodePoint:
    """A character that a token touches; the name says if the token has only some of its bytes.

    Bytes are in hex; UTF-16 and UTF-32 are big-endian.
    """

    code_point: str
    name: str
    utf8: str
    utf16: str
    utf32: str


@dataclass(frozen=True, slots=True)
class Variant:
    """Another spelling of the token's word, and its ids."""

    text: str
    ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TokenDetails:
    """What the token card shows; spans are half-open.

    `text` is None if the token's bytes aren't whole characters; `character` is the text that the token
    touches, and `code_points` are its characters, () if it isn't valid UTF-8. `rank` is None for special
    tokens and for tokenizers without merges. `spelled` is the token's spelling in a file, with one GPT-2
    letter for each byte if `is_in_byte_letters`. `unstable` is set if more text may change this token.
    """

    id: int
    text: str | None
    character: str
    hex: str
    spelled: str
    is_in_byte_letters: bool
    code_points: tuple[CodePoint, ...]
    rank: int | None
    is_special: bool
    byte_start: int
    byte_end: int
    char_start: int
    char_end: int
    n_occurrences: int
    variants: tuple[Variant, ...]
    unstable: Unstable | None = None


def describe_token(
    tokenizer: Tokenizer,
    token: Token,
    *,
    touched: bytes,
    touched_start: int,
    n_occurrences: int,
    unstable: Unstable | None = None,
) -> TokenDetails:
    """Describe a token; `touched` are the bytes of the characters that it touches, from `touched_start` on.

    >>> from playground.catalog.registry import get_tokenizer
    >>> from playground.core.tokenizer import segment
    >>> gpt2 = get_tokenizer("gpt2")
    >>> token = segment(gpt2, "Egg").tokens[1]
    >>> details = describe_token(gpt2, token, touched=b"gg", touched_start=1, n_occurrences=1)
    >>> details.id, details.hex, details.rank, details.code_points[0].name, details.code_points[0].utf16
    (1130, '67 67', 1130, 'LATIN SMALL LETTER G', '00 67')
    >>> [(variant.text, variant.ids) for variant in details.variants][:2]
    [('gg', (1130,)), (' gg', (308, 70))]
    """
    entry = tokenizer.vocabulary.entry(token.id)
    text = _decode_or_none(token.raw)
    characters = _decode_or_none(touched)
    held = range(token.byte_start - touched_start, token.byte_end - touched_start)
    return TokenDetails(
        id=token.id,
        text=text,
        character=touched.decode(errors="replace"),
        hex=_hex(token.raw),
        spelled=entry.spelled,
        is_in_byte_letters=not token.is_special and _has_byte_letters(tokenizer.vocabulary),
        code_points=() if characters is None else _code_points(characters, held),
        rank=entry.rank,
        is_special=token.is_special,
        byte_start=token.byte_start,
        byte_end=token.byte_end,
        char_start=token.char_start,
        char_end=token.char_end,
        n_occurrences=n_occurrences,
        variants=() if token.is_special or text is None else _variants(tokenizer, text),
        unstable=unstable,
    )


def _has_byte_letters(vocabulary: Vocabulary) -> bool:
    space = b" "
    return any(vocabulary.entry(it).spelled == to_gpt2_characters(space) for it in vocabulary.ids_of(space))


def _decode_or_none(raw: bytes) -> str | None:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return None


def character_name(character: str) -> str:
    """Return a character's Unicode name, or its kind if it has no name.

    >>> character_name("é"), character_name("\\n"), character_name("\\ue000")
    ('LATIN SMALL LETTER E WITH ACUTE', 'LINE FEED', 'PRIVATE USE')
    """
    kinds = {"Cc": "CONTROL", "Co": "PRIVATE USE", "Cn": "UNASSIGNED", "Cs": "SURROGATE"}
    unnamed = _CONTROL_NAMES.get(ord(character), kinds.get(unicodedata.category(character), "NO NAME"))
    return unicodedata.name(character, unnamed)


def _code_points(touched: str, held: range) -> tuple[CodePoint, ...]:
    """Describe each character, and how many of its bytes a token holds."""
    points = []
    end = 0
    for character in touched:
        start, end = end, end + len(character.encode())
        n_bytes, n_held = end - start, min(end, held.stop) - max(start, held.start)
        name = character_name(character)
        if n_held < n_bytes:
            name += f" ({n_held} of its {n_bytes} bytes)"
        encoded = (_hex(character.encode(name)) for name in ("utf-8", "utf-16-be", "utf-32-be"))
        points.append(CodePoint(f"U+{ord(character):04X}", name, *encoded))
    return tuple(points)


def _hex(raw: bytes) -> str:
    return raw.hex(" ").upper()


def _variants(tokenizer: Tokenizer, text: str) -> tuple[Variant, ...]:
    word = text.strip()
    if not word or len(word) > 100:
        return ()
    spellings = dict.fromkeys(
        lead + spelling for spelling in (word, word.lower(), word.upper(), word.title()) for lead in ("", " ")
    )
    return tuple(Variant(spelling, tuple(tokenizer.encode(spelling))) for spelling in spellings)
