"""Chats as models see them: messages in OpenAI's template of special tokens, and their tokens.

OpenAI publishes neither `<|im_start|>` nor the template; both follow the convention of ChatML and of
dqbd/tiktokenizer. Text between two special tokens is encoded as one run, and content that spells a special
token stays ordinary text.

How a model is shown tools and their calls is not public either, so `chat_templates.not_counted_in` estimates
them from compact JSON. `chat_requests` reads chats that people paste.
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


@dataclass(frozen=True, slots=True)
class ChatExtra:
    """A tool of a request, or a call of a tool: a label and its compact JSON."""

    label: str
    text: str
    is_tool: bool = False


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
