"""Read the chats of any API: plain messages, tools and calls, and what was recognized and left out.

`pasted_values` reads the notation; this module knows the shapes of OpenAI's Chat Completions and Responses,
Anthropic's Messages, Gemini's `contents`, LangChain's messages and ShareGPT's conversations. Calls of tools
and their results become those of Chat Completions, which chat templates expect.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from playground.analysis.chat import ChatExtra, Message, compact_json
from playground.analysis.pasted_values import CALLED, Variable, read_pasted
from playground.core.errors import DataSyntaxError, InvalidInputError
from playground.core.tokenizer import replace_lone_surrogates
from playground.core.wording import counted, listed

#: Limits for messages, and for tools and tool calls together.
MAX_MESSAGES, MAX_EXTRAS = 1_000, 1_000
#: Limits for parts that aren't text: their number, and the characters kept of their type.
MAX_LEFT_OUT, MAX_TYPE_CHARS = 1_000, 40
_ADVICE = 'paste a list of messages such as [{"role": "user", "content": "Hi"}], or a whole request to an API'


@dataclass(frozen=True, slots=True)
class ApiChat:
    """The messages of a chat, its tools and tool calls in order, and what was recognized.

    `form` names the API or the shape, such as "Anthropic’s Messages API", and `notation` how it was written.
    The chat is number `number` of `n_conversations` in what was pasted.
    """

    messages: tuple[Message, ...]
    extras: tuple[ChatExtra, ...]
    form: str = ""
    notation: str = "JSON"
    number: int = 1
    n_conversations: int = 1

    @property
    def recognized(self) -> str:
        """One sentence on what was read."""
        n_tools = sum(extra.is_tool for extra in self.extras)
        held = [counted(len(self.messages), "message")]
        if n_tools:
            held.append(counted(n_tools, "tool"))
        if n_calls := len(self.extras) - n_tools:
            held.append(counted(n_calls, "tool call"))
        return f"Read {listed(held)} from {self.notation}: {self.form}."


@dataclass(slots=True)
class _Reading:
    """Collects messages, tools and calls; `names` maps the ids of calls to the names of their tools."""

    messages: list[Message] = field(default_factory=list)
    extras: list[ChatExtra] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)


def read_api_chat(text: str, *, number: int = 1) -> ApiChat:
    """Read a chat in any form that people paste; of several conversations the one of this number.

    >>> chat = read_api_chat("[{'role': 'user', 'content': [{'type': 'text', 'text': 'Hi'}]}]")
    >>> chat.messages[0].content, chat.recognized
    ('Hi', 'Read 1 message from a Python value: a list of messages.')
    >>> read_api_chat('{"contents": [{"parts": [{"text": "Hi"}]}]}').messages
    (Message(role='user', content='Hi', fields='', left_out=()),)

    Raises InvalidInputError, which says what is wrong and where.
    """
    conversations, what = _read_conversations(text)
    if not 1 <= number <= len(conversations):
        raise InvalidInputError(
            f"there is no conversation {number:,}; {counted(len(conversations), 'conversation')} "
            f"{'was' if len(conversations) == 1 else 'were'} pasted"
        )
    return _chat_of(conversations, number, what)


def iter_api_chats(text: str) -> Iterator[ApiChat]:
    """Yield every conversation of a text, such as the rows of a file for fine-tuning.

    >>> rows = '{"messages": [{"role": "user", "content": "Hi"}]}\\n' * 2
    >>> [(chat.number, chat.messages[0].content) for chat in iter_api_chats(rows)]
    [(1, 'Hi'), (2, 'Hi')]

    Raises InvalidInputError, which names the conversation.
    """
    conversations, what = _read_conversations(text)
    for number in range(1, len(conversations) + 1):
        try:
            yield _chat_of(conversations, number, what)
        except InvalidInputError as error:
            if len(conversations) == 1:
                raise
            raise InvalidInputError(f"conversation {number:,}: {error}") from None


def _read_conversations(text: str) -> tuple[list[Any], str]:
    """Return the conversations of a text, and what the text is. Raises InvalidInputError."""
    if not any(mark in text for mark in ("[", "{", "(", "curl ")):
        raise InvalidInputError(f"this is not a chat: {_ADVICE}")
    try:
        pasted = read_pasted(text, _ASSIGNED)
    except DataSyntaxError as error:
        raise InvalidInputError(f"this cannot be read as a chat: {error}") from None
    return _conversations(pasted.values), pasted.what


def _chat_of(conversations: Sequence[Any], number: int, what: str) -> ApiChat:
    """Return conversation `number` of several. Raises InvalidInputError."""
    request = _request_of(conversations[number - 1])
    reading = _Reading()
    form = _read_request(request, reading)
    if len(reading.messages) > MAX_MESSAGES:
        raise InvalidInputError(
            f"this chat has {len(reading.messages):,} messages; the limit is {MAX_MESSAGES:,}"
        )
    if len(reading.extras) > MAX_EXTRAS:
        raise InvalidInputError(
            f"this chat has {len(reading.extras):,} tools and tool calls; the limit is {MAX_EXTRAS:,}"
        )
    return ApiChat(
        tuple(reading.messages),
        tuple(reading.extras),
        form,
        what,
        number,
        len(conversations),
    )


#: What pasted code gives a chat with, by parameter or variable.
_ASSIGNED = frozenset(
    {
        "messages", "input", "contents", "system", "instructions", "tools", "functions",
        "systemInstruction", "system_instruction", "config", "conversations",
    }
)  # fmt: skip
_LISTS = ("messages", "input", "contents", "conversations", "conversation", "history")
#: Objects around a request: those of batch files, logs and HTTP libraries.
_WRAPPERS = ("body", "params", "request", "json", "data", "payload", "kwargs")


def _conversations(values: Sequence[Any]) -> list[Any]:
    """Return the conversations among pasted values; rows that are single messages are one conversation."""
    if len(values) == 1 and isinstance(values[0], list):
        items = values[0]
        is_many = items and all(isinstance(item, dict) and _has_list(item) for item in items)
        if is_many:
            return list(items)
        if items and all(isinstance(item, list) and item and _is_message(item[0]) for item in items):
            return list(items)
        return [items]
    if len(values) > 1 and all(map(_is_message, values)):
        return [list(values)]
    return list(values)


def _has_list(value: Mapping[str, Any]) -> bool:
    """Whether an object is a request, or has one in a wrapper."""
    inner = (value[name] for name in _WRAPPERS if isinstance(value.get(name), dict))
    return any(isinstance(value.get(name), list | str) for name in _LISTS) or any(map(_has_list, inner))


def _is_message(value: object) -> bool:
    return (
        isinstance(value, dict)
        and not _has_list(value)
        and bool({"role", "from", "parts", CALLED} & {*value})
    )


def _request_of(value: object) -> dict[str, Any]:
    """Return the request in a conversation: itself, a list of messages, or the object inside a wrapper."""
    for _ in range(4):
        if isinstance(value, list):
            name = (
                "contents"
                if any(isinstance(item, dict) and "parts" in item for item in value)
                else "messages"
            )
            return {name: value}
        if not isinstance(value, dict):
            break
        if any(name in value for name in _LISTS):
            return value
        if _is_message(value):
            return {"contents" if "parts" in value else "messages": [value]}
        inner = next((value[name] for name in _WRAPPERS if isinstance(value.get(name), dict | list)), None)
        if inner is None:
            break
        value = inner
    return value if isinstance(value, dict) else {}


def _read_request(request: Mapping[str, Any], reading: _Reading) -> str:
    """Add the messages and tools of a request to `reading`, and return what the request is."""
    config = request.get("config") or request.get("generationConfig")
    config = config if isinstance(config, dict) else {}
    for holder in (request, config):
        reading.extras += _iter_tools(holder)
    for name in ("system", "instructions", "systemInstruction", "system_instruction"):
        for holder in (request, config):
            if holder.get(name) and not isinstance(holder[name], Variable):
                _read_system(holder[name], name, reading)
    list_name = next((name for name in _LISTS if request.get(name) is not None), None)
    if list_name is None:
        raise InvalidInputError(f"this has no messages: {_ADVICE}")
    name, items = list_name, request[list_name]
    if isinstance(items, str):
        reading.messages.append(Message("user", replace_lone_surrogates(items)))
        return _FORMS[name]
    if isinstance(items, dict):
        items = [items]
    if isinstance(items, Variable):
        raise InvalidInputError(f"{name} is the variable {items.source!r}; paste its value")
    if not isinstance(items, list):
        raise InvalidInputError(f"{name} is not a list of messages: {_ADVICE}")
    for index, item in enumerate(items):
        _read_item(item, f"{name}[{index}]", reading)
    return _form_of(request, name, items)


_FORMS = {
    "messages": "a list of messages",
    "input": "OpenAI’s Responses API",
    "contents": "Gemini’s API",
    "conversations": "a conversation in ShareGPT’s form",
    "conversation": "a conversation",
    "history": "a history of messages",
}


def _form_of(request: Mapping[str, Any], name: str, items: Sequence[Any]) -> str:
    if name != "messages":
        return _FORMS[name]
    blocks = {
        part.get("type")
        for item in items
        if isinstance(item, dict) and isinstance(item.get("content"), list)
        for part in item["content"]
        if isinstance(part, dict)
    }
    tools = request.get("tools")
    has_schema = isinstance(tools, list) and any(isinstance(t, dict) and "input_schema" in t for t in tools)
    if "system" in request or has_schema or blocks & {"tool_use", "tool_result", "thinking"}:
        return "Anthropic’s Messages API"
    if any(isinstance(item, dict) and CALLED in item and "role" not in item for item in items):
        return "LangChain’s messages"
    return "OpenAI’s Chat Completions API" if {"model", "tools"} & {*request} else _FORMS[name]


def _read_system(value: object, name: str, reading: _Reading) -> None:
    if isinstance(value, dict):  # Gemini's, with its parts
        value = value.get("parts", value.get("content", [value]))
    left_out: list[str] = []
    content = _text_of(value, name, left_out)
    reading.messages.append(Message("system", content, left_out=tuple(left_out)))


#: Roles in other APIs and libraries, by the name in Chat Completions.
_ROLES = {
    "model": "assistant", "human": "user", "gpt": "assistant", "ai": "assistant", "chatgpt": "assistant",
    "HumanMessage": "user", "AIMessage": "assistant", "SystemMessage": "system", "ToolMessage": "tool",
    "HumanMessagePromptTemplate": "user", "UserMessage": "user", "AssistantMessage": "assistant",
}  # fmt: skip


def _read_item(item: object, place: str, reading: _Reading) -> None:
    """Add one message, or one item of the Responses API, to `reading`."""
    if isinstance(item, str):  # a turn of `contents` or `input`
        reading.messages.append(Message("user", replace_lone_surrogates(item)))
        return
    if isinstance(item, list) and len(item) == 2 and all(isinstance(part, str) for part in item):
        item = {"role": item[0], "content": item[1]}  # LangChain's pairs
    if isinstance(item, Variable):
        raise InvalidInputError(f"{place} is code, {item.source[:60]!r}; paste the value that it gives")
    if not isinstance(item, dict):
        raise InvalidInputError(f'{place} is not a message: an object with "role" and "content" is needed')
    kind = item.get("type")
    if kind in ("function_call", "custom_tool_call"):
        arguments = item.get("arguments", item.get("input", ""))
        _add_call(_call(item.get("call_id"), item.get("name"), arguments), reading)
        return
    if kind in ("function_call_output", "custom_tool_call_output"):
        _add_result(item.get("call_id"), item.get("output"), f"{place}.output", reading)
        return
    role = item.get("role") or item.get("from") or _ROLES.get(item.get(CALLED, ""))
    if "parts" in item and not isinstance(role, str):
        role = "user"
    if not isinstance(role, str):
        if isinstance(kind, str):  # such as the reasoning of the Responses API
            _leave_out(kind, reading)
            return
        raise InvalidInputError(f'{place} is not a message: an object with "role" and "content" is needed')
    content = item.get("parts", item.get("content", item.get("value")))
    where = f"{place}.{'parts' if 'parts' in item else 'content'}"
    _read_message(item, _ROLES.get(role, role), content, where, reading)


def _read_message(item: Mapping[str, Any], role: str, content: object, place: str, reading: _Reading) -> None:
    """Add a message to `reading`; calls and results among its parts become those of Chat Completions."""
    left_out: list[str] = []
    calls: list[dict[str, Any]] = []
    rest: object = content
    if isinstance(content, list):
        others: list[object] = []
        rest = others
        for index, part in enumerate(content):
            where = f"{place}[{index}]"
            if not isinstance(part, dict):
                others.append(part)
            elif part.get("type") in ("tool_use", "server_tool_use"):
                calls.append(_call(part.get("id"), part.get("name"), part.get("input")))
            elif part.get("type") in ("tool_result", "mcp_tool_result"):
                _add_result(part.get("tool_use_id"), part.get("content"), f"{where}.content", reading)
            elif isinstance(call := _either(part, "functionCall", "function_call"), dict):
                calls.append(_call(call.get("id"), call.get("name"), call.get("args")))
            elif isinstance(result := _either(part, "functionResponse", "function_response"), dict):
                _add_result(result.get("id"), result.get("response"), where, reading, name=result.get("name"))
            else:
                others.append(part)
        if content and not rest and not calls:
            return  # only results of tools
        if calls and not rest:
            rest = None
    text = _text_of(rest, place, left_out)
    own = _list_of(item.get("tool_calls"))
    if not own and isinstance(item.get("function_call"), dict):
        own = [item["function_call"]]
    for call in [*own, *calls]:
        _note_call(call, reading)
    name = item.get("name")
    is_named = isinstance(name, str) and name and role not in ("tool", "function")
    ignored = {"content", "parts", "value", "from", "role", CALLED}
    fields = {key: value for key, value in item.items() if key not in ignored and value is not None}
    if fields.get("type") == "message":
        del fields["type"]
    if calls:
        fields["tool_calls"] = [*own, *calls]
    if is_named:
        fields = {"role": role, **fields}
    if fields and rest is None:
        fields = {"content": None, **fields}
    reading.messages.append(
        Message(
            replace_lone_surrogates(str(name) if is_named else role),
            text,
            compact_json(fields) if fields else "",
            tuple(left_out),
        )
    )


def _either(part: Mapping[str, Any], *names: str) -> Any:
    return next((part[name] for name in names if name in part), None)


def _call(call_id: object, name: object, arguments: object) -> dict[str, Any]:
    """Return a call of a tool as in Chat Completions, where arguments are JSON in a text."""
    written = (
        arguments if isinstance(arguments, str) else compact_json({} if arguments is None else arguments)
    )
    made: dict[str, Any] = {"type": "function", "function": {"name": name, "arguments": written}}
    return {"id": call_id, **made} if isinstance(call_id, str) else made


def _add_call(call: dict[str, Any], reading: _Reading) -> None:
    """Add a call to the assistant's message before it, or as a message of its own."""
    _note_call(call, reading)
    last = reading.messages[-1] if reading.messages else None
    fields = _fields_of(last) if last else {}
    if last and last.role == "assistant" and "tool_calls" in fields and not last.content:
        reading.messages.pop()
        calls = [*fields["tool_calls"], call]
    else:
        calls = [call]
    reading.messages.append(Message("assistant", "", compact_json({"content": None, "tool_calls": calls})))


