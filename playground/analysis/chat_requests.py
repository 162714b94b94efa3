"""Read the chats of any API: plain messages, tools and calls, the model, and what was recognized.

`pasted_values` reads the notation; this module knows the shapes of OpenAI's Chat Completions and Responses,
Anthropic's Messages, Gemini's `contents`, LangChain's messages and ShareGPT's conversations. Calls of tools
and their results become those of Chat Completions, which chat templates expect.
"""

import base64
import io
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import regex

from playground.analysis.chat import Media, Message, Tool, compact_json
from playground.analysis.pasted_values import CALLED, read_pasted
from playground.core.errors import InvalidInputError
from playground.core.tokenizer import replace_lone_surrogates
from playground.core.wording import counted, listed

#: Limits for the messages and the tools of a request.
MAX_MESSAGES, MAX_TOOLS = 1_000, 1_000
#: Limits for parts that aren't text: their number, and the characters kept of their kind.
MAX_MEDIA, MAX_KIND_CHARS = 1_000, 40
_ADVICE = 'paste a list of messages such as [{"role": "user", "content": "Hi"}], or a whole request to an API'


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """A request to a model: the model's name ("" if not given), messages, tools, and what was recognized.

    `elsewhere` names what the service adds to the prompt and the request only mentions, such as earlier turns
    that it has stored. `form` names the API or the shape, such as "Anthropic’s Messages API", and `notation`
    how it was written. The request is number `number` of `n_requests` in what was pasted.
    """

    messages: tuple[Message, ...]
    tools: tuple[Tool, ...] = ()
    model: str = ""
    elsewhere: tuple[str, ...] = ()
    form: str = ""
    notation: str = "JSON"
    number: int = 1
    n_requests: int = 1

    @property
    def recognized(self) -> str:
        """One sentence on what was read."""
        n_calls = sum(len(calls_of(message)) for message in self.messages)
        held = [
            counted(n, unit)
            for n, unit in (
                (len(self.messages), "message"),
                (len(self.tools), "tool"),
                (n_calls, "tool call"),
            )
            if n or unit == "message"
        ]
        model = f" for {self.model}" if self.model else ""
        return f"Read {listed(held)}{model} from {self.notation}: {self.form}."


@dataclass(slots=True)
class _Reading:
    """Collects the messages of a request; `resolution` is that of Gemini's images unless one has its own."""

    messages: list[Message] = field(default_factory=list)
    resolution: str = ""


def read_chat_request(text: str, *, number: int = 1) -> ChatRequest:
    """Read a chat in any form that people paste; of several requests the one of this number.

    >>> request = read_chat_request("[{'role': 'user', 'content': [{'type': 'text', 'text': 'Hi'}]}]")
    >>> request.messages[0].content, request.recognized
    ('Hi', 'Read 1 message from a Python value: a list of messages.')
    >>> read_chat_request('{"model": "m", "contents": [{"parts": [{"text": "Hi"}]}]}').model
    'm'

    Raises InvalidInputError, which says what is wrong and where.
    """
    values, notation, unread = _read_values(text)
    if not 1 <= number <= len(values):
        raise InvalidInputError(
            f"there is no conversation {number:,}; {counted(len(values), 'conversation')} "
            f"{'was' if len(values) == 1 else 'were'} pasted"
        )
    request = request_of(values[number - 1], notation)
    return replace(request, number=number, n_requests=len(values), elsewhere=(*request.elsewhere, *unread))


def iter_chat_requests(text: str) -> Iterator[ChatRequest]:
    """Yield every request of a text, such as the rows of a file for fine-tuning.

    >>> rows = '{"messages": [{"role": "user", "content": "Hi"}]}\\n' * 2
    >>> [(request.number, request.messages[0].content) for request in iter_chat_requests(rows)]
    [(1, 'Hi'), (2, 'Hi')]

    Raises InvalidInputError, which names the conversation.
    """
    values, notation, unread = _read_values(text)
    for number, value in enumerate(values, 1):
        try:
            request = request_of(value, notation)
        except InvalidInputError as error:
            if len(values) == 1:
                raise
            raise InvalidInputError(f"conversation {number:,}: {error}") from None
        yield replace(request, number=number, n_requests=len(values), elsewhere=(*request.elsewhere, *unread))


