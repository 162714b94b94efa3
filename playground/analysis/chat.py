"""Chats as models see them: messages, and OpenAI's template of special tokens around them.

OpenAI publishes neither `<|im_start|>` nor the template, but the number of tokens around a message, which
this template has: 3, and 1 for a name (`chat_counts` has the source). Text between two special tokens is
encoded as one run, and content that spells a special token stays ordinary text.

`chat_requests` reads chats that people paste, `chat_templates` renders models' own templates, and
`chat_counts` counts.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import Any

from playground.analysis.token_marks import NO_MARKS
from playground.catalog.extended import WithSpecialTokens
from playground.catalog.registry import get_tokenizer
from playground.core.errors import InvalidInputError
from playground.core.text_units import Column
from playground.core.tokenizer import Tokenizer, replace_lone_surrogates

START, END, SEPARATOR = "<|im_start|>", "<|im_end|>", "<|im_sep|>"


@dataclass(frozen=True, slots=True)
class Media:
    """A part of a message that isn't text: its kind, such as "image"; for an image its size in pixels.

    `width` and `height` are 0 if the size is unknown. `detail` is what the request asks for, such as "low".
    """

    kind: str
    width: int = 0
    height: int = 0
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a chat; `role` may be any name.

    `fields` is a JSON object of the message's other fields, such as name and tool_calls, as templates get
    them; "" for none. `media` are the parts that aren't text.
    """

    role: str
    content: str
    fields: str = ""
    media: tuple[Media, ...] = ()

    def read_fields(self) -> dict[str, Any]:
        """Return the other fields. Raises InvalidInputError."""
        return read_object(self.fields, "a message’s other fields")

    def given_name(self) -> str:
        """Return the name of the participant, "" for none."""
        name = self.read_fields().get("name") if self.fields else None
        return name if isinstance(name, str) else ""


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool of a request: its name, and its definition as compact JSON."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class ChatTemplate:
    """OpenAI's template for an encoding, with the ids of START, END and SEPARATOR."""

    encoding_name: str
    special_ids: tuple[int, int, int]

    @property
    def tokenizer(self) -> Tokenizer:
        """The encoding extended by the template's special tokens."""
        names = (START, END, SEPARATOR)
        return WithSpecialTokens(
            get_tokenizer(self.encoding_name), dict(zip(names, self.special_ids, strict=True))
        )


#: OpenAI's template by encoding.
CHAT_TEMPLATES: dict[str, ChatTemplate] = {
    "cl100k_base": ChatTemplate("cl100k_base", (100264, 100265, 100266)),
    "o200k_base": ChatTemplate("o200k_base", (200264, 200265, 200266)),
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

    @property
    def n_template(self) -> int:
        """The number of tokens outside message contents."""
        return sum(last - first for first, last in self.template_ranges)


@dataclass(frozen=True, slots=True)
class _Piece:
    text: str
    is_special: bool = False
    is_content: bool = False


def encode_chat(messages: Sequence[Message], template: ChatTemplate) -> ChatEncoding:
    """Encode a chat, including the opening of the assistant's answer.

    >>> chat = encode_chat([Message("user", "Hi")], CHAT_TEMPLATES["cl100k_base"])
    >>> chat.text
    '<|im_start|>user<|im_sep|>Hi<|im_end|><|im_start|>assistant<|im_sep|>'
    >>> chat.ids, chat.template_ranges
    ((100264, 882, 100266, 13347, 100265, 100264, 78191, 100266), ((0, 3), (4, 8)))
    >>> encode_chat([Message("user", "Hi", '{"name": "asha"}')], CHAT_TEMPLATES["cl100k_base"]).text[:30]
    '<|im_start|>user:asha<|im_sep|'
    """
    tokenizer = template.tokenizer
    pieces = [piece for piece in _iter_pieces(messages) if piece.text]
    parts: list[str | int] = []
    ids: list[int] = []
    lengths: list[int] = []
    starts: list[int] = []  # first token of each message, and of the answer's opening
    for piece in pieces:
        if piece.is_special:
            token_id = tokenizer.special_tokens[piece.text]
            if piece.text == START:
                starts.append(len(ids))
            parts.append(token_id)
            ids.append(token_id)
            lengths.append(len(piece.text))
        else:
            encoding = tokenizer.encode(piece.text)
            parts.append(piece.text)
            ids.extend(encoding)
            lengths.extend(encoding.lengths.tolist())
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


def _iter_pieces(messages: Sequence[Message]) -> Iterator[_Piece]:
    separator = _Piece(SEPARATOR, is_special=True)
    for message in messages:
        yield _Piece(START, is_special=True)
        yield _Piece(replace_lone_surrogates(message.role))
        if (
            name := message.given_name()
        ):  # two runs, because the formula counts the name alone, and one token for having one
            yield _Piece(":")
            yield _Piece(replace_lone_surrogates(name))
        yield separator
        yield _Piece(replace_lone_surrogates(message.content), is_content=True)
        yield _Piece(END, is_special=True)
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


def tools_of(tools: Iterable[Tool]) -> list[dict[str, Any]]:
    """Return tools in the form that templates expect. Raises InvalidInputError.

    >>> tools_of([Tool("f", '{"name": "f"}')])
    [{'type': 'function', 'function': {'name': 'f'}}]
    """
    return [{"type": "function", "function": read_object(tool.text, f"tool {tool.name}")} for tool in tools]


def read_object(text: str, what: str) -> dict[str, Any]:
    """Parse a JSON object, {} for an empty text. Raises InvalidInputError."""
    try:
        found = json.loads(text) if text.strip() else {}
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise InvalidInputError(f'{what}: not a JSON object, such as {{"enable_thinking": false}}')
    return found


def compact_json(value: object) -> str:
    """Return JSON without white space; lone surrogates become U+FFFD.

    >>> compact_json({"a": [1, "é"]})
    '{"a":[1,"é"]}'
    """
    return replace_lone_surrogates(json.dumps(value, ensure_ascii=False, separators=(",", ":")))
