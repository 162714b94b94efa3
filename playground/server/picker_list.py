"""What the tokenizer picker lists for a typed text, and which tokenizer a chosen name means.

A name is a model's id, a tokenizer's name, or the name of one of the visitor's own. `search` gives the rows
and `choice_of` resolves a name.
"""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from types import MappingProxyType
from typing import Literal, NamedTuple, TypedDict

from playground.catalog.local_models import LocalModel
from playground.catalog.models import (
    MAKERS,
    MODELS,
    Fidelity,
    Model,
    find_model,
    matching_models,
    similar_models,
)
from playground.catalog.openai import encoding_names
from playground.catalog.opened import OpenedTokenizer
from playground.catalog.registry import ABOUT, TOKENIZERS, encoding_name
from playground.core.errors import UnknownTokenizerError
from playground.core.wording import quoted

#: The tokenizers that ship, OpenAI's newest first.
TOKENIZER_NAMES = (
    *reversed(encoding_names()),
    *(name for name in TOKENIZERS if name not in encoding_names()),
)
#: The models that each maker's group shows before anything is typed; the others are one press away.
COMMON = frozenset({
    "gpt-5.6-sol", "gpt-5", "gpt-4o", "gpt-4.1", "o3", "claude-opus-5-5", "claude-sonnet-5-5",
    "claude-haiku-4-5", "claude-sonnet-4-5", "gemini-3.5-flash", "gemini-3.1-pro-preview", "gemini-2.5-pro",
    "gemma-4", "llama-4-maverick", "llama-3.3-70b", "mistral-large-3", "mistral-small-3", "qwen3-8b",
    "qwen2.5-coder", "qwen3.5", "deepseek-v4-pro", "deepseek-v3.2", "deepseek-r1", "kimi-k2-0905-preview",
    "glm-4.6", "phi-4",
})  # fmt: skip
MAX_ROWS = 60
#: The fields of a row that have names.
_NAMES: tuple[Literal["name", "label"], ...] = ("name", "label")
#: How exact a count is, in the words of a row.
Badge = Literal["exact", "reconstructed", "needs a file", "not published", "your file", "on this machine", ""]
_BADGES: dict[Fidelity, Badge] = {
    "exact": "exact",
    "reconstructed": "reconstructed",
    "file": "needs a file",
    "unpublished": "not published",
}
_UNKNOWN_ADVICE = "Type a model's full name such as gpt-4o-mini, or open its tokenizer file."


class PickerRow(TypedDict):
    """One row: `name` is what a choice is called, `tokenizer` what counts its tokens ("" without a file).

    A row with the badge "on this machine" is opened by its name before it is chosen. `note` says what a
    person has to know or do. A row without a name searches for its `detail`.
    """

    name: str
    label: str
    tokenizer: str
    detail: str
    badge: Badge
    note: str


class PickerGroup(TypedDict):
    """Rows under a heading."""

    title: str
    rows: list[PickerRow]


class PickerList(TypedDict):
    """The groups for a typed text, the name that Enter takes, and a sentence if nothing has that name."""

    groups: list[PickerGroup]
    first: str
    sentence: str


class Choice(NamedTuple):
    """A chosen name with its tokenizer, and the model that it means or None."""

    name: str
    tokenizer: str
    model: Model | None

    @property
    def label(self) -> str:
        """The model's name as its maker writes it, or the name of the tokenizer."""
        return self.name if self.model is None else self.model.name


def choice_of(name: str, visitor_tokenizers: Mapping[str, object]) -> Choice:
    """Return what a chosen name means. Raises UnknownTokenizerError.

    >>> choice = choice_of("GPT4o", {})
    >>> choice.name, choice.label, choice.tokenizer
    ('gpt-4o', 'GPT-4o', 'o200k_base')
    """
    model = find_model(name)
    if name in visitor_tokenizers:
        return Choice(name, name, model if model and name in model.ids else None)
    tokenizer = encoding_name(name)
    if model is None or name.lower() in TOKENIZERS:
        return Choice(tokenizer, tokenizer, None)
    return Choice(model.ids[0], tokenizer, model)


