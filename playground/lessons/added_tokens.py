"""Lesson 19: what a new token adds to a model, and what gist tokens would save, as arithmetic."""

from collections.abc import Sequence

from playground.analysis.model_parameters import MODELS, Model
from playground.catalog.registry import get_tokenizer
from playground.core.wording import counted
from playground.lessons.inputs import ChoiceInput, NumberInput, TextInput
from playground.lessons.lesson import Lesson, Notes, Opening, Question, Shown, readings

#: Rows that each model is published with.
N_ROWS = {"gpt2": 50_257, "llama2_7b": 32_000, "llama3_8b": 128_256}
TOKENIZER = "gpt2"
PROMPT = "You are a helpful assistant. Answer in plain words."


def n_added_parameters(model: Model, n_added: int) -> int:
    """A row in each matrix for each new token; one where lm_head is the embedding itself.

    >>> n_added_parameters(MODELS["gpt2"], 4), n_added_parameters(MODELS["llama2_7b"], 4)
    (3072, 32768)
    """
    return n_added * model.width * (1 if model.is_tied else 2)


def n_all_parameters(model: Model, n_rows: int) -> int:
    """The rows, and all that is not rows."""
    return model.n_in_rows(n_rows) + model.n_others


def show(n_added: int, model: str, prompt: str) -> Shown:
    """The matrices before and after, and a prompt beside as many gist tokens."""
    found, n_rows = MODELS[model], N_ROWS[model]
    n_prompt = len(get_tokenizer(TOKENIZER).encode(prompt))
    figure = {
        "n_added": n_added,
        "n_rows": n_rows,
        "width": found.width,
        "is_tied": found.is_tied,
        "before": n_all_parameters(found, n_rows),
        "after": n_all_parameters(found, n_rows + n_added),
        "n_prompt": n_prompt,
    }
    needs = "" if n_prompt > n_added else f"The prompt has {counted(n_prompt, 'token')}: write a longer one."
    return Shown(figure, _question(found, n_added), needs)


def _question(model: Model, n_added: int) -> Question:
    answer = n_added_parameters(model, n_added)

    def hint(guess: str) -> str:
        if n_added * model.width in readings(guess) and not model.is_tied:
            return "That is the embedding; lm_head gets as many."
        matrices = "One matrix serves" if model.is_tied else "Two matrices serve"
        return f"{matrices} both ends; each new row has {model.width:,} numbers."

    tokens = "token" if n_added == 1 else "tokens"
    return Question(f"How many parameters do {n_added} {tokens} add to {model.label}?", str(answer), hint)


def _openings(prompt: str, **_chosen: object) -> Sequence[Opening]:
    return (Opening("tokenize", {"text": prompt, "tokenizer": TOKENIZER}),)


NEW_TOKENS = Lesson(
    slug="new-tokens",
    number=19,
    title="New tokens",
    claim="A new token is a new row in each matrix.",
    time="1:48:11",
    figure="new-tokens",
    steps=(
        "New rows slide in; all other numbers may stay frozen.",
        "The model grows by only these rows.",
        "Gist tokens stand for a prompt: arithmetic only, nothing trained here.",
    ),
    inputs=(
        NumberInput("n_added", "New", 4, 1, 16),
        ChoiceInput("model", "Model", "gpt2", {name: MODELS[name].label for name in N_ROWS}),
        TextInput("prompt", "Prompt", PROMPT, max_chars=2_000),
    ),
    try_this="Add more.",
    notes=Notes(
        say="Adding a token resizes two matrices, and only the new rows must be trained.",
        ask="Why would one train a few tokens to stand for a long prompt?",
        expect="The prompt is paid for with each request; the gist tokens take a few places instead.",
    ),
    show=show,
    sources=(n_added_parameters, n_all_parameters, show),
    openings=_openings,
    asked_at=1,
)
