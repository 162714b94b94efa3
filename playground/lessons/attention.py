"""Lesson 6: attention looks at all pairs, so bytes, five times as many as tokens, cost thirty times."""

from collections.abc import Sequence
from functools import cache

from playground.catalog.registry import get_tokenizer
from playground.lessons.inputs import NumberInput
from playground.lessons.lesson import Lesson, Notes, Opening, Question, Shown
from playground.training.parallel_texts import load_parallel_texts

TOKENIZER = "o200k_base"
#: As many tokens as GPT-3 reads at once.
WINDOW = 2_048


@cache
def declaration() -> str:
    """The Universal Declaration of Human Rights in English, an article a line.

    >>> len(declaration().encode())
    8287
    """
    return "\n".join(load_parallel_texts()[0].articles) + "\n"


def pairs_of(length: int) -> int:
    """How many pairs attention weighs: each place with each.

    >>> pairs_of(8_287) / pairs_of(1_524)
    29.568...
    """
    return length * length


def show(n_bytes: int) -> Shown:
    """Both lengths of the beginning of the declaration, and their pairs."""
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
    }
    return Shown(figure, _question(n_bytes / n_tokens, ratio))


def _question(longer: float, ratio: float) -> Question:
    def hint(guess: str) -> str:
        if guess.strip() in (f"{longer:.1f}", f"{longer:.2f}", f"{longer:.0f}"):
            return "So many times as long it is. The pairs grow with the square."
        return "Divide the two lengths, and multiply the result by itself."

    also = (f"{ratio:.2f}", f"{ratio:.0f}", f"{round(longer, 2) ** 2:.1f}", f"{round(longer, 2) ** 2:.2f}")
    asks = "How much is pairs of bytes ÷ pairs of tokens, to one decimal?"
    return Question(asks, f"{ratio:.1f}", hint, also)


def _openings(n_bytes: int) -> Sequence[Opening]:
    text = declaration()[: min(n_bytes, 2_000)]
    return (Opening("compare", {"text": text, "tokenizers": ["utf8_bytes", TOKENIZER]}),)


ATTENTION = Lesson(
    slug="attention",
    number=6,
    title="Why not bytes",
    claim="Attention pays the square of the length.",
    time="22:47",
    figure="attention",
    steps=(
        "Each byte may look at each byte: at most this many pairs.",
        "As tokens the same text is the small square.",
        "The dashed window is all that GPT-3 reads at once.",
    ),
    inputs=(NumberInput("n_bytes", "Bytes", 8_287, 100, 8_287),),
    try_this="Drag the length.",
    notes=Notes(
        say="A byte tokenizer needs no training at all; this square is why nobody uses one.",
        ask="The text is five times as long in bytes: how much more work is that?",
        expect="About thirty times: each place looks at all. A GPT looks only back, which halves both.",
    ),
    show=show,
    sources=(pairs_of, declaration),
    openings=_openings,
)
