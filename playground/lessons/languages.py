"""Tokens of the same text in English and in other languages, in three OpenAI tokenizers."""

from collections.abc import Sequence
from decimal import Decimal
from functools import lru_cache
from typing import Any

from playground.analysis.language_counts import count_languages
from playground.catalog.registry import get_tokenizer
from playground.core.wording import counted
from playground.lessons.inputs import TextInput
from playground.lessons.lesson import Guess, Lesson, Notes, Opening, Question, Shown, readings
from playground.lessons.pieces import ShownPieces, shown_pieces

TOKENIZERS = ("gpt2", "cl100k_base", "o200k_base")
_ASKED, _MAX_PIECES = "cl100k_base", 60
_ENGLISH = "Hello how are you?"


@lru_cache(maxsize=1)
def times_english() -> tuple[dict[str, Any], ...]:
    """Return, for each language, its tokens ÷ English tokens for article 1 of the UDHR, by tokenizer.

    >>> times_english()[0]
    {'name': 'English', 'times': [1.0, 1.0, 1.0]}
    """
    counts = count_languages([get_tokenizer(name) for name in TOKENIZERS])
    names = list(dict.fromkeys(count.language for count in counts))
    return tuple(
        {"name": name, "times": [round(one.times_english, 2) for one in counts if one.language == name]}
        for name in names
    )


def n_tokens(text: str) -> list[int]:
    """Return the number of tokens of a text in each of `TOKENIZERS`.

    >>> n_tokens("안녕하세요 어떻게 지내세요?")
    [36, 15, 7]
    """
    return [len(get_tokenizer(name).encode(text)) for name in TOKENIZERS]


def show(english: str, other: str) -> Shown:
    """Return both texts in the three tokenizers, and the ratios of all languages of the declaration."""
    figure = {
        "tokenizers": TOKENIZERS,
        "english": {**_pieces(english), "in_each": n_tokens(english)},
        "other": {**_pieces(other), "in_each": n_tokens(other)},
        "languages": times_english(),
    }
    if not english or not other:
        return Shown(figure, needs="Type the same sentence in English and in another language.")
    needs = "" if not other.isascii() else "This is ASCII: try a language with other letters."
    return Shown(figure, _question(english, other), needs)


def _pieces(text: str) -> ShownPieces:
    return shown_pieces(get_tokenizer(_ASKED), text, max_pieces=_MAX_PIECES)


def _question(english: str, other: str) -> Question:
    at = TOKENIZERS.index(_ASKED)
    n_english, n_other = n_tokens(english)[at], n_tokens(other)[at]
    times = f"{n_other / n_english:.1f}"

    def hint(guess: str) -> str:
        numbers = readings(guess)
        if n_english in numbers or n_other in numbers:
            return f"That is the number of tokens of one sentence; divide {n_other:,} by {n_english:,}."
        if Decimal(f"{n_tokens(other)[0] / n_tokens(english)[0]:.1f}") in numbers:
            return "That is gpt2. Look at cl100k_base."
        return f"English has {counted(n_english, 'token')}; count those of the other sentence."

    return Question("In cl100k_base, what is other ÷ English tokens, to one decimal?", times, hint)


def _openings(english: str, other: str) -> Sequence[Opening]:
    return (
        Opening("compare", {"text": f"{english}\n{other}", "tokenizers": list(TOKENIZERS)}),
        Opening("tokenize", {"text": other, "tokenizer": _ASKED}),
    )


LANGUAGES = Lesson(
    slug="languages",
    number=19,
    title="Other languages pay more",
    claim="The same sentence needs more tokens in most other languages.",
    guess=Guess(
        "In GPT-2, Burmese needs how many times the tokens of English?",
        ("2", "7", "22"),
        right=2,
        proof="22 ×",
    ),
    time="1:54:04",
    figure="languages",
    steps=(
        "The same sentence in two languages, in cl100k_base.",
        "The same article in 39 languages: tokens ÷ English tokens.",
    ),
    inputs=(
        TextInput("english", "In English", _ENGLISH, max_chars=2_000),
        TextInput("other", "In another language", "안녕하세요 어떻게 지내세요?", max_chars=2_000),
    ),
    try_this="Type a sentence in your own language.",
    notes=Notes(
        say="A language that was rare in the training text got few merges, so its words stay in small parts.",
        ask="Besides the price, what disadvantage does a speaker of such a language have?",
        expect=(
            "The context window holds less text, answers take longer, and attention has more tokens to "
            "compare."
        ),
    ),
    show=show,
    sources=(n_tokens, times_english),
    openings=_openings,
)
