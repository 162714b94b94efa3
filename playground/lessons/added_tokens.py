"""Lesson 19: the parameters that new tokens add to a model."""

from collections.abc import Sequence

from playground.analysis.model_parameters import MODELS, Model
from playground.lessons.inputs import ChoiceInput, NumberInput
from playground.lessons.lesson import Guess, Lesson, Notes, Opening, Question, Shown, readings

#: Rows that each model is published with.
N_ROWS = {"gpt2": 50_257, "llama2_7b": 32_000, "llama3_8b": 128_256}


def n_added_parameters(model: Model, n_added: int) -> int:
    """Return the parameters of `n_added` rows in both matrices, or in one where the weights are tied.

    >>> n_added_parameters(MODELS["gpt2"], 4), n_added_parameters(MODELS["llama2_7b"], 4)
    (3072, 32768)
    """
    return n_added * model.width * (1 if model.is_tied else 2)


def n_all_parameters(model: Model, n_rows: int) -> int:
    """Return all parameters of a model with this number of rows."""
    return model.n_in_rows(n_rows) + model.n_others


def show(n_added: int, model: str) -> Shown:
    """Return both sizes of the model."""
    found, n_rows = MODELS[model], N_ROWS[model]
    figure = {
        "n_added": n_added,
        "n_rows": n_rows,
        "width": found.width,
        "is_tied": found.is_tied,
        "before": n_all_parameters(found, n_rows),
        "after": n_all_parameters(found, n_rows + n_added),
    }
    return Shown(figure, _question(found, n_added))


def _question(model: Model, n_added: int) -> Question:
    answer = n_added_parameters(model, n_added)

    def hint(guess: str) -> str:
        if n_added * model.width in readings(guess) and not model.is_tied:
            return "That is the embedding alone; lm_head grows by the same number."
        matrices = "One matrix is" if model.is_tied else "Two matrices are"
        return f"{matrices} resized; each new row has {model.width:,} numbers."

    tokens = "token" if n_added == 1 else "tokens"
    return Question(f"How many parameters do {n_added} {tokens} add to {model.label}?", str(answer), hint)


def _openings(**_chosen: object) -> Sequence[Opening]:
    return (Opening("tokenize", {"text": "<|im_start|>user", "tokenizer": "cl100k_base"}),)


NEW_TOKENS = Lesson(
    slug="new-tokens",
    number=19,
    title="New tokens",
    claim="A new token is a new row in each matrix.",
    guess=Guess("How many parameters does one new token add to GPT-2?", ("1", "768", "50,257"), right=1),
    time="1:48:11",
    figure="new-tokens",
    steps=(
        "New rows are appended; all other weights may stay frozen.",
        "The model grows only by these rows.",
    ),
    inputs=(
        NumberInput("n_added", "New", 4, 1, 16),
        ChoiceInput("model", "Model", "gpt2", {name: MODELS[name].label for name in N_ROWS}),
    ),
    try_this="Add more tokens.",
    notes=Notes(
        say="Adding a token resizes the embedding and lm_head; only the new rows have to be trained.",
        ask="Which tokens would you add to a model that is trained already?",
        expect="Marks of a chat or of tools; or gist tokens, trained to stand for a long prompt.",
    ),
    show=show,
    sources=(n_added_parameters, n_all_parameters, show),
    openings=_openings,
    asked_at=1,
)
