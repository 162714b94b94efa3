"""Chats are read in every notation and from every API, to the same messages, tools and calls."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from playground.analysis.chat import CHAT_TEMPLATES, Media, encode_chat, tools_of
from playground.analysis.chat_requests import ChatRequest, calls_of, read_chat_request, reasoning_of
from playground.analysis.chat_templates import fields_of
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
    "a batch row": lambda request: json.dumps({"custom_id": "1", "method": "POST", "body": request}),
    "a curl command": _curl,
    "JavaScript": lambda request: f"const r = await client.create({json.dumps(request)});",
    "a code block": lambda request: f"```json\n{json.dumps(request)}\n```\n",
}


def _plain(chat: ChatRequest) -> tuple[list[Any], list[Any]]:
    """Return the messages without call ids and result names, which not every API has, and the tools."""
    found = [(message.role, message.content, calls_of(message)) for message in chat.messages]
    return found, [json.loads(tool.text) for tool in chat.tools]


@example(conversation=("hello", [("", {}, "👩\u200d👧", "")]), write="a part of an object", form=_gemini)
@given(
    conversation=conversations,
    write=st.sampled_from([*NOTATIONS]),
    form=st.sampled_from([_responses, _anthropic, _gemini]),
)
def test_a_conversation_is_the_same_from_each_api_and_in_each_notation(conversation, write, form):
    expected = _plain(read_chat_request(json.dumps(_openai(*conversation))))
    assert _plain(read_chat_request(NOTATIONS[write](form(*conversation)))) == expected
    assert _plain(read_chat_request(NOTATIONS[write](_openai(*conversation)))) == expected


def test_a_request_of_openais_api_is_read():
    chat = read_chat_request(json.dumps(OPENAI))
    assert [(message.role, message.content) for message in chat.messages] == [
        ("system", "Be brief."),
        ("user", "Weather in Pokhara?"),
        ("assistant", ""),
        ("tool", "21 °C"),
    ]
    for message, own in zip(chat.messages, OPENAI["messages"], strict=True):
        given = {name: value for name, value in fields_of(message).items() if value is not None}
        expected = {name: value for name, value in own.items() if value is not None}
        if isinstance(own["content"], list):
            expected["content"] = [part for part in own["content"] if part["type"] == "text"]
        assert given == expected, "a template gets the fields of the request"
    assert chat.messages[1].given_name() == "asha"
    assert chat.messages[1].media == (Media("image"),)
    assert tools_of(chat.tools) == OPENAI["tools"]
    assert chat.model == "gpt-4o"
    assert chat.recognized == (
        "Read 4 messages, 1 tool and 1 tool call for gpt-4o from JSON: OpenAI’s Chat Completions API."
    )


#: A picture of 3 × 2 pixels.
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAAEElEQVR4nGP4z8AARAwQCgAf7gP9i18U1AAAAABJRU5ErkJggg=="


@pytest.mark.parametrize(
    ("part", "media"),
    [
        (
            {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}", "detail": "low"}},
            Media("image", 3, 2, "low"),
        ),
        (
            {"type": "input_image", "image_url": f"data:image/png;base64,{PNG}"},
            Media("image", 3, 2),
        ),
        (
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}},
            Media("image", 3, 2),
        ),
        ({"type": "image", "source": {"type": "url", "url": "https://a.b/c.png"}}, Media("image")),
        (
            {"inlineData": {"mimeType": "image/png", "data": PNG},
             "mediaResolution": {"level": "MEDIA_RESOLUTION_LOW"}},
            Media("image", 3, 2, "low"),
        ),
        ({"inlineData": {"mimeType": "application/pdf", "data": "JVBERi0="}}, Media("file")),
        ({"type": "input_audio", "input_audio": {"data": "", "format": "wav"}}, Media("audio")),
        ({"type": "redacted_thinking", "data": "x"}, Media("reasoning")),
    ],
)  # fmt: skip
def test_images_have_their_size_and_other_parts_their_kind(part, media):
    chat = read_chat_request(json.dumps([{"role": "user", "content": [part]}]))
    assert chat.messages[0].media == (media,)


def test_thinking_is_kept_beside_the_content_as_templates_expect():
    content = [{"type": "thinking", "thinking": "2 + 2"}, {"type": "text", "text": "4"}]
    [message] = read_chat_request(json.dumps([{"role": "assistant", "content": content}])).messages
    assert (message.content, reasoning_of(message)) == ("4", "2 + 2")


@pytest.mark.parametrize(
    ("text", "model"),
    [
        ('{"model": "claude-sonnet-4-5", "messages": []}', "claude-sonnet-4-5"),
        ("client.messages.create(model='claude-opus-5', max_tokens=9, messages=[])", "claude-opus-5"),
        ("curl 'https://x/v1beta/models/gemini-2.5-flash:generateContent?key=a' -d '{\"contents\": []}'",
         "gemini-2.5-flash"),
        ('{"body": {"model": "gpt-5", "input": "Hi"}}', "gpt-5"),
        ("[]", ""),
    ],
)  # fmt: skip
def test_the_model_that_a_request_names_is_read(text, model):
    assert read_chat_request(text).model == model


def test_what_a_request_only_mentions_is_named():
    code = "client.messages.create(system=PROMPT, tools=TOOLS, messages=[{'role': 'user', 'content': 'Hi'}])"
    assert read_chat_request(code).elsewhere == (
        "system, which is a variable", "tools, which is a variable",
    )  # fmt: skip
    stored = '{"model": "gpt-5", "previous_response_id": "r", "input": "Hi"}'
    assert read_chat_request(stored).elsewhere == ("the earlier turns that previous_response_id means",)


def test_requests_of_bedrock_ollama_and_javascript_are_read_whole():
    used = {"toolUse": {"toolUseId": "t", "name": "f", "input": {"a": "b"}}}
    result = {"toolResult": {"toolUseId": "t", "content": [{"text": "21 °C"}]}}
    converse = {
        "modelId": "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
        "system": [{"text": "Be brief."}],
        "messages": [{"role": "assistant", "content": [used]}, {"role": "user", "content": [result]}],
        "toolConfig": {"tools": [{"toolSpec": {"name": "f", "inputSchema": {"json": SCHEMA}}}]},
    }
    chat = read_chat_request(json.dumps(converse))
    assert [(m.role, m.content, len(calls_of(m))) for m in chat.messages] == [
        ("system", "Be brief.", 0), ("assistant", "", 1), ("tool", "21 °C", 0),
    ]  # fmt: skip
    assert json.loads(chat.tools[0].text) == {"name": "f", "parameters": SCHEMA}
    ollama = {"model": "qwen3:8b", "messages": [{"role": "user", "content": "Hi", "images": [PNG]}]}
    assert read_chat_request(json.dumps(ollama)).messages[0].media == (Media("image", 3, 2),)
    code = """await client.create({
      model: "gpt-5-mini", // the "small" one
      tools: [{ type: "function", function: { name: "f", description: "see http://a.b" } }],
      messages: [{ role: "user", content: `Hi` }, /* later */ ],
    });"""
    chat = read_chat_request(code)
    assert (chat.model, chat.messages[0].content, len(chat.tools)) == ("gpt-5-mini", "Hi", 1)
    assert "http://a.b" in chat.tools[0].text
    schema = {"model": "gpt-5", "input": "Hi", "text": {"format": {"type": "json_schema", "schema": SCHEMA}}}
    assert read_chat_request(json.dumps(schema)).elsewhere == ("the schema of the answer",)


def test_an_answer_of_an_mcp_server_is_a_list_of_tools():
    answer = {"jsonrpc": "2.0", "id": 1, "result": {"tools": [{"name": "f", "inputSchema": SCHEMA}]}}
    chat = read_chat_request(json.dumps(answer))
    assert (chat.messages, [tool.name for tool in chat.tools]) == ((), ["f"])
    assert json.loads(chat.tools[0].text)["parameters"] == SCHEMA


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
        ("create({model: 'm', messages: [{role: 'user', content: `a`}]}) // x", [("user", "a")]),
        ("curl u -d $'{\"messages\":[{\"role\":\"user\",\"content\":\"it\\'s\"}]}'", [("user", "it's")]),
        ("ChatCompletionMessage(content='Hi', role='assistant', refusal=None)", [("assistant", "Hi")]),
        ('BE = "Be "\nHOW = f"{BE}brief"\ncreate(messages=[{"role": "system", "content": HOW + "."}])',
         [("system", "Be brief.")]),
    ],
)  # fmt: skip
def test_chats_are_read_from_libraries_files_and_commands(text, messages):
    assert [(message.role, message.content) for message in read_chat_request(text).messages] == messages


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ('{"model": "claude-opus-4-8", "max_tokens": 9, "messages": []}', "Anthropic’s Messages API"),
        ('{"model": "gpt-4o", "messages": []}', "OpenAI’s Chat Completions API"),
        ('{"messages": []}', "a list of messages"),
    ],
)
def test_what_was_recognized_is_named(text, form):
    assert read_chat_request(text).form == form


def test_one_of_several_conversations_is_read():
    row = '{{"messages": [{{"role": "user", "content": "{}"}}]}}\n'
    lines = "".join(map(row.format, "abc"))
    chat = read_chat_request(lines, number=2)
    assert (chat.messages[0].content, chat.number, chat.n_requests) == ("b", 2, 3)
    assert read_chat_request(f"[{','.join(lines.split(chr(10))[:-1])}]", number=3).messages[0].content == "c"
    with pytest.raises(InvalidInputError, match="no conversation 4; 3 conversations were pasted"):
        read_chat_request(lines, number=4)


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
            "1,001 tools; the limit is 1,000",
        ),
        ("[" * 100_000, "this cannot be read as a chat"),
        ('[{"role": "user"\n "content": "Hi"}]', "Expecting ',' delimiter (line 2, column 2)"),
        ('messages=[{"role": "user", "content": text}]', "messages contains code, 'text'; paste the value"),
        ('A = "a"\nA = "b"\nmessages=[{"role": "user", "content": A}]', "messages contains code, 'A'"),
        ('A = "a"\ndef f(A): g(messages=[{"role": "user", "content": A}])', "messages contains code, 'A'"),
        ('{"messages": []}\n{"messages": []}\noops', "Expecting value (line 3, column 1)"),
        ('{"messages": []}\n{"messages": [', "Expecting value (line 2, column 15)"),
        ('{"model": "text-embedding-3-small", "input": "Hi"}', "gets texts, not a chat: count its input"),
        ('{"log": {"entries": [{"request": {"url": "a.css"}}]}}', "no request to a chat API"),
        ("curl u -d @body.json", "sends the file 'body.json'"),
        ("curl u -d '{\"messages\": [}'", "in the data of the curl command: Expecting value"),
    ],
)
def test_invalid_chats_are_refused_with_the_place_of_the_error(text, said):
    with pytest.raises(InvalidInputError) as error:
        read_chat_request(text)
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
            chat = read_chat_request(text)
        except InvalidInputError:
            continue
        encode_chat(chat.messages, CHAT_TEMPLATES["o200k_base"])
        for tool in chat.tools:
            tool.text.encode()


@given(st.text(st.sampled_from("[]{}()'\"`,:=+.#/*\\ \nra1-messages"), max_size=40))
def test_any_text_is_read_or_refused(text):
    try:
        read_chat_request(text)
    except InvalidInputError:
        return
