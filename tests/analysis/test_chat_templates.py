"""Chats in a model's own template: ids, template tokens and notes; transformers is the oracle."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playground.analysis import chat_templates
from playground.analysis.chat import Message
from playground.analysis.chat_templates import (
    OPEN_TEMPLATES,
    ChatOptions,
    JinjaTemplate,
    encode_jinja_chat,
    opened_templates,
    read_variables,
)
from playground.bpe.model import BpeModel
from playground.bpe.split_pattern import SplitPattern
from playground.catalog.registry import get_tokenizer
from playground.catalog.trained import TrainedTokenizer
from playground.core.errors import InvalidInputError, LimitExceededError, TextTooLongError
from playground.files.tokenizer_config import TokenizerConfig
from tests.analysis.any_template import mutated_configs, open_and_chat
from tests.analysis.texts import texts

CASES = json.loads((Path(__file__).parents[1] / "catalog/chat_cases.json").read_text(encoding="utf-8"))
CHATML = CASES["templates"]["chatml"]
TOOL = {"type": "function", "function": {"name": "f"}}
SPECIAL = {"<|im_start|>": 256, "<|im_end|>": 257}


def opened(templates, names=None):
    model = BpeModel(SplitPattern.named("gpt2"), (), SPECIAL)
    return TrainedTokenizer("mine", model, config=TokenizerConfig(templates, names or {}, ()))


def template_of(*templates):
    return opened_templates(
        {"mine": opened({f"t{n}" if n else "default": t for n, t in enumerate(templates)})}
    )["mine"]


def costs(chat):
    return [cost[:2] for cost in chat.message_tokens]


@pytest.mark.parametrize("model", OPEN_TEMPLATES)
def test_the_ids_of_open_models_are_those_of_transformers_text(model):
    name = {"Qwen3": "qwen3", "DeepSeek-V3": "deepseek_v3", "GLM-4.5": "glm4_5"}[model]
    (text,) = [c["text"] for c in CASES["cases"] if (c["template"], c["chat"]) == (name, "many")]
    messages = [Message(m["role"], m["content"]) for m in CASES["chats"]["many"][0]]
    template = OPEN_TEMPLATES[model]
    chat = encode_jinja_chat(messages, [], template)
    tokenizer = get_tokenizer(template.tokenizer_name)
    assert chat.text == text
    assert list(chat.ids) == tokenizer.encode(text, allowed_special=frozenset(tokenizer.special_tokens))
    assert sum(chat.lengths) == len(text.encode())
    assert not chat.notes
    assert all(n_messages == 1 for *_, n_messages in chat.message_tokens)


def test_a_chat_in_a_byte_tokenizer_has_the_counts_made_by_hand():
    chat = encode_jinja_chat([Message("user", "Hi 👋"), Message("bot", "")], [], template_of(CHATML))
    assert (
        chat.text == "<|im_start|>user\nHi 👋<|im_end|>\n<|im_start|>bot\n<|im_end|>\n<|im_start|>assistant\n"
    )
    assert chat.ids[:6] == (256, *b"user\n")
    assert costs(chat) == [(1 + 5 + 7 + 2, 1 + 5 + 2), (1 + 4 + 2, 1 + 4 + 2)]
    assert chat.template_ranges == ((0, 6), (13, 13 + 2 + 7 + 11))
    again: list[int] = []
    for part in chat.parts:
        again += list(part.encode()) if isinstance(part, str) else [part]
    assert tuple(again) == chat.ids


@given(st.lists(st.builds(Message, st.sampled_from(["user", "bot"]), texts()), min_size=1, max_size=4))
@settings(max_examples=25, deadline=None)
def test_tokens_of_a_jinja_template_are_those_outside_message_contents(messages):
    chat = encode_jinja_chat(messages, [], template_of(CHATML))
    is_content = []
    for m in messages:
        body = m.content.encode()
        is_blank = not m.content.strip()  # white space can't be attributed
        is_content += (
            [0] * len(f"<|im_start|>{m.role}\n") + [not is_blank] * len(body) + [0] * len("<|im_end|>\n")
        )
    is_content += [0] * len("<|im_start|>assistant\n")
    end, expected = 0, []
    for length in chat.lengths:
        expected.append(not any(is_content[end : end + length]))
        end += length
    inside = [any(a <= n < b for a, b in chat.template_ranges) for n in range(len(chat.ids))]
    assert inside == expected
    n_prompt = 1 + len("assistant\n")
    assert sum(n for n, _ in costs(chat)) == len(chat.ids) - n_prompt


def test_a_special_token_spelled_in_a_message_is_encoded_as_such_with_a_note():
    chat = encode_jinja_chat([Message("user", "a<|im_end|>")], [], template_of(CHATML))
    assert chat.ids.count(257) == 2
    assert chat.notes == (
        "A message spells <|im_end|>: that becomes the special token, as in apply_chat_template.",
    )


def test_a_message_that_a_template_omits_has_no_tokens():
    messages = [Message("narrator", "Once"), Message("user", "Hi")]
    chat = encode_jinja_chat(messages, [], OPEN_TEMPLATES["Qwen3"])
    assert "Once" not in chat.text
    assert [cost[0::2] for cost in chat.message_tokens] == [(0, 1), (6, 1)]


def test_tools_choose_the_template_named_tool_use():
    tokenizer = opened({"default": "plain", "tool_use": "{{ tools[0].function.name }}", "rag": "r"})
    templates = opened_templates({"mine": tokenizer})
    assert [*templates] == ["mine", "mine · default", "mine · tool_use", "mine · rag"]
    message = [Message("user", "")]
    assert encode_jinja_chat(message, [], templates["mine"]).text == "plain"
    assert encode_jinja_chat(message, [TOOL], templates["mine"]).text == "f"
    assert encode_jinja_chat(message, [TOOL], templates["mine · rag"]).text == "r"


def test_variables_and_special_tokens_reach_the_template():
    tokenizer = opened({"default": "{{ bos_token }}{{ x }}{{ add_generation_prompt }}"}, {"bos_token": "<s>"})
    template = JinjaTemplate("mine", "mine", tokenizer)
    chat = encode_jinja_chat([Message("user", "")], [], template, ChatOptions(False, '{"x": [1]}'))
    assert chat.text == "<s>[1]False"
    assert encode_jinja_chat([Message("user", "")], [], template).variables == ("x",)
    other = ChatOptions(True, '{"bos_token": "", "messages": 1}')
    renamed = encode_jinja_chat([Message("user", "")], [], template, other)
    assert renamed.text == "True"


@pytest.mark.parametrize("text", ["[1]", "[" * 100_000])
def test_variables_that_are_not_a_json_object_are_refused(text):
    with pytest.raises(InvalidInputError, match="the template’s variables"):
        read_variables(text)


def test_errors_of_templates_name_the_tokenizer_and_the_limit(monkeypatch):
    with pytest.raises(InvalidInputError, match="mine has no chat template called 'default'; choose from t"):
        encode_jinja_chat([Message("user", "")], [], JinjaTemplate("mine", "mine", opened({"t": ""})))
    with pytest.raises(TextTooLongError, match="in its template"):
        encode_jinja_chat([Message("user", "é" * 600_000)], [], template_of(CHATML))
    monkeypatch.setattr(chat_templates, "SECONDS", 0.5)
    loops = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"
    with pytest.raises(LimitExceededError, match=r"the chat template of mine took more than 0.5 s"):
        encode_jinja_chat([Message("user", "")], [], template_of(loops))


@given(mutated_configs())
@settings(max_examples=20, deadline=None)
def test_any_config_is_refused_in_a_sentence_or_its_chats_are_consistent(files):
    open_and_chat(files)
