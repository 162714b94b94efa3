"""Attention compares all pairs of positions, so a text in bytes costs thirty times as much."""

from collections.abc import Sequence
from functools import cache

from playground.catalog.registry import get_tokenizer
from playground.lessons.inputs import NumberInput
from playground.lessons.lesson import Guess, Lesson, Notes, Opening, Question, Shown
from playground.training.parallel_texts import load_parallel_texts

TOKENIZER = "o200k_base"
#: The context window of GPT-3, in tokens.
WINDOW = 2_048


@cache
def declaration() -> str:
    """Return the Universal Declaration of Human Rights in English, one article a line.

    >>> len(declaration().encode())
    8287
    """
    return "\n".join(load_parallel_texts()[0].articles) + "\n"


def pairs_of(length: int) -> int:
    """Return the number of pairs of positions that full attention compares.

    >>> pairs_of(8_287) / pairs_of(1_524)
    29.568...
    """
    return length * length


def show(n_bytes: int) -> Shown:
    """Return the length of the declaration's first `n_bytes` bytes, in bytes and in tokens."""
    whole = declaration()
    text = whole.encode()[:n_bytes].decode(errors="ignore")
    n_tokens = len(get_tokenizer(TOKENIZER).encode(text))
    ratio = pairs_of(n_bytes) / pairs_of(n_tokens)
    figure = {
        "n_bytes": n_bytes,
        "n_tokens": n_tokens,
        "n_most": len(whole.encode()),
        "window": WINDOW,
        "longer": f"{n_bytes / n_tokens:.2f}",
        "ratio": f"{ratio:.1f}",
    }
    return Shown(figure, _question(n_bytes / n_tokens, ratio))


def _question(longer: float, ratio: float) -> Question:
    def hint(guess: str) -> str:
        if guess.strip() in (f"{longer:.1f}", f"{longer:.2f}", f"{longer:.0f}"):
            return "That is how many times as long it is. Pairs grow with the square."
        return "Divide the two lengths, and multiply the result by itself."

    also = (f"{ratio:.2f}", f"{ratio:.0f}", f"{round(longer, 2) ** 2:.1f}", f"{round(longer, 2) ** 2:.2f}")
    asks = "What is pairs of bytes ÷ pairs of tokens, to one decimal?"
    return Question(asks, f"{ratio:.1f}", hint, also)


def _openings(n_bytes: int) -> Sequence[Opening]:
    text = declaration()[: min(n_bytes, 2_000)]
    return (Opening("compare", {"text": text, "tokenizers": ["utf8_bytes", TOKENIZER]}),)


ATTENTION = Lesson(
    slug="attention",
    number=6,
    title="Why not bytes",
    claim="The cost of attention grows with the square of the length.",
    guess=Guess(
        "In bytes, a text is 5.4 times as long: how many times the pairs?",
        ("about 5 times", "about 11 times", "about 30 times"),
        right=2,
        proof="29.6 × the pairs",
    ),
    time="22:47",
    figure="attention",
    steps=(
        "If every byte attends to every byte, there are this many pairs.",
        "In tokens, the same text is the small square.",
        "The pairs grow with the square of the length; dashed: GPT-3's context window.",
    ),
    inputs=(NumberInput("n_bytes", "Bytes", 8_287, 100, 8_287),),
    try_this="Drag the length.",
    notes=Notes(
        say=(
            "A byte tokenizer needs no training, but long texts cost more. ByT5 accepts that; MegaByte and "
            "BLT group bytes into patches."
        ),
        ask="The text is 5.4 times as long in bytes: how much more work is attention?",
        expect=(
            "About 30 times, the square of 5.4. A GPT attends only to earlier positions, which halves both "
            "squares."
        ),
    ),
    show=show,
    sources=(pairs_of, declaration),
    openings=_openings,
)
