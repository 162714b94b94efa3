"""Chats are read in every notation and from every API, to the same messages, tools and calls."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from playground.analysis.chat import CHAT_TEMPLATES, encode_chat, tools_of
from playground.analysis.chat_requests import ApiChat, left_out_of, read_api_chat
from playground.analysis.chat_templates import OPEN_TEMPLATES, fields_of, not_counted_in
from playground.core.errors import InvalidInputError
from tests.analysis.texts import texts

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

#: A conversation: a system prompt, and turns of `(question, arguments of a call, its result, answer)`.
turns = st.tuples(texts(), st.dictionaries(st.text(max_size=3), texts()), texts(), texts())
conversations = st.tuples(texts().filter(bool), st.lists(turns, max_size=3))


def _compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _openai(system, turns):
    messages = [{"role": "system", "content": system}]
    for n, (question, arguments, result, answer) in enumerate(turns):
        function = {"name": "f", "arguments": _compact(arguments)}
        call = {"id": str(n), "type": "function", "function": function}
        messages += [
            {"role": "user", "content": question},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": str(n), "content": result},
            {"role": "assistant", "content": answer},
        ]
    tool = {"type": "function", "function": {"name": "f", "description": "d", "parameters": SCHEMA}}
    return {"messages": messages, "tools": [tool]}


def _responses(system, turns):
    items = []
    for n, (question, arguments, result, answer) in enumerate(turns):
        items += [
            {"role": "user", "content": [{"type": "input_text", "text": question}]},
            {"type": "function_call", "call_id": str(n), "name": "f", "arguments": _compact(arguments)},
            {"type": "function_call_output", "call_id": str(n), "output": result},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": answer}]},
        ]
    tool = {"type": "function", "name": "f", "description": "d", "parameters": SCHEMA}
    return {"instructions": system, "input": items, "tools": [tool]}


def _anthropic(system, turns):
    messages = []
    for n, (question, arguments, result, answer) in enumerate(turns):
        call = {"type": "tool_use", "id": str(n), "name": "f", "input": arguments}
        messages += [
            {"role": "user", "content": question},
            {"role": "assistant", "content": [call]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": str(n), "content": result}]},
            {"role": "assistant", "content": [{"type": "text", "text": answer}]},
        ]
    tool = {"name": "f", "description": "d", "input_schema": SCHEMA}
    return {"system": [{"type": "text", "text": system}], "messages": messages, "tools": [tool]}


def _gemini(system, turns):
    contents = []
    for question, arguments, result, answer in turns:
        contents += [
            {"role": "user", "parts": [{"text": question}]},
            {"role": "model", "parts": [{"functionCall": {"name": "f", "args": arguments}}]},
            {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {"result": result}}}]},
            {"role": "model", "parts": [{"text": answer}]},
        ]
    declared = {"name": "f", "description": "d", "parameters": SCHEMA}
    return {
        "systemInstruction": {"parts": [{"text": system}]},
        "contents": contents,
        "tools": [{"functionDeclarations": [declared]}],
    }


def _loose(value):
    """Write a value with comments, and a comma after each item."""
    if isinstance(value, dict):
        items = [f"{name!r}: {_loose(item)}, // {{\n" for name, item in value.items()]
        return "{ /* [ */" + "".join(items) + "}"
    if isinstance(value, list):
        return f"[{''.join(_loose(item) + ', # [' + chr(10) for item in value)}]"
    return repr(value)


def _assigned(request):
    return "import x\n" + "".join(f"{name} = {value!r}  # it's {name}\n" for name, value in request.items())


def _called(request):
    return f"client.create(\n  **x, {', '.join(f'{name}={value!r}' for name, value in request.items())},\n)"


def _curl(request):
    body = json.dumps(request, ensure_ascii=False).replace("'", "'\\''")
    return f"curl https://x \\\n -H 'A: b' -d '{body}'"


#: Each notation of a request, as people paste it.
NOTATIONS: dict[str, Callable[[Any], str]] = {
    "JSON": json.dumps,
    "JSON with accents": lambda request: json.dumps(request, ensure_ascii=False, indent=2),
    "Python": repr,
    "Python variables": _assigned,
    "a call": _called,
    "a part of an object": lambda request: json.dumps(request)[1:-1],
    "commas after each item, and comments": _loose,
    "a batch row": lambda request: json.dumps({"custom_id": "1", "method": "POST", "body": request}),
    "a curl command": _curl,
    "a code block": lambda request: f"```json\n{json.dumps(request)}\n```\n",
}


def _plain(chat: ApiChat) -> tuple[list[Any], list[Any]]:
    """Return the messages without call ids and result names, which not every API has, and the tools."""
    found = []
    for message in chat.messages:
        calls = [call["function"] for call in fields_of(message).get("tool_calls", [])]
        found.append((message.role, message.content, calls))
    return found, [json.loads(extra.text) for extra in chat.extras]


@example(conversation=("hello", [("", {}, "👩\u200d👧", "")]), write="a part of an object", form=_gemini)
@given(
    conversation=conversations,
    write=st.sampled_from([*NOTATIONS]),
    form=st.sampled_from([_responses, _anthropic, _gemini]),
)
def test_a_conversation_is_the_same_from_each_api_and_in_each_notation(conversation, write, form):
    expected = _plain(read_api_chat(json.dumps(_openai(*conversation))))
    assert _plain(read_api_chat(NOTATIONS[write](form(*conversation)))) == expected
    assert _plain(read_api_chat(NOTATIONS[write](_openai(*conversation)))) == expected


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
    assert [extra.label for extra in chat.extras] == ["tool get_weather", "call of get_weather"]
    assert chat.recognized == (
        "Read 4 messages, 1 tool and 1 tool call from JSON: OpenAI’s Chat Completions API."
    )


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        ("messages = [SystemMessage('Be'), HumanMessage(content='Hi')]", [("system", "Be"), ("user", "Hi")]),
        ('[("human", "Hi"), ("ai", "Yes")]', [("user", "Hi"), ("assistant", "Yes")]),
        ('{"conversations": [{"from": "gpt", "value": "Yes"}]}', [("assistant", "Yes")]),
        ('{"role": "user", "content": "a"}\n{"role": "x", "content": "b"}', [("user", "a"), ("x", "b")]),
        ('r = client.responses.create(model="m",\n  input="It\'s " "late")', [("user", "It's late")]),
        ("fetch(u, {body: JSON.stringify({messages: [{role: 'user', content: `a`}]})})", [("user", "a")]),
        ("curl u -d @- <<'END'\n{'contents': 'Hi'}\nEND\n", [("user", "Hi")]),
        ("[types.Content(parts=[types.Part.from_text(text='Hi')])]", [("user", "Hi")]),
        ("ChatCompletionMessage(content='Hi', role='assistant', refusal=None)", [("assistant", "Hi")]),
    ],
)  # fmt: skip
def test_chats_are_read_from_libraries_files_and_commands(text, messages):
    assert [(message.role, message.content) for message in read_api_chat(text).messages] == messages


def test_one_of_several_conversations_is_read():
    row = '{{"messages": [{{"role": "user", "content": "{}"}}]}}\n'
    lines = "".join(map(row.format, "abc"))
    chat = read_api_chat(lines, number=2)
    assert (chat.messages[0].content, chat.number, chat.n_conversations) == ("b", 2, 3)
    assert read_api_chat(f"[{','.join(lines.split(chr(10))[:-1])}]", number=3).messages[0].content == "c"
    with pytest.raises(InvalidInputError, match="no conversation 4; 3 conversations were pasted"):
        read_api_chat(lines, number=4)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Hi", "this is not a chat: paste a list of messages"),
        ("{}", "this has no messages"),
        ("[1]", "messages[0] is not a message"),
        ('[{"role": "user", "content": 7}]', "messages[0].content is neither"),
        ('[{"role": "user", "content": [{"type": "text"}]}]', 'has no "text"'),
        (json.dumps([{"role": "user", "content": ""}] * 1_001), "1,001 messages; the limit is 1,000"),
        (
            '{"messages": [], "tools": [' + ", ".join(['{"name": "f"}'] * 1_001) + "]}",
            "1,001 tools and tool calls",
        ),
        ("[" * 100_000, "more than 100 lists"),
        ('[{"role": "user"\n "content": "Hi"}]', "“,” is missing before this text (line 2, column 2)"),
        ('[{"role": "user",\n  "content": "Hi"', "the “{” is never closed (line 1, column 2)"),
        ('messages=[{"role": "user", "content": text}]', "is code, 'text'; paste the value"),
        ("curl u -d @body.json", "sends the file 'body.json'"),
        ("curl u -d '{\"messages\": [}'", "in the data of the curl command, “}” is not the beginning"),
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
                ["role", "content", "type", "text", "tool_calls", "function", "name", "tools", "messages",
                 "input", "parts", "contents", "body", "system", "functionCall", "from", "config"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)  # fmt: skip


@given(JSON)
def test_any_json_is_read_or_refused(value):
    for text in (json.dumps({"messages": value}), json.dumps(value)):
        try:
            chat = read_api_chat(text)
        except InvalidInputError:
            continue
        encode_chat(chat.messages, CHAT_TEMPLATES["gpt-4o"])
        for extra in chat.extras:
            extra.text.encode()


@given(st.text(st.sampled_from("[]{}()'\"`,:=+.#/*\\ \nra1-messages"), max_size=40))
def test_any_text_is_read_or_refused(text):
    try:
        read_api_chat(text)
    except InvalidInputError:
        return


def test_what_a_count_leaves_out_is_one_sentence():
    chat = read_api_chat(json.dumps(OPENAI))
    assert left_out_of(chat.messages) == ("1 image",)

    def said(template, text="get_weather"):
        return not_counted_in(chat.messages, chat.extras, template, text)

    assert (
        said(CHAT_TEMPLATES["gpt-4o"])
        == "Not counted: 1 image, 1 tool and 1 tool call (about 43 tokens as JSON)."
    )
    assert said(OPEN_TEMPLATES["Qwen3"]) == "Not counted: 1 image."
    assert said(OPEN_TEMPLATES["DeepSeek-V3"]) == (
        "Not counted: 1 image and 1 tool, which this template does not show (about 29 tokens as JSON)."
    )
    thinking = read_api_chat('[{"role": "assistant", "content": "4", "reasoning_content": "2 + 2"}]')
    assert not_counted_in(thinking.messages, (), CHAT_TEMPLATES["gpt-4o"], "4") == "Not counted: reasoning."
