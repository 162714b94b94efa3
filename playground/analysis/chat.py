"""Chats as models see them: messages read from an API's JSON, and set into a template of special tokens.

OpenAI publishes neither `<|im_start|>` nor the template; both follow the convention of ChatML and of
dqbd/tiktokenizer. Text between two special tokens is encoded as one run, and content that spells a special
token stays ordinary text.

How a model is shown tools and their calls is not public either: each is counted as compact JSON, so its
number of tokens is an estimate. Images, audio and files are left out and reported by `left_out_of`.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import Any

from playground.analysis.token_marks import NO_MARKS
from playground.catalog.extended import WithSpecialTokens
from playground.catalog.registry import get_tokenizer
from playground.core.errors import InvalidInputError
from playground.core.text_units import Column
from playground.core.tokenizer import Tokenizer, replace_lone_surrogates
from playground.core.wording import counted

START, END, SEPARATOR = "<|im_start|>", "<|im_end|>", "<|im_sep|>"


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a chat; `role` may be any name.

    `fields` is a JSON object of the message's other fields, such as tool_calls, for models' own templates; ""
    for none. `left_out` lists the types of parts that aren't text, such as "image_url".
    """

    role: str
    content: str
    fields: str = ""
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ChatTemplate:
    """OpenAI's template of a model; `separator` comes between role and content, `joiner` after END."""

    model: str
    encoding_name: str
    special_ids: tuple[int, int, int]
    separator: str
    joiner: str

    @property
    def tokenizer(self) -> Tokenizer:
        """The encoding extended by the template's special tokens."""
        names = (START, END, SEPARATOR)
        return WithSpecialTokens(
            get_tokenizer(self.encoding_name), dict(zip(names, self.special_ids, strict=True))
        )


_CL100K_IDS, _O200K_IDS = (100264, 100265, 100266), (200264, 200265, 200266)
#: OpenAI's templates by model name.
CHAT_TEMPLATES: dict[str, ChatTemplate] = {
    "gpt-3.5-turbo": ChatTemplate("gpt-3.5-turbo", "cl100k_base", _CL100K_IDS, "\n", "\n"),
    "gpt-4": ChatTemplate("gpt-4", "cl100k_base", _CL100K_IDS, SEPARATOR, ""),
    "gpt-4o": ChatTemplate("gpt-4o", "o200k_base", _O200K_IDS, SEPARATOR, ""),
}


@dataclass(frozen=True, slots=True)
class ChatEncoding:
    """A chat's text and tokens.

    `lengths` has the bytes of each token. `parts` are the texts encoded as one run, and the ids of the
    special tokens between them. `template_ranges` are half-open ranges of tokens that lie entirely outside
    message contents. `message_tokens` has for each message its tokens, those of the template, and the number
    of messages counted together: 0 for one counted with the next. The opening of the answer isn't a message.
    `notes` are sentences about the chat, `variables` the names that a model's own template reads, and `marks`
    those of `token_marks.marks_of`.
    """

    tokenizer: Tokenizer
    text: str
    ids: tuple[int, ...]
    lengths: tuple[int, ...]
    parts: tuple[str | int, ...]
    template_ranges: tuple[tuple[int, int], ...]
    message_tokens: tuple[tuple[int, int, int], ...]
    notes: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    marks: Column = field(default_factory=lambda: NO_MARKS)


@dataclass(frozen=True, slots=True)
class _Piece:
    text: str
    is_special: bool = False
    is_content: bool = False


def encode_chat(messages: Sequence[Message], template: ChatTemplate) -> ChatEncoding:
    """Encode a chat, including the opening of the assistant's answer.

    >>> chat = encode_chat([Message("user", "Hi")], CHAT_TEMPLATES["gpt-4"])
    >>> chat.text
    '<|im_start|>user<|im_sep|>Hi<|im_end|><|im_start|>assistant<|im_sep|>'
    >>> chat.ids, chat.template_ranges
    ((100264, 882, 100266, 13347, 100265, 100264, 78191, 100266), ((0, 3), (4, 8)))
    """
    tokenizer = template.tokenizer
    pieces = [piece for piece in _iter_pieces(messages, template) if piece.text]
    parts: list[str | int] = []
    for piece in pieces:
        if piece.is_special:
            parts.append(tokenizer.special_tokens[piece.text])
        elif parts and isinstance(parts[-1], str):
            parts[-1] += piece.text
        else:
            parts.append(piece.text)
    ids: list[int] = []
    lengths: list[int] = []
    starts: list[int] = []  # first token of each message, and of the answer's opening
    for part in parts:
        if isinstance(part, str):
            encoding = tokenizer.encode(part)
            ids.extend(encoding)
            lengths.extend(encoding.lengths.tolist())
        else:
            if part == tokenizer.special_tokens[START]:
                starts.append(len(ids))
            ids.append(part)
            lengths.append(len(tokenizer.vocabulary.raw_of(part)))
    template_ranges = tuple(_iter_template_ranges(pieces, lengths))
    return ChatEncoding(
        tokenizer=tokenizer,
        text="".join(piece.text for piece in pieces),
        ids=tuple(ids),
        lengths=tuple(lengths),
        parts=tuple(parts),
        template_ranges=template_ranges,
        message_tokens=tuple(
            (end - start, sum(max(min(b, end) - max(a, start), 0) for a, b in template_ranges), 1)
            for start, end in pairwise(starts)
        ),
    )


