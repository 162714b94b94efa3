"""Lesson 0: ten oddities of language models, each with a number that is computed when the lesson opens."""

import json
from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple

import yaml

from playground.catalog.registry import get_tokenizer
from playground.lessons.attention import declaration, pairs_of
from playground.lessons.lesson import Guess, Lesson, Notes, Opening, Shown
from playground.lessons.spaces import count_space_starts

#: One token of cl100k_base (a word of C# code), and one of GPT-2 (a Reddit user's name, with a space).
STYLE, MAGIKARP = ".DefaultCellStyle", " SolidGoldMagikarp"
_ORDER = {"order": {"id": 1042, "items": [{"name": "pen", "price": 1.5}, {"name": "ink", "price": 4.25}]}}


class Oddity(NamedTuple):
    """A card: its title, the lesson that explains it, its number's meaning, and what computes the number."""

    title: str
    lesson: str
    says: str
    number: Callable[[], str]


def count(name: str, text: str) -> int:
    """Return the number of tokens of a text.

    >>> count("cl100k_base", STYLE), count("cl100k_base", STYLE[::-1])
    (1, 9)
    """
    return len(get_tokenizer(name).encode(text))


def _spelling() -> str:
    return f"{len(STYLE)} → {count('cl100k_base', STYLE)}"


def _reversing() -> str:
    return f"{count('cl100k_base', STYLE)} → {count('cl100k_base', STYLE[::-1])}"


def _languages() -> str:
    english, korean = "Hello how are you?", "안녕하세요 어떻게 지내세요?"
    return f"{count('cl100k_base', korean) / count('cl100k_base', english):g} ×"


def _arithmetic() -> str:
    return f"{sum(count('gpt2', str(number)) == 1 for number in range(1_000))}"


def _code() -> str:
    """Count the tokens of an indent; the rest of the line, " x", is one more token."""
    line = f"{' ' * 16}x"
    return f"{count('gpt2', line) - 1} → {count('cl100k_base', line) - 1}"


def _halting() -> str:
    end = "<|endoftext|>"
    as_special = get_tokenizer("gpt2").encode(end, allowed_special=frozenset([end]))
    return f"{count('gpt2', end)} → {len(as_special)}"


def _spaces() -> str:
    return f"{count_space_starts(get_tokenizer('gpt2'))[0]:,}"


def _magikarp() -> str:
    return f"{len(MAGIKARP)} → {count('gpt2', MAGIKARP)}"


def _formats() -> str:
    indented, shorter = json.dumps(_ORDER, indent=2), yaml.safe_dump(_ORDER, sort_keys=False)
    return f"{count('cl100k_base', indented)} → {count('cl100k_base', shorter)}"


def _bytes() -> str:
    text = declaration()
    return f"{pairs_of(len(text.encode())) / pairs_of(count('o200k_base', text)):.1f} ×"


ODDITY_TABLE: Sequence[Oddity] = (
    Oddity("Spelling", "spelling", "Characters → tokens: .DefaultCellStyle is one token.", _spelling),
    Oddity(
        "Reversing",
        "spelling",
        "Tokens of .DefaultCellStyle → tokens of the same letters backwards.",
        _reversing,
    ),
    Oddity("Languages", "languages", "Korean tokens ÷ English tokens of the same greeting.", _languages),
    Oddity("Arithmetic", "numbers", "Numbers from 0 to 999 that are one token in GPT-2.", _arithmetic),
    Oddity("Code", "gpt2-files", "Tokens for an indent of 16 spaces: GPT-2 → GPT-4.", _code),
    Oddity("Halting", "special-tokens", "Tokens of <|endoftext|>: as text → as a special token.", _halting),
    Oddity("Spaces", "spaces", "GPT-2's tokens that begin with a space.", _spaces),
    Oddity(
        "Magikarp",
        "rows-that-never-move",
        "Characters → tokens: “ SolidGoldMagikarp”, space included, is one GPT-2 token.",
        _magikarp,
    ),
    Oddity("Formats", "choose", "Tokens of the same order: indented JSON → YAML.", _formats),
    Oddity("Bytes", "attention", "Pairs in attention: bytes ÷ tokens of the same text.", _bytes),
)


@cache
def cards() -> tuple[dict[str, str], ...]:
    """Return the ten cards with their computed numbers."""
    return tuple({"title": one.title, "number": one.number(), "lesson": one.lesson} for one in ODDITY_TABLE)


def show() -> Shown:
    """Return the cards."""
    return Shown({"cards": cards()})


def _openings() -> Sequence[Opening]:
    return (Opening("tokenize", {"text": f"{STYLE}\n{MAGIKARP}", "tokenizer": "cl100k_base"}),)


ODDITIES = Lesson(
    slug="oddities",
    number=0,
    title="Ten oddities",
    claim="Many oddities of language models come from their tokens.",
    guess=Guess("How many l are in .DefaultCellStyle?", ("2", "3", "4", "5"), right=2),
    time="0:04",
    figure="oddities",
    steps=tuple(oddity.says for oddity in ODDITY_TABLE),
    inputs=(),
    try_this="Open a card.",
    notes=Notes(
        say="Each of these looks like a fault of the model; the tokenizer is a cause of each.",
        ask="Which of them have you come across yourselves?",
        expect="Usually counting letters and arithmetic; few have heard of SolidGoldMagikarp.",
    ),
    show=show,
    sources=(count, cards),
    openings=_openings,
    in_class=True,
    has_question=False,
)