def _read_values(text: str) -> tuple[list[Any], str, list[str]]:
    """Return the requests of a text as values, what the text is, and what it leaves to variables.

    Raises InvalidInputError.
    """
    if not any(mark in text for mark in ("[", "{", "(", "curl ")):
        raise InvalidInputError(f"this is not a chat: {_ADVICE}")
    try:
        pasted = read_pasted(text, _ASSIGNED)
    except InvalidInputError as error:
        raise InvalidInputError(f"this cannot be read as a chat: {error}") from None
    exchanges = har_exchanges(pasted.values[0]) if pasted.values else None
    values = _conversations(pasted.values) if exchanges is None else exchanges
    if not values and exchanges is not None:
        raise InvalidInputError("this HAR file has no request to a chat API")
    if (
        (found := _MODEL_IN_ADDRESS.search(pasted.address))
        and len(values) == 1
        and isinstance(values[0], dict)
    ):
        values = [{"model": found[1], **values[0]}]
    unread = [f"{name}, which is a variable" for name in pasted.unread if name != "model"]
    return values, pasted.what if exchanges is None else "a HAR file", unread


def har_exchanges(value: object) -> list[dict[str, Any]] | None:
    """Return the requests to chat APIs in a HAR file, as rows of a log have them; None for other values.

    >>> har_exchanges({"log": {"entries": [{"request": {"method": "GET"}}]}}), har_exchanges([])
    ([], None)
    """
    log = value.get("log") if isinstance(value, dict) else None
    entries = log.get("entries") if isinstance(log, dict) else None
    if not isinstance(entries, list):
        return None
    found = []
    for entry in _list_of(entries):
        sent, answered = (part if isinstance(part := entry.get(name), dict) else {} for name in _HAR_PARTS)
        posted = sent.get("postData")
        body = _json_object(posted.get("text") if isinstance(posted, dict) else None)
        if body and _has_list(body):
            content = answered.get("content")
            answer = _answer_of(content.get("text") if isinstance(content, dict) else None)
            when = entry.get("startedDateTime")
            found.append({"url": sent.get("url"), "timestamp": when, "body": body, "response": answer})
    return found


_HAR_PARTS = ("request", "response")


def _answer_of(text: object) -> dict[str, Any]:
    """Return the object of an API's answer; of a stream of events, the object that has the usage."""
    events = (
        [line[5:] for line in text.splitlines() if line.startswith("data:")] if isinstance(text, str) else []
    )
    for event in map(_json_object, events):
        for holder in (event, event.get("message"), event.get("response")):
            if isinstance(holder, dict) and isinstance(holder.get("usage"), dict):
                return holder
    return _json_object(text)


def _json_object(text: object) -> dict[str, Any]:
    """Return the object that a JSON text has; {} for any other text."""
    try:
        value = json.loads(text) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


#: The model in the URL of Gemini's, Bedrock's and Azure's services.
_MODEL_IN_ADDRESS = regex.compile(r"/(?:models?|deployments)/([^/:?]+)")


