"""Requests of OpenAI's and Anthropic's APIs become chats; what no template shows is kept, or told."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playground.analysis.chat import (
    CHAT_TEMPLATES,
    ApiChat,
    Message,
    encode_chat,
    left_out_of,
    read_api_chat,
    tools_of,
)
from playground.analysis.chat_templates import fields_of
from playground.core.errors import InvalidInputError

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


def test_a_request_of_openai():
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
            assert given == expected, "a template is shown what the API was"
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


def test_a_request_of_anthropic():
    chat = read_api_chat(json.dumps(ANTHROPIC))
    assert [message.role for message in chat.messages] == ["system", "user", "assistant", "user"]
    assert chat.messages[-1].content == "21 °C"
    assert [extra.label for extra in chat.extras] == ["tool get_weather", "call of get_weather"]
    assert json.loads(chat.extras[0].text)["input_schema"] == SCHEMA


def test_a_bare_list_is_the_chat_that_one_would_type():
    chat = read_api_chat('[{"role": "user", "content": "Hi"}]')
    assert chat == ApiChat((Message("user", "Hi"),), ())
    typed = encode_chat([Message("user", "Hi")], CHAT_TEMPLATES["gpt-4"])
    assert encode_chat(chat.messages, CHAT_TEMPLATES["gpt-4"]) == typed


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Hi", "not JSON"),
        ("{}", 'an object with "messages"'),
        ('"Hi"', "a list of messages"),
        ("[1]", "messages[0] is no message"),
        ('[{"role": "user", "content": 7}]', "messages[0].content is neither"),
        ('[{"role": "user", "content": [7]}]', "messages[0].content[0] is not a part"),
        ('[{"role": "user", "content": [{"type": "text"}]}]', 'has no "text"'),
        (
            json.dumps([{"role": "user", "content": ""}] * 1_001),
            "1,001 messages; the limit is 1,000",
        ),
        (
            json.dumps([{"role": "user", "content": [{"type": "image_url"}] * 1_001}]),
            "messages[0].content has more than 1,000 parts that aren't text, which is the limit",
        ),
        ("[" * 100_000, "not JSON"),
    ],
)
def test_what_is_no_chat_is_told(text, said):
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
