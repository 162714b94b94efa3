"""The table of models: names that people type find their model, and its tokenizer is in the registry."""

import pytest
from tiktoken import encoding_name_for_model

from playground.catalog.models import MODELS, find_model, find_models
from playground.catalog.registry import TOKENIZERS


def test_an_exact_model_has_a_tokenizer_of_the_registry_and_any_other_says_what_to_do():
    for model in MODELS:
        assert (model.tokenizer in TOKENIZERS) == (model.fidelity in {"exact", "reconstructed"}), model
        assert model.fidelity == "exact" or model.note, model


def test_openais_models_have_the_encodings_of_tiktokens_table():
    models = [model for model in MODELS if model.source.startswith("tiktoken") and model.fidelity == "exact"]
    assert len(models) > 25
    for model in models:
        assert encoding_name_for_model(model.ids[0]) == model.tokenizer, model


def test_no_name_means_two_models():
    names = [name for model in MODELS for name in {*model.ids, model.name.lower()}]
    assert sorted(names) == sorted(set(names))


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("gpt-5", "GPT-5"), ("gpt5", "GPT-5"), ("GPT 5 mini", "GPT-5 mini"), ("o3", "o3"), ("phi-4", "Phi-4"),
        ("gemini 3", "Gemini 3 Pro"), ("gemini 3 pro", "Gemini 3 Pro"), ("llama 3.3 70b", "Llama 3.3 70B"),
        ("deepseek r1", "DeepSeek R1"), ("qwen2.5-coder", "Qwen2.5-Coder"), ("opus 4.5", "Claude Opus 4.5"),
        ("text-embedding-3-large", "text-embedding-3-large"), ("sonnet", "Claude Sonnet 5.5"),
        ("claude opus", "Claude Opus 5.5"), ("gemni 3 pro", "Gemini 3 Pro"), ("cl100k", "GPT-4 Turbo"),
    ],
)  # fmt: skip
def test_what_people_type_finds_the_model_first(typed, name):
    assert find_models(typed)[0].name == name


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("gpt-4o-2024-08-06", "GPT-4o"), ("anthropic.claude-3-5-sonnet-20241022-v2:0", "Claude Sonnet 3.5"),
        ("meta-llama/Llama-3.1-8B-Instruct", "Llama 3.1"), ("llama3:8b", "Llama 3"),
        ("mistralai/Mistral-7B-Instruct-v0.3", "Mistral 7B v0.3"), ("Qwen3-30B-A3B-Instruct-2507", "Qwen3"),
    ],
)  # fmt: skip
def test_a_size_a_date_or_a_format_after_a_name_does_not_change_the_model(typed, name):
    model = find_model(typed)
    assert model is not None
    assert model.name == name


@pytest.mark.parametrize("typed", ["gpt-4.7", "phi-5", "whisper-large-v4", "qwen3.9", "kimi"])
def test_a_name_is_not_taken_for_another_version(typed):
    assert find_model(typed) is None
