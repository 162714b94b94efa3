"""Five oddities of language models, each with a number that is computed when the lesson opens."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

from playground.catalog.registry import get_tokenizer
from playground.lessons.inputs import PicksInput
from playground.lessons.lesson import Guess, Lesson, Notes, Opening, Shown

#: One token of cl100k_base (a word of C# code), and one of GPT-2 (a Reddit user's name, with a space).
STYLE, MAGIKARP = ".DefaultCellStyle", " SolidGoldMagikarp"


class Oddity(NamedTuple):
    """A card: its title, its lesson, what it asks, what computes the answer, and what the answer means."""

    title: str
    lesson: str
    asks: str
    number: Callable[[], str]
    says: str


def count(name: str, text: str) -> int:
    """Return the number of tokens of a text.

    >>> count("cl100k_base", STYLE), count("cl100k_base", STYLE[::-1])
    (1, 9)
    """
    return len(get_tokenizer(name).encode(text))


def _spelling() -> str:
    return str(STYLE.count("l"))


def _languages() -> str:
    english, korean = "Hello how are you?", "안녕하세요 어떻게 지내세요?"
    return f"{count('cl100k_base', korean) / count('cl100k_base', english):g} ×"


def _arithmetic() -> str:
    return f"{sum(count('gpt2', str(number)) == 1 for number in range(1_000))}"


def _code() -> str:
    """Count the tokens of an indent; the rest of the line, " x", is one more token."""
    return f"{count('gpt2', ' ' * 16 + 'x') - 1}"


def _magikarp() -> str:
    return f"{count('gpt2', MAGIKARP)}"


ODDITY_TABLE: Sequence[Oddity] = (
    Oddity("Spelling", "spelling", "How many l in .DefaultCellStyle?", _spelling,
           "Four, but GPT-4 sees one token and no letters."),
    Oddity("Languages", "languages", "Korean costs how many times English?", _languages,
           "The same greeting has three times the tokens in Korean."),
    Oddity("Arithmetic", "numbers", "How many of 0–999 are one token?", _arithmetic,
           "In GPT-2, the other 181 numbers are cut in two."),
    Oddity("Code", "build-gpt4", "An indent of 16 spaces: how many tokens?", _code,
           "Fifteen in GPT-2, and one in GPT-4."),
    Oddity("Magikarp", "rows-that-never-move", "SolidGoldMagikarp: how many tokens?", _magikarp,
           "A Reddit user's name is one token of GPT-2, with its space."),
)  # fmt: skip


@cache
def cards() -> tuple[dict[str, str], ...]:
    """Return the cards with their computed numbers."""
    return tuple(
        {"title": one.title, "asks": one.asks, "number": one.number(), "lesson": one.lesson}
        for one in ODDITY_TABLE
    )


def show(opened: tuple[str, ...] = ()) -> Shown:
    """Return the cards, and the titles of those that the class has opened."""
    figure: dict[str, Any] = {"cards": cards(), "opened": list(opened)}
    return Shown(figure)


def _openings(**_opened: object) -> Sequence[Opening]:
    return (Opening("tokenize", {"text": f"{STYLE}\n{MAGIKARP}", "tokenizer": "cl100k_base"}),)


ODDITIES = Lesson(
    slug="oddities",
    number=0,
    title="Five oddities",
    claim="Many oddities of language models come from their tokens.",
    guess=Guess("How many l are in .DefaultCellStyle?", ("2", "3", "4", "5"), right=2, proof="4"),
    time="0:04",
    figure="oddities",
    steps=tuple(oddity.says for oddity in ODDITY_TABLE),
    inputs=(PicksInput("opened", (), max_picks=10, max_chars=20),),
    try_this="Guess, then open a card.",
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
    told_at=1,
)