def _fields_of(message: Message) -> dict[str, Any]:
    found = json.loads(message.fields or "{}")
    return found if isinstance(found, dict) else {}


def _note_call(call: Mapping[str, Any], reading: _Reading) -> None:
    called = call.get("function") or call
    name = _name_of(called)
    reading.extras.append(ChatExtra(f"call of {name}", compact_json(called)))
    if isinstance(call.get("id"), str):
        reading.names[call["id"]] = name


def _add_result(
    call_id: object,
    content: object,
    place: str,
    reading: _Reading,
    *,
    name: object = None,
) -> None:
    """Add the result of a tool as a message of the role "tool"."""
    own_left_out: list[str] = []
    if isinstance(content, dict) and not {"type", "text"} & {*content}:
        only = next(iter(content.values())) if {*content} in ({"result"}, {"output"}) else None
        text = only if isinstance(only, str) else compact_json(content)  # Gemini's SDK wraps a text
    else:
        text = _text_of(content, place, own_left_out)
    fields = {"tool_call_id": call_id} if isinstance(call_id, str) else {}
    if isinstance(name, str):
        fields["name"] = name
    reading.messages.append(
        Message("tool", text, compact_json(fields) if fields else "", tuple(own_left_out))
    )


def _leave_out(kind: str, reading: _Reading) -> None:
    """Note something between the messages that is not text, on the message before it."""
    if not reading.messages:
        reading.messages.append(Message("assistant", ""))
    last = reading.messages.pop()
    if len(last.left_out) == MAX_LEFT_OUT:
        raise _too_many("the chat")
    kind = replace_lone_surrogates(kind[:MAX_TYPE_CHARS])
    reading.messages.append(replace(last, left_out=(*last.left_out, kind)))


