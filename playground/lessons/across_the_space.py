"""SuperBPE, whose merges join words after a transition, beside BPE on the same text."""

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any

from playground.bpe.split_pattern import SplitPattern, iter_pretokens
from playground.core.tokenizer import Tokenizer
from playground.lessons.inputs import NumberInput, TextInput
from playground.lessons.lesson import Guess, Lesson, Notes, Opening, Question, Shown, readings
from playground.lessons.pieces import shown_pieces
from playground.training.algorithms.bpe import BPE, learn
from playground.training.algorithms.learner import Algorithm, Learner, OptionValue, TrainingTexts
from playground.training.algorithms.superbpe import SUPERBPE, learn_superbpe
from playground.training.corpora import Corpus, novel
from playground.training.pretoken_counts import count_pretokens

#: Characters of the novel to learn from, merges, and characters of the text that are encoded.
N_CHARS, N_MERGES, MAX_CHARS, MAX_PIECES = 60_000, 2_000, 160, 80
_PATTERN = SplitPattern.named("gpt2")


@cache
def _texts() -> TrainingTexts:
    text = novel().texts[0][:N_CHARS]
    return TrainingTexts(count_pretokens([text], _PATTERN), None, Corpus("novel", (text,)), _PATTERN)


def _learned(algorithm: Algorithm, options: dict[str, OptionValue]) -> tuple[Learner, Tokenizer]:
    defaults = {option.name: option.default for option in algorithm.options}
    learner = algorithm.start(_texts(), 256 + N_MERGES, defaults | options)
    learner.advance()
    return learner, learner.tokenizer(algorithm.title)


@cache
def by_bpe() -> tuple[Learner, Tokenizer]:
    """Return the training with BPE and its tokenizer."""
    return _learned(BPE, {"ties": "lowest-pair"})


@lru_cache(maxsize=16)
def by_superbpe(transition: int) -> tuple[Learner, Tokenizer]:
    """Return the training whose merges may join words after the merge `transition`, and its tokenizer."""
    return _learned(SUPERBPE, {"transition": 100 * transition // N_MERGES})


def crosses(text: str) -> bool:
    """Whether a token's text lies in several pretokens, so that BPE alone could not learn it.

    >>> crosses(" of the"), crosses(" the")
    (True, False)
    """
    return sum(1 for _ in iter_pretokens(text, _PATTERN)) > 1


def show(text: str, transition: int) -> Shown:
    """Return the curves of both trainings, and a text in the tokens of both."""
    shown = text[:MAX_CHARS]
    trained = {"BPE": by_bpe(), "SuperBPE": by_superbpe(transition)}
    rows: list[dict[str, Any]] = []
    for name, (learner, tokenizer) in trained.items():
        found = shown_pieces(tokenizer, shown, max_pieces=MAX_PIECES)
        pieces = [{**piece, "crosses": crosses(piece["text"])} for piece in found["pieces"]]
        curve = learner.curve()[:, 1].tolist()
        rows.append({"name": name, "n_tokens": found["n_tokens"], "pieces": pieces, "curve": curve})
    figure: dict[str, Any] = {"rows": rows, "n_bytes": _texts().pretokens.n_bytes, "transition": transition}
    n_bpe, n_super = (row["n_tokens"] for row in rows)
    if n_bpe <= n_super:
        return Shown(
            figure, needs="No token saved here: type words that often stand together, such as “of the”."
        )
    needs = f"The first {MAX_CHARS} characters are encoded." if shown != text else ""
    return Shown(figure, _question(n_bpe, n_super), needs)


def _question(n_bpe: int, n_super: int) -> Question:
    def hint(guess: str) -> str:
        if readings(guess) & {n_bpe, n_super}:
            return "That is the number of tokens in one of the rows: subtract the two."
        return "The numbers of tokens are at the end of both rows: subtract them."

    return Question("How many tokens does SuperBPE save in this text?", str(n_bpe - n_super), hint)


def _openings(text: str, **_transition: object) -> Sequence[Opening]:
    chosen = {"train.corpus": novel().title, "train.algorithm": SUPERBPE.name}
    return (Opening("train", {"chosen": chosen}), Opening("tokenize", {"text": text, "tokenizer": "gpt2"}))


ACROSS_THE_SPACE = Lesson(
    slug="across-the-space",
    number=25,
    title="Across the space",
    claim="Merges across spaces save what merges inside words can't.",
    guess=Guess(
        "BPE's curve is nearly flat. Now merges may join words: what happens?",
        ("it stays flat", "it bends up again", "it falls"),
        right=1,
        proof="SuperBPE 4.82",
    ),
    time="",
    figure="across-the-space",
    steps=(
        "BPE merges inside words: each merge saves less than earlier ones.",
        "After the transition, merges may join words.",
        "The outlined superwords join words; BPE cannot learn them.",
    ),
    inputs=(
        TextInput(
            "text",
            "Text",
            "Mr. Bingley and Mr. Darcy had been at the ball.",
            max_chars=2_000,
        ),
        NumberInput("transition", "Transition", N_MERGES // 2, 200, N_MERGES - 200, 200),
    ),
    try_this="Drag the transition.",
    notes=Notes(
        say=(
            "SuperBPE (Liu and others 2025, arXiv 2503.13423), trained just now on 60,000 characters of "
            "Pride and Prejudice. Both vocabularies have the same size."
        ),
        ask="Why not let merges join words from the first merge on?",
        expect="The first merges would join letters to spaces, such as “e ”, before whole words exist.",
    ),
    show=show,
    sources=(learn_superbpe, learn, crosses),
    openings=_openings,
    told_at=2,
)
