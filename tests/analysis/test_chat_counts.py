"""Counts of requests: OpenAI's cookbook, Google's SDK and measured images are the oracles."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playground.analysis.chat import Media
from playground.analysis.chat_counts import chat_model, chat_model_named, count_chat, model_of_request, shown
from playground.analysis.chat_requests import read_chat_request
from playground.analysis.image_tokens import image_tokens
from playground.catalog.models import find_model
from playground.catalog.registry import get_tokenizer
from playground.core.errors import InvalidInputError
from tests.analysis.test_chat_requests import OPENAI

#: The examples of OpenAI's cookbook, "How to count tokens with tiktoken".
COOKBOOK = [
    {"role": "system", "content": "You are a helpful, pattern-following assistant that translates corporate "
     "jargon into plain English."},
    {"role": "system", "name": "example_user", "content": "New synergies will help drive top-line growth."},
    {"role": "system", "name": "example_assistant",
     "content": "Things working well together will increase revenue."},
    {"role": "system", "name": "example_user", "content": "Let's circle back when we have more bandwidth to "
     "touch base on opportunities for increased leverage."},
    {"role": "system", "name": "example_assistant",
     "content": "Let's talk later when we're less busy about how to do better."},
    {"role": "user", "content": "This late pivot means we don't have time to boil the ocean for the client "
     "deliverable."},
]  # fmt: skip
WEATHER = [
    {"role": "system",
     "content": "You are a helpful assistant that can answer to questions about the weather."},
    {"role": "user", "content": "What's the weather like in San Francisco?"},
]  # fmt: skip
PROPERTIES = {
    "location": {"type": "string", "description": "The city and state, e.g. San Francisco, CA"},
    "unit": {
        "type": "string",
        "description": "The unit of temperature to return",
        "enum": ["celsius", "fahrenheit"],
    },
}
TOOL = {
    "name": "get_current_weather",
    "description": "Get the current weather in a given location",
    "parameters": {"type": "object", "properties": PROPERTIES, "required": ["location"]},
}
TOOLS = [{"type": "function", "function": TOOL}]


def count(request, name):
    found = count_chat(read_chat_request(json.dumps(request)), chat_model_named(name, get_tokenizer))
    assert sum(group.n_tokens for group in found.groups()) == found.n_tokens
    return found


def said(request, name):
    found = count(request, name)
    return shown(found.n_tokens, found.mark)


@pytest.mark.parametrize(
    ("name", "conversation", "with_tools"),
    [
        ("gpt-3.5-turbo", "129", "105"),
        ("gpt-4", "129", "105"),
        ("gpt-4o", "124", "101"),
        ("gpt-4o-mini", "124", "101"),
        ("o200k_base", "124", "101"),
        ("gpt-5", "≈ 124", "≈ 101"),
        ("o3", "≈ 124", "≈ 101"),
    ],
)
def test_openais_examples_have_the_numbers_of_its_cookbook(name, conversation, with_tools):
    assert said(COOKBOOK, name) == conversation
    assert said({"messages": WEATHER, "tools": TOOLS}, name) == with_tools


def test_later_models_of_openai_say_that_no_formula_is_published_for_them():
    assert "has published no formula for GPT-5" in count(COOKBOOK, "gpt-5").how
    assert count(COOKBOOK, "gpt-5").sentence == "Messages 83 + frame ≈ 41 = ≈ 124 tokens."


def test_what_the_formula_does_not_cover_is_an_estimate():
    deep = {
        **TOOL,
        "parameters": {"properties": {"a": {"type": "array", "items": {"properties": PROPERTIES}}}},
    }
    assert count({"messages": WEATHER, "tools": [deep]}, "gpt-4o").mark == "≈"
    found = count(OPENAI, "gpt-4o")
    assert {part.kind: part.mark for part in found.parts if part.mark} == {
        "call": "≈", "tool": "≈", "image": "at least",
    }  # fmt: skip
    assert found.unknown == ("the rest of 1 image of unknown size",)


def test_googles_sdk_counts_the_same_texts():
    """google-genai 3.6.1 with `_TextsAccumulator` gave these texts for the request."""
    contents = [
        {"role": "user", "parts": [{"text": "Weather?"}]},
        {
            "role": "model",
            "parts": [{"functionCall": {"name": "f", "args": {"city": "Oslo", "n": [1, "a"]}}}],
        },
        {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {"deg": "21 °C"}}}]},
    ]
    request = {
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "contents": contents,
        "tools": [{"functionDeclarations": [TOOL]}],
    }
    texts = [
        "Weather?", "f", "city", "n", "Oslo", "a", "f", "deg", "21 °C", "get_current_weather",
        "Get the current weather in a given location", "location", "location",
        "The city and state, e.g. San Francisco, CA", "unit", "The unit of temperature to return", "celsius",
        "fahrenheit", "Be brief.",
    ]  # fmt: skip
    gemma = get_tokenizer("gemma_4")
    found = count(request, "gemini-3.5-flash")
    assert (found.n_tokens, found.mark) == (sum(len(gemma.encode(text)) for text in texts), "")


def test_claudes_frame_and_tools_are_estimates_and_its_own_prompt_is_named():
    found = count({"messages": WEATHER, "tools": TOOLS}, "claude-sonnet-4-5")
    assert found.mark == "at least ≈", "an estimate, without Anthropic’s own prompt for tools"
    assert found.unknown == ("Anthropic’s own prompt for tools",)
    assert [part.n_tokens for part in found.parts if part.kind == "frame"] == [7, 7]


def test_a_models_own_template_has_tools_apart_from_the_frame():
    with_tools, without = (count({"messages": WEATHER, "tools": tools}, "qwen3") for tools in (TOOLS, []))
    [tool] = [part for part in with_tools.parts if part.kind == "tool"]
    assert tool.n_tokens == with_tools.n_tokens - without.n_tokens
    assert [part for part in with_tools.parts if part is not tool] == list(without.parts)
    assert with_tools.n_tokens == len(with_tools.encoding.ids)


def test_a_template_of_another_model_makes_an_estimate():
    assert (count(WEATHER, "qwen3-8b").mark, count(WEATHER, "qwen2.5").mark) == ("", "≈")


def test_a_model_without_a_known_frame_has_at_least_its_contents():
    found = count(WEATHER, "kimi-k2")
    assert (found.mark, found.unknown) == ("at least", ("the frame around messages",))
    assert found.n_tokens == sum(len(get_tokenizer("kimi_k2").encode(m["content"])) for m in WEATHER)


def test_tools_and_reasoning_that_a_template_leaves_out_are_named():
    thinking = {"role": "assistant", "content": "4", "reasoning_content": "2 + 2"}
    found = count({"messages": [*WEATHER, thinking], "tools": TOOLS}, "deepseek-v3")
    assert found.mark == "at least"
    assert found.unknown == (
        "1 tool, which this template does not show", "reasoning that this template leaves out (4 tokens)",
    )  # fmt: skip


def test_a_request_is_counted_for_its_own_model_or_refused_with_the_reason():
    def asked(model):
        request = read_chat_request(json.dumps({"model": model, "messages": WEATHER}))
        return model_of_request(request, get_tokenizer)

    assert asked("claude-sonnet-4-5-20250929").name == "Claude Sonnet 4.5"
    assert asked("models/gemini-3.5-flash").name == "Gemini 3.5 Flash"
    assert asked("") is None
    for name in ("gpt-6", "grok-4", "our-own-model"):
        with pytest.raises(InvalidInputError, match=f"the request is for {name}"):
            asked(name)


_REQUESTS = st.fixed_dictionaries(
    {
        "messages": st.lists(st.sampled_from([*WEATHER, *OPENAI["messages"]]), max_size=5),
        "tools": st.lists(st.sampled_from([*TOOLS, *OPENAI["tools"], {"type": "web_search"}]), max_size=2),
    }
)


@given(_REQUESTS, st.sampled_from(["gpt-4", "gpt-5", "claude_4_8", "gemini-3.5-flash", "mistral_v3"]))
def test_parts_add_up_to_the_total_for_each_way_of_counting(request, name):
    found = count(request, name)
    assert all(part.n_tokens > 0 for part in found.parts if part.kind != "call")
    assert sum(found.encoding.lengths) == len(found.encoding.text.encode())


@pytest.mark.parametrize(
    ("name", "size", "detail", "n_tokens"),
    [
        # OpenAI's guide
        ("gpt-4o", (1024, 1024), "high", 765),
        ("gpt-4o", (2048, 4096), "high", 1105),
        ("gpt-4o", (4096, 8192), "low", 85),
        ("gpt-4.1-mini", (1024, 1024), "", 1659),
        # Measured: https://huggingface.co/datasets/JOHNISKING/image-token-cost
        ("gpt-5.6", (256, 256), "auto", 77),
        ("gpt-5.6", (1920, 1080), "auto", 2448),
        ("gpt-5.6", (4032, 3024), "auto", 14364),
        ("gpt-5.6", (2560, 1440), "high", 2931),
        ("gpt-5.6", (4032, 3024), "high", 2942),
        ("gpt-5.5", (4032, 3024), "auto", 11868),
        # The same dataset without the tokens of its prompt, 65 and 77
        ("claude-haiku-4-5", (256, 256), "", 165 - 65),
        ("claude-haiku-4-5", (1920, 1080), "", 1625 - 65),
        ("claude-opus-5-5", (1280, 720), "", 1273 - 77),
        ("claude-opus-5-5", (1920, 1080), "", 2768 - 77),
        # Google's guides
        ("gemini-2.5-flash", (384, 384), "", 258),
        ("gemini-2.5-flash", (960, 540), "", 1548),
        ("gemini-3.5-flash", (4000, 4000), "", 1120),
        ("gemini-3.5-flash", (4000, 4000), "low", 280),
    ],
)
def test_images_have_the_tokens_of_the_makers_guides_and_of_measured_bills(name, size, detail, n_tokens):
    width, height = size
    assert image_tokens(Media("image", width, height, detail), find_model(name)) == (n_tokens, False)


def test_an_image_for_a_model_without_a_formula_is_named():
    request = {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]}]}
    assert count(request, "qwen3").unknown == ("1 image",)
    assert chat_model(get_tokenizer("qwen3")).name == "qwen3"
