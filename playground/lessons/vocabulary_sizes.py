"""The parameters that a vocabulary needs in real models, and the tokens that it saves."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import islice

from playground.analysis.model_parameters import MODELS, Model, gpt2_others, llama_others
from playground.bpe.split_pattern import SplitPattern
from playground.lessons.inputs import ChoiceInput, NumberInput
from playground.lessons.lesson import Guess, Lesson, Notes, Opening, Question, Shown
from playground.training.algorithms.bpe import BpeLearner
from playground.training.corpora import novel, split_held_out
from playground.training.pretoken_counts import count_pretokens

_MIN_SIZE, _MAX_SIZE, _STEP = 257, 256_257, 1
_N_POINTS, N_NEWEST = 120, 3


@lru_cache(maxsize=1)
def learned_from_novel() -> tuple[tuple[int, int, str], ...]:
    """Return (tokens of the novel, count of the newest token, its text) for each vocabulary size from 257."""
    training, _held_out = split_held_out(novel(), 0.1)
    trainer = BpeLearner(count_pretokens(training, SplitPattern.named("cl100k")), vocab_size=_MAX_SIZE)
    trainer.advance()
    return tuple(
        (merge.n_tokens, merge.pair_count, merge.raw.decode(errors="replace")) for merge in trainer.merges()
    )


def newest_words(at: int) -> list[str]:
    """Return the last words among the tokens that were learned up to a place, the newest first.

    >>> newest_words(2_000)[0]
    ' knowledge'
    """
    texts = (learned_from_novel()[place][2] for place in range(at, -1, -1))
    words = (text for text in texts if text[:1] == " " and text[1:].isalpha())
    return list(islice(words, N_NEWEST))


def n_added_parameters(model: Model, n_added: int) -> int:
    """Return the parameters of `n_added` new rows in both matrices, or in one where the weights are tied.

    >>> n_added_parameters(MODELS["gpt2"], 4), n_added_parameters(MODELS["llama2_7b"], 4)
    (3072, 32768)
    """
    return n_added * model.width * (1 if model.is_tied else 2)


def show(size: int, model: str) -> Shown:
    """Return the model's parameters, and the novel's tokens for each vocabulary size."""
    found, learned = MODELS[model], learned_from_novel()
    at = min(size - _MIN_SIZE, len(learned) - 1)
    n_tokens, n_rarest, _text = learned[at]
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
        "n_half": learned[half - _MIN_SIZE][0]
        if (half := size // 2) >= _MIN_SIZE and at == size - _MIN_SIZE
        else None,
        "n_per_row": n_added_parameters(found, 1),
        "newest": newest_words(at),
        "curve": [[_MIN_SIZE + place, learned[place][0]] for place in places],
    }
    return Shown(figure, _question(found, size))


def _question(model: Model, size: int) -> Question:
    rows = model.n_in_rows(size)
    share = round(100 * model.share_of_rows(size))

    def hint(guess: str) -> str:
        plain = guess.strip().rstrip("%").strip()
        if plain == str(round(100 * rows / model.n_others)):
            return "That is rows ÷ other parameters; divide by all parameters."
        return f"Divide {rows:,} by {rows + model.n_others:,}."

    asks = f"What percentage of {model.label}'s parameters is in {size:,} rows?"
    return Question(asks, f"{share} %", hint)


def _openings(size: int, model: str) -> Sequence[Opening]:  # noqa: ARG001  # of all inputs by name
    return (Opening("train", {"chosen": {"train.corpus": novel().title}}),)


VOCABULARY_SIZE = Lesson(
    slug="vocabulary-size",
    number=16,
    title="Vocabulary size",
    claim="A larger vocabulary: more parameters, fewer tokens.",
    guess=Guess(
        "Vocabulary from 2,000 to 4,000: how much shorter is a novel?",
        ("13 %", "25 %", "50 %"),
        right=0,
        proof="13 % fewer than with 2,000 rows",
    ),
    time="1:43:27",
    figure="vocabulary-size",
    steps=(
        "Each token is a row in the embedding and in lm_head; GPT-2 shares them.",
        "In a novel, further rows are rarer words: twice the rows save little.",
        "A new token is one more row; the rest of the model can stay.",
    ),
    inputs=(
        NumberInput("size", "Rows", 50_257, _MIN_SIZE, _MAX_SIZE, _STEP),
        ChoiceInput("model", "Model", "gpt2", {name: model.label for name, model in MODELS.items()}),
    ),
    try_this="Drag to both ends.",
    notes=Notes(
        say=(
            "Every token adds a row to the embedding and one to lm_head, unless they are tied, and each is "
            "trained."
        ),
        ask="XLM-V has a million tokens for 100 languages. Why do most models have far fewer?",
        expect=(
            "The last tokens are too rare to train their rows well, and lm_head computes all of them at "
            "each step."
        ),
    ),
    show=show,
    sources=(Model, n_added_parameters, gpt2_others, llama_others, learned_from_novel),
    openings=_openings,
    told_at=2,
    sets={2: {"size": 4_000}, 3: {"size": 50_257}},
)