_TEXT_PARTS = frozenset({"text", "input_text", "output_text", "refusal", "summary_text"})
#: Keys of parts without a type, as Gemini has them, and what they are.
_UNTYPED = {
    "inlineData": "image", "inline_data": "image", "fileData": "file", "file_data": "file", "image": "image",
    "executableCode": "code", "executable_code": "code", "codeExecutionResult": "code result",
}  # fmt: skip


def _text_of(content: object, place: str, left_out: list[str]) -> str:
    """Return the text of a content; the types of its other parts are added to `left_out`."""
    if content is None:
        return ""
    if isinstance(content, str):
        return replace_lone_surrogates(content)
    if isinstance(content, Variable):
        raise InvalidInputError(f"{place} is code, {content.source[:60]!r}; paste the value that it gives")
    if isinstance(content, dict) and ("type" in content or "text" in content):
        content = [content]
    if not isinstance(content, list):
        raise InvalidInputError(f"{place} is neither a text nor a list of parts")
    texts = []
    for index, part in enumerate(content):
        where = f"{place}[{index}]"
        if isinstance(part, str):
            texts.append(part)
            continue
        if isinstance(part, Variable):
            raise InvalidInputError(f"{where} is code, {part.source[:60]!r}; paste the value that it gives")
        kind = _kind_of(part)
        if not isinstance(part, dict) or kind is None:
            raise InvalidInputError(f'{where} is not a part: an object with "type" is needed')
        if kind in _TEXT_PARTS:
            text = part.get("text", part.get("refusal"))
            if not isinstance(text, str):
                raise InvalidInputError(f'{where} is of type "{kind}" and has no "text"')
            texts.append(text)
            continue
        if len(left_out) == MAX_LEFT_OUT:
            raise _too_many(place)
        left_out.append(replace_lone_surrogates(kind[:MAX_TYPE_CHARS]))
    return replace_lone_surrogates("".join(texts))


