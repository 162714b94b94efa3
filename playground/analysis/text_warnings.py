"""Warnings about a text: invisible characters, unusual spellings, mixed line ends, foreign special tokens."""

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

import regex

from playground.analysis.token_details import character_name
from playground.catalog.word_table import WordTableTokenizer
from playground.core.tokenizer import Tokenizer, lets_text_be_cut
from playground.core.wording import counted


@dataclass(frozen=True, slots=True)
class TextWarning:
    """A finding: its kind, its occurrences, and one sentence on why it matters."""

    kind: str
    count: int
    sentence: str


# Character classes use `re`, which takes a third of the time of `regex`; the slower patterns run only if one
# of their characters occurs.
_MAYBE_ZERO_WIDTH = re.compile("[\u200b\u2060\u180e\u00ad\ufeff\u200c\u200d]")
# ZWJ (U+200D) and ZWNJ (U+200C) are expected inside emoji and between letters of scripts that use them.
_ZERO_WIDTH = regex.compile(
    r"[\u200B\u2060\u180E\u00AD]|(?<!^)\uFEFF"
    r"|(?<![\p{L}\p{M}\p{Extended_Pictographic}\uFE0F\u20E3\U0001F3FB-\U0001F3FF])[\u200C\u200D]"
    r"|[\u200C\u200D](?![\p{L}\p{M}\p{Extended_Pictographic}\u2640\u2642])"
    r"|(?<=[A-Za-z])[\u200C\u200D]"
)
_BIDIRECTIONAL = re.compile(r"[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]")
# Cyrillic and Greek letters that look like Latin ones; "μm" and "Δx" contain none.
_LOOKS_LATIN = "аАВеЕЅѕіІјЈКМНоОрРсСТуУхХһԁԛԝԌΑΒΕΖΗΙΚΜΝΟοΡΤΥυΧν"
_ANY_LOOKS_LATIN, _LATIN = re.compile(f"[{_LOOKS_LATIN}]"), regex.compile(r"\p{Latin}")
_MIXED_ALPHABETS = regex.compile(rf"(?<!\p{{L}})(?=\p{{L}}*\p{{Latin}})(?=\p{{L}}*[{_LOOKS_LATIN}])\p{{L}}+")
_MAX_LOST_SHOWN = 5
#: Texts up to this length can be encoded whole at each key without a noticeable delay.
MANY_WHOLE = 20_000
_CONTROL = re.compile(r"[\x00-\x08\x0B\x0C\x0E-\x1F\x7F-\x84\x86-\x9F]")


def find_warnings(text: str, *, n_replaced_surrogates: int = 0) -> list[TextWarning]:
    """Return all findings, the most important first; an ordinary text has none.

    `n_replaced_surrogates` is the number of lone surrogates that were replaced by U+FFFD.

    >>> [warning.kind for warning in find_warnings("The answer is ")]
    ['trailing space']
    >>> find_warnings("Plain text, emoji 👨‍👩‍👧 and नमस्ते.\\n")
    []
    """
    found = [warning for check in _CHECKS for warning in check(text)]
    if n_replaced_surrogates:
        found.append(
            TextWarning(
                "lone surrogate",
                n_replaced_surrogates,
                f"{_times(n_replaced_surrogates, 'lone surrogate', 'lone surrogates')}: halves of a "
                "character that UTF-8 cannot hold; each is read as U+FFFD, so the text comes back changed.",
            )
        )
    return found


def find_lost(text: str, tokenizer: Tokenizer) -> list[TextWarning]:
    """Return a warning about words or characters that a learned table has no row for."""
    if not isinstance(tokenizer, WordTableTokenizer) or not (lost := tokenizer.lost(text)):
        return []
    shown = ", ".join(f"“{word[:30]}”" for word in dict.fromkeys(lost[:_MAX_LOST_SHOWN]))
    more = ", …" if len(lost) > _MAX_LOST_SHOWN else ""
    unit = tokenizer.model.unit
    is_lost = _times(len(lost), f"{unit[:-1]} has no row and is lost", f"{unit} have no row and are lost")
    return [
        TextWarning(
            "lost",
            len(lost),
            f"{is_lost} in {tokenizer.name} ({shown}{more}): neighbouring tokens cover their place here.",
        )
    ]


def find_slow(text: str, tokenizer: Tokenizer) -> list[TextWarning]:
    """Return a warning if the tokenizer has no safe cuts and the text is long, so that each key is slow."""
    is_quick = isinstance(tokenizer, WordTableTokenizer) or lets_text_be_cut(tokenizer)
    if is_quick or len(text) <= MANY_WHOLE:
        return []
    return [
        TextWarning(
            "encoded whole",
            len(text),
            f"{tokenizer.name} encodes the whole text again at each key, because it can't be cut safely; "
            f"beyond {MANY_WHOLE:,} characters this takes noticeable time.",
        )
    ]


def _trailing_space(text: str) -> Iterator[TextWarning]:
    stripped = text.rstrip(" ")
    n_spaces = len(text) - len(stripped)
    if n_spaces and stripped:
        yield TextWarning(
            "trailing space",
            n_spaces,
            "The text ends in a space: most words are tokens that begin with their space, so a model that "
            "continues here starts from an unusual place and answers worse.",
        )


def _byte_order_mark(text: str) -> Iterator[TextWarning]:
    if text.startswith("\ufeff"):
        yield TextWarning(
            "byte order mark",
            1,
            "The text starts with a byte order mark (U+FEFF): invisible, it costs tokens and changes the "
            "first word's.",
        )


