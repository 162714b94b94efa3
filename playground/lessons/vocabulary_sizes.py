"""Lesson 18: what the rows of a vocabulary cost in real models, and the tokens that they save."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from playground.bpe.split_pattern import SplitPattern
from playground.lessons.inputs import ChoiceInput, NumberInput
from playground.lessons.lesson import Lesson, Notes, Opening, Question, Shown
from playground.training.corpora import novel, split_held_out
from playground.training.pretoken_counts import count_pretokens
from playground.training.trainer import Trainer
from playground.training.warm_up import warm_up

_MIN_SIZE, _MAX_SIZE, _STEP = 257, 256_257, 1_000
_N_POINTS = 120


@dataclass(frozen=True, slots=True)
class Model:
    """What a published model has beside its rows; `is_tied` where lm_head is the embedding itself."""

    label: str
    width: int
    n_others: int
    is_tied: bool

    def n_in_rows(self, size: int) -> int:
        """Parameters of the embedding and of lm_head."""
        return size * self.width * (1 if self.is_tied else 2)


def gpt2_others(width: int, n_layers: int) -> int:
    """Positions, layers with biases, and norms: Radford et al. 2019.

    >>> gpt2_others(768, 12) + 50_257 * 768
    124439808
    """
    return 1_024 * width + n_layers * (12 * width**2 + 13 * width) + 2 * width


def llama_others(width: int, n_layers: int, queries: int, keys: int, hidden: int) -> int:
    """Attention, a gated feed-forward layer, and norms: Touvron et al. 2023, arXiv:2307.09288.

    >>> llama_others(4_096, 32, 4_096, 4_096, 11_008) + 2 * 32_000 * 4_096
    6738415616
    """
    layer = 2 * width * queries + 2 * width * keys + 3 * width * hidden + 2 * width
    return n_layers * layer + width


#: Shapes as their papers have them; Llama 3: arXiv:2407.21783, Gemma: arXiv:2403.08295.
MODELS = {
    "gpt2": Model("GPT-2", 768, gpt2_others(768, 12), is_tied=True),
    "gpt2_xl": Model("GPT-2 XL", 1_600, gpt2_others(1_600, 48), is_tied=True),
    "llama2_7b": Model("Llama 2", 4_096, llama_others(4_096, 32, 4_096, 4_096, 11_008), is_tied=False),
    "llama3_8b": Model("Llama 3", 4_096, llama_others(4_096, 32, 4_096, 1_024, 14_336), is_tied=False),
    "gemma_7b": Model("Gemma", 3_072, llama_others(3_072, 28, 4_096, 4_096, 24_576), is_tied=True),
}


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
    share = round(100 * rows / (rows + model.n_others))

    def hint(guess: str) -> str:
        plain = guess.strip().rstrip("%").strip()
        if plain == str(round(100 * rows / model.n_others)):
            return "That is beside the others; divide by all parameters, rows included."
        return f"Divide {rows:,} by {rows + model.n_others:,}."

    asks = f"With {size:,} rows, what share of {model.label} are they?"
    return Question(asks, f"{share} %", hint, also=(str(share), f"{share}%"))


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
        "Each token is a row in both matrices.",
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