def request_of(value: object, notation: str = "JSON") -> ChatRequest:
    """Return the request that a value is or wraps. Raises InvalidInputError."""
    body = _request_of(value)
    reading = _Reading()
    config = body.get("config") or body.get("generationConfig") or body.get("generation_config")
    config = config if isinstance(config, dict) else {}
    holders = (body, config)
    resolution = next((r for h in holders if (r := _either(h, "mediaResolution", "media_resolution"))), "")
    reading.resolution = resolution if isinstance(resolution, str) else ""
    tools = [tool for holder in holders for tool in _iter_tools(holder)]
    form = _read_messages(body, config, reading, has_tools=bool(tools))
    for n, limit, what in (
        (len(reading.messages), MAX_MESSAGES, "messages"),
        (len(tools), MAX_TOOLS, "tools"),
    ):
        if n > limit:
            raise InvalidInputError(f"this chat has {n:,} {what}; the limit is {limit:,}")
    model = body.get("model") or body.get("modelId") or _model_in_address(value)
    return ChatRequest(
        tuple(reading.messages),
        tuple(tools),
        replace_lone_surrogates(model[:200]) if isinstance(model, str) else "",
        tuple(dict.fromkeys(_iter_elsewhere(holders))),
        form,
        notation,
    )


def _iter_elsewhere(holders: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Name what the service adds to the prompt."""
    for holder in holders:
        yield from (said for name, said in _ELSEWHERE.items() if holder.get(name))
        text = holder.get("text")
        for form in (holder.get("response_format"), text.get("format") if isinstance(text, dict) else None):
            if isinstance(form, dict) and form.get("type") == "json_schema":
                yield "the schema of the answer"


def _model_in_address(value: object) -> str:
    """Return the model in the address that a logged request has beside its body; "" for none."""
    for name in ("url", "path", "endpoint"):
        address = value.get(name) if isinstance(value, dict) else None
        if isinstance(address, str) and (found := _MODEL_IN_ADDRESS.search(address)):
            return str(found[1])
    return ""


#: What a service adds to the prompt, by the field of a request that asks for it.
_ELSEWHERE = {
    "previous_response_id": "the earlier turns that previous_response_id means",
    "conversation_id": "the stored conversation",
    "prompt": "the stored prompt",
    "cachedContent": "the cached content",
    "cached_content": "the cached content",
    "mcp_servers": "the tools of MCP servers",
    "responseSchema": "the schema of the answer",
    "response_schema": "the schema of the answer",
    "output_format": "the schema of the answer",
}


#: What pasted code gives a chat with, by parameter or variable.
_ASSIGNED = frozenset(
    {
        "model", "messages", "input", "contents", "system", "instructions", "tools", "functions",
        "systemInstruction", "system_instruction", "config", "conversations",
    }
)  # fmt: skip
_LISTS = ("messages", "input", "contents", "conversations", "conversation", "history")
#: Objects around a request: those of batch files, logs and HTTP libraries.
_WRAPPERS = ("body", "params", "request", "json", "data", "payload", "kwargs", "result")


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


def _read_messages(
    request: Mapping[str, Any], config: Mapping[str, Any], reading: _Reading, *, has_tools: bool
) -> str:
    """Add the messages of a request to `reading`, and return what the request is."""
    for name in ("system", "instructions", "systemInstruction", "system_instruction"):
        if (given := request.get(name) or config.get(name)) and isinstance(given, str | list | dict):
            _read_system(given, name, reading)
    name = next((name for name in _LISTS if request.get(name) is not None), "")
    if not name:
        if has_tools:
            return "a list of tools"
        raise InvalidInputError(f"this has no messages: {_ADVICE}")
    items = request[name]
    if str(request.get("model")).startswith("text-embedding"):
        raise InvalidInputError(f"{request['model']} gets texts, not a chat: count its {name} as a text")
    if isinstance(items, str):
        reading.messages.append(Message("user", replace_lone_surrogates(items)))
        return _FORMS[name]
    if isinstance(items, dict):
        items = [items]
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
    is_for_claude = str(request.get("model")).startswith("claude")
    if is_for_claude or "system" in request or has_schema or blocks & {"tool_use", "tool_result", "thinking"}:
        return "Anthropic’s Messages API"
    if any(isinstance(item, dict) and CALLED in item and "role" not in item for item in items):
        return "LangChain’s messages"
    return "OpenAI’s Chat Completions API" if {"model", "tools"} & {*request} else _FORMS[name]


def _read_system(value: object, name: str, reading: _Reading) -> None:
    if isinstance(value, dict):  # Gemini's, with its parts
        value = value.get("parts", value.get("content", [value]))
    found = _read_parts(value, name, reading)
    reading.messages.append(_message("system", found, {}))


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
    calls: list[dict[str, Any]] = []
    rest: object = content
    if isinstance(content, list):
        others: list[object] = []
        rest = others
        for index, part in enumerate(content):
            where = f"{place}[{index}]"
            if not isinstance(part, dict):
                others.append(part)
            elif part.get("type") in ("tool_use", "server_tool_use", "mcp_tool_use"):
                calls.append(_call(part.get("id"), part.get("name"), part.get("input")))
            elif part.get("type") in ("tool_result", "mcp_tool_result"):
                _add_result(part.get("tool_use_id"), part.get("content"), f"{where}.content", reading)
            elif isinstance(call := part.get("toolUse"), dict):  # Amazon's Converse
                calls.append(_call(call.get("toolUseId"), call.get("name"), call.get("input")))
            elif isinstance(result := part.get("toolResult"), dict):
                _add_result(result.get("toolUseId"), result.get("content"), f"{where}.content", reading)
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
    found = _read_parts(rest, place, reading)
    own = _list_of(item.get("tool_calls"))
    if not own and isinstance(item.get("function_call"), dict):
        own = [item["function_call"]]
    ignored = {"content", "parts", "value", "from", "role", CALLED}
    fields = {key: value for key, value in item.items() if key not in ignored and value is not None}
    images = fields.pop("images", None)  # Ollama's, in Base64
    for image in images if isinstance(images, list) else ():
        found.media.append(_media_of({"image_url": image}, "image", reading.resolution))
    if fields.get("type") == "message":
        del fields["type"]
    if calls:
        fields["tool_calls"] = [*own, *calls]
    if fields and rest is None:
        fields = {"content": None, **fields}
    reading.messages.append(_message(role, found, fields))


@dataclass(slots=True)
class _Parts:
    """The texts of a content, its other parts, and the reasoning among them."""

    texts: list[str] = field(default_factory=list)
    media: list[Media] = field(default_factory=list)
    reasoning: list[str] = field(default_factory=list)


def _message(role: str, parts: _Parts, fields: Mapping[str, Any]) -> Message:
    """Return a message. Several texts are kept in the fields too, because templates join them differently."""
    fields = dict(fields)
    if len(parts.texts) > 1:
        fields["content"] = [{"type": "text", "text": text} for text in parts.texts]
    if parts.reasoning:
        fields.setdefault("reasoning_content", "\n".join(parts.reasoning))
    return Message(
        replace_lone_surrogates(role),
        "".join(parts.texts),
        compact_json(fields) if fields else "",
        tuple(parts.media),
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


def calls_of(message: Message) -> list[dict[str, Any]]:
    """Return the calls of tools in a message, each with a name and its arguments as text.

    >>> fields = '{"tool_calls": [{"function": {"name": "f", "arguments": "{}"}}]}'
    >>> calls_of(Message("assistant", "", fields))
    [{'name': 'f', 'arguments': '{}'}]
    """
    if not message.fields:
        return []
    fields = message.read_fields()
    calls = _list_of(fields.get("tool_calls"))
    if not calls and isinstance(fields.get("function_call"), dict):
        calls = [fields["function_call"]]
    return [function for call in calls if isinstance(function := call.get("function") or call, dict)]


def reasoning_of(message: Message) -> str:
    """Return the reasoning that a message has beside its content; "" for none."""
    fields = message.read_fields() if message.fields else {}
    found = (fields.get(name) for name in ("reasoning_content", "thinking", "reasoning"))
    return next((text for text in found if isinstance(text, str) and text.strip()), "")


def _add_call(call: dict[str, Any], reading: _Reading) -> None:
    """Add a call to the assistant's message before it, or as a message of its own."""
    last = reading.messages[-1] if reading.messages else None
    fields = last.read_fields() if last else {}
    calls: list[dict[str, Any]] = [call]
    media: tuple[Media, ...] = ()
    if last and last.role == "assistant" and not last.content:
        reading.messages.pop()
        calls, media = [*_list_of(fields.get("tool_calls")), call], last.media
    made = compact_json({"content": None, "tool_calls": calls})
    reading.messages.append(Message("assistant", "", made, media))


def _add_result(
    call_id: object, content: object, place: str, reading: _Reading, *, name: object = None
) -> None:
    """Add the result of a tool as a message of the role "tool"."""
    if isinstance(content, dict) and not {"type", "text"} & {*content}:
        only = next(iter(content.values())) if {*content} in ({"result"}, {"output"}) else None
        text = only if isinstance(only, str) else compact_json(content)  # Gemini's SDK wraps a text
        found = _Parts([text])
    else:
        found = _read_parts(content, place, reading)
    fields = {"tool_call_id": call_id} if isinstance(call_id, str) else {}
    if isinstance(name, str):
        fields["name"] = name
    reading.messages.append(_message("tool", found, fields))


def _leave_out(kind: str, reading: _Reading) -> None:
    """Note something between the messages that is not text, on the message before it."""
    if not reading.messages:
        reading.messages.append(Message("assistant", ""))
    last = reading.messages.pop()
    if len(last.media) == MAX_MEDIA:
        raise _too_many("the chat")
    reading.messages.append(replace(last, media=(*last.media, Media(_kind(kind)))))


_TEXT_PARTS = frozenset({"text", "input_text", "output_text", "refusal", "summary_text"})
#: Parts that only mark a step, as in the messages of Vercel's SDK.
_NO_CONTENT = frozenset({"step-start", "cachePoint"})
#: Plain words for the types of parts in the APIs; other types stay as they are.
_PLAIN_KINDS = {
    "image_url": "image", "input_image": "image", "input_file": "file", "document": "file",
    "input_audio": "audio", "video_url": "video", "thinking": "reasoning", "redacted_thinking": "reasoning",
}  # fmt: skip
#: Keys of parts without a type, as Gemini has them, and what they are.
_UNTYPED = {
    "inlineData": "image", "inline_data": "image", "fileData": "file", "file_data": "file", "image": "image",
    "document": "file", "cachePoint": "cachePoint", "reasoningContent": "reasoning", "json": "json",
    "executableCode": "code", "executable_code": "code", "codeExecutionResult": "code result",
    "code_execution_result": "code result",
}  # fmt: skip


def _kind(kind: str) -> str:
    return _PLAIN_KINDS.get(kind, replace_lone_surrogates(kind[:MAX_KIND_CHARS]))


def _read_parts(content: object, place: str, reading: _Reading) -> _Parts:
    """Return the texts of a content and its other parts. Raises InvalidInputError."""
    found = _Parts()
    if content is None:
        return found
    if isinstance(content, str):
        return _Parts([replace_lone_surrogates(content)])
    if isinstance(content, dict) and ("type" in content or "text" in content):
        content = [content]
    if not isinstance(content, list):
        raise InvalidInputError(f"{place} is neither a text nor a list of parts")
    for index, part in enumerate(content):
        where = f"{place}[{index}]"
        if isinstance(part, str):
            found.texts.append(replace_lone_surrogates(part))
            continue
        kind = _kind_of(part)
        if not isinstance(part, dict) or kind is None:
            raise InvalidInputError(f'{where} is not a part: an object with "type" is needed')
        thought = part.get("thinking", part.get("text"))
        if kind in ("thinking", "reasoning") and isinstance(thought, str) and thought:
            found.reasoning.append(replace_lone_surrogates(thought))
        elif kind in _TEXT_PARTS:
            text = part.get("text", part.get("refusal"))
            if not isinstance(text, str):
                raise InvalidInputError(f'{where} is of type "{kind}" and has no "text"')
            found.texts.append(replace_lone_surrogates(text))
        elif len(found.media) == MAX_MEDIA:
            raise _too_many(place)
        elif kind not in _NO_CONTENT:
            found.media.append(_media_of(part, kind, reading.resolution))
    return found


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


def _media_of(part: Mapping[str, Any], kind: str, resolution: str) -> Media:
    """Return what a part holds; the size of an image is read from its data, if the request has them."""
    held = _either(part, "image_url", "source", "inlineData", "inline_data", "fileData", "file_data")
    holder = held if isinstance(held, dict) else {}
    address = held if isinstance(held, str) else holder.get("url") or holder.get("data") or ""
    mime = holder.get("mimeType") or holder.get("mime_type") or holder.get("media_type") or ""
    if isinstance(mime, str) and "/" in mime:
        kind = {"image": "image", "audio": "audio", "video": "video"}.get(mime.split("/")[0], "file")
    kind = _kind(kind)
    if kind != "image":
        return Media(kind)
    asked = part.get("detail") or holder.get("detail") or _either(part, "mediaResolution", "media_resolution")
    if isinstance(asked, dict):  # Gemini's, for one part
        asked = asked.get("level")
    detail = asked if isinstance(asked, str) else resolution
    width, height = _image_size(address) if isinstance(address, str) else (0, 0)
    return Media(kind, width, height, detail.removeprefix("MEDIA_RESOLUTION_").lower()[:MAX_KIND_CHARS])


def _image_size(data: str) -> tuple[int, int]:
    """Return the width and height of an image in Base64, (0, 0) if they cannot be read."""
    encoded = data.partition(",")[2] if data.startswith("data:") else data
    if "://" in encoded[:20] or len(encoded) < 40:
        return 0, 0
    try:
        from PIL import Image  # Streamlit brings it; the shell may be installed without

        raw = base64.b64decode(encoded)
        with Image.open(io.BytesIO(raw)) as image:
            return image.size
    except Exception:  # not an image, or one of a kind that is not known: then its size isn't either
        return 0, 0


def _too_many(place: str) -> InvalidInputError:
    return InvalidInputError(
        f"{place} has more than {MAX_MEDIA:,} parts that aren't text, which is the limit"
    )


def _iter_tools(request: Mapping[str, Any]) -> Iterator[Tool]:
    """Yield the tools of a request with a schema called `parameters`, as chat templates expect."""
    config = request.get("toolConfig")
    converse = [
        {**spec, "inputSchema": schema.get("json", schema)}
        for tool in _list_of(config.get("tools") if isinstance(config, dict) else None)
        if isinstance(spec := tool.get("toolSpec"), dict)
        and isinstance(schema := spec.get("inputSchema", {}), dict)
    ]
    for tool in [*_list_of(request.get("tools")), *_list_of(request.get("functions")), *converse]:
        declared = _either(tool, "functionDeclarations", "function_declarations")
        for described in _list_of(declared) if declared is not None else [tool.get("function") or tool]:
            if not isinstance(described, dict):
                continue
            made = {
                "parameters" if key in ("input_schema", "inputSchema", "parametersJsonSchema") else key: value
                for key, value in described.items()
                if key not in ("cache_control", CALLED)
                and not (key == "type" and value in ("function", "custom"))
            }
            yield Tool(replace_lone_surrogates(_name_of(made)), compact_json(made))


def _list_of(value: object) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _name_of(described: Mapping[str, Any]) -> str:
    name = described.get("name") or described.get("type")
    return name[:60] if isinstance(name, str) and name else next(iter(described), "no name")[:60]


_UNCOUNTABLE = frozenset({"audio", "video", "reasoning", "code"})


def named_media(media: Iterable[Media]) -> list[str]:
    """Name parts that aren't text.

    >>> named_media([Media("file"), Media("image"), Media("file"), Media("reasoning")])
    ['2 files', '1 image', 'reasoning']
    """
    kinds = Counter(one.kind for one in media)
    return [kind if kind in _UNCOUNTABLE else counted(n, kind) for kind, n in kinds.items()]