def _zero_width(text: str) -> Iterator[TextWarning]:
    if _MAYBE_ZERO_WIDTH.search(text):
        yield from _characters(
            text,
            _ZERO_WIDTH,
            "zero-width character",
            "invisible, they split words into more and rarer tokens, and may hide text.",
        )


def _bidirectional(text: str) -> Iterator[TextWarning]:
    if not text.isascii():
        yield from _characters(
            text,
            _BIDIRECTIONAL,
            "bidirectional control",
            "they reorder what a reader sees but not what a model reads, and can hide instructions.",
        )


def _homoglyphs(text: str) -> Iterator[TextWarning]:
    if not _ANY_LOOKS_LATIN.search(text) or not _LATIN.search(text):
        return
    # Concurrent, because a text of 1 MB takes 0.2 s.
    words = [match.group() for match in _MIXED_ALPHABETS.finditer(text, concurrent=True)]
    if words:
        distinct = list(dict.fromkeys(words))
        shown = ", ".join(f"“{word[:30]}”" for word in distinct[:3]) + (", …" if len(distinct) > 3 else "")
        letters = dict.fromkeys(letter for word in distinct for letter in word if letter in _LOOKS_LATIN)
        named = ", ".join(map(_named, list(letters)[:2])) + (", …" if len(letters) > 2 else "")
        yield TextWarning(
            "look-alike letters",
            len(words),
            f"{_times(len(words), 'word mixes', 'words mix')} alphabets whose letters look alike ({shown}: "
            f"{named}): a reader sees one word, a model other tokens; such names deceive.",
        )


def _control(text: str) -> Iterator[TextWarning]:
    yield from _characters(
        text,
        _CONTROL,
        "control character",
        "they show nothing, are rare in training data, and often come from a broken export.",
    )


def _not_nfc(text: str) -> Iterator[TextWarning]:
    if text.isascii() or (composed := unicodedata.normalize("NFC", text)) == text:
        return
    n_more = len(text) - len(composed)
    differs = (
        f"{counted(abs(n_more), 'character')} {'fewer' if n_more > 0 else 'more'}"
        if n_more
        else "other characters"
    )
    yield TextWarning(
        "not NFC",
        max(abs(n_more), 1),
        f"The text is not in the usual composed form (NFC, {differs}): it looks the same, yet the same word "
        "has other, and mostly more, tokens.",
    )


def _mixed_line_ends(text: str) -> Iterator[TextWarning]:
    if "\r" not in text:
        return
    n_crlf = text.count("\r\n")
    n_lf, n_cr = text.count("\n") - n_crlf, text.count("\r") - n_crlf
    counts = {"LF": n_lf, "CRLF": n_crlf, "CR": n_cr}
    present = [f"{count:,} {name}" for name, count in counts.items() if count]
    if len(present) > 1:
        yield TextWarning(
            "mixed line ends",
            min(count for count in counts.values() if count),
            f"Line ends are mixed ({', '.join(present)}): the same line gets different tokens by where it "
            "was written.",
        )


def _characters(
    text: str, pattern: regex.Pattern[str] | re.Pattern[str], kind: str, why: str
) -> Iterator[TextWarning]:
    found: list[str] = pattern.findall(text)
    if found:
        names = list(dict.fromkeys(map(_named, found)))
        listed = ", ".join(names[:3]) + (f" and {len(names) - 3} more kinds" if len(names) > 3 else "")
        sentence = f"{_times(len(found), kind, f'{kind}s')} ({listed}): {why}"
        yield TextWarning(kind, len(found), sentence)


_CHECKS: tuple[Callable[[str], Iterator[TextWarning]], ...] = (
    _trailing_space,
    _byte_order_mark,
    _zero_width,
    _bidirectional,
    _homoglyphs,
    _control,
    _not_nfc,
    _mixed_line_ends,
)


def _named(character: str) -> str:
    return f"U+{ord(character):04X} {character_name(character).lower()}"


def _times(count: int, one: str, many: str) -> str:
    return f"One {one}" if count == 1 else f"{count:,} {many}"


#: Special tokens without bars of the shipped tokenizers; other names would match any HTML tag.
NAMES_WITHOUT_BARS = (
    "<s>", "</s>", "<unk>", "<pad>", "<sop>", "<eop>", "<think>", "</think>", "<tool_call>", "</tool_call>",
    "<tool_response>", "</tool_response>", "<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>",
)  # fmt: skip
#: Both kinds of bars, and both word separators, are used by models.
_READS_SO = re.compile(
    r"<\|[\w.-]{1,60}\|>|<｜[\w▁.-]{1,60}｜>|" + "|".join(map(re.escape, NAMES_WITHOUT_BARS))
)


def special_elsewhere(text: str, tokenizer: Tokenizer, *, n_names: int = 4) -> list[str]:
    """Return the first names that look like special tokens but are plain text in this tokenizer.

    >>> from playground.catalog.registry import get_tokenizer
    >>> special_elsewhere("<|im_start|>user\\nHi<|endoftext|>", get_tokenizer("cl100k_base"))
    ['<|im_start|>']
    """
    return list(islice(_names(text, tokenizer), n_names))


def _names(text: str, tokenizer: Tokenizer) -> Iterator[str]:
    for name in dict.fromkeys(_READS_SO.findall(text)):
        if name not in tokenizer.special_tokens and len(tokenizer.encode(name)) > 1:
            yield name
