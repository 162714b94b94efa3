"""Lesson 18: what the rows of a vocabulary cost in real models, and the tokens that they save."""

from collections.abc import Sequence
from functools import lru_cache

from playground.analysis.model_parameters import MODELS, Model, gpt2_others, llama_others
from playground.bpe.split_pattern import SplitPattern
from playground.lessons.inputs import ChoiceInput, NumberInput
from playground.lessons.lesson import Lesson, Notes, Opening, Question, Shown
from playground.training.corpora import novel, split_held_out
from playground.training.pretoken_counts import count_pretokens
from playground.training.trainer import Trainer
from playground.training.warm_up import warm_up

_MIN_SIZE, _MAX_SIZE, _STEP = 257, 256_257, 1_000
_N_POINTS = 120


@lru_cache(maxsize=1)
def learned_from_novel() -> tuple[tuple[int, int], ...]:
    """The novel's tokens and the new token's count, for each vocabulary from 257 until no pair is left."""
    warm_up()
    training, _held_out = split_held_out(novel(), 0.1)
    trainer = Trainer(count_pretokens(training, SplitPattern.named("cl100k")), vocab_size=_MAX_SIZE)
    trainer.advance()
    return tuple((merge.n_tokens, merge.pair_count) for merge in trainer.merges())


def show(size: int, model: str) -> Shown:
    """The parameters to scale, and the novel's tokens for each size."""
    found, learned = MODELS[model], learned_from_novel()
    at = min(size - _MIN_SIZE, len(learned) - 1)
    n_tokens, n_rarest = learned[at]
    ratio = len(learned) ** (1 / _N_POINTS)
    places = sorted({min(len(learned), round(ratio**n)) - 1 for n in range(_N_POINTS + 1)})
    figure = {
        "size": size,
        "width": found.width,
        "n_in_rows": found.n_in_rows(size),
        "n_others": found.n_others,
        "is_tied": found.is_tied,
        "n_tokens": n_tokens,
        "n_rarest": n_rarest,
        "curve": [[_MIN_SIZE + place, learned[place][0]] for place in places],
    }
    return Shown(figure, _question(found, size))


def _question(model: Model, size: int) -> Question:
    rows = model.n_in_rows(size)
    share = round(100 * model.share_of_rows(size))

    def hint(guess: str) -> str:
        plain = guess.strip().rstrip("%").strip()
        if plain == str(round(100 * rows / model.n_others)):
            return "That is beside the others; divide by all parameters, rows included."
        return f"Divide {rows:,} by {rows + model.n_others:,}."

    asks = f"How many percent of {model.label}'s parameters are in {size:,} rows?"
    return Question(asks, f"{share} %", hint)


def _openings(size: int, model: str) -> Sequence[Opening]:  # noqa: ARG001  # of all inputs by name
    return (Opening("train", {"chosen": {"train.corpus": novel().title}}),)


VOCABULARY_SIZE = Lesson(
    slug="vocabulary-size",
    number=18,
    title="Vocabulary size",
    claim="Rows cost, tokens save.",
    time="1:43:27",
    figure="vocabulary-size",
    steps=(
        "Each token is a row of both matrices; GPT-2 has one for both.",
        "A novel: more rows save less, and the last are rare.",
    ),
    inputs=(
        NumberInput("size", "Rows", 50_257, _MIN_SIZE, _MAX_SIZE, _STEP),
        ChoiceInput("model", "Model", "gpt2", {name: model.label for name, model in MODELS.items()}),
    ),
    try_this="Slide to both ends.",
    notes=Notes(
        say="Every token adds a row to the embedding and one to lm_head, and each row must be learned.",
        ask="Why does nobody take a million tokens?",
        expect="The last tokens are too rare for their rows to be learned, and lm_head computes all of them.",
    ),
    show=show,
    sources=(Model, gpt2_others, llama_others, learned_from_novel),
    openings=_openings,
)
