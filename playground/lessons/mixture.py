"""Lesson 10: the languages in a tokenizer's training text decide which language needs few tokens."""

from collections.abc import Sequence
from functools import cache
from typing import Any

from playground.bpe.split_pattern import SplitPattern
from playground.lessons.inputs import ChoiceInput, NumberInput
from playground.lessons.lesson import Guess, Lesson, Notes, Opening, Question, Shown
from playground.training.algorithms.bpe import BpeLearner
from playground.training.corpora import LANGUAGES
from playground.training.parallel_texts import load_parallel_texts
from playground.training.pretoken_counts import count_pretokens

#: Parts of a mixture, vocabulary size, and articles of the Declaration that are held out.
N_PARTS, VOCAB_SIZE, N_HELD_OUT = 10, 1_256, 2
MAX_SHOWN_CHARS = 90
_PATTERN = SplitPattern.named("cl100k")
OTHERS = ("Korean", "Nepali", "Russian")


@cache
def texts_of(language: str) -> tuple[str, str]:
    """Return the Declaration in a language as two texts: its first two articles, and the others."""
    text = next(text for text in load_parallel_texts() if text.name == language)
    first, others = text.articles[:N_HELD_OUT], text.articles[N_HELD_OUT:]
    return "\n".join(first) + "\n", "\n".join(others) + "\n"


def trained(other: str, n_other: int, held_out: str) -> BpeLearner:
    """Train on `n_other` parts of ten in another language, the rest in English; count a held-out text."""
    parts = ["English"] * (N_PARTS - n_other) + [other] * n_other
    learned_from = count_pretokens([texts_of(language)[1] for language in parts], _PATTERN)
    trainer = BpeLearner(learned_from, vocab_size=VOCAB_SIZE, held_out=count_pretokens([held_out], _PATTERN))
    trainer.advance()
    return trainer


@cache
def n_tokens(other: str, n_other: int, language: str) -> int:
    """Return the tokens of a language's two held-out articles after training on a mixture.

    >>> [n_tokens("Korean", 1, language) for language in ("English", "Korean")]
    [227, 391]
    """
    return trained(other, n_other, texts_of(language)[0]).n_held_out_tokens


def show(n_other: int, other: str) -> Shown:
    """Return the tokens of both texts for each mixture, and both texts cut by the chosen one."""
    languages = ("English", other)
    model = trained(other, n_other, texts_of("English")[0])
    figure: dict[str, Any] = {
        "n_other": n_other,
        "languages": languages,
        "n_tokens": [[n_tokens(other, n, language) for n in range(N_PARTS + 1)] for language in languages],
        "texts": [_cut(model, texts_of(language)[0][:MAX_SHOWN_CHARS]) for language in languages],
    }
    return Shown(figure, _question(other, n_other))


def _cut(model: BpeLearner, text: str) -> dict[str, Any]:
    ids = model.tokenizer("mixture").encode(text)
    return {"text": text, "lengths": [len(model.token_bytes()[token_id]) for token_id in ids]}


def _question(other: str, n_other: int) -> Question:
    before, now = n_tokens(other, 0, other), n_tokens(other, n_other, other)
    if n_other == 0:
        return Question(
            f"How many tokens does the {other} text have without any {other} in training?",
            str(now),
            _hint_of_none,
            (f"{now} tokens",),
        )

    def hint(guess: str) -> str:
        if guess.strip() == str(now):
            return f"That is the number left. How many were there without any {other}?"
        return f"Without any {other} there are {before} tokens: subtract those that are left."

    ratio = f"{N_PARTS - n_other} : {n_other}"
    saved = str(before - now)
    return Question(
        f"How many tokens of the {other} text does the mixture {ratio} save?",
        saved,
        hint,
        (f"{saved} tokens",),
    )


def _hint_of_none(_guess: str) -> str:
    return "The number is beside the longer bar."


def _openings(other: str, **_chosen: object) -> Sequence[Opening]:
    both = texts_of("English")[0] + texts_of(other)[0]
    return (
        Opening("train", {"chosen": {"train.corpus": LANGUAGES}}),
        Opening("compare", {"text": both, "tokenizers": ["gpt2", "cl100k_base", "o200k_base"]}),
    )


MIXTURE = Lesson(
    slug="mixture",
    number=10,
    title="Another training set",
    claim="The training text decides which language needs few tokens.",
    guess=Guess(
        "A tenth of the training text becomes Korean: what happens to Korean?",
        ("a tenth fewer tokens", "half the tokens", "no change"),
        right=1,
    ),
    time="39:20",
    figure="mixture",
    steps=(
        "The tokens of two held-out articles in each language.",
        "The first tenth saves the most; further tenths save little.",
        "Text unlike the training text stays mostly in single bytes.",
    ),
    inputs=(
        NumberInput("n_other", "Tenths in the other language", 1, 0, N_PARTS),
        ChoiceInput("other", "Language", "Korean", {name: name for name in OTHERS}),
    ),
    try_this="Drag from 0 to 10.",
    notes=Notes(
        say="The vocabulary always has 1,256 tokens; only the training text changes, and it is trained live.",
        ask="What does one tenth of another language cost English?",
        expect="Almost nothing: a few more tokens, while the other language saves hundreds.",
    ),
    show=show,
    sources=(texts_of, trained, n_tokens),
    openings=_openings,
)