def _iter_pieces(messages: Sequence[Message], template: ChatTemplate) -> Iterator[_Piece]:
    separator = _Piece(template.separator, is_special=template.separator == SEPARATOR)
    for message in messages:
        yield _Piece(START, is_special=True)
        yield _Piece(replace_lone_surrogates(message.role))
        yield separator
        yield _Piece(replace_lone_surrogates(message.content), is_content=True)
        yield _Piece(END, is_special=True)
        yield _Piece(template.joiner)
    yield _Piece(START, is_special=True)
    yield _Piece("assistant")
    yield separator


def _iter_template_ranges(pieces: Sequence[_Piece], lengths: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the ranges of tokens outside contents, walking tokens and contents in byte order."""
    piece_ends = list(accumulate(len(piece.text.encode()) for piece in pieces))
    starts = [0, *piece_ends]
    contents = [(starts[i], piece_ends[i]) for i, piece in enumerate(pieces) if piece.is_content]
    first: int | None = None
    place = 0
    for index, end in enumerate(accumulate(lengths)):
        start = end - lengths[index]
        while place < len(contents) and contents[place][1] <= start:
            place += 1
        is_template = place == len(contents) or end <= contents[place][0]
        if is_template and first is None:
            first = index
        elif not is_template and first is not None:
            yield first, index
            first = None
    if first is not None:
        yield first, len(lengths)


MAX_MESSAGES = 1_000
#: Limits for parts that aren't text: their number, and the characters kept of their type.
MAX_LEFT_OUT, MAX_TYPE_CHARS = 1_000, 40
_TEXT_PARTS = frozenset({"text", "input_text", "output_text"})


@dataclass(frozen=True, slots=True)
class ChatExtra:
    """A tool of a request, or a call of a tool: a label and its compact JSON."""

    label: str
    text: str
    is_tool: bool = False


@dataclass(frozen=True, slots=True)
class ApiChat:
    """The messages of an API request, and its tools and tool calls in order."""

    messages: tuple[Message, ...]
    extras: tuple[ChatExtra, ...]


@dataclass(slots=True)
class _Reading:
    """Collects a message's parts that aren't text; `extras` are those of the whole request."""

    extras: list[ChatExtra]
    left_out: list[str] = field(default_factory=list)


def read_api_chat(text: str) -> ApiChat:
    """Read a list of messages, or a whole request with `messages`, `system` and `tools`.

    >>> chat = read_api_chat('[{"role": "user", "content": [{"type": "text", "text": "Hi"}]}]')
    >>> chat.messages[0].content
    'Hi'

    Raises InvalidInputError, which says what is wrong and where.
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
        raise InvalidInputError(f"this chat has {found}; the limit is {MAX_MESSAGES:,}")
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
    """Describe the parts of messages that aren't text and so aren't counted.

    >>> left_out_of([Message("user", "Hi", left_out=("file", "image_url", "file"))])
    ('2 file parts', '1 image_url part')
    """
    kinds = Counter(kind for message in messages for kind in message.left_out)
    return tuple(counted(n, f"{kind} part") for kind, n in kinds.items())


def _message(message: object, place: str, reading: _Reading) -> Message:
    if not isinstance(message, dict) or not isinstance(message.get("role"), str):
        raise InvalidInputError(f'{place} is not a message: an object with "role" and "content" is needed')
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
    """Return the text of a content; other parts are added to `reading`."""
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
            raise InvalidInputError(f'{place}[{index}] is not a part: an object with "type" is needed')
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
                    f"{place} has more than {MAX_LEFT_OUT:,} parts that aren't text, which is the limit"
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
    """Return the tools among extras in the form that templates expect. Raises InvalidInputError.

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
    """Return JSON without white space; lone surrogates become U+FFFD.

    >>> compact_json({"a": [1, "é"]})
    '{"a":[1,"é"]}'
    """
    return replace_lone_surrogates(json.dumps(value, ensure_ascii=False, separators=(",", ":")))
