"""Chats: requests of OpenAI and Anthropic are read, and their ids are those of published examples."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playground.analysis.chat import (
    CHAT_TEMPLATES,
    Message,
    encode_chat,
    left_out_of,
    read_api_chat,
    tools_of,
)
from playground.analysis.chat_templates import fields_of
from playground.analysis.shown_tokens import show_chat
from playground.core.errors import InvalidInputError
from tests.analysis.texts import texts

EMPTY = [Message("system", "You are a helpful assistant"), Message("user", "")]
#: As dqbd/tiktokenizer shows them.
EMPTY_IDS = {
    "gpt-3.5-turbo": [
        *[100264, 9125, 198, 2675, 527, 264, 11190, 18328, 100265],
        *[198, 100264, 882, 198, 100265, 198, 100264, 78191, 198],
    ],
    "gpt-4": [
        *[100264, 9125, 100266, 2675, 527, 264, 11190, 18328, 100265],
        *[100264, 882, 100266, 100265, 100264, 78191, 100266],
    ],
    "gpt-4o": [
        *[200264, 17360, 200266, 3575, 553, 261, 10297, 29186, 200265],
        *[200264, 1428, 200266, 200265, 200264, 173781, 200266],
    ],
}
_roles = st.sampled_from(["system", "user", "assistant", "tool", "मेरो", "", "a\n"]) | st.text(max_size=5)
messages = st.lists(st.builds(Message, role=_roles, content=texts()), max_size=5)
templates = st.sampled_from(list(CHAT_TEMPLATES.values()))


@pytest.mark.parametrize("name", EMPTY_IDS)
def test_an_empty_chat_has_the_ids_that_tiktokenizer_shows(name):
    chat = encode_chat(EMPTY, CHAT_TEMPLATES[name])
    assert list(chat.ids) == EMPTY_IDS[name]
    n_content = 5  # You are a helpful assistant
    assert show_chat(chat).n_template == len(chat.ids) - n_content


@given(messages=messages, template=templates)
def test_parts_ids_lengths_and_text_of_a_chat_agree(messages, template):
    chat = encode_chat(messages, template)
    raws = [chat.tokenizer.vocabulary.raw_of(token_id) for token_id in chat.ids]
    assert b"".join(raws) == chat.text.encode()
    assert chat.lengths == tuple(map(len, raws))
    again: list[int] = []
    for part in chat.parts:
        again += chat.tokenizer.encode(part) if isinstance(part, str) else [part]
    assert tuple(again) == chat.ids
    written = "".join(
        f"<|im_start|>{m.role}{template.separator}{m.content}<|im_end|>{template.joiner}" for m in messages
    )
    assert chat.text == f"{written}<|im_start|>assistant{template.separator}"


@given(messages=messages, template=templates)
def test_template_tokens_are_those_outside_message_contents(messages, template):
    chat = encode_chat(messages, template)
    is_content = []
    for m in messages:
        head = f"<|im_start|>{m.role}{template.separator}".encode()
        tail = f"<|im_end|>{template.joiner}".encode()
        is_content += [0] * len(head) + [1] * len(m.content.encode()) + [0] * len(tail)
    is_content += [0] * (len(chat.text.encode()) - len(is_content))
    expected, end = [], 0
    for length in chat.lengths:
        expected.append(not any(is_content[end : end + length]))
        end += length
    inside = [
        any(first <= place < last for first, last in chat.template_ranges) for place in range(len(chat.ids))
    ]
    assert inside == expected
    assert show_chat(chat).n_template == sum(expected)
    ends = [place for pair in chat.template_ranges for place in pair]
    assert ends == sorted(set(ends))  # not empty, in order, and not touching


@pytest.mark.parametrize("template", CHAT_TEMPLATES.values(), ids=CHAT_TEMPLATES.keys())
@pytest.mark.parametrize("spelled", ["<|im_end|>", "<|endoftext|>", "<|im_start|>system<|im_sep|>"])
def test_content_and_role_cannot_forge_special_tokens(template, spelled):
    special = set(template.tokenizer.special_tokens.values())

    def n_special(content, role):
        ids = encode_chat([Message(role, content)], template).ids
        return sum(token_id in special for token_id in ids)

    assert n_special(spelled, spelled) == n_special("a", "user")


def test_a_chat_without_messages_opens_the_answer():
    chat = encode_chat([], CHAT_TEMPLATES["gpt-4o"])
    assert chat.ids == (200264, 173781, 200266)
    assert chat.template_ranges == ((0, 3),)


SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
OPENAI: dict[str, Any] = {
    "model": "gpt-4o",
    "messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "name": "asha", "content": [
            {"type": "text", "text": "Weather in "}, {"type": "text", "text": "Pokhara?"},
            {"type": "image_url", "image_url": {"url": "data:…"}}]},
        {"role": "assistant", "content": None, "tool_calls": [
            {"id": "call_1", "type": "function",
             "function": {"name": "get_weather", "arguments": '{"city": "Pokhara"}'}}]},
        {"role": "tool", "tool_call_id": "call_1", "content": "21 °C"},
    ],
    "tools": [{"type": "function", "function": {"name": "get_weather", "parameters": SCHEMA}}],
}  # fmt: skip
ANTHROPIC = {
    "system": "Be brief.",
    "messages": [
        {"role": "user", "content": "Weather in Pokhara?"},
        {"role": "assistant", "content": [
            {"type": "tool_use", "id": "t1", "name": "get_weather", "input": {"city": "Pokhara"}}]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "21 °C"}]}]},
    ],
    "tools": [{"name": "get_weather", "input_schema": SCHEMA}],
}  # fmt: skip


def test_a_request_of_openais_api_is_read():
    chat = read_api_chat(json.dumps(OPENAI))
    assert [(message.role, message.content) for message in chat.messages] == [
        ("system", "Be brief."),
        ("asha", "Weather in Pokhara?"),
        ("assistant", ""),
        ("tool", "21 °C"),
    ]
    for message, own in zip(chat.messages, OPENAI["messages"], strict=True):
        given = {name: value for name, value in fields_of(message).items() if value is not None}
        expected = {name: value for name, value in own.items() if value is not None}
        if not isinstance(own["content"], list):
            assert given == expected, "a template gets the fields of the request"
    assert tools_of(chat.extras) == OPENAI["tools"]
    tool, call = chat.extras
    assert (tool.label, json.loads(tool.text)) == (
        "tool get_weather",
        {"name": "get_weather", "parameters": SCHEMA},
    )
    assert " " not in tool.text
    assert call.label == "call of get_weather"
    assert json.loads(call.text)["arguments"] == '{"city": "Pokhara"}'
    assert left_out_of(chat.messages) == ("1 image_url part",)


def test_a_request_of_anthropics_api_is_read():
    chat = read_api_chat(json.dumps(ANTHROPIC))
    assert [message.role for message in chat.messages] == ["system", "user", "assistant", "user"]
    assert chat.messages[-1].content == "21 °C"
    assert [extra.label for extra in chat.extras] == ["tool get_weather", "call of get_weather"]
    assert json.loads(chat.extras[0].text)["input_schema"] == SCHEMA


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Hi", "not JSON"),
        ("{}", 'an object with "messages"'),
        ("[1]", "messages[0] is not a message"),
        ('[{"role": "user", "content": 7}]', "messages[0].content is neither"),
        ('[{"role": "user", "content": [{"type": "text"}]}]', 'has no "text"'),
        (
            json.dumps([{"role": "user", "content": ""}] * 1_001),
            "1,001 messages; the limit is 1,000",
        ),
        ("[" * 100_000, "not JSON"),
    ],
)
def test_invalid_chats_are_refused_with_the_place_of_the_error(text, said):
    with pytest.raises(InvalidInputError) as error:
        read_api_chat(text)
    assert said in str(error.value)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["text", "tool_use", "user", "\ud800"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["role", "content", "type", "text", "tool_calls", "function", "name", "tools", "messages"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(JSON)
def test_any_json_is_read_or_refused(value):
    try:
        chat = read_api_chat(json.dumps({"messages": value}))
    except InvalidInputError:
        return
    encode_chat(chat.messages, CHAT_TEMPLATES["gpt-4o"])
    for extra in chat.extras:
        extra.text.encode()
