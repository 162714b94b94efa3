"""An API's messages as a chat: what OpenAI's and Anthropic's requests hold, read from JSON.

Text becomes messages, as `chat` sets them into a template. How a model is shown tools and their calls is not
public: each is kept as compact JSON, whose tokens are an estimate. Pictures, sounds and files are left out,
and said to be.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from playground.analysis.chat import Message
from playground.core.errors import InvalidInputError
from playground.core.tokenizer import replace_lone_surrogates
from playground.core.wording import counted

MAX_MESSAGES = 1_000
#: Of the parts of a message that are no text: how many, and the characters of their type that are kept.
MAX_LEFT_OUT, MAX_TYPE_CHARS = 1_000, 40
_TEXT_PARTS = frozenset({"text", "input_text", "output_text"})


@dataclass(frozen=True, slots=True)
class ChatExtra:
    """A tool of a request, or a call of one: what it is, and its compact JSON."""

    label: str
    text: str
    is_tool: bool = False


@dataclass(frozen=True, slots=True)
class ApiChat:
    """A request's messages, and its extras in order."""

    messages: tuple[Message, ...]
    extras: tuple[ChatExtra, ...]


@dataclass(slots=True)
class _Reading:
    """What a message has besides text; the extras are those of the whole request."""

    extras: list[ChatExtra]
    left_out: list[str] = field(default_factory=list)


def read_api_chat(text: str) -> ApiChat:
    """Read a list of messages, or a whole request with `messages`, `system` and `tools`.

    >>> chat = read_api_chat('[{"role": "user", "content": [{"type": "text", "text": "Hi"}]}]')
    >>> chat.messages[0].content
    'Hi'

    Raises InvalidInputError, which names what is wrong and where.
    """
    try:
        request = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInputError(f"this is not JSON: {error}") from None
    if isinstance(request, list):
        request = {"messages": request}
    if not isinstance(request, dict) or not isinstance(request.get("messages"), list):
        raise InvalidInputError('a chat is a list of messages, or an object with "messages"')
    if len(request["messages"]) > MAX_MESSAGES:
        found = f"{len(request['messages']):,} messages"
        raise InvalidInputError(f"this chat has {found}; this page takes up to {MAX_MESSAGES:,}")
    extras = [*_iter_tools(request)]
    messages = []
    if request.get("system"):
        reading = _Reading(extras)
        content = _content(request["system"], "system", reading)
        messages.append(Message("system", content, left_out=tuple(reading.left_out)))
    for index, message in enumerate(request["messages"]):
        messages.append(_message(message, f"messages[{index}]", _Reading(extras)))
    return ApiChat(tuple(messages), tuple(extras))


def left_out_of(messages: Iterable[Message]) -> tuple[str, ...]:
    """What no template counts of these messages.

    >>> left_out_of([Message("user", "Hi", left_out=("file", "image_url", "file"))])
    ('2 file parts', '1 image_url part')
    """
    kinds = Counter(kind for message in messages for kind in message.left_out)
    return tuple(counted(n, f"{kind} part") for kind, n in kinds.items())


def _message(message: object, place: str, reading: _Reading) -> Message:
    if not isinstance(message, dict) or not isinstance(message.get("role"), str):
        raise InvalidInputError(f'{place} is no message: an object with "role" and "content" is needed')
    content = _content(message.get("content"), f"{place}.content", reading)
    for call in _list_of(message.get("tool_calls")):
        called = call.get("function") or call
        reading.extras.append(ChatExtra(f"call of {_name_of(called)}", compact_json(called)))
    name = message.get("name")
    is_named = isinstance(name, str) and name and message["role"] != "tool"
    fields = {key: value for key, value in message.items() if key != "content" and value is not None}
    if not is_named:
        del fields["role"]
    if fields and message.get("content") is None:
        fields = {"content": None, **fields}
    role = str(name) if is_named else message["role"]
    return Message(
        replace_lone_surrogates(role),
        content,
        compact_json(fields) if fields else "",
        tuple(reading.left_out),
    )


def _content(content: object, place: str, reading: _Reading) -> str:
    """The text of a content; what is no text goes into the reading."""
    if content is None:
        return ""
    if isinstance(content, str):
        return replace_lone_surrogates(content)
    if not isinstance(content, list):
        raise InvalidInputError(f"{place} is neither a text nor a list of parts")
    texts = []
    for index, part in enumerate(content):
        if isinstance(part, str):
            texts.append(part)
            continue
        if not isinstance(part, dict) or not isinstance(part.get("type"), str):
            raise InvalidInputError(f'{place}[{index}] is no part: an object with "type" is needed')
        kind = part["type"]
        if kind in _TEXT_PARTS:
            if not isinstance(part.get("text"), str):
                raise InvalidInputError(f'{place}[{index}] is of type "{kind}" and has no "text"')
            texts.append(part["text"])
        elif kind == "tool_use":
            called = {"name": part.get("name"), "input": part.get("input")}
            reading.extras.append(ChatExtra(f"call of {_name_of(part)}", compact_json(called)))
        elif kind == "tool_result":
            texts.append(_content(part.get("content"), f"{place}[{index}].content", reading))
        else:
            if len(reading.left_out) == MAX_LEFT_OUT:
                raise InvalidInputError(
                    f"{place} has more parts that are no text than this page takes; "
                    f"it takes up to {MAX_LEFT_OUT:,}"
                )
            reading.left_out.append(replace_lone_surrogates(kind[:MAX_TYPE_CHARS]))
    return replace_lone_surrogates("".join(texts))


def _iter_tools(request: Mapping[str, Any]) -> Iterator[ChatExtra]:
    for tool in [*_list_of(request.get("tools")), *_list_of(request.get("functions"))]:
        described = tool.get("function") or tool
        yield ChatExtra(f"tool {_name_of(described)}", compact_json(described), is_tool=True)


def _list_of(value: object) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _name_of(described: object) -> str:
    name = described.get("name") if isinstance(described, dict) else None
    return name[:60] if isinstance(name, str) and name else "no name"


def tools_of(extras: Iterable[ChatExtra]) -> list[dict[str, Any]]:
    """The tools among extras, as templates want them. Raises InvalidInputError.

    >>> tools_of([ChatExtra("tool f", '{"name": "f"}', is_tool=True)])
    [{'type': 'function', 'function': {'name': 'f'}}]
    """
    found = []
    for extra in extras:
        if not extra.is_tool:
            continue
        try:
            found.append({"type": "function", "function": json.loads(extra.text)})
        except (ValueError, RecursionError):
            raise InvalidInputError(f"{extra.label} is not JSON") from None
    return found


def compact_json(value: object) -> str:
    """JSON without white space; half of a surrogate pair is U+FFFD.

    >>> compact_json({"a": [1, "é"]})
    '{"a":[1,"é"]}'
    """
    return replace_lone_surrogates(json.dumps(value, ensure_ascii=False, separators=(",", ":")))