def search(
    typed: str,
    visitor_tokenizers: Mapping[str, OpenedTokenizer],
    local: Mapping[str, LocalModel] = MappingProxyType({}),
) -> PickerList:
    """Return the rows for a typed text: the visitor's own, `local` ones on the server's machine, models
    nearest first, and tokenizers; last the models that can't be counted without a file.

    >>> found = search("gpt5 mini", {})
    >>> found["first"], found["groups"][0]["rows"][0]["detail"]
    ('gpt-5-mini', 'o200k_base · 400k context')
    """
    text = typed.strip().lower()
    own_rows = [
        _row(name, tokenizer.about) for name, tokenizer in visitor_tokenizers.items() if text in name.lower()
    ]
    local_rows = [_local_row(model) for model in local.values() if text in model.name.lower()][:MAX_ROWS]
    here = {"Yours": own_rows, "On this machine": local_rows}
    if not text:
        return {"groups": _grouped(here | _by_maker(visitor_tokenizers)), "first": "", "sentence": ""}
    found = [model for model in MODELS if model.maker.lower() == text] or matching_models(typed)
    names = [
        name for name in TOKENIZER_NAMES if text in f"{name} {ABOUT[name].family} {ABOUT[name].kind}".lower()
    ]
    sentence = ""
    if not (found or names or own_rows or local_rows):
        try:  # a name that only tiktoken's table has, such as a fine-tuned model's
            names = [encoding_name(typed)]
            sentence = f"{typed.strip()} uses {names[0]}."
        except UnknownTokenizerError:
            found, names = similar_models(typed), get_close_matches(text[:60], TOKENIZER_NAMES, n=2)
            advice = "These names are similar:" if found or names else _UNKNOWN_ADVICE
            sentence = f"No tokenizer or model is called {quoted(typed, n_shown=60)}. {advice}"
    models = [_model_row(model, visitor_tokenizers) for model in found[:MAX_ROWS]]
    tokenizers = [_tokenizer_row(name) for name in names]
    counted = [row for row in models if row["tokenizer"]]
    others = [row for row in models if not row["tokenizer"]]
    groups = _grouped(here | {"Models": counted, "Tokenizers": tokenizers, "Not without a file": others})
    rows = [row for group in groups if group["title"] != "On this machine" for row in group["rows"]]
    exact = next((row["name"] for row in rows if row["name"].lower() == text), "")
    begun = [row for row in models if any(_letters(row[key]).startswith(_letters(text)) for key in _NAMES)]
    if begun and not any(row["tokenizer"] for row in begun):
        exact = exact or begun[0]["name"]  # a name that only a model without a tokenizer has
    return {"groups": groups, "first": exact or (rows[0]["name"] if rows else ""), "sentence": sentence}


def _letters(name: str) -> str:
    return "".join(filter(str.isalnum, name.lower()))


def _by_maker(visitor_tokenizers: Mapping[str, OpenedTokenizer]) -> dict[str, list[PickerRow]]:
    """Return the rows before anything is typed: each maker's common models, and all tokenizers."""
    groups: dict[str, list[PickerRow]] = {}
    for maker in MAKERS:
        models = [model for model in MODELS if model.maker == maker]
        shown = [model for model in models if model.ids[0] in COMMON]
        if shown:
            groups[maker] = [_model_row(model, visitor_tokenizers) for model in shown]
            if len(shown) < len(models):
                groups[maker].append(_search_row(maker, f"All {len(models)} models of {maker}"))
    others = [maker for maker in MAKERS if maker not in groups]
    groups["Other makers"] = [_search_row(maker, maker) for maker in others]
    return groups | {"Tokenizers": [_tokenizer_row(name) for name in TOKENIZER_NAMES]}


def _grouped(groups: Mapping[str, Sequence[PickerRow]]) -> list[PickerGroup]:
    return [{"title": title, "rows": [*rows]} for title, rows in groups.items() if rows]


def _model_row(model: Model, visitor_tokenizers: Mapping[str, OpenedTokenizer]) -> PickerRow:
    name = model.ids[0]
    tokenizer = name if name in visitor_tokenizers else model.tokenizer or ""
    return {
        "name": name,
        "label": model.name,
        "tokenizer": tokenizer,
        "detail": " · ".join(filter(None, [model_detail(model, tokenizer), model.measured])),
        "badge": "your file" if name in visitor_tokenizers else _BADGES[model.fidelity],
        "note": model.note,
    }


def model_detail(model: Model, tokenizer: str) -> str:
    """Return a model's tokenizer and context window in a few words."""
    context = "" if model.context_tokens is None else f"{short_count(model.context_tokens)} context"
    return " · ".join(filter(None, [tokenizer if tokenizer != model.ids[0] else "", context])) or model.maker


def short_count(n: int) -> str:
    """Return a number of tokens as makers write it.

    >>> [short_count(n) for n in (8_192, 128_000, 131_072, 1_048_576, 2_500_000)]
    ['8k', '128k', '131k', '1M', '2.5M']
    """
    if n >= 1_000_000:
        return f"{n // 100_000 / 10:g}M"
    return f"{n // 1000}k" if n >= 1000 else str(n)


def _tokenizer_row(name: str) -> PickerRow:
    return _row(name, str(ABOUT[name]))


def _local_row(model: LocalModel) -> PickerRow:
    detail = model.place if model.place != "folder" else model.root.name
    return {**_row(model.name, detail), "tokenizer": "", "badge": "on this machine"}


def _row(name: str, detail: str) -> PickerRow:
    return {"name": name, "label": name, "tokenizer": name, "detail": detail, "badge": "", "note": ""}


def _search_row(typed: str, label: str) -> PickerRow:
    return {"name": "", "label": label, "tokenizer": "", "detail": typed, "badge": "", "note": ""}
