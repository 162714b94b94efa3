"""The rows of the picker for a typed text, and the tokenizer that a chosen name means."""

import pytest

from playground.catalog.models import MODELS
from playground.catalog.registry import TOKENIZERS
from playground.core.errors import NotShippedError
from playground.server.picker_list import COMMON, choice_of, search


def rows(typed):
    return [row for group in search(typed, {})["groups"] for row in group["rows"]]


def test_before_anything_is_typed_common_models_are_listed_by_maker_and_then_all_tokenizers():
    groups = search("", {})["groups"]
    assert [group["title"] for group in groups][:3] == ["OpenAI", "Anthropic", "Google"]
    assert {row["name"] for row in groups[-1]["rows"]} == {*TOKENIZERS}
    assert {*COMMON} <= {row["name"] for row in rows("")}
    assert (
        groups[0]["rows"][-1]["label"] == f"All {sum(m.maker == 'OpenAI' for m in MODELS)} models of OpenAI"
    )
    assert len(rows("OpenAI")) == min(60, sum(model.maker == "OpenAI" for model in MODELS))


@pytest.mark.parametrize(
    ("typed", "first"),
    [
        ("gpt5", "gpt-5"), ("GPT-4o", "gpt-4o"), ("o200k_base", "o200k_base"), ("cl100k_base", "cl100k_base"),
        ("sonnet", "claude-sonnet-5-5"), ("gemini 3 pro", "gemini-3-pro-preview"),
        ("wordpiece", "bert_uncased"),
    ],
)  # fmt: skip
def test_enter_takes_the_row_that_was_typed(typed, first):
    assert search(typed, {})["first"] == first


@pytest.mark.parametrize(
    ("typed", "first", "sentence"),
    [
        ("cl10k_base", "cl100k_base", "No tokenizer or model is called 'cl10k_base'. These names are si"),
        ("gemni", "gemini-3.1-pro-preview", "No tokenizer or model is called 'gemni'. These names are si"),
        ("ft:gpt-4o:me", "o200k_base", "ft:gpt-4o:me uses o200k_base."),
        ("qqqq", "", "No tokenizer or model is called 'qqqq'. Type a model's full name such as gpt-4o"),
    ],
)  # fmt: skip
def test_a_name_that_is_not_listed_is_explained(typed, first, sentence):
    found = search(typed, {})
    assert found["first"] == first
    assert found["sentence"].startswith(sentence)


def test_each_row_that_counts_is_a_choice_with_its_tokenizer():
    for model in MODELS:
        if model.tokenizer is None:
            with pytest.raises(NotShippedError):
                choice_of(model.ids[0], {})
        else:
            choice = choice_of(model.ids[0], {})
            assert (choice.model, choice.tokenizer) == (model, model.tokenizer)
    for name in TOKENIZERS:
        assert choice_of(name, {}) == (name, name, None)


def test_a_model_says_its_tokenizer_its_context_window_and_how_exact_it_is():
    (row,) = [row for row in rows("gpt-4o") if row["name"] == "gpt-4o"]
    assert (row["label"], row["detail"], row["badge"]) == ("GPT-4o", "o200k_base · 128k context", "exact")