def _kind_of(part: object) -> str | None:
    if not isinstance(part, dict):
        return None
    if isinstance(part.get("type"), str):
        kind: str = part["type"]
        return kind
    if part.get("thought") is True:
        return "thinking"
    if isinstance(part.get("text"), str):
        return "text"
    return next((kind for key, kind in _UNTYPED.items() if key in part), None)


def _too_many(place: str) -> InvalidInputError:
    return InvalidInputError(
        f"{place} has more than {MAX_LEFT_OUT:,} parts that aren't text, which is the limit"
    )


def _iter_tools(request: Mapping[str, Any]) -> Iterator[ChatExtra]:
    """Yield the tools of a request with a schema called `parameters`, as chat templates expect."""
    for tool in [*_list_of(request.get("tools")), *_list_of(request.get("functions"))]:
        declared = _either(tool, "functionDeclarations", "function_declarations")
        for described in _list_of(declared) if declared is not None else [tool.get("function") or tool]:
            if not isinstance(described, dict):
                continue
            made = {
                "parameters" if key in ("input_schema", "inputSchema") else key: value
                for key, value in described.items()
                if key not in ("cache_control", CALLED)
                and not (key == "type" and value in ("function", "custom"))
            }
            yield ChatExtra(f"tool {_name_of(made)}", compact_json(made), is_tool=True)


def _list_of(value: object) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _name_of(described: object) -> str:
    if not isinstance(described, dict):
        return "no name"
    name = described.get("name") or described.get("type")
    return name[:60] if isinstance(name, str) and name else next(iter(described), "no name")[:60]


#: Plain words for the types of parts in the APIs; other types stay as they are.
_PLAIN_KINDS = {
    "image_url": "image", "input_image": "image", "input_file": "file", "document": "file",
    "input_audio": "audio", "audio": "audio", "video_url": "video",
    "thinking": "reasoning", "redacted_thinking": "reasoning",
}  # fmt: skip
_UNCOUNTABLE = frozenset({"audio", "video", "reasoning", "code"})


def left_out_of(messages: Iterable[Message]) -> tuple[str, ...]:
    """Describe the parts of messages that aren't text and so aren't counted.

    >>> left_out_of([Message("user", "Hi", left_out=("file", "image_url", "file", "thinking"))])
    ('2 files', '1 image', 'reasoning')
    """
    kinds = Counter(_PLAIN_KINDS.get(kind, kind) for message in messages for kind in message.left_out)
    return tuple(kind if kind in _UNCOUNTABLE else counted(n, kind) for kind, n in kinds.items())
